"""How fast symbolic runs are: python -m worker.tests.speed

Decisions and operators of proxies a second, and the time beside a plain run,
without tracing and without sending anything.
"""

import itertools
import time

from worker import nodes
from worker.tests.standin import Program, begin, proxy

PROGRAMS = {
    "insertion sort": ("""def f(xs):
    for i in range(1, len(xs)):
        j = i
        while j > 0 and xs[j - 1] > xs[j]:
            xs[j - 1], xs[j] = xs[j], xs[j - 1]
            j -= 1
    return xs
""", [list(range(150, 0, -1))], (-2**31, 2**31 - 1)),
    "kmp": ("""def f(text, pattern):
    fail = [0] * len(pattern)
    k = 0
    for i in range(1, len(pattern)):
        while k and pattern[k] != pattern[i]:
            k = fail[k - 1]
        if pattern[k] == pattern[i]:
            k += 1
        fail[i] = k
    found = []
    k = 0
    for i, c in enumerate(text):
        while k and pattern[k] != c:
            k = fail[k - 1]
        if pattern[k] == c:
            k += 1
        if k == len(pattern):
            found.append(i)
            k = fail[k - 1]
    return found
""", ["aab" * 1000, "aabaaa"], (1, 127)),
    "word count": ("""def f(text):
    counts = {}
    for word in text.lower().split():
        word = word.strip(".,")
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda pair: -pair[1])
""", ["the cat, the dog. " * 40], (1, 127)),
    "arithmetic": ("""def f(xs):
    total = 0
    for x in xs:
        total = (total * 31 + (x ^ 5)) % 1000003
        if x % 3 == 1:
            total += x // 7
    return total
""", [list(range(3000))], (0, 10**6)),
    "plain values only": ("""def f(text):
    def digits(n):
        return [int(c) for c in str(n) if c in "0123456789"]
    total = 0
    for n in range(3000):
        total += sum(digits(n))
    return total
""", [""], (1, 127)),
}


def main():
    for name, (source, arguments, bounds) in PROGRAMS.items():
        program = Program(source)
        values = [v for a in arguments for v in (map(ord, a) if isinstance(a, str) else a)]
        best = plain = None
        for _ in range(3):
            follower = begin(values)
            made = proxy(arguments, [bounds] * len(values), itertools.count())
            start = time.perf_counter()
            program.symbolic(*made)
            taken = time.perf_counter() - start
            best = min(best or taken, taken)
            start = time.perf_counter()
            program.plain(*[list(a) if isinstance(a, list) else a for a in arguments])
            taken = time.perf_counter() - start
            plain = min(plain or taken, taken)
        count = len(follower.decisions)
        made = len(nodes._table)
        print(f"{name:18} {count:7} decisions {made:8} nodes {best * 1000:8.1f} ms "
              f"(plain {plain * 1000:6.1f} ms) {count / best:9.0f} decisions/s "
              f"{made / best:9.0f} nodes/s")


if __name__ == "__main__":
    main()
