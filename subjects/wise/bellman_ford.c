/* Bellman-Ford: shortest distances from vertex 0 in a complete directed graph of n vertices. WISE (Burnim et al., ICSE 2009), Table 1.
 *
 * call: bellman_ford(i32[n*n-n] in -10000..=10000, n, out i32[n*n+2*n])        returns whether there is no negative cycle
 *
 * Up to n passes over all edges; it stops after a pass that changes nothing. The range keeps 32-bit sums exact up to n = 50.
 *
 * Cost `branches`, with the loops that read the weights.
 * Worst case: a negative cycle, so that every pass changes something: 4 n^3 + 2 n^2 + 6 n + 3 for n >= 2, as published (at n = 1 the paper
 * prints 1). It is the optimum: the passes have no other early end, and an edge out of a reached vertex always costs the same.
 * Paths: 2, 63, 184875 at n = 2, 3, 4.
 *
 * "Not yet reached, or shorter" is one branch here (`|` of two truth values); the source released later counts so too. It has one more test
 * at the end, which the published numbers do not have.
 */
#include "subject.h"

/* `scratch` is room for the matrix, the distances and the flags. */
EXPORT("bellman_ford") int bellman_ford(const int *weights, int n, int *scratch) {
    int *weight = scratch;
    int *distance = scratch + n * n;
    int *unreached = distance + n;
    int changed = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (i == j) continue;
            weight[i * n + j] = *weights++;
        }
    }
    for (int i = 0; i < n; i++) {
        distance[i] = 0;
        unreached[i] = 1;
    }
    unreached[0] = 0;
    for (int pass = 0; pass < n; pass++) {
        changed = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (i == j) continue;
                if (unreached[i]) continue;
                if (unreached[j] | (distance[i] + weight[i * n + j] < distance[j])) {
                    distance[j] = distance[i] + weight[i * n + j];
                    unreached[j] = 0;
                    changed = 1;
                }
            }
        }
        if (!changed) break;
    }
    return !changed;
}
