//! Runs a command until it has used so much processor time, its child processes included.

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::clock::{self, Process};

/// How often the processor time is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// A command that has been interrupted has this long to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a command took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    /// Seconds of processor time when it ended or was interrupted.
    pub processor: f64,
    /// Seconds of the clock until then.
    pub wall: f64,
    /// Whether it was interrupted because its time was over.
    pub interrupted: bool,
}

/// Runs the command until it ends, or interrupts it as soon as it has had its processor time.
pub fn run(command: &mut Command, budget: Duration) -> Result<Used, String> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let start = Instant::now();
    let mut used = Used::default();
    let mut deadline: Option<Instant> = None;
    let mut below = Vec::new();
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if let Some(deadline) = deadline {
            if Instant::now() > deadline {
                kill(&mut child);
                end(&below);
                return Err(format!("did not end within {PATIENCE:?} after it was interrupted"));
            }
        } else {
            used.wall = start.elapsed().as_secs_f64();
            let processes = processes();
            below = descendants(child.id(), &processes);
            used.processor = tree_time(child.id(), &processes).unwrap_or(used.wall);
            if used.processor >= budget.as_secs_f64() {
                used.interrupted = true;
                signal(child.id());
                deadline = Some(Instant::now() + PATIENCE);
            }
        }
        std::thread::sleep(GLANCE);
    }
    end(&below);
    Ok(used)
}

/// Ends what a command leaves behind: AFL++ does not always end the programs that it runs.
fn end(processes: &[u32]) {
    for process in processes {
        let _ = Command::new("kill").args(["-KILL", &process.to_string()]).stderr(Stdio::null()).status();
    }
}

/// Interrupts a process as Ctrl-C does. If it is over already, there is nobody to hear it.
fn signal(process: u32) {
    let _ = Command::new("kill").args(["-INT", &process.to_string()]).stderr(Stdio::null()).status();
}

/// Ends a process that does not listen, and waits for it.
fn kill(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// All processes; none where the system does not list them.
fn processes() -> BTreeMap<u32, Process> {
    let Ok(listed) = std::fs::read_dir("/proc") else { return BTreeMap::new() };
    let process = |entry: std::fs::DirEntry| {
        let number = entry.file_name().into_string().ok()?;
        Some((number.parse().ok()?, clock::process(&number)?))
    };
    listed.flatten().filter_map(process).collect()
}

/// The processes that a process started, and those that they started, and so on.
fn descendants(root: u32, processes: &BTreeMap<u32, Process>) -> Vec<u32> {
    let (mut found, mut parents) = (Vec::new(), vec![root]);
    while let Some(parent) = parents.pop() {
        let children = processes.iter().filter(|(_, process)| process.parent == parent).map(|(&id, _)| id);
        parents.extend(children.clone());
        found.extend(children);
    }
    found
}

/// Seconds of processor time of a process and everything below it.
fn tree_time(root: u32, processes: &BTreeMap<u32, Process>) -> Option<f64> {
    let of = |process: &Process| process.time + process.children;
    let below: Duration = descendants(root, processes).iter().map(|id| of(&processes[id])).sum();
    Some((of(processes.get(&root)?) + below).as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_process_is_that_of_its_children_too() {
        let process = |parent, hundredths: u64| {
            let [time, children] =
                [hundredths / 3, hundredths - hundredths / 3].map(|part| Duration::from_millis(10 * part));
            Process { is_over: false, parent, time, children }
        };
        let processes = BTreeMap::from([
            (1, process(0, 1000)),
            (5, process(1, 100)),
            (6, process(5, 10)),
            (7, process(6, 1)),
            (8, process(1, 500)),
        ]);
        assert_eq!(descendants(5, &processes), [6, 7]);
        assert_eq!(tree_time(5, &processes), Some(1.11));
        assert_eq!(tree_time(9, &processes), None);
    }
}
