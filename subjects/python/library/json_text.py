"""json.decoder with the scanner in Python.

call: decode(str[n] in ' ' | '"' | ',' | '-' | '0'..='9' | ':' | '[' | ']' | '\\' | 'a'..='u' | '{' | '}')

Strings and numbers are found by regular expressions: what depends on them is concrete. Brackets are not.
"""

import json.decoder
import json.scanner

DECODER = json.decoder.JSONDecoder()
DECODER.parse_string = json.decoder.py_scanstring
DECODER.scan_once = json.scanner.py_make_scanner(DECODER)


def decode(text: str):
    return DECODER.decode(text)
