/* A set of numbers as disjoint intervals, of the kind of the container classes of SF100 in EvoSuite's hybrid search (Galeotti et al., 2013), section V.
 * Ours.
 *
 * suite: interval_set.api
 *
 * Goal: cover every branch. Intervals that touch, overlap, swallow others or are cut in two by a removal are relations between the arguments of
 * several calls; the set is full after six intervals that do not touch.
 */
#include "subject.h"
#include "objects.h"

#define MOST 6

struct interval {
    int low, high; /* both ends belong to it */
};

struct set {
    struct interval at[MOST]; /* ascending, with at least one number between two of them */
    int length;
};

EXPORT("set_new") struct set *set_new(void) {
    return NEW(struct set);
}

static void erase(struct set *set, int from, int count) {
    for (int i = from + count; i < set->length; i++) set->at[i - count] = set->at[i];
    set->length -= count;
}

static int insert(struct set *set, int at, int low, int high) {
    if (set->length == MOST) return 0;
    for (int i = set->length; i > at; i--) set->at[i] = set->at[i - 1];
    set->at[at].low = low;
    set->at[at].high = high;
    set->length++;
    return 1;
}

EXPORT("set_add") int set_add(struct set *set, int low, int high) {
    if (low > high || low < -1000000 || high > 1000000) return -1;
    int first = 0;
    while (first < set->length && set->at[first].high < low - 1) first++;
    int last = first;
    while (last < set->length && set->at[last].low <= high + 1) last++;
    if (first == last) {
        if (!insert(set, first, low, high)) return -2;
        return 0;
    }
    struct interval *into = &set->at[first];
    if (last - first == 1 && into->low <= low && high <= into->high) {
        if (into->low == low && into->high == high) return 2; /* there already */
        return 1;
    }
    if (low < into->low) into->low = low;
    if (set->at[last - 1].high > high) high = set->at[last - 1].high;
    into->high = high;
    erase(set, first + 1, last - first - 1);
    if (last - first == 3) return 4;
    return 3;
}

EXPORT("set_remove") int set_remove(struct set *set, int low, int high) {
    if (low > high) return -1;
    int changed = 0;
    for (int i = 0; i < set->length; i++) {
        struct interval *interval = &set->at[i];
        if (interval->high < low) continue;
        if (interval->low > high) break;
        changed++;
        if (interval->low < low && interval->high > high) {
            if (!insert(set, i + 1, high + 1, interval->high)) return -2;
            set->at[i].high = low - 1;
            return 9; /* cut in two */
        }
        if (interval->low < low) interval->high = low - 1;
        else if (interval->high > high) interval->low = high + 1;
        else erase(set, i--, 1);
    }
    return changed;
}

EXPORT("set_contains") int set_contains(const struct set *set, int value) {
    int low = 0, high = set->length;
    while (low < high) {
        int middle = (low + high) / 2;
        if (set->at[middle].high < value) low = middle + 1;
        else high = middle;
    }
    if (low == set->length) return 0;
    if (set->at[low].low > value) return 0;
    if (set->at[low].low == set->at[low].high) return 2;
    return 1;
}

EXPORT("set_size") int set_size(const struct set *set) {
    int size = 0;
    for (int i = 0; i < set->length; i++) size += set->at[i].high - set->at[i].low + 1;
    if (size == 31337) return -1;
    return size;
}

EXPORT("set_equal") int set_equal(const struct set *a, const struct set *b) {
    if (a == b) return 2;
    if (a->length != b->length) return 0;
    for (int i = 0; i < a->length; i++) {
        if (a->at[i].low != b->at[i].low) return 0;
        if (a->at[i].high != b->at[i].high) return 0;
    }
    return 1;
}
