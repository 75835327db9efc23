# call: f(int in -9..=9, int in -4..=4)
def f(a, b):
    return told((a // b, a % b, divmod(a, b), -a // b, a % -b))


# call: f(int in -20..=20, int in -1..=4)
def f(a, b):
    a <<= b
    a ^= 5
    a >>= 1
    return told((a, ~a, a & -a, a | 8, a.bit_length(), bin(a).count("1")))


# call: f(int in -3..=4, int in 0..=5)
def f(base, exponent):
    power = base ** exponent
    if power > 100:
        power = pow(base, exponent, 7)
    return told((power, 2 ** exponent, base ** 2, (-base) ** 3))


# call: f(int in -2..=3, int in -2..=2)
def f(base, exponent):
    return told(base ** exponent)


# call: f(int in -8..=8)
def f(a):
    big = a * 10 ** 18
    bigger = big * 37 + (1 << 70)
    if bigger > 1 << 70:
        big -= 1 << 64
    if big < -(1 << 63):
        return told(big // 10 ** 17)
    return told((big % 11, bigger % 13, bigger >> 60, big & 255, abs(big) // 10 ** 17, -bigger // 10 ** 18))


# call: f(int in -40..=40)
def f(a):
    return told((round(a, -1), a / 4, int(a / 3), a // 4.0, -a % 2.5, round(a / 4), float(a) == a, a * 0.5 < 3))


# call: f(int in 0..=30)
def f(a):
    text = f"{a}|{a:04d}|{a:>5}|{a:<3}|{a:x}|{a:+}|{a!r}|{-a:b}"
    return told((text, "%03d %s %x" % (a, a, a), "{:^7}/{0}".format(a) if a > 20 else "{0:^7}/{0}".format(a)))


# call: f(int in -130..=130)
def f(a):
    try:
        raw = a.to_bytes(1, "big", signed=a < 0)
    except OverflowError as error:
        return told(str(error))
    return told((int.from_bytes(raw, "little"), raw[0] == a, raw))


# call: f(int in -6..=6, int in -6..=6, int in -2..=3)
def f(low, high, step):
    seen = []
    for value in range(low, high, step):
        seen.append(value)
        if len(seen) > 3:
            break
    else:
        seen.append(-1)
    return told(seen)


# call: f(int in 0..=7, int in -3..=12)
def f(stop, probe):
    span = range(1, stop * 2, 2)
    return told((probe in span, len(span), list(reversed(span)), list(span[1:]), span == range(1, 7, 2), bool(span)))


# call: f(int in -5..=5, int in -5..=5, int in -5..=5)
def f(a, b, c):
    if a < b < c:
        return told(1)
    if a == b == c or not a != c > b:
        return told(max(a, b, c) - min(a, b, c))
    return told(sorted((a, b, c), key=abs, reverse=True))


# call: f(bool, bool, int in 0..=3)
def f(p, q, k):
    both = p & q
    table = {True: "yes", 0: "no", 2: "two"}
    total = p + q * 2 + (p ^ q) * 4 - (not p)
    found = table.get(k, "none") + table[both]
    if p is True and q == 1:
        found += "!"
    return told((total, found, [10, 20][p], p < q, ~k if p else -p, str(q), f"{p}{k}", isinstance(p, int), p is q is True))


# call: f(int in 0..=12)
def f(n):
    from fractions import Fraction
    third = Fraction(n, 3) + Fraction(1, 2)
    return told((third.numerator, third.denominator, third > 2, int(third), float(third)))


# call: f(int in -12..=12)
def f(n):
    import math
    values = [math.gcd(n, 18), math.isqrt(abs(n)), math.floor(n / 5), math.ceil(n / 5), math.trunc(n / 5), math.hypot(n, 0)]
    if n > 0:
        values.append(math.comb(6, n % 7) + math.factorial(n % 5))
    return told(values + [math.copysign(1.0, n), math.prod([n, 2, 3])])


# call: f(int in 0..=40, int in 0..=3)
def f(a, which):
    kind = type(a)
    if kind is not int or type(a) != int or a.__class__ is not int:
        return 0
    names = {int: "i", str: "s"}
    return told((names[type(a)], kind.__name__, kind(which), a.real + a.imag, a.numerator, hash(a), str(a)[::-1], (hex, oct, bin, str)[which](a)))


# call: f(int in 0..=300, int in 0..=4)
def f(a, b):
    same = a is b
    return told((same, a is a, a is None, a is not b))


# call: f(int in -3..=3, int in -3..=3)
def f(a, b):
    z = complex(a, b) * 1j
    return told((z.real, z.imag, abs(z) > 2, z == 0))


# call: f(int in 0..=63)
def f(n):
    steps = 0
    while n != 1 and steps < 9:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    else:
        steps += 1
    return told((n % 7, steps))


# call: f(int in 0..=31, int in 1..=6)
def f(n, base):
    digits = ""
    while n:
        n, digit = divmod(n, base + 1)
        digits = "0123456789"[digit] + digits
    return told((digits, int(digits or "0", base + 1)))


# call: f(int in 253..=260, int in 253..=260)
def f(a, b):
    return told((a is b, a == b, id(a) == id(b)))


# call: f(int in -3..=6)
def f(a):
    from decimal import Decimal
    price = Decimal(a) * Decimal("0.1") + 1
    return told((str(price), price > 1, int(price * 10), price == Decimal("1.3")))


# call: f(int in 0..=12)
def f(month):
    import datetime
    day = datetime.date(2023, month, 15) + datetime.timedelta(days=month)
    return told((day.isoformat(), day.month, day.weekday()))


# call: f(int in -2..=6, int in -7..=7)
def f(a, b):
    span = slice(a, b, 2)
    return told((span.indices(5), [1, 2, 3, 4, 5][span], "abcdef"[a:b], (1, 2, 3, 4)[b::-1]))
