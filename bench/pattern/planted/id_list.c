/* Checks a list of decimal numbers that have to grow, as in 3,7,12, and writes it to a report with strcat-like
 * appending.
 *
 * call: check(u8[n] in '0'..='9' | ',', n)         returns how many numbers were written
 *
 * Worst case: n^2, by growing numbers: each character that is written looks for the end of the report from its
 * beginning, n^2/2 steps for a list that is right up to its end, and nothing is written twice. The list ends at the
 * first number that is not greater than the one before, is missing or has more than nine digits, so that random lists
 * end early; it has to count: 1,2,3,... or 100,101,102,...
 */
#include <stdint.h>
#include <stdlib.h>

#define MOST_DIGITS 9

struct report {
    char *text;
};

static void append(struct report *report, char c) {
    char *end = report->text;
    while (*end) end++;
    end[0] = c;
    end[1] = '\0';
}

/* Reads the digits at `at`; returns how many there are, 0 if none or too many. */
static int read_number(const unsigned char *list, int at, int n, int32_t *value) {
    int digits = 0;
    *value = 0;
    while (at + digits < n && list[at + digits] >= '0' && list[at + digits] <= '9') {
        if (digits == MOST_DIGITS) return 0;
        *value = *value * 10 + (list[at + digits] - '0');
        digits++;
    }
    return digits;
}

int check(const unsigned char *list, int n) {
    struct report report = {calloc((size_t)n + 2, 1)};
    int32_t previous = -1, value;
    int at = 0, written = 0;
    if (!report.text) return -1;
    while (at < n) {
        int digits = read_number(list, at, n, &value);
        if (digits == 0 || value <= previous) break;
        for (int i = 0; i < digits; i++) append(&report, (char)list[at + i]);
        written++;
        previous = value;
        at += digits;
        if (at == n || list[at] != ',') break;
        append(&report, ',');
        at++;
    }
    free(report.text);
    return written;
}
