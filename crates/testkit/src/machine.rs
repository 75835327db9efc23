//! A register machine with a small memory, tables, calls and traps. Its state is cheap to copy, so it shows what the
//! kernel costs; on random programs for it, searches are compared with brute force.

use crate::value::Value;
use pessimum_outcome::{Costs, End, Limit, Trap};
use pessimum_search::program::{Arm, Event, Kind, Observer, PathLimits, Program, Replay, Run, SiteId, Variable};
use pessimum_search::random::Random;
use pessimum_term::{Arena, BinaryOp, VariableId, Witness};
use std::sync::Arc;

/// A register.
pub type Register = u8;

/// An instruction. Targets are indices of instructions.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Instruction {
    Constant {
        to: Register,
        value: u64,
    },
    Input {
        to: Register,
        index: usize,
    },
    /// Comparisons give 0 or 1; division checks for zero.
    Binary {
        op: BinaryOp,
        to: Register,
        x: Register,
        y: Register,
    },
    /// The address is a value decision after a check of the bounds.
    Load {
        to: Register,
        address: Register,
    },
    Store {
        address: Register,
        from: Register,
    },
    Jump {
        target: usize,
    },
    /// Jumps where the register differs from zero, or is zero if `unless`.
    JumpIf {
        condition: Register,
        unless: bool,
        target: usize,
    },
    /// Falls through if the register is beyond the table.
    Switch {
        on: Register,
        targets: Vec<usize>,
    },
    Assume {
        condition: Register,
    },
    Cost {
        cost: u64,
    },
    Call {
        target: usize,
    },
    Return,
    Trap,
}

/// A program for the machine.
#[derive(Debug)]
pub struct Code {
    /// The name in messages.
    pub name: String,
    /// Bits of a register and of a cell of memory.
    pub width: u32,
    /// The inputs.
    pub variables: Vec<Variable>,
    /// Number of registers.
    pub registers: usize,
    /// Cells of memory; the first ones hold the inputs.
    pub memory: usize,
    /// Falling off the end returns.
    pub instructions: Vec<Instruction>,
}

/// A program that can be run.
#[derive(Clone, Debug)]
pub struct Machine(pub Arc<Code>);

#[derive(Clone)]
struct State {
    code: Arc<Code>,
    limits: PathLimits,
    pc: usize,
    registers: Vec<Value>,
    memory: Vec<Value>,
    /// Return address and number of each call in progress.
    stack: Vec<(usize, u32)>,
    hits: Vec<u32>,
    costs: Costs,
    /// What the current instruction has been told.
    arms: [Option<Arm>; 2],
    told: usize,
    charged: bool,
}

/// Which decision of an instruction is asked for.
const CHECK: usize = 0;
const MAIN: usize = 1;

impl State {
    fn new(code: &Arc<Code>, limits: &PathLimits, mut input: impl FnMut(&Variable) -> Value) -> State {
        let zero = Value::concrete(code.width, 0);
        let mut memory = vec![zero; code.memory];
        for (cell, variable) in memory.iter_mut().zip(&code.variables) {
            *cell = input(variable);
        }
        State {
            code: Arc::clone(code),
            limits: *limits,
            pc: 0,
            registers: vec![zero; code.registers],
            memory,
            stack: Vec::new(),
            hits: vec![0; code.instructions.len()],
            costs: Costs::default(),
            arms: [None; 2],
            told: MAIN,
            charged: false,
        }
    }

    /// The arm of one of the instruction's decisions, or the event that asks for it.
    fn decide(&mut self, arena: &mut Arena, which: usize, kind: Kind, value: Value) -> Result<Arm, Event> {
        if let Some(bits) = value.bits() {
            return Ok(kind.arm_of(bits));
        }
        if let Some(arm) = self.arms[which] {
            return Ok(arm);
        }
        self.costs.decisions += u64::from(kind.is_branch());
        self.told = which;
        let frame = self.stack.last().map_or(0, |&(_, frame)| frame);
        Err(Event::Decision { site: SiteId(self.pc as u32), kind, scrutinee: value.term(arena), frame })
    }

    fn address(&mut self, arena: &mut Arena, register: Register) -> Result<usize, Event> {
        let address = self.registers[register as usize];
        let bound = Value::concrete(self.code.width, self.memory.len() as u64);
        let outside = bound.binary(arena, BinaryOp::LeU, address);
        if self.decide(arena, CHECK, Kind::Check, outside)? == Arm::TRUE {
            return Err(Event::End(End::Trapped(Trap::MemoryOutOfBounds)));
        }
        Ok(self.decide(arena, MAIN, Kind::Value, address)?.0 as usize)
    }

    /// Charges an instruction once, however often it is interrupted.
    fn charge(&mut self) -> Result<(), Event> {
        if self.costs.instructions >= self.limits.instructions {
            return Err(Event::End(End::Limit(Limit::Instructions)));
        }
        self.charged = true;
        self.costs.instructions += 1;
        if matches!(self.code.instructions[self.pc], Instruction::JumpIf { .. } | Instruction::Switch { .. }) {
            self.costs.branches += 1;
            self.hits[self.pc] += 1;
            self.costs.hits = self.costs.hits.max(u64::from(self.hits[self.pc]));
        }
        Ok(())
    }

    fn step(&mut self, arena: &mut Arena) -> Result<(), Event> {
        let code = Arc::clone(&self.code);
        let Some(instruction) = code.instructions.get(self.pc) else {
            return Err(Event::End(End::Returned));
        };
        if !self.charged {
            self.charge()?;
        }
        let mut next = self.pc + 1;
        match *instruction {
            Instruction::Constant { to, value } => self.registers[to as usize] = Value::concrete(code.width, value),
            Instruction::Input { to, index } => self.registers[to as usize] = self.memory[index],
            Instruction::Binary { op, to, x, y } => {
                let (x, y) = (self.registers[x as usize], self.registers[y as usize]);
                if matches!(op, BinaryOp::DivU | BinaryOp::RemU) {
                    let zero = y.truth(arena).negate(arena);
                    if self.decide(arena, CHECK, Kind::Check, zero)? == Arm::TRUE {
                        return Err(Event::End(End::Trapped(Trap::DivideByZero)));
                    }
                }
                self.registers[to as usize] = x.binary(arena, op, y).zero_extend(arena, code.width);
            }
            Instruction::Load { to, address } => {
                let address = self.address(arena, address)?;
                self.registers[to as usize] = self.memory[address];
            }
            Instruction::Store { address, from } => {
                let address = self.address(arena, address)?;
                self.memory[address] = self.registers[from as usize];
            }
            Instruction::Jump { target } => next = target,
            Instruction::JumpIf { condition, unless, target } => {
                let condition = self.registers[condition as usize].truth(arena);
                let taken = self.decide(arena, MAIN, Kind::Branch, condition)? == Arm::TRUE;
                if taken != unless {
                    next = target;
                }
            }
            Instruction::Switch { on, ref targets } => {
                let kind = Kind::Table { targets: targets.len() as u32, branch: true };
                let arm = self.decide(arena, MAIN, kind, self.registers[on as usize])?;
                next = targets.get(arm.0 as usize).copied().unwrap_or(next);
            }
            Instruction::Assume { condition } => {
                let condition = self.registers[condition as usize].truth(arena);
                match condition.bits() {
                    Some(0) => return Err(Event::End(End::AssumptionViolated)),
                    Some(_) => {}
                    None => {
                        self.go_on(next);
                        return Err(Event::Assume(condition.term(arena)));
                    }
                }
            }
            Instruction::Cost { cost } => self.costs.user += cost,
            Instruction::Call { target } => {
                if self.stack.len() as u64 >= self.limits.depth {
                    return Err(Event::End(End::Limit(Limit::Depth)));
                }
                self.costs.calls += 1;
                self.stack.push((next, self.costs.calls as u32));
                self.costs.depth = self.costs.depth.max(self.stack.len() as u64);
                next = target;
            }
            Instruction::Return => match self.stack.pop() {
                Some((address, _)) => next = address,
                None => return Err(Event::End(End::Returned)),
            },
            Instruction::Trap => return Err(Event::End(End::Trapped(Trap::Unreachable))),
        }
        self.go_on(next);
        Ok(())
    }

    fn go_on(&mut self, next: usize) {
        self.pc = next;
        self.charged = false;
        self.arms = [None; 2];
    }
}

impl Run for State {
    fn next(&mut self, arena: &mut Arena) -> Event {
        loop {
            if let Err(event) = self.step(arena) {
                return event;
            }
        }
    }

    fn take(&mut self, arm: Arm) {
        self.arms[self.told] = Some(arm);
    }

    fn costs(&self) -> Costs {
        self.costs
    }

    fn fork(&self) -> Box<dyn Run> {
        Box::new(self.clone())
    }
}

impl Program for Machine {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn variables(&self) -> Vec<Variable> {
        self.0.variables.clone()
    }

    fn start(&self, arena: &mut Arena, limits: &PathLimits) -> Box<dyn Run> {
        Box::new(State::new(&self.0, limits, |variable| {
            let term = arena.variable(variable.id, variable.width);
            Value::of_term(arena, term).zero_extend(arena, self.0.width)
        }))
    }

    fn run_concrete(&self, input: &Witness, limits: &PathLimits, _: &mut dyn Observer) -> (Replay, PathLimits) {
        let mut arena = Arena::new();
        let mut state = State::new(&self.0, limits, |variable| Value::concrete(self.0.width, input.get(variable.id)));
        match state.next(&mut arena) {
            Event::End(end) => (Replay { costs: state.costs, end, unsupported: 0 }, *limits),
            event => panic!("a concrete run yielded {event:?}"),
        }
    }

    fn site_name(&self, site: SiteId) -> String {
        format!("{}:{}", self.0.name, site.0)
    }
}

/// A random program over three inputs of four bits: straight code, forward and backward branches, tables, memory,
/// divisions, assumptions and calls. Loops end at the instruction limit.
pub fn random_code(random: &mut Random, name: String) -> Code {
    const WIDTH: u32 = 4;
    const OPS: [BinaryOp; 14] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::ShrU,
        BinaryOp::DivU,
        BinaryOp::RemU,
        BinaryOp::Eq,
        BinaryOp::LtU,
        BinaryOp::LtS,
        BinaryOp::LeU,
        BinaryOp::LeS,
    ];
    let length = 6 + random.index(14);
    let registers = 4;
    let mut instructions = vec![
        Instruction::Input { to: 0, index: 0 },
        Instruction::Input { to: 1, index: 1 },
        Instruction::Input { to: 2, index: 2 },
    ];
    while instructions.len() < length {
        let mut register = || random.below(registers) as Register;
        let (to, x, y) = (register(), register(), register());
        // Mostly forwards, so that most programs end.
        let here = instructions.len();
        let target = |random: &mut Random| match random.below(4) {
            0 => random.index(length),
            _ => here + 1 + random.index(length - here),
        };
        instructions.push(match random.below(20) {
            0 => Instruction::Constant { to, value: random.bits() },
            1..=7 => Instruction::Binary { op: OPS[random.index(OPS.len())], to, x, y },
            8..=13 => Instruction::JumpIf { condition: x, unless: random.coin(), target: target(random) },
            14 => Instruction::Switch { on: x, targets: (0..1 + random.index(4)).map(|_| target(random)).collect() },
            15 => Instruction::Load { to, address: x },
            16 => Instruction::Store { address: x, from: y },
            17 if random.below(3) == 0 => Instruction::Assume { condition: x },
            17 => Instruction::Cost { cost: random.below(10) },
            18 => Instruction::Call { target: target(random) },
            _ if random.below(3) == 0 => Instruction::Trap,
            _ => Instruction::Return,
        });
    }
    let variables = (0..3).map(|number| {
        let mut variable = Variable::unlimited(VariableId(number), WIDTH);
        if random.below(4) == 0 {
            variable.signed = random.coin();
            variable.low = if variable.signed { 0xd } else { 1 };
            variable.high = 0x6;
        }
        variable
    });
    let variables = variables.collect();
    Code { name, width: WIDTH, variables, registers: registers as usize, memory: 6, instructions }
}
