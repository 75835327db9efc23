"""What a Python function that Pessimum searches may say about itself. Without Pessimum nothing happens.

Put this file where the program finds it, or copy the two functions. When Pessimum runs the program, its own module of this
name takes the place of this one.
"""


def cost(amount=1):
    """Adds to the cost `user` of this run, which `--cost user` maximises."""
    if amount < 0:
        raise ValueError("a cost is not negative")


def assume(condition):
    """Says that the program is meant only for inputs for which the condition holds."""
    if not condition:
        raise AssertionError("assumption violated")
