from rounds import ROUNDS


def main(x: int) -> int:
    for _ in range(ROUNDS):
        x += 1
    return x
