/* A log's time stamps: `2024-02-29T23:59:60.125+01:00`, one in a line, turned into seconds since 1970. Lines that are
 * wrong are skipped, which costs less than reading them to their end. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct reader {
    const char *at, *end;
};

static bool number(struct reader *r, int digits, int low, int high, int *value) {
    *value = 0;
    for (int i = 0; i < digits; i++) {
        if (r->at == r->end || *r->at < '0' || *r->at > '9') return false;
        *value = *value * 10 + (*r->at++ - '0');
    }
    return *value >= low && *value <= high;
}

static bool literal(struct reader *r, char c) {
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool leap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in(int month, int year) {
    static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && leap(year) ? 29 : days[month - 1];
}

static int64_t days_since_1970(int year, int month, int day) {
    int64_t days = 0;
    for (int y = 1970; y < year; y++) days += leap(y) ? 366 : 365;
    for (int y = year; y < 1970; y++) days -= leap(y) ? 366 : 365;
    for (int m = 1; m < month; m++) days += days_in(m, year);
    return days + day - 1;
}

static bool zone(struct reader *r, int *minutes) {
    int hours, rest, sign = 1;
    *minutes = 0;
    if (literal(r, 'Z')) return true;
    if (literal(r, '-')) sign = -1;
    else if (!literal(r, '+')) return false;
    if (!number(r, 2, 0, 23, &hours) || !literal(r, ':') || !number(r, 2, 0, 59, &rest)) return false;
    *minutes = sign * (hours * 60 + rest);
    return true;
}

static bool stamp(struct reader *r, int64_t *seconds) {
    int year, month, day, hour, minute, second, offset;
    if (!number(r, 4, 1600, 2399, &year) || !literal(r, '-') || !number(r, 2, 1, 12, &month)) return false;
    if (!literal(r, '-') || !number(r, 2, 1, days_in(month, year), &day)) return false;
    if (!literal(r, 'T') && !literal(r, ' ')) return false;
    if (!number(r, 2, 0, 23, &hour) || !literal(r, ':') || !number(r, 2, 0, 59, &minute)) return false;
    if (!literal(r, ':') || !number(r, 2, 0, 60, &second)) return false;
    if (literal(r, '.')) {
        int digit;
        if (!number(r, 1, 0, 9, &digit)) return false;
        while (number(r, 1, 0, 9, &digit)) {
        }
    }
    if (!zone(r, &offset)) return false;
    *seconds = days_since_1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset * 60;
    return true;
}

/* The seconds between the earliest and the latest stamp; -1 if there is none. */
int64_t time_span(const char *log, size_t length) {
    const char *end = log + length;
    int64_t first = INT64_MAX, last = INT64_MIN, seconds;
    while (log < end) {
        const char *newline = memchr(log, '\n', (size_t)(end - log));
        struct reader reader = {log, newline ? newline : end};
        if (stamp(&reader, &seconds) && reader.at == reader.end) {
            if (seconds < first) first = seconds;
            if (seconds > last) last = seconds;
        }
        log = newline ? newline + 1 : end;
    }
    return last < first ? -1 : last - first;
}
