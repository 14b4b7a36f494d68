//! Sentences about a static warp's threads where a technique re-forms warps (DWF, TBC): which warp-table entry each thread is in,
//! what that entry does, and why a thread is in none.

use super::Explainer;
use crate::view::WarpPicture;
use crate::view::words::{in_cycles, the_lanes};
use warpscope_kernel::program::Pc;
use warpscope_machine::sim::state::{AT_BARRIER, AT_SYNC, KEPT, Sm};

impl Explainer<'_> {
    /// Explains a warp whose oldest thread waits because of how its threads are regrouped.
    pub(super) fn kept(&self, name: &str, warp: &WarpPicture) -> Vec<String> {
        let waited = self.waited(warp);
        if warp.entry.is_none() {
            let oldest = warp.alive.trailing_zeros();
            let all = warp.kept.iter().fold(0, |all, (_, mask)| all | mask) == warp.alive;
            let who = if all { name.to_string() } else { format!("{name}'s oldest thread, lane {oldest},") };
            let mut entries = self.entries(warp);
            entries.truncate(2);
            let mut sentences = self.why_in_no_warp(&who, &waited, warp, oldest, &entries);
            sentences.extend(self.elsewhere(warp, &entries));
            return sentences;
        }
        let (who, here) = (format!("{name}'s oldest thread"), self.at(warp.pc));
        let last = self.in_flight(warp).into_iter().max_by_key(|flight| flight.due);
        match (warp.leaving, last) {
            (true, Some(last)) => {
                let (instruction, left) = (self.instruction(last.pc), in_cycles(last.due, self.picture.cycle));
                vec![
                    format!("{who} is in a warp whose threads will be regrouped{waited}."),
                    format!("They leave it when all its instructions have completed: {instruction}, in {left}."),
                ]
            }
            (true, None) => vec![format!("{who} has left its warp, after {here}, to be regrouped.")],
            (false, _) => vec![format!("{who} is in a warp that was just formed, at {here}; it can issue in the next cycle.")],
        }
    }

    /// Says what lanes that have just issued do next.
    pub(super) fn after(&self, warp: &WarpPicture, lanes: u32) -> String {
        let lane = lanes.trailing_zeros();
        if warp.at_barrier & lanes != 0 {
            return "Its threads wait there for others of their block.".into();
        }
        let Some(sm) = self.sim.state.sms.get(usize::from(warp.sm)).filter(|_| self.sim.machine.reforms) else {
            return format!("Next is {}.", self.instruction(warp.pc));
        };
        match self.entry_of(warp, lane) {
            Some(entry) if sm.sets.leaving.contains(entry.into()) => return "Its threads are regrouped next.".into(),
            _ => {}
        }
        let part = |(pc, mask): &(Pc, u32)| (mask & lanes != 0).then_some((*pc, mask & lanes));
        let runs: Vec<(Pc, u32)> = warp.places.iter().filter_map(part).collect();
        let kept: Vec<(Pc, u32)> = warp.kept.iter().filter_map(part).collect();
        match (runs.as_slice(), kept.as_slice()) {
            ([(pc, _)], []) => format!("Next is {}.", self.instruction(*pc)),
            ([], [(pc, _)]) => format!("Its threads wait for others, to go on at {}.", self.at(*pc)),
            ([], []) => "Its threads wait to be regrouped.".into(),
            _ => {
                let said = |(pc, mask): &(Pc, u32)| format!("{} for {}", self.at(*pc), the_lanes(*mask));
                format!("Next is {}.", runs.iter().chain(&kept).map(said).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// Returns the warp-table entry of a lane's thread, if it is in one.
    pub(super) fn entry_of(&self, warp: &WarpPicture, lane: u32) -> Option<u16> {
        if !self.sim.machine.reforms {
            return warp.entry;
        }
        let at = self.place_of(warp, lane);
        (at < AT_SYNC).then_some(at)
    }

    /// Where warps re-form: returns the entry of a lane's thread, or the code for why it is in none.
    fn place_of(&self, warp: &WarpPicture, lane: u32) -> u16 {
        let statics = &self.sim.state.sms[usize::from(warp.sm)].statics;
        statics.at.get((u32::from(warp.warp) * warp.width + lane) as usize).copied().unwrap_or(KEPT)
    }

    /// Returns every warp-table entry that holds threads of a static warp, with their lanes.
    pub fn entries(&self, warp: &WarpPicture) -> Vec<(u16, u32)> {
        let mut entries: Vec<(u16, u32)> = Vec::new();
        if !self.sim.machine.reforms {
            return warp.entry.map(|entry| (entry, warp.alive)).into_iter().collect();
        }
        for lane in (0..warp.width).filter(|lane| warp.alive >> lane & 1 != 0) {
            let Some(entry) = self.entry_of(warp, lane) else { continue };
            match entries.iter_mut().find(|(known, _)| *known == entry) {
                Some((_, mask)) => *mask |= 1 << lane,
                None => entries.push((entry, 1 << lane)),
            }
        }
        entries
    }

    /// Says what the given warp-table entries do; they hold further threads of the static warp.
    pub(super) fn elsewhere(&self, warp: &WarpPicture, entries: &[(u16, u32)]) -> Vec<String> {
        let said = |&(entry, mask): &(u16, u32)| {
            let (lanes, activity) = (the_lanes(mask), self.entry_activity(warp.sm, entry));
            let verb = if mask.count_ones() == 1 { "is" } else { "are" };
            format!("Its {lanes} {verb} in a warp that {activity}.")
        };
        entries.iter().map(said).collect()
    }

    /// Says what a warp-table entry does or waits for: `waits for %r1, which …`.
    pub(super) fn entry_activity(&self, sm: u16, entry: u16) -> String {
        let state: &Sm = &self.sim.state.sms[usize::from(sm)];
        let pc = state.warps[usize::from(entry)].place.pc;
        let (here, sets, name) = (self.at(pc), &state.sets, u32::from(entry));
        let decoded = self.sim.machine.decoded.get(pc as usize);
        if sets.barrier.contains(name) {
            format!("waits at a barrier, {here}")
        } else if sets.leaving.contains(name) {
            let last = self.in_flight_in(sm, entry).into_iter().max_by_key(|flight| flight.due);
            let through = match last {
                Some(last) => {
                    let left = in_cycles(last.due, self.picture.cycle);
                    format!("when {}, completes, in {left}", self.instruction(last.pc))
                }
                None => "next".to_string(),
            };
            format!("has issued its last instruction, {here}: its threads are regrouped {through}")
        } else if sets.control.contains(name) {
            "waits for the outcome of its branch".into()
        } else if sets.unfetched.contains(name) {
            format!("waits for its instructions, at {here}")
        } else if let Some(flight) = decoded.and_then(|decoded| self.blocking(decoded, self.in_flight_in(sm, entry))) {
            format!("waits for {}, {} more", self.awaited(flight), in_cycles(flight.due, self.picture.cycle))
        } else {
            format!("can issue {}", self.instruction(pc))
        }
    }

    /// Explains why a thread is in no warp-table entry. The caller describes the entries in `described` itself.
    pub(super) fn why_in_no_warp(
        &self,
        who: &str,
        waited: &str,
        warp: &WarpPicture,
        lane: u32,
        described: &[(u16, u32)],
    ) -> Vec<String> {
        let divergence = &self.sim.state.sms[usize::from(warp.sm)].divergence;
        match self.place_of(warp, lane) {
            AT_BARRIER => return vec![format!("{who} waits at a barrier of its block{waited}.")],
            AT_SYNC => return vec![format!("{who} waits for the other threads that its operation names{waited}.")],
            _ => {}
        }
        if let Some(barrier) = divergence.dwf().and_then(|dwf| dwf.warp_barrier(warp.warp))
            && barrier.arrived >> lane & 1 != 0
        {
            let missing = the_lanes(barrier.expected & !barrier.arrived);
            let place = self.at(barrier.pc);
            return vec![format!(
                "{who} waits at its warp's barrier, {place}, for {missing} to arrive{waited}; then its static warp is restored."
            )];
        }
        self.on_block_stack(who, waited, warp, lane, described)
            .unwrap_or_else(|| vec![format!("{who} waits to be placed in a warp{waited}.")])
    }

    /// Describes that of a block's warps whose results in flight take longest, unless it is in `described`.
    pub(super) fn slowest(&self, sm: u16, slot: u16, described: &[(u16, u32)]) -> Option<String> {
        let warps = self.picture.warps.iter().filter(|warp| (warp.sm, warp.slot) == (sm, slot));
        let entries = warps.flat_map(|warp| self.entries(warp)).map(|(entry, _)| entry);
        let due = |entry: u16| self.in_flight_in(sm, entry).iter().map(|flight| flight.due).max();
        let (_, entry) = entries.filter_map(|entry| Some((due(entry)?, entry))).max_by_key(|(due, _)| *due)?;
        let new = !described.iter().any(|(told, _)| *told == entry);
        new.then(|| format!("One of the block's warps {}.", self.entry_activity(sm, entry)))
    }

    /// Returns the PC where a lane (or the warp) goes on, and whether its warp-table entry has issued its last instruction.
    pub fn next_of(&self, warp: &WarpPicture, lane: Option<u8>) -> (Pc, bool) {
        let there = warp.places.iter().find(|(pc, _)| *pc == warp.pc).map(|(_, mask)| mask.trailing_zeros());
        let speaks = lane.map(u32::from).or(there);
        let entry = speaks.and_then(|lane| self.entry_of(warp, lane));
        let sm = &self.sim.state.sms[usize::from(warp.sm)];
        let leaving = entry.is_some_and(|entry| sm.sets.leaving.contains(entry.into()));
        let Some(lane) = lane else { return (warp.pc, leaving) };
        let has = |mask: u32| mask >> lane & 1 != 0;
        let placed = warp.places.iter().chain(&warp.kept).find(|(_, mask)| has(*mask)).map(|(pc, _)| *pc);
        let stacked = || warp.stack.iter().rfind(|entry| has(entry.mask)).map(|entry| entry.pc);
        (placed.or_else(stacked).unwrap_or(warp.pc), leaving)
    }
}
