// Everything about exceptions, in one program: it prints what happens, in order. exceptions.txt is what it prints when it is
// compiled with g++ and run natively.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <variant>
#include <vector>

struct Loud {
    const char *name;
    explicit Loud(const char *name) : name(name) {}
    ~Loud() { printf("~%s(%d) ", name, std::uncaught_exceptions()); }
};

struct Base {
    int base = 1;
    virtual ~Base() { printf("~Base "); }
    virtual const char *name() const { return "Base"; }
};
struct Left : virtual Base {
    int left = 2;
    const char *name() const override { return "Left"; }
};
struct Right : virtual Base {
    int right = 3;
    const char *name() const override { return "Right"; }
};
struct Both : Left, Right {
    int both = 4;
    const char *name() const override { return "Both"; }
};
struct Hidden : private std::runtime_error {
    Hidden() : std::runtime_error("hidden") {}
};
struct Plain {
    int x;
};
struct Twice1 : Plain {};
struct Twice2 : Plain {};
struct Twice : Twice1, Twice2 {};
struct Second {
    double y;
};
struct Offset : Second, Plain {};

__attribute__((noinline)) void deep(int n, const std::function<void()> &act) {
    Loud loud("deep");
    if (n == 0) {
        act();
    } else {
        deep(n - 1, act);
    }
    printf("not reached ");
}

template <class Act> void show(const char *title, Act act) {
    printf("%s: ", title);
    try {
        try {
            act();
            printf("nothing thrown");
        } catch (int value) {
            printf("int %d", value);
        } catch (const char *text) {
            printf("text %s", text);
        } catch (const Left &left) {
            printf("Left %d %d %s", left.left, left.base, left.name());
        } catch (const Base &base) {
            printf("Base %d %s", base.base, base.name());
        } catch (const Plain &plain) {
            printf("Plain %d", plain.x);
        } catch (const std::out_of_range &error) {
            printf("out_of_range");
        } catch (const std::invalid_argument &error) {
            printf("invalid_argument");
        } catch (const std::length_error &error) {
            printf("length_error");
        } catch (const std::logic_error &error) {
            printf("logic_error %s", error.what());
        }
    } catch (std::exception &) {
        printf("other exception");
    } catch (...) {
        printf("something else");
    }
    printf(" (%d)\n", std::uncaught_exceptions());
}

int limited(int x) noexcept { return x; }

struct Member {
    int value;
    explicit Member(int value) : value(value) {
        if (value > 2) throw value;
    }
    ~Member() { printf("~%d ", value); }
};
struct Whole {
    Member a{1}, b{2}, c;
    explicit Whole(int x) try : c(x) {
        printf("whole ");
    } catch (int value) {
        printf("constructor %d ", value);
        throw value + 100;
    }
};

int main() {
    show("none", [] {});
    show("int", [] { throw 7; });
    show("through frames", [] { deep(3, [] { throw std::logic_error("deep"); }); });
    show("text", [] { throw "abc"; });
    show("diamond", [] { throw Both(); });
    show("right", [] { throw Right(); });
    show("private base", [] { throw Hidden(); });
    show("second base", [] { Offset o; o.x = 9; throw o; });
    show("ambiguous base", [] { throw Twice(); });
    show("vector::at", [] { printf("%d", std::vector<int>{1, 2}.at(5)); });
    show("string::at", [] { std::string s = "abc"; printf("%c", s.at(s.size() + 4)); });
    show("substr", [] { std::string s = "abc"; printf("%s", s.substr(9).c_str()); });
    show("map::at", [] { std::map<int, int> m; printf("%d", m.at(3)); });
    show("stoi", [] { printf("%d ", std::stoi("12")); printf("%d", std::stoi("x")); });
    show("stoi too large", [] { printf("%d", std::stoi("99999999999999")); });
    show("stod", [] { printf("%.2f ", std::stod("1.5")); printf("%f", std::stod("")); });
    show("length", [] { std::vector<int> v; v.reserve(size_t(-1)); });
    show("function", [] { std::function<int()> f; printf("%d", f()); });
    show("optional", [] { std::optional<int> o; printf("%d", o.value()); });
    show("variant", [] { std::variant<int, float> v = 1; printf("%f", std::get<float>(v)); });
    show("weak_ptr", [] { std::weak_ptr<int> w; std::shared_ptr<int> s(w); });
    show("dynamic_cast", [] { Right right; Base &base = right; printf("%d", dynamic_cast<Both &>(base).both); });
    show("typeid", [] { Base *none = nullptr; printf("%s", typeid(*none).name()); });
    show("constructor", [] { Whole whole(2); });
    show("constructor fails", [] { Whole whole(5); });
    show("array", [] { int n = 0; (void)n; Member members[] = {Member(1), Member(2), Member(3), Member(2)}; });
    show("new", [] { std::unique_ptr<Member> m(new Member(8)); });
    show("rethrown", [] {
        try {
            throw std::logic_error("first");
        } catch (std::exception &error) {
            printf("seen %s ", error.what());
            throw;
        }
    });
    show("another while handling", [] {
        try {
            throw std::logic_error("first");
        } catch (std::exception &error) {
            Loud loud("handler");
            throw 5;
        }
    });
    show("nested", [] {
        try {
            throw 1;
        } catch (int a) {
            try {
                throw 2;
            } catch (int b) {
                printf("%d %d ", a, b);
            }
            try {
                throw;
            } catch (int c) {
                printf("again %d ", c);
            }
        }
        throw 3;
    });
    show("pointer", [] {
        static Both both;
        try {
            throw &both;
        } catch (Right *right) {
            printf("%d %s ", right->right, right->name());
        }
        try {
            throw &both;
        } catch (const void *) {
            printf("void ");
        }
        try {
            throw nullptr;
        } catch (Base *none) {
            printf("%d ", none == nullptr);
        }
        int x = 6;
        const int *p = &x;
        try {
            throw p;
        } catch (int *) {
            printf("wrong ");
        } catch (const int *q) {
            printf("%d ", *q);
        }
        throw &x;
    });
    show("exception_ptr", [] {
        std::exception_ptr kept;
        try {
            throw std::logic_error("kept");
        } catch (...) {
            kept = std::current_exception();
        }
        for (int i = 0; i < 2; i++) {
            try {
                std::rethrow_exception(kept);
            } catch (std::exception &error) {
                printf("%s ", error.what());
            }
        }
        kept = std::make_exception_ptr(42);
        std::rethrow_exception(kept);
    });
    show("nested_exception", [] {
        try {
            try {
                throw 4;
            } catch (...) {
                std::throw_with_nested(std::runtime_error("outer"));
            }
        } catch (std::exception &error) {
            printf("%s ", error.what());
            std::rethrow_if_nested(error);
        }
    });
    show("sort", [] {
        std::vector<int> numbers{5, 3, 8, 1, 9, 2, 7, 4, 6, 0, 11, 15, 12, 19, 13, 14, 18, 16, 17, 10, 20, 22, 21, 25, 23, 24,
                                 29, 26, 28, 27, 30, 35, 31, 33, 32};
        int compared = 0;
        std::sort(numbers.begin(), numbers.end(), [&](int a, int b) {
            if (++compared == 20) throw compared;
            return a < b;
        });
    });
    show("destructor catches", [] {
        struct Careful {
            ~Careful() {
                try {
                    throw 1;
                } catch (int) {
                    printf("inside %d ", std::uncaught_exceptions());
                }
            }
        } careful;
        throw 2;
    });
    show("noexcept", [] { printf("%d ", limited(3)); });
    int sum = 0;
    for (int i = 0; i < 5000; i++) {
        try {
            std::string text(i % 50, 'x');
            if (i % 3) throw std::runtime_error(text);
            throw i;
        } catch (std::runtime_error &error) {
            sum += (int)std::string(error.what()).size();
        } catch (int value) {
            sum += value;
        }
    }
    printf("%d\n", sum);
    return 0;
}
