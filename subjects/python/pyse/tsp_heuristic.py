"""A greedy tour heuristic with 2-opt: the path through n cities in the manner of the Python package tsp-solver. PySE (Koo et
al.), benchmark 6, Table II.

call: tsp(int[n*(n-1)/2] in 0..=1000000, n)        returns the length of the path; the paper's N is n(n-1)/2

The pairs of cities are sorted by distance as `list.sort` did below 64 elements up to Python 3.12 (later ones compare more
often, to find descending runs with equal elements): find the run at the start, then insert each further element by
bisection. In this order pairs are joined unless a city has two neighbours already or a cycle would close. Then at most three
passes of 2-opt over positions a and c >= a+3 of the path; a pass without an improvement is the last.

Cost `decisions`: comparisons of distances that earlier ones do not settle; the numbers below are those of all of them.
Worst case: the sort makes 2 + sum over p = 2..N-1 of ceil(log2(p+1)) comparisons, 4, 12, 26, 46 at n = 3, 4, 5, 6, and 2-opt
0, 0, 2, 9: together 4, 12, 28, 55. Each part is at its greatest possible value, so these are optima (the paper was not sure
of the last two). Paths: 6, 720 at n = 3, 4 (with the infeasible sides 8 and 728, as published).
"""


def distance(distances, i, j):
    return distances[max(i, j) * (max(i, j) - 1) // 2 + min(i, j)]


def sort_pairs(pairs, distances):
    run = 2
    if distance(distances, *pairs[1]) < distance(distances, *pairs[0]):
        while run < len(pairs) and distance(distances, *pairs[run]) < distance(distances, *pairs[run - 1]):
            run += 1
        pairs[:run] = reversed(pairs[:run])
    else:
        while run < len(pairs) and not distance(distances, *pairs[run]) < distance(distances, *pairs[run - 1]):
            run += 1
    for i in range(run, len(pairs)):
        pair = pairs.pop(i)
        left, right = 0, i
        while left < right:
            middle = (left + right) // 2
            if distance(distances, *pair) < distance(distances, *pairs[middle]):
                right = middle
            else:
                left = middle + 1
        pairs.insert(left, pair)


def join(pairs, cities):
    """The neighbours of each city on the path that joins the first pairs that can be joined."""
    links = [[] for _ in range(cities)]
    segment = list(range(cities))
    for i, j in pairs:
        if len(links[i]) < 2 and len(links[j]) < 2 and segment[i] != segment[j]:
            links[i].append(j)
            links[j].append(i)
            joined = segment[j]
            segment = [segment[i] if part == joined else part for part in segment]
    return links


def restore(links):
    """The path, from its end with the smaller number."""
    before, at = None, min(city for city in range(len(links)) if len(links[city]) < 2)
    path = [at]
    while len(path) < len(links):
        before, at = at, next(city for city in links[at] if city != before)
        path.append(at)
    return path


def relink(links, at, old, new):
    links[at][links[at].index(old)] = new


def improve(links, distances):
    """One pass of 2-opt; returns whether it improved the path."""
    improved = False
    path = restore(links)
    for a in range(len(path) - 3):
        for c in range(a + 3, len(path) - 1):
            i, j, k, m = path[a], path[a + 1], path[c], path[c + 1]
            old = distance(distances, i, j) + distance(distances, k, m)
            if old - (distance(distances, i, k) + distance(distances, j, m)) > 0:
                improved = True
                relink(links, i, j, k)
                relink(links, j, i, m)
                relink(links, k, m, i)
                relink(links, m, k, j)
                path = restore(links)
    return improved


def tsp(distances, cities):
    pairs = [(i, j) for i in range(cities) for j in range(i)]
    sort_pairs(pairs, distances)
    links = join(pairs, cities)
    for _ in range(3):
        if not improve(links, distances):
            break
    path = restore(links)
    return sum(distance(distances, path[i], path[i + 1]) for i in range(cities - 1))
