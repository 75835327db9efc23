"""Classes, enumerations and choices, as arguments and as what methods are called on."""

import enum
from dataclasses import dataclass, field
from typing import Literal, NamedTuple


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Op(NamedTuple):
    kind: Literal["push", "pop"]
    value: int


class Stack:
    """A stack with a greatest size."""

    def __init__(self, capacity: int = 2) -> None:
        self.items: list[int] = []
        self.capacity = capacity

    def push(self, value: int) -> bool:
        if len(self.items) == self.capacity:
            return False
        self.items.append(value)
        return True

    def push_all(self, values: list[int]) -> int:
        done = 0
        for value in values:
            if value >= 0:
                done += self.push(value)
            elif self.items:
                self.items.pop()
        return done

    @classmethod
    def filled(cls, values: list[int]) -> "Stack":
        stack = cls(len(values))
        for value in values:
            if value:
                stack.push(value)
        return stack

    @staticmethod
    def is_sorted(values: list[int]) -> bool:
        return all(a <= b for a, b in zip(values, values[1:]))


class Index:
    def __init__(self, words: list[str], fold: bool):
        self.words = [word.lower() if fold else word for word in words]

    def find(self, text: str) -> int:
        for at, word in enumerate(self.words):
            if text.startswith(word):
                return at
        return -1


@dataclass
class Account:
    balance: int
    history: list[int] = field(default_factory=list)

    def spend(self, amounts: list[int]) -> int:
        for amount in amounts:
            if 0 < amount <= self.balance:
                self.balance -= amount
                self.history.append(amount)
        return len(self.history)


def paint(colors: list[Color], first: Color) -> int:
    """Changes of color, and blue ones."""
    runs, last = 0, first
    for color in colors:
        if color is not last:
            runs += 1
            last = color
        if color == Color.BLUE:
            runs += 1
    return runs


def apply(ops: list[Op]) -> int:
    stack, failed = Stack(1), 0
    for op in ops:
        if op.kind == "push":
            if not stack.push(op.value):
                failed += 1
        elif stack.items:
            stack.items.pop()
    return failed


def look_up(index: Index, text: str) -> int:
    return index.find(text)
