//! Small random programs over wide parameters with few values. Their branches compare sums in which the same
//! parameter is sign-extended in one place and zero-extended in another.

use std::fmt::Write;

use pessimum_search::random::Random;

/// The module in the text format, and how to call it.
pub fn program(seed: u64) -> (Vec<u8>, String) {
    let mut random = Random::new(seed);
    let count = 1 + random.index(2);
    let mut types = Vec::new();
    let mut ranges = Vec::new();
    for _ in 0..count {
        let kind = ["i32", "i32", "u32", "i64", "u64"][random.index(5)];
        types.push(if kind.ends_with("32") { 32 } else { 64 });
        ranges.push(range(&mut random, kind));
    }
    let mut body = String::new();
    let mut writer = Writer { random: &mut random, types: &types };
    for number in 0..2 + writer.random.index(3) {
        let condition = writer.condition();
        let step = "(local.set $r (i32.add (local.get $r) (i32.const 1))) ".repeat(number + 1);
        writeln!(body, "  (if {condition} (then {step}))").expect("text grows");
    }
    let params: String = types.iter().map(|bits| format!(" i{bits}")).collect();
    let module = format!(
        "(module (func (export \"main\") (param{params}) (result i32) (local $r i32)\n{body}  (local.get $r)))"
    );
    (module.into_bytes(), format!("main({})", ranges.join(", ")))
}

/// Up to a dozen neighbouring values, mostly around the limits of a sign or a width.
fn range(random: &mut Random, kind: &str) -> String {
    let bits: u32 = kind[1..].parse().expect("a width");
    let signed = kind.starts_with('i');
    let (least, greatest) =
        if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    let count = 2 + random.below(11) as i128;
    let around = match random.index(5) {
        0 | 1 => 0,
        2 => 1i128 << random.below(u64::from(bits)),
        3 => least,
        _ => greatest,
    };
    let low = (around - random.below(count as u64 + 1) as i128).clamp(least, greatest - count + 1);
    format!("{kind} in {low}..{}", low + count)
}

struct Writer<'w> {
    random: &'w mut Random,
    /// Bits of each parameter.
    types: &'w [u32],
}

impl Writer<'_> {
    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.random.index(from.len())]
    }

    fn condition(&mut self) -> String {
        let bits = if self.random.index(4) == 0 { 32 } else { 64 };
        let compare = self.pick(&["eq", "ne", "lt_s", "lt_u", "le_s", "le_u", "gt_s", "gt_u", "ge_s", "ge_u"]);
        let x = self.sum(bits, 2);
        let y = if self.random.coin() { self.constant(bits) } else { self.sum(bits, 1) };
        format!("(i{bits}.{compare} {x} {y})")
    }

    fn constant(&mut self, bits: u32) -> String {
        let value = match self.random.index(3) {
            0 => (1i64 << self.random.below(u64::from(bits))).wrapping_sub(self.random.below(3) as i64),
            _ => self.random.below(17) as i64 - 8,
        };
        let value = if bits == 32 { i64::from(value as i32) } else { value };
        format!("(i{bits}.const {value})")
    }

    fn sum(&mut self, bits: u32, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(bits);
        }
        match self.random.index(8) {
            0..4 => {
                let op = self.pick(&["add", "sub"]);
                let (x, y) = (self.sum(bits, depth - 1), self.sum(bits, depth - 1));
                format!("(i{bits}.{op} {x} {y})")
            }
            4 => {
                let op = self.pick(&["add", "sub", "mul", "shl"]);
                let (x, constant) = (self.sum(bits, depth - 1), self.constant(bits));
                format!("(i{bits}.{op} {x} {constant})")
            }
            5 if bits == 64 => {
                let op = self.pick(&["extend_i32_s", "extend_i32_u"]);
                format!("(i64.{op} {})", self.sum(32, depth - 1))
            }
            5 => format!("(i32.wrap_i64 {})", self.sum(64, depth - 1)),
            _ => self.leaf(bits),
        }
    }

    /// A parameter converted to this width, perhaps via a narrower one.
    fn leaf(&mut self, bits: u32) -> String {
        let number = self.random.index(self.types.len());
        let own = self.types[number];
        let mut text = format!("(local.get {number})");
        if self.random.index(4) == 0 {
            text = match self.random.index(4) {
                0 => format!("(i{own}.and {text} (i{own}.const {}))", if self.random.coin() { 255 } else { 65535 }),
                1 => format!("(i{own}.extend8_s {text})"),
                2 if own == 64 => format!("(i64.extend32_s {text})"),
                _ => format!("(i{own}.extend16_s {text})"),
            };
        }
        match (own, bits) {
            (32, 64) => format!("(i64.{} {text})", self.pick(&["extend_i32_s", "extend_i32_u"])),
            (64, 32) => format!("(i32.wrap_i64 {text})"),
            _ => text,
        }
    }
}
