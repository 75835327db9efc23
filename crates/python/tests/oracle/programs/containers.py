# call: f(int[4] in 0..=2)
def f(xs):
    seen = {}
    for x in xs:
        seen.setdefault(x, []).append(len(seen))
    first = seen.pop(1, None)
    return told((seen, first, list(seen), 2 in seen, max(seen, key=seen.get) if seen else None, dict(sorted(seen.items(), key=lambda kv: -kv[0]))))


# call: f(int[3] in 0..=3, int in 0..=4)
def f(xs, k):
    values = set(xs)
    values ^= {k, 1}
    other = frozenset(range(k))
    return told((values, values & other, values | other, values - other, values <= other, values.isdisjoint(other), k in values, len(values), values > {1}, sorted(values, reverse=True)))


# call: f(int[3] in 0..=3, int in -4..=4)
def f(xs, at):
    xs.insert(at, 9)
    xs[at:at + 1] = [7, 8]
    del xs[0]
    last = xs.pop(at)
    xs.extend(x + 1 for x in xs[:2])
    xs *= 2 if last == 8 else 1
    xs.reverse()
    return told((xs, last))


# call: f(int[4] in 0..=2, int in 0..=2)
def f(xs, k):
    try:
        at = xs.index(k)
        xs.remove(k)
    except ValueError:
        at = -1
    return told((at, xs, xs.count(k), [1] * k + xs, xs < [1, 1], xs == sorted(xs), (k,) + tuple(xs), k in xs, xs[-1:] + xs[:k], min(xs, default=0)))


# call: f(int[5] in 0..=2)
def f(xs):
    first, *middle, last = xs
    (a, b), c = xs[:2], xs[2]
    a, b = b, a + c
    return told((first, middle, last, a, b, [*middle, *xs[:1]], {**{first: 1}, **{last: 2}}, max(*xs), sum(xs, 1), any(xs), all(xs)))


# call: f(int[4] in 0..=3)
def f(xs):
    import heapq, bisect
    heapq.heapify(xs)
    smallest = heapq.heappushpop(xs, 2)
    ordered = sorted(xs)
    bisect.insort(ordered, smallest)
    return told((smallest, xs, ordered, bisect.bisect_left(ordered, 2), bisect.bisect(ordered, 1), heapq.nsmallest(2, xs), heapq.nlargest(1, xs, key=lambda x: -x), list(heapq.merge(ordered, [1]))))


# call: f(int[4] in 0..=2, int in 0..=5)
def f(xs, k):
    from itertools import accumulate, chain, combinations, compress, dropwhile, groupby, islice, takewhile, zip_longest
    return told((list(accumulate(xs)), [(key, len(list(group))) for key, group in groupby(xs)], list(islice(xs, k)), list(takewhile(lambda x: x < 2, xs)),
                 list(dropwhile(bool, xs)), list(chain(xs, [k])), sum(a < b for a, b in combinations(xs, 2)), list(compress(xs, [k, 0, 1, k > 2])), list(zip_longest(xs[:1], xs[k:], fillvalue=0))))


# call: f(int[4] in 0..=2, int in -3..=3)
def f(xs, k):
    from collections import OrderedDict, defaultdict, deque
    queue = deque(xs, maxlen=3)
    queue.rotate(k)
    queue.appendleft(k)
    table = defaultdict(list)
    for x in queue:
        table[x > 0].append(x)
    ordered = OrderedDict.fromkeys(xs)
    ordered.move_to_end(xs[0])
    return told((list(queue), table, list(ordered), queue[0], k in queue))


# call: f(int[3] in 0..=2)
def f(xs):
    table = {x: x * x for x in xs}
    table |= {1: 5}
    inverse = {value: key for key, value in table.items()}
    del table[1]
    grid = [[x + y for y in xs if y] for x in xs if x != 1]
    return told((table, inverse, grid, list(zip(*grid)), {x % 2 for x in xs}, [*map(max, xs, xs[1:])], table.popitem() if table else None))


# call: f(int[4] in 0..=2)
def f(xs):
    from functools import cmp_to_key, lru_cache, reduce

    @lru_cache(maxsize=None)
    def ways(n):
        return 1 if n < 2 else ways(n - 1) + ways(n - 2)

    by = sorted(xs, key=cmp_to_key(lambda a, b: b - a))
    return told((by, reduce(lambda a, b: a * 3 + b, xs), ways(xs[0] + xs[1]), ways.cache_info().hits))


# call: f(int[6] in 0..=1)
def f(xs):
    pairs = [(xs[i], -i) for i in range(0, 6, 2)]
    pairs.sort()
    names = sorted("bca", key=lambda c: (xs["abc".index(c)], c))
    stable = sorted(enumerate(xs), key=lambda pair: pair[1])
    return told((pairs, names, stable, min(pairs), max(pairs, key=lambda p: p[1]), pairs[0] < pairs[1]))


# call: f(int[2] in 0..=3, int[2] in 0..=3)
def f(xs, ys):
    from operator import add, attrgetter, itemgetter, methodcaller
    rows = [(x, y) for x, y in zip(xs, ys)]
    return told((list(map(add, xs, ys)), sorted(rows, key=itemgetter(1, 0)), [methodcaller("bit_length")(x) for x in xs], attrgetter("real")(xs[0]), dict(rows), len(dict(zip(ys, xs)))))


# call: f(dict(int in 0..=2: bool)[3])
def f(table):
    total = 0
    for key, flag in table.items():
        if flag:
            total += key
    return told((total, len(table), table, table.get(1), list(table.values()).count(True)))


# call: f(set(int in 0..=3)[3], tuple(int in 0..=2, str[1] in 97..=98))
def f(values, pair):
    number, letter = pair
    return told((values, number in values, letter, pair == (1, "a"), pair[0], len(values), hash(pair) == hash((1, "b"))))


# call: f(int[2][2] in 0..=2)
def f(grid):
    turned = [list(row) for row in zip(*grid[::-1])]
    grid[0][1] += grid[1][0]
    return told((turned, grid, sum(map(sum, grid)), grid == turned, max(map(max, grid))))


# call: f(int[3] in 0..=3)
def f(xs):
    import copy, json
    deep = copy.deepcopy({"xs": xs, "n": xs[0]})
    deep["xs"].append(4)
    text = json.dumps(deep)
    return told((text, json.loads(text)["n"], xs, eval(repr(xs)) == xs))


# call: f(int in 0..=5, int in 0..=5)
def f(a, b):
    import array
    numbers = array.array("i", [a, b])
    numbers.append(a - b)
    return told((list(numbers), numbers[0] == a, max(numbers)))


# call: f(int[3] in 0..=2)
def f(xs):
    parent = list(range(3))

    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for i, x in enumerate(xs):
        parent[find(i)] = find(x)
    return told((parent, len({find(i) for i in range(3)})))
