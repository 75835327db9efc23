//! Features of WebAssembly that the machine does not have, in words for those who compile programs.

/// A part of the validator's message, what the module uses, and what to do about it.
const FEATURES: [(&str, &str, &str); 13] = [
    (
        "encoded as a component",
        "it is a component",
        "give it the core module inside: compile for wasm32-wasip1 instead of wasm32-wasip2, or take it out with `wasm-tools \
         component unbundle`",
    ),
    (
        "relaxed SIMD support is not enabled",
        "it uses relaxed SIMD instructions",
        "compile without them (clang: -mno-relaxed-simd -mno-simd128; Rust: -C target-feature=-relaxed-simd,-simd128)",
    ),
    ("SIMD support is not enabled", "it uses SIMD instructions", NO_SIMD),
    (UNREAD, "it uses SIMD instructions", NO_SIMD),
    (
        "tail calls support is not enabled",
        "it uses tail calls",
        "compile without them (clang: -mno-tail-call; Rust: -C target-feature=-tail-call)",
    ),
    ("threads must be enabled", "it has a shared memory", NO_THREADS),
    ("threads support is not enabled", "it uses threads", NO_THREADS),
    ("atomics are not enabled", "it uses threads", NO_THREADS),
    ("memory64 must be enabled", "it uses 64-bit addresses", "compile for wasm32 instead of wasm64"),
    (
        "multiple memories",
        "it has several memories",
        "link it with one memory (a module that was made by joining others may need to be compiled as one)",
    ),
    (
        "wide arithmetic support is not enabled",
        "it uses wide arithmetic",
        "compile without it (clang: -mno-wide-arithmetic; Rust: -C target-feature=-wide-arithmetic)",
    ),
    (
        "non-constant operator",
        "it computes the initial value of a global, table or segment",
        "compile without it (clang: -mno-extended-const; Rust: -C target-feature=-extended-const)",
    ),
    ("custom page sizes", "its memory has pages of another size", "compile it with pages of 65,536 bytes"),
];

/// What the reader says about a SIMD instruction if it was built without them, as ours is.
const UNREAD: &str = "unexpected SIMD opcode";

const NO_SIMD: &str =
    "compile without them (clang: -mno-simd128; Rust: -C target-feature=-simd128; AssemblyScript: --disable simd)";

const NO_THREADS: &str =
    "compile without them (clang: without -pthread, and with -mno-atomics; Rust: -C target-feature=-atomics)";

/// Words of the validator for types of languages with garbage collection.
const GARBAGE_COLLECTION: [&str; 5] =
    ["gc proposal", "gc feature", "`gc`", "gc support is not enabled", "function references"];

/// Whether the reader stops at this because of a feature, so that a validator with every feature stops there too.
pub(crate) fn is_unread(message: &str) -> bool {
    message.contains(UNREAD)
}

/// What the validator says about a feature that it was told to refuse, in our words where we have some.
pub(crate) fn explain(message: &str) -> String {
    if let Some((_, what, instead)) = FEATURES.iter().find(|(part, _, _)| message.contains(part)) {
        return format!("{what}, which Pessimum does not run; {instead}");
    }
    if GARBAGE_COLLECTION.iter().any(|part| message.contains(part)) {
        return "it uses types for languages with garbage collection (Kotlin, Dart, Java, OCaml), which Pessimum does not run; \
                programs in C, C++, Rust, Zig and AssemblyScript do not need them"
            .to_string();
    }
    format!("it needs a feature of WebAssembly that Pessimum does not have: {message}")
}

#[cfg(test)]
mod tests {
    use crate::{LoadErrorKind, LoadSettings, Module};

    /// Every feature that a compiler can be told to use is named as such, with what to do instead.
    #[test]
    fn features_are_named_with_what_to_do_instead() {
        let component: &[u8] = b"\0asm\x0d\0\x01\0";
        for (module, what) in [
            (component, "it is a component"),
            (b"(module (func (param v128)))", "-mno-simd128"),
            (b"(module (func (drop (i8x16.splat (i32.const 0)))))", "-mno-simd128"),
            (
                b"(module (memory 1) (func (drop (v128.load8_lane 3 (i32.const 0) (v128.const i64x2 0 0)))))",
                "-mno-simd128",
            ),
            (b"(module (func $f) (func (return_call $f)))", "-mno-tail-call"),
            (b"(module (memory 1 1 shared))", "-pthread"),
            (b"(module (memory 1) (func (drop (i32.atomic.load (i32.const 0)))))", "-pthread"),
            (b"(module (memory i64 1))", "wasm32 instead of wasm64"),
            (b"(module (memory 1) (memory 1))", "several memories"),
            (b"(module (type (struct)))", "garbage collection"),
            (b"(module (type $t (func)) (func (param (ref $t))))", "garbage collection"),
            (b"(module (global i32 (i32.add (i32.const 1) (i32.const 2))))", "-mno-extended-const"),
            (b"(module (memory 1 (pagesize 1)))", "pages of another size"),
        ] {
            let error = Module::load(module, &LoadSettings::default()).expect_err("it is not supported");
            assert_eq!(error.kind, LoadErrorKind::Unsupported, "{error}");
            assert!(error.message.contains(what), "{error}");
            assert!(!error.message.contains("enable"), "{error}");
        }
    }
}
