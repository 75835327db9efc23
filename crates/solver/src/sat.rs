//! The SAT solver behind one small trait, so that another one can take its place.

use std::cell::Cell;
use std::time::Instant;

use batsat::{Callbacks, ClauseKind, SolverInterface, SolverOpts, lbool};

use crate::Why;

/// A literal: twice the number of its variable, plus 1 if negated. Variable 0 is always true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(pub u32);

impl Literal {
    pub const TRUE: Literal = Literal(0);
    pub const FALSE: Literal = Literal(1);

    pub fn constant(value: bool) -> Literal {
        if value { Literal::TRUE } else { Literal::FALSE }
    }
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 0)
    }
    pub fn flip_if(self, flip: bool) -> Literal {
        Literal(self.0 ^ flip as u32)
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;
    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// How long a call may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Conflicts; the unit that is the same on every machine.
    pub conflicts: u64,
    /// Kept inside the call.
    pub deadline: Option<Instant>,
}

/// What a call found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Model,
    /// The assumptions that cannot hold together.
    Core(Vec<Literal>),
    GaveUp(Why),
}

/// An incremental SAT solver.
pub trait Sat {
    fn variable(&mut self) -> u32;
    fn variables(&self) -> u32;
    fn clause(&mut self, literals: &[Literal]);
    fn solve(&mut self, assumptions: &[Literal], limits: Limits) -> Found;
    /// In the model found last.
    fn value(&self, literal: Literal) -> bool;
}

/// Calls to `stop` between two looks at the clock: a look takes as long as a short propagation.
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
        if self.stops.get().is_multiple_of(STOPS_PER_LOOK)
            && let Some(deadline) = self.limits.deadline
        {
            self.late.set(Instant::now() >= deadline);
        }
        self.late.get() || self.conflicts >= self.limits.conflicts
    }
}

/// batsat: a port of MiniSat.
pub struct Batsat {
    solver: batsat::Solver<Watch>,
    clause: Vec<batsat::Lit>,
}

impl Batsat {
    pub fn new() -> Batsat {
        let limits = Limits { conflicts: 0, deadline: None };
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
    fn solve(&mut self, assumptions: &[Literal], limits: Limits) -> Found {
        let watch = self.solver.cb_mut();
        watch.limits = limits;
        watch.conflicts = 0;
        watch.late.set(limits.deadline.is_some_and(|deadline| Instant::now() >= deadline));
        let assumptions: Vec<_> = assumptions.iter().map(|&literal| to_batsat(literal)).collect();
        let found = self.solver.solve_limited(&assumptions);
        if found == lbool::TRUE {
            Found::Model
        } else if found == lbool::FALSE {
            // batsat names the clause that follows from the others: the negated assumptions.
            Found::Core(self.solver.unsat_core().iter().map(|&literal| !from_batsat(literal)).collect())
        } else if self.solver.cb().late.get() {
            Found::GaveUp(Why::Deadline)
        } else {
            Found::GaveUp(Why::Conflicts)
        }
    }
    fn value(&self, literal: Literal) -> bool {
        // A variable that no clause constrains has no value in the model; either will do.
        self.solver.value_lit(to_batsat(literal)) == lbool::TRUE
    }
}
