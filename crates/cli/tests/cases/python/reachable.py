"""A call to `total` comes to some of these functions, and to others never."""

from dataclasses import dataclass


@dataclass
class Item:
    price: int
    count: int

    def __lt__(self, other):
        return self.price < other.price

    def cost(self):
        return self.price * self.count if self.count > 0 else 0


class Basket:
    def __init__(self, items):
        self.items = items

    def largest(self):
        if not self.items:
            return None
        return max(self.items)


def ten_percent(amount):
    return amount - amount // 10


def nothing(amount):
    return amount


def never(amount):
    if amount:
        return Basket([])
    return 0


DISCOUNTS = {"ten": ten_percent, "none": nothing}


def total(items: list[Item]) -> int:
    amount = sum(item.cost() for item in items)
    return DISCOUNTS["ten" if amount > 100 else "none"](amount)


if __name__ == "__main__":
    never(1)
