//! Completions and man pages: valid for the programs that read them, and complete.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn pessimum(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_pessimum")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a checker on a file; says so where it is not on the machine.
fn checked(program: &str, arguments: &[&str], file: &Path) -> Option<Output> {
    match Command::new(program).args(arguments).arg(file).stdin(Stdio::null()).output() {
        Ok(output) => Some(output),
        Err(error) => {
            assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{program} is not on this machine ({error})");
            println!("left out: {program} is not on this machine ({error})");
            None
        }
    }
}

fn commands() -> Vec<String> {
    let help = pessimum(&["help"]);
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // What a command is for may go on in another line, further to the right.
    let lines = lines.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    let names = lines.filter_map(|line| line.split_whitespace().next().map(str::to_string));
    names.filter(|name| name != "help").collect()
}

#[test]
fn completions_are_valid_scripts() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("completions");
    std::fs::create_dir_all(&directory).unwrap();
    for (shell, check) in [("bash", Some("bash")), ("zsh", Some("zsh")), ("fish", Some("fish")), ("elvish", None)] {
        let script = pessimum(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell} does not know {command}");
        }
        assert!(script.contains("fail-above") && script.contains("spf-wca"), "{shell}: flags and their values");
        let file = directory.join(shell);
        std::fs::write(&file, script).unwrap();
        if let Some(program) = check
            && let Some(output) = checked(program, &["-n"], &file)
        {
            assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn man_pages_are_complete_and_valid() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man");
    let said = pessimum(&["man", "--out", directory.to_str().unwrap()]);
    assert!(said.contains("pessimum.1") && said.contains("pessimum-worst.1"), "{said}");
    for name in commands() {
        let file = directory.join(format!("pessimum-{name}.1"));
        let page = std::fs::read_to_string(&file).unwrap();
        assert_eq!(page, pessimum(&["man", &name]), "{name}: printed and written alike");
        assert!(page.contains(".SH EXAMPLES\n.nf\n") && page.contains("$ pessimum"), "{name}: examples, line by line");
        let help = pessimum(&["help", &name]);
        let flags = help.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
        for flag in flags.map(|line| line.split([' ', '[', '\n']).next().unwrap_or_default()) {
            let escaped = flag.replace('-', "\\-");
            assert!(page.contains(&escaped), "{name}: --{flag} is not in the page");
        }
        if let Some(output) = checked("groff", &["-man", "-Tutf8", "-ww", "-z"], &file) {
            let complaints = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && complaints.is_empty(), "{name}: {complaints}");
        }
    }
    let output = Command::new(env!("CARGO_BIN_EXE_pessimum")).args(["man", "magic"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there are run, worst"));
}
