def count(xs: list[int]) -> int:
    found = 0
    for x in xs:
        if 2 < x:
            found += 1
    return found
