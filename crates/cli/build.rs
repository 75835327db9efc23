//! Asks the linker for a smaller program, where it knows how.
//!
//! Much of the program is the same few functions of the standard library for many types, and a tenth of it would be tables for
//! unwinding, which a program whose panics abort does not do. Linkers such as lld, which rustc brings along on some platforms, can
//! keep one copy of equal code, leave those tables out, and pack the list of addresses that are fixed up at the start. Others
//! reject the options, and an old C library does not start a program with a packed list. So a program of one line is linked and
//! run first, in the way that the command will be linked: an option with which that fails is left out, and the command is merely
//! larger.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Sections that are left out. The linker's own script, which says where the others go, is not replaced.
const NO_TABLES: &str =
    "SECTIONS { /DISCARD/ : { *(.eh_frame) *(.gcc_except_table .gcc_except_table.*) } } INSERT AFTER .comment;";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    // Debug builds are linked often, shown to nobody, and unwind; profilers read the tables. What is made for another machine
    // cannot be tried here.
    let is_for_use = is("PROFILE", "release") && is("DEBUG", "false");
    if !is_for_use || !is("CARGO_CFG_TARGET_OS", "linux") || env::var("HOST") != env::var("TARGET") {
        return;
    }
    let Some(directory) = env::var_os("OUT_DIR").map(PathBuf::from) else { return };
    let (program, script) = (directory.join("probe.rs"), directory.join("no-tables.ld"));
    if std::fs::write(&program, "fn main() {}").is_err() || std::fs::write(&script, NO_TABLES).is_err() {
        return;
    }
    let mut options = Vec::new();
    for group in [
        // Equal code is kept once.
        vec!["-Wl,--icf=all".to_string()],
        // Addresses to fix up are bits, instead of 24 bytes each.
        vec!["-Wl,-z,pack-relative-relocs".to_string()],
        vec!["-Wl,--no-eh-frame-hdr".to_string(), format!("-Wl,-T,{}", script.display())],
    ] {
        let more = [&options[..], &group].concat();
        if works(&program, &more) {
            options = more;
        }
    }
    for option in options {
        println!("cargo::rustc-link-arg-bins={option}");
    }
}

/// Whether a program that is linked with these options starts.
fn works(source: &Path, options: &[String]) -> bool {
    let Some(rustc) = env::var_os("RUSTC") else { return false };
    let program = source.with_extension("");
    let mut command = Command::new(rustc);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut option = OsString::from("linker=");
        option.push(linker);
        command.arg("-C").arg(option);
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    command.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    command.args(["-C", "panic=abort"]);
    for option in options {
        command.arg("-C").arg(format!("link-arg={option}"));
    }
    command.arg("-o").arg(&program).arg(source);
    succeeds(&mut command) && succeeds(&mut Command::new(&program))
}

fn succeeds(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
