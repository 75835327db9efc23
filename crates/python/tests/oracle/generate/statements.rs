//! Statements: simple ones as forms, compound ones as code.

use super::{Kind, Name, Writer};

/// What makes a new name of a kind; in its value nothing is shared that the program may change.
const NEW: &[(Kind, &str, &str)] = &[
    (Kind::Integer, "v", "$i"),
    (Kind::Integer, "v", "$i"),
    (Kind::Integer, "v", "$i"),
    (Kind::Float, "f", "$f"),
    (Kind::Text, "s", "$s"),
    (Kind::Text, "s", "$s"),
    (Kind::Bytes, "y", "$y"),
    (Kind::List, "l", "list($l)"),
    (Kind::List, "l", "list($l)"),
    (Kind::List, "l", "[?i for @ in $l]"),
    (Kind::Tuple, "t", "$t"),
    (Kind::Set, "e", "set($e)"),
    (Kind::Set, "e", "{?i for @ in $l}"),
    (Kind::Dict, "d", "dict($d)"),
    (Kind::Dict, "d", "{}"),
    (Kind::Object, "o", "$o"),
];

/// Changes of what there is.
const CHANGES: &[&str] = &[
    "n = $i",
    "n += $i",
    "n -= $i",
    "n //= $i",
    "n %= $i",
    "n &= $i",
    "n |= $i",
    "n ^= $i",
    "n = n + $i",
    "n, m = $i, n; n += m",
    "n, *rest = $l; n += len(rest)",
    "*rest, n = $t; n -= len(rest)",
    "(n, m), k = $t[:2], $n; n += k - m",
    "TOTAL += $i",
    "TOTAL = $n",
    "n = sum(x for x in $l) if (m := $i) > $k else m",
    "n += len(w) if (w := $s) else $k",
    "print($n, $w)",
    "assert $c",
    "del TABLE[$k]",
    "TABLE[$n] = $i",
    "NAMES.discard($n)",
    "NAMES.add($k)",
    "y = bytearray($y); y.append($n & 63); n += sum(y)",
    "y = bytearray($y); y[$k] = $n & 31; n += y.find(1)",
    "y = bytearray($y); y[1:2] = $y; del y[0]; n += len(y)",
    "rows = [[$n] * 2 for _ in range(2)]; rows[0][$b] += $i; n += sum(map(sum, rows))",
    "rows = [$l, [$i, $k], list($t)]; rows.sort(); n += rows[0][0]",
    "rows = [[@ for @ in $l], $l]; n += max(map(len, rows))",
    "words = sorted([$s, $w, $q], key=len); n += len(words[0])",
    "words = $s.split(); words.append($w); n += words.index($w)",
    "words = sorted([$s, $w]); n += words[0] < words[1]",
    "pairs = sorted(zip($l, $t), key=lambda a: (-a[1], a[0])); n += pairs[0][0]",
    "pairs = [*zip($l, $l)]; n += pairs.count(($n, $k)) + (($k, $n) in pairs)",
    "groups = {}; groups.setdefault($n, []).append($i); groups.setdefault($k, []).append($n); n += len(groups)",
    "counts = {}; counts[$s] = counts.get($w, 0) + 1; n += counts.get($q, $k)",
    "keys = {($n, $k): 1, ($k, $i): 2}; n += keys.get(($k, $n), $k)",
    "text = $s; text += $w; n += len(text)",
    "it = iter($l); n += next(it); n += sum(it)",
    "it = zip($l, $t, strict=True); n += len(list(it))",
    "gen_ = (?i for @ in $l); n += next(gen_, 0); gen_.close(); n += len(list(gen_))",
    "cut = slice($k, $n); n += len($l[cut])",
    "f = lambda *a, **k: len(a) + k.get('z', $i); n += f(*$l, z=$n)",
    "f = [lambda: $i, lambda: $n][$n % 2]; n += f()",
    "a = b = $i; n += a - b",
    "a, b = b, a = $i, $n; n += a - b",
    "a, (b, *c) = $n, $l; n += a * b + len(c)",
    "$L.append($i)",
    "$L.append($n)",
    "$L.insert($n, $k)",
    "$L.extend(($l)[:2])",
    "$L += [$i]",
    "n += $L.pop()",
    "n += $L.pop($n)",
    "$L.remove($n)",
    "$L.reverse()",
    "$L.sort()",
    "$L.sort(key=lambda @: ?i, reverse=$c)",
    "$L.clear()",
    "$L[$n] = $i",
    "$L[$k] += $i",
    "$L[$n:$n] = [$k]",
    "$L[$k:$n] = [$i, $n]",
    "$L[1:] = ($l)[:2]",
    "$L[::2] = [$n]",
    "$L[-1:] = $t[:2]",
    "del $L[$n]",
    "del $L[$k:$n]",
    "del $L[::2]",
    "$L[0], $L[-1] = $L[-1], $L[0]",
    "$E.add($i)",
    "$E.add($n)",
    "$E.discard($i)",
    "$E.remove($n)",
    "$E.update($l)",
    "$E |= {$n, $k}",
    "$E &= {$n, 0, 1}",
    "$E -= {$i}",
    "$E ^= {$n}",
    "n += $E.pop()",
    "$D[$i] = $i",
    "$D[$n] = $D.get($n, 0) + 1",
    "$D[$n] += $i",
    "n += $D.setdefault($n, $i)",
    "n += $D.pop($n, $k)",
    "n += $D.pop($n)",
    "n += $D.popitem()[1]",
    "del $D[$n]",
    "$D.update({$n: $i})",
    "$D.update($d)",
    "$D |= {$k: $n}",
    "$D.setdefault($n, $k)",
];

/// What a `for` runs over: the variables, and whether what it runs over is looked at in each round.
const RUNS: &[(&str, &[Kind], bool)] = &[
    ("$l", &[Kind::Integer], true),
    ("$l", &[Kind::Integer], true),
    ("sorted($l)", &[Kind::Integer], false),
    ("list($l)", &[Kind::Integer], false),
    ("range($i & 3)", &[Kind::Integer], false),
    ("range($n & 3)", &[Kind::Integer], false),
    ("range(len($l))", &[Kind::Integer], false),
    ("range($n & 3, $k)", &[Kind::Integer], false),
    ("range(4, $n & 3, -1)", &[Kind::Integer], false),
    ("range($n & 1, 6, 1 + ($n & 1))", &[Kind::Integer], false),
    ("$t", &[Kind::Integer], false),
    ("$y", &[Kind::Integer], false),
    ("$e", &[Kind::Integer], true),
    ("sorted($e)", &[Kind::Integer], false),
    ("$d", &[Kind::Integer], true),
    ("$d.values()", &[Kind::Integer], true),
    ("$d.items()", &[Kind::Integer, Kind::Integer], true),
    ("sorted($d.items(), key=lambda a: a[1])", &[Kind::Integer, Kind::Integer], false),
    ("enumerate($l)", &[Kind::Integer, Kind::Integer], true),
    ("enumerate($s, $n)", &[Kind::Integer, Kind::Text], false),
    ("zip($l, $t)", &[Kind::Integer, Kind::Integer], true),
    ("zip($s, $l)", &[Kind::Text, Kind::Integer], true),
    ("zip(range(3), reversed($l))", &[Kind::Integer, Kind::Integer], true),
    ("reversed($l)", &[Kind::Integer], true),
    ("map(lambda @: ?i, $l)", &[Kind::Integer], true),
    ("filter(None, $l)", &[Kind::Integer], true),
    ("(?i for @ in $l if ?c)", &[Kind::Integer], true),
    ("$s", &[Kind::Text], false),
    ("$s", &[Kind::Text], false),
    ("$s.split()", &[Kind::Text], false),
    ("sorted($s)", &[Kind::Text], false),
];

/// A pattern of `match`, with the names that it binds.
type Pattern = (&'static str, &'static [(&'static str, Kind)]);

/// Patterns by what is looked at.
const PATTERNS: &[(Kind, &[Pattern])] = &[
    (
        Kind::Integer,
        &[
            ("$k", &[]),
            ("0 | $k", &[]),
            ("$k | -1 | 3", &[]),
            ("bool()", &[]),
            ("int(@) if ?c", &[("@", Kind::Integer)]),
            ("@ if ?c", &[("@", Kind::Integer)]),
            ("True", &[]),
            ("None", &[]),
            ("str()", &[]),
        ],
    ),
    (
        Kind::Text,
        &[
            ("$q", &[]),
            ("'a' | 'b'", &[]),
            ("str(@) if len(@) > 1", &[("@", Kind::Text)]),
            ("'' | $q", &[]),
            ("@ if @ < 'b'", &[("@", Kind::Text)]),
        ],
    ),
    (
        Kind::List,
        &[
            ("[]", &[]),
            ("[@]", &[("@", Kind::Integer)]),
            ("[$k, *_]", &[]),
            ("[@, *_] if ?c", &[("@", Kind::Integer)]),
            ("[_, $k, *@]", &[("@", Kind::List)]),
            ("[*_, (0 | $k) as @]", &[("@", Kind::Integer)]),
            ("(0, _)", &[]),
            ("list()", &[]),
        ],
    ),
    (
        Kind::Tuple,
        &[
            ("($k, _)", &[]),
            ("(@, 0 | 1)", &[("@", Kind::Integer)]),
            ("(@, x) if x == @", &[("@", Kind::Integer)]),
            ("(x, *@)", &[("@", Kind::List), ("x", Kind::Integer)]),
        ],
    ),
    (
        Kind::Object,
        &[
            ("$p(a=$k)", &[]),
            ("$p(@, $k)", &[("@", Kind::Integer)]),
            ("$p(a=@, b=x) if @ $m x", &[("@", Kind::Integer), ("x", Kind::Integer)]),
            ("object(a=@)", &[("@", Kind::Integer)]),
        ],
    ),
    (
        Kind::Dict,
        &[
            ("{0: @}", &[("@", Kind::Integer)]),
            ("{$k: 1}", &[]),
            ("{1: @, **rest} if rest", &[("@", Kind::Integer), ("rest", Kind::Dict)]),
            ("{}", &[]),
        ],
    ),
];

const ERRORS: &[&str] = &[
    "ZeroDivisionError",
    "(KeyError, IndexError)",
    "LookupError",
    "ValueError",
    "(TypeError, AssertionError)",
    "Exception",
    "Odd",
];

const RAISES: &[&str] = &[
    "return n",
    "return n",
    "raise ValueError(n)",
    "raise KeyError('x')",
    "raise Odd($n)",
    "raise Odd(n) from None",
    "assert n < $k, $s",
];

impl Writer {
    /// Whether a block may be written here.
    fn nests(&self) -> bool {
        self.indent < 5 && self.fuel > 0
    }

    pub fn block(&mut self) {
        self.indent += 1;
        let (known, added) = (self.names.len(), self.added.len());
        let count = 1 + self.random.index(2);
        for _ in 0..count {
            self.statement();
        }
        // What a block binds need not be bound behind it.
        self.names.truncate(known);
        self.added.truncate(added);
        self.indent -= 1;
    }

    /// The block of a loop; of one that looks at what it runs over in each round, which stays as it is.
    fn rounds(&mut self, variables: Vec<(String, Kind)>, looks: bool) {
        let outer = std::mem::replace(&mut self.in_loop, true);
        let before: Vec<Name> = self.names.clone();
        if looks {
            self.names.iter_mut().for_each(|name| name.changes = false);
        }
        for (name, kind) in variables {
            self.name(&name, kind, false);
        }
        self.block();
        self.names = before;
        self.in_loop = outer;
    }

    pub fn statement(&mut self) {
        self.fuel = self.fuel.saturating_sub(1);
        match self.random.below(if self.nests() { 30 } else { 13 }) {
            0..=3 => self.binding(),
            4..=8 => self.change(),
            9 | 10 if self.in_loop => {
                let how = self.random.pick(&["break", "continue"]);
                let line = self.filled("if $c: ", 1);
                self.line(&format!("{line}{how}"));
            }
            11 if self.random.chance(0.5) => {
                let condition = self.filled("if $c: ", 1);
                let how = self.random.pick(RAISES);
                let how = self.filled(how, 0);
                self.line(&format!("{condition}{how}"));
            }
            12 if self.in_generator => {
                let value = self.random.pick(&["yield $i", "yield $n", "yield from ($l)[:2]", "n += (yield $n) or 1"]);
                let value = self.filled(value, 2);
                self.line(&value);
            }
            9..=12 => self.change(),
            13..=16 => self.conditional(),
            17 | 18 => self.while_loop(),
            19..=22 => self.for_loop(),
            23 | 24 => self.matching(),
            25 | 26 => self.trial(),
            27 => self.guarded(),
            _ => self.inner_function(),
        }
    }

    /// Statements of which an exception is caught; what they bind may not be bound.
    pub fn guarded_statement(&mut self) {
        self.line("try:");
        self.block();
        self.line("except Exception as error:");
        self.line("    n += len(error.args)");
    }

    fn binding(&mut self) {
        let (kind, prefix, form) = self.random.pick(NEW);
        if !self.fits(form) {
            return self.change();
        }
        let value = self.filled(form, 2);
        // An integer may get another value; other names stay what they are.
        let again = kind == Kind::Integer && self.random.coin();
        let name = if again { "n".to_string() } else { self.fresh(prefix) };
        self.line(&format!("{name} = {value}"));
        if !again {
            self.name(&name, kind, matches!(kind, Kind::List | Kind::Set | Kind::Dict));
        }
    }

    fn change(&mut self) {
        for _ in 0..4 {
            let form = self.random.pick(CHANGES);
            // Inside a method or a function of its own there is no declaration of it.
            if self.fits(form) && (self.may_count || !form.contains("TOTAL")) {
                let text = self.filled(form, 2);
                return self.line(&text);
            }
        }
        let text = self.filled("n = n + $i", 2);
        self.line(&text);
    }

    fn conditional(&mut self) {
        let form = self.random.pick(&["if $c:", "if $c:", "if $c:", "if (m := $i) > $k:", "if (m := $i) and m != $n:"]);
        let text = self.filled(form, 3);
        self.line(&text);
        self.block();
        if self.random.coin() {
            let text = self.filled("elif $c:", 2);
            self.line(&text);
            self.block();
        }
        if self.random.coin() {
            self.line("else:");
            self.block();
        }
    }

    fn while_loop(&mut self) {
        let counter = self.fresh("k");
        self.line(&format!("{counter} = 0"));
        let form = self.random.pick(&["$c:", "$c:", "$c:", "(m := $i) $m $k:", "$v:", "True:"]);
        let condition = self.filled(form, 2);
        self.line(&format!("while {counter} < 3 and {condition}"));
        self.indent += 1;
        self.line(&format!("{counter} += 1"));
        self.indent -= 1;
        self.rounds(Vec::new(), false);
        self.other_end();
    }

    fn for_loop(&mut self) {
        let (over, kinds, looks) = self.random.pick(RUNS);
        let over = match self.random.below(8) {
            0 if self.has_generator => self.filled("gen($i, $n)", 2),
            _ => self.filled(over, 2),
        };
        let kinds = if over.starts_with("gen(") { &[Kind::Integer][..] } else { kinds };
        let variables: Vec<(String, Kind)> =
            kinds.iter().map(|&kind| (self.fresh(if kind == Kind::Text { "c" } else { "i" }), kind)).collect();
        let targets: Vec<&str> = variables.iter().map(|variable| variable.0.as_str()).collect();
        self.line(&format!("for {} in {over}:", targets.join(", ")));
        self.rounds(variables, looks || over.starts_with("gen("));
        self.other_end();
    }

    /// The `else` of a loop.
    fn other_end(&mut self) {
        if self.random.chance(0.3) {
            self.line("else:");
            self.block();
        }
    }

    fn matching(&mut self) {
        let (mut kind, mut patterns) = self.random.pick(PATTERNS);
        if kind == Kind::Object && self.class.is_empty() {
            (kind, patterns) = PATTERNS[0];
        }
        let value = self.expression(kind, 2);
        self.line(&format!("match {value}:"));
        self.indent += 1;
        for _ in 0..1 + self.random.index(3) {
            let (pattern, binds) = self.random.pick(patterns);
            let own = self.fresh("x");
            // In its guard, too, the names are bound.
            let known = self.names.len();
            for &(name, kind) in binds {
                self.name(if name == "@" { &own } else { name }, kind, false);
            }
            let pattern = pattern.replace('@', &own).replace('?', "$").replace("$p", self.class);
            let pattern = self.filled(&pattern, 1);
            self.line(&format!("case {pattern}:"));
            self.block();
            self.names.truncate(known);
        }
        if self.random.coin() {
            self.line("case _:");
            self.block();
        }
        self.indent -= 1;
    }

    fn trial(&mut self) {
        self.line("try:");
        self.block();
        let caught = !self.random.chance(0.15);
        if caught {
            for _ in 0..1 + self.random.index(2) {
                let error = self.random.pick(ERRORS);
                match self.random.below(3) {
                    0 => {
                        let name = self.fresh("error");
                        self.line(&format!("except {error} as {name}:"));
                        self.indent += 1;
                        self.line(&format!("n += len(str({name})) + len({name}.args)"));
                        self.indent -= 1;
                    }
                    _ => self.line(&format!("except {error}:")),
                }
                self.block();
            }
            if self.random.chance(0.3) {
                self.line("else:");
                self.block();
            }
        }
        if !caught || self.random.chance(0.3) {
            self.line("finally:");
            self.block();
        }
    }

    fn guarded(&mut self) {
        let value = self.filled("guard($i)", 1);
        let name = self.fresh("v");
        self.line(&format!("with {value} as {name}:"));
        let known = self.names.len();
        self.name(&name, Kind::Integer, false);
        self.block();
        self.names.truncate(known);
    }

    /// A function within the function, which reads what is around it and may change a number of it.
    fn inner_function(&mut self) {
        let name = self.fresh("g");
        let default = self.filled("$i", 1);
        self.line(&format!("def {name}(a, b={default}, *rest, c=1):"));
        let known = self.names.len();
        let added = self.added.len();
        let outer = (self.in_loop, self.in_generator, self.may_count);
        (self.in_loop, self.in_generator, self.may_count) = (false, false, false);
        for parameter in ["a", "b", "c"] {
            self.name(parameter, Kind::Integer, false);
        }
        self.indent += 1;
        let first = self.random.pick(&["nonlocal n", "n = a"]);
        self.line(first);
        self.indent -= 1;
        self.block();
        self.indent += 1;
        let value = self.filled("return $i + len(rest)", 2);
        self.line(&value);
        self.indent -= 1;
        self.names.truncate(known);
        self.added.truncate(added);
        (self.in_loop, self.in_generator, self.may_count) = outer;
        for form in ["N($i)", "N($i, $n)", "N($i, 1, 2, c=$n)", "N(*($t)[:2], c=$i)", "N(c=$n, a=$i)"] {
            self.added.push((Kind::Integer, form.replace('N', &name)));
        }
    }
}
