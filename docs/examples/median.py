"""The median of a list, by quickselect."""


def median(values: list[int]) -> int:
    rank = len(values) // 2
    low, high = 0, len(values) - 1
    while low < high:
        pivot, store = values[high], low
        for i in range(low, high):
            if values[i] < pivot:
                values[i], values[store] = values[store], values[i]
                store += 1
        values[store], values[high] = values[high], values[store]
        if store == rank:
            break
        if store < rank:
            low = store + 1
        else:
            high = store - 1
    return values[rank]
