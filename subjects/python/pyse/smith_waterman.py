"""Local alignment score of a fixed string of three different symbols with n symbolic ones, in the manner of Biopython's
localxx: a match counts 1, a mismatch and a gap 0. PySE (Koo et al.), benchmark 1, Table I.

call: localxx(str[n])        returns the best score

Cost `decisions`: one equality per cell of the table, 3 n on every path; the worst case is any input.
A symbol is one of the three or none of them: 4^n paths. The paper's exhaustive count 2*4^n - 1 (127, 511, 2047 at n = 3, 4,
5) also counts the infeasible sides.
"""

KEY = "ACG"


def localxx(text):
    best = 0
    previous = [0] * (len(KEY) + 1)
    for symbol in text:
        current = [0]
        for j in range(len(KEY)):
            score = previous[j]
            if symbol == KEY[j]:
                score += 1
            score = max(score, previous[j + 1], current[j])
            current.append(score)
            best = max(best, score)
        previous = current
    return best
