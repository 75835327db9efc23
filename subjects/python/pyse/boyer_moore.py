"""Boyer-Moore search for a key of three different symbols in a text of n symbolic ones. PySE (Koo et al.), benchmark 5,
Table II.

call: search(str[n])        returns the place of the key, or -1

The window is compared from right to left and then moves by the whole length of the key: in the original a symbolic symbol is
never found in the table of bad characters, so every shift is 3.

Cost `decisions`: comparisons of symbols.
Worst case: in every window the first two comparisons succeed and the third fails: 3 floor(n/3). It is the optimum: a window
has three symbols. Paths: (3^(w+1) - 1) / 2 with w = floor(n/3) windows; as published 4, 4, 4, 40, 1093, 88573 at n = 3, 4,
5, 10, 20, 30.
"""

KEY = "abc"


def search(text):
    for at in range(0, len(text) - len(KEY) + 1, len(KEY)):
        j = len(KEY) - 1
        while j >= 0 and text[at + j] == KEY[j]:
            j -= 1
        if j < 0:
            return at
    return -1
