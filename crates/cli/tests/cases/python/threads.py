import threading


def f(xs: list[int]) -> int:
    found = []
    worker = threading.Thread(target=lambda: found.append(max(xs)))
    worker.start()
    worker.join()
    return found[0]
