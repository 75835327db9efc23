"""Calls from type hints: what a hint is in the language of `--call`."""

import collections
import collections.abc
import dataclasses
import enum
import inspect
import sys
import types
import typing

# The length of what is inside a container; its own length is n.
INNER = 4

LISTS = (list, collections.abc.Sequence, collections.abc.MutableSequence, collections.abc.Iterable,
         collections.abc.Collection, collections.abc.Iterator, collections.abc.Reversible)
SETS = (set, collections.abc.Set, collections.abc.MutableSet)
DICTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping, collections.OrderedDict,
         collections.defaultdict)


class Unsuitable(Exception):
    """A hint that says too little, with what to write instead."""


class Writer:
    """Writes the type of one parameter; remembers what it decided by itself."""

    def __init__(self, parameter, module):
        self.parameter = parameter
        self.module = module
        self.notes = []

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def length(self, depth):
        if depth == 0:
            return "n"
        self.note(f"what is inside `{self.parameter}` has length {INNER}")
        return str(INNER)

    def text(self, hint, lengths="", depth=0):
        """The type of a hint inside containers with these lengths."""
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Annotated:
            return self.text(arguments[0], lengths, depth)
        if isinstance(hint, typing.NewType):
            return self.text(hint.__supertype__, lengths, depth)
        if isinstance(hint, typing.TypeVar):
            bound = hint.__bound__ or (hint.__constraints__ or (int,))[0]
            self.note(f"`{hint.__name__}` is taken as {getattr(bound, '__name__', bound)}")
            return self.text(bound if isinstance(bound, type) and bound is not object else int, lengths, depth)
        if hint in (int, bool, float):
            return hint.__name__ + lengths
        if hint in (str, bytes, bytearray):
            return f"{hint.__name__}{lengths}[{self.length(depth)}]"
        if _is_union(hint, origin):
            inner = [a for a in arguments if a is not type(None)]
            if not inner:
                return "None"
            self.note(f"`{self.parameter}` is always {_name(inner[0])}")
            return self.text(inner[0], lengths, depth)
        base = origin or hint
        if base in LISTS:
            return self.text(self.only(hint, arguments), f"{lengths}[{self.length(depth)}]", depth + 1)
        for kinds, name in ((SETS, "set"), ((frozenset,), "frozenset"), ((collections.deque,), "deque")):
            if base in kinds:
                inner = self.text(self.only(hint, arguments), "", depth + 1)
                return f"{name}({inner}){lengths}[{self.length(depth)}]"
        if base in DICTS:
            if len(arguments) != 2:
                raise Unsuitable(f"`{_name(hint)}` does not say what is in it; write e.g. `dict(str[4]: int)[n]`")
            key, value = (self.text(a, "", depth + 1) for a in arguments)
            return f"dict({key}: {value}){lengths}[{self.length(depth)}]"
        if base is tuple:
            if len(arguments) == 2 and arguments[1] is Ellipsis:
                inner = self.text(arguments[0], "", depth + 1)
                return f"tuple({inner}, ...){lengths}[{self.length(depth)}]"
            if not arguments:
                raise Unsuitable("`tuple` does not say what is in it; write e.g. `tuple(int, int)`")
            inner = ", ".join(self.text(a, "", depth) for a in arguments)
            return f"tuple({inner}){lengths}"
        if origin is typing.Literal:
            return f"oneof({', '.join(map(_quoted, arguments))}){lengths}"
        if isinstance(hint, type) and is_made(hint):
            return name_of(hint, self.module) + lengths
        raise Unsuitable(f"`{self.parameter}: {_name(hint)}` is no type that inputs can be made of; "
                         "write its value or another type")

    def only(self, hint, arguments):
        if len(arguments) != 1:
            raise Unsuitable(f"`{_name(hint)}` does not say what is in it; write e.g. `int[n]`")
        return arguments[0]


def _is_union(hint, origin):
    import types
    return origin is typing.Union or origin is getattr(types, "UnionType", ())


def _is_named_tuple(hint):
    return issubclass(hint, tuple) and hasattr(hint, "_fields")


def _quoted(constant):
    """In double quotes where these will do: shells have the call in single ones."""
    text = repr(constant)
    plain = type(constant) is str and "'" not in constant and '"' not in constant
    return f'"{text[1:-1]}"' if plain else text


def is_made(kind):
    """Whether the arguments of a class tell how to make one of it."""
    if dataclasses.is_dataclass(kind) or _is_named_tuple(kind):
        return True
    if issubclass(kind, enum.Enum):
        return len(kind) > 0
    is_library = kind.__module__.partition(".")[0] in sys.stdlib_module_names
    return isinstance(kind.__init__, types.FunctionType) and not inspect.isabstract(kind) and not is_library


def name_of(kind, module):
    """The name by which the file knows a class, or else that of its module before it."""
    for name, value in vars(module).items():
        if value is kind:
            return name
    if kind.__module__ == module.__name__:
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def _name(hint):
    return hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint).replace("typing.", "")


def resolved(thing):
    """The hints of a function or class; as far as they can be evaluated."""
    try:
        return typing.get_type_hints(thing, include_extras=True)
    except Exception:
        return {k: v for k, v in getattr(thing, "__annotations__", {}).items() if not isinstance(v, str)}


def describe(name, function, owner, module):
    """A function for the list of functions: parameters, a call, remarks. `owner` is the class of a method."""
    described = written(name, function, module, 0 if owner is None else 1)
    described["constructor"] = None
    if owner is not None:
        made = written(name.rpartition(".")[0], owner, module, 0)
        described["constructor"] = made["parameters"]
        method = name.rpartition(".")[2]
        described["why"] = made["why"] or described["why"]
        if described["why"] is None:
            described["call"] = f"{made['call']}.{described['call'].replace(name, method, 1)}"
        else:
            described["call"] = None
        described["notes"] = made["notes"] + described["notes"]
    return described


def written(name, function, module, skipped):
    """What is called and how, without the first parameters."""
    is_class = isinstance(function, type)
    hints = resolved(function)
    if is_class and not dataclasses.is_dataclass(function) and not _is_named_tuple(function):
        hints = resolved(function.__init__)
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return {"parameters": [], "call": None, "why": f"the signature of `{name}` cannot be read", "notes": []}
    parameters, written, notes, why = [], [], [], None
    for parameter in list(signature.parameters.values())[skipped:]:
        annotation = parameter.annotation
        shown = None
        if annotation is not inspect.Parameter.empty:
            shown = annotation if isinstance(annotation, str) else _name(annotation)
        default = None
        if parameter.default is not inspect.Parameter.empty:
            default = repr(parameter.default)
        collects = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        mark = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        parameters.append({"name": mark + parameter.name, "hint": shown, "default": default})
        if collects or default is not None:
            continue
        writer = Writer(parameter.name, module)
        try:
            hint = hints.get(parameter.name, annotation)
            if hint is inspect.Parameter.empty:
                raise Unsuitable(f"`{parameter.name}` has no type hint")
            text = writer.text(hint)
        except Unsuitable as unsuitable:
            why = why or str(unsuitable)
            text = "..."
        if parameter.kind == parameter.KEYWORD_ONLY:
            text = f"{parameter.name}={text}"
        written.append(text)
        notes.extend(writer.notes)
    call = f"{name}({', '.join(written)})"
    return {"parameters": parameters, "call": None if why else call, "why": why, "notes": notes}


def fields(kind, name, module):
    """The fields of a class that calls name: [(name, type in the call language)]."""
    if not isinstance(kind, type):
        raise Unsuitable(f"`{name}` is no class")
    if issubclass(kind, enum.Enum) and len(kind) > 0:
        # The type of the whole.
        return f"oneof({', '.join(f'{name}.{member}' for member in kind.__members__)})"
    hints = resolved(kind)
    if dataclasses.is_dataclass(kind):
        names = [f.name for f in dataclasses.fields(kind) if f.init and not (
            f.default is not dataclasses.MISSING or f.default_factory is not dataclasses.MISSING)]
    elif _is_named_tuple(kind):
        names = [f for f in kind._fields if f not in kind._field_defaults]
    elif is_made(kind):
        hints = resolved(kind.__init__)
        names = [p.name for p in inspect.signature(kind).parameters.values()
                 if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    else:
        raise Unsuitable(f"`{name}` does not say how one of it is made: it is neither a dataclass, a named tuple nor an "
                         "enumeration, and has no `__init__`")
    found = []
    for field in names:
        if field not in hints:
            raise Unsuitable(f"the field `{field}` of `{name}` has no type")
        found.append((field, Writer(f"{name}.{field}", module).text(hints[field], depth=1)))
    return found
