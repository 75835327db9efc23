//! Tables: functions, sites, costs, the solver's layers, what was learnt, settings.

use std::collections::BTreeMap;

use pessimum_outcome::CostModel;

use super::element::{Element, element};
use super::source::share;
use super::{note, place, scrolled};
use crate::certainty;
use crate::curve::{CurveResult, Standing};
use crate::profile::{BranchCost, Profile, Unit};
use crate::result::{LayerUse, WorstResult};
use crate::text::{command_line, counted, grouped, per_cent, seconds};

/// The tables of functions and of sites have at most this many rows.
const ROWS: usize = 15;
/// At most this many rules of a policy are listed.
const RULES: usize = 60;

/// The order in which the solver asks its layers.
const LAYERS: [&str; 13] = [
    "syntactic",
    "witness",
    "order",
    "small-domain",
    "linear",
    "boolean",
    "equality",
    "recent",
    "sampling",
    "middle",
    "bit-blasting",
    "search",
    "float-circuits",
];

enum Cell {
    Text(String),
    Place(String),
    Number(String),
    /// A part and its whole.
    Share(u64, u64),
}

fn table(head: &[(&str, bool)], rows: impl IntoIterator<Item = Vec<Cell>>) -> Element {
    let heading = |&(name, is_number): &(&str, bool)| {
        let cell = element("th").with("scope", "col").text(name);
        if is_number { cell.class("number") } else { cell }
    };
    let cell = |cell: Cell| match cell {
        Cell::Text(text) => element("td").class("words").text(text),
        Cell::Place(name) => place(&name),
        Cell::Number(text) => element("td").class("number").text(text),
        Cell::Share(part, whole) => share(part, whole),
    };
    let rows = rows.into_iter().map(|row| element("tr").children(row.into_iter().map(cell)));
    let table = element("table")
        .child(element("thead").child(element("tr").children(head.iter().map(heading))))
        .child(element("tbody").children(rows));
    scrolled(table)
}

/// Names and values, one row each.
fn pairs(rows: impl IntoIterator<Item = (String, String, bool)>) -> Element {
    let row = |(name, value, is_number): (String, String, bool)| {
        let value = element("td").class(if is_number { "number" } else { "text" }).text(value);
        element("tr").child(element("th").with("scope", "row").text(name)).child(value)
    };
    let rows = rows.into_iter().map(row);
    scrolled(element("table").child(element("tbody").children(rows)))
}

/// Functions, the user's own first, by the instructions that they themselves execute.
pub fn functions(worst: &Profile, average: Option<&Profile>) -> Element {
    let averages: BTreeMap<&str, u64> = average
        .map_or_else(BTreeMap::new, |profile| profile.functions.iter().map(|f| (f.name.as_str(), f.own)).collect());
    let own = format!("own {}", worst.unit.name());
    let mut head =
        vec![("function", false), ("calls", true), (own.as_str(), true), ("", false), ("with callees", true)];
    if average.is_some() {
        head.push(("own, average run", true));
    }
    let shown = worst.functions.iter().filter(|function| function.own > 0);
    let rows = shown.take(ROWS).map(|function| {
        let mut row = vec![
            Cell::Place(function.name.clone()),
            Cell::Number(grouped(function.calls)),
            Cell::Number(grouped(function.own)),
            Cell::Share(function.own, worst.instructions),
            Cell::Number(grouped(function.total)),
        ];
        if average.is_some() {
            row.push(Cell::Number(grouped(averages.get(function.name.as_str()).copied().unwrap_or(0))));
        }
        row
    });
    let mut part = element("div").child(element("h3").text("Functions")).child(table(&head, rows));
    let spent = worst.functions.iter().filter(|function| function.own > 0).count();
    if spent > ROWS {
        let more = counted((spent - ROWS) as u64, "other function was", "other functions were");
        part = part.child(note(format!("{more} called as well.")));
    }
    if !worst.libraries.is_empty() {
        let rows = worst.libraries.iter().map(|library| {
            vec![
                Cell::Text(library.name.clone()),
                Cell::Number(grouped(library.own)),
                Cell::Share(library.own, worst.instructions),
                Cell::Place(library.entered_by.clone().unwrap_or_default()),
            ]
        });
        let head = [("library", false), (worst.unit.name(), true), ("", false), ("called by", false)];
        part = part.child(element("h3").text("Libraries")).child(table(&head, rows));
    }
    part
}

/// Where a branch went, in words.
fn taken(arms: &[u64]) -> String {
    let times: u64 = arms.iter().sum();
    if times == 0 {
        return "never reached".to_string();
    }
    if let [not_taken, taken] = *arms {
        return match (not_taken, taken) {
            (0, _) => "always true".to_string(),
            (_, 0) => "always false".to_string(),
            _ => format!("true {}", per_cent(taken, times)),
        };
    }
    let mut order: Vec<(u64, usize)> = arms.iter().copied().zip(0..).filter(|(count, _)| *count > 0).collect();
    if let [(_, arm)] = order[..] {
        return format!("always case {arm}");
    }
    order.sort_by_key(|&(count, arm)| (std::cmp::Reverse(count), arm));
    let shown: Vec<String> =
        order.iter().take(3).map(|&(count, arm)| format!("case {arm} {}", per_cent(count, times))).collect();
    let more = if order.len() > 3 { format!(" and {} more", order.len() - 3) } else { String::new() };
    shown.join(", ") + &more
}

/// The most executed branches of a run and where they went, beside those of an average run.
pub fn branches(worst: &Profile, average: Option<&Profile>) -> Element {
    let mut order: Vec<(u64, usize)> = worst.branches.iter().map(BranchCost::times).zip(0..).collect();
    order.retain(|(times, _)| *times > 0);
    order.sort_by_key(|&(times, index)| (std::cmp::Reverse(times), index));
    let Some(&(most, _)) = order.first() else {
        // In Python they are not counted where lines are.
        return element("div");
    };
    let mut head = vec![("branch", false), ("executed", true), ("", false), ("condition", false)];
    if average.is_some() {
        head.extend([("average run", true), ("condition", false)]);
    }
    let rows = order.iter().take(ROWS).map(|&(times, index)| {
        let branch = &worst.branches[index];
        let mut row = vec![
            Cell::Place(branch.site.clone()),
            Cell::Number(grouped(times)),
            Cell::Share(times, most),
            Cell::Text(taken(&branch.arms)),
        ];
        if let Some(branch) = average.and_then(|profile| profile.branches.get(index)) {
            row.push(Cell::Number(grouped(branch.times())));
            row.push(Cell::Text(taken(&branch.arms)));
        }
        row
    });
    let mut part = element("div")
        .child(element("h3").text("Most executed branches, and where they went"))
        .child(table(&head, rows));
    if order.len() > ROWS {
        let more = (order.len() - ROWS) as u64;
        part =
            part.child(note(format!("{} executed as well.", counted(more, "other branch was", "other branches were"))));
    }
    part
}

/// The most executed branches.
fn hottest(worst: &WorstResult) -> Element {
    let most = worst.hottest.first().map_or(0, |site| site.count);
    let rows = worst.hottest.iter().take(ROWS).map(|site| {
        vec![Cell::Place(site.site.clone()), Cell::Number(grouped(site.count)), Cell::Share(site.count, most)]
    });
    let head = [("branch", false), ("executed", true), ("", false)];
    element("div").child(element("h3").text("Most executed branches")).child(table(&head, rows))
}

/// What the result itself says about where the cost is, if the module is not available.
pub fn saved_places(worst: &WorstResult) -> Vec<Element> {
    let whole = worst.functions.iter().map(|function| function.total).max().unwrap_or(0);
    let (functions_of, libraries) = (worst.functions.clone(), worst.libraries.clone());
    let unit = Unit::of(&worst.costs);
    let profile = Profile { unit, instructions: whole, functions: functions_of, libraries, ..Profile::default() };
    let mut contents = Vec::new();
    if !worst.functions.is_empty() {
        contents.push(functions(&profile, None));
    }
    if !worst.lines.is_empty() {
        let rows = worst.lines.iter().take(ROWS).map(|line| {
            let place = Cell::Place(format!("{}:{}", line.file, line.line));
            vec![place, Cell::Number(grouped(line.instructions)), Cell::Share(line.instructions, whole)]
        });
        let head = [("source line", false), (unit.name(), true), ("", false)];
        contents.push(element("div").child(element("h3").text("Source lines")).child(table(&head, rows)));
    }
    if !worst.hottest.is_empty() {
        contents.push(hottest(worst));
    }
    contents
}

/// The search in numbers.
pub fn search(worst: &WorstResult) -> Element {
    let mut rows = vec![
        ("paths".to_string(), grouped(worst.paths), true),
        ("decisions".to_string(), grouped(worst.decisions), true),
        ("improvements".to_string(), grouped(worst.progress.len() as u64), true),
        ("time".to_string(), seconds(worst.elapsed_s), true),
    ];
    for (end, count) in &worst.ends {
        rows.push((format!("paths that ended: {end}"), grouped(*count), true));
    }
    let why = match worst.stopped.as_str() {
        "finished" if worst.complete => certainty::EVERY_PATH,
        "finished" => "nothing left to try",
        "paths" => "--paths spent",
        "steps" => "steps spent",
        "time" => "--budget spent",
        "cancelled" => "Ctrl-C",
        other => other,
    };
    rows.push(("end of the search".to_string(), why.to_string(), true));
    pairs(rows)
}

/// Every cost of the worst input; the one that was maximised stands out.
pub fn costs(worst: &WorstResult) -> Element {
    let (mut body, unit) = (element("tbody"), Unit::of(&worst.costs));
    for model in CostModel::ALL {
        let is_counted = match model {
            CostModel::Weighted => worst.costs.weighted.is_some(),
            CostModel::Lines => unit == Unit::Lines,
            // Python counts the first two only if they are asked for, and its memory never.
            CostModel::Instructions | CostModel::Branches | CostModel::Memory if unit == Unit::Lines => {
                model.of(&worst.costs) > 0
            }
            _ => true,
        };
        if !is_counted {
            continue;
        }
        let row = element("tr")
            .child(element("th").with("scope", "row").text(model))
            .child(element("td").class("number").text(grouped(model.of(&worst.costs))))
            .child(element("td").text(meaning(model, unit)));
        body = body.child(if model.name() == worst.cost.model { row.class("chosen") } else { row });
    }
    scrolled(element("table").child(body))
}

fn meaning(model: CostModel, unit: Unit) -> &'static str {
    match model {
        CostModel::Instructions if unit == Unit::Lines => "executed byte codes",
        CostModel::Branches if unit == Unit::Lines => "executed conditional jumps",
        CostModel::Hits if unit == Unit::Lines => "executions of the most executed line",
        CostModel::Instructions => "executed WebAssembly instructions",
        CostModel::Branches => "executed if, br_if and br_table",
        CostModel::Decisions => "branches that depend on the input",
        CostModel::Calls => "calls made",
        CostModel::Depth => "frames on the deepest call stack",
        CostModel::Memory => "bytes of linear memory",
        CostModel::User => "what the program reports itself",
        CostModel::Hits => "executions of the most executed branch",
        CostModel::Weighted => "instructions by the price list",
        CostModel::Lines => "executed source lines",
    }
}

/// Queries by layer.
pub fn solver(worst: &WorstResult) -> Vec<Element> {
    let Some(solver) = &worst.solver else { return Vec::new() };
    let mut layers: Vec<(&String, &LayerUse)> = solver.layers.iter().filter(|(_, layer)| layer.queries > 0).collect();
    if layers.is_empty() {
        return vec![note("The solver was never queried.")];
    }
    layers.sort_by_key(|(name, _)| LAYERS.iter().position(|other| other == name).unwrap_or(LAYERS.len()));
    let rows = layers.into_iter().map(|(name, layer)| {
        let counts = [layer.queries, layer.sat, layer.unsat, layer.gave_up];
        let mut row = vec![Cell::Text(name.clone())];
        row.extend(counts.map(|count| Cell::Number(grouped(count))));
        row.push(Cell::Number(seconds(layer.time_s)));
        row
    });
    let head = [("layer", false), ("queries", true), ("yes", true), ("no", true), ("gave up", true), ("time", true)];
    let unknown = match solver.unknown {
        0 => "none was left open".to_string(),
        unknown => format!("{} left open", counted(unknown, "query was", "queries were")),
    };
    let queries = counted(solver.queries, "query", "queries");
    vec![note(format!("{queries}, each answered by the first layer that can; {unknown}.")), table(&head, rows)]
}

/// The policy in words.
pub fn policy(worst: &WorstResult) -> Vec<Element> {
    let Some(rules) = worst.policy.as_ref().filter(|rules| !rules.is_empty()) else { return Vec::new() };
    let items = rules.iter().take(RULES).map(|rule| element("li").child(element("code").text(rule)));
    let mut contents = vec![
        note("What to do at each branch that depends on the input, to stay on an expensive path:"),
        element("ul").class("policy").children(items),
    ];
    if rules.len() > RULES {
        contents.push(note(format!(
            "and {} in result.json",
            counted((rules.len() - RULES) as u64, "more rule", "more rules")
        )));
    }
    contents
}

fn command(words: &[String]) -> Element {
    let mut all = vec!["pessimum".to_string()];
    all.extend_from_slice(words);
    element("pre").class("wrap").text(command_line(&all))
}

/// Everything that determines the result, and the command that reproduces it.
pub fn settings(worst: &WorstResult, curve: Option<&CurveResult>) -> Vec<Element> {
    let mut rows = vec![("module".to_string(), worst.module.clone(), false)];
    if let Some(call) = &worst.call {
        rows.push(("call".to_string(), call.clone(), false));
    }
    if let Some(size) = worst.size {
        rows.push(("n".to_string(), grouped(size), false));
    }
    rows.extend(worst.sizes.iter().map(|(name, size)| (name.clone(), grouped(*size), false)));
    rows.push(("cost".to_string(), worst.cost.model.clone(), false));
    rows.push(("strategy".to_string(), worst.strategy.clone(), false));
    rows.push(("seed".to_string(), worst.seed.to_string(), false));
    rows.push(("flags of the program".to_string(), command_line(&worst.arguments), false));
    let mut contents = vec![pairs(rows)];
    if !worst.command.is_empty() {
        contents.push(element("h3").text("The command that made this"));
        contents.push(command(&worst.command));
        contents.push(note(
            "With the same seed and --paths the result is the same; with a time limit it depends on the machine.",
        ));
    }
    let run = ["run".to_string()].into_iter().chain(worst.arguments.iter().cloned());
    let run: Vec<String> = run.chain(["--input".to_string(), "input.json".to_string()]).collect();
    contents.push(element("h3").text("Run the worst input again"));
    contents.push(command(&run));
    contents.push(note(
        "Run this in the directory that the module's path is relative to, with the input.json beside this file.",
    ));
    if let Some(curve) = curve {
        contents
            .push(note(format!("The curve was searched with strategy {} and seed {}.", curve.strategy, curve.seed)));
    }
    contents
}

/// The points of a curve.
pub fn curve_points(curve: &CurveResult) -> Element {
    let head = [
        ("n", true),
        ("worst cost", true),
        ("random average", true),
        ("ratio", true),
        ("fit", true),
        ("paths", true),
        ("how sure", false),
    ];
    let standings = Standing::of(&curve.points);
    let rows = curve.points.iter().zip(standings).map(|(point, standing)| {
        let average = point.random.as_ref().map(|random| random.average);
        let ratio =
            average.filter(|average| *average > 0.0).map(|average| crate::text::ratio(point.cost as f64 / average));
        let fitted = curve.worst.fit.as_ref().map(|fit| fit.at(point.size as f64).max(0.0).round());
        let sure = certainty::of_point(point, standing);
        vec![
            Cell::Number(grouped(point.size)),
            Cell::Number(grouped(point.cost)),
            Cell::Number(average.map_or(String::new(), crate::text::average)),
            Cell::Number(ratio.unwrap_or_default()),
            Cell::Number(fitted.filter(|cost| *cost < 1e18).map_or(String::new(), |cost| grouped(cost as u64))),
            Cell::Number(grouped(point.paths)),
            Cell::Text(sure),
        ]
    });
    let mut part = element("div").child(table(&head, rows));
    for missing in &curve.missing {
        part = part.child(note(format!("n = {} is missing: {}.", missing.size, missing.why)));
    }
    part
}

/// Settings of a curve that has no single result beside it.
pub fn curve_settings(curve: &CurveResult) -> Vec<Element> {
    let mut rows = vec![("module".to_string(), curve.module.clone(), false)];
    if let Some(call) = &curve.call {
        rows.push(("call".to_string(), call.clone(), false));
    }
    rows.push(("cost".to_string(), curve.cost.clone(), false));
    rows.push(("strategy".to_string(), curve.strategy.clone(), false));
    rows.push(("seed".to_string(), curve.seed.to_string(), false));
    rows.push(("flags of the program".to_string(), command_line(&curve.arguments), false));
    vec![pairs(rows)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_in_words() {
        let cases: [(&[u64], &str); 7] = [
            (&[0, 0], "never reached"),
            (&[0, 7], "always true"),
            (&[7, 0], "always false"),
            (&[1, 3], "true 75.0 %"),
            (&[0, 0, 2], "always case 2"),
            (&[0, 6, 2], "case 1 75.0 %, case 2 25.0 %"),
            (&[1, 1, 1, 1], "case 0 25.0 %, case 1 25.0 %, case 2 25.0 % and 1 more"),
        ];
        for (arms, expected) in cases {
            assert_eq!(taken(arms), expected);
        }
    }
}
