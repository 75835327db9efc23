#define ROUNDS 4
