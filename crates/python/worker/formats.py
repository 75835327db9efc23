"""str(), repr(), format(), %, str.format and f-strings with values of the input."""

import re
import _string

from . import characters, nodes
from .nodes import decide, engine
from .numbers import SymBool, SymInt, Symbolic, concrete, whole
from .texts import SymStr, number_text, text


def text_of(value):
    """str(value), which may be a proxy."""
    kind = type(value)
    if kind is SymStr:
        return value
    if kind is SymInt:
        return number_text(value)
    return str(value)


# Characters that repr shows as they are, between single quotes.
_PLAIN = ((32, 38), (40, 91), (93, 126))


def repr_of(value):
    """repr(value), which may be a proxy."""
    kind = type(value)
    if kind is SymInt:
        return number_text(value)
    if kind is SymStr and decide(nodes.every(
            any(lo <= code <= hi for lo, hi in _PLAIN) if type(code) is int
            else characters.among(code, _PLAIN) for code in value.codes)):
        return text((39,) + value.codes + (39,))
    return repr(value)


def format_of(value, specification=""):
    """format(value, specification), which may be a proxy."""
    kind = type(value)
    if issubclass(kind, Symbolic):
        specification = concrete(specification)
        if kind is SymStr and specification in ("", "s"):
            return value
        if kind is SymInt and specification in ("", "d"):
            return number_text(value)
        return format(value, specification)
    return format(value, concrete(specification))


def formatted(value, conversion, specification=""):
    """The value of a replacement field of an f-string."""
    if conversion == 115:
        value = text_of(value)
    elif conversion == 114:
        value = repr_of(value)
    elif conversion == 97:
        value = ascii(value)
    elif specification == "" and type(value) is str:
        return value
    return format_of(value, specification)


def joined(*parts):
    """The pieces of an f-string as one str."""
    for part in parts:
        if type(part) is not str:
            break
    else:
        return "".join(parts)
    codes = []
    for part in parts:
        codes.extend(SymStr.codes_of(part))
    return text(codes)


def _has_proxy(values):
    for value in values:
        if issubclass(type(value), Symbolic):
            return True
    return False


_DIRECTIVE = re.compile(r"%(?:\(([^()]*)\))?([-#0 +]*)(\*|\d+)?(?:\.(\*|\d+))?[hlL]?(.)", re.S)


def percent(left, right):
    """left % right."""
    kind = type(left)
    if kind is str:
        values = right if type(right) is tuple else \
            right.values() if type(right) is dict else (right,)
        if _has_proxy(values):
            return _percent(left, right)
    elif (kind is bytes or kind is bytearray) and _has_proxy(
            right if type(right) is tuple else (right,)):
        engine.note(f"% of {kind.__name__}")
        return left % (tuple(map(concrete, right)) if type(right) is tuple
                       else concrete(right))
    return left % right


def _percent(template, right):
    directives = list(_DIRECTIVE.finditer(template))
    named = type(right) is dict
    values = right if type(right) is tuple else (right,)
    taken = [d for d in directives if d.group(5) != "%"]
    simple = (not any("*" in (d.group(3), d.group(4)) for d in directives)
              and all((d.group(1) is not None) == named for d in taken)
              and (named or len(taken) == len(values))
              and template.count("%") == sum(d.group().count("%") for d in directives))
    if not simple:
        # Errors, too, are those of the real operator.
        engine.note("% with unusual directives")
        if named:
            return template % {key: concrete(x) for key, x in right.items()}
        values = tuple(map(concrete, values))
        return template % (values if type(right) is tuple else values[0])
    parts = []
    at = used = 0
    for directive in directives:
        parts.append(template[at:directive.start()])
        at = directive.end()
        key, flags, width, precision, conversion = directive.groups()
        if conversion == "%":
            parts.append(directive.group() % () if not named else "%")
            continue
        value = right[key] if named else values[used]
        used += 1
        kind = type(value)
        plain = not flags and width is None and precision is None
        if plain and conversion == "s":
            parts.append(text_of(value))
        elif plain and conversion == "r":
            parts.append(repr_of(value))
        elif plain and conversion in "di" and kind in (SymInt, SymBool):
            parts.append(text_of(value if kind is SymInt else whole(nodes.btoi(value.node))))
        else:
            one = "%" + directive.group()[1:] if key is None else \
                "%" + directive.group()[len(key) + 3:]
            if issubclass(kind, Symbolic):
                engine.note(f"{one} of {value.__class__.__name__}")
            parts.append(one % (concrete(value),))
    parts.append(template[at:])
    return joined(*parts)


def str_format(template, arguments, named):
    """template.format(*arguments, **named)."""
    if not _has_proxy(arguments) and not _has_proxy(named.values()):
        return template.format(*arguments, **named)
    return _expand(template, arguments, named, [0], 2)


def _expand(template, arguments, named, counter, depth):
    if depth == 0:
        raise ValueError("Max string recursion exceeded")
    parts = []
    for literal, field, specification, conversion in _string.formatter_parser(template):
        if literal:
            parts.append(literal)
        if field is None:
            continue
        first, rest = _string.formatter_field_name_split(field)
        if first == "":
            if counter[0] is None:
                raise ValueError("cannot switch from manual field specification "
                                 "to automatic field numbering")
            first = counter[0]
            counter[0] += 1
        elif type(first) is int:
            if counter[0]:
                raise ValueError("cannot switch from automatic field numbering "
                                 "to manual field specification")
            counter[0] = None
        if type(first) is int:
            if first >= len(arguments):
                raise IndexError(f"Replacement index {first} out of range for "
                                 "positional args tuple")
            value = arguments[first]
        else:
            value = named[first]
        for is_attribute, key in rest:
            value = getattr(value, key) if is_attribute else value[key]
        if conversion is not None and conversion not in "sra":
            return template.format(*map(concrete, arguments))  # raises
        parts.append(formatted(value, -1 if conversion is None else ord(conversion),
                               _expand(specification, arguments, named, counter, depth - 1)))
    return joined(*parts)
