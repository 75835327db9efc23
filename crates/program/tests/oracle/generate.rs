//! Small random programs in the text format: every family of instructions, fed from the parameters.

use std::fmt::Write;

use pessimum_search::random::Random;

/// A program and how to call it.
pub struct Generated {
    /// The module in the text format.
    pub module: String,
    /// The signature for a call; its ranges allow at most the wanted number of inputs.
    pub call: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    I32,
    I64,
    F32,
    F64,
}

impl Type {
    fn name(self) -> &'static str {
        match self {
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::F32 => "f32",
            Type::F64 => "f64",
        }
    }

    fn bits(self) -> u64 {
        match self {
            Type::I32 | Type::F32 => 32,
            Type::I64 | Type::F64 => 64,
        }
    }
}

/// Types of the locals that follow the parameters, in order.
const LOCALS: [Type; 6] = [Type::I32, Type::I32, Type::I64, Type::I64, Type::F32, Type::F64];

struct Writer<'r> {
    random: &'r mut Random,
    /// Types of the current function's parameters and locals.
    locals: Vec<Type>,
    /// Labels that may be branched to, innermost last; none of them takes values.
    labels: Vec<String>,
    next_label: u32,
    /// Whether floats are used. They are slow to decide, so only some programs have them.
    floats: bool,
    /// Whether helper functions may be called. Only the main function does so, so that there is no recursion.
    calls: bool,
    /// Statements and expressions that may still be generated.
    fuel: u32,
}

/// The program for a seed. It has at most `2^bits` inputs.
pub fn program(seed: u64, bits: u32) -> Generated {
    let mut random = Random::new(seed);
    let params = 1 + random.index(3);
    let mut call = String::from("main(");
    let mut types = Vec::new();
    let mut left = bits;
    for index in 0..params {
        let here = if index + 1 == params { left } else { random.below(u64::from(left) + 1) as u32 };
        left -= here;
        types.push(if random.below(4) == 0 { Type::I64 } else { Type::I32 });
        let separator = if index == 0 { "" } else { ", " };
        write!(call, "{separator}{}", scalar(&mut random, here, types[index])).unwrap();
    }
    call.push(')');
    let floats = random.below(6) == 0;
    let fuel = [10, 25, 50][random.index(3)];
    let mut writer = Writer {
        random: &mut random,
        locals: Vec::new(),
        labels: Vec::new(),
        next_label: 0,
        floats,
        calls: false,
        fuel: 12,
    };
    let mut module = String::from("(module\n (memory (export \"memory\") 1 3)\n");
    let data: String = (0..64).map(|_| format!("\\{:02x}", writer.byte())).collect();
    writeln!(module, " (data (i32.const 16) \"{data}\")\n (data $passive \"{}\")", &data[..36]).unwrap();
    module.push_str(" (type $int (func (param i32) (result i32)))\n (table $table 7 funcref)\n");
    module.push_str(" (elem (i32.const 0) $a $b $a $wide)\n (elem $more func $b $wide)\n");
    writeln!(module, " (global $g (mut i32) (i32.const {}))", writer.constant(Type::I32)).unwrap();
    writeln!(module, " (global $h (mut i64) (i64.const {}))", writer.constant(Type::I64)).unwrap();
    for (name, ty) in [("$a", Type::I32), ("$b", Type::I32), ("$wide", Type::I64)] {
        let ty_name = ty.name();
        let (body, result) = writer.function(vec![ty], ty, 1);
        writeln!(module, " (func {name} (param {ty_name}) (result {ty_name}) {body} {result})").unwrap();
    }
    writer.calls = true;
    writer.fuel = fuel;
    let params: String = types.iter().map(|ty| format!(" {}", ty.name())).collect();
    let statements = 3 + writer.random.below(8);
    let (body, result) = writer.function(types, Type::I32, statements);
    writeln!(module, " (func (export \"main\") (param{params}) (result i32) {body} {result}))").unwrap();
    Generated { module, call }
}

/// A parameter with this many bits of input.
fn scalar(random: &mut Random, bits: u32, param: Type) -> String {
    let count = 1i64 << bits;
    let choice = if param == Type::I64 { 3 } else { random.index(4) };
    let (kind, low) = match (bits, choice) {
        (0..8, 0) => ("i8", random.below(256 - count as u64 + 1) as i64 - 128),
        (0..8, 1) => ("u8", random.below(256 - count as u64 + 1) as i64),
        (8, 0) => return "i8".into(),
        (8, 1) => return "u8".into(),
        (0..16, 2) => ("i16", random.below(65536 - count as u64 + 1) as i64 - 32768),
        // Around zero, where sign and wrap matter.
        _ => (if param == Type::I64 { "i64" } else { "i32" }, -(random.below(count as u64 + 1) as i64)),
    };
    format!("{kind} in {low}..{}", low + count)
}

/// The local `of`, an integer, as a value of another type.
fn converted(from: Type, to: Type, of: usize) -> String {
    match (from, to) {
        (Type::I64, Type::I32) => format!("(i32.wrap_i64 (local.get {of}))"),
        (Type::I32, Type::I64) => format!("(i64.extend_i32_s (local.get {of}))"),
        (_, Type::F32 | Type::F64) => format!("({}.convert_{}_s (local.get {of}))", to.name(), from.name()),
        _ => format!("(local.get {of})"),
    }
}

impl Writer<'_> {
    fn byte(&mut self) -> u8 {
        self.random.bits() as u8
    }

    /// A constant, often an interesting one.
    fn constant(&mut self, ty: Type) -> String {
        if matches!(ty, Type::F32 | Type::F64) {
            let numbers = ["0", "-0", "1", "-1.5", "0.5", "3", "127.25", "-128", "1e10", "-1e20", "inf", "nan"];
            return numbers[self.random.index(numbers.len())].into();
        }
        let number = match self.random.index(8) {
            0..4 => self.random.below(16) as i64 - 4,
            4 => self.random.below(300) as i64 - 150,
            5 => 1 << self.random.below(ty.bits()),
            6 => (1 << self.random.below(ty.bits() - 1)) - 1,
            _ => self.random.bits() as i64,
        };
        if ty == Type::I32 { (number as i32).to_string() } else { number.to_string() }
    }

    /// Locals, statements, and the expression of the result.
    fn function(&mut self, params: Vec<Type>, result: Type, statements: u64) -> (String, String) {
        self.locals = params;
        self.locals.extend(LOCALS);
        let mut body: String = LOCALS.iter().map(|ty| format!("(local {}) ", ty.name())).collect();
        // Every local depends on the input, as in a program that has been running for a while.
        for local in self.locals.len() - LOCALS.len()..self.locals.len() {
            let of = self.random.index(self.locals.len() - LOCALS.len());
            let value = converted(self.locals[of], self.locals[local], of);
            body.push_str(&match self.locals[local] {
                ty @ (Type::I32 | Type::I64) => {
                    let operator = ["add", "xor", "sub", "shl", "rotr"][self.random.index(5)];
                    let name = ty.name();
                    format!("(local.set {local} ({name}.{operator} {value} ({name}.const {})))\n", self.constant(ty))
                }
                _ => format!("(local.set {local} {value})\n"),
            });
        }
        body.push_str(&self.statements(statements, 2));
        (body, self.expression(result, 3))
    }

    fn statements(&mut self, count: u64, depth: u32) -> String {
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn few(&mut self, depth: u32) -> String {
        let count = 1 + self.random.below(2);
        self.statements(count, depth)
    }

    fn label(&mut self) -> String {
        self.next_label += 1;
        format!("$l{}", self.next_label)
    }

    /// A local of a type.
    fn local(&mut self, ty: Type) -> usize {
        let of_type: Vec<usize> = (0..self.locals.len()).filter(|&index| self.locals[index] == ty).collect();
        of_type[self.random.index(of_type.len())]
    }

    fn any_type(&mut self) -> Type {
        match self.random.index(if self.floats { 8 } else { 6 }) {
            0..4 => Type::I32,
            4 | 5 => Type::I64,
            6 => Type::F32,
            _ => Type::F64,
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        if self.fuel == 0 {
            return String::new();
        }
        self.fuel -= 1;
        let simple = if depth == 0 { 6 } else { 13 };
        match self.random.index(simple) {
            0 | 1 => {
                let ty = self.any_type();
                let local = self.local(ty);
                format!("(local.set {local} {})\n", self.expression(ty, 3))
            }
            2 => match self.random.index(2) {
                0 => format!("(global.set $g {})\n", self.expression(Type::I32, 2)),
                _ => format!("(global.set $h {})\n", self.expression(Type::I64, 2)),
            },
            3 => {
                let ty = self.any_type();
                let store = match ty {
                    Type::I32 => ["i32.store", "i32.store8", "i32.store16"][self.random.index(3)],
                    Type::I64 => ["i64.store", "i64.store8", "i64.store16", "i64.store32"][self.random.index(4)],
                    Type::F32 => "f32.store",
                    Type::F64 => "f64.store",
                };
                let address = self.address();
                let offset = self.offset();
                format!("({store} {offset} {address} {})\n", self.expression(ty, 2))
            }
            4 => self.bulk(),
            5 if self.labels.is_empty() => format!("(drop {})\n", self.expression(Type::I32, 3)),
            5 | 6 if !self.labels.is_empty() => {
                let target = self.labels[self.random.index(self.labels.len())].clone();
                match self.random.index(3) {
                    0 => {
                        let targets: String = (0..1 + self.random.index(4))
                            .map(|_| format!("{} ", self.labels[self.random.index(self.labels.len())]))
                            .collect();
                        // What follows a `br_table` is unreachable, but only to the end of the innermost block.
                        format!("(br_table {targets} {target} {})\n", self.expression(Type::I32, 2))
                    }
                    _ => format!("(br_if {target} {})\n", self.expression(Type::I32, 3)),
                }
            }
            6 | 7 => {
                let condition = self.expression(Type::I32, 3);
                let then = self.few(depth - 1);
                match self.random.index(3) {
                    0 => format!("(if {condition} (then {then}))\n"),
                    1 => format!("(if {condition} (then {then}) (else (return {})))\n", self.expression(Type::I32, 1))
                        .replacen("(else (return", if self.calls { "(else (return" } else { "(else (drop" }, 1),
                    _ => format!("(if {condition} (then {then}) (else {}))\n", self.few(depth - 1)),
                }
            }
            8 | 9 => self.within("block", depth),
            10 => self.within("loop", depth),
            11 => {
                // A loop that counts a local up to a bound, which may depend on the input.
                let local = self.local(Type::I32);
                let label = self.label();
                let body = self.few(depth - 1);
                let bound = match self.random.index(3) {
                    0 => format!("(i32.and {} (i32.const 7))", self.expression(Type::I32, 1)),
                    1 => self.expression(Type::I32, 1),
                    _ => format!("(i32.const {})", self.random.below(6)),
                };
                let less = ["lt_s", "lt_u", "le_s", "ne"][self.random.index(4)];
                format!(
                    "(loop {label} {body} (br_if {label} (i32.{less} (local.tee {local} (i32.add (local.get {local}) \
                     (i32.const 1))) {bound})))\n"
                )
            }
            _ => {
                // A table of branches over nested blocks.
                let labels = [self.label(), self.label(), self.label()];
                let index = self.expression(Type::I32, 2);
                let [a, b, c] = &labels;
                let mut text = format!("(block {a} (block {b} (block {c} (br_table {c} {b} {c} {a} {index}))\n");
                text.push_str(&self.few(depth - 1));
                text.push_str(")\n");
                text.push_str(&self.few(depth - 1));
                text + ")\n"
            }
        }
    }

    fn within(&mut self, construct: &str, depth: u32) -> String {
        let label = self.label();
        self.labels.push(label.clone());
        let body = self.statements(2, depth - 1);
        self.labels.pop();
        format!("({construct} {label} {body})\n")
    }

    fn bulk(&mut self) -> String {
        let count = match self.random.index(8) {
            0 => self.expression(Type::I32, 1),
            1..5 => format!("(i32.and {} (i32.const 15))", self.expression(Type::I32, 1)),
            _ => format!("(i32.const {})", self.random.below(20)),
        };
        let (to, from) = (self.address(), self.address());
        match self.random.index(8) {
            0 | 1 => format!("(memory.fill {to} {} {count})\n", self.expression(Type::I32, 1)),
            2 | 3 => format!("(memory.copy {to} {from} {count})\n"),
            4 => format!("(memory.init $passive {to} (i32.and {from} (i32.const 7)) {count})\n"),
            5 => format!("(table.copy (i32.and {to} (i32.const 3)) (i32.and {from} (i32.const 5)) (i32.const 2))\n"),
            6 => format!(
                "(table.init $table $more (i32.and {to} (i32.const 3)) (i32.const 0) (i32.and {count} (i32.const 3)))\n"
            ),
            _ => format!("(drop (memory.grow (i32.and {count} (i32.const 3))))\n"),
        }
    }

    /// Mostly near the start of memory, but sometimes anywhere, even out of bounds.
    fn address(&mut self) -> String {
        match self.random.index(20) {
            0 | 1 => format!("(i32.const {})", self.random.below(100)),
            2 => self.expression(Type::I32, 1),
            3 => format!("(i32.sub (i32.const {}) {})", 65530 + self.random.below(20), self.expression(Type::I32, 1)),
            4 => format!("(i32.mul {} (i32.const 4))", self.expression(Type::I32, 1)),
            _ => format!(
                "(i32.and {} (i32.const {}))",
                self.expression(Type::I32, 1),
                [3, 15, 31, 0x3c][self.random.index(4)]
            ),
        }
    }

    fn offset(&mut self) -> String {
        match self.random.index(8) {
            0..3 => String::new(),
            3 => "offset=65500".into(),
            _ => format!("offset={}", self.random.below(40)),
        }
    }

    fn expression(&mut self, ty: Type, depth: u32) -> String {
        if depth == 0 || self.fuel == 0 || self.random.below(6) == 0 {
            return match self.random.index(4) {
                0 => format!("({}.const {})", ty.name(), self.constant(ty)),
                _ => format!("(local.get {})", self.local(ty)),
            };
        }
        self.fuel -= 1;
        if matches!(ty, Type::F32 | Type::F64) { self.float(ty, depth - 1) } else { self.integer(ty, depth - 1) }
    }

    fn integer(&mut self, ty: Type, depth: u32) -> String {
        let name = ty.name();
        match self.random.index(16) {
            0..5 => {
                const OPERATORS: [&str; 15] = [
                    "add", "sub", "and", "or", "xor", "shl", "shr_s", "shr_u", "rotl", "rotr", "mul", "div_s", "div_u",
                    "rem_s", "rem_u",
                ];
                // The solver is slow at wide products and quotients, which are not what is tested here.
                let hard = self.random.below(8) == 0;
                let operator = OPERATORS[self.random.index(if hard { OPERATORS.len() } else { 10 })];
                let (x, mut y) = (self.expression(ty, depth), self.expression(ty, depth));
                if (operator.starts_with("div") || operator.starts_with("rem")) && self.random.below(3) > 0 {
                    y = format!("({name}.or {y} ({name}.const 1))");
                }
                format!("({name}.{operator} {x} {y})")
            }
            5..8 if ty == Type::I32 => {
                let of = self.any_type();
                let (x, y) = (self.expression(of, depth), self.expression(of, depth));
                let operator = match of {
                    Type::I32 | Type::I64 => {
                        ["eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s", "ge_u"]
                            [self.random.index(10)]
                    }
                    _ => ["eq", "ne", "lt", "gt", "le", "ge"][self.random.index(6)],
                };
                format!("({}.{operator} {x} {y})", of.name())
            }
            5 => format!("(i64.extend_i32_s {})", self.expression(Type::I32, depth)),
            6 | 7 => format!("(i64.extend_i32_u {})", self.expression(Type::I32, depth)),
            8 => {
                let operators = ["clz", "ctz", "popcnt", "extend8_s", "extend16_s", "extend32_s"];
                let operator = operators[self.random.index(if ty == Type::I64 { 6 } else { 5 })];
                format!("({name}.{operator} {})", self.expression(ty, depth))
            }
            9 => {
                let (x, y) = (self.expression(ty, depth), self.expression(ty, depth));
                format!("(select {x} {y} {})", self.expression(Type::I32, depth))
            }
            10 => {
                let loads = ["load", "load8_s", "load8_u", "load16_s", "load16_u", "load32_s", "load32_u"];
                let load = loads[self.random.index(if ty == Type::I64 { 7 } else { 5 })];
                let offset = self.offset();
                format!("({name}.{load} {offset} {})", self.address())
            }
            11 => match ty {
                Type::I64 => "(global.get $h)".into(),
                _ => "(global.get $g)".into(),
            },
            12 if ty == Type::I32 => match self.random.index(3) {
                0 => format!("(i32.wrap_i64 {})", self.expression(Type::I64, depth)),
                1 => format!("(i32.eqz {})", self.expression(Type::I32, depth)),
                _ => format!("(i64.eqz {})", self.expression(Type::I64, depth)),
            },
            13 if self.calls => match (ty, self.random.index(4)) {
                (Type::I32, 0) => format!("(call $a {})", self.expression(Type::I32, depth)),
                (Type::I32, 1) => "(memory.size)".into(),
                (Type::I32, _) => {
                    let argument = self.expression(Type::I32, depth);
                    let index = match self.random.index(3) {
                        0 => self.expression(Type::I32, depth),
                        1 => format!("(i32.and {} (i32.const 3))", self.expression(Type::I32, depth)),
                        _ => format!("(i32.and {} (i32.const 2))", self.expression(Type::I32, depth)),
                    };
                    format!("(call_indirect $table (type $int) {argument} {index})")
                }
                _ => format!("(call $wide {})", self.expression(Type::I64, depth)),
            },
            14 if self.floats => {
                let of = if self.random.coin() { Type::F32 } else { Type::F64 };
                let trunc = ["trunc_", "trunc_sat_"][self.random.index(2)];
                let sign = ["s", "u"][self.random.index(2)];
                format!("({name}.{trunc}{}_{sign} {})", of.name(), self.expression(of, depth))
            }
            _ => {
                let condition = self.expression(Type::I32, depth);
                let (then, otherwise) = (self.expression(ty, depth), self.expression(ty, depth));
                format!("(if (result {name}) {condition} (then {then}) (else {otherwise}))")
            }
        }
    }

    fn float(&mut self, ty: Type, depth: u32) -> String {
        let name = ty.name();
        match self.random.index(8) {
            0..3 => {
                let operator = ["add", "sub", "mul", "div", "min", "max", "copysign"][self.random.index(7)];
                let (x, y) = (self.expression(ty, depth), self.expression(ty, depth));
                format!("({name}.{operator} {x} {y})")
            }
            3 => {
                let operator = ["neg", "abs", "sqrt", "ceil", "floor", "trunc", "nearest"][self.random.index(7)];
                format!("({name}.{operator} {})", self.expression(ty, depth))
            }
            4 => match ty {
                Type::F32 => format!("(f32.demote_f64 {})", self.expression(Type::F64, depth)),
                _ => format!("(f64.promote_f32 {})", self.expression(Type::F32, depth)),
            },
            5 => {
                let offset = self.offset();
                format!("({name}.load {offset} {})", self.address())
            }
            _ => {
                let from = if self.random.coin() { Type::I32 } else { Type::I64 };
                let sign = ["s", "u"][self.random.index(2)];
                format!("({name}.convert_{}_{sign} {})", from.name(), self.expression(from, depth))
            }
        }
    }
}
