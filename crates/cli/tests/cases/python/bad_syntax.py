def f(xs: list[int]) -> int:
    return len(xs
