//! batsat, a port of MiniSat in pure Rust that builds in two seconds.

use std::cell::Cell;

use batsat::{Callbacks, ClauseKind, SolverInterface, SolverOpts, lbool};

use crate::sat::{Found, Limits, Literal, Sat};
use crate::{Until, Why};

/// Calls to `stop` between two checks of the clock; a check takes as long as a short propagation.
const STOPS_PER_LOOK: u32 = 64;

struct Watch {
    limits: Limits,
    conflicts: u64,
    stops: Cell<u32>,
    late: Cell<bool>,
}

impl Callbacks for Watch {
    fn on_new_clause(&mut self, _: &[batsat::Lit], kind: ClauseKind) {
        self.conflicts += matches!(kind, ClauseKind::Learnt) as u64;
    }
    fn stop(&self) -> bool {
        self.stops.set(self.stops.get().wrapping_add(1));
        if self.stops.get().is_multiple_of(STOPS_PER_LOOK) {
            self.late.set(!self.limits.until.go_on());
        }
        self.late.get() || self.conflicts >= self.limits.conflicts
    }
}

/// The solver.
pub struct Batsat {
    solver: batsat::Solver<Watch>,
    clause: Vec<batsat::Lit>,
}

impl Batsat {
    pub fn new() -> Batsat {
        let limits = Limits { conflicts: 0, until: Until::default() };
        let watch = Watch { limits, conflicts: 0, stops: Cell::new(0), late: Cell::new(false) };
        let mut solver = Batsat { solver: batsat::Solver::new(SolverOpts::default(), watch), clause: Vec::new() };
        solver.variable();
        solver.clause(&[Literal::TRUE]);
        solver
    }
}

fn to_batsat(literal: Literal) -> batsat::Lit {
    batsat::Lit::new(batsat::Var::unsafe_from_idx(literal.0 >> 1), literal.0 & 1 == 0)
}

fn from_batsat(literal: batsat::Lit) -> Literal {
    Literal(literal.var().idx() << 1 | !literal.sign() as u32)
}

impl Sat for Batsat {
    fn variable(&mut self) -> u32 {
        self.solver.new_var_default().idx()
    }
    fn variables(&self) -> u32 {
        self.solver.num_vars()
    }
    fn clause(&mut self, literals: &[Literal]) {
        self.clause.clear();
        self.clause.extend(literals.iter().map(|&literal| to_batsat(literal)));
        self.solver.add_clause_reuse(&mut self.clause);
    }
    fn solve(&mut self, assumptions: &[Literal], limits: &Limits) -> Found {
        let watch = self.solver.cb_mut();
        watch.conflicts = 0;
        watch.late.set(!limits.until.go_on());
        watch.limits = limits.clone();
        let assumptions: Vec<_> = assumptions.iter().map(|&literal| to_batsat(literal)).collect();
        let found = self.solver.solve_limited(&assumptions);
        if found == lbool::TRUE {
            Found::Model
        } else if found == lbool::FALSE {
            // batsat returns the clause that follows from the others, which consists of negated assumptions.
            Found::Core(self.solver.unsat_core().iter().map(|&literal| !from_batsat(literal)).collect())
        } else if self.solver.cb().late.get() {
            Found::GaveUp(Why::Deadline)
        } else {
            Found::GaveUp(Why::Conflicts)
        }
    }
    fn work(&self) -> u64 {
        self.solver.num_propagations() + u64::from(self.solver.num_vars())
    }
    fn value(&mut self, literal: Literal) -> bool {
        // A variable that no clause constrains has no value in the model; either will do.
        self.solver.value_lit(to_batsat(literal)) == lbool::TRUE
    }
}
