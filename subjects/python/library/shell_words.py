"""shlex: the words of a command line.

call: words(str[n] in 'a'..='c' | ' ' | '"' | '\'' | '\\' | '#')
call: tokens(str[n] in 'a'..='c' | ' ' | '"' | '\'' | '#' | ';')

A state machine that reads one character at a time; a word grows by `+=`, one character at a time.
"""

import shlex


def words(line: str) -> list[str]:
    return shlex.split(line)


def tokens(line: str) -> list[str]:
    return list(shlex.shlex(line, punctuation_chars=True))
