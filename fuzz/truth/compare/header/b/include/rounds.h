#define ROUNDS 2
