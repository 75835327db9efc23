"""Copies the non-zero values of a list into a small buffer. ESE (Aquino et al.), Listing 4, Table V.

call: memory_fill(int[n], 16)        the listing: 16 cells
call: memory_fill(int[n], 18)        18 cells

Cost `lines`.
Worst case with 18 cells: for n <= 18 every input costs 2 n + 5 (one path); above, all values non-zero: 4 n + 22. Each value
adds 4 lines instead of 2, and those that find a free cell one more, so it is the optimum. 2^n paths.
Table V prints 4 n + 22 where its listing gives 4 n + 20; two cells more explain it without touching the other sizes of
the table.
"""


def memory_fill(values, cells):
    memory = [0] * cells
    free = cells
    if len(values) <= free:
        for i in range(len(values)):
            memory[i] = values[i]
        return
    for i in range(len(values)):
        if values[i] != 0:
            free -= 1
            if free >= 0:
                memory[free] = values[i]
