//! Subjects of the ESE and WISE papers as scripts, with their conditionals on concrete values and the counts of the
//! papers; and families of programs by size.

use crate::script::{Context, Script, Step};
use crate::subjects::variables;
use crate::value::Value;
use pessimum_search::program::{Family, Program};

/// A family made of a function from size to program.
pub struct Sizes(pub fn(usize) -> Script);

impl Family for Sizes {
    fn at(&self, size: u32) -> Result<Box<dyn Program>, String> {
        Ok(Box::new((self.0)(size as usize)))
    }
}

/// A conditional whose condition does not depend on the input.
fn concrete(c: &mut Context<'_>, site: u32, condition: bool) -> Step<bool> {
    c.test(site, Value::concrete(1, u64::from(condition)))
}

/// ESE's Listing 2, in source lines (cost `user`). Worst: zeros at even places only, 6n + 1.
pub fn alternate_0(n: usize) -> Script {
    Script::new("alternate_0", variables(n, 32), |c| {
        for (index, item) in c.inputs().into_iter().enumerate() {
            c.cost(2);
            let zero = Value::concrete(32, 0);
            let check = if c.equal(0, item, zero)? { 1 - index % 2 } else { index % 2 };
            c.cost(2);
            if concrete(c, 1, check != 0)? {
                c.cost(2);
            }
        }
        c.cost(1);
        Ok(())
    })
}

/// ESE's Listing 1, in source lines (cost `user`). Worst: a palindrome, 2n + 2.
pub fn is_palindrome(n: usize) -> Script {
    Script::new("is_palindrome", variables(n, 32), |c| {
        let list = c.inputs();
        for index in 0..list.len() {
            c.cost(2);
            if !c.equal(0, list[index], list[list.len() - 1 - index])? {
                c.cost(1);
                return Ok(());
            }
        }
        c.cost(2);
        Ok(())
    })
}

/// WISE's Figure 1: insertion into a sorted list with a sentinel; cost `user` counts the tests of the last insertion,
/// at most n. n! paths.
pub fn sorted_list(n: usize) -> Script {
    Script::new("sorted list", variables(n, 32), |c| {
        let mut list = vec![Value::concrete(32, i32::MAX as u64)];
        let items = c.inputs();
        for (number, &item) in items.iter().enumerate() {
            let mut at = 0;
            loop {
                c.cost(u64::from(number + 1 == items.len()));
                if !c.less(0, list[at], item)? {
                    break;
                }
                at += 1;
            }
            list.insert(at, item);
        }
        Ok(())
    })
}

/// Insertion into the JDK 1.5 priority queue, all conditionals counted (cost `branches`), the driver's loop included.
/// Longest: the sum of 4 + 2 floor(log2 i), plus n + 1; 13, 20, 29, 38 at 2 to 5, 89 at 10, 339 at 30.
pub fn jdk_heap(n: usize) -> Script {
    Script::new("JDK heap", variables(n, 32), |c| {
        let items = c.inputs();
        let mut heap: Vec<Value> = Vec::new();
        let mut number = 0;
        while concrete(c, 0, number < items.len())? {
            concrete(c, 1, false)?;
            concrete(c, 2, heap.len() >= items.len())?;
            heap.push(items[number]);
            concrete(c, 3, true)?;
            let mut k = heap.len();
            while concrete(c, 4, k > 1)? {
                if !c.less(5, heap[k - 1], heap[k / 2 - 1])? {
                    break;
                }
                heap.swap(k - 1, k / 2 - 1);
                k /= 2;
            }
            number += 1;
        }
        Ok(())
    })
}

/// WISE's search tree: n - 1 insertions with a three-way test, then a search. Cost `user` counts the conditionals of
/// the search: at most 3n - 2.
pub fn search_tree_lookup(n: usize) -> Script {
    Script::new("search tree lookup", variables(n, 32), |c| {
        let keys = c.inputs();
        let (last, inserted) =
            keys.split_last().map_or((Value::concrete(32, 0), &[][..]), |(&last, rest)| (last, rest));
        let mut nodes: Vec<(Value, [Option<usize>; 2])> = Vec::new();
        for &key in inserted {
            descend(c, &mut nodes, key, true)?;
        }
        descend(c, &mut nodes, last, false)
    })
}

fn descend(c: &mut Context<'_>, nodes: &mut Vec<(Value, [Option<usize>; 2])>, key: Value, insert: bool) -> Step<()> {
    // Insertion and search are different code in the program.
    let (base, counted) = if insert { (0, 0) } else { (10, 1) };
    let mut at = if nodes.is_empty() { None } else { Some(0) };
    let mut parent = None;
    loop {
        c.cost(counted);
        if concrete(c, base, at.is_none())? {
            break;
        }
        let node = at.unwrap_or(0);
        c.cost(counted);
        if c.equal(base + 1, key, nodes[node].0)? {
            return Ok(());
        }
        c.cost(counted);
        let side = usize::from(c.less(base + 2, key, nodes[node].0)?);
        parent = Some((node, side));
        at = nodes[node].1[side];
    }
    if insert {
        nodes.push((key, [None; 2]));
        if let Some((node, side)) = parent {
            nodes[node].1[side] = Some(nodes.len() - 1);
        }
    }
    Ok(())
}

/// JDK 1.5 merge sort of objects, all conditionals counted (cost `branches`). n! paths; longest: n^2 + n + 2 up to
/// n = 6, otherwise 4n + 2 plus that of both halves: 106 at 10, 206 at 15.
pub fn jdk_merge_sort(n: usize) -> Script {
    Script::new("JDK merge sort", variables(n, 32), |c| {
        let mut list = c.inputs();
        let mut source = list.clone();
        let length = list.len();
        merge_sort(c, &mut source, &mut list, 0, length)
    })
}

fn merge_sort(c: &mut Context<'_>, source: &mut [Value], list: &mut [Value], low: usize, high: usize) -> Step<()> {
    if concrete(c, 0, high - low < 7)? {
        let mut i = low;
        while concrete(c, 1, i < high)? {
            let mut j = i;
            while concrete(c, 2, j > low)? && c.less(3, list[j], list[j - 1])? {
                list.swap(j, j - 1);
                j -= 1;
            }
            i += 1;
        }
        return Ok(());
    }
    let middle = (low + high) / 2;
    merge_sort(c, list, source, low, middle)?;
    merge_sort(c, list, source, middle, high)?;
    let greater = c.less(4, source[middle], source[middle - 1])?;
    if !greater {
        list[low..high].copy_from_slice(&source[low..high]);
        return Ok(());
    }
    let (mut left, mut right, mut to) = (low, middle, low);
    while concrete(c, 5, to < high)? {
        let take_left = concrete(c, 6, right >= high)?
            || (concrete(c, 7, left < middle)? && !c.less(8, source[right], source[left])?);
        let from = if take_left { &mut left } else { &mut right };
        list[to] = source[*from];
        *from += 1;
        to += 1;
    }
    Ok(())
}
