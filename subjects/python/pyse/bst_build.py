"""Building a plain binary search tree of n keys. PySE (Koo et al.), benchmark 4, Table I.

call: build(int[n])        returns the root

Smaller keys go left, all others right, so equal keys follow a path of distinct ones.

Cost `decisions`: one comparison per vertex passed.
Worst case: a monotone sequence; key i passes all i earlier ones: n(n-1)/2. It is the optimum, since there are no more to
pass. n! paths.
"""


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


def build(keys):
    root = None
    for key in keys:
        node = Node(key)
        if root is None:
            root = node
            continue
        at = root
        while at is not node:
            if key < at.key:
                if at.left is None:
                    at.left = node
                at = at.left
            else:
                if at.right is None:
                    at.right = node
                at = at.right
    return root
