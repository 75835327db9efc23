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

Some keep things where no rule finds them: loggers remember what is enabled and
have handlers, combinations of flags are made when they are first needed,
`typing` has caches in closures.
"""

import dis
import enum
import functools
import linecache
import os
import sys
import types
import typing
import warnings
import weakref

from . import rewrite

WRAPPER = type(functools.lru_cache(lambda: None))
STORES = tuple(dis.opmap[name] for name in ("STORE_GLOBAL", "DELETE_GLOBAL"))
TABLES = (dict, list, set)
MISSING = object()

# Modules that are not rewritten, and yet nothing that the worker stands on.
PUT_BACK = frozenset(rewrite.IN_PLACE) | {
    "asyncio", "concurrent", "inspect", "linecache", "locale", "multiprocessing"}

# What the worker itself stands on stays as it is, but for caches of functools, which nothing else depends on.
KEPT = (rewrite.KEPT - PUT_BACK) | {
    "_pessimum", "pessimum", "re", "sre_compile", "sre_parse", "functools", "random", "copyreg", "reprlib",
    "resource", "sys", "builtins", "gc", "time", "atexit", "errno", "fcntl", "json", "struct"}


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

    def look(self):
        """Takes note of the modules that have come."""
        modules = sys.modules
        if len(modules) == len(self.known):
            return
        for name, module in list(modules.items()):
            if self.known.get(name, MISSING) is not module:
                self.known[name] = module
                self.meet(name, module)
        for name in [name for name in self.known if name not in modules]:
            del self.known[name]
        # The new modules may hold members that they have made of others' flags.
        self.members = [(table, len(table)) for table, _ in self.members]

    def meet(self, name, module):
        path = getattr(module, "__file__", None)
        if type(module) is not types.ModuleType or not path or self.is_own(os.path.realpath(path)):
            return
        if name == "re":
            self.compiler(module)
        self.take(module.__name__, vars(module), name.partition(".")[0] in KEPT)

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
            if isinstance(value, type) and value.__module__ == name:
                if isinstance(value, enum.EnumMeta):
                    # Flags that were combined are members from then on.
                    self.members.append((value._value2member_map_, 0))
                for inner, member in list(vars(value).items()):
                    member = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
                    self.part(name, inner, member, stored, kept)
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

    def reset(self):
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
        self.loggers.reset()
        zones = sys.modules.get("zoneinfo")
        if zones is not None:
            zones.ZoneInfo.clear_cache()


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
            path = getattr(module, "__file__", None)
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
