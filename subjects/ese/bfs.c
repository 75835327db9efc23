/* Is vertex n-1 reachable from vertex 0? Breadth-first search over an adjacency matrix. ESE (Aquino et al.), Table V.
 *
 * call: bfs(i32[n*n], n, out i32[3*n])        n vertices; the paper's sizes 10, 50, 75, 100 are n = 3, 7, 9, 10 (about n^2 cells)
 *
 * Cost `user`: one per executed line. The paper prints no listing; in this one (visited when discovered, goal tested when taken from the
 * queue, the diagonal not looked at, listing neighbours costs no line) the worst case is Manual at all four sizes.
 *
 * Worst case: every edge present and the goal taken from the queue last: 2 n^2 + 2 n + 2. It is the optimum by brute force up to n = 4.
 */
#include "subject.h"

/* The outgoing edges of `vertex` in index order; returns how many. */
static int list_neighbours(const int *matrix, int n, int vertex, int *list) {
    int count = 0;
    for (int to = 0; to < n; to++) {
        if (to != vertex) {
            if (matrix[vertex * n + to] != 0) list[count++] = to;
        }
    }
    return count;
}

/* `scratch` is room for 3 n zeros: flags, queue, neighbours. */
EXPORT("bfs") int bfs(const int *matrix, int n, int *scratch) {
    int goal = n - 1;
    int *visited = scratch, *queue = scratch + n, *list = scratch + 2 * n;
    int first = 0, last = 0;
    LINE; visited[0] = 1;
    LINE; queue[last++] = 0;
    while (LINE, first < last) {
        LINE; int current = queue[first++];
        LINE; if (current == goal) {
            LINE; return 1;
        }
        int count = list_neighbours(matrix, n, current, list);
        for (int i = 0; LINE, i < count; i++) {
            LINE; if (!visited[list[i]]) {
                LINE; visited[list[i]] = 1;
                LINE; queue[last++] = list[i];
            }
        }
    }
    LINE; return 0;
}
