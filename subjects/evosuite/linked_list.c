/* A singly linked list driven by a sequence of calls, after SinglyLinkedList and LinkedList of the Roops benchmarks in EvoSuite's hybrid search
 * (Galeotti et al., 2013), Table IV. Ours.
 *
 * call: run(u8[n] in 0..=4, i32[n], n, out i32[2*n])        call k is operation k with argument k; returns the length of the list
 * exports: list_clear, list_add_first, list_add_last, list_contains, list_remove, list_reverse, for a search that makes its own sequences
 *
 * Goal: cover every branch; six calls can do it.
 * Worst case (cost `instructions`): half the calls add different values, the other half look for an absent one: quadratic.
 */
#include "subject.h"

struct node {
    int value;
    struct node *next;
};

static struct node *pool, *head;
static int used, capacity, length;

static struct node *new_node(int value, struct node *next) {
    if (used == capacity) __builtin_trap();
    struct node *node = &pool[used++];
    node->value = value;
    node->next = next;
    return node;
}

/* Empties the list; `nodes` is room for `count` nodes. */
EXPORT("list_clear") void list_clear(struct node *nodes, int count) {
    pool = nodes;
    capacity = count;
    used = length = 0;
    head = 0;
}

EXPORT("list_add_first") void list_add_first(int value) {
    head = new_node(value, head);
    length++;
}

EXPORT("list_add_last") void list_add_last(int value) {
    struct node **at = &head;
    while (*at) at = &(*at)->next;
    *at = new_node(value, 0);
    length++;
}

EXPORT("list_contains") int list_contains(int value) {
    for (struct node *at = head; at; at = at->next) {
        if (at->value == value) return 1;
    }
    return 0;
}

EXPORT("list_remove") int list_remove(int value) {
    for (struct node **at = &head; *at; at = &(*at)->next) {
        if ((*at)->value == value) {
            *at = (*at)->next;
            length--;
            return 1;
        }
    }
    return 0;
}

EXPORT("list_reverse") void list_reverse(void) {
    struct node *reversed = 0;
    while (head) {
        struct node *next = head->next;
        head->next = reversed;
        reversed = head;
        head = next;
    }
    head = reversed;
}

EXPORT("run") int run(const unsigned char *operations, const int *arguments, int n, struct node *nodes) {
    list_clear(nodes, n);
    for (int i = 0; i < n; i++) {
        if (operations[i] == 0) list_add_first(arguments[i]);
        else if (operations[i] == 1) list_add_last(arguments[i]);
        else if (operations[i] == 2) list_contains(arguments[i]);
        else if (operations[i] == 3) list_remove(arguments[i]);
        else list_reverse();
    }
    return length;
}
