/* Lexes a small language and counts what it sees; keywords are compared with strcmp and strncmp, pragmas with memcmp. */
#include <stdint.h>
#include <string.h>

static const char *const KEYWORDS[] = {"if", "else", "while", "return", "struct", "volatile"};

static int is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static int is_digit(int c) { return c >= '0' && c <= '9'; }

int lex(const unsigned char *data, uint32_t size) {
    uint32_t at = 0;
    int words = 0, keywords = 0, open = 0, pragmas = 0;
    while (at < size) {
        int c = data[at];
        if (c == ' ' || c == '\n' || c == '\t') {
            at++;
        } else if (is_letter(c)) {
            char word[16];
            unsigned length = 0;
            while (at < size && (is_letter(data[at]) || is_digit(data[at]))) {
                if (length == 15) return -1;
                word[length++] = (char)data[at++];
            }
            word[length] = 0;
            words++;
            if (strncmp(word, "__", 2) == 0) {
                if (strcmp(word + 2, "LINE__") != 0 && strcmp(word + 2, "FILE__") != 0) return -2;
            }
            for (unsigned i = 0; i < sizeof KEYWORDS / sizeof *KEYWORDS; i++)
                if (strcmp(word, KEYWORDS[i]) == 0) keywords |= 1 << i;
        } else if (is_digit(c)) {
            if (c == '0' && at + 1 < size && (data[at + 1] | 0x20) == 'x') {
                at += 2;
                uint32_t begin = at;
                while (at < size && (is_digit(data[at]) || ((data[at] | 0x20) >= 'a' && (data[at] | 0x20) <= 'f'))) at++;
                if (at == begin) return -3;
            } else {
                while (at < size && is_digit(data[at])) at++;
                if (at < size && data[at] == '.') {
                    at++;
                    if (at == size || !is_digit(data[at])) return -4;
                    while (at < size && is_digit(data[at])) at++;
                }
            }
        } else if (c == '"') {
            at++;
            while (at < size && data[at] != '"') {
                if (data[at] == '\n') return -5;
                if (data[at] == '\\') {
                    if (++at == size) return -6;
                    if (!strchr("nrt\\\"", data[at]) || !data[at]) return -7;
                }
                at++;
            }
            if (at == size) return -8;
            at++;
        } else if (c == '/' && at + 1 < size && data[at + 1] == '*') {
            at += 2;
            while (at + 1 < size && !(data[at] == '*' && data[at + 1] == '/')) at++;
            if (at + 1 >= size) return -9;
            at += 2;
        } else if (c == '#') {
            if (size - at < 12 || memcmp(data + at, "#pragma once", 12) != 0) return -10;
            if (pragmas++) return -11;
            at += 12;
        } else {
            switch (c) {
            case '(': case '{': open++; break;
            case ')': case '}':
                if (open-- == 0) return -12;
                break;
            case '+': case '-': case '&': case '|':
                if (at + 1 < size && data[at + 1] == c) at++;
                break;
            case '=': case '<': case '>': case '!':
                if (at + 1 < size && data[at + 1] == '=') at++;
                break;
            case ';': case ',': case '*': case '/': break;
            default: return -13;
            }
            at++;
        }
    }
    if (open) return -14;
    if (keywords == 3) return 2;
    if (keywords & 32) return 3;
    return words > 4 ? 4 : 1;
}
