"""calendar: days and weeks of a month.

call: weeks(int in 1..=9998, int in 1..=12)
call: leap_days(int in 1..=9999, int in 1..=9999)
call: page(int in 1..=9998, int in 1..=12)

A month has four to six weeks; datetime is in C, so that years and months become concrete where a date is made.
"""

import calendar


def weeks(year: int, month: int) -> list[list[int]]:
    return calendar.Calendar().monthdayscalendar(year, month)


def leap_days(first: int, last: int) -> int:
    return calendar.leapdays(first, last) + calendar.isleap(first)


def page(year: int, month: int) -> str:
    return calendar.TextCalendar().formatmonth(year, month)
