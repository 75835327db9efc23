"""What the commands say of one program, and whether it is so."""

import json
import os
import re
import shlex
import subprocess
import tempfile
import zlib

PATIENCE = 600
ABOVE = "above --fail-above-class"
# In ascending order; between any two of them are others.
CLASSES = ["1", "log n", "n^0.5", "n", "n log n", "n^1.5", "n^2", "n^3", "1.62^n", "2^n"]


class Checked:
    """The sentences of one program, and the false ones among them. `truth` answers questions about its file (see `truth.py`)."""

    def __init__(self, case, binary, truth):
        self.case, self.binary, self.ask = case, binary, truth
        self.sentences, self.false, self.failed = 0, [], []
        self.truths = {}
        self.is_python, self.is_c = case["file"].endswith(".py"), case["file"].endswith(".c")
        self.size = case.get("size")
        # Which of several things a program is tried with, where all of them for each would take too long.
        self.turn = zlib.crc32(case["id"].encode())

    def truth(self, n=None, **others):
        question = dict(case=self.case, n=n if n is None else int(n), **others)
        key = json.dumps(question)
        if key not in self.truths:
            self.truths[key] = self.ask(question)
            if "error" in self.truths[key]:
                raise RuntimeError(self.truths[key]["error"])
        return self.truths[key]

    def known(self, n):
        """The truth of the inputs that the call permits, or of a sample."""
        truth = self.truth(n)
        return truth.get("all") or truth["some"]

    def check(self):
        with tempfile.TemporaryDirectory() as directory:
            for command in self.case["runs"]:
                try:
                    getattr(self, command)(directory)
                except Exception as error:
                    self.failed.append((self.command, f"{type(error).__name__}: {error}"))
        return self

    def run_command(self, words, given="", codes=(0, 3)):
        """Text and exit code of a command; none if it failed."""
        self.command = shlex.join([self.binary] + words)
        try:
            ran = subprocess.run([self.binary] + words, capture_output=True, text=True, errors="replace", timeout=PATIENCE, input=given)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"takes more than {PATIENCE} s") from None
        if ran.returncode not in codes or not ran.stdout:
            raise RuntimeError(f"exit {ran.returncode}: {ran.stderr.strip()[-300:]}")
        return ran.stdout, ran.returncode

    def start(self, command):
        """The command and what is run."""
        case = self.case
        words = [command, os.path.relpath(case["file"])]
        if "api" in case:
            for declaration in case["api"].split(";"):
                words += ["--api", declaration.strip()]
        else:
            words += ["--call", case["call"]]
        return words

    def search(self, command, *more):
        case = self.case
        words = self.start(command) + ["--quiet", "--seed", "1"]
        # A pattern is run as far as the time goes. What is said of it is to be true whenever that ends.
        words += ["--budget", "2s"] if command == "pattern" else ["--limit" if command == "paths" else "--paths", case.get("paths", "150")]
        if command in ("curve", "pattern"):
            words += ["--sizes", case["sizes"]] if command == "curve" or "sizes" in case else []
            words += ["--chart", "none"] if command == "curve" else []
        elif self.size and command != "suite":
            words += ["--sizes" if command == "cover" else "--size", self.size]
        if not self.is_python and command not in ("cover", "suite"):
            words += ["--cost", "user"]
        for flags in case.get("flags", "").split(";"):
            given = shlex.split(flags)
            words += given[1:] if given and given[0] == command else []
        return words + list(more)

    def says(self, sentence, problem):
        self.sentences += 1
        if problem:
            self.false.append((self.command, " ".join(str(sentence).split()), problem))

    def same(self, what, said, told):
        self.says(f"{what}: {said}", None if said == told else f"it is {told}")

    def agree(self, field, value, text, word):
        """A field of the JSON and a sentence in the text."""
        self.says(f"\"{field}\": {json.dumps(value)}", None if bool(value) == (word in text) else f"the text does {'not ' * bool(value)}say {word!r}")

    def bounded(self, said, text, domain, why):
        """A sentence that others than the searched inputs contradict names these."""
        shown = " ".join(text.split())
        named = domain and " ".join(domain.split()) in shown
        self.says(said + " [for all inputs]", None if named else f"{why}, and nothing says for which inputs it holds")

    def of_end(self, told, end):
        """Least and greatest cost of the runs that a result with this end is about."""
        ended = {e: c for e, c in told["costs"].items() if e == "returned" or e.startswith("exited")}
        of = list((ended if end in ended else {e: c for e, c in told["costs"].items() if e not in ended} or ended or {"": (0, 0)}).values())
        return min(c[0] for c in of), max(c[1] for c in of)

    # The commands.

    def worst(self, directory):
        limit = None
        more = ["--out", directory]
        if "fresh" not in self.case and "class" not in self.case:
            limit = max(0, max(c[1] for c in self.known(self.size)["costs"].values()) - self.turn % 2)
            more += ["--fail-above", str(limit)]
        text, code = self.run_command(self.search("worst", *more))
        result = json.load(open(f"{directory}/result.json"))
        cost, n = result["cost"]["value"], result["size"]
        if "every run is the same" not in " ".join(text.split()):
            self.agree("complete", result["complete"], " ".join(text.split()), "certain: every" if not result.get("always") else "every")
            self.agree("complete", result["complete"], open(f"{directory}/report.html").read(), "Certain")
        if limit is not None:
            self.says(f"exit code {code} for --fail-above {limit}", None if (code == 3) == (cost > limit) else f"the cost is {cost}")
        if "fresh" in self.case and isinstance(result["input"], list):
            own = {c for range_ in self.truth(n, given=[result["input"]])["given"]["costs"].values() for c in range_}
            self.says(f"cost {cost}", None if own == {cost} else f"an interpreter of its own counts {sorted(own)}")
        said = re.search(r"^how sure +certain:.*", text, re.M)
        if not said:
            return
        truth, said = self.truth(n), said[0]
        told = self.known(n)
        least, most = self.of_end(told, result["end"])
        problem = f"an input costs {most}, not {cost}" if most > cost else None
        if not problem and "all" in truth and most != cost:
            problem = f"no input costs {cost}, but {most} at most"
        self.says(said, problem)
        if result.get("every_input") and "all" in truth and told["distinct"]:
            inputs = result["every_input"]
            self.says(f"{inputs} inputs", None if inputs >= told["distinct"] else f"there are {told['distinct']}")
        if "beyond" in truth:
            others = self.of_end(truth["beyond"], result["end"])[1]
            if others > cost:
                self.bounded(said, text, result.get("domain"), f"others cost {others}")

    def replay(self, directory):
        """After `worst`: the saved input costs what was said."""
        saved = json.load(open(f"{directory}/result.json"))
        text, _ = self.run_command(["replay", directory, "--json"] + ["--run-python"] * self.is_python)
        result = json.loads(text)
        self.same("cost", result["cost"]["value"], saved["cost"]["value"])
        self.same("end", result["end"], saved["end"])

    def run(self, _):
        """The costliest of the known inputs, by itself."""
        worst = [w for w in self.known(self.size)["worst"].values() if w]
        # A constant text in a call has another form as input.
        if not worst or '"' in self.case["call"]:
            return
        worst = max(worst, key=lambda w: w["cost"])
        limit, given = max(0, worst["cost"] - self.turn % 2), json.dumps(worst["input"])
        words = self.start("run") + (["--size", self.size] if self.size else []) + ["--input", "-"]
        unit = "lines" if self.is_python else "user"
        if self.turn % 3:
            result = json.loads(self.run_command(words + ["--json"], given)[0])
            self.same("cost", result["costs"][unit], worst["cost"])
            self.ends(result["end"], result["result"], result.get("message"), worst["end"], worst["value"])
        else:
            text, code = self.run_command(words + ["--cost", unit, "--fail-above", str(limit)], given)
            self.same("cost", text.strip(), str(worst["cost"]))
            self.same(f"exit code for --fail-above {limit}", code, 3 if worst["cost"] > limit else 0)

    def ends(self, end, value, message, true_end, true_value):
        """How a run ends, and with which value."""
        if true_end == "returned" or true_end.startswith("exited"):
            self.same("end", end, true_end)
        else:
            self.says(f"{end}: {message}", None if end.startswith("trapped") and (message or "").startswith(true_end) else f"it raises {true_end}")
        if end == "returned" == true_end and not self.is_python:
            value = value[0] if isinstance(value, list) and value else None
            bits = 2**64 if true_value is not None and abs(true_value) >= 2**31 else 2**32
            self.same("result", None if value is None else value % bits, None if true_value is None else true_value % bits)
        elif end == "returned" == true_end:
            value = value[0] if isinstance(value, list) else value
            self.same("result", str(value)[:60], true_value[:60])

    def paths(self, _):
        text, _ = self.run_command(self.search("paths"))
        number = lambda name: int(re.search(rf"^{name} +([\d,]+)", text, re.M)[1].replace(",", ""))
        longest, shortest, feasible = number("longest"), number("shortest"), number("feasible paths")
        if self.turn % 4 == 0:
            result = json.loads(self.run_command(self.search("paths", "--json"))[0])
            self.agree("complete", result["complete"], text, ": all of them")
            self.same("longest", result["longest"], longest)
            self.same("shortest", result["shortest"], shortest)
            self.same("feasible", result["feasible"], feasible)
        if ": all of them" not in text:
            return
        said = text.splitlines()[0]
        told = self.known(self.size)
        least = min(c[0] for c in told["costs"].values())
        most = max(c[1] for c in told["costs"].values())
        problem = None
        if self.is_python and told["kinds"] > feasible:
            problem = f"inputs do {told['kinds']} different things"
        elif most > longest or self.is_python and least < shortest:
            problem = f"inputs cost {least} to {most}"
        elif "all" in self.truth(self.size) and most != longest:
            problem = f"no input costs {longest}, but {most} at most"
        self.says(said, problem)
        beyond = self.truth(self.size).get("beyond")
        if beyond and self.is_python and max(c[1] for c in beyond["costs"].values()) > longest:
            domain = re.search(r"^ +for ", text, re.M)
            self.says(said + " [for all inputs]", None if domain else "others cost more, and nothing says for which inputs it holds")

    def cover(self, directory):
        text, _ = self.run_command(self.search("cover", "--out", directory))
        result = json.load(open(f"{directory}/result.json"))
        truth = self.truth(self.size)
        told = self.known(self.size)
        unreachable = [o for o in result["open"] if o["reason"] == "unreachable"]
        self.agree("open[].reason unreachable", [o["where"] for o in unreachable], text, "proved unreachable")
        for open_ in (o for o in unreachable if o["file"]):
            said = f"proved unreachable: {open_['where']}"
            reached = self.reached(told, open_)
            self.says(said, f"inputs take it ({told['runs']} run)" if reached else None)
            if not reached and "beyond" in truth and self.reached(truth["beyond"], open_):
                self.bounded(said, text, result.get("domain"), "others take it")
        inputs = [i["arguments"] if isinstance(i, dict) and "arguments" in i else i for i in result["inputs"]]
        inputs = [[0 if v is None and not self.is_python else v for v in i] for i in inputs if isinstance(i, list)]
        plain = "make" not in self.case and "class" not in self.case and self.is_plain(inputs) and len(inputs) == len(result["inputs"])
        ran = self.truth(self.size, given=inputs)["given"] if plain and inputs else None
        for test, (_, end, value) in zip(result["tests"], ran["each"] if ran else []):
            self.ends(test["end"], test["returned"], test.get("why"), end, value)
        self.covered(result, told if "all" in truth else None, ran)
        if self.turn % 4 == 1 and "all" in truth and not self.case["file"].endswith(".rs"):
            self.reach(result, told, f"{directory}/reach")

    def is_plain(self, inputs):
        """Whether inputs in JSON are what the function is called with."""
        call = self.case["call"]
        return "(" in call and not re.search(r"bytes|set\(|dict\(|tuple\(|oneof|float|f32|f64|deque|\b[A-Z]\w+[,)\[]", call.split("(", 1)[1])

    def covered(self, result, told, ran):
        """Lines that are said to be covered, and all of them where that is said. `told` is of all inputs, `ran` of those of the suite."""
        for file in result["files"]:
            if os.path.basename(file["file"] or "") != os.path.basename(self.case["file"]):
                continue
            covered = {line for line, count in file["lines"] if count}
            if told and not self.case["file"].endswith(".rs"):
                extra = sorted(covered - set(told["executed"])) if self.is_python else []
                self.says(f"{len(covered)} lines covered", f"no input executes lines {extra}" if extra else None)
            if ran and not self.case["file"].endswith(".rs"):
                extra = sorted(covered - set(ran["executed"])) if self.is_python else sorted(covered & set(ran["never"]))
                self.says(f"{len(covered)} lines covered by the suite", f"its inputs do not execute lines {extra}" if extra else None)
            branches = result["branches"]
            if ran and self.is_c and covered == {line for line, _ in file["lines"]} and branches["covered"] == branches["goals"]:
                missed = sorted((set(told["executed"]) if told else set()) - set(ran["executed"]))
                self.says("100 % of lines and branches", f"no input of the suite executes lines {missed}" if missed else None)

    def reached(self, told, open_):
        """Whether runs contradict that an arm cannot be taken."""
        if self.case["file"].endswith(".rs"):
            return "dead" not in open(self.case["file"]).read().splitlines()[open_["line"] - 1]
        return open_["line"] in told["taken"]

    def reach(self, result, told, directory):
        """The line that the fewest inputs of the suite execute, or one that none does."""
        lines = [file["lines"] for file in result["files"] if os.path.basename(file["file"] or "") == os.path.basename(self.case["file"])]
        if not lines or not lines[0]:
            return
        line, _ = min(lines[0], key=lambda of: of[1])
        if self.is_c and line not in told["executed"] + told["never"]:
            return
        words = self.search("cover", "--reach", f"{os.path.basename(self.case['file'])}:{line}", "--json", "--out", directory)
        text, _ = self.run_command(words, codes=(0, 1, 3))
        reached = json.loads(text)
        known = line in told["executed"]
        problem = f"inputs {'reach' if known else 'do not reach'} it" if reached["reached"] != known and (reached["reached"] or reached["complete"]) else None
        self.says(f"line {line} {'' if reached['reached'] else 'not '}reached", problem)

    # Growth.

    def growth(self, said):
        found = re.search(r"grows like ([^(,;\n]+?)(?: \(| at these|,|;|$)", said, re.M)
        true = [c.strip() for c in self.case["class"].split("|")]
        if found:
            self.says(said, None if found[1].strip() in true else f"it grows like {self.case['class']}")
        elif "no growth was found" in said:
            self.says(said, None if "1" in true else f"it grows like {self.case['class']}")

    def limit(self):
        """A limit on the class: the true one, or the next one below it."""
        true = self.case["class"].split("|")[0].strip()
        return CLASSES[max(0, CLASSES.index(true) - self.turn % 2)]

    def gate(self, text, code, known, limit):
        """`known` is the class that is stated."""
        if known in CLASSES:
            above = CLASSES.index(known) > CLASSES.index(limit)
            self.same(f"exit code for --fail-above-class {limit} of {known}", code, 3 if above else 0)
        true = max(CLASSES.index(c.strip()) for c in self.case["class"].split("|") if c.strip() in CLASSES)
        if code == 0:
            self.says(f"not {ABOVE} {limit}", f"it grows like {self.case['class']}" if true > CLASSES.index(limit) else None)
        elif code == 3:
            self.says(f"{ABOVE} {limit}", f"it grows like {self.case['class']}" if true <= CLASSES.index(limit) else None)

    def curve(self, directory):
        limit = self.limit()
        text, code = self.run_command(self.search("curve", "--out", directory, "--fail-above-class", limit), codes=(0, 1, 3))
        result = json.load(open(f"{directory}/curve.json"))
        said = re.search(r"^(worst (?:case|found)  .*)$", text, re.M)
        points = result["points"]
        if said:
            self.growth(said[1])
        stated = result["worst"]["class"]
        if "known_pattern" not in result:
            words = ("grows like", "no growth was found")
            self.says(f"\"class\": {json.dumps(stated)}", None if bool(said and any(w in said[1] for w in words)) == bool(stated) else f"the text says {said and said[1]}")
            self.gate(text, code, stated, limit)
        formula = re.search(r"at these sizes (exactly .*)$", text, re.M)
        if formula:
            wrong = [p["size"] for p in points if abs(evaluated(formula[1], p["size"]) - p["cost"]) > 1e-6]
            self.says(formula[1], f"not at n = {wrong}" if wrong else None)
        for at, point in enumerate(points):
            self.point(text, point, max((p["cost"] for p in points[:at]), default=0))

    def point(self, text, point, below):
        """How sure one size is. A smaller one costs `below` at most."""
        sure = re.search(rf"^ +{point['size']} .*  (certain|settled)\b(.*)$", text, re.M)
        self.says(f"n = {point['size']}: \"complete\": {point['complete']}", None if point["complete"] == bool(sure and sure[1] == "certain") else "the text says otherwise")
        if not sure:
            return
        said = f"n = {point['size']}: {sure[1]}{sure[2]}"
        if sure[1] == "certain" and ("all" in self.case or "some" in self.case):
            most = self.of_end(self.known(point["size"]), point["end"])[1]
            self.says(said, f"an input costs {most}, not {point['cost']}" if most > point["cost"] else None)
        elif sure[1] == "settled":
            late = point["reached_at"] > 0.9 * point["paths"]
            problem = f"its best is path {point['reached_at']} of {point['paths']}" if late else None
            if not problem and point["cost"] < below and "falls" not in self.case:
                problem = f"a smaller size costs {below}, this one {point['cost']}"
            self.says(said, problem)

    def pattern(self, directory):
        limit = self.limit()
        text, code = self.run_command(self.search("pattern", "--out", directory, "--fail-above-class", limit), codes=(0, 1, 3))
        result = json.load(open(f"{directory}/pattern.json"))
        lines = dict(re.findall(r"^(worst case|worst found|search alone)  +(.*)$", text, re.M))
        for name, said in lines.items():
            self.growth(f"{name} {said}")
        said = lines.get("worst case", lines.get("worst found", ""))
        words = ("grows like", "no growth was found")
        self.says(f"\"class\": {json.dumps(result['class'])}", None if any(w in said for w in words) == bool(result["class"]) else f"the text says {said!r}")
        self.gate(text, code, result["class"], limit)

    # Sequences of calls.

    def calls(self, statements):
        """Statements in the form of `truth.py`."""
        return [(s["call"], [[v["returned"]] if isinstance(v, dict) else v for v in s["arguments"]]) for s in statements]

    def api(self, directory):
        text, _ = self.run_command(self.search("worst", "--out", directory))
        result = json.load(open(f"{directory}/result.json"))
        (each, _), = self.truth(given=[self.calls(result["statements"])])["each"]
        self.same("cost of each call", result["each"], each)
        self.same("cost", result["cost"]["value"], sum(each))
        most = self.truth(to=int(self.size))["most"]
        said = re.search(r"^how sure +.*", text, re.M)[0]
        self.says(said, f"a sequence costs {most}" if most > sum(each) and re.search(r"(?<!not )certain|all of them|every", said) else None)
        self.says(f"{len(result['statements'])} calls", f"more than {self.size}" if len(result["statements"]) > int(self.size) else None)

    def suite(self, directory):
        text, _ = self.run_command(self.search("suite", "--out", directory))
        result = json.load(open(f"{directory}/result.json"))
        self.says("sentences of a suite", "it proves nothing" if re.search(r"proved|certain", text) else None)
        tests = [self.calls(test) for test in result["tests"]]
        ran, told = self.truth(given=tests), self.truth(to=int(self.size))
        for test, (_, made) in zip(result["tests"], ran["each"]):
            for statement, value in zip(test, made):
                if "returned" in statement:
                    self.same(statement["text"], statement["returned"], value)
        self.covered(result, told, ran)
        missing = [o for o in result["open"] if o["line"] in ran["taken"]]
        self.says(f"{len(result['open'])} branches not reached", f"its tests take {missing[0]['where']}" if missing else None)


def evaluated(formula, n):
    """A closed form as `exactly` prints it."""
    formula = formula.removeprefix("exactly ").removesuffix(" lines").removesuffix(" line").replace("floor(log2 n)", "L").replace("^", "**")
    formula = re.sub(r"(\d)(?=[nL])", r"\1*", re.sub(r"([\dnL]) (?=[\dnL])", r"\1*", formula))
    return eval(formula, dict(n=n, L=n.bit_length() - 1))
