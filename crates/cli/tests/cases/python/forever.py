def f(x: int) -> int:
    while x != 0:
        pass
    return 1
