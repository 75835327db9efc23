/* Written by Pessimum: tests of stack.c. They expect what it does now, whether that is right or not.
 *
 *     cc -I. THIS_FILE -lm -o tests && ./tests
 *
 * in the directory that the path is relative to; `./tests NAME` runs one of them. Those that crash run only then. */
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define main main_of_the_source
#include "stack.c"
#undef main

/* About stack. */
static void test_stack(void) {
    struct stack *stack1 = stack_new(2);
    assert(stack1);
    int values[] = {5, -1, 7};
    assert(stack_fill(stack1, values, 3) == 2);
    int values2[] = {0};
    assert(stack_pop(stack1, values2));
    assert(stack_get(stack1, 0) == 5);
    assert(stack_get(stack1, 1) == -1);
    assert(stack_mean(stack1) == 5.0);
    stack_free(stack1);
}

/* About accounts. */
static void test_accounts(void) {
    account_t *account = account_open("a\310");
    assert(account);
    account_t *account2 = account_open("");
    assert(account2);
    assert(account_pay(account, 3, 5) == 27);
    assert(account_withdraw(account, account2, 20));
    assert(account_is(account, "a\310"));
    account_close(account);
}

/* About visible. */
static void test_visible(void) {
    assert(visible(-1) == 0);
}

int main(int count, char **words) {
    const struct {
        const char *name;
        void (*run)(void);
        bool crashes;
    } tests[] = {
        {"test_stack", test_stack, false},
        {"test_accounts", test_accounts, false},
        {"test_visible", test_visible, false},
    };
    size_t number = sizeof tests / sizeof *tests;
    for (size_t i = 0; i < number; i++)
        if (count < 2 ? !tests[i].crashes : !strcmp(words[1], tests[i].name)) tests[i].run();
    return 0;
}
