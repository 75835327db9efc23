/* Words in a trie whose children are a sorted list of siblings, as spell checkers keep them: the worst list of words
 * makes long chains of siblings and walks them to the end. */
#include <stdbool.h>
#include <stdlib.h>

struct node {
    struct node *sibling, *child;
    unsigned char letter;
    bool word;
};

struct trie {
    struct node *first;
    int words, nodes;
};

static unsigned char fold(unsigned char c) {
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c + ('a' - 'A')) : c;
}

static bool is_letter(unsigned char c) {
    return c >= 'a' && c <= 'z';
}

/* The place in the sorted list where the letter is or belongs. */
static struct node **place(struct node **list, unsigned char letter) {
    while (*list && (*list)->letter < letter) list = &(*list)->sibling;
    return list;
}

static bool add(struct trie *trie, const unsigned char *word, size_t length) {
    struct node **list = &trie->first, *node = NULL;
    for (size_t i = 0; i < length; i++) {
        unsigned char letter = fold(word[i]);
        struct node **found = place(list, letter);
        node = *found;
        if (!node || node->letter != letter) {
            struct node *made = calloc(1, sizeof *made);
            if (!made) return false;
            made->letter = letter;
            made->sibling = node;
            *found = node = made;
            trie->nodes++;
        }
        list = &node->child;
    }
    if (node && !node->word) {
        node->word = true;
        trie->words++;
    }
    return true;
}

static void free_nodes(struct node *node) {
    while (node) {
        struct node *next = node->sibling;
        free_nodes(node->child);
        free(node);
        node = next;
    }
}

/* The number of different words in a text, whatever their case, or -1 without memory. */
int count_words(const unsigned char *text, size_t length) {
    struct trie trie = {0};
    size_t i = 0;
    bool complete = true;
    while (complete && i < length) {
        while (i < length && !is_letter(fold(text[i]))) i++;
        size_t start = i;
        while (i < length && is_letter(fold(text[i]))) i++;
        if (i > start) complete = add(&trie, text + start, i - start);
    }
    free_nodes(trie.first);
    return complete ? trie.words : -1;
}
