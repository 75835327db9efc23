"""posixpath: names of files.

call: common(str[n] in 'a'..='b' | '/' | '.', str[n] in 'a'..='b' | '/' | '.')
call: relative(str[n] in 'a'..='b' | '/' | '.')
call: expanded(str[n] in 'a'..='b' | '$' | '{' | '}')
"""

import os
import posixpath

os.environ["a"] = "1"


def common(left: str, right: str) -> str:
    return posixpath.commonpath([left, right])


def relative(path: str) -> str:
    return posixpath.relpath(path, "a/b")


def expanded(path: str) -> str:
    return posixpath.expandvars(path)
