"""Worst cases in tests of Python: `pessimum_assert_class(sort, "n log n")` searches for the worst inputs of a function at
several sizes and fails if they grow faster than that.

Copy this file into the project, or put its directory on PYTHONPATH. It needs the command `pessimum`, in PATH or named in the
environment variable PESSIMUM, and works with any test runner; with pytest, the function is also a fixture of that name if
`pytest_plugins = ["pessimum_pytest"]` is in conftest.py.
"""

import inspect
import json
import os
import shutil
import subprocess
import sys
import tempfile

__all__ = ["PessimumError", "pessimum_assert_class", "pessimum_worst"]


class PessimumError(Exception):
    """The search could not be done: the command is missing, the call is wrong, the data is not conclusive."""


def pessimum_assert_class(
    function, at_most, *, call=None, sizes="4..64", paths=None, budget=None, cost="lines", seed=1, end=None
):
    """Searches for the worst inputs of a function and asserts that their cost grows no faster than a class.

    function: the function, or `(file, call)`. It is run in processes of its own, from its file.
    at_most:  a class: "1", "log n", "n", "n log n", "n^2", "n^3", "2^n" and so on.
    call:     the call with its types, as in "sort(int[n])"; without it, type hints say so.
    sizes:    as `pessimum curve --sizes` takes them, or numbers: "4..64", [4, 8, 16].
    paths:    paths of the search at each size, which make the outcome the same every time [500, unless budget is given].
    budget:   the time of everything, as in "20s".
    cost:     what is counted: lines, instructions, calls, depth, user and so on.

    Returns what `pessimum curve --json` prints. Fails with an AssertionError that names the class found and the worst input.
    """
    if paths is None and budget is None:
        paths = 500
    sizes = sizes if isinstance(sizes, str) else ",".join(map(str, sizes))
    words = ["--sizes", sizes, "--fail-above-class", at_most, "--cost", cost, "--seed", str(seed)]
    words += [] if paths is None else ["--paths", str(paths)]
    words += [] if budget is None else ["--budget", str(budget)]
    words += [] if end is None else ["--end", end]
    code, result, told = _searched("curve", function, call, words)
    if code == 0:
        return result
    if code != 3 or result is None:
        raise PessimumError(told)
    points = result["points"]
    growth = ", ".join(f"{point['cost']} at {point['size']}" for point in points)
    worst = json.dumps(points[-1]["input"]) if points else "none"
    found = result.get("worst", {}).get("formula") or result.get("worst", {}).get("class") or "faster"
    raise AssertionError(
        f"what was found grows faster than {at_most}: {found} ({growth} {cost}); worst input at "
        f"n = {points[-1]['size']}: {worst[:500]}"
    )


def pessimum_worst(function, *, size, at_most=None, call=None, paths=None, budget=None, cost="lines", seed=1):
    """Searches for the worst input of one size and, with `at_most`, asserts that it costs no more than that.

    Returns what `pessimum worst --json` prints.
    """
    if paths is None and budget is None:
        paths = 500
    words = ["--size", str(size), "--cost", cost, "--seed", str(seed)]
    words += [] if paths is None else ["--paths", str(paths)]
    words += [] if budget is None else ["--budget", str(budget)]
    words += [] if at_most is None else ["--fail-above", str(at_most)]
    code, result, told = _searched("worst", function, call, words)
    if code == 0:
        return result
    if code != 3 or result is None:
        raise PessimumError(told)
    found = result["cost"]["value"]
    raise AssertionError(f"{found} {cost}, which is more than {at_most}: {json.dumps(result['input'])[:500]}")


def _searched(command, function, call, words):
    """Runs the command; its exit code, what it printed and what it told."""
    file, call = _named(function, call)
    program = os.environ.get("PESSIMUM") or "pessimum"
    if shutil.which(program) is None:
        raise PessimumError(f"there is no command {program!r}; name it in the environment variable PESSIMUM")
    with tempfile.TemporaryDirectory() as place:
        words = [program, command, file, "--call", call, *words, "--json", "--quiet", "--out", place]
        words += ["--python", sys.executable] if sys.executable else []
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")
    told = done.stderr.strip() or f"{command} ended with code {done.returncode}"
    try:
        return done.returncode, json.loads(done.stdout), told
    except ValueError:
        return done.returncode, None, told


def _named(function, call):
    """The file and the call of a function."""
    if isinstance(function, tuple):
        file, named = function
        return os.fspath(file), call or named
    function = inspect.unwrap(function)
    name, file = getattr(function, "__qualname__", None), None
    try:
        file = inspect.getsourcefile(function)
    except TypeError:
        pass
    if not name or not file or "<" in name:
        raise PessimumError(f"{function!r} is not a function of a module: name it as (file, call)")
    return os.path.relpath(file), call or name


try:
    import pytest
except ImportError:
    pass
else:

    @pytest.fixture(name="pessimum_assert_class")
    def _fixture():
        """The function itself, for tests that rather take it as an argument."""
        return pessimum_assert_class
