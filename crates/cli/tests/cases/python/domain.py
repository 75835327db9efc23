"""What is certain of these holds for what is searched, which is less than the hints permit."""

from typing import Optional


def discount(code: Optional[str], rate: int = 10) -> int:
    if code is None:
        return 0
    if len(code) == 3:
        return rate
    return 1


def wide(text: str) -> bool:
    for c in text:
        if ord(c) > 127:
            return True
    return False
