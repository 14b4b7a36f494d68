//! Lane placement: folding and shifting threads within clusters (Origami sections 3.1, 3.2 and 3.4).
//!
//! A cluster is a few neighbouring lanes. A folded warp executes in two halves: first the threads of the lower half of every
//! cluster, on their own lanes, then those of the upper half, shifted down onto the same lanes. Lane shifting moves every thread
//! to the leftmost free lane of its cluster. Results are shifted back after the pipeline, so the rest of the machine sees every
//! thread in its own lane.

/// The threads of an instruction that execute together, and their lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FoldPass {
    /// Threads, by home lane.
    pub threads: u32,
    /// The lanes that they execute on.
    pub lanes: u32,
}

/// On which lanes and in how many passes an instruction executes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Placement {
    /// In order of execution; the second is empty unless the warp is folded.
    pub passes: [FoldPass; 2],
    /// For each thread of the mask, by home lane, the lane that it executes on.
    lane_of: [u8; 32],
}

/// Every thread on its home lane.
const OWN_LANES: [u8; 32] = {
    let mut lanes = [0; 32];
    let mut lane = 0;
    while lane < 32 {
        lanes[lane] = lane as u8;
        lane += 1;
    }
    lanes
};

impl Placement {
    /// Places the threads of `mask` on their home lanes, in one pass.
    fn unmoved(mask: u32) -> Placement {
        Placement { passes: [FoldPass { threads: mask, lanes: mask }, FoldPass::default()], lane_of: OWN_LANES }
    }

    /// Places the threads of `mask`: shifted to the left of their clusters, folded, both or neither. A warp with one half empty
    /// executes in one pass, on the lower lanes.
    pub fn new(mask: u32, cluster: u32, shifts: bool, folds: bool) -> Placement {
        if !shifts && !folds {
            return Placement::unmoved(mask);
        }
        let mut placement = Placement { passes: [FoldPass::default(); 2], lane_of: OWN_LANES };
        let half = cluster / 2;
        let mut fill = 0;
        for lane in 0..32 {
            let base = lane / cluster * cluster;
            if lane == base {
                fill = 0;
            }
            if mask >> lane & 1 == 0 {
                continue;
            }
            let at = if shifts { base + fill } else { lane };
            fill += 1;
            let upper = folds && half > 0 && at - base >= half;
            let to = if upper { at - half } else { at };
            placement.lane_of[lane as usize] = to as u8;
            let pass = &mut placement.passes[usize::from(upper)];
            pass.threads |= 1 << lane;
            pass.lanes |= 1 << to;
        }
        if placement.passes[0].threads == 0 {
            placement.passes.swap(0, 1);
        }
        placement
    }

    /// Whether the instruction takes two passes.
    pub fn is_folded(&self) -> bool {
        self.passes[1].threads != 0
    }

    /// Returns all lanes that the instruction uses.
    pub fn lanes(&self) -> u32 {
        self.passes[0].lanes | self.passes[1].lanes
    }

    /// Returns the lane on which a thread executes, given its home lane.
    pub fn lane_of(&self, thread: u32) -> u32 {
        self.lane_of[thread as usize].into()
    }

    /// Returns the home lanes of a pass: its lanes with the shift undone.
    pub fn restored(&self, pass: FoldPass) -> u32 {
        (0..32)
            .filter(|lane| pass.threads >> lane & 1 != 0 && pass.lanes >> self.lane_of(*lane) & 1 != 0)
            .fold(0, |all, lane| all | 1 << lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Parses a mask as the paper writes it, with lane 0 on the left.
    fn mask(text: &str) -> u32 {
        text.chars().filter(|c| *c != ' ').enumerate().filter(|(_, c)| *c == '1').fold(0, |all, (lane, _)| all | 1 << lane)
    }

    #[test]
    fn figure_8_folds_two_full_clusters() {
        let folded = Placement::new(mask("1111 1111"), 4, false, true);
        let [first, second] = folded.passes;
        assert_eq!((first.threads, first.lanes), (mask("1100 1100"), mask("1100 1100")));
        assert_eq!((second.threads, second.lanes), (mask("0011 0011"), mask("1100 1100")));
        assert_eq!([2, 3, 6, 7].map(|thread| folded.lane_of(thread)), [0, 1, 4, 5]);
        assert_eq!(folded.restored(second), mask("0011 0011"));
    }

    #[test]
    fn a_warp_with_an_empty_half_is_not_folded() {
        for (threads, lanes) in [("1100 1000", "1100 1000"), ("0011 0001", "1100 0100")] {
            let once = Placement::new(mask(threads), 4, false, true);
            assert!(!once.is_folded());
            assert_eq!(once.passes[0], FoldPass { threads: mask(threads), lanes: mask(lanes) }, "{threads}");
        }
    }

    /// Figure 7c: threads move to the left within each cluster and never into another one.
    #[test]
    fn figure_7_shifts_to_the_leftmost_lane_of_the_cluster() {
        for (threads, lanes) in [("1101 0100", "1110 1000"), ("1110 1100", "1110 1100"), ("0110 1011", "1100 1110")] {
            let shifted = Placement::new(mask(threads), 4, true, false);
            assert_eq!(shifted.passes[0], FoldPass { threads: mask(threads), lanes: mask(lanes) }, "{threads}");
        }
    }

    proptest! {
        #[test]
        fn no_thread_is_lost_and_none_meets_another(
            mask: u32,
            shifts: bool,
            folds: bool,
            cluster in prop::sample::select(vec![2u32, 4, 8]),
        ) {
            let placement = Placement::new(mask, cluster, shifts, folds);
            let [first, second] = placement.passes;
            prop_assert_eq!(first.threads | second.threads, mask);
            prop_assert_eq!(first.threads & second.threads, 0);
            for pass in placement.passes {
                prop_assert_eq!(pass.lanes.count_ones(), pass.threads.count_ones(), "a lane each");
                prop_assert_eq!(placement.restored(pass), pass.threads);
                let lanes: u32 = (0..32).filter(|lane| pass.threads >> lane & 1 != 0).fold(0, |all, lane| all | 1 << placement.lane_of(lane));
                prop_assert_eq!(lanes, pass.lanes);
                for thread in (0..32).filter(|lane| pass.threads >> lane & 1 != 0) {
                    let lane = placement.lane_of(thread);
                    prop_assert_eq!(lane / cluster, thread / cluster, "a thread stays in its cluster");
                    prop_assert!(!folds || lane % cluster < cluster / 2, "folding leaves the upper half free");
                }
            }
            prop_assert!(!placement.is_folded() || folds);
            prop_assert!(mask == 0 || first.threads != 0);
        }
    }
}
