//! What a reader sees first: the program, the worst cost, how it compares, how sure it is.

use super::Report;
use super::element::{Element, element};
use super::text::{counted, grouped, ratio, seconds};
use crate::curve::CurveResult;
use crate::fit::{Fit, Growth};
use crate::result::WorstResult;

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or(path)
}

/// What was run: file, call, size.
fn subject(report: &Report<'_>) -> (String, Option<String>, Option<u64>) {
    match (report.worst, report.curve) {
        (Some(worst), _) => (worst.module.clone(), worst.call.clone(), worst.size),
        (None, Some(curve)) => (curve.module.clone(), curve.call.clone(), None),
        (None, None) => ("nothing".to_string(), None, None),
    }
}

/// The title of the page.
pub fn title(report: &Report<'_>) -> String {
    let (module, _, size) = subject(report);
    let size = size.map_or(String::new(), |size| format!(" at n = {size}"));
    format!("Worst case of {}{size}", file_name(&module))
}

/// Name of the program and the button for the theme.
pub fn header(report: &Report<'_>) -> Element {
    let (module, call, size) = subject(report);
    let mut heading =
        element("h1").text("Worst case of ").child(element("span").class("mono").text(file_name(&module)));
    if let Some(size) = size {
        heading = heading.text(format!(" at n = {}", grouped(size)));
    }
    let started = call.map_or("as a command".to_string(), |call| call.to_string());
    let subtitle = element("p")
        .class("subtitle")
        .child(element("code").text(&module))
        .text(", ")
        .child(element("code").text(started));
    let kicker = element("p").class("kicker").text("Pessimum report");
    let toggle = element("button").with("type", "button").with("id", "theme").with("hidden", "").text("Dark");
    element("header")
        .class("top")
        .child(element("div").child(kicker).child(heading).child(subtitle))
        .child(toggle.with("aria-label", "Change between light and dark"))
}

fn tile(name: &str, value: impl std::fmt::Display, class: &'static str, more: &str) -> Element {
    let tile =
        element("div").class("tile").child(element("dt").text(name)).child(element("dd").class(class).text(value));
    if more.is_empty() { tile } else { tile.child(element("dd").class("more").text(more)) }
}

/// The figures that matter most.
pub fn tiles(report: &Report<'_>) -> Vec<Element> {
    let mut tiles = element("dl").class("tiles");
    if let Some(worst) = report.worst {
        tiles = tiles.children(worst_tiles(worst));
    }
    if let Some(curve) = report.curve {
        tiles = tiles.children(curve_tiles(curve));
    }
    let mut elements = vec![tiles];
    if let Some(worst) = report.worst
        && let Some(end) = unusual_end(&worst.end)
    {
        elements.push(element("p").class("warning").text(end));
    }
    elements
}

fn unusual_end(end: &str) -> Option<String> {
    if end.starts_with("trapped") {
        return Some(format!("The run of this input ended so: {end}. It crashes the program."));
    }
    end.starts_with("limit").then(|| format!("The run of this input was cut off ({end}); it may not end at all."))
}

fn unit(model: &str) -> &str {
    if model == "user" { "(the program's own cost)" } else { model }
}

fn worst_tiles(worst: &WorstResult) -> Vec<Element> {
    let cost = worst.cost.value;
    let mut tiles = vec![tile("Worst cost found", grouped(cost), "worst", unit(&worst.cost.model))];
    if let Some(random) = &worst.random {
        let times = |other: f64| {
            if other > 0.0 { format!("{} \u{d7}", ratio(cost as f64 / other)) } else { "more than".to_string() }
        };
        let average = format!(
            "{} over {}",
            grouped(random.average.round() as u64),
            counted(random.inputs, "random input", "random inputs")
        );
        tiles.push(tile("Against the random average", times(random.average), "plain", &average));
        let highest = format!("{} was the most that any of them cost", grouped(random.highest));
        tiles.push(tile("Against the highest random", times(random.highest as f64), "plain", &highest));
    } else {
        let why = "no input may vary, or its runs are too long";
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
        return ("Certain".to_string(), format!("every feasible path was seen: {paths} in {elapsed}"));
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
    growth.class.map_or("not enough data".to_string(), |class| class.to_string())
}

fn curve_tiles(curve: &CurveResult) -> Vec<Element> {
    let words = |growth: &Growth| match (&growth.class, &growth.why_not) {
        (Some(class), _) => class.word().unwrap_or("fitted over the sizes").to_string(),
        (None, Some(why)) => why.clone(),
        (None, None) => String::new(),
    };
    let class = if curve.worst.class.is_some() { "worst" } else { "words" };
    let mut tiles = vec![tile("Worst case grows as", class_of(&curve.worst), class, &words(&curve.worst))];
    if let Some(random) = &curve.random {
        let class = if random.class.is_some() { "plain" } else { "words" };
        tiles.push(tile("Random average grows as", class_of(random), class, &words(random)));
    }
    let settled = curve.points.iter().filter(|point| point.is_settled()).count();
    let complete = curve.points.iter().filter(|point| point.complete).count();
    let sizes = counted(curve.points.len() as u64, "size", "sizes");
    let more = format!("{complete} of them certain; searched for {}", seconds(curve.elapsed_s));
    tiles.push(tile("Sizes that were settled", format!("{settled} of {sizes}"), "plain", &more));
    tiles
}

fn fit_sentence(name: &str, fit: &Fit) -> String {
    format!(
        "{name}: {} \u{2248} {}; each size is predicted from the others within {:.1} % (root mean square), R\u{b2} = {:.4}.",
        fit.class,
        fit.formula(),
        100.0 * fit.error,
        fit.r_squared
    )
}

/// The fits in words.
pub fn growth(curve: &CurveResult) -> Vec<Element> {
    let mut contents = Vec::new();
    let mut say = |text: String| contents.push(element("p").text(text));
    if let Some(why) = &curve.worst.why_not {
        say(format!("No class is claimed: {why}."));
    }
    if let Some(fit) = &curve.worst.fit {
        say(fit_sentence("Best fit", fit));
    }
    if let Some(fit) = &curve.worst.runner_up {
        say(fit_sentence("Runner-up", fit));
    }
    if let Some(fit) = curve.random.as_ref().and_then(|growth| growth.fit.as_ref()) {
        say(fit_sentence("Random average", fit));
    }
    contents
}
