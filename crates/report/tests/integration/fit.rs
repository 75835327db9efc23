//! The fit on costs whose class is known: synthetic ones of every class, with terms of lower order and with noise,
//! and formulas of real programs.

use pessimum_report::class::Class;
use pessimum_report::fit::{Growth, explained, fit, fit_within};
use pessimum_term::random::Random;

fn class(name: &str) -> Class {
    name.parse().unwrap()
}

/// Sizes from `first` to `last`, each larger than the one before by the same factor.
fn geometric(first: u64, last: u64, count: u32) -> Vec<u64> {
    let factor = last as f64 / first as f64;
    (0..count).map(|i| (first as f64 * factor.powf(f64::from(i) / f64::from(count - 1))).round() as u64).collect()
}

fn value(class: Class, n: u64) -> f64 {
    class.ln(n as f64).exp()
}

fn fitted(sizes: &[u64], mut cost: impl FnMut(u64) -> f64) -> Growth {
    let points: Vec<(u64, f64)> = sizes.iter().map(|&n| (n, cost(n))).collect();
    fit(&points)
}

fn name(growth: &Growth) -> String {
    growth.class.map_or_else(|| "none".to_string(), |class| class.to_string())
}

/// Every class with the ranges on which it should be recognised.
fn classes() -> Vec<(&'static str, Vec<Vec<u64>>)> {
    let wide = || {
        vec![
            geometric(8, 1024, 8),
            vec![8, 16, 32, 64, 128],
            (1..=10).map(|i| 10 * i).collect(),
            geometric(5, 100, 8),
            geometric(16, 10_000, 10),
        ]
    };
    let steep = || vec![(3..=10).collect(), (4..=12).collect(), vec![5, 6, 7, 8, 9], vec![2, 4, 6, 8, 10, 12]];
    vec![
        ("1", wide()),
        ("log n", wide()),
        ("n", wide()),
        ("n log n", wide()),
        ("n^1.5", wide()),
        ("n^2", wide()),
        ("n^2 log n", wide()),
        ("n^2.5", wide()),
        ("n^3", wide()),
        ("2^n", steep()),
        ("3^n", steep()),
        ("n!", steep()),
    ]
}

/// The term of lower order that such a program is likely to have.
fn lower(class_name: &str) -> Class {
    class(match class_name {
        "1" => "1",
        "log n" => "1",
        "n" => "log n",
        "n log n" | "n^1.5" | "n^2" | "2^n" | "3^n" => "n",
        "n^2 log n" | "n^2.5" | "n^3" => "n^2",
        _ => "2^n",
    })
}

#[test]
fn exact_costs_give_their_class() {
    let mut wrong = String::new();
    for (expected, ranges) in classes() {
        for sizes in ranges {
            for offset in [0.0, 3.0, 20.0] {
                let growth = fitted(&sizes, |n| offset + 7.0 * value(class(expected), n));
                if name(&growth) != expected {
                    wrong += &format!("{expected} + {offset} over {sizes:?}: {} {:?}\n", name(&growth), growth.why_not);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn terms_of_lower_order_do_not_mislead() {
    let mut wrong = String::new();
    for (expected, ranges) in classes() {
        for sizes in ranges {
            for (factor, offset) in [(1.0, 5.0), (3.0, 20.0), (10.0, -6.0), (-2.0, 3.0)] {
                if factor > 5.0 && expected.contains(".5") {
                    continue; // nobody could tell these from n^2 log n
                }
                let growth =
                    fitted(&sizes, |n| offset + 5.0 * value(class(expected), n) + factor * value(lower(expected), n));
                // A fitted exponent has no term of lower order of its own, so one that is close will do.
                let near = match (growth.class, class(expected)) {
                    (Some(Class::Power(k)), Class::Power(wanted)) => (k - wanted).abs() < 0.15,
                    (Some(Class::Exponential(k)), Class::Exponential(wanted)) => (k - wanted).abs() < 0.15,
                    (found, wanted) => found == Some(wanted),
                };
                if !near {
                    wrong += &format!(
                        "5 {expected} + {factor} {} + {offset} over {sizes:?}: {} {:?}\n",
                        lower(expected),
                        name(&growth),
                        growth.why_not
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// With noise the answer may be "not enough data", but hardly ever another class.
#[test]
fn noise_gives_the_class_or_none() {
    let mut random = Random::new(1);
    let (mut wrong, mut table) = (String::new(), String::new());
    for (expected, ranges) in classes() {
        for sizes in ranges {
            for noise in [0.01, 0.03] {
                let (mut right, mut none, mut other) = (0, 0, Vec::new());
                for _ in 0..20 {
                    let growth = fitted(&sizes, |n| {
                        (20.0 + 7.0 * value(class(expected), n)) * (1.0 + noise * (2.0 * random.unit() - 1.0))
                    });
                    let near = match (growth.class, class(expected)) {
                        (Some(Class::Power(k)), Class::Power(wanted)) => (k - wanted).abs() < 0.15,
                        (Some(Class::Exponential(k)), Class::Exponential(wanted)) => (k - wanted).abs() < 0.15,
                        (found, wanted) => found == Some(wanted),
                    };
                    match growth.class {
                        _ if near => right += 1,
                        None => none += 1,
                        Some(_) => other.push(name(&growth)),
                    }
                }
                let line = format!("{expected} with {noise} over {sizes:?}: {right} right, {none} none, {other:?}\n");
                table += &line;
                // Exponents between the fixed ones are the first to be given up: over a narrow range, n^2 + n is like them.
                let narrow = sizes[sizes.len() - 1] < 16 * sizes[0];
                let enough = match expected {
                    "n^1.5" | "n^2.5" if noise > 0.02 || narrow => 0,
                    "log n" if noise > 0.02 && narrow => 5, // the square root is too close
                    _ => 12,
                };
                if other.len() > if noise > 0.02 { 2 } else { 1 } || right < enough {
                    wrong += &line;
                }
            }
        }
    }
    println!("{table}");
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Too few sizes, sizes too close together, and costs that follow no class.
#[test]
fn too_little_data_gives_no_class() {
    let square = |n: u64| (n * n) as f64;
    for (sizes, cost, why) in [
        (vec![8, 16, 32, 64], &square as &dyn Fn(u64) -> f64, "5 sizes are needed, and there are 4"),
        (vec![8], &square, "5 sizes are needed, and there is only 1 size"),
        (vec![100, 101, 102, 103, 104, 105], &|n| (n as f64).powf(1.3).round(), "fit about as well"),
        (vec![1000, 1010, 1020, 1030, 1040], &|n| (n as f64 * (n as f64).log2()).round(), "fit about as well"),
        (vec![8, 9, 10, 11, 12], &|_| 100.0, "the sizes are close together"),
        (vec![8, 16, 32, 64, 128], &|n| if n % 3 == 2 { 10.0 } else { 900.0 }, "no class comes nearer than"),
    ] {
        let growth = fitted(&sizes, cost);
        assert_eq!(growth.class, None, "{sizes:?}: {growth:?}");
        let said = growth.why_not.unwrap_or_default();
        assert!(said.contains(why), "{sizes:?}: {said}");
    }
}

/// Formulas from subjects/subjects.toml and well-known ones, with their floors and ceilings.
#[test]
fn formulas_of_programs_give_their_class() {
    let log = |n: u64| n.ilog2() as u64;
    let ceil_log = |n: u64| n.next_power_of_two().ilog2() as u64;
    let merge = |n: u64| {
        let c = ceil_log(n);
        5 * (n * c + n - (1 << c)) + 12 * n - 11
    };
    fn karatsuba(n: u64) -> u64 {
        if n <= 2 { 20 } else { 3 * karatsuba(n.div_ceil(2)) + 12 * n + 7 }
    }
    fn fibonacci(n: u64) -> u64 {
        if n < 2 { 4 } else { 9 + fibonacci(n - 1) + fibonacci(n - 2) }
    }
    fn permutations(n: u64) -> u64 {
        let mut s = 2;
        for k in 1..n {
            s = 2 * n + 3 + k * s;
        }
        n + 1 + s
    }
    let usual = geometric(8, 500, 8);
    let small: Vec<u64> = (3..=10).collect();
    type Formula<'f> = (&'f str, &'f [u64], &'f dyn Fn(u64) -> u64);
    let formulas: [Formula<'_>; 15] = [
        ("n", &usual, &|n| 6 * n + 1),
        ("n", &usual, &|n| 2 * n + 2),
        ("n log n", &usual, &merge),
        ("n log n", &[8, 16, 32, 64, 128, 256], &merge),
        ("n", &usual, &|n| 7 * n + 14),
        ("n^2", &usual, &|n| 2 * n * n - n + 3),
        ("n^2", &usual, &|n| 2 * n * n + 2 * n + 2),
        ("n^2", &usual, &|n| n * (n - 1) / 2),
        ("n log n", &usual, &|n| (1..=n).map(|i| 4 + 2 * log(i)).sum::<u64>() + n + 1),
        ("n log n", &usual, &|n| (1..=n).map(log).sum()),
        ("n^3", &usual, &|n| 4 * n * n * n + 2 * n * n + 6 * n + 3),
        ("n", &usual, &|n| 3 * (n / 3)),
        ("log n", &usual, &|n| 11 + 9 * log(n)),
        ("n!", &small, &permutations),
        ("2^n", &small, &|n| 14 * (1 << n) - 5),
    ];
    for (expected, sizes, cost) in formulas {
        let growth = fitted(sizes, |n| cost(n) as f64);
        assert_eq!(name(&growth), expected, "{sizes:?} {growth:?}");
    }
    let growth = fitted(&small, |n| fibonacci(n) as f64);
    assert!(matches!(growth.class, Some(Class::Exponential(c)) if (1.6..1.64).contains(&c)), "Fibonacci: {growth:?}");
    let growth = fitted(&[8, 16, 32, 64, 128, 256, 512], |n| karatsuba(n) as f64);
    assert!(matches!(growth.class, Some(Class::Power(k)) if (1.4..1.8).contains(&k)), "Karatsuba: {growth:?}");
}

/// A search by halves takes whole steps, at whatever sizes it is measured.
#[test]
fn whole_steps_are_logarithmic() {
    for sizes in
        [vec![8, 12, 16, 24, 32, 48, 64, 96], geometric(8, 500, 8), geometric(10, 1000, 7), geometric(16, 4096, 9)]
    {
        for (offset, step) in [(11, 9), (34, 25), (3, 12), (60, 7)] {
            let growth = fitted(&sizes, |n| (offset + step * u64::from(n.ilog2())) as f64);
            println!("{sizes:?} {offset} + {step} log n: {} {:?}", name(&growth), growth.why_not);
            assert!(["log n", "none"].contains(&name(&growth).as_str()), "{sizes:?} {offset} {step}: {growth:?}");
        }
    }
}

/// Values far beyond what an `f64` holds.
#[test]
fn steep_classes_do_not_overflow() {
    let points: Vec<(u64, f64)> = (3..=20).map(|n| (n, Class::Factorial.ln(n as f64).exp())).collect();
    assert_eq!(name(&fit(&points)), "n!");
    let points: Vec<(u64, f64)> = (0..=12).map(|i| (3000 + 5 * i, 9.0 + (5.0 * i as f64).exp2())).collect();
    assert_eq!(name(&fit(&points)), "2^n", "2^3060 is more than an f64 holds");
    let points: Vec<(u64, f64)> = (0..=9).map(|i| (1_000_000 * (i + 1), 1e18 * (i + 1) as f64)).collect();
    assert_eq!(name(&fit(&points)), "n");
    let points: Vec<(u64, f64)> = (1..=6).map(|i| (100_000 * i, 1e15 * i as f64)).collect();
    let growth = fit(&points);
    assert_eq!(name(&growth), "n");
    let fitted = growth.fit.unwrap();
    assert!((fitted.at(350_000.0) / 3.5e15 - 1.0).abs() < 1e-6);
    let again: Growth = serde_json::from_str(&serde_json::to_string(&fit(&points)).unwrap()).unwrap();
    assert_eq!(again.fit.unwrap(), fitted, "written and read back");
}

/// What real programs were once given a wrong class for.
#[test]
fn costs_that_no_class_describes_have_none() {
    // Searches that lag behind more and more: n^2 looks like n or n log n, n log n like n, with errors of 3 to 15 %.
    let (square, log) = (|n: u64| (n * n) as f64, |n: u64| n as f64 * (n as f64).log2());
    type Lag<'l> = (&'l dyn Fn(u64) -> f64, [f64; 6]);
    let lags: [Lag<'_>; 5] = [
        (&square, [1.0, 0.55, 0.33, 0.14, 0.083, 0.034]),
        (&square, [1.0, 0.6, 0.26, 0.15, 0.064, 0.038]),
        (&square, [1.0, 0.68, 0.48, 0.24, 0.17, 0.085]),
        (&square, [1.0, 0.72, 0.41, 0.27, 0.15, 0.1]),
        (&log, [1.0, 0.86, 0.64, 0.57, 0.45, 0.43]),
    ];
    for (truth, shares) in lags {
        let points: Vec<(u64, f64)> =
            shares.iter().zip(3..).map(|(share, k)| (1 << k, share * truth(1 << k))).collect();
        for growth in [fit(&points), fit_within(&points, explained([0.0]))] {
            assert_eq!(name(&growth), "none", "{shares:?}: {:?}", growth.fit);
            assert!(growth.why_not.is_some());
        }
    }
    // An exponent that still rises, from 4 to 6: n^4.28 fits within 3 %.
    for share in [0.1, 1.0, 3.0] {
        let rising = fitted(&[3, 4, 5, 6, 8, 10, 12], |n| 40.0 * (n as f64).powi(4) + share * (n as f64).powi(6));
        assert_eq!(name(&rising), "none", "{share}: {:?}", rising.fit);
        assert!(rising.why_not.as_ref().unwrap().contains("the exponent still rises"), "{share}: {rising:?}");
    }
}

/// n (n - 1) / 2 - 60 from 20 on, and something else below.
#[test]
fn small_sizes_of_another_kind_are_left_out() {
    let growth = fitted(&[10, 20, 30, 40, 50, 60], |n| if n < 20 { 31.0 } else { (n * (n - 1) / 2 - 60) as f64 });
    assert_eq!(name(&growth), "n^2");
    let fit = growth.fit.unwrap();
    assert_eq!((fit.from, fit.formula().as_str()), (20, "0.5 n^2 - 0.5 n - 60"));
    // Two of them are left out as well, but never so many that too few sizes are left.
    let two = |sizes: &[u64]| fitted(sizes, |n| if n < 30 { 77.0 } else { (7 * n * n * n + 5) as f64 });
    assert_eq!(two(&[10, 20, 30, 40, 50, 60, 70]).fit.unwrap().from, 30);
    assert_eq!(two(&[20, 30, 40, 50, 60]).fit.unwrap().from, 20);
}

/// The costs of a quicksort that sorts up to twelve elements by insertion, of merge sorts, and of a table with steps, as
/// searches found them. The truth comes first; each may also have no class.
#[test]
fn costs_from_searches_never_get_a_wrong_class() {
    let sizes = [8, 12, 16, 24, 32, 48, 64, 96];
    let cut_off = [(8, 902), (16, 3558), (24, 7646), (32, 12758), (48, 26054), (64, 43428), (96, 90172)];
    let cases: [(&str, Vec<(u64, u64)>); 4] = [
        ("n^2", cut_off.to_vec()),
        ("n log n", sizes.into_iter().zip([2192, 3909, 5388, 9198, 12674, 21162, 29068, 48189]).collect()),
        ("n log n", sizes.into_iter().zip([2871, 5379, 7062, 12426, 16501, 28233, 37788, 62800]).collect()),
        ("n^2", sizes.into_iter().zip([1456, 3583, 4917, 11429, 16507, 39547, 59053, 120_396]).collect()),
    ];
    for (truth, costs) in cases {
        let points: Vec<(u64, f64)> = costs.iter().map(|&(n, cost)| (n, cost as f64)).collect();
        for growth in [fit(&points), fit_within(&points, explained([0.0]))] {
            println!("{truth}: {} {:?}", name(&growth), growth.why_not);
            assert!([truth, "none"].contains(&name(&growth).as_str()), "{truth}: {growth:?}");
        }
    }
}
