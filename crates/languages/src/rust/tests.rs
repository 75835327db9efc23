//! What is made of source text: which calls there are, and why there are no others.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use super::crate_name;
use super::items::Crate;
use super::shim::{FILE, Purpose, Shim};
use crate::wanted::Chosen;

/// The calls of the functions of a source text, and why the others have none; with what `--with` chooses.
fn found(source: &str, with: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let items = Crate::read(Path::new("no/such/place.rs"), source).unwrap();
    let with: BTreeMap<String, String> = with.iter().map(|(name, ty)| (name.to_string(), ty.to_string())).collect();
    let shim = Shim::new("x", &items, &Chosen { with, ..Chosen::default() }, Purpose::Call);
    let (_, about) = shim.finish(b"\0asm\x01\0\0\0").unwrap();
    let calls = about.functions.iter().map(|name| about.calls.get(name).unwrap_or(name).clone()).collect();
    (calls, about.hidden.into_iter().map(|hidden| format!("{}: {}", hidden.name, hidden.why)).collect())
}

fn calls(source: &str) -> Vec<String> {
    found(source, &[]).0
}

fn hidden(source: &str) -> Vec<String> {
    found(source, &[]).1
}

#[test]
fn functions_are_found_whatever_stands_around_them() {
    let source = r###"
        //! fn not_this() {}
        #![allow(dead_code)]
        /* fn nor /* nested */ this() {} */
        const TEXT: &str = "fn nor_this() {}";
        const RAW: &str = r#"pub fn "nor" this() {}"#;
        mod inner { pub fn deep(x: i32) {} #[no_mangle] extern "C" fn bare() {} }
        pub fn sort(v: &mut [i32]) {}
        fn private(x: i32) {}
        #[unsafe(export_name = "other")] pub extern "C" fn exported(x: i32) {}
        macro_rules! m { () => { pub fn made() {} } }
        pub fn r#type(x: u8) -> u8 { x }
        #[cfg(a)] pub fn either(x: i32) {}
        #[cfg(not(a))] pub fn either(x: i32) {}
        #[cfg(test)] mod tests { pub fn tested() {} }
        fn main() {}
    "###;
    let (calls, hidden) = found(source, &[]);
    assert_eq!(calls, ["bare", "other", "sort(i32[n], n)", "type(u8)", "either(i32)"]);
    assert_eq!(
        hidden,
        [
            "inner::deep: it is in the private module `inner`; write `pub mod`, or `pub use` the function",
            "private: it is not public; write `pub fn`",
            "main: it is where the program starts; leave out --call to run the program",
        ]
    );
}

#[test]
fn damaged_text_is_refused_with_its_line() {
    let read = |text: &str| Crate::read(Path::new("x.rs"), text);
    for text in ["fn", "fn x(", "pub fn x<T", "'", "r#\"", "\"", "/*", "}", "fn x() ->"] {
        assert!(read(text).is_err(), "{text}");
    }
    let error = read("pub fn f() {}\npub fn g(x: ) {}\n").err().unwrap().to_string();
    assert!(error.starts_with("line 2, column 13: "), "{error}");
    assert!(read("").unwrap().functions.is_empty());
}

#[test]
fn names_are_public_names() {
    let source = "
        mod a { pub mod b { pub struct Deep { pub x: u8 } pub fn f(d: &Deep) {} pub(crate) fn g() {} } pub use self::b::f as f2; }
        pub mod c { pub use super::a::b::*; pub fn own(x: super::a::b::Deep, y: crate::Alias) {} }
        pub use a::f2 as shown;
        pub type Alias = Vec<c::Deep>;
        pub use c as again;
        use self::loops::x as loops_x; mod loops { pub use super::loops_x as x; }";
    let (calls, hidden) = found(source, &[]);
    assert_eq!(calls, ["shown(u8)", "c::own(u8, u8[n], n)"]);
    assert_eq!(hidden, ["a::b::g: it is not public; write `pub fn`"]);
    // Private types have no name for others.
    let source = "struct Own { pub x: u8 } pub fn f(x: Own) {} impl Own { pub fn m(&self) {} }
        mod m { pub trait T { fn t(&self); } impl T for u8 { fn t(&self) {} } }";
    let hidden = self::hidden(source);
    assert!(
        hidden[0].starts_with("f: its parameter `x` is `Own`: the type `Own` is not public; write `pub`"),
        "{hidden:?}"
    );
    assert!(hidden[1].starts_with("Own::m: ") && hidden[1].contains("`Own` is not public"), "{hidden:?}");
    assert_eq!(hidden[2], "u8::t: the trait `T` is not public");
}

#[test]
fn parameters_are_chosen_by_their_bounds() {
    let source = "
        pub fn number<T: Ord + Copy>(x: &[T]) {}
        pub fn signed<T: std::ops::Neg>(x: T) {}
        pub fn float<T>(x: T) where T: num::Float {}
        pub fn text<S: AsRef<str> + ?Sized>(x: &S) {}
        pub fn into(x: impl Into<Option<u8>>) {}
        pub fn items<I, T>(x: I) where I: IntoIterator<Item = (T, char)>, T: Default {}
        pub fn keys<T, K: Ord, F: FnMut(&T) -> K>(x: &mut [T], key: F) {}
        pub fn fold<A, F: Fn(A, u8) -> A>(start: A, f: F) -> A { start }
        pub fn answers(f: impl Fn(u8) -> Option<i16>) {}
        pub fn room<const N: usize, const B: bool>(x: [u16; N], y: [[u8; 2 * N]; N]) {}";
    assert_eq!(
        calls(source),
        [
            "number(u32[n], n)",
            "signed(i32)",
            "float(f64)",
            "text(utf8[n], n)",
            "into({bool, u8})",
            "items({u32, u32 in 0..=0xD7FF | 0xE000..=0x10FFFF}[n], n)",
            "keys(u32[n], n)",
            "fold(u32)",
            "answers({bool, i16}[8])",
            "room(u16[4], u8[4][8])",
        ]
    );
    let with = [("T", "(u8, i64)"), ("N", "2")];
    let source = "pub fn f<T>(x: &[T]) {} pub fn g<const N: usize>(x: [u8; N]) {}";
    assert_eq!(found(source, &with).0, ["f({u8, i64}[n], n)", "g(u8[2])"]);
    let (_, hidden) = found(source, &[("T", "Vec<"), ("N", "2")]);
    assert!(hidden[0].starts_with("f: --with T=Vec<: "), "{hidden:?}");
    // A trait of the crate is stood for by one of its types that can be made.
    let source = "pub trait Area {} pub struct Hidden { x: u8 } impl Area for Hidden {} pub struct Square(pub u16);
        impl Area for Square {} pub fn one(x: &dyn Area) {} pub fn all<A: Area>(x: Vec<A>) {}
        pub trait Never {} pub fn none(x: impl Never) {}";
    let (calls, hidden) = found(source, &[]);
    assert_eq!(calls, ["one(u16)", "all(u16[n], n)"]);
    assert!(hidden[0].contains("no type of the crate that implements `Never` can be made"), "{hidden:?}");
}

#[test]
fn private_fields_are_made_by_functions() {
    let source = "
        pub struct Both { x: u8, y: u16 }
        impl Both { pub fn with_y(y: u16) -> Both { todo!() } pub fn new(x: u8, y: u16) -> Result<Self, ()> { todo!() } }
        pub fn both(x: &Both) {}
        pub struct Stack<T> { items: Vec<T> }
        impl<T> Stack<T> { pub fn with_capacity(n: usize) -> Self { todo!() } pub fn push(&mut self, x: T) {} pub fn top(self) {} }
        pub struct Cache { n: usize }
        impl Cache { pub fn new(capacity: usize) -> Cache { todo!() } pub fn insert(&mut self, k: u8, v: u32) {} }
        pub fn cache(c: &mut Cache) {}
        pub struct Text(String);
        impl std::str::FromStr for Text { type Err = (); fn from_str(s: &str) -> Result<Text, ()> { todo!() } }
        pub fn text(t: Text) {}
        #[derive(Default)] pub struct Plain { x: u8 }
        pub fn plain(p: Plain) {}
        pub struct Never { x: u8 }
        impl Never { fn new() -> Never { todo!() } pub fn again(other: &Never) -> Never { todo!() } }
        pub fn never(x: Option<Never>) {}";
    let (calls, hidden) = found(source, &[]);
    for call in [
        "both({u8, u16})",
        "Stack::top(u32[n], n)",
        "Stack::push(u32[n], n, u32)",
        "cache(n, {u8, u32}[n], n)",
        "text(utf8[n], n)",
        "plain()",
    ] {
        assert!(calls.iter().any(|known| known == call), "{call}: {calls:?}");
    }
    let why = hidden.iter().find(|why| why.starts_with("never: ")).unwrap();
    assert!(why.contains("its parameter `x` is `Option<Never>`: `Never` has private fields"), "{why}");
}

#[test]
fn types_that_contain_themselves_end_somewhere() {
    let source = "
        pub struct List { pub value: u8, pub next: Option<Box<List>> }
        pub fn list(x: &List) {}
        pub enum Tree { Fork(Box<Tree>, Box<Tree>), Leaf(u8) }
        pub fn tree(x: Tree) {}
        pub struct Endless { pub next: Box<Endless> }
        pub fn endless(x: Endless) {}
        pub type Loop = Loop;
        pub fn aliased(x: Loop) {}";
    let (calls, hidden) = found(source, &[]);
    assert_eq!(calls[0].matches("u8").count(), 8, "{calls:?}");
    assert_eq!(calls[1].matches("u8 in 0..2").count(), 7, "{calls:?}");
    assert!(hidden[0].contains("it contains itself, without an end"), "{hidden:?}");
    assert!(hidden[1].contains("leads to itself"), "{hidden:?}");
}

/// The compiler has the last word: a function that it does not accept is left out with what it says, and the others
/// stay.
#[test]
fn what_the_compiler_refuses_is_left_out() {
    let items =
        Crate::read(Path::new("x.rs"), "pub fn a(x: u8) {} #[cfg(y)] pub fn b<T>(x: T) {} pub fn c(x: &str) {}");
    let mut shim = Shim::new("x", &items.unwrap(), &Chosen::default(), Purpose::Call);
    let line = |text: &str, part: &str| 1 + text.lines().position(|line| line.contains(part)).unwrap();
    let message = |line: usize, text: &str| {
        let span = json!({ "file_name": format!("somewhere/{FILE}"), "line_start": line, "is_primary": true });
        json!({ "level": "error", "message": text, "spans": [span], "children": [] })
    };
    let other = json!({ "message": "the user's own", "spans": [{ "file_name": "lib.rs", "line_start": 1 }] });
    assert!(!shim.leave_out(&[other, message(1, "in the head")]));
    for (function, text) in [("b", "cannot find function `b`"), ("a", "no such `subject::Thing`")] {
        // The first complaint may be about the pointer to the function.
        for _ in 0..2 {
            let at = line(&shim.text(), &format!("::subject::{function}"));
            assert!(shim.leave_out(&[message(at, text)]));
        }
        assert!(!shim.text().contains(&format!("::subject::{function}")));
    }
    let (_, about) = shim.finish(b"\0asm\x01\0\0\0").unwrap();
    assert_eq!(about.functions, ["c"]);
    assert_eq!(about.hidden[0].why, "it is only there under `#[cfg(y)]`");
    assert_eq!(about.hidden[1].why, "the compiler says: no such `Thing`");
}

#[test]
fn crate_names_are_identifiers() {
    assert_eq!(["a-b", "2x", "std", ""].map(crate_name), ["a_b", "_2x", "std_", "__"]);
}

/// The declarations of a source text, and why other functions have none.
fn declared(source: &str) -> (Vec<String>, Vec<String>) {
    let items = Crate::read(Path::new("no/such/place.rs"), source).unwrap();
    let shim = Shim::new("x", &items, &Chosen::default(), Purpose::Sequences);
    assert!(!shim.text().contains("pessimum::start") && !shim.text().contains("pessimum::end"));
    let (_, about) = shim.finish(b"\0asm\x01\0\0\0").unwrap();
    let declarations = about.declared.into_iter().map(|declared| declared.declaration).collect();
    (declarations, about.hidden.into_iter().map(|hidden| format!("{}: {}", hidden.name, hidden.why)).collect())
}

#[test]
fn types_with_state_are_handles() {
    let source = "
        #[derive(Default, Clone)] pub struct Stack<T> { items: Vec<T> }
        impl<T> Stack<T> {
            pub fn try_new(limit: usize) -> Result<Self, String> { todo!() }
            pub fn push(&mut self, value: T) {}
            pub fn pop(&mut self) -> Option<T> { None }
            pub fn into_vec(self) -> Vec<T> { todo!() }
            pub fn append(&mut self, other: &mut Stack<T>) -> usize { 0 }
            pub fn iter(&self) -> Iter<'_, T> { todo!() }
        }
        impl<T: std::ops::Neg> Stack<T> { pub fn negate(&mut self) {} }
        pub struct Iter<'a, T> { of: &'a [T] }
        impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; fn next(&mut self) -> Option<&'a T> { None } }
        impl<T> Drop for Stack<T> { fn drop(&mut self) {} }
        pub enum Side { Left, Right(u8) }
        impl Side { pub fn new() -> Side { Side::Left } pub fn turned(&self) -> Side { Side::Left } }
        pub struct Words<'a> { rest: &'a str }
        impl<'a> Words<'a> { pub fn new(text: &'a str) -> Self { todo!() } pub fn rest(&self) -> &'a str { self.rest } }
        pub struct Outer { pub inner: Words<'static>, pub x: u8 }
        pub fn outer(x: u8) -> Option<Outer> { None }
        pub fn inside(outer: &Outer, stacks: &[i8], more: Vec<u8>) -> char { 'a' }
        pub struct Orphan { x: u8 } impl Orphan { pub fn x(&self) -> u8 { self.x } }";
    let (declarations, hidden) = declared(source);
    assert_eq!(
        declarations,
        [
            "Stack::try_new(u32 in 0..=256 | 4294967295) -> Stack",
            "Stack::push(Stack, i32)",
            "Stack::pop(Stack) -> digest",
            "Stack::into_vec(move Stack) -> digest",
            "Stack::append(Stack, Stack) -> u32",
            "Stack::iter(Stack) -> digest",
            "Stack::negate(Stack)",
            "Side::new() -> digest",
            "Side::turned({u8 in 0..2, u8}) -> digest",
            "Words::new(utf8[n], n) -> Words",
            "Words::rest(Words) -> digest",
            "outer(u8) -> Outer",
            "inside(Outer, i8[n], n, u8[m], m) -> u32",
            "Stack::default() -> Stack",
            "Stack::clone(Stack) -> Stack",
            "Stack::drop(move Stack)",
        ]
    );
    assert!(hidden[0].starts_with("Iter::next: its parameter `self`"), "{hidden:?}");
    assert!(hidden[1].starts_with("Orphan::x: its parameter `self` is `&Orphan`: `Orphan` has private"), "{hidden:?}");
    assert_eq!(hidden.len(), 2);
}

#[test]
fn what_makes_a_handle_may_be_refused() {
    let source = "pub struct A { x: u8 } pub struct B { x: u8 }
        impl A { pub fn new() -> A { todo!() } pub fn b(&self) -> B { todo!() } }
        impl B { pub fn x(&self) -> u8 { 0 } }";
    let items = Crate::read(Path::new("x.rs"), source).unwrap();
    let mut shim = Shim::new("x", &items, &Chosen::default(), Purpose::Sequences);
    let line = 1 + shim.text().lines().position(|line| line.contains("fn call_0")).unwrap();
    let message = json!({"message": "no", "spans": [{"file_name": FILE, "line_start": line, "is_primary": true}]});
    // First it is called otherwise, then it is left out.
    assert!(shim.leave_out(std::slice::from_ref(&message)) && shim.leave_out(&[message]));
    let (_, about) = shim.finish(b"\0asm\x01\0\0\0").unwrap();
    assert!(about.declared.is_empty());
    let hidden: Vec<String> = about.hidden.iter().map(|hidden| format!("{}: {}", hidden.name, hidden.why)).collect();
    assert_eq!(
        hidden,
        [
            "A::new: the compiler says: no",
            "A::b: no function that can be called returns a `A`",
            "B::x: no function that can be called returns a `B`",
        ]
    );
}
