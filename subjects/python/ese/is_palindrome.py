"""Is the list the same backwards? ESE (Aquino et al.), Listing 1, Table V.

call: is_palindrome(int[n])

Cost `lines`.
Worst case: a palindrome; the loop runs to the end: 2 n + 2. A path that leaves in iteration k costs 2 k + 1 <= 2 n + 1, so
this is the optimum. The second half of the tests is implied by the first: floor(n/2) + 1 paths.
"""


def is_palindrome(values):
    for i in range(len(values)):
        if values[i] != values[len(values) - 1 - i]:
            return False
    return True
