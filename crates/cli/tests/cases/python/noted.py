"""What C code makes of three values in one line, and lines that depend on it."""


def f(a, b, c):
    text = "%*d%d" % (a, b, c)
    count = 0
    for _ in text:
        count += 1
    return count
