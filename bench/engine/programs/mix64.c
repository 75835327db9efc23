// 64-bit arithmetic: a generator of the xorshift and multiply kind, and an open hash table of 64-bit keys.
typedef unsigned long long u64;
static u64 keys[8192], counts[8192];

static u64 mixed(u64 x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 29;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 32;
}

__attribute__((export_name("run"))) int run(int rounds) {
    u64 state = 0x9e3779b97f4a7c15ull, total = 0;
    for (int r = 0; r < rounds; r++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u64 key = (state >> 52) + 1;
        u64 place = mixed(key) & 8191;
        while (keys[place] != 0 && keys[place] != key) place = (place + 1) & 8191;
        keys[place] = key;
        total += counts[place] += state >> 60;
    }
    return (int)(total ^ total >> 32);
}
