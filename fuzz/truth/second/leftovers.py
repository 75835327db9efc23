"""More that depends on what ran before."""

import functools
import json
import os
import warnings

COUNT = [0]
CACHE = {}


# call: memo(int in 0..=3)
# all: ones(range(4))
# fresh
# paths: 40
def memo(x):
    return _slow(x)


@functools.lru_cache(None)
def _slow(x):
    total = 0
    for i in range(10 * x):
        total += i
    return total


# call: module_name(int in 0..=2)
# all: ones(range(3))
# fresh
# paths: 40
def module_name(x):
    if hasattr(json, "truth_seen"):
        for _ in range(9):
            x += 1
    json.truth_seen = True
    return x


# call: counter(int in 0..=2)
# all: ones(range(3))
# fresh
# paths: 40
def counter(x):
    COUNT[0] += 1
    for _ in range(COUNT[0]):
        x += 1
    return x


# call: working(int in 0..=2)
# all: ones(range(3))
# fresh
# paths: 40
def working(x):
    here = os.getcwd()
    if here == "/":
        for _ in range(20):
            x += 1
    os.chdir("/")
    return x


# call: filtered(int in 0..=2)
# all: ones(range(3))
# fresh
# paths: 40
def filtered(x):
    for _ in warnings.filters:
        x += 1
    warnings.simplefilter("ignore")
    warnings.filterwarnings("ignore", message=str(x))
    return x


class Pool:
    free = []


# call: pooled(int in 0..=2)
# all: ones(range(3))
# fresh
# paths: 40
def pooled(x):
    for _ in Pool.free:
        x += 1
    Pool.free.append(x)
    return x
