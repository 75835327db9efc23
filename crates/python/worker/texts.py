"""Texts that stand for the input: SymStr, SymBytes and SymByteArray.

A text has a known length and characters that are plain ints or nodes. What
C does in one branch is one decision here (==, in, startswith); what C does in
a loop is one decision for each round (find, split, strip).
"""

import operator

from . import characters, nodes
from .characters import all_equal, belongs, equal, find, precedes, rfind
from .nodes import constant, decide, engine, fails, pin
from .numbers import SymInt, Symbolic, concrete, truth, whole


def text(codes):
    """The str of characters: plain if all are known."""
    for code in codes:
        if type(code) is not int and code.lo != code.hi:
            return SymStr(tuple(codes))
    return "".join([chr(code if type(code) is int else code.lo) for code in codes])


def data(codes):
    """The bytes of codes: plain if all are known."""
    for code in codes:
        if type(code) is not int and code.lo != code.hi:
            return SymBytes(tuple(codes))
    return bytes([code if type(code) is int else code.lo for code in codes])


def array(codes):
    """The bytearray of codes. It is a proxy even if all are known: what it
    holds may change."""
    return SymByteArray(list(codes))


def _bounds(start, end, length):
    """start and end of str.find and its like, made plain and put in range."""
    start = 0 if start is None else operator.index(start)
    end = length if end is None else operator.index(end)
    if end > length:
        end = length
    elif end < 0:
        end = max(0, end + length)
    if start < 0:
        start = max(0, start + length)
    return start, end


class Text(Symbolic):
    """What str, bytes and bytearray have in common. A subclass gives
    `plain` (its real type), `make` (a text of codes), `tests` (classes of
    characters), `most` (the greatest character these are tabled for) and
    `codes_of` (the codes of an operand of its kind, else None)."""

    __slots__ = ("codes",)

    def __init__(self, codes):
        self.codes = codes

    def concrete(self):
        codes = tuple(code if type(code) is int else pin(code) for code in self.codes)
        self.codes = codes
        return self.plain_of(codes)

    def peek(self):
        return self.plain_of([code if type(code) is int else nodes.evaluate(code)
                              for code in self.codes])

    def _really(self, name, *arguments, **named):
        """The real method on one value of everything: for operands that are
        rare or refused."""
        engine.note(f"{self.plain.__name__}.{name}")
        return getattr(self.concrete(), name)(
            *map(concrete, arguments), **{key: concrete(x) for key, x in named.items()})

    # ------------------------------------------------------------- protocols

    def __len__(self):
        return len(self.codes)

    def __iter__(self):
        for code in self.codes:
            yield self.element(code)

    def __getitem__(self, key):
        if type(key) is int:
            if -len(self.codes) <= key < len(self.codes):
                return self.element(self.codes[key])
            return self.plain()[key]  # raises
        if type(key) is slice:
            return self.make(self.codes[key])
        if type(key) is SymInt:
            length = len(self.codes)
            if fails(nodes.negation(nodes.within(key.node, -length, length - 1))):
                return self.plain()[0]  # raises
            return self.element(self.codes[pin(key.node)])
        if not hasattr(type(key), "__index__"):
            return self.plain()[key]  # raises
        return self[operator.index(key)]

    def __contains__(self, item):
        return decide(self.contains(item))

    def contains(self, item):
        """The condition of `item in self`."""
        codes, sub = self.codes, self.codes_of(item)
        if sub is None:
            return self._really("__contains__", item)
        return nodes.some(characters.occurs(codes, sub, at)
                          for at in range(len(codes) - len(sub) + 1))

    def __eq__(self, other):
        codes = self.compared(other)
        if codes is None:
            return NotImplemented
        return truth(len(codes) == len(self.codes) and all_equal(self.codes, codes))

    def __ne__(self, other):
        codes = self.compared(other)
        if codes is None:
            return NotImplemented
        return truth(len(codes) != len(self.codes)
                     or nodes.negation(all_equal(self.codes, codes)))

    def __lt__(self, other):
        codes = self.compared(other)
        return NotImplemented if codes is None else truth(precedes(self.codes, codes, False))

    def __le__(self, other):
        codes = self.compared(other)
        return NotImplemented if codes is None else truth(precedes(self.codes, codes, True))

    def __gt__(self, other):
        codes = self.compared(other)
        return NotImplemented if codes is None else truth(precedes(codes, self.codes, False))

    def __ge__(self, other):
        codes = self.compared(other)
        return NotImplemented if codes is None else truth(precedes(codes, self.codes, True))

    def __hash__(self):
        return hash(self.concrete())

    def __add__(self, other):
        codes = self.codes_of(other)
        if codes is None:
            if type(getattr(type(other), "__radd__", None)).__name__ == "function":
                return NotImplemented
            return self.plain() + other  # raises, or other is of C and strange
        return self.make(tuple(self.codes) + codes)

    def __radd__(self, other):
        codes = self.codes_of(other)
        if codes is None:
            return NotImplemented
        return self.kind_of(other)(codes + tuple(self.codes))

    def __mul__(self, count):
        if not hasattr(type(count), "__index__"):
            return NotImplemented if hasattr(type(count), "__rmul__") \
                else self.plain() * count
        return self.make(tuple(self.codes) * operator.index(count))

    __rmul__ = __mul__

    def __str__(self):
        engine.note(f"text of {self.plain.__name__} in C code")
        return str(self.concrete())

    def __repr__(self):
        engine.note(f"repr of {self.plain.__name__}")
        return repr(self.concrete())

    def __format__(self, specification):
        engine.note(f"format of {self.plain.__name__}")
        return format(self.concrete(), concrete(specification))

    # ---------------------------------------------------------------- search

    def find(self, sub, start=None, end=None):
        codes = self.codes_of(sub, True)
        if codes is None:
            return self._really("find", sub)
        return find(self.codes, codes, *_bounds(start, end, len(self.codes)))

    def rfind(self, sub, start=None, end=None):
        codes = self.codes_of(sub, True)
        if codes is None:
            return self._really("rfind", sub)
        return rfind(self.codes, codes, *_bounds(start, end, len(self.codes)))

    def index(self, sub, start=None, end=None):
        at = self.find(sub, start, end)
        return self.plain().index(self.plain_of((120,))) if at < 0 else at  # raises

    def rindex(self, sub, start=None, end=None):
        at = self.rfind(sub, start, end)
        return self.plain().rindex(self.plain_of((120,))) if at < 0 else at  # raises

    def count(self, sub, start=None, end=None):
        codes = self.codes_of(sub, True)
        if codes is None:
            return self._really("count", sub)
        start, end = _bounds(start, end, len(self.codes))
        if not codes:
            return max(0, end - start + 1)
        if len(codes) == 1:
            # Places do not overlap: a sum, without a decision.
            total = constant(0)
            for code in self.codes[start:end]:
                total = nodes.add(total, nodes.btoi(equal(code, codes[0])))
            return whole(total)
        count = 0
        while (start := find(self.codes, codes, start, end)) >= 0:
            count += 1
            start += len(codes)
        return count

    def _affix(self, name, affixes, start, end, place):
        sought = affixes if type(affixes) is tuple else (affixes,)
        parts = [self.codes_of(affix) for affix in sought]
        if None in parts:
            return self._really(name, affixes)
        start, end = _bounds(start, end, len(self.codes))
        conditions = []
        for part in parts:
            if start + len(part) <= end:
                conditions.append(characters.occurs(
                    self.codes, part, place(start, end, len(part))))
        return truth(nodes.some(conditions))

    def startswith(self, prefix, start=None, end=None):
        return self._affix("startswith", prefix, start, end, lambda s, e, n: s)

    def endswith(self, suffix, start=None, end=None):
        return self._affix("endswith", suffix, start, end, lambda s, e, n: e - n)

    def removeprefix(self, prefix):
        codes = self.codes_of(prefix)
        if codes is None:
            return self._really("removeprefix", prefix)
        if len(codes) <= len(self.codes) and decide(
                characters.occurs(self.codes, codes, 0)):
            return self.make(self.codes[len(codes):])
        return self.make(self.codes)

    def removesuffix(self, suffix):
        codes = self.codes_of(suffix)
        if codes is None:
            return self._really("removesuffix", suffix)
        rest = len(self.codes) - len(codes)
        if codes and rest >= 0 and decide(characters.occurs(self.codes, codes, rest)):
            return self.make(self.codes[:rest])
        return self.make(self.codes)

    # --------------------------------------------------------------- division

    def _is(self, name, code):
        return belongs(code, self.tests[name], self.most)

    def _space(self, at):
        return decide(self._is("isspace", self.codes[at]))

    def split(self, sep=None, maxsplit=-1):
        maxsplit = operator.index(maxsplit)
        codes, length = self.codes, len(self.codes)
        parts = []
        at = 0
        if sep is None:
            while True:
                while at < length and self._space(at):
                    at += 1
                if at == length:
                    break
                if maxsplit == 0:
                    parts.append(codes[at:])
                    break
                maxsplit -= 1
                start = at
                at += 1
                while at < length and not self._space(at):
                    at += 1
                parts.append(codes[start:at])
        else:
            sought = self.codes_of(sep)
            if not sought:
                return self._really("split", sep)  # raises
            while maxsplit != 0:
                found = find(codes, sought, at, length)
                if found < 0:
                    break
                parts.append(codes[at:found])
                at = found + len(sought)
                maxsplit -= 1
            parts.append(codes[at:])
        return [self.make(part) for part in parts]

    def rsplit(self, sep=None, maxsplit=-1):
        maxsplit = operator.index(maxsplit)
        codes = self.codes
        parts = []
        end = len(codes)
        if sep is None:
            while True:
                while end and self._space(end - 1):
                    end -= 1
                if end == 0:
                    break
                if maxsplit == 0:
                    parts.append(codes[:end])
                    break
                maxsplit -= 1
                stop = end
                end -= 1
                while end and not self._space(end - 1):
                    end -= 1
                parts.append(codes[end:stop])
        else:
            sought = self.codes_of(sep)
            if not sought:
                return self._really("rsplit", sep)  # raises
            while maxsplit != 0:
                found = rfind(codes, sought, 0, end)
                if found < 0:
                    break
                parts.append(codes[found + len(sought):end])
                end = found
                maxsplit -= 1
            parts.append(codes[:end])
        return [self.make(part) for part in reversed(parts)]

    def splitlines(self, keepends=False):
        keepends = bool(keepends)
        codes, length = self.codes, len(self.codes)
        parts = []
        at = 0
        while at < length:
            start = at
            while at < length and not decide(self._is("breaks", codes[at])):
                at += 1
            stop = at
            if at < length:
                at += 1
                if (at < length and decide(equal(codes[at - 1], 13))
                        and decide(equal(codes[at], 10))):
                    at += 1
            parts.append(self.make(codes[start:at if keepends else stop]))
        return parts

    def _partition(self, name, sep, seek):
        codes = self.codes_of(sep)
        if not codes:
            return self._really(name, sep)  # raises
        at = seek(self.codes, codes, 0, len(self.codes))
        if at < 0:
            return None
        return (self.make(self.codes[:at]), self.make(codes),
                self.make(self.codes[at + len(codes):]))

    def partition(self, sep):
        return (self._partition("partition", sep, find)
                or (self.make(self.codes), self.make(()), self.make(())))

    def rpartition(self, sep):
        return (self._partition("rpartition", sep, rfind)
                or (self.make(()), self.make(()), self.make(self.codes)))

    def _strip(self, name, chars, left, right):
        if chars is None:
            inside = self._space
        else:
            sought = self.codes_of(chars)
            if sought is None:
                return self._really(name, chars)

            def inside(at):
                return decide(nodes.some(equal(self.codes[at], code) for code in sought))
        start, end = 0, len(self.codes)
        while left and start < end and inside(start):
            start += 1
        while right and start < end and inside(end - 1):
            end -= 1
        return self.make(self.codes[start:end])

    def strip(self, chars=None):
        return self._strip("strip", chars, True, True)

    def lstrip(self, chars=None):
        return self._strip("lstrip", chars, True, False)

    def rstrip(self, chars=None):
        return self._strip("rstrip", chars, False, True)

    # ----------------------------------------------------------- construction

    def replace(self, old, new, count=-1):
        sought, put = self.codes_of(old), self.codes_of(new)
        if sought is None or put is None:
            return self._really("replace", old, new, count)
        count = operator.index(count)
        codes, length = tuple(self.codes), len(self.codes)
        result = []
        at = 0
        if not sought:
            # Between all characters, and before and after them.
            while count != 0 and at <= length:
                result.extend(put)
                result.extend(codes[at:at + 1])
                at += 1
                count -= 1
            result.extend(codes[at:])
            return self.make(result)
        while count != 0:
            found = find(codes, sought, at, length)
            if found < 0:
                break
            result.extend(codes[at:found])
            result.extend(put)
            at = found + len(sought)
            count -= 1
        result.extend(codes[at:])
        return self.make(result)

    def join(self, items):
        items = list(items)
        result = []
        for at, item in enumerate(items):
            codes = self.codes_of(item)
            if codes is None:
                # The message names the place and the type.
                return self.plain().join([self.plain()] * at + [item])
            if at:
                result.extend(self.codes)
            result.extend(codes)
        if len(items) == 1 and type(items[0]) is self.plain:
            return items[0]
        return self.make(result)

    def _padded(self, name, width, fill, place):
        filled = (32,) if fill is None else self.codes_of(fill)
        if filled is None or len(filled) != 1 or not hasattr(type(width), "__index__"):
            return self._really(name, width, *(() if fill is None else (fill,)))
        missing = max(0, operator.index(width) - len(self.codes))
        left = place(missing, operator.index(width))
        return self.make(filled * left + tuple(self.codes) + filled * (missing - left))

    def ljust(self, width, fillchar=None):
        return self._padded("ljust", width, fillchar, lambda missing, width: 0)

    def rjust(self, width, fillchar=None):
        return self._padded("rjust", width, fillchar, lambda missing, width: missing)

    def center(self, width, fillchar=None):
        return self._padded("center", width, fillchar, lambda missing, width:
                            missing // 2 + (missing & width & 1))

    def zfill(self, width):
        missing = max(0, operator.index(width) - len(self.codes))
        codes = tuple(self.codes)
        zeros = (48,) * missing
        if missing and codes and decide(nodes.bor(equal(codes[0], 43), equal(codes[0], 45))):
            return self.make(codes[:1] + zeros + codes[1:])
        return self.make(zeros + codes)

    def expandtabs(self, tabsize=8):
        tabsize = operator.index(tabsize)
        result = []
        column = 0
        for code in self.codes:
            if decide(equal(code, 9)):
                if tabsize > 0:
                    count = tabsize - column % tabsize
                    result.extend((32,) * count)
                    column += count
                continue
            result.append(code)
            column += 1
            if decide(nodes.bor(equal(code, 10), equal(code, 13))):
                column = 0
        return self.make(result)

    # ---------------------------------------------------------------- classes

    def _all(self, name):
        return truth(bool(self.codes) and nodes.every(
            self._is(name, code) for code in self.codes))

    def isalnum(self):
        return self._all("isalnum")

    def isalpha(self):
        return self._all("isalpha")

    def isdigit(self):
        return self._all("isdigit")

    def isspace(self):
        return self._all("isspace")

    def isascii(self):
        return truth(nodes.every(characters.less(code, 128) for code in self.codes))

    def islower(self):
        return truth(nodes.band(
            nodes.every(nodes.negation(self._is("istitle", c)) for c in self.codes),
            nodes.some(self._is("islower", c) for c in self.codes)))

    def isupper(self):
        # A title-case letter that is no capital counts against it.
        return truth(nodes.band(
            nodes.every(nodes.negation(nodes.bor(
                self._is("islower", c),
                nodes.band(self._is("istitle", c), nodes.negation(self._is("isupper", c)))))
                for c in self.codes),
            nodes.some(self._is("isupper", c) for c in self.codes)))

    def istitle(self):
        # Capitals only after what has no case, small letters only after some.
        valid, cased, before = True, False, False
        for code in self.codes:
            capital, small = self._is("istitle", code), self._is("islower", code)
            valid = nodes.band(valid, nodes.negation(nodes.band(capital, before)))
            valid = nodes.band(valid, nodes.negation(
                nodes.band(small, nodes.negation(before))))
            before = nodes.bor(capital, small)
            cased = nodes.bor(cased, before)
        return truth(nodes.band(valid, cased))

    # ------------------------------------------------------------------- case

    def _mapped(self, name, function):
        if not characters.is_ascii(self.codes):
            if self.plain is str:
                return self._really(name)
            # Bytes from 128 on have no case.
            return self.make([function(c) if characters.is_ascii((c,)) else c
                              for c in self.codes])
        return self.make([function(code) for code in self.codes])

    def lower(self):
        return self._mapped("lower", characters.lower)

    def upper(self):
        return self._mapped("upper", characters.upper)

    def swapcase(self):
        return self._mapped("swapcase", characters.swapcase)

    def capitalize(self):
        if not characters.is_ascii(self.codes):
            return self._really("capitalize")
        return self.make([characters.upper(code) for code in self.codes[:1]]
                         + [characters.lower(code) for code in self.codes[1:]])

    def title(self):
        if not characters.is_ascii(self.codes):
            return self._really("title")
        return self.make(characters.title(self.codes))


class SymStr(Text):
    """A str of the input or made from it."""

    __slots__ = ()

    __class__ = property(lambda self: str)
    plain = str
    most = characters.TABLED
    tests = characters.STR
    make = element = staticmethod(text)

    @staticmethod
    def element(code):
        return text((code,))

    @staticmethod
    def plain_of(codes):
        return "".join(map(chr, codes))

    @staticmethod
    def codes_of(value, single=False):
        kind = type(value)
        if kind is SymStr:
            return value.codes
        if kind is str:
            return tuple(map(ord, value))
        if isinstance(value, str):
            return tuple(map(ord, str.__str__(concrete(value))))
        return None

    compared = codes_of

    @staticmethod
    def kind_of(value):
        return text

    def casefold(self):
        return self._mapped("casefold", characters.lower)

    def isdecimal(self):
        return self._all("isdecimal")

    def isnumeric(self):
        return self._all("isnumeric")

    def isprintable(self):
        return truth(nodes.every(self._is("isprintable", code) for code in self.codes))

    def isidentifier(self):
        return truth(bool(self.codes) and nodes.band(
            self._is("isidentifier", self.codes[0]),
            nodes.every(self._is("continues", code) for code in self.codes[1:])))

    def encode(self, encoding="utf-8", errors="strict"):
        name = concrete(encoding).lower().replace("_", "-")
        if name in ("utf-8", "utf8", "ascii", "us-ascii", "latin-1", "latin1", "iso-8859-1"):
            if characters.is_ascii(self.codes):
                return data(self.codes)
        return self._really("encode", encoding, errors)

    def translate(self, table):
        if type(table) is not dict or not all(type(key) is int for key in table):
            return self._really("translate", table)
        result = []
        for code in self.codes:
            # Only a character that the table knows has to be known.
            if decide(nodes.some(equal(code, key) for key in table)):
                code = code if type(code) is int else pin(code)
                put = table[code]
                if put is None:
                    continue
                codes = (put,) if type(put) is int else self.codes_of(put)
                if codes is None:
                    return self._really("translate", table)
                result.extend(codes)
            else:
                result.append(code)
        return text(result)

    def __mod__(self, values):
        engine.note("% of a str of the input")
        return self.concrete() % values

    def __rmod__(self, other):
        return NotImplemented


class SymBytes(Text):
    """A bytes of the input or made from it."""

    __slots__ = ()

    __class__ = property(lambda self: bytes)
    plain = bytes
    most = 255
    tests = characters.BYTES
    make = staticmethod(data)
    plain_of = staticmethod(bytes)
    element = staticmethod(
        lambda code: code if type(code) is int else whole(code))

    @staticmethod
    def codes_of(value, single=False):
        kind = type(value)
        if kind is bytes or kind is bytearray:
            return tuple(value)
        if kind is SymBytes or kind is SymByteArray:
            return tuple(value.codes)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return tuple(bytes(value))
        if single:
            # A byte by its number.
            if kind is int and 0 <= value < 256:
                return (value,)
            if kind is SymInt and decide(nodes.within(value.node, 0, 255)):
                return (value.node,)
        return None

    @staticmethod
    def compared(value):
        return SymBytes.codes_of(value)

    @staticmethod
    def kind_of(value):
        return array if isinstance(value, bytearray) else data

    def contains(self, item):
        kind = type(item)
        if kind is int or kind is SymInt:
            codes = self.codes_of(item, True)
            if codes is None:
                return self._really("__contains__", item)  # raises
            return nodes.some(equal(code, codes[0]) for code in self.codes)
        return Text.contains(self, item)

    def decode(self, encoding="utf-8", errors="strict"):
        name = concrete(encoding).lower().replace("_", "-")
        if name in ("latin-1", "latin1", "iso-8859-1"):
            return text(self.codes)
        if name in ("utf-8", "utf8", "ascii", "us-ascii") and characters.is_ascii(self.codes):
            return text(self.codes)
        return self._really("decode", encoding, errors)

    def __bytes__(self):
        engine.note("bytes in C code")
        return bytes(self.concrete())

    def __mod__(self, values):
        engine.note("% of bytes of the input")
        return self.concrete() % values

    def __rmod__(self, other):
        return NotImplemented


class SymByteArray(SymBytes):
    """A bytearray with bytes of the input; `codes` is a list."""

    __slots__ = ()

    __class__ = property(lambda self: bytearray)
    plain = bytearray
    make = staticmethod(array)
    plain_of = staticmethod(bytearray)
    __hash__ = None

    def concrete(self):
        """A copy: C code that changes it changes nothing here, so only what
        reads may be given it."""
        self.codes = [code if type(code) is int else pin(code) for code in self.codes]
        return bytearray(self.codes)

    def __copy__(self):
        return array(self.codes)

    copy = __copy__

    def __deepcopy__(self, memo):
        return array(self.codes)

    @staticmethod
    def _byte(value):
        if type(value) is SymInt:
            if fails(nodes.negation(nodes.within(value.node, 0, 255))):
                bytearray(1)[0] = 256  # raises
            return value.node
        one = bytearray(1)
        one[0] = value  # raises if it is none
        return one[0]

    def _bytes(self, values):
        codes = self.codes_of(values)
        return list(map(self._byte, values)) if codes is None else list(codes)

    def append(self, value):
        self.codes.append(self._byte(value))

    def extend(self, values):
        self.codes.extend(self._bytes(values))

    def insert(self, at, value):
        self.codes.insert(operator.index(at), self._byte(value))

    def pop(self, at=-1):
        if not self.codes:
            return bytearray().pop()  # raises
        at = operator.index(at)
        if not -len(self.codes) <= at < len(self.codes):
            return bytearray(1).pop(5)  # raises
        return self.element(self.codes.pop(at))

    def remove(self, value):
        value = self._byte(value)
        for at, code in enumerate(self.codes):
            if decide(equal(code, value)):
                del self.codes[at]
                return
        bytearray().remove(0)  # raises

    def reverse(self):
        self.codes.reverse()

    def clear(self):
        self.codes.clear()

    def __setitem__(self, key, value):
        if type(key) is slice:
            self.codes[key] = self._bytes(value)
            return
        key = operator.index(key)
        if not -len(self.codes) <= key < len(self.codes):
            bytearray()[0] = 0  # raises
        self.codes[key] = self._byte(value)

    def __delitem__(self, key):
        if type(key) is not slice:
            key = operator.index(key)
            if not -len(self.codes) <= key < len(self.codes):
                del bytearray()[0]  # raises
        del self.codes[key]

    def __iadd__(self, other):
        codes = self.codes_of(other)
        if codes is None:
            bytearray().__iadd__(other)  # raises
        self.codes.extend(codes)
        return self

    def __imul__(self, count):
        self.codes[:] = self.codes * operator.index(count)
        return self


class LateText(Symbolic):
    """A str that is worked out when something looks at it: the message of an
    exception that most programs only catch."""

    __slots__ = ("work",)

    __class__ = property(lambda self: str)

    def __init__(self, work):
        self.work = work

    def concrete(self):
        value = self.work()
        self.work = lambda: value
        return value

    def peek(self):
        return self.concrete()

    def _delegate(name):
        def method(self, *arguments):
            return getattr(self.concrete(), name)(*arguments)
        return method

    for _name in ("str", "repr", "eq", "ne", "lt", "le", "gt", "ge", "hash", "len",
                  "iter", "getitem", "contains", "add", "mul", "rmul", "mod", "format"):
        locals()[f"__{_name}__"] = _delegate(f"__{_name}__")
    del _name, _delegate


def lift(value):
    """A plain str, bytes or bytearray as a text with the same methods."""
    kind = type(value)
    if kind is str:
        return SymStr(tuple(map(ord, value)))
    if kind is bytes:
        return SymBytes(tuple(value))
    if kind is bytearray:
        return SymByteArray(list(value))
    return value


# -------------------------------------------------------------- conversions

def number_text(value):
    """str(value) of a SymInt."""
    node = value.node
    if node.lo == nodes.MIN and not decide(nodes.lt(constant(nodes.MIN), node)):
        return str(pin(node))
    return text(characters.digits(node))


def parse_int(value, base=10):
    """int(value, base) of a text."""
    codes = tuple(value.codes)
    if not 2 <= base <= 36 and base != 0:
        return int(value.concrete(), base)  # raises
    radix = base or 10
    sign = 1
    all_digits = nodes.every(characters.is_digit(code, radix) for code in codes)
    if not codes or base == 0 or not decide(all_digits):
        # Blanks around it and a sign.
        stripped = value.strip()
        codes = tuple(SymStr.codes_of(stripped) if value.plain is str
                      else SymBytes.codes_of(stripped))
        if codes and decide(nodes.bor(equal(codes[0], 43), equal(codes[0], 45))):
            sign = -1 if decide(equal(codes[0], 45)) else 1
            codes = codes[1:]
        if base == 0 or not (codes and decide(nodes.every(
                characters.is_digit(code, radix) for code in codes))):
            # Underscores, prefixes and the digits of other scripts are rare.
            rare = nodes.some(nodes.bor(equal(code, 95), nodes.negation(
                characters.less(code, 128))) for code in codes)
            if (base == 0 or base in (2, 8, 16) and len(codes) > 2
                    and decide(equal(codes[0], 48)) or decide(rare)):
                engine.note("int of a text with prefix, underscore or other digits")
                return int(value.concrete(), base)
            shown = value.concrete if value.plain is not bytearray \
                else lambda: bytes(value.concrete())
            raise ValueError(LateText(
                lambda: f"invalid literal for int() with base {base}: {shown()!r}"))
    total = constant(0) if len(codes) < 19 else None
    if total is not None and radix <= 10:
        for code in codes:
            total = nodes.add(nodes.mul(total, constant(radix)),
                              characters.digit_value(code, radix))
        result = whole(total)
    else:
        # This may leave 64 bits.
        result = 0
        for code in codes:
            result = result * radix + whole(characters.digit_value(code, radix))
    return result if sign > 0 else -result


def bytes_of_ints(values, make):
    """bytes(values) or bytearray(values) of a list with symbolic ints."""
    codes = []
    for value in values:
        if type(value) is SymInt:
            if fails(nodes.negation(nodes.within(value.node, 0, 255))):
                return (bytes if make is data else bytearray)([256])  # raises
            codes.append(value.node)
        else:
            codes.append(bytes((operator.index(value),))[0])
    return make(codes)


for _class in (SymStr, SymBytes, SymByteArray, LateText):
    _class.__name__ = _class.__qualname__ = _class.plain.__name__ \
        if issubclass(_class, Text) else "str"
