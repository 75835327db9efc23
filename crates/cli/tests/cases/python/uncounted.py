"""Work in C that lines do not count."""

import re


def dedupe(xs: list[int]) -> list[int]:
    out = []
    for x in xs:
        if x not in out:
            out.append(x)
    return out


def valid(text: str) -> bool:
    return re.match("[a-z]*x", text) is not None


def joined(xs: list[int]) -> str:
    out = []
    for x in xs:
        out.append("x")
    return "".join(out)
