//! Pipelines: the inputs that accept instructions, and the lanes that execute them.
//!
//! Every unit is a pipeline whose input is free from some cycle on. With `gating`, INT and FP pipelines also track their
//! lanes: until when each is busy, and whether it is power-gated.

use super::decode::Unit;
use crate::config::Config;
use crate::policy::gating::Gating;
use crate::policy::gating::fold::Placement;
use crate::policy::gating::lane::{Lane, LaneState};
use std::collections::VecDeque;
use warpscope_kernel::interp::access::active;
use warpscope_kernel::program::Pc;

/// Cycles of lane history that a pipeline keeps, for the picture of the lanes.
pub const REMEMBERED: u64 = 64;

/// One unit, or the part of it that belongs to a slice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pipeline {
    /// When its input accepts the next instruction.
    pub free: u64,
    /// Its lanes, where they are tracked.
    pub lanes: Option<Box<LaneBank>>,
}

impl Pipeline {
    /// Creates a pipeline, with lanes if it is INT or FP and `gating` is not off.
    pub fn new(unit: Unit, gating: Option<&Gating>, config: &Config) -> Pipeline {
        let looked_at = gating.is_some() && matches!(unit, Unit::Int | Unit::Fp);
        Pipeline { free: 0, lanes: looked_at.then(|| Box::new(LaneBank::new(unit, config.simd_width.min(config.warp_width)))) }
    }

    /// Returns the cycle from which these lanes could take an instruction if they were requested now.
    pub fn ready_at(&self, lanes: u32, cycle: u64, gating: &Gating) -> u64 {
        self.lanes.as_ref().map_or(cycle, |bank| bank.ready_at(lanes, cycle, gating)).max(self.free)
    }
}

/// Lanes by what they do in a cycle; a lane in no mask is idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LaneMasks {
    pub(crate) busy: u32,
    pub(crate) dark: u32,
    pub(crate) earning: u32,
    pub(crate) waking: u32,
}

impl LaneMasks {
    /// Returns what one lane does.
    pub fn state(&self, lane: u32) -> LaneState {
        let is_in = |mask: u32| mask >> lane & 1 != 0;
        match () {
            () if is_in(self.busy) => LaneState::Busy,
            () if is_in(self.dark) => LaneState::Dark,
            () if is_in(self.earning) => LaneState::Earning,
            () if is_in(self.waking) => LaneState::Waking,
            () => LaneState::Idle,
        }
    }
}

/// An instruction that a pipeline accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaneUse {
    /// When it was accepted.
    pub cycle: u64,
    /// The entry of the warp table that issued it.
    pub warp: u16,
    pub(crate) pc: Pc,
    /// Its active threads, by home lane.
    pub mask: u32,
    /// The lanes that they execute on.
    pub placement: Placement,
    /// For each pass, the cycle in which it enters the lanes and the first in which its result has left them.
    pub spans: [(u64, u64); 2],
}

/// The lanes of an INT or FP pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaneBank {
    /// INT or FP.
    pub unit: Unit,
    /// The state of each lane, apart from the instructions in it.
    lanes: Vec<Lane>,
    /// Lanes with instructions in them, by the first cycle in which they are empty: a lane is in one window at most.
    windows: Vec<(u64, u32)>,
    /// Lanes that are not on.
    off: u32,
    /// The next cycle in which a lane changes by itself; the current one if a lane was changed from outside.
    pub due: u64,
    /// What the lanes did when they were last reported.
    pub told: LaneMasks,
    /// What they did in the last [`REMEMBERED`] cycles, each with the cycle from which it holds.
    pub past: VecDeque<(u64, LaneMasks)>,
    /// Instructions accepted in those cycles, or still in the pipeline.
    pub uses: VecDeque<LaneUse>,
}

impl LaneBank {
    /// About how many bytes a bank takes.
    pub const BYTES: u64 = (size_of::<LaneBank>()
        + 32 * (size_of::<Lane>() + size_of::<(u64, u32)>())
        + REMEMBERED as usize * (size_of::<(u64, LaneMasks)>() + size_of::<LaneUse>())) as u64;

    fn new(unit: Unit, lanes: u32) -> LaneBank {
        LaneBank {
            unit,
            lanes: vec![Lane::default(); lanes as usize],
            windows: Vec::new(),
            off: 0,
            due: 0,
            told: LaneMasks::default(),
            past: VecDeque::new(),
            uses: VecDeque::new(),
        }
    }

    /// How many lanes there are.
    pub fn width(&self) -> u32 {
        self.lanes.len() as u32
    }

    /// Returns the state of a lane, including the instructions in it.
    pub fn lane(&self, at: u32) -> Lane {
        let mut lane = self.lanes[at as usize];
        self.windows.iter().filter(|(_, held)| held >> at & 1 != 0).for_each(|(until, _)| lane.take(*until));
        lane
    }

    /// Maps a warp's lanes to those of the pipeline: where it has fewer, the warp goes through in parts.
    fn wrapped(&self, lanes: u32) -> u32 {
        let count = self.width();
        if count >= 32 {
            return lanes;
        }
        (0..32 / count).fold(0, |all, part| all | lanes >> (part * count) & (u32::MAX >> (32 - count)))
    }

    /// Whether one of these lanes of a warp executes on this lane of the pipeline.
    pub fn covers(&self, lanes: u32, lane: u32) -> bool {
        self.wrapped(lanes) >> lane & 1 != 0
    }

    /// Returns the lanes that are switched on and off together with these.
    fn switched_with(&self, lanes: u32, gating: &Gating) -> u32 {
        self.wrapped(if gating.rules.together { u32::MAX } else { lanes })
    }

    pub(crate) fn ready_at(&self, lanes: u32, cycle: u64, gating: &Gating) -> u64 {
        let off = self.off & self.switched_with(lanes, gating);
        active(off).map(|at| self.lanes[at].ready_at(cycle, &gating.rules)).max().unwrap_or(cycle)
    }

    /// Returns, of the lanes that an instruction needs, the one that is ready last, if it is not on.
    pub fn sleeper(&self, lanes: u32, cycle: u64, gating: &Gating) -> Option<(u32, &Lane)> {
        let off = active(self.off & self.switched_with(lanes, gating)).map(|at| (at as u32, &self.lanes[at]));
        off.max_by_key(|(at, lane)| (lane.ready_at(cycle, &gating.rules), u32::MAX - at))
    }

    /// Requests these lanes: those that are off wake up, the others stay on.
    pub fn want(&mut self, lanes: u32, cycle: u64, gating: &Gating) {
        active(self.switched_with(lanes, gating)).for_each(|at| self.lanes[at].want(cycle, &gating.rules));
        self.due = cycle;
    }

    /// Retires instructions, turns lanes on that have woken, and gates lanes that have been idle for long enough.
    pub fn pass_time(&mut self, cycle: u64, gating: &Gating) {
        let LaneBank { lanes, windows, .. } = self;
        windows.retain(|&(until, held)| {
            let over = until <= cycle;
            if over {
                active(held).for_each(|at| lanes[at].take(until));
            }
            !over
        });
        let rules = &gating.rules;
        if !rules.gates {
            return;
        }
        let unit = self.unit;
        let busy = self.busy();
        let rested = |at: usize, lane: &Lane, idle_detect: u32| {
            lane.is_on() && busy >> at & 1 == 0 && cycle >= lane.idle_since() + u64::from(idle_detect)
        };
        self.lanes.iter_mut().for_each(|lane| lane.arrive(cycle));
        let all = !rules.together || self.lanes.iter().enumerate().all(|(at, lane)| rested(at, lane, rules.idle_detect));
        self.off = 0;
        for (at, lane) in self.lanes.iter_mut().enumerate() {
            if all && rested(at, lane, gating.idle_detect(unit, at as u32, cycle)) {
                lane.switch_off(cycle);
            }
            self.off |= u32::from(!lane.is_on()) << at;
        }
    }

    /// Puts an instruction into its lanes.
    pub fn take(&mut self, taken: LaneUse) {
        for (pass, (_, until)) in taken.placement.passes.into_iter().zip(taken.spans) {
            self.hold(self.wrapped(pass.lanes), until);
        }
        self.uses.push_back(taken);
        self.due = taken.cycle;
    }

    /// Marks lanes as busy until a cycle, unless they are busy for longer.
    fn hold(&mut self, mut lanes: u32, until: u64) {
        for (later, held) in &mut self.windows {
            if *later > until {
                lanes &= !*held;
            } else {
                *held &= !lanes;
            }
        }
        self.windows.retain(|(_, held)| *held != 0);
        if lanes != 0 {
            self.windows.push((until, lanes));
        }
    }

    /// Lanes with instructions in them, as of the last [`LaneBank::pass_time`].
    fn busy(&self) -> u32 {
        self.windows.iter().fold(0, |all, (_, held)| all | held)
    }

    /// Returns what the lanes do in a cycle, and sets `due` to the next cycle in which one of them changes by itself.
    pub fn look(&mut self, cycle: u64, gating: &Gating) -> LaneMasks {
        let mut masks = LaneMasks { busy: self.busy(), ..LaneMasks::default() };
        self.due = self.windows.iter().map(|(until, _)| *until).min().unwrap_or(u64::MAX);
        if !gating.rules.gates {
            return masks;
        }
        for at in active(!masks.busy & self.wrapped(u32::MAX)) {
            let lane = &self.lanes[at];
            let mask = match lane.state(cycle, &gating.rules) {
                LaneState::Dark => Some(&mut masks.dark),
                LaneState::Earning => Some(&mut masks.earning),
                LaneState::Waking => Some(&mut masks.waking),
                LaneState::Busy | LaneState::Idle => None,
            };
            mask.into_iter().for_each(|mask| *mask |= 1 << at);
            let idle_detect = gating.idle_detect(self.unit, at as u32, cycle);
            self.due = lane.next_change(cycle, idle_detect, &gating.rules).map_or(self.due, |next| next.min(self.due));
        }
        masks
    }

    /// Records what the lanes do from a cycle on; returns whether that differs from the last record.
    pub fn note(&mut self, cycle: u64, masks: LaneMasks) -> bool {
        if self.told == masks && !self.past.is_empty() {
            return false;
        }
        self.told = masks;
        self.past.push_back((cycle, masks));
        true
    }

    /// Drops records that are too old in a cycle.
    pub fn forget(&mut self, cycle: u64) {
        let since = cycle.saturating_sub(REMEMBERED);
        while self.past.get(1).is_some_and(|&(begins, _)| begins <= since) {
            self.past.pop_front();
        }
        while self.uses.front().is_some_and(|taken| taken.spans[0].1.max(taken.spans[1].1) <= since) {
            self.uses.pop_front();
        }
    }

    /// Returns what the lanes did in one of the remembered cycles.
    pub fn at(&self, cycle: u64) -> Option<LaneMasks> {
        self.past.iter().rev().find(|(begins, _)| *begins <= cycle).map(|(_, masks)| *masks)
    }
}
