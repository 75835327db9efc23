//! Changes to inputs of the archive, which are run concretely only.

use super::{Proposal, View};

pub(super) fn propose(view: &View<'_>) -> Option<Proposal> {
    view.can_count.then_some(Proposal::Vary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::auto::testing::Scene;

    #[test]
    fn it_needs_variables_and_a_cost_that_a_concrete_run_reveals() {
        let scene = Scene::new(&[]);
        assert!(matches!(propose(&scene.view()), Some(Proposal::Vary)));
        assert!(propose(&View { can_count: false, ..scene.view() }).is_none());
    }
}
