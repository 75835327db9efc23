// Functions that take objects of C++'s library, and what they return for tests/calls.rs to compare.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <istream>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

// Authors do such things.
#define int int
#define size_t unsigned long
#define first first

struct Point { int x, y; };
struct Person { std::string name; int age; bool tags[3]; std::vector<int> scores; };
enum class Colour { Red, Green, Blue = 7 };
class Secret { int x; public: explicit Secret(int x) : x(x) {} int get() const { return x; } };
struct Base { int x; };
struct Derived : Base { int y; };
struct NoDefault { NoDefault(int); std::string s; };
struct Backwards { bool operator()(int a, int b) const { return a > b; } };

int text(const std::string &s) { int n = 0; for (char c : s) n = 10 * n + (c - '0'); return n; }
int text_value(std::string s) { std::reverse(s.begin(), s.end()); return text(s); }
void text_change(std::string &s) { std::sort(s.begin(), s.end()); }
int text_move(std::string &&s) { std::string t = std::move(s); return t.size(); }
int text_pointer(const std::string *s) { return text(*s); }
int view(std::string_view s) { return s.find('7'); }
int two(const std::string &a, const std::string &b) { return a < b; }
int sort(std::vector<int> &v) {
    for (size_t i = 1; i < v.size(); i++)
        for (size_t j = i; j > 0 && v[j] < v[j - 1]; j--) std::swap(v[j], v[j - 1]);
    return v.size();
}
int among(const std::vector<int> &v, int wanted) { return std::count(v.begin(), v.end(), wanted); }
int bools(const std::vector<bool> &v) { int n = 0; for (bool b : v) n = 2 * n + b; return n; }
int strings(const std::vector<std::string> &v) { int n = 0; for (auto &s : v) n = 1000 * n + text(s); return n; }
int rows(const std::vector<std::vector<int>> &m) { int n = 0; for (auto &r : m) for (int x : r) n = 10 * n + x; return n; }
int points(const std::vector<Point> &p) { int n = 0; for (auto &q : p) n = 100 * n + 10 * q.x + q.y; return n; }
int people(std::vector<Person> p) { return text(p[1].name) + p[1].age + p[1].tags[2] + p[1].scores.back(); }
int spanned(std::span<short> s) { std::sort(s.begin(), s.end()); return s[0]; }
int grid(std::array<std::array<int, 3>, 2> &a) { a[1][2] = 9; return a[0][1]; }
int pair(std::pair<int, double> p) { return p.first + p.second; }
int triple(const std::tuple<int8_t, int64_t, std::string> &t) { return std::get<1>(t) + text(std::get<2>(t)); }
int maybe(std::optional<int> o) { return o ? *o : -1; }
int table(const std::map<int, std::string> &m) { int n = 0; for (auto &[k, v] : m) n = 100 * n + 10 * k + text(v); return n; }
int counts(std::unordered_map<std::string, int> m) { return m["7"]; }
int unique(const std::set<int, Backwards> &s) { int n = 0; for (int x : s) n = 10 * n + x; return n; }
int hashed(const std::unordered_set<int64_t> &s) { return s.size(); }
int both(std::deque<int> d, std::list<short> l) { return 10 * d.front() + l.back(); }
int heap(std::priority_queue<int> q) { return q.top(); }
int number(int &x, double d) { x *= 2; return x + (d > 1); }
int point(const Point &p) { return 10 * p.x + p.y; }
int point_value(Point p) { return 10 * p.x + p.y; }
int coloured(const std::string &s, Colour c) { return text(s) + static_cast<int>(c); }
int mixed(const std::string &s, const int *a, size_t n) { int t = text(s); for (size_t i = 0; i < n; i++) t += a[i]; return t; }
std::vector<std::string> makes(const std::string &s) { return {s, s}; }
int constant(const std::string &) { return 42; }
int reads(std::istream &in) { int a, n = 0; while (in >> a) n += a; return n; }
void writes(std::ostream &out, int x) { out << x; }
int half(int x) { return x / 2; }
int apply(const std::vector<int> &v, int (*f)(int)) { int n = 0; for (int x : v) n += f(x); return n; }
int over(const std::string &) { return 1; }
int over(int) { return 2; }
namespace deep { namespace er { int inside(const std::string &s) { return text(s); } } }
struct Tools {
    int start = 5;
    static int length(const std::string &s) { return s.size(); }
    int method(const std::vector<int> &v) { return start + v.size(); }
private:
    int hidden(int x) { return x; }
};
template <class T> T biggest(const std::vector<T> &v) { return *std::max_element(v.begin(), v.end()); }
template int biggest<int>(const std::vector<int> &);
template <class T> T never(T x) { return x; }
namespace { int nameless(int x) { return x + 1; } }
int uses(int x) { return nameless(x); }
int secret(const Secret &s) { return s.get(); }
int derived(const Derived &d) { return d.y; }
int callback(std::function<int(int)> f) { return f(1); }
int no_default(const NoDefault &d) { return d.s.size(); }
