//! The example of docs/embedding.md does what the document says.

#[path = "../examples/embed.rs"]
mod embed;

fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_worst_case_of_a_sort() {
    let module = std::fs::read(root().join("subjects/own/insertion_sort.wasm")).unwrap();
    let found = embed::worst(module, "sort(i32[n], n)", 4, 2000).unwrap();
    // Four numbers in descending order: 12 n^2 + 21 n - 25.
    assert_eq!((found.instructions, found.certain), (251, true));
    let list = found.input.trim_start_matches("[[").split(']').next().unwrap();
    let numbers: Vec<i64> = list.split(',').map(|number| number.parse().unwrap()).collect();
    assert!(numbers.len() == 4 && numbers.is_sorted_by(|a, b| a > b), "{}", found.input);
    // What cannot be started is an error that says why.
    let error = embed::worst(b"\0asm\x01\0\0\0".to_vec(), "sort(i32[n], n)", 6, 10).err().unwrap();
    assert!(error.to_string().contains("sort"), "{error}");
}

/// The document shows the function as it is compiled.
#[test]
fn the_document_shows_this_code() {
    let document = std::fs::read_to_string(root().join("docs/embedding.md")).unwrap();
    let example = include_str!("../examples/embed.rs");
    let shown = document.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let (start, end) = (example.find("/// Searches one").unwrap(), example.find("/// Used by `main`").unwrap());
    let whose = "docs/embedding.md: renew it from crates/session/examples/embed.rs";
    assert_eq!(shown.trim(), example[start..end].trim(), "{whose}");
}
