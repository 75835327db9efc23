//! Where the cost of one concrete run arises: by calling context, by function, by instruction and by site.
//!
//! [`Subject::profile`] runs in a domain of its own, whose hooks the run loop calls where control leaves its straight
//! line; other domains have no hooks, and their code is as if none existed. Counting is exact: a run is a sequence of
//! stretches in text order, each from where it was entered (exclusive) to where it was left (inclusive), which is how
//! the machine counts instructions as well.

use std::collections::BTreeMap;
use std::sync::Arc;

use pessimum_term::{BinaryOp, UnaryOp, VariableId, Witness};
use rustc_hash::FxHashMap;

use pessimum_input::GuestValue;
use pessimum_outcome::Costs;

use crate::domain::{Concrete, Domain};
use crate::embed::{Process, ProcessEnd, ProcessEvent, Subject, SubjectError};
use crate::machine::{Event, Limits, Machine};
use crate::memory::Flat;
use crate::module::Module;
use crate::names::{Place, Places, SourceLine, SourceLines};

/// The call tree keeps this many levels apart even where a function calls itself. A deeper call of a function that is
/// already on the stack counts in its innermost node there: nobody could read a tree of 65,536 levels.
const RECURSION_LEVELS: u32 = 64;

/// A call tree has at most this many nodes. Later contexts count in one node per function below the root.
const MAX_NODES: usize = 20_000;

/// What a node, or a whole run, costs by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Executed instructions.
    pub instructions: u64,
    /// Executed `if`, `br_if` and `br_table`.
    pub branches: u64,
    /// How often it was called.
    pub calls: u64,
    /// The cost that the program itself reported while this was the innermost function.
    pub user: u64,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.instructions += other.instructions;
        self.branches += other.branches;
        self.calls += other.calls;
        self.user = self.user.saturating_add(other.user);
    }
}

/// A function in one calling context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallNode {
    /// Index of the function in the module, imports first.
    pub function: u32,
    /// Index of the caller's node; `None` for the function called from outside. Always smaller than this node's own.
    pub parent: Option<u32>,
    /// Levels below the function called from outside.
    pub level: u32,
    /// Its own counts, without those of the functions that it called.
    pub own: Counts,
    /// Its own counts and those of all nodes below.
    pub total: Counts,
}

/// A function over all contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionProfile {
    /// Index of the function in the module, imports first.
    pub function: u32,
    /// Its own counts.
    pub own: Counts,
    /// Instructions executed while it was on the call stack; recursion counts once.
    pub total_instructions: u64,
}

/// A source line over all contexts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineProfile {
    /// File, line, and the function whose text it is. The column is 0: one entry per line.
    pub place: SourceLine,
    /// Instructions executed for this line.
    pub instructions: u64,
    /// Executions of its most executed instruction.
    pub times: u64,
    /// Instructions executed for this line and by what it called; recursion counts once.
    pub total: u64,
}

/// Where the cost of a run arises.
#[derive(Clone, Debug)]
pub struct Profile {
    /// How the run ended.
    pub end: ProcessEnd<u64>,
    /// What it cost, as every concrete run counts it.
    pub costs: Costs,
    /// The call tree, callers before callees; empty if nothing was called.
    pub calls: Vec<CallNode>,
    /// Calls that were counted in a node other than that of their full context.
    pub folded_calls: u64,
    /// Functions that were called, by index.
    pub functions: Vec<FunctionProfile>,
    /// Offset in the module's bytes and number of executions of every instruction that was executed, by offset.
    pub instructions: Vec<(u32, u64)>,
    /// Offset of every instruction that moved many bytes, and what that cost beyond its executions, by offset.
    pub moved: Vec<(u32, u64)>,
    /// By offset of the call, the instructions of its callees, without calls of the same line that were open already.
    pub callees: Vec<(u32, u64)>,
    /// Executions of every site, by [`crate::SiteId`].
    pub sites: Vec<u64>,
    /// How often each arm was taken, by [`crate::Site::first_arm`].
    pub arms: Vec<u64>,
    /// The inputs that the program itself asked for.
    pub asked: Vec<GuestValue>,
    /// WASI functions that are not provided and how often each was called.
    pub unsupported: BTreeMap<&'static str, u64>,
}

impl Profile {
    /// Source lines, the most expensive first, and the instructions for which the module names no line.
    ///
    /// What has no line of its own is charged to the text that surrounds it: to the line of the last executed
    /// instruction before it that comes from the same inlined copy of a function, or the next one after it if that was
    /// executed as often, as in the same loop. The place of the call, which is all that is known otherwise, would get
    /// the cost of a loop that was inlined there.
    pub fn lines(&self, lines: &SourceLines<'_>) -> (Vec<LineProfile>, u64) {
        let own = self.instructions.iter().chain(&self.moved).map(|&(_, instructions)| instructions);
        if !lines.present() {
            return (Vec::new(), own.sum());
        }
        let mut found: FxHashMap<(u32, u32), LineProfile> = FxHashMap::default();
        let mut unknown = 0;
        let mut named = Places::of(lines);
        let places: Vec<Place> = self.instructions.iter().map(|&(offset, _)| named.at(u64::from(offset))).collect();
        let (before, after) = (surrounding(&places, 0..places.len()), surrounding(&places, (0..places.len()).rev()));
        let charged = |offset: u32| {
            let at = self.instructions.binary_search_by_key(&offset, |&(offset, _)| offset).ok()?;
            let as_often = |other: &usize| self.instructions[*other].1 == self.instructions[at].1;
            let from = before[at].filter(as_often).or(after[at].filter(as_often)).or(before[at]).or(after[at]);
            places[from.unwrap_or(at)].innermost.map(|line| (line, places[at].has_own_line))
        };
        let executed = self.instructions.iter().map(|&(offset, times)| (offset, times, times));
        let moved = self.moved.iter().map(|&(offset, instructions)| (offset, 0, instructions));
        let called = self.callees.iter().map(|&(offset, instructions)| (offset, 0, 0, instructions));
        let own = executed.chain(moved).map(|(offset, times, own)| (offset, times, own, own));
        for (offset, times, instructions, total) in own.chain(called) {
            let Some((line, is_own)) = charged(offset) else {
                unknown += instructions;
                continue;
            };
            let new = || LineProfile { place: named.line(line), instructions: 0, times: 0, total: 0 };
            let entry = found.entry((line.file, line.line)).or_insert_with(new);
            entry.instructions += instructions;
            entry.total = (entry.total + total).min(self.costs.instructions);
            if is_own {
                entry.times = entry.times.max(times);
            }
        }
        let mut found: Vec<LineProfile> = found.into_values().collect();
        found.sort_by(|a, b| {
            b.instructions
                .cmp(&a.instructions)
                .then_with(|| (&a.place.file, a.place.line).cmp(&(&b.place.file, b.place.line)))
        });
        (found, unknown)
    }
}

/// For each place the last one that has a line of its own, up to it in this order, in the same inlined copy of a
/// function.
fn surrounding(places: &[Place], order: impl Iterator<Item = usize>) -> Vec<Option<usize>> {
    let mut found = vec![None; places.len()];
    let mut last: FxHashMap<u32, usize> = FxHashMap::default();
    let mut function = None;
    for at in order {
        let place = &places[at];
        // Functions follow each other in the module, and each numbers its bodies anew.
        if function != Some(place.function) {
            function = Some(place.function);
            last.clear();
        }
        if place.has_own_line {
            last.insert(place.bodies, at);
        }
        found[at] = last.get(&place.bodies).copied();
    }
    found
}

impl Subject {
    /// Runs on this input within these limits and counts where the cost arises. This takes about twice as long as an
    /// ordinary run.
    pub fn profile(&self, witness: Witness, limits: Limits) -> Result<Profile, SubjectError> {
        self.profile_while(witness, limits, &mut || true)
    }

    /// The same as long as `go_on` says so; see [`Process::run_while`].
    pub fn profile_while(
        &self,
        witness: Witness,
        limits: Limits,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Profile, SubjectError> {
        let lines = SourceLines::of(self.module());
        let probe = Probe::new(self.module(), &lines);
        let mut domain = Profiled { concrete: Concrete { witness }, probe, counted: None };
        let mut process = Process::<Profiled<'_>>::new(self)?;
        *process.limits_mut() = limits;
        let event = match process.prepare_while(&mut domain, go_on) {
            Some(event) => event,
            None => {
                // The costs of a run start with the call.
                domain.probe = Probe::new(self.module(), &lines);
                process.run_while(&mut domain, go_on)
            }
        };
        let ProcessEvent::End(end) = event else {
            unreachable!("every value of a concrete run is known, but it asked {event:?}")
        };
        let mut probe = domain.counted.unwrap_or(domain.probe);
        probe.finish();
        let module = self.module();
        let (machine, instance) = process.machine();
        let sites = (0..module.sites().len() as u32).map(|site| machine.site_hits(instance, crate::SiteId(site)));
        Ok(Profile {
            end,
            costs: process.costs(),
            folded_calls: probe.folded_calls,
            functions: probe.functions(),
            instructions: probe.executions.by_offset(),
            moved: probe.moved.into_iter().collect(),
            callees: probe.callees.into_iter().filter(|(_, instructions)| *instructions > 0).collect(),
            sites: sites.collect(),
            arms: machine.arm_counts(instance).to_vec(),
            asked: process.asked(),
            unsupported: process.unsupported().clone(),
            calls: probe.nodes,
        })
    }
}

/// A function that has not returned.
#[derive(Clone)]
struct Open {
    /// Index of the function in the module.
    function: u32,
    node: u32,
    /// Index of its first instruction among the counted ones of the module.
    counted: u32,
    /// Where the current stretch was entered: counted instructions in text order.
    entered: u32,
    /// Whether no outer call of the same function is open.
    outermost: bool,
    /// Instructions executed before the call.
    before: u64,
    /// Offset of the call and the number of its line.
    site: Option<(u32, u32)>,
    /// Whether no outer call of the same line is open.
    first_of_line: bool,
}

#[derive(Clone, Copy, Default)]
struct OfFunction {
    /// Innermost node of this function on the stack, and how many of its calls are open.
    innermost: u32,
    open: u32,
    total_instructions: u64,
    /// The node for contexts beyond [`MAX_NODES`].
    elsewhere: Option<u32>,
}

/// What the run loop reports.
#[derive(Clone)]
struct Probe<'m> {
    module: Arc<Module>,
    executed: u64,
    nodes: Vec<CallNode>,
    children: FxHashMap<(u32, u32), u32>,
    folded_calls: u64,
    open: Vec<Open>,
    /// For each open call, what `innermost` was before it.
    shadowed: Vec<u32>,
    of_function: Vec<OfFunction>,
    executions: Executions,
    /// By offset, what moving many bytes cost.
    moved: BTreeMap<u32, u64>,
    /// The node of the imported function that was called last.
    last_host: Option<u32>,
    /// By offset of the call, what its callees cost.
    callees: BTreeMap<u32, u64>,
    lines: &'m SourceLines<'m>,
    /// Numbers of the lines of calls, by offset of the call and by file and line.
    line_of_call: FxHashMap<u32, u32>,
    line_numbers: FxHashMap<(String, u32), u32>,
    /// By number of a line, how many calls of it are open.
    open_lines: FxHashMap<u32, u32>,
}

/// How often each instruction of a module was executed, counted by stretches.
#[derive(Clone)]
pub(crate) struct Executions {
    module: Arc<Module>,
    /// For each counted instruction of the module, executions minus those of the one before it, modulo 2^64.
    differences: Vec<u64>,
}

impl Executions {
    pub(crate) fn new(module: &Arc<Module>) -> Executions {
        Executions { module: module.clone(), differences: vec![0; module.counted.len() + 1] }
    }

    /// A stretch of the function whose first counted instruction is `counted`, from `entered` (exclusive) to `last`
    /// (inclusive) in text order.
    #[inline]
    pub(crate) fn stretch(&mut self, counted: u32, entered: u32, last: u32) {
        let first = &mut self.differences[(counted + entered) as usize];
        *first = first.wrapping_add(1);
        let after = &mut self.differences[(counted + last) as usize];
        *after = after.wrapping_sub(1);
    }

    /// One execution less of the instruction that is the `last` one of this function in text order.
    pub(crate) fn take_back(&mut self, counted: u32, last: u32) {
        if let Some(before) = last.checked_sub(1) {
            let first = &mut self.differences[(counted + before) as usize];
            *first = first.wrapping_sub(1);
            let after = &mut self.differences[(counted + last) as usize];
            *after = after.wrapping_add(1);
        }
    }

    /// Offset and executions of every instruction that was executed, by offset.
    pub(crate) fn by_offset(&self) -> Vec<(u32, u64)> {
        let mut times = 0u64;
        let mut executions = Vec::new();
        for (&offset, &difference) in self.module.counted.iter().zip(&self.differences) {
            times = times.wrapping_add(difference);
            if times > 0 {
                executions.push((offset, times));
            }
        }
        executions
    }
}

impl<'m> Probe<'m> {
    fn new(module: &Arc<Module>, lines: &'m SourceLines<'m>) -> Probe<'m> {
        Probe {
            module: module.clone(),
            executed: 0,
            nodes: Vec::new(),
            children: FxHashMap::default(),
            folded_calls: 0,
            open: Vec::new(),
            shadowed: Vec::new(),
            of_function: vec![OfFunction::default(); module.functions.len()],
            executions: Executions::new(module),
            moved: BTreeMap::new(),
            last_host: None,
            callees: BTreeMap::new(),
            lines,
            line_of_call: FxHashMap::default(),
            line_numbers: FxHashMap::default(),
            open_lines: FxHashMap::default(),
        }
    }

    /// The call that the innermost open function makes: its offset, and a number for its line. A call without a line is one
    /// of its own.
    fn call_site(&mut self) -> Option<(u32, u32)> {
        let caller = self.open.last()?;
        let at = caller.counted + caller.entered.checked_sub(1)?;
        let offset = self.module.counted[at as usize];
        if let Some(&number) = self.line_of_call.get(&offset) {
            return Some((offset, number));
        }
        let line = self.lines.line(u64::from(offset)).map_or((String::new(), offset), |line| (line.file, line.line));
        let next = self.line_numbers.len() as u32;
        let number = *self.line_numbers.entry(line).or_insert(next);
        self.line_of_call.insert(offset, number);
        Some((offset, number))
    }

    /// Counts a call of a line as open. Returns whether it is the only one.
    fn open_line(&mut self, site: Option<(u32, u32)>) -> bool {
        let Some((_, line)) = site else { return false };
        let open = self.open_lines.entry(line).or_insert(0);
        *open += 1;
        *open == 1
    }

    /// As new, in the same calls.
    fn restart(&mut self) {
        let mut new = Probe::new(&self.module, self.lines);
        new.line_of_call = std::mem::take(&mut self.line_of_call);
        new.line_numbers = std::mem::take(&mut self.line_numbers);
        for open in &self.open {
            let node = new.node(open.function);
            let of_function = &mut new.of_function[open.function as usize];
            new.shadowed.push(of_function.innermost);
            of_function.innermost = node;
            of_function.open += 1;
            let first_of_line = new.open_line(open.site);
            new.open.push(Open { node, before: 0, first_of_line, ..open.clone() });
        }
        *self = new;
    }

    /// What was counted so far, without the call of an imported function that has just been made.
    fn without_last_call(&self, called: Option<u32>) -> Probe<'m> {
        let mut probe = self.clone();
        if let Some(open) = probe.open.last() {
            probe.executed = probe.executed.saturating_sub(1);
            let own = &mut probe.nodes[open.node as usize].own;
            own.instructions = own.instructions.saturating_sub(1);
            probe.executions.take_back(open.counted, open.entered);
        }
        if let Some(node) = called {
            let calls = &mut probe.nodes[node as usize].own.calls;
            *calls = calls.saturating_sub(1);
            // It has no callees, and nothing was called after it.
            if *calls == 0 && node as usize + 1 == probe.nodes.len() {
                probe.nodes.pop();
            }
        }
        probe
    }

    /// The node for a call of the function from the innermost open call.
    fn node(&mut self, function: u32) -> u32 {
        let parent = self.open.last().map(|open| open.node);
        let Some(parent) = parent else {
            // A module's start function and its main function are roots side by side.
            return self.new_node(function, None);
        };
        if let Some(&node) = self.children.get(&(parent, function)) {
            return node;
        }
        let level = self.nodes[parent as usize].level + 1;
        let of_function = self.of_function[function as usize];
        if level > RECURSION_LEVELS && of_function.open > 0 {
            return of_function.innermost;
        }
        if self.nodes.len() >= MAX_NODES {
            if let Some(node) = of_function.elsewhere {
                return node;
            }
            let root = self.open[0].node;
            let node = self.new_node(function, Some(root));
            self.of_function[function as usize].elsewhere = Some(node);
            return node;
        }
        let node = self.new_node(function, Some(parent));
        self.children.insert((parent, function), node);
        node
    }

    fn new_node(&mut self, function: u32, parent: Option<u32>) -> u32 {
        let level = parent.map_or(0, |parent| self.nodes[parent as usize].level + 1);
        self.nodes.push(CallNode { function, parent, level, own: Counts::default(), total: Counts::default() });
        self.nodes.len() as u32 - 1
    }

    /// Counts a call of the function and returns its node.
    fn call(&mut self, function: u32) -> u32 {
        let node = self.node(function);
        let counted_in = &mut self.nodes[node as usize];
        counted_in.own.calls += 1;
        if counted_in.level as usize != self.open.len() {
            self.folded_calls += 1;
        }
        node
    }

    fn enter(&mut self, body: u32) {
        let counted = self.module.first_counted[body as usize];
        let function = self.module.imported_functions + body;
        let site = self.call_site();
        let node = self.call(function);
        let of_function = &mut self.of_function[function as usize];
        self.shadowed.push(of_function.innermost);
        of_function.innermost = node;
        of_function.open += 1;
        let outermost = of_function.open == 1;
        let first_of_line = self.open_line(site);
        let before = self.executed;
        self.open.push(Open { function, node, counted, entered: 0, outermost, before, site, first_of_line });
    }

    /// The current stretch ends with the instruction that has this count in text order; another one may start there.
    fn leave_stretch(&mut self, last: u32) {
        let Some(open) = self.open.last_mut() else { return };
        let length = u64::from(last - open.entered);
        self.executed += length;
        self.nodes[open.node as usize].own.instructions += length;
        self.executions.stretch(open.counted, open.entered, last);
        open.entered = last;
    }

    fn moved(&mut self, position: u32, instructions: u64) {
        let Some(open) = self.open.last() else { return };
        self.executed += instructions;
        self.nodes[open.node as usize].own.instructions += instructions;
        *self.moved.entry(self.module.location(position).offset).or_insert(0) += instructions;
    }

    fn branch(&mut self) {
        if let Some(open) = self.open.last() {
            self.nodes[open.node as usize].own.branches += 1;
        }
    }

    fn close(&mut self) {
        let (Some(open), Some(shadowed)) = (self.open.pop(), self.shadowed.pop()) else { return };
        let of_function = &mut self.of_function[open.function as usize];
        of_function.open -= 1;
        of_function.innermost = shadowed;
        let cost = self.executed - open.before;
        if open.outermost {
            of_function.total_instructions += cost;
        }
        if let Some((offset, line)) = open.site {
            if let Some(open) = self.open_lines.get_mut(&line) {
                *open -= 1;
            }
            if open.first_of_line {
                *self.callees.entry(offset).or_insert(0) += cost;
            }
        }
    }

    /// Closes what a trap, an exit or a limit left open, and adds up the totals.
    fn finish(&mut self) {
        while !self.open.is_empty() {
            self.close();
        }
        for node in &mut self.nodes {
            node.total = node.own;
        }
        for index in (0..self.nodes.len()).rev() {
            let (total, parent) = (self.nodes[index].total, self.nodes[index].parent);
            if let Some(parent) = parent {
                self.nodes[parent as usize].total.add(total);
            }
        }
    }

    fn functions(&self) -> Vec<FunctionProfile> {
        let mut own: FxHashMap<u32, Counts> = FxHashMap::default();
        for node in &self.nodes {
            own.entry(node.function).or_default().add(node.own);
        }
        let profile = |(function, own)| {
            let total_instructions = self.of_function[function as usize].total_instructions;
            FunctionProfile { function, own, total_instructions }
        };
        let mut functions: Vec<FunctionProfile> = own.into_iter().map(profile).collect();
        functions.sort_by_key(|profile| profile.function);
        functions
    }
}

/// Concrete execution that keeps a profile, for machines with one instance.
struct Profiled<'m> {
    concrete: Concrete,
    probe: Probe<'m>,
    /// What had been counted when the part that counts ended.
    counted: Option<Probe<'m>>,
}

impl Domain for Profiled<'_> {
    type Value = u64;
    type Byte = u8;
    type Bytes = Flat;
    const SYMBOLIC: bool = false;
    const PROFILED: bool = true;

    #[inline(never)]
    fn drive(&mut self, machine: &mut Machine<Self>) -> Event<Self::Value> {
        machine.interpret(self)
    }

    fn entered(&mut self, body: u32) {
        self.probe.enter(body);
    }

    fn jumped(&mut self, from: u32, to: u32) {
        self.probe.leave_stretch(from);
        if let Some(open) = self.probe.open.last_mut() {
            open.entered = to;
        }
    }

    fn left(&mut self, at: u32) {
        self.probe.leave_stretch(at);
    }

    fn returned(&mut self) {
        self.probe.close();
    }

    fn branched(&mut self, _: u32, _: u64) {
        self.probe.branch();
    }

    fn switched(&mut self, _: u32, _: u32, _: u64) {
        self.probe.branch();
    }

    fn called_host(&mut self, function: u32) {
        self.probe.last_host = Some(self.probe.call(function));
    }

    fn began(&mut self) {
        self.probe.restart();
        self.counted = None;
    }

    fn ended(&mut self) {
        self.counted = Some(self.probe.without_last_call(self.probe.last_host));
    }

    fn moved(&mut self, position: u32, instructions: u64) {
        self.probe.moved(position, instructions);
    }

    fn reported(&mut self, cost: u64) {
        if let Some(open) = self.probe.open.last() {
            let own = &mut self.probe.nodes[open.node as usize].own;
            own.user = own.user.saturating_add(cost);
        }
    }

    #[inline(always)]
    fn constant(bits: u64) -> u64 {
        Concrete::constant(bits)
    }

    #[inline(always)]
    fn known(value: u64) -> Option<u64> {
        Concrete::known(value)
    }

    #[inline(always)]
    fn unary(&mut self, op: UnaryOp, from: u32, to: u32, x: u64) -> u64 {
        self.concrete.unary(op, from, to, x)
    }

    #[inline(always)]
    fn binary(&mut self, op: BinaryOp, width: u32, x: u64, y: u64) -> u64 {
        self.concrete.binary(op, width, x, y)
    }

    #[inline(always)]
    fn compare(&mut self, op: BinaryOp, negate: bool, width: u32, x: u64, y: u64) -> u64 {
        self.concrete.compare(op, negate, width, x, y)
    }

    #[inline(always)]
    fn extend_low(&mut self, from: u32, to: u32, x: u64) -> u64 {
        self.concrete.extend_low(from, to, x)
    }

    #[inline(always)]
    fn wrap(&mut self, x: u64) -> u64 {
        self.concrete.wrap(x)
    }

    #[inline(always)]
    fn select(&mut self, width: u32, condition: u64, then: u64, otherwise: u64) -> u64 {
        self.concrete.select(width, condition, then, otherwise)
    }

    fn input(&mut self, variable: VariableId, width: u32) -> u64 {
        self.concrete.input(variable, width)
    }

    fn constant_byte(byte: u8) -> u8 {
        Concrete::constant_byte(byte)
    }

    fn join(&mut self, bytes: &[u8]) -> u64 {
        self.concrete.join(bytes)
    }

    fn split(&mut self, value: u64, count: usize) -> [u8; 8] {
        self.concrete.split(value, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Line;

    /// A place in these bodies, with a line of its own or that of a call.
    fn place(bodies: &[usize], own: Option<u32>) -> Place {
        let innermost = Some(Line { file: 0, line: own.unwrap_or(99), function: None });
        let [number, function] = [bodies.iter().fold(0, |number, body| 10 * number + body), bodies[bodies.len() - 1]];
        Place { innermost, has_own_line: own.is_some(), bodies: number as u32, function }
    }

    #[test]
    fn code_without_a_line_belongs_to_its_own_inlined_copy() {
        let places = [
            place(&[5, 1], None),
            place(&[1], Some(10)),
            place(&[5, 1], Some(4)),
            place(&[6, 1], Some(7)),
            place(&[5, 1], None),
            place(&[1], None),
            // Another function whose bodies have the same numbers.
            place(&[5, 2], None),
            place(&[5, 2], Some(20)),
        ];
        let before = surrounding(&places, 0..places.len());
        assert_eq!(before, [None, Some(1), Some(2), Some(3), Some(2), Some(1), None, Some(7)]);
        let after = surrounding(&places, (0..places.len()).rev());
        assert_eq!(after, [Some(2), Some(1), Some(2), Some(3), None, None, Some(7), Some(7)]);
    }
}
