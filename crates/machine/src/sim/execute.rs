//! Execution of an issued instruction: its effect at once (`effect.rs`), its time through the scoreboard, units and memory,
//! and where its warp goes on.

use super::Machine;
use super::collect::Collectors;
use super::core::Core;
use super::core::takes_instructions;
use super::decode::Unit;
use super::effect::{Effect, Executed};
use super::slices::{RowEffect, RowLanes, SliceAccess};
use super::state::{AT_BARRIER, Sm, Warp};
use super::wheel::{Completion, Done};
use crate::config::HazardTracking;
use crate::event::{Event, Sink};
use crate::policy::divergence::{BranchInfo, Flow, Next, Place};
use warpscope_kernel::interp::trap::{Fault, Trap};
use warpscope_kernel::program::Pc;
use warpscope_kernel::ptx::op::Op;

impl<S: Sink> Core<'_, S> {
    /// Issues a warp's next instruction through a port; returns how many threads were active.
    pub fn issue_warp(&mut self, port: usize, warp: u32) -> u8 {
        let Place { pc, mask } = self.sm.warps[warp as usize].place;
        self.tell_issue(warp, pc, mask, true);
        let threads = mask.count_ones() as u8;
        match self.execute(warp, pc, mask) {
            Ok(effect) => self.leave_port(port, warp, pc, threads, effect),
            Err((lane, fault)) => self.trap(warp, pc, lane, &fault),
        }
        threads
    }

    /// Issues a member's part of a gang's instruction. Where a row of lanes can execute the instruction at once, the leading
    /// member does so for all.
    #[inline(never)]
    pub fn issue_member(&mut self, port: usize, warp: u32, gang: &RowLanes, leads: bool) -> u8 {
        let Place { pc, mask } = self.sm.warps[warp as usize].place;
        self.tell_issue(warp, pc, mask, leads);
        let effect = match gang.effect {
            RowEffect::Single => self.execute(warp, pc, mask),
            RowEffect::Plain if leads => self.perform(gang.warp, &gang.lanes, gang.slot, pc, gang.mask).map(|_| Effect::Next),
            RowEffect::Plain => Ok(Effect::Next),
            RowEffect::Memory if leads => self.perform(gang.warp, &gang.lanes, gang.slot, pc, gang.mask).map(|outcome| {
                if let Executed::Memory { traffic, active } = outcome {
                    let warps = gang.members;
                    self.sm.scratch.accesses.push(SliceAccess { row: gang.row, warps, pc, traffic, active });
                }
                Effect::Later
            }),
            RowEffect::Memory => Ok(Effect::Later),
        };
        let threads = mask.count_ones() as u8;
        match effect {
            Ok(effect) => self.leave_port(port, warp, pc, threads, effect),
            // A lane of the row belongs to the member of its slice.
            Err((lane, fault)) if !matches!(gang.effect, RowEffect::Single) => {
                let width = self.machine.config.warp_width as usize;
                let first = gang.row * self.machine.config.slices;
                self.trap(first + (lane / width) as u32, pc, lane % width, &fault);
            }
            Err((lane, fault)) => self.trap(warp, pc, lane, &fault),
        }
        threads
    }

    #[inline]
    fn tell_issue(&mut self, warp: u32, pc: Pc, mask: u32, leads: bool) {
        let machine = self.machine;
        let Warp { block, assignment, .. } = self.sm.warps[warp as usize];
        // Where warps re-form, the logical block is that of the entry's first thread.
        let index = self.sm.blocks[block as usize].as_ref().map_or(0, |b| b.of(assignment.iteration).index);
        if machine.config.ideal_fetch && leads {
            self.emit(Event::Fetched { sm: self.name, warp: warp as u16, pc, count: 1, hit: true });
        }
        let first_thread = self.first_thread(assignment);
        self.emit(Event::Issued { sm: self.name, warp: warp as u16, block: index, pc, mask, first_thread });
        self.sm.warps[warp as usize].progress += 1;
        self.has_issued(warp);
    }

    /// Occupies the port and the unit of an issued instruction, and moves its warp on.
    #[inline(always)]
    fn leave_port(&mut self, port: usize, warp: u32, pc: Pc, threads: u8, effect: Effect) {
        let machine = self.machine;
        let decoded = &machine.decoded[pc as usize];
        let passes = machine.passes;
        let mut holds = passes * decoded.interval;
        let mut done = self.cycle + u64::from(machine.config.read_latency + decoded.latency + passes - 1);
        if let Effect::Memory { holds: unit, done: at } = effect {
            holds = unit.max(passes);
            done = at.max(self.cycle + u64::from(passes));
        }
        let state = &mut self.sm.ports[port];
        (state.free, state.holder_threads) = (self.cycle + u64::from(passes), threads);
        if matches!(effect, Effect::Later) {
            return;
        }
        let collected = if self.sm.collectors.is_some() && Collectors::serve(decoded.unit) {
            Some(self.collect(decoded.latency + passes - 1, holds))
        } else {
            None
        };
        if decoded.unit == Unit::Control && !machine.config.one_pipeline {
            done = self.cycle + u64::from(passes);
        } else if let Some(waits) = collected {
            done += waits;
        } else if let Some(chosen) = self.sm.chosen.take() {
            done += u64::from(self.take_lanes(chosen, warp, pc));
        } else {
            let waits = if decoded.unit == Unit::Sfu { self.wait_for_bus(decoded.latency + passes - 1) } else { 0 };
            done += u64::from(waits);
            self.take_unit(decoded.unit, port, holds + waits);
        }
        if matches!(effect, Effect::Hold) {
            return;
        }
        self.track(warp, pc, done, matches!(effect, Effect::Memory { .. }));
        self.go_on(warp, pc, effect);
    }

    /// Sends an instruction through the operand collectors; returns how long it waits there.
    #[inline(never)]
    fn collect(&mut self, latency: u32, holds: u32) -> u64 {
        let Some(collectors) = &mut self.sm.collectors else { return 0 };
        let waits = collectors.enter(self.cycle, latency, holds);
        let free = collectors.free();
        for unit in [Unit::Int, Unit::Fp] {
            self.sm.units[unit as usize].iter_mut().for_each(|pipeline| pipeline.free = free);
        }
        waits
    }

    /// Returns how long a special function waits for a result bus, if there are collectors.
    #[inline(always)]
    fn wait_for_bus(&mut self, latency: u32) -> u32 {
        self.sm.collectors.as_mut().map_or(0, |collectors| collectors.enter_special(self.cycle, latency))
    }

    /// Occupies a unit of the port's slice for `holds` cycles.
    #[inline(always)]
    fn take_unit(&mut self, unit: Unit, port: usize, holds: u32) {
        if self.machine.config.one_pipeline {
            let free = self.cycle + u64::from(holds);
            self.sm.units.iter_mut().flatten().for_each(|pipeline| pipeline.free = free);
            return;
        }
        let slices = self.machine.config.slices as usize;
        let units = &mut self.sm.units[unit as usize];
        let each = if unit == Unit::LdSt { units.len() } else { units.len() / slices };
        let from = if unit == Unit::LdSt { 0 } else { port % slices * each };
        if let Some(taken) = units[from..from + each].iter_mut().find(|pipeline| pipeline.free <= self.cycle) {
            taken.free = self.cycle + u64::from(holds);
        }
    }

    /// Completes a slice's memory instruction that has been timed.
    pub fn finish_memory(&mut self, warp: u32, pc: Pc, done: u64) {
        self.track(warp, pc, done, true);
        self.go_on(warp, pc, Effect::Next);
    }

    /// Moves a held warp behind the instruction at which it waited.
    pub fn go_on_held(&mut self, warp: u32) {
        let pc = self.sm.warps[warp as usize].place.pc;
        let decoded = &self.machine.decoded[pc as usize];
        self.track(warp, pc, self.cycle + u64::from(self.machine.config.read_latency + decoded.latency), false);
        self.go_on(warp, pc, Effect::Next);
    }

    /// Enters an instruction into the scoreboard until it is done.
    fn track(&mut self, warp: u32, pc: Pc, done: u64, memory: bool) {
        let decoded = &self.machine.decoded[pc as usize];
        let simple = self.machine.config.scoreboard == HazardTracking::Simple;
        if decoded.writes.is_empty() && !simple || done <= self.cycle + 1 && simple && decoded.writes.is_empty() {
            return;
        }
        let state = &mut self.sm.warps[warp as usize];
        for &(word, bits) in &decoded.writes {
            state.pending[word as usize] |= bits;
            if decoded.memory {
                state.from_memory[word as usize] |= bits;
            }
        }
        let load = memory && !decoded.writes.is_empty();
        state.in_flight += 1;
        state.accesses += u16::from(decoded.memory);
        if load {
            state.loads += 1;
            self.sm.sets.loading.insert(warp);
        }
        let completion = Completion { sm: self.name, warp: warp as u16, life: state.life, done: Done::Write { pc, load } };
        self.uncore.wheel.insert(done.max(self.cycle + 1), completion);
    }

    /// Moves the warp to where it goes next.
    fn go_on(&mut self, warp: u32, pc: Pc, effect: Effect) {
        let machine = self.machine;
        if let Effect::Exit { mask } = effect
            && mask != 0
            && mask != self.sm.warps[warp as usize].place.mask
        {
            self.emit(Event::PartialExit { sm: self.name, warp: warp as u16, pc, mask });
        }
        let flow = match &effect {
            Effect::Branch { sides, count } => branch(machine, pc, &sides[..*count]),
            Effect::Switch { groups } => branch(machine, pc, groups),
            Effect::Exit { mask } | Effect::Again { mask } => Flow::Exit { mask: *mask },
            Effect::Park { mask } => Flow::Park { mask: *mask },
            Effect::Converge { what, mask } => Flow::Converge { what: *what, mask: *mask },
            _ => Flow::Next,
        };
        let branched = matches!(effect, Effect::Branch { .. } | Effect::Switch { .. } | Effect::Again { .. });
        if matches!(effect, Effect::Begin) && machine.keeps_warps() {
            let place = Place { pc: pc + 1, mask: self.sm.warps[warp as usize].lanes.mask };
            self.unit(|unit, _| unit.start(warp as u16, place));
            return self.move_to(warp, pc, place, false);
        }
        let at = Place { pc, mask: self.sm.warps[warp as usize].place.mask };
        self.sm.edits.listens = S::LISTENS;
        let Sm { divergence, edits, .. } = &mut *self.sm;
        let next = divergence.advance(warp as u16, at, flow, edits);
        if machine.keeps_warps() {
            self.tell_edits();
        }
        match effect {
            Effect::Exit { mask } => self.exit_threads(warp, mask),
            Effect::Again { mask } => self.end_iteration(warp, mask),
            _ => {}
        }
        match next {
            Next::Go(place) => self.move_to(warp, pc, place, branched),
            Next::Leaves => self.leave_table(warp, branched),
            Next::Gone if !machine.keeps_warps() => {}
            Next::Gone if matches!(effect, Effect::Again { .. }) => {
                let again = Place { pc: self.head(), mask: self.sm.warps[warp as usize].lanes.mask };
                self.unit(|unit, _| unit.start(warp as u16, again));
                self.move_to(warp, pc, again, true);
            }
            Next::Gone => self.end_warp(warp),
            Next::Waits => self.wait_for_threads(warp),
        }
    }

    /// Holds a warp of which no thread can run: some wait at a barrier of their block, or else for threads of their warps.
    #[inline(never)]
    fn wait_for_threads(&mut self, warp: u32) {
        let at_barrier = self.parked(warp, AT_BARRIER);
        if at_barrier == 0 {
            self.sm.sets.sync.insert(warp);
        } else {
            self.sm.sets.barrier.insert(warp);
            self.stand_in(warp, at_barrier);
        }
    }

    /// Ends a warp whose threads have all exited, where warps stay as compiled.
    fn end_warp(&mut self, warp: u32) {
        self.sm.sets.exited.insert(warp);
        self.sm.sets.wants_fetch.remove(warp);
        let Warp { block, assignment, .. } = self.sm.warps[warp as usize];
        self.warp_ended(block, assignment.iteration);
        self.emit(Event::WarpExit { sm: self.name, warp: warp as u16 });
        self.moved(warp);
    }

    /// Sets the place of a warp's next instruction: it must be fetched, and after a branch the outcome must be known.
    #[inline]
    pub fn move_to(&mut self, warp: u32, pc: Pc, place: Place, branched: bool) {
        let machine = self.machine;
        let state = &mut self.sm.warps[warp as usize];
        (state.place, state.came) = (place, Some(self.cycle));
        let jumped = place.pc != pc + 1;
        if !machine.config.ideal_fetch {
            if jumped {
                (state.filled, state.fetching) = (0, false);
                state.fetch_life = state.fetch_life.wrapping_add(1);
            } else {
                state.filled = state.filled.saturating_sub(1);
            }
            if state.filled == 0 {
                self.sm.sets.unfetched.insert(warp);
            }
            if takes_instructions(machine, state) {
                self.sm.sets.wants_fetch.insert(warp);
            }
        }
        if branched && machine.config.branch_latency > 0 {
            self.sm.sets.control.insert(warp);
            self.sm.sets.wants_fetch.remove(warp);
            let completion =
                Completion { sm: self.name, warp: warp as u16, life: self.sm.warps[warp as usize].life, done: Done::Branch };
            self.uncore.wheel.insert(self.cycle + u64::from(machine.config.branch_latency), completion);
        }
        self.moved(warp);
        self.look_ahead(warp);
    }

    #[inline(never)]
    fn trap(&mut self, warp: u32, pc: Pc, lane: usize, fault: &Fault) {
        let state = &self.sm.warps[warp as usize];
        let shape = &self.machine.start.shape;
        let block = self.sm.blocks[state.block as usize].as_ref();
        let ctaid = block.map_or([0; 3], |b| b.of(state.assignment.iteration).ctaid);
        let thread = shape.tid(state.lanes.logical(lane.min(31)));
        let trap = Trap::new(fault).near(fault, &self.uncore.global).at(&self.machine.program, pc).thread(ctaid, thread);
        self.uncore.trap.get_or_insert(trap);
        self.emit(Event::Trap { sm: self.name, warp: warp as u16, pc });
    }
}

/// Describes a branch to the divergence mechanism, with the points where its sides reconverge.
fn branch<'a>(machine: &Machine, pc: Pc, groups: &'a [Place]) -> Flow<'a> {
    let Some(meeting) = machine.program.reconvergence.at(pc) else {
        return Flow::Branch { groups, info: BranchInfo::default() };
    };
    if groups.len() == 1 && machine.uniform.get(pc as usize) == Some(&true) {
        return Flow::Branch { groups, info: BranchInfo::default() };
    }
    let instruction = &machine.program.instructions[pc as usize];
    let sides = matches!(instruction.op, Op::Bra { .. }).then_some([instruction.target, pc + 1]);
    Flow::Branch { groups, info: BranchInfo { may_diverge: true, sides, rpc: meeting.rpc, lpc: meeting.lpc } }
}
