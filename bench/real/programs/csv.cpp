// A table in CSV: quoted fields with doubled quotes, rows of different lengths, and a column that is summed up by the
// values of another, as `group by` does. Groups are found by walking a vector: many different short keys cost a square.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

struct Group {
    std::string key;
    std::int64_t sum = 0;
};

class Reader {
  public:
    Reader(const char *text, std::size_t length) : at(text), end(text + length) {}

    // The next row; false at the end of the text. `broken` tells of a quote that was not closed or that text follows.
    bool row(std::vector<std::string> &fields) {
        fields.clear();
        if (at == end) return false;
        for (;;) {
            fields.emplace_back();
            if (!field(fields.back())) {
                broken = true;
                return false;
            }
            if (at == end) return true;
            if (*at++ == '\n') return true;
        }
    }

    bool broken = false;

  private:
    bool field(std::string &into) {
        if (at == end || *at != '"') {
            while (at != end && *at != ',' && *at != '\n') into.push_back(*at++);
            return true;
        }
        for (at++; at != end; at++) {
            if (*at == '"') {
                if (++at == end || *at == ',' || *at == '\n') return true;
                if (*at != '"') return false;
            }
            into.push_back(*at);
        }
        return false;
    }

    const char *at, *end;
};

bool number(const std::string &text, std::int64_t &value) {
    std::size_t i = !text.empty() && (text[0] == '-' || text[0] == '+');
    if (i == text.size()) return false;
    value = 0;
    for (; i < text.size(); i++) {
        if (text[i] < '0' || text[i] > '9' || value > INT64_MAX / 10 - 9) return false;
        value = value * 10 + (text[i] - '0');
    }
    if (text[0] == '-') value = -value;
    return true;
}

} // namespace

// The greatest sum of any group (first column: key, second: number), or -1 for text that is not CSV.
extern "C" std::int64_t greatest_group(const char *text, std::size_t length) {
    Reader reader(text, length);
    std::vector<std::string> fields;
    std::vector<Group> groups;
    while (reader.row(fields)) {
        std::int64_t value = 1;
        if (fields.size() > 1 && !number(fields[1], value)) continue;
        Group *found = nullptr;
        for (Group &group : groups)
            if (group.key == fields[0]) found = &group;
        if (found == nullptr) {
            groups.push_back(Group{fields[0], 0});
            found = &groups.back();
        }
        found->sum += value;
    }
    if (reader.broken) return -1;
    std::int64_t greatest = 0;
    for (const Group &group : groups)
        if (group.sum > greatest) greatest = group.sum;
    return greatest;
}
