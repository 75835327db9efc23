//! Charts as SVG: axes with round numbers, the growth chart, the cost over the time of the search.

use super::element::{Element, element};
use super::scrolled;
use crate::certainty;
use crate::curve::CurveResult;
use crate::fit::{Fit, Growth};
use crate::pattern::{How, PatternResult};
use crate::result::WorstResult;
use crate::text::{average as average_text, axis_number, grouped, seconds};

const WIDTH: f64 = 1040.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;

/// A range of values, and the mapping from values to positions.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub low: f64,
    pub high: f64,
    pub logarithmic: bool,
    pub from: f64,
    pub to: f64,
}

impl Axis {
    pub fn place(&self, value: f64) -> f64 {
        let at = |x: f64| if self.logarithmic { x.max(f64::MIN_POSITIVE).log10() } else { x };
        let (low, high) = (at(self.low), at(self.high));
        let part = if high > low { (at(value) - low) / (high - low) } else { 0.5 };
        self.from + part.clamp(-0.05, 1.05) * (self.to - self.from)
    }

    /// Round values in the range, about `count` of them.
    pub fn ticks(&self, count: usize) -> Vec<f64> {
        if self.logarithmic {
            let (low, high) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
            let mantissas: &[f64] = match high - low {
                0..=1 => &[1.0, 2.0, 3.0, 5.0, 7.0],
                2 => &[1.0, 2.0, 5.0],
                3..=4 => &[1.0, 3.0],
                _ => &[1.0],
            };
            let step = ((high - low) as usize / count).max(1);
            let powers = (low..=high).step_by(step);
            let all = powers.flat_map(|power| mantissas.iter().map(move |m| m * 10f64.powi(power)));
            let slack = 1.0 + 1e-9;
            return all.filter(|&tick| tick >= self.low / slack && tick <= self.high * slack).collect();
        }
        let step = round_step((self.high - self.low) / count as f64);
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|k| k as f64 * step).collect()
    }
}

/// The smallest of 1, 2, 5, 10, ... that is not below this.
fn round_step(least: f64) -> f64 {
    if least.is_nan() || least <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9)).unwrap_or(10.0);
    factor * power
}

/// An axis from 0 to a round number that is not below this.
fn from_zero(most: f64, from: f64, to: f64) -> Axis {
    let step = round_step(most.max(1.0) / 5.0);
    Axis { low: 0.0, high: (most.max(1.0) / step - 1e-9).ceil() * step, logarithmic: false, from, to }
}

/// A logarithmic axis from a little below the least value to a little above the greatest: nothing lies on its ends.
fn around(least: f64, most: f64, from: f64, to: f64) -> Axis {
    Axis { low: least / 1.3, high: most * 1.1, logarithmic: true, from, to }
}

pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

pub(super) fn line(class: &'static str, x1: f64, y1: f64, x2: f64, y2: f64) -> Element {
    let ends = [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)];
    ends.into_iter().fold(element("line").class(class), |line, (name, value)| line.with(name, number(value)))
}

pub(super) fn label(x: f64, y: f64, anchor: &str, text: impl std::fmt::Display) -> Element {
    element("text").with("x", number(x)).with("y", number(y)).with("text-anchor", anchor).text(text)
}

pub(super) fn polyline(class: &'static str, points: &[(f64, f64)]) -> Element {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
    element("polyline").class(class).with("points", points.join(" "))
}

/// The frame of a chart: grid, axes, their labels.
fn frame(x: &Axis, y: &Axis, name: &str, x_text: impl Fn(f64) -> String, x_label: &str, y_label: &str) -> Element {
    let mut chart = element("svg")
        .class("chart")
        .with("viewBox", format!("0 0 {WIDTH} {HEIGHT}"))
        .with("role", "img")
        .with("aria-label", name)
        .child(element("title").text(name));
    for tick in y.ticks(5) {
        let at = y.place(tick);
        chart = chart.child(line("grid", LEFT, at, WIDTH - RIGHT, at));
        chart = chart.child(label(LEFT - 8.0, at + 4.0, "end", axis_number(tick)));
    }
    for tick in x.ticks(8) {
        let at = x.place(tick);
        chart = chart.child(line("axis", at, y.from, at, y.from + 4.0));
        chart = chart.child(label(at, y.from + 18.0, "middle", x_text(tick)));
    }
    let middle = (x.from + x.to) / 2.0;
    chart
        .child(line("axis", LEFT, y.from, WIDTH - RIGHT, y.from))
        .child(label(middle, HEIGHT - 6.0, "middle", x_label))
        .child(label(LEFT - 8.0, TOP - 4.0, "start", y_label).with("dx", 12))
}

/// Values whose ends differ by this factor are drawn on a logarithmic axis, so that the small ones can be told apart.
const WIDE_COSTS: f64 = 20.0;
const WIDE_SIZES: f64 = 6.0;

/// A chart, or two with a choice between them: on logarithmic axes first, then on linear ones. `id` tells the choices
/// of a page apart. The choice works without scripts.
fn choice(id: &'static str, charts: Vec<Element>, legend: Element) -> Element {
    if charts.len() < 2 {
        return element("figure").children(charts.into_iter().map(scrolled)).child(legend);
    }
    let mut figure = element("figure").class("choice");
    for (index, name) in ["logarithmic", "linear"].into_iter().enumerate() {
        let each = format!("{id}-{name}");
        let radio = element("input").with("type", "radio").with("name", id).with("id", &each);
        let radio = if index == 0 { radio.with("checked", "") } else { radio };
        figure = figure.child(radio).child(element("label").with("for", each).text(name));
    }
    figure.children(charts.into_iter().map(scrolled)).child(legend)
}

fn legend(entries: Vec<(&'static str, bool, String)>) -> Element {
    let entry = |(class, is_mark, text): (&'static str, bool, String)| {
        let sample = match is_mark {
            true => element("circle").class(class).with("cx", 11).with("cy", 6).with("r", 4),
            false => line(class, 1.0, 6.0, 21.0, 6.0),
        };
        let sample = element("svg").with("width", 22).with("height", 12).with("aria-hidden", "true").child(sample);
        element("li").child(sample).formula(&text)
    };
    element("ul").class("legend").children(entries.into_iter().map(entry))
}

/// The best cost against the time of the search.
pub fn search_chart(result: &WorstResult) -> Option<Element> {
    let (&(.., first), &(.., best)) = (result.progress.first()?, result.progress.last()?);
    let random = result.random.as_ref();
    let least = random.map_or(first as f64, |random| random.average.min(first as f64));
    let most = random.map_or(best, |random| random.highest.max(best)) as f64;
    let wide = least >= 1.0 && most / least >= WIDE_COSTS;
    let bottom_top = (HEIGHT - BOTTOM, TOP + 12.0);
    let linear = from_zero(most, bottom_top.0, bottom_top.1);
    let logarithmic = || around(least, most, bottom_top.0, bottom_top.1);
    let axes: Vec<Axis> = wide.then(logarithmic).into_iter().chain([linear]).collect();
    let charts = axes.iter().map(|y| search_over_time(result, y)).collect();
    let mut entries = vec![("worst-line", false, format!("best input so far ({})", grouped(best)))];
    if let Some(random) = random {
        entries.push(("average-line", false, format!("average of random inputs ({})", average_text(random.average))));
        entries.push(("third-line", false, format!("highest of random inputs ({})", grouped(random.highest))));
    }
    Some(choice("search-axes", charts, legend(entries)))
}

fn search_over_time(result: &WorstResult, y: &Axis) -> Element {
    let first = result.progress.first().map_or(0.0, |step| step.0);
    let best = result.progress.last().map_or(0, |step| step.2);
    let elapsed = result.elapsed_s.max(1e-4);
    // Most improvements come early: a linear axis would show them as one jump.
    let earliest = first.max(elapsed / 1e5).min(elapsed / 2.0);
    let logarithmic = earliest < elapsed / 30.0;
    let low = if logarithmic { earliest } else { 0.0 };
    let x = Axis { low, high: elapsed, logarithmic, from: LEFT, to: WIDTH - RIGHT };
    let unit = &result.cost.model;
    let name = format!("Best cost over the time of the search, up to {} {unit}", grouped(best));
    let x_label = if logarithmic { "seconds since the start (logarithmic)" } else { "seconds since the start" };
    let y_label = if y.logarithmic { format!("{unit} (logarithmic)") } else { unit.clone() };
    let mut chart = frame(&x, y, &name, axis_number, x_label, &y_label);
    let mut points = Vec::new();
    let mut before: Option<f64> = None;
    for &(at, _, cost) in &result.progress {
        let (px, py) = (x.place(at.max(low)), y.place(cost as f64));
        if let Some(before) = before {
            points.push((px, before));
        }
        points.push((px, py));
        before = Some(py);
    }
    points.push((x.place(elapsed), y.place(best as f64)));
    let mut area = points.clone();
    area.push((x.place(elapsed), y.from));
    area.push((points[0].0, y.from));
    let area: Vec<String> = area.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
    chart = chart.child(element("polygon").class("worst-area").with("points", area.join(" ")));
    if let Some(random) = &result.random {
        let (average, highest) = (y.place(random.average), y.place(random.highest as f64));
        chart = chart.child(line("average-line", LEFT, average, WIDTH - RIGHT, average));
        chart = chart.child(line("third-line", LEFT, highest, WIDTH - RIGHT, highest));
    }
    chart = chart.child(polyline("worst-line", &points));
    if result.progress.len() <= 200 {
        for &(at, paths, cost) in &result.progress {
            let title = format!("{} {unit} after {}, {} paths", grouped(cost), seconds(at), grouped(paths));
            let mark = element("circle").class("worst-mark").with("r", 3).child(element("title").text(title));
            chart = chart.child(mark.with("cx", number(x.place(at.max(low)))).with("cy", number(y.place(cost as f64))));
        }
    }
    chart
}

/// A fitted curve between two sizes.
fn fitted(fit: &Fit, class: &'static str, x: &Axis, y: &Axis) -> Element {
    const STEPS: u32 = 120;
    let low = x.low.max(fit.from as f64).max(1.0);
    let at = |step: u32| {
        let part = f64::from(step) / f64::from(STEPS);
        if x.logarithmic { low * (x.high / low).powf(part) } else { low + (x.high - low) * part }
    };
    let points = (0..=STEPS).map(at).map(|n| (n, fit.at(n)));
    let shown = points.filter(|(_, cost)| *cost >= y.low && *cost <= y.high * 1.02);
    let points: Vec<(f64, f64)> = shown.map(|(n, cost)| (x.place(n), y.place(cost))).collect();
    polyline(class, &points)
}

fn described(growth: &Growth) -> String {
    match (&growth.class, &growth.fit) {
        (Some(_), Some(fit)) => fit.formula(),
        (Some(class), None) => class.to_string(),
        (None, Some(fit)) => format!("{}, nearest", fit.formula()),
        (None, None) => "not enough data".to_string(),
    }
}

/// The worst case against the size, with its fit, the runner-up and the random average.
pub fn growth_chart(curve: &CurveResult) -> Option<Element> {
    let (first, last) = (curve.points.first()?, curve.points.last()?);
    let costs = curve.points.iter().map(|point| point.cost);
    let averages = curve.points.iter().filter_map(|point| point.random.as_ref().map(|random| random.average));
    let most = costs.clone().max()? as f64;
    let least = averages.clone().chain(costs.map(|cost| cost as f64)).fold(f64::INFINITY, f64::min).max(1.0);
    let wide_costs = most / least >= WIDE_COSTS;
    let wide_sizes = last.size as f64 / first.size.max(1) as f64 >= WIDE_SIZES;
    let (left, right) = (LEFT, WIDTH - RIGHT);
    let (bottom, top) = (HEIGHT - BOTTOM, TOP + 12.0);
    let linear_sizes = Axis { low: 0.0, high: last.size as f64, logarithmic: false, from: left, to: right };
    let linear_costs = from_zero(most, bottom, top);
    let mut charts = Vec::new();
    if wide_sizes || wide_costs {
        let low = first.size.max(1) as f64;
        let sizes = Axis { low, high: last.size as f64, logarithmic: true, from: left, to: right };
        let sizes = if wide_sizes { sizes } else { linear_sizes };
        let costs = if wide_costs { around(least, most, bottom, top) } else { linear_costs };
        charts.push(growth_over_sizes(curve, &sizes, &costs));
    }
    charts.push(growth_over_sizes(curve, &linear_sizes, &linear_costs));
    let mut entries = vec![("worst-mark", true, "worst case found".to_string())];
    if curve.worst.fit.is_some() {
        entries.push(("worst-line", false, described(&curve.worst)));
    }
    if let Some(fit) = &curve.worst.runner_up {
        entries.push(("third-line", false, format!("runner-up: {}", fit.formula())));
    }
    if averages.clone().next().is_some() {
        entries.push(("average-mark", true, "average of random inputs".to_string()));
        if let Some(growth) = &curve.random {
            entries.push(("average-fit", false, described(growth)));
        }
    }
    Some(choice("growth-axes", charts, legend(entries)))
}

/// What searches found and what the first pattern costs far beyond them, both axes logarithmic.
pub fn pattern_chart(result: &PatternResult) -> Option<Element> {
    let first = result.patterns.first()?;
    let sizes = result.points.iter().map(|&(size, ..)| size.max(1) as f64);
    let costs = result.points.iter().map(|&(_, cost, _)| cost.max(1) as f64);
    let (low, high) = (sizes.clone().fold(f64::INFINITY, f64::min), sizes.fold(1.0, f64::max));
    let (least, most) = (costs.clone().fold(f64::INFINITY, f64::min), costs.fold(1.0, f64::max));
    if low >= high || least >= most {
        return None;
    }
    let x = Axis { low, high, logarithmic: true, from: LEFT, to: WIDTH - RIGHT };
    let y = around(least, most, HEIGHT - BOTTOM, TOP + 12.0);
    let name = format!("Cost of the pattern against size: {}", described(&first.growth));
    let y_label = format!("{} (logarithmic)", result.cost);
    let mut chart = frame(&x, &y, &name, axis_number, "n (logarithmic)", &y_label);
    if let Some(fit) = &first.growth.fit {
        chart = chart.child(fitted(fit, "worst-line", &x, &y));
    }
    for &(size, cost, how) in &result.points {
        let (class, words) = match how {
            How::Searched => ("third-mark", "searched"),
            How::Generated => ("worst-mark", "pattern"),
            How::Random => ("average-mark", "random inputs"),
        };
        let (at, height) = (x.place(size.max(1) as f64), y.place(cost.max(1) as f64));
        let mark = element("circle").class(class).with("cx", number(at)).with("cy", number(height)).with("r", 4.5);
        let title = format!("n = {size}: {words} {} {}", grouped(cost), result.cost);
        chart = chart.child(mark.child(element("title").text(title)));
    }
    let mut entries = vec![("worst-mark", true, "the pattern's input".to_string())];
    entries.push(("worst-line", false, described(&first.growth)));
    let has = |wanted: How| result.points.iter().any(|&(_, _, how)| how == wanted);
    if has(How::Searched) {
        entries.push(("third-mark", true, "worst case found by searching".to_string()));
    }
    if has(How::Random) {
        entries.push(("average-mark", true, "average of random inputs".to_string()));
    }
    Some(choice("pattern-axes", vec![chart], legend(entries)))
}

fn growth_over_sizes(curve: &CurveResult, x: &Axis, y: &Axis) -> Element {
    let name = format!("Worst case against size: {}", described(&curve.worst));
    let y_label = if y.logarithmic { format!("{} (logarithmic)", curve.cost) } else { curve.cost.clone() };
    let x_label = if x.logarithmic { "n (logarithmic)" } else { "n" };
    let mut chart = frame(x, y, &name, axis_number, x_label, &y_label);
    if let Some(fit) = &curve.worst.runner_up {
        chart = chart.child(fitted(fit, "third-line", x, y));
    }
    if let Some(fit) = &curve.worst.fit {
        chart = chart.child(fitted(fit, "worst-line", x, y));
    }
    if let Some(fit) = curve.random.as_ref().and_then(|growth| growth.fit.as_ref()) {
        chart = chart.child(fitted(fit, "average-fit", x, y));
    }
    for point in &curve.points {
        let at = x.place(point.size as f64);
        let mark = |class: &'static str, cost: f64, title: String| {
            let mark = element("circle").class(class).with("cx", number(at)).with("cy", number(y.place(cost)));
            mark.with("r", 4.5).child(element("title").text(title))
        };
        if let Some(random) = &point.random {
            let title = format!("n = {}: average of {} random inputs {:.0}", point.size, random.inputs, random.average);
            chart = chart.child(mark("average-mark", random.average, title));
        }
        let sure = certainty::in_brackets(point.complete, point.domain.as_deref());
        let title = format!("n = {}: {} {}{sure}", point.size, grouped(point.cost), curve.cost);
        chart = chart.child(mark("worst-mark", point.cost as f64, title));
    }
    chart
}

/// Numbers as bars; where there are more of them than columns, each column shows the range of its numbers.
pub fn bars(numbers: &[f64], name: &str) -> Element {
    const COLUMNS: usize = 200;
    const BARS_HEIGHT: f64 = 170.0;
    let per_column = numbers.len().div_ceil(COLUMNS).max(1);
    let most = numbers.iter().copied().fold(0.0, f64::max);
    let least = numbers.iter().copied().fold(0.0, f64::min);
    let (most, least) = if most == least { (1.0, 0.0) } else { (most, least) };
    let y = Axis { low: least, high: most, logarithmic: false, from: BARS_HEIGHT - 20.0, to: 8.0 };
    let columns = numbers.len().div_ceil(per_column).max(1);
    let step = ((WIDTH - LEFT - RIGHT) / columns as f64).min(28.0);
    let gap = if step > 6.0 {
        2.0
    } else if step > 3.5 {
        1.0
    } else {
        0.0
    };
    let mut chart = element("svg")
        .class("chart")
        .with("viewBox", format!("0 0 {WIDTH} {BARS_HEIGHT}"))
        .with("role", "img")
        .with("aria-label", name)
        .child(element("title").text(name));
    let mut marks = vec![most, least, 0.0];
    marks.dedup();
    let mut taken: Vec<f64> = Vec::new();
    for mark in marks {
        let at = y.place(mark);
        if taken.iter().all(|other| (other - at).abs() > 13.0) {
            chart = chart.child(label(LEFT - 8.0, at + 4.0, "end", axis_number(mark)));
            taken.push(at);
        }
    }
    for (i, column) in numbers.chunks(per_column).enumerate() {
        let (high, low) = column.iter().fold((f64::NEG_INFINITY, f64::INFINITY), |(h, l), &x| (h.max(x), l.min(x)));
        let (class, from, to, title) = match per_column {
            1 => ("bar", high.max(0.0), high.min(0.0), format!("[{i}] = {high}")),
            _ => {
                let first = i * per_column;
                ("range", high, low, format!("[{first}..={}]: {low} to {high}", first + column.len() - 1))
            }
        };
        let (top, bottom) = (y.place(from), y.place(to));
        let bar =
            element("rect").class(class).with("x", number(LEFT + i as f64 * step)).with("width", number(step - gap));
        // A bar of zero or nearly zero height would be invisible.
        let height = (bottom - top).max(1.0);
        let top = if bottom - top < 1.0 { top - 0.5 } else { top };
        let bar = bar.with("y", number(top)).with("height", number(height));
        chart = chart.child(bar.child(element("title").text(title)));
    }
    let zero = y.place(0.0);
    let end = LEFT + columns as f64 * step;
    chart = chart.child(line("axis", LEFT, zero, end, zero));
    chart = chart.child(label(LEFT, BARS_HEIGHT - 4.0, "start", "0"));
    if numbers.len() > 1 {
        chart = chart.child(label(end, BARS_HEIGHT - 4.0, "end", numbers.len() - 1));
    }
    scrolled(chart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_in_range() {
        let axis = |low, high, logarithmic| Axis { low, high, logarithmic, from: 0.0, to: 100.0 };
        assert_eq!(axis(0.0, 50.0, false).ticks(5), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]);
        assert_eq!(axis(0.0, 7.0, false).ticks(5), [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(axis(1.0, 1e6, true).ticks(5), [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6]);
        assert_eq!(axis(0.002, 0.6, true).ticks(5).first(), Some(&0.003));
        assert_eq!(axis(0.0, 0.0, false).ticks(5), [0.0]);
    }

    #[test]
    fn an_axis_from_zero_ends_at_a_round_number_above() {
        for (most, high) in [(4.0, 4.0), (31.0, 40.0), (5195.0, 6000.0), (0.0, 1.0), (u64::MAX as f64, 2e19)] {
            assert_eq!(from_zero(most, 0.0, 1.0).high, high, "{most}");
        }
    }

    #[test]
    fn many_numbers_become_ranges() {
        let numbers: Vec<f64> = (0..10_000).map(f64::from).collect();
        let drawn = bars(&numbers, "numbers").to_string();
        assert_eq!(drawn.matches("<rect").count(), 200);
        assert!(drawn.contains("[9950..=9999]: 9950 to 9999"), "{drawn}");
        assert_eq!(bars(&[0.0, -3.0], "two").to_string().matches("class=\"bar\"").count(), 2);
    }
}
