"""The worker process: reads requests, runs the function, answers.

Frames in both directions: four bytes of length (little endian), one byte that says
what it is, and the rest. Numbers are 64 bits, little endian. The same layout is
in src/wire.rs.

Requests:  O open a file (JSON)         P describe a call (JSON)
           R run                        G go on (after a sign of life)
           A answer to a decision       X end the run
           F fields of a class (JSON)   L is this a literal? (JSON)
           N are you there?
Answers:   o, p, f, l (JSON), e (JSON: an error), n
           d waits at a decision        a waits at an assumption
           s sign of life; waits        r the run is over
"""

import gc
import json
import opcode
import os
import sys
import time
import traceback
from array import array
from contextvars import Context

from . import apart, caches, guard, hints, load, reach, sites, values
from .channel import Channel, Outputs, out_of_the_way
from .engine import ASSUME, Engine, Symbols, pack, signed
from .profile import Profiler
from .trace import Limits, OWN, Stop, make_tracer

# How a run ended; the numbers are those of src/wire.rs.
ENDS = {name: number for number, name in enumerate(
    ("going on", "returned", "exited", "exception", "lines", "depth", "memory", "assumption", "unsupported"))}

SYMBOLIC, OPCODES, ARMS, SHOW, PROFILE, LINES, HITS, WORK, APART = 1, 2, 4, 8, 16, 32, 64, 128, 256

# Characters of what a program returned that are shown.
RETURNED = 1 << 14

# The instruction of a `raise`.
RAISE = opcode.opmap["RAISE_VARARGS"]

# Runs between two collections of cyclic garbage, which is off during runs.
COLLECT_EVERY = 64


class Worker:
    def __init__(self):
        self.outputs = Outputs()
        self.spare = self.description = None
        self.executes_again = True
        self.programs = {}
        self.tracers = {}
        self.tracer = None
        self.running = False
        self.limits = Limits()
        self.limits.exceeded = self.exceeded
        self.limits.alive = self.alive
        self.user = 0
        self.profiler = None
        self.engine = None
        self.symbolic = False
        self.runs = 0
        self.memory = self.cpu = None
        self.guard = guard.Guard(self.end, lambda: self.running)

    # ------------------------------------------------------------- requests

    def serve(self, channel, other=None):
        self.channel = channel
        requests = {"O": self.open, "P": self.describe, "F": self.fields, "L": self.literal}
        while True:
            kind, body = self.channel.receive()
            if kind == "R":
                self.start_run(body)
            elif kind == "S":
                # What has made the runs so far leaves them to this process.
                self.channel = other
                self.channel.pid = os.getpid()
                self.start_run(body)
            elif kind == "N":
                self.channel.send("n")
            elif kind in requests:
                try:
                    answer = requests[kind](json.loads(body))
                except load.Refused as refused:
                    self.channel.send_json("e", {"kind": refused.kind, "message": str(refused)})
                except BaseException:
                    self.channel.send_json("e", {"kind": "worker", "message": traceback.format_exc()})
                else:
                    self.channel.send_json(kind.lower(), answer)
            # G, A and X may be late: the run that they are for is over.

    def start_run(self, body):
        if int.from_bytes(body[8:16], "little") & APART:
            if self.spare is not None:
                self.spare.take_over(self, body)
            apart.run(self, body)
            return
        if self.spare is None:
            self.spare = apart.Spare(self)
        self.run_here(body)

    def run_here(self, body):
        try:
            self.run(body)
        except Stop:
            # Its end was sent.
            self.over()
        except apart.OnlyOnce:
            raise
        except BaseException:
            # Whatever the program raises is the end of its run: this is a mistake of ours.
            self.over()
            self.channel.send_json("e", {"kind": "worker", "message": traceback.format_exc()})

    def open(self, request):
        self.symbolic = request["symbolic"]
        self.patience = request["patience"]
        compile_source = None
        self.recorder = None
        if self.symbolic:
            from . import nodes, rewrite
            compile_source = rewrite.compile_source
        elif request["recording"]:
            from . import recorded, rewrite, work
            compile_source = recorded.compile_source
            self.recorder = work.recorder
        self.subject = subject = load.Subject(request["file"], compile_source)
        self.sites = sites.Sites(subject.shorten)
        self.functions_of = {}
        subject.on_code = lambda code, path: self.functions_of.update(
            {path: [(inner, name) for inner, name in self.sites.add_module(code, path)]})
        self.install_stub()
        if self.symbolic:
            rewrite.install(request.get("cache"))
        elif self.recorder is not None:
            cache = request.get("cache")
            rewrite.install(cache and os.path.join(cache, "recorded"), recorded)
            self.recorder.owns = subject.owns
        subject.install()
        if self.symbolic:
            self.engine = Engine(lambda: self.tracer, self.sites, self.wait)
            nodes.attach(self.engine)
        self.guard.install(lambda: self.tracer)
        self.caches = caches.Caches(subject.is_own, self.guard.uncounted)
        self.guard.importing, self.guard.imported = self.caches.reachable.changed, self.caches.look
        raise_stack_limit()
        self.outputs.reset()
        self.cpu_limit(self.patience)
        try:
            module = subject.execute()
        except SyntaxError as error:
            raise load.Refused("syntax", syntax_message(error, subject)) from None
        except SystemExit as error:
            raise load.Refused("import", f"{shown(subject.path)} ends itself when it is imported: "
                               f"sys.exit({error.code!r})") from None
        except BaseException as error:
            raise load.Refused("import", import_message(error, subject)) from None
        self.caches.look()
        self.memory_base = address_space()
        answer = {
            "version": "%d.%d.%d" % sys.version_info[:3],
            "files": [path for path in subject.order],
            "root": subject.root,
            "module": subject.name,
            "functions": [{"name": name, "line": line, **hints.describe(name, function, owner, module)}
                          for line, name, function, owner in load.functions(subject)],
            "lazy": load.lazy_functions(self.subject),
            "sites": self.take_sites(),
            **self.static(),
            "texts": texts(subject),
        }
        gc.disable()
        gc.collect()
        gc.freeze()
        return answer

    def static(self):
        """The functions of the user's modules with their lines, the sites in each,
        and which of them a call may come to."""
        functions = [(path, code, name) for path in sorted(self.functions_of) for code, name in self.functions_of[path]]
        leads, names = reach.leads(self.subject, [(code, name) for _, code, name in functions])
        found = []
        self.code_numbers = {id(code): number for number, (_, code, _) in enumerate(functions)}
        for (path, code, name), to in zip(functions, leads):
            lines = sites.executed_lines(code)
            jumps = sorted({self.sites.codes[id(code)][3][offset] for offset in self.sites.jumps[id(code)]})
            found.append({"file": self.subject.shorten(path), "name": name or "<module>",
                          "line": code.co_firstlineno, "lines": lines, "sites": jumps,
                          "at_import": reach.is_executed_by_import(code, name), "leads_to": to})
        return {"code": found, "names": names}

    def describe(self, request):
        self.description = request
        self.programs = {request["id"]: values.Program(request)}
        return {}

    def fields(self, request):
        name = request["name"]
        try:
            kind = self.subject.function(name)
        except AttributeError:
            raise load.Refused("call", f"{shown(self.subject.path)} has no class `{name}`") from None
        try:
            return hints.fields(kind, name, self.subject.module)
        except hints.Unsuitable as error:
            raise load.Refused("call", str(error)) from None

    def literal(self, request):
        import ast
        try:
            value = ast.literal_eval(request["text"])
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return {"kind": None}
        return {"kind": type(value).__name__, "repr": repr(value)}

    def install_stub(self):
        """The module `pessimum` that programs may import."""
        import types
        stub = types.ModuleType("pessimum", "What a program may tell the search that runs it.")
        worker = self

        def cost(amount=1):
            """Adds to the program's own cost."""
            amount = int(amount)
            if amount < 0:
                raise ValueError("a cost is not negative")
            worker.user += amount
            if worker.engine is not None:
                worker.engine.add_user(amount)
            if worker.profiler is not None:
                worker.profiler.user(amount)

        def assume(condition):
            """The program is only meant for inputs for which this holds."""
            if worker.engine is not None and worker.running:
                from . import numbers
                if type(condition) is numbers.SymBool:
                    node = condition.node
                    if node.lo != node.hi:
                        worker.engine.assume(node)
                        return
            if not condition and worker.running:
                worker.end("assumption", 0, None)

        stub.cost, stub.assume = cost, assume
        sys.modules["pessimum"] = stub

    # ----------------------------------------------------------------- runs

    def run(self, body):
        head = array("q", body[:56]).tolist()
        number, flags, lines, depth, memory, window, count = head
        words = array("q", body[56:56 + 8 * count]).tolist()
        self.flags, self.body = flags, body
        program = self.programs[number]
        self.choose_tracer(flags)
        self.user = 0
        self.returned = None
        self.seed()
        self.outputs.reset(keep=bool(flags & SHOW))
        self.cpu_limit(self.patience)
        subject = self.subject
        tracer = self.tracer
        tracer.zero()
        try:
            if self.executes_again:
                self.caches.reset(bool(flags & APART))
                subject.execute()
                self.caches.meet_used(subject.specs)
            function = subject.function(program.function)
        except BaseException as error:
            if flags & APART and self.executes_again:
                raise apart.OnlyOnce from None
            self.running = True
            self.end("unsupported", 0, "the program does not do the same when its file is imported again: " + one_line(error),
                     self.place_of(error), not flags & APART)
        given = program.values(words)
        self.running = True
        self.memory_limit(memory)
        try:
            if flags & SYMBOLIC:
                self.engine.begin(given, window)
                leaf = program.symbols = program.symbols or Symbols(program)
            else:
                leaf = values.Plain(given)
            self.limits.lines = lines
            self.limits.depth = min(depth, self.guard.recursion - 1)
            try:
                if flags & LINES:
                    # What makes the arguments costs nothing, but what it executes is covered.
                    tracer.start(self.limits)
                positional, keywords = program.make(subject, leaf)
                if self.recorder is not None:
                    self.recorder.begin()
                    self.recorder.active = True
                tracer.start(self.limits)
                # What the last run set in context variables is not there.
                returned = Context().run(function, *positional, **keywords)
            finally:
                tracer.stop()
        except Stop:
            raise
        except BaseException as error:
            self.failed(error)
        else:
            if flags & SHOW:
                self.returned = represent(returned)
            self.end("returned", 0, None)

    def failed(self, error):
        """An exception that the program did not catch."""
        code = exit_code(error.code) if isinstance(error, SystemExit) else None
        if self.engine is not None:
            self.engine.describe()
        why = one_line(error)
        if code is not None:
            self.end("exited", code, why)
        name = "exception" if is_raised(error) else "memory" if isinstance(error, MemoryError) else \
            "depth" if isinstance(error, RecursionError) else "exception"
        at = self.place_of(error)
        # A traceback keeps every frame alive.
        error.__traceback__ = None
        self.end(name, 0, why, at)

    def place_of(self, error):
        at = None
        for frame, line in traceback.walk_tb(error.__traceback__):
            filename = frame.f_code.co_filename
            if filename.startswith(OWN):
                continue
            if at is None or self.subject.owns(filename):
                at = f"{self.subject.shorten(filename)}:{line}"
        return at

    def place(self):
        """Where the user's code is."""
        frame = sys._getframe()
        while frame is not None:
            if self.subject.owns(frame.f_code.co_filename):
                return f"{self.subject.shorten(frame.f_code.co_filename)}:{frame.f_lineno}"
            frame = frame.f_back
        return None

    def exceeded(self, what):
        why = "it executes more lines than allowed" if what == "lines" else "maximum recursion depth exceeded"
        self.end(what, 0, why)

    def differs(self, name, code):
        """Whether the run, which ends so here, was made in a process of its own as well and did something else there."""
        if self.flags & (SYMBOLIC | PROFILE | WORK | APART) or name in ("lines", "depth", "memory", "unsupported"):
            return False
        lines, calls, depth, most = self.tracer.read()
        costs = [lines, calls, depth, self.user, most]
        if not self.spare.is_due(costs):
            return False
        there = self.spare.repeat(self, self.body[:8] + pack((APART,)) + self.body[16:])
        return there is None or there[:56] != pack((ENDS[name], code, *costs))

    def end(self, name, code, why, at=None, is_apart=False):
        """Sends how the run ended, then unwinds it."""
        if not self.running:
            raise Stop
        self.running = False
        tracer = self.tracer
        tracer.pause()
        self.memory_limit(None)
        rest = {"apart": max(1, self.spare.runs)} if is_apart or self.differs(name, code) else {}
        if self.recorder is not None:
            self.recorder.active = False
            if self.flags & WORK:
                rest["work"] = self.recorder.result(self.subject.shorten)
        if name == "unsupported" and at is None:
            at = self.place()
        if why is not None:
            rest["why"] = why
        if at is not None:
            rest["at"] = at
        flags = self.flags
        printed = self.outputs.printed()
        if flags & SHOW:
            rest["printed"] = printed
            rest["returned"] = self.returned
        counted = []
        instructions = branches = 0
        if flags & (OPCODES | ARMS):
            instructions, taken = tracer.opcodes()
            counts = {}
            for jumping, targets in taken:
                self.sites.arms(jumping, targets, counts)
                branches += sum(targets.values())
            if flags & ARMS:
                for (site, arm), times in sorted(counts.items()):
                    counted.extend((site, arm, times))
        if flags & HITS:
            for executed, hits in tracer.line_hits():
                number = self.code_numbers.get(id(executed))
                if number is not None:
                    for line, times in hits.items():
                        counted.extend((number, line or 0, times))
        if flags & LINES:
            rest["lines"] = self.lines_reached()
        if self.profiler is not None:
            rest["profile"] = self.profiler.result(self.subject.shorten,
                                                   self.subject.owns)
        self.answer("r", (ENDS[name], code), instructions, branches, counted, rest)
        if self.engine is not None:
            self.engine.finish()
        raise Stop

    def answer(self, kind, end, instructions=0, branches=0, counted=(), rest=None):
        tracer = self.tracer
        lines, calls, depth, most = tracer.read()
        node_rows = records = ()
        rest = rest or {}
        # Library code that does not count runs only for the rare rest. A truth value: both are emptied below.
        pause = tracer.started and bool(
            self.sites.fresh or self.engine is not None and self.engine.notes)
        if pause:
            tracer.pause()
        if self.engine is not None and self.flags & SYMBOLIC:
            node_rows, records = self.engine.node_rows, self.engine.records
            if self.engine.notes:
                rest["notes"] = [[reason, self.subject.shorten(file) if file else "", line, count]
                                 for (reason, file, line), count in self.engine.notes.items()]
                self.engine.notes.clear()
        if self.sites.fresh:
            rest["sites"] = self.take_sites()
        text = json.dumps(rest).encode("utf-8", "replace") if rest else b""
        head = (*end, lines, calls, depth, self.user, most, instructions, branches,
                len(node_rows), len(records), len(counted), len(text))
        self.channel.send(kind, pack(head), pack(node_rows), pack(records), pack(counted), text)
        if pause and self.running:
            tracer.resume()

    def take_sites(self):
        fresh = self.sites.fresh
        self.sites.fresh = []
        return fresh

    def lines_reached(self):
        """The lines of the user's modules that were executed: {file: [line]}."""
        reached = {}
        for code, hits in self.tracer.line_hits():
            known = self.sites.codes.get(id(code))
            if known is not None:
                reached.setdefault(known[1], set()).update(hits)
        functions = []
        for code, hits in self.tracer.line_hits():
            known = self.sites.codes.get(id(code))
            if known is not None:
                functions.append([known[1], known[2], code.co_firstlineno])
        return {"lines": {file: sorted(lines) for file, lines in reached.items()}, "functions": functions}

    def wait(self, kind, node_rows, records):
        """At a decision or an assumption; see engine.py."""
        self.answer("a" if kind == ASSUME else "d", (0, 0))
        request, body = self.channel.receive()
        if request != "A":
            self.cancel()
        numbers = array("q", body).tolist()
        arm, window = numbers[0], numbers[1]
        changes = list(zip(numbers[2::2], numbers[3::2]))
        program = next(iter(self.programs.values()))
        if program.has_floats:
            changes = [(variable, values.as_float(word) if program.is_float(variable) else word)
                       for variable, word in changes]
        return arm, window, changes

    def alive(self):
        """A sign of life: somebody may want the run to end."""
        self.cpu_limit(self.patience)
        self.answer("s", (0, 0))
        if self.flags & SYMBOLIC:
            self.engine.node_rows.clear()
            self.engine.records.clear()
        request, _ = self.channel.receive()
        if request != "G":
            self.cancel()

    def cancel(self):
        """Nobody wants the rest of the run."""
        self.running = False
        self.tracer.pause()
        if self.engine is not None:
            self.engine.finish()
        raise Stop

    def over(self):
        """After a run, however it ended."""
        self.running = False
        if self.tracer is not None:
            self.tracer.stop()
        self.memory_limit(None)
        self.guard.reset()
        self.runs += 1
        if self.runs % COLLECT_EVERY == 0:
            gc.collect()
        gc.disable()

    def choose_tracer(self, flags):
        profiler = self.profiler = Profiler() if flags & PROFILE else None
        if profiler is not None:
            self.tracer = make_tracer(False, profiler)
            self.tracers.clear()
            return
        opcodes = bool(flags & (OPCODES | ARMS))
        if opcodes not in self.tracers:
            self.tracers[opcodes] = make_tracer(opcodes)
            if self.recorder is not None:
                self.recorder.follow(self.tracers[opcodes])
        self.tracer = self.tracers[opcodes]

    def seed(self):
        random = sys.modules.get("random")
        if random is not None:
            random.seed(0)

    # --------------------------------------------------------------- limits

    def memory_limit(self, memory):
        """Allows so many bytes more than the worker itself needs."""
        if memory == self.memory or resource is None or not hasattr(resource, "RLIMIT_AS"):
            return
        self.memory = memory
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        soft = most
        if memory is not None:
            # Symbolic values and their conditions take memory of their own.
            soft = self.memory_base + memory * (2 if self.symbolic else 1)
            if most != resource.RLIM_INFINITY:
                soft = min(soft, most)
        try:
            resource.setrlimit(resource.RLIMIT_AS, (soft, most))
        except (ValueError, OSError):
            pass

    def cpu_limit(self, patience):
        """The kernel ends a worker that computes on after everybody has left, in
        C code that never looks up."""
        now = time.process_time()
        if resource is None or self.cpu is not None and now + patience < self.cpu:
            return
        self.cpu = now + 4 * patience + 10
        try:
            _, most = resource.getrlimit(resource.RLIMIT_CPU)
            resource.setrlimit(resource.RLIMIT_CPU, (int(self.cpu), most))
        except (ValueError, OSError):
            pass


try:
    import resource
except ImportError:
    resource = None


def address_space():
    """Bytes of address space in use."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 1 << 30


def raise_stack_limit():
    """Deep recursion takes C stack up to 3.10. Linux lets the stack of the first
    thread grow to what the limit says now, within a gap of 128 MB."""
    if resource is None:
        return
    soft, most = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = 120 << 20
    if most != resource.RLIM_INFINITY:
        wanted = min(wanted, most)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_STACK, (wanted, most))
        except (ValueError, OSError):
            pass


def represent(value):
    try:
        text = repr(value)
    except Exception as error:
        return f"<repr() raised {type(error).__name__}>"
    return text if len(text) <= RETURNED else text[:RETURNED] + "..."


def one_line(error):
    try:
        return "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()[-1][:1000]
    except BaseException:
        return type(error).__name__


def is_raised(error):
    """Whether a statement raised it, in the place of a limit that the interpreter ran into."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and at.tb_frame.f_code.co_code[at.tb_lasti] == RAISE


def exit_code(code):
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) & 0xFF
    return 1


def shown(path):
    return os.path.basename(path)


def syntax_message(error, subject):
    file = subject.shorten(error.filename or subject.path)
    message = f"{file}:{error.lineno or 0}: {error.msg}"
    if error.text:
        line = error.text.rstrip("\n")
        message += f"\n  {line}"
        if error.offset:
            message += "\n  " + " " * (error.offset - 1) + "^"
    return message


def import_message(error, subject):
    at = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        filename = frame.f_code.co_filename
        if subject.owns(filename):
            at = f"{subject.shorten(filename)}:{line}"
    where = f" ({at})" if at else ""
    return f"{shown(subject.path)} cannot be imported: {one_line(error)}{where}"


def texts(subject):
    """Texts among the constants of the user's modules, which programs compare
    their input with."""
    found = set()
    for path in subject.order:
        for code, _ in sites.nested(subject.codes[path]):
            todo = list(code.co_consts)
            # A docstring is compared with nothing.
            if todo and isinstance(todo[0], str) and "\n" in todo[0]:
                del todo[0]
            while todo:
                constant = todo.pop()
                if isinstance(constant, (tuple, frozenset)):
                    todo.extend(constant)
                elif isinstance(constant, str) and 0 < len(constant) <= 64:
                    found.add(constant)
                elif isinstance(constant, bytes) and 0 < len(constant) <= 64:
                    found.add(constant.decode("latin-1"))
    return sorted(found)


def tell_where(channel):
    """On a signal, where the interpreter is goes to the channel, whatever it
    computes: the handler is in C. Nothing else is sent while it does."""
    try:
        import faulthandler
        faulthandler.register(apart.WHERE, file=channel.output, all_threads=False)
    except (ImportError, AttributeError, OSError, RuntimeError):
        pass


def main():
    channel = Channel(out_of_the_way(0), out_of_the_way(1))
    tell_where(channel)
    Worker().serve(channel)
