// What ordinary functions take, nested; methods, traits, enums with values, panics.
//
// worst: common --size 4 --paths 300
// worst: longest --size 4 --paths 300
// worst: area --size 3 --paths 300
// worst: best --size 4 --paths 300
// worst: nested --size 3 --paths 300
// worst: wide --paths 200
// worst: letters --size 4 --paths 200
// worst: tree --size 4 --paths 200
// worst: largest --size 5 --paths 300 natively largest::<u32>(made())
// worst: largest --with T=i64 --size 4 --paths 200 natively largest::<i64>(made())
// worst: depth --size 4 --paths 200
// worst: average --size 3 --paths 200
// worst: Meter::read --size 3 --paths 200
// worst: sum --size 4 --paths 200 natively sum(made::<Vec<i32>>())
// worst: checked --size 3 --paths 200
// worst: kept --size 4 --paths 200
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

#[cfg_attr(target_arch = "wasm32", link(wasm_import_module = "pessimum"))]
unsafe extern "C" {
    safe fn cost(amount: i64);
}

pub fn common(a: &[u16], b: &[u16]) -> usize {
    let mut found = 0;
    for x in a {
        for y in b {
            cost(1);
            if x == y {
                found += 1;
                break;
            }
        }
    }
    found
}

pub fn longest(words: Vec<String>, not: Option<&str>) -> usize {
    let mut most = 0;
    for word in &words {
        if Some(word.as_str()) != not && word.len() > most {
            cost(2);
            most = word.len();
        }
    }
    most
}

pub enum Shape {
    Point,
    Circle(i32),
    Box { width: i32, height: i32, name: Option<char> },
}

pub fn area(shapes: &[Shape]) -> i64 {
    let mut sum = 0i64;
    for shape in shapes {
        sum += match shape {
            Shape::Point => 0,
            Shape::Circle(radius) => {
                cost(1);
                3 * i64::from(*radius).pow(2) % 1000
            }
            Shape::Box { width, height, name } => {
                cost(if name.is_some() && width > height { 3 } else { 2 });
                i64::from(*width) - i64::from(*height)
            }
        };
    }
    sum
}

pub fn best(votes: HashMap<String, u8>, banned: &HashSet<char>) -> u32 {
    let mut sum = 0;
    for (name, count) in &votes {
        if *count > 3 && !name.chars().any(|letter| banned.contains(&letter)) {
            cost(name.len() as i64);
            sum += u32::from(*count);
        }
    }
    sum
}

pub fn nested(rows: Vec<Vec<Option<(i8, bool)>>>, limit: Result<u8, String>) -> i32 {
    let limit = limit.map(i32::from).unwrap_or_else(|text| text.len() as i32);
    let mut sum = 0;
    for cell in rows.iter().flatten().flatten() {
        if cell.1 && i32::from(cell.0) > limit {
            cost(1);
            sum += i32::from(cell.0);
        }
    }
    sum
}

pub fn wide(a: i128, b: u64, flags: [bool; 4]) -> bool {
    let mut left = a;
    for flag in flags {
        if flag && left > i128::from(b) {
            cost(1);
            left >>= 3;
        }
    }
    left > 5
}

pub fn letters(text: &str, also: [char; 2]) -> u32 {
    let mut found = 0;
    for letter in text.chars() {
        if letter.is_ascii_uppercase() || also.contains(&letter) {
            cost(1);
            found = found * 7 + letter as u32;
        }
    }
    found
}

pub fn tree(map: &BTreeMap<u8, Vec<u8>>, seen: BTreeSet<u8>, mut queue: VecDeque<u8>) -> usize {
    let mut done = BTreeSet::new();
    while let Some(at) = queue.pop_front() {
        if seen.contains(&at) || !done.insert(at) {
            continue;
        }
        cost(1);
        queue.extend(map.get(&at).into_iter().flatten());
    }
    done.len()
}

pub fn largest<T: PartialOrd + Copy>(values: &[T]) -> usize {
    let mut at = 0;
    for (i, value) in values.iter().enumerate() {
        if *value > values[at] {
            cost(1);
            at = i;
        }
    }
    at
}

pub struct Node {
    pub value: i16,
    pub next: Option<Box<Node>>,
}

pub fn depth(list: &Node) -> u32 {
    let (mut at, mut count) = (list, 0);
    while let Some(next) = &at.next {
        if next.value <= at.value {
            break;
        }
        cost(1);
        count += 1;
        at = next;
    }
    count
}

pub fn average(values: &[f32], scale: f64) -> f64 {
    let mut sum = 0.0;
    for value in values {
        if *value > 0.5 && *value < 2.5 {
            cost(1);
            sum += f64::from(*value);
        }
    }
    if scale > 1.0 { sum / scale } else { sum }
}

pub struct Meter {
    factor: u8,
}

impl Meter {
    pub fn new(factor: u8) -> Meter {
        Meter { factor: factor % 5 }
    }

    pub fn read(&self, values: &[u8]) -> u32 {
        let mut sum = 0;
        for value in values {
            if value % 5 == self.factor {
                cost(1);
                sum += u32::from(*value);
            }
        }
        sum
    }
}

pub fn sum(values: impl IntoIterator<Item = i32>) -> i32 {
    let mut sum = 0i32;
    for value in values {
        if value > sum {
            cost(1);
        }
        sum = sum.wrapping_add(value);
    }
    sum
}

/// Panics for one input, and is worst for another.
pub fn checked(values: &[u8], divisor: u8) -> u8 {
    let mut last = 0;
    for value in values {
        cost(1);
        assert!(*value != 42, "not this one");
        last = value / divisor;
    }
    last
}

pub fn kept(values: Vec<Box<u16>>, from: &mut [i32; 2]) -> i32 {
    for value in values {
        if i32::from(*value) > from[0] {
            cost(1);
            from[0] += 1;
            from[1] -= 1;
        }
    }
    from[0] - from[1]
}
