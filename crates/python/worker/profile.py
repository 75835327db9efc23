"""Where the lines of a run are: by line, by function, by call."""

# Deeper calls are counted where this depth is reached: a recursion of thousands
# of frames is no tree that anybody reads.
DEEPEST = 120


class Profiler:
    """Told by a tracer of every frame and line that counts."""

    def __init__(self):
        self.codes = {}     # id(code): (number, code)
        self.nodes = [[None, None, 0, 0, 0]]  # parent, code number, calls, own lines, user
        self.children = {}  # (node, code number): node
        self.stack = []     # (node, code number, lines when entered, [line])
        self.lines = {}     # (code number, line): [hits, total]
        self.active = {}    # (code number, line): how many frames are at it
        self.functions = {} # code number: [calls, own, total, frames of it]
        self.count = 0
        self.folded = 0

    def number(self, code):
        known = self.codes.get(id(code))
        if known is None:
            known = self.codes[id(code)] = (len(self.codes), code)
            self.functions[known[0]] = [0, 0, 0, 0]
        return known[0]

    def enter(self, code, is_call=True):
        number = self.number(code)
        parent = self.stack[-1][0] if self.stack else 0
        if len(self.stack) < DEEPEST:
            node = self.children.get((parent, number))
            if node is None:
                node = self.children[parent, number] = len(self.nodes)
                self.nodes.append([parent, number, 0, 0, 0])
        else:
            node = parent
            self.folded += 1
        function = self.functions[number]
        if is_call:
            self.nodes[node][2] += 1
            function[0] += 1
        function[3] += 1
        if self.stack:
            above = self.stack[-1]
            place = (above[1], above[3][0])
            self.active[place] = self.active.get(place, 0) + 1
        self.stack.append((node, number, self.count, [0]))

    def line(self, line):
        if not self.stack:
            return
        node, number, _, here = self.stack[-1]
        self.count += 1
        here[0] = line
        self.nodes[node][3] += 1
        self.functions[number][1] += 1
        cost = self.lines.get((number, line))
        if cost is None:
            cost = self.lines[number, line] = [0, 0]
        cost[0] += 1
        if not self.active.get((number, line)):
            cost[1] += 1

    def leave(self):
        if not self.stack:
            return
        _, number, before, _ = self.stack.pop()
        spent = self.count - before
        function = self.functions[number]
        function[3] -= 1
        if function[3] == 0:
            # Of a recursion only the outermost frame: the others are inside it.
            function[2] += spent
        if self.stack:
            above = self.stack[-1]
            place = (above[1], above[3][0])
            self.active[place] -= 1
            if not self.active[place]:
                cost = self.lines.get(place)
                if cost is not None:
                    # What the place itself did inside was left out by `line`.
                    cost[1] += spent

    def user(self, cost):
        if self.stack:
            self.nodes[self.stack[-1][0]][4] += cost

    def result(self, shorten, is_own):
        while self.stack:
            self.leave()
        codes = [None] * len(self.codes)
        for number, code in self.codes.values():
            codes[number] = {
                "name": getattr(code, "co_qualname", code.co_name),
                "file": shorten(code.co_filename),
                "line": code.co_firstlineno,
                "own": is_own(code.co_filename),
                "costs": self.functions[number][:3],
            }
        return {
            "functions": codes,
            "calls": self.nodes[1:],
            "lines": [[number, line] + cost for (number, line), cost in self.lines.items()],
            "folded": self.folded,
        }
