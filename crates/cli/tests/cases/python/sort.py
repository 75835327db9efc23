"""Insertion sort: the worst input is descending."""


def sort(xs: list[int]) -> list[int]:
    for i in range(1, len(xs)):
        x, k = xs[i], i
        while k > 0 and xs[k - 1] > x:
            xs[k] = xs[k - 1]
            k -= 1
        xs[k] = x
    return xs
