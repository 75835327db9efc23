"""Is vertex n-1 reachable from vertex 0? Breadth-first search over an adjacency matrix. ESE (Aquino et al.), Table V.

call: bfs(int[n][n-1])        n vertices; the paper's sizes 10, 50, 75, 100 are n = 3, 7, 9, 10 (about n^2 cells)

Row v has a cell for each vertex but v, in order, as in dfs.py.

Cost `lines`. The paper prints no listing; in this one (visited when discovered, goal tested when taken from the queue,
listing neighbours costs no line) the worst case is Manual at all four sizes.

Worst case: every edge present and the goal taken from the queue last: 2 n^2 + 2 n + 2. It is the optimum by brute force up
to n = 4.
"""

from collections import deque
from itertools import chain, compress


def bfs(edges):
    visited = {0}
    queue = deque([0])
    while queue:
        current = queue.popleft()
        if current == len(edges) - 1:
            return True
        for other in list(compress(chain(range(current), range(current + 1, len(edges))), edges[current])):
            if other not in visited:
                visited.add(other)
                queue.append(other)
    return False
