// Naive Fibonacci: nothing but calls and branches.
__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__attribute__((export_name("run"))) int run(int n) { return fib(n); }
