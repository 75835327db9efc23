//! What a reader sees first: the program, the worst cost, how it compares, how sure it is.

use super::Report;
use super::element::{Element, element};
use pessimum_outcome::{End, Limit};

use crate::certainty;
use crate::curve::CurveResult;
use crate::fit::{Fit, Growth};
use crate::result::{OtherInput, WorstResult};
use crate::text::{average, counted, grouped, ratio, seconds};

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or(path)
}

/// What was run: file and call.
fn subject(report: &Report<'_>) -> (String, Option<String>) {
    match (report.worst, report.curve) {
        (Some(worst), _) => (worst.module.clone(), worst.call.clone()),
        (None, Some(curve)) => (curve.module.clone(), curve.call.clone()),
        (None, None) => match &report.pattern {
            Some(of) => (of.result.module.clone(), of.result.call.clone()),
            None => ("nothing".to_string(), None),
        },
    }
}

/// The size, or the sizes of a curve.
fn sizes(report: &Report<'_>) -> String {
    if let Some(curve) = report.curve {
        return match (curve.points.first(), curve.points.last()) {
            (Some(first), Some(last)) => format!(", n = {} to {}", grouped(first.size), grouped(last.size)),
            _ => String::new(),
        };
    }
    let size = report.worst.and_then(|worst| worst.size);
    size.map_or(String::new(), |size| format!(" at n = {}", grouped(size)))
}

/// The title of the page.
pub fn title(report: &Report<'_>) -> String {
    format!("Worst case of {}{}", file_name(&subject(report).0), sizes(report))
}

/// The name of the program, and the button for the theme.
pub fn header(report: &Report<'_>) -> Element {
    let (module, call) = subject(report);
    let name = element("span").class("mono").text(file_name(&module));
    let heading = element("h1").text("Worst case of ").child(name).text(sizes(report));
    let started = call.unwrap_or("as a command".to_string());
    let subtitle = element("p").class("subtitle").child(element("code").text(&module)).text(", ");
    let subtitle = subtitle.child(element("code").text(started));
    let kicker = element("p").class("kicker").text("Pessimum report");
    let toggle = element("button").with("type", "button").with("id", "theme").with("hidden", "").text("Dark");
    element("header")
        .class("top")
        .child(element("div").child(kicker).child(heading).child(subtitle))
        .child(toggle.with("aria-label", "Switch between light and dark"))
}

fn tile(name: &str, value: impl std::fmt::Display, class: &'static str, more: &str) -> Element {
    let value = element("dd").class(class).formula(&value.to_string());
    let tile = element("div").class("tile").child(element("dt").text(name)).child(value);
    if more.is_empty() { tile } else { tile.child(element("dd").class("more").text(more)) }
}

/// The figures that matter most: those of the curve, where there is one.
pub fn tiles(report: &Report<'_>) -> Vec<Element> {
    match (report.curve, report.worst) {
        (Some(curve), _) => vec![element("dl").class("tiles").children(curve_tiles(curve))],
        (None, Some(worst)) => of_worst(worst),
        (None, None) => Vec::new(),
    }
}

/// The figures of one search.
pub fn of_worst(worst: &WorstResult) -> Vec<Element> {
    let mut elements = vec![element("dl").class("tiles").children(worst_tiles(worst))];
    elements.extend(unusual_end(worst).map(|end| element("p").class("warning").text(end)));
    elements.extend(worst.ended.as_ref().map(|ended| element("p").text(most_that_ended(ended, worst))));
    elements.extend(worst.trapped.as_ref().map(|trapped| element("p").class("warning").text(crash(trapped, worst))));
    elements
}

/// The costliest input that crashes the program, beside one that does not.
fn crash(trapped: &OtherInput, worst: &WorstResult) -> String {
    let (cost, unit) = (grouped(trapped.cost), unit(&worst.cost.model));
    let details = details(trapped.why.as_deref(), trapped.at.as_deref());
    format!("Another input crashes the program after {cost} {unit} ({}){details}. It is in trapped.json.", trapped.end)
}

/// The costliest input whose run ended, beside one that was cut off.
fn most_that_ended(ended: &OtherInput, worst: &WorstResult) -> String {
    let (cost, unit) = (grouped(ended.cost), unit(&worst.cost.model));
    let input = match &ended.written {
        Some(written) => written.join(", "),
        None => ended.input.to_string(),
    };
    format!("Of the runs that ended, the costliest takes {cost} {unit}: {input}")
}

/// Why and where a program crashed.
fn details(why: Option<&str>, at: Option<&str>) -> String {
    let why = why.map_or(String::new(), |why| format!(": {why}"));
    why + &at.map_or(String::new(), |at| format!(", in {at}"))
}

fn unusual_end(worst: &WorstResult) -> Option<String> {
    let end = &worst.end;
    let details = details(worst.why.as_deref(), worst.at.as_deref());
    if worst.always {
        let why = "since it does not depend on the input, the call is probably wrong";
        return Some(format!("Every input that was run crashes the program ({end}){details}; {why}."));
    }
    if end.starts_with("trapped") {
        return Some(format!("This input crashes the program ({end}){details}."));
    }
    if let Some(recurs) = worst.recurs {
        return Some(format!("The run of this input {}.", certainty::never_ends(recurs)));
    }
    match end.parse() {
        Ok(End::Limit(Limit::Budget | Limit::Worker)) => {
            Some(format!("The run of this input was cut off ({end}): what it costs is not known."))
        }
        Ok(End::Limit(_)) => {
            Some(format!("The run of this input was cut off ({end}{details}); it may not end at all."))
        }
        _ => None,
    }
}

fn unit(model: &str) -> &str {
    if model == "user" { "(the program's own cost)" } else { model }
}

fn worst_tiles(worst: &WorstResult) -> Vec<Element> {
    let cost = worst.cost.value;
    let is_cut = worst.end.parse().is_ok_and(End::is_cut);
    let shown = if is_cut { format!("at least {}", grouped(cost)) } else { grouped(cost) };
    let mut tiles = vec![tile("Worst cost found", shown, "worst", unit(&worst.cost.model))];
    if let Some(random) = &worst.random {
        let times = |other: f64| {
            if other > 0.0 { format!("{} \u{d7}", ratio(cost as f64 / other)) } else { "more than".to_string() }
        };
        let average =
            format!("{} over {}", average(random.average), counted(random.inputs, "random input", "random inputs"));
        tiles.push(tile("Against the random average", times(random.average), "plain", &average));
        let highest = format!("{} was the most that any of them cost", grouped(random.highest));
        tiles.push(tile("Against the highest random", times(random.highest as f64), "plain", &highest));
    } else {
        let why = "no input may vary, or the runs are too long";
        tiles.push(tile("Against random inputs", "not compared", "words", why));
    }
    let (sure, why) = how_sure(worst);
    tiles.push(tile("How sure", sure, "words", &why));
    tiles
}

/// How much a reader may rely on the cost being the worst, and why.
fn how_sure(worst: &WorstResult) -> (String, String) {
    let paths = counted(worst.paths, "path", "paths");
    let elapsed = seconds(worst.elapsed_s);
    if worst.complete {
        return certainty::heading(worst.every_input, worst.paths, worst.elapsed_s, worst.domain.as_deref());
    }
    if worst.stopped == "finished" {
        return (
            "Nothing left to try".to_string(),
            format!("the strategy ended on its own: best of {paths} in {elapsed}"),
        );
    }
    let Some(&(at, path, _)) = worst.progress.last() else {
        return ("Unknown".to_string(), format!("best of {paths} in {elapsed}"));
    };
    let quiet = worst.elapsed_s - at;
    let found = format!("best of {paths} in {elapsed}; found after {}, at path {}", seconds(at), grouped(path));
    match quiet > worst.elapsed_s / 2.0 {
        true => (format!("Nothing better for {}", seconds(quiet)), found),
        false => ("Still improving when it ended".to_string(), found),
    }
}

fn class_of(growth: &Growth) -> String {
    let none = if growth.uncounted.is_some() { "not stated" } else { "not enough data" };
    growth.class.map_or(none.to_string(), |class| class.to_string())
}

fn curve_tiles(curve: &CurveResult) -> Vec<Element> {
    let words = |growth: &Growth| match (&growth.class, &growth.why_not) {
        (Some(class), _) => class.word().unwrap_or("fitted over the sizes").to_string(),
        (None, Some(why)) => why.clone(),
        (None, None) => String::new(),
    };
    let verdict = curve.verdict();
    let class = if verdict.grown.is_some() { "worst" } else { "words" };
    let (name, grows, more) = certainty::growth_of(&verdict);
    let mut tiles = vec![tile(name, grows, class, &more)];
    if let Some(random) = &curve.random {
        let class = if random.class.is_some() { "plain" } else { "words" };
        tiles.push(tile(certainty::RANDOM_GROWS, class_of(random), class, &words(random)));
    }
    let (name, settled, more) = certainty::settled_sizes(curve);
    tiles.push(tile(name, settled, "plain", &more));
    tiles
}

fn fit_sentence(name: &str, fit: &Fit) -> Element {
    let error = match 100.0 * fit.error {
        error if error < 0.05 => "less than 0.1 %".to_string(),
        error => format!("{error:.1} %"),
    };
    let quality = format!(
        ". A size predicted from the others is off by {error} (root mean square); R\u{b2} = {:.4}.",
        fit.r_squared
    );
    element("p").text(format!("{name}: ")).formula(&fit.formula()).text(quality)
}

/// The fits in words.
pub fn growth(curve: &CurveResult) -> Vec<Element> {
    let mut contents = Vec::new();
    if let Some(why) = &curve.worst.why_not {
        contents.push(element("p").text(format!("No class is claimed: {why}.")));
    }
    contents.extend(curve.worst.fit.as_ref().map(|fit| fit_sentence("Best fit", fit)));
    contents.extend(curve.worst.runner_up.as_ref().map(|fit| fit_sentence("Runner-up", fit)));
    let random = curve.random.as_ref().and_then(|growth| growth.fit.as_ref());
    contents.extend(random.map(|fit| fit_sentence("Random average", fit)));
    contents
}
