//! Functions with the parameters that ordinary crates have. None of them knows of WebAssembly.
#![allow(dead_code, unused_variables)]

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::*;
use std::fmt;
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

pub enum Shape {
    Dot,
    Circle(f64),
    Rectangle { width: u32, height: u32 },
}

#[derive(Clone, Copy, PartialEq)]
pub enum Color {
    Red,
    Green,
    Blue,
}

pub struct Meters(pub f64);
pub type Grid = Vec<Vec<u8>>;
const SIDE: usize = 3;

pub fn shared(values: &Vec<u32>) -> usize {
    values.iter().filter(|value| **value > 3).count()
}

pub fn dedup(values: &mut Vec<u32>) -> usize {
    values.sort();
    values.dedup();
    values.len()
}

pub fn array(values: [i32; 4]) -> i32 {
    values[0] - values[3]
}

pub fn matrix(values: &[[i32; SIDE]; 2 * SIDE - 4]) -> i32 {
    values[1][2]
}

pub fn letter(c: char) -> bool {
    c.is_alphabetic()
}

pub fn option(value: Option<u32>) -> u32 {
    value.unwrap_or(7)
}

pub fn result(value: Result<u32, String>) -> u32 {
    value.unwrap_or_else(|text| text.len() as u32)
}

pub fn tuple((a, b): (i32, u8)) -> i32 {
    a * 10 + b as i32
}

pub fn references(x: &i32, y: &mut i64) -> i64 {
    *y += i64::from(*x);
    *y
}

pub fn bools(values: &[bool]) -> usize {
    values.iter().filter(|value| **value).count()
}

pub fn chars(values: &[char]) -> String {
    values.iter().collect()
}

pub fn words(words: &[&str]) -> usize {
    words.iter().map(|word| word.len()).max().unwrap_or(0)
}

pub fn lists(lists: &[Vec<u16>]) -> usize {
    lists.iter().map(Vec::len).sum()
}

pub fn wide(x: i128, y: u128) -> bool {
    x as u128 > y
}

pub fn map(map: &HashMap<u32, u16>) -> usize {
    map.values().filter(|value| **value > 10).count()
}

pub fn tree_map(map: BTreeMap<String, Vec<i32>>) -> usize {
    map.len()
}

pub fn sets(a: HashSet<i16>, b: &BTreeSet<u8>) -> usize {
    a.len() + b.len()
}

pub fn queues(a: VecDeque<u32>, b: BinaryHeap<i32>, c: LinkedList<u8>) -> usize {
    a.len() + b.len() + c.len()
}

pub fn points(points: &[Point]) -> usize {
    points.iter().filter(|point| point.x > point.y).count()
}

pub fn shape(shape: Shape) -> f64 {
    match shape {
        Shape::Dot => 0.0,
        Shape::Circle(radius) => radius * radius,
        Shape::Rectangle { width, height } => f64::from(width) * f64::from(height),
    }
}

pub fn colors(wanted: Color, colors: &[Color]) -> usize {
    colors.iter().filter(|color| **color == wanted).count()
}

pub fn meters(length: Meters) -> f64 {
    length.0
}

pub fn grid(grid: &Grid) -> usize {
    grid.iter().map(Vec::len).sum()
}

pub fn texts(a: String, b: &str, c: Cow<'_, str>, d: Box<str>, e: Rc<[u8]>) -> bool {
    a == b && *c == *d && e.is_empty()
}

pub fn iterator(values: impl Iterator<Item = u32>) -> u32 {
    values.fold(0, |a, b| a ^ b)
}

pub fn like_text(a: impl AsRef<str>, b: impl Into<String>) -> usize {
    a.as_ref().len() + b.into().len()
}

pub fn largest<T: Ord + Copy>(values: &[T]) -> Option<T> {
    values.iter().copied().max()
}

pub fn chosen<F: Fn(u32) -> bool>(values: &[u32], wanted: F) -> usize {
    values.iter().filter(|value| wanted(**value)).count()
}

pub fn sort_by<T, F>(values: &mut [T], mut less: F)
where
    F: FnMut(&T, &T) -> bool,
{
    for i in 1..values.len() {
        let mut j = i;
        while j > 0 && less(&values[j], &values[j - 1]) {
            values.swap(j, j - 1);
            j -= 1;
        }
    }
}

pub fn by_key<K: Ord>(values: &mut Vec<Point>, key: impl Fn(&Point) -> K) {
    values.sort_by(|a, b| key(a).cmp(&key(b)));
}

pub fn zeros<const N: usize>(values: [u8; N]) -> usize {
    values.iter().filter(|value| **value == 0).count()
}

pub fn element(values: &[usize], k: usize) -> usize {
    values[k]
}

pub fn library(a: std::time::Duration, b: std::num::NonZeroU8, c: Ordering, d: std::num::Wrapping<u32>) -> u64 {
    a.as_secs() + u64::from(b.get()) + d.0 as u64
}

pub fn digits(text: &mut std::iter::Peekable<std::str::Chars<'_>>) -> u32 {
    let mut count = 0;
    while text.next_if(char::is_ascii_digit).is_some() {
        count += 1;
    }
    count
}

pub fn pointers(f: &dyn Fn(i32) -> i32, g: Box<dyn Fn(u8, u8) -> u8>, h: fn(u32) -> u32) -> i32 {
    f(3) + i32::from(g(1, 2)) + h(4) as i32
}

pub fn reader(mut from: impl std::io::Read, to: &mut impl fmt::Write) -> u8 {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes);
    let _ = write!(to, "{bytes:?}");
    bytes.iter().fold(0, |a, b| a ^ b)
}

pub struct Node {
    pub value: i32,
    pub next: Option<Box<Node>>,
}

pub fn sum_list(head: Option<Box<Node>>) -> i32 {
    let (mut sum, mut next) = (0i32, &head);
    while let Some(node) = next {
        sum = sum.wrapping_add(node.value);
        next = &node.next;
    }
    sum
}

pub enum Tree {
    Leaf,
    Fork(Box<Tree>, u8, Box<Tree>),
}

impl Tree {
    pub fn depth(&self) -> usize {
        match self {
            Tree::Leaf => 0,
            Tree::Fork(left, _, right) => 1 + left.depth().max(right.depth()),
        }
    }
}

pub mod heap {
    #[derive(Default)]
    pub struct Heap<T> {
        items: Vec<T>,
    }

    impl<T: Ord> Heap<T> {
        pub fn new() -> Self {
            Heap { items: Vec::new() }
        }

        pub fn push(&mut self, item: T) {
            self.items.push(item);
            let mut i = self.items.len() - 1;
            while i > 0 && self.items[i] > self.items[(i - 1) / 2] {
                self.items.swap(i, (i - 1) / 2);
                i = (i - 1) / 2;
            }
        }

        pub fn pop(&mut self) -> Option<T> {
            let last = self.items.len().checked_sub(1)?;
            self.items.swap(0, last);
            let top = self.items.pop();
            let mut i = 0;
            loop {
                let mut greatest = i;
                for child in [2 * i + 1, 2 * i + 2] {
                    if child < last && self.items[child] > self.items[greatest] {
                        greatest = child;
                    }
                }
                if greatest == i {
                    return top;
                }
                self.items.swap(i, greatest);
                i = greatest;
            }
        }

        pub fn into_len(self) -> usize {
            self.items.len()
        }

        fn hidden(&self) {}
    }

    pub fn highest(values: Vec<u32>) -> Option<u32> {
        let mut heap = Heap::new();
        values.into_iter().for_each(|value| heap.push(value));
        heap.pop()
    }
}

pub struct Words<'a> {
    text: &'a str,
}

impl<'a> Words<'a> {
    pub fn new(text: &'a str) -> Self {
        Words { text }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<Self::Item> {
        let (word, rest) = self.text.split_once(' ')?;
        self.text = rest;
        Some(word)
    }
}

pub struct Even(u32);

impl Even {
    pub fn new(value: u32) -> Option<Even> {
        (value % 2 == 0).then_some(Even(value))
    }

    pub fn half(&self) -> u32 {
        assert!(self.0 % 2 == 0);
        self.0 / 2
    }
}

pub trait Area {
    fn area(&self) -> f64;
}

impl Area for Point {
    fn area(&self) -> f64 {
        f64::from(self.x) * f64::from(self.y)
    }
}

pub fn area_of<A: Area>(shapes: &[A]) -> f64 {
    shapes.iter().map(Area::area).sum()
}

pub fn area_of_all(shapes: Vec<Box<dyn Area>>) -> f64 {
    shapes.iter().map(|shape| shape.area()).sum()
}

mod inner {
    pub fn passed_on(x: u8) -> u8 {
        x / 2
    }
    pub fn kept(x: u8) -> u8 {
        x
    }
}
pub use inner::passed_on as half;

/// Names of the C library, and of what a module has anyway.
pub fn memcpy(to: &mut [u8], from: &[u8]) {
    to.copy_from_slice(from);
}

pub fn memory(x: u32) -> u32 {
    x
}

pub fn minus(a: u32, b: u32) -> u32 {
    a.checked_sub(b).expect("b is too large")
}

pub struct Opaque {
    pointer: *const u8,
}

pub fn opaque(x: i32, what: &Opaque) {}

pub fn raw_pointer(from: *const u8) {}

pub fn bits<T: fmt::Binary + std::ops::ShrAssign<i8>>(x: T) {}

pub fn error<E: std::error::Error>(error: E) {}

#[cfg(feature = "never")]
pub fn conditional(x: u8) {}

pub async fn later(x: u8) {}
