/* Reads a long number in decimal into binary digits: each digit multiplies all that is there. Quadratic in the digits; a letter ends
   it. */
static unsigned limbs[1 << 18];

int parse_number(const char *text, int length) {
    int used = 0;
    for (int i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return -1;
        unsigned long long carry = (unsigned)(text[i] - '0');
        for (int at = 0; at < used; at++) {
            carry += 10ull * limbs[at];
            limbs[at] = (unsigned)carry;
            carry >>= 32;
        }
        if (carry) limbs[used++] = (unsigned)carry;
    }
    return used;
}
