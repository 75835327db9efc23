"""Loops whose growth is known, some of it in C code that no line event sees."""

import re


# call: membership
# class: n^2
# sizes: 4..32
def membership(xs: list[int]) -> int:
    seen, total = [], 0
    for x in xs:
        if x in seen:
            total += 1
        seen.append(x)
    return total


# call: popping
# class: n^2
# sizes: 4..32
def popping(xs: list[int]) -> int:
    total = 0
    while xs:
        total ^= xs.pop(0)
    return total


# call: ordered
# class: n log n
# sizes: 4..32
def ordered(xs: list[int]) -> int:
    return sorted(xs)[0]


# call: slices
# class: n^2
# sizes: 4..32
def slices(xs: list[int]) -> int:
    total = 0
    for at in range(len(xs)):
        total += len(xs[at:])
    return total


PATH = re.compile(r"^(/?\w+)*/$")


# call: is_path(str[n] in 'a'..='b' | '/')
# class: 2^n
# sizes: 4..18
# paths: 60
def is_path(text: str) -> bool:
    return PATH.match(text) is not None


# call: total
# class: n
# sizes: 4..16
def total(xs: list[int]) -> int:
    result = 0
    for x in xs:
        if x > 0:
            result += x
    return result


# call: pairs
# class: n^2
# sizes: 3..12
def pairs(xs: list[int]) -> int:
    found = 0
    for a in range(len(xs)):
        for b in range(a):
            if xs[a] == xs[b]:
                found += 1
    return found


# call: bubble(int[n])
# class: n^2
# sizes: 3..9
def bubble(xs):
    for end in range(len(xs) - 1, 0, -1):
        for at in range(end):
            if xs[at] > xs[at + 1]:
                xs[at], xs[at + 1] = xs[at + 1], xs[at]


# call: search(int[n], int)
# class: log n
# sizes: 4..64
def search(xs, x):
    low, high = 0, len(xs)
    while low < high:
        middle = (low + high) // 2
        if xs[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


# call: fixed(int[n])
# class: 1
# sizes: 4..32
def fixed(xs):
    return xs[0] + xs[-1]


# call: late(int[n])
# class: n^2
# sizes: 2..10
def late(xs):
    steps = 0
    for _ in range(300):
        steps += 1
    for a in xs:
        for b in xs:
            steps += a < b
    return steps


# call: joined(str[n][n])
# class: n^2
# sizes: 4..20
# runs: curve
def joined(parts):
    return ",".join(parts)


# call: replaced(str[n])
# class: n
# sizes: 8..64
def replaced(text):
    return text.replace("a", "bb").count("b")
