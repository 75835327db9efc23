/* Lines, words and the longest line of standard input, with tabs expanded to multiples of eight columns.
 *
 * stdin: n
 *
 * Worst case: linear. Every character is read once; a tab takes at most eight steps.
 */
#include <stdio.h>

#define TAB_STOP 8

struct stats {
    unsigned lines;
    unsigned words;
    unsigned longest;
};

struct line {
    unsigned column;
    int in_word;
};

static int is_space(int c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void end_line(struct stats *stats, struct line *line) {
    if (line->column > stats->longest) stats->longest = line->column;
    stats->lines++;
    line->column = 0;
}

static void count(struct stats *stats, struct line *line, int c) {
    if (is_space(c)) {
        line->in_word = 0;
    } else if (!line->in_word) {
        line->in_word = 1;
        stats->words++;
    }
    switch (c) {
    case '\n':
        end_line(stats, line);
        break;
    case '\t':
        do line->column++;
        while (line->column % TAB_STOP != 0);
        break;
    case '\r':
        break;
    default:
        line->column++;
    }
}

int main(void) {
    struct stats stats = {0, 0, 0};
    struct line line = {0, 0};
    int c;
    while ((c = getchar()) != EOF) count(&stats, &line, c);
    if (line.column > 0) end_line(&stats, &line);
    printf("%u lines, %u words, longest %u\n", stats.lines, stats.words, stats.longest);
    return 0;
}
