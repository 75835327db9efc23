"""Rewrites sources so that values of the input are followed into C code.

    f(x)            pick(f)(x)        calls.py says what is called
    x in c          x in inside(c)
    x is True       decided(x) is True
    x is y          same(x, y) is True
    d[k]            item(d, k)        for one key of a table
    a % b           percent(a, b)     a str formats
    f"{x}"          joined(...)
    return x        return settled(x) in methods whose result C insists on

Everything else stays. The names are in `builtins` and are no identifiers, so
that they clash with nothing, are not mangled in classes and no module has them.

A rewritten source has the line events of the original: whatever is put in
stands on the line of the instruction before or after it. The comments at
`_first_line` and `visit_Call` say which these are.
"""

import ast
import builtins
import importlib.machinery
import sys

from . import calls, formats, kept, shims

PICK, OWNER, INSIDE, DECIDED, SAME, ITEM, PERCENT, JOINED, FORMATTED, SETTLED = (
    "@pick", "@owner", "@inside", "@decided", "@same", "@item", "@percent", "@joined",
    "@formatted", "@settled")

# Methods that C calls and whose results it checks for a real type.
CHECKED = frozenset((
    "__bool__", "__hash__", "__str__", "__repr__", "__format__", "__index__", "__int__",
    "__float__", "__complex__", "__bytes__", "__length_hint__", "__sizeof__"))

# From this number of operands on the compiler evaluates calls and f-strings
# through lists, with other line events.
MANY = 30

# The compiler pushes a null before it evaluates what is called.
PUSHES = (3, 11) <= sys.version_info < (3, 13)

# Comprehensions are part of the function from here on.
INLINED = sys.version_info >= (3, 12)


def compile_source(source, filename):
    """The code object of a module's source, rewritten."""
    tree = ast.parse(source, filename)
    return compile(Rewriter().visit(tree), filename, "exec", dont_inherit=True)


class Inside:
    """The container of `in`."""

    __slots__ = ("container",)

    def __init__(self, container):
        self.container = container

    def __contains__(self, item):
        if type(item) is str is type(self.container):
            return item in self.container
        return bool(shims.contains(item, self.container))


class Owner:
    """The object whose method is called, where `pick` cannot be put in."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __getattr__(self, name):
        return calls.pick(getattr(self.value, name))


def install_names():
    """Makes what rewritten sources call known."""
    for name, function in (
            (PICK, calls.pick), (OWNER, Owner), (INSIDE, Inside),
            (DECIDED, shims.decided), (SAME, shims.same),
            (ITEM, shims.item), (PERCENT, formats.percent),
            (JOINED, formats.joined), (FORMATTED, formats.formatted),
            (SETTLED, shims.settled)):
        setattr(builtins, name, function if name == PICK else calls.through_c(function))


def _first_line(node):
    """Where the first instruction of an expression stands."""
    while True:
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred, ast.NamedExpr,
                             ast.FormattedValue)):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, (ast.BinOp, ast.Compare)):
            node = node.left
        elif isinstance(node, ast.UnaryOp):
            node = node.operand
        elif isinstance(node, ast.BoolOp):
            node = node.values[0]
        elif isinstance(node, ast.IfExp):
            node = node.test
        elif isinstance(node, ast.JoinedStr) and node.values:
            node = node.values[0]
        elif isinstance(node, (ast.Tuple, ast.List, ast.Set)) and node.elts \
                and not _is_constant(node):
            node = node.elts[0]
        elif isinstance(node, ast.Dict) and node.keys and node.keys[0] is not None \
                and not all(map(_is_constant, node.keys)):
            node = node.keys[0]
        elif INLINED and isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp)):
            node = node.generators[0].iter
        else:
            return node.lineno, node.col_offset


def _is_constant(node):
    """Whether the compiler makes one constant of a display."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(map(_is_constant, node.elts))
    return isinstance(node, ast.Constant)


def _last_line(node):
    """Where the last instruction of an expression stands."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) \
            and _is_method_call(node):
        node = node.func
    return node.end_lineno if isinstance(node, ast.Attribute) else node.lineno


def _at(node, line, column, reference):
    """Gives a node the place `line`, within what `reference` covers."""
    node.lineno, node.col_offset = line, column
    node.end_lineno, node.end_col_offset = reference.end_lineno, reference.end_col_offset
    if (node.lineno, node.col_offset) > (node.end_lineno, node.end_col_offset):
        node.end_lineno, node.end_col_offset = line, column
    return node


def _name(name, operand):
    """A name that is loaded before `operand` is evaluated, on its line."""
    line, column = _first_line(operand)
    node = ast.Name(name, ast.Load())
    node.lineno = node.end_lineno = line
    node.col_offset = node.end_col_offset = column
    return node


def _call(name, arguments, place):
    """A call of one of our functions that stands for `place`."""
    return ast.copy_location(ast.Call(_name(name, arguments[0]), arguments, []), place)


def _wrapped(name, operand):
    """A call that is put around an expression, on the line where that ends."""
    line = _last_line(operand)
    column = operand.col_offset if line == operand.lineno else 0
    return _at(ast.Call(_name(name, operand), [operand], []), line, column, operand)


class Rewriter(ast.NodeTransformer):
    def __init__(self):
        self.checked = False    # inside a method of CHECKED
        self.in_class = False

    # ---------------------------------------------------- what is left alone

    def visit_AsyncFunctionDef(self, node):
        return node

    def visit_TypeAlias(self, node):
        return node

    visit_TemplateStr = visit_TypeAlias

    def visit_Constant(self, node):
        return node

    def visit_Name(self, node):
        return node

    # ------------------------------------------------------------ statements

    def _visit_all(self, nodes):
        return [self.visit(node) for node in nodes]

    def visit_FunctionDef(self, node):
        # Not the annotations: they may be kept as text.
        node.decorator_list = self._visit_all(node.decorator_list)
        self.visit(node.args)
        before = self.checked, self.in_class
        self.checked = self.in_class and node.name in CHECKED
        self.in_class = False
        node.body = self._visit_all(node.body)
        self.checked, self.in_class = before
        return node

    def visit_arguments(self, node):
        node.defaults = self._visit_all(node.defaults)
        node.kw_defaults = [default and self.visit(default) for default in node.kw_defaults]
        return node

    def visit_ClassDef(self, node):
        node.decorator_list = self._visit_all(node.decorator_list)
        node.bases = self._visit_all(node.bases)
        node.keywords = self._visit_all(node.keywords)
        before = self.checked, self.in_class
        self.checked, self.in_class = False, True
        node.body = self._visit_all(node.body)
        self.checked, self.in_class = before
        return node

    def visit_AnnAssign(self, node):
        node.target = self.visit(node.target)
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_Return(self, node):
        if node.value is not None:
            node.value = self.visit(node.value)
            if self.checked and not isinstance(node.value, ast.Constant):
                node.value = _wrapped(SETTLED, node.value)
        return node

    def visit_Match(self, node):
        node.subject = self.visit(node.subject)
        if any(_asks_for_truth(case.pattern) for case in node.cases):
            # `case True` compares with `is`.
            node.subject = _wrapped(SETTLED, node.subject)
        for case in node.cases:
            if case.guard is not None:
                case.guard = self.visit(case.guard)
            case.body = self._visit_all(case.body)
        return node

    # ----------------------------------------------------------- expressions

    def visit_Call(self, node):
        function = node.func
        if isinstance(function, ast.Name) and function.id == "super" or _is_super(function):
            # super() looks at the frame, and the compiler at super().name.
            if _is_super(function) and function.lineno == function.end_lineno == node.lineno:
                node.func = _wrapped(PICK, function)
            node.args = self._visit_all(node.args)
            node.keywords = self._visit_all(node.keywords)
            return node
        if isinstance(function, ast.Attribute) and _is_method_call(node):
            first = _first_line(function)[0]
            if not first == function.end_lineno == node.lineno:
                # The compiler puts the call of a method on the line of its name,
                # and only of a method: so it has to stay one.
                function.value = _wrapped(OWNER, self.visit(function.value))
                function = None
        elif PUSHES and _first_line(function)[0] != _last_line(function):
            # An instruction before the function stands where the call of `pick`
            # would have to stand, after it.
            node.func = self.visit(function)
            function = None
        if function is not None:
            node.func = _wrapped(PICK, self.visit(function))
        node.args = self._visit_all(node.args)
        node.keywords = self._visit_all(node.keywords)
        return node

    def visit_Compare(self, node):
        left, last, right = node.left, node.ops[-1], node.comparators[-1]
        node.left = self.visit(node.left)
        node.comparators = self._visit_all(node.comparators)
        if isinstance(last, (ast.In, ast.NotIn)):
            # It stays a comparison: the jump after one has another line than
            # that after a call.
            folded = len(node.ops) == 1 and _folded(right)
            node.comparators[-1] = _wrapped(INSIDE, folded or node.comparators[-1])
        elif len(node.ops) == 1 and isinstance(last, (ast.Is, ast.IsNot)):
            if isinstance(right, ast.Constant) and isinstance(right.value, bool):
                node.left = _wrapped(DECIDED, node.left)
            elif not (_is_singleton(left) or _is_singleton(right)) \
                    and node.lineno == node.end_lineno:
                # It stays a comparison, as above.
                node.left = _call(SAME, [node.left, node.comparators[0]], node)
                node.comparators = [ast.copy_location(ast.Constant(True), node)]
        return node

    def visit_Subscript(self, node):
        key = node.slice
        # Whatever else is between brackets is no key of the input, or a number to count with.
        is_key = isinstance(key, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Tuple))
        node.value, node.slice = self.visit(node.value), self.visit(key)
        if not is_key or not isinstance(node.ctx, ast.Load) or node.lineno != node.end_lineno \
                or isinstance(key, ast.Tuple) and any(
                    isinstance(part, (ast.Slice, ast.Starred)) for part in key.elts):
            return node
        return _call(ITEM, [node.value, node.slice], node)

    def visit_BinOp(self, node):
        if not isinstance(node.op, ast.Mod) or isinstance(node.left, ast.Constant) and (
                not isinstance(node.left.value, (str, bytes))
                or isinstance(node.right, ast.Constant)):
            return self.generic_visit(node)
        left, right = node.left, node.right
        if isinstance(left, ast.Constant) and isinstance(left.value, str) \
                and isinstance(right, ast.Tuple) and sys.version_info >= (3, 11):
            # The compiler makes an f-string of many of these.
            fields = _as_fstring(node)
            if fields is None:
                return self.generic_visit(node)
            if fields:
                return self.visit(fields)
        return _call(PERCENT, [self.visit(left), self.visit(right)], node)

    def visit_JoinedStr(self, node):
        if len(node.values) > MANY:
            return node
        node.values = self._visit_all(node.values)
        if not any(isinstance(value, ast.Call) for value in node.values):
            return node
        if len(node.values) == 1:
            return node.values[0]
        return _call(JOINED, node.values, node)

    def visit_FormattedValue(self, node):
        value = self.visit(node.value)
        conversion = ast.copy_location(ast.Constant(node.conversion), node)
        line = _last_line(value)
        conversion.lineno = conversion.end_lineno = line
        conversion.col_offset = conversion.end_col_offset = 0
        arguments = [value, conversion]
        if node.format_spec is not None:
            arguments.append(self.visit(node.format_spec))
        return _call(FORMATTED, arguments, node)


def _is_singleton(node):
    """Whether no number or text, whatever the input."""
    return isinstance(node, ast.Constant) and (node.value is None or node.value is ...)


def _asks_for_truth(pattern):
    if isinstance(pattern, ast.MatchSingleton):
        return isinstance(pattern.value, bool)
    if isinstance(pattern, ast.MatchOr):
        return any(map(_asks_for_truth, pattern.patterns))
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is not None \
        and _asks_for_truth(pattern.pattern)


def _is_super(function):
    """Whether `super().name`."""
    return isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call) \
        and isinstance(function.value.func, ast.Name) and function.value.func.id == "super"


def _is_method_call(node):
    """Whether the compiler loads the method and calls it without an object for
    the two."""
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return False
    if sys.version_info < (3, 11):
        return not node.keywords and len(node.args) < MANY
    if any(keyword.arg is None for keyword in node.keywords):
        return False
    return len(node.args) + len(node.keywords) + bool(node.keywords) < MANY


def _folded(container):
    """The constant that the compiler makes of a list or set display after
    `in`; None if it makes none."""
    if not isinstance(container, (ast.List, ast.Set)) or not all(
            isinstance(element, ast.Constant) for element in container.elts):
        return None
    values = [element.value for element in container.elts]
    if isinstance(container, ast.List):
        return ast.copy_location(ast.Constant(tuple(values)), container)
    return ast.copy_location(ast.Constant(frozenset(values)), container)


def _as_fstring(node):
    """The f-string that the compiler makes of `"..." % (a, b)`; False if it
    makes none, None if this is better left to it."""
    template, values = node.left.value, node.right.elts
    if any(isinstance(value, ast.Starred) for value in values):
        return False
    parts = []
    at = used = 0
    text = ""
    while at < len(template):
        if template[at] != "%":
            text += template[at]
            at += 1
            continue
        conversion = template[at + 1:at + 2]
        at += 2
        if conversion == "%":
            text += "%"
            continue
        if conversion not in ("s", "r", "a"):
            # Flags and widths: on one line it makes no difference.
            simple = node.lineno == node.end_lineno
            return False if simple else None
        if used == len(values):
            return False
        value = values[used]
        if text:
            parts.append(_literal(text))
            text = ""
        used += 1
        parts.append(ast.copy_location(
            ast.FormattedValue(value, ord(conversion), None), value))
    if used != len(values):
        return False
    if text:
        parts.append(_literal(text))
    return ast.copy_location(ast.JoinedStr(parts), node)


def _literal(text):
    """A piece of text, which has no line for the compiler either."""
    node = ast.Constant(text)
    node.lineno = node.end_lineno = node.col_offset = node.end_col_offset = -1
    return node


# -------------------------------------------------------------- import hook

# Modules that are used as they are: those that the interpreter and the worker
# stand on.
KEPT = frozenset((
    "abc", "codecs", "contextlib", "dis", "encodings", "enum", "genericpath",
    "importlib", "inspect", "io", "linecache", "locale", "logging", "opcode", "os",
    "pkgutil", "posixpath", "runpy", "selectors", "signal", "site", "stat", "subprocess",
    "sysconfig", "threading", "token", "traceback", "types", "typing",
    "warnings", "weakref", "zipimport", "asyncio", "concurrent", "multiprocessing",
    "_collections_abc", "_weakrefset", "_sitebuiltins", "_opcode_metadata", "_pyrepl",
    "__main__", "__mp_main__"))

# The worker itself.
OWN = __name__.partition(".")[0] + "."

# Modules of functions only, in packages that are used as they are.
OF_KEPT = frozenset(("encodings.punycode",))

# Modules of functions only, which others hold on to: rewritten in place.
IN_PLACE = ("genericpath", "posixpath")


# Modules as they were, to which those that are used as they are hold on.
REPLACED = []


class Loader(importlib.machinery.SourceFileLoader):
    """Compiles rewritten sources. Compiled files beside them are of no use."""

    # What rewrites, and what keeps it.
    by = kept = None

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return self.kept.code(path, lambda: self.by.compile_source(self.get_data(path), path))


class Finder:
    """Finds what the interpreter would, for `Loader`."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in KEPT and name not in OF_KEPT or name.startswith(OWN):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader:
            return spec
        spec.loader = Loader(name, spec.loader.path)
        spec.cached = None
        return spec


def install(directory=None, by=sys.modules[__name__]):
    """From now on modules with sources are rewritten when they are imported, by
    that module; those that are loaded already are imported again by whoever asks
    next. The directory keeps what was rewritten."""
    Loader.by, Loader.kept = by, kept.Kept(directory, by.__loader__.get_source(by.__name__))
    by.install_names()
    sys.meta_path.insert(0, Finder)
    for name, module in list(sys.modules.items()):
        top = name.partition(".")[0]
        if top in KEPT or name.startswith(OWN) or name == "collections.abc":
            continue
        spec = getattr(module, "__spec__", None)
        if spec is not None and type(spec.loader) is importlib.machinery.SourceFileLoader:
            REPLACED.append(module)
            del sys.modules[name]
    for name, module in list(sys.modules.items()):
        # What stays knows its package, which is a new one.
        package, _, part = name.rpartition(".")
        if package and package not in sys.modules:
            setattr(importlib.import_module(package), part, module)
    for name in IN_PLACE:
        module = sys.modules.get(name)
        path = getattr(module, "__file__", None)
        if path and path.endswith(".py"):
            try:
                with open(path, "rb") as file:
                    source = file.read()
            except OSError:
                continue
            exec(by.compile_source(source, path), module.__dict__)
