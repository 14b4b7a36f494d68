//! Greedy then oldest: the warp that issued last goes on while it can; else the one that was dispatched first (VWS table 1).

use super::IssueView;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GreedyOldest {
    last: Option<u32>,
}

impl GreedyOldest {
    #[inline(never)]
    pub fn pick(&mut self, view: &IssueView) -> Option<u32> {
        if let Some(last) = self.last
            && view.available.contains(last)
        {
            return Some(last);
        }
        let oldest = view.available.iter(view.words).min_by_key(|&warp| view.age[warp as usize])?;
        self.last = Some(oldest);
        Some(oldest)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, set};

    #[test]
    fn the_same_warp_goes_on_then_the_oldest_follows() {
        // Ages fall with the number: warp 3 is the oldest.
        check(
            "GTO",
            &[set(&[0, 1, 3]), set(&[0, 1, 3]), set(&[0, 1]), set(&[0, 1, 3]), set(&[0, 3])],
            &[Some(3), Some(3), Some(1), Some(1), Some(3)],
        );
    }
}
