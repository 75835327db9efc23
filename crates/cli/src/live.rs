//! The progress of a search, on standard error: a few lines redrawn in place on a terminal, plain lines elsewhere.
//!
//! The display shows only what was recorded, and never hides or moves the cursor for good, so there is nothing to
//! restore after an abrupt end.

use std::collections::VecDeque;
use std::io::{IsTerminal, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pessimum_outcome::CostModel;
use pessimum_report::text::printable;
use pessimum_search::budget::Budget;
use pessimum_search::search::Improvement;
use pessimum_search::watch::{News, Phase};
use pessimum_session::plan::SubjectPlan;
use pessimum_term::Witness;
use terminal_size::{Height, Width, terminal_size_of};

use crate::flags::SearchFlags;
use crate::output::{Style, counted, grouped, has_unicode, seconds};

/// The time between two drawings of the live display.
const REDRAW: Duration = Duration::from_millis(125);

/// The time between two plain lines, in seconds; less in the first second.
const LINE_EVERY: f64 = 1.0;

/// The time over which the speed and the shares are measured, in seconds.
const RECENT: f64 = 3.0;

/// The longest line of the live display; longer ones are hard to read at a glance.
const WIDEST: usize = 100;

/// What a search is about, for the display.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// What is maximised.
    pub cost: CostModel,
    /// What the search may spend.
    pub budget: Budget,
    /// What earlier parts of the same search took: time and paths.
    pub earlier: (Duration, u64),
    /// Which of several searches it is, as in `n = 16`; empty for a single one.
    pub label: String,
    /// What is searched: program, call and size.
    pub searched: String,
}

/// What is searched, in a few words: `quicksort.c  sort(i32[n], n)  n = 20`.
pub fn searched(subject: &SubjectPlan) -> String {
    let name = subject.module.name.as_str();
    let mut words = vec![name.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(name).to_string()];
    words.extend(subject.start.text().map(str::to_string));
    words.extend(subject.stdin.as_ref().map(|stdin| format!("--stdin {stdin}")));
    words.extend(subject.size.map(|size| format!("n = {size}")));
    printable(&words.join("  ")).into_owned()
}

/// Shows the news of a search.
pub enum Viewer {
    /// Shows nothing.
    Silent,
    /// One line for each improvement, at most about one per second, and the last.
    Lines(Lines),
    /// Lines that are redrawn in place.
    Live(Box<Live>),
}

impl Viewer {
    /// The viewer that fits the flags and standard error. With `json` it is silent: standard error is then for errors.
    pub fn new(flags: &SearchFlags, json: bool, shown: Shown) -> Viewer {
        if flags.quiet || json {
            Viewer::Silent
        } else if std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb") {
            Viewer::Live(Box::new(Live::new(shown, Style::of(flags.color, &std::io::stderr()))))
        } else {
            Viewer::Lines(Lines { shown, printed: None, waiting: None })
        }
    }

    /// Like [`Viewer::new`], but without plain lines, for searches whose best is only a part of their answer.
    pub fn live_only(flags: &SearchFlags, json: bool, shown: Shown) -> Viewer {
        match Viewer::new(flags, json, shown) {
            Viewer::Lines(_) => Viewer::Silent,
            viewer => viewer,
        }
    }

    /// Shows what is new. `words` puts an input into words.
    pub fn show(&mut self, news: &News, words: &dyn Fn(&Witness) -> String) {
        match self {
            Viewer::Silent => {}
            Viewer::Lines(lines) => lines.show(news),
            Viewer::Live(live) => live.show(news, words),
        }
    }
}

/// See [`Viewer::Lines`].
pub struct Lines {
    shown: Shown,
    /// When the last line was printed.
    printed: Option<f64>,
    waiting: Option<Improvement>,
}

impl Lines {
    fn show(&mut self, news: &News) {
        self.waiting = news.improvements.last().copied().or(self.waiting);
        let now = news.elapsed.as_secs_f64();
        // There are more lines at first, when most is found.
        let due = self.printed.is_none_or(|printed| now >= printed + now.clamp(0.1, LINE_EVERY));
        if (due || news.over)
            && let Some(step) = self.waiting.take()
        {
            self.printed = Some(now);
            let (time, paths) = self.shown.earlier;
            let time = seconds(time.as_secs_f64() + step.seconds);
            let label = if self.shown.label.is_empty() { String::new() } else { format!("{}  ", self.shown.label) };
            let (path, cost) = (grouped(paths + step.paths), grouped(step.cost));
            // A closed standard error is no reason to stop.
            let _ = writeln!(std::io::stderr(), "{time}  {label}path {path}  cost {cost}");
        }
    }
}

/// See [`Viewer::Live`].
pub struct Live {
    shown: Shown,
    style: Style,
    blocks: &'static [char],
    screen: Arc<Mutex<Screen>>,
    improvements: Vec<Improvement>,
    /// The best input in words; empty before the first.
    best: String,
    /// Of the last seconds, oldest first: time, paths, time in the solver.
    recent: VecDeque<(f64, u64, Duration)>,
    drawn: Option<f64>,
}

impl Live {
    fn new(shown: Shown, style: Style) -> Live {
        let screen = Arc::new(Mutex::new(Screen::default()));
        // The display is removed before a panic prints its message, which stays readable.
        let of_hook = screen.clone();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            of_hook.lock().unwrap_or_else(PoisonError::into_inner).close();
            before(info);
        }));
        let blocks: &[char] = if has_unicode() {
            &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
        } else {
            &['_', '.', '-', '=', '+', '*', '#']
        };
        Live {
            shown,
            style,
            blocks,
            screen,
            improvements: Vec::new(),
            best: String::new(),
            recent: VecDeque::new(),
            drawn: None,
        }
    }

    fn show(&mut self, news: &News, words: &dyn Fn(&Witness) -> String) {
        if news.switched {
            self.improvements.clear();
        }
        self.improvements.extend(&news.improvements);
        if let Some(found) = news.found.as_ref().filter(|_| !news.over) {
            self.best = printable(&words(&found.input)).into_owned();
        }
        let mut screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        if news.over {
            screen.close();
            return;
        }
        let now = news.elapsed.as_secs_f64();
        if self.drawn.is_some_and(|drawn| now < drawn + 0.8 * REDRAW.as_secs_f64()) {
            return;
        }
        self.drawn = Some(now);
        self.recent.push_back((now, news.paths, news.solver));
        while self.recent.len() > 2 && self.recent[1].0 < now - RECENT {
            self.recent.pop_front();
        }
        let (width, height) = match terminal_size_of(std::io::stderr()) {
            Some((Width(width), Height(height))) => (usize::from(width).max(2), usize::from(height).max(2)),
            None => (80, 24),
        };
        let width = (width - 1).min(WIDEST);
        let mut lines = lines(news, &self.shown, (&self.improvements, &self.best), &self.recent, self.blocks, width);
        lines.truncate(height - 1);
        screen.draw(&lines, self.style);
    }
}

/// Part of a line; emphasised parts stand out in colour.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Plain(String),
    Strong(String),
    Faint(String),
}

impl Piece {
    fn text(&self) -> &str {
        match self {
            Piece::Plain(text) | Piece::Strong(text) | Piece::Faint(text) => text,
        }
    }
}

type Line = Vec<Piece>;

/// The lines of the live display, each at most `width` characters long. `best` is the best input in words.
fn lines(
    news: &News,
    shown: &Shown,
    (improvements, best): (&[Improvement], &str),
    recent: &VecDeque<(f64, u64, Duration)>,
    blocks: &[char],
    width: usize,
) -> Vec<Line> {
    let now = news.elapsed.as_secs_f64();
    let phase = match news.phase {
        Phase::Searching => "searching".to_string(),
        Phase::Training(size) => format!("learning at n = {size}"),
        Phase::EveryPath => "trying to visit every path".to_string(),
    };
    let phase = match shown.label.as_str() {
        "" => phase,
        label => format!("{label}  {phase}"),
    };
    let mut first = vec![Piece::Plain(format!("{phase}  "))];
    match improvements.last() {
        Some(last) => {
            let cost = format!("best {} {}", grouped(last.cost), shown.cost);
            let ago = seconds((now - last.seconds).max(0.0));
            first.extend([Piece::Strong(cost), Piece::Faint(format!("  found {ago} ago"))]);
        }
        None => first.push(Piece::Faint("nothing found yet".to_string())),
    }
    let mut second = Vec::new();
    if !improvements.is_empty() {
        let length = width.saturating_sub(20).clamp(8, 60);
        let from = grouped(improvements[0].cost);
        second.push(Piece::Strong(sparkline(improvements, now, length, blocks)));
        second.push(Piece::Faint(format!("  from {from}")));
    }
    let (then, paths_then, solver_then) = recent.front().copied().unwrap_or_default();
    let span = now - then;
    // At the beginning there is nothing to compare with yet, so everything is recent.
    let (span, paths_then, solver_then) =
        if span > 0.2 { (span, paths_then, solver_then) } else { (now, 0, Duration::ZERO) };
    let rate = if span > 0.0 { (news.paths - paths_then) as f64 / span } else { 0.0 };
    let share = if span > 0.0 { (news.solver.saturating_sub(solver_then)).as_secs_f64() / span } else { 0.0 };
    let total = shown.earlier.1 + news.paths;
    let mut third = format!("{}, {}/s", counted(total, "path", "paths"), grouped(rate as u64));
    third += &format!("  solver {:.0} %", (100.0 * share).min(100.0));
    third += &left(news, shown);
    let mut input = Vec::new();
    if !best.is_empty() {
        input = vec![Piece::Faint("input  ".to_string()), Piece::Plain(shortened(best, width.saturating_sub(7)))];
    }
    let mut last = Vec::new();
    // What is searched comes first, but not at the price of how to end it.
    let how = "Ctrl-C ends it and keeps the best";
    let room = width.saturating_sub(how.len() + 3);
    if !shown.searched.is_empty() && room >= 16 {
        last.push(Piece::Faint(format!("{}   ", shortened(&shown.searched, room))));
    }
    last.push(Piece::Faint(how.to_string()));
    let mut lines = vec![first, second, vec![Piece::Plain(third)], input, last];
    lines.retain(|line| !line.is_empty());
    lines.iter_mut().for_each(|line| cut(line, width));
    lines
}

/// What is left of the budget.
fn left(news: &News, shown: &Shown) -> String {
    let time = shown.budget.time.map(|time| time.saturating_sub(news.elapsed));
    let paths = shown.budget.paths.map(|paths| paths.saturating_sub(news.paths));
    match (time, paths) {
        (Some(time), _) if time.as_secs() >= 100 => format!("  {} min left", time.as_secs().div_ceil(60)),
        (Some(time), _) => format!("  {:.0} s left", time.as_secs_f64()),
        (None, Some(paths)) => format!("  {} left", counted(paths, "path", "paths")),
        (None, None) => format!("  {}", seconds(news.elapsed.as_secs_f64())),
    }
}

/// Without the end if it is longer than `most` characters.
fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most.saturating_sub(3)).collect::<String>() + "...",
        false => text.to_string(),
    }
}

/// The best cost over time, in `length` characters from the start until now.
fn sparkline(improvements: &[Improvement], now: f64, length: usize, blocks: &[char]) -> String {
    let (Some(first), Some(last)) = (improvements.first(), improvements.last()) else { return String::new() };
    let level = |cost: u64| {
        let (height, range) = ((cost - first.cost) as f64, (last.cost - first.cost) as f64);
        let top = (blocks.len() - 1) as f64;
        if range > 0.0 { (height / range * top).round() as usize } else { blocks.len() - 1 }
    };
    let mut text = String::new();
    let mut next = 0;
    for place in 1..=length {
        let until = if place == length { f64::INFINITY } else { now * place as f64 / length as f64 };
        while improvements.get(next).is_some_and(|step| step.seconds <= until) {
            next += 1;
        }
        text.push(if next == 0 { ' ' } else { blocks[level(improvements[next - 1].cost)] });
    }
    text
}

/// Cuts a line to this many characters.
fn cut(line: &mut Line, width: usize) {
    let mut room = width;
    for piece in line.iter_mut() {
        let (Piece::Plain(text) | Piece::Strong(text) | Piece::Faint(text)) = piece;
        if let Some((end, _)) = text.char_indices().nth(room) {
            text.truncate(end);
        }
        room -= text.chars().count();
    }
    line.retain(|piece| !piece.text().is_empty());
}

/// The lines on the terminal. The cursor is left on the empty line below them, so that whatever else is printed, and
/// the shell's prompt after an abrupt end, starts on a line of its own.
#[derive(Default)]
struct Screen {
    /// Lengths of the lines that are there.
    lengths: Vec<usize>,
    closed: bool,
}

impl Screen {
    /// Moves back to the first line and erases everything from there on. A terminal that has become narrower since has
    /// wrapped the lines again.
    fn erase(&mut self) -> String {
        let width =
            terminal_size_of(std::io::stderr()).map_or(usize::MAX, |(Width(width), _)| usize::from(width).max(1));
        let rows: usize = self.lengths.iter().map(|length| length.div_ceil(width).max(1)).sum();
        self.lengths.clear();
        if rows == 0 { String::new() } else { format!("\r\x1b[{rows}A\x1b[J") }
    }

    fn draw(&mut self, lines: &[Line], style: Style) {
        if self.closed {
            return;
        }
        let mut text = self.erase();
        for line in lines {
            for piece in line {
                text += &match piece {
                    Piece::Plain(text) => text.clone(),
                    Piece::Strong(text) => style.strong(text),
                    Piece::Faint(text) => style.faint(text),
                };
            }
            text.push('\n');
            self.lengths.push(line.iter().map(|piece| piece.text().chars().count()).sum());
        }
        write(&text);
    }

    /// Leaves the terminal as it was before.
    fn close(&mut self) {
        let text = self.erase();
        self.closed = true;
        write(&text);
    }
}

/// Writes in one piece, so that nothing else comes in between. A terminal that has gone away is no reason to stop.
fn write(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(seconds: f64, cost: u64) -> Improvement {
        Improvement { seconds, paths: 1, cost }
    }

    #[test]
    fn a_sparkline_shows_the_best_so_far() {
        let blocks = ['0', '1', '2', '3'];
        let line = |steps: &[Improvement], now| sparkline(steps, now, 8, &blocks);
        assert_eq!(line(&[step(0.0, 5)], 1.0), "33333333");
        assert_eq!(line(&[step(0.0, 0), step(4.0, 30)], 8.0), "00033333");
        assert_eq!(line(&[step(2.5, 10), step(6.5, 20), step(7.9, 40)], 8.0), "  000013");
    }

    #[test]
    fn lines_fit_any_terminal() {
        let news = News {
            elapsed: Duration::from_secs(70),
            paths: 123_456_789,
            solver: Duration::from_secs(20),
            found: None,
            improvements: Vec::new(),
            switched: false,
            seen: 0,
            other: None,
            phase: Phase::Training(16),
            operators: Vec::new(),
            over: false,
        };
        let shown = Shown {
            budget: Budget { time: Some(Duration::from_secs(3600)), ..Budget::default() },
            earlier: (Duration::from_secs(100), 1000),
            searched: "quicksort.c  sort(i32[n], n)  n = 20".to_string(),
            ..Shown::default()
        };
        let best = "sort([15, -26, -27, -28, -29, -30, -31, -32, ..., -41, -42, -43, -44], 20)";
        let steps = [step(0.1, 100), step(60.0, 5195)];
        let recent: VecDeque<_> = [(67.0, 123_000_000, Duration::from_secs(19))].into();
        for width in 1..=100 {
            for line in lines(&news, &shown, (&steps, best), &recent, &['_', '#'], width) {
                let length: usize = line.iter().map(|piece| piece.text().chars().count()).sum();
                assert!(length <= width, "{width}: {line:?}");
            }
        }
        let texts: Vec<String> = lines(&news, &shown, (&steps, best), &recent, &['_', '#'], 100)
            .iter()
            .map(|line| line.iter().map(Piece::text).collect())
            .collect();
        assert_eq!(texts[0], "learning at n = 16  best 5,195 instructions  found 10.0 s ago");
        assert_eq!(texts[2], "123,457,789 paths, 152,263/s  solver 33 %  59 min left");
        assert_eq!(texts[3], format!("input  {best}"));
        assert_eq!(texts[4], "quicksort.c  sort(i32[n], n)  n = 20   Ctrl-C ends it and keeps the best");
        let narrow = lines(&news, &shown, (&steps, best), &recent, &['_', '#'], 60);
        let texts: Vec<String> = narrow.iter().map(|line| line.iter().map(Piece::text).collect()).collect();
        assert_eq!(texts[3], "input  sort([15, -26, -27, -28, -29, -30, -31, -32, ..., ...");
        assert_eq!(texts[4], "quicksort.c  sort(i32...   Ctrl-C ends it and keeps the best");
    }
}
