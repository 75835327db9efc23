"""What a program must not do to its worker: leave, multiply, close the doors.

Each function here replaces one of the standard library's. Outside of a run (while
the file is imported) the originals do their work.
"""

import _posixsubprocess
import _thread
import builtins
import codecs
import encodings
import importlib
import os
import signal
import sys

from .channel import getpid


# How a message ends that refuses what a program does.
INSTEAD = "can be counted, so put a stand-in in its place"


def named(arguments):
    """The program that arguments of a call in `os` start, for messages."""
    words = arguments[0] if arguments else None
    while isinstance(words, (list, tuple)) and words:
        words = words[0]
    if isinstance(words, bytes):
        words = os.fsdecode(words)
    if not isinstance(words, str) or not words:
        return ""
    return f" (`{words if len(words) <= 40 else words[:40] + '...'}`)"


class Guard:
    """Installed once. `end(name, code, why)` tells how the run ended and raises
    Stop; `running()` says whether there is one."""

    def __init__(self, end, running):
        self.end = end
        self.running = running
        self.recursion = sys.getrecursionlimit()
        self.first_recursion = self.recursion
        self.signals_touched = False
        self.pid = os.getpid()
        # Called before an import during a run that may bring new modules, and after each with what that gave.
        self.importing = lambda: None
        self.imported = lambda before: None

    def install(self, tracer_of):
        running, end = self.running, self.end

        def start_thread(*_arguments, **_keywords):
            end("unsupported", 0, f"the program starts a thread; only one {INSTEAD}")

        def refuse_thread(original):
            def start(*arguments, **keywords):
                if running():
                    start_thread()
                raise RuntimeError("the file starts a thread when it is imported")
            return start

        import threading
        for module, name in ((_thread, "start_new_thread"), (_thread, "start_new"),
                             (_thread, "start_joinable_thread"), (threading, "_start_new_thread"),
                             (threading, "_start_joinable_thread")):
            if hasattr(module, name):
                setattr(module, name, refuse_thread(getattr(module, name)))

        def replace(module, name, instead):
            original = getattr(module, name, None)
            if original is None:
                return

            def guarded(*arguments, **keywords):
                if running() and getpid() == self.pid:
                    return instead(original, *arguments, **keywords)
                return original(*arguments, **keywords)
            guarded.__name__ = guarded.__qualname__ = name
            setattr(module, name, guarded)

        def exit_now(_original, status=0):
            end("exited", int(status) & 0xFF, f"os._exit({status})")

        def abort(_original):
            end("exited", 128 + signal.SIGABRT, "os.abort()")

        def fork(_original):
            end("unsupported", 0, f"the program forks; only one process {INSTEAD}")

        def other_program(_original, *arguments, **_keywords):
            end("unsupported", 0, f"the program starts another one{named(arguments)}; only one process {INSTEAD}")

        def kill(original, target, number):
            if target == self.pid:
                deadly(number)
            return original(target, number)

        def raise_signal(original, number):
            deadly(number)
            return original(number)

        def deadly(number):
            """Ends the run if the signal would end the process."""
            number = int(number)
            harmless = {0, signal.SIGCHLD, signal.SIGURG, signal.SIGCONT, signal.SIGWINCH}
            caught = number not in (signal.SIGKILL, signal.SIGSTOP) and \
                signal.getsignal(number) not in (signal.SIG_DFL, None)
            if number not in harmless and not caught:
                end("exited", 128 + number, f"signal {number}")

        replace(os, "_exit", exit_now)
        replace(os, "abort", abort)
        replace(os, "fork", fork)
        replace(os, "forkpty", fork)
        for name in ("system", "posix_spawn", "posix_spawnp", "execv", "execve"):
            replace(os, name, other_program)
        # What `subprocess` and `multiprocessing` end at.
        replace(_posixsubprocess, "fork_exec", other_program)
        subprocess = sys.modules.get("subprocess")
        if hasattr(subprocess, "_fork_exec"):
            subprocess._fork_exec = _posixsubprocess.fork_exec
        replace(os, "kill", kill)
        replace(signal, "raise_signal", raise_signal)

        def touches_signals(original, *arguments, **keywords):
            self.signals_touched = True
            return original(*arguments, **keywords)

        for name in ("signal", "alarm", "setitimer", "pthread_sigmask", "set_wakeup_fd"):
            replace(signal, name, touches_signals)

        # The real limit is out of the way: how deep the stack is depends on our
        # frames too. The tracer counts those of the program.
        set_real = sys.setrecursionlimit

        def set_limit(limit):
            if not isinstance(limit, int):
                return set_real(limit)
            if limit < 1:
                raise ValueError("recursion limit must be greater or equal than 1")
            self.recursion = limit

        set_real(1_000_000)
        sys.setrecursionlimit = set_limit
        sys.getrecursionlimit = lambda: self.recursion

        def set_trace(original, function):
            if function is not None:
                end("unsupported", 0, "the program sets a trace function, which is how its lines are counted")

        replace(sys, "settrace", set_trace)
        importing = 0

        def uncounted(original):
            """An import: what it executes depends on the runs before."""
            def guarded(*arguments, **keywords):
                nonlocal importing
                tracer = tracer_of()
                # An import within an import is part of it.
                if importing or tracer is None or not tracer.started or not running():
                    return original(*arguments, **keywords)
                tracer.pause()
                importing += 1
                # The name of a module, in full; what is loaded already changes nothing.
                before = self.importing() if arguments[0] not in sys.modules else None
                try:
                    return original(*arguments, **keywords)
                finally:
                    self.imported(before)
                    importing -= 1
                    if running() and tracer.started:
                        tracer.resume()
            return guarded

        self.uncounted = uncounted

        builtins.__import__ = uncounted(builtins.__import__)
        importlib.import_module = uncounted(importlib.import_module)
        # The interpreter looks for a codec once, by importing it.
        codecs.unregister(encodings.search_function)
        codecs.register(uncounted(encodings.search_function))

    def reset(self):
        """After a run: what it changed in the process."""
        self.recursion = self.first_recursion
        if self.signals_touched:
            self.signals_touched = False
            signal.alarm(0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number in signal.valid_signals():
                try:
                    first = signal.default_int_handler if number == signal.SIGINT else \
                        signal.SIG_IGN if number in (signal.SIGPIPE, getattr(signal, "SIGXFSZ", None)) else signal.SIG_DFL
                    if signal.getsignal(number) is not first:
                        signal.signal(number, first)
                except (OSError, ValueError, TypeError):
                    pass
