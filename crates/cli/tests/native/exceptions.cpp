// Exceptions that are thrown, caught, thrown again, cleaned up after, and those that end the program.
//
// worst: rethrown --size 4 --paths 300
// worst: cleaned --size 4 --paths 300
// worst: converted --size 4 --paths 300
// worst: promised --paths 100
// worst: late --size 3 --paths 200
// worst: chosen --size 4 --paths 300
#include "pessimum.h"
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Refused {
    int32_t amount;
};

static int32_t checked(int32_t x) {
    if (x < 0) throw Refused{x};
    if (x > 100) throw std::out_of_range("too large");
    pessimum_cost(1);
    return x;
}

int32_t rethrown(const std::vector<int32_t> &amounts) {
    int32_t sum = 0;
    for (int32_t amount : amounts) {
        try {
            try {
                sum += checked(amount);
            } catch (const Refused &refused) {
                pessimum_cost(2);
                if (refused.amount % 2) throw std::runtime_error("odd");
                throw;
            }
        } catch (const std::runtime_error &error) {
            pessimum_cost(error.what()[0] == 'o' ? 4 : 1);
            sum -= 1;
        } catch (const Refused &) {
            pessimum_cost(1);
            sum -= 2;
        } catch (...) {
            sum += 1000;
        }
    }
    return sum;
}

struct Open {
    int &closed;
    ~Open() {
        closed++;
        pessimum_cost(1);
    }
};

static int deep(const std::vector<uint8_t> &values, size_t at, int &closed) {
    Open here{closed};
    if (at == values.size()) return 0;
    if (values[at] == 9) throw static_cast<int>(at);
    auto kept = std::make_unique<std::string>(values[at] % 3, 'x');
    return deep(values, at + 1, closed) + static_cast<int>(kept->size());
}

int cleaned(std::vector<uint8_t> values) {
    int closed = 0;
    try {
        return deep(values, 0, closed);
    } catch (int at) {
        pessimum_cost(10 * at);
        return 100 * closed + at;
    }
}

int converted(const std::string &text) {
    try {
        size_t end = 0;
        int value = std::stoi(text, &end);
        pessimum_cost(static_cast<int64_t>(end));
        return value;
    } catch (const std::invalid_argument &) {
        return -1;
    } catch (const std::out_of_range &) {
        return -2;
    }
}

static int thrower(int8_t x) {
    if (x == 7) throw x;
    return x * 2;
}

/* What leaves it ends the program. */
int promised(int8_t x) noexcept {
    pessimum_cost(x > 3);
    return thrower(x);
}

/* Only a key that is there is no exception. */
int late(const std::map<uint8_t, std::string> &names, uint8_t key) {
    pessimum_cost(static_cast<int64_t>(names.size()));
    return static_cast<int>(names.at(key).size());
}

struct Base {
    virtual ~Base() = default;
    virtual int code() const { return 1; }
};
struct Derived : Base {
    int code() const override { return 5; }
};

/* The handler of a base class gets what is derived from it. */
int chosen(const std::vector<bool> &which) {
    int sum = 0;
    for (bool derived : which) {
        try {
            if (derived) throw Derived();
            throw Base();
        } catch (const Base &base) {
            pessimum_cost(base.code());
            sum = sum * 3 + base.code();
        }
    }
    return sum;
}
