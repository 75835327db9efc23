#!/bin/sh
# Checks that the examples of the C header and of the Rust crate still build for wasm32, and the crate on the host.
# Needs clang-19, lld-19 and the Rust target wasm32-unknown-unknown.
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
echo "guest: both examples build"
