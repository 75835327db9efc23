"""Whether what a function costs depends on the runs before it, with many packages imported.

    python3 bench/python/packages.py VENV [--install] [--pessimum target/release/pessimum] [NAME ...]

For each importable package of the virtual environment (or for those named) a
function is searched that loops over its input and calls nothing of the package,
and one for each line of calls.txt that begins with the package, which calls
something of it. The search runs inputs in processes that have run others; its
best one is then run again in a new process. Prints the functions where a cost
differs, where runs are left out or the search complains, and a summary. With
--install the environment is made first, with the packages of packages.txt.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

LOOP = """import {name}


def loop(s: str) -> int:
    n = 0
    for c in s:
        if c == "a":
            n += 1
    return n
"""

CALL = """import {imports}


def loop(s: str) -> int:
    n = len(s)
    try:
        n = len(repr({call}))
    except Exception:
        pass
    while n > 5 and s[0] == "a":
        n -= 5
    return n
"""

# What lists the packages that a distribution makes importable.
LIST = """import importlib.metadata, json, sys
found = importlib.metadata.packages_distributions()
print(json.dumps(sorted(name for name in found if name.isidentifier() and not name.startswith("_")
                        and name not in ("pip", "setuptools", "pkg_resources", "tests", "test"))))
"""


def check(arguments, python, name, source):
    """What is wrong; none if nothing is, False if the package cannot be imported."""
    with tempfile.TemporaryDirectory() as directory:
        file = os.path.join(directory, "subject.py")
        with open(file, "w") as out:
            out.write(source)

        def run(*words):
            return subprocess.run([arguments.pessimum, *words, "--python", python], cwd=directory, text=True,
                                  capture_output=True, timeout=600)

        found = run("worst", file, "--call", "loop(str[n])", "--size", "4", "--paths", str(arguments.paths), "--quiet", "--json")
        if found.returncode or found.stderr.strip():
            said = (found.stderr or found.stdout).strip()
            return False if "cannot be imported" in said or "was not imported" in said or "when it was imported" in said \
                else said[-400:]
        result = json.loads(found.stdout)
        out = os.path.join(directory, "pessimum-out", "subject")
        again = run("run", file, "--call", "loop(str[n])", "--size", "4", "--input", os.path.join(out, "input.json"), "--cost", "lines")
        wrong = []
        if result.get("left_out"):
            wrong.append(f"left out: {result['left_out'][:2]}")
        if str(result["cost"]["value"]) != again.stdout.strip():
            wrong.append(f"{result['cost']['value']} lines, but {again.stdout.strip() or again.stderr.strip()} in a new process")
        return "; ".join(wrong) or None


def calls():
    """[(modules to import, expression)] of calls.txt."""
    with open(os.path.join(HERE, "calls.txt")) as file:
        lines = [line.strip().split(": ", 1) for line in file if not line.startswith("#")]
    return [(modules.split(), call) for modules, call in lines]


def install(venv):
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([os.path.join(venv, "bin", "python"), "-m", "pip", "install", "--quiet", "--prefer-binary",
                    "--requirement", os.path.join(HERE, "packages.txt")], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("venv")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--pessimum", default="target/release/pessimum")
    parser.add_argument("--paths", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if arguments.install:
        install(arguments.venv)
    arguments.pessimum = os.path.abspath(arguments.pessimum)
    python = os.path.abspath(os.path.join(arguments.venv, "bin", "python"))
    names = arguments.names or json.loads(subprocess.run([python, "-c", LIST], check=True, text=True,
                                                         capture_output=True).stdout)
    work = [(name, "loop", LOOP.format(name=name)) for name in names]
    work += [(modules[0], call, CALL.format(imports=", ".join(modules), call=call))
             for modules, call in calls() if modules[0].partition(".")[0] in names]
    checked, differing, refused = 0, [], []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        def one(item):
            try:
                return item, check(arguments, python, item[0], item[2])
            except Exception as error:
                return item, f"{type(error).__name__}: {error}"
        for (name, what, _), wrong in pool.map(one, work):
            if wrong is False:
                refused.append(name)
                continue
            checked += 1
            if wrong:
                differing.append(name)
                print(f"{name} ({what}): {wrong}", flush=True)
    print(f"{checked} functions with {len(set(names) - set(refused))} packages, {len(differing)} differ; "
          f"not importable: {', '.join(sorted(set(refused))) or 'none'}")


if __name__ == "__main__":
    main()
