"""Rewrites sources so that what C code is handed is recorded (work.py):

    f(x)            pick(f)(x)
    a + b           binary(add, a, b)       `x += a` is `x = binary(iadd, x, a)`
    a == b          compare(eq, a, b)       `a in b` is contains(a, b)
    x[i], x[a:b]    item(x, i)
    f"{x}"          text(f"{formatted(x)}")
    *x              *spread(x)

What a recorded run costs in lines is never told: an ordinary run has told it.
"""

import ast
import builtins
import operator

from . import work

# Names that are no identifiers: no program has them.
_NAMES = {f"@{name}": getattr(work, name) for name in (
    "pick", "each", "binary", "compare", "compared", "contains", "item", "changed", "stored", "spread", "text",
    "formatted", "executed")}
_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and_", ast.BitOr: "or_",
    ast.BitXor: "xor", ast.MatMult: "matmul"}
_COMPARISONS = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}


def _in_place(name):
    return "i" + name.rstrip("_")


def install_names():
    """Makes what rewritten sources call known."""
    for name, function in _NAMES.items():
        setattr(builtins, name, function)
    for name in _OPERATORS.values():
        for which in (name, _in_place(name)):
            setattr(builtins, "@" + which, getattr(operator, which))
    for name in _COMPARISONS.values():
        setattr(builtins, "@" + name, getattr(operator, name))


def compile_source(source, filename):
    """The code object of a module's source, rewritten."""
    tree = Rewriter().visit(ast.parse(source, filename))
    return compile(ast.fix_missing_locations(tree), filename, "exec", dont_inherit=True)


def _name(name, place):
    return ast.copy_location(ast.Name(f"@{name}", ast.Load()), place)


def _call(name, arguments, place):
    return ast.copy_location(ast.Call(_name(name, place), arguments, []), place)


class Rewriter(ast.NodeTransformer):
    def __init__(self):
        self.names = 0

    # Annotations may be kept as text, and patterns are no expressions.

    def visit_arg(self, node):
        return node

    def visit_FunctionDef(self, node):
        returns, node.returns = node.returns, None
        self.generic_visit(node)
        node.returns = returns
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node):
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_TypeAlias(self, node):
        return node

    visit_TypeVar = visit_TemplateStr = visit_TypeAlias

    def visit_match_case(self, node):
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        node.body = [self.visit(statement) for statement in node.body]
        # A statement may have become several.
        node.body = _flat(node.body)
        return node

    def visit_Match(self, node):
        stars = any(isinstance(inner, ast.MatchStar) for case in node.cases for inner in _walk(case.pattern))
        self.generic_visit(node)
        if stars:
            node.subject = _call("spread", [node.subject], node.subject)
        return node

    # ------------------------------------------------------------ statements

    def visit_AugAssign(self, node):
        function = _name(_in_place(_OPERATORS[type(node.op)]), node)
        target, before = node.target, []

        def keep(value):
            """Evaluates a part of the target once."""
            if isinstance(value, (ast.Name, ast.Constant)):
                return value
            self.names += 1
            name = f"@{self.names}"
            before.append(ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], self.visit(value)), node))
            return ast.Name(name, ast.Load())

        def loaded(part):
            return ast.Name(part.id, ast.Load()) if isinstance(part, ast.Name) else part

        if isinstance(target, ast.Name):
            read = ast.Name(target.id, ast.Load())
        elif isinstance(target, ast.Attribute):
            owner = keep(target.value)
            target = ast.Attribute(owner, target.attr, ast.Store())
            read = ast.Attribute(loaded(owner), target.attr, ast.Load())
        else:
            owner = keep(target.value)
            is_slice = any(isinstance(inner, ast.Slice) for inner in _walk(target.slice))
            index = target.slice if is_slice else keep(target.slice)
            if is_slice:
                # Rare: its parts are names and numbers, which may be evaluated twice.
                return self.generic_visit(node)
            target = ast.Subscript(owner, index, ast.Store())
            read = _call("item", [loaded(owner), loaded(index)], node)
        value = _call("binary", [function, read, self.visit(node.value)], node)
        made = ast.copy_location(ast.Assign([target], value), node)
        return [*before, made] if before else made

    def visit_Assign(self, node):
        node.targets = [self.visit(target) for target in node.targets]
        node.value = self.visit(node.value)
        if any(isinstance(inner, ast.Starred) for target in node.targets for inner in _walk(target)):
            node.value = _call("spread", [node.value], node.value)
        return node

    def visit_Delete(self, node):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                last = isinstance(target.slice, ast.UnaryOp) and isinstance(target.slice.op, ast.USub)
                target.value, target.slice = self.visit(target.value), self.visit(target.slice)
                if not last:
                    target.value = _call("changed", [target.value], target.value)
            else:
                self.generic_visit(target)
        return node

    def visit_For(self, node):
        self.generic_visit(node)
        node.iter = _each(node.iter)
        return node

    visit_AsyncFor = visit_For

    def visit_comprehension(self, node):
        self.generic_visit(node)
        node.iter = _each(node.iter)
        return node

    def visit_YieldFrom(self, node):
        node.value = _call("spread", [self.visit(node.value)], node.value)
        return node

    # ----------------------------------------------------------- expressions

    def visit_Call(self, node):
        function = node.func
        is_super = isinstance(function, ast.Name) and function.id == "super"
        node.func = self.visit(function)
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        if isinstance(function, ast.Name) and function.id in ("eval", "exec") and node.args \
                and not isinstance(node.args[0], ast.Starred):
            node.args[0] = _call("executed", [node.args[0]], node)
        if not is_super:
            node.func = _call("pick", [node.func], function)
        return node

    def visit_Starred(self, node):
        node.value = self.visit(node.value)
        if isinstance(node.ctx, ast.Load):
            node.value = _call("spread", [node.value], node.value)
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        function = _name(_OPERATORS[type(node.op)], node)
        return _call("binary", [function, node.left, node.right], node)

    def visit_Compare(self, node):
        self.generic_visit(node)
        operation = node.ops[0]
        if len(node.ops) > 1:
            node.left = _call("compared", [node.left], node.left)
            node.comparators = [_call("compared", [value], value) for value in node.comparators]
        elif isinstance(operation, (ast.In, ast.NotIn)):
            made = _call("contains", [node.left, node.comparators[0]], node)
            return made if isinstance(operation, ast.In) else ast.copy_location(ast.UnaryOp(ast.Not(), made), node)
        elif type(operation) in _COMPARISONS:
            function = _name(_COMPARISONS[type(operation)], node)
            return _call("compare", [function, node.left, node.comparators[0]], node)
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Store):
            if isinstance(node.slice, ast.Slice):
                node.value = _call("changed", [node.value], node.value)
            elif not isinstance(node.slice, (ast.Constant, ast.Tuple)):
                node.slice = _call("stored", [node.slice], node.slice)
        elif isinstance(node.ctx, ast.Load):
            return _call("item", [node.value, _as_value(node.slice)], node)
        return node

    def visit_JoinedStr(self, node):
        self._visit_fields(node)
        return _call("text", [node], node)

    def _visit_fields(self, node):
        for field in node.values:
            if isinstance(field, ast.FormattedValue):
                field.value = _call("formatted", [self.visit(field.value)], field.value)
                if field.format_spec is not None:
                    self._visit_fields(field.format_spec)


def _walk(node):
    # ast.walk imports a module, which may be the one that is being rewritten.
    yield node
    for inner in ast.iter_child_nodes(node):
        yield from _walk(inner)


def _flat(statements):
    flat = []
    for statement in statements:
        flat.extend(statement if isinstance(statement, list) else [statement])
    return flat


def _each(node):
    """What a loop goes through: the outermost call is made for its items."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and isinstance(node.func.func, ast.Name) \
            and node.func.func.id == "@pick":
        node.func.func.id = "@each"
    return node


def _as_value(index):
    """An index as an expression: slices are objects there."""
    if isinstance(index, ast.Slice):
        nothing = ast.Constant(None)
        parts = [part or nothing for part in (index.lower, index.upper, index.step)]
        return ast.copy_location(ast.Call(ast.Name("@slice", ast.Load()), parts, []), index)
    if isinstance(index, ast.Tuple):
        index.elts = [_as_value(part) for part in index.elts]
    return index


_NAMES["@slice"] = slice
