/* Two kinds of objects: a stack of numbers, and an account that is known by its owner. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct stack {
    int *items;
    size_t used, room;
};

typedef struct {
    char owner[16];
    long long balance;
    bool closed;
} account_t;

enum currency { EURO, CROWN = 5, DOLLAR };

struct stack *stack_new(size_t room) {
    struct stack *stack = malloc(sizeof *stack);
    stack->items = malloc((room ? room : 1) * sizeof *stack->items);
    stack->used = 0;
    stack->room = room;
    return stack;
}

bool stack_push(struct stack *stack, int value) {
    if (stack->used == stack->room) return false;
    stack->items[stack->used++] = value;
    return true;
}

bool stack_pop(struct stack *stack, int *value) {
    if (!stack->used) return false;
    *value = stack->items[--stack->used];
    return true;
}

int stack_get(const struct stack *stack, size_t index) { return index < stack->used ? stack->items[index] : -1; }

size_t stack_fill(struct stack *stack, const int *values, size_t count) {
    size_t i = 0;
    while (i < count && stack_push(stack, values[i])) i++;
    return i;
}

double stack_mean(const struct stack *stack) {
    double sum = 0;
    for (size_t i = 0; i < stack->used; i++) sum += stack->items[i];
    return stack->used ? sum / stack->used : 0;
}

void stack_each(struct stack *stack, void (*visit)(int, void *), void *context) {
    for (size_t i = 0; i < stack->used; i++) visit(stack->items[i], context);
}

void stack_free(struct stack *stack) {
    free(stack->items);
    free(stack);
}

account_t *account_open(const char *owner) {
    account_t *account = calloc(1, sizeof *account);
    strncpy(account->owner, owner, sizeof account->owner - 1);
    return account;
}

long long account_pay(account_t *account, unsigned amount, enum currency currency) {
    if (account->closed) return -1;
    long long factor = currency == EURO ? 100 : currency == CROWN ? 9 : 93;
    account->balance += factor * amount;
    return account->balance;
}

bool account_is(const account_t *account, const char *owner) { return !strcmp(account->owner, owner); }

bool account_withdraw(account_t *from, account_t *to, unsigned amount) {
    if (from == to || from->balance < (long long)amount) return false;
    from->balance -= amount;
    to->balance += amount;
    return true;
}

void account_close(account_t *account) { free(account); }

static int hidden(int x) { return x + 1; }

int visible(int x) { return hidden(x) * 2; }
