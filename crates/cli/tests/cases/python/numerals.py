VALUES = {"I": 1, "V": 5, "X": 10}


def parse(text: str) -> int:
    total = before = 0
    for letter in reversed(text):
        value = VALUES[letter]
        total += -value if value < before else value
        before = value
    return total
