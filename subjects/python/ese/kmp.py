"""Knuth-Morris-Pratt: the first place of a pattern of 3 symbols in a text of n symbols, both symbolic. ESE (Aquino et al.),
Table V.

call: kmp(int[n], int[3])        returns the place, or -1

Cost `lines`. The paper prints no listing; in this one an input without equal symbols costs 4 n + 14, which is what Table V
prints for EvoSuite at 10, 50 and 100, and the pattern aab in the text aaa.. costs 7 n + 13, which is Manual at all sizes.

Worst case: pattern aab, text a^(n-1) z: 7 n + 14 for n >= 2. From the third symbol on every symbol falls back once (7
lines), the last one twice (8). It is the optimum by a dynamic program over all patterns and texts, and by brute force for
small n; the paper's Manual is one line short of it.
"""


def kmp(text, pattern):
    prefix = [0] * len(pattern)
    j = 0
    for i in range(1, len(pattern)):
        while j > 0 and pattern[i] != pattern[j]:
            j = prefix[j - 1]
        if pattern[i] == pattern[j]:
            j += 1
        prefix[i] = j
    j = 0
    for i in range(len(text)):
        while j > 0 and text[i] != pattern[j]:
            j = prefix[j - 1]
        if text[i] == pattern[j]:
            j += 1
        if j == len(pattern):
            return i - j + 1
    return -1
