/* Conditions on strings, written with loops over their bytes as a library would: "several subjects encode constraint systems over strings"
 * (Fitnex, Xie et al., DSN 2009, section 5). Ours, besides HelloWorld.
 *
 * call: needle(u8[n], i32 in 0..=n)          n >= 6: contains "urgent"
 * call: roman(u8[n], i32 in 0..=n)           n >= 7: a Roman numeral that is worth 1994, which is MCMXCIV in the usual form
 * call: words(u8[n], n)                      n >= 14: exactly 4 words, the longest of 5 letters
 * call: palindrome(u8[n], i32 in 0..=n)      n >= 9: at least 9 letters that read the same from both ends
 * call: hexadecimal(u8[n], i32 in 0..=n)     n >= 6: 0xBEEF in any spelling
 *
 * Target: must_reach in each. Equality of strings is a loop over one comparison: once it came out true for one byte, no arm of it is left
 * to come closer to, so fitness cannot tell a longer match from a shorter one.
 */
#include "subject.h"

static int is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

EXPORT("needle") void needle(const unsigned char *s, int length) {
    static const char word[] = "urgent";
    for (int start = 0; start + 6 <= length; start++) {
        int i = 0;
        while (i < 6) {
            if (s[start + i] != (unsigned char)word[i]) break;
            i++;
        }
        if (i == 6) {
            must_reach();
            return;
        }
    }
}

static int worth(int c) {
    switch (c) {
    case 'I': return 1;
    case 'V': return 5;
    case 'X': return 10;
    case 'L': return 50;
    case 'C': return 100;
    case 'D': return 500;
    case 'M': return 1000;
    default: return 0;
    }
}

EXPORT("roman") void roman(const unsigned char *s, int length) {
    int value = 0, before = 0;
    for (int i = length - 1; i >= 0; i--) {
        int letter = worth(s[i]);
        if (letter == 0) return;
        if (letter < before) {
            value -= letter;
        } else {
            value += letter;
            before = letter;
        }
    }
    if (value == 1994) must_reach();
}

EXPORT("words") void words(const unsigned char *s, int n) {
    int count = 0, longest = 0, letters = 0;
    for (int i = 0; i < n; i++) {
        if (is_letter(s[i])) {
            if (letters == 0) count++;
            letters++;
            if (letters > longest) longest = letters;
        } else {
            letters = 0;
        }
    }
    if (count == 4 && longest == 5) must_reach();
}

EXPORT("palindrome") void palindrome(const unsigned char *s, int length) {
    if (length < 9) return;
    for (int i = 0, j = length - 1; i < j; i++, j--) {
        if (!is_letter(s[i])) return;
        if (s[i] != s[j]) return;
    }
    must_reach();
}

EXPORT("hexadecimal") void hexadecimal(const unsigned char *s, int length) {
    if (length < 3 || s[0] != '0' || s[1] != 'x') return;
    unsigned value = 0;
    for (int i = 2; i < length; i++) {
        unsigned digit;
        if (s[i] >= '0' && s[i] <= '9') {
            digit = s[i] - '0';
        } else if (s[i] >= 'a' && s[i] <= 'f') {
            digit = s[i] - 'a' + 10;
        } else if (s[i] >= 'A' && s[i] <= 'F') {
            digit = s[i] - 'A' + 10;
        } else {
            return;
        }
        if (value > 0xffffff) return;
        value = 16 * value + digit;
    }
    if (value == 0xbeef) must_reach();
}
