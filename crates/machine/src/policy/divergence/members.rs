//! The threads of a dynamic warp: each stays in its home lane and is identified by its static warp.

/// The static warp of the thread in each lane of `mask`.
#[derive(Clone, Copy, Debug, Eq, Default)]
pub struct Members {
    /// Valid only in the lanes of `mask`.
    pub origins: [u16; 32],
    /// Lanes with a thread.
    pub mask: u32,
}

/// Ignores lanes outside of the mask.
impl PartialEq for Members {
    fn eq(&self, other: &Members) -> bool {
        self.mask == other.mask && self.lanes().eq(other.lanes())
    }
}

impl std::hash::Hash for Members {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.mask.hash(state);
        for lane in self.lanes() {
            lane.hash(state);
        }
    }
}

impl Members {
    /// Creates members that are lanes of one static warp.
    pub fn of(origin: u16, mask: u32) -> Members {
        Members { origins: [origin; 32], mask }
    }

    /// Iterates over the lanes that hold a thread, each with its static warp.
    pub fn lanes(&self) -> impl Iterator<Item = (usize, u16)> + '_ {
        warpscope_kernel::interp::access::active(self.mask).map(|lane| (lane, self.origins[lane]))
    }

    /// Returns the members in the lanes of `mask`.
    pub fn only(&self, mask: u32) -> Members {
        Members { origins: self.origins, mask: self.mask & mask }
    }

    /// Adds threads; their lanes must be free.
    pub fn add(&mut self, others: &Members) {
        for (lane, origin) in others.lanes() {
            self.origins[lane] = origin;
        }
        self.mask |= others.mask;
    }

    /// Iterates over the static warps of its threads, each with its lanes, ordered by first lane.
    pub fn parts(&self) -> impl Iterator<Item = (u16, u32)> + '_ {
        let mut rest = self.mask;
        std::iter::from_fn(move || {
            let first = rest.trailing_zeros() as usize;
            if rest == 0 {
                return None;
            }
            let origin = self.origins[first];
            let mut part = 0;
            for lane in warpscope_kernel::interp::access::active(rest) {
                part |= u32::from(self.origins[lane] == origin) << lane;
            }
            rest &= !part;
            Some((origin, part))
        })
    }

    /// Whether all threads belong to one static warp.
    pub fn is_home(&self) -> bool {
        self.parts().nth(1).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_in_the_order_of_lanes() {
        let mut members = Members::of(7, 0b0010);
        members.add(&Members::of(3, 0b1101));
        assert_eq!(members.parts().collect::<Vec<_>>(), [(3, 0b1101), (7, 0b0010)]);
        assert!(!members.is_home() && members.only(0b1100).is_home());
        assert_eq!(members.only(0b0010), Members::of(7, 0b0010));
    }
}
