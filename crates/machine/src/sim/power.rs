//! The power stage (Origami): which lanes are gated and which wake, and where an instruction executes.
//!
//! Before issue, lanes that have been idle for long enough are gated, and lanes that have woken turn on. A port then takes the
//! first warp in its order whose lanes are on. Warps before that one request their lanes, which wake up, and wait. The lanes'
//! states are reported once all ports have chosen.

use super::core::Core;
use super::decode::{UNITS, Unit};
use super::pipeline::{LaneMasks, LaneUse, Pipeline};
use super::state::Sm;
use crate::event::{Event, Sink};
use crate::policy::gating::Gating;
use crate::policy::gating::fold::Placement;
use crate::policy::schedule::Scheduler;
use crate::policy::view::IssueView;
use crate::policy::warp_set::WarpSet;
use warpscope_kernel::program::Pc;

/// Where an instruction will execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chosen {
    pub(crate) unit: Unit,
    pub(crate) sp: usize,
    pub(crate) placement: Placement,
}

/// Returns the INT and FP pipelines of an SM by their number in events: two for each SP unit, INT before FP.
pub fn lane_pipelines(units: &[Vec<Pipeline>; UNITS]) -> impl Iterator<Item = (u8, &Pipeline)> {
    let of =
        |unit: Unit, second: u8| units[unit as usize].iter().zip(0u8..).map(move |(pipeline, sp)| (2 * sp + second, pipeline));
    of(Unit::Int, 0).chain(of(Unit::Fp, 1))
}

impl<S: Sink> Core<'_, S> {
    /// Gates lanes, turns woken lanes on, and begins a fold phase if one is due.
    #[inline(never)]
    pub fn power(&mut self) {
        let cycle = self.cycle;
        let Sm { gating, units, sets, .. } = &mut *self.sm;
        let Some(gating) = gating else { return };
        if let Some(folding) = &mut gating.folding
            && (cycle == 0 || cycle >= folding.ends())
        {
            let count = |unit: Unit| {
                let needs = &sets.needs[unit as usize];
                (0..sets.words)
                    .map(|word| (sets.resident.bits[word] & !sets.exited.bits[word] & needs.bits[word]).count_ones())
                    .sum()
            };
            folding.begin(cycle, count(Unit::Int), count(Unit::Fp));
            // The phase may shorten idle-detect, so lanes may be gated before the cycle in `due`.
            units.iter_mut().flatten().filter_map(|pipeline| pipeline.lanes.as_mut()).for_each(|bank| bank.due = cycle);
            let [int, fp] = [Unit::Int, Unit::Fp].map(|unit| folding.cycles(unit));
            if S::LISTENS {
                self.sink.event(cycle, Event::FoldPhase { sm: self.name, int, fp });
            }
        }
        for unit in [Unit::Int, Unit::Fp] {
            for bank in units[unit as usize].iter_mut().filter_map(|pipeline| pipeline.lanes.as_mut()) {
                if bank.due <= cycle {
                    bank.pass_time(cycle, gating);
                }
            }
        }
    }

    /// Emits what the lanes do from this cycle on, where it has changed.
    #[inline(never)]
    pub fn tell_lanes(&mut self) {
        let (cycle, words, sm) = (self.cycle, self.sm.sets.words, self.name);
        let Sm { gating, units, issued, .. } = &mut *self.sm;
        let Some(gating) = gating else { return };
        if let Some(folding) = &mut gating.folding {
            folding.issued += (0..words).map(|word| u64::from(issued.warps.bits[word].count_ones())).sum::<u64>();
        }
        for unit in [Unit::Int, Unit::Fp] {
            for (sp, pipeline) in units[unit as usize].iter_mut().enumerate() {
                let Some(bank) = pipeline.lanes.as_mut().filter(|bank| bank.due <= cycle) else { continue };
                let masks = bank.look(cycle, gating);
                if bank.note(cycle, masks) && S::LISTENS {
                    let LaneMasks { busy, dark, earning, waking } = masks;
                    let pipe = pipe_number(unit, sp);
                    self.sink.event(cycle, Event::Lanes { sm, pipe, busy, dark, earning, waking });
                }
            }
        }
    }

    /// Brings lane records up to a later cycle, as if the unchanged cycles before it had been simulated one by one.
    pub fn pass_over_lanes(&mut self, last: u64) {
        for unit in [Unit::Int, Unit::Fp] {
            let banks = self.sm.units[unit as usize].iter_mut().filter_map(|pipeline| pipeline.lanes.as_mut());
            banks.for_each(|bank| bank.forget(last));
        }
    }

    /// Whether a warp could issue but for lanes that are not on.
    pub fn waits_for_lanes(&self) -> bool {
        !self.sm.issued.asleep.is_empty(self.sm.sets.words)
    }

    /// Puts a warp's instruction into the chosen lanes; returns how many cycles later than usual its result is available.
    #[inline(never)]
    pub fn take_lanes(&mut self, chosen: Chosen, warp: u32, pc: Pc) -> u32 {
        let machine = self.machine;
        let (config, decoded) = (&machine.config, &machine.decoded[pc as usize]);
        let Chosen { unit, sp, placement } = chosen;
        let (cycle, interval) = (self.cycle, decoded.interval);
        let stays = u64::from(decoded.latency + machine.passes - 1);
        let second = cycle + u64::from(interval);
        let folded = placement.is_folded();
        let holds = u64::from(machine.passes * interval) + if folded { u64::from(interval) } else { 0 };
        let pipeline = &mut self.sm.units[unit as usize][sp];
        pipeline.free = cycle + holds;
        let mask = placement.passes[0].threads | placement.passes[1].threads;
        let spans = [(cycle, cycle + stays), if folded { (second, second + stays) } else { (0, 0) }];
        if let Some(bank) = &mut pipeline.lanes {
            bank.take(LaneUse { cycle, warp: warp as u16, pc, mask, placement, spans });
        }
        if folded {
            // The operands of the second half stay in the input register of the SP unit, which both of its pipelines use.
            let other = if unit == Unit::Int { Unit::Fp } else { Unit::Int };
            let sibling = &mut self.sm.units[other as usize][sp];
            sibling.free = sibling.free.max(second + 1);
        }
        let [first, then] = placement.passes.map(|pass| pass.lanes);
        self.emit(Event::Placed {
            sm: self.name,
            warp: warp as u16,
            pipe: pipe_number(unit, sp),
            first,
            then,
            interval: interval as u16,
        });
        let stages = if config.fold || config.lane_shift { config.fold_stages } else { 0 };
        stages + if folded { interval } else { 0 }
    }
}

/// The number of a pipeline among those of its SM.
fn pipe_number(unit: Unit, sp: usize) -> u8 {
    (2 * sp + usize::from(unit == Unit::Fp)) as u8
}

/// Returns the first available warp whose lanes are on, and its placement. Lanes of the warps before it begin to wake.
#[inline(never)]
pub fn first_awake(
    scheduler: &Scheduler,
    view: &IssueView,
    gating: &Gating,
    units: &mut [Vec<Pipeline>; UNITS],
    asleep: &mut WarpSet,
) -> Option<(u32, Option<Chosen>)> {
    let mut left = *view.available;
    loop {
        let warp = scheduler.first(&IssueView { available: &left, ..*view })?;
        let unit = view.warps.unit(warp);
        if !matches!(unit, Unit::Int | Unit::Fp) {
            return Some((warp, None));
        }
        let placement = gating.placement(unit, view.warps.place(warp).mask, view.cycle);
        let lanes = placement.lanes();
        let free = units[unit as usize].iter().enumerate().filter(|(_, pipeline)| pipeline.free <= view.cycle);
        let (ready, sp) = free.map(|(sp, pipeline)| (pipeline.ready_at(lanes, view.cycle, gating), sp)).min()?;
        if ready <= view.cycle {
            return Some((warp, Some(Chosen { unit, sp, placement })));
        }
        if let Some(bank) = &mut units[unit as usize][sp].lanes {
            bank.want(lanes, view.cycle, gating);
        }
        asleep.insert(warp);
        left.remove(warp);
    }
}

/// Returns the next cycle in which a lane is gated, breaks even or turns on, or a type stops folding.
pub fn next_transition(sm: &Sm, now: u64) -> Option<u64> {
    let gating = sm.gating.as_ref()?;
    let lanes = lane_pipelines(&sm.units).filter_map(|(_, pipeline)| pipeline.lanes.as_ref().map(|bank| bank.due));
    lanes.chain(gating.folding.as_ref().map(|folding| folding.next_change(now))).min()
}
