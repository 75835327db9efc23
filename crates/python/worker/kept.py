"""Rewritten library modules are kept from one process to the next, as Python keeps
compiled ones: rewriting what `asyncio`, `email` and `unittest` import takes a
second and more.

What is kept is code that will be executed, so it is only read from a directory
that is the user's own and that nobody else can write to. A file holds who made
it, of which source, and the code; what does not fit is made again and replaced.
"""

import importlib.util
import marshal
import os
import sys


class Kept:
    def __init__(self, directory, maker):
        """`maker` is the source of what makes the code; no directory keeps nothing."""
        self.directory = directory if directory and is_private(directory) else None
        self.made_by = importlib.util.source_hash(maker.encode()) + importlib.util.MAGIC_NUMBER

    def code(self, path, make):
        """The code of a source file, from `make()` unless it was made before."""
        try:
            state = os.stat(path)
        except OSError:
            return make()
        if self.directory is None:
            return make()
        of = b"%s\0%d %d\0" % (os.fsencode(path), state.st_mtime_ns, state.st_size)
        head = self.made_by + of
        name = f"{importlib.util.source_hash(os.fsencode(path)).hex()}.{sys.implementation.cache_tag}"
        place = os.path.join(self.directory, name)
        try:
            with open(place, "rb") as file:
                kept = file.read()
            if kept.startswith(head):
                return marshal.loads(memoryview(kept)[len(head):])
        except (OSError, EOFError, ValueError, TypeError):
            pass
        made = make()
        new = f"{place}.{os.getpid()}"
        try:
            with open(new, "wb") as file:
                file.write(head + marshal.dumps(made))
            os.replace(new, place)
        except OSError:
            # A full disk, say: the next process makes it again.
            pass
        return made


def is_private(directory):
    """Whether a directory is there, or could be made, that only its owner writes to."""
    try:
        os.makedirs(directory, 0o700, exist_ok=True)
        state = os.stat(directory)
    except OSError:
        return False
    return state.st_uid == os.getuid() and not state.st_mode & 0o022
