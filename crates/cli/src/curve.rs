//! `pessimum curve`: the worst case over a range of sizes, and how it grows.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use pessimum_outcome::CostModel;
use pessimum_report::chart::{Glyphs, Ink, chart};
use pessimum_report::class::Class;
use pessimum_report::curve::{CurvePoint, CurveResult, MissingSize, growths};
use pessimum_report::emit::RegressionTest;
use pessimum_report::fit::Growth;
use pessimum_search::budget::{Budget, Stop};
use pessimum_search::strategy::Strategy;
use pessimum_session::curve::{late_gain, order, reached_at, share};
use pessimum_session::journal::Past;
use pessimum_session::plan::SearchPlan;
use pessimum_session::result::{Account, Finding};
use pessimum_session::saved::{PlannedResult, save_module};
use pessimum_session::{Listeners, Session, Source, Task, why_nothing};

use crate::files::{make_directory, write_atomically};
use crate::flags::{ChartFlag, CurveFlags, SubjectFlags, WorstFlags, check_prices, usual_time};
use crate::interrupt::Interrupt;
use crate::live::{Shown, Viewer};
use crate::output::{Style, Table, average, counted, grouped, has_unicode, print, print_json, seconds, tell};
use crate::paths::tell_defects;
use crate::queries::Queries;
use crate::{EXIT_ABOVE, Usage, emit, gate, report, strategy, subject, worst};

/// Returns the exit code.
pub fn curve(flags: &CurveFlags) -> Result<u8> {
    let sizes = &flags.sizes.0;
    // The largest size stands for all where only the presence of a size matters.
    let mut usual = flags.worst.clone();
    usual.subject.size = sizes.last().copied();
    check_prices(&usual.subject, &usual.search)?;
    strategy::check(&usual)?;
    emit::check(&usual)?;
    check_size_matters(&usual.subject)?;
    let source = subject::source(&usual.subject)?;
    for &size in sizes {
        // It is better to fail now than after the smaller sizes have been searched.
        source.subject(Some(size)).with_context(|| format!("n = {size}"))?;
    }
    let directory = worst::directory(&usual);
    make_directory(&directory)?;
    let queries = Queries::of(&usual.search)?;
    let (mut points, missing, elapsed) = points(flags, &usual, &source, &directory, &queries)?;
    points.sort_by_key(|point| point.size);
    let (worst, random) = growths(&points);
    let result = CurveResult {
        module: usual.subject.module.display().to_string(),
        call: usual.subject.started(),
        strategy: usual.strategy.clone(),
        seed: usual.search.seed,
        cost: usual.search.cost.name().to_string(),
        points,
        worst,
        random,
        missing,
        elapsed_s: elapsed.as_secs_f64(),
        arguments: SubjectFlags { size: None, ..usual.subject.clone() }.words(),
    };
    // The finding is printed first, so that it is not lost whatever happens to the disk.
    match usual.json {
        true => print_json(&result)?,
        false => print(&(text(flags, &result) + &queries.text()))?,
    }
    let verdict = verdict(flags, &result).and_then(|code| queries.verdict().map(|()| code));
    match (keep(flags, &usual, &source, &result, &directory), verdict) {
        (Ok(_), verdict) if usual.json => verdict,
        (Ok(tests), verdict) => {
            print(&afterwards(flags, &result, &directory, &tests))?;
            verdict
        }
        (Err(error), Ok(EXIT_ABOVE)) => {
            tell(&format!("{error:#}"));
            Ok(EXIT_ABOVE)
        }
        (Err(error), _) => Err(error),
    }
}

/// Saves everything that was asked for. Returns the names of the emitted tests.
fn keep(
    flags: &CurveFlags,
    usual: &WorstFlags,
    source: &Source,
    result: &CurveResult,
    directory: &Path,
) -> Result<Vec<PathBuf>> {
    let json = serde_json::to_string_pretty(result).context("JSON")?;
    write_atomically(&directory.join("curve.json"), format!("{json}\n").as_bytes())?;
    write_atomically(&directory.join(report::FILE), report::of_curve(directory, result)?.as_bytes())?;
    gate::of_curve(usual, flags.fail_above_class, result, directory)?;
    emit::emit(usual, source, &RegressionTest::of_curve(result), directory)
}

/// Refuses flags under which all sizes are alike.
fn check_size_matters(subject: &SubjectFlags) -> Result<()> {
    let names_n = |word: &String| word.split(|c: char| !c.is_alphanumeric() && c != '_').any(|name| name == "n");
    let without_size = SubjectFlags { size: None, ..subject.clone() };
    if subject.entry.is_some() || without_size.words().iter().skip(1).any(names_n) {
        return Ok(());
    }
    let hint = "write lengths in terms of n, as in `--call 'sort(i32[n], n)'` or `--stdin n`";
    Err(Usage(format!("nothing here depends on the size: {hint}")).into())
}

/// Searches every size. Returns the points, the sizes without one, and the time.
fn points(
    flags: &CurveFlags,
    usual: &WorstFlags,
    source: &Source,
    directory: &Path,
    queries: &Queries,
) -> Result<(Vec<CurvePoint>, Vec<MissingSize>, Duration)> {
    let search = strategy::plan(usual)?;
    let learns = search.learns();
    let sizes = order(&flags.sizes.0, learns);
    let interrupt = Interrupt::listen()?;
    // As with a single search, replays and reports do not count.
    let mut spent = Duration::ZERO;
    let time = usual_time(usual.search.budget, usual.paths);
    let largest = source.program(usual.subject.size)?;
    let mut strategy = search.strategy(&largest)?;
    let (mut points, mut missing) = (Vec::new(), Vec::new());
    for (i, &size) in sizes.iter().enumerate() {
        if interrupt.is_heard() {
            missing.push(MissingSize { size, why: "Ctrl-C was pressed before it was searched".to_string() });
            continue;
        }
        let time = time.map(|time| time.saturating_sub(spent).mul_f64(share(&sizes[i..], learns)));
        let task = Task {
            source,
            size: Some(size),
            cost: usual.search.cost,
            seed: usual.search.seed,
            baseline_seed: Some(usual.search.seed),
            budget: Budget { paths: usual.paths, time, steps: None },
            starts: Vec::new(),
            carries_over: true,
            target: None,
            cancel: interrupt.cancel(),
            solver: queries.settings(),
        };
        let (point, elapsed) = point(usual, &search, task, directory, strategy.as_mut(), queries)?;
        spent += elapsed;
        match point {
            Ok(point) => {
                if !usual.json && !usual.search.quiet {
                    // A closed standard error is no reason to stop.
                    let (cost, paths) = (grouped(point.cost), counted(point.paths, "path", "paths"));
                    let _ = writeln!(std::io::stderr(), "n = {size}: cost {cost} after {paths}");
                }
                points.push(point);
            }
            Err(why) => missing.push(MissingSize { size, why }),
        }
        strategy.carry_over();
    }
    if let (Some(path), Some(report)) = (&usual.options.policy_out, strategy.report().guided) {
        strategy::save(path, &report.policy, &largest)?;
    }
    if points.is_empty() {
        let why = missing.first().map(|first| format!("n = {}: {}", first.size, first.why));
        bail!("no size was searched: {}", why.unwrap_or_default());
    }
    Ok((points, missing, spent))
}

/// Searches one size and saves what it found, or says why there is nothing. Also returns the time of the search.
fn point(
    usual: &WorstFlags,
    search: &SearchPlan,
    task: Task<'_>,
    directory: &Path,
    strategy: &mut dyn Strategy,
    queries: &Queries,
) -> Result<(Result<CurvePoint, String>, Duration)> {
    let (size, budget) = (task.size.unwrap_or_default(), task.budget);
    let source = task.source.at_size(task.size);
    let session = Session::new(task)?;
    let label = format!("n = {size}");
    let shown = Shown { cost: usual.search.cost, budget, label, ..Shown::default() };
    let mut viewer = Viewer::live_only(&usual.search, usual.json, shown);
    let listeners = Listeners { record: None, show: Some(&mut |news| viewer.show(news)) };
    let outcome = session.run(strategy, listeners);
    let found = &outcome.found;
    tell_defects(found);
    queries.count(&found.solver);
    if found.best.is_none() {
        return Ok((Err(why_nothing(session.program(), found)), found.elapsed));
    }
    let mut flags = usual.clone();
    flags.subject.size = Some(size);
    let (subject, origin) = worst::as_run(&flags, source.plan(), &outcome);
    let account = Account {
        program: session.program(),
        subject: &subject,
        search,
        past: &Past::default(),
        origin: &origin,
        time: session.task().budget.time,
    };
    let Finding { result, profile, .. } = account.finding(&outcome, strategy.report().guided.as_ref())?;
    let name = format!("n-{size}");
    let place = directory.join(&name);
    save_module(&place, &source)?;
    let planned = PlannedResult { result, plan: subject };
    worst::keep_result(&place, &session, &outcome, &planned, profile)?;
    let result = planned.result;
    let point = CurvePoint {
        size,
        cost: result.cost.value,
        random: result.random,
        complete: found.complete,
        late_gain: late_gain(found),
        paths: found.paths,
        reached_at: reached_at(found),
        stopped: result.stopped,
        elapsed_s: result.elapsed_s,
        end: result.end,
        input: result.input,
        directory: name,
    };
    Ok((Ok(point), found.elapsed))
}

/// The exit code by --fail-above and --fail-above-class. A class that is not known does not pass.
fn verdict(flags: &CurveFlags, result: &CurveResult) -> Result<u8> {
    if !above_limit(flags, result).is_empty() {
        return Ok(EXIT_ABOVE);
    }
    match (flags.fail_above_class, result.worst.class) {
        (Some(most), Some(class)) if class.is_above(most) => Ok(EXIT_ABOVE),
        (Some(most), None) => {
            let why = result.worst.why_not.as_deref().unwrap_or("not enough data");
            bail!("--fail-above-class {most}: the class is not known: {why}")
        }
        _ => Ok(0),
    }
}

/// The points above --fail-above.
fn above_limit<'r>(flags: &CurveFlags, result: &'r CurveResult) -> Vec<&'r CurvePoint> {
    let above = |point: &&CurvePoint| flags.worst.fail_above.is_some_and(|most| point.cost > most);
    result.points.iter().filter(above).collect()
}

fn text(flags: &CurveFlags, result: &CurveResult) -> String {
    let style = Style::of(flags.worst.search.color, &std::io::stdout());
    let mut text = table(flags, result);
    text.push('\n');
    let glyphs = match flags.chart {
        ChartFlag::Auto if std::io::stdout().is_terminal() && has_unicode() => Some(Glyphs::Unicode),
        ChartFlag::Auto | ChartFlag::Ascii => Some(Glyphs::Ascii),
        ChartFlag::Unicode => Some(Glyphs::Unicode),
        ChartFlag::None => None,
    };
    if let Some(glyphs) = glyphs {
        let paint = |ink: Ink, piece: &str| match ink {
            Ink::Worst => style.bad(piece),
            Ink::Random => style.good(piece),
            Ink::Frame => style.faint(piece),
        };
        text += &format!("{}\n", chart(result, glyphs, &paint));
    }
    let mut summary = Table::default();
    growth_rows(&mut summary, "worst case", &result.worst, style);
    match &result.random {
        Some(random) => growth_rows(&mut summary, "random", random, style),
        None => summary.text("random", "not fitted: random inputs could not be run at every size"),
    }
    summary.text("how sure", how_sure(result));
    for alike in result.missing.chunk_by(|one, other| one.why == other.why) {
        let sizes: Vec<String> = alike.iter().map(|missing| missing.size.to_string()).collect();
        summary.text("missing", format!("n = {}: {}", sizes.join(", "), alike[0].why));
    }
    for point in above_limit(flags, result) {
        let most = grouped(flags.worst.fail_above.unwrap_or_default());
        let above = format!("n = {}: {} is above --fail-above {most}", point.size, grouped(point.cost));
        summary.text("limit", style.bad(&above));
    }
    if let (Some(most), Some(class)) = (flags.fail_above_class, result.worst.class) {
        summary.text(
            "limit",
            match class.is_above(most) {
                true => style.bad(&format!("the worst case, {class}, is above --fail-above-class {most}")),
                false => style.good(&format!("the worst case, {class}, is not above --fail-above-class {most}")),
            },
        );
    }
    text + &summary.render()
}

/// What was written where, and what to do next.
fn afterwards(flags: &CurveFlags, result: &CurveResult, directory: &Path, tests: &[PathBuf]) -> String {
    let style = Style::of(flags.worst.search.color, &std::io::stdout());
    let last = result.points.last().map_or(String::new(), |point| point.directory.clone());
    let shown = directory.display();
    let tests: String = tests.iter().map(|name| format!("{}, ", name.display())).collect();
    let written = "and result.json and input.json of each size in n-SIZE";
    let text = format!("\nwritten to {shown}: curve.json, report.html, {tests}{written}\n");
    let replay = style.command(&format!("pessimum replay {shown}/{last}"));
    text + &format!("next: {}\n      {replay} runs the largest worst input again\n", next(flags, result))
}

/// A row for each size.
fn table(flags: &CurveFlags, result: &CurveResult) -> String {
    let unit = if flags.worst.search.cost == CostModel::User { "cost" } else { &result.cost };
    let mut rows = vec![[
        "n".to_string(),
        format!("worst {unit}"),
        "random average".to_string(),
        "ratio".to_string(),
        "how sure".to_string(),
    ]];
    for point in &result.points {
        let (average, ratio) = match &point.random {
            Some(random) if random.average > 0.0 => {
                let ratio = format!("{:.1}", point.cost as f64 / random.average);
                (average(random.average), ratio)
            }
            Some(_) => ("0".to_string(), "-".to_string()),
            None => ("-".to_string(), "-".to_string()),
        };
        rows.push([point.size.to_string(), grouped(point.cost), average, ratio, how_sure_of(point)]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..4).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        for (cell, &width) in row.iter().zip(&widths) {
            text += &format!("{cell:>width$}  ");
        }
        text += &format!("{}\n", row[4]);
    }
    text
}

fn how_sure_of(point: &CurvePoint) -> String {
    let paths = grouped(point.paths);
    let reached = grouped(point.reached_at);
    let sure = match point.complete {
        true => format!("certain: all paths seen ({paths} run)"),
        false if point.stopped == Stop::Finished.name() => {
            format!("the strategy had nothing left to try after {}", counted(point.paths, "path", "paths"))
        }
        false if point.reached_at == 0 => format!("settled: none of {paths} paths costs more than a random input"),
        false
            if point.late_gain < 0.0005
                || (point.is_settled() && point.reached_at.saturating_mul(2) <= point.paths) =>
        {
            format!("settled: reached at path {reached} of {paths}")
        }
        false if point.is_settled() => {
            format!("settled but for {:.1} %: reached at path {reached} of {paths}", 100.0 * point.late_gain)
        }
        false => {
            format!("still improving: {:.0} % came in the second half of {paths} paths", 100.0 * point.late_gain)
        }
    };
    match point.end.as_str() {
        "returned" => sure,
        end => format!("{sure}; {end}"),
    }
}

fn how_sure(result: &CurveResult) -> String {
    let count = |wanted: &dyn Fn(&CurvePoint) -> bool| result.points.iter().filter(|point| wanted(point)).count();
    let certain = count(&|point| point.complete);
    let settled = count(&|point| !point.complete && point.is_settled());
    let improving = result.points.len() - certain - settled;
    let sizes = counted(result.points.len() as u64, "size", "sizes");
    let paths: u64 = result.points.iter().map(|point| point.paths).sum();
    let paths = counted(paths, "path", "paths");
    let parts = [(certain, "certain"), (settled, "settled"), (improving, "still improving")];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    format!("{sizes}: {} ({paths} in {})", parts.join(", "), seconds(result.elapsed_s))
}

/// What is known about a growth: the class, the formula with its quality, and the runner-up.
fn growth_rows(table: &mut Table, name: &str, growth: &Growth, style: Style) {
    let per_cent = |part: f64| match part {
        part if part < 1e-6 => "0 %".to_string(),
        part if part < 5e-5 => "0.01 %".to_string(),
        part => format!("{:.2} %", 100.0 * part),
    };
    let named = |class: Class| match class.word() {
        Some(word) => format!("{class} ({word})"),
        None => class.to_string(),
    };
    if let Some(why) = &growth.why_not {
        table.text(name, format!("not enough data: {why}"));
    }
    let Some(fit) = &growth.fit else { return };
    match growth.class {
        Some(class) => table.text(name, format!("grows like {}", style.number(&named(class)))),
        None => table.text("", format!("nearest is {}", named(fit.class))),
    }
    let mut formula = format!("about {}, off by {} at most", fit.formula(), per_cent(fit.max_error));
    if fit.class != Class::Constant {
        formula += &format!(", R^2 {:.5}", fit.r_squared);
    }
    table.text("", formula);
    if let Some(other) = &growth.runner_up {
        let (mine, theirs) = (per_cent(fit.error), per_cent(other.error));
        let next = format!("the next best, {}, within {theirs}", other.class);
        table.text("", format!("predicts a left-out size within {mine}; {next}"));
    }
}

fn next(flags: &CurveFlags, result: &CurveResult) -> &'static str {
    if result.points.iter().any(|point| point.end == "limit: instructions") {
        return "a higher --max-instructions, for the runs that were cut off";
    }
    let unsettled = result.points.iter().any(|point| !point.is_settled());
    match (result.worst.class.is_some(), unsettled) {
        (_, true) => "more --budget, for the sizes that were still improving",
        (false, false) => "more --sizes, over a wider range",
        (true, false) if flags.fail_above_class.is_some() => "larger --sizes, to see whether this holds",
        (true, false) => "--fail-above-class makes this a check for CI",
    }
}
