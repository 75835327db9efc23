//! What a suite covers, from what was seen of its runs: by goal, by branch and by file.

use std::collections::{BTreeMap, BTreeSet};

use pessimum_report::cover::{ArmCoverage, Coverage, FileCoverage, FunctionCoverage, OpenBranch, Reason, Tally};
use pessimum_search::objective::Goal;
use pessimum_search::places::Places;
use pessimum_search::program::{Arm, SiteId};

use super::Scope;

/// How many inputs of the suite cover each goal, and which branches they execute.
pub(crate) struct Counts {
    goals: BTreeMap<Goal, u64>,
    executed: BTreeSet<SiteId>,
}

impl Counts {
    /// Of tests with the goals that each covers. A branch that is executed goes one way or another.
    pub fn of<'s>(suite: impl Iterator<Item = &'s BTreeSet<Goal>>) -> Counts {
        let (mut goals, mut executed) = (BTreeMap::new(), BTreeSet::new());
        for goal in suite.flatten() {
            *goals.entry(*goal).or_default() += 1;
            if let Goal::Arm(site, _) = goal {
                executed.insert(*site);
            }
        }
        Counts { goals, executed }
    }

    /// Notes that a branch was executed by way of an arm that is no goal.
    pub fn execute(&mut self, sites: impl IntoIterator<Item = SiteId>) {
        self.executed.extend(sites);
    }

    /// The arms, functions and lines that count.
    fn tallies(&self, scope: &Scope) -> [Tally; 3] {
        let mut tallies = [Tally::default(); 3];
        scope.arms.iter().for_each(|&(site, arm)| tallies[0].add(self.of_goal(Goal::Arm(site, arm)) > 0));
        scope.functions.iter().for_each(|&function| tallies[1].add(self.of_goal(Goal::Function(function)) > 0));
        scope.lines.iter().for_each(|&line| tallies[2].add(self.of_goal(Goal::Line(line)) > 0));
        tallies
    }

    /// How many tests cover a goal.
    fn of_goal(&self, goal: Goal) -> u64 {
        self.goals.get(&goal).copied().unwrap_or(0)
    }
}

/// Numbers of branches among those of their line, or of their function without lines, from 1.
struct BranchNumbers(BTreeMap<SiteId, u32>);

impl BranchNumbers {
    fn of(places: &Places, scope: &Scope) -> BranchNumbers {
        let mut last: BTreeMap<(Option<u32>, u32), u32> = BTreeMap::new();
        let mut numbers = BTreeMap::new();
        for &(site, _) in &scope.arms {
            numbers.entry(site).or_insert_with(|| {
                let place = places.sites[site.0 as usize];
                let number = last.entry((place.line, place.line.map_or(place.function, |_| 0))).or_default();
                *number += 1;
                *number
            });
        }
        BranchNumbers(numbers)
    }

    /// The number of a branch.
    fn of_site(&self, site: SiteId) -> u32 {
        self.0.get(&site).copied().unwrap_or(1)
    }
}

/// What is covered and what is not. `why` says for an open arm what the reason is, and what would have to hold.
pub(crate) fn coverage(
    scope: &Scope,
    places: &Places,
    counts: &Counts,
    why: impl FnMut(SiteId, Arm) -> (Reason, Option<String>),
) -> Coverage {
    let [branches, functions, lines] = counts.tallies(scope);
    let numbers = BranchNumbers::of(places, scope);
    Coverage {
        goals: branches.goals + functions.goals + lines.goals,
        covered: branches.covered + functions.covered + lines.covered,
        branches,
        functions,
        lines,
        open: open_branches(scope, places, counts, &numbers, why),
        files: files(scope, places, counts, &numbers),
    }
}

/// The arms that no test takes, in the order of the code.
fn open_branches(
    scope: &Scope,
    places: &Places,
    counts: &Counts,
    numbers: &BranchNumbers,
    mut why: impl FnMut(SiteId, Arm) -> (Reason, Option<String>),
) -> Vec<OpenBranch> {
    let open = scope.arms.iter().copied().filter(|&(site, arm)| counts.of_goal(Goal::Arm(site, arm)) == 0);
    open.map(|(site, arm)| {
        let place = places.sites[site.0 as usize];
        let line = place.line.map(|line| &places.lines[line as usize]);
        let function = places.functions.get(place.function as usize).cloned().unwrap_or_default();
        let (reason, condition) = why(site, arm);
        let number = numbers.of_site(site);
        OpenBranch {
            place: match line {
                Some(line) => format!("{}:{}, branch {number}, arm {}", line.file, line.line, arm.0),
                None => format!("{function}, branch {number}, arm {}", arm.0),
            },
            reason,
            function,
            file: line.map(|line| line.file.clone()),
            line: line.map(|line| line.line),
            branch: number,
            arm: arm.0,
            condition,
            executed: counts.executed.contains(&site),
        }
    })
    .collect()
}

/// Coverage by file, what belongs to no file last.
fn files(scope: &Scope, places: &Places, counts: &Counts, numbers: &BranchNumbers) -> Vec<FileCoverage> {
    let file_of = |line: Option<u32>| line.map(|line| places.lines[line as usize].file.clone());
    let mut files: BTreeMap<(bool, Option<String>), FileCoverage> = BTreeMap::new();
    for &line in &scope.lines {
        let at = &places.lines[line as usize];
        let coverage = entry(&mut files, Some(at.file.clone()));
        coverage.lines.push((at.line, counts.of_goal(Goal::Line(line))));
    }
    let mut by_function: BTreeMap<u32, (Tally, Tally)> = BTreeMap::new();
    for &(site, arm) in &scope.arms {
        let place = places.sites[site.0 as usize];
        let taken = counts.of_goal(Goal::Arm(site, arm));
        by_function.entry(place.function).or_default().0.add(taken > 0);
        let coverage = entry(&mut files, file_of(place.line));
        coverage.branches.push(ArmCoverage {
            line: place.line.map_or(0, |line| places.lines[line as usize].line),
            branch: numbers.of_site(site),
            arm: arm.0,
            taken: counts.executed.contains(&site).then_some(taken),
        });
    }
    for &line in &scope.lines {
        let reached = counts.of_goal(Goal::Line(line)) > 0;
        for &function in places.line_functions.get(line as usize).into_iter().flatten() {
            by_function.entry(function).or_default().1.add(reached);
        }
    }
    for &function in &scope.functions {
        let beginning = places.beginnings.get(function as usize).copied().flatten();
        let (branches, lines) = by_function.get(&function).copied().unwrap_or_default();
        let coverage = entry(&mut files, file_of(beginning));
        coverage.functions.push(FunctionCoverage {
            name: places.functions[function as usize].clone(),
            line: beginning.map(|line| places.lines[line as usize].line),
            calls: counts.of_goal(Goal::Function(function)),
            branches,
            lines,
        });
    }
    let mut files: Vec<FileCoverage> = files.into_values().collect();
    for file in &mut files {
        file.branches.sort_by_key(|arm| (arm.line, arm.branch, arm.arm));
        file.functions.sort_by_key(|function| function.line);
    }
    files
}

fn entry(files: &mut BTreeMap<(bool, Option<String>), FileCoverage>, name: Option<String>) -> &mut FileCoverage {
    files
        .entry((name.is_none(), name.clone()))
        .or_insert_with(|| FileCoverage { file: name, ..FileCoverage::default() })
}
