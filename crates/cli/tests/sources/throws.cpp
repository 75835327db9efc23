// A parser of sums and products that throws where the text is wrong, and a function around it that catches.

#include <stdexcept>
#include <string>

struct SyntaxError : std::runtime_error {
    int at;
    SyntaxError(const char *what, int at) : std::runtime_error(what), at(at) {}
};

struct Depth {
    int &now;
    explicit Depth(int &now) : now(now) { ++now; }
    ~Depth() { --now; }
};

struct Parser {
    const char *text;
    int length, at = 0, depth = 0;

    char peek() const { return at < length ? text[at] : '\0'; }

    int factor() {
        Depth inner(depth);
        if (depth > 3) throw std::length_error("too deep");
        if (peek() == '(') {
            ++at;
            int value = sum();
            if (peek() != ')') throw SyntaxError("a parenthesis is missing", at);
            ++at;
            return value;
        }
        if (peek() < '0' || peek() > '9') throw SyntaxError("a number is missing", at);
        int value = 0;
        while (peek() >= '0' && peek() <= '9') value = value * 10 + (text[at++] - '0');
        return value;
    }

    int product() {
        int value = factor();
        while (peek() == '*') {
            ++at;
            value *= factor();
        }
        return value;
    }

    int sum() {
        int value = product();
        while (peek() == '+') {
            ++at;
            value += product();
        }
        return value;
    }
};

// The value; -1 minus the place of an error; -100 if it is nested too deeply.
int evaluate(const char *text, int length) {
    Parser parser{text, length};
    try {
        int value = parser.sum();
        if (parser.at != length) throw SyntaxError("something is left", parser.at);
        return value;
    } catch (const SyntaxError &error) {
        return parser.depth == 0 ? -1 - error.at : -1000;
    } catch (const std::logic_error &) {
        return parser.depth == 0 ? -100 : -1000;
    }
}

// The same without a handler.
int strict(const char *text, int length) {
    Parser parser{text, length};
    int value = parser.sum();
    if (parser.at != length) throw SyntaxError("something is left", parser.at);
    return value;
}

// A library that was compiled without exceptions throws as well.
int number(const char *text, int length) {
    try {
        return std::stoi(std::string(text, length));
    } catch (const std::invalid_argument &) {
        return -1;
    }
}
