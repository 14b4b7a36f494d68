//! Warp barriers, which turn DWF into DWF-WB (TBC section 2.4).
//!
//! A static warp stays together until its first divergent branch that depends on no earlier one, a **top-level divergence**. From
//! there its threads regroup freely, but the static warp has a barrier at the branch's immediate post-dominator. A thread that
//! reaches it leaves its dynamic warp and waits; when all threads of the static warp have arrived or exited, the static warp
//! continues as before. A dynamic warp may hold threads with different barriers: each waits at its own.
//!
//! ```text
//!   sealed ──divergent branch──► barrier at RPC, threads in the pool ──all at RPC──► sealed
//! ```

use super::NEVER;
use warpscope_kernel::program::Pc;

/// The barrier of one static warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarpBarrier {
    pub pc: Pc,
    /// Lanes that have arrived or still have to.
    pub expected: u32,
    pub arrived: u32,
}

/// The warp barriers of all static warps of an SM.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WarpBarriers {
    barriers: Vec<Option<WarpBarrier>>,
}

/// What happens to threads that continue at a PC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Their barrier is not at that PC.
    Elsewhere,
    Waits,
    /// They were the last; these lanes continue as a static warp.
    Complete(u32),
}

impl WarpBarriers {
    pub fn new(warps: u32) -> WarpBarriers {
        WarpBarriers { barriers: vec![None; warps as usize] }
    }

    pub fn of(&self, warp: u16) -> Option<&WarpBarrier> {
        self.barriers.get(usize::from(warp))?.as_ref()
    }

    /// Sets the barrier of a static warp that diverges.
    pub fn set(&mut self, warp: u16, lanes: u32, rpc: Option<Pc>) {
        self.barriers[usize::from(warp)] = Some(WarpBarrier { pc: rpc.unwrap_or(NEVER), expected: lanes, arrived: 0 });
    }

    pub fn clear(&mut self, warp: u16) {
        self.barriers[usize::from(warp)] = None;
    }

    /// Handles threads of a static warp that continue at `pc`.
    pub fn arrive(&mut self, warp: u16, lanes: u32, pc: Pc) -> Arrival {
        let slot = &mut self.barriers[usize::from(warp)];
        let Some(barrier) = slot.as_mut().filter(|barrier| barrier.pc == pc) else { return Arrival::Elsewhere };
        barrier.arrived |= lanes;
        if barrier.arrived != barrier.expected {
            return Arrival::Waits;
        }
        let all = barrier.expected;
        *slot = None;
        Arrival::Complete(all)
    }

    /// Removes exited lanes; returns the lanes and the PC that continue if the barrier waited for no other lanes.
    pub fn exit(&mut self, warp: u16, lanes: u32) -> Option<(u32, Pc)> {
        let slot = &mut self.barriers[usize::from(warp)];
        let barrier = slot.as_mut()?;
        barrier.expected &= !lanes;
        if barrier.arrived != barrier.expected {
            return None;
        }
        let WarpBarrier { pc, expected, .. } = *barrier;
        *slot = None;
        (expected != 0).then_some((expected, pc))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_to_come_or_to_exit_completes_it() {
        let mut barriers = WarpBarriers::new(1);
        barriers.set(0, 0b1111, Some(9));
        assert_eq!(barriers.arrive(0, 0b0001, 8), Arrival::Elsewhere);
        assert_eq!(barriers.arrive(0, 0b0011, 9), Arrival::Waits);
        assert_eq!(barriers.exit(0, 0b0100), None);
        assert_eq!(barriers.clone().arrive(0, 0b1000, 9), Arrival::Complete(0b1011));
        assert_eq!(barriers.exit(0, 0b1000), Some((0b0011, 9)));
        assert_eq!(barriers.of(0), None);
    }
}
