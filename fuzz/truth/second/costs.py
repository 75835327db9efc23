"""More growth, some of it hidden in C code."""

import collections
import functools
import re

DATE = re.compile(r"^(\d+)+-(\d+)$")
QUOTED = re.compile(r'"[^"]*"')


# call: distinct
# class: n^2
# sizes: 4..32
def distinct(words: list[int]) -> int:
    return len([w for at, w in enumerate(words) if w not in words[:at]])


# call: appended
# class: n^2
# sizes: 4..32
def appended(xs: list[int]) -> list:
    result = []
    for x in xs:
        result = [x] + result
    return result


# call: inserted
# class: n^2
# sizes: 4..32
def inserted(xs: list[int]) -> list:
    result = []
    for x in xs:
        result.insert(0, x)
    return result


# call: heights
# class: n log n
# sizes: 4..32
def heights(xs: list[int]) -> list:
    return sorted(xs, reverse=True)


# call: counted
# class: n
# sizes: 4..32
def counted(xs: list[int]) -> int:
    return sum(xs) + max(xs)


# call: occurrences
# class: n^2
# sizes: 4..32
def occurrences(xs: list[int]) -> int:
    most = 0
    for x in xs:
        if xs.count(x) > most:
            most = xs.count(x)
    return most


# call: is_date(str[n] in '0'..='1' | '-')
# class: 2^n
# sizes: 4..18
# paths: 60
def is_date(text):
    return bool(DATE.match(text))


# call: quotes(str[n] in 'a' | '"')
# class: n
# sizes: 8..48
# runs: curve
def quotes(text):
    return len(QUOTED.findall(text))


# call: tripled(int[n] in 0..=2)
# class: n^3
# sizes: 2..8
def tripled(xs):
    found = 0
    for a in xs:
        for b in xs:
            for c in xs:
                if a + b + c == 6:
                    found += 1
    return found


# call: fibonacci(n)
# class: 1.62^n | 1.61^n
# sizes: 3..12
# runs: curve
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


# call: depth(str[n] in '(' | ')')
# class: n
# sizes: 4..20
def depth(text):
    open_, most = 0, 0
    for c in text:
        if c == "(":
            open_ += 1
            most = max(most, open_)
        elif open_ > 0:
            open_ -= 1
    return most


# call: queue(int[n])
# class: n
# sizes: 4..24
def queue(xs):
    waiting = collections.deque(xs)
    total = 0
    while waiting:
        total ^= waiting.popleft()
    return total


# call: insertion(int[n])
# class: n^2
# sizes: 3..10
def insertion(xs):
    result = []
    for x in xs:
        at = len(result)
        while at > 0 and result[at - 1] > x:
            at -= 1
        result.insert(at, x)
    return result


# call: prefix(str[n], "abababab")
# class: 1
# sizes: 9..20
def prefix(text, known):
    at = 0
    for a, b in zip(text, known):
        if a != b:
            break
        at += 1
    return at


# call: head_heavy(int[n])
# class: n^2
# sizes: 2..10
def head_heavy(xs):
    table = [i * i for i in range(400)]
    found = 0
    for a in range(len(xs)):
        for b in range(a + 1):
            found += table[b]
    return found


# call: text_sum(str[n])
# class: n^2
# sizes: 4..32
# runs: curve
def text_sum(text):
    total = ""
    for at in range(len(text)):
        total = text[at] + total
    return total


# call: merged(int[n], int[n])
# class: n log n
# sizes: 4..24
# runs: curve
def merged(a, b):
    return list(a + b) == sorted(a + b)
