//! How fast decisions are followed and plain runs are made. Figures, no test: `cargo test --release -p pessimum-python --test integration --
//! --ignored --nocapture`.

use std::time::{Duration, Instant};

use crate::common::{Subject, interpreters};
use pessimum_search::program::{Arm, Event, PathLimits, Program as _};
use pessimum_term::{Arena, Evaluator, Witness};

const TEXT: &str = "
def sort(xs):
    for i in range(1, len(xs)):
        j = i
        while j > 0 and xs[j - 1] > xs[j]:
            xs[j - 1], xs[j] = xs[j], xs[j - 1]
            j -= 1
    return xs

def count(xs):
    n = 0
    for x in xs:
        if x > 0:
            n += 1
    return n
";

/// The shortest of many attempts: what else the machine does makes attempts longer, never shorter.
fn shortest(mut attempt: impl FnMut() -> u64) -> (f64, u64) {
    let started = Instant::now();
    let (mut least, mut count) = (f64::INFINITY, 0);
    while started.elapsed() < Duration::from_secs(3) {
        let begun = Instant::now();
        count = attempt();
        least = least.min(begun.elapsed().as_secs_f64());
    }
    (least, count)
}

#[test]
#[ignore = "figures, no test"]
fn figures() {
    const SIZE: u64 = 40;
    for python in interpreters() {
        let subject = Subject::new(python, TEXT);
        let program = subject.program("sort(int[n])", SIZE);
        let limits = PathLimits::default();
        let reversed = Witness::new((0..SIZE).rev().collect());
        let (path, decisions) = shortest(|| {
            let (mut arena, mut decisions) = (Arena::new(), 0);
            let mut evaluator = Evaluator::new(reversed.clone());
            let mut run = program.start(&mut arena, &limits);
            run.follow(&reversed);
            loop {
                match run.next(&mut arena) {
                    Event::Decision { kind, scrutinee, .. } => {
                        decisions += 1;
                        run.take(kind.arm_of(evaluator.value(&arena, scrutinee)));
                    }
                    Event::End(_) => return decisions,
                    _ => {}
                }
            }
        });

        // Always the arm that the worker does not expect: all numbers that are still to come are 0 in its witness. The first of these
        // arms makes it run again; from then on it waits at each decision and is told the arm and the number.
        let counting = subject.program("count(int[n])", 400);
        let (asking, asked) = shortest(|| {
            let (mut arena, mut decisions) = (Arena::new(), 0);
            let mut run = counting.start(&mut arena, &limits);
            let mut values: Vec<u64> = vec![0; 400];
            run.follow(&Witness::new(values.clone()));
            loop {
                if run.wants_witness() {
                    run.follow(&Witness::new(values.clone()));
                }
                match run.next(&mut arena) {
                    Event::Decision { .. } => {
                        values[decisions as usize] = 1;
                        decisions += 1;
                        run.take(Arm::TRUE);
                    }
                    Event::End(_) => return decisions,
                    _ => {}
                }
            }
        });
        assert_eq!(asked, 400);
        let (plain, lines) = shortest(|| program.replay(&reversed, &limits).costs.lines);
        let small = subject.program("sort(int[n])", 2);
        let (least, _) = shortest(|| small.replay(&Witness::new(vec![1, 2]), &limits).costs.lines);
        println!(
            "Python {}: {:.0} decisions/s in one piece ({decisions} in {:.1} ms), {:.0} decisions/s with a message each ({asked} in \
             {:.1} ms), {:.0} plain runs/s of {lines} lines ({:.1} million lines/s), {:.0} plain runs/s of a few",
            subject.source.version(),
            decisions as f64 / path,
            path * 1e3,
            asked as f64 / asking,
            asking * 1e3,
            1.0 / plain,
            lines as f64 / plain / 1e6,
            1.0 / least,
        );
    }
}
