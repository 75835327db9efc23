// What C++ programs need to throw and catch exceptions, for libraries that were built without them.
//
// The functions are those of the Itanium C++ ABI (https://itanium-cxx-abi.github.io/cxx-abi/abi-eh.html), as compilers for
// WebAssembly call them. There is no unwinder: a thrown exception is one of WebAssembly, with the tag `__cpp_exception` and a
// pointer as its value, and the engine goes from frame to frame. A function that catches stores the number of its landing
// pad and its table of types in `__wasm_lpad_context`, calls `_Unwind_CallPersonality`, and finds there which of its
// handlers takes the exception; 0 if none does, and it throws it again.
//
// Parts of libc++ that were built without exceptions report what they would have thrown to `__libcpp_verbose_abort`, which
// programs may replace. Here it throws.

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <typeinfo>

// Profiles know by this name that the functions in it are no code of the user's.
namespace pessimum_exceptions {
namespace {

using Destructor = void *(*)(void *);

/// A thrown object; the object itself follows.
struct alignas(16) Object {
    /// Who may still use it: throws of it that are not finished, and `std::exception_ptr`s.
    size_t references;
    const std::type_info *type;
    Destructor destructor;
};

/// One throw of an object: what the exceptions of WebAssembly carry.
struct alignas(16) Thrown {
    Object *object;
    /// Where the caught handler sees the object: it may be a base class of it, or the pointer that was thrown.
    void *adjusted;
    /// Handlers that have caught it and have not ended; negative once one of them has thrown it again.
    int handlers;
    /// The one that was caught before it.
    Thrown *outer;
    /// Whether it was made by `std::rethrow_exception` and not together with its object.
    bool separate;
};

/// The memory of an exception: the throw, the object, and what is thrown.
struct Memory {
    Thrown thrown;
    Object object;
};

/// Caught exceptions whose handlers have not ended, the last one first.
Thrown *caught = nullptr;

/// Exceptions that were thrown and not caught yet.
unsigned uncaught = 0;

Memory *memory_of(void *value) { return static_cast<Memory *>(value) - 1; }
void *value_of(Object *object) { return object + 1; }

void release(Object *object) {
    if (--object->references == 0) {
        void *value = value_of(object);
        if (object->destructor) {
            object->destructor(value);
        }
        free(memory_of(value));
    }
}

void finish(Thrown *thrown) {
    Object *object = thrown->object;
    if (thrown->separate) {
        free(thrown);
    }
    release(object);
}

// What the ABI says about the layout of type_info and its descendants (section 2.9.5).

struct Type {
    const void *const *functions;
    const char *name;
};
struct SingleBase : Type {
    const Type *base;
};
struct Base {
    const Type *type;
    long flags;
};
struct ManyBases : Type {
    unsigned flags;
    unsigned count;
    Base bases[1];
};
struct Pointer : Type {
    unsigned flags;
    const Type *pointee;
};
struct MemberPointer : Pointer {
    const Type *of_class;
};

constexpr long IS_VIRTUAL = 1, IS_PUBLIC = 2;
constexpr int OFFSET_SHIFT = 8;
constexpr unsigned CONST = 1, VOLATILE = 2, RESTRICT = 4, QUALIFIERS = CONST | VOLATILE | RESTRICT;
/// A function that is `noexcept` or safe in transactions may be taken for one that is not.
constexpr unsigned PROMISES = 0x60;

extern "C" {
extern const void *const _ZTVN10__cxxabiv117__class_type_infoE[];
extern const void *const _ZTVN10__cxxabiv120__si_class_type_infoE[];
extern const void *const _ZTVN10__cxxabiv121__vmi_class_type_infoE[];
extern const void *const _ZTVN10__cxxabiv119__pointer_type_infoE[];
extern const void *const _ZTVN10__cxxabiv129__pointer_to_member_type_infoE[];
}

/// Whether a type is described by the class with this table of functions, which starts after two other entries.
bool is(const Type *type, const void *const *table) { return type->functions == table + 2; }

/// A module is linked from all its parts at once, so that each type has one name in memory, as libc++ assumes as well.
bool same(const Type *a, const Type *b) { return a->name == b->name; }

bool same(const Type *a, const std::type_info &b) { return same(a, reinterpret_cast<const Type *>(&b)); }

/// The places of a base class in an object, looked for along public paths.
struct Search {
    const Type *wanted;
    /// Where it is, if anywhere.
    const char *found = nullptr;
    bool any = false;
    bool ambiguous = false;

    /// `at` is null if there is no object, as for a null pointer: then only the number of places counts, and those of
    /// virtual bases are one.
    void look(const Type *type, const char *at, bool is_there, bool is_public) {
        if (same(type, wanted)) {
            if (any && (!is_there || found != at)) {
                ambiguous = true;
            }
            if (is_public) {
                any = true;
                found = at;
            }
            return;
        }
        if (is(type, _ZTVN10__cxxabiv120__si_class_type_infoE)) {
            look(static_cast<const SingleBase *>(type)->base, at, is_there, is_public);
        } else if (is(type, _ZTVN10__cxxabiv121__vmi_class_type_infoE)) {
            const ManyBases *many = static_cast<const ManyBases *>(type);
            for (unsigned i = 0; i < many->count; ++i) {
                const Base &base = many->bases[i];
                const char *place = at;
                if (is_there) {
                    long offset = base.flags >> OFFSET_SHIFT;
                    if (base.flags & IS_VIRTUAL) {
                        // The offset is in the table of functions, this far from where the object points.
                        const char *functions = *reinterpret_cast<const char *const *>(at);
                        offset = *reinterpret_cast<const ptrdiff_t *>(functions + offset);
                    }
                    place = at + offset;
                }
                look(base.type, place, is_there, is_public && (base.flags & IS_PUBLIC));
            }
        }
    }
};

/// Whether a class is another one or its only public base of that kind; moves the object's address to it.
bool is_a(const Type *thrown, const Type *wanted, void *&at) {
    Search search{wanted};
    search.look(thrown, static_cast<const char *>(at), at != nullptr, true);
    if (!search.any || search.ambiguous) {
        return false;
    }
    at = const_cast<char *>(search.found);
    return true;
}

/// Whether a pointer may be caught as another one, below the outermost level: by more qualifiers, if all levels above are
/// constant.
bool converts(const Type *thrown, const Type *wanted) {
    if (same(thrown, wanted)) {
        return true;
    }
    if (!is(thrown, _ZTVN10__cxxabiv119__pointer_type_infoE) || !is(wanted, _ZTVN10__cxxabiv119__pointer_type_infoE)) {
        return false;
    }
    const Pointer *from = static_cast<const Pointer *>(thrown), *to = static_cast<const Pointer *>(wanted);
    unsigned lost = from->flags & ~to->flags & QUALIFIERS, broken = to->flags & ~from->flags & PROMISES;
    if (lost || broken) {
        return false;
    }
    return same(from->pointee, to->pointee) || ((to->flags & CONST) && converts(from->pointee, to->pointee));
}

/// Whether a handler of one type takes an object of another; `at` becomes what the handler sees.
bool takes(const Type *wanted, const Type *thrown, void *&at) {
    bool to_pointer = is(wanted, _ZTVN10__cxxabiv119__pointer_type_infoE);
    bool to_member = is(wanted, _ZTVN10__cxxabiv129__pointer_to_member_type_infoE);
    if ((to_pointer || to_member) && same(thrown, typeid(decltype(nullptr)))) {
        // A null pointer to data, to a function of a class, or to a variable of one: for the last, minus one is null.
        static void *const nothing[2] = {};
        static const ptrdiff_t no_member = -1;
        if (to_pointer) {
            at = nullptr;
        } else {
            const char *pointee = static_cast<const MemberPointer *>(wanted)->pointee->name;
            const void *null = pointee[0] == 'F' ? static_cast<const void *>(nothing) : &no_member;
            at = const_cast<void *>(null);
        }
        return true;
    }
    if (to_pointer && is(thrown, _ZTVN10__cxxabiv119__pointer_type_infoE)) {
        const Pointer *from = static_cast<const Pointer *>(thrown), *to = static_cast<const Pointer *>(wanted);
        void *pointer = *static_cast<void **>(at);
        unsigned lost = from->flags & ~to->flags & QUALIFIERS, broken = to->flags & ~from->flags & PROMISES;
        if (lost || broken) {
            return false;
        }
        bool fits = same(from->pointee, to->pointee);
        if (!fits && same(to->pointee, typeid(void))) {
            // Any pointer but one to a function, whose type has a name that starts like that.
            fits = from->pointee->name[0] != 'F';
        }
        if (!fits && is(from->pointee, _ZTVN10__cxxabiv119__pointer_type_infoE)) {
            fits = (to->flags & CONST) && converts(from->pointee, to->pointee);
        } else if (!fits) {
            fits = is_a(from->pointee, to->pointee, pointer);
        }
        if (fits) {
            at = pointer;
        }
        return fits;
    }
    if (same(thrown, wanted)) {
        return true;
    }
    return is_a(thrown, wanted, at);
}

// With names of the kind that is not shown among the user's functions.
extern "C" {
__attribute__((import_module("pessimum"), import_name("explains"))) int pessimum_call_explains();
__attribute__((import_module("pessimum"), import_name("exception"))) void pessimum_call_exception(const char *type,
                                                                                                  const char *what);
}

/// For the one run that is made to learn why the program ends.
__attribute__((noinline)) void explain(const Object *object) {
    const Type *type = reinterpret_cast<const Type *>(object->type);
    void *at = value_of(const_cast<Object *>(object));
    bool says = is_a(type, reinterpret_cast<const Type *>(&typeid(std::exception)), at);
    pessimum_call_exception(type->name, says ? static_cast<std::exception *>(at)->what() : nullptr);
}

/// Part of its callers, whose names say that they belong to the language.
[[noreturn]] __attribute__((always_inline)) inline void raise(Thrown *thrown) {
    ++uncaught;
    if (pessimum_call_explains()) {
        explain(thrown->object);
    }
    __builtin_wasm_throw(0, thrown);
}

uintptr_t unsigned_number(const uint8_t *&at) {
    uintptr_t value = 0;
    for (int shift = 0;; shift += 7) {
        uint8_t byte = *at++;
        value |= uintptr_t(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
}

intptr_t signed_number(const uint8_t *&at) {
    uintptr_t value = 0;
    int shift = 0;
    for (;;) {
        uint8_t byte = *at++;
        value |= uintptr_t(byte & 0x7f) << shift;
        shift += 7;
        if (byte < 0x80) {
            if ((byte & 0x40) && shift < 32) {
                value |= ~uintptr_t(0) << shift;
            }
            return intptr_t(value);
        }
    }
}

constexpr uint8_t OMITTED = 0xff;

} // namespace
} // namespace pessimum_exceptions
using namespace pessimum_exceptions;

extern "C" {

/// What a function that catches and this file tell each other.
struct {
    uintptr_t landing_pad;
    const uint8_t *table;
    uintptr_t selector;
} __wasm_lpad_context;

/// Looks through the handlers of a landing pad, in the order of the source, for one that takes the exception. The table is that
/// of the ABI for C++ (`.gcc_except_table`): a header, an entry for each landing pad, lists of handlers, types.
int _Unwind_CallPersonality(void *exception) {
    Thrown *thrown = static_cast<Thrown *>(exception);
    __wasm_lpad_context.selector = 0;
    const uint8_t *at = __wasm_lpad_context.table;
    if (!at) {
        return 0;
    }
    if (*at++ != OMITTED) {
        unsigned_number(at);
    }
    const Type *const *types = nullptr;
    if (*at++ != OMITTED) {
        uintptr_t offset = unsigned_number(at);
        types = reinterpret_cast<const Type *const *>(at + offset);
    }
    ++at; // How entries are written, which is always the same here.
    uintptr_t length = unsigned_number(at);
    const uint8_t *lists = at + length;
    for (uintptr_t i = 0; i < __wasm_lpad_context.landing_pad; ++i) {
        unsigned_number(at);
        unsigned_number(at);
    }
    unsigned_number(at);
    uintptr_t list = unsigned_number(at);
    if (list == 0) {
        return 0; // Only destructors.
    }
    at = lists + list - 1;
    for (;;) {
        intptr_t number = signed_number(at);
        if (number > 0) {
            const Type *wanted = types[-number];
            void *value = value_of(thrown->object);
            if (!wanted || takes(wanted, reinterpret_cast<const Type *>(thrown->object->type), value)) {
                thrown->adjusted = value;
                __wasm_lpad_context.selector = number;
                return 0;
            }
        }
        const uint8_t *here = at;
        intptr_t next = signed_number(at);
        if (next == 0) {
            return 0;
        }
        at = here + next;
    }
}

/// Compiled functions name it; nothing calls it.
int __gxx_personality_wasm0(int, int, uint64_t, void *, void *) { return 0; }

void *__cxa_allocate_exception(size_t size) noexcept {
    Memory *memory = static_cast<Memory *>(malloc(sizeof(Memory) + size));
    if (!memory) {
        std::terminate();
    }
    memset(memory, 0, sizeof(Memory));
    memory->thrown.object = &memory->object;
    return memory + 1;
}

void __cxa_free_exception(void *value) noexcept { free(memory_of(value)); }

// Under a name of our own, because versions of libc++ declare it differently.
void *init_primary_exception(void *, std::type_info *, Destructor) noexcept __asm__("__cxa_init_primary_exception");
void *init_primary_exception(void *value, std::type_info *type, Destructor destructor) noexcept {
    Object &object = memory_of(value)->object;
    object.type = type;
    object.destructor = destructor;
    return &memory_of(value)->thrown;
}

[[noreturn]] void __cxa_throw(void *value, std::type_info *type, Destructor destructor) {
    Memory *memory = memory_of(value);
    memory->object.references = 1;
    memory->object.type = type;
    memory->object.destructor = destructor;
    raise(&memory->thrown);
}

void *__cxa_get_exception_ptr(void *exception) noexcept { return static_cast<Thrown *>(exception)->adjusted; }

void *__cxa_begin_catch(void *exception) noexcept {
    Thrown *thrown = static_cast<Thrown *>(exception);
    thrown->handlers = (thrown->handlers < 0 ? -thrown->handlers : thrown->handlers) + 1;
    if (thrown != caught) {
        thrown->outer = caught;
        caught = thrown;
    }
    --uncaught;
    if (pessimum_call_explains()) {
        pessimum_call_exception(nullptr, nullptr);
    }
    return thrown->adjusted;
}

void __cxa_end_catch() {
    Thrown *thrown = caught;
    if (!thrown) {
        return;
    }
    if (thrown->handlers < 0) {
        // It has been thrown again and belongs to whoever catches it next.
        if (++thrown->handlers == 0) {
            caught = thrown->outer;
        }
    } else if (--thrown->handlers == 0) {
        caught = thrown->outer;
        finish(thrown);
    }
}

[[noreturn]] void __cxa_rethrow() {
    if (!caught) {
        std::terminate();
    }
    caught->handlers = -caught->handlers;
    raise(caught);
}

std::type_info *__cxa_current_exception_type() {
    return caught ? const_cast<std::type_info *>(caught->object->type) : nullptr;
}

bool __cxa_uncaught_exception() noexcept { return uncaught != 0; }
unsigned __cxa_uncaught_exceptions() noexcept { return uncaught; }

// What std::exception_ptr holds is the address of the thrown object.

void __cxa_increment_exception_refcount(void *value) noexcept {
    if (value) {
        ++memory_of(value)->object.references;
    }
}

void __cxa_decrement_exception_refcount(void *value) noexcept {
    if (value) {
        release(&memory_of(value)->object);
    }
}

void *__cxa_current_primary_exception() noexcept {
    if (!caught) {
        return nullptr;
    }
    ++caught->object->references;
    return value_of(caught->object);
}

void __cxa_rethrow_primary_exception(void *value) {
    if (!value) {
        return;
    }
    Thrown *thrown = static_cast<Thrown *>(calloc(1, sizeof(Thrown)));
    if (!thrown) {
        std::terminate();
    }
    thrown->object = &memory_of(value)->object;
    thrown->separate = true;
    ++thrown->object->references;
    raise(thrown);
}

[[noreturn]] void __cxa_bad_cast() { throw std::bad_cast(); }
[[noreturn]] void __cxa_bad_typeid() { throw std::bad_typeid(); }
[[noreturn]] void __cxa_throw_bad_array_new_length() { throw std::bad_array_new_length(); }

} // extern "C"

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION >= 160000
namespace pessimum_exceptions {
namespace {

/// Throws what a text of libc++ speaks of, if it is one of these: "out_of_range was thrown in ...".
void throw_named(const char *name, const char *message) {
    auto named = [name](const char *known) {
        size_t length = strlen(known);
        return strncmp(name, known, length) == 0 && name[length] == ' ';
    };
    if (named("out_of_range")) {
        throw std::out_of_range(message);
    } else if (named("invalid_argument")) {
        throw std::invalid_argument(message);
    } else if (named("length_error")) {
        throw std::length_error(message);
    } else if (named("domain_error")) {
        throw std::domain_error(message);
    } else if (named("logic_error")) {
        throw std::logic_error(message);
    } else if (named("runtime_error")) {
        throw std::runtime_error(message);
    } else if (named("range_error")) {
        throw std::range_error(message);
    } else if (named("overflow_error")) {
        throw std::overflow_error(message);
    } else if (named("underflow_error")) {
        throw std::underflow_error(message);
    } else if (named("bad_alloc")) {
        throw std::bad_alloc();
    } else if (named("bad_array_new_length")) {
        throw std::bad_array_new_length();
    } else if (named("bad_cast")) {
        throw std::bad_cast();
    }
}

} // namespace
} // namespace pessimum_exceptions
using namespace pessimum_exceptions;

[[noreturn]] void std::__libcpp_verbose_abort(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (strstr(format, "was thrown in -fno-exceptions mode")) {
        // The texts have one argument, the message, or none.
        bool only_message = strstr(format, "\"%s\"") && strchr(format, '%') == strrchr(format, '%');
        va_list copy;
        va_copy(copy, arguments);
        throw_named(format, only_message ? va_arg(copy, const char *) : "");
    }
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    abort();
}
#endif
