"""What functions do, without Pessimum: `truth.py FILE` answers questions about one source file, a line of JSON each.

Python runs in this interpreter, traced; C and Rust as a shared library that is compiled once, in which C counts its lines by gcov.
"""

import ctypes
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PRODUCT = itertools.product


def texts(alphabet, n, least=None):
    """All texts of n characters, or of `least` to n."""
    return ("".join(t) for t in lists(alphabet, n, least))


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


class Python:
    """Line events, as `sys.settrace` gives them, and where each line and conditional jump went."""

    def __init__(self, path):
        import importlib
        sys.path.insert(0, os.path.dirname(path))
        self.module = importlib.import_module(os.path.basename(path)[:-3])
        self.names, self.file = vars(self.module), self.module.__file__

    def begin(self, case):
        self.executed, self.jumps = set(), {}
        self.make = eval(case["make"], dict(self.names)) if "make" in case else None
        self.function = self.make or getattr(self.module, case["name"])
        self.has_arms = "cover" in case["runs"]

    def run(self, arguments):
        """Cost, how it ends, its value, and the lines of the file in order."""
        import dis
        function = self.function
        if self.make:
            function, arguments = self.make(*arguments)
        # Compiling a regular expression is no cost of the call that happens to be the first.
        own, count, before, compiling = [], 0, {}, set()
        jumps = {op for op in dis.hasjabs + dis.hasjrel if "IF" in dis.opname[op] or "FOR_ITER" in dis.opname[op]}

        def trace(frame, event, _):
            nonlocal count
            is_own = frame.f_code.co_filename == self.file
            if event == "call":
                code = frame.f_code
                if frame.f_back in compiling or code.co_name.startswith("_compile") and code.co_filename.endswith(("/re.py", "/re/__init__.py")):
                    compiling.add(frame)
                    return None
                frame.f_trace_opcodes = self.has_arms and is_own
            elif event == "line":
                count += 1
                if is_own:
                    own.append(frame.f_lineno)
            elif event == "opcode":
                code, at = frame.f_code, frame.f_lasti
                last = before.get(frame)
                if last is not None:
                    self.jumps.setdefault((code.co_name, last[1], last[0]), set()).add(at)
                before[frame] = (at, frame.f_lineno) if code.co_code[at] in jumps else None
            return trace

        value = None
        sys.settrace(trace)
        try:
            value, end = function(*arguments), "returned"
        except SystemExit as exit_:
            end = f"exited: {exit_.code}"
        except Exception as error:
            end = type(error).__name__
        finally:
            sys.settrace(None)
        self.executed.update(own)
        return count, end, repr(value)[:200], tuple(own)

    def covered(self):
        """Executed lines, and those all of whose conditional jumps went both ways."""
        lines = {}
        for (_, line, _), went in self.jumps.items():
            lines.setdefault(line, []).append(len(went) > 1)
        return self.executed, {line for line, both in lines.items() if all(both)}


class Native:
    """Functions of C numbers in a shared library; the cost is what `pessimum_cost` was given."""

    KINDS = {"i8": ctypes.c_int8, "u8": ctypes.c_uint8, "i16": ctypes.c_int16, "u16": ctypes.c_uint16,
             "i32": ctypes.c_int32, "u32": ctypes.c_uint32, "i64": ctypes.c_int64, "u64": ctypes.c_uint64,
             "f32": ctypes.c_float, "f64": ctypes.c_double, "bool": ctypes.c_bool}
    names = {}

    def __init__(self, path, directory):
        self.path, self.directory, self.is_c = path, directory, path.endswith(".c")
        if self.is_c:
            flags = ["gcc", "-O0", "-g", "--coverage", "-shared", "-fPIC", "-w", "-DTRUTH_COVERAGE", f"-I{HERE}/../../guest/c", "-o", "lib.so", path,
                     f"{HERE}/native.c"]
        else:
            subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", "cost.so", f"{HERE}/native.c"], cwd=directory, check=True)
            counter = ctypes.CDLL(f"{directory}/cost.so", ctypes.RTLD_GLOBAL)
            flags = ["rustc", "-A", "warnings", "--edition", "2024", "--crate-type", "cdylib", "-o", "lib.so", path]
        subprocess.run(flags, cwd=directory, check=True)
        self.library = ctypes.CDLL(f"{directory}/lib.so")
        self.count = ctypes.c_int64.in_dll(self.library if self.is_c else counter, "truth_cost")

    def begin(self, case):
        if "api" in case:
            self.functions = {name: (getattr(self.library, name), kinds, made) for name, kinds, made in declared(case["api"])}
            for function, _, made in self.functions.values():
                function.restype = ctypes.c_void_p if made else ctypes.c_int32
        else:
            self.function = getattr(self.library, case["name"])
            self.function.restype = self.result_of(case["name"])
            self.types = [t.split(" in ")[0].strip() for t in _split(case["call"][case["call"].index("(") + 1:case["call"].rindex(")")])]
        if self.is_c:
            self.library.truth_reset()

    def result_of(self, name):
        """What the function returns, from its source."""
        source = open(self.path).read()
        found = re.search(rf"^(u?)int(\d+)_t {name}\(|fn {name}\(.*-> ([iu])(\d+)", source, re.M)
        if not found:
            return None
        return self.KINDS[("u" if "u" in (found[1], found[3]) else "i") + (found[2] or found[4])]

    def run(self, arguments):
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
        value = self.function(*made)
        return self.count.value, "returned", value, ()

    def sequence(self, calls):
        """Runs calls one after the other. A handle is given as the number of the call that made it, in a list."""
        made, each = [], []
        for name, arguments in calls:
            function, kinds, _ = self.functions[name]
            self.count.value = 0
            values = [ctypes.c_void_p(made[value[0]]) if isinstance(value, list) else ctypes.c_int32(value) for value in arguments]
            made.append(function(*values))
            each.append(self.count.value)
        return each, made

    def covered(self):
        """Executed lines, and those all of whose outcomes were taken."""
        if not self.is_c:
            return set(), set()
        self.library.truth_dump()
        name = next(n for n in os.listdir(self.directory) if n.endswith(".gcda") and not n.endswith("native.gcda"))
        told = subprocess.run(["gcov", "-b", "--json-format", "--stdout", name], cwd=self.directory, capture_output=True)
        os.remove(f"{self.directory}/{name}")
        counts, taken = {}, set()
        for file in json.loads(told.stdout)["files"]:
            if os.path.basename(file["file"]) == os.path.basename(self.path):
                for line in file["lines"]:
                    number = line["line_number"]
                    counts[number] = counts.get(number, 0) + line["count"]
                    if line["branches"] and all(branch["count"] for branch in line["branches"]):
                        taken.add(number)
        self.never = {line for line, count in counts.items() if not count}
        return {line for line, count in counts.items() if count}, taken


def _split(text):
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part for part in parts if part.strip()]


def declared(api):
    """Name, parameters and the handle that comes back (or nothing), for each function."""
    for text in api.split(";"):
        name, parameters, result = re.fullmatch(r"\s*(\w+)\((.*)\)(?: -> (\w+))?\s*", text).groups()
        yield name, [part.strip() for part in _split(parameters)], result if result and result[0].isupper() else None


def sequences(api, most):
    """All sequences of at most so many calls, in the form of `Native.sequence`."""
    functions = list(declared(api))

    def options(kind, before):
        if kind[0].isupper():
            return [[at] for at, (name, _) in enumerate(before) if any(f[0] == name and f[2] == kind for f in functions)]
        low, high = re.fullmatch(r"i32 in (-?\d+)\.\.=(-?\d+)", kind).groups()
        return range(int(low), int(high) + 1)

    def longer(before):
        if before:
            yield before
        if len(before) < most:
            for name, kinds, _ in functions:
                for arguments in PRODUCT(*(options(kind, before) for kind in kinds)):
                    yield from longer(before + [(name, list(arguments))])

    return list(longer([]))


class Truth:
    def __init__(self, path, directory):
        self.runner = Python(path) if path.endswith(".py") else Native(path, directory)

    def inputs(self, case, which, n):
        names = dict(self.runner.names, product=PRODUCT, texts=texts, lists=lists, ones=ones, some=some, n=n, itertools=itertools)
        return list(eval(case[which], names))

    def of(self, question):
        """Of the inputs that the call permits (`all`, or `some` of them), and of others that the types permit as well (`beyond`); or
        of given ones."""
        case, n, given = question["case"], question["n"], question.get("given")
        if "api" in case:
            return self.of_sequences(case, given, question.get("to"))
        if given is not None:
            return {"given": self.told(case, given)}
        return {which: self.told(case, self.inputs(case, which, n)) for which in ("all", "some", "beyond") if which in case}

    def told(self, case, chosen):
        """Least and greatest cost by end with an input for it, how many different things the runs do, executed lines and lines all of whose
        outcomes were taken."""
        if "fresh" in case:
            return self.alone({key: value for key, value in case.items() if key != "fresh"}, chosen)
        self.runner.begin(case)
        costs, worst, kinds, runs = {}, {}, set(), []
        # Before the runs, which may change their arguments.
        as_json = [_shown(arguments) for arguments in chosen]
        for arguments, shown in zip(chosen, as_json):
            cost, end, value, own = self.runner.run(arguments)
            low, high = costs.get(end, (cost, cost))
            if end not in worst or cost > high:
                worst[end] = shown and dict(input=shown, cost=cost, end=end, value=value)
            costs[end] = (min(low, cost), max(high, cost))
            kinds.add((end, own))
            runs.append((cost, end, value))
        executed, taken = self.runner.covered()
        # Lines with code that no run executes; of Python it is not asked which have any.
        never = sorted(getattr(self.runner, "never", ()))
        distinct = None if None in as_json else len(set(map(json.dumps, as_json)))
        return dict(costs=costs, worst=worst, kinds=len(kinds), executed=sorted(executed), never=never, taken=sorted(taken), runs=len(chosen), distinct=distinct,
                    each=runs if len(runs) < 500 else [])

    def alone(self, case, chosen):
        """What leaves something behind has a process for each run."""
        told = []
        for arguments in chosen:
            read, write = os.pipe()
            if os.fork() == 0:
                with os.fdopen(write, "w") as into:
                    json.dump(self.told(case, [arguments]), into)
                os._exit(0)
            os.close(write)
            with os.fdopen(read) as answer:
                told.append(json.load(answer))
            os.wait()
        costs = [cost for one in told for cost in one["costs"].values()]
        union = lambda key: sorted({line for one in told for line in one[key]})
        return dict(told[0], costs={"returned": (min(costs)[0], max(costs)[1])}, worst={}, kinds=len({json.dumps(c) for c in costs}), runs=len(chosen),
                    executed=union("executed"), taken=union("taken"), distinct=len(chosen), each=[run for one in told for run in one["each"]])

    def of_sequences(self, case, given, to):
        """Of all sequences of calls up to a length, or of given ones; each is a list of costs and of values."""
        self.runner.begin(case)
        ran = [self.runner.sequence(calls) for calls in given or sequences(case["api"], to)]
        executed, taken = self.runner.covered()
        return dict(most=max(sum(each) for each, _ in ran), runs=len(ran), executed=sorted(executed), never=sorted(self.runner.never),
                    taken=sorted(taken), each=ran if given else [])


def _shown(arguments):
    """The arguments as JSON that `--input` takes, where they are numbers, texts and lists."""
    plain = lambda v: isinstance(v, list) and all(map(plain, v)) or type(v) in (bool, int, str)
    return json.loads(json.dumps(arguments)) if all(map(plain, arguments)) else None


def main():
    sys.setrecursionlimit(10_000)
    # What programs print is no answer.
    answers, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
    with tempfile.TemporaryDirectory() as directory:
        truth = Truth(os.path.abspath(sys.argv[1]), directory)
        for question in sys.stdin:
            try:
                answer = truth.of(json.loads(question))
            except Exception as error:
                answer = dict(error=f"{type(error).__name__}: {error}")
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
