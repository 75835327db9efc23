"""Values of every kind that has a form of its own in Python."""

from dataclasses import dataclass


@dataclass
class Order:
    price: int
    urgent: bool


def ship(orders: list[Order], stock: dict[str, int], limits: tuple[int, int], extra: set[int]) -> int:
    shipped = 0
    for order in orders:
        if order.urgent:
            shipped += 1
    for name in stock:
        if name.startswith("x"):
            shipped += 1
    if limits[1] == 7:
        shipped += 1
    if 3 in extra:
        shipped += 1
    return shipped
