/* Validators of strings, after the kind of classes in Table I of EvoSuite's hybrid search (Galeotti et al., 2013): TimeChecker, PostCodeValidator,
 * EmailValidator, MIMEType, CASNumber, IBAN, Cookie, DateParse. Our own rules; the classes themselves are Java and not copied.
 *
 * call: is_time(u8[5])              HH:MM
 * call: is_date(u8[10])             YYYY-MM-DD with the days of the month and leap years
 * call: is_post_code(u8[n], n)      two letters, one or two digits, a space, a digit, two letters
 * call: is_email(u8[n], n)          name@host.domain
 * call: is_mime_type(u8[n], n)      text/..., image/..., application/...
 * call: is_cas_number(u8[n], n)     digits-dd-d with a check digit
 * call: is_iban(u8[n], n)           country, two check digits, account; the whole is 1 modulo 97
 * call: is_cookie(u8[n], n)         the name is "username", "session" or "lang"; each decides differently about the value
 *
 * Goal: cover every branch. The checks of equality with words, the check digits and the modulus are what mutation alone seldom hits.
 */
#include "subject.h"

typedef const unsigned char *string;

static int is_digit(int c) { return c >= '0' && c <= '9'; }

static int is_upper(int c) { return c >= 'A' && c <= 'Z'; }

static int is_lower(int c) { return c >= 'a' && c <= 'z'; }

static int two_digits(string s) {
    if (!is_digit(s[0]) || !is_digit(s[1])) return -1;
    return 10 * (s[0] - '0') + (s[1] - '0');
}

/* The length of the word if `s` begins with it, else 0. */
static int begins(string s, int n, const char *word) {
    int i = 0;
    for (; word[i]; i++) {
        if (i == n) return 0;
        if (s[i] != (unsigned char)word[i]) return 0;
    }
    return i;
}

EXPORT("is_time") int is_time(string s) {
    int hours = two_digits(s), minutes = two_digits(s + 3);
    if (s[2] != ':') return 0;
    if (hours < 0 || hours > 23) return 0;
    if (minutes < 0 || minutes > 59) return 0;
    if (hours == 0 && minutes == 0) return 2; /* midnight */
    return 1;
}

EXPORT("is_date") int is_date(string s) {
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int century = two_digits(s), rest = two_digits(s + 2), month = two_digits(s + 5), day = two_digits(s + 8);
    if (s[4] != '-' || s[7] != '-') return 0;
    if (century < 0 || rest < 0) return 0;
    if (month < 1 || month > 12) return 0;
    if (day < 1) return 0;
    int year = 100 * century + rest;
    if (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) {
        if (day == 29) return 2; /* a leap day */
        return day < 29;
    }
    return day <= days[month - 1];
}

EXPORT("is_post_code") int is_post_code(string s, int n) {
    int i = 0;
    if (n < 7 || n > 8) return 0;
    if (!is_upper(s[i++]) || !is_upper(s[i++])) return 0;
    if (!is_digit(s[i++])) return 0;
    if (n == 8) {
        if (!is_digit(s[i++])) return 0;
    }
    if (s[i++] != ' ') return 0;
    if (!is_digit(s[i++])) return 0;
    return is_upper(s[i]) && is_upper(s[i + 1]);
}

EXPORT("is_email") int is_email(string s, int n) {
    int at = -1, dot = -1;
    for (int i = 0; i < n; i++) {
        if (s[i] == '@') {
            if (at >= 0 || i == 0) return 0;
            at = i;
        } else if (s[i] == '.') {
            if (i == 0 || i == at + 1 || i == dot + 1) return 0;
            dot = i;
        } else if (!is_lower(s[i]) && !is_digit(s[i])) {
            return 0;
        }
    }
    if (at < 0) return 0;
    if (dot < at) return 0;
    return dot < n - 2;
}

EXPORT("is_mime_type") int is_mime_type(string s, int n) {
    int kind = 0, at = 0;
    if ((at = begins(s, n, "text/"))) kind = 1;
    else if ((at = begins(s, n, "image/"))) kind = 2;
    else if ((at = begins(s, n, "application/"))) kind = 3;
    else return 0;
    if (at == n) return 0;
    for (int i = at; i < n; i++) {
        if (!is_lower(s[i]) && s[i] != '-' && s[i] != '*') return 0;
        if (s[i] == '*') {
            if (i != at || n != at + 1) return 0;
            return 10 + kind;
        }
    }
    return kind;
}

EXPORT("is_cas_number") int is_cas_number(string s, int n) {
    if (n < 7) return 0;
    if (s[n - 2] != '-' || s[n - 5] != '-') return 0;
    int sum = 0, weight = 1;
    for (int i = n - 3; i >= 0; i--) {
        if (i == n - 5) continue;
        if (!is_digit(s[i])) return 0;
        sum += weight++ * (s[i] - '0');
    }
    if (!is_digit(s[n - 1])) return 0;
    return sum % 10 == s[n - 1] - '0';
}

EXPORT("is_iban") int is_iban(string s, int n) {
    if (n < 8) return 0;
    if (!is_upper(s[0]) || !is_upper(s[1])) return 0;
    if (two_digits(s + 2) < 2) return 0;
    int rest = 0;
    for (int k = 0; k < n; k++) {
        int c = s[(k + 4) % n]; /* the first four go to the end */
        if (is_digit(c)) rest = (10 * rest + (c - '0')) % 97;
        else if (is_upper(c)) rest = (100 * rest + (c - 'A' + 10)) % 97;
        else return 0;
    }
    return rest == 1;
}

EXPORT("is_cookie") int is_cookie(string s, int n) {
    int at;
    if ((at = begins(s, n, "username="))) return at < n && is_lower(s[at]);
    if ((at = begins(s, n, "session="))) {
        if (n - at != 4) return 0;
        return two_digits(s + at) == 13 && two_digits(s + at + 2) == 37;
    }
    if ((at = begins(s, n, "lang="))) return begins(s + at, n - at, "en") || begins(s + at, n - at, "de");
    return 0;
}
