/* Every three equal neighbours in order: cubic in the number of equal values, less for others. */
int triples(const unsigned char *values, int count) {
    int found = 0;
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            if (values[i] != values[j]) continue;
            for (int k = j + 1; k < count; k++) found += values[k] == values[j];
        }
    }
    return found;
}
