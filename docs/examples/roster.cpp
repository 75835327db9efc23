// A list of names, and how often each of them occurs.
#include <string>
#include <utility>
#include <vector>

std::vector<std::pair<std::string, int>> tally(const std::vector<std::string> &names) {
    std::vector<std::pair<std::string, int>> counts;
    for (const std::string &name : names) {
        bool known = false;
        for (auto &entry : counts) {
            if (entry.first == name) {
                entry.second++;
                known = true;
                break;
            }
        }
        if (!known) counts.push_back({name, 1});
    }
    return counts;
}

int inversions(const std::vector<int> &values) {
    int count = 0;
    for (size_t i = 1; i < values.size(); i++)
        for (size_t j = i; j > 0 && values[j - 1] > values[i]; j--) count++;
    return count;
}
