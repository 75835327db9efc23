//! The shortest edit between two texts, byte by byte: Myers' greedy algorithm (1986) with the common ends cut off
//! first, and the edit itself read back from the saved frontiers. The worst texts have nothing in common.

/// One step of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    Keep(u8),
    Delete(u8),
    Insert(u8),
}

/// How many bytes two texts share from their beginnings.
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count()
}

/// The frontiers of every number of edits: how far along `a` each diagonal reaches.
fn frontiers(a: &[u8], b: &[u8]) -> Vec<Vec<usize>> {
    let (n, m) = (a.len() as isize, b.len() as isize);
    let most = n + m;
    let mut frontier = vec![0usize; 2 * most as usize + 2];
    let mut saved = Vec::new();
    let index = |k: isize| (k + most) as usize;
    for d in 0..=most {
        saved.push(frontier.clone());
        for k in (-d..=d).step_by(2) {
            let down = k == -d || (k != d && frontier[index(k - 1)] < frontier[index(k + 1)]);
            let mut x = if down { frontier[index(k + 1)] as isize } else { frontier[index(k - 1)] as isize + 1 };
            while x < n && x - k < m && a[x as usize] == b[(x - k) as usize] {
                x += 1;
            }
            frontier[index(k)] = x as usize;
            if x >= n && x - k >= m {
                return saved;
            }
        }
    }
    saved
}

/// The edits of the middle part, last first.
fn read_back(a: &[u8], b: &[u8], saved: &[Vec<usize>]) -> Vec<Edit> {
    let most = (a.len() + b.len()) as isize;
    let (mut x, mut y) = (a.len() as isize, b.len() as isize);
    let mut edits = Vec::new();
    for (d, frontier) in saved.iter().enumerate().rev() {
        let (d, k) = (d as isize, x - y);
        let at = |k: isize| frontier[(k + most) as usize] as isize;
        let down = k == -d || (k != d && at(k - 1) < at(k + 1));
        let before = if down { k + 1 } else { k - 1 };
        let (from_x, from_y) = if d == 0 { (0, 0) } else { (at(before), at(before) - before) };
        while x > from_x && y > from_y {
            x -= 1;
            y -= 1;
            edits.push(Edit::Keep(a[x as usize]));
        }
        if d > 0 && down {
            y -= 1;
            edits.push(Edit::Insert(b[y as usize]));
        } else if d > 0 {
            x -= 1;
            edits.push(Edit::Delete(a[x as usize]));
        }
    }
    edits
}

/// The number of bytes deleted and inserted, or -1 if applying the edit does not give the second text.
pub fn edits(a: &[u8], b: &[u8]) -> i32 {
    let prefix = common_prefix(a, b);
    let suffix = common_suffix(&a[prefix..], &b[prefix..]);
    let (middle_a, middle_b) = (&a[prefix..a.len() - suffix], &b[prefix..b.len() - suffix]);
    let mut steps = read_back(middle_a, middle_b, &frontiers(middle_a, middle_b));
    steps.reverse();
    let applied: Vec<u8> = steps
        .iter()
        .filter_map(|step| match step {
            Edit::Keep(byte) | Edit::Insert(byte) => Some(*byte),
            Edit::Delete(_) => None,
        })
        .collect();
    if applied != middle_b {
        return -1;
    }
    steps.iter().filter(|step| !matches!(step, Edit::Keep(_))).count() as i32
}
