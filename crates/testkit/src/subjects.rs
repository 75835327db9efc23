//! Small programs whose paths are known.

use crate::machine::{Code, Instruction, Machine, Register};
use crate::script::{Context, Script, Step};
use crate::value::Value;
use pessimum_outcome::Trap;
use pessimum_search::program::Variable;
use pessimum_term::{BinaryOp, VariableId};
use std::sync::Arc;

/// Inputs that take every value of their width.
pub fn variables(count: usize, width: u32) -> Vec<Variable> {
    (0..count as u32).map(|number| Variable::unlimited(VariableId(number), width)).collect()
}

/// Insertion sort: n! paths, at most n(n-1)/2 comparisons (cost `user`).
pub fn insertion_sort(n: usize, width: u32) -> Script {
    Script::new("insertion sort", variables(n, width), |c| {
        let mut list = c.inputs();
        for i in 1..list.len() {
            let mut j = i;
            while j > 0 {
                c.cost(1);
                if !c.less(0, list[j], list[j - 1])? {
                    break;
                }
                list.swap(j, j - 1);
                j -= 1;
            }
        }
        Ok(())
    })
}

/// Looks at numbers until one is below 100, or until one is not. With one number both arms cost the same.
pub fn until(n: usize, below: bool) -> Script {
    Script::new("until", variables(n, 32), move |c| {
        for value in c.inputs() {
            c.cost(1);
            if c.less(0, value, Value::concrete(32, 100))? == below {
                break;
            }
        }
        Ok(())
    })
}

/// Binary search tree with a three-way test, equal keys dropped. The paths are the weak orders: 1, 3, 13, 75, 541.
pub fn search_tree(n: usize, width: u32) -> Script {
    Script::new("search tree", variables(n, width), |c| {
        let keys = c.inputs();
        let mut children: Vec<[Option<usize>; 2]> = Vec::new();
        let mut nodes: Vec<Value> = Vec::new();
        for key in keys {
            let mut at = (!nodes.is_empty()).then_some(0);
            let mut parent = None;
            while let Some(node) = at {
                c.cost(1);
                if c.equal(0, key, nodes[node])? {
                    break;
                }
                let side = usize::from(c.less(1, key, nodes[node])?);
                parent = Some((node, side));
                at = children[node][side];
            }
            if at.is_none() {
                nodes.push(key);
                children.push([None; 2]);
                if let Some((node, side)) = parent {
                    children[node][side] = Some(nodes.len() - 1);
                }
            }
        }
        Ok(())
    })
}

/// Insertion into a binary heap. Paths: the product of floor(log2 i) + 1 for i up to n (4, 12, 36 at 3, 4, 5).
pub fn heap(n: usize, width: u32) -> Script {
    Script::new("heap", variables(n, width), |c| {
        let keys = c.inputs();
        let mut heap: Vec<Value> = Vec::new();
        for key in keys {
            heap.push(key);
            let mut k = heap.len();
            while k > 1 {
                c.cost(1);
                if !c.less(0, heap[k - 1], heap[k / 2 - 1])? {
                    break;
                }
                heap.swap(k - 1, k / 2 - 1);
                k /= 2;
            }
        }
        Ok(())
    })
}

/// Boyer-Moore as in the PySE paper: a key of three different symbols, compared from the right, always shifted by
/// three. Paths: (3^(w+1) - 1) / 2 with w = n / 3; longest 3w decisions.
pub fn boyer_moore(n: usize) -> Script {
    Script::new("Boyer-Moore", variables(n, 8), |c| {
        let text = c.inputs();
        let mut from = 0;
        while from + 3 <= text.len() {
            let mut matched = 0;
            while matched < 3 {
                let position = 2 - matched;
                let symbol = Value::concrete(8, b"abc"[position].into());
                c.cost(1);
                if !c.equal(position as u32, text[from + position], symbol)? {
                    break;
                }
                matched += 1;
            }
            if matched == 3 {
                break;
            }
            from += 3;
        }
        Ok(())
    })
}

/// A loop over symbols that switches on each, with a default, one trap and calls.
pub fn switch(n: usize, width: u32) -> Script {
    Script::new("switch", variables(n, width), |c| {
        let mut depth = 0u64;
        for symbol in c.inputs() {
            match c.switch(0, symbol, 3)? {
                0 => depth += 1,
                1 if depth > 0 => depth -= 1,
                1 => {
                    let set = Value::concrete(1, 1);
                    c.check(1, set, Trap::Host)?;
                }
                2 => c.call(|c| {
                    c.cost(depth);
                    c.tick(depth)
                })?,
                _ => c.cost(1),
            }
        }
        Ok(())
    })
}

/// A hash table of four chains: the index is a value decision, the chain is searched for an equal key. Worst: all keys
/// different and in one chain, n(n-1)/2 comparisons (cost `user`).
pub fn hash_table(n: usize, width: u32) -> Script {
    Script::new("hash table", variables(n, width), |c| {
        let mut chains: [Vec<Value>; 4] = Default::default();
        for key in c.inputs() {
            let mixed = c.binary_const(BinaryOp::Mul, key, 5);
            let index = c.binary_const(BinaryOp::And, mixed, 3);
            let index = c.resolve(0, index)? as usize;
            insert(c, &mut chains[index], key)?;
        }
        Ok(())
    })
}

fn insert(c: &mut Context<'_>, chain: &mut Vec<Value>, key: Value) -> Step<()> {
    c.call(|c| {
        for &other in chain.iter() {
            c.cost(1);
            if c.equal(1, key, other)? {
                return Ok(());
            }
        }
        chain.push(key);
        Ok(())
    })
}

/// Instructions whose jump targets may be set later.
struct Assembler {
    instructions: Vec<Instruction>,
}

impl Assembler {
    fn here(&self) -> usize {
        self.instructions.len()
    }

    fn constant(&mut self, to: Register, value: u64) {
        self.instructions.push(Instruction::Constant { to, value });
    }

    fn binary(&mut self, op: BinaryOp, to: Register, x: Register, y: Register) {
        self.instructions.push(Instruction::Binary { op, to, x, y });
    }

    fn copy(&mut self, to: Register, from: Register) {
        self.binary(BinaryOp::Or, to, from, from);
    }

    fn load(&mut self, to: Register, address: Register) {
        self.instructions.push(Instruction::Load { to, address });
    }

    fn store(&mut self, address: Register, from: Register) {
        self.instructions.push(Instruction::Store { address, from });
    }

    fn jump(&mut self, target: usize) -> usize {
        self.instructions.push(Instruction::Jump { target });
        self.here() - 1
    }

    fn jump_unless(&mut self, condition: Register, target: usize) -> usize {
        self.instructions.push(Instruction::JumpIf { condition, unless: true, target });
        self.here() - 1
    }

    /// Makes an earlier jump lead here.
    fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.instructions[jump] {
            Instruction::Jump { target } | Instruction::JumpIf { target, .. } => *target = here,
            other => panic!("{other:?} is not a jump"),
        }
    }
}

/// A jump whose target is set by [`Assembler::land`].
const LATER: usize = 0;

/// Insertion sort for the register machine: 32-bit signed numbers, shifting. n! paths.
pub fn insertion_sort_code(n: usize) -> Machine {
    let [one, size, i, j, k, x, y, test, zero]: [Register; 9] = std::array::from_fn(|index| index as Register);
    let mut a = Assembler { instructions: Vec::new() };
    a.constant(zero, 0);
    a.constant(one, 1);
    a.constant(size, n as u64);
    a.constant(i, 1);
    let outer = a.here();
    a.binary(BinaryOp::LtU, test, i, size);
    let done = a.jump_unless(test, LATER);
    a.load(x, i);
    a.copy(j, i);
    let inner = a.here();
    a.binary(BinaryOp::LtU, test, zero, j);
    let first = a.jump_unless(test, LATER);
    a.binary(BinaryOp::Sub, k, j, one);
    a.load(y, k);
    a.instructions.push(Instruction::Cost { cost: 1 });
    a.binary(BinaryOp::LtS, test, x, y);
    let placed = a.jump_unless(test, LATER);
    a.store(j, y);
    a.copy(j, k);
    a.jump(inner);
    a.land(first);
    a.land(placed);
    a.store(j, x);
    a.binary(BinaryOp::Add, i, i, one);
    a.jump(outer);
    a.land(done);
    let code = Code {
        name: format!("insertion sort, {n} numbers"),
        width: 32,
        variables: variables(n, 32),
        registers: 9,
        memory: n,
        instructions: a.instructions,
    };
    Machine(Arc::new(code))
}

/// Quicksort for the register machine: last element as pivot, one scan (Lomuto), ranges on an explicit stack. Worst:
/// n(n-1)/2 comparisons (cost `user`).
pub fn quicksort_code(n: usize) -> Machine {
    let [one, low, high, top, at, store, pivot, x, y, test, bottom, end]: [Register; 12] =
        std::array::from_fn(|index| index as Register);
    let mut a = Assembler { instructions: Vec::new() };
    a.constant(one, 1);
    a.constant(bottom, n as u64);
    a.constant(top, n as u64);
    // The stack of ranges follows the numbers in memory.
    a.constant(low, 0);
    a.constant(high, n as u64);
    let push = |a: &mut Assembler, low: Register, high: Register| {
        a.store(top, low);
        a.binary(BinaryOp::Add, top, top, one);
        a.store(top, high);
        a.binary(BinaryOp::Add, top, top, one);
    };
    push(&mut a, low, high);
    let next_range = a.here();
    a.binary(BinaryOp::LtU, test, bottom, top);
    let done = a.jump_unless(test, LATER);
    a.binary(BinaryOp::Sub, top, top, one);
    a.load(high, top);
    a.binary(BinaryOp::Sub, top, top, one);
    a.load(low, top);
    a.binary(BinaryOp::Add, end, low, one);
    a.binary(BinaryOp::LtU, test, end, high);
    a.jump_unless(test, next_range);
    a.binary(BinaryOp::Sub, end, high, one);
    a.load(pivot, end);
    a.copy(store, low);
    a.copy(at, low);
    let scan = a.here();
    a.binary(BinaryOp::LtU, test, at, end);
    let scanned = a.jump_unless(test, LATER);
    a.load(x, at);
    a.instructions.push(Instruction::Cost { cost: 1 });
    a.binary(BinaryOp::LtS, test, x, pivot);
    let stays = a.jump_unless(test, LATER);
    a.load(y, store);
    a.store(store, x);
    a.store(at, y);
    a.binary(BinaryOp::Add, store, store, one);
    a.land(stays);
    a.binary(BinaryOp::Add, at, at, one);
    a.jump(scan);
    a.land(scanned);
    a.load(y, store);
    a.store(store, pivot);
    a.store(end, y);
    push(&mut a, low, store);
    a.binary(BinaryOp::Add, store, store, one);
    push(&mut a, store, high);
    a.jump(next_range);
    a.land(done);
    let code = Code {
        name: format!("quicksort, {n} numbers"),
        width: 32,
        variables: variables(n, 32),
        registers: 12,
        memory: n + 4 * n + 4,
        instructions: a.instructions,
    };
    Machine(Arc::new(code))
}
