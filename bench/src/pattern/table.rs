//! The table, and what it adds up to.

use std::fmt;

use pessimum_report::class::Class;

/// What a command said of a program.
pub struct Said {
    class: Option<Class>,
    why_not: String,
}

impl Said {
    /// A class as it was printed, or why there is none.
    pub fn of(class: Option<&str>, why_not: Option<&str>) -> Said {
        let class = class.and_then(|class| class.parse().ok());
        Said { class, why_not: why_not.unwrap_or_default().to_string() }
    }

    fn verdict(&self, truth: Class) -> Verdict {
        match self.class {
            None => Verdict::Undecided,
            Some(class) if class.to_string() == truth.to_string() => Verdict::Right,
            Some(class) if class.is_above(truth) => Verdict::TooHigh,
            Some(_) => Verdict::TooLow,
        }
    }

    fn text(&self, truth: Class) -> String {
        let mark = match self.verdict(truth) {
            Verdict::Right => "",
            Verdict::TooHigh => " (too high)",
            Verdict::TooLow => " (too low)",
            Verdict::Undecided => return "-".to_string(),
        };
        format!("{}{mark}", self.class.map_or_else(String::new, |class| class.to_string()))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Right,
    TooHigh,
    TooLow,
    Undecided,
}

/// One program.
pub struct Row {
    /// Its name.
    pub name: String,
    /// The true class.
    pub class: Class,
    /// What `curve` says alone.
    pub curve: Said,
    /// What `pattern` says.
    pub pattern: Said,
    /// What the two took.
    pub seconds: (f64, f64),
    /// The largest size that was run.
    pub largest: u64,
    /// The largest size that was searched.
    pub searched: u64,
    /// The pattern in words.
    pub words: String,
}

/// The names of the columns.
pub const COLUMNS: [&str; 8] =
    ["program", "class", "curve alone", "pattern", "curve s", "pat. s", "largest n", "in words"];

/// The cells of a row, set for the terminal.
pub fn line<C: fmt::Display>([name, class, curve, pattern, curve_s, pattern_s, largest, words]: [C; 8]) -> String {
    format!("{name:<16} {class:<8} {curve:<20} {pattern:<20} {curve_s:>7} {pattern_s:>7} {largest:>9}  {words}")
}

impl Row {
    /// A cell for each column.
    pub fn cells(&self) -> [String; 8] {
        [
            self.name.clone(),
            self.class.to_string(),
            self.curve.text(self.class),
            self.pattern.text(self.class),
            format!("{:.1}", self.seconds.0),
            format!("{:.1}", self.seconds.1),
            self.largest.to_string(),
            self.words.clone(),
        ]
    }
}

/// How many are right, and why the others are not.
pub fn summary(rows: &[Row]) -> String {
    let mut text = String::from("\n");
    for name in ["curve alone", "pattern"] {
        let said =
            |row: &Row| if name == "pattern" { row.pattern.verdict(row.class) } else { row.curve.verdict(row.class) };
        let count = |wanted: Verdict| rows.iter().filter(|row| said(row) == wanted).count();
        text += &format!(
            "{name}: {} of {} right, {} too high, {} too low, {} undecided\n",
            count(Verdict::Right),
            rows.len(),
            count(Verdict::TooHigh),
            count(Verdict::TooLow),
            count(Verdict::Undecided)
        );
    }
    let is_far = |row: &&Row| row.searched > 0 && row.largest >= 100 * row.searched;
    let searched = rows.iter().filter(|row| row.searched > 0).count();
    text += &format!("sizes at least 100 times those searched: {} of {searched}\n", rows.iter().filter(is_far).count());
    let slowest = rows.iter().map(|row| row.seconds.1).fold(0.0, f64::max);
    let total: f64 = rows.iter().map(|row| row.seconds.1).sum();
    text += &format!("pattern took {:.1} s on average and {slowest:.1} s at most\n", total / rows.len().max(1) as f64);
    for row in rows.iter().filter(|row| row.pattern.class.is_none()) {
        text += &format!("{}: {}\n", row.name, row.pattern.why_not);
    }
    text
}
