//! Gangs in the pipeline: which ones issue, and when they split and re-form (VWS sections 4.2 to 4.5).
//!
//! - After the completions, a gang may split if the loads of only some members are back (`gang_split`).
//! - At issue, gangs come before singletons. A gang is ready when every member is, and then takes the port of each.
//! - After issue, gangs whose members' next instructions differ split; then one original gang is checked for parts to
//!   merge. Parts that have reached a reconvergence point may wait for each other there.
//!
//! A member that only its gang holds back is booked under the technique: [`Reason::Sync`](crate::event::Reason::Sync).

use super::choice;
use super::core::Core;
use super::decode::UNITS;
use super::issue::{could_issue, fetched_or_not, unit_is_free};
use super::state::Sm;
use super::wheel::{Completion, Done};
use crate::config::{GangMeetKind, GangSplitKind};
use crate::event::{Event, Sink, SlotUse, SplitCause};
use crate::policy::gang::schedule::ReadyGang;
use crate::policy::gang::split::{Pcs, by_control, by_memory, has_split};
use crate::policy::gang::{ENTRIES, GangSet, Gangs, MAX_SLICES, reform};
use crate::policy::warp_set::WarpSet;
use warpscope_kernel::program::Pc;

impl<S: Sink> Core<'_, S> {
    /// Lets as many gangs issue as allowed; returns whether any did. `slots` receives how the ports of their members are used.
    pub fn issue_gangs(&mut self, scheduler: usize, slots: &mut [Option<SlotUse>; 32]) -> bool {
        let slices = self.machine.config.slices as usize;
        let first = scheduler * slices;
        for (slice, slot) in slots.iter_mut().enumerate().take(slices) {
            let port = &self.sm.ports[first + slice];
            *slot = (port.free > self.cycle).then_some(SlotUse::Threads(port.holder_threads));
        }
        self.gang_candidates(scheduler, slots);
        let mut busy = false;
        for nth in 0..self.machine.config.gangs_per_cycle {
            let Sm { gangs, scratch, .. } = &mut *self.sm;
            let Some(gangs) = gangs else { break };
            let schedule = &mut gangs.schedules[scheduler];
            let Some(gang) = schedule.first(&scratch.gangs) else { break };
            if S::KEEPS_CHOICES
                && let Some(choices) = &mut scratch.choices
            {
                choice::keep_gangs(choices, self.name, slices as u32, schedule, &gang, &scratch.gangs);
            }
            schedule.issued(&gang, nth == 0);
            scratch.gangs.retain(|other| other.mask & gang.mask == 0);
            let row = gang.gang / ENTRIES as u32;
            busy = true;
            self.emit(Event::GangIssued { sm: self.name, row: row as u16, mask: gang.mask, pc: gang.pc });
            let lanes = self.row_lanes(row, gang.mask, gang.pc);
            let mut leads = true;
            for slice in (0..slices).filter(|slice| gang.mask >> slice & 1 != 0) {
                let warp = row * slices as u32 + slice as u32;
                self.sm.issued.warps.insert(warp);
                let threads = self.issue_member(first + slice, warp, &lanes, std::mem::take(&mut leads));
                slots[slice] = Some(SlotUse::Threads(threads));
            }
        }
        busy
    }

    /// Works out which gangs of a scheduler could issue, and which warps wait for other members of their gang.
    fn gang_candidates(&mut self, scheduler: usize, slots: &[Option<SlotUse>; 32]) {
        let machine = self.machine;
        let (slices, schedulers) = (machine.config.slices, machine.config.schedulers);
        let mut ports = (0..slices).filter(|&slice| slots[slice as usize].is_none()).fold(0u8, |mask, slice| mask | 1 << slice);
        ports &= !self.slices_of_late_warps(scheduler);
        let mut free = [ports; UNITS];
        for (kind, free) in free.iter_mut().enumerate().take(UNITS - 1) {
            for slice in 0..slices {
                let is_free = unit_is_free(self.sm, kind, slice as usize, &machine.config, self.cycle);
                *free &= !(u8::from(!is_free) << slice);
            }
        }
        let Sm { gangs, scratch, issued, warps, age, sets, .. } = &mut *self.sm;
        scratch.gangs.clear();
        let Some(gangs) = gangs else { return };
        for word in 0..sets.words {
            let mut members = scratch.could.bits[word] & !gangs.singles.bits[word];
            while members != 0 {
                let row = gangs.row_of(word as u32 * 64 + members.trailing_zeros());
                let first = row * slices;
                members &= !WarpSet::bits_of_row(first, slices);
                if schedulers > 1 && row % schedulers != scheduler as u32 {
                    continue;
                }
                let ready = scratch.could.row(first, slices) as u8;
                let late = gangs.patience.late().row(first, slices) as u8;
                let set = &gangs.sets[row as usize];
                for (entry, &mask) in set.gangs.iter().enumerate().filter(|(_, gang)| **gang != 0) {
                    if ready & mask != mask {
                        issued.in_step.insert_row(first, (ready & mask).into());
                        continue;
                    }
                    let lead = (first + mask.trailing_zeros()) as usize;
                    let pc = warps[lead].place.pc;
                    if mask & !free[machine.decoded[pc as usize].unit as usize] == 0 {
                        issued.available.insert_row(first, mask.into());
                        let (gang, age) = (row * ENTRIES as u32 + entry as u32, age[lead]);
                        scratch.gangs.push(ReadyGang { gang, mask, pc, age, late: mask & late != 0 });
                    }
                }
            }
        }
    }

    /// Returns a mask of the slices whose port is reserved for a singleton that gangs have passed over for too long.
    fn slices_of_late_warps(&self, scheduler: usize) -> u8 {
        let (config, Sm { gangs, scratch, warps, .. }) = (&self.machine.config, &*self.sm);
        let Some(gangs) = gangs else { return 0 };
        let mut mask = 0;
        for word in 0..self.sm.sets.words {
            let mut late = gangs.patience.late().bits[word] & gangs.singles.bits[word] & scratch.could.bits[word];
            while late != 0 {
                let warp = word as u32 * 64 + late.trailing_zeros();
                late &= late - 1;
                let (row, slice) = (warp / config.slices, warp % config.slices);
                let unit = self.machine.decoded[warps[warp as usize].place.pc as usize].unit as usize;
                let has_unit = unit == UNITS - 1 || unit_is_free(self.sm, unit, slice as usize, config, self.cycle);
                if row as usize % config.schedulers as usize == scheduler && has_unit {
                    mask |= 1 << slice;
                }
            }
        }
        mask
    }

    /// Records, after issue, which warps gangs pass over in this cycle and in the `repeat - 1` that are like it.
    #[inline(never)]
    pub fn note_passed_over(&mut self, repeat: u64) {
        let Sm { gangs, sets, issued, .. } = &mut *self.sm;
        if let Some(gangs) = gangs {
            let could = |word: usize| could_issue(sets, issued, word) | sets.wants_fetch.bits[word];
            gangs.patience.note(self.cycle..self.cycle + repeat, sets.words, &issued.warps, could);
        }
    }

    /// Records, after issue, which warps the order of warps passes over in this cycle and in the `repeat - 1` that are like it.
    #[inline(never)]
    pub fn note_waiting(&mut self, repeat: u64) {
        let Sm { patience, sets, issued, .. } = &mut *self.sm;
        patience.note(self.cycle..self.cycle + repeat, sets.words, &issued.warps, |word| fetched_or_not(sets, word));
    }

    /// Splits gangs, after the completions, of which only some members can go on because the others' loads are not back.
    #[inline(never)]
    pub fn split_on_memory(&mut self) {
        let kind = self.machine.config.gang_split;
        let words = (self.machine.max_warps / self.machine.config.slices).div_ceil(64) as usize;
        if kind == GangSplitKind::Control || self.sm.gangs.as_ref().is_none_or(|gangs| gangs.answered.is_empty(words)) {
            return;
        }
        let Some(mut gangs) = self.sm.gangs.take() else { return };
        let answered = gangs.answered;
        gangs.answered.clear(words);
        for row in answered.iter(words) {
            let first = row * gangs.slices;
            let sets = &self.sm.sets;
            let waiting = sets.data.row(first, gangs.slices) as u8;
            let for_memory = waiting & sets.loading.row(first, gangs.slices) as u8;
            for entry in 0..ENTRIES {
                let before = gangs.sets[row as usize];
                let gang = before.gangs[entry];
                if let Some(after) = by_memory(kind, before, entry, gang & !waiting, gang & for_memory) {
                    gangs.put(row, after);
                    // Parts of one gang have not arrived together: otherwise they would merge at once.
                    gangs.warps(row, gang).for_each(|warp| self.sm.warps[warp as usize].came = None);
                    self.tell_split(row, gang, &after, SplitCause::Memory);
                }
            }
        }
        self.sm.gangs = Some(gangs);
    }

    fn tell_split(&mut self, row: u32, gang: u8, after: &GangSet, cause: SplitCause) {
        let (sm, row) = (self.name, row as u16);
        self.emit(Event::GangSplit { sm, row, gang, gangs: after.gangs, singles: after.singles, cause });
    }

    /// Splits gangs whose members diverge and merges two parts of an original gang, after issue; returns whether it merged.
    #[inline(never)]
    pub fn regroup(&mut self) -> bool {
        let Some(mut gangs) = self.sm.gangs.take() else { return false };
        for word in 0..self.sm.sets.words {
            let mut moved = std::mem::take(&mut gangs.moved.bits[word]);
            while moved != 0 {
                let first = word as u32 * 64 + moved.trailing_zeros();
                let row = gangs.row_of(first);
                self.split_on_control(&mut gangs, row);
                if self.machine.config.gang_wait > 0 {
                    for warp in (first..(row + 1) * gangs.slices).filter(|warp| moved >> (warp % 64) & 1 != 0) {
                        self.wait_at_meeting(&mut gangs, warp);
                    }
                }
                moved &= !WarpSet::bits_of_row(row * gangs.slices, gangs.slices);
            }
        }
        let merged = self.machine.config.gang_reform && self.merge_one(&mut gangs);
        self.sm.gangs = Some(gangs);
        merged
    }

    fn split_on_control(&mut self, gangs: &mut Gangs, row: u32) {
        let before = gangs.sets[row as usize];
        let ended = self.sm.sets.exited.row(row * gangs.slices, gangs.slices) as u8;
        if before.gangs == [0; ENTRIES] && before.singles & ended == 0 {
            return;
        }
        let pcs = self.pcs(gangs, row);
        let after = by_control(before, &pcs);
        if after == before {
            return;
        }
        gangs.put(row, after);
        if has_split(&before, &after) {
            let gang = before.gangs.into_iter().find(|&gang| gang != 0 && !after.gangs.contains(&gang)).unwrap_or(0);
            self.tell_split(row, gang, &after, SplitCause::Control);
        }
    }

    /// Returns the PC of each warp of an original gang that has not ended.
    fn pcs(&self, gangs: &Gangs, row: u32) -> Pcs {
        let mut pcs = [None; MAX_SLICES];
        for slice in 0..gangs.slices {
            let warp = row * gangs.slices + slice;
            let is_there = self.sm.sets.resident.contains(warp) && !self.sm.sets.exited.contains(warp);
            pcs[slice as usize] = is_there.then(|| self.sm.warps[warp as usize].place.pc);
        }
        pcs
    }

    /// Returns, for each warp that may be merged, its PC and what else `gang_meet` compares. A part is closed while a member
    /// waits for its PTX warp or, except by `held`, at a barrier.
    fn open_places(&self, gangs: &Gangs, row: u32) -> [Option<(Pc, u64)>; MAX_SLICES] {
        let (sets, set) = (&self.sm.sets, &gangs.sets[row as usize]);
        let (first, slices, meet) = (row * gangs.slices, gangs.slices, self.machine.config.gang_meet);
        let at_barrier = sets.barrier.row(first, slices) as u8;
        let held = sets.sync.row(first, slices) as u8 | if meet == GangMeetKind::Held { 0 } else { at_barrier };
        let waiting = sets.data.row(first, slices) as u8;
        let parts_of = |mask: u8| set.parts().filter(|part| part & mask != 0).fold(0, |all: u8, part| all | part);
        let (closed, waits) = (parts_of(held), parts_of(waiting));
        let pcs = self.pcs(gangs, row);
        std::array::from_fn(|slice| {
            let pc = pcs[slice].filter(|_| closed >> slice & 1 == 0)?;
            let also = match meet {
                GangMeetKind::Any | GangMeetKind::Group => 0,
                GangMeetKind::Arrive => self.sm.warps[first as usize + slice].came?,
                GangMeetKind::Ready => u64::from(waits >> slice & 1),
                GangMeetKind::Held => u64::from(at_barrier >> slice & 1),
            };
            Some((pc, also))
        })
    }

    /// Merges two parts of one original gang that are at the same instruction; returns whether there were any.
    fn merge_one(&mut self, gangs: &mut Gangs) -> bool {
        let Some(row) = gangs.next_to_merge() else { return false };
        let set = gangs.sets[row as usize];
        if !set.is_apart() {
            return false;
        }
        let mut places = self.open_places(gangs, row);
        let Some((one, two)) = reform::pair(set, &places) else { return false };
        let place = places[one.trailing_zeros() as usize];
        let mut merged = self.merge(gangs, row, one, two, place);
        if self.machine.config.gang_meet == GangMeetKind::Group {
            // Merges all other parts that are there too.
            places.iter_mut().filter(|other| **other != place).for_each(|other| *other = None);
            while let Some((one, two)) = reform::pair(merged, &places) {
                merged = self.merge(gangs, row, one, two, place);
            }
        }
        if !merged.is_apart() {
            // The original gang is whole: there is no other part to wait for.
            gangs.warps(row, merged.live()).for_each(|warp| self.sm.sets.meeting.remove(warp));
        }
        true
    }

    fn merge(&mut self, gangs: &mut Gangs, row: u32, one: u8, two: u8, place: Option<(Pc, u64)>) -> GangSet {
        let merged = reform::merge(gangs.sets[row as usize], one, two);
        gangs.put(row, merged);
        let pc = place.map_or(0, |(pc, _)| pc);
        self.emit(Event::GangMerge { sm: self.name, row: row as u16, one, two, pc });
        merged
    }

    /// Whether [`Core::regroup`] would merge anything in later cycles.
    pub fn will_merge(&self) -> bool {
        let Some(gangs) = self.sm.gangs.as_ref().filter(|_| self.machine.config.gang_reform) else { return false };
        let rows = 0..gangs.sets.len() as u32;
        rows.into_iter().any(|row| {
            let set = gangs.sets[row as usize];
            set.is_apart() && reform::pair(set, &self.open_places(gangs, row)).is_some()
        })
    }

    /// Makes a warp at a reconvergence point wait for other parts of its original gang.
    fn wait_at_meeting(&mut self, gangs: &mut Gangs, warp: u32) {
        let machine = self.machine;
        let wait = u64::from(machine.config.gang_wait);
        let pc = self.sm.warps[warp as usize].place.pc;
        let is_apart = gangs.sets[gangs.row_of(warp) as usize].is_apart();
        if !is_apart || self.sm.sets.exited.contains(warp) || !machine.meeting_points[pc as usize] {
            return;
        }
        self.sm.sets.meeting.insert(warp);
        let state = &mut self.sm.warps[warp as usize];
        state.meeting_life = state.meeting_life.wrapping_add(1);
        let completion = Completion { sm: self.name, warp: warp as u16, life: state.meeting_life, done: Done::Meeting };
        self.uncore.wheel.insert(self.cycle + 1 + wait, completion);
    }

    /// Emits the sizes of the gangs, if they have changed.
    pub fn tell_sizes(&mut self) {
        let Some(gangs) = self.sm.gangs.as_mut() else { return };
        if std::mem::take(&mut gangs.resized) && S::LISTENS {
            let sizes = gangs.sizes();
            self.emit(Event::GangSizes { sm: self.name, sizes });
        }
    }
}

/// Ends a warp's wait at a reconvergence point, and that of all members of its gang.
#[inline(never)]
pub fn end_meeting(sm: &mut Sm, warp: u32) {
    if let Some(gangs) = &sm.gangs {
        let row = gangs.row_of(warp);
        let part = gangs.sets[row as usize].part_of(warp % gangs.slices);
        gangs.warps(row, part).for_each(|member| sm.sets.meeting.remove(member));
    }
    sm.sets.meeting.remove(warp);
}
