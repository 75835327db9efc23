/* A program: counts the words on standard input. */
#include <stdio.h>

int main(void)
{
    int words = 0, inside = 0, c;
    while ((c = getchar()) != EOF) {
        int letter = c != ' ' && c != '\n';
        words += letter && !inside;
        inside = letter;
    }
    printf("%d words\n", words);
    return 0;
}
