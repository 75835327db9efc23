// day_of_year(i32 in 1900..2156, u8) -> i32
// Month and day of a day of the year, by a table and the rule of leap years.
#include <stdint.h>

static const uint8_t lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

int32_t day_of_year(int32_t year, uint8_t offset) {
    int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    int32_t day = 1 + offset + offset / 2;
    for (int month = 0; month < 12; month++) {
        int length = lengths[month] + (month == 1 && leap);
        if (day <= length) return (month + 1) * 100 + day;
        day -= length;
    }
    return -day;
}
