#!/bin/sh
# Builds every subject: DIR/NAME.c or DIR/NAME.rs into DIR/NAME.wasm, with function names and (for C) DWARF lines.
#
#   subjects/build.sh             rebuild all modules in place
#   subjects/build.sh --check     rebuild into a temporary directory and compare byte for byte with the committed modules
#   subjects/build.sh NAME...     rebuild only these (DIR/NAME)
#
# Needs clang-19, llvm-19 and lld-19 (made with 19.1.7), wasi-libc for the programs marked `build: wasi`, and the Rust named in
# RUST below with the targets wasm32-unknown-unknown and wasm32-wasip1. Another version of a compiler gives different but equally valid modules.
#
# A line `build: KIND` in the head comment of a file says how it is built:
#   faithful   (no line) one conditional of the source is one `br_if` of the module: only local variables are taken out of memory, no other
#              optimisation runs, so that nothing becomes a `select`, no two tests are merged and no loop is unrolled. This is
#              what the cost `branches` of the papers needs. (clang makes a third branch of `while (a && b)`; where it matters the
#              sources say `for (;;) { if (!(a && b)) break;` instead.)
#   optimised  clang -O2, as a user would build it
#   wasi       clang -O2 against wasi-libc: a command that reads standard input
#   rust       a library for wasm32-unknown-unknown: exported functions
#   rust-wasi  a command for wasm32-wasip1
#
# The link commands carry no -O: the clang driver would run wasm-opt where it is installed, which drops names and lines.
# Source paths are relative to this directory, so that no path of the building machine gets into a module.
set -eu
cd "$(dirname "$0")"
RUST=${RUST:-1.95.0}

fail() { echo "build.sh: $*" >&2; exit 1; }

compile_c() { # source, output, kind
    object=$work/object.o
    resources=$(clang-19 -print-resource-dir)
    common="-g -Wall -Wextra -Werror -I. -I../guest/c -fdebug-compilation-dir=. -ffile-prefix-map=$PWD=. -ffile-prefix-map=$resources=clang -ffile-prefix-map=/usr/include/wasm32-wasi=wasi-libc"
    case $3 in
    faithful)
        clang-19 --target=wasm32 -ffreestanding $common -O1 -Xclang -disable-llvm-passes -Xclang -disable-lifetime-markers -emit-llvm -c "$1" -o "$work/raw.bc"
        opt-19 -passes='function(sroa,instsimplify,dce)' "$work/raw.bc" -o "$work/registers.bc"
        llc-19 -O2 -filetype=obj "$work/registers.bc" -o "$object" ;;
    optimised)
        clang-19 --target=wasm32 -ffreestanding $common -O2 -c "$1" -o "$object" ;;
    wasi)
        clang-19 --target=wasm32-wasi $common -O2 -c "$1" -o "$object"
        clang-19 --target=wasm32-wasi -Wl,-z,stack-size=65536 "$object" -o "$2"
        return ;;
    *) fail "$1: unknown kind of build: $3" ;;
    esac
    wasm-ld-19 --no-entry -z stack-size=65536 "$object" -o "$2"
}

compile_rust() { # source, output, kind
    common="--edition 2024 -C opt-level=2 -C panic=abort -C strip=debuginfo -C codegen-units=1 --remap-path-prefix=$PWD=."
    case $3 in
    rust) rustc "+$RUST" $common --target wasm32-unknown-unknown --crate-type cdylib "$1" -o "$2" ;;
    rust-wasi) rustc "+$RUST" $common --target wasm32-wasip1 "$1" -o "$2" ;;
    *) fail "$1: unknown kind of build: $3" ;;
    esac
}

compile() { # source, output
    kind=$(sed -n 's/^[ /*!]*build: \([a-z-]*\).*/\1/p' "$1" | head -n 1)
    case $1 in
    *.c) compile_c "$1" "$2" "${kind:-faithful}" ;;
    *.rs) compile_rust "$1" "$2" "${kind:-rust}" ;;
    esac
}

check=no
if [ "${1:-}" = --check ]; then check=yes; shift; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

stale=0
count=0
for source in ese/* wise/* pyse/* fitnex/* evosuite/* own/*; do
    case $source in *.c | *.rs) ;; *) continue ;; esac
    name=${source%.*}
    if [ $# -gt 0 ]; then
        case " $* " in *" $name "*) ;; *) continue ;; esac
    fi
    count=$((count + 1))
    if [ $check = yes ]; then
        built=$work/$(basename "$name").wasm # the name section repeats the file name
        compile "$source" "$built"
        if ! cmp -s "$built" "$name.wasm"; then
            echo "subjects/$name.wasm is not what subjects/$source builds to" >&2
            stale=$((stale + 1))
        fi
    else
        compile "$source" "$name.wasm"
        chmod 644 "$name.wasm"
    fi
done
[ $count -gt 0 ] || fail "no such subject: $*"
if [ $check = yes ]; then echo "$count modules checked, $stale differ"; fi
[ $stale -eq 0 ]
