"""Counts what a run costs: lines, calls, depth, and byte codes where they are wanted.

There are two ways to be told of lines: `sys.settrace` up to 3.11 and
`sys.monitoring` from 3.12. Both count the same things: every line event of
Python code that the call executes, library code included and the worker's own
never; a call for every frame that is entered for the first time.

The counters are variables of closures, because a callback runs for every line:
an attribute would take three times as long to increase.
"""

import dis
import sys
# The program gets another one (guard.py).
from sys import settrace
# And may put another one in its place.
from time import perf_counter

# File names of the worker's own code begin so; main.py gives them.
OWN = "<pessimum>"

# Seconds between two signs of life.
SIGN_OF_LIFE = 0.05

GENERATORS = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR

FOREVER = sys.maxsize


# What abstract classes ask themselves about others.
ABSTRACT = frozenset(("__instancecheck__", "__subclasscheck__", "__subclasshook__", "_check_methods"))


class Stop(BaseException):
    """Unwinds a run that has ended for us. Its end was sent before."""


def is_own(code):
    name = code.co_filename
    # The import system is on the way of `import` inside functions, and abstract
    # classes keep what is an instance of them: whether there is something to do
    # depends on the runs before.
    return name.startswith((OWN, "<frozen importlib")) or \
        code.co_name in ABSTRACT and name.endswith(("abc.py", "abc>"))


def line_table(code):
    """The line of each offset."""
    table = {}
    for start, end, line in code.co_lines():
        for offset in range(start, end, 2):
            table[offset] = line
    return table


def first_resume(code):
    """The offset at which a generator's frame is entered the first time."""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "RESUME":
            return instruction.offset
    return -1


class Limits:
    """What a run may use, and whom to tell when it has used it."""

    __slots__ = ("lines", "depth", "exceeded", "alive")

    def __init__(self):
        self.lines = FOREVER
        self.depth = FOREVER
        self.exceeded = None  # called with "lines" or "depth"; raises Stop
        self.alive = None     # called now and then; may raise Stop


class Tracer:
    """The interface of both ways, and what they share.

    start(limits), stop()    around the call
    zero()                   before a run: nothing has been counted, and no line was hit
    pause(), resume()        around what does not count (imports)
    read()                   (lines, calls, depth, hits of one line) so far
    snapshot()               the same after the number of the call that is running: the first is 0
    line_hits()              [(code, {line: hits})]
    opcodes()                (byte codes, {code: {(offset, next): hits}})
    """

    def __init__(self):
        self.started = False
        # Between pause and resume.
        self.paused = False
        # By the identity of the code object: its lines' hits, or None for our
        # own code. Hashing a code object hashes everything in it. The object is
        # kept beside it, so that the identity stays its own.
        self.hits = {}
        self.codes = {}

    def know(self, code):
        """The hits of a code object that was not met before."""
        if len(self.hits) > 50_000:
            # A program that makes code all the time.
            self.forget()
        hits = None if is_own(code) else {}
        self.hits[id(code)] = hits
        self.codes[id(code)] = code
        return hits

    def forget(self):
        self.hits.clear()
        self.codes.clear()

    def clear(self):
        for hits in self.hits.values():
            if hits:
                hits.clear()

    def line_hits(self):
        return [(self.codes[key], hits) for key, hits in self.hits.items() if hits]


def settrace_tracer(opcodes, profiler):
    """With sys.settrace, up to 3.11."""
    self = Tracer()
    known, know = self.hits, self.know
    local_functions = {}
    stack = []
    lines = calls = deepest = most = next_look = codes = 0
    line_limit = depth_limit = FOREVER
    limits = None
    step = 1000
    looked = 0.0
    jumps = {}
    jumps_of = {}
    pending = {}

    def look():
        """At the limit, or time for a sign of life."""
        nonlocal lines, next_look, step, looked
        if lines > line_limit:
            lines = line_limit
            limits.exceeded("lines")
        now = perf_counter()
        if now - looked >= SIGN_OF_LIFE:
            # A run that is limited to what is told now ends in this very place.
            lines -= 1
            limits.alive()
            lines += 1
            now = perf_counter()
            looked = now
            step = max(step // 2, 100)
        else:
            step = min(step * 2, 100_000)
        next_look = min(lines + step, line_limit)

    def make_local(code):
        hits = known[id(code)]

        def local(frame, event, _):
            nonlocal lines, most
            if event == "line":
                lines += 1
                if lines > next_look:
                    look()
                line = frame.f_lineno
                count = hits[line] = hits.get(line, 0) + 1
                if count > most:
                    most = count
            elif event == "return" and stack:
                stack.pop()

        def local_opcodes(frame, event, _):
            nonlocal codes
            if event == "opcode":
                codes += 1
                offset = frame.f_lasti
                jumped = pending.pop(id(frame), None)
                if jumped is not None:
                    key = (jumped, offset)
                    taken[key] = taken.get(key, 0) + 1
                if offset in conditional:
                    pending[id(frame)] = offset
            else:
                if event == "return":
                    pending.pop(id(frame), None)
                local(frame, event, _)

        def local_profiled(frame, event, _):
            local(frame, event, _)
            if event == "line":
                profiler.line(frame.f_lineno)
            elif event == "return":
                profiler.leave()

        if profiler is not None:
            return local_profiled
        if not opcodes:
            return local
        conditional = {i.offset for i in dis.get_instructions(code) if is_conditional(i.opname)}
        taken = jumps.setdefault(id(code), {})
        return local_opcodes

    def on_call(frame, _event, _arg):
        nonlocal calls, deepest
        code = frame.f_code
        key = id(code)
        local = local_functions.get(key)
        if local is None:
            if key not in known:
                know(code)
            if known[key] is None:
                local = False
            else:
                entry = first_resume(code) if code.co_flags & GENERATORS else None
                local = (make_local(code), entry)
            local_functions[key] = local
        if local is False:
            return None
        function, entry = local
        # A generator that goes on is no new call.
        is_new = entry is None or frame.f_lasti <= entry
        if is_new:
            calls += 1
        stack.append(calls)
        if profiler is not None:
            profiler.enter(code, is_new)
        if len(stack) > deepest:
            if len(stack) > depth_limit:
                limits.exceeded("depth")
            deepest = len(stack)
        if opcodes:
            frame.f_trace_opcodes = True
        return function

    def start(within):
        nonlocal limits, lines, calls, deepest, most, codes, line_limit, depth_limit, next_look, step, looked
        pending.clear()
        stack.clear()
        limits, line_limit, depth_limit = within, within.lines, within.depth
        lines = calls = deepest = most = codes = 0
        step, looked = 1000, perf_counter()
        next_look = min(step, line_limit)
        self.started = True
        resume()

    def pause():
        self.paused = True
        settrace(None)

    def resume():
        self.paused = False
        settrace(on_call)

    def zero():
        nonlocal lines, calls, deepest, most, codes
        lines = calls = deepest = most = codes = 0
        stack.clear()
        self.clear()
        for taken in jumps.values():
            taken.clear()

    def stop():
        self.started = False
        settrace(None)

    def forget():
        known.clear()
        self.codes.clear()
        local_functions.clear()
        jumps.clear()

    self.forget = forget
    self.start = start
    self.zero = zero
    self.stop = stop
    self.pause = pause
    self.resume = resume
    self.read = lambda: (lines, calls, deepest, most)
    self.snapshot = lambda: (stack[-1] - 1 if stack else 0, lines, calls, deepest, most)
    self.opcodes = lambda: (codes, [(self.codes[key], taken) for key, taken in jumps.items() if taken])
    return self


def monitoring_tracer(opcodes, profiler):
    """With sys.monitoring, from 3.12."""
    self = Tracer()
    known, know = self.hits, self.know
    monitoring = sys.monitoring
    events, DISABLE = monitoring.events, monitoring.DISABLE
    tool = 4
    if monitoring.get_tool(tool) is None:
        monitoring.use_tool_id(tool, "pessimum")
    stack = []
    # The line that each frame of the stack had last, and one below all.
    last = [0]
    get = known.get
    lines = calls = deepest = most = next_look = codes = 0
    line_limit = depth_limit = FOREVER
    limits = None
    step = 1000
    looked = 0.0
    jumps = {}
    line_tables = {}

    def look():
        nonlocal lines, next_look, step, looked
        if lines > line_limit:
            lines = line_limit
            limits.exceeded("lines")
        now = perf_counter()
        if now - looked >= SIGN_OF_LIFE:
            # A run that is limited to what is told now ends in this very place.
            lines -= 1
            limits.alive()
            lines += 1
            now = perf_counter()
            looked = now
            step = max(step // 2, 100)
        else:
            step = min(step * 2, 100_000)
        next_look = min(lines + step, line_limit)

    def on_line(code, line):
        nonlocal lines, most
        hits = get(id(code))
        if hits is None:
            hits = know(code)
            if hits is None:
                return DISABLE
        # 3.12 tells of a line again where a jump leads behind a call in its
        # middle, once the call is warm; other versions do not.
        if last[-1] == line:
            return
        last[-1] = line
        lines += 1
        if lines > next_look:
            look()
        try:
            count = hits[line] + 1
        except KeyError:
            count = 1
        hits[line] = count
        if count > most:
            most = count

    def on_jump(code, offset, target):
        # A loop on one line is a line event for each round with settrace, and so
        # it is here: what has one line costs what it costs on several.
        if target > offset or get(id(code)) is None and know(code) is None:
            return DISABLE
        table = line_tables.get(id(code))
        if table is None:
            table = line_tables[id(code)] = line_table(code)
        line = table.get(target)
        if line is None or line != table.get(offset):
            return DISABLE
        last[-1] = 0
        on_line(code, line)
        if profiler is not None:
            profiler.line(line)

    def on_line_profiled(code, line):
        before = lines
        answer = on_line(code, line)
        if lines != before:
            profiler.line(line)
        return answer

    def on_start(code, _offset):
        nonlocal calls, deepest
        if get(id(code)) is None and know(code) is None:
            return DISABLE
        calls += 1
        stack.append(calls)
        last.append(0)
        if len(stack) > deepest:
            if len(stack) > depth_limit:
                limits.exceeded("depth")
            deepest = len(stack)

    def on_resume(code, _offset):
        nonlocal deepest
        if get(id(code)) is None and know(code) is None:
            return DISABLE
        stack.append(calls)
        last.append(0)
        if len(stack) > deepest:
            if len(stack) > depth_limit:
                limits.exceeded("depth")
            deepest = len(stack)

    def on_throw(code, _offset, _exception):
        # This event cannot be disabled for one place.
        if on_resume(code, _offset) is DISABLE:
            return

    def on_return(code, _offset, _value):
        if get(id(code)) is None and know(code) is None:
            return DISABLE
        if stack:
            stack.pop()
            last.pop()

    def on_unwind(code, _offset, _exception):
        if stack and (get(id(code)) is not None or know(code) is not None):
            stack.pop()
            last.pop()

    def on_handled(code, _offset, _exception):
        # The cleaning up after a comprehension may stand on the line where it was
        # raised, which settrace tells of again.
        if get(id(code)) is not None or know(code) is not None:
            last[-1] = 0

    def on_instruction(code, _offset):
        nonlocal codes
        if get(id(code)) is None and know(code) is None:
            return DISABLE
        codes += 1

    def on_branch(code, offset, target):
        if get(id(code)) is None and know(code) is None:
            return DISABLE
        taken = jumps.get(id(code))
        if taken is None:
            taken = jumps[id(code)] = {}
        key = (offset, target)
        taken[key] = taken.get(key, 0) + 1

    callbacks = {
        events.LINE: on_line,
        events.JUMP: on_jump,
        events.PY_START: on_start,
        events.PY_RESUME: on_resume,
        events.PY_THROW: on_throw,
        events.PY_RETURN: on_return,
        events.PY_YIELD: on_return,
        events.PY_UNWIND: on_unwind,
        events.EXCEPTION_HANDLED: on_handled,
    }
    if opcodes:
        callbacks[events.INSTRUCTION] = on_instruction
        if hasattr(events, "BRANCH_LEFT"):
            callbacks[events.BRANCH_LEFT] = on_branch
            callbacks[events.BRANCH_RIGHT] = on_branch
        else:
            callbacks[events.BRANCH] = on_branch
    if profiler is not None:
        callbacks = profiled(callbacks, profiler)
        callbacks[events.LINE] = on_line_profiled
    wanted = 0
    for event in callbacks:
        wanted |= event
    registered = tuple(callbacks.items())

    def pause():
        self.paused = True
        for event, _ in registered:
            monitoring.register_callback(tool, event, None)

    def resume():
        self.paused = False
        for event, callback in registered:
            monitoring.register_callback(tool, event, callback)

    def start(within):
        nonlocal limits, lines, calls, deepest, most, codes, line_limit, depth_limit, next_look, step, looked
        stack.clear()
        last[:] = [0]
        limits, line_limit, depth_limit = within, within.lines, within.depth
        lines = calls = deepest = most = codes = 0
        step, looked = 1000, perf_counter()
        next_look = min(step, line_limit)
        # Events stay set from run to run: changing them instruments all code
        # again.
        if monitoring.get_events(tool) != wanted:
            monitoring.set_events(tool, wanted)
        self.started = True
        resume()

    def zero():
        nonlocal lines, calls, deepest, most, codes
        lines = calls = deepest = most = codes = 0
        stack.clear()
        last[:] = [0]
        self.clear()
        for taken in jumps.values():
            taken.clear()

    def stop():
        self.started = False
        pause()

    def forget():
        known.clear()
        self.codes.clear()
        jumps.clear()
        line_tables.clear()

    self.forget = forget
    self.start = start
    self.zero = zero
    self.stop = stop
    self.pause = pause
    self.resume = resume
    self.read = lambda: (lines, calls, deepest, most)
    self.snapshot = lambda: (stack[-1] - 1 if stack else 0, lines, calls, deepest, most)
    self.opcodes = lambda: (codes, [(self.codes[key], taken) for key, taken in jumps.items() if taken])
    return self


def profiled(callbacks, profiler):
    """The callbacks of sys.monitoring for frames, which also tell the profiler."""
    events = sys.monitoring.events

    def also(callback, tell):
        def both(*arguments):
            answer = callback(*arguments)
            if answer is None and not is_own(arguments[0]):
                tell(*arguments)
            return answer
        return both

    told = {
        events.PY_START: lambda code, _: profiler.enter(code),
        events.PY_RESUME: lambda code, _: profiler.enter(code, False),
        events.PY_THROW: lambda code, _offset, _exception: profiler.enter(code, False),
        events.PY_RETURN: lambda code, _offset, _value: profiler.leave(),
        events.PY_YIELD: lambda code, _offset, _value: profiler.leave(),
        events.PY_UNWIND: lambda code, _offset, _exception: profiler.leave(),
    }
    return {event: also(callback, told[event]) if event in told else callback
            for event, callback in callbacks.items()}


def is_conditional(name):
    """Whether an instruction of this name goes on in one of two places."""
    return name == "FOR_ITER" or "JUMP" in name and "IF_" in name


def make_tracer(opcodes=False, profiler=None):
    if hasattr(sys, "monitoring"):
        return monitoring_tracer(opcodes, profiler)
    return settrace_tracer(opcodes, profiler)
