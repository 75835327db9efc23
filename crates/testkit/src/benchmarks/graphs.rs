//! Graphs, trees, heaps, tables.

use crate::native::{Guest, Native};
use crate::value::Value;
use pessimum_search::program::Variable;
use pessimum_term::{BinaryOp, VariableId};
use std::pin::Pin;

async fn edge(guest: &Guest, n: usize, from: usize, to: usize) -> bool {
    guest.cost(1);
    !guest.branch(0, guest.equal(guest.input(from * n + to), Value::concrete(32, 0))).await
}

/// Depth-first search in an adjacency matrix of `n` nodes, from 0 until `n-1` is reached; cost: cells looked at.
/// Worst: all nodes but the last are visited and their rows read to the end.
pub fn dfs(n: u32) -> Native {
    let n = n as usize;
    Native::over("dfs", 32, n * n, move |guest| async move {
        let mut visited = vec![false; n];
        visit(&guest, n, 0, &mut visited).await;
    })
}

fn visit<'a>(
    guest: &'a Guest,
    n: usize,
    node: usize,
    visited: &'a mut Vec<bool>,
) -> Pin<Box<dyn Future<Output = bool> + 'a>> {
    Box::pin(async move {
        let _call = guest.call();
        visited[node] = true;
        if node == n - 1 {
            return true;
        }
        for next in 0..n {
            if edge(guest, n, node, next).await && !visited[next] && visit(guest, n, next, visited).await {
                return true;
            }
        }
        false
    })
}

/// Breadth-first search that tests for the last node when a node is dequeued; cost: cells looked at.
pub fn bfs(n: u32) -> Native {
    let n = n as usize;
    Native::over("bfs", 32, n * n, move |guest| async move {
        let mut found = vec![false; n];
        let mut queue = std::collections::VecDeque::from([0]);
        found[0] = true;
        while let Some(node) = queue.pop_front() {
            if node == n - 1 {
                return;
            }
            for (next, found) in found.iter_mut().enumerate() {
                if edge(&guest, n, node, next).await && !*found {
                    *found = true;
                    queue.push_back(next);
                }
            }
        }
    })
}

/// `n` insertions into an unbalanced binary search tree; cost `decisions`.
pub fn bst(n: u32) -> Native {
    let n = n as usize;
    Native::over("bst", 32, n, move |guest| async move {
        let mut children: Vec<[Option<usize>; 2]> = Vec::new();
        for i in 0..n {
            children.push([None; 2]);
            let mut at = 0;
            while at != i {
                let right = !guest.branch(0, guest.less(guest.input(i), guest.input(at))).await;
                at = *children[at][usize::from(right)].get_or_insert(i);
            }
        }
    })
}

/// `n` insertions into a binary heap; cost `decisions`.
pub fn heap(n: u32) -> Native {
    let n = n as usize;
    Native::over("heap", 32, n, move |guest| async move {
        let mut heap: Vec<Value> = Vec::new();
        for i in 0..n {
            let mut at = heap.len();
            heap.push(guest.input(i));
            while at > 0 && guest.branch(0, guest.less(heap[at], heap[(at - 1) / 2])).await {
                heap.swap(at, (at - 1) / 2);
                at = (at - 1) / 2;
            }
        }
    })
}

/// A hash table with 64 chained buckets and the hash `h = 31 h + c` over keys of 6 bytes; the bucket is an address.
/// Cost: keys compared. Worst: all keys different and in one bucket.
pub fn hash_table(n: u32) -> Native {
    const KEY: usize = 6;
    let n = n as usize;
    Native::over("hash_table", 8, n * KEY, move |guest| async move {
        let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); 64];
        for i in 0..n {
            let mut hash = Value::concrete(32, 0);
            for byte in 0..KEY {
                let multiplied = guest.binary(BinaryOp::Mul, hash, Value::concrete(32, 31));
                hash = guest.add(multiplied, guest.zero_extend(32, guest.input(i * KEY + byte)));
            }
            let bucket = guest.binary(BinaryOp::And, hash, Value::concrete(32, 63));
            let bucket = guest.address(0, bucket).await as usize;
            let mut known = false;
            for &other in buckets[bucket].iter().rev() {
                guest.cost(1);
                let mut same = true;
                for byte in 0..KEY {
                    let (x, y) = (guest.input(i * KEY + byte), guest.input(other * KEY + byte));
                    if !guest.branch(1, guest.equal(x, y)).await {
                        same = false;
                        break;
                    }
                }
                if same {
                    known = true;
                    break;
                }
            }
            if !known {
                buckets[bucket].push(i);
            }
        }
    })
}

/// Weights small enough that no sum of them wraps.
fn weights(count: usize) -> Vec<Variable> {
    (0..count as u32)
        .map(|id| Variable {
            id: VariableId(id),
            width: 32,
            signed: true,
            float: false,
            low: 0,
            high: 1 << 20,
            pieces: None,
        })
        .collect()
}

/// PySE's Dijkstra: `n` nodes, all edges, a heap of (cost, node) whose comparisons test equality first; stale entries
/// are skipped; stops when the last node is popped. Cost `decisions`.
pub fn dijkstra(n: u32) -> Native {
    let n = n as usize;
    Native::new("dijkstra", weights(n * (n - 1)), move |guest| async move {
        let weight = |from: usize, to: usize| guest.input(from * (n - 1) + if to > from { to - 1 } else { to });
        let mut best: Vec<Option<Value>> = vec![None; n];
        let mut done = vec![false; n];
        let mut heap: Vec<(Value, usize)> = Vec::new();
        best[0] = Some(Value::concrete(32, 0));
        push(&guest, &mut heap, (Value::concrete(32, 0), 0)).await;
        while !heap.is_empty() {
            let (cost, node) = pop(&guest, &mut heap).await;
            if done[node] {
                continue;
            }
            if node == n - 1 {
                return;
            }
            done[node] = true;
            for next in 0..n {
                if next == node || done[next] {
                    continue;
                }
                let through = guest.add(cost, weight(node, next));
                let better = match best[next] {
                    None => true,
                    Some(known) => guest.branch(2, guest.less(through, known)).await,
                };
                if better {
                    best[next] = Some(through);
                    push(&guest, &mut heap, (through, next)).await;
                }
            }
        }
    })
}

async fn before(guest: &Guest, x: (Value, usize), y: (Value, usize)) -> bool {
    if guest.branch(0, guest.equal(x.0, y.0)).await {
        return x.1 < y.1;
    }
    guest.branch(1, guest.less(x.0, y.0)).await
}

async fn sift_up(guest: &Guest, heap: &mut [(Value, usize)], start: usize, mut at: usize) {
    let item = heap[at];
    while at > start {
        let parent = (at - 1) / 2;
        if !before(guest, item, heap[parent]).await {
            break;
        }
        heap[at] = heap[parent];
        at = parent;
    }
    heap[at] = item;
}

async fn push(guest: &Guest, heap: &mut Vec<(Value, usize)>, item: (Value, usize)) {
    heap.push(item);
    let last = heap.len() - 1;
    sift_up(guest, heap, 0, last).await;
}

async fn pop(guest: &Guest, heap: &mut Vec<(Value, usize)>) -> (Value, usize) {
    let last = heap.pop().expect("the caller checked");
    if heap.is_empty() {
        return last;
    }
    let top = std::mem::replace(&mut heap[0], last);
    let mut at = 0;
    let mut child = 1;
    while child < heap.len() {
        if child + 1 < heap.len() && !before(guest, heap[child], heap[child + 1]).await {
            child += 1;
        }
        heap[at] = heap[child];
        at = child;
        child = 2 * at + 1;
    }
    heap[at] = last;
    sift_up(guest, heap, 0, at).await;
    top
}

/// PySE's heuristic for the travelling salesman: sort the edges of `n` cities (run detection, then binary insertion),
/// join greedily, then up to three passes of 2-opt. Cost `decisions`.
pub fn tour(n: u32) -> Native {
    let n = n as usize;
    Native::new("tour", weights(n * (n - 1) / 2), move |guest| async move {
        let mut edges: Vec<(usize, usize)> = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        let distance = |i: usize, j: usize| guest.input(i.max(j) * (i.max(j) - 1) / 2 + i.min(j));
        let key = |edge: (usize, usize)| distance(edge.0, edge.1);
        let mut run = 1;
        if edges.len() > 1 {
            run = 2;
            let descending = guest.branch(0, guest.less(key(edges[1]), key(edges[0]))).await;
            while run < edges.len()
                && guest.branch(1, guest.less(key(edges[run]), key(edges[run - 1]))).await == descending
            {
                run += 1;
            }
            if descending {
                edges[..run].reverse();
            }
        }
        for i in run..edges.len() {
            let edge = edges[i];
            let (mut low, mut high) = (0, i);
            while low < high {
                let middle = (low + high) / 2;
                if guest.branch(2, guest.less(key(edge), key(edges[middle]))).await {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            edges[low..=i].rotate_right(1);
        }
        let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut part: Vec<usize> = (0..n).collect();
        for (i, j) in edges {
            if neighbours[i].len() < 2 && neighbours[j].len() < 2 && part[i] != part[j] {
                neighbours[i].push(j);
                neighbours[j].push(i);
                let (old, new) = (part[j], part[i]);
                part.iter_mut().filter(|part| **part == old).for_each(|part| *part = new);
            }
        }
        let mut at = (0..n).find(|&i| neighbours[i].len() == 1).unwrap_or(0);
        let mut path = vec![at];
        let mut previous = at;
        while path.len() < n {
            let next = neighbours[at].iter().copied().find(|&next| next != previous).expect("a path joins all cities");
            previous = at;
            at = next;
            path.push(at);
        }
        for _ in 0..3 {
            let mut changed = false;
            for a in 0..n - 1 {
                let b = a + 1;
                for c in b + 2..n - 1 {
                    let d = c + 1;
                    let old = guest.add(distance(path[a], path[b]), distance(path[c], path[d]));
                    let new = guest.add(distance(path[a], path[c]), distance(path[b], path[d]));
                    if guest.branch(3, guest.less(new, old)).await {
                        path[b..=c].reverse();
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
    })
}
