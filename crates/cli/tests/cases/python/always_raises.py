def f(xs: list[int]) -> int:
    return xs["first"]
