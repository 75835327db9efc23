// Functions whose exceptions nobody catches, but for the first.
#include <stdexcept>
#include <string>

struct Odd : std::runtime_error {
    explicit Odd(int number) : std::runtime_error("odd number " + std::to_string(number)) {}
};

int even(int number) {
    try {
        throw 1;
    } catch (int) {
    }
    if (number % 2) throw Odd(number);
    return number;
}

int number(int x) { if (x == 3) throw x; return x; }
