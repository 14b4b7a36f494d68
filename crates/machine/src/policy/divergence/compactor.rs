//! The thread compactor: forms warps from a block-wide mask, with a priority encoder per home lane (TBC section 3.3, figure 9).
//!
//! A block-wide mask has a bit for each lane of each static warp of the block. The bits of one lane over all static warps are a
//! home-lane group, and in every cycle an encoder picks the first thread of each group. The picked threads form a warp; their
//! bits are cleared, and in the next cycle the encoders pick from the rest. A mask thus takes as many warps as its fullest lane
//! has bits, the minimum while threads stay in their home lanes, and a mask of whole static warps yields these unchanged.
//!
//! ```text
//!   static warp 0   1 0 0 1        warp 0   0 1 1 0        (numbers are the static warps)
//!   static warp 1   1 1 0 0   ──►  warp 1   1 2 . .
//!   static warp 2   0 1 1 0
//! ```

use super::Members;

/// Returns the number of warps that a mask takes: the most bits set in any lane.
pub fn warps(masks: &[u32]) -> u16 {
    // Counts all 32 lanes at once in bit-sliced counters: plane k of `counts` holds bit k of every lane's count.
    let mut counts = [0u32; 16];
    for &mask in masks {
        let mut carry = mask;
        for plane in &mut counts {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
            if carry == 0 {
                break;
            }
        }
    }
    let mut most = 0;
    let mut lanes = u32::MAX;
    for (bit, &plane) in counts.iter().enumerate().rev() {
        if plane & lanes != 0 {
            lanes &= plane;
            most |= 1 << bit;
        }
    }
    most
}

/// Picks the warp of one cycle and clears its bits. Static warp `i` of the masks has the number `first + i`.
pub fn pick(masks: &mut [u32], first: u16) -> Members {
    let mut members = Members::default();
    for (at, mask) in masks.iter_mut().enumerate() {
        let picked = *mask & !members.mask;
        if picked != 0 {
            members.add(&Members::of(first + at as u16, picked));
            *mask &= !picked;
        }
    }
    members
}

/// Picks the next static warp unchanged, with the compactor switched off.
pub fn pick_static(masks: &mut [u32], first: u16) -> Members {
    match masks.iter().position(|&mask| mask != 0) {
        Some(at) => Members::of(first + at as u16, std::mem::take(&mut masks[at])),
        None => Members::default(),
    }
}

/// Returns the number of warps that a mask takes with the compactor switched off.
pub fn static_warps(masks: &[u32]) -> u16 {
    masks.iter().filter(|&&mask| mask != 0).count() as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(masks: &[u32]) -> Vec<Members> {
        let mut rest = masks.to_vec();
        let mut found = Vec::new();
        while rest.iter().any(|&mask| mask != 0) {
            found.push(pick(&mut rest, 0));
        }
        found
    }

    /// The definition of [`warps`]: the most set bits over all lanes.
    fn fullest_lane(masks: &[u32]) -> u16 {
        (0..32).map(|lane| masks.iter().filter(|&&mask| mask >> lane & 1 != 0).count() as u16).max().unwrap_or(0)
    }

    #[test]
    fn figure_7_takes_one_warp_for_c_and_two_for_b() {
        // Threads 1, 6 and 7 in the paper's numbering: lane 0 of the first warp, lanes 1 and 2 of the second.
        let c = [0b0001, 0b0110];
        assert_eq!(warps(&c), 1);
        let warp = all(&c)[0];
        assert_eq!(warp.parts().collect::<Vec<_>>(), [(0, 0b0001), (1, 0b0110)]);
        let b = [0b1110, 0b1001];
        assert_eq!(warps(&b), 2);
        assert_eq!(all(&b)[0].parts().collect::<Vec<_>>(), [(1, 0b0001), (0, 0b1110)]);
        assert_eq!(all(&b)[1].parts().collect::<Vec<_>>(), [(1, 0b1000)]);
    }

    #[test]
    fn whole_static_warps_come_back_as_they_were() {
        let masks = [u32::MAX; 3];
        assert_eq!(all(&masks), [0, 1, 2].map(|origin| Members::of(origin, u32::MAX)));
    }

    #[test]
    fn switched_off_it_keeps_static_warps() {
        let mut masks = [0b0001, 0, 0b0110];
        assert_eq!(static_warps(&masks), 2);
        assert_eq!(pick_static(&mut masks, 4), Members::of(4, 0b0001));
        assert_eq!(pick_static(&mut masks, 4), Members::of(6, 0b0110));
        assert_eq!(pick_static(&mut masks, 4), Members::default());
    }

    proptest! {
        #[test]
        fn every_thread_once_in_its_lane_in_the_fewest_warps(
            masks in prop::collection::vec(prop_oneof![any::<u32>(), Just(0), Just(u32::MAX)], 0..80),
        ) {
            let found = all(&masks);
            prop_assert_eq!(found.len() as u16, fullest_lane(&masks));
            prop_assert_eq!(warps(&masks), fullest_lane(&masks));
            let mut seen = vec![0u32; masks.len()];
            for warp in &found {
                for (lane, origin) in warp.lanes() {
                    prop_assert_eq!(seen[usize::from(origin)] >> lane & 1, 0, "a thread runs twice");
                    seen[usize::from(origin)] |= 1 << lane;
                }
            }
            prop_assert_eq!(seen, masks);
        }
    }
}
