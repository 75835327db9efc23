//! The table, line by line, and what it says.

use super::course::Course;
use crate::record::Record;

/// Columns are compared with what is known within this share, and with each other.
const NEAR: f64 = 0.95;

/// Times below this are noise of the clock: the processor time of another process is known to a few milliseconds.
const SHORTEST: f64 = 0.01;

/// One program: its known worst case, and what each contestant found.
pub struct Row {
    /// The program.
    pub name: String,
    /// What the known worst input costs here.
    pub known: u64,
    /// Whether that comes from an argument; otherwise it is the best that was ever found.
    pub is_argued: bool,
    /// In the order of the columns; none where a contestant has no result.
    pub courses: Vec<Option<Course>>,
}

impl Row {
    fn best(&self, column: usize) -> u64 {
        self.courses[column].as_ref().map_or(0, Course::best)
    }
}

/// With separators between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The line above the rows.
pub fn heading(columns: &[String]) -> String {
    let mut text = format!("{:<16}{:>13}", "program", "known worst");
    for column in columns {
        text.push_str(&format!(" |{:>13} {:>4} {:>6}", column, "%", "s"));
    }
    text
}

/// The name and what is known; then the cost, the share of what is known in per cent, and the seconds of each contestant.
fn cells(row: &Row) -> Vec<String> {
    let mark = if row.is_argued { "" } else { "~" };
    let mut cells = vec![row.name.clone(), format!("{mark}{}", grouped(row.known))];
    for course in &row.courses {
        cells.extend(course.as_ref().map_or(["-".to_string(), String::new(), String::new()], |course| {
            let share = 100.0 * course.best() as f64 / row.known.max(1) as f64;
            let mark = if course.remark.is_some() { "*" } else { "" };
            let seconds = course.time_to(course.best()).unwrap_or(0.0);
            [format!("{}{mark}", grouped(course.best())), format!("{share:.0}"), format!("{seconds:.2}")]
        }));
    }
    cells
}

/// One program.
pub fn line(row: &Row) -> String {
    let cells = cells(row);
    let courses = cells[2..].chunks(3).map(|cell| format!(" |{:>13} {:>4} {:>6}", cell[0], cell[1], cell[2]));
    format!("{:<16}{:>13}{}", cells[0], cells[1], courses.collect::<String>())
}

/// The table.
pub fn record(columns: &[String], rows: &[Row]) -> Record {
    let courses = columns.iter().flat_map(|name| [format!("`{name}`"), "%".to_string(), "s".to_string()]);
    let names = ["program", "known"].map(String::from).into_iter().chain(courses);
    Record::new(names.collect(), rows.iter().map(cells).collect())
}

/// What the table says, in sentences: who reaches what is known, and where the first column is behind another.
pub fn summary(columns: &[String], rows: &[Row]) -> Vec<String> {
    let mut lines = Vec::new();
    for (column, name) in columns.iter().enumerate() {
        let with: Vec<&Row> = rows.iter().filter(|row| row.courses[column].is_some()).collect();
        let below: Vec<String> = with
            .iter()
            .filter(|row| (row.best(column) as f64) < NEAR * row.known as f64)
            .map(|row| format!("{} {:.0} %", row.name, 100.0 * row.best(column) as f64 / row.known as f64))
            .collect();
        let reached = with.len() - below.len();
        let less = if below.is_empty() { String::new() } else { format!("; less on {}", below.join(", ")) };
        lines.push(format!("{name}: 95 % of the known worst case or more on {reached} of {}{less}", with.len()));
    }
    for (column, name) in columns.iter().enumerate().skip(1) {
        let behind: Vec<String> = rows
            .iter()
            .filter(|row| row.courses[0].is_some() && (row.best(0) as f64) < NEAR * row.best(column) as f64)
            .map(|row| format!("{} {:.2}", row.name, row.best(0) as f64 / row.best(column) as f64))
            .collect();
        let which = if behind.is_empty() { "none".to_string() } else { behind.join(", ") };
        lines.push(format!("{} below {name} by more than 5 %: {} ({which})", columns[0], behind.len()));
        lines.extend(times(columns, rows, column));
    }
    let above: Vec<String> = rows
        .iter()
        .flat_map(|row| (0..columns.len()).map(move |column| (row, column)))
        .filter(|(row, column)| row.best(*column) > row.known)
        .map(|(row, column)| format!("{} by {}: {}", row.name, columns[column], grouped(row.best(column))))
        .collect();
    if !above.is_empty() {
        lines.push(format!("above what was known (programs.toml can be improved): {}", above.join(", ")));
    }
    lines
}

/// How long the first column takes to the level that both reach, as a multiple of what another takes.
fn times(columns: &[String], rows: &[Row], column: usize) -> Option<String> {
    let mut ratios: Vec<(f64, &str)> = rows
        .iter()
        .filter_map(|row| {
            let (ours, other) = (row.courses[0].as_ref()?, row.courses[column].as_ref()?);
            let level = ours.best().min(other.best());
            let ratio = ours.time_to(level)?.max(SHORTEST) / other.time_to(level)?.max(SHORTEST);
            Some((ratio, row.name.as_str()))
        })
        .collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let median = ratios.get(ratios.len() / 2)?.0;
    let late: Vec<String> = ratios.iter().filter(|r| r.0 > 2.0).map(|r| format!("{} {:.1}", r.1, r.0)).collect();
    let which = if late.is_empty() { "none".to_string() } else { late.join(", ") };
    Some(format!(
        "time of {} to the cost that both reach, in times that of {}: median {median:.2}; above 2: {} ({which})",
        columns[0],
        columns[column],
        late.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn the_summary_names_what_is_behind_and_what_is_late() {
        let course = |steps: &[(f64, u64)]| Some(Course::of(steps.to_vec(), None));
        let rows = [
            Row {
                name: "a".into(),
                known: 100,
                is_argued: true,
                courses: vec![course(&[(4.0, 100)]), course(&[(1.0, 100)])],
            },
            Row {
                name: "b".into(),
                known: 100,
                is_argued: true,
                courses: vec![course(&[(1.0, 50)]), course(&[(1.0, 50), (9.0, 120)])],
            },
            Row { name: "c".into(), known: 100, is_argued: false, courses: vec![course(&[(1.0, 96)]), None] },
        ];
        let lines = summary(&["auto".into(), "peer".into()], &rows);
        assert_eq!(
            lines,
            [
                "auto: 95 % of the known worst case or more on 2 of 3; less on b 50 %",
                "peer: 95 % of the known worst case or more on 2 of 2",
                "auto below peer by more than 5 %: 1 (b 0.42)",
                "time of auto to the cost that both reach, in times that of peer: median 4.00; above 2: 1 (a 4.0)",
                "above what was known (programs.toml can be improved): b by peer: 120",
            ]
        );
    }
}
