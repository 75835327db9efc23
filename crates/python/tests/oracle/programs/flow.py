# call: f(int in -2..=5, int in -2..=3)
def f(a, b):
    log = []

    def divide():
        try:
            log.append(a // b)
        except ZeroDivisionError as error:
            log.append(len(str(error)))
            raise ValueError(a) from error
        else:
            log.append(1)
            return a
        finally:
            log.append(2)
            if a == 3:
                return 7

    try:
        log.append(divide())
    except ValueError as error:
        log.append(error.args[0])
        log.append(isinstance(error.__cause__, ArithmeticError))
    return told(log)


# call: f(int in 0..=9, int in 0..=3)
def f(n, k):
    match (n, k):
        case (0, _):
            kind = 1
        case (1 | 2, 0 | 3):
            kind = 2
        case (x, y) if x == y * 2:
            kind = x
        case (int() as x, 1):
            kind = -x
        case _:
            kind = 9
    return told(kind)


# call: f(int[3] in 0..=2, str[1] in 97..=99)
def f(xs, s):
    match xs:
        case [0, *rest]:
            value = sum(rest)
        case [a, b, 2] if a < b:
            value = a
        case [1, _, _]:
            value = 5
        case list():
            value = 6
    match {"kind": s, "n": xs[0]}:
        case {"kind": "a", "n": n}:
            value += n
        case {"kind": "b" | "c" as kind, **rest}:
            value += len(rest) * ord(kind)
    match s:
        case "a":
            value += 1
        case str(t) if t > "b":
            value += 2
    return told(value)


# call: f(int in 0..=3, bool)
def f(x, flag):
    from dataclasses import dataclass

    @dataclass(order=True, frozen=True)
    class Point:
        x: int
        y: int = 0

    point = Point(x, int(flag))
    match point:
        case Point(x=0):
            value = 0
        case Point(1, y):
            value = y
        case Point(x=n, y=1):
            value = n
        case _:
            value = 4
    match flag:
        case True:
            value += 10
        case False:
            value += 20
    return told((value, point < Point(2), point == Point(1, 1), {point: 3}.get(Point(2, 0)), repr(point)))


# call: f(int in 0..=7, int in 0..=3)
def f(n, k):
    def numbers(limit):
        sent = 0
        while sent < limit:
            got = yield sent
            sent += 1 if got is None else got
        return sent

    def outer():
        result = yield from numbers(n)
        yield -result

    run = outer()
    seen = [next(run)]
    try:
        while True:
            seen.append(run.send(k) if k else next(run))
            if len(seen) > 5:
                run.close()
    except StopIteration:
        seen.append(99)
    return told(seen)


# call: f(int[4] in 0..=2)
def f(xs):
    total = 0
    for i, x in enumerate(xs):
        if x == 0:
            continue
        for y in xs[i + 1:]:
            if y == x:
                break
            total += y
        else:
            total += 10
            if total > 20:
                break
    else:
        total += 1
    while (total := total - 3) > 0 and (rest := total % 4):
        if rest == 3:
            break
    else:
        total -= 1
    return told(total)


# call: f(int in 0..=4, int in 0..=4)
def f(a, b):
    def adder(x, y=2, *rest, scale=1, **named):
        return (x + y + len(rest)) * scale + sum(named.values())

    count = 0

    def bump():
        nonlocal count
        count += a
        return count

    functions = [lambda i=i: i * a + b for i in range(3)]
    extra = {"scale": b} if b else {}
    return told((adder(a), adder(*[a, b, a], **extra), adder(a, k=b), bump() + bump(), [g() for g in functions], (lambda *v: v)(a, b)))


# call: f(int in 0..=6, int in 0..=3)
def f(n, k):
    def ack(m, n):
        if m == 0:
            return n + 1
        if n == 0:
            return ack(m - 1, 1)
        return ack(m - 1, ack(m, n - 1))

    def fib(n, memo={}):
        if n < 2:
            return n
        if n not in memo:
            memo[n] = fib(n - 1) + fib(n - 2)
        return memo[n]

    return told((ack(min(k, 1), n % 3), fib(n)))


# call: f(int[3] in 0..=2)
def f(xs):
    from contextlib import contextmanager, suppress
    log = []

    @contextmanager
    def noted(name):
        log.append(name)
        try:
            yield name + 1
        except LookupError:
            log.append(8)
        finally:
            log.append(-name)

    with noted(xs[0]) as inner:
        log.append([5, 6][xs[1]])
        log.append(inner)
    with suppress(ZeroDivisionError):
        log.append(4 // xs[2])
    return told(log)


# call: f(int in 0..=5)
def f(n):
    class Odd(Exception):
        def __init__(self, value):
            super().__init__(f"odd {value}")
            self.value = value

    try:
        assert n != 4, n
        if n % 2:
            raise Odd(n)
        if n > 1:
            {}[n]
    except Odd as error:
        return told((error.value, str(error)))
    except (KeyError, AssertionError) as error:
        return told((type(error).__name__, str(error), error.args))
    return n


# call: f(int[3] in -1..=2)
def f(xs):
    import io, contextlib
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print(*xs, sep="-", end=";")
        print(f"{xs[0]:>3}")
    return told(out.getvalue())


# call: f(int[3] in 0..=3)
def f(xs):
    i = j = 0
    i, xs[i], j = xs[0], 3, xs[1]
    xs[i % 3], xs[j % 3] = xs[j % 3], xs[i % 3]
    a = b = xs
    b += [i]
    x = 1 if i else 2 if j else 3
    y = i and j or not x
    return told((a, x, y, i or "none", [i, j][::-1], not i == j, i if i > j else xs[-1]))


# call: f(int in -4..=3, int in 0..=3)
def f(p, k):
    # So long a loop that its jump has a prefix: warm, 3.12 enters the generator of `range` in one instruction.
    n = 0
    for i in range(abs(p) & 3):
        if int(i < -4) == abs(7 ^ 7):
            if p > k - 3 % 2:
                n = n + sum([k, p])
            elif (4 if p > 3 else n) == len([k] * 3):
                n = min(-3, i, max(abs(max(6, 2)), 3))
        else:
            n = max(min(3, 4), abs(min(3, 5)), divmod(7, 3)[1])
            n = n + sum([1, 2, 3, 4, p]) + len([5, 6, 7, 8, n])
            n = n + sum([4, 3, 2, 1, p]) + len([8, 7, 6, 5, n])
            n = n + sum([4, 3, 2, 1, p]) + len([8, 7, 6, 5, n])
        n = (n if i >= 2 else p) % (abs(n) + 1)
    return told(n + k)
