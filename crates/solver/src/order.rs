//! Difference constraints over bounded integers whose potential is the witness itself.
//!
//! Source: Cotton and Maler, "Fast and Flexible Difference Constraint Propagation for DPLL(T)" (SAT 2006), section 3,
//! with three changes. Repair starts from the witness, so most constraints hold at once; it goes up or down, whichever
//! end has fewer neighbours; and every node has exact bounds, so that the values found fit the width of the variable.
//!
//! Invariant: between calls every recorded constraint holds for the current values.

/// Reason of a bound that comes from the width of the variable.
pub const WIDTH: u32 = u32::MAX;
/// Reason of the constraint that is being asked about.
pub const QUERY: u32 = u32::MAX - 1;
/// Reasons from here up to [`QUERY`] stand for the choices made while splitting disequalities.
const SPLITS: u32 = u32::MAX - 1 - (1 << 20);
/// Reasons from here on, up to those above, are free for constraints that are recorded for the length of one query.
pub const PASSING: u32 = 1 << 30;
const NONE: u32 = u32::MAX;

/// A constraint between the values of one or two variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// `value(above) >= value(below) + by`.
    AtLeast { below: u32, above: u32, by: i64 },
    /// `value(other) == value(one) + by`.
    Equal { one: u32, other: u32, by: i64 },
    /// `value(other) != value(one) + by`.
    Different { one: u32, other: u32, by: i64 },
    /// `low <= value(node) <= high`.
    Within { node: u32, low: i128, high: i128 },
    /// `value(node) != value`.
    Not { node: u32, value: i128 },
}

impl Constraint {
    /// The variables that it constrains; the same one twice if there is only one.
    pub fn nodes(&self) -> (u32, u32) {
        match *self {
            Constraint::AtLeast { below, above, .. } => (below, above),
            Constraint::Equal { one, other, .. } | Constraint::Different { one, other, .. } => (one, other),
            Constraint::Within { node, .. } | Constraint::Not { node, .. } => (node, node),
        }
    }
}

/// Why a constraint could not be made true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The reasons of recorded constraints that contradict it.
    Conflict(Vec<u32>),
    /// Too many disequalities had to be split.
    Declined,
}

/// How a node reads the bits of its variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    pub width: u32,
    pub signed: bool,
}

impl Reading {
    /// Smallest and largest value.
    pub fn range(self) -> (i128, i128) {
        if self.signed { (-(1 << (self.width - 1)), (1 << (self.width - 1)) - 1) } else { (0, (1 << self.width) - 1) }
    }
    pub fn decode(self, bits: u64) -> i128 {
        if self.signed {
            pessimum_term::ops::signed(self.width, bits) as i128
        } else {
            (bits & pessimum_term::ops::mask(self.width)) as i128
        }
    }
    pub fn encode(self, value: i128) -> u64 {
        value as u64 & pessimum_term::ops::mask(self.width)
    }
}

#[derive(Clone, Copy)]
struct Bound {
    value: i128,
    reason: u32,
}

#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    reason: u32,
    by: i64,
}

/// `value(self) != value(other) + by`; `other` is [`NONE`] for a plain number.
#[derive(Clone, Copy)]
struct Apart {
    other: u32,
    reason: u32,
    by: i128,
}

struct Node {
    value: i128,
    low: Bound,
    high: Bound,
    reading: Reading,
    /// Number of recorded constraints that mention the node; at 0 its reading is open.
    uses: u32,
    /// The step of the running repair that moved the node last: who pushed it, and by which constraint.
    pushed_by: u32,
    pushed_why: u32,
    queued: bool,
    /// Whether `touched` has the node.
    listed: bool,
    up: Vec<Edge>,
    down: Vec<Edge>,
    apart: Vec<Apart>,
}

enum Undo {
    Edge { below: u32, above: u32 },
    Low { node: u32, old: Bound },
    High { node: u32, old: Bound },
    Apart { one: u32, other: u32 },
}

enum Pass {
    /// All constraints hold again; bounds are exceeded by at most this much (0: by nothing), worst at this node.
    Over(i128, u32),
    /// The node that must not move was reached: a positive cycle.
    Cycle,
}

/// The graph.
pub struct Order {
    nodes: Vec<Node>,
    undo: Vec<Undo>,
    /// Values changed by the running repair, with what they were, oldest first.
    moved: Vec<(u32, i128)>,
    queue: Vec<u32>,
    touched: Vec<u32>,
    splits_left: u32,
    /// By width.
    preferences: [Option<bool>; 65],
}

/// Disequalities split per query before the layer declines: beyond this a SAT solver is the better searcher.
const SPLIT_LIMIT: u32 = 2000;

impl Default for Order {
    fn default() -> Order {
        Order {
            nodes: Vec::new(),
            undo: Vec::new(),
            moved: Vec::new(),
            queue: Vec::new(),
            touched: Vec::new(),
            splits_left: 0,
            preferences: [None; 65],
        }
    }
}

impl Order {
    /// How equalities, which have no signedness of their own, should read variables of this width. Remembered from path
    /// to path.
    pub fn prefer(&mut self, width: u32, signed: bool) {
        self.preferences[width as usize] = Some(signed);
    }

    /// See [`Order::prefer`]. Bytes are mostly characters.
    pub fn prefers_signed(&self, width: u32) -> bool {
        self.preferences[width as usize].unwrap_or(width > 8)
    }

    /// Prepares a variable for [`Order::repair`] or [`Order::record`]. False where recorded constraints read it
    /// differently.
    pub fn prepare(&mut self, node: u32, reading: Reading, bits: u64) -> bool {
        while self.nodes.len() <= node as usize {
            let nothing = Bound { value: 0, reason: WIDTH };
            self.nodes.push(Node {
                value: 0,
                low: nothing,
                high: nothing,
                reading: Reading { width: 1, signed: false },
                uses: 0,
                pushed_by: NONE,
                pushed_why: NONE,
                queued: false,
                listed: false,
                up: Vec::new(),
                down: Vec::new(),
                apart: Vec::new(),
            });
        }
        let entry = &mut self.nodes[node as usize];
        if entry.uses > 0 {
            return entry.reading == reading;
        }
        let (low, high) = reading.range();
        entry.reading = reading;
        entry.value = reading.decode(bits);
        entry.low = Bound { value: low, reason: WIDTH };
        entry.high = Bound { value: high, reason: WIDTH };
        true
    }

    /// How recorded constraints read the variable.
    pub fn reading(&self, node: u32) -> Option<Reading> {
        self.nodes.get(node as usize).filter(|entry| entry.uses > 0).map(|entry| entry.reading)
    }

    /// The bounds of a variable from recorded constraints, each with its reason.
    pub fn bounds(&self, node: u32) -> Option<[(i128, u32); 2]> {
        let entry = self.nodes.get(node as usize).filter(|entry| entry.uses > 0)?;
        Some([(entry.low.value, entry.low.reason), (entry.high.value, entry.high.reason)])
    }

    /// Follows a change of the witness that another layer made.
    pub fn follow(&mut self, node: u32, bits: u64) {
        if let Some(entry) = self.nodes.get_mut(node as usize)
            && entry.uses > 0
        {
            entry.value = entry.reading.decode(bits);
        }
    }

    /// A point to which [`Order::undo_to`] returns.
    pub fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Records a constraint that holds; `reason` names it in cores.
    pub fn record(&mut self, constraint: &Constraint, reason: u32) {
        match *constraint {
            Constraint::AtLeast { below, above, by } => self.add_edge(below, above, by, reason),
            Constraint::Equal { one, other, by } => {
                self.add_edge(one, other, by, reason);
                self.add_edge(other, one, -by, reason);
            }
            Constraint::Different { one, other, by } => {
                let by = by as i128;
                self.use_node(one);
                self.use_node(other);
                self.nodes[other as usize].apart.push(Apart { other: one, reason, by });
                self.nodes[one as usize].apart.push(Apart { other, reason, by: -by });
                self.undo.push(Undo::Apart { one, other });
            }
            Constraint::Within { node, low, high } => {
                // The lower bound is always recorded, so that the node counts as used even where no bound is tighter.
                self.use_node(node);
                let entry = &mut self.nodes[node as usize];
                self.undo.push(Undo::Low { node, old: entry.low });
                if low > entry.low.value {
                    entry.low = Bound { value: low, reason };
                }
                if high < entry.high.value {
                    self.use_node(node);
                    let entry = &mut self.nodes[node as usize];
                    self.undo.push(Undo::High { node, old: entry.high });
                    entry.high = Bound { value: high, reason };
                }
            }
            Constraint::Not { node, value } => {
                self.use_node(node);
                self.nodes[node as usize].apart.push(Apart { other: NONE, reason, by: value });
                self.undo.push(Undo::Apart { one: node, other: NONE });
            }
        }
    }

    fn add_edge(&mut self, below: u32, above: u32, by: i64, reason: u32) {
        self.use_node(below);
        self.use_node(above);
        self.nodes[below as usize].up.push(Edge { to: above, reason, by });
        self.nodes[above as usize].down.push(Edge { to: below, reason, by });
        self.undo.push(Undo::Edge { below, above });
    }

    fn use_node(&mut self, node: u32) {
        let entry = &mut self.nodes[node as usize];
        if !entry.listed {
            entry.listed = true;
            self.touched.push(node);
        }
        entry.uses += 1;
    }

    /// Forgets the constraints recorded since the mark. Values stay.
    pub fn undo_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            match self.undo.pop().expect("longer than the mark") {
                Undo::Edge { below, above } => {
                    let entry = &mut self.nodes[below as usize];
                    entry.up.pop();
                    entry.uses -= 1;
                    let entry = &mut self.nodes[above as usize];
                    entry.down.pop();
                    entry.uses -= 1;
                }
                Undo::Low { node, old } => {
                    let entry = &mut self.nodes[node as usize];
                    entry.low = old;
                    entry.uses -= 1;
                }
                Undo::High { node, old } => {
                    let entry = &mut self.nodes[node as usize];
                    entry.high = old;
                    entry.uses -= 1;
                }
                Undo::Apart { one, other } => {
                    for node in [one, other] {
                        if node != NONE {
                            let entry = &mut self.nodes[node as usize];
                            entry.apart.pop();
                            entry.uses -= 1;
                        }
                    }
                }
            }
        }
    }

    /// Forgets everything, in time proportional to the variables used since the last time.
    pub fn clear(&mut self) {
        self.undo.clear();
        for node in self.touched.drain(..) {
            let entry = &mut self.nodes[node as usize];
            entry.uses = 0;
            entry.listed = false;
            entry.up.clear();
            entry.down.clear();
            entry.apart.clear();
        }
    }

    /// Moves values so that the constraint holds together with all recorded ones. On success the changed nodes wait in
    /// [`Order::changes`] for [`Order::restore`]; on refusal nothing has changed.
    pub fn repair(&mut self, constraint: &Constraint) -> Result<(), Refusal> {
        self.moved.clear();
        self.splits_left = SPLIT_LIMIT;
        let mark = self.mark();
        let outcome = self.repair_all(constraint);
        self.undo_to(mark);
        if outcome.is_err() {
            self.restore();
        }
        outcome
    }

    /// The changed nodes and the bits of their variables. A node may occur twice, with the same bits.
    pub fn changes(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.moved.iter().map(|&(node, _)| {
            let entry = &self.nodes[node as usize];
            (node, entry.reading.encode(entry.value))
        })
    }

    /// Takes the values of the last successful repair back.
    pub fn restore(&mut self) {
        self.restore_to(0);
    }

    /// Keeps the values of the last successful repair, so that further ones start from them; what they were goes to the
    /// end of the trail, for [`Order::rewind`].
    pub fn keep(&mut self, trail: &mut Vec<(u32, i128)>) {
        trail.append(&mut self.moved);
    }

    /// Takes back everything that was kept.
    pub fn rewind(&mut self, trail: &mut Vec<(u32, i128)>) {
        for (node, old) in trail.drain(..).rev() {
            self.nodes[node as usize].value = old;
        }
    }

    /// The bits that a node stands for at the moment.
    pub fn bits(&self, node: u32) -> u64 {
        let entry = &self.nodes[node as usize];
        entry.reading.encode(entry.value)
    }

    fn restore_to(&mut self, mark: usize) {
        for (node, old) in self.moved.drain(mark..).rev() {
            self.nodes[node as usize].value = old;
        }
    }

    fn repair_all(&mut self, constraint: &Constraint) -> Result<(), Refusal> {
        let (one, other) = constraint.nodes();
        match *constraint {
            Constraint::AtLeast { below, above, by } => self.make_at_least(below, above, by, QUERY)?,
            Constraint::Equal { one, other, by } => {
                self.make_at_least(one, other, by, QUERY)?;
                self.add_edge(one, other, by, QUERY);
                self.make_at_least(other, one, -by, QUERY)?;
            }
            Constraint::Within { node, low, high } => {
                self.make_within(node, low, high, QUERY)?;
                // Both ends must be in force while disequalities are split.
                self.record(constraint, QUERY);
            }
            Constraint::Different { .. } | Constraint::Not { .. } => {
                self.record(constraint, QUERY);
                return self.split(&[one, other], 0);
            }
        }
        if self.moved.iter().any(|&(node, _)| !self.nodes[node as usize].apart.is_empty()) {
            if !matches!(constraint, Constraint::Within { .. }) {
                self.record(constraint, QUERY);
            }
            return self.split(&[], 0);
        }
        Ok(())
    }

    /// Raises `above`, lowers `below`, or both, until `value(above) >= value(below) + by`.
    ///
    /// Exact: raising `above` to its target shows by how much it would leave the bounds; `below` must come down by
    /// that much, and if its own bounds forbid that, the two chains together are the contradiction.
    fn make_at_least(&mut self, below: u32, above: u32, by: i64, reason: u32) -> Result<(), Refusal> {
        let by = by as i128;
        if self.nodes[above as usize].value >= self.nodes[below as usize].value + by {
            return Ok(());
        }
        let up_first = self.nodes[above as usize].up.len() <= self.nodes[below as usize].down.len();
        let mark = self.moved.len();
        let first = if up_first {
            let target = self.nodes[below as usize].value + by;
            self.push::<true>(above, target, below)
        } else {
            let target = self.nodes[above as usize].value - by;
            self.push::<false>(below, target, above)
        };
        let (excess, worst) = match first {
            Pass::Over(excess, worst) => (excess, worst),
            Pass::Cycle => {
                let mut core = vec![reason];
                self.trace(if up_first { below } else { above }, &mut core);
                return Err(Refusal::Conflict(core));
            }
        };
        if excess == 0 {
            return Ok(());
        }
        let mut core = vec![reason];
        self.trace_to_bound(worst, up_first, &mut core);
        self.restore_to(mark);
        let second = if up_first {
            let target = self.nodes[below as usize].value - excess;
            self.push::<false>(below, target, NONE)
        } else {
            let target = self.nodes[above as usize].value + excess;
            self.push::<true>(above, target, NONE)
        };
        if let Pass::Over(missing, worst) = second
            && missing > 0
        {
            self.trace_to_bound(worst, !up_first, &mut core);
            return Err(Refusal::Conflict(core));
        }
        if up_first {
            let target = self.nodes[below as usize].value + by;
            if self.nodes[above as usize].value < target {
                self.push::<true>(above, target, NONE);
            }
        } else {
            let target = self.nodes[above as usize].value - by;
            if self.nodes[below as usize].value > target {
                self.push::<false>(below, target, NONE);
            }
        }
        Ok(())
    }

    fn make_within(&mut self, node: u32, low: i128, high: i128, reason: u32) -> Result<(), Refusal> {
        let value = self.nodes[node as usize].value;
        if low > high {
            return Err(Refusal::Conflict(vec![reason]));
        }
        let up = value < low;
        let pass = if up {
            self.push::<true>(node, low, NONE)
        } else if value > high {
            self.push::<false>(node, high, NONE)
        } else {
            return Ok(());
        };
        match pass {
            Pass::Over(0, _) => Ok(()),
            Pass::Over(_, worst) => {
                let mut core = vec![reason];
                self.trace_to_bound(worst, up, &mut core);
                Err(Refusal::Conflict(core))
            }
            Pass::Cycle => unreachable!("no node was forbidden to move"),
        }
    }

    /// Sets a node to a value further up (or down) and moves its neighbours as far as they must. First in, first out:
    /// at most as many rounds as there are nodes (Bellman and Ford).
    fn push<const UP: bool>(&mut self, start: u32, target: i128, fixed: u32) -> Pass {
        self.queue.clear();
        let (mut excess, mut worst) = (0, start);
        let entry = &mut self.nodes[start as usize];
        self.moved.push((start, entry.value));
        entry.value = target;
        entry.pushed_by = NONE;
        excess = excess.max(if UP { target - entry.high.value } else { entry.low.value - target });
        self.queue.push(start);
        let mut head = 0;
        while head < self.queue.len() {
            let from = self.queue[head];
            head += 1;
            self.nodes[from as usize].queued = false;
            let value = self.nodes[from as usize].value;
            let edges = if UP { self.nodes[from as usize].up.len() } else { self.nodes[from as usize].down.len() };
            for index in 0..edges {
                let entry = &self.nodes[from as usize];
                let edge = if UP { entry.up[index] } else { entry.down[index] };
                let needed = if UP { value + edge.by as i128 } else { value - edge.by as i128 };
                let neighbour = &mut self.nodes[edge.to as usize];
                if if UP { needed <= neighbour.value } else { needed >= neighbour.value } {
                    continue;
                }
                neighbour.pushed_by = from;
                neighbour.pushed_why = edge.reason;
                if edge.to == fixed {
                    for &waiting in &self.queue[head..] {
                        self.nodes[waiting as usize].queued = false;
                    }
                    return Pass::Cycle;
                }
                self.moved.push((edge.to, neighbour.value));
                neighbour.value = needed;
                let over = if UP { needed - neighbour.high.value } else { neighbour.low.value - needed };
                if over > excess {
                    excess = over;
                    worst = edge.to;
                }
                if !neighbour.queued {
                    neighbour.queued = true;
                    self.queue.push(edge.to);
                }
            }
        }
        Pass::Over(excess, worst)
    }

    /// Adds the reasons of the pushes that moved this node.
    fn trace(&self, mut node: u32, core: &mut Vec<u32>) {
        loop {
            let entry = &self.nodes[node as usize];
            if entry.pushed_by == NONE {
                return;
            }
            core.push(entry.pushed_why);
            node = entry.pushed_by;
        }
    }

    fn trace_to_bound(&self, node: u32, upper: bool, core: &mut Vec<u32>) {
        let entry = &self.nodes[node as usize];
        let reason = if upper { entry.high.reason } else { entry.low.reason };
        if reason != WIDTH {
            core.push(reason);
        }
        self.trace(node, core);
    }

    /// Makes all disequalities of moved nodes hold by choosing a side for each violated one, depth first.
    fn split(&mut self, also: &[u32], depth: u32) -> Result<(), Refusal> {
        let Some((node, apart)) = self.violated(also) else { return Ok(()) };
        if self.splits_left == 0 || depth == 200 {
            return Err(Refusal::Declined);
        }
        self.splits_left -= 1;
        let choice = SPLITS + depth;
        let up_first = self.nodes[node as usize].up.len() <= self.nodes[node as usize].down.len();
        let mut cores = vec![apart.reason];
        for up in [up_first, !up_first] {
            let (values, constraints) = (self.moved.len(), self.mark());
            let side = side_of(node, &apart, up);
            let outcome = match side {
                None => Err(Refusal::Declined),
                Some(Constraint::Within { node, low, high }) => self.make_within(node, low, high, choice),
                Some(Constraint::AtLeast { below, above, by }) => self.make_at_least(below, above, by, choice),
                Some(_) => unreachable!("a side is a bound or an edge"),
            };
            let outcome = outcome.and_then(|()| {
                self.record(&side.expect("declined otherwise"), choice);
                self.split(also, depth + 1)
            });
            match outcome {
                Ok(()) => return Ok(()),
                Err(Refusal::Declined) => return Err(Refusal::Declined),
                Err(Refusal::Conflict(core)) => {
                    self.undo_to(constraints);
                    self.restore_to(values);
                    if !core.contains(&choice) {
                        return Err(Refusal::Conflict(core));
                    }
                    cores.extend(core.into_iter().filter(|&reason| reason != choice));
                }
            }
        }
        Err(Refusal::Conflict(cores))
    }

    fn violated(&self, also: &[u32]) -> Option<(u32, Apart)> {
        let moved = self.moved.iter().map(|&(node, _)| node);
        moved.chain(also.iter().copied()).find_map(|node| {
            let entry = &self.nodes[node as usize];
            let clash = entry.apart.iter().find(|apart| {
                let other = if apart.other == NONE { 0 } else { self.nodes[apart.other as usize].value };
                entry.value == other + apart.by
            });
            clash.map(|&apart| (node, apart))
        })
    }
}

/// One side of a disequality; `None` where the weight leaves the range of weights.
fn side_of(node: u32, apart: &Apart, up: bool) -> Option<Constraint> {
    if apart.other == NONE {
        let (low, high) = if up { (apart.by + 1, i128::MAX) } else { (i128::MIN, apart.by - 1) };
        return Some(Constraint::Within { node, low, high });
    }
    let by = i64::try_from(apart.by).ok()?;
    if up {
        Some(Constraint::AtLeast { below: apart.other, above: node, by: by.checked_add(1)? })
    } else {
        Some(Constraint::AtLeast { below: node, above: apart.other, by: by.checked_neg()?.checked_add(1)? })
    }
}
