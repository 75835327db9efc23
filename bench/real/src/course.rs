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

/// The course whose best is in the middle (of an even number the worse one): what one run with any seed can expect.
pub fn median(courses: &[Course]) -> Option<Course> {
    let mut sorted: Vec<&Course> = courses.iter().collect();
    sorted.sort_by_key(|course| course.best());
    sorted.get(sorted.len().saturating_sub(1) / 2).map(|course| (*course).clone())
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

    #[test]
    fn the_median_of_four_is_the_second_worst() {
        let courses: Vec<Course> = [4, 1, 3, 2].map(|cost| Course::of(vec![(0.0, cost)], None)).to_vec();
        assert_eq!(median(&courses).unwrap().best(), 2);
        assert!(median(&[]).is_none());
    }
}
