/* A message of two parts: the identifiers of a registry up to a 0, then references to them. A reference that is not in
 * the registry ends the message.
 *
 * call: resolve(i32[n], n)         returns the number of references resolved, or -1 if there is no second part
 *
 * Worst case: n^2, by two halves: n/2 identifiers, and n/2 references to the last of them that are each looked for
 * from the first one on, n^2/4 comparisons; more identifiers leave fewer references. Random numbers have no 0, which
 * is linear, and references that are not registered end it.
 */
#include <stdint.h>

#define END_OF_REGISTRY 0

struct registry {
    const int32_t *ids;
    int count;
};

static int read_registry(const int32_t *message, int n, struct registry *registry) {
    registry->ids = message;
    registry->count = 0;
    while (registry->count < n) {
        if (message[registry->count] == END_OF_REGISTRY) return 1;
        registry->count++;
    }
    return 0;
}

static int find(const struct registry *registry, int32_t id) {
    for (int i = 0; i < registry->count; i++) {
        if (registry->ids[i] == id) return i;
    }
    return -1;
}

int resolve(const int32_t *message, int n) {
    struct registry registry;
    int resolved = 0;
    if (!read_registry(message, n, &registry)) return -1;
    for (int i = registry.count + 1; i < n; i++) {
        if (find(&registry, message[i]) < 0) break;
        resolved++;
    }
    return resolved;
}
