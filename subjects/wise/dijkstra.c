/* Dijkstra with an array instead of a queue: shortest distances from vertex 0 of n vertices. WISE (Burnim et al., ICSE 2009), Table 1.
 *
 * call: dijkstra(i32[n*n] in 0..=1000000, n, out i32[2*n])
 *
 * The matrix has n*n cells for an easy call; its diagonal is not read, so n(n-1) weights matter.
 *
 * Cost `branches`: 5 n^2 + 5 n + 2 on every path, as published; the worst case is any input. n rounds, each a scan for the nearest
 * vertex not yet fixed and a scan of its edges. The source released later counts n fewer; we attribute the rest to the
 * test in each round whether a vertex was found.
 * Paths: 1, 1, 4, 56, 2592 at n = 1..5.
 */
#include "subject.h"

#define FAR 0x7fffffff

/* `scratch` is room for distances and flags. */
EXPORT("dijkstra") void dijkstra(const int *weight, int n, int *scratch) {
    int *distance = scratch;
    int *fixed = scratch + n;
    for (int i = 0; i < n; i++) {
        distance[i] = FAR;
        fixed[i] = 0;
    }
    distance[0] = 0;
    for (int round = 0; round < n; round++) {
        int nearest = -1;
        int least = FAR;
        for (int i = 0; i < n; i++) {
            if (!fixed[i] && distance[i] < least) {
                nearest = i;
                least = distance[i];
            }
        }
        if (nearest < 0) return;
        fixed[nearest] = 1;
        for (int i = 0; i < n; i++) {
            if (!fixed[i] && least + weight[nearest * n + i] < distance[i]) distance[i] = least + weight[nearest * n + i];
        }
    }
}
