"""What a solver does not see through, over few inputs."""

import hashlib


def text(word: str) -> int:
    digest = hashlib.sha256(word.encode()).digest()
    total = 0
    for _ in range(digest[0] % 16):
        total += 1
    return total


def number(value: int) -> int:
    return text(str(value))
