#!/usr/bin/env python3
"""Whether what Pessimum says to be certain is so.

    fuzz/truth/sweep.py target/debug/pessimum             all programs
    fuzz/truth/sweep.py target/debug/pessimum second dup  those whose file or function has one of these in its name

The commands are run on small functions, and what they say (says.py) is compared with what the function does (truth.py), or with
what stands above it: certain, proved, unreachable, all of them, settled, "grows like", "exactly", "both cost the same", 100 %,
how each run ends, what gates decide, and the fields of the JSON that say the same. `planted.py` shows that a false one is found.
"compare" among the names stands for the directories of that name, and "check" for a pessimum.toml made of programs.

    # call: f(int in -3..=3, str[n])     what is searched; a call that stands alone is for functions with hints
    # api: new() -> Stack; push(Stack, i32 in 0..=3) -> i32     instead: functions of C that sequences call, of at most `size`
    # size: 2
    # all: product(range(-3, 4), texts("ab", n))    every input that the call permits, or one of each kind
    # some: ones(some(99, lambda r: ...))           a sample instead
    # beyond: [(None,)]     what the types permit and the call leaves out: where it contradicts a sentence, the sentence has to
    #                       say for which inputs it holds
    # class: n^2 | n log n  what the worst case grows like; a class that is not among them is false
    # sizes: 4..12          for curve and pattern
    # make: lambda n, m: (Stack(n).push, (m,))      how to call a method
    # runs: worst replay run paths cover curve pattern
    # flags: worst --end any
    # fresh                 the program leaves something behind: each cost is compared with that in an interpreter of its own
    # falls                 larger sizes cost less than smaller ones
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time

from says import PATIENCE, Checked

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = "call|api|size|all|some|beyond|class|sizes|make|runs|flags|paths"
HEAD = re.compile(rf"^ *(?:#|//) ({WORDS}): (.*)$|^ *(?:#|//) (fresh|falls)$")
NAME = re.compile(r"^(?: *def |pub .*fn |[a-z][\w ]* \*?)(\w+)\(")
# Libraries are what is not beside the file.
os.environ["PYTHONPATH"] = f"{HERE}/libraries"
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
# The interpreter itself: a script that chooses one takes longer to start than most programs here take to run.
os.environ["PATH"] = f"{os.path.dirname(os.path.realpath(sys.executable))}:{os.environ['PATH']}"


def cases(wanted=()):
    """The functions of all files, each with what stands above it."""
    found = []
    for directory in ("first", "second", "third"):
        for file in sorted(os.listdir(f"{HERE}/{directory}")):
            path, above = f"{HERE}/{directory}/{file}", {}
            if not file.endswith((".py", ".c", ".rs")):
                continue
            for line in open(path):
                head, name = HEAD.match(line), NAME.match(line)
                if head:
                    above[head[1] or head[3]] = (head[2] or "yes").strip()
                elif name and ("call" in above or "api" in above):
                    case = dict(above, file=path, name=name[1], id=f"{directory}/{file}:{name[1]}")
                    case["runs"] = case["runs"].split() if "runs" in case else usual(case)
                    if not wanted or any(part in case["id"] for part in wanted):
                        found.append(case)
                    above = {}
    return found


def usual(case):
    """The commands that a program is tried with. Some take turns: a program of Python takes a second for each of them."""
    if "api" in case:
        return ["api", "suite"]
    if "class" in case:
        return ["curve"] if case["file"].endswith(".py") else ["curve", "pattern"]
    turn, is_fresh = len(case["name"]) % 2, "fresh" in case
    second = ["run", "paths"] if turn and not is_fresh else ["replay"]
    third = second[1:] if case["file"].endswith(".py") and not is_fresh else ["paths"]
    return ["worst", second[0], *third, "cover"]


class Truths:
    """One process for each source file, which is compiled once."""

    def __init__(self):
        self.processes, self.lock = {}, threading.Lock()

    def __call__(self, question):
        file = question["case"]["file"]
        with self.lock:
            if file not in self.processes:
                pipe = subprocess.PIPE
                self.processes[file] = threading.Lock(), subprocess.Popen([sys.executable, f"{HERE}/truth.py", file], text=True, stdin=pipe, stdout=pipe)
        lock, process = self.processes[file]
        with lock:
            print(json.dumps(question), file=process.stdin, flush=True)
            return json.loads(process.stdout.readline() or '{"error": "truth.py has ended"}')

    def end(self):
        for _, process in self.processes.values():
            process.stdin.close()
            process.wait()


def compared(binary):
    """Two versions beside each other: the directories in `compare`, with what is true of them in `truth.json`."""
    for name in sorted(os.listdir(f"{HERE}/compare")):
        place = f"{HERE}/compare/{name}"
        truth = json.load(open(f"{place}/truth.json"))
        checked = Checked(dict(id=f"compare/{name}", runs=[], file=place), binary, None)
        with tempfile.TemporaryDirectory() as directory:
            words = [binary, "compare", f"{place}/a", f"{place}/b", "--quiet", "--seed", "1", "--out", f"{directory}/out"] + truth["flags"]
            checked.command = shlex.join(words)
            ran = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, cwd=f"{place}/b")
            if "verdict" not in ran.stdout:
                checked.failed.append((checked.command, ran.stderr[-300:]))
            for said in re.findall(r"^verdict +(.*)$", ran.stdout, re.M):
                kind = "same" if "cost the same" in said else "worse" if "worse" in said else "better"
                checked.says("verdict " + said, None if kind == truth["verdict"] else f"B is {truth['verdict']}")
        yield checked


def project(binary, truths):
    """The C functions of the first set as targets of one pessimum.toml: `check` fails those whose true cost or class is above a limit."""
    lines, true = [], {}
    for case in (case for case in cases() if re.search("first/(numbers|growth).c:", case["id"]) and len(case["name"]) % 2):
        of, name = Checked(case, binary, truths), case["name"]
        if "class" in case:
            limit = of.limit()
            lines += [f"[target.{name}]", f"sizes = {json.dumps(case['sizes'])}", f"fail-above-class = {json.dumps(limit)}"]
            true[name] = limit != case["class"]
        elif "all" in case:
            most = max(c[1] for c in of.known(of.size)["costs"].values())
            limit = max(0, most - of.turn % 2)
            lines += [f"[target.{name}]", f"fail-above = {limit}"] + ([f"size = {of.size}"] if of.size else [])
            true[name] = most > limit
        else:
            continue
        lines += [f"program = {json.dumps(case['file'])}", f"call = {json.dumps(case['call'])}", "paths = 150", 'cost = "user"', ""]
    checked = Checked(dict(id="check/pessimum.toml", file=""), binary, truths)
    with tempfile.TemporaryDirectory() as directory:
        open(f"{directory}/pessimum.toml", "w").write("\n".join(lines))
        try:
            text, code = checked.run_command(["check", "--config", f"{directory}/pessimum.toml", "--json"])
            targets = json.loads(text)["targets"]
            checked.same("targets", len(targets), len(true))
            checked.same("exit code", code, 3 if any(true.values()) else 0)
            for target in targets:
                if "the class is not known" not in target["message"]:
                    checked.same(f"{target['name']}: {target['message']}", target["verdict"], "failed" if true[target["name"]] else "passed")
        except RuntimeError as error:
            checked.failed.append((checked.command, str(error)))
    return checked


def told(checked):
    """Says what is false of a program."""
    for command, said, why in checked.false:
        print(f"FALSE {checked.case['id']}: \"{said}\": {why}\n      {command}", flush=True)
    for command, why in checked.failed:
        print(f"ERROR {checked.case['id']}: {why}\n      {command}", flush=True)
    return checked


def main():
    binary, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    began, done, truths = time.monotonic(), [], Truths()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() + 1) as pool:
        running = [pool.submit(Checked(case, binary, truths).check) for case in cases(wanted)]
        for future in concurrent.futures.as_completed(running):
            done.append(told(future.result()))
    if not wanted or "compare" in wanted:
        done += map(told, compared(binary))
    if not wanted or "check" in wanted:
        done.append(told(project(binary, truths)))
    truths.end()
    sentences, false = sum(c.sentences for c in done), sum(len(c.false) for c in done)
    failed = sum(len(c.failed) for c in done)
    print(f"{len(done)} programs, {sentences} sentences checked, {false} false, {failed} commands failed, {time.monotonic() - began:.0f} s")
    if not sentences:
        print("nothing was checked")
    return 1 if false or failed or not sentences else 0


if __name__ == "__main__":
    sys.exit(main())
