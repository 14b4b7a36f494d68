//! What a warp has issued: its instruction of the last cycle, and those whose results have not arrived.

use super::Explainer;
use crate::view::WarpPicture;
use warpscope_kernel::program::Pc;
use warpscope_machine::event::{Event, SCATTERED};
use warpscope_machine::sim::wheel::Done;

/// An issued instruction whose result has not arrived yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InFlight {
    pub(crate) pc: Pc,
    pub(crate) load: bool,
    /// The cycle in which the result arrives.
    pub due: u64,
}

impl Explainer<'_> {
    /// Returns the instruction that the warp issued in the last cycle, and for which lanes.
    pub(super) fn issued(&self, warp: &WarpPicture) -> Option<(Pc, u32)> {
        // For a dynamic warp, `Issued` gives the instruction and the `IssuedFor` events behind it give its static warps.
        let mut scattered = 0;
        self.last.iter().find_map(|event| match *event {
            Event::Issued { pc, first_thread: SCATTERED, .. } => {
                scattered = pc;
                None
            }
            Event::Issued { sm, warp: name, pc, mask, .. } if sm == warp.sm && name == warp.warp => Some((pc, mask)),
            Event::IssuedFor { sm, origin, mask, .. } if sm == warp.sm && origin == warp.warp => Some((scattered, mask)),
            _ => None,
        })
    }

    /// Returns the instructions in flight of the warp-table entry that holds a warp's oldest thread, the soonest first.
    pub fn in_flight(&self, warp: &WarpPicture) -> Vec<InFlight> {
        warp.entry.map_or_else(Vec::new, |entry| self.in_flight_in(warp.sm, entry))
    }

    /// Returns the instructions in flight of a warp-table entry, the soonest first.
    pub fn in_flight_in(&self, sm: u16, entry: u16) -> Vec<InFlight> {
        let mut flights: Vec<InFlight> = self
            .pending(sm, entry, false)
            .filter_map(|(due, done)| match done {
                Done::Write { pc, load } => Some(InFlight { pc, load, due }),
                _ => None,
            })
            .collect();
        flights.sort_by_key(|flight| (flight.due, flight.pc));
        flights
    }

    /// Returns the cycle in which a warp's next instructions arrive, if a fetch is under way.
    pub(super) fn fetch_due(&self, warp: &WarpPicture) -> Option<u64> {
        let fetches = self.pending(warp.sm, warp.entry?, true).filter(|(_, done)| matches!(done, Done::Fetch { .. }));
        fetches.map(|(due, _)| due).min()
    }

    /// Returns the pending completions of a warp-table entry in its current life; fetches count lives separately.
    fn pending(&self, sm: u16, entry: u16, fetches: bool) -> impl Iterator<Item = (u64, Done)> + '_ {
        let state = &self.sim.state.sms[usize::from(sm)].warps[usize::from(entry)];
        let life = if fetches { state.fetch_life } else { state.life };
        let all = self.sim.state.uncore.wheel.pending();
        all.filter(move |(_, c)| c.sm == sm && c.warp == entry && c.life == life).map(|(due, c)| (due, c.done))
    }
}
