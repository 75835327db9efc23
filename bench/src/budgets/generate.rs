//! Modules that are too large to be kept as files.

use wasm_encoder::{
    CodeSection, DataSection, ExportKind, ExportSection, Function, FunctionSection, Instruction, MemorySection,
    MemoryType, Module, TypeSection, ValType,
};

/// A module whose function `f` takes an i32 and returns one; its body is the last of `bodies`.
fn module(bodies: impl Iterator<Item = Function>, data: Option<Vec<u8>>) -> Vec<u8> {
    let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
    for body in bodies {
        functions.function(0);
        code.function(&body);
    }
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32], [ValType::I32]);
    let mut exports = ExportSection::new();
    exports.export("f", ExportKind::Func, functions.len() - 1);
    let mut result = Module::new();
    result.section(&types).section(&functions);
    if let Some(data) = &data {
        let mut memories = MemorySection::new();
        let minimum = data.len().div_ceil(65536) as u64;
        memories.memory(MemoryType { minimum, maximum: None, memory64: false, shared: false, page_size_log2: None });
        result.section(&memories);
    }
    result.section(&exports).section(&code);
    if let Some(data) = data {
        let mut segments = DataSection::new();
        segments.active(0, &wasm_encoder::ConstExpr::i32_const(0), data);
        result.section(&segments);
    }
    result.finish()
}

fn body(instructions: &[Instruction<'_>]) -> Function {
    let mut function = Function::new([]);
    for instruction in instructions {
        function.instruction(instruction);
    }
    function.instruction(&Instruction::End);
    function
}

/// A `br_table` with this many targets, all alike but two, at an index that is the input.
pub fn branches(targets: u32) -> Vec<u8> {
    use Instruction as I;
    let mut arms = vec![0; targets as usize];
    arms[0] = 1;
    let blocks = [I::Block(wasm_encoder::BlockType::Empty), I::Block(wasm_encoder::BlockType::Empty), I::LocalGet(0)];
    let rest = [I::BrTable(arms.into(), 1), I::End, I::I32Const(1), I::Return, I::End, I::I32Const(2)];
    module(std::iter::once(body(&[&blocks[..], &rest[..]].concat())), None)
}

/// This many functions, the last of which branches on its input and calls the first.
pub fn functions(count: u32) -> Vec<u8> {
    use Instruction as I;
    let small = body(&[I::LocalGet(0), I::I32Const(1), I::I32Add]);
    let result = wasm_encoder::BlockType::Result(ValType::I32);
    let last = body(&[I::LocalGet(0), I::If(result), I::LocalGet(0), I::Call(0), I::Else, I::I32Const(7), I::End]);
    module(std::iter::repeat_n(small, count as usize - 1).chain([last]), None)
}

/// This many bytes of data, of which the input selects one.
pub fn data(bytes: usize) -> Vec<u8> {
    use Instruction as I;
    let target = wasm_encoder::MemArgTarget::Memory(0);
    let at = wasm_encoder::MemArg { offset: 0, align: 0, target, ordering: None };
    let read = body(&[I::LocalGet(0), I::I32Const(0xffff), I::I32And, I::I32Load8U(at)]);
    let data = (0..bytes).map(|i| (i as u32).wrapping_mul(0x9e37_79b9).to_le_bytes()[3]).collect();
    module(std::iter::once(read), Some(data))
}

/// A function with this many branches, one after the other, on one bit of the input each.
pub fn sites(count: u32) -> Vec<u8> {
    use Instruction as I;
    let mut function = Function::new([]);
    for site in 0..count {
        let test = [I::LocalGet(0), I::I32Const(1 << (site % 31)), I::I32And, I::If(wasm_encoder::BlockType::Empty)];
        let change = [I::LocalGet(0), I::I32Const(site as i32), I::I32Xor, I::LocalSet(0), I::End];
        for instruction in test.iter().chain(&change) {
            function.instruction(instruction);
        }
    }
    function.instruction(&I::LocalGet(0)).instruction(&I::End);
    module(std::iter::once(function), None)
}

/// This many conditional blocks, each inside the one before, on one bit of the input each.
pub fn nested(depth: u32) -> Vec<u8> {
    use Instruction as I;
    let mut function = Function::new([]);
    for level in 0..depth {
        let test = [I::LocalGet(0), I::I32Const(1 << (level % 31)), I::I32And, I::If(wasm_encoder::BlockType::Empty)];
        for instruction in &test {
            function.instruction(instruction);
        }
    }
    for _ in 0..depth {
        function.instruction(&I::End);
    }
    function.instruction(&I::LocalGet(0)).instruction(&I::End);
    module(std::iter::once(function), None)
}

/// A source in C with this many functions of this many branches each, and one that calls all of them.
pub fn source(functions: u32, branches: u32) -> String {
    let mut text = String::new();
    for function in 0..functions {
        text += &format!("__attribute__((noinline)) int f{function}(unsigned x) {{\n  int sum = 0;\n");
        for branch in 0..branches {
            let (bit, number) = ((branch * 7 + function) % 32, function * branches + branch);
            text += &format!("  if (x >> {bit} & 1) sum += {number}; else sum ^= {branch};\n");
        }
        text += "  return sum;\n}\n";
    }
    text += "int f(unsigned x) {\n  int sum = 0;\n";
    (0..functions).for_each(|function| text += &format!("  sum += f{function}(x + sum);\n"));
    text + "  return sum;\n}\n"
}
