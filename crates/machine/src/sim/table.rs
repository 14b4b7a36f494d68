//! The warp table where warps re-form: applies the edits that the control-flow unit returns.
//!
//! Entries change at two points of a cycle: after the completions, when leaving warps have nothing in flight any more, and
//! after issue. The table therefore never changes while a port chooses. A warp that is formed after issue can issue in the
//! next cycle; until then its threads have waited because of the technique.

use super::core::{Core, Sorting, try_depart};
use super::state::{AT_BARRIER, AT_SYNC, KEPT, Warp};
use super::wheel::{Completion, Done};
use crate::event::{Event, Reason, Reasons, Sink};
use crate::policy::divergence::{ControlFlow, Edit, Edits, Members, NewBlock, Place};
use crate::policy::warp_set::WORDS;
use warpscope_kernel::interp::lanes::Lanes;
use warpscope_kernel::interp::thread::StorageThread;
use warpscope_kernel::program::Pc;

impl<S: Sink> Core<'_, S> {
    /// Calls the control-flow unit; its edits wait in [`Sm::edits`](super::state::Sm::edits).
    pub fn unit<R>(&mut self, act: impl FnOnce(&mut dyn ControlFlow, &mut Edits) -> R) -> R {
        self.sm.edits.listens = S::LISTENS;
        act(self.sm.divergence.unit(), &mut self.sm.edits)
    }

    /// Gives a new block's threads to the control-flow unit, in their static warps.
    #[inline(never)]
    pub fn start_warps(&mut self, slot: u16, first_warp: u16, pc: Pc) {
        let statics = &mut self.sm.statics;
        let masks: Vec<u32> = statics.warps.iter().skip(first_warp.into()).map(|warp| warp.live).collect();
        let masks = &masks[..self.machine.block_warps as usize];
        self.unit(|unit, out| unit.start_block(NewBlock { slot, first_warp, pc, masks }, out));
        self.apply_edits(false);
    }

    /// Lets warps with nothing in flight any more leave, after the completions.
    pub fn depart(&mut self) {
        if !self.sm.departed.is_empty() {
            self.let_go();
            self.apply_edits(false);
        }
    }

    /// Lets warps leave, resumes parked threads and runs the unit's cycle, after issue; returns whether anything changed.
    #[inline(never)]
    pub fn control_flow(&mut self) -> bool {
        let busy = !self.sm.edits.list.is_empty() || !self.sm.departed.is_empty() || !self.sm.resumed.is_empty();
        self.let_go();
        self.apply_edits(true);
        for at in 0..self.sm.resumed.len() {
            let resumed = self.sm.resumed[at];
            self.unit(|unit, out| unit.resume(resumed.members, resumed.pc, out));
            if self.machine.keeps_warps() {
                self.seat_at_home(&resumed.members);
            }
            self.apply_edits(true);
            if resumed.from_barrier {
                // These threads waited at the barrier in this cycle, not for the technique.
                for (lane, origin) in resumed.members.lanes() {
                    let warp = self.sm.statics.at[self.thread(origin, lane)];
                    if warp < AT_SYNC && self.sm.issued.freed_from_sync.contains(warp.into()) {
                        self.sm.issued.freed_from_barrier.insert(warp.into());
                    }
                }
            }
        }
        self.sm.resumed.clear();
        let worked = self.unit(|unit, out| unit.cycle(out));
        self.apply_edits(true);
        busy | worked
    }

    fn let_go(&mut self) {
        let mut departed = std::mem::take(&mut self.sm.departed);
        for &warp in &departed {
            self.unit(|unit, out| unit.left(warp, out));
        }
        departed.clear();
        self.sm.departed = departed;
    }

    /// Applies the unit's edits; a warp that is formed after issue cannot issue in this cycle.
    #[inline(never)]
    fn apply_edits(&mut self, behind_issue: bool) {
        let mut edits = std::mem::take(&mut self.sm.edits);
        for &edit in &edits.list {
            match edit {
                Edit::Free { warp } => self.free(warp),
                Edit::Form { warp, pc, members } => {
                    self.form(warp, pc, &members);
                    if behind_issue {
                        self.sm.issued.freed_from_sync.insert(warp.into());
                    }
                }
                Edit::Grow { warp, members } => self.grow(warp, &members),
                Edit::Go { warp, place } => self.wake(warp.into(), place),
                Edit::Tell(event) => self.emit(event),
            }
        }
        edits.list.clear();
        self.sm.edits = edits;
    }

    /// Lets a warp go on of which no thread could run, or whose running threads have been joined by others at their place.
    fn wake(&mut self, warp: u32, place: Place) {
        let sets = &mut self.sm.sets;
        if !sets.barrier.contains(warp) && !sets.sync.contains(warp) {
            self.sm.warps[warp as usize].place.mask = place.mask;
            return;
        }
        sets.barrier.remove(warp);
        sets.sync.remove(warp);
        self.sm.issued.freed_from_sync.insert(warp);
        let waited_at = self.sm.warps[warp as usize].place.pc;
        self.move_to(warp, waited_at, place, false);
    }

    /// Notes that threads are in the entries of their static warps, where warps stay as compiled.
    pub fn seat_at_home(&mut self, members: &Members) {
        for (lane, origin) in members.lanes() {
            let thread = self.thread(origin, lane);
            self.sm.statics.at[thread] = origin;
        }
    }

    fn free(&mut self, warp: u16) {
        let at = u32::from(warp);
        let sets = &mut self.sm.sets;
        for set in [&mut sets.resident, &mut sets.leaving, &mut sets.wants_fetch, &mut sets.unfetched, &mut sets.data] {
            set.remove(at);
        }
        for set in [&mut sets.barrier, &mut sets.sync, &mut sets.control, &mut sets.loading] {
            set.remove(at);
        }
        let members = self.sm.warps[usize::from(warp)].members;
        for (lane, origin) in members.lanes() {
            let thread = self.thread(origin, lane);
            let place = &mut self.sm.statics.at[thread];
            if *place == warp {
                *place = KEPT;
            }
        }
    }

    fn form(&mut self, warp: u16, pc: Pc, members: &Members) {
        let ideal_fetch = self.machine.config.ideal_fetch;
        self.seat(warp, members);
        let state = &mut self.sm.warps[usize::from(warp)];
        state.place = Place { pc, mask: members.mask };
        state.life = state.life.wrapping_add(1);
        state.fetch_life = state.fetch_life.wrapping_add(1);
        (state.filled, state.fetching) = (0, false);
        (state.in_flight, state.accesses, state.loads) = (0, 0, 0);
        state.pending.fill(0);
        state.from_memory.fill(0);
        state.progress = 0;
        self.sm.age[usize::from(warp)] = self.uncore.dispatched;
        self.uncore.dispatched += 1;
        let sets = &mut self.sm.sets;
        sets.admit(warp.into());
        sets.unfetched.set(warp.into(), !ideal_fetch);
        sets.wants_fetch.set(warp.into(), !ideal_fetch);
        self.look_ahead(warp.into());
    }

    fn grow(&mut self, warp: u16, more: &Members) {
        let mut members = self.sm.warps[usize::from(warp)].members;
        members.add(more);
        self.seat(warp, &members);
        self.sm.warps[usize::from(warp)].place.mask = members.mask;
    }

    /// Puts threads into the lanes of an entry.
    fn seat(&mut self, warp: u16, members: &Members) {
        let width = self.machine.config.warp_width;
        let statics = &mut self.sm.statics;
        let Some((first, _)) = members.parts().next() else { return };
        let home = statics.warps[usize::from(first)];
        let mut threads = [StorageThread::default(); 32];
        let mut mixed = false;
        for (lane, origin) in members.lanes() {
            let of = &statics.warps[usize::from(origin)];
            threads[lane] = StorageThread(of.first_thread.0 + lane as u32);
            mixed |= of.block != home.block;
            statics.at[usize::from(origin) * width as usize + lane] = warp;
        }
        let lanes =
            if members.is_home() { Lanes::warp(home.first_thread, width) } else { Lanes::gathered(threads, members.mask) };
        let state = &mut self.sm.warps[usize::from(warp)];
        *state = Warp {
            block: home.block,
            first_thread: home.first_thread,
            lanes,
            members: *members,
            mixed,
            pending: std::mem::take(&mut state.pending),
            from_memory: std::mem::take(&mut state.from_memory),
            ..*state
        };
    }

    /// Returns a thread's index in tables of all threads of the SM.
    pub fn thread(&self, origin: u16, lane: usize) -> usize {
        usize::from(origin) * self.machine.config.warp_width as usize + lane
    }

    /// Emits the events with which the unit has described an issued instruction, where warps stay as compiled: there they wait for
    /// no edit of the table.
    #[inline]
    pub fn tell_edits(&mut self) {
        if S::LISTENS {
            for at in 0..self.sm.edits.list.len() {
                if let Edit::Tell(event) = self.sm.edits.list[at] {
                    self.emit(event);
                }
            }
            self.sm.edits.list.clear();
        }
    }

    /// Lets a warp leave the table as soon as nothing of it is in flight.
    #[inline(never)]
    pub fn leave_table(&mut self, warp: u32, branched: bool) {
        let name = warp as u16;
        self.sm.sets.leaving.insert(warp);
        self.sm.sets.wants_fetch.remove(warp);
        let latency = u64::from(self.machine.config.branch_latency);
        if branched && latency > 0 {
            self.sm.sets.control.insert(warp);
            let life = self.sm.warps[warp as usize].life;
            let completion = Completion { sm: self.name, warp: name, life, done: Done::Branch };
            self.uncore.wheel.insert(self.cycle + latency, completion);
        }
        try_depart(self.sm, name);
    }

    /// Sorts each of 64 resident static warps into exactly one set: issued if any of its threads did, else by its oldest
    /// thread, the first that has not exited.
    #[inline(never)]
    pub fn reasons_of_threads(&self, word: usize) -> Reasons {
        let statics = &self.sm.statics;
        let mut sorting = Sorting { rest: statics.resident.bits[word], reasons: [0; Reason::ALL.len()] };
        sorting.take(Reason::Issued, statics.issued.bits[word]);
        let entries = self.reasons_of_entries();
        let mut numbers = Numbers::default();
        let mut rest = sorting.rest;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let warp = word * 64 + bit as usize;
            let live = statics.warps[warp].live;
            let number = if live == 0 {
                Reason::Exit as usize
            } else {
                match statics.at[self.thread(warp as u16, live.trailing_zeros() as usize)] {
                    KEPT | AT_SYNC => Reason::Sync as usize,
                    AT_BARRIER => Reason::Barrier as usize,
                    entry => entries[usize::from(entry) / 64].of(entry % 64),
                }
            };
            numbers.put(bit, number);
        }
        for (number, reason) in Reason::ALL.into_iter().enumerate() {
            sorting.take(reason, numbers.with(number));
        }
        sorting.reasons
    }

    /// Returns what each entry of the table waits for.
    #[inline(always)]
    fn reasons_of_entries(&self) -> [Numbers; WORDS] {
        let mut all = [Numbers::default(); WORDS];
        for (word, numbers) in all.iter_mut().enumerate().take(self.sm.sets.words) {
            let rest = self.sm.sets.resident.bits[word];
            if rest != 0 {
                let reasons = self.waits(word, Sorting { rest, reasons: [0; Reason::ALL.len()] });
                for (number, entries) in reasons.into_iter().enumerate() {
                    numbers.put_all(entries, number);
                }
            }
        }
        all
    }

    /// Marks the static warps whose threads a table entry issued for, and emits an event for each.
    #[inline(never)]
    pub fn mark_issued(&mut self, warp: u32) {
        let Warp { members, place, .. } = &self.sm.warps[warp as usize];
        let members = members.only(place.mask);
        for (origin, mask) in members.parts() {
            self.sm.statics.issued.insert(origin.into());
            self.emit(Event::IssuedFor { sm: self.name, warp: warp as u16, origin, mask });
        }
    }
}

/// A reason's number for each of 64 warps, as one set of warps for each binary digit.
#[derive(Clone, Copy, Default)]
struct Numbers([u64; 4]);

impl Numbers {
    /// Gives a number to a warp that has none.
    #[inline(always)]
    fn put(&mut self, warp: u32, number: usize) {
        self.0.iter_mut().enumerate().for_each(|(digit, warps)| *warps |= ((number >> digit & 1) as u64) << warp);
    }

    /// Gives one number to several warps that have none.
    #[inline(always)]
    fn put_all(&mut self, those: u64, number: usize) {
        self.0.iter_mut().enumerate().for_each(|(digit, warps)| *warps |= if number >> digit & 1 != 0 { those } else { 0 });
    }

    /// Returns a warp's number.
    #[inline(always)]
    fn of(&self, warp: u16) -> usize {
        self.0.iter().enumerate().fold(0, |number, (digit, warps)| number | ((warps >> warp & 1) as usize) << digit)
    }

    /// Returns the warps with a number.
    #[inline(always)]
    fn with(&self, number: usize) -> u64 {
        let sets = self.0.iter().enumerate();
        sets.fold(u64::MAX, |all, (digit, warps)| all & if number >> digit & 1 != 0 { *warps } else { !*warps })
    }
}

const _: () = assert!(Reason::ALL.len() <= 16, "a reason's number has four digits");
