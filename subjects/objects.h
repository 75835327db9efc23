/* Memory for the objects that constructors return: subjects of suites, whose tests make their own sequences of calls. */
#ifndef OBJECTS_H
#define OBJECTS_H

#define OBJECT_MEMORY 32768

static unsigned char object_memory[OBJECT_MEMORY] __attribute__((aligned(16)));
static unsigned object_bytes;

/* Room for an object, all zero, never given back. Where none is left it traps, and it does so without a branch (by reading where no memory can
 * be), so that no subject has an arm that only a test of a thousand calls reaches. */
static void *new_object(unsigned size) {
    unsigned at = object_bytes;
    object_bytes = at + ((size + 7) & ~7u);
    (void)*(volatile unsigned char *)(-(unsigned)(object_bytes > OBJECT_MEMORY) & 0xffffff00u);
    return object_memory + at;
}

#define NEW(type) ((type *)new_object(sizeof(type)))

#endif
