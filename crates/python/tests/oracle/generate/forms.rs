//! Expressions: forms with places for other expressions.
//!
//! In a form `$i` stands for an integer, `$c` a condition, `$f` a float, `$s` a text, `$y` bytes, `$l` a list of integers,
//! `$t` a tuple of integers, `$e` a set of integers, `$d` a dictionary from integers to integers, `$o` an object, `$k` a small
//! constant, `$b` 0 or 1, `$q` a short constant text, `$m` an operator that compares, `$n`, `$w`, `$g` and `$v` names of an integer,
//! a text, a float and a list, and `$L`, `$E`, `$D` names of
//! what may be changed. `@` is a variable of the form itself, an integer, and `?i` and its like are expressions in which it is known.

use super::{Kind, Writer};

const INTEGERS: &[&str] = &[
    "($i + $i)",
    "($i - $i)",
    "($i * $k)",
    "($n * $n % 97)",
    "($i // $i)",
    "($i % $i)",
    "($i & $i)",
    "($i | $i)",
    "($i ^ $i)",
    "(($i & 63) << ($i & 3))",
    "($i >> ($i & 3))",
    "(($n & 7) ** 2)",
    "(-$i)",
    "~$n",
    "min($i, $i)",
    "max($i, $i, $k)",
    "abs($i)",
    "($i if $c else $i)",
    "int($c)",
    "($c and $i)",
    "($i or $i)",
    "divmod($i, $i)[$b]",
    "($n & 31).bit_length()",
    "pow($n % 5, 2)",
    "TABLE[$n]",
    "TABLE.get($n, $i)",
    "TABLE.get($s, 4)",
    "len($s)",
    "len($l)",
    "len($e)",
    "len($d)",
    "len($t)",
    "sum($l)",
    "sum($l, $i)",
    "sum(?i for @ in $l)",
    "sum(1 for @ in $l if ?c)",
    "sum($e)",
    "sum($d.values())",
    "max($l)",
    "max($l, default=$n)",
    "min($l, default=$i)",
    "max($l, key=lambda @: ?i, default=$k)",
    "min($t, key=lambda @: (?i, @))",
    "max($d, default=$k)",
    "$l[$n]",
    "($l or [$k])[$n % 2 - 1]",
    "$l[$k]",
    "$t[$b]",
    "$l.count($n)",
    "$l.index($n)",
    "$t.count($i)",
    "$d[$n]",
    "$d.get($n, $i)",
    "$d.get($i, 0)",
    "next(iter($l), $i)",
    "next((@ for @ in $l if ?c), $i)",
    "sorted($l, key=lambda @: ?i)[0]",
    "int($s)",
    "int($s, 16)",
    "ord($s[0])",
    "$s.find($q)",
    "$s.rfind($q)",
    "$s.index($q)",
    "$s.count($q)",
    "len(f'{$n:>3}{$w}')",
    "len($s.split($q or None))",
    "int(str($n)[-1])",
    "$y[$k]",
    "sum($y)",
    "$y.count(b'0')",
    "$y.find(b'12')",
    "int.from_bytes($y[:2], 'big')",
    "int($f)",
    "round($f)",
    "round($f, 1) // 1",
    "(lambda @, b=$i: ?i + b)($i)",
    "(lambda *a: len(a))(*$l, $i)",
    "(lambda **k: sum(k.values()))(a=$i, b=$i)",
    "isinstance($n, int)",
    "[$i, $i, $i][$n % 3]",
    "(1, 2, $i)[$n]",
    "hash($n)",
    "len({$n: 1, $n: 2, $k: 3})",
    "len({*$l, *$e})",
    "len([*$l, *$t])",
    "len({**$d, $n: 1})",
    "len([@ for @ in range($n & 3) if ?c])",
    "sum(a * b for a, b in zip($l, $t))",
    "sum(a for a, b in enumerate($l, 1) if b)",
];

const CONDITIONS: &[&str] = &[
    "$i $m $i",
    "$i $m $i",
    "$n $m $k",
    "$n $m $n",
    "($c and $c)",
    "($c or $c)",
    "not $c",
    "$n <= $i < $i",
    "$k < $n <= $n",
    "$n != $i == $n",
    "$n in $l",
    "$n not in $t",
    "$i in $e",
    "$n in $d",
    "$i in NAMES",
    "$s in NAMES",
    "$i in (1, 2, $n)",
    "$s $m $q",
    "$s $m $s",
    "$q in $s",
    "$s in $q",
    "$s.isdigit()",
    "$s.isalpha()",
    "$s.isupper()",
    "$s.islower()",
    "$s.isspace()",
    "$s.isidentifier()",
    "$s.startswith($q)",
    "$s.endswith(('b', '1'))",
    "$s.startswith($q, 1)",
    "$y $m b'01'",
    "b'1' in $y",
    "$y.startswith(b'0')",
    "$y.isdigit()",
    "any(?c for @ in $l)",
    "all(?c for @ in $l)",
    "any($l)",
    "all($t)",
    "$l $m [1, 0]",
    "$l == $l",
    "$t $m ($i, $k)",
    "$e <= {0, 1, $n}",
    "$e.isdisjoint({1, $n})",
    "$e == {$n, $k}",
    "$d == {0: $k, 1: $n}",
    "$d.get($n) is None",
    "$d.keys() <= {0, 1}",
    "$f $m $i",
    "$f $m $f",
    "0.25 <= $f < 2",
    "bool($s)",
    "bool($l)",
    "bool($e)",
    "($i) != 0",
    "isinstance($n, bool)",
    "$n is None",
    "($n > 0) == ($c)",
    "($c) is True",
];

const FLOATS: &[&str] = &[
    "($n / 4)",
    "($n * 0.5)",
    "($i / $i)",
    "($f + $f)",
    "($f - $n)",
    "($f * $f)",
    "($f / 2)",
    "($f // 0.5)",
    "($f % 2)",
    "-$f",
    "abs($f)",
    "float($n)",
    "max($f, $n)",
    "($f if $c else 0.75)",
    "sum([$f, $f, 0.5])",
    "round($f, 1)",
    "(($n % 3) ** 0.5)",
    "divmod($f, 2)[1]",
];

const TEXTS: &[&str] = &[
    "str($i)",
    "repr($n)",
    "f'{$n}'",
    "f'{$n:>4}|{$n}'",
    "f'{$n:03d}'",
    "f'{$n & 255:x}{$n & 7:#b}'",
    "f'{$n!r:<3}'",
    "f'{$n:+d}'",
    "f'{$n * 1000:,}'",
    "f'{$w:^5}'",
    "f'{$w!r}'",
    "f'{$w:.1}-{$w}'",
    "f'{$w:*>{$n % 5}}'",
    "f'{$g:.2f}'",
    "f'{$v} {$n=}'",
    "('%d-%s' % ($n, $s))",
    "('%03d' % $n)",
    "('%5.1f|' % $f)",
    "'{}{:>3}'.format($s, $n)",
    "'{0}{1}{0}'.format($q, $s)",
    "'{x}'.format(x=$s)",
    "$s.upper()",
    "$s.lower()",
    "$s.title()",
    "$s.capitalize()",
    "$s.swapcase()",
    "$s.strip()",
    "$s.lstrip('a0')",
    "$s.rstrip($q)",
    "$s.replace('a', 'b0')",
    "$s.replace($q, '')",
    "$s.center(5, '-')",
    "$s.rjust($n % 5)",
    "$s.zfill(3)",
    "$s.removeprefix($q)",
    "$s.partition('b')[$b]",
    "$s.rpartition('1')[2]",
    "$s.split('b')[0]",
    "'-'.join($s)",
    "','.join($s.split())",
    "','.join(str(@) for @ in $l)",
    "''.join(sorted($s))",
    "''.join(reversed($s))",
    "''.join('b' if a == 'a' else a for a in $s)",
    "''.join(map(str, $l))",
    "$s[1:]",
    "$s[::-1]",
    "$s[$n:]",
    "$s[$n % 3]",
    "$s[:$n]",
    "$s[::2]",
    "($s + $q)",
    "($s + $s)[:6]",
    "($s[:3] * ($n & 1))",
    "min($s, $q)",
    "max($s, default='x')",
    "($s or 'none')",
    "($s if $c else $q)",
    "chr(97 + $n % 3)",
    "$s.translate({97: 'x', 98: None})",
    "$y.decode()",
    "$s.expandtabs()",
];

const BYTES: &[&str] = &[
    "$y[1:]",
    "$y[::-1]",
    "($y + b'1')",
    "bytes([$n & 63])",
    "$s.encode()",
    "$y.replace(b'0', b'ab')",
    "$y.upper()",
    "bytes(@ & 63 for @ in $l)",
    "bytes(sorted($y))",
    "bytearray($y)[:2]",
    "$y.strip(b'0')",
];

const LISTS: &[&str] = &[
    "[$i, $i]",
    "[$n]",
    "list($t)",
    "list($y)",
    "sorted($l)",
    "sorted($l, reverse=$c)",
    "sorted($l, key=lambda @: ?i)",
    "sorted($e)",
    "sorted($d)",
    "sorted($t, key=lambda @: -@)",
    "$l[1:]",
    "$l[::-1]",
    "$l[$n:]",
    "$l[:$n]",
    "$l[-2:]",
    "$l[$k:$n:2]",
    "list(reversed($l))",
    "[?i for @ in $l]",
    "[@ for @ in $l if ?c]",
    "[?i for @ in $t if ?c]",
    "[@ + b for @ in $l for b in (0, $n)][:6]",
    "[?i for @ in range($n & 3)]",
    "[@ for @ in sorted($e) if ?c]",
    "[a + b for a, b in zip($l, $l)]",
    "[a - b for a, b in enumerate($l)]",
    "[a * b for a, b in $d.items()]",
    "[(ord(a) - 97) for a in $s]",
    "list(map(lambda @: ?i, $l))",
    "list(filter(lambda @: ?c, $l))",
    "list(range($n & 3, 5, 2))",
    "list(range(3, $n % 5 - 1, -1))",
    "list(dict.fromkeys($l))",
    "list($d.values())",
    "list(set($l))",
    "($l + [$i])",
    "($l + $l)[:6]",
    "($l[:2] * ($n & 1))",
    "[*$l, $i, *$t][:6]",
    "([0] * ($n & 3))",
    "($l if $c else [$k])",
];

const TUPLES: &[&str] = &[
    "($i, $i)",
    "($n, $k, $n)",
    "tuple($l)",
    "(*$t, $i)[:5]",
    "divmod($i, $k)",
    "$t[::-1]",
    "$t[1:]",
    "($t + ($n,))[:5]",
    "tuple(sorted($t))",
    "(min($l, default=0), max($l, default=0))",
    "next(iter($d.items()), ($n, 1))",
    "(($i, $i) if $c else ($k,))",
];

const SETS: &[&str] = &[
    "set($l)",
    "{$n, $i}",
    "{?i for @ in $l}",
    "{@ for @ in $t if ?c}",
    "($e | {$n})",
    "($e & {0, 1, $n})",
    "($e - {$n})",
    "($e ^ {0, $k})",
    "set($d)",
    "frozenset($t)",
    "$e.union($l)",
    "$e.intersection($t)",
];

const DICTS: &[&str] = &[
    "{$n: $i}",
    "{$k: $i, $n: $i}",
    "{@: ?i for @ in $l}",
    "{?i: @ for @ in $t if ?c}",
    "dict(zip($l, $t))",
    "dict(enumerate($l))",
    "{**$d, $n: $i}",
    "($d | {$n: $k})",
    "dict.fromkeys($l, $n)",
    "{b: a for a, b in $d.items()}",
    "{a: b for a, b in sorted($d.items()) if b > $k}",
    "dict(sorted($d.items(), key=lambda a: (a[1], a[0])))",
];

/// Every so manieth form is one that a definition has added, where there are some.
const ADDED: u64 = 4;

impl Writer {
    pub fn expression(&mut self, kind: Kind, depth: usize) -> String {
        // A name of an object is enough: what it can do is in the forms of others.
        let leaf = depth == 0 || self.random.chance(0.15);
        if leaf || kind == Kind::Object {
            if let Some(known) = self.known(kind, false)
                && (kind != Kind::Object || depth == 0 || self.random.coin())
            {
                return known;
            }
        }
        let added: Vec<usize> = (0..self.added.len()).filter(|&at| self.added[at].0 == kind).collect();
        if !added.is_empty() && (kind == Kind::Object || !leaf && self.random.below(ADDED) == 0) {
            // The first form for an object makes one of a number.
            let at = if kind == Kind::Object && depth == 0 { 0 } else { self.random.index(added.len()) };
            let form = self.added[added[at]].1.clone();
            return self.filled(&form, depth.saturating_sub(1));
        }
        let forms = match kind {
            _ if leaf => return self.constant(kind),
            Kind::Integer => INTEGERS,
            Kind::Truth => CONDITIONS,
            Kind::Float => FLOATS,
            Kind::Text => TEXTS,
            Kind::Bytes => BYTES,
            Kind::List => LISTS,
            Kind::Tuple => TUPLES,
            Kind::Set => SETS,
            Kind::Dict => DICTS,
            Kind::Object => unreachable!("there is a form where there are objects"),
        };
        let form = self.random.pick(forms);
        self.filled(form, depth - 1)
    }

    /// Where no name of the kind is known.
    fn constant(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Integer => (self.random.below(12) as i64 - 4).to_string(),
            Kind::Truth => self.filled("$n $m $k", 0),
            Kind::Float => {
                let form = self.random.pick(&["0.5", "-1.25", "($n / 4)", "($n * 1.5)"]);
                self.filled(form, 0)
            }
            Kind::Text => {
                let form = self.random.pick(&["$q", "chr(97 + $n % 3)", "str($n)", "'ab0'[$n % 3:]"]);
                self.filled(form, 0)
            }
            Kind::Bytes => {
                let form = self.random.pick(&["b'01'", "b'a1'", "bytes([48 + $n % 3])"]);
                self.filled(form, 0)
            }
            Kind::List => self.filled("[$n, $k]", 0),
            Kind::Tuple => self.filled("($n, $k)", 0),
            Kind::Set => self.filled("{$n, $k}", 0),
            Kind::Dict => self.filled("{0: $n, $n: $k}", 0),
            Kind::Object => unreachable!("there is a form where there are objects"),
        }
    }

    /// The form with its places filled.
    pub fn filled(&mut self, form: &str, depth: usize) -> String {
        let own = if form.contains('@') { self.fresh("x") } else { String::new() };
        let mut text = String::new();
        let mut characters = form.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '@' => text.push_str(&own),
                '?' => {
                    let place = characters.next().expect("a letter behind each mark");
                    self.name(&own, Kind::Integer, false);
                    let inner = self.place(place, depth);
                    self.names.pop();
                    text.push_str(&inner);
                }
                '$' => {
                    let place = characters.next().expect("a letter behind each mark");
                    let inner = self.place(place, depth);
                    text.push_str(&inner);
                }
                other => text.push(other),
            }
        }
        text
    }

    /// Whether there is something to put into every place of a form.
    pub fn fits(&self, form: &str) -> bool {
        [("$L", Kind::List), ("$E", Kind::Set), ("$D", Kind::Dict)].iter().all(|&(place, kind)| {
            !form.contains(place) || self.names.iter().any(|name| name.kind == kind && name.changes)
        }) && (!form.contains("$o") || self.added.iter().any(|&(kind, _)| kind == Kind::Object))
    }

    fn place(&mut self, place: char, depth: usize) -> String {
        let changed = |found: Option<String>| found.expect("`fits` was asked");
        match place {
            'i' => self.expression(Kind::Integer, depth),
            'c' => self.expression(Kind::Truth, depth),
            'f' => self.expression(Kind::Float, depth),
            's' => self.expression(Kind::Text, depth),
            'y' => self.expression(Kind::Bytes, depth),
            'l' => self.expression(Kind::List, depth),
            't' => self.expression(Kind::Tuple, depth),
            'e' => self.expression(Kind::Set, depth),
            'd' => self.expression(Kind::Dict, depth),
            'o' => self.expression(Kind::Object, depth),
            'n' => self.known(Kind::Integer, false).unwrap_or_else(|| "1".to_string()),
            'k' => (self.random.below(8) as i64 - 2).to_string(),
            'b' => self.random.below(2).to_string(),
            'q' => self.random.pick(&["'a'", "'ab'", "'0'", "'1'", "' '", "'B'", "''"]).to_string(),
            'w' => self.known(Kind::Text, false).unwrap_or_else(|| "WORD".to_string()),
            'g' => self.known(Kind::Float, false).unwrap_or_else(|| "0.5".to_string()),
            'v' => self.known(Kind::List, false).unwrap_or_else(|| "[1]".to_string()),
            'm' => self.random.pick(&["<", "<=", ">", ">=", "==", "!="]).to_string(),
            'L' => changed(self.known(Kind::List, true)),
            'E' => changed(self.known(Kind::Set, true)),
            'D' => changed(self.known(Kind::Dict, true)),
            other => unreachable!("no place is called {other}"),
        }
    }
}
