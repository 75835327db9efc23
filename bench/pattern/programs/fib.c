/* Fibonacci numbers by recursion: exponential in the value, with the golden ratio as its base. */
unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
