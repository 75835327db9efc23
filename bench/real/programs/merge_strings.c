/* The lines of a text, sorted by a merge sort over a linked list and freed of duplicates. Each comparison costs as much
 * as the lines have in common: the worst text has lines that differ at their ends and alternate in every merge. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct line {
    struct line *next;
    size_t length;
    const char *text;
};

static int compare(const struct line *a, const struct line *b) {
    size_t common = a->length < b->length ? a->length : b->length;
    for (size_t i = 0; i < common; i++) {
        unsigned char x = (unsigned char)a->text[i], y = (unsigned char)b->text[i];
        if (x != y) return x < y ? -1 : 1;
    }
    if (a->length == b->length) return 0;
    return a->length < b->length ? -1 : 1;
}

static struct line *merge(struct line *a, struct line *b) {
    struct line head, *last = &head;
    while (a && b) {
        if (compare(a, b) <= 0) {
            last->next = a;
            a = a->next;
        } else {
            last->next = b;
            b = b->next;
        }
        last = last->next;
    }
    last->next = a ? a : b;
    return head.next;
}

static struct line *sort(struct line *list) {
    if (!list || !list->next) return list;
    struct line *slow = list, *fast = list->next;
    while (fast && fast->next) {
        slow = slow->next;
        fast = fast->next->next;
    }
    struct line *second = slow->next;
    slow->next = NULL;
    return merge(sort(list), sort(second));
}

static bool append(struct line ***end, const char *text, size_t length) {
    struct line *line = malloc(sizeof *line);
    if (!line) return false;
    *line = (struct line){NULL, length, text};
    **end = line;
    *end = &line->next;
    return true;
}

/* The number of different lines, or -1 without memory. */
int unique_lines(const char *text, size_t length) {
    struct line *list = NULL, **end = &list;
    size_t start = 0;
    int different = 0;
    bool complete = true;
    for (size_t i = 0; i < length && complete; i++) {
        if (text[i] != '\n') continue;
        complete = append(&end, text + start, i - start);
        start = i + 1;
    }
    if (complete && start < length) complete = append(&end, text + start, length - start);
    list = sort(list);
    while (list) {
        struct line *next = list->next;
        if (!next || compare(list, next) != 0) different++;
        free(list);
        list = next;
    }
    return complete ? different : -1;
}
