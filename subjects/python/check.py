"""Runs calls in an ordinary interpreter and counts their line events, as ESE does: the reference for the cost `lines`.

Reads a JSON array of calls from standard input, each {"file", "function", "arguments"}; writes a JSON array of
{"lines", "result"}. Every call starts from a module that is executed afresh.
"""

import json
import os
import runpy
import sys


def lines_of(function, arguments):
    """What the call returns, and how many lines it executes."""
    count = 0

    def local(frame, event, argument):
        nonlocal count
        if event == "line":
            count += 1
        return local

    def start(frame, event, argument):
        return local

    sys.settrace(start)
    try:
        result = function(*arguments)
    finally:
        sys.settrace(None)
    return result, count


def run(call):
    directory = os.path.dirname(call["file"])
    sys.path.insert(0, directory)
    try:
        module = runpy.run_path(call["file"])
        result, lines = lines_of(module[call["function"]], call["arguments"])
    finally:
        sys.path.remove(directory)
    return {"lines": lines, "result": repr(result)}


if __name__ == "__main__":
    json.dump([run(call) for call in json.load(sys.stdin)], sys.stdout)
