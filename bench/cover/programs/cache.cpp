// A cache that forgets what was used least recently, driven by lines of text: `set KEY VALUE`, `get KEY`, `size N`.
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <utility>

namespace {

class Cache {
    std::size_t most = 2;
    std::list<std::pair<std::string, std::string>> entries;
    std::map<std::string, std::list<std::pair<std::string, std::string>>::iterator> index;

public:
    int forgotten = 0;

    const std::string *get(const std::string &key) {
        auto found = index.find(key);
        if (found == index.end()) return nullptr;
        entries.splice(entries.begin(), entries, found->second);
        return &found->second->second;
    }

    void set(const std::string &key, const std::string &value) {
        auto found = index.find(key);
        if (found != index.end()) {
            found->second->second = value;
            return;
        }
        entries.emplace_front(key, value);
        index[key] = entries.begin();
        shrink();
    }

    void resize(std::size_t size) {
        most = size;
        shrink();
    }

    void shrink() {
        while (entries.size() > most) {
            index.erase(entries.back().first);
            entries.pop_back();
            forgotten++;
        }
    }
};

} // namespace

extern "C" int drive_cache(const unsigned char *data, std::uint32_t size) {
    std::string text(reinterpret_cast<const char *>(data), size);
    Cache cache;
    int hits = 0, misses = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t end = text.find('\n', at);
        if (end == std::string::npos) return -1;
        std::string line = text.substr(at, end - at);
        at = end + 1;
        if (line.empty()) continue;
        std::size_t space = line.find(' ');
        if (space == std::string::npos) return -2;
        std::string command = line.substr(0, space), rest = line.substr(space + 1);
        if (rest.empty()) return -3;
        if (command == "set") {
            std::size_t between = rest.find(' ');
            if (between == std::string::npos) return -4;
            cache.set(rest.substr(0, between), rest.substr(between + 1));
        } else if (command == "get") {
            const std::string *value = cache.get(rest);
            if (!value) misses++;
            else if (*value == "gold") hits += 10;
            else hits++;
        } else if (command == "size") {
            if (rest.size() > 1 || rest[0] < '1' || rest[0] > '9') return -5;
            cache.resize(static_cast<std::size_t>(rest[0] - '0'));
        } else {
            return -6;
        }
    }
    if (cache.forgotten > 1 && hits > 1) return 3;
    if (hits >= 10) return 2;
    return misses ? 1 : 0;
}
