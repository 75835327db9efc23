//! The peer: a fuzzer in the manner of PerfFuzz (`peer/`, made with LibAFL) on a native build of the same source.
//!
//! The build counts edges with clang's `trace-pc-guard`. The fuzzer maximises those, as it would in real use; what it
//! has found is then run in WebAssembly, so that its column has the unit of the others.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use pessimum_input::{Argument, Bounds, Group, InputPlan};

use super::course::Course;
use super::manifest::Program;
use super::measure::{Meter, plan_of};
use crate::args::root;
use crate::manifest::directory;

/// Most inputs of a search that are run in WebAssembly: all if there are fewer, otherwise the last ones.
const MOST_SCORED: usize = 400;

/// Edges after which a native run is cut off: well beyond the 10^9 instructions at which `pessimum` cuts.
const MOST_EDGES: u64 = 500_000_000;

/// What is in every native build. The program's source comes first, so that it meets nothing of ours.
const RUNTIME: &str = r#"
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PEER __attribute__((no_sanitize("coverage")))
#define PEER_MOST_SLOTS 65536

#ifdef __cplusplus
struct PeerPointer {
    void *to;
    template <class T> PEER operator T *() const { return static_cast<T *>(to); }
};
#define PEER_POINTER(to) PeerPointer{to}
extern "C" {
#else
#define PEER_POINTER(to) ((void *)(to))
#endif

uint32_t peer_counts[PEER_MOST_SLOTS];
size_t peer_slots = 1;
static jmp_buf peer_end;

PEER void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
    if (start == stop || *start) return;
    for (uint32_t *guard = start; guard < stop; guard++) {
        *guard = (uint32_t)peer_slots;
        if (peer_slots + 1 < PEER_MOST_SLOTS) peer_slots++;
    }
}

PEER void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    peer_counts[*guard]++;
    if (++peer_counts[0] >= PEER_MOST_EDGES) longjmp(peer_end, 1);
}

/* Brings a number into its range: those inside stay as they are. */
PEER static void peer_bound(uint8_t *at, int width, int is_signed, int64_t low, int64_t high) {
    uint64_t bits = 0;
    memcpy(&bits, at, (size_t)width);
    int64_t value = (int64_t)bits;
    if (is_signed && width < 8) value = (int64_t)(bits << (64 - 8 * width)) >> (64 - 8 * width);
    if (value < low || value > high) {
        uint64_t range = (uint64_t)high - (uint64_t)low + 1;
        bits = (uint64_t)low + ((uint64_t)value - (uint64_t)low) % range;
        memcpy(at, &bits, (size_t)width);
    }
}
"#;

/// One search: its processor time, its seed, and where its best input goes.
pub struct Run<'a> {
    pub budget: Duration,
    pub seed: u64,
    pub out: &'a Path,
}

/// The fuzzer, built.
pub struct Peer {
    fuzzer: PathBuf,
    clang: String,
    scratch: PathBuf,
}

impl Peer {
    /// Finds clang and builds the fuzzer; an error says what is missing.
    pub fn build(scratch: &Path) -> Result<Peer, String> {
        let clang = find_clang().ok_or("no clang was found for native builds (`apt install clang`)")?;
        let target = root().join("target/peer-fuzzer");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo.args(["build", "--release", "--locked", "--quiet", "--manifest-path"]);
        cargo.arg(directory("real/peer/Cargo.toml")).arg("--target-dir").arg(&target);
        // Settings for building this crate are not meant for that one.
        cargo.env_remove("CARGO_TARGET_DIR").stdin(Stdio::null());
        let built = cargo.output().map_err(|error| format!("cargo: {error}"))?;
        if !built.status.success() {
            let said = String::from_utf8_lossy(&built.stderr);
            let line = said.lines().find(|line| line.starts_with("error")).unwrap_or("error");
            return Err(format!("`cargo build` in bench/real/peer: {line}"));
        }
        Ok(Peer { fuzzer: target.join("release/bench-real-peer"), clang, scratch: scratch.to_path_buf() })
    }

    /// Builds the program natively.
    fn prepare(&self, program: &Program) -> Result<PathBuf, String> {
        if !matches!(program.language(), "c" | "cpp") {
            return Err("the native build is for C and C++".to_string());
        }
        let driver = self.scratch.join(format!("{}.{}", program.name, program.language()));
        let library = driver.with_extension("so");
        std::fs::write(&driver, driver_source(program, &plan_of(program)?)?).map_err(|error| error.to_string())?;
        let mut command = Command::new(&self.clang);
        if program.language() == "cpp" {
            command.args(["--driver-mode=g++", "-fno-exceptions"]);
        }
        command.args(["-O2", "-shared", "-fPIC", "-w", "-fsanitize-coverage=trace-pc-guard"]);
        command.arg(format!("-DPEER_MOST_EDGES={MOST_EDGES}u")).arg(&driver).arg("-o").arg(&library);
        let built = command.output().map_err(|error| format!("{}: {error}", self.clang))?;
        if !built.status.success() {
            let said = String::from_utf8_lossy(&built.stderr);
            return Err(format!("{}: {}", self.clang, said.lines().next().unwrap_or("failed")));
        }
        Ok(library)
    }

    /// Fuzzes for so much processor time; the best input is left in the directory.
    pub fn search(&self, program: &Program, run: &Run<'_>, meter: &Meter) -> Result<Course, String> {
        let library = self.prepare(program)?;
        let mut command = Command::new(&self.fuzzer);
        let seconds = run.budget.as_secs_f64().to_string();
        command.arg(&library).arg(seconds).arg(run.seed.to_string()).stdin(Stdio::null());
        let ran = command.output().map_err(|error| format!("{}: {error}", self.fuzzer.display()))?;
        let text = String::from_utf8_lossy(&ran.stdout);
        let mut found: Vec<(f64, Vec<u8>)> = Vec::new();
        let mut seen = BTreeSet::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            if let ["input", seconds, _, hex] = words[..]
                && let (Ok(seconds), Some(bytes)) = (seconds.parse(), from_hex(hex))
                && seen.insert(bytes.clone())
            {
                found.push((seconds, bytes));
            }
        }
        let skipped = found.len().saturating_sub(MOST_SCORED);
        let mut costs = Vec::new();
        let mut best: Option<(u64, &[u8])> = None;
        for (seconds, bytes) in &found[skipped..] {
            let cost = meter.cost_of_bytes(bytes)?;
            costs.push((*seconds, cost));
            if best.is_none_or(|(before, _)| cost > before) {
                best = Some((cost, bytes));
            }
        }
        if let Some((_, bytes)) = best {
            let (file, json) = (run.out.join("input.json"), meter.json_of_bytes(bytes)?);
            let written = std::fs::create_dir_all(run.out).and_then(|()| std::fs::write(&file, json));
            written.map_err(|error| format!("{}: {error}", file.display()))?;
        }
        let remark = (!ran.status.success()).then(|| format!("the peer ended with {}", ran.status));
        Ok(Course::of(costs, remark))
    }
}

/// The newest clang by its usual names.
fn find_clang() -> Option<String> {
    let names = std::iter::once("clang".to_string()).chain((14..=23).rev().map(|version| format!("clang-{version}")));
    names.into_iter().find(|name| {
        let version = Command::new(name).arg("--version").stdin(Stdio::null()).output();
        version.is_ok_and(|ran| ran.status.success())
    })
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    Some(digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}

/// The program with a function that lays out its input from bytes and calls it.
fn driver_source(program: &Program, plan: &InputPlan) -> Result<String, String> {
    let (function, _) = program.call.split_once('(').ok_or("the call has no arguments")?;
    let (mut buffers, mut copies, mut arguments) = (String::new(), String::new(), Vec::new());
    let mut length = 0;
    for (number, argument) in plan.arguments.iter().enumerate() {
        let name = format!("peer_argument_{number}");
        match argument {
            Argument::Scalar(group) | Argument::Buffer(group) | Argument::Text(group) => {
                let kind = c_type(group)?;
                let (count, bytes) = (u64::from(group.count), group.kind.bytes());
                // One more: the NUL of a text, and something to point at where there are no elements.
                let _ = writeln!(buffers, "static {kind} {name}[{}];", count + 1);
                if let Some((low, high)) = bounds(group)? {
                    let signed = i32::from(group.kind.is_signed());
                    let _ = writeln!(
                        copies,
                        "    for (size_t i = 0; i < {count}; i++)\n        \
                         peer_bound(peer_input + {length} + i * {bytes}, {bytes}, {signed}, {low}, {high});"
                    );
                }
                let _ = writeln!(copies, "    memcpy({name}, peer_input + {length}, {});", count * bytes);
                let is_scalar = matches!(argument, Argument::Scalar(_));
                arguments.push(if is_scalar { format!("{name}[0]") } else { format!("PEER_POINTER({name})") });
                length += count * bytes;
            }
            Argument::Zeroed { kind, count } => {
                // Eight bytes for each element: a `long` is wider here than in WebAssembly.
                let _ = writeln!(buffers, "static uint64_t {name}[{}];", u64::from(*count) * kind.bytes() / 4 + 1);
                let _ = writeln!(copies, "    memset({name}, 0, sizeof {name});");
                arguments.push(format!("PEER_POINTER({name})"));
            }
            Argument::Returned(_) => return Err("the peer makes one call".to_string()),
            Argument::Structure(_) => return Err("the peer has no records and no arrays of arrays".to_string()),
            Argument::Constant(bytes) => {
                let list: Vec<String> = bytes.iter().chain(&[0]).map(u8::to_string).collect();
                let _ = writeln!(buffers, "static uint8_t {name}[] = {{{}}};", list.join(", "));
                arguments.push(format!("PEER_POINTER({name})"));
            }
            Argument::Function(name) => arguments.push(name.to_string()),
            Argument::Integer(value) => arguments.push(value.to_string()),
            Argument::Float(value) => arguments.push(value.to_string()),
        }
    }
    let source = program.file();
    Ok(format!(
        "#include \"{}\"\n{RUNTIME}\n{buffers}uint8_t peer_input[{}];\nsize_t peer_length = {length};\n\n\
         PEER int peer_run(const uint8_t *bytes, size_t count) {{\n    \
         memset(peer_counts, 0, peer_slots * sizeof peer_counts[0]);\n    \
         for (size_t i = 0; i < {length}; i++) peer_input[i] = i < count ? bytes[i] : 0;\n\
         {copies}    if (setjmp(peer_end)) return 0;\n    \
         /* Through a pointer that may change: a call whose result is not used would be left out. */\n    \
         __typeof__(&{function}) volatile peer_function = {function};\n    \
         peer_function({});\n    return 1;\n}}\n\n\
         #ifdef __cplusplus\n}}\n#endif\n",
        source.display(),
        length.max(1),
        arguments.join(", ")
    ))
}

fn c_type(group: &Group) -> Result<&'static str, String> {
    Ok(match group.kind.name() {
        "bool" | "u8" => "uint8_t",
        "i8" => "int8_t",
        "i16" => "int16_t",
        "u16" => "uint16_t",
        "i32" => "int32_t",
        "u32" => "uint32_t",
        "i64" => "int64_t",
        "u64" => "uint64_t",
        other => return Err(format!("the peer has no input of type {other}")),
    })
}

/// The ends of the range of a group, if it has one.
fn bounds(group: &Group) -> Result<Option<(i64, i64)>, String> {
    if group.pieces.is_some() || group.utf8 {
        return Err("the peer has no ranges with gaps".to_string());
    }
    match group.bounds {
        None => Ok(None),
        Some(Bounds::Signed { low, high }) => Ok(Some((low, high))),
        Some(Bounds::Unsigned { low, high }) => match (i64::try_from(low), i64::try_from(high)) {
            (Ok(low), Ok(high)) => Ok(Some((low, high))),
            _ => Err("the peer has no ranges beyond 63 bits".to_string()),
        },
        Some(Bounds::Float { .. }) => Err("the peer has no floating-point input".to_string()),
    }
}
