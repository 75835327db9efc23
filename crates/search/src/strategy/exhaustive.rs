//! All feasible paths, in several orders: WISE's `SymbolicTestGen` (Burnim, Juvekar, Sen, ICSE 2009, section 3) and the
//! DFS and breadth-first baselines of the later papers.

use super::{Declaration, OptionDeclaration, OptionKind, Options, Purpose, Strategy};
use crate::frontier::{BreadthFirst, Flip, Frontier};
use crate::generation::{Generation, Passed};
use crate::kernel::{Kernel, Outcome, Point, Start};
use crate::program::Arm;
use crate::search::{Finished, Search};
use crate::walk::{AllArms, ArmOrder, Walker, walk};
use std::rc::Rc;

/// Depth first, true before false.
pub const EXHAUSTIVE: Declaration = Declaration {
    name: "exhaustive",
    summary: "every path, depth first",
    citation: Some("Burnim, Juvekar, Sen, ICSE 2009, section 3"),
    options: &[],
    learns: false,
    purpose: Purpose::Either,
    counts_paths: true,
    make: |_| Ok(Box::new(Exhaustive::new(Order::Depth(ArmOrder::TrueFirst)))),
};

/// Depth first, in an order that can be chosen.
pub const DFS: Declaration = Declaration {
    name: "dfs",
    summary: "every path, depth first, the sides of each branch in the order that --order says",
    options: &[ORDER],
    counts_paths: false,
    make: |options| Ok(Box::new(Exhaustive::new(Order::Depth(arm_order(options, ArmOrder::Random)?)))),
    ..EXHAUSTIVE
};

/// Which arm of a decision is followed first.
pub(super) const ORDER: OptionDeclaration = OptionDeclaration {
    name: "order",
    value: "ORDER",
    kind: OptionKind::Word(&["random", "0", "1"]),
    default: None,
    neutral: None,
    help: "which side of a branch comes first: 0 (false), 1 (true) or random [default: random for dfs, 1 for others]",
};

/// What the options say about the order of arms.
pub(super) fn arm_order(options: &Options, default: ArmOrder) -> Result<ArmOrder, String> {
    Ok(match options.given_word(&ORDER)? {
        None => default,
        Some("0") => ArmOrder::FalseFirst,
        Some("1") => ArmOrder::TrueFirst,
        Some(_) => ArmOrder::Random,
    })
}

/// Breadth first.
pub const BFS: Declaration = Declaration {
    name: "bfs",
    summary: "every path, breadth first",
    counts_paths: false,
    make: |_| Ok(Box::new(Exhaustive::new(Order::Breadth))),
    ..EXHAUSTIVE
};

/// The baseline of the Fitnex paper: the open decision of least depth first, which is [`BFS`] under that paper's name.
pub const ITERATIVE_DEEPENING: Declaration = Declaration {
    name: "iterative-deepening",
    summary: "every path, the open branch of least depth first: bfs, as the Fitnex paper calls it",
    citation: Some("Xie, Tillmann, de Halleux, Schulte, DSN 2009, section 4"),
    ..BFS
};

/// Depth first under a growing limit: little memory, and short paths first.
pub const DOUBLING_DFS: Declaration = Declaration {
    name: "doubling-dfs",
    summary: "every path, depth first, with a limit on the decisions that doubles",
    citation: None,
    counts_paths: false,
    make: |_| Ok(Box::new(Exhaustive::new(Order::Deepening(1)))),
    ..EXHAUSTIVE
};

/// The order in which paths are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Depth first, without executing anything twice.
    Depth(ArmOrder),
    /// The open decision of least depth first. Each path is a run of its own.
    Breadth,
    /// Depth first with a limit on the number of decisions that doubles from this one.
    Deepening(usize),
}

/// Visits every feasible path.
#[derive(Clone, Copy, Debug)]
pub struct Exhaustive {
    /// The order.
    pub order: Order,
    /// How many values of a value decision are followed at most; more are counted and make the search incomplete.
    pub values: usize,
}

/// Enough for a page of byte addresses; larger sets are searched better by sampling.
const VALUES: usize = 4096;

impl Exhaustive {
    /// With the usual limit on values.
    pub fn new(order: Order) -> Exhaustive {
        Exhaustive { order, values: VALUES }
    }
}

impl Strategy for Exhaustive {
    fn search(&mut self, search: &mut Search<'_>) -> Finished {
        match self.order {
            Order::Depth(order) => {
                let mut walker = AllArms::new(order, search.random.split(), self.values);
                walk(search, &Start::default(), &mut walker)
            }
            Order::Breadth => breadth(search, self.values),
            Order::Deepening(first) => deepening(search, first, self.values),
        }
    }
}

/// Follows every feasible arm down to a depth. Paths that an earlier, smaller limit let through are not counted again.
struct Deepening {
    all: AllArms,
    seen: Option<usize>,
    limit: usize,
    cut: bool,
}

impl Walker for Deepening {
    fn arms(&mut self, point: &mut Point<'_, '_>, arms: &mut Vec<Arm>) {
        if point.depth() >= self.limit {
            self.cut = true;
        } else {
            self.all.arms(point, arms);
        }
    }

    fn ended(&mut self, kernel: &Kernel<'_>) -> bool {
        self.seen.is_none_or(|seen| kernel.decisions().len() > seen)
    }
}

fn deepening(search: &mut Search<'_>, first: usize, values: usize) -> Finished {
    let all = AllArms::new(ArmOrder::TrueFirst, search.random.split(), values);
    let mut walker = Deepening { all, seen: None, limit: first.max(1), cut: false };
    loop {
        walker.cut = false;
        let finished = walk(search, &Start::default(), &mut walker);
        if finished == Finished::Partly || !walker.cut {
            return finished;
        }
        walker.seen = Some(walker.limit);
        walker.limit *= 2;
    }
}

fn breadth(search: &mut Search<'_>, values: usize) -> Finished {
    let keep_terms = std::mem::replace(&mut search.kernel.keep_terms, false);
    let finished = explore(search, &mut BreadthFirst::default(), values);
    search.kernel.kept = 0;
    search.kernel.keep_terms = keep_terms;
    finished
}

/// Follows open flips in the frontier's order until it declines: each is run to its end along the witness, and the
/// arms passed on the way become open flips in turn. Whether a flip is feasible is checked when its turn comes.
pub fn explore(search: &mut Search<'_>, frontier: &mut dyn Frontier, values: usize) -> Finished {
    let mut generation = Generation::new(values);
    let mut next: Option<Flip> = None;
    loop {
        if search.stop().is_some() {
            return Finished::Partly;
        }
        if let Outcome::Stopped(_) = generation.run(search, next.as_ref(), &mut |_| {}) {
            return Finished::Partly;
        }
        if !generation.passed().is_empty() {
            let trail = generation.trail(search);
            for &Passed { depth, site, arm } in generation.passed() {
                frontier.add(Flip { trail: Rc::clone(&trail), depth, site, arm });
            }
        }
        // Half of the memory is for the paths themselves.
        while search.kernel.meter.is_full(frontier.bytes(), 2) {
            match frontier.halve() {
                0 => break,
                dropped => search.kernel.counters.dropped += dropped,
            }
        }
        search.kernel.kept = frontier.bytes();
        next = frontier.next();
        if next.is_none() {
            return Finished::Everything;
        }
    }
}
