/* Is vertex n-1 reachable from vertex 0? Depth-first search over an adjacency matrix. ESE (Aquino et al.), Listing 3, Table V.
 *
 * call: dfs(i32[n*n], n, out i32[n*n+n])        n vertices; the paper's sizes 10, 50, 75, 100 are n = 3, 7, 9, 10 (about n^2 cells)
 *
 * Cost `user`: one per executed line of the listing. Making the list of neighbours costs no line, as in the paper; the diagonal of the
 * matrix is not looked at (self loops would raise the optimum by 2(n-1), a value ESE never reports).
 *
 * Worst case: all vertices but the goal have edges to each other, and the goal is only reached from the start, as its last
 * neighbour: 2 n^2 - n + 3, all four Manual values of Table V (n >= 2).
 * It is the optimum by brute force up to n = 4.
 */
#include "subject.h"

static const int *matrix;
static int vertices, goal;
static int *visited;    /* one flag per vertex */
static int *neighbours; /* one row per vertex: each is listed once, when it is visited */

/* The outgoing edges of `vertex` in index order; returns how many. */
static int list_neighbours(int vertex, int *list) {
    int count = 0;
    for (int to = 0; to < vertices; to++) {
        if (to != vertex) {
            if (matrix[vertex * vertices + to] != 0) list[count++] = to;
        }
    }
    return count;
}

static int search(int current) {
    LINE; if (current == goal) {
        LINE; return 1;
    }
    LINE; visited[current] = 1;
    int *list = neighbours + current * vertices;
    int count = list_neighbours(current, list);
    for (int i = 0; LINE, i < count; i++) {
        LINE; if (!visited[list[i]]) {
            LINE; if (search(list[i])) {
                LINE; return 1;
            }
        }
    }
    LINE; return 0;
}

/* `scratch` is room for n*n+n zeros. */
EXPORT("dfs") int dfs(const int *edges, int n, int *scratch) {
    matrix = edges;
    vertices = n;
    goal = n - 1;
    visited = scratch;
    neighbours = scratch + n;
    LINE; return search(0);
}
