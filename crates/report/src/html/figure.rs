//! Figures as files of their own: SVG with everything that it needs in it.

use super::chart::{Axis, label, line, number, polyline};
use super::element::{Element, element};
use crate::text::axis_number;

/// One line of a figure.
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Places and values, in ascending order of places.
    pub points: Vec<(f64, f64)>,
}

/// One bar of a figure.
pub struct Bar {
    /// Its name, at its left.
    pub name: String,
    /// Its length.
    pub value: f64,
    /// What is written at its end.
    pub text: String,
}

const WIDTH: f64 = 960.0;
const LEFT: f64 = 60.0;
const LEGEND: f64 = 240.0;
const TOP: f64 = 44.0;
const PLOT: f64 = 380.0;
const BAR: f64 = 18.0;
/// Room for the text at the end of the longest bar.
const BAR_TEXT: f64 = 170.0;

const STYLE: &str = "text{font:12px sans-serif;fill:#222}.title{font-size:14px}.grid{stroke:#ddd}.axis{stroke:#444}\
                     .line{fill:none;stroke-width:1.6}.bar{fill:#47729e}";

fn document(height: f64, title: &str) -> Element {
    element("svg")
        .with("xmlns", "http://www.w3.org/2000/svg")
        .with("viewBox", format!("0 0 {WIDTH} {height}"))
        .with("width", WIDTH)
        .with("height", height)
        .child(element("title").text(title))
        .child(element("style").raw(STYLE))
        .child(element("rect").with("width", "100%").with("height", "100%").with("fill", "white"))
        .child(label(16.0, 22.0, "start", title).class("title"))
}

/// The colour of a line: neighbours in the legend are far apart in hue, and every second round is darker.
fn colour(index: usize) -> String {
    let (hue, lightness) = ((index * 137) % 360, if index.is_multiple_of(2) { 42 } else { 58 });
    format!("hsl({hue},65%,{lightness}%)")
}

/// Lines over a logarithmic axis of times. The vertical axis goes from `low` to `high`.
pub fn over_time(title: &str, value: &str, (low, high): (f64, f64), series: &[Series]) -> String {
    let places = || series.iter().flat_map(|series| &series.points).map(|point| point.0).filter(|&place| place > 0.0);
    let first = places().fold(f64::INFINITY, f64::min).min(1.0);
    let last = places().fold(first, f64::max).max(first * 10.0);
    let height = (TOP + PLOT + 56.0).max(TOP + 18.0 * series.len() as f64 + 20.0);
    let (bottom, right) = (TOP + PLOT, WIDTH - LEGEND);
    let x = Axis { low: first, high: last, logarithmic: true, from: LEFT, to: right };
    let y = Axis { low, high, logarithmic: false, from: bottom, to: TOP };
    let mut figure = document(height, title);
    for tick in y.ticks(8) {
        let at = y.place(tick);
        figure = figure.child(line("grid", LEFT, at, right, at));
        figure = figure.child(label(LEFT - 8.0, at + 4.0, "end", axis_number(tick)));
    }
    for tick in x.ticks(8) {
        let at = x.place(tick);
        figure = figure.child(line("axis", at, bottom, at, bottom + 4.0));
        figure = figure.child(label(at, bottom + 18.0, "middle", axis_number(tick)));
    }
    figure = figure
        .child(line("axis", LEFT, bottom, right, bottom))
        .child(label((LEFT + right) / 2.0, bottom + 38.0, "middle", "seconds"))
        .child(label(LEFT, TOP - 8.0, "start", value));
    for (index, series) in series.iter().enumerate() {
        let points: Vec<(f64, f64)> = series.points.iter().map(|&(at, value)| (x.place(at), y.place(value))).collect();
        let at = TOP + 8.0 + 18.0 * index as f64;
        let sample = [(right + 14.0, at), (right + 36.0, at)];
        for points in [&points[..], &sample] {
            figure = figure.child(polyline("line", points).with("stroke", colour(index)));
        }
        figure = figure.child(label(right + 42.0, at + 4.0, "start", &series.name));
    }
    format!("{figure}\n")
}

/// Horizontal bars, one below the other. Their lengths are logarithms where `logarithmic` is set.
pub fn bars(title: &str, value: &str, logarithmic: bool, bars: &[Bar]) -> String {
    let names = bars.iter().map(|bar| bar.name.chars().count()).max().unwrap_or(0) as f64 * 7.0 + 20.0;
    let left = names.clamp(LEFT, WIDTH / 2.0);
    let most = bars.iter().map(|bar| bar.value).fold(1.0, f64::max);
    let bottom = TOP + BAR * bars.len() as f64 + 6.0;
    let low = if logarithmic { 0.8 } else { 0.0 };
    let x = Axis { low, high: most, logarithmic, from: left, to: WIDTH - BAR_TEXT };
    let mut figure = document(bottom + 50.0, title);
    for tick in x.ticks(8) {
        let at = x.place(tick);
        figure = figure.child(line("grid", at, TOP, at, bottom));
        figure = figure.child(label(at, bottom + 16.0, "middle", axis_number(tick)));
    }
    for (index, bar) in bars.iter().enumerate() {
        let (top, end) = (TOP + BAR * index as f64, x.place(bar.value.max(low)));
        let shape = [("x", left), ("y", top + 2.0), ("width", (end - left).max(0.0)), ("height", BAR - 4.0)];
        let drawn =
            shape.into_iter().fold(element("rect").class("bar"), |rect, (name, at)| rect.with(name, number(at)));
        figure = figure.child(label(left - 8.0, top + BAR - 5.0, "end", &bar.name)).child(drawn).child(label(
            end + 6.0,
            top + BAR - 5.0,
            "start",
            &bar.text,
        ));
    }
    figure = figure.child(line("axis", left, TOP, left, bottom)).child(label(
        (left + WIDTH - BAR_TEXT) / 2.0,
        bottom + 36.0,
        "middle",
        value,
    ));
    format!("{figure}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_their_values_are() {
        let series = [Series { name: "a<b".to_owned(), points: vec![(0.1, 0.0), (10.0, 1.0)] }];
        let text = over_time("t", "v", (0.0, 1.0), &series);
        let right = WIDTH - LEGEND;
        assert!(text.contains(&format!("points=\"60,{} {right},{TOP}\"", TOP + PLOT)), "{text}");
        assert!(text.contains("a&lt;b") && text.starts_with("<svg xmlns="), "{text}");
    }

    #[test]
    fn bars_have_the_lengths_of_their_values() {
        let bar = |value: f64| Bar { name: "x".to_owned(), value, text: value.to_string() };
        let text = bars("t", "v", false, &[bar(1.0), bar(0.5)]);
        let full = WIDTH - BAR_TEXT - LEFT;
        assert!(text.contains(&format!("width=\"{}\"", number(full))), "{text}");
        assert!(text.contains(&format!("width=\"{}\"", number(full / 2.0))), "{text}");
    }
}
