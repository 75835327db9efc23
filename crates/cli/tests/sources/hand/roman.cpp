#include <iostream>
#include <string>
#include <map>
#include <vector>

// Reads a Roman numeral from standard input and prints its value.
static const std::map<char, int> values = {{'I', 1}, {'V', 5}, {'X', 10}, {'L', 50}, {'C', 100}, {'D', 500}, {'M', 1000}};

static int value(const std::string &s) {
    if (s.empty()) return -1;
    std::vector<int> digits;
    for (char c : s) {
        auto found = values.find(c);
        if (found == values.end()) return -2;
        digits.push_back(found->second);
    }
    int sum = 0, same = 1;
    for (size_t i = 0; i < digits.size(); i++) {
        if (i > 0 && digits[i] == digits[i - 1]) {
            same++;
            if (same > 3) return -3;
            int d = digits[i];
            if (d == 5 || d == 50 || d == 500) return -4;
        } else {
            same = 1;
        }
        if (i + 1 < digits.size() && digits[i] < digits[i + 1]) {
            if (digits[i + 1] > 10 * digits[i]) return -5;
            sum -= digits[i];
        } else {
            sum += digits[i];
        }
    }
    return sum;
}

int main() {
    std::string line;
    if (!std::getline(std::cin, line)) {
        std::cout << "no input\n";
        return 2;
    }
    int v = value(line);
    if (v < 0) {
        std::cout << "error " << -v << "\n";
        return 1;
    }
    std::cout << v << "\n";
    return 0;
}
