"""Paths per second beside CrossHair (PyPI: crosshair-tool), on the same functions, one after the other.

    python -m venv /tmp/venv && /tmp/venv/bin/pip install crosshair-tool
    cargo build --release
    /tmp/venv/bin/python bench/python/paths.py [--seconds 20] [NAME...]

Both visit every feasible path of a function, as far as the time goes. Times are those of processors (user and system, children
included), so that other work on the machine matters less; CrossHair limits itself by the same clock. A path of CrossHair's is
counted when it is complete; where an input has a length, those of other lengths are not counted. Our number is that of
`pessimum paths`, the start of the interpreter included.
"""

import argparse
import collections
import importlib.util
import inspect
import json
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUBJECTS = ROOT / "subjects" / "python"

# Name, file, function, argument types in both languages, size. `ints` is a list of so many integers, `text` a string.
FUNCTIONS = {
    "insertion sort of 7": ("pyse/insertion_sort.py", "sort", "sort(int[n])", [("ints", 7)], 7),
    "merge sort of 7": ("ese/merge_sort.py", "merge_sort", "merge_sort(int[n])", [("ints", 7)], 7),
    "tree of 7": ("pyse/bst_build.py", "build", "build(int[n])", [("ints", 7)], 7),
    "kmp in 8": ("ese/kmp.py", "kmp", "kmp(int[n], int[3])", [("ints", 8), ("ints", 3)], 8),
    "alternate_0 of 12": ("ese/alternate_0.py", "alternate_0", "alternate_0(int[n])", [("ints", 12)], 12),
    "boyer_moore in 18": ("pyse/boyer_moore.py", "search", "search(str[n])", [("text", 18)], 18),
    "records of 6": ("library/records.py", "rows", "rows(str[n])", [("text", 6)], 6),
}


class OtherLength(Exception):
    """The input is not of the length that is asked for."""


def load(file):
    """The module of a subject."""
    sys.path.insert(0, str(file.parent))
    specification = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def driver(function, arguments):
    """A function with one parameter for each integer and each text."""
    parameters, takes = [], []
    for kind, length in arguments:
        count, hint = (length, int) if kind == "ints" else (1, str)
        takes.append((kind, length, count))
        for _ in range(count):
            name = f"p{len(parameters)}"
            parameters.append(inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=hint))

    def call(values):
        given, at = [], 0
        for kind, length, count in takes:
            if kind == "text" and len(values[at]) != length:
                raise OtherLength
            given.append(list(values[at : at + count]) if kind == "ints" else values[at])
            at += count
        return function(*given)

    return call, inspect.Signature(parameters)


def crosshair(file, function, arguments, seconds):
    """Complete paths, whether there are no more, and processor time."""
    import crosshair.core_and_libs  # noqa: F401: registers the standard library
    from crosshair.core import explore_paths
    from crosshair.options import DEFAULT_OPTIONS, AnalysisOptionSet
    from crosshair.statespace import RootNode

    call, signature = driver(getattr(load(file), function), arguments)
    complete = 0

    def on_path_complete(space, before, after, returned, exception, stack):
        nonlocal complete
        if not isinstance(exception, OtherLength):
            complete += 1
        return False

    stats = collections.Counter()
    limits = AnalysisOptionSet(per_condition_timeout=seconds, per_path_timeout=seconds)
    options = DEFAULT_OPTIONS.overlay(limits).overlay(stats=stats)
    begin = time.process_time()
    explore_paths(lambda bound: call(bound.args), signature, options, RootNode(), on_path_complete)
    return complete, stats["exhaustion"] > 0, time.process_time() - begin


def ours(pessimum, python, file, call, size, seconds):
    """The same of `pessimum paths`."""

    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    command = [pessimum, "paths", file, "--call", call, "--size", str(size), "--budget", f"{seconds}s", "--json", "--quiet"]
    command += ["--python", python]
    begin = used()
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {result.stderr}")
    found = json.loads(result.stdout)
    return found, used() - begin


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--pessimum", default=str(ROOT / "target" / "release" / "pessimum"))
    reader.add_argument("--seconds", type=int, default=20, help="for each function and tool")
    reader.add_argument("names", nargs="*", metavar="NAME", help="only functions whose name contains one of these")
    flags = reader.parse_args()
    print("| function | CrossHair paths | s | per s | ours paths | s | per s | ratio |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for name, (file, function, call, arguments, size) in FUNCTIONS.items():
        if flags.names and not any(part in name for part in flags.names):
            continue
        theirs, all_theirs, their_time = crosshair(SUBJECTS / file, function, arguments, flags.seconds)
        found, our_time = ours(flags.pessimum, sys.executable, SUBJECTS / file, call, size, flags.seconds)
        paths, every = found["feasible"], found["complete"]
        their_rate, our_rate = theirs / their_time, paths / our_time
        mark = lambda is_all: " (all)" if is_all else ""  # noqa: E731
        print(
            f"| {name} | {theirs}{mark(all_theirs)} | {their_time:.1f} | {their_rate:.1f} "
            f"| {paths}{mark(every)} | {our_time:.1f} | {our_rate:.1f} | {our_rate / their_rate:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
