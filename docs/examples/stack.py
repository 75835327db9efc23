"""A stack with a greatest size."""


class Stack:
    def __init__(self, capacity: int = 2) -> None:
        self.items: list[int] = []
        self.capacity = capacity

    def push(self, value: int) -> bool:
        if len(self.items) == self.capacity:
            return False
        self.items.append(value)
        return True

    def run(self, commands: list[int]) -> int:
        """Pushes numbers; a negative one takes the last away."""
        done = 0
        for command in commands:
            if command >= 0:
                done += self.push(command)
            elif self.items:
                self.items.pop()
        return done

    @staticmethod
    def is_sorted(values: list[int]) -> bool:
        return all(one <= next for one, next in zip(values, values[1:]))
