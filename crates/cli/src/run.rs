//! `pessimum run`: one concrete run.

use std::io::IsTerminal as _;

use anyhow::{Context, Result, bail};
use pessimum_input::{Argument, GuestValue, Length, Number};
use pessimum_outcome::{CostModel, End};
use pessimum_report::certainty;
use pessimum_report::cover::outcome;
use pessimum_report::result::Recurrence;
use pessimum_report::text::printable;
use pessimum_search::budget::Until;
use pessimum_term::Witness;
use pessimum_wasm::names::{Names, SourceLines};
use pessimum_wasm::{Concrete, Costs, Location, Process, Ran, STDIN, Subject};
use serde::Serialize;
use serde_json::{Value, json};

use crate::explain::in_code;
use crate::flags::{ArgumentFlag, FileFlag, RunFlags, SubjectFlags};
use crate::interrupt::Interrupt;
use crate::output::{Table, counted, print, print_json, short, stream, tell};
use crate::written::call_line;
use pessimum_session::Source;
use pessimum_session::names::with_size_hint;
use pessimum_session::replay::all_costs_while;
use pessimum_session::values;

use crate::{EXIT_ABOVE, python, subject};

/// The object that `--json` prints.
#[derive(Serialize)]
struct RunResult {
    module: String,
    call: Option<String>,
    size: Option<u64>,
    end: String,
    /// The state that came back, where it never ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    recurs: Option<Recurrence>,
    /// What the program said to explain that it trapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Where it was, innermost call first, unless it ended normally.
    backtrace: Vec<String>,
    /// Values that the function returned; empty where it did not return.
    result: Vec<Value>,
    costs: Value,
    input: Value,
    /// The same as values in the language of the source, one for each argument, where that says more.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<Vec<String>>,
    /// What the buffers of the call hold at the end, one entry per argument; null for other arguments.
    buffers: Vec<Value>,
    stdout: String,
    stderr: String,
    /// WASI functions that were called but are not provided (they returned ENOSYS), and how often; `standard input`
    /// where it was read but not given.
    unsupported: Value,
}

/// Returns the exit code.
pub fn run(flags: &RunFlags) -> Result<u8> {
    if flags.subject.is_python() {
        return python::run(flags);
    }
    let mut given = flags.subject.clone();
    let piped = if flags.input.is_none() { piped(&mut given)? } else { Vec::new() };
    let source = subject::source(&given)?;
    let subject = source.subject(flags.subject.n())?;
    subject::tell_doubts(&flags.subject, subject.plan());
    let (mut witness, answers) = subject::input(subject.plan(), flags.input.as_ref())?;
    if !piped.is_empty() {
        witness = subject::piped(subject.plan(), &piped)?;
    }
    let until = Interrupt::listen()?.until(flags.budget.and_then(|time| time.0), witness.values().len());
    let ran = subject.run_concrete_while(witness.clone(), &mut || until.go_on())?;
    let places = places(&subject, &ran);
    let message = match ran.end.kind().is_crash() {
        true => subject.explain_while(witness.clone(), &mut || until.go_on())?.message,
        false => None,
    };
    check_answers(&answers, &ran.asked)?;
    let endless = ran.end.kind().is_endless();
    let recurs = if endless { recurrence(&subject, &witness, &until)? } else { None };
    let result = RunResult {
        module: flags.subject.module.display().to_string(),
        call: source.plan().start.text().map(str::to_string),
        size: flags.subject.n(),
        end: recurs.map_or_else(|| ran.end.to_string(), |_| End::NeverEnds.to_string()),
        recurs,
        message: message.or(ran.message.clone()),
        backtrace: places,
        result: ran.results.iter().map(|number| number.to_json()).collect(),
        costs: costs_json(&ran.costs),
        input: subject.plan().encode(&witness, &ran.asked),
        written: values::of_subject(&subject, source.plan(), &witness),
        buffers: buffers(&subject, &ran),
        stdout: String::from_utf8_lossy(&ran.stdout.bytes()).into_owned(),
        stderr: String::from_utf8_lossy(&ran.stderr.bytes()).into_owned(),
        unsupported: json!(ran.unsupported),
    };
    let model = if flags.subject.counted.is_empty() { flags.cost.unwrap_or_default() } else { CostModel::Weighted };
    let cost = match model {
        // Only a symbolic run can tell them from other branches.
        CostModel::Decisions => decisions(&source, &witness, &until)?,
        model => costs_list(&ran.costs).into_iter().find(|(name, _)| *name == model.name()).and_then(|(_, cost)| cost),
    };
    match flags.cost {
        Some(model) => {
            let cost = cost.with_context(|| format!("--cost {model}: not known for this run"))?;
            print(&format!("{cost}\n"))?;
        }
        None if flags.json => print_json(&result)?,
        None => print(&text(&result, &ran, &flags.subject))?,
    }
    let above = flags.fail_above.is_some_and(|most| endless || cost.is_some_and(|cost| cost > most));
    if above && endless {
        tell(&format!("the run did not end, which is above every --fail-above: {}", result.end));
    } else if above {
        let (cost, most) = (cost.unwrap_or_default(), flags.fail_above.unwrap_or_default());
        let counted = &flags.subject.counted;
        let is_priced = flags.subject.weights.is_some();
        let name = if counted.is_empty() { model.name().to_string() } else { in_code(counted, is_priced) };
        tell(&format!("the cost, {cost} {name}, is above --fail-above {most}"));
    }
    let found = outcome(&ran.end.kind().to_string(), &result.result);
    let other = flags.expect.as_ref().is_some_and(|expected| *expected != found);
    if other {
        tell(&format!("expected \"{}\", found \"{found}\"", flags.expect.as_deref().unwrap_or_default()));
    }
    Ok(if above || other { EXIT_ABOVE } else { 0 })
}

/// The state of a run without end that comes back, if it does in this time.
fn recurrence(subject: &Subject, witness: &Witness, until: &Until) -> Result<Option<Recurrence>> {
    let process = Process::<Concrete>::new(subject)?;
    let found = process.recurrence(&mut Concrete { witness: witness.clone() }, &mut || until.go_on());
    Ok(found.map(|found| Recurrence { after: found.after, every: found.every }))
}

/// What is piped into this command, for a program that reads its standard input: by `--stdin`, or one that gets nothing
/// else, whose standard input is made as long. Nothing is read where a person would have to type it.
fn piped(subject: &mut SubjectFlags) -> Result<Vec<u8>> {
    let is_program = subject.call.is_none() && subject.entry.is_none();
    let has_input = subject.arg.iter().any(|argument| matches!(argument, ArgumentFlag::Input(_)))
        || subject.file.iter().any(|file| matches!(file, FileFlag::Input { .. }));
    if std::io::stdin().is_terminal() || subject.stdin.is_none() && (!is_program || has_input) {
        return Ok(Vec::new());
    }
    let bytes = subject::standard_input()?;
    if !bytes.is_empty() && subject.stdin.is_none() {
        subject.stdin = Some(Length::parse(&bytes.len().to_string())?);
    }
    Ok(bytes)
}

/// What the buffers hold, in the form that inputs have.
fn buffers(subject: &Subject, ran: &Ran) -> Vec<Value> {
    let one = |(argument, numbers): (&Argument, &Option<Vec<Number>>)| match (argument, numbers) {
        (_, None) => Value::Null,
        (Argument::Structure(structure), Some(numbers)) => {
            let mut firsts = vec![0];
            for column in &structure.columns {
                firsts.push(firsts[firsts.len() - 1] + column.count() as usize);
            }
            structure.nested(&mut |column, at| numbers[firsts[column] + at].to_json())
        }
        (_, Some(numbers)) => numbers.iter().map(|number| number.to_json()).collect(),
    };
    subject.plan().arguments.iter().zip(&ran.buffers).map(one).collect()
}

/// The number of decisions; none if they cannot be counted in this time.
fn decisions(source: &Source, witness: &Witness, until: &Until) -> Result<Option<u64>> {
    let program = source.program(source.plan().size)?;
    let costs = all_costs_while(&*program, witness, source.limits(), CostModel::Decisions, until);
    Ok(costs.filter(|_| until.go_on()).map(|costs| costs.decisions))
}

/// Most calls of a backtrace shown in text.
const MAX_PLACES: usize = 8;

/// Function, source line where known, and offset in the module for each call that had not returned.
fn places(subject: &Subject, ran: &Ran) -> Vec<String> {
    if ran.backtrace.is_empty() {
        return Vec::new();
    }
    let (names, lines) = (Names::of(subject.module()), SourceLines::of(subject.module()));
    let place = |location: &Location| {
        let line = lines.line_near(subject.module(), location.offset).map(|line| format!("{line}, "));
        let name = names.function(location.function);
        format!("{name} ({}offset {:#x})", line.unwrap_or_default(), location.offset)
    };
    // Deep recursion repeats itself; a longer list in --json would help nobody.
    ran.backtrace.iter().take(1000).map(place).collect()
}

fn text(result: &RunResult, ran: &Ran, flags: &SubjectFlags) -> String {
    let mut text = stream("stdout", &ran.stdout.bytes(), ran.stdout.total());
    text += &stream("stderr", &ran.stderr.bytes(), ran.stderr.total());
    if !text.is_empty() {
        text.push('\n');
    }
    let mut table = Table::default();
    let end = result.recurs.map_or_else(|| with_size_hint(&result.end), certainty::never_ends);
    table.text("end", printable(&end));
    if let Some(message) = &result.message {
        table.text("message", printable(message));
    }
    for (i, place) in result.backtrace.iter().take(MAX_PLACES).enumerate() {
        table.text(if i == 0 { "in" } else { "called by" }, printable(place));
    }
    if result.backtrace.len() > MAX_PLACES {
        table.text("", format!("and {} more calls", result.backtrace.len() - MAX_PLACES));
    }
    if !result.result.is_empty() {
        let values: Vec<String> = result.result.iter().map(short).collect();
        table.text("result", values.join(", "));
    }
    table.text("input", short(&result.input));
    if let Some(written) = &result.written {
        table.text("call", call_line(result.call.as_deref(), written));
    }
    for (i, buffer) in result.buffers.iter().enumerate() {
        if !buffer.is_null() {
            table.text(&format!("argument {} after", i + 1), short(buffer));
        }
    }
    for (name, count) in &ran.unsupported {
        match *name {
            STDIN => table.text(name, "empty: the program reads it, but --stdin was not given"),
            name => {
                let times = counted(*count, "time", "times");
                table.text("not provided", format!("{name}, called {times}, returned ENOSYS"));
            }
        }
    }
    text += &table.render();
    text.push('\n');
    text + &costs_table(&ran.costs, flags)
}

/// The costs of a concrete run, by their names on the command line. Only symbolic runs know what is a decision.
fn costs_list(costs: &Costs) -> Vec<(&'static str, Option<u64>)> {
    vec![
        ("instructions", Some(costs.instructions)),
        ("branches", Some(costs.branches)),
        ("decisions", None),
        ("calls", Some(costs.calls)),
        ("depth", Some(costs.depth)),
        ("memory", Some(costs.memory)),
        ("user", Some(costs.user)),
        ("hits", Some(costs.hits)),
        ("weighted", costs.weighted),
    ]
}

fn costs_json(costs: &Costs) -> Value {
    costs_list(costs).into_iter().map(|(name, value)| (name.to_string(), json!(value))).collect()
}

/// What the weighted cost is depends on the flags: a price list, and the code in which it counts.
fn costs_table(costs: &Costs, flags: &SubjectFlags) -> String {
    let mut table = Table::default();
    for (name, value) in costs_list(costs) {
        let Some(value) = value else { continue };
        match name {
            "weighted" if !flags.counted.is_empty() => {
                table.number(&in_code(&flags.counted, flags.weights.is_some()), value);
            }
            name => table.number(name, value),
        }
    }
    table.render()
}

/// Checks the kinds of answers in the input file against what the program asked for.
fn check_answers(answers: &[GuestValue], asked: &[GuestValue]) -> Result<()> {
    let describe = |value: &GuestValue| match value.bytes {
        Some(count) => format!("{count} bytes"),
        None => value.kind.to_string(),
    };
    for (i, (answer, question)) in answers.iter().zip(asked).enumerate() {
        if answer != question {
            let (given, wanted) = (describe(answer), describe(question));
            bail!("input.values[{i}]: the program asks for {wanted} here, but the input gives {given}");
        }
    }
    if answers.len() > asked.len() {
        let (given, wanted) = (answers.len(), asked.len());
        bail!("input.values: {given} values, but the program asked for only {wanted}");
    }
    Ok(())
}
