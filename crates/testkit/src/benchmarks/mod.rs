//! Native programs modelled on the papers' subjects, with what is known about their worst cases. The cost is `user`
//! unless a program says otherwise; the size is `n`.

mod graphs;
mod sorting;
mod text;

pub use graphs::{bfs, bst, dfs, dijkstra, hash_table, heap, tour};
pub use sorting::{insertion_sort, merge_sort, quicksort, quicksort_adversary};
pub use text::{alternate_0, boyer_moore, kmp, memory_fill, palindrome, parser};

use crate::native::Native;
use pessimum_outcome::CostModel;

/// One subject of a comparison.
pub struct Subject {
    /// Its name.
    pub name: &'static str,
    /// The program at a size.
    pub at: fn(u32) -> Native,
    /// What is maximised.
    pub cost: CostModel,
    /// The best cost known at a size; `None` where nothing is known.
    pub known: fn(u32) -> Option<u64>,
}

/// The most comparisons that a top-down merge sort makes: `n * levels - 2^levels + 1`.
fn merge_comparisons(n: u64) -> u64 {
    let levels = u64::from(n.next_power_of_two().trailing_zeros());
    n * levels + 1 - (1 << levels)
}

/// All of them.
pub const SUBJECTS: &[Subject] = &[
    Subject { name: "insertion_sort", at: insertion_sort, cost: CostModel::User, known: |n| pairs(n.into()) },
    Subject { name: "merge_sort", at: merge_sort, cost: CostModel::User, known: |n| Some(merge_comparisons(n.into())) },
    Subject { name: "quicksort", at: quicksort, cost: CostModel::User, known: |n| Some(quicksort_adversary(n)) },
    Subject { name: "alternate_0", at: alternate_0, cost: CostModel::User, known: |n| Some(6 * u64::from(n) + 1) },
    Subject { name: "palindrome", at: palindrome, cost: CostModel::User, known: |n| Some(2 * u64::from(n) + 2) },
    Subject { name: "kmp", at: kmp, cost: CostModel::User, known: |_| None },
    Subject { name: "memory_fill", at: memory_fill, cost: CostModel::User, known: |n| Some(4 * u64::from(n) + 20) },
    Subject { name: "boyer_moore", at: boyer_moore, cost: CostModel::Decisions, known: |n| Some(u64::from(n / 3 * 3)) },
    Subject { name: "dfs", at: dfs, cost: CostModel::User, known: |n| Some(u64::from(n) * (u64::from(n) - 1)) },
    Subject { name: "bfs", at: bfs, cost: CostModel::User, known: |n| Some(u64::from(n) * (u64::from(n) - 1)) },
    Subject { name: "bst", at: bst, cost: CostModel::Decisions, known: |n| pairs(n.into()) },
    Subject {
        name: "heap",
        at: heap,
        cost: CostModel::Decisions,
        known: |n| Some((1..=u64::from(n)).map(|i| u64::from(i.ilog2())).sum()),
    },
    Subject { name: "hash_table", at: hash_table, cost: CostModel::User, known: |n| pairs(n.into()) },
    Subject {
        name: "tour",
        at: tour,
        cost: CostModel::Decisions,
        known: |v| [(4, 12), (5, 28), (6, 55)].iter().find(|(at, _)| *at == v).map(|(_, cost)| *cost),
    },
    Subject {
        name: "dijkstra",
        at: dijkstra,
        cost: CostModel::Decisions,
        known: |v| [(3, 5), (4, 29), (5, 72), (6, 136)].iter().find(|(at, _)| *at == v).map(|(_, cost)| *cost),
    },
    Subject { name: "parser", at: parser, cost: CostModel::User, known: |_| None },
];

fn pairs(n: u64) -> Option<u64> {
    Some(n * n.saturating_sub(1) / 2)
}
