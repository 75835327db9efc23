//! Python files on the command line: opening one, completing its call, and what is refused because only WebAssembly has
//! it.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use pessimum_outcome::{CostModel, End, Limit};
use pessimum_python::{NoteKind, PythonCall, PythonError, PythonProgram, PythonSettings, PythonSource};
use pessimum_report::cover::outcome;
use pessimum_report::result::{Concretised, WorstResult};
use pessimum_report::text::{printable, shell_word};
use pessimum_session::language::raised;
use pessimum_session::names::nearest;
use pessimum_session::plan::{LimitsPlan, StartPlan, SubjectPlan};
use pessimum_session::replay::all_costs_while;
use pessimum_session::{PythonCode, Source, python_module};
use serde_json::json;

use crate::flags::{CallFlag, Command, InspectFlags, Opened, RunFlags, SubjectFlags, is_python};
use crate::interrupt::Interrupt;
use crate::output::{Table, counted, folded, grouped, print, print_json, stream, tell, width};
use crate::replay::is_shown;
use crate::{EXIT_ABOVE, Usage, subject};
use pessimum_languages::is_package;

/// Whether the path names a file of Python. What is near to one is refused with what to name instead.
pub fn concerns(path: &Path) -> Result<bool> {
    let shown = path.display();
    if path.extension().is_some_and(|extension| extension == "pyc" || extension == "pyo") {
        bail!("{shown}: this is compiled Python; name the source file (.py)");
    }
    if path.is_dir() && !is_package(path) {
        let listed = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<String> =
            listed.filter(|path| is_python(path)).map(|path| path.display().to_string()).collect();
        files.sort();
        if let Some(first) = files.iter().find(|file| !file.ends_with("__init__.py")).or(files.first()) {
            bail!("{shown}: this is a directory; name the Python file that has the function, as in {first}");
        }
    }
    Ok(is_python(path))
}

/// Opens the file that the flags name, if it is Python, and completes the call: a bare name, or none where there is one
/// function, takes its types from hints. Says what was decided by itself.
pub fn settle(flags: &mut SubjectFlags) -> Result<()> {
    refuse(flags)?;
    let source = open(&flags.module, flags.python.as_deref())?;
    let text = flags.call.as_ref().map_or("", CallFlag::text);
    let call = PythonCall::parse(text, &source).map_err(|error| match error {
        PythonError::CallSyntax(error) => anyhow::Error::from(Usage(format!("--call '{text}': {error}"))),
        PythonError::Call(why) => anyhow!("{why}{}", meant(text, &source)),
        error => anyhow!("{error}"),
    })?;
    if call.text() != text {
        tell(&format!("calling {}", call.text()));
    }
    for note in call.notes() {
        tell(&format!("note: {note}"));
    }
    flags.call = Some(CallFlag::Python(call));
    flags.opened = Opened(Some(source));
    Ok(())
}

/// A hint if the name of the function was mistyped.
fn meant(call: &str, source: &PythonSource) -> String {
    let name = call.split('(').next().unwrap_or_default().trim();
    let known: Vec<&str> = source.functions().iter().map(|function| function.name.as_str()).collect();
    match nearest(name, &known) {
        Some(meant) if meant != name => format!("; did you mean `{meant}`?"),
        _ => String::new(),
    }
}

/// Imports a file once.
pub fn open(file: &Path, python: Option<&Path>) -> Result<PythonSource> {
    let settings = PythonSettings { python: python.map(Path::to_path_buf), ..PythonSettings::new(file) };
    PythonSource::open(&settings).map_err(|error| anyhow!("{error}"))
}

/// Flags that mean nothing for a Python function.
fn refuse(flags: &SubjectFlags) -> Result<(), Usage> {
    let given = [
        (!flags.cflags.is_empty(), "--cflags", "nothing is compiled"),
        (!flags.with.is_empty(), "--with", "write types in --call"),
        (flags.entry.is_some(), "--entry", "use --call"),
        (flags.stdin.is_some(), "--stdin", "write a function that takes the text, and give it with --call 'f(str[n])'"),
        (!flags.arg.is_empty(), "--arg", "write a function that takes the argument, and give it with --call"),
        (!flags.file.is_empty(), "--file", "write a function that takes the contents, and give it with --call"),
        (!flags.env.is_empty(), "--env", "set the variable in the environment of this command"),
        (flags.weights.is_some(), "--weights", "prices are those of WebAssembly's instructions"),
        (
            !flags.counted.is_empty(),
            "--in",
            "it counts instructions of WebAssembly; pessimum.cost(1) marks what counts",
        ),
    ];
    match given.iter().find(|(given, ..)| *given) {
        Some((_, flag, instead)) => Err(Usage(format!("{flag} is not for Python functions: {instead}"))),
        None => Ok(()),
    }
}

/// The program that the flags name.
pub fn source(flags: &SubjectFlags) -> Result<Source> {
    let (source, call) = match (&flags.opened, &flags.call) {
        (Opened(Some(source)), Some(CallFlag::Python(call))) => (source.clone(), call.clone()),
        _ => {
            let mut flags = flags.clone();
            settle(&mut flags)?;
            return self::source(&flags);
        }
    };
    let usual = LimitsPlan::USUAL_PYTHON;
    let plan = SubjectPlan {
        module: python_module(flags.module.display().to_string(), &source),
        start: StartPlan::Call(call.text().to_string()),
        stdin: None,
        arguments: Vec::new(),
        files: Vec::new(),
        environment: Vec::new(),
        size: flags.n(),
        sizes: flags.sizes(),
        weights: None,
        counted: Vec::new(),
        limits: LimitsPlan {
            instructions: flags.max_instructions.unwrap_or(usual.instructions),
            memory: flags.max_memory.saturating_mul(1 << 20),
            depth: flags.max_depth,
        },
    };
    Ok(Source::of(plan, PythonCode::new(source, call)))
}

/// The cost that is meant, if it is one that this program has. `given` is what `--cost` says.
pub fn cost(given: Option<CostModel>, is_python: bool) -> Result<CostModel, Usage> {
    let usual = if is_python { CostModel::Lines } else { CostModel::Instructions };
    let refused = match (given, is_python) {
        (Some(CostModel::Lines), false) => {
            "lines are counted in Python only; in WebAssembly, `cost(1)` on each line that counts and --cost user do so"
        }
        (Some(CostModel::Memory), true) => "the memory of Python programs is not counted; --max-memory limits it",
        (Some(CostModel::Weighted), true) => {
            "prices are those of WebAssembly's instructions; use pessimum.cost(k) and \
                                              --cost user"
        }
        _ => return Ok(given.unwrap_or(usual)),
    };
    Err(Usage(format!("--cost {}: {refused}", given.unwrap_or(usual))))
}

/// Says which command lines are about Python, and settles what depends on it: the cost and the language of the call.
pub fn settle_language(command: &mut Command) -> Result<(), Usage> {
    let about_python = command.names_python();
    if let Some(message) = command.misread_call() {
        // As clap itself says it.
        let message = format!("{message}\n\nFor more information, try '--help'.\n");
        clap::Error::raw(clap::error::ErrorKind::ValueValidation, message).exit();
    }
    if let Command::Run(flags) = command {
        if flags.cost.is_some() || about_python {
            cost(flags.cost, about_python)?;
        }
        return Ok(());
    }
    match command.maximised_mut() {
        Some(flag) => flag.settle(|given| cost(given, about_python)),
        None => Ok(()),
    }
}

/// `pessimum run` of a Python function. Returns the exit code.
pub fn run(flags: &RunFlags) -> Result<u8> {
    let model = cost(flags.cost, true)?;
    let source = source(&flags.subject)?.counting(model);
    let target = source.program(flags.subject.n())?;
    let (witness, _) = subject::input(target.plan(), flags.input.as_ref())?;
    let until = Interrupt::listen()?.until(flags.budget.and_then(|time| time.0), witness.values().len());
    let python: &PythonProgram = target.of().context("this is for functions of Python")?;
    let ran = python.run(&witness, &python.limits());
    if let Some(why) = target.fatal() {
        bail!("{why}");
    }
    let costs = match model {
        // Only a symbolic run can tell decisions from other branches.
        CostModel::Decisions => {
            all_costs_while(&*target, &witness, source.limits(), model, &until).unwrap_or(ran.costs)
        }
        _ => ran.costs,
    };
    let value = model.of(&costs);
    let explained = ran.explained.as_ref();
    let returned: Vec<serde_json::Value> =
        target.run_while(&witness, &mut || until.go_on()).map(|ran| ran.returned).unwrap_or_default();
    match flags.cost {
        Some(_) => print(&format!("{value}\n"))?,
        None if flags.json => print_json(&json!({
            "module": source.plan().module.name,
            "call": source.plan().start.text(),
            "size": flags.subject.n(),
            "python": source.plan().module.python.as_ref().map(|python| &python.version),
            "end": ran.end.to_string(),
            "message": explained.map(|explained| &explained.why),
            "backtrace": explained.and_then(|explained| explained.at.as_ref()).into_iter().collect::<Vec<_>>(),
            "result": ran.returned,
            "costs": costs,
            "input": target.plan().encode(&witness, &[]),
            "stdout": ran.printed,
        }))?,
        None => {
            let mut text = stream("printed", ran.printed.as_bytes(), ran.printed.len() as u64);
            if !text.is_empty() {
                text.push('\n');
            }
            let mut table = Table::default();
            table.text("end", raised(&ran.end.to_string(), explained.map(|explained| explained.why.as_str())));
            if ran.end == End::Unsupported {
                for (note, _) in python.notes(NoteKind::LeftOut) {
                    table.text("", printable(&note));
                }
            }
            if let Some(at) = explained.and_then(|explained| explained.at.as_ref()) {
                table.text("at", printable(at));
            }
            if let Some(returned) = &ran.returned {
                table.text("result", shortened(&printable(returned)));
            }
            table.text("input", shortened(&printable(&python.show(&witness))));
            text += &table.render();
            text.push('\n');
            // Nothing is counted while a run hangs: what is known is the least.
            let hangs = ran.end == End::Limit(Limit::Time);
            let mut table = Table::default();
            for model in CostModel::ALL {
                let is_known = !hangs || model.of(&costs) > 0;
                if model != CostModel::Decisions && is_shown(model, &costs, false) && is_known {
                    table.number(model.name(), model.of(&costs));
                }
            }
            if hangs {
                text += if value > 0 {
                    "at least, when it was last heard of:\n"
                } else {
                    "nothing was counted before it was stopped\n"
                };
            }
            print(&(text + &table.render()))?;
        }
    }
    let endless = ran.end.is_endless();
    let above = flags.fail_above.is_some_and(|most| value > most || endless);
    if above && endless {
        tell(&format!("the run did not end, which is above every --fail-above: {}", ran.end));
    } else if above {
        tell(&format!("the cost, {value} {model}, is above --fail-above {}", flags.fail_above.unwrap_or_default()));
    }
    let found = outcome(&ran.end.to_string(), &returned);
    let other = flags.expect.as_ref().is_some_and(|expected| *expected != found);
    if other {
        tell(&format!("expected \"{}\", found \"{found}\"", flags.expect.as_deref().unwrap_or_default()));
    }
    Ok(if above || other { EXIT_ABOVE } else { 0 })
}

/// Whether every run of Python counts this.
pub fn is_counted(model: CostModel) -> bool {
    !matches!(model, CostModel::Instructions | CostModel::Branches | CostModel::Memory | CostModel::Weighted)
}

/// Why runs were left out, for a reader who wants to know what to change.
pub fn left_out(left_out: &[Concretised]) -> String {
    match left_out {
        [] => String::new(),
        left_out => format!("runs that could not be counted to their end are left out\n{}", noted(left_out)),
    }
}

/// What could not be followed, for a reader who wants to know why a search is not certain, or took long to be: a `complete` one has
/// seen every value.
pub fn taken_as_they_are(concretised: &[Concretised], complete: bool) -> String {
    let how = if complete { "one by one" } else { "as they are: paths may be missing" };
    match concretised {
        [] => String::new(),
        concretised => format!("values that could not be followed were taken {how}\n{}", noted(concretised)),
    }
}

/// What C code did in the worst run that its cost does not count, where that is more than what it counts or nobody knows.
pub fn not_counted(result: &WorstResult) -> String {
    let Some(work) = &result.work else { return String::new() };
    let Some(heaviest) = work.heaviest().filter(|heaviest| !heaviest.bounded || work.total > result.cost.value) else {
        return String::new();
    };
    let (what, place) = (printable(&heaviest.operation), printable(&heaviest.place));
    let (units, times) = (grouped(heaviest.units), counted(heaviest.times, "time", "times"));
    let text = match heaviest.bounded {
        true => format!("most of it may be `{what}` ({place}), on up to {units} elements in {times}"),
        false => format!("`{what}` ({place}) was handed up to {units} elements at once, {times}"),
    };
    folded(&format!("work inside C is not counted: {text}"), 0, 2, width()) + "\n"
}

fn noted(concretised: &[Concretised]) -> String {
    /// Places shown; result.json has all of them.
    const SHOWN: usize = 4;
    let mut text = String::new();
    for Concretised { what, times } in concretised.iter().take(SHOWN) {
        text += &format!("  {}, {}\n", printable(what), counted(*times, "time", "times"));
    }
    if concretised.len() > SHOWN {
        text += &format!("  and {} (all with --json)\n", counted((concretised.len() - SHOWN) as u64, "more", "more"));
    }
    text
}

/// The flags that a command on a saved result of these flags needs: nothing, if it is not Python.
pub fn run_flags(flags: &SubjectFlags) -> String {
    if !flags.is_python() {
        return String::new();
    }
    let python = flags.python.as_ref().map(|python| format!(" --python {}", shell_word(&python.display().to_string())));
    format!(" --run-python{}", python.unwrap_or_default())
}

/// A text that may be long, cut in its middle.
fn shortened(text: &str) -> String {
    const SHOWN: (usize, usize) = (160, 40);
    let characters: Vec<char> = text.chars().collect();
    match characters.len() {
        length if length <= SHOWN.0 + SHOWN.1 + 5 => text.to_string(),
        length => {
            let (head, tail) = (&characters[..SHOWN.0], &characters[length - SHOWN.1..]);
            format!("{} ... {}", head.iter().collect::<String>(), tail.iter().collect::<String>())
        }
    }
}

/// `pessimum inspect` of a Python file: its functions, with the call to copy.
pub fn inspect(flags: &InspectFlags) -> Result<()> {
    if flags.api {
        return Err(Usage("--api is for modules: sequences of calls are not for Python functions".to_string()).into());
    }
    let source = open(&flags.module, flags.python.as_deref())?;
    let functions = source.functions();
    if flags.json {
        let function = |function: &pessimum_python::Function| {
            let parameter = |parameter: &pessimum_python::Parameter| {
                let hint = parameter.hint.as_ref().map_or(String::new(), |hint| format!(": {hint}"));
                let default = parameter.default.as_ref().map_or(String::new(), |default| format!(" = {default}"));
                format!("{}{hint}{default}", parameter.name)
            };
            let parameters: Vec<String> = function.parameters.iter().map(parameter).collect();
            json!({
                "name": function.name,
                "type": format!("({})", parameters.join(", ")),
                "line": function.line,
                "call": function.suggested_call.as_ref().ok(),
                "why": function.suggested_call.as_ref().err(),
            })
        };
        return print_json(&json!({
            "module": flags.module.display().to_string(),
            "python": source.version(),
            "exports": functions.iter().map(function).collect::<Vec<_>>(),
        }));
    }
    let mut text = format!("{} (Python {})\n", flags.module.display(), source.version());
    text += if functions.is_empty() { "\nno functions\n" } else { "\nfunctions to call\n" };
    for function in functions {
        text += &match &function.suggested_call {
            Ok(call) if call.contains('\'') => format!("  --call {}\n", printable(&shell_word(call))),
            Ok(call) => format!("  --call '{}'\n", printable(call)),
            Err(why) => format!("  {}: {}\n", printable(&function.name), printable(why)),
        };
        for note in &function.notes {
            text += &format!("    {}\n", printable(note));
        }
    }
    print(&text)
}
