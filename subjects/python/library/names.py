"""encodings.punycode: names of hosts with letters beyond ASCII.

call: encoded(str[n] in 97..=99 | 228..=239)
call: decoded(bytes[n] in 'a'..='z' | '-' | '0'..='9')

Encoding looks at the whole text again for each letter beyond ASCII: quadratic where all of them differ.
"""

from encodings.punycode import punycode_decode, punycode_encode


def encoded(text: str) -> bytes:
    return punycode_encode(text)


def decoded(data: bytes) -> str:
    return punycode_decode(data, "strict")
