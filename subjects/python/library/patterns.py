"""fnmatch: a file name pattern as a regular expression, and names that match it.

call: translate(str[n] in 'a'..='c' | '*' | '?' | '[' | ']' | '!' | '-')
call: matching(str[n] in 'a'..='c' | '*' | '?')

Translation looks for the end of each bracket; up to Python 3.8 runs of stars were kept, which made matching exponential.
"""

import fnmatch


def translate(pattern: str) -> str:
    return fnmatch.translate(pattern)


def matching(pattern: str) -> list[str]:
    return fnmatch.filter(["a", "abc", "aaaaaaaa", "cab"], pattern)
