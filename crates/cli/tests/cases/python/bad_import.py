import no_such_module_anywhere


def f(x: int) -> int:
    return x
