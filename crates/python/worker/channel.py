"""The pipes of the worker, and where the program's own output goes."""

import fcntl
import json
import os
import struct
import sys
# Programs may put others in their places.
from os import getpid, read, write

# Bytes of what a program printed that are kept.
PRINTED = 1 << 16

# Out of the way of programs that count on the next free number.
HIGH = 200


def out_of_the_way(descriptor):
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, HIGH)


def pipe():
    """Both ends of a new pipe."""
    low = os.pipe()
    high = [out_of_the_way(end) for end in low]
    for end in low:
        os.close(end)
    return high


class Channel:
    """Frames over two descriptors; `closed` is called when the other side is gone."""

    def __init__(self, input, output, closed=None):
        self.input = input
        self.output = output
        self.closed = closed or leave
        self.pid = getpid()

    def receive(self):
        head = self.exactly(5)
        length, kind = struct.unpack("<IB", head)
        return chr(kind), self.exactly(length)

    def exactly(self, count):
        pieces = []
        while count:
            piece = read(self.input, min(count, 1 << 20))
            if not piece:
                self.closed()
            pieces.append(piece)
            count -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def send(self, kind, *parts):
        if getpid() != self.pid:
            # A process that the program forked.
            leave()
        data = b"".join((struct.pack("<IB", sum(map(len, parts)), ord(kind)), *parts))
        view = memoryview(data)
        try:
            while view:
                view = view[write(self.output, view):]
        except OSError:
            self.closed()

    def send_json(self, kind, value):
        self.send(kind, json.dumps(value).encode("utf-8", "surrogatepass"))


# The guard replaces it for programs.
leave_now = os._exit


def leave():
    """Nobody listens any more."""
    leave_now(0)


class Outputs:
    """Where descriptors 1 and 2 of the program go: nowhere, or to a file of which
    the end is shown."""

    def __init__(self):
        self.nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        high = out_of_the_way(self.nowhere)
        os.close(self.nowhere)
        self.nowhere = high
        self.kept = None
        self.point_away()
        os.dup2(self.nowhere, 0)
        self.streams = (sys.stdin, sys.stdout, sys.stderr)

    def point_away(self):
        os.dup2(self.nowhere, 1)
        os.dup2(self.nowhere, 2)

    def reset(self, keep=False):
        """Before a run: whatever the last one did to them."""
        for number in (0, 1, 2):
            os.dup2(self.nowhere, number)
        sys.stdin, sys.stdout, sys.stderr = self.streams
        if sys.stdout.closed or sys.stderr.closed or sys.stdin.closed:
            # One that closes quietly: its descriptor is put back by `dup2`.
            self.streams = (open(0, closefd=False), open(1, "w", closefd=False), open(2, "w", closefd=False))
            sys.stdin, sys.stdout, sys.stderr = self.streams
            sys.__stdin__, sys.__stdout__, sys.__stderr__ = self.streams
        if keep:
            import tempfile
            self.kept = tempfile.TemporaryFile()
            os.dup2(self.kept.fileno(), 1)
            os.dup2(self.kept.fileno(), 2)

    def printed(self):
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        if self.kept is None:
            return ""
        size = self.kept.seek(0, 2)
        self.kept.seek(max(0, size - PRINTED))
        text = self.kept.read().decode("utf-8", "replace")
        self.kept.close()
        self.kept = None
        self.point_away()
        return text
