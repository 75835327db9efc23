"""Functions that leave something behind, so that another run of the same process does something else."""

import os
import string
import sys

SEEN = {}


# call: environment(int in 0..=3)
# all: ones(range(4))
# fresh
# paths: 40
def environment(x):
    name = f"TRUTH_{x}"
    if name in os.environ:
        for _ in range(50):
            x += 1
    os.environ[name] = "1"
    return x


# call: places(int in 0..=3)
# all: ones(range(4))
# fresh
# paths: 40
def places(x):
    for _ in sys.path:
        x += 1
    sys.path.append("/nowhere")
    return x


# call: library(int in 0..=2)
# all: ones(range(3))
# fresh
# paths: 40
def library(x):
    count = getattr(string, "visits", 0)
    string.visits = count + 1
    for _ in range(count):
        x += 1
    return x


# call: own(int in 0..=2)
# all: ones(range(3))
# fresh
# paths: 40
def own(x):
    if x in SEEN:
        return SEEN[x]
    SEEN[x] = sum(i for i in range(5))
    return SEEN[x]


# call: directory(int in 0..=2)
# all: ones(range(3))
# fresh
# paths: 40
def directory(x, made=[]):
    made.append(x)
    for _ in made:
        x += 1
    return x
