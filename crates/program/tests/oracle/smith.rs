//! Random modules from wasm-smith with a function that takes integers.

use arbitrary::Unstructured;
use pessimum_search::random::Random;
use pessimum_testkit::smith::supported;

fn shape(random: &mut Random, exceptions: bool) -> wasm_smith::Config {
    wasm_smith::Config {
        allow_start_export: false,
        max_funcs: 5,
        min_funcs: 3,
        max_imports: 0,
        max_instructions: [30, 100, 300][random.index(3)],
        max_memory32_bytes: 2 * 65536,
        max_table_elements: 20,
        max_tables: 2,
        exceptions_enabled: exceptions,
        ..supported()
    }
}

/// The module for a seed, and a call of its function with at most 64 inputs. Every other one may throw and catch. Returns `None` if the generator ran out
/// of bytes.
pub fn program(seed: u64) -> Option<(Vec<u8>, String)> {
    let mut random = Random::new(seed);
    let params: Vec<&str> = (0..1 + random.index(3)).map(|_| ["i32", "i64"][random.index(2)]).collect();
    let wanted = format!(
        "(module (func (export \"main\") (param {}) (result i32 i64) unreachable)\
         (func (export \"other\") (param i32 i32) (result i32) unreachable))",
        params.join(" ")
    );
    let count = [64, 8, 4][params.len() - 1];
    let range = |kind: &&str| {
        let low = match random.index(3) {
            0 => random.bits() as i32 >> 8,
            _ => -(random.below(count + 1) as i32),
        };
        format!("{kind} in {low}..{}", low + count as i32)
    };
    let ranges: Vec<String> = params.iter().map(range).collect();
    let bytes: Vec<u8> = (0..3000).map(|_| random.bits() as u8).collect();
    let mut shape = shape(&mut random, seed % 2 == 1);
    shape.exports = Some(wat::parse_str(wanted).ok()?);
    let module = wasm_smith::Module::new(shape, &mut Unstructured::new(&bytes)).ok()?;
    Some((module.to_bytes(), format!("main({})", ranges.join(", "))))
}
