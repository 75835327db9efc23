/* Travelling salesman by branch and bound over n cities. WISE (Burnim et al., ICSE 2009), Table 1.
 *
 * call: tsp(i32[n*n] in 0..=1000000, n, out i32[n])        returns the length of the shortest tour
 *
 * Cities are tried in index order from city 0; a partial tour is dropped when it is as long as the best tour, the only bound.
 *
 * Cost `branches`.
 * Worst case: lengths such that no partial tour reaches the best one: V + 1 + s(V-1) for V cities, s(0) = 2, s(k) = 2 V + 3 + k s(k-1); as
 * published 4, 12, 35, 127, 587 at 1..5, and 1535551 at 9. It is the optimum: the whole tree of tours.
 * Paths: 1, 1, 3, 297 at n = 1..4.
 */
#include "subject.h"

static const int *weight;
static int cities, best;
static int *visited;

static void extend(int last, int count, int length) {
    if (count == cities) {
        if (length + weight[last * cities] < best) best = length + weight[last * cities];
        return;
    }
    if (length >= best) return;
    for (int next = 0; next < cities; next++) {
        if (visited[next]) continue;
        visited[next] = 1;
        extend(next, count + 1, length + weight[last * cities + next]);
        visited[next] = 0;
    }
}

/* `scratch` is room for n flags. */
EXPORT("tsp") int tsp(const int *weights, int n, int *scratch) {
    weight = weights;
    cities = n;
    best = 0x7fffffff;
    visited = scratch;
    for (int i = 0; i < n; i++) visited[i] = 0;
    visited[0] = 1;
    extend(0, 1, 0);
    return best;
}
