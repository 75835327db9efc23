"""More that is only looked at."""

import deferred
from deferred import current, later


# call: deferred_count(int[n] in 0..=3)
# size: 2
# all: ones(lists(range(4), 2))
def deferred_count(xs):
    found = 0
    for x in xs:
        if x != 2:
            found += 1
    return found


# call: is_current(int in 0..=3)
# all: ones(range(4))
def is_current(x):
    if x >= 2 and current is not None:
        return later is None
    return deferred is None
