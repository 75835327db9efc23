// With the C++ library.
#include <algorithm>
#include <vector>

int median(const int *values, int count)
{
    std::vector<int> sorted(values, values + count);
    std::sort(sorted.begin(), sorted.end());
    return sorted[count / 2];
}
