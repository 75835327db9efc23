"""Arguments of the call, plain or symbolic, from a recipe and the values of the variables.

A recipe is nested lists as src/recipe.rs writes them. Numbers of one place in a
structure are consecutive variables (a column), so a recipe names the column and
the variables are counted off while it is followed.
"""

import ast
import collections
import struct

UNSIGNED, SIGNED, FLOAT, TRUTH = range(4)


class Program:
    """A call with its size fixed."""

    __slots__ = ("function", "arguments", "keywords", "columns", "groups", "has_floats", "symbols")

    def __init__(self, description):
        self.function = description["function"]
        self.arguments = description["arguments"]   # recipes
        self.keywords = description["keywords"]     # [(name, recipe)]
        self.columns = description["columns"]       # first variable of each column
        self.groups = description["groups"]         # (first, count, kind, lo, hi)
        self.symbols = None  # what makes proxies of the variables, once it is needed
        self.has_floats = any(group[2] == FLOAT for group in self.groups)

    def values(self, words):
        """The values of the variables from 64-bit words."""
        if self.has_floats:
            for first, count, kind, _, _ in self.groups:
                if kind == FLOAT:
                    for at in range(first, first + count):
                        words[at] = as_float(words[at])
        return words

    def is_float(self, variable):
        return any(first <= variable < first + count and kind == FLOAT
                   for first, count, kind, _, _ in self.groups)

    def make(self, subject, leaf):
        """Positional and keyword arguments; `leaf` makes scalars and texts."""
        next_of = list(self.columns)
        build = Builder(subject, leaf, next_of).build
        positional = [build(recipe) for recipe in self.arguments]
        return positional, {name: build(recipe) for name, recipe in self.keywords}


def as_float(word):
    return struct.unpack("<d", struct.pack("<q", word))[0]


class Builder:
    def __init__(self, subject, leaf, next_of):
        self.subject = subject
        self.leaf = leaf
        self.next_of = next_of

    def take(self, column, count):
        first = self.next_of[column]
        self.next_of[column] = first + count
        return first

    def build(self, recipe):
        kind = recipe[0]
        if kind == "list":
            _, count, inner = recipe
            scalar = inner[0]
            if scalar in ("int", "bool", "float"):
                return self.leaf.row(scalar, self.take(inner[1], count), count)
            return [self.build(inner) for _ in range(count)]
        if kind in ("int", "bool", "float"):
            return self.leaf.row(kind, self.take(recipe[1], 1), 1)[0]
        if kind in ("str", "bytes", "bytearray"):
            return self.leaf.text(kind, self.take(recipe[2], recipe[1]), recipe[1])
        if kind == "tuple":
            return tuple([self.build(inner) for inner in recipe[1]])
        if kind in ("set", "frozenset", "deque", "tuple of"):
            _, count, inner = recipe
            maker = {"set": set, "frozenset": frozenset, "deque": collections.deque, "tuple of": tuple}[kind]
            return maker([self.build(inner) for _ in range(count)])
        if kind == "dict":
            _, count, key, value = recipe
            # As a display does: the key, then the value.
            return {self.build(key): self.build(value) for _ in range(count)}
        if kind == "make":
            _, name, fields = recipe
            made = {field: self.build(inner) for field, inner in fields}
            return self.subject.function(name)(**made)
        if kind == "choice":
            # Which one is a decision.
            chosen = recipe[1][self.leaf.row("int", self.take(recipe[2], 1), 1)[0]]
            return self.subject.function(chosen[1]) if chosen[0] == "name" else ast.literal_eval(chosen[1])
        if kind == "constant":
            return ast.literal_eval(recipe[1])
        raise ValueError(f"unknown recipe {kind!r}")


class Plain:
    """Leaves as ordinary values."""

    def __init__(self, values):
        self.values = values

    def row(self, kind, first, count):
        row = self.values[first:first + count]
        return [bool(value) for value in row] if kind == "bool" else row

    def text(self, kind, first, count):
        row = self.values[first:first + count]
        if kind == "str":
            return "".join(map(chr, row))
        return bytes(row) if kind == "bytes" else bytearray(row)
