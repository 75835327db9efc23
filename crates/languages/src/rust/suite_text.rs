//! Tests in Rust: functions that call the user's crate as its users do.
//!
//! What a test expects comes from running it on this machine, not in WebAssembly, where `usize` has 32 bits and arithmetic
//! wraps: a *probe* makes the same calls and prints what they return.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::looks::literal;
use crate::calling::{Access, Callee, Looks, Output, Passed, RustCall, Wrapped};
use crate::values::{Scalar, datum, written};

/// So many elements of an iterator are compared.
const LOOKED_AT: usize = 64;

/// Where a probe prints how many elements it found.
const COUNT: usize = 999;

/// A call with everything that it is passed.
pub struct Call<'a> {
    /// How it is written.
    pub how: &'a RustCall,
    /// For each handle that it wants, in order: the index of the earlier call that returned it.
    pub handles: Vec<usize>,
    /// The numbers of its other arguments, in order.
    pub numbers: Vec<Vec<Scalar>>,
    /// What it returned, where it did.
    pub returned: Option<u64>,
}

/// A test: what it does, call by call.
pub struct Body {
    /// Lines that make what handles borrow from.
    lent: Vec<String>,
    steps: Vec<Step>,
    /// The last step does not return.
    pub panics: bool,
}

struct Step {
    /// Its place among the calls.
    call: usize,
    /// What has to be there before.
    before: Vec<String>,
    expression: String,
    then: Then,
    /// Variables that it may change.
    changed: Vec<(String, Looks)>,
}

/// What is done with what a call returns.
enum Then {
    Nothing,
    /// Later calls use it: the variable, whether it is changed, and how it is taken out of what it is wrapped in.
    Keep(Option<(String, bool)>, Option<(Wrapped, &'static str)>),
    /// There is nothing in it, or an error that looks like this.
    Missing(Wrapped, Looks),
    Compare(Looks),
    Iterate(Looks),
}

/// What a probe printed: texts by call and place.
pub type Printed = BTreeMap<(usize, usize), String>;

/// The names that texts use for what is in the user's crate.
pub struct Names {
    crate_name: String,
    /// The crate has to be named before it can be used, as in the first edition of Rust.
    declared: bool,
    /// Imported types, with their whole paths.
    imports: BTreeMap<String, String>,
}

impl Names {
    /// For a crate of this name, and tests in this edition.
    pub fn new(crate_name: &str, edition: &str) -> Names {
        Names { crate_name: crate_name.to_string(), declared: edition == "2015", imports: BTreeMap::new() }
    }

    /// Shortens the paths in a text: types of the user's crate are imported, those that everybody knows need not be.
    fn shorten(&mut self, text: &str) -> String {
        let (mut result, mut rest) = (String::new(), text);
        while let Some(at) = rest.find("::") {
            let starts = !rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '>');
            let after = &rest[at + 2..];
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let path = match starts && after.starts_with(is_part) {
                true => segments(after),
                false => Vec::new(),
            };
            result += &rest[..at];
            if path.is_empty() {
                result += "::";
                rest = after;
                continue;
            }
            rest = &after[path.iter().map(|part| part.len()).sum::<usize>() + 2 * (path.len() - 1)..];
            result += &self.path(&path);
        }
        result + rest
    }

    fn path(&mut self, path: &[&str]) -> String {
        const KNOWN: [&str; 5] = ["Vec", "String", "Box", "Option", "Result"];
        let (first, inside) = (path[0], &path[1..]);
        let ty = inside.iter().position(|part| part.starts_with(char::is_uppercase));
        match (first, ty) {
            ("subject", None) => format!("{}::{}", self.crate_name, inside.join("::")),
            ("subject", Some(ty)) => {
                let whole = format!("{}::{}", self.crate_name, inside[..=ty].join("::"));
                let short = inside[ty].to_string();
                let is_free = self.imports.get(&short).is_none_or(|known| *known == whole);
                if !is_free || KNOWN.contains(&short.as_str()) {
                    return format!("{}::{}", self.crate_name, inside.join("::"));
                }
                self.imports.insert(short, whole);
                inside[ty..].join("::")
            }
            ("std" | "core" | "alloc", Some(ty)) if KNOWN.contains(&inside[ty]) => inside[ty..].join("::"),
            ("core" | "alloc", _) => format!("std::{}", inside.join("::")),
            _ => path.join("::"),
        }
    }

    /// The lines that import what these texts use.
    fn imports(&self, texts: &[String]) -> String {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let uses = |text: &String, name: &str| {
            text.match_indices(name).any(|(at, _)| {
                !text[..at].ends_with(|c| is_part(c) || c == ':') && !text[at + name.len()..].starts_with(is_part)
            })
        };
        let used = self.imports.iter().filter(|(name, _)| texts.iter().any(|text| uses(text, name)));
        let mut paths: Vec<&String> = used.map(|(_, path)| path).collect();
        paths.sort_unstable();
        let declared = if self.declared { format!("extern crate {};\n\n", self.crate_name) } else { String::new() };
        declared + &paths.iter().map(|path| format!("use {path};\n")).collect::<String>()
    }
}

/// The names of a path at the start of a text.
fn segments(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    loop {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if end == 0 {
            return found;
        }
        found.push(&rest[..end]);
        // What stands in angle brackets is no name.
        match rest[end..].strip_prefix("::").filter(|after| after.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        {
            Some(after) => rest = after,
            None => return found,
        }
    }
}

impl Body {
    /// Writes the calls of a test, of which the last does not return if it `panics`; `None` where one of them cannot be written.
    /// Calls that were passed no value, or one value twice where only one way to it may exist, were never made.
    pub fn new(calls: &[Call<'_>], panics: bool, names: &mut Names) -> Option<Body> {
        let made = made(calls);
        let used = |call: usize| calls.iter().enumerate().any(|(at, later)| made[at] && later.handles.contains(&call));
        let changed = |call: usize| {
            calls.iter().enumerate().filter(|(at, _)| made[*at]).any(|(_, later)| {
                let accesses = later.how.passed.iter().filter_map(|passed| match passed {
                    Passed::Handle(access) => Some(*access),
                    Passed::Value { .. } => None,
                });
                later.handles.iter().zip(accesses).any(|(handle, access)| *handle == call && access == Access::Mutable)
            })
        };
        let mut variables: BTreeMap<usize, String> = BTreeMap::new();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut variable = |name: &str| {
            let numbered = (2..).map(|number| format!("{name}{number}"));
            let free = std::iter::once(name.to_string()).chain(numbered).find(|name| taken.insert(name.clone()));
            free.unwrap_or_default()
        };
        let (mut steps, mut lent) = (Vec::new(), Vec::new());
        for (at, call) in calls.iter().enumerate().filter(|(at, _)| made[*at]) {
            let (mut handles, mut numbers) = (call.handles.iter(), call.numbers.iter().map(Vec::as_slice));
            let (mut before, mut arguments, mut looked_at) = (Vec::new(), Vec::new(), Vec::new());
            for passed in &call.how.passed {
                match passed {
                    Passed::Handle(access) => {
                        let name = variables.get(handles.next()?)?;
                        arguments.push((*access, name.clone()));
                    }
                    Passed::Value { outline, form, changed } => {
                        let datum = datum(outline, &mut numbers)?;
                        let text = written(form, &datum, &mut |text| names.shorten(text))?;
                        match (changed, text.strip_prefix("&mut ")) {
                            (Some(looks), Some(value)) => {
                                let name = variable("values");
                                // A literal cannot be changed.
                                let owned = if value.starts_with('"') { ".to_string()" } else { "" };
                                before.push(format!("let mut {name} = {value}{owned};"));
                                arguments.push((Access::Taken, format!("&mut {name}")));
                                looked_at.push((name, looks.clone()));
                            }
                            _ if call.how.lends && text.starts_with('&') => {
                                let name = variable("lent");
                                lent.push(format!("let {name} = {};", &text[1..]));
                                arguments.push((Access::Shared, name));
                            }
                            _ => arguments.push((Access::Taken, text)),
                        }
                    }
                }
            }
            let passed = |from: usize| {
                let texts = arguments[from..].iter().map(|(access, text)| match access {
                    Access::Shared => format!("&{text}"),
                    Access::Mutable => format!("&mut {text}"),
                    Access::Taken => text.clone(),
                });
                texts.collect::<Vec<_>>().join(", ")
            };
            let expression = match &call.how.callee {
                Callee::Method(name) => {
                    format!("{}.{}({})", arguments.first()?.1, names.shorten(name), passed(1))
                }
                Callee::Path(path) => format!("{}({})", names.shorten(path), passed(0)),
                Callee::Format(format) => format!("format!({format:?}, {})", arguments.first()?.1),
            };
            let expression = if call.how.is_unsafe { format!("unsafe {{ {expression} }}") } else { expression };
            let is_last = panics && at + 1 == calls.len();
            let then = match &call.how.output {
                _ if is_last => Then::Nothing,
                Output::Nothing => Then::Nothing,
                Output::Handle { name, wrapped, error } => match (wrapped, call.returned) {
                    (Some(wrapped), Some(0)) => Then::Missing(*wrapped, Looks::Option(Box::new(error.clone()))),
                    _ => {
                        let kept = used(at).then(|| (variable(name), changed(at)));
                        if let Some((name, _)) = &kept {
                            variables.insert(at, name.clone());
                        }
                        let unwrap = match error {
                            // Not every error can be printed.
                            Looks::Debug if *wrapped == Some(Wrapped::Result) => ".ok().unwrap()",
                            _ => ".unwrap()",
                        };
                        Then::Keep(kept, wrapped.map(|wrapped| (wrapped, unwrap)))
                    }
                },
                Output::Value(looks) => Then::Compare(looks.clone()),
                Output::Iterator(of) => Then::Iterate(Looks::List("vec!".to_string(), Box::new(of.clone()))),
            };
            let changed = if is_last { Vec::new() } else { looked_at };
            steps.push(Step { call: at, before, expression, then, changed });
        }
        Some(Body { lent, steps, panics })
    }

    /// The place of its last call.
    pub fn last_call(&self) -> Option<usize> {
        self.steps.last().map(|step| step.call)
    }

    /// What the probe does.
    fn probe(&self) -> String {
        let mut text: String = self.lent.iter().map(|line| format!("    {line}\n")).collect();
        for step in &self.steps {
            let (call, expression) = (step.call, &step.expression);
            step.before.iter().for_each(|line| text += &format!("    {line}\n"));
            text += &format!("    pessimum::call({call});\n");
            text += &match &step.then {
                Then::Nothing => format!("    let _ = {expression};\n"),
                Then::Keep(..) | Then::Missing(Wrapped::Option, _) => step.kept(),
                Then::Missing(Wrapped::Result, _) => shown(call, 0, &format!("{expression}.err()")),
                Then::Compare(_) => shown(call, 0, expression),
                Then::Iterate(_) => format!(
                    "    let all = {};\n{}    pessimum::show({call}, COUNT, Some(all.len().to_string()));\n",
                    collected(expression, LOOKED_AT),
                    shown(call, 0, "all")
                ),
            };
            for (place, (name, _)) in step.changed.iter().enumerate() {
                text += &shown(call, place + 1, name);
            }
        }
        text
    }

    /// What the test does, with what the probe printed. `plain` compares texts only.
    fn test(&self, printed: &Printed, plain: bool, names: &mut Names) -> String {
        let mut text: String = self.lent.iter().map(|line| format!("    {line}\n")).collect();
        for step in &self.steps {
            step.before.iter().for_each(|line| text += &format!("    {line}\n"));
            let expected = |place: usize| printed.get(&(step.call, place));
            let expression = &step.expression;
            text += &match (&step.then, expected(0)) {
                (Then::Nothing, _) if self.panics && Some(step.call) == self.last_call() => {
                    format!("    let _ = {expression};\n")
                }
                (Then::Nothing, _) => format!("    {expression};\n"),
                (Then::Missing(Wrapped::Result, looks), Some(printed)) if printed != "None" => {
                    compared(&format!("{expression}.err()"), looks, printed, plain, names)
                }
                (Then::Keep(..) | Then::Missing(..), _) => step.kept(),
                (Then::Compare(_) | Then::Iterate(_), None) => format!("    let _ = {expression};\n"),
                (Then::Compare(looks), Some(printed)) => compared(expression, looks, printed, plain, names),
                (Then::Iterate(looks), Some(printed)) => {
                    let count = expected(COUNT).and_then(|count| count.parse().ok()).unwrap_or(LOOKED_AT);
                    match count {
                        0 => format!("    assert_eq!({expression}.count(), 0);\n"),
                        count => compared(&collected(expression, count), looks, printed, plain, names),
                    }
                }
            };
            for (place, (name, looks)) in step.changed.iter().enumerate() {
                if let Some(printed) = expected(place + 1) {
                    text += &compared(name, looks, printed, plain, names);
                }
            }
        }
        text
    }
}

impl Step {
    /// The line that keeps what a call returns, or says that it returns nothing.
    fn kept(&self) -> String {
        let expression = &self.expression;
        match &self.then {
            Then::Keep(Some((name, is_changed)), wrapped) => {
                let mutable = if *is_changed { "mut " } else { "" };
                let unwrap = wrapped.map_or("", |(_, unwrap)| unwrap);
                format!("    let {mutable}{name} = {expression}{unwrap};\n")
            }
            Then::Keep(None, None) => format!("    let _ = {expression};\n"),
            Then::Keep(None, Some((Wrapped::Option, _))) => format!("    assert!({expression}.is_some());\n"),
            Then::Keep(None, Some((Wrapped::Result, _))) => format!("    assert!({expression}.is_ok());\n"),
            Then::Missing(Wrapped::Option, _) => format!("    assert!({expression}.is_none());\n"),
            Then::Missing(Wrapped::Result, _) => format!("    assert!({expression}.is_err());\n"),
            Then::Nothing | Then::Compare(_) | Then::Iterate(_) => format!("    {expression};\n"),
        }
    }
}

/// Which calls were made: those that got a value for each of their handles, and no value twice where that is not allowed.
fn made(calls: &[Call<'_>]) -> Vec<bool> {
    let (mut made, mut exists) = (Vec::new(), Vec::new());
    for call in calls {
        let accesses = call.how.passed.iter().filter_map(|passed| match passed {
            Passed::Handle(access) => Some(*access),
            Passed::Value { .. } => None,
        });
        let pairs: Vec<(usize, Access)> = call.handles.iter().copied().zip(accesses).collect();
        let twice = pairs.iter().enumerate().any(|(at, (handle, access))| {
            pairs[..at]
                .iter()
                .any(|(other, also)| handle == other && (*access != Access::Shared || *also != Access::Shared))
        });
        let is_made = !twice && call.handles.iter().all(|handle| exists.get(*handle) == Some(&true));
        made.push(is_made);
        exists.push(is_made && call.returned != Some(0));
    }
    made
}

/// The line of a probe that prints a value.
fn shown(call: usize, place: usize, expression: &str) -> String {
    format!("    pessimum::show({call}, {place}, (&&pessimum::Shown(&{expression})).text());\n")
}

/// The first elements of an iterator, which may be all: it has that many.
fn collected(expression: &str, count: usize) -> String {
    let taken = if count < LOOKED_AT { String::new() } else { format!(".take({LOOKED_AT})") };
    format!("{expression}{taken}.collect::<Vec<_>>()")
}

/// An assertion.
fn compared(expression: &str, looks: &Looks, printed: &str, plain: bool, names: &mut Names) -> String {
    let known = literal(looks, printed, &mut |path| names.shorten(path)).filter(|_| !plain);
    match (known.as_deref(), looks) {
        (Some("true"), _) => format!("    assert!({expression});\n"),
        (Some("false"), _) => format!("    assert!(!{expression});\n"),
        // A text on the heap can be compared with one that is not.
        (Some(text), Looks::Text(true)) => {
            format!("    assert_eq!({expression}, {});\n", text.trim_end_matches(".to_string()"))
        }
        (Some(text), _) => format!("    assert_eq!({expression}, {text});\n"),
        (None, Looks::List(..)) if printed == "[]" => format!("    assert!({expression}.is_empty());\n"),
        (None, Looks::Float(_)) if printed == "NaN" => format!("    assert!({expression}.is_nan());\n"),
        (None, _) => format!("    assert_eq!(format!(\"{{:?}}\", {expression}), {printed:?});\n"),
    }
}

/// What a probe needs to print values, also those that cannot be printed.
const PROBE: &str = r#"
const COUNT: usize = 999;

mod pessimum {
    pub struct Shown<'a, T: ?Sized>(pub &'a T);
    pub trait Printable {
        fn text(&self) -> Option<String>;
    }
    pub trait Unprintable {
        fn text(&self) -> Option<String>;
    }
    impl<T: std::fmt::Debug + ?Sized> Printable for &Shown<'_, T> {
        fn text(&self) -> Option<String> {
            Some(format!("{:?}", self.0))
        }
    }
    impl<T: ?Sized> Unprintable for Shown<'_, T> {
        fn text(&self) -> Option<String> {
            None
        }
    }
    pub fn call(call: usize) {
        println!("pessimum call {call}");
    }
    pub fn show(call: usize, place: usize, text: Option<String>) {
        if let Some(text) = text {
            let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
            println!("pessimum show {call} {place} {digits}.");
        }
    }
}
#[allow(unused_imports)]
use pessimum::{Printable as _, Unprintable as _};

fn main() {
    let test = std::env::args().nth(1).and_then(|test| test.parse().ok()).unwrap_or(usize::MAX);
    TESTS[test]();
    println!("pessimum end");
}
"#;

/// A file, with the lines in which each test is.
pub struct Written {
    pub text: String,
    /// First and last line of each test, from 1, by its number.
    pub lines: Vec<(usize, (usize, usize))>,
}

impl Written {
    /// Adds the text of a test.
    fn add(&mut self, number: usize, text: &str) {
        let first = 1 + self.text.lines().count();
        self.text += text;
        self.lines.push((number, (first, self.text.lines().count())));
    }

    /// The tests that are in these lines.
    pub fn tests_at(&self, lines: &[usize]) -> BTreeSet<usize> {
        let is_there = |(first, last): &(usize, usize)| lines.iter().any(|line| (first..=last).contains(&line));
        self.lines.iter().filter(|(_, lines)| is_there(lines)).map(|(number, _)| *number).collect()
    }
}

/// The program that makes the calls of tests, one test at a time, and prints what comes back.
pub fn probe<'b>(bodies: impl Iterator<Item = (usize, &'b Body)>, names: &Names) -> Written {
    let bodies: Vec<(usize, String)> = bodies.map(|(number, body)| (number, body.probe())).collect();
    let texts: Vec<String> = bodies.iter().map(|(_, text)| text.clone()).collect();
    let head = format!("#![allow(warnings)]\n{}", names.imports(&texts));
    let mut written = Written { text: head, lines: Vec::new() };
    for (number, text) in &bodies {
        written.add(*number, &format!("fn test_{number}() {{\n{text}}}\n"));
    }
    let last = bodies.iter().map(|(number, _)| number + 1).max().unwrap_or(0);
    let functions: Vec<String> = (0..last)
        .map(|number| match bodies.iter().any(|(known, _)| *known == number) {
            true => format!("test_{number}"),
            false => "none".to_string(),
        })
        .collect();
    let _ = write!(written.text, "fn none() {{}}\nconst TESTS: [fn(); {last}] = [{}];\n{PROBE}", functions.join(", "));
    written
}

/// A test of the file that is handed out.
pub struct Finished<'b> {
    /// Its number, by which it is left out again.
    pub number: usize,
    /// The name of its function.
    pub name: &'b str,
    /// What it is about, one line each.
    pub remarks: &'b [String],
    pub body: &'b Body,
    pub printed: &'b Printed,
    /// Only texts are compared.
    pub plain: bool,
}

/// The file with the tests. `head` is the text before them, in comments already.
pub fn suite(head: &str, tests: &[Finished<'_>], names: &mut Names) -> Written {
    let bodies: Vec<String> = tests.iter().map(|test| test.body.test(test.printed, test.plain, names)).collect();
    let imports = names.imports(&bodies);
    let gap = if imports.is_empty() { "" } else { "\n" };
    let mut written = Written { text: format!("{head}\n{imports}{gap}"), lines: Vec::new() };
    for (at, (test, body)) in tests.iter().zip(&bodies).enumerate() {
        let gap = if at > 0 { "\n" } else { "" };
        let remarks: String = test.remarks.iter().map(|line| format!("/// {line}\n")).collect();
        let panics = if test.body.panics { "#[should_panic]\n" } else { "" };
        let text = format!("{gap}{remarks}#[test]\n{panics}fn {}() {{\n{body}}}\n", test.name);
        written.add(test.number, &text);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shortened() {
        let mut names = Names::new("shop", "2021");
        let mut short = |text: &str| names.shorten(text);
        assert_eq!(short("::subject::ring::Ring::<u32>::new"), "Ring::<u32>::new");
        assert_eq!(short("::subject::other::Ring::new(@0@)"), "shop::other::Ring::new(@0@)", "the name is taken");
        assert_eq!(short("::subject::ring::Error::Full(@0@)"), "Error::Full(@0@)");
        assert_eq!(short("::subject::ring::sort"), "shop::ring::sort");
        assert_eq!(short("::std::vec::Vec::<::subject::ring::Ring>::new()"), "Vec::<Ring>::new()");
        assert_eq!(short("<u32 as ::core::default::Default>::default()"), "<u32 as std::default::Default>::default()");
        assert_eq!(short("::std::collections::BTreeMap::<u8, u8>"), "std::collections::BTreeMap::<u8, u8>");
        assert_eq!(short("Some(@0@)"), "Some(@0@)");
        assert_eq!(names.imports(&["let ring = Ring::new(); // Errors".to_string()]), "use shop::ring::Ring;\n");
    }
}
