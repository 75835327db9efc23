/* build: wasi
 *
 * An ordinary C program: reads text from standard input, counts its words and prints them, the most frequent first. It uses stdio, malloc,
 * realloc, qsort and printf of wasi-libc, so that running it needs a large part of a C library.
 *
 * stdin: n bytes
 *
 * Worst case: every new word is compared with all words before it, so many short different words cost quadratic time. The exact optimum
 * is not known.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    char *text;
    int count;
};

static struct word *words;
static int word_count, capacity;

static void *checked(void *memory) {
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

static void add(const char *text) {
    for (int i = 0; i < word_count; i++) {
        if (strcmp(words[i].text, text) == 0) {
            words[i].count++;
            return;
        }
    }
    if (word_count == capacity) {
        capacity = capacity ? 2 * capacity : 8;
        words = checked(realloc(words, capacity * sizeof *words));
    }
    words[word_count].text = checked(strdup(text));
    words[word_count++].count = 1;
}

/* More frequent first, then by text. */
static int compare(const void *a, const void *b) {
    const struct word *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return strcmp(x->text, y->text);
}

int main(void) {
    char buffer[64];
    int length = 0, total = 0;
    for (;;) {
        int c = getchar();
        if (c != EOF && isalpha(c)) {
            if (length < (int)sizeof buffer - 1) buffer[length++] = tolower(c);
            continue;
        }
        if (length > 0) {
            buffer[length] = 0;
            add(buffer);
            total++;
            length = 0;
        }
        if (c == EOF) break;
    }
    qsort(words, word_count, sizeof *words, compare);
    for (int i = 0; i < word_count; i++) {
        printf("%5d %5.1f%% %s\n", words[i].count, 100.0 * words[i].count / total, words[i].text);
        free(words[i].text);
    }
    free(words);
    return 0;
}
