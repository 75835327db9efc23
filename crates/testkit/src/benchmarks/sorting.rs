//! Sorting, counted in comparisons of elements.

use crate::native::{Call, Guest, Native};
use crate::value::Value;
use std::cmp::Ordering;
use std::pin::Pin;
use std::task::{Context, Waker};

/// Insertion sort. Worst: strictly decreasing, `n(n-1)/2`.
pub fn insertion_sort(n: u32) -> Native {
    let n = n as usize;
    Native::over("insertion_sort", 32, n, move |guest| async move {
        let mut a = guest.inputs(0..n);
        for i in 1..n {
            let x = a[i];
            let mut j = i;
            while guest.concrete(0, j > 0).await {
                guest.cost(1);
                if !guest.branch(1, guest.less(x, a[j - 1])).await {
                    break;
                }
                a[j] = a[j - 1];
                j -= 1;
            }
            a[j] = x;
        }
    })
}

/// Top-down merge sort that takes the left element if it is less.
pub fn merge_sort(n: u32) -> Native {
    let n = n as usize;
    Native::over("merge_sort", 32, n, move |guest| async move {
        let a = guest.inputs(0..n);
        merge(&guest, a).await;
    })
}

fn merge<'a>(guest: &'a Guest, mut a: Vec<Value>) -> Pin<Box<dyn Future<Output = Vec<Value>> + 'a>> {
    Box::pin(async move {
        if a.len() < 2 {
            return a;
        }
        let _call = guest.call();
        let right = a.split_off(a.len() / 2);
        let left = merge(guest, a).await;
        let right = merge(guest, right).await;
        let mut merged = Vec::with_capacity(left.len() + right.len());
        let (mut i, mut j) = (0, 0);
        while i < left.len() && j < right.len() {
            guest.cost(1);
            if guest.branch(0, guest.less(left[i], right[j])).await {
                merged.push(left[i]);
                i += 1;
            } else {
                merged.push(right[j]);
                j += 1;
            }
        }
        merged.extend_from_slice(&left[i..]);
        merged.extend_from_slice(&right[j..]);
        merged
    })
}

/// The quicksort of JDK 1.5: insertion sort below 7, median of three above 7, of nine above 40; three-way partition.
pub fn quicksort(n: u32) -> Native {
    let n = n as usize;
    Native::over("quicksort", 32, n, move |mut guest| async move {
        let mut x = guest.inputs(0..n);
        sort(&mut guest, &mut x, 0, n).await;
    })
}

/// What a comparison asks.
#[derive(Clone, Copy)]
enum Relation {
    Less,
    AtMost,
    AtLeast,
    Equal,
}

/// Who answers the comparisons of [`quicksort`]: an input, or an adversary.
trait Comparisons {
    type Item: Copy;
    /// Lasts as long as a call.
    type Call;

    fn call(&self) -> Self::Call;

    async fn holds(&mut self, site: u32, x: Self::Item, relation: Relation, y: Self::Item) -> bool;
}

impl Comparisons for Guest {
    type Item = Value;
    type Call = Call;

    fn call(&self) -> Call {
        Guest::call(self)
    }

    async fn holds(&mut self, site: u32, x: Value, relation: Relation, y: Value) -> bool {
        self.cost(1);
        let condition = match relation {
            Relation::Less => self.less(x, y),
            Relation::AtMost => self.at_most(x, y),
            Relation::AtLeast => self.at_most(y, x),
            Relation::Equal => self.equal(x, y),
        };
        self.branch(site, condition).await
    }
}

async fn median<C: Comparisons>(by: &mut C, x: &[C::Item], a: usize, b: usize, c: usize) -> usize {
    let _call = by.call();
    if by.holds(0, x[a], Relation::Less, x[b]).await {
        if by.holds(1, x[b], Relation::Less, x[c]).await {
            b
        } else if by.holds(2, x[a], Relation::Less, x[c]).await {
            c
        } else {
            a
        }
    } else if by.holds(3, x[c], Relation::Less, x[b]).await {
        b
    } else if by.holds(4, x[c], Relation::Less, x[a]).await {
        c
    } else {
        a
    }
}

/// The middle element, the median of three, or that of three medians.
async fn pivot<C: Comparisons>(by: &mut C, x: &[C::Item], off: usize, length: usize) -> usize {
    let mut m = off + length / 2;
    if length > 7 {
        let (mut l, mut n) = (off, off + length - 1);
        if length > 40 {
            let s = length / 8;
            l = median(by, x, l, l + s, l + 2 * s).await;
            m = median(by, x, m - s, m, m + s).await;
            n = median(by, x, n - 2 * s, n - s, n).await;
        }
        m = median(by, x, l, m, n).await;
    }
    m
}

fn sort<'a, C: Comparisons>(
    by: &'a mut C,
    x: &'a mut [C::Item],
    off: usize,
    length: usize,
) -> Pin<Box<dyn Future<Output = ()> + 'a>> {
    Box::pin(async move {
        let _call = by.call();
        if length < 7 {
            for i in off..off + length {
                let mut j = i;
                while j > off && by.holds(5, x[j], Relation::Less, x[j - 1]).await {
                    x.swap(j, j - 1);
                    j -= 1;
                }
            }
            return;
        }
        let v = x[pivot(by, x, off, length).await];
        let (mut a, mut b) = (off as isize, off as isize);
        let mut c = (off + length) as isize - 1;
        let mut d = c;
        loop {
            while b <= c && by.holds(6, x[b as usize], Relation::AtMost, v).await {
                if by.holds(7, x[b as usize], Relation::Equal, v).await {
                    x.swap(a as usize, b as usize);
                    a += 1;
                }
                b += 1;
            }
            while c >= b && by.holds(8, x[c as usize], Relation::AtLeast, v).await {
                if by.holds(9, x[c as usize], Relation::Equal, v).await {
                    x.swap(c as usize, d as usize);
                    d -= 1;
                }
                c -= 1;
            }
            if b > c {
                break;
            }
            x.swap(b as usize, c as usize);
            b += 1;
            c -= 1;
        }
        let end = (off + length) as isize;
        let s = (a - off as isize).min(b - a);
        for i in 0..s {
            x.swap(off + i as usize, (b - s + i) as usize);
        }
        let t = (d - c).min(end - d - 1);
        for i in 0..t {
            x.swap((b + i) as usize, (end - t + i) as usize);
        }
        if b - a > 1 {
            sort(by, x, off, (b - a) as usize).await;
        }
        if d - c > 1 {
            sort(by, x, (end - (d - c)) as usize, (d - c) as usize).await;
        }
    })
}

/// What McIlroy's adversary ("A killer adversary for quicksort", 1999) makes [`quicksort`] pay: values are fixed only
/// when they must be, the pivot candidate first.
pub fn quicksort_adversary(n: u32) -> u64 {
    let n = n as usize;
    let mut adversary = Adversary { value: vec![usize::MAX; n], solid: 0, candidate: 0, count: 0 };
    let mut x: Vec<usize> = (0..n).collect();
    let sorted = sort(&mut adversary, &mut x, 0, n).as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(sorted.is_ready(), "an adversary answers at once");
    adversary.count
}

struct Adversary {
    /// By element; `usize::MAX` if it is not fixed yet (greater than everything fixed).
    value: Vec<usize>,
    solid: usize,
    candidate: usize,
    count: u64,
}

impl Adversary {
    fn compare(&mut self, x: usize, y: usize) -> Ordering {
        self.count += 1;
        const GAS: usize = usize::MAX;
        if self.value[x] == GAS && self.value[y] == GAS && x != y {
            let frozen = if x == self.candidate { x } else { y };
            self.value[frozen] = self.solid;
            self.solid += 1;
        }
        if self.value[x] == GAS {
            self.candidate = x;
        } else if self.value[y] == GAS {
            self.candidate = y;
        }
        self.value[x].cmp(&self.value[y])
    }
}

impl Comparisons for Adversary {
    type Item = usize;
    type Call = ();

    fn call(&self) {}

    async fn holds(&mut self, _: u32, x: usize, relation: Relation, y: usize) -> bool {
        let order = self.compare(x, y);
        match relation {
            Relation::Less => order.is_lt(),
            Relation::AtMost => order.is_le(),
            Relation::AtLeast => order.is_ge(),
            Relation::Equal => order.is_eq(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected counts come from a separate plain implementation of the same sort.
    #[test]
    fn the_adversary_makes_it_quadratic() {
        let costs = [5, 10, 50, 100].map(quicksort_adversary);
        assert_eq!(costs, [4, 46, 987, 2452]);
    }
}
