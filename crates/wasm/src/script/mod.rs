//! Scripts in the standard form (`.wast`) whose module counts its own cost, so that any engine that runs such scripts can
//! check what an input costs.
//!
//! Every straight-line piece of code starts by adding its cost to a global variable ([`counting`]). An added function
//! puts the input into memory as a [`Subject`] does, calls the function and returns the global ([`entry`]). Engines
//! provide different hosts, so imported functions are replaced by ones that trap, except those of module `pessimum` that
//! ask for no input. A run that needs them cannot be written as a script, which is detected when the script
//! is made.

mod counting;
mod entry;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use pessimum_outcome::{End, Trap};
use pessimum_term::Witness;
use wasmparser::Operator;

use crate::{
    ExternType, FunctionType, Import, Limits, LoadError, LoadSettings, Module, Ran, Start, Subject, SubjectError,
    ValueType, World,
};
use counting::{Imports, Sections};
use pessimum_input::{InputPlan, Kind, Number, Signature};

/// The function that is added to the module.
const ENTRY: &str = "worst-case";

/// The function that is added to the module of a suite.
const INPUT: &str = "input";

/// Why a run cannot be written as a script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The module's bytes cannot be read.
    #[error(transparent)]
    Damaged(#[from] wasmparser::BinaryReaderError),
    /// The module does not export the function.
    #[error("no function `{0}`")]
    NoFunction(String),
    /// An argument points to a function that the module itself never points to.
    #[error("`{0}` is not in the module's table of functions, where a script cannot put it")]
    NotInTable(String),
    /// An import that is not a function.
    #[error("the module imports {0}, which a script cannot provide")]
    Import(String),
    /// Pieces of code that an exception may leave in the middle cannot count where they start.
    #[error("the module throws or catches exceptions, and a script can count only programs without them")]
    Exceptions,
    /// A parameter for which no value can be passed.
    #[error("a parameter of the type {0} cannot be passed by a script")]
    Parameter(ValueType),
    /// The run does not return; the text says how it ends instead.
    #[error("the run on this input does not return ({0}), which a script requires")]
    NoReturn(String),
    /// The program takes its arguments' place for its own, and then runs otherwise.
    #[error(
        "a script has to put the arguments at the end of the module's memory, where this one overwrites them; let it \
         export an allocator (`malloc`)"
    )]
    Overwritten,
    /// The counting module was refused, which is a bug in Pessimum.
    #[error("the counting module cannot be loaded; this is a bug in Pessimum")]
    Refused(#[from] LoadError),
    /// The counting module could not be run, which is a bug in Pessimum.
    #[error("the counting module cannot be run; this is a bug in Pessimum")]
    NotRun(#[from] SubjectError),
    /// The module's count differs from the machine's, which is a bug in Pessimum.
    #[error("the counting module counts {counted}, not {expected}; this is a bug in Pessimum")]
    OtherCost {
        /// By the module.
        counted: u64,
        /// By the machine.
        expected: u64,
    },
}

/// What a script can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Executed instructions; `block`, `loop`, `end`, `else` and `nop` are free, and moves cost what they move.
    Instructions,
    /// Executed `if`, `br_if` and `br_table`.
    Branches,
    /// Calls.
    Calls,
}

impl Counted {
    /// The price of one execution.
    fn price(self, operator: &Operator<'_>) -> u64 {
        use Operator as O;
        u64::from(match self {
            Counted::Instructions => !matches!(operator, O::Block { .. } | O::Loop { .. } | O::End | O::Else | O::Nop),
            Counted::Branches => matches!(operator, O::If { .. } | O::BrIf { .. } | O::BrTable { .. }),
            Counted::Calls => matches!(operator, O::Call { .. } | O::CallIndirect { .. }),
        })
    }

    /// The value of the counter before the call: the first call is made from outside.
    fn before(self) -> u64 {
        u64::from(self == Counted::Calls)
    }
}

/// The comment at the start of a script. `arguments` say what was run.
pub fn head(arguments: &[String], counted: Counted) -> String {
    let what = match counted {
        Counted::Instructions => "executed instructions (block, loop, end, else and nop are free)",
        Counted::Branches => "executed if, br_if and br_table",
        Counted::Calls => "calls",
    };
    format!(
        ";; Written by Pessimum: the worst known inputs of {}\n;; and what they cost, counted in {what}.\n;;\n;; Each module \
         is the original with a counter; `{ENTRY}` puts the input in place, calls the function and\n;; returns the \
         count. Imported functions other than those of `pessimum` trap: this run needs none.\n",
        arguments.join(" ").replace(['\n', '\r'], " ")
    )
}

/// One input of a subject that calls `function`: the module that counts, and the assertion that the input costs `cost`.
/// The module is run once before it is written.
pub fn case(
    module: &[u8],
    subject: &Subject,
    function: &str,
    witness: &Witness,
    counted: Counted,
    cost: u64,
) -> Result<String, ScriptError> {
    let mut text = stubs(subject)?;
    if !subject.module().tags.is_empty() {
        return Err(ScriptError::Exceptions);
    }
    let sections = Sections::read(module)?;
    let entry = entry::entry(subject, function, witness, Some((sections.counters(), counted.before())))?;
    let added = (ENTRY, &entry, &[ValueType::I64][..]);
    verify(&sections.with_entry(added, Some(counted), Imports::Renamed)?, subject, cost).map_err(
        |error| match error {
            ScriptError::OtherCost { .. } if subject.has_buffers_apart() => ScriptError::Overwritten,
            error => error,
        },
    )?;
    text += &binary(&sections.with_entry(added, Some(counted), Imports::Kept)?);
    let _ = write!(text, "\n(assert_return (invoke \"{ENTRY}\") (i64.const {cost}))\n");
    Ok(text)
}

/// The comment at the start of a script of a suite. `arguments` say what was run.
pub fn suite_head(arguments: &[String]) -> String {
    format!(
        ";; Written by Pessimum: inputs that cover {}\n;; and what they return.\n;;\n;; Each module is the original with a \
         function `{INPUT}` that puts the input in place and calls the function.\n;; Imported functions other than those \
         of `pessimum` trap: these runs need none.\n",
        arguments.join(" ").replace(['\n', '\r'], " ")
    )
}

/// One input of a suite: the module, and the assertion that the call returns what it does, or traps. The module is run
/// once before it is written.
pub fn suite_case(module: &[u8], subject: &Subject, function: &str, witness: &Witness) -> Result<String, ScriptError> {
    let expected = subject.run_concrete(witness.clone())?;
    let mut text = stubs(subject)?;
    let sections = Sections::read(module)?;
    let entry = entry::entry(subject, function, witness, None)?;
    let (_, ty) =
        entry::exported(subject.module(), function).ok_or_else(|| ScriptError::NoFunction(function.to_string()))?;
    let added = (INPUT, &entry, &ty.results[..]);
    let again = run_alone(&sections.with_entry(added, None, Imports::Renamed)?, INPUT, subject)?;
    if (again.end.kind(), &again.results) != (expected.end.kind(), &expected.results) {
        if subject.has_buffers_apart() {
            return Err(ScriptError::Overwritten);
        }
        return Err(ScriptError::NoReturn(again.end.to_string()));
    }
    text += &binary(&sections.with_entry(added, None, Imports::Kept)?);
    match expected.end.kind() {
        End::Returned => {
            let values: String = expected.results.iter().map(|number| format!(" {}", constant(*number))).collect();
            let _ = write!(text, "\n(assert_return (invoke \"{INPUT}\"){values})\n");
        }
        End::Trapped(Trap::UncaughtException) => {
            let _ = write!(text, "\n(assert_exception (invoke \"{INPUT}\"))\n");
        }
        End::Trapped(trap) => {
            let _ = write!(text, "\n(assert_trap (invoke \"{INPUT}\") {})\n", quoted(trap.name()));
        }
        end => return Err(ScriptError::NoReturn(end.to_string())),
    }
    Ok(text)
}

/// A number as a constant of a script. Engines may give a NaN other bits.
fn constant(number: Number) -> String {
    let float = |value: f64, bits: String| if value.is_nan() { "nan:arithmetic".to_string() } else { bits };
    match number.kind {
        Kind::F32 => {
            let value = f32::from_bits(number.bits as u32);
            format!("(f32.const {})", float(f64::from(value), hexadecimal(f64::from(value))))
        }
        Kind::F64 => {
            let value = f64::from_bits(number.bits);
            format!("(f64.const {})", float(value, hexadecimal(value)))
        }
        kind if kind.width() == 64 => format!("(i64.const {})", number.bits as i64),
        _ => format!("(i32.const {})", number.bits as u32 as i32),
    }
}

/// A number that is not NaN, exactly.
fn hexadecimal(value: f64) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{sign}inf");
    }
    let (fraction, exponent) = (value.to_bits() & ((1 << 52) - 1), (value.to_bits() >> 52) & 0x7ff);
    match (fraction, exponent) {
        (0, 0) => format!("{sign}0x0p+0"),
        (_, 0) => format!("{sign}0x0.{fraction:013x}p-1022"),
        _ => format!("{sign}0x1.{fraction:013x}p{:+}", exponent as i64 - 1023),
    }
}

/// A module in a script.
fn binary(bytes: &[u8]) -> String {
    let mut text = "\n(module binary".to_string();
    for piece in bytes.chunks(32) {
        text += "\n  \"";
        for byte in piece {
            let _ = write!(text, "\\{byte:02x}");
        }
        text.push('"');
    }
    text + ")\n"
}

/// Runs the module that the script holds, without providing its imports.
fn run_alone(binary: &[u8], function: &str, subject: &Subject) -> Result<Ran, ScriptError> {
    let module = Module::load(binary, &LoadSettings::default())?;
    let name = format!("\"{function}\"()");
    let start = Start::Call(Signature::parse(&name).map_err(|error| ScriptError::NoReturn(error.to_string()))?);
    let world = World { plan: InputPlan::new(subject.plan().size), program: String::new(), environment: Vec::new() };
    let limits = with_counters(subject.limits(), binary.len());
    Ok(Subject::new(Arc::new(module), start, world, limits)?.run_concrete(Witness::default())?)
}

/// Checks that the module counts what the machine does.
fn verify(binary: &[u8], subject: &Subject, cost: u64) -> Result<(), ScriptError> {
    let ran = run_alone(binary, ENTRY, subject)?;
    match ran.results.first().map(|number| number.bits) {
        Some(counted) if counted == cost => Ok(()),
        Some(counted) => Err(ScriptError::OtherCost { counted, expected: cost }),
        None => Err(ScriptError::NoReturn(ran.end.to_string())),
    }
}

/// Limits of a subject for its counting module, which executes at most 23 more instructions for each one of the original
/// (four, except where bytes are moved), and before the call less than one for each byte of the module.
fn with_counters(limits: Limits, bytes: usize) -> Limits {
    let instructions = limits.instructions.saturating_mul(24).saturating_add(bytes as u64);
    // One more frame, for the added function.
    Limits { instructions, call_depth: limits.call_depth.saturating_add(1), ..limits }
}

/// Modules that stand in for the imported ones.
fn stubs(subject: &Subject) -> Result<String, ScriptError> {
    let mut modules: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for Import { module, name, ty } in subject.module().imports() {
        let ExternType::Function(ty) = ty else {
            return Err(ScriptError::Import(format!("{module}.{name}, {ty}")));
        };
        let body = match (module.as_str(), name.as_str()) {
            ("pessimum", "cost" | "begin" | "end" | "message" | "exception") => String::new(),
            ("pessimum", "explains") => " i32.const 0".to_string(),
            ("pessimum", "assume") => " local.get 0 i32.eqz if unreachable end".to_string(),
            ("pessimum", "size") => format!(" i32.const {}", subject.plan().size.unwrap_or(0)),
            _ => " unreachable".to_string(),
        };
        modules.entry(module).or_default().insert(name, format!("{}{body}", types(ty)));
    }
    let mut text = String::new();
    for (number, (module, functions)) in modules.iter().enumerate() {
        let _ = write!(text, "\n(module $import{number}");
        for (name, rest) in functions {
            let _ = write!(text, "\n  (func (export {}){rest})", quoted(name));
        }
        let _ = write!(text, ")\n(register {} $import{number})\n", quoted(module));
    }
    Ok(text)
}

fn types(ty: &FunctionType) -> String {
    let list = |word: &str, types: &[ValueType]| match types {
        [] => String::new(),
        types => format!(" ({word}{})", types.iter().map(|ty| format!(" {ty}")).collect::<String>()),
    };
    list("param", &ty.params) + &list("result", &ty.results)
}

fn quoted(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    let bytes = text.bytes().map(|byte| if plain(byte) { (byte as char).to_string() } else { format!("\\{byte:02x}") });
    format!("\"{}\"", bytes.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_exact() {
        let of = |kind, bits| constant(Number { kind, bits });
        assert_eq!(of(Kind::I32, 0xffff_ffff), "(i32.const -1)");
        assert_eq!(of(Kind::I64, u64::MAX), "(i64.const -1)");
        assert_eq!(of(Kind::F64, 1.5f64.to_bits()), "(f64.const 0x1.8000000000000p+0)");
        assert_eq!(of(Kind::F64, (-0.0f64).to_bits()), "(f64.const -0x0p+0)");
        assert_eq!(of(Kind::F64, 1), "(f64.const 0x0.0000000000001p-1022)");
        assert_eq!(of(Kind::F32, u64::from(f32::INFINITY.to_bits())), "(f32.const inf)");
        assert_eq!(of(Kind::F32, u64::from(f32::NAN.to_bits())), "(f32.const nan:arithmetic)");
    }
}
