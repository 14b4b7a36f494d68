//! Why a lane is idle: it has no thread, its thread has ended, waits at a barrier, or stands on the other side of a branch.

use super::Explainer;
use crate::view::WarpPicture;
use crate::view::words::the_lanes;

impl Explainer<'_> {
    /// Explains what a lane does or waits for, and why its warp waits.
    pub(super) fn lane(&self, warp: &WarpPicture, lane: u32) -> Vec<String> {
        let bit = 1u32.checked_shl(lane).unwrap_or(0);
        let thread = warp.first_thread.0 + lane;
        if warp.present & bit == 0 {
            return vec![format!("Lane {lane} is empty: the block has no thread {thread}.")];
        }
        if warp.alive & bit == 0 {
            return vec![format!("Lane {lane} is idle: its thread {thread} has ended.")];
        }
        let who = format!("Lane {lane} (thread {thread})");
        if warp.active & bit != 0 {
            return self.active_lane(&who, warp, lane);
        }
        if warp.at_barrier & bit != 0 {
            return self.with_its_warp(vec![format!("{who} waits at a barrier of its block.")], warp);
        }
        if let Some(splits) = self.splits(warp)
            && let Some(split) = splits.splits.iter().find(|split| split.mask & bit != 0)
        {
            return self.with_its_warp(vec![self.of_split(&who, splits, split)], warp);
        }
        if warp.at_barrier != 0 && !self.sim.machine.reforms {
            let there = the_lanes(warp.at_barrier);
            return self.with_its_warp(vec![format!("{who} waits for {there} of its warp, at a barrier.")], warp);
        }
        match warp.stack.iter().rposition(|entry| entry.mask & bit != 0) {
            Some(at) => self.with_its_warp(self.on_stack(&who, warp, lane, at), warp),
            None => self.why_in_no_warp(&who, "", warp, lane, &[]),
        }
    }

    /// Adds what the warp does or waits for to what one of its lanes does.
    fn with_its_warp(&self, mut sentences: Vec<String>, warp: &WarpPicture) -> Vec<String> {
        sentences.extend(self.warp(warp));
        sentences
    }

    /// Explains a lane that takes part in what its warp does, or in what another warp does where warps are re-formed.
    fn active_lane(&self, who: &str, warp: &WarpPicture, lane: u32) -> Vec<String> {
        let issued = self.issued(warp);
        let was_in = issued.is_some_and(|(_, mask)| mask >> lane & 1 != 0);
        let first = match self.entry_of(warp, lane).filter(|_| self.sim.machine.reforms) {
            // The static warp's activity is not that of the dynamic warp that this thread is in.
            Some(entry) if !was_in && (warp.entry != Some(entry) || issued.is_some()) => {
                return vec![format!("{who} is in a warp that {}.", self.entry_activity(warp.sm, entry))];
            }
            Some(entry) => {
                let pc = self.sim.state.sms[usize::from(warp.sm)].warps[usize::from(entry)].place.pc;
                format!("{who} is in a warp at {}.", self.at(pc))
            }
            None if issued.is_some() && !was_in => format!("{who} is active from now on, at {}.", self.at(warp.pc)),
            None => format!("{who} is active: it does what its warp does."),
        };
        self.with_its_warp(vec![first], warp)
    }

    /// Explains a lane that waits in entry `at` of its warp's stack, below the entry that runs.
    fn on_stack(&self, who: &str, warp: &WarpPicture, lane: u32, at: usize) -> Vec<String> {
        let (own, above) = (warp.stack[at], warp.stack.get(at + 1));
        let runs = format!("{}, for {}", self.at(warp.pc), the_lanes(warp.active));
        let place = self.at(own.pc);
        if let Some(above) = above.filter(|above| above.lpc == Some(own.pc)) {
            return vec![
                format!("{who} waits at {place}, a likely-convergence point: its warp runs {runs}."),
                format!("Lanes that reach it merge with this lane: {}, if all do.", the_lanes(own.mask | above.mask)),
            ];
        }
        let rpc = above.and_then(|above| above.rpc);
        let until = rpc.map_or("those threads have ended".to_string(), |rpc| format!("it reaches {}", self.at(rpc)));
        let together = the_lanes(own.mask);
        vec![
            format!("{who} waits: its warp runs the other side, {runs}, until {until}."),
            match rpc == Some(own.pc) {
                true => format!("At that reconvergence point both sides meet, and lane {lane} goes on with {together}."),
                false => format!("Then lane {lane} goes on at {place} with {together}."),
            },
        ]
    }
}
