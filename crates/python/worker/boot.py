"""The first code of a worker, given to the interpreter with -c: takes the other
files from standard input and makes a package of them in memory."""
import os as _os
import struct as _struct
import sys as _sys


def _boot():
    def exactly(count):
        data = b""
        while len(data) < count:
            piece = _os.read(0, count - len(data))
            if not piece:
                _os._exit(0)
            data += piece
        return data

    if _sys.version_info < (3, 10):
        # Said before anything is read that an old interpreter may not understand.
        text = ("old %d.%d.%d" % _sys.version_info[:3]).encode()
        _os.write(1, _struct.pack("<IB", len(text), ord("v")) + text)
        _os._exit(0)
    # A module in the current directory must not take the place of the interpreter's own.
    _sys.path.sort(key=lambda place: not place)
    import importlib.abc
    import importlib.machinery
    sources = {}
    for _ in range(_struct.unpack("<I", exactly(4))[0]):
        name, length = _struct.unpack("<II", exactly(8))
        name = exactly(name).decode()
        sources[name] = exactly(length)

    class Finder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
        def find_spec(self, fullname, path=None, target=None):
            if fullname == "_pessimum" or fullname.startswith("_pessimum.") and fullname[10:] in sources:
                return importlib.machinery.ModuleSpec(fullname, self, is_package=fullname == "_pessimum")
            return None

        def get_source(self, fullname):
            return sources[fullname[10:] or "__init__"].decode()

        def get_code(self, fullname):
            # The name tells the worker's own code from the program's.
            name = fullname[10:] or "__init__"
            return compile(sources[name], "<pessimum>/%s.py" % name, "exec", dont_inherit=True)

        def is_package(self, fullname):
            return fullname == "_pessimum"

    _sys.meta_path.insert(0, Finder())
    del _sys.argv[1:]
    import _pessimum.main
    _pessimum.main.main()


_boot()
