"""Decisions of a symbolic run: follows the values of the witness, and keeps what it decided.

The run goes on by itself for a number of decisions (the window) and then waits at
one for an answer: which arm to take, and what has changed in the witness. So a
path that nobody wants to leave costs one message.
"""

import struct
import sys
from array import array

from . import nodes
from .nodes import ARITY, CONST, EQ, EVALUATE, FCONST, FEQ, FLE, FLT, LE, LT, NOT, evaluate, world
from .trace import OWN, Stop

BRANCH, CHECK, VALUE, ASSUME = range(4)

COMPARISONS = frozenset((EQ, LT, LE, FEQ, FLT, FLE))
UNKNOWN = object()

MASK = (1 << 64) - 1
WRAP = 1 << 63


def signed(value):
    """The 64 bits of an integer as a signed number."""
    return value if -WRAP <= value < WRAP else ((value + WRAP) & MASK) - WRAP


class Engine:
    """What `nodes.attach` gets. The functions are closures: they run for every decision."""

    def __init__(self, tracer_of, sites, wait):
        """`wait(kind, nodes, records)` sends what there is and returns an answer
        (arm, window, changes); it raises Stop if the run is over."""
        node_rows = []
        records = []
        notes = {}
        sent_nodes = 0
        left = 0
        over = True
        silent = False
        user = 0
        snapshot = None
        getframe = sys._getframe
        tables = sites.codes  # also has our own code objects, as None
        kept = []             # so that their identities stay theirs

        def emit(node):
            """Sends a node after those that it is made of; returns its number."""
            nonlocal sent_nodes
            # A loop rather than recursion: a sum over a long list is a long chain.
            todo = [node]
            while todo:
                node = todo[-1]
                if node.number >= 0:
                    todo.pop()
                    continue
                op = node.op
                arity = ARITY[op]
                if arity == 0:
                    if op == CONST:
                        row = (op, signed(node.a), 0, 0)
                    elif op == FCONST:
                        row = (op, struct.unpack("<q", struct.pack("<d", node.a))[0], 0, 0)
                    else:
                        row = (op, node.a, 0, 0)
                else:
                    a = node.a
                    if a.number < 0:
                        todo.append(a)
                        continue
                    if arity == 1:
                        row = (op, a.number, 0, 0)
                    else:
                        b = node.b
                        if b.number < 0:
                            todo.append(b)
                            continue
                        if arity == 2:
                            row = (op, a.number, b.number, 0)
                        else:
                            c = node.c
                            if c.number < 0:
                                todo.append(c)
                                continue
                            row = (op, a.number, b.number, c.number)
                node.number = sent_nodes
                sent_nodes += 1
                node_rows.extend(row)
                todo.pop()
            return node.number

        def uncounted(look, *what):
            """Looks at code that was not met before, which takes library code that is
            none of the program's."""
            tracer = tracer_of()
            # Within what does not count anyway, it must not count afterwards either.
            if tracer.paused or not tracer.started:
                return look(*what)
            tracer.pause()
            try:
                return look(*what)
            finally:
                tracer.resume()

        def place(frame):
            """The site of the nearest frame outside the worker, from this one on."""
            asking = None
            while frame is not None:
                code = frame.f_code
                known = tables.get(id(code), UNKNOWN)
                if known is UNKNOWN:
                    if code.co_filename.startswith(OWN):
                        known = tables[id(code)] = None
                        kept.append(code)
                    else:
                        known = uncounted(sites.meet, code)
                if known is not None:
                    offset = frame.f_lasti
                    if known[4].get(offset, asking) != asking:
                        site = known[3].get(~offset)
                        return site if site is not None else uncounted(sites.beside, code, offset)
                    site = known[3].get(offset)
                    return site if site is not None else uncounted(sites.at, code, offset)
                asking = code.co_name
                frame = frame.f_back
            return sites.number("", "<arguments>", (0, "a"), 0)

        def decide(kind, node, value):
            """Records a decision; returns the arm to take."""
            nonlocal left
            if over:
                if silent:
                    return value
                raise Stop
            number = node.number
            if number < 0:
                number = emit(node)
            # Between the program and here: branch, check or choose, and two functions of nodes.py or of the proxy.
            records.extend((kind, place(getframe(3)), number, value))
            records.extend(snapshot())
            records.append(user)
            left -= 1
            if left > 0:
                return value
            return ask(value)

        def ask(value):
            nonlocal left
            arm, left, changes = wait(BRANCH, node_rows, records)
            node_rows.clear()
            records.clear()
            if changes:
                change(changes)
            return value if arm is None else arm

        def change(changes):
            values = world.values
            for variable, word in changes:
                values[variable] = word
            world.epoch += 1

        def branch(node):
            # Most conditions compare what has a value already.
            epoch = world.epoch
            compared = node.a if node.op == NOT else node
            a, b = compared.a, compared.b
            if compared.op in COMPARISONS and a.epoch == epoch and b.epoch == epoch:
                value = compared.value = EVALUATE[compared.op](a.value, b.value)
                compared.epoch = epoch
                if compared is not node:
                    value = node.value = 1 - value
                    node.epoch = epoch
            else:
                value = evaluate(node)
            return decide(BRANCH, node, value) != 0

        def check(node):
            return decide(CHECK, node, evaluate(node)) != 0

        def choose(node):
            return decide(VALUE, node, signed(evaluate(node)))

        def assume(condition):
            """`pessimum.assume`: the rest of the run is about inputs for which this holds."""
            if over:
                raise Stop
            node = condition
            number = node.number
            if number < 0:
                number = emit(node)
            value = evaluate(node)
            records.extend((ASSUME, place(getframe(1)), number, value))
            records.extend(snapshot())
            records.append(user)
            if not value:
                # It does not hold for the witness: only the other side can find one.
                _, _, changes = wait(ASSUME, node_rows, records)
                node_rows.clear()
                records.clear()
                if changes:
                    change(changes)
                if not evaluate(node):
                    raise Stop
            nodes.learn(node, True)

        def note(reason):
            if silent:
                return
            frame = getframe(1)
            while frame is not None:
                code = frame.f_code
                if not code.co_filename.startswith(OWN):
                    break
                frame = frame.f_back
            if frame is None:
                key = (reason, "", 0)
            else:
                key = (reason, frame.f_code.co_filename, frame.f_lineno)
            notes[key] = notes.get(key, 0) + 1

        def begin(values, window):
            nonlocal sent_nodes, left, over, silent, user, snapshot
            nodes.reset()
            world.values = values
            world.epoch += 1
            node_rows.clear()
            records.clear()
            notes.clear()
            snapshot = tracer_of().snapshot
            sent_nodes = user = 0
            left, over, silent = window, False, False

        def finish():
            nonlocal over, silent
            over, silent = True, False

        def describe():
            """The program is over; what is still made of values is a message about
            the input at hand, and decides nothing."""
            nonlocal over, silent
            over = silent = True

        def add_user(cost):
            nonlocal user
            user += cost

        self.branch, self.check, self.choose, self.note, self.assume = branch, check, choose, note, assume
        self.begin, self.finish, self.describe, self.add_user = begin, finish, describe, add_user
        self.user = lambda: user
        self.node_rows, self.records, self.notes = node_rows, records, notes
        self.is_over = lambda: over


def pack(numbers):
    return array("q", numbers).tobytes()


class Symbols:
    """Leaves of arguments as proxies; see values.py."""

    def __init__(self, program):
        from . import numbers, texts
        self.numbers, self.texts = numbers, texts
        self.bounds = {}
        for first, count, _, lo, hi in program.groups:
            for at in range(first, first + count):
                self.bounds[at] = (lo, hi)

    def node(self, at):
        lo, hi = self.bounds[at]
        return nodes.variable(at, lo, hi)

    def row(self, kind, first, count):
        if kind == "int":
            whole, node = self.numbers.whole, self.node
            return [whole(node(at)) for at in range(first, first + count)]
        if kind == "bool":
            return [self.numbers.truth(nodes.condition_variable(at)) for at in range(first, first + count)]
        return [self.numbers.real(nodes.float_variable(at)) for at in range(first, first + count)]

    def text(self, kind, first, count):
        if count == 0:
            return {"str": str, "bytes": bytes, "bytearray": bytearray}[kind]()
        codes = []
        for at in range(first, first + count):
            node = self.node(at)
            codes.append(node.lo if node.lo == node.hi else node)
        if kind == "str":
            return self.texts.SymStr(tuple(codes))
        if kind == "bytes":
            return self.texts.SymBytes(tuple(codes))
        return self.texts.SymByteArray(codes)
