/* A greedy tour heuristic with 2-opt: the path through n cities in the manner of the Python package tsp-solver.
 * PySE (Koo et al.), benchmark 6, Table II.
 *
 * call: tsp(i32[n*(n-1)/2] in 0..=1000000, n, out i32[n*n+8*n])        returns the length of the path; the paper's N is n(n-1)/2
 *
 * The pairs of cities are sorted by distance as CPython's list.sort does below 64 elements: find the run at the start (a strictly descending
 * one is reversed), then insert each further element by bisection. In this order pairs are joined unless a city has two
 * neighbours already or a cycle would close. Then at most three passes of 2-opt over positions a and c >= a+3 of the path; a pass without
 * an improvement is the last. The range of the distances keeps the sums exact.
 *
 * Cost `decisions`: comparisons of distances.
 * Worst case: the sort makes 2 + sum over p = 2..N-1 of ceil(log2(p+1)) comparisons, 4, 12, 26, 46 at n = 3, 4, 5, 6, and 2-opt 0, 0, 2, 9:
 * together 4, 12, 28, 55. Each part is at its greatest possible value, so these are optima (the paper was not sure of the last two).
 * Paths: 6, 720 at n = 3, 4 (with the infeasible sides 8 and 728, as published).
 */
#include "subject.h"

static int cities;
static const int *distances; /* of the pairs (i, j), j < i, in the order (1,0), (2,0), (2,1), (3,0), .. */

static int pair_of(int i, int j) {
    if (i < j) return j * (j - 1) / 2 + i;
    return i * (i - 1) / 2 + j;
}

static void reverse(int *list, int count) {
    for (int i = 0, j = count - 1; i < j; i++, j--) {
        int t = list[i];
        list[i] = list[j];
        list[j] = t;
    }
}

/* Sorts pair numbers by distance. */
static void sort_pairs(int *pairs, int count) {
    if (count < 2) return;
    int run = 2;
    if (distances[pairs[1]] < distances[pairs[0]]) {
        for (; run < count; run++) {
            if (!(distances[pairs[run]] < distances[pairs[run - 1]])) break;
        }
        reverse(pairs, run);
    } else {
        for (; run < count; run++) {
            if (distances[pairs[run]] < distances[pairs[run - 1]]) break;
        }
    }
    for (int i = run; i < count; i++) {
        int pair = pairs[i];
        int left = 0, right = i;
        while (left < right) {
            int middle = (left + right) / 2;
            if (distances[pair] < distances[pairs[middle]]) right = middle;
            else left = middle + 1;
        }
        for (int j = i; j > left; j--) pairs[j] = pairs[j - 1];
        pairs[left] = pair;
    }
}

/* links[2*i] and links[2*i+1] are the neighbours of city i on the path, -1 where there is none. */
static void link(int *links, int from, int to) {
    if (links[2 * from] < 0) links[2 * from] = to;
    else links[2 * from + 1] = to;
}

static void relink(int *links, int from, int old, int new) {
    if (links[2 * from] == old) links[2 * from] = new;
    else links[2 * from + 1] = new;
}

static void join_pairs(const int *pairs, int count, int *links, int *segment) {
    for (int i = 0; i < cities; i++) {
        links[2 * i] = links[2 * i + 1] = -1;
        segment[i] = i;
    }
    for (int p = 0; p < count; p++) {
        int i = 1;
        while (pairs[p] >= i * (i + 1) / 2) i++;
        int j = pairs[p] - i * (i - 1) / 2;
        if (links[2 * i + 1] >= 0 || links[2 * j + 1] >= 0 || segment[i] == segment[j]) continue;
        link(links, i, j);
        link(links, j, i);
        int joined = segment[j];
        for (int k = 0; k < cities; k++) {
            if (segment[k] == joined) segment[k] = segment[i];
        }
    }
}

/* Walks the links from the end of the path with the smaller number. */
static void restore_path(const int *links, int *path) {
    int at = 0;
    while (links[2 * at] >= 0 && links[2 * at + 1] >= 0) at++;
    int before = -1;
    for (int i = 0; i < cities; i++) {
        path[i] = at;
        int next = links[2 * at];
        if (next == before || next < 0) next = links[2 * at + 1];
        before = at;
        at = next;
    }
}

static int distance(int i, int j) { return distances[pair_of(i, j)]; }

/* One pass of 2-opt; returns whether it improved the path. */
static int improve(int *links, int *path) {
    int improved = 0;
    restore_path(links, path);
    for (int a = 0; a < cities - 1; a++) {
        int b = a + 1;
        for (int c = b + 2; c < cities - 1; c++) {
            int d = c + 1;
            int gain = distance(path[a], path[b]) + distance(path[c], path[d]) - (distance(path[a], path[c]) + distance(path[b], path[d]));
            if (gain > 0) {
                improved = 1;
                relink(links, path[a], path[b], path[c]);
                relink(links, path[b], path[a], path[d]);
                relink(links, path[c], path[d], path[a]);
                relink(links, path[d], path[c], path[b]);
                restore_path(links, path);
            }
        }
    }
    return improved;
}

/* `scratch` is room for n*n+8*n numbers. */
EXPORT("tsp") int tsp(const int *pair_distances, int n, int *scratch) {
    distances = pair_distances;
    cities = n;
    int count = n * (n - 1) / 2;
    int *path = scratch, *segment = scratch + n, *links = scratch + 2 * n, *pairs = scratch + 4 * n;
    for (int i = 0; i < count; i++) pairs[i] = i;
    sort_pairs(pairs, count);
    join_pairs(pairs, count, links, segment);
    for (int pass = 0; pass < 3; pass++) {
        if (!improve(links, path)) break;
    }
    restore_path(links, path);
    int length = 0;
    for (int i = 0; i < n - 1; i++) length += distance(path[i], path[i + 1]);
    return length;
}
