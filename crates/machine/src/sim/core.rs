//! One SM with its access to the rest of the machine, and the parts of a cycle that concern all of its warps.

use super::Machine;
use super::decode::Unit;
use super::gang::end_meeting;
use super::hooks::{announce_warps, load_is_back, result_is_there};
use super::state::{Sm, Uncore, Warp};
use super::wheel::{Completion, Done};
use crate::config::{FetchWhen, HazardTracking};
use crate::event::{Event, Reason, ReasonCounts, Reasons, Sink, SlotUse};
use crate::policy::warp_set::WarpSet;

/// One SM in one cycle.
pub struct Core<'a, S> {
    pub machine: &'a Machine,
    pub name: u16,
    pub sm: &'a mut Sm,
    pub uncore: &'a mut Uncore,
    pub cycle: u64,
    pub sink: &'a mut S,
}

impl<S: Sink> Core<'_, S> {
    #[inline(always)]
    pub fn emit(&mut self, event: Event) {
        if S::LISTENS {
            self.sink.event(self.cycle, event);
        }
    }

    /// Works out what a warp's next instruction needs; called when the warp reaches it.
    pub fn look_ahead(&mut self, warp: u32) {
        let unit = self.machine.decoded[self.sm.warps[warp as usize].place.pc as usize].unit;
        for (kind, needs) in self.sm.sets.needs.iter_mut().enumerate() {
            needs.set(warp, unit as usize == kind);
        }
        check_data(self.machine, self.sm, warp);
        self.at_next_instruction(warp);
    }

    /// Emits what every warp and every port did in this cycle and in the `repeat - 1` cycles that are like it.
    pub fn account(&mut self, repeat: u64) {
        let mut counts = [0u16; Reason::ALL.len()];
        for word in 0..self.machine.static_words {
            let reasons = self.reasons_in(word);
            for (count, bits) in counts.iter_mut().zip(reasons) {
                *count += bits.count_ones() as u16;
            }
            // Updated even without a listener, so that one that joins later hears the same events.
            let before = self.sm.sets.before[word];
            if S::WANTS_WARPS {
                self.sink.warps(self.cycle, self.name, (word * 64) as u16, &before, &reasons);
            }
            self.sm.sets.before[word] = reasons;
        }
        self.tell_sizes();
        if S::LISTENS {
            self.emit(Event::Cycle { sm: self.name, counts: ReasonCounts(counts), repeat });
            for port in 0..self.sm.issued.ports.len() {
                self.emit(Event::Slot { sm: self.name, port: port as u16, slot: self.sm.issued.ports[port], repeat });
            }
        }
    }

    /// Sorts each of 64 resident warps into exactly one set, in the order of [`Reason::ALL`].
    #[inline]
    pub fn reasons(&self, word: usize) -> Reasons {
        let (sets, issued) = (&self.sm.sets, &self.sm.issued);
        let mut sorting = Sorting { rest: sets.resident.bits[word], reasons: [0; Reason::ALL.len()] };
        // A warp that issued has moved on: what holds back its next instruction counts from the next cycle.
        sorting.take(Reason::Issued, issued.warps.bits[word]);
        sorting.take(Reason::Exit, sets.exited.bits[word]);
        self.waits(word, sorting)
    }

    /// Goes on sorting 64 entries of the warp table, by what they wait for.
    #[inline(always)]
    pub fn waits(&self, word: usize, mut sorting: Sorting) -> Reasons {
        let (sets, issued) = (&self.sm.sets, &self.sm.issued);
        let mut take = |reason, bits| sorting.take(reason, bits);
        take(Reason::Barrier, sets.barrier.bits[word] | issued.freed_from_barrier.bits[word]);
        let for_gang = sets.meeting.bits[word] | issued.in_step.bits[word];
        take(Reason::Sync, sets.sync.bits[word] | issued.freed_from_sync.bits[word] | for_gang);
        take(Reason::Control, sets.control.bits[word]);
        if sets.leaving.bits[word] != 0 {
            match self.machine.config.scoreboard {
                HazardTracking::Simple => {
                    take(Reason::Memory, self.leave_behind_memory(word));
                    take(Reason::Result, sets.leaving.bits[word]);
                }
                // Only a technique makes a warp wait for values that its next instruction does not need.
                HazardTracking::Register => take(Reason::Sync, sets.leaving.bits[word]),
            }
        }
        take(Reason::Fetch, sets.unfetched.bits[word]);
        take(Reason::Siblings, sets.siblings.bits[word]);
        take(Reason::Ahead, sets.ahead.bits[word]);
        take(Reason::Memory, sets.data.bits[word] & sets.for_memory.bits[word]);
        take(Reason::Result, sets.data.bits[word]);
        take(Reason::Wakeup, issued.asleep.bits[word]);
        take(Reason::NotSelected, issued.available.bits[word]);
        if self.memory_is_full() {
            take(Reason::Throttle, sets.needs[Unit::LdSt as usize].bits[word]);
        }
        take(Reason::Structural, u64::MAX);
        sorting.reasons
    }

    /// Returns those of 64 leaving warps that have accesses to memory in flight.
    fn leave_behind_memory(&self, word: usize) -> u64 {
        let mut leaving = self.sm.sets.leaving.bits[word];
        let mut behind = 0;
        while leaving != 0 {
            let bit = leaving.trailing_zeros();
            leaving &= leaving - 1;
            behind |= u64::from(self.sm.warps[word * 64 + bit as usize].accesses > 0) << bit;
        }
        behind
    }
}

/// Warps of a word that are being sorted by reasons: those that are left, and the sets so far.
pub struct Sorting {
    pub rest: u64,
    pub reasons: Reasons,
}

impl Sorting {
    /// Takes those of the rest that are in `bits`.
    #[inline(always)]
    pub fn take(&mut self, reason: Reason, bits: u64) {
        self.reasons[reason as usize] |= self.rest & bits;
        self.rest &= !bits;
    }
}

/// What the issue stage did in a cycle.
#[derive(Clone, Debug, Default, Hash)]
pub struct Issued {
    /// Warps that issued.
    pub warps: WarpSet,
    /// Warps that could have issued when their port chose.
    pub available: WarpSet,
    /// Warps released from a barrier or a PTX-warp operation in this cycle: they waited in it and can issue in the next.
    pub freed_from_barrier: WarpSet,
    pub freed_from_sync: WarpSet,
    /// Warps that could have issued but for other members of their gang.
    pub in_step: WarpSet,
    /// Warps that could have issued but for lanes that are not on.
    pub asleep: WarpSet,
    /// How each port was used.
    pub ports: Vec<SlotUse>,
}

impl Issued {
    pub fn clear(&mut self, words: usize) {
        for set in [&mut self.warps, &mut self.available, &mut self.freed_from_barrier, &mut self.freed_from_sync] {
            set.clear(words);
        }
        self.in_step.clear(words);
        self.asleep.clear(words);
        self.ports.clear();
    }
}

/// Announces the blocks that are resident before the first cycle, and their warps where those can re-form.
#[inline(never)]
pub fn announce_blocks<S: Sink>(machine: &Machine, sms: &[Sm], sink: &mut S) {
    for (name, sm) in sms.iter().enumerate() {
        let sm_name = name as u16;
        for (slot, block) in sm.blocks.iter().enumerate().filter_map(|(slot, block)| block.as_ref().map(|b| (slot, b))) {
            sink.event(
                0,
                Event::BlockStart {
                    sm: name as u16,
                    slot: slot as u16,
                    block: block.index,
                    first_warp: block.first_warp,
                    warps: block.warps,
                },
            );
        }
        announce_warps(machine, sm, sm_name, sink);
    }
}

/// Applies every completion that is due; returns whether there was one.
pub fn complete<S: Sink>(machine: &Machine, sms: &mut [Sm], uncore: &mut Uncore, now: u64, sink: &mut S) -> bool {
    uncore.wheel.take(now, |completion| {
        let Completion { sm: name, warp, life, done } = completion;
        let sm = &mut sms[name as usize];
        let state = &mut sm.warps[warp as usize];
        match done {
            Done::Write { pc, load } if state.life == life => {
                for &(word, bits) in &machine.decoded[pc as usize].writes {
                    state.pending[word as usize] &= !bits;
                    state.from_memory[word as usize] &= !bits;
                }
                state.in_flight -= 1;
                state.accesses -= u16::from(machine.decoded[pc as usize].memory);
                if load {
                    state.loads -= 1;
                    sm.sets.loading.set(warp.into(), state.loads > 0);
                    load_is_back(sm, warp);
                }
                if S::LISTENS {
                    sink.event(now, Event::Writeback { sm: name, warp, pc });
                }
                check_data(machine, sm, warp.into());
                result_is_there(machine, sm, warp);
            }
            Done::Fetch { count } if state.fetch_life == life => {
                state.filled += count;
                state.fetching = false;
                sm.sets.unfetched.remove(warp.into());
                if machine.config.fetch_when == FetchWhen::Room {
                    let waits = sm.sets.control.contains(warp.into()) || sm.sets.exited.contains(warp.into());
                    sm.sets.wants_fetch.set(warp.into(), !waits && takes_instructions(machine, state));
                }
            }
            Done::Branch if state.life == life => {
                sm.sets.control.remove(warp.into());
                if sm.sets.leaving.contains(warp.into()) {
                    try_depart(sm, warp);
                } else if takes_instructions(machine, state) {
                    sm.sets.wants_fetch.insert(warp.into());
                }
            }
            Done::Meeting if state.meeting_life == life => end_meeting(sm, warp.into()),
            _ => {}
        }
    })
}

/// Whether a warp's I-buffer accepts a fetch, where instructions have to be fetched.
#[inline(always)]
pub fn takes_instructions(machine: &Machine, warp: &Warp) -> bool {
    match machine.config.fetch_when {
        FetchWhen::Empty => warp.filled == 0,
        FetchWhen::Room => {
            let end = warp.place.pc + u32::from(warp.filled);
            !warp.fetching && u32::from(warp.filled) < machine.config.ibuffer && end < machine.decoded.len() as u32
        }
    }
}

/// Lets a leaving warp depart once nothing of it is in flight and nothing holds it.
pub fn try_depart(sm: &mut Sm, warp: u16) {
    let (sets, at) = (&sm.sets, u32::from(warp));
    let stays = sets.control.contains(at) || sets.barrier.contains(at) || sets.sync.contains(at);
    if sets.leaving.contains(at) && !stays && sm.warps[usize::from(warp)].in_flight == 0 {
        sm.departed.push(warp);
    }
}

/// Works out whether a warp's next instruction waits for a value; called when the warp reaches it and after each result.
fn check_data(machine: &Machine, sm: &mut Sm, warp: u32) {
    let state = &sm.warps[warp as usize];
    let decoded = &machine.decoded[state.place.pc as usize];
    let among = |planes: &[u64]| decoded.hazards.iter().any(|&(word, bits)| planes[word as usize] & bits != 0);
    let (waits, for_memory) = match machine.config.scoreboard {
        _ if decoded.drains => (state.in_flight > 0, state.accesses > 0),
        HazardTracking::Simple => (state.in_flight > 0, state.accesses > 0),
        HazardTracking::Register => (among(&state.pending), among(&state.from_memory)),
    };
    sm.sets.data.set(warp, waits);
    sm.sets.for_memory.set(warp, for_memory);
}

/// Returns the next cycle in which a busy unit or port becomes free, or another cause holds the load/store unit.
pub fn next_free(sm: &Sm, now: u64) -> Option<u64> {
    let units = sm.units.iter().flatten().map(|pipeline| pipeline.free);
    let others = sm.ports.iter().map(|port| port.free).chain(sm.memory.turns());
    units.chain(others).filter(|&free| free > now).min()
}
