"""What library modules remember from run to run.

The user's modules are executed anew for each run, library modules are not. Some
of them keep results: in caches of functools, in globals that are made when they
are first needed, in tables, in context variables. A run
that finds them filled costs less than one that fills them, so that what an
input costs would depend on the inputs before it, and a symbolic run could find
values of another one. Before each run they are put back to what they were when
the module was new.

Compiled regular expressions are kept: compiling them again would take most of
the time of most runs. Instead compiling one does not count, as an import does
not.

Others keep them in closures of decorators, in default values of parameters, in
attributes of functions, of classes and of objects: what can be reached from a
new library module is looked through, up to a limit, for what may be filled or
bound anew. Nothing of it is asked: looking up an attribute may execute code.

Some keep things where no rule finds them: loggers remember what is enabled and
have handlers, combinations of flags are made when they are first needed,
`typing` has caches in closures.

Of the process, what a program may change is put back as well: the environment,
the directory, the search path of modules, warnings filters, the locale.
"""

import _locale
import collections
import dis
import enum
import functools
import linecache
import operator
import os
import sys
import time
import types
import typing
import warnings
import weakref

from . import rewrite
from .trace import OWN

PACKAGE = __name__.partition(".")[0]
WRAPPER = type(functools.lru_cache(lambda: None))
STORES = tuple(dis.opmap[name] for name in ("STORE_GLOBAL", "DELETE_GLOBAL"))
TABLES = (dict, list, set)
MISSING = object()
NOTHING = types.MappingProxyType({})

# Modules that are not rewritten, and yet nothing that the worker stands on.
PUT_BACK = frozenset(rewrite.IN_PLACE) | {
    "asyncio", "concurrent", "inspect", "linecache", "locale", "multiprocessing"}

# What the worker itself stands on stays as it is, but for caches of functools, which nothing else depends on.
KEPT = (rewrite.KEPT - PUT_BACK) | {
    "_pessimum", "pessimum", "re", "sre_compile", "sre_parse", "functools", "random", "copyreg", "reprlib",
    "resource", "sys", "builtins", "gc", "time", "atexit", "errno", "fcntl", "json", "struct"}


# What the worker changes itself from run to run.
OF_WORKER = frozenset(("sys", "builtins", "pessimum", "_pessimum", "linecache", "warnings"))


class Caches:
    """Looks at each library module once, when it is new."""

    def __init__(self, is_own, uncounted):
        self.is_own = is_own
        self.uncounted = uncounted
        self.known = {}       # name: module
        self.clear = []       # what empties a cache
        self.globals = []     # (namespace, name, value when new)
        self.tables = []      # (table, what is in it when new)
        self.members = []     # (values of an enumeration with their members, how many when last looked at)
        self.loggers = Loggers(is_own)
        self.reachable = Reachable()
        self.used = {}        # id: module that the user's know by name
        self.process = Process()
        self.clear.append(linecache.cache.clear)
        # These are in closures.
        self.clear.extend(typing._cleanups)
        # Which warnings were given: each registry is emptied when it is used next.
        mutated = getattr(warnings, "_filters_mutated", None) or getattr(warnings, "_filters_mutated_lock_held", None)
        if mutated is not None:
            self.clear.append(mutated)
        # Who makes the first one has it remember that the interpreter will end.
        weakref.finalize(self, int).detach()
        # `isinstance(x, os.PathLike)` asks it once for each class.
        hook = os.PathLike.__subclasshook__.__func__
        os.PathLike.__subclasshook__ = classmethod(uncounted(hook))
        # Modules that are not rewritten hold on to the others as they were.
        for module in rewrite.REPLACED:
            self.meet(module.__name__, module)

    def look(self, before=None):
        """Takes note of the modules that have come. `before` is what a run had changed when it began to import them."""
        modules = sys.modules
        if len(modules) == len(self.known):
            return
        for name, module in list(modules.items()):
            if self.known.get(name, MISSING) is not module:
                self.known[name] = module
                self.meet(name, module)
        for name in [name for name in self.known if name not in modules]:
            del self.known[name]
        self.reachable.accept(before or ())
        # The new modules may hold members that they have made of others' flags.
        self.members = [(table, len(table)) for table, _ in self.members]

    def meet(self, name, module):
        path = file_of(module)
        if path is None or self.is_own(os.path.realpath(path)):
            return
        if name == "re":
            self.compiler(module)
        namespace, kept = namespace_of(module), name.partition(".")[0] in KEPT
        self.take(namespace.get("__name__"), namespace, kept)
        if not kept and not is_standard(name):
            self.reachable.look_through(namespace)

    def meet_used(self, names):
        """The user's modules may bind names of the modules that they know by name."""
        for module in map(sys.modules.get, names):
            for value in list(namespace_of(module).values()) if type(module) is types.ModuleType else ():
                if type(value) is types.ModuleType and id(value) not in self.used:
                    self.used[id(value)] = value
                    name, path = namespace_of(value).get("__name__"), file_of(value)
                    if path is not None and not self.is_own(os.path.realpath(path)) and name not in OF_WORKER:
                        self.reachable.note(namespace_of(value))

    def compiler(self, expressions):
        """Compiling regular expressions does not count."""
        # Expressions, and templates of `sub` up to 3.11 and from 3.12 on.
        for name in ("_compile", "_compile_repl", "_compile_template"):
            original = getattr(expressions, name, None)
            if original is not None:
                wrapped = self.uncounted(original)
                if hasattr(original, "cache_clear"):
                    # `re.purge` calls it.
                    wrapped.cache_clear = original.cache_clear
                setattr(expressions, name, wrapped)

    def take(self, name, namespace, kept):
        """Takes note of what a module may keep; of one that stays as it is, only caches."""
        stored = set()
        for key, value in list(namespace.items()):
            if issubclass(type(value), type) and module_of(value) == name:
                members = members_of(value)
                if issubclass(type(value), enum.EnumMeta):
                    # Flags that were combined are members from then on.
                    self.members.append((members["_value2member_map_"], 0))
                for inner, member in list(members.items()):
                    self.part(name, inner, function_of(member), stored, kept)
            elif type(value) is not types.FunctionType or value.__module__ == name:
                self.part(name, key, value, stored, kept)
        if not kept:
            for variable in stored:
                self.globals.append((namespace, variable, namespace.get(variable, MISSING)))

    def part(self, module, name, value, stored, kept):
        """Of a module or class: adds the globals that it binds to `stored`."""
        kind = type(value)
        if kind is WRAPPER:
            self.clear.append(value.cache_clear)
            value = value.__wrapped__
            if type(value) is not types.FunctionType or value.__module__ != module:
                return
            kind = types.FunctionType
        if kept:
            return
        if kind is types.FunctionType:
            stores(value.__code__, stored)
        elif kind in TABLES:
            self.table(name, value)

    def table(self, name, table):
        """Those that are empty are there to be filled, and so are those that say it."""
        if not table or "cache" in name:
            self.tables.append((table, table.copy()))

    def reset(self, is_new):
        """Before a run. Of a process that has made none nothing but caches and what the file itself has done is put back."""
        self.look()
        for clear in self.clear:
            clear()
        for namespace, name, value in self.globals:
            if namespace.get(name, MISSING) is not value:
                if value is MISSING:
                    del namespace[name]
                else:
                    namespace[name] = value
        for table, length in self.members:
            while len(table) > length:
                # The latest is the last.
                table.popitem()
        for table, first in self.tables:
            if len(table) != len(first):
                table.clear()
                table.extend(first) if type(table) is list else table.update(first)
        if not is_new:
            self.reachable.reset()
        self.process.reset()
        self.loggers.reset()
        zones = sys.modules.get("zoneinfo")
        if zones is not None:
            zones.ZoneInfo.clear_cache()


# The descriptors themselves: an attribute of an object or a class may be anything.
_namespace = types.ModuleType.__dict__["__dict__"].__get__
_members = type.__dict__["__dict__"].__get__
_flags = type.__dict__["__flags__"].__get__


def namespace_of(module):
    return _namespace(module)


def file_of(module):
    """Where a module is from; None for what is none or has no file."""
    if not issubclass(type(module), types.ModuleType):
        return None
    path = _namespace(module).get("__file__")
    return path if type(path) is str and path else None


def members_of(kind):
    """What a class defines itself; some of code in C have nothing to show."""
    return _members(kind) or NOTHING


def module_of(kind):
    return members_of(kind).get("__module__")


def function_of(member):
    """The function of a member of a class."""
    kind = type(member)
    if issubclass(kind, (staticmethod, classmethod)):
        return object.__getattribute__(member, "__func__")
    if issubclass(kind, property):
        return object.__getattribute__(member, "fget") or member
    return member


def is_standard(name):
    return name.partition(".")[0] in sys.stdlib_module_names


class Reachable:
    """What can be reached from modules of installed packages and may be filled or bound anew: their names, tables, the
    attributes of functions, classes and objects, the cells of closures."""

    # Entries that are looked through before each run; looking takes a millisecond for some 50,000.
    MOST = 20_000

    def __init__(self):
        self.known = {}     # id: object, which is kept so that its identity stays its own
        self.places = []    # [table, class whose members they are, values when new, the same by key]
        self.cells = []     # [cell, its content when new]
        self.clear = []     # what empties a cache
        self.entries = 0

    def look_through(self, namespace):
        """Takes note of what there is below a module's namespace, nearest first."""
        todo = [(namespace, None)]
        for value, owner in todo:
            if self.entries > self.MOST:
                return
            if self.note(value, owner):
                todo.extend(self.below(value))

    def note(self, value, owner=None):
        """Whether it was not known."""
        # What a class defines is another object each time.
        own = value if owner is None else owner
        if id(own) in self.known:
            return False
        self.known[id(own)] = own
        if type(value) is types.CellType:
            self.entries += 1
            self.cells.append([value, contents(value)])
        elif type(value) not in FROZEN:
            self.entries += len(value) + 1
            self.places.append([value, owner, *copied(value)])
        return True

    def below(self, value):
        """What there is in it: (a table, a cell or something frozen, the class whose members it has)."""
        inside = [contents(value)] if type(value) is types.CellType else \
            list(value.values()) if type(value) in MAPPINGS else list(value)
        for one in inside:
            kind = type(one)
            if kind in MAPPINGS or kind in SEQUENCES or kind in FROZEN:
                yield one, None
            elif kind is WRAPPER:
                if id(one) not in self.known:
                    self.known[id(one)] = one
                    self.clear.append(one.cache_clear)
            elif issubclass(kind, type):
                if is_foreign(one):
                    yield members_of(one), one
            elif kind is types.FunctionType or issubclass(kind, (staticmethod, classmethod, property)):
                function = function_of(one)
                if type(function) is types.FunctionType and not function.__code__.co_filename.startswith(OWN):
                    for part in (*(function.__closure__ or ()), function.__dict__, function.__defaults__,
                                 function.__kwdefaults__):
                        if part is not None:
                            yield part, None
            elif is_foreign(kind) and not issubclass(kind, types.ModuleType):
                attributes = attributes_of(one)
                if attributes is not None:
                    yield attributes, None

    def changed(self):
        """The identities of the cells and tables that are not what they were."""
        return {id(cell) for cell, content in self.cells if contents(cell) is not content}.union(
            id(place) for place in self.places if not is_same(place[0], place[2]))

    def accept(self, but):
        """What an import during a run has changed stays: it is not executed again."""
        for cell in self.cells:
            if id(cell[0]) not in but:
                cell[1] = contents(cell[0])
        for place in self.places:
            if id(place) not in but and not is_same(place[0], place[2]):
                place[2:] = copied(place[0])

    def reset(self):
        for clear in self.clear:
            clear()
        for cell, content in self.cells:
            if contents(cell) is not content:
                if content is MISSING:
                    del cell.cell_contents
                else:
                    cell.cell_contents = content
        for table, owner, values, items in self.places:
            if is_same(table, values):
                continue
            if owner is not None:
                put_back_members(owner, items)
            elif items is not None and "__spec__" in items:
                put_back_names(table, items)
            else:
                table.clear()
                (table.update if type(table) is set else table.extend)(values) if items is None else table.update(items)


# Tables by what they hold; what has other methods for it is not looked into.
MAPPINGS = frozenset((dict, types.MappingProxyType, collections.OrderedDict, collections.defaultdict, collections.Counter))
SEQUENCES = frozenset((list, set, collections.deque))
FROZEN = frozenset((tuple, frozenset))


def copied(table):
    """The values of a table, and those by key where it has keys."""
    if type(table) in MAPPINGS:
        return [list(table.values()), dict(table)]
    return [list(table), None]


def is_same(table, values):
    """Whether a table holds the same objects, without comparing any."""
    return len(table) == len(values) and (type(table) is set or all(map(
        operator.is_, table.values() if type(table) in MAPPINGS else table, values)))


def is_foreign(kind):
    """Whether a class was made by an installed package, not by the worker or the standard library."""
    module = module_of(kind)
    if type(module) is str and module.partition(".")[0] == PACKAGE:
        return False
    return _flags(kind) & HEAP_TYPE != 0 and type(module) is str and not is_standard(module)


HEAP_TYPE = 1 << 9


def contents(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def attributes_of(value):
    """The attributes of an object where it keeps them in the ordinary way."""
    for kind in type(value).__mro__:
        descriptor = members_of(kind).get("__dict__")
        if type(descriptor) is types.GetSetDescriptorType:
            attributes = descriptor.__get__(value)
            return attributes if type(attributes) is dict else None
    return None


def put_back_members(kind, items):
    now = dict(members_of(kind))
    for name in now.keys() - items.keys():
        type.__delattr__(kind, name)
    for name, value in items.items():
        if now.get(name, MISSING) is not value:
            type.__setattr__(kind, name, value)


def put_back_names(namespace, items):
    for name, value in list(namespace.items()):
        # A module that was imported stays, and so does the name that it got in its package.
        if name not in items and not issubclass(type(value), types.ModuleType):
            del namespace[name]
    namespace.update(items)


class Process:
    """What a program may change of the process itself."""

    def __init__(self):
        self.environment = os.environ, dict(os.environ), dict(os.environ._data)
        self.directory = os.getcwd()
        self.umask = os.umask(0)
        os.umask(self.umask)
        self.locale = _locale.setlocale(_locale.LC_ALL)
        self.lists = None

    def reset(self):
        if self.lists is None:
            # What the file itself and the modules that it needs put there when it was imported: those stay.
            self.lists = [(found, found[:]) for found in (sys.path, sys.argv, warnings.filters)]
            self.hooks = {name: getattr(sys, name) for name in ("path", "argv", "displayhook", "excepthook", "unraisablehook")}
            self.hooks_of_warnings = {name: getattr(warnings, name) for name in ("filters", "showwarning", "formatwarning")}
        os.environ, first, raw = self.environment
        if os.environ._data != raw:
            os.environ.clear()
            os.environ.update(first)
            time.tzset()
        try:
            os.chdir(self.directory)
        except OSError:
            # It is no longer there, for the next process neither.
            pass
        os.umask(self.umask)
        if _locale.setlocale(_locale.LC_ALL) != self.locale:
            _locale.setlocale(_locale.LC_ALL, self.locale)
        for found, first in self.lists:
            if not is_same(found, first):
                found[:] = first
        sys.__dict__.update(self.hooks)
        warnings.__dict__.update(self.hooks_of_warnings)


class Loggers:
    """Loggers live as long as the process, and remember which levels are enabled.

    Those that are called after a library module keep what that module gave
    them. The others are the user's, whose modules are executed again and make
    them again.
    """

    def __init__(self, is_own):
        self.is_own = is_own
        self.given = {}      # logger of a library: what it had when it was new
        self.libraries = {}  # first part of a name: whether that is a library

    def reset(self):
        logging = sys.modules.get("logging")
        if logging is None:
            return
        known = logging.Logger.manager.loggerDict
        for name in [name for name in known if not self.is_library(name)]:
            del known[name]
        for logger in known.values():
            if isinstance(logger, logging.Logger):
                self.give(logger, self.given.setdefault(logger, (
                    logger.handlers[:], logger.filters[:], logger.level, logger.propagate, logger.disabled)))
        self.give(logging.root, ([], [], logging.WARNING, True, False))
        logging.disable(logging.NOTSET)

    @staticmethod
    def give(logger, had):
        logger.handlers[:], logger.filters[:] = had[:2]
        logger.level, logger.propagate, logger.disabled = had[2:]
        logger._cache.clear()

    def is_library(self, name):
        name = name.partition(".")[0]
        known = self.libraries.get(name)
        if known is None:
            module = sys.modules.get(name)
            path = file_of(module)
            known = module is not None and not (path and self.is_own(os.path.realpath(path)))
            self.libraries[name] = known
        return known


def stores(code, found):
    """Adds the globals that a function binds."""
    # Every other byte is an operator; caches between them read as zeros.
    operators = code.co_code[::2]
    if STORES[0] in operators or STORES[1] in operators:
        for instruction in dis.get_instructions(code):
            if instruction.opcode in STORES:
                found.add(instruction.argval)
    for constant in code.co_consts:
        if type(constant) is types.CodeType:
            stores(constant, found)
