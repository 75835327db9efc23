"""Where decisions are made: conditional jumps and other places of the code, by keys
that are the same in every process.

A symbolic process runs rewritten code, whose offsets differ. A rewritten
condition has the position of the original one, so a jump is known by its code
object and by where its condition stands in the source (up to 3.10, where code
has no columns: by its number among the jumps of its line).
"""

import dis
import itertools
import sys
import types

from .trace import is_conditional, line_table

HAS_POSITIONS = sys.version_info >= (3, 11)
# 3.11 gives all jumps of `a and not b` the position of the statement; what is tested has its own.
SHARED = HAS_POSITIONS and sys.version_info < (3, 12)


def makes_truth(instruction):
    """Whether an instruction turns a value into the truth value for the jump behind it."""
    # A comparison does so from 3.13 on, where the compiler says it.
    return instruction.opname == "TO_BOOL" or instruction.opname == "COMPARE_OP" \
        and sys.version_info >= (3, 13) and bool(instruction.arg & 16)


# What stands between such an instruction and the jump.
BETWEEN = ("CACHE", "EXTENDED_ARG", "NOP", "NOT_TAKEN")


class Jump:
    """A conditional jump: its key, and how its target tells its arm."""

    __slots__ = ("key", "line", "behind", "arm_behind", "asks")

    def __init__(self, key, line, behind, arm_behind, asks):
        self.key = key
        self.line = line
        self.behind = behind          # the offset of the next instruction
        self.arm_behind = arm_behind  # the arm where it goes on there
        self.asks = asks              # the method that decides for it; what others decide there is another question


def jumps(code):
    """The conditional jumps of a code object by offset, and for each offset at
    which a truth value is made for one, that jump."""
    instructions = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "EXTENDED_ARG")]
    lines = line_table(code)
    found, ordinals = {}, {}
    previous = []
    for index, instruction in enumerate(instructions):
        name = instruction.opname
        if is_conditional(name):
            line = lines.get(instruction.offset)
            position = getattr(instruction, "positions", None)
            if SHARED and previous and name != "FOR_ITER" and previous[-1].positions.col_offset is not None:
                position = previous[-1].positions
            if HAS_POSITIONS and position is not None and position.col_offset is not None:
                place = (position.lineno, position.col_offset, position.end_lineno, position.end_col_offset)
                # The comparisons of a < b < c have one position. All but the
                # last keep a copy of their right side.
                keeps = any(i.opname in ("COPY", "ROT_THREE") for i in previous[-3:])
                number = ordinals.get(place, 0)
                ordinals[place] = number + 1 if keeps and name != "FOR_ITER" else 0
                key = (line or 0, "c%d:%d-%d:%d.%d" % (place + (number,)))
            else:
                number = ordinals.get(line, 0)
                ordinals[line] = number + 1
                key = (line or 0, "j%d" % number)
            # Where the value is true a jump "if false" goes on behind itself; an
            # iterator has its next element there.
            goes_on_true = name == "FOR_ITER" or "IF_TRUE" not in name
            after = instructions[index + 1].offset if index + 1 < len(instructions) else -1
            jump = found[instruction.offset] = Jump(
                key, line, after, 1 if goes_on_true else 0, "__iter__" if name == "FOR_ITER" else "__bool__")
            for earlier in reversed(previous):
                if makes_truth(earlier):
                    found.setdefault(earlier.offset, jump)
                elif earlier.opname not in BETWEEN:
                    break
            previous = []
        else:
            previous.append(instruction)
            if len(previous) > 6:
                del previous[0]
    return found


def nested(code, prefix=""):
    """A code object and those in it, each with its qualified name; equal names
    get numbers."""
    seen = {}
    todo = [(code, "")]
    while todo:
        code, name = todo.pop(0)
        number = seen.get(name, 0)
        seen[name] = number + 1
        yield code, f"{name}#{number}" if number else name
        inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
        is_function = bool(code.co_flags & 0x2)  # CO_NEWLOCALS: no class body, no module
        for c in inner:
            between = ".<locals>." if is_function and name else "." if name else ""
            todo.append((c, f"{name}{between}{c.co_name}"))


# What a function does before its first statement, on the line of its `def`, for
# which there is no line event.
_PREAMBLE = {"RESUME", "MAKE_CELL", "COPY_FREE_VARS", "RETURN_GENERATOR", "GEN_START", "CACHE"}


def executed_lines(code):
    """The lines of a code object that are executed as such, in ascending order."""
    found = set()
    line_of = {offset: line for start, end, line in code.co_lines() for offset in range(start, end, 2)}
    begun = False
    for instruction in dis.get_instructions(code):
        # The value that a generator is first resumed with is dropped there as well.
        begun = begun or instruction.opname not in _PREAMBLE and instruction.opname != "POP_TOP"
        line = line_of.get(instruction.offset)
        if begun and line:
            found.add(line)
    return sorted(found)


def instruction_of(code, offset):
    """Where the instruction begins whose cache an offset may lie in."""
    begins = 0
    for instruction in dis.get_instructions(code):
        if instruction.offset > offset:
            break
        begins = instruction.offset
    return begins


def place_of(code, offset, by_offset, by_position):
    """The key and the line of an instruction."""
    line = line_table(code).get(offset)
    key = by_offset % offset
    if HAS_POSITIONS:
        # Not the offset: 3.11 makes some calls one instruction earlier once they are warm.
        position = next(itertools.islice(code.co_positions(), offset // 2, None), (None,) * 4)
        if position[2] is not None:
            key = by_position % (position[0] or 0, position[2], position[1] or 0, position[3] or 0)
    return (line or 0, key), line


def asks(jumps):
    """What decides for each of the jumps of a code object."""
    return {offset: jump.asks for offset, jump in jumps.items()}


class Sites:
    """Numbers of places in this process, in the order in which they were met.
    Definitions that were not sent yet wait in `fresh`."""

    def __init__(self, shorten):
        self.shorten = shorten
        self.by_key = {}
        self.fresh = []
        # id(code): (code, file, name, {offset: number}, {offset of a jump: what decides for it}). At ~offset is the
        # number of what else is decided at a jump, such as whether elements of compared lists are equal.
        self.codes = {}
        self.jumps = {}   # id(code): {offset: Jump}

    def number(self, file, name, key, line):
        key = (file, name) + key
        number = self.by_key.get(key)
        if number is None:
            number = self.by_key[key] = len(self.by_key)
            self.fresh.append([file, name, line or 0, key[-1]])
        return number

    def add_module(self, code, filename):
        """All jumps of a module's code; returns [(code, name)]."""
        file = self.shorten(filename)
        found = list(nested(code))
        for inner, name in found:
            table = {}
            here = self.jumps[id(inner)] = jumps(inner)
            for offset in sorted(here):
                jump = here[offset]
                table[offset] = self.number(file, name or "<module>", jump.key, jump.line)
            self.codes[id(inner)] = (inner, file, name or "<module>", table, asks(here))
        return found

    def at(self, code, offset):
        """The number of the place at an offset of a code object."""
        known = self.codes.get(id(code))
        if known is None:
            known = self.meet(code)
        number = known[3].get(offset)
        if number is None:
            number = self.elsewhere(known, offset)
        return number

    def meet(self, code):
        """Code that belongs to no module of the user's."""
        if len(self.codes) > 50_000:
            # A program that makes code all the time. That of modules is kept.
            for key in [key for key, known in self.codes.items() if known is not None and "@" in known[2]]:
                del self.codes[key]
                self.jumps.pop(key, None)
        name = getattr(code, "co_qualname", code.co_name)
        name = f"{name}@{code.co_firstlineno}"
        file = self.shorten(code.co_filename)
        here = self.jumps[id(code)] = jumps(code)
        known = self.codes[id(code)] = (code, file, name, {}, asks(here))
        for offset in sorted(here):
            known[3][offset] = self.number(file, name, here[offset].key, here[offset].line)
        return known

    def elsewhere(self, known, offset):
        """A place that is no conditional jump."""
        code, file, name, table, _ = known
        # Where 3.12 enters a generator from a `for` that is warm, its frame stands
        # at the cache behind the instruction.
        begins = instruction_of(code, offset)
        if begins in table:
            number = table[offset] = table[begins]
            return number
        number = table[offset] = self.number(file, name, *place_of(code, offset, "o%d", "p%d:%d-%d:%d"))
        return number

    def beside(self, code, offset):
        """The number of what is decided at a jump but not for it."""
        code, file, name, table, _ = self.codes[id(code)]
        number = table[~offset] = self.number(file, name, *place_of(code, offset, "b%d", "b%d:%d-%d:%d"))
        return number

    def arms(self, code, taken, into):
        """Adds how often the arms of a code object's jumps were taken, from
        {(offset, where it went on): times}, to {(site, arm): times}."""
        known = self.codes.get(id(code)) or self.meet(code)
        here = self.jumps.get(id(code)) or {}
        for (offset, target), times in taken.items():
            jump = here.get(offset)
            if jump is None:
                continue
            arm = jump.arm_behind if target == jump.behind else 1 - jump.arm_behind
            place = (known[3][offset], arm)
            into[place] = into.get(place, 0) + times
