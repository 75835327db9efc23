"""Runs an expensive task at every place where zeros and non-zeros alternate. ESE (Aquino et al.), Listing 2, Table V.

call: alternate_0(int[n])

Cost `lines`. The task is one line: that is what Table V needs.
Worst case: zero at even, non-zero at odd places, so that the task runs every time: 6 n + 1. Each place adds 6 lines with
the task and 4 without, independently of the others, so this is the optimum. 2^n paths.
"""


def expensive_task():
    pass


def alternate_0(values):
    for i in range(len(values)):
        if values[i] == 0:
            check = 1 - i % 2
        else:
            check = i % 2
        if check != 0:
            expensive_task()
