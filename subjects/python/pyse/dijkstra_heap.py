"""Dijkstra with a binary heap from vertex 0 to vertex n-1, in the manner of the Python package Dijkstar. PySE (Koo et al.),
benchmark 7, Table II.

call: dijkstra(int[n][n-1] in -10000..=10000)        returns the distance; the paper's N is n(n-1)

Row v has the weights of the edges to all other vertices, in order. The heap is that of heapq, with pairs (cost, vertex):
comparing two of them tests the costs for equality, then for less. Vertices that are done are skipped, and so are their
entries in the heap; the search ends when vertex n-1 is popped. The weights may be negative, as in the paper, though the
result is then not a distance.

Cost `decisions`: comparisons of costs that earlier ones do not settle; the numbers below are those of all of them.
Worst case: 5, 29, 72 at n = 3, 4, 5 as published; at n = 6 the paper prints 126 with a question mark, but 136 is reachable.
No formula is known. Paths: 5, 155 at n = 3, 4 (with the infeasible sides 9 and 837, as published).
"""

from heapq import heappop, heappush


def dijkstra(weights):
    costs = {0: 0}
    done = set()
    heap = [(0, 0)]
    while heap:
        cost, u = heappop(heap)
        if u == len(weights) - 1:
            return cost
        if u in done:
            continue
        done.add(u)
        for v in range(len(weights)):
            if v == u or v in done:
                continue
            through = cost + weights[u][v if v < u else v - 1]
            if v not in costs or costs[v] > through:
                costs[v] = through
                heappush(heap, (through, v))
    return None
