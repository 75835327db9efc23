/* Account and book numbers with check digits: IBAN (remainder 97), ISBN-10 and ISBN-13, after a word that says which. */
#include <stdint.h>
#include <string.h>

static int is_digit(int c) { return c >= '0' && c <= '9'; }

static int iban(const unsigned char *at, uint32_t size) {
    static const struct { char country[3]; unsigned char length; } LENGTHS[] = {
        {"NO", 15}, {"BE", 16}, {"DK", 18}, {"NL", 18}, {"DE", 22}, {"GB", 22}, {"FR", 27},
    };
    if (size < 5) return -1;
    uint32_t wanted = 0;
    for (unsigned i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++)
        if (memcmp(LENGTHS[i].country, at, 2) == 0) wanted = LENGTHS[i].length;
    if (wanted == 0) return -2;
    if (size != wanted) return -3;
    if (!is_digit(at[2]) || !is_digit(at[3])) return -4;
    uint32_t rest = 0;
    for (uint32_t i = 0; i < size; i++) {
        int c = at[(i + 4) % size];
        if (is_digit(c)) rest = (rest * 10 + (uint32_t)(c - '0')) % 97;
        else if (c >= 'A' && c <= 'Z') rest = (rest * 100 + (uint32_t)(c - 'A' + 10)) % 97;
        else return -5;
    }
    return rest == 1 ? 1 : -6;
}

static int isbn(const unsigned char *at, uint32_t size) {
    int digits[13], count = 0;
    for (uint32_t i = 0; i < size; i++) {
        if (at[i] == '-') {
            if (i == 0 || at[i - 1] == '-') return -10;
            continue;
        }
        if (count == 13) return -11;
        if (is_digit(at[i])) digits[count++] = at[i] - '0';
        else if (at[i] == 'X' && count == 9) digits[count++] = 10;
        else return -12;
    }
    int sum = 0;
    if (count == 10) {
        for (int i = 0; i < 10; i++) sum += (10 - i) * digits[i];
        return sum % 11 == 0 ? 2 : -13;
    }
    if (count != 13) return -14;
    for (int i = 0; i < 13; i++) {
        if (digits[i] == 10) return -15;
        sum += digits[i] * (i % 2 ? 3 : 1);
    }
    if (digits[0] != 9 || digits[1] != 7 || (digits[2] != 8 && digits[2] != 9)) return -16;
    return sum % 10 == 0 ? 3 : -17;
}

int check_number(const unsigned char *data, uint32_t size) {
    if (size > 5 && memcmp(data, "IBAN ", 5) == 0) return iban(data + 5, size - 5);
    if (size > 5 && memcmp(data, "ISBN ", 5) == 0) return isbn(data + 5, size - 5);
    return 0;
}
