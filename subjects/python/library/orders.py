"""graphlib: an order of tasks after what they depend on.

call: order(int[n] in 0..=9, int[n] in 0..=9)

Linear in tasks and dependencies, unless there is a cycle, which is then looked for.
"""

import graphlib


def order(tasks: list[int], needs: list[int]) -> list[int]:
    sorter = graphlib.TopologicalSorter()
    for task, need in zip(tasks, needs):
        sorter.add(task, need)
    return list(sorter.static_order())
