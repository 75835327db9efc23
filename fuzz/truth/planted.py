#!/usr/bin/env python3
"""That a false sentence is found: the sweep's own test.

    fuzz/truth/planted.py target/debug/pessimum

For each kind of sentence one program is swept twice: with the command itself, of which nothing may be said to be false, and with
this file in its place, which runs the command and falsifies what it prints or writes.
"""

import json
import os
import re
import subprocess
import sys

import sweep
from says import Checked

# Program, command, and what is falsified: a pattern in the text and its replacement, or a field of the JSON file and a change of it.
LIES = [
    ("numbers.c:steps", "worst", r"certain: every", "every"),
    ("numbers.c:steps", "worst", "cost.value", lambda cost: cost - 1),
    ("numbers.c:steps", "worst", "complete", lambda complete: not complete),
    ("numbers.c:steps", "worst", "every_input", lambda inputs: inputs - 1),
    ("domains.py:width", "worst", r"for `text`.*", ""),
    ("numbers.c:steps", "paths", r"(longest +)\d+", r"\g<1>1"),
    ("branches.py:fever", "paths", r"(feasible paths +)\d+", r"\g<1>1"),
    ("branches.py:fever", "cover", "open", lambda _: [dict(where="x", reason="unreachable", file="branches.py", line=7, branch=1, arm=0)]),
    ("branches.py:fever", "cover", "tests.0.returned", lambda _: ["'cold'"]),
    ("branches.py:fever", "cover", "inputs", lambda inputs: inputs[:1]),
    ("numbers.c:three", "run", r'"end": "returned"', '"end": "trapped: unreachable"'),
    ("numbers.c:three", "run", r'"user": \d+', '"user": 77'),
    ("numbers.c:steps", "replay", r'"value": \d+', '"value": 77'),
    ("growth.py:total", "curve", r"grows like n\b", "grows like n^2"),
    ("growth.py:total", "curve", r"exactly [^,]*? lines", "exactly 7n lines"),
    ("growth.py:total", "curve", "worst.class", lambda _: None),
    ("growth.c:constant", "curve", "exit", lambda code: 3 - code),
    ("loops.c:zeros", "pattern", r"grows like n\b", "grows like log n"),
    ("meter.c:meter_new", "api", "each.1", lambda cost: cost + 1),
    ("meter.c:meter_new", "api", "cost.value", lambda cost: cost + 1),
    ("meter.c:meter_new", "suite", "tests.0.1.returned", lambda value: value + 1),
    ("meter.c:meter_new", "suite", "tests", lambda tests: tests[:1]),
]
FILES = {"curve": "curve.json", "pattern": "pattern.json"}


def changed(value, keys, change):
    """The value with the change at a place; nothing where there is no such place."""
    if not keys:
        return change(value)
    key = int(keys[0]) if isinstance(value, list) else keys[0]
    value[key] = changed(value[key], keys[1:], change)
    return value


def lie(number, binary, words):
    """Runs the command and falsifies it."""
    _, _, what, change = LIES[number]
    ran = subprocess.run([binary] + words, capture_output=True, text=True)
    text, code = ran.stdout, ran.returncode
    if isinstance(change, str):
        text = re.sub(what, change, text)
    elif what == "exit":
        code = change(code)
    else:
        file = f"{words[words.index('--out') + 1]}/{FILES.get(words[0], 'result.json')}"
        result = json.load(open(file))
        json.dump(changed(result, what.split("."), change), open(file, "w"))
    print(text, end="")
    print(ran.stderr, end="", file=sys.stderr)
    sys.exit(code)


def main(binary):
    here, truths, missed, honest = os.path.abspath(__file__), sweep.Truths(), 0, {}
    for number, (name, command, what, _) in enumerate(LIES):
        case, = (case for case in sweep.cases() if case["id"].endswith(f"/{name}"))
        # Replay shows what was saved.
        case["runs"] = ["worst", command] if command == "replay" else [command]
        os.environ["TRUTH_LIE"] = f"{number} {binary}"
        if (name, command) not in honest:
            honest[name, command] = Checked(case, binary, truths).check()
        falsified = Checked(case, here, truths).check()
        if not falsified.false or falsified.failed or honest[name, command].false or honest[name, command].failed:
            missed += 1
            for checked in honest[name, command], falsified:
                print(f"{command} of {name}, {what!r}: {checked.false} {checked.failed}")
    truths.end()
    print(f"{len(LIES)} planted falsehoods, {missed} not found")
    return 1 if missed else 0


if __name__ == "__main__":
    if "TRUTH_LIE" in os.environ:
        number, binary = os.environ["TRUTH_LIE"].split(" ", 1)
        lie(int(number), binary, sys.argv[1:])
    sys.exit(main(os.path.abspath(sys.argv[1])))
