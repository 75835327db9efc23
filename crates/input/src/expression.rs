//! Tokens of the signature language, and the expressions over sizes in it.

use std::collections::{BTreeMap, BTreeSet};

use super::SyntaxError;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A name.
    Word(String),
    /// A whole number.
    Integer(i128),
    /// A character between single quotes.
    Character(u32),
    /// A number with a fraction.
    Decimal(f64),
    /// The bytes between quotes.
    Text(Vec<u8>),
    /// `.. ..= ( ) [ ] { } , + - * / | &`; for Python also `: = .`.
    Mark(&'static str),
}

/// Whose values a text is about. The languages share their expressions and ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Characters are bytes of ASCII; texts are in double quotes.
    Wasm,
    /// Characters may be any; texts are Python's, in single or double quotes, and are not looked into.
    Python,
}

impl Token {
    fn describe(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Integer(value) => format!("`{value}`"),
            Token::Character(value) => format!("`{:?}`", char::from_u32(*value).unwrap_or('?')),
            Token::Decimal(value) => format!("`{value}`"),
            Token::Text(_) => "a text".to_string(),
            Token::Mark(mark) => format!("`{mark}`"),
        }
    }
}

/// An expression over sizes, not yet evaluated, and where it starts in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    node: Node,
    /// Where it starts, in characters.
    pub column: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Integer(i128),
    Character(u32),
    Size,
    /// A size with another name.
    Named(String),
    Negate(Box<Expression>),
    Binary(char, Box<Expression>, Box<Expression>),
}

impl Expression {
    /// The value for this `n` and these other sizes; the message says what is missing or too large.
    pub fn evaluate(&self, size: Option<u64>, sizes: &BTreeMap<String, u64>) -> Result<i128, (usize, String)> {
        let overflow = || (self.column, "this number is too large".to_string());
        match &self.node {
            Node::Integer(value) => Ok(*value),
            Node::Character(value) => Ok(i128::from(*value)),
            Node::Size => match size {
                Some(n) => Ok(i128::from(n)),
                None => Err((self.column, "`n` stands for the size, which was not given".to_string())),
            },
            Node::Named(name) => match sizes.get(name) {
                Some(value) => Ok(i128::from(*value)),
                None => {
                    let given = if size.is_some() || !sizes.is_empty() { "n=10," } else { "" };
                    let message = format!(
                        "`{name}` stands for a size that was not given; give it as in `--size {given}{name}=8`"
                    );
                    Err((self.column, message))
                }
            },
            Node::Negate(operand) => operand.evaluate(size, sizes)?.checked_neg().ok_or_else(overflow),
            Node::Binary(op, left, right) => {
                let (x, y) = (left.evaluate(size, sizes)?, right.evaluate(size, sizes)?);
                match op {
                    '+' => x.checked_add(y).ok_or_else(overflow),
                    '-' => x.checked_sub(y).ok_or_else(overflow),
                    '*' => x.checked_mul(y).ok_or_else(overflow),
                    _ if y == 0 => Err((right.column, "division by zero".to_string())),
                    _ => x.checked_div(y).ok_or_else(overflow),
                }
            }
        }
    }
}

impl Expression {
    /// A single character.
    pub fn character(code: u32, column: usize) -> Expression {
        Expression { node: Node::Character(code), column }
    }

    /// Whether it is a single character.
    pub fn is_character(&self) -> bool {
        matches!(self.node, Node::Character(_))
    }

    /// Adds the names of the sizes in it.
    pub fn sizes(&self, into: &mut BTreeSet<String>) {
        match &self.node {
            Node::Integer(_) | Node::Character(_) => {}
            Node::Size => {
                into.insert("n".to_string());
            }
            Node::Named(name) => {
                into.insert(name.clone());
            }
            Node::Negate(operand) => operand.sizes(into),
            Node::Binary(_, left, right) => {
                left.sizes(into);
                right.sizes(into);
            }
        }
    }
}

/// A position in the tokens of one text.
#[derive(Clone)]
pub struct Cursor<'a> {
    text: &'a str,
    tokens: Vec<(Token, usize)>,
    next: usize,
    /// Column just after the last character of the text.
    end: usize,
    /// Open parentheses, braces and signs around the current operand.
    depth: u32,
    dialect: Dialect,
}

/// Words that cannot name a size.
const RESERVED: [&str; 15] =
    ["i32", "i64", "f32", "f64", "bool", "i8", "u8", "i16", "u16", "u32", "u64", "str", "utf8", "out", "in"];

/// The same for Python.
const PYTHON_RESERVED: [&str; 14] = [
    "int",
    "bool",
    "float",
    "str",
    "bytes",
    "bytearray",
    "tuple",
    "set",
    "frozenset",
    "deque",
    "dict",
    "None",
    "True",
    "False",
];

/// Deeper nesting is refused, so that no text can exhaust the Rust stack.
const MAX_DEPTH: u32 = 64;

impl<'a> Cursor<'a> {
    /// Tokens of `text` from the given byte on.
    pub fn new(text: &'a str, from_byte: usize, dialect: Dialect) -> Result<Cursor<'a>, SyntaxError> {
        let mut cursor = Cursor { text, tokens: Vec::new(), next: 0, end: text.chars().count(), depth: 0, dialect };
        let characters: Vec<char> = text.chars().collect();
        let mut at = text[..from_byte].chars().count();
        while at < characters.len() {
            if characters[at].is_whitespace() {
                at += 1;
                continue;
            }
            let (token, length) = cursor.token(&characters, at)?;
            cursor.tokens.push((token, at));
            at += length;
        }
        Ok(cursor)
    }

    fn token(&self, characters: &[char], at: usize) -> Result<(Token, usize), SyntaxError> {
        let rest = &characters[at..];
        let span = |accept: &dyn Fn(char) -> bool| rest.iter().take_while(|&&c| accept(c)).count();
        let first = rest[0];
        if first.is_ascii_alphabetic() || first == '_' {
            let length = span(&|c| c.is_ascii_alphanumeric() || c == '_');
            return Ok((Token::Word(rest[..length].iter().collect()), length));
        }
        if first.is_ascii_digit() {
            return self.number(rest, at);
        }
        let python = self.dialect == Dialect::Python;
        if first == '\'' {
            return match rest {
                [_, '\\', c, '\'', ..] if !python || self.escaped(*c, at).is_ok() => {
                    Ok((Token::Character(self.escaped(*c, at)?.into()), 4))
                }
                [_, c, '\'', ..] if *c != '\'' && (c.is_ascii() || python) => Ok((Token::Character(*c as u32), 3)),
                _ if python => self.python_text(rest, at),
                _ => Err(self.error_at(at, "a character is one ASCII character between quotes, as in 'a'")),
            };
        }
        if first == '"' {
            return if python { self.python_text(rest, at) } else { self.text(rest, at) };
        }
        for mark in ["..=", "..", "(", ")", "[", "]", "{", "}", ",", "+", "-", "*", "/", "|", "&", ":", "=", "."] {
            if matches!(mark, ":" | "=" | ".") && !python {
                continue;
            }
            if mark.chars().eq(rest.iter().copied().take(mark.len())) {
                return Ok((Token::Mark(mark), mark.len()));
            }
        }
        Err(self.error_at(at, format!("`{first}` has no meaning here")))
    }

    /// The byte that a character after a backslash stands for.
    fn escaped(&self, c: char, at: usize) -> Result<u8, SyntaxError> {
        match c {
            'n' => Ok(b'\n'),
            't' => Ok(b'\t'),
            'r' => Ok(b'\r'),
            '0' => Ok(0),
            '\\' | '\'' | '"' => Ok(c as u8),
            _ => Err(self.error_at(at, "unknown escape; known: \\n \\t \\r \\0 \\\\ \\' \\\", and \\x41 in a text")),
        }
    }

    /// A text in double quotes; characters beyond ASCII are taken as UTF-8, and `\x41` is one byte.
    fn text(&self, rest: &[char], at: usize) -> Result<(Token, usize), SyntaxError> {
        let (mut bytes, mut next) = (Vec::new(), 1);
        while let Some(&c) = rest.get(next) {
            match (c, rest.get(next + 1)) {
                ('"', _) => return Ok((Token::Text(bytes), next + 1)),
                ('\\', Some('x')) => {
                    let digits: String = rest.iter().skip(next + 2).take(2).collect();
                    let byte = u8::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 2);
                    let message = "`\\x` needs two hexadecimal digits after it";
                    bytes.push(byte.ok_or_else(|| self.error_at(at + next, message))?);
                    next += 4;
                }
                ('\\', Some(&escape)) => {
                    bytes.push(self.escaped(escape, at + next)?);
                    next += 2;
                }
                _ => {
                    bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
                    next += 1;
                }
            }
        }
        Err(self.error_at(at, "this text has no closing quote"))
    }

    /// A text of Python, of which only the end matters here.
    fn python_text(&self, rest: &[char], at: usize) -> Result<(Token, usize), SyntaxError> {
        let mut next = 1;
        while let Some(&c) = rest.get(next) {
            if c == rest[0] {
                return Ok((Token::Text(Vec::new()), next + 1));
            }
            next += if c == '\\' { 2 } else { 1 };
        }
        Err(self.error_at(at, "this text has no closing quote"))
    }

    /// The characters of a text, if one comes next: what a range may consist of.
    pub fn characters(&self) -> Result<Option<Vec<u32>>, SyntaxError> {
        let Some((Token::Text(_), column)) = self.tokens.get(self.next) else { return Ok(None) };
        let mut rest = self.text.chars().skip(*column);
        let quote = rest.next();
        let (mut found, mut at) = (Vec::new(), column + 1);
        // Its end is there: it was found when the text was cut into tokens.
        while let Some(c) = rest.next().filter(|c| Some(*c) != quote) {
            at += 1;
            if c != '\\' {
                if !c.is_ascii() && self.dialect != Dialect::Python {
                    let message =
                        format!("`{c}` is more than one byte; write the numbers of bytes, as in `0x80..=0xff`");
                    return Err(self.error_at(at - 1, message));
                }
                found.push(c as u32);
                continue;
            }
            let escape = rest.next().unwrap_or_default();
            at += 1;
            let digits = match escape {
                'x' => 2,
                'u' if self.dialect == Dialect::Python => 4,
                _ => {
                    found.push(self.escaped(escape, at - 2)?.into());
                    continue;
                }
            };
            let written: String = rest.by_ref().take(digits).collect();
            let code = u32::from_str_radix(&written, 16).ok().filter(|_| written.len() == digits);
            let message = || format!("`\\{escape}` needs {digits} hexadecimal digits after it");
            found.push(code.ok_or_else(|| self.error_at(at - 2, message()))?);
            at += digits;
        }
        if found.is_empty() {
            return Err(self.error_at(*column, "this text has no character, so no value is allowed"));
        }
        Ok(Some(found))
    }

    /// A number in decimal or `0x` form; a point that is not part of `..` makes it a decimal fraction.
    fn number(&self, rest: &[char], at: usize) -> Result<(Token, usize), SyntaxError> {
        let too_large = || self.error_at(at, "this number is too large");
        if rest.len() > 2 && rest[0] == '0' && rest[1] == 'x' {
            let digits: String = rest[2..].iter().take_while(|c| c.is_ascii_hexdigit()).collect();
            if digits.is_empty() {
                return Err(self.error_at(at, "`0x` needs hexadecimal digits after it"));
            }
            let value = i128::from_str_radix(&digits, 16).map_err(|_| too_large())?;
            return Ok((Token::Integer(value), digits.len() + 2));
        }
        let mut length = rest.iter().take_while(|c| c.is_ascii_digit()).count();
        let mut decimal = false;
        if rest.get(length) == Some(&'.') && rest.get(length + 1).is_some_and(char::is_ascii_digit) {
            decimal = true;
            length += 1 + rest[length + 1..].iter().take_while(|c| c.is_ascii_digit()).count();
        }
        if matches!(rest.get(length), Some('e' | 'E')) {
            let sign = usize::from(matches!(rest.get(length + 1), Some('+' | '-')));
            let digits = rest[length + 1 + sign..].iter().take_while(|c| c.is_ascii_digit()).count();
            if digits > 0 {
                decimal = true;
                length += 1 + sign + digits;
            }
        }
        let text: String = rest[..length].iter().collect();
        let token = if decimal {
            Token::Decimal(text.parse().map_err(|_| too_large())?)
        } else {
            Token::Integer(text.parse().map_err(|_| too_large())?)
        };
        Ok((token, length))
    }

    /// The next token.
    pub fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    /// The token after the next one.
    pub fn peek_second(&self) -> Option<&Token> {
        self.tokens.get(self.next + 1).map(|(token, _)| token)
    }

    /// Column of the next token, or of the end.
    pub fn column(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |&(_, column)| column)
    }

    /// Takes the next token.
    pub fn advance(&mut self) {
        self.next += 1;
    }

    /// Takes the next token if it is this mark.
    pub fn accept(&mut self, mark: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Mark(m)) if *m == mark);
        self.next += usize::from(found);
        found
    }

    /// Takes the next token if it is this word.
    pub fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(w)) if w == word);
        self.next += usize::from(found);
        found
    }

    /// Takes the next token, which must be this mark.
    pub fn expect(&mut self, mark: &str, purpose: &str) -> Result<(), SyntaxError> {
        if self.accept(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}` {purpose}"))) }
    }

    /// "expected X, found Y" at the next token.
    pub fn unexpected(&self, expected: &str) -> SyntaxError {
        let found = self.peek().map_or("the end".to_string(), Token::describe);
        self.error_at(self.column(), format!("expected {expected}, found {found}"))
    }

    /// A mistake at a column.
    pub fn error_at(&self, column: usize, message: impl Into<String>) -> SyntaxError {
        SyntaxError { text: self.text.to_string(), column, message: message.into() }
    }

    /// A sum of products of numbers, `n`, signs and parentheses.
    pub fn expression(&mut self) -> Result<Expression, SyntaxError> {
        let mut left = self.product()?;
        loop {
            let op = if self.accept("+") {
                '+'
            } else if self.accept("-") {
                '-'
            } else {
                return Ok(left);
            };
            let right = self.product()?;
            left = Expression { column: left.column, node: Node::Binary(op, Box::new(left), Box::new(right)) };
        }
    }

    fn product(&mut self) -> Result<Expression, SyntaxError> {
        let mut left = self.operand()?;
        loop {
            let op = if self.accept("*") {
                '*'
            } else if self.accept("/") {
                '/'
            } else {
                return Ok(left);
            };
            let right = self.operand()?;
            left = Expression { column: left.column, node: Node::Binary(op, Box::new(left), Box::new(right)) };
        }
    }

    /// Goes one level deeper, if that is allowed.
    pub fn enter(&mut self, column: usize) -> Result<(), SyntaxError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error_at(column, "nested too deeply"));
        }
        self.depth += 1;
        Ok(())
    }

    /// Goes back up.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    fn reserved(&self) -> &'static [&'static str] {
        match self.dialect {
            Dialect::Wasm => &RESERVED,
            Dialect::Python => &PYTHON_RESERVED,
        }
    }

    /// The text from one column to another.
    pub fn between(&self, from: usize, to: usize) -> String {
        self.text.chars().skip(from).take(to.saturating_sub(from)).collect()
    }

    fn operand(&mut self) -> Result<Expression, SyntaxError> {
        let column = self.column();
        if self.accept("-") {
            self.enter(column)?;
            let operand = self.operand()?;
            self.leave();
            return Ok(Expression { node: Node::Negate(Box::new(operand)), column });
        }
        if self.accept("(") {
            self.enter(column)?;
            let inner = self.expression()?;
            self.leave();
            self.expect(")", "after the expression")?;
            return Ok(inner);
        }
        let node = match self.peek() {
            Some(Token::Integer(value)) => Node::Integer(*value),
            Some(Token::Character(value)) => Node::Character(*value),
            Some(Token::Word(word)) if word == "n" => Node::Size,
            Some(Token::Word(word)) if !self.reserved().contains(&word.as_str()) => Node::Named(word.clone()),
            Some(Token::Decimal(_)) => return Err(self.unexpected("a whole number")),
            _ => return Err(self.unexpected("a number or a size like `n`")),
        };
        self.advance();
        Ok(Expression { node, column })
    }
}
