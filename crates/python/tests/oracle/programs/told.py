# What the programs beside this file end with: lines that depend on every part of a value, so that a value which is
# not what an ordinary interpreter computes has another cost.


def told(value, weight=1):
    if value is None:
        return 0
    if isinstance(value, bool):
        if value:
            return weight
        return 0
    if isinstance(value, float):
        if value != value:
            return -1
        if value in (float("inf"), float("-inf")):
            return -2
        value = int(value * 4)
    if isinstance(value, int):
        left = value % 7 * weight
        while left > 0:
            left -= 2
        if value < 0:
            left -= 1
        return left
    if isinstance(value, str):
        for at, character in enumerate(value):
            told(ord(character) - 96, at % 3 + 1)
        return len(value)
    if isinstance(value, (set, frozenset)):
        value = sorted(value)
    if isinstance(value, dict):
        value = list(value.items())
    for at, inner in enumerate(value):
        told(inner, at % 3 + 1)
    return len(value)
