"""Finds, compiles and executes the user's modules, again for each run.

What comes from the user's own files (those below the directory, or the package's
root, of the file that was given) is executed from its compiled code at the
start of every run, so that no run sees what another one left in a global.
Library modules stay.
"""

import enum
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import os
import sys
import sysconfig
import types

from . import hints
from .caches import module_of

LIBRARY_PARTS = ("site-packages", "dist-packages")


class Refused(Exception):
    """A message for the user: nothing can be run."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


def is_below(path, root):
    return path == root or path.startswith(root + os.sep)


def library_roots():
    """Where the interpreter's own modules and installed ones are."""
    paths = sysconfig.get_paths()
    return {os.path.realpath(paths[key]) for key in ("stdlib", "platstdlib", "purelib", "platlib")}


class Subject:
    """The file that was given."""

    def __init__(self, path, compile_source=None):
        self.path = os.path.realpath(path)
        self.compile_source = compile_source or plain_code
        directory = os.path.dirname(self.path)
        parts = [os.path.splitext(os.path.basename(self.path))[0]]
        root = directory
        while os.path.exists(os.path.join(root, "__init__.py")) and os.path.basename(root).isidentifier():
            parts.insert(0, os.path.basename(root))
            root = os.path.dirname(root)
        if parts[-1] == "__init__" and len(parts) > 1:
            parts.pop()
        self.root = root
        self.name = ".".join(parts)
        # A file of the library itself: the modules beside it are no user's.
        self.libraries = library_roots()
        self.is_library = any(is_below(self.path, library) for library in self.libraries)
        taken = self.name in sys.modules or parts[0] in sys.stdlib_module_names
        if not all(part.isidentifier() for part in parts) or taken and not self.is_library:
            # It can be imported by path all the same.
            self.name = "pessimum_subject_" + "".join(c if c.isalnum() else "_" for c in parts[-1])
            self.package = ""
        else:
            self.package = self.name.rpartition(".")[0]
        self.codes = {}    # real path: compiled code
        self.order = []    # real paths in the order in which they were met
        self.specs = {}    # names of the user's modules: (path, is package, search locations)
        self.on_code = None
        self.module = None

    def is_own(self, path):
        """Whether a file is the user's."""
        if path == self.path:
            return True
        if self.is_library or not is_below(path, self.root):
            return False
        if any(part in LIBRARY_PARTS for part in path.split(os.sep)):
            return False
        # A virtual environment may lie beside the user's files.
        return not any(is_below(path, library) for library in self.libraries)

    def owns(self, filename):
        """Whether code with this name is the user's. Code without a file, ours
        among it, is in no directory."""
        return not filename.startswith("<") and self.is_own(os.path.realpath(filename))

    def shorten(self, filename):
        """The name of a file in messages and keys: below the root, from there on."""
        if filename.startswith("<"):
            return filename
        path = os.path.realpath(filename)
        if is_below(path, self.root) and path != self.root:
            return path[len(self.root.rstrip(os.sep)) + 1:]
        return path

    def code(self, path):
        found = self.codes.get(path)
        if found is None:
            with open(path, "rb") as file:
                source = file.read()
            found = self.codes[path] = self.compile_source(source, path)
            self.order.append(path)
            if self.on_code is not None:
                self.on_code(found, path)
        return found

    def install(self):
        if not self.is_library and self.root not in sys.path:
            sys.path.insert(0, self.root)
        sys.meta_path.insert(0, Finder(self))

    def execute(self):
        """Executes the user's modules anew; returns the one that was given."""
        for name in self.specs:
            sys.modules.pop(name, None)
        if self.package:
            # Its packages first, as an import would.
            importlib.import_module(self.package)
        spec = importlib.util.spec_from_file_location(
            self.name, self.path, loader=Loader(self, self.name, self.path),
            submodule_search_locations=[os.path.dirname(self.path)]
            if os.path.basename(self.path) == "__init__.py" else None)
        module = importlib.util.module_from_spec(spec)
        if not (self.is_library and self.name in sys.modules):
            self.specs.setdefault(self.name, None)
            sys.modules[self.name] = module
        spec.loader.exec_module(module)
        # A module may replace itself.
        self.module = sys.modules.get(self.name, module) if not self.is_library else module
        return self.module

    def function(self, name):
        """What the file, or another module by its full name, knows by a name."""
        parts = name.split(".")
        found = self.module
        if len(parts) > 1 and not hasattr(found, parts[0]):
            last = max((at for at in range(len(parts)) if ".".join(parts[:at]) in sys.modules), default=0)
            if last:
                found = sys.modules[".".join(parts[:last])]
                del parts[:last]
        for part in parts:
            found = getattr(found, part)
        return found


class Finder(importlib.abc.MetaPathFinder):
    """Finds the user's modules, so that our loader executes them."""

    def __init__(self, subject):
        self.subject = subject

    def find_spec(self, fullname, path=None, target=None):
        subject = self.subject
        known = subject.specs.get(fullname)
        if known is None:
            spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
            if spec is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
                return None
            origin = os.path.realpath(spec.origin)
            if not subject.is_own(origin):
                return None
            known = subject.specs[fullname] = (origin, spec.submodule_search_locations)
        origin, locations = known
        return importlib.util.spec_from_file_location(
            fullname, origin, loader=Loader(subject, fullname, origin),
            submodule_search_locations=list(locations) if locations is not None else None)


class Loader(importlib.machinery.SourceFileLoader):
    """Executes the code that was compiled once."""

    def __init__(self, subject, fullname, path):
        super().__init__(fullname, path)
        self.subject = subject

    def get_code(self, fullname):
        return self.subject.code(self.path)


def plain_code(source, path):
    return compile(source, path, "exec", dont_inherit=True)


def unwrapped(function):
    """What decorators have made this of, without asking the object: it may have code of its own for names it does not have."""
    seen = set()
    while callable(function) and id(function) not in seen:
        seen.add(id(function))
        inner = inspect.getattr_static(function, "__wrapped__", None)
        if inner is None or isinstance(inner, (property, types.MemberDescriptorType, types.GetSetDescriptorType)):
            break
        function = inner
    return function


def code_of(function):
    """The code of a function or a method; None for anything else."""
    if type(function) is types.MethodType:
        function = function.__func__
    return function.__code__ if type(function) is types.FunctionType else None


def lazy(function):
    """What a function is that executes nothing when it is called; None for others.
    What a decorator has made of one may do so, but not a context manager."""
    code = code_of(function)
    if code is not None and code.co_filename.endswith("contextlib.py"):
        code = code_of(unwrapped(function))
    flags = getattr(code, "co_flags", 0)
    if flags & inspect.CO_ASYNC_GENERATOR:
        return "an asynchronous generator"
    if flags & inspect.CO_COROUTINE:
        return "a coroutine"
    return "a generator" if flags & inspect.CO_GENERATOR else None


def lazy_functions(subject):
    """{name: what it is} of the module's functions that cannot be searched as they are."""
    found = {}
    for name, value in vars(subject.module).items():
        what = lazy(value) if type(value) is types.FunctionType else None
        code = code_of(unwrapped(value)) if what is not None else None
        if code is not None and os.path.realpath(code.co_filename) == subject.path:
            found[name] = what
    return found


def functions(subject):
    """The functions that can be called, in the order of the file: (line, name, function, the class of a method)."""
    found = []

    def add(name, value, owner=None):
        plain = unwrapped(value)
        code = code_of(plain)
        if code is not None and lazy(value) is None and os.path.realpath(code.co_filename) == subject.path \
                and plain.__name__ != "<lambda>":
            found.append((code.co_firstlineno, name, plain, owner))

    def add_class(name, kind):
        made = hints.is_made(kind) or kind.__init__ is object.__init__
        for inner in dir(kind):
            method = inspect.getattr_static(kind, inner)
            if isinstance(method, (staticmethod, classmethod)):
                if not inner.startswith("__"):
                    add(f"{name}.{inner}", getattr(kind, inner))
            elif made and not issubclass(kind, enum.Enum) and not inspect.isabstract(kind) \
                    and not isinstance(method, (type, property)) and (inner == "__call__" or not inner.startswith("_")):
                add(f"{name}.{inner}", method, kind)

    for name, value in vars(subject.module).items():
        if not issubclass(type(value), type):
            add(name, value)
        elif module_of(value) == subject.name and name == type.__dict__["__name__"].__get__(value):
            try:
                add_class(name, value)
            except Exception:
                # Its own class does not let it be looked at.
                pass
    found.sort(key=lambda entry: entry[:2])
    return found
