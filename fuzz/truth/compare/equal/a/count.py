def count(xs: list[int]) -> int:
    found = 0
    for x in xs:
        if x > 2:
            found += 1
    return found
