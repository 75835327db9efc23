"""statistics: medians and others of n numbers.

call: median(int[n])
call: median_high(int[n])
call: mode(int[n] in 0..=9)
call: quantiles(int[n])
call: mean(int[n])
"""

import statistics


def median(values: list[int]):
    return statistics.median(values)


def median_high(values: list[int]):
    return statistics.median_high(values)


def mode(values: list[int]):
    return statistics.mode(values)


def quantiles(values: list[int]):
    return statistics.quantiles(values)


def mean(values: list[int]):
    return statistics.mean(values)
