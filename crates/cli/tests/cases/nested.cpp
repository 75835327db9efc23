// Values inside others, and functions whose objects cannot be made.
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <vector>

namespace geo {
enum class Side { left, right = 4 };
struct Point {
    int x;
    double y;
    Side side;
};
}

int ages(const std::map<std::string, int> &known, geo::Point at) {
    int sum = 0;
    for (const auto &[name, age] : known)
        if (age > 3) sum += static_cast<int>(name.size()) + at.x;
    return sum;
}

int cells(const std::vector<std::vector<std::optional<char>>> &rows, std::priority_queue<int> waiting) {
    int count = 0;
    for (const auto &row : rows)
        for (const auto &cell : row) count += cell && *cell == 'q';
    return count + static_cast<int>(waiting.size());
}

int vowels(const std::string &text) {
    int count = 0;
    for (char letter : text)
        if (letter == 'a' || letter == 'e') count++;
    return count;
}

template <class T> T biggest(const std::vector<T> &values) {
    T most = values.at(0);
    for (const T &value : values)
        if (value > most) most = value;
    return most;
}
template std::string biggest<std::string>(const std::vector<std::string> &);

class Account {
    int balance = 0;

public:
    bool pay(int amount) {
        balance -= amount;
        return balance > 0;
    }
    bool merge(const Account &other) {
        balance += other.balance;
        return true;
    }
};

bool known(const Account &account, int amount) {
    Account own = account;
    return own.pay(amount) || own.merge(account);
}

int main() { return vowels("aeiou"); }
