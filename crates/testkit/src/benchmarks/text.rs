//! Scans over lists and text.

use crate::native::{Guest, Native};
use crate::value::Value;
use pessimum_search::program::Variable;
use pessimum_term::VariableId;
use std::pin::Pin;

/// Lines of ESE's alternate_0: 6 per element that is zero at an even or non-zero at an odd index, 4 otherwise, and 1.
pub fn alternate_0(n: u32) -> Native {
    Native::over("alternate_0", 32, n as usize, move |guest| async move {
        for i in 0..n {
            guest.cost(3);
            let zero = guest.branch(0, guest.equal(guest.input(i as usize), Value::concrete(32, 0))).await;
            let check = if zero { 1 - i % 2 } else { i % 2 };
            guest.cost(1);
            if guest.concrete(1, check == 1).await {
                guest.cost(2);
            }
        }
        guest.cost(1);
    })
}

/// Lines of ESE's is_palindrome: all indices are compared; the first difference ends it.
pub fn palindrome(n: u32) -> Native {
    let n = n as usize;
    Native::over("palindrome", 32, n, move |guest| async move {
        for i in 0..n {
            guest.cost(2);
            if !guest.branch(0, guest.equal(guest.input(i), guest.input(n - 1 - i))).await {
                guest.cost(1);
                return;
            }
        }
        guest.cost(2);
    })
}

/// Knuth-Morris-Pratt with a symbolic pattern of three symbols; stops at the first match. Each loop iteration and
/// each match costs 1.
pub fn kmp(n: u32) -> Native {
    let n = n as usize;
    Native::over("kmp", 8, n + 3, move |guest| async move {
        let pattern = guest.inputs(0..3);
        let mut table = [0usize; 3];
        let mut k = 0;
        for q in 1..3 {
            guest.cost(1);
            while k > 0 && !guest.branch(0, guest.equal(pattern[k], pattern[q])).await {
                guest.cost(1);
                k = table[k - 1];
            }
            if guest.branch(1, guest.equal(pattern[k], pattern[q])).await {
                guest.cost(1);
                k += 1;
            }
            table[q] = k;
        }
        let mut q = 0;
        for i in 0..n {
            guest.cost(1);
            let symbol = guest.input(3 + i);
            while q > 0 && !guest.branch(2, guest.equal(pattern[q], symbol)).await {
                guest.cost(1);
                q = table[q - 1];
            }
            if guest.branch(3, guest.equal(pattern[q], symbol)).await {
                guest.cost(1);
                q += 1;
            }
            if q == 3 {
                return;
            }
        }
    })
}

/// Lines of ESE's memory_fill above 16 elements: 4 per non-zero element, 2 per zero one, 20 for the rest.
pub fn memory_fill(n: u32) -> Native {
    Native::over("memory_fill", 32, n as usize, move |guest| async move {
        guest.cost(20);
        for i in 0..n {
            guest.cost(2);
            if !guest.branch(0, guest.equal(guest.input(i as usize), Value::concrete(32, 0))).await {
                guest.cost(2);
            }
        }
    })
}

/// Boyer-Moore as in PySE: a fixed key of three different symbols, compared right to left, always shifted by three.
pub fn boyer_moore(n: u32) -> Native {
    let n = n as usize;
    Native::over("boyer_moore", 8, n, move |guest| async move {
        let mut at = 0;
        while at + 3 <= n {
            let mut matched = true;
            for (i, symbol) in [(2, b'c'), (1, b'b'), (0, b'a')] {
                if !guest.branch(0, guest.equal(guest.input(at + i), Value::concrete(8, symbol.into()))).await {
                    matched = false;
                    break;
                }
            }
            if matched {
                return;
            }
            at += 3;
        }
    })
}

/// A parser of nested lists of numbers, `(12 (3) 4)`, over `n` bytes; each loop iteration and each digit costs 1,
/// and each number costs 1 more per earlier number in its list with as many digits, so that long lists of short
/// numbers cost the most.
pub fn parser(n: u32) -> Native {
    let variables = (0..n).map(|id| Variable::unlimited(VariableId(id), 8)).collect();
    Native::new("parser", variables, move |guest| async move {
        let mut at = 0;
        list(&guest, n as usize, &mut at).await;
    })
}

fn list<'a>(guest: &'a Guest, n: usize, at: &'a mut usize) -> Pin<Box<dyn Future<Output = bool> + 'a>> {
    Box::pin(async move {
        let _call = guest.call();
        if !is(guest, 0, n, *at, b'(').await {
            return false;
        }
        *at += 1;
        let mut lengths: Vec<usize> = Vec::new();
        loop {
            guest.cost(1);
            if *at >= n {
                return false;
            }
            if is(guest, 1, n, *at, b')').await {
                *at += 1;
                return true;
            }
            if is(guest, 2, n, *at, b' ').await {
                *at += 1;
                continue;
            }
            let symbol = guest.input(*at);
            let mut length = 0;
            if guest.branch(3, guest.less(Value::concrete(8, u64::from(b'0') - 1), symbol)).await
                && guest.branch(4, guest.less(symbol, Value::concrete(8, u64::from(b'9') + 1))).await
            {
                while *at < n
                    && guest.branch(5, guest.less(Value::concrete(8, u64::from(b'0') - 1), guest.input(*at))).await
                    && guest.branch(6, guest.less(guest.input(*at), Value::concrete(8, u64::from(b'9') + 1))).await
                {
                    guest.cost(1);
                    *at += 1;
                    length += 1;
                }
                guest.cost(lengths.iter().filter(|&&earlier| earlier == length).count() as u64);
                lengths.push(length);
            } else if !list(guest, n, at).await {
                return false;
            }
        }
    })
}

async fn is(guest: &Guest, site: u32, n: usize, at: usize, symbol: u8) -> bool {
    at < n && guest.branch(site, guest.equal(guest.input(at), Value::concrete(8, symbol.into()))).await
}
