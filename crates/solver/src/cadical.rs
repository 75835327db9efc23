//! CaDiCaL, for those who accept its build time.
//!
//! The settings come from measurements on path conditions: no preprocessing (`plain`), because it causes outliers of
//! seconds, and no lucky phases, because they cost two to three times the search itself.

use cadical_sys::{CaDiCal, Status, Terminator};

use crate::sat::{Found, Limits, Literal, Sat};
use crate::{Until, Why};

/// The solver and the number of its variables.
pub struct Cadical {
    solver: CaDiCal,
    variables: u32,
    /// Variables times calls: the solver does not tell its propagations.
    work: u64,
}

struct Clock(Until);

impl Terminator for Clock {
    fn terminated(&mut self) -> bool {
        !self.0.go_on()
    }
}

impl Cadical {
    pub fn new() -> Cadical {
        let mut solver = CaDiCal::new();
        solver.configure("plain");
        solver.set("lucky", 0);
        // We number the variables ourselves, so the solver must not introduce its own.
        solver.set("factor", 0);
        let mut cadical = Cadical { solver, variables: 0, work: 0 };
        cadical.variable();
        cadical.clause(&[Literal::TRUE]);
        cadical
    }
}

/// CaDiCaL's literals are signed numbers starting from 1.
fn signed(literal: Literal) -> i32 {
    let variable = (literal.0 >> 1) as i32 + 1;
    if literal.0 & 1 == 1 { -variable } else { variable }
}

impl Sat for Cadical {
    fn variable(&mut self) -> u32 {
        self.variables += 1;
        self.variables - 1
    }
    fn variables(&self) -> u32 {
        self.variables
    }
    fn clause(&mut self, literals: &[Literal]) {
        for &literal in literals {
            self.solver.add(signed(literal));
        }
        self.solver.add(0);
    }
    fn solve(&mut self, assumptions: &[Literal], limits: &Limits) -> Found {
        self.work += u64::from(self.variables);
        for &literal in assumptions {
            self.solver.assume(signed(literal));
        }
        self.solver.limit("conflicts", limits.conflicts.min(i32::MAX as u64) as i32);
        self.solver.connect_terminator(Clock(limits.until.clone()));
        match self.solver.solve() {
            Status::SATISFIABLE => Found::Model,
            Status::UNSATISFIABLE => {
                let failed = assumptions.iter().filter(|&&literal| self.solver.failed(signed(literal)));
                Found::Core(failed.copied().collect())
            }
            Status::UNKNOWN if limits.until.go_on() => Found::GaveUp(Why::Conflicts),
            Status::UNKNOWN => Found::GaveUp(Why::Deadline),
        }
    }
    fn work(&self) -> u64 {
        self.work
    }
    fn value(&mut self, literal: Literal) -> bool {
        self.solver.val(signed(literal)) > 0
    }
}
