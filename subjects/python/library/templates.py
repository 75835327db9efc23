"""string: templates and format strings.

call: substitute(str[n] in 'a'..='c' | '$' | '{' | '}')
call: fields(str[n] in 'a'..='c' | '{' | '}' | ':')
call: capitalised(str[n] in 'a'..='c' | ' ')

Templates are found by a regular expression: what depends on it is concrete.
"""

import string


def substitute(template: str) -> str:
    return string.Template(template).safe_substitute(a="1", b="2")


def fields(template: str) -> list:
    return list(string.Formatter().parse(template))


def capitalised(text: str) -> str:
    return string.capwords(text)
