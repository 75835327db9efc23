LIMIT = int("twelve")


def f(x: int) -> int:
    return x
