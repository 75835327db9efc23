//! Tests of the worst case.
//!
//! The attribute [`worst_case`] makes `cargo test` search for the input that costs a function the most, and fail with that
//! input if it costs more than a limit or if the cost grows faster than a class:
//!
//! ```
//! # #[cfg(any())]
//! #[cfg_attr(test, pessimum::worst_case(class = "n log n", sizes = "8..64"))]
//! pub fn sort(list: &mut [i32]) {
//!     list.sort_unstable();
//! }
//! ```
//!
//! Costs are counts of instructions, so the verdict is the same on every machine. The search is done by the command
//! `pessimum`, which is found in PATH or named in the environment variable PESSIMUM. Without it the test fails; with
//! PESSIMUM_OPTIONAL=1 it says so and passes.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

pub use pessimum_test_macros::worst_case;

/// A search, as the attribute describes it.
#[derive(Clone, Copy, Debug)]
pub struct Search<'s> {
    /// The directory of the package.
    pub package: &'s str,
    /// The module of the function or test, with the crate's name first.
    pub module: &'s str,
    /// The function, or a call with its arguments.
    pub call: &'s str,
    /// Whether `call` is a whole path already, and not a name in `module`.
    pub is_path: bool,
    /// Keys of the attribute and their values.
    pub flags: &'s [(&'s str, &'s str)],
}

/// The paths of a search whose attribute gives neither paths nor time: the same verdict every time.
const PATHS: &str = "1000";

/// What the command says with its exit code: a limit is exceeded.
const ABOVE: i32 = 3;

/// Searches for the worst input.
///
/// # Panics
///
/// With the worst input and what it costs, if it is above a limit; with what to do, if there could be no search.
#[track_caller]
pub fn check(search: &Search<'_>) {
    let command = std::env::var("PESSIMUM").ok().filter(|command| !command.is_empty());
    let command = command.unwrap_or_else(|| "pessimum".to_string());
    let words = search.words();
    let output = Command::new(&command).args(&words).stdin(Stdio::null()).output();
    let output = match output {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return missing(search, &command),
        Err(error) => panic!("{command}: {error}"),
    };
    if output.status.success() {
        return;
    }
    let (printed, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let call = search.path();
    match output.status.code() {
        Some(ABOVE) => panic!("the worst case of `{call}` is above its limit\n\n{printed}"),
        _ => panic!("the worst case of `{call}` could not be searched ({})\n\n{told}{printed}", ended(output.status)),
    }
}

fn ended(status: ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"))
}

/// What to do without the command.
#[track_caller]
fn missing(search: &Search<'_>, command: &str) {
    let call = search.path();
    let how = "install it with `cargo install --path crates/cli` in a copy of Pessimum, or name it in PESSIMUM";
    if std::env::var_os("PESSIMUM_OPTIONAL").is_some_and(|optional| optional == "1") {
        // Not with a macro, whose output is shown only when a test fails.
        let text =
            format!("SKIPPED: the worst case of `{call}` was not searched: there is no command `{command}`; {how}\n");
        let _ = std::io::stderr().write_all(text.as_bytes());
        return;
    }
    panic!(
        "the worst case of `{call}` was not searched: there is no command `{command}`; {how}; with PESSIMUM_OPTIONAL=1 \
         tests like this one are skipped"
    );
}

impl Search<'_> {
    /// The function as seen from the root of its crate.
    fn path(&self) -> String {
        match self.module.split_once("::") {
            Some((_, modules)) if !self.is_path => format!("{modules}::{}", self.call),
            _ => self.call.to_string(),
        }
    }

    /// The command line.
    fn words(&self) -> Vec<String> {
        let has = |key: &str| self.flags.iter().any(|(given, _)| *given == key);
        let mut words = vec![if has("sizes") { "curve" } else { "worst" }.to_string()];
        words.push(format!("--call={}", self.path()));
        for (key, value) in self.flags {
            let flag = match *key {
                "at_most" => "fail-above".to_string(),
                "class" => "fail-above-class".to_string(),
                key => key.replace('_', "-"),
            };
            match *value {
                "true" => words.push(format!("--{flag}")),
                "false" => {}
                value => words.push(format!("--{flag}={value}")),
            }
        }
        if !has("paths") && !has("budget") {
            words.push(format!("--paths={PATHS}"));
        }
        if has("sizes") {
            words.push("--chart=none".to_string());
        }
        words.push(format!("--out={}", self.out().display()));
        words.push("--quiet".to_string());
        words.push(self.package.to_string());
        words
    }

    /// The directory for what the search leaves behind: beside what cargo builds, one for each search.
    fn out(&self) -> PathBuf {
        let this = std::env::current_exe().ok();
        // target/debug/deps/TEST
        let target = this.as_deref().and_then(Path::parent).and_then(Path::parent).and_then(Path::parent);
        let place = target.map_or_else(std::env::temp_dir, Path::to_path_buf).join("pessimum");
        let mut name = format!("{}-{}", self.module, self.path());
        for (key, value) in self.flags {
            name += &format!("-{key}-{value}");
        }
        let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
        // File systems limit the length of a name; what makes it unique is at its beginning and in the hash.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in name.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        let short: String = parts.join("-").chars().take(80).collect();
        place.join(format!("{short}-{:08x}", hash as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search<'s>(module: &'s str, call: &'s str, is_path: bool, flags: &'s [(&'s str, &'s str)]) -> Search<'s> {
        Search { package: "/p", module, call, is_path, flags }
    }

    #[test]
    fn keys_become_flags() {
        let flags = [("class", "n log n"), ("sizes", "8..64"), ("max_depth", "100")];
        let words = search("krate", "sort", false, &flags).words();
        let shown: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.starts_with("--out=")).collect();
        let expected = [
            "curve",
            "--call=sort",
            "--fail-above-class=n log n",
            "--sizes=8..64",
            "--max-depth=100",
            "--paths=1000",
            "--chart=none",
            "--quiet",
            "/p",
        ];
        assert_eq!(shown, expected);
        let words = search("krate", "sort", false, &[("at_most", "5"), ("budget", "2s"), ("validate", "true")]).words();
        assert_eq!(words[..5], ["worst", "--call=sort", "--fail-above=5", "--budget=2s", "--validate"]);
    }

    #[test]
    fn functions_in_modules_have_paths() {
        assert_eq!(search("krate::heap", "push", false, &[]).path(), "heap::push");
        assert_eq!(search("krate", "push", false, &[]).path(), "push");
        assert_eq!(search("krate::tests", "heap::push", true, &[]).path(), "heap::push");
    }

    #[test]
    fn searches_do_not_share_a_directory() {
        let one = search("krate", "sort", false, &[("size", "8")]).out();
        assert_ne!(one, search("krate", "sort", false, &[("size", "9")]).out());
        assert_eq!(one, search("krate", "sort", false, &[("size", "8")]).out());
    }
}
