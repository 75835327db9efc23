//! The call tree of a run as a flame graph: callers above, width by cost, colour by the share that a function itself
//! spends.

use std::collections::BTreeMap;

use super::element::{Element, element};
use super::note;
use crate::names::short_name;
use crate::profile::{Node, NodeCost, Profile};
use crate::text::{counted, grouped, per_cent, sentence};

/// Frames narrower than this part of the width are not drawn: a thousandth of it is less than a pixel.
const NARROWEST: f64 = 0.001;

/// Graphs with more rows than this have smaller ones, in a box that scrolls.
const ROWS: usize = 24;
/// The longest name in a frame, in characters. The browser cuts it further where the frame is narrow.
const LONGEST: usize = 48;

/// A frame as it is drawn; positions are parts of the whole width.
struct Frame {
    node: usize,
    level: usize,
    x: f64,
    width: f64,
}

/// What the width of a frame stands for: a cost model that can be divided among calls.
pub struct Measure {
    model: String,
}

impl Measure {
    /// The model itself where it can be divided among calls, what the profile counts otherwise.
    pub fn new(model: &str, profile: &Profile) -> Measure {
        let unit = profile.unit.name();
        let is_other_unit = matches!(model, "instructions" | "lines") && model != unit;
        let total = profile.calls.first().and_then(|root| root.total.of(model));
        let known = !is_other_unit && total.is_some_and(|total| total > 0);
        Measure { model: if known { model } else { unit }.to_string() }
    }

    /// The name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    fn of(&self, cost: &NodeCost) -> u64 {
        cost.of(&self.model).unwrap_or(cost.instructions)
    }

    /// The cost of a whole run.
    pub fn total(&self, profile: &Profile) -> u64 {
        profile.calls.iter().filter(|node| node.parent.is_none()).map(|node| self.of(&node.total)).sum()
    }
}

/// Lays the tree out; returns the frames and the number of nodes too narrow to draw.
fn layout(profile: &Profile, measure: &Measure) -> (Vec<Frame>, usize) {
    let whole = measure.total(profile);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); profile.calls.len()];
    let mut open = Vec::new();
    for (index, node) in profile.calls.iter().enumerate() {
        match node.parent {
            Some(parent) => children[parent].push(index),
            None => open.push(index),
        }
    }
    // The most expensive callee first; equal ones in the order of the tree.
    for list in &mut children {
        list.sort_by_key(|&index| std::cmp::Reverse(measure.of(&profile.calls[index].total)));
    }
    if whole == 0 {
        return (Vec::new(), profile.calls.len());
    }
    let part = |index: usize| measure.of(&profile.calls[index].total) as f64 / whole as f64;
    let mut frames = Vec::new();
    let mut x = 0.0;
    let mut stack: Vec<(usize, usize, f64)> = Vec::new();
    for root in open {
        stack.push((root, 0, x));
        x += part(root);
    }
    stack.reverse();
    while let Some((node, level, x)) = stack.pop() {
        let width = part(node);
        if width < NARROWEST {
            continue;
        }
        frames.push(Frame { node, level, x, width });
        let mut at = x;
        for &child in &children[node] {
            stack.push((child, level + 1, at));
            at += part(child);
        }
    }
    let left_out = profile.calls.len() - frames.len();
    (frames, left_out)
}

/// A step of the colour scale for the share of the run that a function itself spends.
fn heat(own: u64, whole: u64) -> &'static str {
    let share = if whole == 0 { 0.0 } else { own as f64 / whole as f64 };
    match share {
        s if s < 0.005 => "heat0",
        s if s < 0.03 => "heat1",
        s if s < 0.10 => "heat2",
        s if s < 0.25 => "heat3",
        s if s < 0.50 => "heat4",
        _ => "heat5",
    }
}

/// The flame graph of a run, with a line under it for details. `caption` says which run it is.
pub fn flame(profile: &Profile, measure: &Measure, caption: &str) -> Element {
    let (frames, left_out) = layout(profile, measure);
    let whole = measure.total(profile);
    let levels = frames.iter().map(|frame| frame.level + 1).max().unwrap_or(0);
    // Every row has room for its name; more rows than fit a screen are scrolled.
    let (row, size) = if levels <= ROWS { (20, "flame") } else { (16, "flame small") };
    // All calls of one function have one colour.
    let own_of = |name: &str| -> u64 {
        let nodes = profile.calls.iter().filter(|node| node.name == name);
        nodes.map(|node| measure.of(&node.own)).sum()
    };
    let mut heats: BTreeMap<&str, &'static str> = BTreeMap::new();
    let mut graph = element("div")
        .class(size)
        .with("style", format!("height:{}px", levels.max(1) * row))
        .with("aria-label", format!("{caption}: call tree, {} {}", grouped(whole), measure.model()))
        .with("role", "group");
    for frame in &frames {
        let node = &profile.calls[frame.node];
        let class = *heats.entry(&node.name).or_insert_with(|| heat(own_of(&node.name), whole));
        graph = graph.child(drawn(frame, node, measure, whole, row, class));
    }
    let hint = counted(levels as u64, "level", "levels");
    let mut notes = Vec::new();
    if levels > ROWS {
        let rows = counted(levels as u64, "row", "rows");
        notes.push(format!("{rows}, most of them {}: scroll within the graph", most_frequent(&frames, profile)));
    }
    if left_out > 0 {
        notes.push(format!("{} too narrow to draw", counted(left_out as u64, "context is", "contexts are")));
    }
    if profile.folded_calls > 0 {
        notes.push(format!("{} of deep recursion counted further up", counted(profile.folded_calls, "call", "calls")));
    }
    let mut figure = element("figure")
        .child(element("figcaption").text(caption))
        .child(match levels > ROWS {
            true => element("div").class("deep").with("tabindex", 0).child(graph),
            false => graph,
        })
        .child(element("p").class("detail").with("aria-live", "polite").text(hint));
    if !notes.is_empty() {
        figure = figure.child(note(format!("{}.", sentence(&notes.join("; ")))));
    }
    figure
}

/// The function with the most frames; of several, the first by name.
fn most_frequent(frames: &[Frame], profile: &Profile) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for frame in frames {
        *counts.entry(&profile.calls[frame.node].name).or_default() += 1;
    }
    let most = counts.into_iter().min_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    most.map_or_else(String::new, |(name, _)| shown(name))
}

fn shown(name: &str) -> String {
    short_name(name, LONGEST, "\u{2026}")
}

fn drawn(frame: &Frame, node: &Node, measure: &Measure, whole: u64, row: usize, heat: &'static str) -> Element {
    let (own, total) = (measure.of(&node.own), measure.of(&node.total));
    let title = format!(
        "{}: {} {} ({}), {} by itself, {}",
        node.name,
        grouped(total),
        measure.model(),
        per_cent(total, whole),
        grouped(own),
        counted(node.own.calls, "call", "calls")
    );
    let thin = if frame.width < 0.012 { " thin" } else { "" };
    let style = format!(
        "left:{:.3}%;width:{:.3}%;top:{}px;height:{row}px;line-height:{}px",
        100.0 * frame.x,
        100.0 * frame.width,
        frame.level * row,
        row - 1
    );
    let drawn = element("div").with("class", format!("frame {heat}{thin}")).with("style", style).with("title", title);
    let drawn = drawn.with("data-x", format!("{:.6}", frame.x)).with("data-w", format!("{:.6}", frame.width));
    drawn.with("data-y", frame.level).text(if frame.width < 0.012 { String::new() } else { shown(&node.name) })
}

/// What the colours mean.
pub fn colour_key() -> Element {
    let steps = ["heat0", "heat1", "heat2", "heat3", "heat4", "heat5"];
    let samples = steps.map(|class| element("i").class(class));
    element("p").class("note").child(
        element("span")
            .class("key")
            .text("spent in the function itself: little ")
            .children(samples)
            .text(" half of the run or more"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, parent: Option<usize>, own: u64, total: u64) -> Node {
        let cost = |instructions| NodeCost { instructions, calls: 1, ..NodeCost::default() };
        Node { name: name.to_string(), parent, own: cost(own), total: cost(total) }
    }

    fn tree() -> Profile {
        let calls = vec![
            node("main", None, 100, 1_000_000),
            node("small", Some(0), 100, 100),
            node("<hot>", Some(0), 999_000, 999_800),
            node("leaf", Some(2), 800, 800),
        ];
        Profile { instructions: 1_000_000, calls, ..Profile::default() }
    }

    #[test]
    fn frames_lie_under_their_callers() {
        let profile = tree();
        let measure = Measure::new("instructions", &profile);
        let (frames, left_out) = layout(&profile, &measure);
        let places: Vec<(usize, usize)> = frames.iter().map(|frame| (frame.node, frame.level)).collect();
        assert_eq!(places, [(0, 0), (2, 1)]);
        assert_eq!(left_out, 2);
        assert_eq!((frames[1].x, frames[1].width), (0.0, 0.9998));
    }

    #[test]
    fn names_are_escaped_and_costs_without_a_place_fall_back() {
        let profile = tree();
        assert_eq!(Measure::new("depth", &profile).model(), "instructions");
        assert_eq!(Measure::new("user", &profile).model(), "instructions");
        let measure = Measure::new("calls", &profile);
        assert_eq!((measure.model(), measure.total(&profile)), ("calls", 1));
        let drawn = flame(&profile, &Measure::new("instructions", &profile), "Worst").to_string();
        assert!(drawn.contains("&lt;hot&gt;: 999,800 instructions (100 %), 999,000 by itself, 1 call"), "{drawn}");
        assert!(!drawn.contains("<hot>"));
    }
}
