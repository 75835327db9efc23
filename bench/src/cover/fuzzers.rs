//! libFuzzer and AFL++ on native builds of the same sources.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::contest::Run;
use super::manifest::Program;
use super::watch;

/// A fuzzer and how it is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fuzzer {
    /// libFuzzer as it is by default.
    Plain,
    /// libFuzzer with a profile of the values in comparisons.
    ValueProfile,
    /// AFL++ in persistent mode.
    Afl,
    /// The same with the operands of comparisons from a second build (Aschermann et al., "REDQUEEN", NDSS 2019).
    CmpLog,
}

impl Fuzzer {
    /// By the name of its column.
    pub fn named(name: &str) -> Option<Fuzzer> {
        match name {
            "libfuzzer" => Some(Fuzzer::Plain),
            "libfuzzer-vp" => Some(Fuzzer::ValueProfile),
            "afl" => Some(Fuzzer::Afl),
            "afl-cmplog" => Some(Fuzzer::CmpLog),
            _ => None,
        }
    }

    fn is_afl(self) -> bool {
        matches!(self, Fuzzer::Afl | Fuzzer::CmpLog)
    }

    /// What it says about its version; an error says what is missing.
    pub fn version(self) -> Result<String, String> {
        let (command, arguments, install) = match self.is_afl() {
            true => (Some("afl-fuzz".to_string()), "-h", "afl++"),
            false => (clang(), "--version", "clang"),
        };
        let missing = || format!("not found (`apt install {install}`)");
        let command = command.ok_or_else(missing)?;
        let ran = Command::new(&command).arg(arguments).stdin(Stdio::null()).output().map_err(|_| missing())?;
        let said = [ran.stdout, ran.stderr].concat();
        let text = String::from_utf8_lossy(&said).into_owned();
        // AFL++ writes its name in colours.
        let line = text.lines().find(|line| line.contains("++") || line.contains("version")).unwrap_or("?");
        let plain: String =
            line.split('\x1b').map(|part| part.split_once('m').map_or(part, |(_, rest)| rest)).collect();
        Ok(plain.trim().to_string())
    }

    /// Builds the program for it, in this directory.
    fn build(self, program: &Program, directory: &Path) -> Result<Vec<PathBuf>, String> {
        let ending = if program.is_cpp() { "cpp" } else { "c" };
        let driver = directory.join(format!("driver.{ending}"));
        std::fs::write(&driver, driver_source(program)).map_err(|error| format!("{}: {error}", driver.display()))?;
        if !self.is_afl() {
            let clang = clang().ok_or("no clang was found (`apt install clang`)")?;
            let target = directory.join("libfuzzer");
            let mode = if program.is_cpp() { vec!["--driver-mode=g++"] } else { Vec::new() };
            // As in libFuzzer's documentation.
            let arguments = [mode, vec!["-O1", "-g", "-w", "-fsanitize=fuzzer"]].concat();
            compile(Command::new(clang).args(arguments).arg(&driver).arg("-o").arg(&target).arg("-lm"))?;
            return Ok(vec![target]);
        }
        let compiler = if program.is_cpp() { "afl-clang-fast++" } else { "afl-clang-fast" };
        let mut made = Vec::new();
        for (name, cmplog) in [("afl", false), ("cmplog", true)] {
            if cmplog && self != Fuzzer::CmpLog {
                continue;
            }
            let target = directory.join(name);
            let mut command = Command::new(compiler);
            // Without a level of ours AFL++ takes the one that it recommends.
            command.args(["-w", "-DUSES_AFL"]).arg(&driver).arg("-o").arg(&target).arg("-lm");
            command.env("AFL_QUIET", "1");
            if cmplog {
                command.env("AFL_LLVM_CMPLOG", "1");
            }
            compile(&mut command)?;
            made.push(target);
        }
        Ok(made)
    }

    /// Fuzzes, and returns every input that it kept.
    pub fn search(self, program: &Program, run: &Run<'_>) -> Result<Vec<Vec<u8>>, String> {
        let targets = self.build(program, run.directory)?;
        let (seeds, found) = (run.directory.join("seeds"), run.directory.join("found"));
        for directory in [&seeds, &found] {
            std::fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        }
        std::fs::write(seeds.join("seed"), run.seed_input).map_err(|error| error.to_string())?;
        let mut command = if self.is_afl() {
            let mut command = Command::new("afl-fuzz");
            for name in ["AFL_SKIP_CPUFREQ", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "AFL_NO_AFFINITY", "AFL_NO_UI"] {
                command.env(name, "1");
            }
            command.arg("-i").arg(&seeds).arg("-o").arg(&found);
            // The limit that it finds by itself is so tight that runs on a busy machine exceed it.
            command.args(["-t", "1000", "-s", &run.seed.to_string(), "-G", &program.size.to_string()]);
            if let Some(cmplog) = targets.get(1) {
                command.arg("-c").arg(cmplog);
            }
            command.arg("--").arg(&targets[0]);
            command
        } else {
            let mut command = Command::new(&targets[0]);
            command.arg(format!("-seed={}", run.seed)).arg(format!("-max_len={}", program.size));
            if self == Fuzzer::ValueProfile {
                command.arg("-use_value_profile=1");
            }
            command.arg(format!("-artifact_prefix={}/", run.directory.display())).arg(&found).arg(&seeds);
            command
        };
        let used = watch::run(&mut command, run.budget)?;
        if !used.interrupted && used.processor < 0.9 * run.budget.as_secs_f64() {
            return Err(format!("ended after {:.1} s by itself", used.processor));
        }
        let kept = if self.is_afl() { found.join("default/queue") } else { found };
        files(&kept)
    }
}

/// The contents of the files in a directory.
fn files(directory: &Path) -> Result<Vec<Vec<u8>>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", directory.display());
    let mut contents = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() {
            contents.push(std::fs::read(&path).map_err(failed)?);
        }
    }
    Ok(contents)
}

/// The newest clang that can build for libFuzzer.
fn clang() -> Option<String> {
    let names = (14..=23).rev().map(|version| format!("clang-{version}")).chain(["clang".to_string()]);
    let mut names = names.filter(|name| {
        let arguments: [OsString; 5] = ["-fsanitize=fuzzer", "-x", "c", "-", "-o"].map(OsString::from);
        let mut command = Command::new(name);
        command.args(arguments).arg("/dev/null").stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::piped());
        let Ok(mut child) = command.spawn() else { return false };
        if let Some(mut input) = child.stdin.take() {
            use std::io::Write as _;
            let _ = input.write_all(b"int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return 0; }");
        }
        child.wait().is_ok_and(|status| status.success())
    });
    names.next()
}

fn compile(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().display().to_string();
    let built = command.stdin(Stdio::null()).output().map_err(|error| format!("{name}: {error}"))?;
    if built.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&built.stderr);
    Err(format!("{name}: {}", said.lines().find(|line| line.contains("error")).unwrap_or("failed")))
}

/// The program and what calls it: libFuzzer's entry point, or the loop of AFL++'s persistent mode.
fn driver_source(program: &Program) -> String {
    let (source, function, size) = (program.file(), &program.function, program.size);
    format!(
        r#"#include "{}"
#include <stddef.h>
/* Without it, a compiler leaves out whatever only leads to the result. */
static volatile int result;
#ifdef USES_AFL
#include <unistd.h>
__AFL_FUZZ_INIT();
int main(void) {{
    __AFL_INIT();
    unsigned char *bytes = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(100000)) {{
        int length = __AFL_FUZZ_TESTCASE_LEN;
        result = {function}(bytes, length > {size} ? {size} : length);
    }}
    return 0;
}}
#else
#ifdef __cplusplus
extern "C"
#endif
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length) {{
    result = {function}(bytes, length);
    return 0;
}}
#endif
"#,
        source.display()
    )
}
