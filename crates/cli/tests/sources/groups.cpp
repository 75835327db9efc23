#include <string>
#include <unordered_map>
extern "C" int count(const char *s, int n) {
    std::unordered_map<std::string, int> m;
    for (int i = 0; i + 3 <= n; i += 3) m[std::string(s + i, 3)]++;
    int most = 0;
    for (auto &e : m) if (e.second > most) most = e.second;
    return most;
}
