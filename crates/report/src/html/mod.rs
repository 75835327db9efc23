//! `report.html`, one file that needs nothing else. The page is complete without scripts; they add the choice of theme,
//! buttons that copy, and zooming and hovering in flame graphs.

mod chart;
mod cover;
mod element;
pub mod figure;
mod flame;
mod input;
mod pattern;
mod source;
mod summary;
mod tables;

use element::{Element, element};
use serde_json::Value;

pub use cover::{cover_page, suite_page};
pub use source::SourceFile;

use crate::curve::CurveResult;
use crate::names::short_place;
use crate::pattern::PatternResult;
use crate::profile::Profile;
use crate::result::WorstResult;
use crate::text::grouped;

/// What a report is made of.
#[derive(Default)]
pub struct Report<'a> {
    /// The result of one search.
    pub worst: Option<&'a WorstResult>,
    /// The worst case over sizes.
    pub curve: Option<&'a CurveResult>,
    /// Profiles of runs, where the module could be run.
    pub runs: Option<Runs>,
    /// Files beside the page that hold the worst input: paths relative to it, with `/` between directories.
    pub input_files: Vec<String>,
    /// The patterns behind the worst inputs, and the input of the first of them at a small size.
    pub pattern: Option<PatternOf<'a>>,
    /// What the reader must know, for instance that the module has changed since.
    pub warnings: Vec<String>,
}

/// Patterns, and what the input of the first one looks like.
pub struct PatternOf<'a> {
    /// What was found.
    pub result: &'a PatternResult,
    /// A size and the pattern's input of that size, in the form that `--input` takes.
    pub input: Option<(u64, Value)>,
}

/// Profiles of the worst run and of an average one.
pub struct Runs {
    /// The run of the worst input.
    pub worst: Profile,
    /// The run of the random input whose cost is nearest to the average.
    pub average: Option<AverageRun>,
    /// Texts of the source files that the profiles name, as far as they are available.
    pub sources: Vec<SourceFile>,
}

/// A run that represents the average.
pub struct AverageRun {
    /// Its profile.
    pub profile: Profile,
    /// Its cost, in the model that the search maximised.
    pub cost: u64,
}

/// The whole page.
pub fn page(report: &Report<'_>) -> String {
    let mut body = element("body").child(summary::header(report));
    body = body.children(report.warnings.iter().map(|warning| element("p").class("warning").text(warning)));
    let mut main = element("main").children(summary::tiles(report));
    for section in sections(report) {
        main = main.child(section);
    }
    document(&summary::title(report), body.child(main))
}

/// A whole document around what is to be seen.
fn document(title: &str, body: Element) -> String {
    let body = body.child(footer()).child(element("script").raw(include_str!("script.js")));
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
    let head = element("head")
        .child(element("meta").with("charset", "utf-8"))
        .child(element("meta").with("http-equiv", "Content-Security-Policy").with("content", policy))
        .child(element("meta").with("name", "viewport").with("content", "width=device-width, initial-scale=1"))
        .child(element("meta").with("name", "generator").with("content", "pessimum"))
        .child(element("link").with("rel", "icon").with("href", "data:,"))
        .child(element("title").text(title))
        .child(element("style").raw(include_str!("style.css")));
    format!("<!DOCTYPE html>\n{}\n", element("html").with("lang", "en").child(head).child(body))
}

fn footer() -> Element {
    element("footer").text("Costs are counted, not timed. Made by Pessimum; this file loads nothing from elsewhere.")
}

/// A section with its heading; none where there is nothing in it.
fn section(id: &'static str, title: &str, contents: Vec<Element>) -> Option<Element> {
    let heading = element("h2").text(title);
    (!contents.is_empty()).then(|| element("section").with("id", id).child(heading).children(contents))
}

/// What may be wider than the page, in a box that scrolls by itself.
fn scrolled(contents: Element) -> Element {
    element("div").class("scroll").with("tabindex", 0).child(contents)
}

/// A name or place in a table: shortened where it is long, with the whole of it on hover.
fn place(name: &str) -> Element {
    place_in("place", name)
}

/// The same in a cell of this class.
fn place_in(class: &'static str, name: &str) -> Element {
    const MOST: usize = 64;
    let cell = element("td").class(class);
    match short_place(name, MOST, "\u{2026}") {
        short if short == name => cell.text(name),
        short => cell.with("title", name).text(short),
    }
}

fn note(text: impl std::fmt::Display) -> Element {
    element("p").class("note").text(text)
}

fn sections(report: &Report<'_>) -> Vec<Element> {
    let mut sections = Vec::new();
    if let Some(of) = &report.pattern {
        let drawn = of.input.as_ref().map(|(size, input)| (*size, input));
        sections.extend(section("pattern", "Pattern", pattern::contents(of.result, drawn)));
    }
    if let Some(curve) = report.curve {
        let mut contents = summary::growth(curve);
        contents.extend(chart::growth_chart(curve));
        contents.push(tables::curve_points(curve));
        sections.extend(section("growth", "Growth", contents));
    }
    let Some(worst) = report.worst else {
        if let Some(curve) = report.curve {
            sections.extend(section("reproduce", "Settings", tables::curve_settings(curve)));
        }
        return sections;
    };
    let mut drawn = match report.curve {
        Some(_) => summary::of_worst(worst),
        None => Vec::new(),
    };
    drawn.push(input::to_take(&worst.input, &report.input_files));
    drawn.extend(worst.written.as_ref().map(|written| input::written(written, worst.call.as_deref())));
    drawn.extend(input::input(&worst.input, worst.call.as_deref(), worst.written.as_deref()));
    let title = match (report.curve, worst.size) {
        (Some(_), Some(size)) => format!("The worst input at n = {}", grouped(size)),
        _ => "The worst input".to_string(),
    };
    sections.extend(section("input", &title, drawn));
    let mut search: Vec<Element> = chart::search_chart(worst).into_iter().collect();
    search.push(tables::search(worst));
    sections.extend(section("search", "Cost over the search", search));
    match &report.runs {
        Some(runs) => {
            sections.extend(section("calls", "Where the cost is", calls(worst, runs)));
            let average = runs.average.as_ref().map(|run| &run.profile);
            sections.extend(section("lines", "Source lines", source::lines(&runs.worst, average, &runs.sources)));
        }
        None => sections.extend(section("calls", "Where the cost is", tables::saved_places(worst))),
    }
    sections.extend(section("policy", "What the search learnt", tables::policy(worst)));
    sections.extend(section("costs", "All costs of the worst input", vec![tables::costs(worst)]));
    sections.extend(section("solver", "Solver", tables::solver(worst)));
    sections.extend(section("reproduce", "Settings", tables::settings(worst, report.curve)));
    sections
}

fn calls(worst: &WorstResult, runs: &Runs) -> Vec<Element> {
    let measure = flame::Measure::new(&worst.cost.model, &runs.worst);
    let mut contents = Vec::new();
    if measure.model() != worst.cost.model {
        contents.push(note(format!(
            "The search maximised {}, which cannot be divided among calls; the graphs show {}.",
            worst.cost.model,
            measure.model()
        )));
    }
    contents.push(flames(runs, &measure, worst));
    let unit = runs.worst.unit.name();
    if measure.model() != unit {
        let all = flame::Measure::new(unit, &runs.worst);
        let summary = element("summary").text(format!("The same by {unit}"));
        contents.push(element("details").child(summary).child(flames(runs, &all, worst)));
    }
    contents.push(flame::colour_key());
    let average = "The average run is that of the random input whose cost is nearest to the average. ";
    let average = if runs.average.is_some() { average } else { "" };
    contents.push(note(format!(
        "Each row is what the row above it called; widths are shares of one run, so the two graphs have different \
         scales. {average}"
    )));
    contents.push(tables::functions(&runs.worst, runs.average.as_ref().map(|run| &run.profile)));
    contents.push(tables::branches(&runs.worst, runs.average.as_ref().map(|run| &run.profile)));
    contents
}

/// The worst run beside the average one.
fn flames(runs: &Runs, measure: &flame::Measure, worst: &WorstResult) -> Element {
    let unit = if measure.model() == "user" { "of the program's own cost" } else { measure.model() };
    let caption = format!("Worst run: {} {unit}", grouped(measure.total(&runs.worst)));
    let mut pair = element("div").class("pair").child(flame::flame(&runs.worst, measure, &caption));
    if let Some(average) = &runs.average {
        let mut caption = format!("Average run: {} {unit}", grouped(measure.total(&average.profile)));
        if measure.model() != worst.cost.model {
            caption += &format!(" ({} {})", grouped(average.cost), worst.cost.model);
        }
        pair = pair.child(flame::flame(&average.profile, measure, &caption));
    }
    pair
}
