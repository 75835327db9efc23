void countdown(unsigned n){ volatile unsigned x=0; for(unsigned i=0;i<n;i++) x+=i; }
int fact(int n){ return n == 0 ? 1 : n * fact(n - 1); }
unsigned fib(unsigned n){ return n < 2 ? n : fib(n-1) + fib(n-2); }
int is_prime(unsigned n){ if (n < 2) return 0; for (unsigned d = 2; d * d <= n; d++) if (n % d == 0) return 0; return 1; }
