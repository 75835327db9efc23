//! `cargo pessimum`: the command `pessimum` for the package of the current directory.
//!
//! It only turns one command line into another and starts `pessimum`, which is installed beside it. So nothing is compiled
//! or linked twice, and every flag is known to it.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use pessimum_python::programs;

/// Commands whose first word is a program.
const OF_A_PROGRAM: [&str; 6] = ["run", "worst", "curve", "cover", "paths", "inspect"];

const HELP: &str = "\
Finds the input that makes a function of this package cost the most

Usage: cargo pessimum COMMAND [FUNCTION] [FLAGS]
       cargo pessimum check [NAME...] [FLAGS]

  cargo pessimum worst heap::push --size 32
  cargo pessimum curve sort --sizes 8..64
  cargo pessimum cover parse --size 8
  cargo pessimum inspect                    the functions that can be called
  cargo pessimum compare main --call sort   the revision `main` and what is here
  cargo pessimum check                      the targets of pessimum.toml
  cargo pessimum init                       writes a pessimum.toml

FUNCTION is the first word after COMMAND: a name, or a call with its arguments
('sort(i32[n], n)'). Without it the package's program is run. Other commands and
all flags are those of pessimum, which is given the package's directory and
`--call FUNCTION`: `pessimum help COMMAND` explains them.

Flags of this command, before or after COMMAND's:
  -p, --package NAME         The package, by its name in the workspace
      --manifest-path FILE   The package, by its Cargo.toml
";

fn main() -> ExitCode {
    // Cargo passes the name of the command on as the first word.
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if words.first().is_some_and(|word| word == "pessimum") {
        words.remove(0);
    }
    match run(words) {
        Ok(code) => ExitCode::from(code),
        Err(message) => {
            // A closed standard error is no reason to panic.
            let _ = writeln!(std::io::stderr(), "cargo pessimum: {message}");
            ExitCode::from(1)
        }
    }
}

fn run(mut words: Vec<OsString>) -> Result<u8, String> {
    let is_help = |word: &OsString| ["help", "-h", "--help"].iter().any(|help| word == help);
    if words.is_empty() || (words.len() == 1 && is_help(&words[0])) {
        let _ = write!(std::io::stdout(), "{HELP}");
        return Ok(0);
    }
    let package = package(&mut words)?;
    let words = translated(words, || package_directory(package))?;
    let pessimum = pessimum()?;
    let status = Command::new(&pessimum).args(words).status();
    let status = status.map_err(|error| format!("{}: {error}", pessimum.display()))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// How the command line says which package is meant.
#[derive(Debug, PartialEq, Eq)]
enum Package {
    Here,
    Named(String),
    Manifest(PathBuf),
}

/// Takes the flags that name a package out of the command line.
fn package(words: &mut Vec<OsString>) -> Result<Package, String> {
    let mut package = Package::Here;
    let mut kept = Vec::new();
    let mut rest = std::mem::take(words).into_iter();
    while let Some(word) = rest.next() {
        let text = word.to_str().unwrap_or_default();
        let (flag, inline) = match text.split_once('=') {
            Some((flag, value)) => (flag, Some(OsString::from(value))),
            None => (text, None),
        };
        if text == "--" {
            kept.push(word);
            kept.extend(rest.by_ref());
        } else if matches!(flag, "-p" | "--package" | "--manifest-path") {
            let flag = flag.to_string();
            let value = inline.or_else(|| rest.next()).ok_or_else(|| format!("{flag} needs a value"))?;
            package = match flag.as_str() {
                "--manifest-path" => Package::Manifest(PathBuf::from(value)),
                _ => Package::Named(value.to_string_lossy().into_owned()),
            };
        } else {
            kept.push(word);
        }
    }
    *words = kept;
    Ok(package)
}

/// The command line for `pessimum`.
fn translated(
    words: Vec<OsString>,
    directory: impl FnOnce() -> Result<PathBuf, String>,
) -> Result<Vec<OsString>, String> {
    let Some((command, rest)) = words.split_first() else { return Ok(words) };
    let is_flag = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    let wants_help = rest.iter().any(|word| word == "--help" || word == "-h");
    let mut made = vec![command.clone()];
    if OF_A_PROGRAM.iter().any(|name| command == name) && !wants_help {
        // A search that is resumed knows its program.
        if !rest.iter().any(|word| word.as_encoded_bytes().starts_with(b"--resume")) {
            made.push(directory()?.into());
        }
        let function = rest.first().filter(|word| !is_flag(word));
        if let Some(function) = function {
            if command == "inspect" {
                return Err(format!("inspect lists all functions; leave out {}", function.display()));
            }
            made.push("--call".into());
            made.push(function.clone());
        }
        made.extend(rest.iter().skip(usize::from(function.is_some())).cloned());
    } else if command == "compare" && !wants_help {
        // `compare main` is about the package as it is now.
        let versions = rest.iter().take_while(|word| !is_flag(word)).count();
        made.extend(rest.iter().take(versions).cloned());
        if versions == 1 {
            made.push(directory()?.into());
        }
        made.extend(rest.iter().skip(versions).cloned());
    } else {
        made.extend(rest.iter().cloned());
    }
    Ok(made)
}

/// The directory of the package.
fn package_directory(package: Package) -> Result<PathBuf, String> {
    let of = |manifest: &Path| match manifest.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    match package {
        Package::Manifest(path) if path.is_file() => Ok(of(&path)),
        Package::Manifest(path) => Err(format!("{}: there is no such file", path.display())),
        Package::Named(name) => named(&name),
        Package::Here => {
            let here = std::env::current_dir().map_err(|error| format!("the current directory: {error}"))?;
            let mut shown = PathBuf::new();
            for directory in here.ancestors() {
                if directory.join("Cargo.toml").is_file() {
                    return Ok(if shown.as_os_str().is_empty() { PathBuf::from(".") } else { shown });
                }
                shown.push("..");
            }
            Err("there is no Cargo.toml here or above; use -p NAME or --manifest-path".to_string())
        }
    }
}

/// A package of the workspace by its name.
fn named(name: &str) -> Result<PathBuf, String> {
    let named = std::env::var_os("CARGO").map(PathBuf::from);
    let cargo = named.or_else(|| programs::find("cargo")).ok_or("there is no `cargo` in PATH")?;
    let output = programs::command(&cargo)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err("cargo metadata failed".to_string());
    }
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let known: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let package = packages.iter().find(|package| package["name"] == name);
    let manifest = package.and_then(|package| package["manifest_path"].as_str());
    let manifest = manifest.ok_or_else(|| format!("no package `{name}`; there are {}", known.join(", ")))?;
    let directory = Path::new(manifest).parent().unwrap_or(Path::new("."));
    // As the user would write it, where it is below the current directory.
    let below = std::env::current_dir().ok().and_then(|here| Some(directory.strip_prefix(here).ok()?.to_path_buf()));
    Ok(match below {
        Some(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Some(below) => below,
        None => directory.to_path_buf(),
    })
}

/// The command `pessimum`: the one beside this one, or the one in PATH; PESSIMUM names another.
fn pessimum() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("PESSIMUM").filter(|named| !named.is_empty()) {
        return Ok(PathBuf::from(named));
    }
    let name = format!("pessimum{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|this| Some(this.parent()?.join(&name)));
    beside.filter(|place| place.is_file()).or_else(|| programs::find("pessimum")).ok_or_else(|| {
        "the command `pessimum` is neither beside this one nor in PATH; install both with `cargo install --path crates/cli`"
            .to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &str) -> Result<String, String> {
        let mut words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        package(&mut words)?;
        let made = translated(words, || Ok(PathBuf::from(".")))?;
        Ok(made.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_function_of_the_package_becomes_a_call() {
        for (given, made) in [
            ("worst heap::push --size 32", "worst . --call heap::push --size 32"),
            ("worst --size 32", "worst . --size 32"),
            ("inspect --json", "inspect . --json"),
            ("check sort --json", "check sort --json"),
            ("compare main --call sort", "compare main . --call sort"),
            ("compare v1 v2 --call sort", "compare v1 v2 --call sort"),
            ("worst --resume pessimum-out/x", "worst --resume pessimum-out/x"),
            ("worst --help", "worst --help"),
            ("replay pessimum-out/x", "replay pessimum-out/x"),
            ("curve -p heap sort --sizes 8..64", "curve . --call sort --sizes 8..64"),
        ] {
            assert_eq!(line(given).as_deref(), Ok(made));
        }
        assert!(line("inspect sort").is_err());
        assert!(line("worst sort -p").is_err());
    }

    #[test]
    fn packages_are_named_in_cargos_way() {
        let of = |words: &[&str]| {
            let mut words: Vec<OsString> = words.iter().map(OsString::from).collect();
            (package(&mut words).unwrap(), words.len())
        };
        assert_eq!(of(&["worst", "sort"]), (Package::Here, 2));
        assert_eq!(of(&["worst", "--package=heap", "sort"]), (Package::Named("heap".to_string()), 2));
        assert_eq!(of(&["worst", "--manifest-path", "a/Cargo.toml"]), (Package::Manifest("a/Cargo.toml".into()), 1));
        assert_eq!(of(&["run", "--", "-p", "x"]), (Package::Here, 4));
    }
}
