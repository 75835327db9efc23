//! Boolean combinations of comparisons, and choices between numbers.
//!
//! Compilers turn `a < b ? p : q` into a select and chains of `&&` into bit operations, so that conditions are and, or,
//! not and choices over comparisons. A SAT solver finds truth values for the comparisons; difference constraints say
//! whether some input has them (DPLL(T), lazily: Nieuwenhuis, Oliveras and Tinelli, "Solving SAT and SAT Modulo
//! Theories", J. ACM 53(6), 2006, section 3). What they refute becomes a clause and the SAT solver is asked again. Only
//! comparisons that the conditions need to be true are handed over, and under given truth values every choice is one of
//! its arms: no circuit is ever made of a number.
//!
//! Terms that are neither chosen nor a variable plus a constant count as numbers of their own. So a "no" holds, and the
//! values found for a "yes" are tried on all conditions.

mod skeleton;
mod theory;

use pessimum_term::{Arena, TermId};
use rustc_hash::FxHashSet;

use crate::layers::{Layer, QueryLimits, Reply};
use crate::path::{Path, Query};
use crate::sat::{Found, Limits, Literal};
use crate::{LayerName, Why};
use skeleton::Skeleton;
use theory::{Checked, Fact, Theory};

/// Models tried per query before the layer declines.
const MOST_ROUNDS: u32 = 200;
/// Comparisons handed to the theory per query before the layer declines.
const MOST_WORK: usize = 200_000;
/// Conflicts of the SAT solver per model: these formulas are small, and a hard one is better passed on.
const MOST_CONFLICTS: u64 = 2_000;
/// SAT variables beyond which a new path starts with an empty solver.
const MANY_VARIABLES: u32 = 5_000;

/// The layer of Boolean combinations.
#[derive(Default)]
pub struct Boolean {
    skeleton: Option<Skeleton>,
    theory: Theory,
    /// What the theory has done, and solvers that were thrown away.
    work: u64,
}

impl Layer for Boolean {
    fn name(&self) -> LayerName {
        LayerName::Boolean
    }

    fn ask(&mut self, arena: &Arena, path: &mut Path, query: &mut Query, limits: &QueryLimits) -> Reply {
        // A part of plain comparisons belongs to the order layer.
        if query.sizes.foreign == 0 {
            return Reply::Pass;
        }
        let skeleton = self.skeleton.get_or_insert_with(Skeleton::new);
        skeleton.follow(arena);
        let goal = skeleton.literal(arena, query.condition);
        if !theory::is_grounded(arena, skeleton, query.condition) {
            return Reply::Pass;
        }
        let positions = query.part(path).positions.clone();
        let mut grounded = query.form.is_none();
        for &position in positions.iter().filter(|&&position| path.is_foreign(position)) {
            let condition = path.conditions[position as usize];
            skeleton.literal(arena, condition);
            grounded |= theory::is_grounded(arena, skeleton, condition);
            if skeleton.gates.sat.variables() > limits.variables {
                self.empty();
                return Reply::GaveUp(Why::Circuits);
            }
        }
        if !grounded {
            // A plain comparison among conditions that the theory cannot read: the order layer has tried all there is.
            return Reply::Pass;
        }
        let mut assumed = Assumed::default();
        for &position in &positions {
            if let Some(literal) = skeleton.known(arena, path.conditions[position as usize]) {
                assumed.add(position, literal);
            }
        }
        self.rounds(arena, path, query, &positions, goal, assumed, limits)
    }

    fn restarted(&mut self) {
        if self.skeleton.as_ref().is_some_and(|skeleton| skeleton.gates.sat.variables() > MANY_VARIABLES) {
            self.empty();
        }
    }

    fn work(&self) -> u64 {
        self.work + self.skeleton.as_ref().map_or(0, |skeleton| skeleton.gates.sat.work())
    }
}

/// The conditions of the path that the SAT solver knows.
#[derive(Default)]
struct Assumed {
    positions: Vec<u32>,
    literals: Vec<Literal>,
    known: FxHashSet<u32>,
}

impl Assumed {
    fn add(&mut self, position: u32, literal: Literal) {
        if self.known.insert(position) {
            self.positions.push(position);
            self.literals.push(literal);
        }
    }
}

impl Boolean {
    /// Throws the solver away.
    fn empty(&mut self) {
        self.work = self.work();
        self.skeleton = None;
    }

    #[allow(clippy::too_many_arguments)]
    fn rounds(
        &mut self,
        arena: &Arena,
        path: &mut Path,
        query: &mut Query,
        positions: &[u32],
        goal: Literal,
        mut assumed: Assumed,
        limits: &QueryLimits,
    ) -> Reply {
        let skeleton = self.skeleton.as_mut().expect("made by the caller");
        let foreign = positions.iter().filter(|&&position| path.is_foreign(position));
        let foreign = foreign.map(|&position| path.conditions[position as usize]);
        let conditions: Vec<TermId> = foreign.chain([query.condition]).collect();
        self.theory.begin(arena, path, skeleton, positions);
        let mut work = 0;
        for _ in 0..MOST_ROUNDS {
            if work > MOST_WORK {
                break;
            }
            if !limits.until.go_on() {
                return Reply::GaveUp(Why::Deadline);
            }
            assumed.literals.push(goal);
            let own = Limits { conflicts: limits.conflicts.min(MOST_CONFLICTS), until: limits.until.clone() };
            let found = skeleton.gates.sat.solve(&assumed.literals, &own);
            assumed.literals.pop();
            match found {
                Found::GaveUp(why) => return Reply::GaveUp(why),
                Found::Core(core) => {
                    let core: FxHashSet<Literal> = core.into_iter().collect();
                    let of = |(&position, literal): (&u32, &Literal)| core.contains(literal).then_some(position);
                    let mut positions: Vec<u32> =
                        assumed.positions.iter().zip(&assumed.literals).filter_map(of).collect();
                    positions.sort_unstable();
                    return Reply::Unsat(positions);
                }
                Found::Model => {}
            }
            match self.theory.check(arena, path, skeleton, &conditions) {
                Checked::Values(changes) => {
                    return if path.holds_with(arena, query, &changes) { Reply::Sat(changes) } else { Reply::Pass };
                }
                Checked::Refuted(reasons) => {
                    for facts in reasons {
                        let mut clause = Vec::with_capacity(facts.len());
                        for fact in facts {
                            let literal = match fact {
                                Fact::Truth(condition, value) => skeleton.literal(arena, condition).flip_if(!value),
                                Fact::OnPath(position) => {
                                    let literal = skeleton.literal(arena, path.conditions[position as usize]);
                                    assumed.add(position, literal);
                                    literal
                                }
                            };
                            clause.push(!literal);
                        }
                        skeleton.gates.sat.clause(&clause);
                    }
                }
                Checked::Declined => return Reply::Pass,
            }
            work += self.theory.asserted();
            self.work += self.theory.asserted() as u64;
        }
        Reply::GaveUp(Why::Conflicts)
    }
}
