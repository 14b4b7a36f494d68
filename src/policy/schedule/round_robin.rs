//! Loose round robin: the next available warp after the one that issued last (TBC table 2; the baseline of BAWS).

use super::IssueView;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RoundRobin {
    /// Where the search begins: behind the warp that issued last.
    next: u32,
}

impl RoundRobin {
    pub fn pick(&mut self, view: &IssueView) -> Option<u32> {
        let warp = view.available.next_from(self.next, view.words)?;
        self.next = warp + 1;
        Some(warp)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, set};

    #[test]
    fn turns_go_round_and_skip_those_who_cannot() {
        check(
            "LRR",
            &[set(&[0, 2, 3]), set(&[0, 2, 3]), set(&[0, 3]), set(&[0, 3]), set(&[])],
            &[Some(0), Some(2), Some(3), Some(0), None],
        );
    }
}
