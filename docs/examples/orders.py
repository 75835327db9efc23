"""Orders of a shop: which of them belong together."""

from dataclasses import dataclass


@dataclass
class Order:
    customer: int
    item: str


def bundles(orders: list[Order]) -> list[list[Order]]:
    found: list[list[Order]] = []
    for order in orders:
        for bundle in found:
            if bundle[0].customer == order.customer:
                bundle.append(order)
                break
        else:
            found.append([order])
    return found
