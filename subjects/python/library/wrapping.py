"""textwrap: a text in lines of ten characters.

call: wrap(str[n] in 'a'..='c' | ' ' | '-')
call: dedent(str[n] in 'a'..='c' | ' ' | '\n')
call: shorten(str[n] in 'a'..='c' | ' ')

The text is cut into words by regular expressions: what depends on them is concrete.
"""

import textwrap


def wrap(text: str) -> list[str]:
    return textwrap.wrap(text, 10)


def dedent(text: str) -> str:
    return textwrap.dedent(text)


def shorten(text: str) -> str:
    return textwrap.shorten(text, 20)
