//! `--validate` and `--log-queries`: a second look at what the solver says.

use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use pessimum_python::programs;
use pessimum_solver::{
    Auditor, Counters, Disagreement, LayerName, LoggedQuery, QueryLog, Recheck, SECOND_SOLVER, Settings, Until,
};

use crate::flags::SearchFlags;
use crate::output::{counted, grouped, tell};
use pessimum_languages::Usage;

/// What the flags ask for.
pub struct Queries {
    audit: Option<(NonZeroU64, Arc<Audit>)>,
    log: Option<Arc<QueryDirectory>>,
    /// Of the searches so far.
    counters: Mutex<Counters>,
}

impl Queries {
    /// Makes the directory of the log, and looks for the second solver.
    pub fn of(flags: &SearchFlags) -> Result<Queries> {
        let log = flags
            .log_queries
            .as_deref()
            .map(|directory| QueryDirectory::new(directory, MOST))
            .transpose()?
            .map(Arc::new);
        let audit = flags.validate.map(|every| (every, Arc::new(Audit::new())));
        Ok(Queries { audit, log, counters: Mutex::default() })
    }

    /// The settings of the solver.
    pub fn settings(&self) -> Settings {
        Settings {
            recheck: self.audit.as_ref().map(|(every, audit)| Recheck { every: *every, auditor: audit.clone() }),
            log: self.log.clone().map(|log| log as Arc<dyn QueryLog>),
            ..Settings::default()
        }
    }

    /// Takes in what the solver did in a search.
    pub fn count(&self, counters: &Counters) {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner).add(counters);
    }

    /// What was re-checked and logged, for people; empty without either flag.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((every, audit)) = &self.audit {
            text += &validated(&counters, *every, audit.second());
        }
        if let Some(log) = &self.log {
            let queries = counted(log.written.load(Ordering::Relaxed), "query", "queries");
            text += &format!("{queries} written to {}\n", log.directory.display());
        }
        text
    }

    /// Fails if a re-check contradicted a layer.
    pub fn verdict(&self) -> Result<()> {
        let told = self.audit.as_ref().map_or(0, |(_, audit)| audit.told.load(Ordering::Relaxed));
        if told > 0 {
            let answers = counted(told, "answer was", "answers were");
            bail!("--validate: {answers} wrong; this is a bug in Pessimum, please report it with the query above");
        }
        Ok(())
    }
}

fn validated(counters: &Counters, every: NonZeroU64, second: &str) -> String {
    let mut parts = Vec::new();
    let (mut checked, mut all, mut disagreed, mut undecided) = (0, 0, 0, 0);
    for name in LayerName::ALL {
        let layer = counters.layer(name);
        all += layer.unsat;
        checked += layer.checked;
        disagreed += layer.disagreed;
        undecided += layer.undecided;
        if layer.checked > 0 {
            let by_second = matches!(name, LayerName::Blast | LayerName::FloatCircuits);
            let by = if by_second { format!(" by {second}") } else { String::new() };
            parts.push(format!("{} {}{by}", name.name(), grouped(layer.checked)));
        }
    }
    let each =
        if every.get() == 1 { "each".to_string() } else { format!("every {}th of a layer", grouped(every.get())) };
    let verdict = match disagreed {
        0 => "no disagreement".to_string(),
        some => counted(some, "DISAGREEMENT", "DISAGREEMENTS"),
    };
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    format!(
        "validated {} of {} answers \"no\", {each}{parts}: {verdict}, {} undecided\n",
        grouped(checked),
        grouped(all),
        grouped(undecided)
    )
}

/// The most disagreements whose queries are written; what comes after them is only counted.
const MOST_TOLD: u64 = 10;

/// Hears of disagreements and asks Z3, if there is one.
#[derive(Debug)]
struct Audit {
    z3: Option<Mutex<Option<Z3>>>,
    told: AtomicU64,
}

impl Audit {
    fn new() -> Audit {
        let found = programs::find("z3").filter(|z3| {
            let output = programs::command(z3).arg("--version").stdin(Stdio::null()).output();
            output.is_ok_and(|output| output.status.success())
        });
        Audit { z3: found.is_some().then(Mutex::default), told: AtomicU64::new(0) }
    }

    /// What re-checks bit-blasting.
    fn second(&self) -> &'static str {
        if self.z3.is_some() { "z3" } else { SECOND_SOLVER }
    }
}

impl Auditor for Audit {
    fn has_solver(&self) -> bool {
        self.z3.is_some()
    }

    fn ask(&self, script: &str, until: &Until) -> Option<bool> {
        let mut process = self.z3.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        if process.is_none() {
            *process = Z3::start().ok();
        }
        let answer = process.as_mut()?.ask(script, until);
        if answer.is_err() {
            // Whatever it still does or says belongs to this query, so the next one gets a new process.
            *process = None;
        }
        answer.ok().flatten()
    }

    fn disagreement(&self, found: &Disagreement) {
        let number = self.told.fetch_add(1, Ordering::Relaxed) + 1;
        if number > MOST_TOLD {
            return;
        }
        let layer = found.layer.name();
        let input = found.input.as_ref().map(|input| format!(" with the input {:?}", input.values()));
        let what = format!(
            "the layer {layer} of the solver says that a query has no solution, but {} finds one{}. This is a bug in \
             Pessimum: paths behind such a query are missing",
            found.by,
            input.unwrap_or_default()
        );
        match written_out(&found.script, layer) {
            Ok(path) => tell(&format!("{what}. The query is in {}", path.display())),
            Err(_) => tell(&format!("{what}. The query is:\n{}", found.script)),
        }
    }
}

/// Writes a query into a new file of the current directory.
fn written_out(script: &str, layer: &str) -> std::io::Result<PathBuf> {
    for number in 1.. {
        let path = PathBuf::from(format!("pessimum-disagreement-{layer}-{number}.smt2"));
        match std::fs::File::create_new(&path) {
            Ok(mut file) => return file.write_all(script.as_bytes()).map(|()| path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 1000 => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Z3 as a process that answers one script after the other.
#[derive(Debug)]
struct Z3 {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// What one question may take, in Z3's own unit, which is the same on every machine; a few seconds.
const Z3_STEPS: &str = "rlimit=5000000";
/// The same in time, in case the steps are slow.
const Z3_TIME: Duration = Duration::from_secs(10);
/// What Z3 may take to notice that its time is over.
const Z3_GRACE: Duration = Duration::from_secs(1);
/// How often a wait for Z3 looks at the flag that ends the search.
const Z3_LOOK: Duration = Duration::from_millis(50);
/// Follows every answer.
const Z3_END: &str = "pessimum-end";

impl Z3 {
    fn start() -> std::io::Result<Z3> {
        let mut command = programs::command(&programs::find("z3").ok_or(ErrorKind::NotFound)?);
        command.args(["-in", Z3_STEPS]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(ErrorKind::BrokenPipe.into());
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Z3 { child, input, lines })
    }

    /// Whether the script can be satisfied; none if Z3 cannot tell in time. After an error the process is of no use.
    fn ask(&mut self, script: &str, until: &Until) -> std::io::Result<Option<bool>> {
        let left = until.moment.map_or(Z3_TIME, |moment| moment.saturating_duration_since(Instant::now()).min(Z3_TIME));
        if left < Duration::from_millis(10) {
            return Ok(None);
        }
        let limit = format!("(reset)\n(set-option :timeout {})\n", left.as_millis());
        self.input.write_all(limit.as_bytes())?;
        self.input.write_all(script.as_bytes())?;
        self.input.write_all(format!("(echo \"{Z3_END}\")\n").as_bytes())?;
        self.input.flush()?;
        let patience = Instant::now() + left + Z3_GRACE;
        let mut answer = None;
        loop {
            match self.lines.recv_timeout(Z3_LOOK) {
                Ok(line) if line == Z3_END => return Ok(answer),
                Ok(line) if line == "sat" => answer = Some(true),
                Ok(line) if line == "unsat" => answer = Some(false),
                // An error message: an answer after it is not about what was asked.
                Ok(line) if line.starts_with("(error") => return Err(std::io::Error::other(line)),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) if Instant::now() < patience && !until.cancel.is_cancelled() => {}
                Err(RecvTimeoutError::Timeout) => return Err(ErrorKind::TimedOut.into()),
                Err(RecvTimeoutError::Disconnected) => return Err(ErrorKind::BrokenPipe.into()),
            }
        }
    }
}

impl Drop for Z3 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The most queries and bytes of one log.
const MOST: (u64, u64) = (10_000, 256 << 20);

/// A directory of queries, each a file of its own.
#[derive(Debug)]
struct QueryDirectory {
    directory: PathBuf,
    /// The most queries and bytes.
    most: (u64, u64),
    numbers: AtomicU64,
    written: AtomicU64,
    bytes: AtomicU64,
    is_open: AtomicBool,
}

impl QueryDirectory {
    /// An empty directory, made if it is not there.
    fn new(directory: &Path, most: (u64, u64)) -> Result<QueryDirectory> {
        let place = || directory.display().to_string();
        std::fs::create_dir_all(directory).with_context(place)?;
        if std::fs::read_dir(directory).with_context(place)?.next().is_some() {
            let why = "the directory is not empty; name a new one, so that nothing in it is overwritten or mixed up";
            return Err(Usage(format!("--log-queries {}: {why}", place())).into());
        }
        Ok(QueryDirectory {
            directory: directory.to_path_buf(),
            most,
            numbers: AtomicU64::new(0),
            written: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            is_open: AtomicBool::new(true),
        })
    }

    fn close(&self, why: &str) {
        if self.is_open.swap(false, Ordering::Relaxed) {
            tell(&format!("note: --log-queries: {why}; further queries are not written"));
        }
    }
}

impl QueryLog for QueryDirectory {
    fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    fn take(&self, query: &LoggedQuery) {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed) + 1;
        let length = query.script.len() as u64;
        if number > self.most.0 {
            return self.close(&format!("{} queries are written, the most for one log", grouped(self.most.0)));
        }
        if self.bytes.fetch_add(length, Ordering::Relaxed) + length > self.most.1 {
            return self.close(&format!("the log would exceed {} MiB", self.most.1 >> 20));
        }
        let site = query.site.map_or("path".to_string(), |site| format!("site{site}"));
        let layer = query.layer.map_or("gave-up", |layer| layer.name());
        let name = format!("{number:05}-{site}-{}-{layer}.smt2", query.status.name());
        let path = self.directory.join(name);
        let file = std::fs::File::create_new(&path);
        match file.and_then(|mut file| file.write_all(query.script.as_bytes())) {
            Ok(()) => {
                self.written.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => self.close(&format!("{}: {error}", path.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_solver::Status;

    fn query(script: &str) -> LoggedQuery {
        LoggedQuery { status: Status::Unsat, layer: Some(LayerName::Order), site: Some(5), script: script.to_string() }
    }

    fn files(directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(directory).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_log_ends_at_its_limits() {
        let place = tempfile::tempdir().unwrap();
        let log = QueryDirectory::new(&place.path().join("a/b"), (2, 1000)).unwrap();
        for _ in 0..4 {
            log.take(&query("(check-sat)"));
        }
        assert!(!log.is_open());
        assert_eq!(files(&log.directory), ["00001-site5-unsat-order.smt2", "00002-site5-unsat-order.smt2"]);
        let log = QueryDirectory::new(&place.path().join("c"), (100, 30)).unwrap();
        let unknown = LoggedQuery { status: Status::Unknown, layer: None, site: None, ..query("(check-sat)") };
        for _ in 0..4 {
            log.take(&unknown);
        }
        assert!(!log.is_open());
        assert_eq!(files(&log.directory), ["00001-path-unknown-gave-up.smt2", "00002-path-unknown-gave-up.smt2"]);
    }

    #[test]
    fn a_log_overwrites_nothing() {
        let place = tempfile::tempdir().unwrap();
        let log = QueryDirectory::new(place.path(), MOST).unwrap();
        // Somebody puts a file there after the log was begun.
        let theirs = place.path().join("00001-site5-unsat-order.smt2");
        std::fs::write(&theirs, "theirs").unwrap();
        log.take(&query("ours"));
        assert!(!log.is_open());
        assert_eq!(std::fs::read_to_string(theirs).unwrap(), "theirs");
        assert!(QueryDirectory::new(place.path(), MOST).unwrap_err().is::<Usage>());
    }
}
