#!/bin/sh
# Rebuilds the modules beside their sources; needs clang and wasm-ld 19. Linking without -O keeps the name section.
set -e
cd "$(dirname "$0")"
for source in *.c; do
    name=${source%.c}
    clang-19 --target=wasm32 -O2 -c "$source" -o "$name.o"
    clang-19 --target=wasm32 -nostdlib -Wl,--no-entry "$name.o" -o "$name.wasm"
    rm "$name.o"
done
