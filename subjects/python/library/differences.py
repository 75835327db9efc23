"""difflib: how alike two sequences are.

call: ratio(str[n] in 'a'..='c', str[n] in 'a'..='c')
call: changes(str[n] in 'a'..='c', str[n] in 'a'..='c')
call: close_matches(str[n] in 'a'..='c')

The documentation of difflib says: quadratic in the usual case, cubic at worst. Elements are keys of a dictionary, so their
values are decisions.
"""

import difflib


def ratio(left: str, right: str) -> float:
    return difflib.SequenceMatcher(None, left, right, autojunk=False).ratio()


def changes(left: str, right: str) -> list:
    return difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes()


def close_matches(word: str) -> list[str]:
    return difflib.get_close_matches(word, ["abc", "abcabc", "cab", "bbb"])
