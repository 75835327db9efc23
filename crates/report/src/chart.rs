//! A curve as a chart of characters: braille dots for the fitted lines on a terminal that has them, plain ASCII
//! elsewhere. The same curve always gives the same characters.

use crate::curve::CurveResult;
use crate::fit::Fit;

/// The characters that a chart is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyphs {
    /// Braille dots and lines.
    Unicode,
    /// For files, logs and terminals without UTF-8.
    Ascii,
}

/// What a piece of the chart shows, so that callers can colour it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// The worst case.
    Worst,
    /// The average of random inputs.
    Random,
    /// Frame and labels.
    Frame,
}

/// The size of the chart in characters, without its labels: at most this wide, and at least so.
const WIDEST: usize = 64;
const NARROWEST: usize = 8;
const HEIGHT: usize = 15;

/// Sizes whose ends differ by more than this factor are drawn on a logarithmic axis.
const WIDE_SIZES: f64 = 6.0;
/// Costs whose ends differ by more than this factor are drawn on a logarithmic axis.
const WIDE_COSTS: f64 = 20.0;

/// A braille character has two columns and four rows of dots.
const BRAILLE: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// An axis, which maps numbers to places from 0 to 1.
#[derive(Clone, Copy, Debug)]
struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    fn of(numbers: impl Iterator<Item = f64> + Clone, wide: f64) -> Axis {
        let low = numbers.clone().fold(f64::INFINITY, f64::min);
        let high = numbers.fold(f64::NEG_INFINITY, f64::max);
        if low > 0.0 && high / low >= wide {
            Axis { low, high, logarithmic: true }
        } else if high > low {
            Axis { low, high, logarithmic: false }
        } else {
            Axis { low: low - 1.0, high: high + 1.0, logarithmic: false }
        }
    }

    fn place(&self, number: f64) -> f64 {
        let scale = |x: f64| if self.logarithmic { x.max(f64::MIN_POSITIVE).ln() } else { x };
        (scale(number) - scale(self.low)) / (scale(self.high) - scale(self.low))
    }

    fn number(&self, place: f64) -> f64 {
        if self.logarithmic {
            (self.low.ln() + place * (self.high.ln() - self.low.ln())).exp()
        } else {
            self.low + place * (self.high - self.low)
        }
    }

    /// Round numbers on the axis.
    fn ticks(&self) -> Vec<f64> {
        let within = |ticks: Vec<f64>| -> Vec<f64> {
            ticks.into_iter().filter(|tick| (self.low..=self.high).contains(tick)).collect()
        };
        if self.logarithmic {
            let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
            for steps in [&[1.0][..], &[1.0, 3.0], &[1.0, 2.0, 5.0]] {
                let ticks: Vec<f64> =
                    decades.clone().flat_map(|e| steps.iter().map(move |step| step * 10f64.powi(e))).collect();
                let ticks = within(ticks);
                if ticks.len() >= 3 {
                    let every = ticks.len().div_ceil(6);
                    return ticks.into_iter().step_by(every).collect();
                }
            }
        }
        let rough = (self.high - self.low) / 4.0;
        let decade = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].iter().map(|x| x * decade).find(|step| *step >= rough).unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        within((first..first + 8).map(|i| i as f64 * step).collect())
    }
}

/// The grid of cells that a chart is drawn on.
struct Canvas {
    glyphs: Glyphs,
    width: usize,
    /// Rows from the top; each cell holds the dots of the lines and the mark drawn over them.
    cells: Vec<Vec<Cell>>,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    dots: u8,
    line: Option<Ink>,
    mark: Option<(char, Ink)>,
}

impl Canvas {
    fn column(&self, x: f64) -> usize {
        (x * (self.width - 1) as f64).round() as usize
    }

    fn row(y: f64) -> usize {
        HEIGHT - 1 - (y * (HEIGHT - 1) as f64).round() as usize
    }

    fn mark(&mut self, x: f64, y: f64, mark: char, ink: Ink) {
        if (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y) {
            let column = self.column(x);
            self.cells[Self::row(y)][column].mark = Some((mark, ink));
        }
    }

    fn dot(&mut self, x: f64, y: f64, ink: Ink) {
        if !(0.0..=1.0).contains(&x) || !(0.0..=1.0).contains(&y) {
            return;
        }
        // Dots have the same scale as marks: a mark is in the middle of its cell.
        let (fine_x, fine_y) = (x * (self.width - 1) as f64 + 0.5, (1.0 - y) * (HEIGHT - 1) as f64 + 0.5);
        let (column, row) = (fine_x as usize, fine_y as usize);
        let dot = BRAILLE[(fine_x.fract() * 2.0) as usize][(fine_y.fract() * 4.0) as usize];
        let cell = &mut self.cells[row.min(HEIGHT - 1)][column.min(self.width - 1)];
        cell.dots |= dot;
        cell.line.get_or_insert(ink);
    }

    fn glyph(&self, cell: &Cell) -> (char, Option<Ink>) {
        match (cell.mark, cell.line, self.glyphs) {
            (Some((mark, ink)), ..) => (mark, Some(ink)),
            (None, None, _) => (' ', None),
            (None, Some(ink), Glyphs::Ascii) => ('.', Some(ink)),
            (None, Some(ink), Glyphs::Unicode) => {
                (char::from_u32(0x2800 + u32::from(cell.dots)).unwrap_or('.'), Some(ink))
            }
        }
    }
}

/// Draws the worst case and the random average against the size, with the lines of their classes. `paint` colours a
/// piece of text. No line is longer than `columns`, as far as there is room for a chart at all.
pub fn chart(curve: &CurveResult, glyphs: Glyphs, columns: usize, paint: &dyn Fn(Ink, &str) -> String) -> String {
    if curve.points.len() < 2 {
        return String::new();
    }
    let sizes = curve.points.iter().map(|point| point.size as f64);
    let worst: Vec<(f64, f64)> = curve.points.iter().map(|point| (point.size as f64, point.cost as f64)).collect();
    let random: Vec<(f64, f64)> = curve
        .points
        .iter()
        .filter_map(|point| point.random.as_ref().map(|random| (point.size as f64, random.average)))
        .collect();
    let costs = worst.iter().chain(&random).map(|(_, cost)| *cost);
    let (x, y) = (Axis::of(sizes, WIDE_SIZES), Axis::of(costs, WIDE_COSTS));
    // Beside the canvas there are the labels, a frame, and the name of the axis.
    let width = columns.saturating_sub(label_width(y) + 6).clamp(NARROWEST, WIDEST);
    let mut canvas = Canvas { glyphs, width, cells: vec![vec![Cell::default(); width]; HEIGHT] };
    let (worst_mark, random_mark) = match glyphs {
        Glyphs::Unicode => ('●', '○'),
        Glyphs::Ascii => ('*', 'o'),
    };
    let random_fit =
        curve.random.as_ref().filter(|growth| growth.class.is_some()).and_then(|growth| growth.fit.as_ref());
    let worst_fit = curve.worst.fit.as_ref().filter(|_| curve.worst.class.is_some());
    for (fit, ink) in [(worst_fit, Ink::Worst), (random_fit, Ink::Random)] {
        let Some(fit) = fit else { continue };
        for step in 0..=8 * width {
            let at = step as f64 / (8 * width) as f64;
            canvas.dot(at, y.place(fit.at(x.number(at))), ink);
        }
    }
    for (points, mark, ink) in [(&random, random_mark, Ink::Random), (&worst, worst_mark, Ink::Worst)] {
        for &(size, cost) in points {
            canvas.mark(x.place(size), y.place(cost), mark, ink);
        }
    }
    let mut text = frame(&canvas, curve, x, y, paint);
    let legend = |mark: char, name: &str, fit: Option<&Fit>, ink: Ink| {
        let class = fit.map(|fit| format!(", line: {}", fit.class)).unwrap_or_default();
        (format!("{mark} {name}{class}"), ink)
    };
    let mut legends = vec![legend(worst_mark, "worst case", worst_fit, Ink::Worst)];
    if !random.is_empty() {
        legends.push(legend(random_mark, "random average", random_fit, Ink::Random));
    }
    let logarithmic = match (x.logarithmic, y.logarithmic) {
        (true, true) => "both axes logarithmic",
        (true, false) => "sizes on a logarithmic axis",
        (false, true) => "costs on a logarithmic axis",
        (false, false) => "",
    };
    legends.extend((!logarithmic.is_empty()).then(|| (logarithmic.to_string(), Ink::Frame)));
    let mut used = 0;
    for (legend, ink) in legends {
        let length = legend.chars().count();
        let separator = match used {
            0 => "  ",
            used if used + 3 + length > columns => "\n  ",
            _ => "   ",
        };
        used = if separator.len() > 2 && !separator.starts_with('\n') { used + 3 } else { 2 } + length;
        text.push_str(&format!("{separator}{}", paint(ink, &legend)));
    }
    text.push('\n');
    text
}

/// The room for the labels of the costs.
fn label_width(y: Axis) -> usize {
    y.ticks().into_iter().map(|number| compact(number).chars().count()).max().unwrap_or(0).max(4)
}

/// The canvas with its axes.
fn frame(canvas: &Canvas, curve: &CurveResult, x: Axis, y: Axis, paint: &dyn Fn(Ink, &str) -> String) -> String {
    let (side, tick, corner, floor, mark) = match canvas.glyphs {
        Glyphs::Unicode => ('│', '┤', '└', '─', '┬'),
        Glyphs::Ascii => ('|', '+', '+', '-', '+'),
    };
    let mut labels = vec![String::new(); HEIGHT];
    for number in y.ticks() {
        labels[Canvas::row(y.place(number))] = compact(number);
    }
    let margin = label_width(y);
    let mut text = format!("  {}\n", paint(Ink::Frame, &curve.cost));
    for (row, label) in canvas.cells.iter().zip(&labels) {
        let side = if label.is_empty() { side } else { tick };
        text.push_str(&paint(Ink::Frame, &format!("  {label:>margin$} {side}")));
        let mut line = String::new();
        let (mut piece, mut piece_ink) = (String::new(), None);
        for cell in row {
            let (glyph, ink) = canvas.glyph(cell);
            if ink != piece_ink {
                line.push_str(&painted(&piece, piece_ink, paint));
                piece.clear();
                piece_ink = ink;
            }
            piece.push(glyph);
        }
        line.push_str(&painted(&piece, piece_ink, paint));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let (mut floor_line, mut numbers): (Vec<char>, Vec<char>) =
        (vec![floor; canvas.width], vec![' '; canvas.width + 24]);
    let mut free_from = 0;
    let last = curve.points.len() - 1;
    let last_start = canvas.column(1.0).saturating_sub(1);
    for (i, point) in curve.points.iter().enumerate() {
        let column = canvas.column(x.place(point.size as f64));
        floor_line[column] = mark;
        let label = compact(point.size as f64);
        // The room to the right of the canvas is two columns.
        let start = column.saturating_sub(label.len() / 2).min((canvas.width + 2).saturating_sub(label.len()));
        let meets_last = i < last && start + label.len() + 1 > last_start;
        if start >= free_from && !meets_last {
            numbers.splice(start..start + label.len(), label.chars());
            free_from = start + label.len() + 2;
        }
    }
    let floor_line: String = floor_line.into_iter().collect();
    text.push_str(&paint(Ink::Frame, &format!("  {:margin$} {corner}{floor_line} n", "")));
    let numbers: String = numbers.into_iter().collect();
    text.push_str(&format!("\n{}\n", paint(Ink::Frame, &format!("  {:margin$}  {}", "", numbers.trim_end()))));
    text
}

fn painted(piece: &str, ink: Option<Ink>, paint: &dyn Fn(Ink, &str) -> String) -> String {
    match ink {
        Some(ink) if !piece.is_empty() => paint(ink, piece),
        _ => piece.to_string(),
    }
}

/// A number in few characters: 950, 2500, 12k, 1.5M.
fn compact(number: f64) -> String {
    let units = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    if number.abs() < 1e4 {
        let text = format!("{number:.2}");
        return text.trim_end_matches('0').trim_end_matches('.').to_string();
    }
    for (size, unit) in units {
        if number >= size {
            let text = format!("{:.1}", number / size);
            return format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'));
        }
    }
    format!("{number:.1e}")
}
