//! Compiles a function body to flat code, in one pass alongside the validator.
//!
//! The compiler tracks the operand stack and remembers for each entry whether it is in its own slot, is still the
//! value of a local, or is a constant. An entry is copied to its slot only if it must outlive that. At every point
//! where control can join (the start of a loop, an `else`, an `end`) the live entries are back in their slots.

mod control;
mod exceptions;
mod meaning;
mod operators;
mod price;

use std::collections::BTreeSet;

use wasmparser::{BinaryReaderError, FuncValidator, FunctionBody, OperatorsReader, ValType, ValidatorResources};

use crate::LoadSettings;
use crate::code::{Instr, Slot};
use crate::costs::Weights;
use crate::error::{LoadError, LoadErrorKind};
use crate::module::{Body, Module};
use crate::run::MOST_CELLS;
use control::Control;

/// Why a function could not be compiled.
pub(crate) enum CompileError {
    Read(BinaryReaderError),
    Load(LoadError),
}

impl From<BinaryReaderError> for CompileError {
    fn from(error: BinaryReaderError) -> CompileError {
        CompileError::Read(error)
    }
}

/// Where the value of a stack entry is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operand {
    /// In the entry's own slot.
    Slot,
    /// In a local that has not been set since.
    Local(Slot),
    /// A constant, which is in no slot yet.
    Const(u64),
}

/// A frame has at most this many slots, because slots are numbered with 16 bits.
const MAX_SLOTS: usize = u16::MAX as usize;

struct Compiler<'m> {
    module: &'m mut Module,
    /// Index of the function in the module.
    function: u32,
    /// Parameters and locals; the slots of the stack follow.
    locals: usize,
    stack: Vec<Operand>,
    /// For each local, the stack positions whose value it still holds, in ascending order.
    borrowed: Vec<Vec<u32>>,
    /// No entry below this height is a local.
    settled: usize,
    controls: Vec<Control>,
    /// The number of blocks opened since the code became unreachable; `None` while it is reachable.
    dead: Option<u32>,
    /// Counted instructions so far, in text order.
    count: u32,
    /// Offset of the current instruction in the module's bytes.
    offset: u32,
    /// Whether the last instruction of the code wrote the slot of the top entry, and no label follows it.
    fusible: bool,
    /// The position of the last label: control may arrive there from elsewhere, so that the instruction there does not
    /// become one with the instruction before it.
    label: usize,
    /// Whether the top of the stack after the current operator has width 64.
    wide_result: bool,
    slots: usize,
    weights: Option<&'m Weights>,
    /// Offsets of the instructions that have a price; all of them if there is none.
    priced: Option<&'m BTreeSet<u32>>,
    /// With weights, that of the current instruction.
    price: u64,
    piece: Piece,
    /// Clauses that return from the function, with the first slot and the number of the values.
    caught_to_return: Vec<(u32, Slot, u16)>,
}

/// A straight-line piece of code, whose weight is charged where it starts.
#[derive(Default)]
struct Piece {
    start: usize,
    weight: u64,
}

pub(crate) fn compile_function(
    module: &mut Module,
    function: u32,
    validator: &mut FuncValidator<ValidatorResources>,
    body: &FunctionBody<'_>,
    settings: &LoadSettings,
) -> Result<(), CompileError> {
    let mut reader = body.get_binary_reader();
    validator.read_locals(&mut reader)?;
    let locals = validator.len_locals() as usize;
    let ty = module.function_type(function);
    let (params, results) = (ty.params.len(), ty.results.len());
    let entry = module.code.len() as u32;
    module.first_counted.push(module.counted.len() as u32);
    module.first_handler.push(module.handlers.len() as u32);
    let mut compiler = Compiler {
        module,
        function,
        locals,
        stack: Vec::new(),
        borrowed: vec![Vec::new(); locals],
        settled: 0,
        controls: Vec::new(),
        dead: None,
        count: 0,
        offset: reader.original_position() as u32,
        fusible: false,
        label: entry as usize,
        wide_result: false,
        // Results are returned in the first slots of the frame.
        slots: locals.max(results),
        weights: settings.weights.as_ref(),
        priced: settings.priced.as_deref(),
        price: 0,
        piece: Piece::default(),
        caught_to_return: Vec::new(),
    };
    compiler.check_slots()?;
    compiler.controls.push(Control::function(results));
    compiler.start_piece();
    reader.set_features(*validator.features());
    let mut reader = OperatorsReader::new(reader);
    while !reader.eof() {
        let (operator, offset) = reader.read_with_offset()?;
        validator.op(offset, &operator)?;
        compiler.offset = offset as u32;
        compiler.wide_result = matches!(validator.get_operand_type(0), Some(Some(ValType::I64 | ValType::F64)));
        compiler.operator(&operator)?;
        compiler.check_slots()?;
    }
    reader.finish()?;
    compiler.end_piece();
    let slots = compiler.slots as u32;
    module.widest_frame = module.widest_frame.max(slots);
    module.bodies.push(Body { entry, slots, params: params as u32, locals: locals as u32 });
    Ok(())
}

impl Compiler<'_> {
    /// Slots are cast to 16 bits on the strength of this check, made after every instruction.
    fn check_slots(&mut self) -> Result<(), CompileError> {
        if self.slots <= MAX_SLOTS && self.module.code.len() < MOST_CELLS {
            return Ok(());
        }
        Err(match self.slots > MAX_SLOTS {
            true => self.unsupported("a function with more than 65535 locals and stack entries"),
            false => self.unsupported("a module with this much code"),
        })
    }

    fn unsupported(&self, what: &str) -> CompileError {
        CompileError::Load(LoadError {
            kind: LoadErrorKind::Unsupported,
            function: Some(self.function),
            offset: self.offset as u64,
            message: what.to_string(),
        })
    }

    fn emit(&mut self, instr: Instr) -> usize {
        self.module.code.push(instr);
        self.module.counts.push(self.count);
        self.module.offsets.push(self.offset);
        if let Some(uncharged) = &mut self.module.uncharged {
            // For now this is the weight up to here; `end_piece` turns it into the weight of the rest.
            uncharged.push(self.piece.weight);
        }
        self.fusible = false;
        self.module.code.len() - 1
    }

    /// Emits a copy between slots.
    fn emit_copy(&mut self, dst: Slot, src: Slot) {
        self.emit(Instr::Copy { dst, src });
        self.join_moves();
    }

    /// Makes one of the last two instructions, if both move values between slots.
    fn join_moves(&mut self) {
        let last = self.module.code.len() - 1;
        if last > self.label
            && let Some(joined) = self.module.code[last - 1].then_move(self.module.code[last])
        {
            self.retract();
            self.retract();
            self.emit(joined);
        }
    }

    /// Nothing that is emitted from here on becomes one with what is before.
    fn mark_label(&mut self) -> usize {
        self.fusible = false;
        self.label = self.module.code.len();
        self.label
    }

    /// Takes back the last instruction.
    fn retract(&mut self) -> Instr {
        self.module.counts.pop();
        self.module.offsets.pop();
        if let Some(uncharged) = &mut self.module.uncharged {
            uncharged.pop();
        }
        self.fusible = false;
        self.module.code.pop().expect("only called after an instruction was emitted")
    }

    fn slot_of(&self, position: usize) -> Slot {
        (self.locals + position) as Slot
    }

    fn push(&mut self, operand: Operand) {
        if let Operand::Local(local) = operand {
            self.borrowed[local as usize].push(self.stack.len() as u32);
        }
        self.stack.push(operand);
        self.slots = self.slots.max(self.locals + self.stack.len());
    }

    /// Pushes an entry that the next instruction writes, and returns its slot.
    fn push_slot(&mut self) -> Slot {
        self.push(Operand::Slot);
        self.slot_of(self.stack.len() - 1)
    }

    /// Emits an instruction whose destination is a new entry.
    fn emit_result(&mut self, instr: impl FnOnce(Slot) -> Option<Instr>) {
        let slot = self.push_slot();
        let instr = instr(slot).expect("the tables of instructions cover every operator and width");
        self.emit(instr);
        self.fusible = true;
    }

    /// Removes the top entry; the second value is its own slot.
    fn pop(&mut self) -> (Operand, Slot) {
        self.fusible = false;
        let operand = self.stack.pop().expect("validation keeps the stack from underflowing");
        if let Operand::Local(local) = operand {
            self.borrowed[local as usize].pop();
        }
        self.settled = self.settled.min(self.stack.len());
        (operand, self.slot_of(self.stack.len()))
    }

    /// Removes the top entry and returns a slot that holds its value.
    fn pop_slot(&mut self) -> Slot {
        let popped = self.pop();
        self.in_slot(popped)
    }

    fn in_slot(&mut self, (operand, own): (Operand, Slot)) -> Slot {
        match operand {
            Operand::Slot => own,
            Operand::Local(local) => local,
            Operand::Const(bits) => {
                self.emit(Instr::Const { dst: own, bits });
                own
            }
        }
    }

    /// Puts the value of the entry at a position into its own slot.
    fn spill(&mut self, position: usize) {
        let dst = self.slot_of(position);
        match self.stack[position] {
            Operand::Slot => return,
            Operand::Local(src) => self.emit_copy(dst, src),
            Operand::Const(bits) => _ = self.emit(Instr::Const { dst, bits }),
        }
        self.stack[position] = Operand::Slot;
    }

    /// Puts the top entries into their slots.
    fn spill_top(&mut self, count: usize) {
        for position in self.stack.len() - count..self.stack.len() {
            if let Operand::Local(local) = self.stack[position] {
                let borrowed = &mut self.borrowed[local as usize];
                if let Ok(at) = borrowed.binary_search(&(position as u32)) {
                    borrowed.remove(at);
                }
            }
            self.spill(position);
        }
    }

    /// Puts every entry that is still in a local into its slot. Needed before control splits, since one side may set
    /// the local. Constants may stay.
    fn settle(&mut self) {
        for position in self.settled..self.stack.len() {
            if let Operand::Local(local) = self.stack[position] {
                self.borrowed[local as usize].clear();
                self.spill(position);
            }
        }
        self.settled = self.stack.len();
    }

    /// `local.set`: the entry on top goes to the local.
    fn set_local(&mut self, local: Slot) {
        let fusible = self.fusible;
        let (operand, own) = self.pop();
        let borrowed = std::mem::take(&mut self.borrowed[local as usize]);
        for &position in &borrowed {
            self.spill(position as usize);
        }
        match operand {
            Operand::Slot if fusible && borrowed.is_empty() => {
                let last = self.module.code.last_mut().and_then(Instr::destination);
                *last.expect("a fusible instruction has a destination") = local;
                self.join_moves();
            }
            Operand::Slot => self.emit_copy(local, own),
            Operand::Local(src) if src == local => {}
            Operand::Local(src) => self.emit_copy(local, src),
            Operand::Const(bits) => _ = self.emit(Instr::Const { dst: local, bits }),
        }
        self.borrowed[local as usize] = borrowed;
        self.borrowed[local as usize].clear();
    }

    /// `local.tee`: the same, but the value stays.
    fn tee_local(&mut self, local: Slot) {
        let top = *self.stack.last().expect("validation keeps the stack from underflowing");
        self.set_local(local);
        match top {
            Operand::Const(_) => self.push(top),
            _ => self.push(Operand::Local(local)),
        }
    }

    /// Starts a straight-line piece. One starts wherever control arrives from elsewhere or may go elsewhere.
    fn start_piece(&mut self) {
        if self.weights.is_some() {
            self.piece = Piece { start: self.module.code.len(), weight: 0 };
            self.emit(Instr::Charge { weight: 0 });
        }
    }

    fn end_piece(&mut self) {
        let Some(uncharged) = &mut self.module.uncharged else { return };
        let Piece { start, weight } = self.piece;
        if let Some(Instr::Charge { weight: charged }) = self.module.code.get_mut(start) {
            *charged = weight;
        }
        for before in &mut uncharged[start..] {
            *before = weight - *before;
        }
        // Before the charge itself nothing has been paid yet.
        if let Some(charge) = uncharged.get_mut(start) {
            *charge = 0;
        }
        self.piece.start = uncharged.len();
    }
}
