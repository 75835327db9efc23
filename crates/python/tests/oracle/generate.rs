//! Small random functions of Python: every kind of statement, fed from the parameters.

use std::fmt::Write;

use pessimum_search::random::Random;

/// A program and how to call it.
pub struct Generated {
    pub text: String,
    /// Its ranges allow at most the wanted number of inputs.
    pub call: String,
}

struct Writer {
    random: Random,
    text: String,
    depth: usize,
    /// Names of integers, texts and lists of integers that may be read.
    integers: Vec<String>,
    texts: Vec<String>,
    lists: Vec<String>,
    /// Loops around the current statement, so that every name of a counter is its own.
    loops: usize,
    in_loop: bool,
    /// Statements that may still be generated.
    fuel: usize,
    /// Whether the helper may be called: it does not call itself.
    calls: bool,
}

/// The program for a seed. It has at most `2^bits` inputs.
pub fn program(seed: u64, bits: u32) -> Generated {
    let mut random = Random::new(seed ^ 0x5079_7468_6f6e);
    let mut left = bits;
    let (mut types, mut names) = (Vec::new(), Vec::new());
    let (mut integers, mut texts, mut lists) = (Vec::new(), Vec::new(), Vec::new());
    while left > 0 && types.len() < 4 {
        let name = format!("p{}", types.len());
        let kind = random.below(7);
        let (text, used) = match kind {
            0 | 1 => {
                let own = left.min(1 + random.below(4) as u32);
                let low = [0i64, -(1 << (own - 1)), 3, -1][random.index(4)];
                (format!("int in {low}..={}", low + (1 << own) - 1), own)
            }
            2 => ("bool".to_string(), 1),
            3 if left >= 2 => {
                let length = 1 + random.below(u64::from(left / 2).min(3)) as u32;
                let low = [b'a', b'0', b' ', b'A'][random.index(4)];
                (format!("str[{length}] in {low}..={}", low + 3), 2 * length)
            }
            4 if left >= 2 => {
                let length = 1 + random.below(u64::from(left / 2).min(2)) as u32;
                (format!("bytes[{length}] in 48..=51"), 2 * length)
            }
            _ => {
                let own = 1 + random.below(u64::from(left.min(2))) as u32;
                let length = 1 + random.below(u64::from(left / own).min(4)) as u32;
                (format!("int[{length}] in {}..={}", -1, (1 << own) - 2), own * length)
            }
        };
        left -= used.min(left);
        match kind {
            0..=2 => integers.push(name.clone()),
            3 if text.starts_with("str") => texts.push(name.clone()),
            _ if text.starts_with("bytes") || text.starts_with("int[") => lists.push(name.clone()),
            _ => integers.push(name.clone()),
        }
        types.push(text);
        names.push(name);
    }
    let mut writer = Writer {
        random,
        text: String::new(),
        depth: 1,
        integers,
        texts,
        lists,
        loops: 0,
        in_loop: false,
        fuel: 14,
        calls: true,
    };
    writer.text.push_str("TABLE = {0: 3, 1: -2, 2: 7, 'a': 1, 'ab': 2, '0': 5}\nNAMES = {'a', 'b', '0', 1, 3}\n\n");
    writer.helper();
    let _ = writeln!(writer.text, "def f({}):", names.join(", "));
    writer.line("n = 0");
    writer.integers.push("n".to_string());
    while writer.fuel > 0 {
        writer.statement();
    }
    let value = writer.integer(2);
    writer.line(&format!("return {value}"));
    Generated { call: format!("f({})", types.join(", ")), text: writer.text }
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(self.depth));
    }

    /// A function with one or two branches that the main one may call.
    fn helper(&mut self) {
        let (integers, texts, lists) = (
            std::mem::replace(&mut self.integers, vec!["a".into(), "b".into(), "n".into()]),
            std::mem::take(&mut self.texts),
            std::mem::take(&mut self.lists),
        );
        self.text.push_str("def helper(a, b=2):\n    n = 1\n");
        (self.calls, self.fuel) = (false, 3);
        while self.fuel > 0 {
            self.statement();
        }
        let value = self.integer(2);
        self.line(&format!("return {value}"));
        self.text.push('\n');
        (self.calls, self.fuel) = (true, 14);
        (self.integers, self.texts, self.lists) = (integers, texts, lists);
    }

    fn block(&mut self) {
        self.depth += 1;
        let known = (self.integers.len(), self.texts.len(), self.lists.len());
        let count = 1 + self.random.index(2);
        for _ in 0..count {
            self.statement();
        }
        self.integers.truncate(known.0);
        self.texts.truncate(known.1);
        self.lists.truncate(known.2);
        self.depth -= 1;
    }

    fn statement(&mut self) {
        self.fuel = self.fuel.saturating_sub(1);
        let nested = self.depth < 4 && self.fuel > 0;
        match self.random.below(if nested { 20 } else { 9 }) {
            0..=2 => {
                let value = self.integer(3);
                let name = self.assigned();
                self.line(&format!("{name} = {value}"));
            }
            3 => {
                let value = self.integer(2);
                let op = self.random.pick(&["+", "-", "*", "//", "%", "&", "|", "^"]);
                self.line(&format!("n {op}= {value}"));
            }
            4 if !self.lists.is_empty() => {
                let list = self.list();
                let name = format!("l{}", self.lists.len());
                self.line(&format!("{name} = {list}"));
                self.lists.push(name);
            }
            5 if !self.texts.is_empty() => {
                let text = self.string();
                let name = format!("s{}", self.texts.len());
                self.line(&format!("{name} = {text}"));
                self.texts.push(name);
            }
            6 if self.in_loop => {
                let condition = self.condition(2);
                let how = self.random.pick(&["break", "continue"]);
                self.line(&format!("if {condition}: {how}"));
            }
            7 if self.random.chance(0.4) => {
                let condition = self.condition(2);
                let how = self.random.pick(&["return n", "raise ValueError(n)", "raise KeyError('x')"]);
                self.line(&format!("if {condition}: {how}"));
            }
            4..=8 => {
                let value = self.integer(2);
                self.line(&format!("n = n + {value}"));
            }
            9..=12 => {
                let condition = self.condition(3);
                self.line(&format!("if {condition}:"));
                self.block();
                if self.random.coin() {
                    let condition = self.condition(2);
                    self.line(&format!("elif {condition}:"));
                    self.block();
                }
                if self.random.coin() {
                    self.line("else:");
                    self.block();
                }
            }
            13 | 14 => {
                let counter = format!("k{}", self.loops);
                self.loops += 1;
                let condition = self.condition(2);
                self.line(&format!("{counter} = 0"));
                self.line(&format!("while {counter} < 3 and {condition}:"));
                self.depth += 1;
                self.line(&format!("{counter} += 1"));
                self.depth -= 1;
                self.looped(None);
            }
            15 | 16 => {
                let name = format!("i{}", self.loops);
                self.loops += 1;
                let over = match self.random.below(4) {
                    0 if !self.lists.is_empty() => self.list(),
                    1 if !self.lists.is_empty() => {
                        let list = self.list();
                        format!("sorted({list})")
                    }
                    _ => {
                        let bound = self.integer(1);
                        format!("range({bound} & 3)")
                    }
                };
                self.line(&format!("for {name} in {over}:"));
                self.looped(Some(name));
            }
            17 if !self.texts.is_empty() => {
                let name = format!("c{}", self.loops);
                self.loops += 1;
                let text = self.string();
                self.line(&format!("for {name} in {text}:"));
                self.texts.push(name);
                self.looped(None);
                self.texts.pop();
            }
            _ => {
                self.line("try:");
                self.block();
                let error =
                    self.random.pick(&["ZeroDivisionError", "(KeyError, IndexError)", "ValueError", "Exception"]);
                self.line(&format!("except {error}:"));
                self.block();
                if self.random.chance(0.3) {
                    self.line("finally:");
                    self.block();
                }
            }
        }
    }

    fn looped(&mut self, name: Option<String>) {
        let outer = std::mem::replace(&mut self.in_loop, true);
        let added = name.is_some();
        self.integers.extend(name);
        self.block();
        if added {
            self.integers.pop();
        }
        self.in_loop = outer;
    }

    fn assigned(&mut self) -> String {
        if self.random.coin() {
            return "n".to_string();
        }
        let name = format!("v{}", self.integers.len());
        self.integers.push(name.clone());
        name
    }

    fn integer_name(&mut self) -> String {
        let at = self.random.index(self.integers.len());
        self.integers[at].clone()
    }

    /// An expression for an integer.
    fn integer(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(3) {
                0 => (self.random.below(12) as i64 - 4).to_string(),
                _ => self.integer_name(),
            };
        }
        let depth = depth - 1;
        match self.random.below(16) {
            0..=4 => {
                let op = self.random.pick(&["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>"]);
                let (x, y) = (self.integer(depth), self.integer(depth));
                match op {
                    "<<" | ">>" => format!("({x} {op} ({y} & 3))"),
                    _ => format!("({x} {op} {y})"),
                }
            }
            5 => format!("-{}", self.integer(0)),
            6 => {
                let (x, y) = (self.integer(depth), self.integer(depth));
                let function = self.random.pick(&["min", "max"]);
                format!("{function}({x}, {y})")
            }
            7 => format!("abs({})", self.integer(depth)),
            8 => {
                let (x, y, condition) = (self.integer(depth), self.integer(depth), self.condition(depth));
                format!("({x} if {condition} else {y})")
            }
            9 if !self.lists.is_empty() => {
                let list = self.list_name();
                let function = self.random.pick(&["len", "sum", "max"]);
                format!("{function}({list})")
            }
            10 if !self.lists.is_empty() => {
                let (list, index) = (self.list_name(), self.integer(0));
                match self.random.below(3) {
                    0 => format!("{list}[{index}]"),
                    1 => format!("{list}[{index} % len({list})]"),
                    _ => format!("list({list}).count({index})"),
                }
            }
            11 if !self.texts.is_empty() => {
                let text = self.text_name();
                let other = self.constant_text();
                match self.random.below(5) {
                    0 => format!("len({text})"),
                    1 => format!("{text}.find({other})"),
                    2 => format!("{text}.count({other})"),
                    3 => format!("int({text})"),
                    _ => format!("ord({text}[0])"),
                }
            }
            12 => {
                let key = self.integer(0);
                match self.random.coin() {
                    true => format!("TABLE[{key}]"),
                    false => format!("TABLE.get({key}, {key})"),
                }
            }
            13 if !self.texts.is_empty() => {
                let text = self.text_name();
                format!("TABLE.get({text}, 4)")
            }
            14 if self.calls => {
                let (x, y) = (self.integer(0), self.integer(depth));
                match self.random.coin() {
                    true => format!("helper({x}, {y})"),
                    false => format!("helper({y})"),
                }
            }
            15 => format!("int({})", self.condition(depth)),
            _ => self.integer(0),
        }
    }

    fn list_name(&mut self) -> String {
        let at = self.random.index(self.lists.len());
        self.lists[at].clone()
    }

    fn list(&mut self) -> String {
        let list = self.list_name();
        match self.random.below(6) {
            0 => format!("sorted({list})"),
            1 => format!("list({list})[1:]"),
            2 => format!("list(reversed({list}))"),
            3 => {
                let value = self.integer(0);
                format!("[x + {value} for x in {list}]")
            }
            4 => {
                let value = self.integer(0);
                format!("[x for x in {list} if x > {value}]")
            }
            _ => {
                let value = self.integer(0);
                format!("list({list}) + [{value}]")
            }
        }
    }

    fn text_name(&mut self) -> String {
        let at = self.random.index(self.texts.len());
        self.texts[at].clone()
    }

    fn constant_text(&mut self) -> String {
        self.random.pick(&["'a'", "'ab'", "'0'", "'1'", "' '", "'B'", "''"]).to_string()
    }

    fn string(&mut self) -> String {
        let text = self.text_name();
        match self.random.below(7) {
            0 => format!("{text}.upper()"),
            1 => format!("{text}[1:]"),
            2 => format!("{text}[::-1]"),
            3 => format!("{text}.strip()"),
            4 => {
                let other = self.constant_text();
                format!("{text} + {other}")
            }
            5 => format!("{text}.replace('a', 'b0')"),
            _ => format!("'-'.join({text})"),
        }
    }

    /// An expression for a truth value.
    fn condition(&mut self, depth: usize) -> String {
        if depth == 0 {
            let (x, op) = (self.integer_name(), self.comparison());
            let y = self.random.below(8) as i64 - 2;
            return format!("{x} {op} {y}");
        }
        let depth = depth - 1;
        match self.random.below(12) {
            0..=3 => {
                let (x, op, y) = (self.integer(depth), self.comparison(), self.integer(depth));
                format!("{x} {op} {y}")
            }
            4 => {
                let (x, y) = (self.condition(depth), self.condition(depth));
                let op = self.random.pick(&["and", "or"]);
                format!("({x} {op} {y})")
            }
            5 => format!("not {}", self.condition(0)),
            6 => {
                let (x, y, z) = (self.integer(0), self.integer(0), self.integer(0));
                format!("{x} <= {y} < {z}")
            }
            7 if !self.lists.is_empty() => {
                let (list, value) = (self.list_name(), self.integer(0));
                format!("{value} in {list}")
            }
            8 if !self.texts.is_empty() => {
                let text = self.text_name();
                let other = self.constant_text();
                match self.random.below(5) {
                    0 => format!("{text} == {other}"),
                    1 => format!("{other} in {text}"),
                    2 => format!("{text}.isdigit()"),
                    3 => format!("{text}.startswith({other})"),
                    _ => format!("{text} < {other}"),
                }
            }
            9 => {
                let value = self.integer(0);
                format!("{value} in NAMES")
            }
            10 if !self.lists.is_empty() => {
                let list = self.list_name();
                match self.random.coin() {
                    true => format!("any(x > 1 for x in {list})"),
                    false => format!("list({list}) < [1, 0]"),
                }
            }
            _ => {
                let value = self.integer(depth);
                format!("({value}) != 0")
            }
        }
    }

    fn comparison(&mut self) -> &'static str {
        self.random.pick(&["<", "<=", ">", ">=", "==", "!="])
    }
}
