/* Days of the Gregorian calendar and arithmetic with them, after DateTime and DateParse in EvoSuite's hybrid search (Galeotti et al., 2013), Table II,
 * where DateTime is the class that DSE makes worse (0.87 to 0.56). Ours.
 *
 * suite: date_time.api
 *
 * Goal: cover every branch. Leap days, months of 30 days, a Friday the 13th and dates that are a certain number of days apart need values that fit
 * each other through divisions and remainders.
 */
#include "subject.h"
#include "objects.h"

struct date {
    int year, month, day;
};

static int is_leap(int year) {
    if (year % 4 != 0) return 0;
    if (year % 100 != 0) return 1;
    return year % 400 == 0;
}

static int days_in(int year, int month) {
    switch (month) {
    case 2:
        if (is_leap(year)) return 29;
        return 28;
    case 4: case 6: case 9: case 11: return 30;
    default: return 31;
    }
}

static struct date *make(int year, int month, int day) {
    struct date *date = NEW(struct date);
    date->year = year;
    date->month = month;
    date->day = day;
    return date;
}

EXPORT("date_new") struct date *date_new(int year, int month, int day) {
    if (year < 1583 || year > 9999) __builtin_trap();
    if (month < 1 || month > 12) __builtin_trap();
    if (day < 1 || day > days_in(year, month)) __builtin_trap();
    return make(year, month, day);
}

static int digits(const unsigned char *text, int count) {
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9') __builtin_trap();
        value = 10 * value + (text[i] - '0');
    }
    return value;
}

/* YYYY-MM-DD, or the word for the first day of the epoch. */
EXPORT("date_parse") struct date *date_parse(const unsigned char *text, int n) {
    static const unsigned char epoch[] = "epoch";
    if (n == 5) {
        for (int i = 0; i < 5; i++) {
            if (text[i] != epoch[i]) __builtin_trap();
        }
        return make(1970, 1, 1);
    }
    if (n != 10) __builtin_trap();
    if (text[4] != '-' || text[7] != '-') __builtin_trap();
    return date_new(digits(text, 4), digits(text + 5, 2), digits(text + 8, 2));
}

/* Days since 1 March of year 0. */
static int number(const struct date *date) {
    int year = date->year, month = date->month - 3;
    if (month < 0) {
        month += 12;
        year--;
    }
    return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + date->day - 1;
}

EXPORT("date_add_days") struct date *date_add_days(const struct date *date, int days) {
    if (days < -1000 || days > 1000) __builtin_trap();
    int year = date->year, month = date->month, day = date->day + days;
    while (day < 1) {
        if (--month == 0) {
            month = 12;
            year--;
        }
        day += days_in(year, month);
    }
    while (day > days_in(year, month)) {
        day -= days_in(year, month);
        if (++month == 13) {
            month = 1;
            year++;
        }
    }
    return make(year, month, day);
}

EXPORT("date_add_months") struct date *date_add_months(const struct date *date, int months) {
    if (months < 0 || months > 1200) __builtin_trap();
    int month = date->month - 1 + months;
    int year = date->year + month / 12, day = date->day;
    month = month % 12 + 1;
    if (day > days_in(year, month)) day = days_in(year, month);
    return make(year, month, day);
}

EXPORT("date_kind") int date_kind(const struct date *date) {
    int weekday = (number(date) + 2) % 7; /* 0 is Monday */
    if (weekday == 4 && date->day == 13) {
        if (date->month == 2 && is_leap(date->year)) return 5;
        return 4;
    }
    if (date->month == 2 && date->day == 29) return 3;
    if (weekday >= 5) return 2;
    if (date->day == days_in(date->year, date->month)) return 1;
    return 0;
}

EXPORT("date_compare") int date_compare(const struct date *a, const struct date *b) {
    int days = number(a) - number(b);
    if (days < 0) return -1;
    if (days == 0) return 0;
    if (a->month == b->month && a->day == b->day) {
        if (a->year - b->year == 18) return 4; /* of age today */
        return 3;
    }
    if (days == 10000) return 2;
    return 1;
}
