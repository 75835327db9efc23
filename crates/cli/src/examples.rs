//! Examples for the help of each command. A test runs every line that starts with `$`, in this order of commands, from the
//! root of the repository.

pub const PESSIMUM: &str = "\
Examples:
  The 20 numbers that are the most expensive to sort, found in five seconds:
    $ pessimum worst subjects/own/insertion_sort.wasm --call 'sort(i32[n], n)' --size 20 --budget 5s
  How the worst case grows:
    $ pessimum curve subjects/own/insertion_sort.wasm --call 'sort(i32[n], n)' --sizes 4..32 --budget 5s

`pessimum help COMMAND` lists the flags of a command, with more examples.";

pub const RUN: &str = "\
Examples:
  With every number 0:
    $ pessimum run subjects/own/insertion_sort.wasm --call 'sort(i32[n], n)' --size 8
  An input of your own, here text on standard input:
    $ echo '{\"stdin\": {\"text\": \"[1,[2]]\"}}' | pessimum run subjects/own/json.wasm --stdin 7 --input -";

pub const WORST: &str = "\
Examples:
  A function, by its exported name; n is --size:
    $ pessimum worst subjects/own/insertion_sort.wasm --call 'sort(i32[n], n)' --size 20 --budget 2s
  A program that reads standard input, here 12 bytes that can be typed:
    $ pessimum worst subjects/own/json.wasm --stdin \"12 in ' '..='~'\" --budget 2s
  The same result every time, for scripts: count paths instead of seconds:
    $ pessimum worst subjects/own/json.wasm --stdin 12 --paths 1000 --json
  A gate: exit code 3 if an input costs more than 500 instructions:
    $ pessimum worst subjects/own/insertion_sort.wasm --call 'sort(i32[n], n)' --size 8 --paths 500 --fail-above 500
  A function of Python, where lines count; type hints may say the types instead of --call:
    pessimum worst sort.py --call 'sort(int[n])' --size 50";

pub const CURVE: &str = "\
Examples:
  Is it quadratic?
    $ pessimum curve subjects/own/insertion_sort.wasm --call 'sort(i32[n], n)' --sizes 4,8,16,32 --paths 300";

pub const PATTERN: &str = "\
Examples:
  What do I feed it at a megabyte, and what is the real growth?
    $ pessimum pattern subjects/own/insertion_sort.wasm --call 'sort(i32[n], n)' --paths 200
  Growth with the value of a parameter: no length depends on n:
    pessimum pattern fib.c --call 'fib(u32)'";

pub const GENERATE: &str = "\
Examples:
    $ pessimum pattern subjects/own/insertion_sort.wasm --call 'sort(i32[n], n)' --paths 200
  The worst input of another size, to be run with --input:
    $ pessimum generate pessimum-out/insertion_sort --size 20
  A program that writes it:
    $ pessimum generate pessimum-out/insertion_sort --code python";

pub const COVER: &str = "\
Examples:
  A small suite for a parser that reads standard input, up to 6 bytes:
    $ pessimum cover subjects/own/json.wasm --stdin n --sizes 0..6 --budget 5s
  One input that ends in a trap, if there is one:
    $ pessimum cover subjects/own/json.wasm --stdin 4 --reach trap --budget 2s
  The same suite every time, and exit code 3 if it covers less than 90 % of the branches:
    $ pessimum cover subjects/own/insertion_sort.wasm --call 'sort(i32[n], n)' --size 4 --paths 500 --fail-under 90";

pub const SUITE: &str = "\
Examples:
  Tests for a module, whose functions are declared:
    $ pessimum suite subjects/evosuite/foo_bar.wasm --api-file subjects/evosuite/foo_bar.api --budget 5s
  The functions that a C file or a Rust package has, to be edited:
    pessimum inspect src/list.c --api > list.api
  Tests of a Rust package that call the crate itself, and how many small mistakes they would notice:
    pessimum suite . --emit --mutants";

pub const COMPARE: &str = "\
Examples:
  Did this change make the worst case better? (`compare HEAD:sort.c sort.c` takes the old version out of git.)
    $ pessimum compare subjects/own/insertion_sort.wasm subjects/ese/quicksort_jdk.wasm --call 'sort(i32[n], n)' --size 8 --paths 400
  At several sizes, and exit code 3 if the new version is more than 5 % worse or grows faster:
    pessimum compare main . --call sort --sizes 8..64 --fail-above-ratio 1.05 --fail-above-class same";

pub const CHECK: &str = "\
Examples:
  All targets, for CI; exit code 3 if one is above its limit:
    $ pessimum check --config docs/examples/pessimum.toml --junit junit.xml
  What would be run:
    $ pessimum check --config docs/examples/pessimum.toml --list";

pub const INIT: &str = "\
Examples:
  What would be written for the programs here:
    $ pessimum init docs/examples --dry-run";

pub const PATHS: &str = "\
Examples:
  Every path through a sort of five numbers, with the certain worst case:
    $ pessimum paths subjects/own/insertion_sort.wasm --call 'sort(i32[n], n)' --size 5";

pub const REPLAY: &str = "\
Examples:
    $ pessimum worst subjects/own/json.wasm --stdin 12 --paths 500
    $ pessimum replay pessimum-out/json";

pub const SHRINK: &str = "\
Examples:
  The same cost from plainer bytes; the result is in pessimum-out/json/shrunk:
    $ pessimum worst subjects/own/json.wasm --stdin 12 --paths 500
    $ pessimum shrink pessimum-out/json
  The same cost from fewer bytes, if possible:
    $ pessimum shrink pessimum-out/json --shorter";

pub const REPORT: &str = "\
Examples:
  `worst` and `curve` write report.html by themselves; this writes it again:
    $ pessimum worst subjects/own/json.wasm --stdin 12 --paths 500
    $ pessimum report pessimum-out/json";

pub const INSPECT: &str = "\
Examples:
  Which functions can be called, and does the module need anything that is not there?
    $ pessimum inspect subjects/own/hash_table.wasm

  Which functions can tests call one after the other?
    $ pessimum inspect subjects/evosuite/account.wasm --api";

pub const COMPLETIONS: &str = "\
Examples:
  For bash, in ~/.bashrc: source <(pessimum completions bash)
    $ pessimum completions bash";

pub const MAN: &str = "\
Examples:
  To read a page straight away: pessimum man worst | man -l -
    $ pessimum man worst
  To install all of them, into a directory on your MANPATH:
    $ pessimum man --out man1";
