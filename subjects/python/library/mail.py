"""email: addresses in headers, and encoded words.

call: address(str[n] in 'a'..='b' | '<' | '>' | '@' | '(' | ')' | '"' | '\\' | ',' | '.')
call: decoded(str[n] in 'a'..='b' | '=' | '?' | 'q' | '_')

Comments in parentheses nest.
"""

import email.header
import email.utils


def address(text: str):
    return email.utils.parseaddr(text)


def decoded(text: str):
    return email.header.decode_header(text)
