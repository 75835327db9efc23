"""Characters of the input: conditions on code points and bytes.

A character is a plain int or an integer node. The classes of characters
(`isdigit` and its like) are taken from the interpreter itself, as ranges.
"""

from . import nodes
from .nodes import constant, decide, engine, pin

# Classes of characters are tabled up to here; the rare character beyond
# becomes concrete.
TABLED = 0x3FF


def known(code):
    """The plain code point of a character, or None."""
    if type(code) is int:
        return code
    return code.lo if code.lo == code.hi else None


def node_of(code):
    return constant(code) if type(code) is int else code


def equal(a, b):
    """Whether two characters are the same: True, False or a condition."""
    if type(a) is int:
        if type(b) is int:
            return a == b
        return nodes.eq(b, constant(a))
    return nodes.eq(a, constant(b) if type(b) is int else b)


def less(a, b):
    if type(a) is int and type(b) is int:
        return a < b
    return nodes.lt(node_of(a), node_of(b))


def all_equal(a, b):
    """Whether two sequences of one length are the same: one condition."""
    result = True
    for x, y in zip(a, b):
        condition = equal(x, y)
        if condition is False:
            return False
        if condition is not True:
            result = condition if result is True else nodes.band(result, condition)
    return result


def precedes(a, b, or_equal):
    """Whether a comes before b in the order of sequences: one condition."""
    same = []
    end = None
    for x, y in zip(a, b):
        condition = equal(x, y)
        if condition is False:
            end = less(x, y)
            break
        same.append((condition, x, y))
    if end is None:
        end = len(a) <= len(b) if or_equal else len(a) < len(b)
    for condition, x, y in reversed(same):
        if condition is not True:
            end = nodes.bor(less(x, y), nodes.band(condition, end))
    return end


def occurs(codes, sub, at):
    """Whether `sub` stands at a place of `codes`."""
    return all_equal(codes[at:at + len(sub)], sub)


def find(codes, sub, start, end):
    """The first place of sub in codes[start:end], by decisions; or -1."""
    for at in range(start, end - len(sub) + 1):
        if decide(occurs(codes, sub, at)):
            return at
    return -1


def rfind(codes, sub, start, end):
    for at in range(end - len(sub), start - 1, -1):
        if decide(occurs(codes, sub, at)):
            return at
    return -1


_ranges = {}


def ranges(test, most):
    """The ranges of 0..=most where `test` holds of the code point."""
    key = (test, most)
    found = _ranges.get(key)
    if found is None:
        found = []
        for code in range(most + 1):
            if test(code):
                if found and found[-1][1] == code - 1:
                    found[-1][1] = code
                else:
                    found.append([code, code])
        _ranges[key] = found
    return found


def among(code, intervals):
    """Whether a node lies in one of the ranges."""
    lo, hi = code.lo, code.hi
    return nodes.some(nodes.within(code, first, last) for first, last in intervals
                      if first <= hi and lo <= last)


def belongs(code, test, most):
    """Whether `test` holds of a character, which lies in 0..=most or is rare."""
    if type(code) is int:
        return test(code)
    if code.hi > most and not decide(nodes.le(code, constant(most))):
        engine.note("character beyond the tables")
        return test(pin(code))
    return among(code, ranges(test, most))


def _str_test(name):
    method = getattr(str, name)
    return lambda code: method(chr(code))


def _bytes_test(name):
    method = getattr(bytes, name)
    return lambda code: method(bytes((code,)))


_CLASSES = ("isalnum", "isalpha", "isdigit", "islower", "isspace", "istitle",
            "isupper")
STR = {name: _str_test(name) for name in
       _CLASSES + ("isdecimal", "isnumeric", "isprintable", "isidentifier")}
STR["continues"] = lambda code: ("a" + chr(code)).isidentifier()
STR["breaks"] = lambda code: len(("a" + chr(code) + "a").splitlines()) == 2
BYTES = {name: _bytes_test(name) for name in _CLASSES}
BYTES["breaks"] = lambda code: code in (10, 13)


def is_ascii(codes):
    """Whether all characters are below 128, by decisions."""
    for code in codes:
        if type(code) is int:
            if code > 127:
                return False
        elif code.hi > 127 and not decide(nodes.lt(code, constant(128))):
            return False
    return True


def _shifted(code, first, last, distance):
    """The character, moved by a distance where it lies in a range."""
    if type(code) is int:
        return code + distance if first <= code <= last else code
    if code.hi < first or last < code.lo:
        return code
    node = nodes.ite(nodes.within(code, first, last),
                     nodes.add(code, constant(distance)), code)
    # Bounds of the two arms alone do not know of the condition.
    node.lo = max(node.lo, min(code.lo, first + distance))
    node.hi = min(node.hi, max(code.hi, last + distance))
    return node


def lower(code):
    """The small letter of an ASCII character."""
    return _shifted(code, 65, 90, 32)


def upper(code):
    return _shifted(code, 97, 122, -32)


def is_letter(code):
    """Whether an ASCII character is a letter."""
    if type(code) is int:
        return 65 <= code <= 90 or 97 <= code <= 122
    return nodes.bor(nodes.within(code, 65, 90), nodes.within(code, 97, 122))


def swapcase(code):
    if type(code) is int:
        return lower(code) if code < 91 else upper(code)
    return nodes.ite(nodes.lt(code, constant(91)), node_of(lower(code)),
                     node_of(upper(code)))


def title(codes):
    """ASCII characters with each word's first letter capital, others small."""
    result = []
    inside = False
    for code in codes:
        small, capital = lower(code), upper(code)
        if inside is True or inside is False:
            result.append(small if inside else capital)
        else:
            result.append(nodes.ite(inside, node_of(small), node_of(capital)))
        inside = is_letter(code)
    return result


def digits(node):
    """The characters of a number, by decisions for its sign and length;
    the number is above -2**63."""
    codes = []
    if decide(nodes.lt(node, constant(0))):
        codes.append(45)
        node = nodes.neg(node)
    length = 1
    while length < 19 and not decide(nodes.lt(node, constant(10 ** length))):
        length += 1
    for place in range(length - 1, -1, -1):
        digit = nodes.floordiv(node, constant(10 ** place))
        if place < length - 1:
            digit = nodes.mod(digit, constant(10))
        codes.append(nodes.add(digit, constant(48)))
    return codes


def digit_value(code, base):
    """The value of a character that is a digit in `base`."""
    if type(code) is int:
        return constant(int(chr(code), 36))
    value = nodes.sub(code, constant(48))
    if base > 10:
        value = nodes.ite(nodes.lt(code, constant(58)), value, nodes.ite(
            nodes.lt(code, constant(91)), nodes.sub(code, constant(55)),
            nodes.sub(code, constant(87))))
    value.lo = max(value.lo, 0)
    value.hi = min(value.hi, base - 1)
    return value


def is_digit(code, base):
    """Whether a character is an ASCII digit in `base`."""
    intervals = [(48, 47 + min(base, 10))]
    if base > 10:
        intervals += [(65, 54 + base), (97, 86 + base)]
    if type(code) is int:
        return any(first <= code <= last for first, last in intervals)
    return among(code, intervals)
