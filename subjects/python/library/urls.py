"""urllib.parse: addresses of pages and what is in them.

call: split(str[n] in 'a'..='c' | ':' | '/' | '?' | '#' | '@' | '[' | ']')
call: query(str[n] in 'a'..='c' | '=' | '&' | '%' | '+')
call: unquoted(str[n] in 'a'..='c' | '%' | '0'..='2')
call: joined(str[n] in 'a'..='c' | '/' | '.')

Joining removes `..` and `.` with loops over the parts of the path.
"""

import urllib.parse


def split(url: str):
    return urllib.parse.urlsplit(url)


def query(text: str) -> list:
    return urllib.parse.parse_qsl(text)


def unquoted(text: str) -> str:
    return urllib.parse.unquote(text)


def joined(path: str) -> str:
    return urllib.parse.urljoin("http://host/one/two/three", path)
