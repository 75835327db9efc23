"""The version in Python of standard modules that have one in C as well.

Only Python code has lines and branches that can be followed; `heapq`, `bisect`, `decimal` and others replace their functions
by those of a C module when they are imported, which is undone here for a copy of the module. The copy is made once and kept
among the library modules.
"""

import importlib
import sys


def pure(name, *accelerators):
    """The module `name`, imported as if these C modules did not exist."""
    kept = f"{name} without {', '.join(accelerators)}"
    if kept not in sys.modules:
        missing = object()
        hidden = {module: sys.modules.get(module, missing) for module in (name, *accelerators)}
        sys.modules.pop(name, None)
        for accelerator in accelerators:
            sys.modules[accelerator] = None
        try:
            copy = importlib.import_module(name)
        finally:
            for module, before in hidden.items():
                if before is missing:
                    sys.modules.pop(module, None)
                else:
                    sys.modules[module] = before
        sys.modules[kept] = copy
    return sys.modules[kept]
