//! Logic gates over the literals of a SAT solver: simplified, shared, and written as clauses once.

use rustc_hash::FxHashMap;

use crate::sat::{Literal, Sat};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Literal, Literal),
    Xor(Literal, Literal),
    Xor3(Literal, Literal, Literal),
    Majority(Literal, Literal, Literal),
    Choose(Literal, Literal, Literal),
}

/// Builds gates. Equal gates share one literal.
pub struct Gates {
    pub sat: Box<dyn Sat>,
    known: FxHashMap<Gate, Literal>,
}

impl Gates {
    pub fn new(sat: Box<dyn Sat>) -> Gates {
        Gates { sat, known: FxHashMap::default() }
    }

    pub fn fresh(&mut self) -> Literal {
        Literal(self.sat.variable() << 1)
    }

    fn gate(&mut self, gate: Gate, clauses: impl FnOnce(&mut dyn Sat, Literal)) -> Literal {
        if let Some(&known) = self.known.get(&gate) {
            return known;
        }
        let output = self.fresh();
        clauses(&mut *self.sat, output);
        self.known.insert(gate, output);
        output
    }

    pub fn and(&mut self, a: Literal, b: Literal) -> Literal {
        if a == Literal::FALSE || b == Literal::FALSE || a == !b {
            return Literal::FALSE;
        }
        if a == Literal::TRUE || a == b {
            return b;
        }
        if b == Literal::TRUE {
            return a;
        }
        let (a, b) = (a.min(b), a.max(b));
        self.gate(Gate::And(a, b), |sat, z| {
            sat.clause(&[!z, a]);
            sat.clause(&[!z, b]);
            sat.clause(&[z, !a, !b]);
        })
    }

    pub fn or(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and(!a, !b)
    }

    pub fn all(&mut self, literals: impl IntoIterator<Item = Literal>) -> Literal {
        literals.into_iter().fold(Literal::TRUE, |all, literal| self.and(all, literal))
    }

    pub fn any(&mut self, literals: impl IntoIterator<Item = Literal>) -> Literal {
        !literals.into_iter().fold(Literal::TRUE, |none, literal| self.and(none, !literal))
    }

    pub fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        // Signs move to the output, so that one gate serves all four sign patterns.
        let flip = (a.0 ^ b.0) & 1 == 1;
        let (a, b) = (Literal(a.0 & !1), Literal(b.0 & !1));
        let (a, b) = (a.min(b), a.max(b));
        if a == b {
            return Literal::FALSE.flip_if(flip);
        }
        if a == Literal::TRUE {
            return b.flip_if(!flip);
        }
        let output = self.gate(Gate::Xor(a, b), |sat, z| {
            sat.clause(&[!z, a, b]);
            sat.clause(&[!z, !a, !b]);
            sat.clause(&[z, !a, b]);
            sat.clause(&[z, a, !b]);
        });
        output.flip_if(flip)
    }

    pub fn equal(&mut self, a: Literal, b: Literal) -> Literal {
        !self.xor(a, b)
    }

    pub fn xor3(&mut self, a: Literal, b: Literal, c: Literal) -> Literal {
        let flip = (a.0 ^ b.0 ^ c.0) & 1 == 1;
        let mut inputs = [Literal(a.0 & !1), Literal(b.0 & !1), Literal(c.0 & !1)];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        if a == Literal::TRUE {
            return self.xor(b, c).flip_if(!flip);
        }
        if a == b {
            return c.flip_if(flip);
        }
        if b == c {
            return a.flip_if(flip);
        }
        let output = self.gate(Gate::Xor3(a, b, c), |sat, z| {
            for pattern in 0..8u32 {
                let sign = |bit: u32| pattern >> bit & 1 == 1;
                // If the inputs match the pattern, the output is its parity.
                let parity = pattern.count_ones() % 2 == 1;
                sat.clause(&[a.flip_if(sign(0)), b.flip_if(sign(1)), c.flip_if(sign(2)), z.flip_if(!parity)]);
            }
        });
        output.flip_if(flip)
    }

    /// At least two of three.
    pub fn majority(&mut self, a: Literal, b: Literal, c: Literal) -> Literal {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        if a == b {
            return a;
        }
        if b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        if a == Literal::TRUE {
            return self.or(b, c);
        }
        if a == Literal::FALSE {
            return self.and(b, c);
        }
        // Majority is its own dual, so making the first input positive halves the number of different gates.
        let flip = a.0 & 1 == 1;
        let (a, b, c) = (a.flip_if(flip), b.flip_if(flip), c.flip_if(flip));
        let output = self.gate(Gate::Majority(a, b, c), |sat, z| {
            for (x, y) in [(a, b), (a, c), (b, c)] {
                sat.clause(&[!x, !y, z]);
                sat.clause(&[x, y, !z]);
            }
        });
        output.flip_if(flip)
    }

    /// `then` where the condition holds, else `otherwise`.
    pub fn choose(&mut self, condition: Literal, then: Literal, otherwise: Literal) -> Literal {
        if condition.0 & 1 == 1 && condition != Literal::FALSE {
            return self.choose(!condition, otherwise, then);
        }
        match condition.as_constant() {
            Some(true) => return then,
            Some(false) => return otherwise,
            None => {}
        }
        if then == otherwise {
            return then;
        }
        if then == !otherwise {
            return self.equal(condition, then);
        }
        if then == Literal::TRUE || then == condition {
            return self.or(condition, otherwise);
        }
        if then == Literal::FALSE || then == !condition {
            return self.and(!condition, otherwise);
        }
        if otherwise == Literal::FALSE || otherwise == condition {
            return self.and(condition, then);
        }
        if otherwise == Literal::TRUE || otherwise == !condition {
            return self.or(!condition, then);
        }
        let flip = then.0 & 1 == 1;
        let (then, otherwise) = (then.flip_if(flip), otherwise.flip_if(flip));
        let output = self.gate(Gate::Choose(condition, then, otherwise), |sat, z| {
            sat.clause(&[!condition, !then, z]);
            sat.clause(&[!condition, then, !z]);
            sat.clause(&[condition, !otherwise, z]);
            sat.clause(&[condition, otherwise, !z]);
            // Implied, but these let the solver derive the output where both inputs agree.
            sat.clause(&[!then, !otherwise, z]);
            sat.clause(&[then, otherwise, !z]);
        });
        output.flip_if(flip)
    }
}
