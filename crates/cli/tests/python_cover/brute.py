"""What each function of a file covers over all of its inputs, by an interpreter that knows nothing of us.

Prints JSON: for each call {"lines": [line], "arms": {line: how many ways of its
conditional jumps were taken}}, of the code in functions.
"""

import dis
import functools
import importlib.util
import itertools
import json
import re
import sys

SAMPLES = [float("nan"), -2.0, -0.0, 0.0, 0.5, 1.0, 2.5, 3.0, 4.0]


def ints(count):
    return itertools.product(range(-3, 4), repeat=count)


def naturals(count, most):
    return itertools.product(range(most + 1), repeat=count)


def truths(count):
    return itertools.product((False, True), repeat=count)


def rows(length, most):
    return ((list(row),) for row in itertools.product(range(most + 1), repeat=length))


def texts(length):
    return (("".join(row),) for row in itertools.product("abc", repeat=length))


def points():
    # Made by the call, as part of it.
    return ((functools.partial(module.Point, x, y),) for x in range(-4, 5) for y in range(-4, 5))


def covered(call, inputs):
    lines, arms = set(), set()

    def local(frame, event, _):
        code = frame.f_code
        if event == "line":
            lines.add(frame.f_lineno)
        elif event == "opcode":
            offset = frame.f_lasti
            before = last.get(id(frame))
            if before is not None and before in jumps(code):
                line, place, jumps_on, behind = jumps(code)[before]
                arms.add((line, code, place, (offset != behind) == jumps_on))
            last[id(frame)] = offset
        elif event == "return":
            last.pop(id(frame), None)
        return local

    def trace(frame, _event, _):
        if frame.f_code.co_filename != path:
            return None
        frame.f_trace_opcodes = True
        last.pop(id(frame), None)
        return local

    last = {}
    for arguments in inputs:
        sys.settrace(trace)
        try:
            call(*(a() if isinstance(a, functools.partial) else a for a in arguments))
        except Exception:
            pass
        finally:
            sys.settrace(None)
    counts = {}
    for line, *_ in arms:
        counts[line] = counts.get(line, 0) + 1
    return {"lines": sorted(lines), "arms": counts}


def jumps(code, known={}):
    """The conditional jumps by offset: line, place of the condition, whether they jump where it holds, the next offset.
    A loop tests its condition in two places, which are one; the comparisons of a < b < c stand in one place and are two."""
    if code not in known:
        lines = {offset: line for start, end, line in code.co_lines() for offset in range(start, end, 2)}
        found = known.setdefault(code, {})
        chained = 0
        instructions = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "EXTENDED_ARG")]
        for number, i in enumerate(instructions):
            if i.opname == "FOR_ITER" or "JUMP" in i.opname and "IF_" in i.opname:
                before, behind = instructions[number - 1], instructions[number + 1]
                if "IF_" in i.opname and before.opname == "TO_BOOL":
                    before = instructions[number - 2]
                place = (before.positions, chained) if sys.version_info >= (3, 11) else i.offset
                found[i.offset] = lines[i.offset], place, "IF_TRUE" in i.opname, behind.offset
                keeps = any(i.opname == "COPY" for i in instructions[number - 4:number])
                chained = chained + 1 if keeps and before.opname == "COMPARE_OP" else 0
    return known[code]


path = sys.argv[1]
spec = importlib.util.spec_from_file_location("functions", path)
module = importlib.util.module_from_spec(spec)
sys.modules["functions"] = module
spec.loader.exec_module(module)
found = {}
for call, inputs in re.findall(r"^# (.+\)) \| (.+)$", open(path).read(), re.MULTILINE):
    name = call.partition("(")[0]
    method = re.search(r"\)\.(\w+)\(", call)
    function = getattr(module, name)
    if method:
        function = lambda first, *rest, of=function, name=method[1]: getattr(of(first), name)(*rest)
    found[call] = covered(function, eval(inputs))
json.dump(found, sys.stdout)
