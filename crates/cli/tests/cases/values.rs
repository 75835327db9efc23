//! Functions whose arguments are made from plain numbers, and have to be read as what they are.
use std::collections::{BTreeMap, BTreeSet};

pub enum Token {
    Number(i32),
    Operator(char),
    Name(String),
    End,
}

pub struct Point {
    pub x: i8,
    pub y: Option<bool>,
}

pub fn spelled(tokens: &[Token]) -> usize {
    tokens.iter().map(|token| match token {
        Token::Number(number) => usize::from(*number == 7),
        Token::Operator(letter) => usize::from(*letter == '+'),
        Token::Name(name) => name.len(),
        Token::End => 0,
    }).sum()
}

pub fn counted(words: &[&str], by: BTreeMap<String, u16>, seen: BTreeSet<u8>) -> usize {
    words.iter().filter(|word| by.contains_key(**word)).count() + seen.len()
}

pub fn near(point: Point, other: (i8, char), limit: Option<u8>) -> bool {
    point.y.is_some() && i16::from(point.x) - i16::from(other.0) < i16::from(limit.unwrap_or(3))
}

pub fn kept(answers: impl Fn(u8) -> bool, values: &[u8]) -> usize {
    values.iter().filter(|value| answers(**value)).count()
}

pub trait Shape {
    fn sides(&self) -> u32;
    fn doubled(&self) -> u32 {
        (0..self.sides()).map(|_| 2).sum()
    }
}

pub struct Polygon {
    pub corners: u8,
}

impl Shape for Polygon {
    fn sides(&self) -> u32 {
        u32::from(self.corners)
    }
}
