# call: f(str[4] in 97 | 32 | 44)
def f(s):
    return told((s.split(), s.split(","), s.split(",", 1), s.rsplit(" ", 1), s.partition(","), s.rpartition(" "), s.splitlines()))


# call: f(str[4] in 97 | 65 | 32)
def f(s):
    return told((s.strip(), s.strip("a "), s.lstrip("A"), s.rstrip("aA"), s.title(), s.capitalize(), s.swapcase(), s.casefold() == s.lower()))


# call: f(str[3] in 97 | 48 | 95 | 32)
def f(s):
    return told((s.isidentifier(), s.isalpha(), s.isalnum(), s.isspace(), s.isupper(), s.islower(), s.isdecimal(), s.istitle(), s.isprintable(), s.isascii()))


# call: f(str[3] in 97..=98, int in 0..=6)
def f(s, width):
    return told((s.zfill(width), s.center(width, "b"), s.ljust(width) + "|", s.rjust(width, "*"), f"{s:>{width}}", "%*s" % (width, s)))


# call: f(str[3] in 97 | 9 | 10 | 13)
def f(s):
    return told((s.expandtabs(4), s.splitlines(True), s.splitlines(), repr(s), ascii(s)))


# call: f(str[5] in 97..=98)
def f(s):
    return told((s.count("aa"), s.replace("a", "", 2), s.replace("ab", "c"), s.find("ba", 1), s.rfind("ab"), s.find("a", 1, -1), s.replace("", "-", 3), s.count("")))


# call: f(str[3] in 97..=99, int in -5..=5)
def f(s, at):
    return told((s[at:], s[:at], s[at::-1], s[::at or 1], s.find("b", at), s * at, s.startswith("b", at), s.count("a", at)))


# call: f(str[3] in 97..=99, int in -5..=5)
def f(s, at):
    return told((s[at], s.index(s[at]), s.rindex("a")))


# call: f(str[3] in 45 | 43 | 48..=50 | 95 | 32)
def f(s):
    try:
        return told(int(s))
    except ValueError as error:
        return told(str(error).startswith("invalid literal") and len(s))


# call: f(str[2] in 48..=57 | 97 | 102 | 120, int in 2..=3)
def f(s, base):
    return told(int(s, base * 8))


# call: f(str[3] in 46 | 49 | 101 | 45)
def f(s):
    try:
        return told(float(s))
    except ValueError:
        return -1


# call: f(str[3] in 97..=99)
def f(s):
    table = str.maketrans("ab", "xy", "c")
    mapping = {97: "zz", "b": None} if s < "b" else {ord("b"): 99, 99: None}
    return told((s.translate(table), s.translate({k: v for k, v in mapping.items() if isinstance(k, int)})))


# call: f(str[3] in 97..=99, str[2] in 97..=98)
def f(s, t):
    return told((t in s, s == t + "a", s < t, s >= t, s + t, max(s, t), s.startswith((t, "c")), s.endswith(("a", t)), s.removeprefix(t), s.removesuffix("a"), min(s), sorted(s + t, reverse=True)))


# call: f(str[4] in 97..=98)
def f(s):
    from collections import Counter
    counts = Counter(s)
    first, times = counts.most_common(1)[0]
    return told((first, times, len(counts), "".join(reversed(s)), "".join(sorted(set(s))), s == s[::-1], list(enumerate(s, 1))))


# call: f(str[4] in 48 | 49 | 97)
def f(s):
    return told((sum(map(int, filter(str.isdigit, s))), any(map(str.isalpha, s)), "".join(filter(str.isdigit, s)), list(map(str.upper, s)), [c.isdigit() for c in s], ",".join(s[:2])))


# call: f(str[3] in 97 | 98 | 223 | 304)
def f(s):
    return told((s.upper(), s.lower(), s.casefold(), s.title(), len(s.upper()), s.isalpha(), s.swapcase()))


# call: f(str[2] in 97 | 233 | 8364 | 65536)
def f(s):
    raw = s.encode()
    try:
        s.encode("latin-1")
    except UnicodeEncodeError as error:
        return told((error.start, raw))
    return told((len(raw), raw[0], s.encode("ascii", "replace"), raw.decode("latin-1"), s.encode("utf-16-le")))


# call: f(bytes[3] in 97 | 195 | 169 | 32)
def f(b):
    try:
        text = b.decode()
    except UnicodeDecodeError as error:
        text = error.reason
    return told((text, b.decode("latin-1"), b.decode("utf-8", "replace"), b.hex(), b[0], b[1:], b.split(), b.find(97), b.strip(), b"a" in b, 195 in b))


# call: f(bytearray[3] in 0..=3, int in 0..=3)
def f(b, k):
    b[0] = k
    b.append(k + 1)
    b[1:3] = b"\x07"
    b += bytes([k])
    b.reverse()
    if b[0] == b[1]:
        del b[0]
    return told((b, bytes(b), sum(b), max(b), b.count(k), b.index(7), list(b)))


# call: f(bytes[2] in 0..=255)
def f(b):
    if b[0] > 3 and b[0] < 250 or b[1] > 5:
        return 0
    import struct, zlib
    (word,) = struct.unpack("<H", b)
    return told((word, zlib.crc32(b) & 3, b == bytes([1, 2]), b < b"\x02", b * 2, b + b"x"))


# call: f(str[3] in 97 | 46 | 47)
def f(s):
    import os.path, fnmatch
    return told((os.path.normpath(s), os.path.splitext(s), os.path.basename(s), os.path.join("x", s), fnmatch.fnmatch(s, "a*")))


# call: f(str[3] in 97 | 98 | 49)
def f(s):
    import re
    found = re.match(r"([ab]+)(\d?)", s)
    return told(found.groups() if found else None)


# call: f(str[3] in 97..=98, str[3] in 97..=98)
def f(a, b):
    rows = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            if i == 0 or j == 0:
                rows[i][j] = i or j
            else:
                rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
    return told(rows[-1][-1])


# call: f(str[3] in 97 | 123 | 125)
def f(s):
    try:
        return told(s.format(*"xy", a="z"))
    except (ValueError, KeyError, IndexError) as error:
        return told(type(error).__name__)


# call: f(str[2] in 97 | 37 | 115)
def f(s):
    try:
        return told(s % 5)
    except (ValueError, TypeError) as error:
        return told(type(error).__name__)


# call: f(str[2] in 97..=98, int in 0..=2)
def f(s, n):
    return told(("%s-%r" % (s, s), f"{s!r:>6}", "{} {x}".format(s, x=n), "{0[1]} {0}".format(s), f"{s}{n}" == "ab1", f"{'-' * n}{s[n:]}", f"{s=}", f"{n + 1:03}"))


# call: f(str[2] in 97..=98, str[2] in 97..=98)
def f(s, t):
    return told((s is t, s == t, hash(s) == hash(t), {s: 1, t: 2}, len({s, t, "ab"}), (s, t) < (t, "b"), [s, t].index("ab")))


# call: f(int in 0..=3)
def f(x):
    # Compiling an expression does not count, whatever is decided meanwhile.
    import re
    return told(re.compile("x" + str(x)).match("x2") is None)
