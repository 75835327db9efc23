#!/usr/bin/env python3
"""Finds circles of modules: sets of more than three siblings each of which needs all others, directly or through others.

Such a set can only be read, tested and moved as a whole. Fails where one is not listed below with the idea that it is. What a
module needs is read from the paths in its sources; what a module passes on (`pub use`) counts as what it stands for. Tests do
not count. With --why, who needs whom.
"""

import pathlib
import re
import sys

MOST = 3

# Where a larger set is one idea: its modules, and which idea. The set may shrink, never grow.
ONE_IDEA = {
    "cli": (
        "cover curve explain paths pattern place python replay report subject worst",
        "no idea: workflows that are still in the commands",
    ),
    "solver": (
        "avm boolean domain equality layers linear middle recent sample",
        "the list of layers names each layer, and each layer is one of the trait beside the list",
    ),
    "wasm": (
        "domain exceptions machine memory module run symbolic verify",
        "one machine in two domains: each domain has a memory and a dispatcher of its own, and loaded code holds what was compiled for it",
    ),
    "wasm/run": (
        "cells control dispatch frame memory step",
        "the run loop: a cell holds the handler of its instruction, and each handler goes on to the next cell",
    ),
}

USE = re.compile(r"^\s*(?:pub(?:\([^)]*\))? )?use ([^;]+);", re.M)
PATH = re.compile(r"\b((?:crate|super|self)(?:::\w+)+)")


def stripped(text):
    """The code without comments, texts and tests."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'r(#+)".*?"\1', '""', text, flags=re.S)
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text, flags=re.S)
    return re.sub(r"#\[cfg\(test\)\]\s*(?:pub(?:\(crate\))? )?mod \w+(?:;|\s*\{.*?^\})", "", text, flags=re.S | re.M)


def expanded(tree):
    """The paths of a use tree, as (path, name)."""
    tree = tree.strip()
    if "{" not in tree:
        path, _, name = tree.partition(" as ")
        path = tuple(part.strip() for part in path.split("::") if part.strip())
        return [(path, name.strip() or path[-1])]
    head, body = tree.split("{", 1)
    parts, depth, start = [], 0, 0
    body = body[: body.rindex("}")]
    for at, letter in enumerate(body + ","):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            parts.append(body[start:at])
            start = at + 1
    head = tuple(part for part in head.strip().split("::") if part)
    below = [found for part in parts if part.strip() for found in expanded(part)]
    return [(head + (path[:-1] if path[-1] == "self" else path), head[-1] if name == "self" else name) for path, name in below]


def modules_of(source):
    """The code of each module of a crate, by its path."""
    modules = {}
    for file in sorted(source.rglob("*.rs")):
        path = file.relative_to(source).with_suffix("").parts
        if path[0] == "bin":
            continue
        if path[-1] in ("mod", "lib", "main"):
            path = path[:-1]
        modules[path] = modules.get(path, "") + stripped(file.read_text())
    return modules


def absolute(path, module, modules):
    """A path from the root of the crate; none if it leads out of it."""
    if path[0] == "crate":
        return path[1:]
    if path[0] == "self":
        return module + path[1:]
    if path[0] == "super":
        while path and path[0] == "super":
            module, path = module[:-1], path[1:]
        return module + path
    return module + path if module + path[:1] in modules else None


def graphs(modules):
    """Who needs whom among the children of each module."""
    imports = {module: {} for module in modules}
    needed = {module: set() for module in modules}
    for module, code in modules.items():
        for tree in USE.findall(code):
            for path, name in expanded(tree):
                target = absolute(path, module, modules)
                if target is not None:
                    imports[module][name] = target
                    needed[module].add(target)
        for path in PATH.findall(USE.sub("", code)):
            needed[module].add(absolute(tuple(path.split("::")), module, modules))

    def resolved(path, tries=8):
        module = ()
        for at, name in enumerate(path):
            if module + (name,) in modules:
                module += (name,)
            elif name in imports[module] and tries and imports[module][name] != path[: at + 1]:
                return resolved(imports[module][name] + path[at + 1 :], tries - 1)
            else:
                break
        return module

    found = {}
    for module, paths in needed.items():
        for path in paths:
            other = resolved(path)
            level = next((at for at, (a, b) in enumerate(zip(module, other)) if a != b), None)
            if level is not None:
                found.setdefault(module[:level], {}).setdefault(module[level], {}).setdefault(other[level], set()).add(module)
    return found


def connected(graph):
    """The strongly connected sets, by who can be reached from whom."""
    reach = {}
    for start in graph:
        seen, open_ = set(), [start]
        while open_:
            new = set(graph.get(open_.pop(), ())) - seen
            seen |= new
            open_ += new
        reach[start] = seen
    return {frozenset(b for b in reach[a] if a in reach.get(b, ())) for a in graph if a in reach[a]}


def main():
    failed, met = False, set()
    for source in sorted(pathlib.Path(__file__).parent.parent.glob("crates/**/src")):
        for parent, graph in sorted(graphs(modules_of(source)).items()):
            place = "/".join((source.parent.name, *parent))
            for circle in sorted((circle for circle in connected(graph) if len(circle) > MOST), key=sorted):
                print(f"{place}: {len(circle)} of {len(graph)} modules need each other: {' '.join(sorted(circle))}")
                if "--why" in sys.argv:
                    needs = ((a, b) for a in sorted(circle) for b in sorted(circle & graph[a].keys()))
                    for a, b in needs:
                        print(f"    {a} needs {b} in {', '.join('::'.join(by) for by in sorted(graph[a][b]))}")
                known, idea = ONE_IDEA.get(place, ("", ""))
                new = circle - set(known.split())
                met.add(place)
                if new:
                    failed = True
                    print(f"    {' '.join(sorted(new))}: new there. Move what they share to a module of its own.")
                else:
                    print(f"    {idea}")
    for place in ONE_IDEA.keys() - met:
        failed = True
        print(f"{place}: no longer; take it off the list in .ci/cycles.py")
    return failed


if __name__ == "__main__":
    sys.exit(main())
