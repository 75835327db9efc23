"""Growth that is amortised, changes its regime, or depends on the domain."""

import collections


# call: doubling(int[n])
# class: n
# sizes: 4..40
def doubling(xs):
    room, used = [None], 0
    for x in xs:
        if used == len(room):
            larger = []
            for old in room:
                larger.append(old)
            for _ in range(used):
                larger.append(None)
            room = larger
        room[used] = x
        used += 1
    return used


# call: carry(n)
# class: n
# sizes: 4..64
# runs: curve
def carry(n):
    bits = [0] * 12
    for _ in range(n):
        at = 0
        while bits[at] == 1:
            bits[at] = 0
            at += 1
        bits[at] = 1
    return bits


# call: two_stacks(bool[n])
# class: n
# sizes: 4..24
def two_stacks(operations):
    front, back, taken = [], [], 0
    for is_push in operations:
        if is_push:
            back.append(taken)
            continue
        if not front:
            while back:
                front.append(back.pop())
        if front:
            taken += front.pop() + 1
    return taken


# call: next_greater(int[n])
# class: n
# sizes: 4..20
def next_greater(xs):
    open_, found = [], [None] * len(xs)
    for at, x in enumerate(xs):
        while open_ and xs[open_[-1]] < x:
            found[open_.pop()] = x
        open_.append(at)
    return found


# call: switched(int[n])
# class: n
# sizes: 4..48
# falls
def switched(xs):
    steps = 0
    if len(xs) > 16:
        for x in xs:
            steps += 1
        return steps
    for a in xs:
        for b in xs:
            steps += a < b
    return steps


# call: beyond_twelve(int[n])
# class: n^2
# sizes: 4..48
def beyond_twelve(xs):
    steps = len(xs)
    for x in xs:
        steps += 1
    if len(xs) <= 12:
        return steps
    for a in xs:
        for b in xs:
            for _ in range(3):
                steps += a < b
    return steps


# call: distinct_few(int[n] in 0..=3)
# class: 1
# sizes: 6..24
def distinct_few(xs):
    for at in range(len(xs)):
        for before in range(at):
            if xs[before] == xs[at]:
                return before
    return None


# call: quickselect(int[n])
# class: n^2
# sizes: 3..9
def quickselect(xs):
    rank, low, high = 0, 0, len(xs) - 1
    while low < high:
        pivot, store = xs[high], low
        for at in range(low, high):
            if xs[at] < pivot:
                xs[at], xs[store] = xs[store], xs[at]
                store += 1
        xs[store], xs[high] = xs[high], xs[store]
        if store <= rank:
            return pivot
        high = store - 1
    return xs[low]


# call: merge_sort(int[n])
# class: n log n
# sizes: 4,8,16,32,64
def merge_sort(xs):
    if len(xs) < 2:
        return xs
    middle = len(xs) // 2
    a, b = merge_sort(xs[:middle]), merge_sort(xs[middle:])
    merged, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if b[j] < a[i]:
            merged.append(b[j])
            j += 1
        else:
            merged.append(a[i])
            i += 1
    return merged + a[i:] + b[j:]


# call: pascal(n)
# class: n^2
# sizes: 3..20
# runs: curve
def pascal(n):
    row = [1]
    for _ in range(n):
        longer = [1]
        for at in range(1, len(row)):
            longer.append(row[at - 1] + row[at])
        row = longer + [1]
    return row


# call: counter_of(int[n] in 0..=4)
# class: n
# sizes: 4..24
def counter_of(xs):
    counts = collections.Counter()
    for x in xs:
        counts[x] += 1
    most = 0
    for count in counts.values():
        if count > most:
            most = count
    return most


# call: trimmed(str[n] in 'a' | ' ')
# class: n^2
# sizes: 4..24
def trimmed(text):
    while text.startswith(" "):
        text = text[1:]
    return text
