//! Oldest first: the warp that has waited longest since it was formed, whatever its PC (DWF's simplest policy).

use super::IssueView;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Oldest;

impl Oldest {
    #[inline(never)]
    pub fn pick(&mut self, view: &IssueView) -> Option<u32> {
        view.available.iter(view.words).min_by_key(|&warp| view.age[warp as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, set};

    #[test]
    fn whoever_has_waited_longest_goes_first() {
        check("Oldest", &[set(&[0, 1, 3]), set(&[0, 1]), set(&[0, 1, 3])], &[Some(3), Some(1), Some(3)]);
    }
}
