"""Which functions of the user's modules a call may come to, by the names that
code mentions.

Names say nothing about what they stand for, so this is generous: whatever has a
mentioned name may be called. It serves to leave out what a call has nothing to
do with.
"""

import ast
import builtins


# Who uses these may come to anything.
_DYNAMIC = {"getattr", "globals", "locals", "vars", "eval", "exec", "__import__", "import_module", "methodcaller",
            "attrgetter", "__dict__", "__getattribute__", "__subclasses__"}
_BUILTINS = set(dir(builtins))


def leads(subject, functions):
    """For each of some pairs of code and qualified name: the numbers of those
    that it may come to by itself, or None for all of them. Second, the same for
    each name."""
    linked = {}
    foreign = set()   # classes with a base that is not the user's
    classes = set()
    for path in subject.order:
        tree = ast.parse(_source(path))
        for statement in ast.walk(tree):
            if isinstance(statement, ast.ClassDef):
                classes.add(statement.name)
        for group in _groups(tree.body):
            for name in group:
                linked.setdefault(name, set()).update(group)
        for statement in ast.walk(tree):
            if isinstance(statement, ast.ClassDef):
                bases = {base.id if isinstance(base, ast.Name) else None for base in statement.bases}
                if bases - classes - {"object"}:
                    foreign.add(statement.name)
    by_name, methods = {}, {}
    for number, (_, name) in enumerate(functions):
        parts = name.split(".")
        by_name.setdefault(_plain(parts[-1]), set()).add(number)
        if len(parts) > 1 and parts[-2] in classes:
            methods.setdefault(parts[-2], set()).add((number, _plain(parts[-1])))

    def of_names(names):
        seen, todo, found = set(), list(names), set()
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            if name in _DYNAMIC:
                return None
            found |= by_name.get(name, set())
            # Whoever has an object may use its operators, and a library may call what it inherits from it.
            found |= {number for number, method in methods.get(name, ())
                      if name in foreign or (method.startswith("__") and method.endswith("__"))}
            if name not in _BUILTINS:
                todo.extend(linked.get(name, ()))
        return sorted(found)

    numbers = {id(code): number for number, (code, _) in enumerate(functions)}
    of_code = []
    for code, _ in functions:
        found = of_names(code.co_names)
        if found is not None:
            inner = {numbers[id(one)] for one in code.co_consts if id(one) in numbers}
            found = sorted(inner.union(found))
        of_code.append(found)
    return of_code, {name: of_names([name]) for name in sorted(set(by_name) | classes)}


def is_executed_by_import(code, name):
    """Whether code is that of a module, or of a class that is not in a function."""
    return not code.co_flags & 0x1 and "<locals>" not in name


def _plain(name):
    return name.split("#")[0]


def _source(path):
    with open(path, "rb") as file:
        return file.read()


def _groups(statements):
    """Names that a statement outside of functions brings together: who mentions
    one of them may come to the others."""
    for statement in statements:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            outside = statement.decorator_list + statement.args.defaults + \
                [value for value in statement.args.kw_defaults if value is not None]
            yield {statement.name}.union(*map(_names, outside))
        elif isinstance(statement, ast.ClassDef):
            outside = statement.decorator_list + statement.bases + statement.keywords
            yield {statement.name}.union(*map(_names, outside))
            yield from _groups(statement.body)
        elif isinstance(statement, ast.If) and "__main__" in ast.dump(statement.test):
            # It is imported, not run.
            yield from _groups(statement.orelse)
        elif hasattr(statement, "body"):
            for part in ("body", "orelse", "finalbody"):
                yield from _groups(getattr(statement, part, []))
            for handler in getattr(statement, "handlers", []):
                yield from _groups(handler.body)
            header = [getattr(statement, part, None) for part in ("test", "target", "iter")]
            header += [item.context_expr for item in getattr(statement, "items", [])]
            yield set().union(*(_names(part) for part in header if part is not None))
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            # Names that are imported together have nothing else in common.
            for alias in statement.names:
                yield _names(alias)
        else:
            yield _names(statement)


def _names(tree):
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias):
            found.update(filter(None, (node.name.split(".")[-1], node.asname)))
    return found
