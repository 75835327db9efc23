//! Profiles of every subject: their parts add up to the costs of the same run without a profile.

use pessimum_outcome::End;
use pessimum_search::program::{PathLimits, Program};
use pessimum_search::random::Random;
use pessimum_term::Witness;
use pessimum_wasm::names::SourceLines;

/// Fails if the parts of a profile do not add up to the costs of the run.
fn check(name: &str, program: &pessimum_program::WasmProgram, input: &Witness, limits: &PathLimits) {
    let replay = program.replay(input, limits);
    let profile = program.profile(input, limits);
    let costs = &profile.costs;
    assert_eq!(
        (costs.instructions, costs.branches, costs.calls, costs.depth, costs.user, costs.hits, costs.memory),
        (
            replay.costs.instructions,
            replay.costs.branches,
            replay.costs.calls,
            replay.costs.depth,
            replay.costs.user,
            replay.costs.hits,
            replay.costs.memory
        ),
        "{name}: the profiled run differs"
    );
    let sum = |part: fn(&pessimum_wasm::Counts) -> u64| profile.calls.iter().map(|node| part(&node.own)).sum::<u64>();
    assert_eq!(sum(|own| own.instructions), costs.instructions, "{name}: instructions of the call tree");
    assert_eq!(sum(|own| own.branches), costs.branches, "{name}: branches of the call tree");
    assert_eq!(sum(|own| own.calls), costs.calls, "{name}: calls of the call tree");
    assert_eq!(sum(|own| own.user), costs.user, "{name}: user cost of the call tree");
    let functions: u64 = profile.functions.iter().map(|function| function.own.instructions).sum();
    assert_eq!(functions, costs.instructions, "{name}: instructions of the functions");
    let executions: u64 = profile.instructions.iter().chain(&profile.moved).map(|(_, times)| times).sum();
    assert_eq!(executions, costs.instructions, "{name}: executions of the instructions, and what they moved");
    let (lines, unknown) = profile.lines(&SourceLines::of(program.subject().module()));
    let in_lines: u64 = lines.iter().map(|line| line.instructions).sum();
    assert_eq!(in_lines + unknown, costs.instructions, "{name}: instructions of the lines");
    let root = profile.calls.first().expect("something was called");
    assert_eq!(root.total.instructions, costs.instructions, "{name}: the root includes everything");
    for function in &profile.functions {
        assert!(function.own.instructions <= function.total_instructions, "{name}: {function:?}");
        assert!(function.total_instructions <= costs.instructions, "{name}: {function:?}");
    }
    assert_eq!(profile.sites.iter().sum::<u64>(), costs.branches, "{name}: executions of the sites");
    // The executions of a site's own instruction are those that the arms count.
    for (site, &hits) in program.subject().module().sites().iter().zip(&profile.sites) {
        let found = profile.instructions.binary_search_by_key(&site.offset, |&(offset, _)| offset);
        assert_eq!(found.map_or(0, |at| profile.instructions[at].1), hits, "{name}: {site:?}");
    }
}

#[test]
fn parts_add_up_on_every_subject() {
    let mut runs = 0;
    for entry in &pessimum_subjects::all() {
        let size = entry.sizes.iter().copied().min().unwrap_or(4).clamp(1, 30);
        let program = entry.program(size).unwrap();
        let variables = program.variables();
        let limits = PathLimits { instructions: 3_000_000, ..PathLimits::default() };
        let mut random = Random::new(size);
        for _ in 0..3 {
            let input = random.witness(&variables);
            check(&entry.name, &program, &input, &limits);
            // The same run, cut off halfway.
            let full = program.replay(&input, &limits);
            let cut = PathLimits { instructions: full.costs.instructions / 2, ..limits };
            check(&entry.name, &program, &input, &cut);
            runs += usize::from(full.end == End::Returned);
        }
        for worst in &entry.worst {
            let program = entry.program(worst.n).unwrap();
            let input = serde_json::from_str(&worst.input).unwrap();
            let (witness, _) = program.subject().plan().decode(&input).unwrap();
            check(&entry.name, &program, &witness, &limits);
            runs += 1;
        }
    }
    println!("{runs} runs to their end");
    assert!(runs > 100);
}
