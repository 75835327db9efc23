// Objects of the library, structures, classes, exceptions.
//
// flags: --cflags -std=c++20
//
// worst: anagrams --size 4 --paths 300
// worst: older --size 4 --paths 300
// worst: rising --size 4 --paths 200
// worst: filled --size 4 --paths 200
// worst: prefix --size 6 --paths 200
// worst: window --size 5 --paths 200
// worst: deep --size 3 --paths 300
// worst: drain --size 5 --paths 300
// worst: parse --size 5 --paths 300
// worst: strict --size 4 --paths 300
// worst: uncaught --size 3 --paths 200
// worst: Ledger::owed --size 3 --paths 200
// worst: touching --size 3 --paths 200
// worst: bytes --call 'bytes({u8 in 0..=8, u8[8]}[n], n)' --size 2 --paths 300
#include "pessimum.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

int anagrams(const std::vector<std::string> &words) {
    int found = 0;
    for (size_t i = 0; i < words.size(); i++)
        for (size_t j = 0; j < i; j++) {
            if (words[i].size() != words[j].size()) continue;
            std::array<int, 256> counts{};
            for (unsigned char letter : words[i]) counts[letter]++;
            bool same = true;
            for (unsigned char letter : words[j]) {
                pessimum_cost(1);
                if (--counts[letter] < 0) {
                    same = false;
                    break;
                }
            }
            found += same;
        }
    return found;
}

int older(const std::map<std::string, int> &ages, int than) {
    int found = 0;
    for (const auto &[name, age] : ages)
        if (age > than && !name.empty() && name[0] >= 'a') {
            pessimum_cost(static_cast<int64_t>(name.size()));
            found++;
        }
    return found;
}

bool rising(std::vector<std::pair<int16_t, bool>> steps) {
    int16_t last = -1;
    for (auto [step, counts] : steps) {
        if (!counts) continue;
        if (step <= last) return false;
        pessimum_cost(1);
        last = step;
    }
    return true;
}

unsigned filled(const std::vector<std::optional<uint8_t>> &cells, std::optional<std::string> mark) {
    unsigned sum = 0;
    for (const auto &cell : cells)
        if (cell && *cell > 10) {
            pessimum_cost(1);
            sum += *cell;
        }
    if (mark && mark->size() > 3) pessimum_cost(5);
    return sum;
}

int prefix(std::string_view text, const std::string &of) {
    int length = 0;
    while (static_cast<size_t>(length) < text.size() && static_cast<size_t>(length) < of.size() && text[length] == of[length]) {
        pessimum_cost(1);
        length++;
    }
    return length;
}

int64_t window(std::span<const int32_t> values, uint8_t width) {
    int64_t best = 0;
    if (width == 0 || width > values.size()) throw std::invalid_argument("width");
    for (size_t i = 0; i + width <= values.size(); i++) {
        int64_t sum = 0;
        for (size_t j = 0; j < width; j++) {
            pessimum_cost(1);
            sum += values[i + j];
        }
        best = std::max(best, sum);
    }
    return best;
}

int deep(const std::vector<std::vector<std::pair<std::string, uint8_t>>> &groups, std::tuple<int, float> limits) {
    int found = 0;
    for (const auto &group : groups)
        for (const auto &[name, weight] : group)
            if (weight > 7 && name < "m") {
                pessimum_cost(1);
                found += static_cast<int>(name.size());
            }
    if (std::get<1>(limits) > 1.5f && std::get<0>(limits) < -3) pessimum_cost(1);
    return found;
}

int drain(std::priority_queue<int> waiting, std::set<uint8_t> skipped) {
    int last = 0;
    while (!waiting.empty()) {
        if (skipped.count(static_cast<uint8_t>(waiting.top())) == 0) {
            pessimum_cost(1);
            last = waiting.top();
        }
        waiting.pop();
    }
    return last;
}

struct parse_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

static int digit(char letter) {
    pessimum_cost(1);
    if (letter < '0' || letter > '9') throw parse_error("no digit");
    return letter - '0';
}

/* Caught inside. */
int parse(const std::string &text) {
    int value = 0;
    for (char letter : text) {
        try {
            value = value * 2 + digit(letter);
        } catch (const parse_error &) {
            pessimum_cost(3);
            value = value % 100 - 1;
        }
    }
    return value;
}

/* Not caught, but where nothing is wrong. */
int strict(const std::string &text) {
    int value = 0;
    for (char letter : text) value = value % 10000 * 10 + digit(letter);
    return value;
}

int uncaught(const std::vector<int32_t> &values) {
    int seen = 0;
    for (int32_t value : values) {
        pessimum_cost(1);
        if (value == 77) throw value;
        seen += value > 5;
    }
    return seen;
}

struct Debt {
    std::string name;
    int32_t amount;
    std::array<bool, 2> kind;
};

class Ledger {
public:
    int32_t owed(const std::vector<Debt> &debts) {
        int32_t sum = 0;
        for (const Debt &debt : debts)
            if (debt.kind[1] && debt.name.size() == 2 && debt.amount > 0) {
                pessimum_cost(1);
                sum ^= debt.amount;
            }
        return sum;
    }
};

namespace flat {
enum class Side { left, right = 4 };
struct Box {
    int16_t low, high;
    Side side;
};
}

int touching(const std::vector<flat::Box> &boxes, flat::Box other) {
    int found = 0;
    for (const auto &box : boxes)
        if (box.side == other.side && box.low <= other.high && other.low <= box.high) {
            pessimum_cost(1);
            found++;
        }
    return found;
}

/* Zeros and bytes above 127. */
unsigned bytes(const std::vector<std::string> &texts) {
    unsigned sum = 0;
    for (const std::string &text : texts)
        for (unsigned char byte : text) {
            if (byte == 0 || byte > 200) pessimum_cost(1);
            sum = sum * 31 + byte;
        }
    return sum;
}
