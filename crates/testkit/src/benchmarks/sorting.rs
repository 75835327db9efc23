//! Sorting, counted in comparisons of elements.

use crate::native::{Guest, Native, Value};
use std::pin::Pin;

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

/// The quicksort of JDK 1.5 with insertion sort below 7 (median of three above, of nine above 40; three-way partition).
pub fn quicksort(n: u32) -> Native {
    let n = n as usize;
    Native::over("quicksort", 32, n, move |guest| async move {
        let mut x = guest.inputs(0..n);
        sort(&guest, &mut x, 0, n).await;
    })
}

async fn less(guest: &Guest, site: u32, x: Value, y: Value) -> bool {
    guest.cost(1);
    guest.branch(site, guest.less(x, y)).await
}

async fn median(guest: &Guest, x: &[Value], a: usize, b: usize, c: usize) -> usize {
    let _call = guest.call();
    if less(guest, 0, x[a], x[b]).await {
        if less(guest, 1, x[b], x[c]).await {
            b
        } else if less(guest, 2, x[a], x[c]).await {
            c
        } else {
            a
        }
    } else if less(guest, 3, x[c], x[b]).await {
        b
    } else if less(guest, 4, x[c], x[a]).await {
        c
    } else {
        a
    }
}

fn sort<'a>(guest: &'a Guest, x: &'a mut [Value], off: usize, length: usize) -> Pin<Box<dyn Future<Output = ()> + 'a>> {
    Box::pin(async move {
        let _call = guest.call();
        if length < 7 {
            for i in off..off + length {
                let mut j = i;
                while j > off && less(guest, 5, x[j], x[j - 1]).await {
                    x.swap(j, j - 1);
                    j -= 1;
                }
            }
            return;
        }
        let mut m = off + length / 2;
        if length > 7 {
            let mut l = off;
            let mut n = off + length - 1;
            if length > 40 {
                let s = length / 8;
                l = median(guest, x, l, l + s, l + 2 * s).await;
                m = median(guest, x, m - s, m, m + s).await;
                n = median(guest, x, n - 2 * s, n - s, n).await;
            }
            m = median(guest, x, l, m, n).await;
        }
        let v = x[m];
        let (mut a, mut b) = (off as isize, off as isize);
        let mut c = (off + length) as isize - 1;
        let mut d = c;
        loop {
            while b <= c {
                guest.cost(1);
                if !guest.branch(6, guest.at_most(x[b as usize], v)).await {
                    break;
                }
                guest.cost(1);
                if guest.branch(7, guest.equal(x[b as usize], v)).await {
                    x.swap(a as usize, b as usize);
                    a += 1;
                }
                b += 1;
            }
            while c >= b {
                guest.cost(1);
                if !guest.branch(8, guest.at_most(v, x[c as usize])).await {
                    break;
                }
                guest.cost(1);
                if guest.branch(9, guest.equal(x[c as usize], v)).await {
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
            sort(guest, x, off, (b - a) as usize).await;
        }
        if d - c > 1 {
            sort(guest, x, (end - (d - c)) as usize, (d - c) as usize).await;
        }
    })
}

/// What McIlroy's adversary ("A killer adversary for quicksort", 1999) makes [`quicksort`] pay: values are fixed only
/// when they must be, the pivot candidate first.
pub fn quicksort_adversary(n: u32) -> u64 {
    let n = n as usize;
    let mut adversary = Adversary { value: vec![usize::MAX; n], solid: 0, candidate: 0, count: 0 };
    let mut x: Vec<usize> = (0..n).collect();
    adversary.sort(&mut x, 0, n);
    adversary.count
}

struct Adversary {
    /// By element; `usize::MAX` is not fixed yet (greater than everything fixed).
    value: Vec<usize>,
    solid: usize,
    candidate: usize,
    count: u64,
}

impl Adversary {
    fn compare(&mut self, x: usize, y: usize) -> std::cmp::Ordering {
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

    fn median(&mut self, x: &[usize], a: usize, b: usize, c: usize) -> usize {
        if self.compare(x[a], x[b]).is_lt() {
            if self.compare(x[b], x[c]).is_lt() {
                b
            } else if self.compare(x[a], x[c]).is_lt() {
                c
            } else {
                a
            }
        } else if self.compare(x[c], x[b]).is_lt() {
            b
        } else if self.compare(x[c], x[a]).is_lt() {
            c
        } else {
            a
        }
    }

    fn sort(&mut self, x: &mut [usize], off: usize, length: usize) {
        if length < 7 {
            for i in off..off + length {
                let mut j = i;
                while j > off && self.compare(x[j], x[j - 1]).is_lt() {
                    x.swap(j, j - 1);
                    j -= 1;
                }
            }
            return;
        }
        let mut m = off + length / 2;
        if length > 7 {
            let (mut l, mut n) = (off, off + length - 1);
            if length > 40 {
                let s = length / 8;
                l = self.median(x, l, l + s, l + 2 * s);
                m = self.median(x, m - s, m, m + s);
                n = self.median(x, n - 2 * s, n - s, n);
            }
            m = self.median(x, l, m, n);
        }
        let v = x[m];
        let (mut a, mut b) = (off as isize, off as isize);
        let mut c = (off + length) as isize - 1;
        let mut d = c;
        loop {
            while b <= c && self.compare(x[b as usize], v).is_le() {
                if self.compare(x[b as usize], v).is_eq() {
                    x.swap(a as usize, b as usize);
                    a += 1;
                }
                b += 1;
            }
            while c >= b && self.compare(x[c as usize], v).is_ge() {
                if self.compare(x[c as usize], v).is_eq() {
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
            self.sort(x, off, (b - a) as usize);
        }
        if d - c > 1 {
            self.sort(x, (end - (d - c)) as usize, (d - c) as usize);
        }
    }
}
