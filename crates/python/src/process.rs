//! A worker: an interpreter that runs our files, its pipes, and how long one waits for it.
//!
//! There is no interpreter of our own. The user's is handed the sources of `worker/` through standard input, as a
//! package in memory: nothing is installed. A process is *plain* (an ordinary interpreter with line counting) or
//! *symbolic*. Every cost that is reported comes from a plain one, so what the symbolic one does can lose paths but
//! cannot make a number wrong; a difference between the two is our defect, unless the input does something else in a
//! fresh plain process as well: then it is the program that depends on more than its input. A process that does not
//! answer is killed by its owner, never by itself.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::error::PythonError;
use crate::hang::{Place, places};
use crate::programs;
use crate::wire::{Frame, answer, request};

/// The worker's files by name. They travel over the pipe: nothing is left behind on disk.
const FILES: &[(&str, &str)] = &[
    ("__init__", include_str!("../worker/__init__.py")),
    ("apart", include_str!("../worker/apart.py")),
    ("caches", include_str!("../worker/caches.py")),
    ("calls", include_str!("../worker/calls.py")),
    ("channel", include_str!("../worker/channel.py")),
    ("characters", include_str!("../worker/characters.py")),
    ("engine", include_str!("../worker/engine.py")),
    ("formats", include_str!("../worker/formats.py")),
    ("guard", include_str!("../worker/guard.py")),
    ("hints", include_str!("../worker/hints.py")),
    ("kept", include_str!("../worker/kept.py")),
    ("load", include_str!("../worker/load.py")),
    ("main", include_str!("../worker/main.py")),
    ("nodes", include_str!("../worker/nodes.py")),
    ("numbers", include_str!("../worker/numbers.py")),
    ("profile", include_str!("../worker/profile.py")),
    ("reach", include_str!("../worker/reach.py")),
    ("recorded", include_str!("../worker/recorded.py")),
    ("rewrite", include_str!("../worker/rewrite.py")),
    ("shims", include_str!("../worker/shims.py")),
    ("sites", include_str!("../worker/sites.py")),
    ("texts", include_str!("../worker/texts.py")),
    ("trace", include_str!("../worker/trace.py")),
    ("values", include_str!("../worker/values.py")),
    ("work", include_str!("../worker/work.py")),
];

const BOOT: &str = include_str!("../worker/boot.py");

/// How long a worker may take to leave a run that is over.
const UNWINDING: Duration = Duration::from_millis(1000);

/// The longest frame: a path of some ten million decisions.
const LONGEST_FRAME: usize = 1 << 30;

/// What became of a worker instead of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// It exited with this code.
    Exited(i32),
    /// This signal ended it.
    Signal(i32),
    /// It did not answer in time, and was ended.
    Late,
    /// It sent what is no answer, or closed its pipe, and was ended.
    Broken,
}

/// What waiting has brought.
pub enum Waited {
    Frame(Frame),
    /// Nothing yet.
    Nothing,
    Lost(Lost),
}

/// A worker process. It ends when this is dropped, and everything that it started with it.
pub struct Process {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    /// Bytes of a frame that has not come completely.
    partial: Vec<u8>,
    /// Whether it may still be on the way out of a run whose end it has sent.
    unwinding: bool,
    lost: Option<Lost>,
}

impl Process {
    /// Starts an interpreter.
    pub fn start(python: &Path) -> Result<Process, PythonError> {
        let mut command = programs::command(python);
        command
            .args(["-B", "-X", "utf8", "-c", BOOT])
            .env("PYTHONHASHSEED", "0")
            // Variables that change what a program does, or how it is run.
            .env_remove("PYTHONSTARTUP")
            .env_remove("PYTHONINSPECT")
            .env_remove("PYTHONPROFILEIMPORTTIME")
            .env_remove("PYTHONTRACEMALLOC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Ctrl-C is for us; and what the program starts ends with the group.
            .process_group(0);
        let mut child = command
            .spawn()
            .map_err(|error| PythonError::Interpreter(format!("{} cannot be started: {error}", python.display())))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(PythonError::Interpreter(format!("{} has no pipes", python.display())));
        };
        let mut process = Process { child, input, output, partial: Vec::new(), unwinding: false, lost: None };
        let mut sources = (FILES.len() as u32).to_le_bytes().to_vec();
        for (name, text) in FILES {
            sources.extend((name.len() as u32).to_le_bytes());
            sources.extend((text.len() as u32).to_le_bytes());
            sources.extend(name.as_bytes());
            sources.extend(text.as_bytes());
        }
        // An interpreter that is too old answers before it reads; whoever waits for the answer sees it.
        if process.input.write_all(&sources).is_err() {
            process.partial.clear();
        }
        Ok(process)
    }

    /// The version of an interpreter that did not get as far as our code, or what it says instead.
    pub fn version(python: &Path) -> Result<String, String> {
        const ASK: &str = "import sys; sys.stdout.write('%d.%d.%d' % sys.version_info[:3])";
        let output = programs::command(python).args(["-c", ASK]).stdin(Stdio::null()).output();
        let output = output.map_err(|error| error.to_string())?;
        let (said, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if output.status.success() && said.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(said.into_owned());
        }
        Err(complaint.trim().lines().last().unwrap_or_default().to_string())
    }

    /// Sends a request. That it cannot be sent shows when the answer is waited for.
    pub fn send(&mut self, kind: u8, body: &[u8]) {
        let mut frame = Vec::with_capacity(body.len() + 5);
        frame.extend((body.len() as u32).to_le_bytes());
        frame.push(kind);
        frame.extend(body);
        let _ = self.input.write_all(&frame);
    }

    /// Waits for the next frame, at most this long.
    pub fn wait(&mut self, patience: Duration) -> Waited {
        if let Some(lost) = &self.lost {
            return Waited::Lost(lost.clone());
        }
        let until = Instant::now() + patience;
        loop {
            if let Some(frame) = self.take_frame() {
                return frame;
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.readable(left) {
                Ok(true) => {}
                Ok(false) => return Waited::Nothing,
                Err(()) => return self.lose(Lost::Broken),
            }
            let mut buffer = [0; 1 << 16];
            match self.output.read(&mut buffer) {
                Ok(0) => return self.ended(),
                Ok(count) => self.partial.extend(&buffer[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return self.lose(Lost::Broken),
            }
        }
    }

    fn take_frame(&mut self) -> Option<Waited> {
        let head: [u8; 4] = self.partial.get(..4)?.try_into().ok()?;
        let length = u32::from_le_bytes(head) as usize;
        if length > LONGEST_FRAME {
            return Some(self.lose(Lost::Broken));
        }
        if self.partial.len() < length + 5 {
            // The rest may be long.
            self.partial.reserve(length + 5 - self.partial.len());
            return None;
        }
        let rest = self.partial.split_off(length + 5);
        let mut body = std::mem::replace(&mut self.partial, rest);
        let kind = body[4];
        body.drain(..5);
        Some(Waited::Frame(Frame { kind, body }))
    }

    fn readable(&self, left: Duration) -> Result<bool, ()> {
        let mut fds = [PollFd::new(&self.output, PollFlags::IN)];
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        match poll(&mut fds, Some(&timeout)) {
            Ok(count) => Ok(count > 0),
            // A signal that was for us; whoever waits looks at the clock again.
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(_) => Err(()),
        }
    }

    /// Its pipe is closed: it ends, or has ended.
    fn ended(&mut self) -> Waited {
        let until = Instant::now() + UNWINDING;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    let lost = match (status.code(), status.signal()) {
                        (Some(code), _) => Lost::Exited(code),
                        (_, Some(signal)) => Lost::Signal(signal),
                        _ => Lost::Broken,
                    };
                    return self.lose(lost);
                }
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
                _ => return self.lose(Lost::Broken),
            }
        }
    }

    fn lose(&mut self, lost: Lost) -> Waited {
        self.kill();
        self.lost = Some(lost.clone());
        Waited::Lost(lost)
    }

    /// Ends it: nobody waits for it any longer.
    pub fn give_up(&mut self) -> Lost {
        self.lose(Lost::Late);
        Lost::Late
    }

    /// Where a run is of which nothing is heard, innermost call first. The interpreter tells it from a signal handler whatever it
    /// computes (`faulthandler`); after this it can only be given up.
    pub fn places(&mut self) -> Vec<Place> {
        /// For the first word, on a busy machine, and for each of those after it.
        const WAITS: (Duration, Duration) = (Duration::from_millis(500), Duration::from_millis(50));
        const LONGEST: usize = 1 << 16;
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let mut text = Vec::new();
        if self.lost.is_none()
            && self.partial.is_empty()
            && pid.is_some_and(|pid| kill_process_group(pid, Signal::USR1).is_ok())
        {
            let mut buffer = [0; 4096];
            while text.len() < LONGEST && self.readable(if text.is_empty() { WAITS.0 } else { WAITS.1 }) == Ok(true) {
                match self.output.read(&mut buffer) {
                    Ok(count) if count > 0 => text.extend(&buffer[..count]),
                    _ => break,
                }
            }
        }
        places(&String::from_utf8_lossy(&text))
    }

    /// It has sent the end of a run, and may be anywhere on its way out.
    pub fn set_unwinding(&mut self) {
        self.unwinding = true;
    }

    /// Whether it can be given another request.
    pub fn is_ready(&mut self) -> bool {
        if self.lost.is_some() {
            return false;
        }
        if !self.unwinding {
            return true;
        }
        self.unwinding = false;
        self.send(request::PING, &[]);
        let until = Instant::now() + UNWINDING;
        loop {
            match self.wait(until.saturating_duration_since(Instant::now())) {
                Waited::Frame(frame) if frame.kind == answer::PONG => return true,
                // What it sent before it heard that nobody listens.
                Waited::Frame(_) => {}
                Waited::Nothing | Waited::Lost(_) => {
                    self.give_up();
                    return false;
                }
            }
        }
    }

    fn kill(&mut self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.lost.is_none() {
            self.kill();
        }
    }
}

/// The interpreter to use: the one that was named, that of the active virtual environment, or the first in PATH.
pub fn find_interpreter(named: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(named) = named {
        return Ok(named.to_path_buf());
    }
    if let Some(environment) = std::env::var_os("VIRTUAL_ENV").filter(|path| !path.is_empty()) {
        let python = Path::new(&environment).join("bin/python");
        if python.is_file() {
            return Ok(python);
        }
    }
    ["python3", "python"].into_iter().find_map(programs::find).ok_or_else(|| {
        "no Python was found: neither `python3` nor `python` is in PATH (`--python PATH` names one)".to_string()
    })
}
