//! Real programs with their standard libraries: a C program with stdio, malloc, qsort and printf, a Rust program with
//! strings and collections, a parser. What they print and how they end is compared with `wasmi`.

use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json};

fn check(module: &str, inputs: &[&[u8]]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let bytes = std::fs::read(root.join(module)).unwrap();
    for stdin in inputs {
        let expected = crate::wasmi_wasi::run(&bytes, stdin, &[]);
        let hex: String = stdin.iter().map(|byte| format!("{byte:02x}")).collect();
        let output = Command::cargo_bin("pessimum")
            .unwrap()
            .current_dir(&root)
            .args(["run", module, "--json", "--input", "-", "--stdin", &stdin.len().to_string()])
            .write_stdin(json!({ "stdin": hex }).to_string())
            .output()
            .unwrap();
        let found: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        let text = String::from_utf8_lossy(stdin);
        assert_eq!(found["stdout"], *String::from_utf8_lossy(&expected.stdout), "{module} on {text:?}");
        assert_eq!(found["stderr"], *String::from_utf8_lossy(&expected.stderr), "{module} on {text:?}");
        let exit_code = match found["end"].as_str().unwrap() {
            "returned" => 0,
            end => end.strip_prefix("exited: ").unwrap_or_else(|| panic!("{module}: {end}")).parse().unwrap(),
        };
        assert_eq!(exit_code, expected.exit_code, "{module} on {text:?}");
        assert_eq!(found["unsupported"], json!({}), "{module} on {text:?}");
        assert!(!(expected.stdout.is_empty() && expected.stderr.is_empty() && !stdin.is_empty()), "{module} is silent");
    }
}

/// Bytes from an alphabet, seeded.
fn random(alphabet: &[u8], length: usize, mut state: u64) -> Vec<u8> {
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize
    };
    (0..length).map(|_| alphabet[next() % alphabet.len()]).collect()
}

#[test]
fn c_program_with_qsort_malloc_and_printf() {
    let long = random(b"abc \n", 5000, 1);
    check("subjects/own/words.wasm", &[b"", b"one two two three three three\n", &long, b"\xff\x00 x"]);
}

#[test]
fn rust_program_with_strings_and_collections() {
    let book: &[u8] = b"ann 100\nbob 20\nann -> bob 30\nbob -> carl 5\n";
    check("subjects/own/ledger.wasm", &[b"", book, b"ann\n", b"ann x\n", b"a -> b 5\n", b"\xff\n"]);
}

#[test]
fn parser() {
    let random = random(b"[]{}\",:0123 tfn", 300, 2);
    check("subjects/own/json.wasm", &[b"{\"a\": [1, 2.5e3, true, null, \"x\\u0041\"]}", b"[1,,2]", b"[[[[", &random]);
}
