//! `pessimum init`: a first `pessimum.toml` for the programs of a directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pessimum_input::Signature;
use pessimum_report::text::printable;
use pessimum_wasm::Module;

use super::file::NAME;
use crate::flags::{InitFlags, is_python};
use crate::output::{counted, print, tell};
use pessimum_languages::{self as languages, Calls, Compiled, Wanted, is_package};

/// How far below the directory programs are looked for.
const DEEPEST: usize = 3;

/// The most programs that are compiled; a directory with more of them is probably not meant as a whole.
const MOST: usize = 50;

/// The most functions of a program of which is said why they cannot be called.
const HIDDEN: usize = 20;

/// Directories with what others made.
const SKIPPED: [&str; 8] =
    ["target", "node_modules", "pessimum-out", "build", "vendor", "third_party", "venv", "site-packages"];

/// Extensions of programs.
const PROGRAMS: [&str; 10] = ["wasm", "wat", "c", "cpp", "cc", "cxx", "rs", "zig", "ts", "py"];

pub fn init(flags: &InitFlags) -> Result<()> {
    let directory = &flags.directory;
    let file = below(directory, Path::new(NAME));
    if !directory.is_dir() {
        bail!("{}: not a directory", directory.display());
    }
    if file.symlink_metadata().is_ok() && !flags.dry_run {
        bail!("{} exists already, and is left as it is; --dry-run prints what would be written", file.display());
    }
    let mut programs = Vec::new();
    collect(directory, Path::new(""), 0, &mut programs)?;
    if programs.is_empty() {
        bail!("{}: there is no module, source file or Rust package here", directory.display());
    }
    let left_out = programs.split_off(programs.len().min(MOST)).len();
    let mut written = Written::default();
    for program in &programs {
        // Compilers take their time.
        tell(&format!("looking at {}", below(directory, program).display()));
        written.add(directory, program);
    }
    if left_out > 0 {
        written.text += &format!("\n# {} more were not looked at.\n", counted(left_out as u64, "program", "programs"));
    }
    let text = format!("{HEAD}{}", written.text);
    if flags.dry_run {
        return print(&text);
    }
    // Never over a file that somebody made meanwhile.
    let mut new = std::fs::File::options().write(true).create_new(true).open(&file);
    let new = new.as_mut().map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
    std::io::Write::write_all(new, text.as_bytes()).with_context(|| file.display().to_string())?;
    let targets = counted(written.targets, "target", "targets");
    let unsure = match written.unsure {
        0 => String::new(),
        unsure => format!(", and {} as comments", counted(unsure, "more", "more")),
    };
    let next = match written.targets {
        0 => "look at the comments: `cflags` gives options to a compiler, and `call` says what to call",
        _ => "pessimum check",
    };
    print(&format!("written to {}: {targets}{unsure}\nnext: {next}\n", file.display()))
}

const HEAD: &str = "\
# The programs whose worst case `pessimum check` searches. The keys of a target are the flags of `pessimum worst` and,
# with `sizes`, of `pessimum curve`. Limits: `fail-above = 5000`, or `fail-above-class = \"n log n\"` with `sizes = \"8..64\"`.

[defaults]
# Paths instead of time: the verdict is the same every time, on every machine.
paths = 1000
";

/// Finds programs, in order of their paths; what is below a Rust package belongs to it.
fn collect(directory: &Path, below: &Path, depth: usize, programs: &mut Vec<PathBuf>) -> Result<()> {
    let place = directory.join(below);
    let package = is_package(&place);
    if package {
        programs.push(if below.as_os_str().is_empty() { PathBuf::from(".") } else { below.to_path_buf() });
    }
    let listed = std::fs::read_dir(&place).with_context(|| place.display().to_string())?;
    let mut names: Vec<_> = listed.flatten().map(|entry| (entry.file_name(), entry.file_type())).collect();
    names.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (name, kind) in names {
        let (path, Ok(kind)) = (below.join(&name), kind) else { continue };
        let shown = name.to_string_lossy();
        if shown.starts_with('.') {
            continue;
        }
        if kind.is_dir() {
            // The sources of a package are one program; its other directories may be packages.
            let is_source = package && ["src", "tests", "benches", "examples"].contains(&&*shown);
            if depth < DEEPEST && !SKIPPED.contains(&&*shown) && !is_source {
                collect(directory, &path, depth + 1, programs)?;
            }
        } else if kind.is_file() {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            let is_declaration = shown.ends_with(".d.ts") || shown == "build.rs" || is_python_setting(&shown);
            if PROGRAMS.contains(&ending) && !is_declaration && !(package && ending == "rs") {
                programs.push(path);
            }
        }
    }
    Ok(())
}

/// What is written about the programs.
#[derive(Default)]
struct Written {
    text: String,
    names: BTreeSet<String>,
    targets: u64,
    /// Those that are comments.
    unsure: u64,
}

impl Written {
    fn add(&mut self, directory: &Path, program: &Path) {
        let Some(shown) = program.to_str() else {
            self.text += &format!("\n# {}: its name is not UTF-8\n", printable(&program.to_string_lossy()));
            return;
        };
        if is_python(program) {
            return self.python(&below(directory, program), shown);
        }
        match load(&below(directory, program)) {
            Ok((module, compiled)) => self.functions(shown, &module, compiled.as_ref()),
            Err(error) => {
                tell(&format!("note: {error:#}"));
                let told = format!("{error:#}");
                let first =
                    told.lines().find(|line| line.contains("error")).or(told.lines().next()).unwrap_or_default();
                self.text += &format!("\n# {shown} was left out: {}\n", comment(first));
                // Most often the compiler needs options.
                let name = self.name(shown, "main");
                self.text += &format!("# [target.{name}]\n# program = {}\n", quoted(shown));
                self.unsure += 1;
            }
        }
    }

    /// The functions of a Python file. It is not imported, which would run it: its hints are read by whoever runs it.
    fn python(&mut self, path: &Path, program: &str) {
        let functions = std::fs::read_to_string(path).map(|text| python_functions(&text)).unwrap_or_default();
        for name in functions {
            let target = self.name(program, &name);
            self.text +=
                &format!("\n[target.{target}]\nprogram = {}\ncall = {}\nsize = 16\n", quoted(program), quoted(&name));
            self.targets += 1;
        }
    }

    fn functions(&mut self, program: &str, module: &Module, compiled: Option<&Compiled>) {
        let calls = Calls::new(module, compiled);
        let functions = calls.functions();
        for name in &functions {
            match calls.call(name) {
                Ok(call) => self.function(program, name, &call),
                Err(why) => {
                    let (target, called) = (self.name(program, name), quoted(&format!("{name}(...)")));
                    self.text += &format!("\n# {}\n# [target.{target}]\n", comment(&why));
                    self.text += &format!("# program = {}\n# call = {called}\n", quoted(program));
                    self.unsure += 1;
                }
            }
        }
        for hidden in compiled.iter().flat_map(|compiled| &compiled.about.hidden).take(HIDDEN) {
            self.text +=
                &format!("\n# {}: `{}` cannot be called: {}\n", program, comment(&hidden.name), comment(&hidden.why));
        }
        if module.export("_start").is_some() {
            let name = self.name(program, "main");
            let what = "A program: say what it reads, as in `stdin`, `arg` and `file`.";
            self.text += &format!("\n# {what}\n# [target.{name}]\n# program = {}\n", quoted(program));
            self.text += "# stdin = \"n in ' '..='~'\"\n# size = 32\n";
            self.unsure += 1;
        } else if functions.is_empty() {
            self.text += &format!("\n# {program} has no function to call.\n");
        }
    }

    fn function(&mut self, program: &str, name: &str, call: &str) {
        let target = self.name(program, name);
        self.text += &format!("\n[target.{target}]\nprogram = {}\ncall = {}\n", quoted(program), quoted(call));
        if Signature::parse(call).is_ok_and(|call| call.sizes().contains("n")) {
            self.text += "size = 16\n";
        }
        self.targets += 1;
    }

    /// A name for a target, which no other has.
    fn name(&mut self, program: &str, function: &str) -> String {
        let plain = |text: &str| {
            let kept = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' });
            kept.collect::<String>().split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
        };
        let stem = Path::new(program).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let short = match plain(function) {
            name if name.is_empty() || name == "main" => plain(&stem),
            name => name,
        };
        let longer = format!("{}-{short}", plain(&stem));
        let numbered = (2..).map(|number| format!("{longer}-{number}"));
        let mut names = [short, longer.clone()].into_iter().chain(numbered);
        let free = names.find(|name| !name.is_empty() && !self.names.contains(name)).unwrap_or(longer);
        self.names.insert(free.clone());
        free
    }
}

/// Compiles a program without a function in mind. Of a package with a library, the library is what can be called.
fn load(path: &Path) -> Result<(Module, Option<Compiled>)> {
    let wanted = Wanted {
        path,
        call: None,
        entry: None,
        options: &[],
        with: &[],
        listed: true,
        sequences: false,
        covered: false,
    };
    let (module, compiled) = languages::load(&wanted)?;
    if is_package(path) && module.export("_start").is_some() {
        let any = Signature::parse("any()")?;
        if let Ok(library) = languages::load(&Wanted { call: Some(&any), ..wanted }) {
            return Ok(library);
        }
    }
    Ok((module, compiled))
}

/// Files of Python that configure something or test it.
fn is_python_setting(name: &str) -> bool {
    let fixed =
        ["setup.py", "conftest.py", "__init__.py", "__main__.py", "pessimum.py", "pessimum_pytest.py"].contains(&name);
    fixed || name.ends_with(".py") && (name.starts_with("test_") || name.ends_with("_test.py"))
}

/// The functions of a file whose parameters all have hints: those that need nothing but their name in `call`.
fn python_functions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("def ") {
        let is_first = at == 0 || rest[..at].ends_with('\n');
        rest = &rest[at + 4..];
        let (Some(open), true) = (rest.find('('), is_first) else { continue };
        let (name, parameters) = (rest[..open].trim(), &rest[open + 1..]);
        let Some(close) = closing(parameters) else { continue };
        let listed: Vec<&str> = split_outside(&parameters[..close]);
        let has_all =
            !listed.is_empty() && listed.iter().all(|parameter| parameter.contains(':') || parameter.contains('='));
        if has_all && !name.starts_with('_') {
            found.push(name.to_string());
        }
    }
    found
}

/// Where the parenthesis closes that is open at the beginning.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(at, c)| {
        depth += i32::from(matches!(c, '(' | '[' | '{')) - i32::from(matches!(c, ')' | ']' | '}'));
        (depth == 0).then_some(at)
    })
}

/// The parts between commas that are in no brackets.
fn split_outside(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let parts = text.split(|c: char| {
        depth += i32::from(matches!(c, '(' | '[' | '{')) - i32::from(matches!(c, ')' | ']' | '}'));
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty() && !matches!(*part, "*" | "/")).collect()
}

/// A path below a directory, as short as it can be written.
fn below(directory: &Path, path: &Path) -> PathBuf {
    if directory == Path::new(".") { path.to_path_buf() } else { directory.join(path) }
}

/// A text as a value: as it is between single quotes, where it has none itself.
fn quoted(text: &str) -> String {
    match text.contains('\'') || text.chars().any(char::is_control) {
        // The escapes of JSON are among those of TOML.
        true => serde_json::Value::from(text).to_string(),
        false if !text.contains(['"', '\\']) => format!("\"{text}\""),
        false => format!("'{text}'"),
    }
}

/// A text as one line of a comment.
fn comment(text: &str) -> String {
    printable(&text.replace('\n', " ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_python_need_hints_to_be_called_by_their_name() {
        let text = "def sort(xs: list[int]) -> None:\n    def inner(a: int): pass\n\ndef pair(a: dict[str, int], b: int = 3,\n         \
                    *, c=1):\n    pass\n\ndef bare(a, b: int):\n    pass\n\ndef nothing():\n    pass\n\ndef _own(a: int):\n    \
                    pass\n\nclass C:\n    def method(self, a: int):\n        pass\n\ndef open_end(a: int\n";
        assert_eq!(python_functions(text), ["sort", "pair"]);
        assert!(is_python_setting("test_sort.py") && is_python_setting("conftest.py") && !is_python_setting("sort.py"));
    }
}
