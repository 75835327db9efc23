//! A second opinion on a sample of the answers "no", cheap enough for real searches.
//!
//! A wrong "yes" cannot go unnoticed: its witness is evaluated, and the run takes another path. A wrong "no" can: a
//! path is missing and nothing else happens. So every so manieth "no" of each layer is answered again: that of a fast
//! layer by bit-blasting in an empty SAT solver, that of bit-blasting by another solver.

use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;

use pessimum_term::smtlib::Definitions;
use pessimum_term::{Arena, Evaluator, TermId, Variables, Witness};

use crate::blast::Blaster;
use crate::sat::{self, Found, Limits, Literal};
use crate::{LayerName, Until};

/// How answers are re-checked. The sample depends on nothing but the queries of a context, so that it is the same in
/// every run of a search.
#[derive(Clone, Debug)]
pub struct Recheck {
    /// The first "no" of each layer is re-checked, then every so manieth.
    pub every: NonZeroU64,
    /// Is told of every disagreement, and may bring another solver along.
    pub auditor: Arc<dyn Auditor>,
}

/// Who hears of disagreements. It may also know another solver: this crate starts no processes.
pub trait Auditor: fmt::Debug + Send + Sync {
    /// Whether there is a solver for [`Auditor::ask`]. If not, bit-blasting is re-checked by [`SECOND_SOLVER`].
    fn has_solver(&self) -> bool;

    /// Whether a script in SMT-LIB 2 can be satisfied; none if that solver cannot tell in time.
    fn ask(&self, script: &str, until: &Until) -> Option<bool>;

    /// A layer said "no" and was contradicted. This is a mistake of ours and must not go unnoticed.
    fn disagreement(&self, disagreement: &Disagreement);
}

/// A "no" that another way to answer contradicts. The query counts as given up ([`crate::Why::Disputed`]).
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// The layer that said "no".
    pub layer: LayerName,
    /// Who contradicts.
    pub by: &'static str,
    /// An input that satisfies the conditions, checked by evaluating them; none if only another solver's word stands
    /// against ours.
    pub input: Option<Witness>,
    /// The conditions that the layer called contradictory, as SMT-LIB 2.
    pub script: String,
}

/// What re-checks bit-blasting where the auditor brings no solver. The circuits are the same in both, the solver is not.
#[cfg(feature = "cadical")]
pub const SECOND_SOLVER: &str = "batsat";
/// What re-checks bit-blasting where the auditor brings no solver. Solver and circuits are the same, but it starts from
/// nothing, and with the conditions in reverse order.
#[cfg(not(feature = "cadical"))]
pub const SECOND_SOLVER: &str = "an empty batsat";

/// Conflicts of one re-check: a few times what a query of a search may take.
const CONFLICTS: u64 = 100_000;
/// SAT variables of one re-check.
const VARIABLES: u32 = 1_000_000;

/// What became of a re-check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Agreed,
    Disagreed,
    Undecided,
}

impl Recheck {
    /// Whether a layer's "no" belongs to the sample, after this many earlier ones.
    pub fn samples(&self, earlier: u64) -> bool {
        earlier.is_multiple_of(self.every.get())
    }

    /// Answers again whether these conditions contradict each other, as a layer said.
    pub fn check(&self, arena: &Arena, conditions: &[TermId], layer: LayerName, until: &Until) -> Verdict {
        let opinion = match layer {
            LayerName::Blast | LayerName::FloatCircuits if self.auditor.has_solver() => {
                self.ask_auditor(arena, conditions, until)
            }
            LayerName::Blast | LayerName::FloatCircuits => {
                let reversed: Vec<TermId> = conditions.iter().rev().copied().collect();
                by_blasting(arena, &reversed, sat::second_solver(), SECOND_SOLVER, until)
            }
            _ => match by_blasting(arena, conditions, sat::solver(), "bit-blasting", until) {
                Opinion::None if self.auditor.has_solver() => self.ask_auditor(arena, conditions, until),
                opinion => opinion,
            },
        };
        match opinion {
            Opinion::No => Verdict::Agreed,
            Opinion::None => Verdict::Undecided,
            Opinion::Yes { by, input } => {
                let script = script(arena, conditions, Status::Unknown, &[]);
                self.auditor.disagreement(&Disagreement { layer, by, input, script });
                Verdict::Disagreed
            }
        }
    }

    fn ask_auditor(&self, arena: &Arena, conditions: &[TermId], until: &Until) -> Opinion {
        match self.auditor.ask(&script(arena, conditions, Status::Unknown, &[]), until) {
            Some(true) => Opinion::Yes { by: "the second solver", input: None },
            Some(false) => Opinion::No,
            None => Opinion::None,
        }
    }
}

/// Whether conditions can hold together, in another way.
enum Opinion {
    Yes { by: &'static str, input: Option<Witness> },
    No,
    None,
}

fn by_blasting(
    arena: &Arena,
    conditions: &[TermId],
    solver: Box<dyn sat::Sat>,
    by: &'static str,
    until: &Until,
) -> Opinion {
    let mut blaster = Blaster::new(solver);
    let (mut assumptions, mut loose): (Vec<Literal>, bool) = (Vec::new(), false);
    for &condition in conditions {
        let Ok((literal, is_loose)) = blaster.literal(arena, condition, VARIABLES, until) else { return Opinion::None };
        loose |= is_loose;
        assumptions.push(literal);
    }
    match blaster.gates.sat.solve(&assumptions, &Limits { conflicts: CONFLICTS, until: until.clone() }) {
        Found::GaveUp(_) => Opinion::None,
        Found::Core(_) => Opinion::No,
        Found::Model => {
            let mut witness = Witness::default();
            let mut variables = Variables::default();
            for &condition in conditions {
                for &variable in variables.of(arena, condition) {
                    witness.set(variable, blaster.value(variable.0).unwrap_or(0));
                }
            }
            let mut evaluator = Evaluator::new(witness.clone());
            let holds = conditions.iter().all(|&condition| evaluator.value(arena, condition) == 1);
            match (holds, loose) {
                (true, _) => Opinion::Yes { by, input: Some(witness) },
                // Free bits stand for results of operators without a circuit: such a model says nothing.
                (false, true) => Opinion::None,
                (false, false) => Opinion::Yes { by: "bit-blasting, whose own model does not hold,", input: None },
            }
        }
    }
}

/// How a query ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// There is an input.
    Sat,
    /// There is none.
    Unsat,
    /// It was given up.
    Unknown,
}

impl Status {
    /// The word in SMT-LIB.
    pub fn name(self) -> &'static str {
        match self {
            Status::Sat => "sat",
            Status::Unsat => "unsat",
            Status::Unknown => "unknown",
        }
    }
}

/// Gets the queries that layers decided or gave up on. This crate writes no files.
pub trait QueryLog: fmt::Debug + Send + Sync {
    /// Whether another query is wanted: making the text of one takes longer than most answers.
    fn is_open(&self) -> bool;

    /// Takes a query.
    fn take(&self, query: &LoggedQuery);
}

/// A query and its answer.
#[derive(Clone, Debug)]
pub struct LoggedQuery {
    /// The answer.
    pub status: Status,
    /// The layer that answered; none if all gave up.
    pub layer: Option<LayerName>,
    /// The site of the decision that asked, if it was one.
    pub site: Option<u32>,
    /// A complete file in SMT-LIB 2: the conditions of the path that share variables with the query, then the query.
    pub script: String,
}

/// A script that asks whether all conditions can hold, with the answer that is known and remarks for human readers.
pub fn script(arena: &Arena, conditions: &[TermId], status: Status, remarks: &[String]) -> String {
    let definitions = Definitions::new(arena, conditions);
    let mut text = String::from("(set-info :smt-lib-version 2.6)\n");
    for remark in remarks {
        text += &format!("; {remark}\n");
    }
    text += &format!("(set-info :status {})\n", status.name());
    text += &definitions.text();
    text.extend(conditions.iter().map(|&condition| definitions.assertion(condition)));
    text += "(check-sat)\n";
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_term::{BinaryOp, UnaryOp, VariableId};
    use std::sync::Mutex;

    /// Remembers what it is told, and answers as it was told to.
    #[derive(Debug, Default)]
    struct Witnessing {
        answer: Option<Option<bool>>,
        asked: Mutex<Vec<String>>,
        told: Mutex<Vec<Disagreement>>,
    }

    impl Auditor for Witnessing {
        fn has_solver(&self) -> bool {
            self.answer.is_some()
        }
        fn ask(&self, script: &str, _: &Until) -> Option<bool> {
            self.asked.lock().unwrap().push(script.to_string());
            self.answer.flatten()
        }
        fn disagreement(&self, disagreement: &Disagreement) {
            self.told.lock().unwrap().push(disagreement.clone());
        }
    }

    fn recheck(answer: Option<Option<bool>>) -> (Recheck, Arc<Witnessing>) {
        let auditor = Arc::new(Witnessing { answer, ..Witnessing::default() });
        (Recheck { every: NonZeroU64::MIN, auditor: auditor.clone() }, auditor)
    }

    /// `x < y` and `y < x + 2`, which can hold together, or `y < x` as the second, which cannot.
    fn conditions(arena: &mut Arena, possible: bool) -> [TermId; 2] {
        let (x, y) = (arena.variable(VariableId(0), 32), arena.variable(VariableId(1), 32));
        let two = arena.constant(32, 2);
        let more = arena.binary(BinaryOp::Add, x, two);
        let second = if possible { arena.binary(BinaryOp::LtU, y, more) } else { arena.binary(BinaryOp::LtU, y, x) };
        [arena.binary(BinaryOp::LtU, x, y), second]
    }

    #[test]
    fn a_wrong_no_of_a_fast_layer_is_told_with_an_input() {
        let mut arena = Arena::new();
        let wrong = conditions(&mut arena, true);
        let (recheck, auditor) = recheck(None);
        assert_eq!(recheck.check(&arena, &wrong, LayerName::Order, &Until::default()), Verdict::Disagreed);
        let told = auditor.told.lock().unwrap();
        let [Disagreement { layer: LayerName::Order, by: "bit-blasting", input: Some(input), script }] = &told[..]
        else {
            panic!("{told:?}")
        };
        let mut evaluator = Evaluator::new(input.clone());
        assert!(wrong.iter().all(|&condition| evaluator.value(&arena, condition) == 1));
        assert!(script.contains("(assert (= t") && script.ends_with("(check-sat)\n"), "{script}");
    }

    #[test]
    fn a_right_no_is_confirmed() {
        let mut arena = Arena::new();
        let right = conditions(&mut arena, false);
        let (recheck, auditor) = recheck(None);
        for layer in [LayerName::Syntactic, LayerName::Order, LayerName::Linear, LayerName::Blast] {
            assert_eq!(recheck.check(&arena, &right, layer, &Until::default()), Verdict::Agreed, "{layer:?}");
        }
        assert!(auditor.told.lock().unwrap().is_empty());
    }

    #[test]
    fn bit_blasting_is_checked_by_the_auditors_solver_or_by_our_second_one() {
        let mut arena = Arena::new();
        let (wrong, right) = (conditions(&mut arena, true), conditions(&mut arena, false));
        let verdict = |answer, conditions: &[TermId]| {
            let (recheck, auditor) = recheck(answer);
            let verdict = recheck.check(&arena, conditions, LayerName::Blast, &Until::default());
            let told = auditor.told.lock().unwrap().iter().map(|told| told.by).collect::<Vec<_>>();
            (verdict, told, auditor.asked.lock().unwrap().len())
        };
        assert_eq!(verdict(Some(Some(false)), &right), (Verdict::Agreed, vec![], 1));
        assert_eq!(verdict(Some(None), &right), (Verdict::Undecided, vec![], 1));
        assert_eq!(verdict(Some(Some(true)), &right), (Verdict::Disagreed, vec!["the second solver"], 1));
        assert_eq!(verdict(None, &right), (Verdict::Agreed, vec![], 0));
        assert_eq!(verdict(None, &wrong), (Verdict::Disagreed, vec![SECOND_SOLVER], 0));
    }

    #[test]
    fn float_arithmetic_is_checked_exactly() {
        let mut arena = Arena::new();
        let x = arena.variable(VariableId(0), 64);
        let root = arena.unary(UnaryOp::FSqrt, 64, x);
        let minus_two = arena.constant(64, (-2f64).to_bits());
        let impossible = arena.binary(BinaryOp::FEq, root, minus_two);
        let (recheck, auditor) = recheck(None);
        assert_eq!(recheck.check(&arena, &[impossible], LayerName::SmallDomain, &Until::default()), Verdict::Agreed);
        assert!(auditor.told.lock().unwrap().is_empty());
    }

    #[test]
    fn every_so_manieth_is_checked_from_the_first_on() {
        let (recheck, _) = recheck(None);
        let recheck = Recheck { every: NonZeroU64::new(3).unwrap(), ..recheck };
        let sampled: Vec<u64> = (0..8).filter(|&earlier| recheck.samples(earlier)).collect();
        assert_eq!(sampled, [0, 3, 6]);
    }
}
