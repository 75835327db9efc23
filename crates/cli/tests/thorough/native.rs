//! Worst inputs, run natively: what Pessimum reports has to be what the program does on the user's machine.
//!
//! Each file in `native/` names its functions in its first lines, with the flags of a search. The worst input that is
//! found, and the worst that traps, are passed to the same function, compiled for this machine: its result, the count
//! that it keeps itself, whether it traps and what it leaves in its buffers have to be what `pessimum run` and `worst`
//! say. Arguments are taken as they are shown: Rust values are read from `written`, those of C++ are pasted into a program, those of C are
//! the numbers of the input in memory.
//!
//! The sources keep to types that have one size everywhere, and to results that no order of a hash table changes.
//! A compiler that is not on the machine is reported and its tests pass; with PESSIMUM_REQUIRE_TOOLS=1 they fail.

#[allow(dead_code)] // other tests use the rest
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::compiling::{can_compile, fresh, parsed, pessimum};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native")
}

/// Splits at commas outside of brackets and quotes.
fn arguments(call: &str) -> Vec<String> {
    let inside = match call.strip_prefix('"') {
        Some(rest) => rest.split_once("\"(").map_or("", |(_, inside)| inside),
        None => call.split_once('(').map_or("", |(_, inside)| inside),
    };
    let inside = inside.strip_suffix(')').unwrap_or(inside);
    let (mut parts, mut depth, mut quoted) = (vec![String::new()], 0, false);
    for c in inside.chars() {
        quoted ^= c == '"';
        match c {
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        match c == ',' && depth == 0 && !quoted {
            true => parts.push(String::new()),
            false => parts.last_mut().unwrap().push(c),
        }
    }
    parts.into_iter().map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect()
}

/// A type of `--call`, without its range and the lengths of its arrays.
enum Type {
    Number(&'static str, usize),
    Record(Vec<Type>),
}

impl Type {
    fn parse(text: &str) -> Type {
        let text = text.strip_prefix("out ").unwrap_or(text).trim();
        if let Some(rest) = text.strip_prefix('{') {
            let end = rest.rfind('}').unwrap();
            return Type::Record(
                arguments(&format!("({})", &rest[..end])).iter().map(|part| Type::parse(part)).collect(),
            );
        }
        let name = text.split(['[', ' ']).next().unwrap();
        let known = [("bool", 1), ("i8", 1), ("u8", 1), ("i16", 2), ("u16", 2), ("i32", 4), ("u32", 4), ("i64", 8)];
        let known = known.into_iter().chain([("u64", 8), ("f32", 4), ("f64", 8), ("str", 1), ("utf8", 1)]);
        let (name, size) = known.into_iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{text}"));
        Type::Number(name, size)
    }

    fn alignment(&self) -> usize {
        match self {
            Type::Number(_, size) => *size,
            Type::Record(parts) => parts.iter().map(Type::alignment).max().unwrap(),
        }
    }

    /// Puts a value into memory as C lays it out.
    fn store(&self, value: &Value, memory: &mut Vec<u8>) {
        memory.resize(memory.len().next_multiple_of(self.alignment()), 0);
        match (self, value) {
            (Type::Record(parts), Value::Array(values))
                if values.iter().all(Value::is_array) && parts.len() != values.len() =>
            {
                values.iter().for_each(|value| self.store(value, memory));
            }
            (Type::Record(parts), Value::Array(values)) => {
                // An array of records is a list of lists as well.
                let is_one =
                    parts.iter().zip(values).all(|(part, value)| part.fits(value)) && parts.len() == values.len();
                if !is_one {
                    values.iter().for_each(|value| self.store(value, memory));
                    return;
                }
                parts.iter().zip(values).for_each(|(part, value)| part.store(value, memory));
                memory.resize(memory.len().next_multiple_of(self.alignment()), 0);
            }
            (_, Value::Array(values)) => values.iter().for_each(|value| self.store(value, memory)),
            (_, Value::String(text)) if self.alignment() == 1 => memory.extend(text.as_bytes()),
            (Type::Number(name, size), value) => match *name {
                "f32" => memory.extend((float(value) as f32).to_le_bytes()),
                "f64" => memory.extend(float(value).to_le_bytes()),
                _ => memory.extend(&whole(value).to_le_bytes()[..*size]),
            },
            (Type::Record(_), value) => panic!("{value} is no record"),
        }
    }

    fn fits(&self, value: &Value) -> bool {
        match self {
            Type::Record(_) => value.is_array(),
            Type::Number(..) => !value.as_array().is_some_and(|list| list.iter().any(Value::is_array)),
        }
    }
}

fn whole(value: &Value) -> i128 {
    let bool = value.as_bool().map(i128::from);
    value.as_i64().map(i128::from).or(value.as_u64().map(i128::from)).or(bool).unwrap_or_else(|| panic!("{value}"))
}

fn float(value: &Value) -> f64 {
    match value.as_str() {
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        Some(nan) => f64::from_bits(u64::from_str_radix(nan.trim_start_matches("nan:0x"), 16).unwrap()),
        None => value.as_f64().unwrap(),
    }
}

/// What a run said about itself.
#[derive(Debug, PartialEq)]
struct Said {
    trapped: bool,
    result: String,
    count: i64,
    /// The buffers of C after the call, one after the other, in hexadecimal.
    buffers: String,
}

/// One search of a source.
struct Case<'c> {
    file: &'c str,
    source: PathBuf,
    directory: &'c Path,
    /// What its file says of all its searches.
    flags: Vec<String>,
    /// The function, how Rust calls it, and the flags of the search.
    line: &'c str,
}

impl Case<'_> {
    fn run(&self, words: &[&str]) -> Output {
        pessimum(self.directory, &folder(), words).output().unwrap()
    }

    /// Compares the worst input and the worst that traps. Returns how many of either kind there were.
    fn compare(&self) -> (usize, usize) {
        let (search, natively) = self.line.split_once(" natively ").unwrap_or((self.line, ""));
        let words = shlex(search);
        let (name, mut flags) = (&words[0], words[1..].to_vec());
        if !flags.contains(&"--call".to_string()) {
            flags.extend(["--call".to_string(), name.clone()]);
        }
        let out = self.directory.join("out");
        let all: Vec<&str> = ["worst", self.file, "--cost", "user", "--json", "-q", "--out", out.to_str().unwrap()]
            .into_iter()
            .chain(self.flags.iter().chain(&flags).map(String::as_str))
            .collect();
        let found = parsed(&self.run(&all));
        let call = found["call"].as_str().unwrap();
        let mut ends = vec![(&found["input"], &found["written"], &found["cost"]["value"], &found["end"])];
        if let Some(trapped) = found["trapped"].as_object() {
            ends.push((
                &trapped["input"],
                found["trapped"].get("written").unwrap_or(&Value::Null),
                &trapped["cost"],
                &trapped["end"],
            ));
        }
        let (mut returned, mut trapped) = (0, 0);
        for (input, written, cost, end) in ends {
            let flags: Vec<String> = {
                let is_of_search = |flag: &String| ["--paths", "--call"].contains(&flag.as_str());
                let mut kept = Vec::new();
                let mut rest = flags.iter();
                while let Some(flag) = rest.next() {
                    let value = rest.next().unwrap();
                    if !is_of_search(flag) {
                        kept.extend([flag.clone(), value.clone()]);
                    }
                }
                kept
            };
            let path = self.directory.join("input.json");
            std::fs::write(&path, input.to_string()).unwrap();
            let words = ["run", self.file, "--json", "--call", call, "--input", path.to_str().unwrap()];
            let words: Vec<&str> =
                words.into_iter().chain(self.flags.iter().chain(&flags).map(String::as_str)).collect();
            let ran = parsed(&self.run(&words));
            assert_eq!((&ran["costs"]["user"], &ran["end"]), (cost, end), "{}: run and worst differ", self.line);
            let written: Option<Vec<String>> =
                written.as_array().map(|list| list.iter().map(|text| text.as_str().unwrap().to_string()).collect());
            let expected = self.expected(call, &ran);
            let natively = match self.file.rsplit('.').next().unwrap() {
                "c" => self.c(name, call, input, &ran),
                "cpp" => self.cpp(name, &written.unwrap_or_else(|| shown(call, input, ('{', '}')))),
                _ => {
                    let written = written.unwrap_or_else(|| shown(call, input, ('[', ']')));
                    let made = vec!["made()"; written.len()].join(", ");
                    let plain = format!("{name}({made})");
                    self.rust(if natively.is_empty() { &plain } else { natively }, &written)
                }
            };
            assert_eq!(natively, expected, "{} {}: {call} {input}", self.file, self.line);
            *if expected.trapped { &mut trapped } else { &mut returned } += 1;
        }
        (returned, trapped)
    }

    /// What our run says, in the words of the native one.
    fn expected(&self, call: &str, ran: &Value) -> Said {
        let trapped = ran["end"] != "returned";
        let mut buffers = Vec::new();
        if self.file.ends_with(".c") && !trapped {
            for (ty, value) in arguments(call).iter().zip(ran["buffers"].as_array().unwrap()) {
                if !value.is_null() && !ty.starts_with('"') {
                    Type::parse(ty).store(value, &mut buffers);
                }
            }
        }
        let result = match &ran["result"][0] {
            _ if trapped => String::new(),
            Value::Null => String::new(),
            // The bits of a float.
            value if value.is_f64() || value.is_string() => format!("{:016x}", float(value).to_bits()),
            value => (whole(value) as i64).to_string(),
        };
        Said { trapped, result, count: ran["costs"]["user"].as_i64().unwrap(), buffers: hexadecimal(&buffers) }
    }

    fn c(&self, name: &str, call: &str, input: &Value, ran: &Value) -> Said {
        let (mut text, mut passed, mut shown) = (String::new(), Vec::new(), String::new());
        for (i, (ty, value)) in arguments(call).iter().zip(input.as_array().unwrap()).enumerate() {
            let is_buffer = ty.starts_with("out ") || ty.contains('[') || ty.starts_with('{');
            if ty.starts_with('&') || ty.starts_with('"') {
                passed.push(ty.trim_start_matches('&').to_string());
            } else if is_buffer {
                let mut memory = Vec::new();
                let kind = Type::parse(ty);
                match value {
                    // As long as the buffer is afterwards.
                    Value::Null => {
                        kind.store(&ran["buffers"][i], &mut memory);
                        memory.fill(0);
                    }
                    value => kind.store(value, &mut memory),
                }
                let length = memory.len();
                let bytes: Vec<String> = memory.iter().chain([&0]).map(u8::to_string).collect();
                let _ = writeln!(text, "static _Alignas(16) unsigned char a{i}[] = {{{}}};", bytes.join(", "));
                let _ = writeln!(shown, "    for (int i = 0; i < {length}; i++) printf(\"%02x\", a{i}[i]);");
                passed.push(format!("(void *)a{i}"));
            } else if value.is_f64() || value.is_string() {
                passed.push(format!("bits({:#x}ull)", float(value).to_bits()));
            } else {
                passed.push(format!("(int64_t){}u", whole(value) as u64));
            }
        }
        let call = format!("{name}({})", passed.join(", "));
        let call = match ran["result"].as_array().is_some_and(|result| !result.is_empty()) {
            true => format!("SHOW({call});"),
            // A result is not known of a run that traps.
            false => format!("{call}; puts(\"\");"),
        };
        let text = HARNESS_C
            .replace("SOURCE", &quoted(&self.source))
            .replace("DATA", &text)
            .replace("CALL", &call)
            .replace("BUFFERS", &shown);
        self.native("c", &text)
    }

    fn cpp(&self, name: &str, written: &[String]) -> Said {
        let mut text = String::new();
        let mut passed = Vec::new();
        for (i, value) in written.iter().enumerate() {
            let _ = writeln!(
                text,
                "    kept<{i}, decltype(&{name})> a{i}{};",
                match value.starts_with('{') {
                    true => format!(" = {value}"),
                    false => format!(" = {{{value}}}"),
                }
            );
            passed.push(format!("std::forward<argument<{i}, decltype(&{name})>>(a{i})"));
        }
        let call = match name.split_once("::") {
            Some((class, method)) => format!("{class}{{}}.{method}({})", passed.join(", ")),
            None => format!("{name}({})", passed.join(", ")),
        };
        let text = HARNESS_CPP.replace("SOURCE", &quoted(&self.source)).replace("DATA", &text).replace("CALL", &call);
        self.native("cpp", &text)
    }

    fn rust(&self, call: &str, written: &[String]) -> Said {
        let read = written.iter().map(|value| format!("{value}, ")).collect::<String>();
        let types = self.source.with_extension("native.rs");
        let text = HARNESS_RUST
            .replace("SOURCE", &quoted(&self.source))
            .replace("READER", &quoted(&folder().join("harness/reader.rs")))
            .replace("TYPES", &quoted(&types))
            .replace("DATA", &format!("{read:?}"))
            .replace("CALL", call);
        self.native("rs", &text)
    }

    /// Compiles and runs a program that prints the result, the count and the buffers.
    fn native(&self, language: &str, text: &str) -> Said {
        let (source, program) = (self.directory.join(format!("main.{language}")), self.directory.join("program"));
        std::fs::write(&source, text).unwrap();
        compile(language, &source, &program);
        let output = Command::new(&program).stdin(Stdio::null()).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let mut lines = printed.lines();
        let mut line = || lines.next().unwrap_or_default().to_string();
        if !output.status.success() {
            // The last count is the one at the trap: it is printed by the handler.
            let count = printed.lines().rev().find_map(|line| line.strip_prefix("count ")).unwrap_or("-1");
            return Said {
                trapped: true,
                result: String::new(),
                count: count.parse().unwrap(),
                buffers: String::new(),
            };
        }
        let (result, count) = (line(), line());
        let count = count.strip_prefix("count ").unwrap_or_else(|| panic!("{printed}")).parse().unwrap();
        Said { trapped: false, result, count, buffers: line() }
    }
}

fn compile(language: &str, source: &Path, program: &Path) {
    let mut command = match language {
        "c" => Command::new("gcc"),
        "cpp" => {
            let mut command = Command::new("g++");
            command.arg("-std=c++20");
            command
        }
        _ => Command::new("rustc"),
    };
    match language {
        // Arithmetic wraps and nothing but the program's own checks panics, as in the module.
        "rs" => command.args(["--edition", "2024", "-A", "warnings", "-C", "opt-level=1", "-C", "overflow-checks=off"]),
        _ => command.args(["-O1", "-w", "-I"]).arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest/c")),
    };
    let output = command.arg(source).arg("-o").arg(program).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The arguments as they are written where the numbers read as well: elements are followed by their number.
fn shown(call: &str, input: &Value, (open, close): (char, char)) -> Vec<String> {
    let types = arguments(call);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < types.len() {
        let value = &input[at];
        let text = value.to_string().replace('[', &open.to_string()).replace(']', &close.to_string());
        found.push(if value.is_string() { value.to_string() } else { text });
        let is_sized = types[at].contains("[n]") && types.get(at + 1).is_some_and(|next| next == "n");
        // Bytes are characters of a text, or numbers: the type of the parameter decides.
        if is_sized && types[at].starts_with("u8[") && open == '{' {
            let numbers = match value {
                Value::String(text) => text.bytes().map(i128::from).collect::<Vec<_>>(),
                value => value.as_array().unwrap().iter().map(whole).collect(),
            };
            let bytes: Vec<String> = numbers.iter().map(|byte| format!("byte{{{byte}}}")).collect();
            *found.last_mut().unwrap() = format!("{{{}}}", bytes.join(", "));
        }
        at += 1 + usize::from(is_sized);
    }
    found
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn quoted(path: &Path) -> String {
    format!("{:?}", path.display().to_string())
}

/// The words of a line, in which quotes keep some together.
fn shlex(line: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for c in line.chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, ' ') => words.push(String::new()),
            (_, c) => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What a trap ends prints the count first.
const HARNESS_C: &str = r#"#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include SOURCE
static int64_t counted;
void pessimum_cost(int64_t amount) { counted += amount; }
static void trap(int number) { printf("\ncount %lld\n", (long long)counted); fflush(stdout); _Exit(1); }
static inline double bits(uint64_t bits) { double value; memcpy(&value, &bits, 8); return value; }
static void show_whole(long long value) { printf("%lld\n", value); }
static void show_float(double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    printf("%016llx\n", (unsigned long long)bits);
}
#define SHOW(x) _Generic((x), float: show_float, double: show_float, default: show_whole)(x)
DATA
int main(void) {
    int traps[] = {SIGFPE, SIGILL, SIGSEGV, SIGABRT, SIGTRAP, SIGBUS};
    for (int i = 0; i < 6; i++) signal(traps[i], trap);
    CALL
    printf("count %lld\n", (long long)counted);
BUFFERS
    puts("");
    return 0;
}
"#;

/// Objects are initialised as they are written, then passed on.
const HARNESS_CPP: &str = r#"#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>
#include SOURCE
struct byte {
    int value;
    template <class T> operator T() const { return static_cast<T>(value); }
};
static int64_t counted;
void pessimum_cost(int64_t amount) { counted += amount; }
static void trap(int) { printf("\ncount %lld\n", (long long)counted); fflush(stdout); _Exit(1); }
template <class F> struct types;
template <class R, class... A> struct types<R (*)(A...)> { using all = std::tuple<A &&...>; };
template <class R, class... A> struct types<R (*)(A...) noexcept> : types<R (*)(A...)> {};
template <class R, class C, class... A> struct types<R (C::*)(A...)> : types<R (*)(A...)> {};
template <size_t N, class F> using argument = std::tuple_element_t<N, typename types<F>::all>;
template <class T> struct keeper { using type = T; };
template <class T> struct keeper<std::span<const T>> { using type = std::vector<T>; };
template <> struct keeper<std::string_view> { using type = std::string; };
template <size_t N, class F> struct kept_as { using type = typename keeper<std::decay_t<argument<N, F>>>::type; };
template <size_t N, class F> using kept = typename kept_as<N, F>::type;
template <class T> void show(T value) { printf("%lld\n", (long long)value); }
int main() {
    for (int number : {SIGFPE, SIGILL, SIGSEGV, SIGABRT, SIGTRAP}) signal(number, trap);
DATA
    auto result = CALL;
    auto count = counted;
    show(result);
    printf("count %lld\n", (long long)count);
}
"#;

const HARNESS_RUST: &str = r#"#[path = SOURCE]
mod subject;
#[path = READER]
mod reader;
#[path = TYPES]
mod types;
use reader::made;
use std::sync::atomic::{AtomicI64, Ordering};
use subject::*;

static COUNTED: AtomicI64 = AtomicI64::new(0);

#[unsafe(no_mangle)]
extern "C" fn cost(amount: i64) {
    COUNTED.fetch_add(amount, Ordering::Relaxed);
}

trait Show { fn show(&self) -> String; }
macro_rules! shown { ($($ty:ty: $how:expr),*) => { $(impl Show for $ty {
    fn show(&self) -> String { let how: fn(&$ty) -> String = $how; how(self) }
})* }; }
shown!(bool: |x| i64::from(*x).to_string(), u8: |x| x.to_string(), u32: |x| (*x as i32).to_string(), i32: |x| x.to_string(),
    i64: |x| x.to_string(), usize: |x| (*x as i32).to_string(), f64: |x| format!("{:016x}", x.to_bits()));

fn main() {
    reader::read(DATA);
    let result = std::panic::catch_unwind(|| Show::show(&CALL));
    println!("{}", result.as_deref().unwrap_or_default());
    println!("count {}", COUNTED.load(Ordering::Relaxed));
    std::process::exit(result.is_err() as i32);
}
"#;

/// All searches of the sources in this language.
fn all(language: &str, sample: &str, least: (usize, usize)) {
    if !can_compile(sample) {
        return;
    }
    let (mut returned, mut trapped) = (0, 0);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for source in files {
        let file = source.file_name().unwrap().to_str().unwrap();
        if !file.ends_with(&format!(".{language}")) || file.ends_with(".native.rs") {
            continue;
        }
        let directory = fresh(&format!("native-{file}"));
        let text = std::fs::read_to_string(&source).unwrap();
        let said =
            |what: &str| text.lines().filter_map(|line| line.strip_prefix(what)).map(str::trim).collect::<Vec<_>>();
        let flags: Vec<String> = said("// flags:").into_iter().flat_map(shlex).collect();
        for line in said("// worst:") {
            let flags = flags.clone();
            let case = Case { file, source: source.clone(), directory: &directory, flags, line };
            let (here, there) = case.compare();
            returned += here;
            trapped += there;
        }
        for line in said("// program:") {
            program(&directory, file, &source, line);
            returned += 1;
        }
    }
    assert!(returned >= least.0 && trapped >= least.1, "{language}: {returned} returned and {trapped} trapped");
}

/// A program that reads its standard input: what it prints, how it ends, and the count.
fn program(directory: &Path, file: &str, source: &Path, line: &str) {
    let flags = shlex(line);
    let out = directory.join("out");
    let words = ["worst", file, "--cost", "user", "--json", "-q", "--out", out.to_str().unwrap()];
    let words: Vec<&str> = words.into_iter().chain(flags.iter().map(String::as_str)).collect();
    let found = parsed(&pessimum(directory, &folder(), &words).output().unwrap());
    let input = directory.join("input.json");
    std::fs::write(&input, found["input"].to_string()).unwrap();
    let words = ["run", file, "--json", "--input", input.to_str().unwrap(), &flags[0], &flags[1]];
    let ran = parsed(&pessimum(directory, &folder(), &words).output().unwrap());
    assert_eq!(ran["costs"]["user"], found["cost"]["value"]);
    let hex = found["input"]["stdin"].as_str().unwrap();
    let bytes: Vec<u8> = (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect();
    let counter = "#include <stdint.h>\n#include <stdio.h>\nstatic int64_t counted;\nvoid pessimum_cost(int64_t amount) \
                   { counted += amount; }\n__attribute__((destructor)) static void over(void) { fprintf(stderr, \
                   \"%lld\", (long long)counted); }\n";
    let (main, program) = (directory.join("program.c"), directory.join("program"));
    std::fs::write(&main, format!("#include {}\n{counter}", quoted(source))).unwrap();
    compile("c", &main, &program);
    let stdin = directory.join("stdin");
    std::fs::write(&stdin, bytes).unwrap();
    let output = Command::new(program).stdin(std::fs::File::open(stdin).unwrap()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&output.stdout), ran["stdout"].as_str().unwrap(), "{file} {line}");
    assert_eq!(text(&output.stderr), ran["costs"]["user"].to_string(), "{file} {line}");
    let end = match output.status.code() {
        Some(0) => "returned".to_string(),
        code => format!("exited: {}", code.unwrap()),
    };
    let ours = ran["end"].as_str().map_or_else(|| ran["end"].to_string(), str::to_string);
    assert!(ours == end || ours.contains(&output.status.code().unwrap().to_string()), "{file} {line}: {ours}, {end}");
}

#[test]
fn c() {
    all("c", "insertion.c", (11, 1));
}

#[test]
fn cpp() {
    all("cpp", "median.cpp", (18, 5));
}

#[test]
fn rust() {
    all("rs", "library.rs", (16, 1));
}
