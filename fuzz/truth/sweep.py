#!/usr/bin/env python3
"""Whether what Pessimum says to be certain is so.

    fuzz/truth/sweep.py target/debug/pessimum             all programs
    fuzz/truth/sweep.py target/debug/pessimum second dup  those whose file or function has one of these in its name

The commands are run on small functions, and every sentence with certain, proved, all of them, settled, "grows like",
"exactly", "both cost the same", "100 %" is compared with what the function does (truth.py), or with the truth
that stands above it:

    # call: f(int in -3..=3, str[n])     what is searched; a call that stands alone is for functions with hints
    # size: 2
    # all: product(range(-3, 4), texts("ab", n))    every input that the call permits, or one of each kind
    # some: ones(some(99, lambda r: ...))           a sample instead
    # beyond: [(None,)]     what the types permit and the call leaves out: where it contradicts a sentence, the sentence has to
    #                       say for which inputs it holds
    # class: n^2 | n log n  what the worst case grows like; a class that is not among them is false
    # sizes: 4..12          for curve and pattern
    # make: lambda n, m: (Stack(n).push, (m,))      how to call a method
    # runs: worst paths cover curve pattern
    # flags: worst --end any
    # fresh                 the program leaves something behind: each cost is compared with that in an interpreter of its own
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = re.compile(r"^ *(?:#|//) (call|size|all|some|beyond|class|sizes|make|runs|flags|paths): (.*)$|^ *(?:#|//) (fresh)$")
NAME = re.compile(r"^(?: *def |pub .*fn |[a-z]\w* )(\w+)\(")
PATIENCE = 120
# Libraries are what is not beside the file.
os.environ["PYTHONPATH"] = f"{HERE}/libraries"
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


def cases(wanted):
    """The functions of all files, each with what stands above it."""
    found = []
    for directory in ("first", "second"):
        for file in sorted(os.listdir(f"{HERE}/{directory}")):
            path, above = f"{HERE}/{directory}/{file}", {}
            if not file.endswith((".py", ".c", ".rs")):
                continue
            for line in open(path):
                head, name = HEAD.match(line), NAME.match(line)
                if head:
                    above[head[1] or head[3]] = (head[2] or "yes").strip()
                elif name and "call" in above:
                    case = dict(above, file=path, name=name[1], set=directory)
                    usual = "curve" if file.endswith(".py") else "curve pattern"
                    usual = usual if "class" in case else "worst paths cover"
                    case["runs"] = case.get("runs", usual).split()
                    case["id"] = f"{directory}/{file}:{name[1]}"
                    if not wanted or any(part in case["id"] for part in wanted):
                        found.append(case)
                    above = {}
    return found


class Checked:
    """The sentences of one program, and the false ones among them."""

    def __init__(self, case, binary):
        self.case, self.binary = case, binary
        self.sentences, self.false, self.failed = 0, [], []
        self.truths = {}

    def truth(self, n, given=None):
        key = (n, json.dumps(given))
        if key not in self.truths:
            question = json.dumps(dict(case=self.case, n=n, given=given))
            told = subprocess.run([sys.executable, f"{HERE}/truth.py"], input=question, capture_output=True, text=True)
            if told.returncode:
                raise RuntimeError(told.stderr[-600:])
            self.truths[key] = json.loads(told.stdout)
        return self.truths[key]

    def run(self, command, directory):
        """Text and exit code of a command."""
        flags = [self.binary, command, os.path.relpath(self.case["file"])] + self.flags(command)
        if command != "paths":
            flags += ["--out", directory]
        self.command = shlex.join(flags)
        try:
            ran = subprocess.run(flags, capture_output=True, text=True, errors="replace", timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.failed.append((self.command, f"takes more than {PATIENCE} s"))
            return None
        if ran.returncode not in (0, 3) and not ran.stdout:
            self.failed.append((self.command, ran.stderr.strip()[-300:]))
            return None
        return ran.stdout

    def flags(self, command):
        case = self.case
        flags = ["--call", case["call"], "--quiet", "--seed", "1"]
        # A pattern is run as far as the time goes. What is said of it is to be true whenever that ends.
        flags += ["--budget", "3s"] if command == "pattern" else ["--limit" if command == "paths" else "--paths", case.get("paths", "150")]
        if command in ("curve", "pattern"):
            flags += ["--sizes", case["sizes"]] if command == "curve" or "sizes" in case else []
            flags += ["--chart", "none"] if command == "curve" else []
        elif "size" in case:
            flags += ["--sizes" if command == "cover" else "--size", case["size"]]
        if not case["file"].endswith(".py") and command != "cover":
            flags += ["--cost", "user"]
        for given in case.get("flags", "").split(";"):
            words = shlex.split(given)
            if words and words[0] == command:
                flags += words[1:]
        return flags

    def says(self, sentence, problem):
        self.sentences += 1
        if problem:
            self.false.append((self.command, " ".join(sentence.split()), problem))

    def check(self):
        with tempfile.TemporaryDirectory() as directory:
            for command in self.case["runs"]:
                text = self.run(command, directory)
                if text is not None:
                    try:
                        getattr(self, command)(text, directory)
                    except Exception as error:
                        self.failed.append((self.command, f"{type(error).__name__}: {error}"))
        return self

    # What each command says.

    def worst(self, text, directory):
        result = json.load(open(f"{directory}/result.json"))
        cost, n = result["cost"]["value"], result["size"]
        if "fresh" in self.case and isinstance(result["input"], list):
            own = {c for range_ in self.truth(n, [result["input"]])["given"]["costs"].values() for c in range_}
            self.says(f"cost {cost}", None if own == {cost} else f"an interpreter of its own counts {sorted(own)}")
        said = re.search(r"^how sure +certain:.*", text, re.M)
        if not said:
            return
        truth, said = self.truth(n), said[0]
        at = truth.get("all") or truth.get("some")
        costs = self.by_end(at, result["end"])
        problem = f"an input costs {costs[1]}, not {cost}" if costs[1] > cost else None
        if not problem and "all" in truth and costs[1] != cost:
            problem = f"no input costs {cost}, but {costs[1]} at most"
        self.says(said, problem)
        if "beyond" in truth and self.by_end(truth["beyond"], result["end"])[1] > cost:
            self.bounded(said, text, result, f"others cost {self.by_end(truth['beyond'], result['end'])[1]}")

    def by_end(self, told, end):
        """Least and greatest cost of the runs that the result is about."""
        returned = told["costs"].get("returned")
        if end == "returned" and returned:
            return returned
        of = [c for e, c in told["costs"].items() if e != "returned"] or [returned or [0, 0]]
        return min(c[0] for c in of), max(c[1] for c in of)

    def bounded(self, said, text, result, why):
        """A sentence that others than the searched inputs contradict names these."""
        domain = result.get("domain") or ""
        shown = " ".join(text.split())
        self.says(said + " [for all inputs]", None if domain and " ".join(domain.split()) in shown else f"{why}, and nothing says for which inputs it holds")

    def paths(self, text, _):
        if ": all of them" not in text:
            return
        number = lambda name: int(re.search(rf"^{name} +([\d,]+)", text, re.M)[1].replace(",", ""))
        said = text.splitlines()[0]
        truth = self.truth(int(self.case["size"]) if "size" in self.case else None)
        at = truth.get("all") or truth.get("some")
        least = min(c[0] for c in at["costs"].values())
        most = max(c[1] for c in at["costs"].values())
        problem = None
        if self.case["file"].endswith(".py"):
            if at["kinds"] > number("feasible paths"):
                problem = f"inputs do {at['kinds']} different things"
            elif most > number("longest") or least < number("shortest"):
                problem = f"inputs cost {least} to {most}"
        elif most > number("longest"):
            problem = f"inputs cost {least} to {most}"
        self.says(said, problem)
        beyond = truth.get("beyond")
        if beyond and self.case["file"].endswith(".py") and max(c[1] for c in beyond["costs"].values()) > number("longest"):
            domain = re.search(r"^ +for ", text, re.M)
            self.says(said + " [for all inputs]", None if domain else "others cost more, and nothing says for which inputs it holds")

    def cover(self, text, directory):
        result = json.load(open(f"{directory}/result.json"))
        n = int(self.case["size"]) if "size" in self.case else None
        truth = None
        base = os.path.basename(self.case["file"])
        for open_ in result["open"]:
            if open_["reason"] != "unreachable" or not open_["file"]:
                continue
            truth = truth or self.truth(n)
            at = truth.get("all") or truth.get("some")
            said = f"proved unreachable: {open_['where']} arm {open_['arm']}"
            reached = self.reached(at, open_)
            self.says(said, f"inputs take it ({at['runs']} run)" if reached else None)
            if not reached and "beyond" in truth and self.reached(truth["beyond"], open_):
                self.bounded(said, text, result, "others take it")
        native = self.case["file"].endswith(".c")
        for file in result["files"]:
            if os.path.basename(file["file"] or "") != base:
                continue
            truth = truth or self.truth(n)
            at = truth.get("all")
            covered = {line for line, count in file["lines"] if count}
            if self.case["file"].endswith(".py") and at:
                extra = sorted(covered - set(at["executed"]))
                self.says(f"{len(covered)} lines covered", f"no input executes lines {extra}" if extra else None)
            if native and file["lines"] and covered == {line for line, _ in file["lines"]} and result["branches"]["covered"] == result["branches"]["goals"]:
                arguments = [i["arguments"] if isinstance(i, dict) else i for i in result["inputs"]]
                arguments = [[v if not isinstance(v, dict) else 0 for v in a] for a in arguments]
                ran = self.truth(n, arguments)["given"]
                reachable = set(at["executed"]) if at else set()
                missed = sorted(reachable - set(ran["executed"]))
                self.says("100 % of lines and branches", f"no input of the suite executes lines {missed}" if missed else None)

    def reached(self, told, open_):
        """Whether runs contradict that an arm cannot be taken."""
        if self.case["file"].endswith(".rs"):
            return "dead" not in open(self.case["file"]).read().splitlines()[open_["line"] - 1]
        return open_["line"] in told["taken"]

    def growth(self, said, what):
        found = re.search(r"grows like ([^(,;\n]+?)(?: \(|,|;|$)", said, re.M)
        true = [c.strip() for c in self.case["class"].split("|")]
        self.says(said, None if found and found[1].strip() in true else f"{what} grows like {self.case['class']}")

    def curve(self, text, directory):
        result = json.load(open(f"{directory}/curve.json"))
        for said in re.findall(r"^worst case  +(grows like .*)$", text, re.M):
            self.growth("worst case " + said, "the worst case")
        said = re.search(r"at these sizes (exactly .*)$", text, re.M)
        points = result["points"]
        if said:
            formula = said[1].removeprefix("exactly ").removesuffix(" lines").replace("floor(log2 n)", "L").replace("^", "**")
            formula = re.sub(r"(\d)(?=[nL])", r"\1*", re.sub(r"([\dnL]) (?=[\dnL])", r"\1*", formula))
            wrong = [p["size"] for p in points if abs(eval(formula, dict(n=p["size"], L=p["size"].bit_length() - 1)) - p["cost"]) > 1e-6]
            self.says(said[1], f"not at n = {wrong}" if wrong else None)
        for at, point in enumerate(points):
            sure = re.search(rf"^ +{point['size']} .*  (certain|settled)\b(.*)$", text, re.M)
            if not sure:
                continue
            said = f"n = {point['size']}: {sure[1]}{sure[2]}"
            below = max((p["cost"] for p in points[:at]), default=0)
            if sure[1] == "certain" and ("all" in self.case or "some" in self.case):
                truth = self.truth(point["size"])
                most = self.by_end(truth.get("all") or truth["some"], point["end"])[1]
                self.says(said, f"an input costs {most}, not {point['cost']}" if most > point["cost"] else None)
            elif sure[1] == "settled":
                late = point["reached_at"] > 0.9 * point["paths"]
                problem = f"its best is path {point['reached_at']} of {point['paths']}" if late else None
                monotone = "falls" not in self.case.get("flags", "")
                if not problem and point["cost"] < below and monotone:
                    problem = f"a smaller size costs {below}, this one {point['cost']}"
                self.says(said, problem)

    def pattern(self, text, _):
        for name, said in re.findall(r"^(worst case|search alone)  +(grows like .*)$", text, re.M):
            self.growth(f"{name} {said}", "the worst case")


def compared(binary):
    """Two versions beside each other: the directories in `compare`, with what is true of them in `truth.json`."""
    for name in sorted(os.listdir(f"{HERE}/compare")):
        place = f"{HERE}/compare/{name}"
        truth = json.load(open(f"{place}/truth.json"))
        checked = Checked(dict(id=f"compare/{name}", runs=[]), binary)
        with tempfile.TemporaryDirectory() as directory:
            flags = [binary, "compare", f"{place}/a", f"{place}/b", "--quiet", "--seed", "1", "--out", f"{directory}/out"] + truth["flags"]
            checked.command = shlex.join(flags)
            ran = subprocess.run(flags, capture_output=True, text=True, timeout=PATIENCE, cwd=f"{place}/b")
            if "verdict" not in ran.stdout:
                checked.failed.append((checked.command, ran.stderr[-300:]))
            for said in re.findall(r"^verdict +(.*)$", ran.stdout, re.M):
                kind = "same" if "cost the same" in said else "worse" if "worse" in said else "better"
                checked.says("verdict " + said, None if kind == truth["verdict"] else f"B is {truth['verdict']}")
        yield checked


def told(checked):
    """Says what is false of a program."""
    for command, said, why in checked.false:
        print(f"FALSE {checked.case['id']}: \"{said}\": {why}\n      {command}", flush=True)
    for command, why in checked.failed:
        print(f"ERROR {checked.case['id']}: {why}\n      {command}", flush=True)
    return checked


def main():
    binary, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    done = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        running = [pool.submit(Checked(case, binary).check) for case in cases(wanted)]
        for future in concurrent.futures.as_completed(running):
            done.append(told(future.result()))
    if not wanted or "compare" in wanted:
        done += map(told, compared(binary))
    sentences, false = sum(c.sentences for c in done), sum(len(c.false) for c in done)
    failed = sum(len(c.failed) for c in done)
    print(f"{len(done)} programs, {sentences} sentences checked, {false} false, {failed} commands failed")
    if not done or not sentences:
        print("nothing was checked")
    return 1 if false or failed or not sentences else 0


if __name__ == "__main__":
    sys.exit(main())
