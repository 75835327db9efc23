//! build: rust-wasi
//!
//! An ordinary Rust program: reads lines `name amount` or `name -> name amount` from standard input, keeps the accounts in a map and prints
//! them sorted by balance. It uses strings, collections, sorting, formatting and errors of the standard library.
//!
//! stdin: n bytes
//!
//! Worst case: not known; every line costs a search in a tree of accounts, so about n log n in the bytes is to be expected.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io::Read;

#[derive(Debug)]
enum Problem {
    MissingAmount(usize),
    BadAmount(usize, String),
    Overdrawn(usize, String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::MissingAmount(line) => write!(f, "line {line}: no amount"),
            Problem::BadAmount(line, text) => write!(f, "line {line}: {text:?} is not an amount"),
            Problem::Overdrawn(line, name) => write!(f, "line {line}: {name} has too little"),
        }
    }
}

fn book(accounts: &mut BTreeMap<String, i64>, number: usize, line: &str) -> Result<(), Problem> {
    let mut words: VecDeque<&str> = line.split_whitespace().collect();
    let Some(last) = words.pop_back() else { return Ok(()) };
    let amount: i64 = last.parse().map_err(|_| Problem::BadAmount(number, last.to_string()))?;
    let to = words.pop_back().ok_or(Problem::MissingAmount(number))?.to_string();
    if words.pop_back() == Some("->") {
        let from = words.pop_back().ok_or(Problem::MissingAmount(number))?.to_string();
        let balance = accounts.entry(from.clone()).or_insert(0);
        if *balance < amount {
            return Err(Problem::Overdrawn(number, from));
        }
        *balance -= amount;
    }
    let balance = accounts.entry(to).or_insert(0);
    *balance = balance.saturating_add(amount);
    Ok(())
}

fn main() {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).expect("standard input is readable");
    let text = String::from_utf8_lossy(&bytes);
    let mut accounts = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        if let Err(problem) = book(&mut accounts, index + 1, line) {
            eprintln!("{problem}");
            std::process::exit(1);
        }
    }
    let mut list: Vec<(String, i64)> = accounts.into_iter().collect();
    list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    for (name, balance) in list {
        println!("{name:>12} {balance}");
    }
}
