//! The imports of module `pessimum`, with which a program asks for its inputs, states what it assumes about them, reports
//! its own cost, says which part of its run counts and explains why it traps.

use std::sync::Arc;

use pessimum_term::VariableId;

use crate::host::{Caller, Interrupt, Outcome};
use crate::names::demangle;
use crate::shared_list::SharedList;
use pessimum_input::{GuestValue, Kind, MAX_VARIABLES};

/// The import module that this file provides.
pub const MODULE: &str = "pessimum";

/// Why a program that asks for its size traps if it has none.
pub const NO_SIZE: &str = "the program asks for its size, but none was given";

/// How often a program may ask for input: each answer is written down in results, as text of its own. Many bytes at once
/// are one question.
const MAX_QUESTIONS: usize = 1 << 15;

/// Name, parameters and results (`i` i32, `I` i64, `f` f32, `F` f64).
const SIGNATURES: &[(&str, &str, &str)] = &[
    ("size", "", "i"),
    ("i32", "", "i"),
    ("i64", "", "I"),
    ("f32", "", "f"),
    ("f64", "", "F"),
    ("bytes", "ii", ""),
    ("assume", "i", ""),
    ("cost", "I", ""),
    ("begin", "", ""),
    ("end", "", ""),
    ("message", "ii", ""),
    ("explains", "", "i"),
    ("exception", "ii", ""),
];

/// Bytes of a message that are kept.
const MAX_MESSAGE: u64 = 4096;

pub(crate) fn signature(name: &str) -> Option<(&'static str, &'static str, &'static str)> {
    SIGNATURES.iter().copied().find(|(known, _, _)| *known == name)
}

/// How many questions are shared as one.
const CHUNK: usize = 256;

/// What a program has asked for so far, which determines the number of the next variable.
#[derive(Clone, Debug)]
pub(crate) struct Guest {
    size: Option<u64>,
    next: u32,
    asked: SharedList<GuestValue, CHUNK>,
    /// What the program said about a trap that follows.
    message: Option<Arc<str>>,
    /// Whether this run is made for the message alone. In others, words with numbers of the input in them would cost
    /// instructions and, in a symbolic run, make a path for each digit.
    pub(crate) explains: bool,
}

impl Guest {
    /// `first` is the number of the first variable that the plan has not taken.
    pub(crate) fn new(size: Option<u64>, first: u32) -> Guest {
        Guest { size, next: first, asked: SharedList::default(), message: None, explains: false }
    }

    /// The number of variables, which is the number of the next one.
    pub(crate) fn variables(&self) -> usize {
        self.next as usize
    }

    /// Bytes that a fork may come to hold for itself alone.
    pub(crate) fn own_bytes(&self) -> u64 {
        self.asked.own_bytes()
    }

    /// What was asked for, in order.
    pub(crate) fn asked(&self) -> Vec<GuestValue> {
        self.asked.to_vec()
    }

    /// What the program said last to explain a trap that follows. Bytes that depend on the input appear as `?` (a concrete
    /// run has none).
    pub(crate) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    fn ask(&mut self, kind: Kind, bytes: Option<u32>) -> Result<u32, String> {
        let count = bytes.unwrap_or(1);
        if u64::from(self.next) + u64::from(count) > MAX_VARIABLES {
            return Err(format!("the program asked for more than {MAX_VARIABLES} inputs"));
        }
        if self.asked.len() >= MAX_QUESTIONS {
            let hint = "`pessimum.bytes` asks for many bytes at once";
            return Err(format!("the program asked for input more than {MAX_QUESTIONS} times; {hint}"));
        }
        let first = self.next;
        self.asked.push(GuestValue { first: VariableId(first), kind, bytes });
        self.next += count;
        Ok(first)
    }
}

/// Performs one call; `name` comes from [`signature`], and the arguments are of its types.
pub(crate) fn call<C: Caller>(
    guest: &mut Guest,
    caller: &mut C,
    name: &'static str,
    arguments: &[C::Value],
) -> Outcome<C::Value> {
    let kind = match name {
        "i32" => Kind::I32,
        "i64" => Kind::I64,
        "f32" => Kind::F32,
        "f64" => Kind::F64,
        "assume" => {
            return match caller.known(arguments[0]) {
                Some(0) | None => Outcome::Assume(arguments[0]),
                Some(_) => Outcome::Return(None),
            };
        }
        "size" => {
            return match guest.size {
                Some(size) if size <= u64::from(u32::MAX) => Outcome::Return(Some(size)),
                Some(_) => Outcome::Trap("the size does not fit in the i32 that `pessimum.size` returns".into()),
                None => Outcome::Trap(NO_SIZE.into()),
            };
        }
        "cost" => {
            return match caller.number(arguments[0], 64) {
                Ok(amount) if amount as i64 >= 0 => {
                    caller.add_cost(amount);
                    Outcome::Return(None)
                }
                Ok(amount) => Outcome::Trap(format!("the program reported the negative cost {}", amount as i64)),
                Err(interrupt) => interrupted(interrupt),
            };
        }
        "begin" => {
            caller.begin();
            return Outcome::Return(None);
        }
        "end" => {
            caller.end();
            return Outcome::Return(None);
        }
        "message" => return message(guest, caller, arguments),
        "explains" => return Outcome::Return(Some(guest.explains.into())),
        "exception" => return exception(guest, caller, arguments),
        _ => return bytes(guest, caller, arguments),
    };
    match guest.ask(kind, None) {
        Ok(variable) => Outcome::Value(caller.input(VariableId(variable), kind.width())),
        Err(message) => Outcome::Trap(message),
    }
}

fn bytes<C: Caller>(guest: &mut Guest, caller: &mut C, arguments: &[C::Value]) -> Outcome<C::Value> {
    let mut numbers = [0; 2];
    for (number, &argument) in numbers.iter_mut().zip(arguments) {
        match caller.number(argument, 32) {
            Ok(value) => *number = value,
            Err(interrupt) => return interrupted(interrupt),
        }
    }
    let [address, length] = numbers;
    let first = match guest.ask(Kind::U8, Some(length as u32)) {
        Ok(first) => first,
        Err(message) => return Outcome::Trap(message),
    };
    for i in 0..length {
        let value = caller.input(VariableId(first + i as u32), 8);
        if let Err(interrupt) = caller.store(address + i, value) {
            return interrupted(interrupt);
        }
    }
    Outcome::Return(None)
}

/// Keeps the text. It explains what the program does anyway, so nothing is decided for it: a text whose place or length
/// depends on the input is not kept.
fn message<C: Caller>(guest: &mut Guest, caller: &mut C, arguments: &[C::Value]) -> Outcome<C::Value> {
    let (Some(address), Some(length)) = (caller.known(arguments[0]), caller.known(arguments[1])) else {
        return Outcome::Return(None);
    };
    let mut bytes = Vec::new();
    for at in address..address + length.min(MAX_MESSAGE) {
        match caller.load(at) {
            Ok(byte) => bytes.push(caller.known(byte).map_or(b'?', |byte| byte as u8)),
            Err(_) => return Outcome::Trap("`pessimum.message` was given a range outside memory".into()),
        }
    }
    guest.message = Some(String::from_utf8_lossy(&bytes).into());
    Outcome::Return(None)
}

/// An exception of C++ was thrown: the name of its type in the form of the ABI, and what it says about itself or null. No type
/// means that the last one was caught.
fn exception<C: Caller>(guest: &mut Guest, caller: &mut C, arguments: &[C::Value]) -> Outcome<C::Value> {
    let mut text = |argument: C::Value| {
        let start = caller.known(argument).filter(|&address| address != 0)?;
        let byte = |at| caller.load(at).ok().and_then(|byte| caller.known(byte)).filter(|&byte| byte != 0);
        let bytes: Vec<u8> = (start..start + MAX_MESSAGE).map_while(byte).map(|byte| byte as u8).collect();
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let (kind, what) = (text(arguments[0]), text(arguments[1]));
    guest.message = kind.map(|kind| {
        let symbol = demangle(&format!("_ZTS{kind}"));
        let kind = symbol.strip_prefix("typeinfo name for ").unwrap_or(&kind);
        match what {
            Some(what) => format!("{kind}: {what}").into(),
            None => format!("exception of type {kind}").into(),
        }
    });
    Outcome::Return(None)
}

/// The most characters of a text that `env.abort` is given.
const MAX_ABORT: u64 = 1024;

/// `env.abort` of AssemblyScript: a message and a file name, as its strings (UTF-16, with the number of bytes before the
/// first one), line and column. The program ends for this reason.
pub(crate) fn abort<C: Caller>(caller: &mut C, arguments: &[C::Value]) -> Outcome<C::Value> {
    let mut known =
        arguments.iter().map(|&argument| caller.known(argument).unwrap_or(0)).collect::<Vec<u64>>().into_iter();
    let mut next = || known.next().unwrap_or(0);
    let (message, file, line, column) = (next(), next(), next(), next());
    let (message, file) = (utf16(caller, message), utf16(caller, file));
    let message = message.filter(|message| !message.is_empty()).unwrap_or("abort".to_string());
    Outcome::Trap(match file.filter(|file| !file.is_empty()) {
        Some(file) => format!("{message} ({file}:{line}:{column})"),
        None => message,
    })
}

/// A string of AssemblyScript; bytes that depend on the input are left out. None for no string.
fn utf16<C: Caller>(caller: &mut C, address: u64) -> Option<String> {
    let mut number = |address: u64, bytes: u64| {
        (0..bytes).try_fold(0, |number, i| {
            let byte = caller.load(address + i).ok()?;
            Some(number | caller.known(byte).unwrap_or(u64::from(b'?')) << (8 * i))
        })
    };
    let length = number(address.checked_sub(4)?, 4)? / 2;
    let units: Option<Vec<u16>> =
        (0..length.min(MAX_ABORT)).map(|i| number(address + 2 * i, 2).map(|unit| unit as u16)).collect();
    Some(String::from_utf16_lossy(&units?))
}

fn interrupted<V>(interrupt: Interrupt<V>) -> Outcome<V> {
    match interrupt {
        Interrupt::OutOfBounds => Outcome::Trap("`pessimum.bytes` was given a range outside memory".into()),
        Interrupt::NeedConcrete(value, width) => Outcome::NeedConcrete(value, width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_what_was_asked_and_go_their_own_ways() {
        let mut guest = Guest::new(None, 5);
        let mut forks = Vec::new();
        for question in 0..3 * CHUNK + 7 {
            if question % 100 == 0 || question % CHUNK < 2 {
                forks.push((question, guest.clone()));
            }
            let bytes = (question % 3 == 0).then_some(2);
            guest.ask(if bytes.is_some() { Kind::U8 } else { Kind::I64 }, bytes).unwrap();
        }
        let all = guest.asked();
        assert_eq!(all.len(), 3 * CHUNK + 7);
        assert_eq!((all[0].first, all[1].first, all[2].first), (VariableId(5), VariableId(7), VariableId(8)));
        for (at, mut fork) in forks {
            assert_eq!(fork.asked(), all[..at]);
            let next = fork.variables() as u32;
            for _ in 0..CHUNK {
                fork.ask(Kind::F32, None).unwrap();
            }
            assert_eq!(fork.asked()[..at], all[..at]);
            let own = fork.asked();
            assert_eq!((own.len(), own[at].kind, own[at].first), (at + CHUNK, Kind::F32, VariableId(next)));
        }
        assert_eq!(guest.asked(), all);
    }
}
