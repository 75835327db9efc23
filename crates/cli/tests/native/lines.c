// A program that reads its standard input and prints.
//
// program: --stdin 8 --paths 400
// program: --stdin "6 in 'a'..='c' | '\n'" --paths 400
#include "pessimum.h"
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[64], longest[64] = "";
    int count = 0;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        for (char *at = line; *at; at++)
            if (*at == 'a') pessimum_cost(1);
        if (strlen(line) > strlen(longest)) {
            pessimum_cost(2);
            strcpy(longest, line);
        }
        count++;
    }
    printf("%d lines, longest of %zu bytes\n", count, strlen(longest));
    return count > 3;
}
