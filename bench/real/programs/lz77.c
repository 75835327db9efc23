/* An LZ77 compressor: hash chains over three bytes, lazy matching, a limit on the chain. The worst data have many
 * earlier places that match for long and never as long as would end the search. */
#include <stdint.h>
#include <string.h>

enum { HASH_BITS = 8, CHAIN = 32, WINDOW = 1024, SHORTEST = 3, LONGEST = 34, GOOD = 24 };

struct matcher {
    int16_t head[1 << HASH_BITS];
    int16_t previous[WINDOW];
    const uint8_t *data;
    int length;
};

struct match {
    int length, distance;
};

static unsigned hash(const uint8_t *p) {
    uint32_t three = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    return (three * 2654435761u) >> (32 - HASH_BITS);
}

static void remember(struct matcher *m, int at) {
    if (at + SHORTEST > m->length) return;
    unsigned h = hash(m->data + at);
    m->previous[at % WINDOW] = m->head[h];
    m->head[h] = (int16_t)at;
}

static struct match longest_match(const struct matcher *m, int at) {
    struct match best = {0, 0};
    if (at + SHORTEST > m->length) return best;
    int most = m->length - at < LONGEST ? m->length - at : LONGEST;
    int candidate = m->head[hash(m->data + at)];
    for (int chain = CHAIN; candidate >= 0 && at - candidate < WINDOW && chain > 0; chain--) {
        const uint8_t *a = m->data + candidate, *b = m->data + at;
        if (a[best.length] == b[best.length] || best.length == most) {
            int length = 0;
            while (length < most && a[length] == b[length]) length++;
            if (length >= SHORTEST && length > best.length) {
                best = (struct match){length, at - candidate};
                if (length >= GOOD || length == most) break;
            }
        }
        candidate = m->previous[candidate % WINDOW];
    }
    return best;
}

static int put(uint8_t *out, int used, int room, const uint8_t *bytes, int count) {
    if (used < 0 || used + count > room) return -1;
    memcpy(out + used, bytes, (size_t)count);
    return used + count;
}

static struct matcher matcher;

/* The length of the output, or -1 if there is no room for it. */
int compress(const uint8_t *data, int length, uint8_t *out, int room) {
    struct matcher *m = &matcher;
    int used = 0, at = 0;
    if (length > INT16_MAX) return -1;
    memset(m->head, 0xff, sizeof m->head);
    m->data = data;
    m->length = length;
    while (at < length && used >= 0) {
        struct match match = longest_match(m, at);
        remember(m, at);
        if (match.length > 0 && match.length < GOOD && at + 1 < length) {
            struct match next = longest_match(m, at + 1);
            if (next.length > match.length) match.length = 0;
        }
        if (match.length == 0) {
            uint8_t literal[2] = {0, data[at++]};
            used = put(out, used, room, literal, 2);
            continue;
        }
        uint8_t copy[3] = {(uint8_t)match.length, (uint8_t)(match.distance >> 8), (uint8_t)match.distance};
        used = put(out, used, room, copy, 3);
        for (int end = at + match.length; ++at < end;) remember(m, at);
    }
    return used;
}
