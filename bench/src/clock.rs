//! Processor times, as far as the system tells them: on a busy machine the time of the clock says nothing.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// What this process has had so far.
pub fn own() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// What the system says of a process. It counts in hundredths of a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Process {
    /// Whether it has ended, and only waits for somebody to ask how.
    pub is_over: bool,
    /// The process that started it.
    pub parent: u32,
    /// Its own time.
    pub time: Duration,
    /// The time of its children that are over.
    pub children: Duration,
}

/// The process with this number (or `self`); none where the system does not tell.
pub fn process(number: &str) -> Option<Process> {
    parse(&std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?)
}

/// Reads `/proc/PID/stat`; see proc(5). The name of the program, in brackets, may contain anything.
fn parse(stat: &str) -> Option<Process> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |field: usize| fields.get(field).and_then(|text| text.parse::<u64>().ok());
    let time = |first: usize| Some(Duration::from_millis(10 * (number(first)? + number(first + 1)?)));
    Some(Process { is_over: *fields.first()? == "Z", parent: number(1)? as u32, time: time(11)?, children: time(13)? })
}

/// The processor time of a running process with all its threads, to the nanosecond.
pub fn of_threads(process: u32) -> Option<Duration> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let of_tasks = tasks.flatten().map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    // A task that ends meanwhile tells nothing; a system that tells nothing of any task is another matter.
    of_tasks.flatten().reduce(|sum, task| sum + task).map(Duration::from_nanos)
}

/// What a search that was given so much processor time was given in truth.
pub fn name() -> &'static str {
    match of_threads(std::process::id()) {
        Some(_) => "processor time",
        None => "wall time, because this system does not tell the processor time of a process",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_system_is_read_whatever_the_program_is_called() {
        let line = "7 (a ) b) Z 3 7 7 0 -1 4194304 1 2 3 4 100 20 3 4 20 0 1 0 9 8 7";
        let [time, children] = [1200, 70].map(Duration::from_millis);
        assert_eq!(parse(line), Some(Process { is_over: true, parent: 3, time, children }));
        assert_eq!(parse("7 (cut off"), None);
    }
}
