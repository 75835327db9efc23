//! A program: the longest line of standard input.

use std::io::Read;

fn main() {
    let mut text = String::new();
    if std::io::stdin().read_to_string(&mut text).is_err() {
        println!("not text");
        return;
    }
    println!("{}", text.lines().map(str::len).max().unwrap_or(0));
}
