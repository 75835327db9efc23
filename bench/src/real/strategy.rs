//! A search by `pessimum worst`, for so much processor time.
//!
//! The budget of the command is wall time. On a machine that does other things as well it is given more of that, in the
//! proportion seen so far, and it is interrupted when it has had its processor time.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::course::Course;
use super::manifest::Program;
use crate::clock;

/// How often the processor time of a search is looked at.
const GLANCE: Duration = Duration::from_millis(5);

/// A search that has been interrupted has this long to write its result.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs searches.
pub struct Searcher {
    /// The command `pessimum`.
    pub command: PathBuf,
    /// Processor time for each search.
    pub budget: Duration,
    /// Wall time over processor time in the last search.
    stretch: f64,
}

/// Wall and processor time since a process began, in seconds, at one moment.
#[derive(Clone, Copy, Default)]
struct Moment {
    wall: f64,
    processor: f64,
}

/// What was seen of a process while it ran.
struct Watched {
    moments: Vec<Moment>,
    /// When its journal appeared, with which the search begins.
    began: Option<Moment>,
    interrupted: bool,
    killed: bool,
}

impl Watched {
    /// The processor time of the search when its own clock shows these seconds.
    fn processor_time(&self, seconds: f64) -> f64 {
        let began = self.began.unwrap_or_default();
        let wall = began.wall + seconds;
        let after = self.moments.partition_point(|moment| moment.wall < wall);
        let at = match (after.checked_sub(1).map(|before| self.moments[before]), self.moments.get(after)) {
            (Some(a), Some(b)) => {
                a.processor + (b.processor - a.processor) * (wall - a.wall) / (b.wall - a.wall).max(1e-9)
            }
            (Some(only), None) | (None, Some(&only)) => only.processor,
            (None, None) => seconds,
        };
        (at - began.processor).max(0.0)
    }
}

impl Searcher {
    /// With this command and this processor time for each search.
    pub fn new(command: PathBuf, budget: Duration) -> Searcher {
        Searcher { command, budget, stretch: 1.0 }
    }

    /// Compiles the program, and leaves its module in the directory.
    pub fn prepare(&self, program: &Program, out: &Path) -> Result<PathBuf, String> {
        let mut command = Command::new(&self.command);
        command.arg("worst").args(program.words()).args(["--strategy=ga", "--paths=1", "--budget=1s", "--quiet"]);
        command.arg(format!("--out={}", out.display())).stdin(Stdio::null());
        let ran = command.output().map_err(|error| format!("{}: {error}", self.command.display()))?;
        let module = out.join("module.wasm");
        if ran.status.success() && module.exists() {
            return Ok(module);
        }
        let said = String::from_utf8_lossy(&ran.stderr);
        Err(said.lines().find(|line| !line.is_empty()).unwrap_or("`pessimum worst` failed").to_string())
    }

    /// Searches with a strategy; what it leaves is in the directory.
    pub fn search(&mut self, program: &Program, strategy: &str, seed: u64, out: &Path) -> Result<Course, String> {
        let course = self.search_once(program, strategy, seed, out)?;
        // The machine was busier than before; now it is known how busy.
        if course.remark.is_some() { self.search_once(program, strategy, seed, out) } else { Ok(course) }
    }

    fn search_once(&mut self, program: &Program, strategy: &str, seed: u64, out: &Path) -> Result<Course, String> {
        // What an earlier search has left would be taken for the journal of this one.
        if out.exists() {
            std::fs::remove_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
        }
        // On a busy machine the proportion varies; on an idle one a share of the budget should be what it says.
        let spare = if self.stretch > 1.2 { 2.0 } else { 1.1 };
        let wall = self.budget.mul_f64((spare * self.stretch).clamp(1.1, 100.0));
        let mut command = Command::new(&self.command);
        command.arg("worst").args(program.words());
        command.arg(format!("--strategy={strategy}")).arg(format!("--seed={seed}"));
        command.arg(format!("--budget={}ms", wall.as_millis())).arg(format!("--out={}", out.display())).arg("--quiet");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| format!("{}: {error}", self.command.display()))?;
        let watched = self.watch(child, &out.join("journal.jsonl"))?;
        if let Some(last) = watched.moments.last()
            && last.processor > 0.05
        {
            self.stretch = last.wall / last.processor;
        }
        course(&watched, out, self.budget)
    }

    fn watch(&self, mut child: Child, journal: &Path) -> Result<Watched, String> {
        let start = Instant::now();
        let mut watched = Watched { moments: Vec::new(), began: None, interrupted: false, killed: false };
        let mut deadline = None;
        while child.try_wait().map_err(|error| error.to_string())?.is_none() {
            let wall = start.elapsed().as_secs_f64();
            // Where the system does not tell, wall time has to do; the head of the table says so.
            let processor = clock::of_threads(child.id()).map_or(wall, |time| time.as_secs_f64());
            let now = Moment { wall, processor };
            watched.moments.push(now);
            if watched.began.is_none() && journal.exists() {
                watched.began = Some(now);
            }
            let used = watched.began.map_or(0.0, |began| processor - began.processor);
            if !watched.interrupted && used >= self.budget.as_secs_f64() {
                // If it is over already, there is nobody to hear it.
                let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
                watched.interrupted = true;
                deadline = Some(Instant::now() + PATIENCE);
            }
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                watched.killed = true;
                let _ = child.kill();
            }
            std::thread::sleep(GLANCE);
        }
        Ok(watched)
    }
}

/// Reads the journal and the result of a search.
fn course(watched: &Watched, out: &Path, budget: Duration) -> Result<Course, String> {
    if watched.killed {
        return Err(format!("did not end within {PATIENCE:?} after it was interrupted"));
    }
    let read = |name: &str| std::fs::read_to_string(out.join(name)).map_err(|_| "ended without a result".to_string());
    let (journal, result) = (read("journal.jsonl")?, read("result.json")?);
    let mut results = Vec::new();
    let mut ended_early = false;
    for line in journal.lines() {
        let Ok(event) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        for step in event["steps"].as_array().into_iter().flatten() {
            if let (Some(seconds), Some(cost)) = (step[0].as_f64(), step[2].as_u64()) {
                results.push((watched.processor_time(seconds), cost));
            }
        }
        ended_early |= event["event"] == "end" && event["stopped"] == "time";
    }
    let result: serde_json::Value = serde_json::from_str(&result).map_err(|error| format!("result.json: {error}"))?;
    let best = result["cost"]["value"].as_u64().ok_or("result.json has no cost")?;
    let used = watched.moments.last().copied().unwrap_or_default().processor;
    let used = used - watched.began.unwrap_or_default().processor;
    // A search that was slow to hear of its end may have found something after it.
    let found = results.len();
    results.retain(|step| step.0 <= 1.05 * budget.as_secs_f64());
    if results.len() == found {
        // The result is what was run again; a search may have cut its runs short and counted less.
        let last = results.iter().map(|step| step.0).fold(0.0, f64::max);
        results.retain(|step| step.1 < best);
        results.push((last, best));
    }
    let short = !watched.interrupted && ended_early && used < 0.9 * budget.as_secs_f64();
    let remark = short.then(|| format!("had only {used:.1} s of processor time: the machine is busy"));
    Ok(Course::of(results, remark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_a_search_is_turned_into_processor_time() {
        let moment = |(wall, processor)| Moment { wall, processor };
        let moments = [(0.0, 0.0), (1.0, 0.5), (2.0, 0.5), (4.0, 2.5)].map(moment).to_vec();
        let began = Some(moment((1.0, 0.5)));
        let watched = Watched { moments, began, interrupted: false, killed: false };
        assert_eq!(watched.processor_time(0.5), 0.0);
        assert_eq!(watched.processor_time(2.0), 1.0);
        assert_eq!(watched.processor_time(9.0), 2.0);
    }
}
