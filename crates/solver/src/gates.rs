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

/// Gates computed for 64 inputs at a time, to try circuits on millions of them.
#[cfg(test)]
pub struct Simulation {
    /// In the order in which they were made, operands first.
    gates: Vec<(Literal, Gate)>,
    /// By variable.
    values: Vec<u64>,
}

#[cfg(test)]
impl Simulation {
    pub fn new(gates: &Gates) -> Simulation {
        let mut list: Vec<(Literal, Gate)> = gates.known.iter().map(|(&gate, &output)| (output, gate)).collect();
        list.sort_unstable_by_key(|&(output, _)| output);
        let mut values = vec![0; gates.sat.variables() as usize];
        values[0] = u64::MAX;
        Simulation { gates: list, values }
    }

    pub fn count(&self) -> usize {
        self.gates.len()
    }

    /// Sets a literal that is not the output of a gate.
    pub fn set(&mut self, literal: Literal, lanes: u64) {
        self.values[literal.0 as usize >> 1] = if literal.0 & 1 == 1 { !lanes } else { lanes };
    }

    pub fn get(&self, literal: Literal) -> u64 {
        let value = self.values[literal.0 as usize >> 1];
        if literal.0 & 1 == 1 { !value } else { value }
    }

    pub fn run(&mut self) {
        for at in 0..self.gates.len() {
            let (output, gate) = self.gates[at];
            let value = match gate {
                Gate::And(a, b) => self.get(a) & self.get(b),
                Gate::Xor(a, b) => self.get(a) ^ self.get(b),
                Gate::Xor3(a, b, c) => self.get(a) ^ self.get(b) ^ self.get(c),
                Gate::Majority(a, b, c) => {
                    let (a, b, c) = (self.get(a), self.get(b), self.get(c));
                    a & b | a & c | b & c
                }
                Gate::Choose(condition, then, otherwise) => {
                    let condition = self.get(condition);
                    condition & self.get(then) | !condition & self.get(otherwise)
                }
            };
            self.set(output, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Until;
    use crate::sat::{self, Found, Limits};

    /// The clauses of a gate admit exactly the output that the simulation computes.
    #[test]
    fn clauses_and_simulation_agree() {
        type Make = fn(&mut Gates, [Literal; 3]) -> Literal;
        let kinds: [Make; 5] = [
            |gates, [a, b, _]| gates.and(a, b),
            |gates, [a, b, _]| gates.xor(a, b),
            |gates, [a, b, c]| gates.xor3(a, b, c),
            |gates, [a, b, c]| gates.majority(a, b, c),
            |gates, [a, b, c]| gates.choose(a, b, c),
        ];
        let limits = Limits { conflicts: 1000, until: Until::default() };
        for make in kinds {
            // Every pattern of signs on the inputs, and every value of them.
            for signs in 0..8 {
                let mut gates = Gates::new(sat::solver());
                let inputs = [gates.fresh(), gates.fresh(), gates.fresh()];
                let flipped = [0, 1, 2].map(|at| inputs[at].flip_if(signs >> at & 1 == 1));
                let output = make(&mut gates, flipped);
                let mut simulation = Simulation::new(&gates);
                for (at, &input) in inputs.iter().enumerate() {
                    simulation.set(input, [0b10101010, 0b11001100, 0b11110000][at]);
                }
                simulation.run();
                for values in 0..8 {
                    let mut assumed: Vec<Literal> =
                        (0..3).map(|at| inputs[at].flip_if(values >> at & 1 == 0)).collect();
                    let expected = simulation.get(output) >> values & 1 == 1;
                    assumed.push(output.flip_if(!expected));
                    assert_eq!(gates.sat.solve(&assumed, &limits), Found::Model);
                    assumed[3] = !assumed[3];
                    assert!(matches!(gates.sat.solve(&assumed, &limits), Found::Core(_)));
                }
            }
        }
    }
}
