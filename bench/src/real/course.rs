//! How a search went: what it had found after which processor time.

/// The improvements of one search.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// Seconds of processor time and the best cost from then on, both rising.
    pub steps: Vec<(f64, u64)>,
    /// Something to know about this result: a crash, or a budget that was not used.
    pub remark: Option<String>,
}

impl Course {
    /// From results in any order.
    pub fn of(mut results: Vec<(f64, u64)>, remark: Option<String>) -> Course {
        results.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut steps: Vec<(f64, u64)> = Vec::new();
        for (seconds, cost) in results {
            if steps.last().is_none_or(|last| cost > last.1) {
                steps.push((seconds, cost));
            }
        }
        Course { steps, remark }
    }

    /// The best cost; 0 if nothing was found.
    pub fn best(&self) -> u64 {
        self.steps.last().map_or(0, |step| step.1)
    }

    /// When this cost was reached first.
    pub fn time_to(&self, cost: u64) -> Option<f64> {
        self.steps.iter().find(|step| step.1 >= cost).map(|step| step.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_improvements_are_steps() {
        let course = Course::of(vec![(3.0, 7), (1.0, 5), (2.0, 4), (4.0, 7), (5.0, 9)], None);
        assert_eq!(course.steps, [(1.0, 5), (3.0, 7), (5.0, 9)]);
        assert_eq!((course.best(), course.time_to(6), course.time_to(10)), (9, Some(3.0), None));
    }
}
