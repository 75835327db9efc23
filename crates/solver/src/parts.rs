//! Independent parts of a path condition: variables that conditions connect, as a union-find structure with undo.
//!
//! Union by size without path compression, so that a union is undone by cutting one link (Westbrook and Tarjan,
//! "Amortized analysis of algorithms for set union with backtracking", 1989). The members of a part form a ring; joining
//! or cutting two rings is one exchange of successors.

/// What is known about one variable, and about its part if the variable is the root.
struct Member {
    parent: u32,
    /// Successor in the ring of the part.
    next: u32,
    /// Width in bits; 0 for a variable that no condition mentions.
    width: u32,
    size: u32,
    bits: u32,
    conditions: u32,
    /// Conditions of the part that the order layer does not hold.
    foreign: u32,
    /// Positions of the conditions filed under this variable, in ascending order.
    filed: Vec<u32>,
}

enum Undo {
    Union { child: u32, root: u32 },
    Filed { variable: u32, foreign: bool },
}

/// The parts of the path condition.
#[derive(Default)]
pub struct Parts {
    members: Vec<Member>,
    undo: Vec<Undo>,
    touched: Vec<u32>,
}

/// Sizes of a part, or of several taken together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    pub variables: u32,
    pub bits: u32,
    pub conditions: u32,
    pub foreign: u32,
}

impl Parts {
    /// Makes a variable known. Widths are fixed per program; where terms of two widths share a number, the wider counts.
    pub fn touch(&mut self, variable: u32, width: u32) {
        while self.members.len() <= variable as usize {
            let number = self.members.len() as u32;
            self.members.push(Member {
                parent: number,
                next: number,
                width: 0,
                size: 1,
                bits: 0,
                conditions: 0,
                foreign: 0,
                filed: Vec::new(),
            });
        }
        if self.members[variable as usize].width < width {
            let root = self.root(variable);
            let member = &mut self.members[variable as usize];
            if member.width == 0 {
                self.touched.push(variable);
            }
            let more = width - member.width;
            member.width = width;
            self.members[root as usize].bits += more;
        }
    }

    /// Every variable that was ever touched has a smaller number.
    pub fn end(&self) -> u32 {
        self.members.len() as u32
    }

    pub fn width(&self, variable: u32) -> u32 {
        self.members.get(variable as usize).map_or(0, |member| member.width)
    }

    #[inline]
    pub fn root(&self, mut variable: u32) -> u32 {
        while self.members[variable as usize].parent != variable {
            variable = self.members[variable as usize].parent;
        }
        variable
    }

    pub fn sizes(&self, root: u32) -> Sizes {
        let member = &self.members[root as usize];
        let Member { size: variables, bits, conditions, foreign, .. } = *member;
        Sizes { variables, bits, conditions, foreign }
    }

    pub fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Joins the parts of two variables.
    pub fn join(&mut self, one: u32, other: u32) {
        let (mut root, mut child) = (self.root(one), self.root(other));
        if root == child {
            return;
        }
        if self.members[root as usize].size < self.members[child as usize].size {
            std::mem::swap(&mut root, &mut child);
        }
        self.link(root, child, true);
        self.members[child as usize].parent = root;
        self.undo.push(Undo::Union { child, root });
    }

    fn link(&mut self, root: u32, child: u32, add: bool) {
        let from = self.sizes(child);
        let next = self.members[child as usize].next;
        let entry = &mut self.members[root as usize];
        let old = std::mem::replace(&mut entry.next, next);
        let sum = |total: &mut u32, part: u32| *total = if add { *total + part } else { *total - part };
        sum(&mut entry.size, from.variables);
        sum(&mut entry.bits, from.bits);
        sum(&mut entry.conditions, from.conditions);
        sum(&mut entry.foreign, from.foreign);
        self.members[child as usize].next = old;
    }

    /// Files a condition under one of its variables (which are already in one part).
    pub fn file(&mut self, variable: u32, position: u32, foreign: bool) {
        self.members[variable as usize].filed.push(position);
        let root = self.root(variable) as usize;
        self.members[root].conditions += 1;
        self.members[root].foreign += foreign as u32;
        self.undo.push(Undo::Filed { variable, foreign });
    }

    pub fn undo_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            match self.undo.pop().expect("longer than the mark") {
                Undo::Union { child, root } => {
                    self.link(root, child, false);
                    self.members[child as usize].parent = child;
                }
                Undo::Filed { variable, foreign } => {
                    self.members[variable as usize].filed.pop();
                    let root = self.root(variable) as usize;
                    self.members[root].conditions -= 1;
                    self.members[root].foreign -= foreign as u32;
                }
            }
        }
    }

    /// Forgets everything, in time proportional to the variables touched.
    pub fn clear(&mut self) {
        self.undo.clear();
        for variable in self.touched.drain(..) {
            let member = &mut self.members[variable as usize];
            member.filed.clear();
            let filed = std::mem::take(&mut member.filed);
            let (parent, next) = (variable, variable);
            *member = Member { parent, next, width: 0, size: 1, bits: 0, conditions: 0, foreign: 0, filed };
        }
    }

    /// Appends the variables of a part and the positions of its conditions.
    pub fn gather(&self, root: u32, variables: &mut Vec<u32>, positions: &mut Vec<u32>) {
        let mut variable = root;
        loop {
            let member = &self.members[variable as usize];
            variables.push(variable);
            positions.extend_from_slice(&member.filed);
            variable = member.next;
            if variable == root {
                return;
            }
        }
    }
}
