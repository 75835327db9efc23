#!/bin/sh
# Checks that the examples of the C header and of the Rust crate still build for wasm32, and the crate on the host; and that
# the attribute for tests of Rust crates searches, fails, is skipped and is refused where it should.
# Needs clang-19, lld-19 and the Rust target wasm32-unknown-unknown. PESSIMUM names the command; without it, it is built.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

clang-19 --target=wasm32 -O2 -g -Wall -Wextra -Werror -c c/example.c -o "$work/example.o"
clang-19 --target=wasm32 -nostdlib -Wl,--no-entry "$work/example.o" -o "$work/example.wasm"
test -s "$work/example.wasm"

cd rust
cargo build --quiet --release --target wasm32-unknown-unknown --example overlaps --target-dir "$work/target"
test -s "$work/target/wasm32-unknown-unknown/release/examples/overlaps.wasm"
cargo check --quiet --examples --target-dir "$work/target"
cargo fmt --check
cd ..

if [ -z "${PESSIMUM:-}" ]; then
    PESSIMUM=$(cd .. && pwd)/target/debug/pessimum
    test -x "$PESSIMUM" || (cd .. && cargo build --quiet -p pessimum)
fi
export PESSIMUM
cd rust-test
cargo fmt --all --check
cargo clippy --quiet --workspace --all-targets --target-dir "$work/target" -- -D warnings
cargo test --quiet --workspace --target-dir "$work/target"
# Without the command tests fail, unless they are optional: then they say that they were skipped.
if PESSIMUM=/nowhere/pessimum cargo test --quiet -p pessimum-test-example --lib --target-dir "$work/target" >"$work/text" 2>&1; then
    echo "guest: a search without the command has passed" >&2
    exit 1
fi
grep -q 'there is no command `/nowhere/pessimum`; install it' "$work/text"
PESSIMUM=/nowhere/pessimum PESSIMUM_OPTIONAL=1 \
    cargo test --quiet -p pessimum-test-example --lib --target-dir "$work/target" >"$work/text" 2>&1
grep -q '^SKIPPED: the worst case of `merge_sort` was not searched' "$work/text"
# A limit that is exceeded is told with the worst input; a mistake in the attribute is an error at its place.
mkdir -p "$work/user/src"
cat >"$work/user/Cargo.toml" <<MANIFEST
[package]
name = "user"
version = "0.1.0"
edition = "2024"
[dev-dependencies]
pessimum-test = { path = "$PWD" }
[workspace]
MANIFEST
user() {
    cat >"$work/user/src/lib.rs"
    ! (cd "$work/user" && cargo test --quiet --lib --target-dir "$work/user/target" >"$work/text" 2>&1)
    grep -qF "$1" "$work/text" || { cat "$work/text" >&2; echo "guest: expected: $1" >&2; exit 1; }
}
user 'worst input  twice(77)' <<'SOURCE'
#[cfg_attr(test, pessimum::worst_case(at_most = 30, paths = 100))]
pub fn twice(x: u32) -> u32 { if x == 77 { (0..x).map(core::hint::black_box).sum() } else { 2 * x } }
SOURCE
user 'say what to enforce: `at_most = 5000` or `class = "n log n"`' <<'SOURCE'
#[cfg_attr(test, pessimum::worst_case(size = 16))]
pub fn twice(x: u32) -> u32 { 2 * x }
SOURCE
user '`class` needs sizes to compare' <<'SOURCE'
#[cfg_attr(test, pessimum::worst_case(class = "n"))]
pub fn twice(x: u32) -> u32 { 2 * x }
SOURCE
user 'on a test, say what it searches' <<'SOURCE'
#[pessimum::worst_case(at_most = 5)]
#[test]
fn twice() {}
SOURCE
user 'this attribute stands on a function' <<'SOURCE'
#[cfg_attr(test, pessimum::worst_case(at_most = 5))]
pub struct Twice;
SOURCE
user "unexpected argument '--colour' found" <<'SOURCE'
#[cfg_attr(test, pessimum::worst_case(at_most = 5, colour = "red"))]
pub fn twice(x: u32) -> u32 { 2 * x }
SOURCE
user 'the body of the test is run' <<'SOURCE'
pub fn twice(x: u32) -> u32 { 2 * x }
#[test]
#[pessimum::worst_case(call = "twice", at_most = 500, paths = 10)]
fn small() { panic!("the body of the test is run") }
SOURCE
echo "guest: the examples build, and tests of the worst case do what they should"
