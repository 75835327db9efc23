//! What cannot be compiled or called, and what its author can do about it.

use std::path::Path;

use anyhow::{Result, bail};
use pessimum_input::{Kind, Signature};

/// What a file is that can be neither read nor compiled, by its extension or its contents; `None` for a module, in
/// either format.
pub fn foreign(path: &Path) -> Option<String> {
    const WASM: &[u8] = b"\0asm";
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    if ["h", "hh", "hpp", "hxx"].contains(&ending.as_str()) {
        return Some("this is a header; give a source file that includes it".to_string());
    }
    if path.is_dir() {
        return Some(format!("this is a directory without a Cargo.toml; {WHAT_CAN_BE_GIVEN}"));
    }
    // A file that cannot be read is reported where it is read.
    let bytes = std::fs::read(path).ok()?;
    if bytes.starts_with(WASM) {
        return None;
    }
    if let Some((_, language, how)) = FOREIGN.iter().find(|(known, ..)| *known == ending) {
        return Some(format!("this is {language}; {how}{WHAT_CAN_BE_GIVEN}"));
    }
    let what = match &bytes[..] {
        [] => "the file is empty",
        [0x7f, b'E', b'L', b'F', ..] | [b'M', b'Z', ..] | [0xcf, 0xfa, 0xed, 0xfe, ..] => {
            "this is a program or library for a processor; compile its source for WebAssembly"
        }
        [b'B', b'C', 0xc0, 0xde, ..] => "this is LLVM bitcode; compile it with `clang --target=wasm32-wasi`",
        [0x1f, 0x8b, ..] | [b'P', b'K', ..] => "this is an archive; unpack it",
        // Text of a module starts with a parenthesis, or with a comment before it.
        _ if bytes.trim_ascii_start().starts_with(b"(") || bytes.trim_ascii_start().starts_with(b";;") => return None,
        _ => "this is no WebAssembly: a module starts with the bytes `\\0asm`, its text with `(module`",
    };
    Some(format!("{what}; {WHAT_CAN_BE_GIVEN}"))
}

const WHAT_CAN_BE_GIVEN: &str = "what can be given is a module (.wasm, .wat), a source of C, C++, Rust, Zig or AssemblyScript, a Rust package, or a file of \
     Python";

/// Languages that Pessimum has no compiler for: extension, name, and how to get a module where that is known.
const FOREIGN: [(&str, &str, &str); 19] = [
    ("go", "Go", "build a module with `GOOS=wasip1 GOARCH=wasm go build -o program.wasm`, or with TinyGo; "),
    ("java", "Java", ""),
    ("class", "compiled Java", ""),
    ("kt", "Kotlin", ""),
    ("js", "JavaScript", ""),
    ("mjs", "JavaScript", ""),
    ("tsx", "TypeScript with JSX", ""),
    ("cs", "C#", ""),
    ("swift", "Swift", "build a module with Swift's SDK for WebAssembly; "),
    ("rb", "Ruby", ""),
    ("php", "PHP", ""),
    ("pl", "Perl", ""),
    ("sh", "a shell script", ""),
    ("hs", "Haskell", "build a module with GHC's WebAssembly backend; "),
    ("ml", "OCaml", ""),
    ("f90", "Fortran", ""),
    ("s", "assembly", "compile it with `clang --target=wasm32-wasi`; "),
    ("md", "a text", ""),
    ("json", "data", ""),
];

/// Refuses as many elements of a smaller type as a function expects of its own: it would read beyond them.
pub fn refuse_narrow(call: &Signature, hint: &str) -> Result<()> {
    let array = |text: &str| -> Option<(Kind, String)> {
        let (kind, rest) = text.split_once('[')?;
        let kind = Kind::ALL.into_iter().find(|known| known.name() == kind.trim())?;
        Some((kind, rest.split_once(']')?.0.replace(' ', "")))
    };
    let hinted = Signature::parse(hint)?;
    for (at, (given, expected)) in call.argument_texts().zip(hinted.argument_texts()).enumerate() {
        if let (Some((kind, length)), Some((wanted, expected))) = (array(given), array(expected))
            && length == expected
            && kind.bytes() < wanted.bytes()
        {
            bail!(
                "the argument {} of `{}` is an array of {wanted}: as many of {kind} are less memory than it reads: --call '{hint}'",
                at + 1,
                call.name
            );
        }
    }
    Ok(())
}

/// Refuses arbitrary bytes in the place of a Rust text, whose functions rely on it being UTF-8.
pub fn refuse_bytes(call: &Signature, hint: &str) -> Result<()> {
    let hinted = Signature::parse(hint)?;
    for (at, (given, expected)) in call.argument_texts().zip(hinted.argument_texts()).enumerate() {
        if expected.starts_with("utf8[") && given.starts_with("u8[") && !given.contains(" in ") {
            bail!(
                "the argument {} of `{}` is a text, which is always UTF-8: write `{}` for any text, or `{given} in ' '..='~'`",
                at + 1,
                call.name,
                given.replacen("u8[", "utf8[", 1)
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_are_less_memory_or_no_text_are_refused() {
        let refused = |refuse: fn(&Signature, &str) -> Result<()>, call: &str, hint: &str| {
            refuse(&Signature::parse(call).unwrap(), hint).err().map(|error| error.to_string()).unwrap_or_default()
        };
        let narrow = |call: &str, hint: &str| refused(refuse_narrow, call, hint);
        assert!(narrow("f({u8[2], i32}[n], u8[ n ])", "f({u8[2], i32}[n], i32[n])").contains("argument 2 of `f`"));
        assert_eq!(narrow("f(u64[n], \"a,b)\", n)", "f(i32[n], \"a,b)\", n)"), "");
        assert!(narrow("\"g(int, int)\"(n, i16[n])", "\"g(int, int)\"(n, i32[n])").contains("argument 2"));
        let bytes = refused(refuse_bytes, "f(u8[n], u8[n] in 'a'..='z')", "f(utf8[n], utf8[n])");
        assert!(bytes.contains("argument 1 of `f`") && bytes.contains("write `utf8[n]`"), "{bytes}");
    }
}
