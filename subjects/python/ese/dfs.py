"""Is vertex n-1 reachable from vertex 0? Depth-first search over an adjacency matrix. ESE (Aquino et al.), Listing 3,
Table V.

call: dfs(int[n][n-1])        n vertices; the paper's sizes 10, 50, 75, 100 are n = 3, 7, 9, 10 (about n^2 cells)

Row v has a cell for each vertex but v, in order: the diagonal would not be looked at (self loops would raise the optimum
by 2(n-1), a value that ESE never reports).

Cost `lines`. Listing the neighbours of a vertex costs no line, as in the paper: iterators of the standard library do it,
without Python code.

Worst case: all vertices but the goal have edges to each other, and the goal is only reached from the start, as its last
neighbour: 2 n^2 - n + 3, all four Manual values of Table V (n >= 2). It is the optimum by brute force up to n = 4.
"""

from itertools import chain, compress


def search(edges, current, visited):
    if current == len(edges) - 1:
        return True
    visited[current] = True
    for other in list(compress(chain(range(current), range(current + 1, len(edges))), edges[current])):
        if not visited[other]:
            if search(edges, other, visited):
                return True
    return False


def dfs(edges):
    return search(edges, 0, [False] * len(edges))
