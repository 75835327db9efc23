"""configparser: an INI file, and the expansion of its values.

call: read(str[n] in 'a'..='c' | ' ' | '[' | ']' | '=' | '#' | '\n')
call: value(str[n] in 'a'..='c' | '%' | '(' | ')')

Lines are taken apart by regular expressions: what depends on them is concrete. A value may refer to itself through another;
a depth of ten is the end.
"""

import configparser


def read(text: str) -> list[str]:
    parser = configparser.ConfigParser()
    parser.read_string(text)
    return parser.sections()


def value(text: str) -> str:
    parser = configparser.ConfigParser()
    parser.read_dict({"s": {"a": "1", "b": "%(a)s%(a)s", "c": text}})
    return parser["s"]["c"]
