"""What a function does on every input that is named above it, without Pessimum: `truth.py FILE FUNCTION N` prints JSON.

Python runs in this interpreter, traced; C and Rust as a shared library, in which C counts its lines by gcov.
"""

import ctypes
import itertools
import json
import os
import random
import subprocess
import sys

PRODUCT = itertools.product


def texts(alphabet, n, least=None):
    """All texts of n characters, or of `least` to n."""
    return ("".join(t) for k in range(n if least is None else least, n + 1) for t in PRODUCT(alphabet, repeat=k))


def lists(values, n, least=None):
    values = list(values)
    return (list(t) for k in range(n if least is None else least, n + 1) for t in PRODUCT(values, repeat=k))


def ones(values):
    """Calls of one argument."""
    return ((value,) for value in values)


def some(count, make):
    """A sample: `make` gets a random generator."""
    numbers = random.Random(1)
    return [make(numbers) for _ in range(count)]


def inputs(expression, n):
    names = dict(product=PRODUCT, texts=texts, lists=lists, ones=ones, some=some, n=n, range=range, itertools=itertools)
    return list(eval(expression, names))


class Python:
    """Line events, as `sys.settrace` gives them, and where each line and conditional jump went."""

    def __init__(self, path, name, make):
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        import importlib
        self.module = importlib.import_module(os.path.basename(path)[:-3])
        self.file, self.make = self.module.__file__, make
        self.function = None if make else getattr(self.module, name)
        self.executed, self.jumps = set(), {}

    def run(self, arguments, arms):
        """Lines, how it ends, and the lines of the file in order."""
        import dis
        if self.make:
            function, arguments = eval(self.make, dict(vars(self.module)))(*arguments)
        else:
            function = self.function
        own, count, before = [], 0, {}
        jumps = {op for op in dis.hasjabs + dis.hasjrel if "IF" in dis.opname[op] or "FOR_ITER" in dis.opname[op]}

        def trace(frame, event, _):
            nonlocal count
            is_own = frame.f_code.co_filename == self.file
            if event == "call":
                frame.f_trace_opcodes = arms and is_own
            elif event == "line":
                count += 1
                if is_own:
                    own.append(frame.f_lineno)
            elif event == "opcode":
                code, at = frame.f_code, frame.f_lasti
                last = before.get(frame)
                if last is not None:
                    self.jumps.setdefault((code.co_name, last[1], last[0]), set()).add(at)
                op = code.co_code[at]
                before[frame] = (at, frame.f_lineno) if op in jumps else None
            return trace

        sys.settrace(trace)
        try:
            function(*arguments)
            end = "returned"
        except Exception as error:
            end = type(error).__name__
        finally:
            sys.settrace(None)
        self.executed.update(own)
        return count, end, own

    def taken(self):
        """Lines all of whose conditional jumps went both ways."""
        lines = {}
        for (_, line, _), went in self.jumps.items():
            lines.setdefault(line, []).append(len(went) > 1)
        return {line for line, both in lines.items() if all(both)}


class Native:
    """Functions of C numbers in a shared library; the cost is what `pessimum_cost` was given."""

    def __init__(self, path, name, call, directory):
        self.path, self.directory = path, directory
        base = os.path.basename(path)
        here = os.path.dirname(os.path.abspath(__file__))
        if path.endswith(".c"):
            flags = ["gcc", "-O0", "-g", "--coverage", "-shared", "-fPIC", "-w", "-DTRUTH_COVERAGE", f"-I{here}/../../guest/c", "-o", "lib.so",
                     os.path.abspath(path), f"{here}/native.c"]
        else:
            subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", "cost.so", f"{here}/native.c"], cwd=directory, check=True)
            ctypes.CDLL(f"{directory}/cost.so", ctypes.RTLD_GLOBAL)
            flags = ["rustc", "-A", "warnings", "--edition", "2024", "--crate-type", "cdylib", "-o", "lib.so", os.path.abspath(path)]
        subprocess.run(flags, cwd=directory, check=True)
        self.library = ctypes.CDLL(f"{directory}/lib.so")
        self.function = getattr(self.library, name)
        counter = self.library if path.endswith(".c") else ctypes.CDLL(f"{directory}/cost.so")
        self.count = ctypes.c_int64.in_dll(counter, "truth_cost")
        self.types = [t.split(" in ")[0].strip() for t in _split(call[call.index("(") + 1:call.rindex(")")])]
        self.base = base

    KINDS = {"i8": ctypes.c_int8, "u8": ctypes.c_uint8, "i16": ctypes.c_int16, "u16": ctypes.c_uint16,
             "i32": ctypes.c_int32, "u32": ctypes.c_uint32, "i64": ctypes.c_int64, "u64": ctypes.c_uint64,
             "f32": ctypes.c_float, "f64": ctypes.c_double, "bool": ctypes.c_bool}

    def run(self, arguments, arms):
        made = []
        for of, value in zip(self.types, arguments):
            kind = self.KINDS.get(of.split("[")[0], ctypes.c_int32)
            if isinstance(value, str):
                made.append(ctypes.create_string_buffer(value.encode("latin-1")))
            elif isinstance(value, list):
                made.append((kind * max(1, len(value)))(*value))
            else:
                made.append(kind(value))
        self.count.value = 0
        self.function(*made)
        return self.count.value, "returned", ()

    def lines(self):
        """Line by line: how often it was executed, and whether each outcome of its branches was taken."""
        if not self.path.endswith(".c"):
            return set(), set()
        self.library.truth_dump()
        name = next(n for n in os.listdir(self.directory) if n.endswith(".gcda") and not n.endswith("native.gcda"))
        told = subprocess.run(["gcov", "-b", "--json-format", "--stdout", name], cwd=self.directory, capture_output=True)
        counts, taken = {}, set()
        for file in json.loads(told.stdout)["files"]:
            if os.path.basename(file["file"]) == self.base:
                for line in file["lines"]:
                    number = line["line_number"]
                    counts[number] = counts.get(number, 0) + line["count"]
                    if line["branches"] and all(branch["count"] for branch in line["branches"]):
                        taken.add(number)
        return {line for line, count in counts.items() if count}, taken


def _split(text):
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def told_of(case, n, chosen):
    """Least and greatest cost by end, how many different things the runs do, executed lines and lines all of whose outcomes
    were taken."""
    import tempfile
    with tempfile.TemporaryDirectory() as directory:
        is_python = case["file"].endswith(".py")
        if is_python:
            runner = Python(case["file"], case["name"], case.get("make"))
        else:
            runner = Native(case["file"], case["name"], case["call"], directory)
        costs, kinds = {}, set()
        for arguments in chosen:
            cost, end, own = runner.run(arguments, is_python and "cover" in case["runs"])
            low, high = costs.get(end, (cost, cost))
            costs[end] = (min(low, cost), max(high, cost))
            kinds.add((end, tuple(own)))
        executed, taken = (runner.executed, runner.taken()) if is_python else runner.lines()
    return dict(costs=costs, kinds=len(kinds), executed=sorted(executed), taken=sorted(taken), runs=len(chosen))


def of(case, n, given=None):
    """The same for the inputs that the call permits, and for others that the types permit as well; or for given ones."""
    if given is not None:
        return {"given": told_of(case, n, given)}
    chosen = {which: inputs(case[which], n) for which in ("all", "some", "beyond") if which in case}
    # What leaves something behind has an interpreter for each run.
    if "fresh" in case:
        for which, each in chosen.items():
            alone = [json.loads(subprocess.run([sys.executable, __file__], text=True, capture_output=True, check=True, input=json.dumps(
                dict(case=case, n=n, given=[arguments]))).stdout)["given"] for arguments in each]
            costs = [cost for one in alone for cost in one["costs"].values()]
            union = lambda key: sorted({line for one in alone for line in one[key]})
            chosen[which] = dict(costs={"returned": (min(costs)[0], max(costs)[1])}, kinds=len({json.dumps(c) for c in costs}),
                                 executed=union("executed"), taken=union("taken"), runs=len(each))
        return chosen
    return {which: told_of(case, n, each) for which, each in chosen.items()}


if __name__ == "__main__":
    question = json.load(sys.stdin)
    sys.setrecursionlimit(10_000)
    json.dump(of(question["case"], question["n"], question.get("given")), sys.stdout)
