//! A fixed sample of what the binary of this package does on as many seeds as asked.

use pessimum_fuzz::{compare, damage, generate, survive};
use pessimum_term::random::Random;

#[test]
fn random_modules_behave_as_in_wasmi() {
    let (mut modules, mut calls, mut traps) = (0, 0, 0);
    for seed in 0..4000 {
        let Some(bytes) = generate(seed) else { continue };
        modules += 1;
        match compare(&bytes, seed) {
            Ok(compared) => {
                calls += compared.calls;
                traps += compared.traps;
            }
            Err(difference) => panic!("seed {seed}: {difference}"),
        }
    }
    println!("{modules} modules, {calls} calls compared, {traps} of them trapped");
    // Modules that do nothing would prove nothing.
    assert!(modules > 2000 && calls - traps > 2000 && traps > 500, "{modules} {calls} {traps}");
}

#[test]
fn damaged_modules_do_no_harm() {
    let (mut tried, mut loaded) = (0, 0);
    for seed in 0..1500 {
        let Some(bytes) = generate(seed) else { continue };
        let mut random = Random::new(seed);
        for _ in 0..10 {
            tried += 1;
            loaded += survive(&damage(&bytes, &mut random)) as u32;
        }
    }
    println!("{tried} damaged modules, {loaded} of them still loaded and were run");
    assert!(tried >= 10_000 && loaded > 100, "{tried} {loaded}");
}
