//! Accounts of lanes independent of the metrics': each pipeline's lanes cycle by cycle, from the events about them.

use std::collections::BTreeMap;
use warpscope_machine::config::{Config, GatingKind};
use warpscope_machine::event::Event;
use warpscope_machine::metrics::{LaneCycles, Metrics};

/// The state of one pipeline's lanes, and the cycle since which it holds.
#[derive(Clone, Copy, Debug, Default)]
struct PipeBook {
    since: u64,
    busy: u32,
    off: u32,
    waking: u32,
    /// Lanes that were ever reported: there may be fewer than threads.
    known: u32,
    cycles: [u64; 3],
}

#[derive(Clone, Debug, Default)]
pub struct LaneBooks {
    pipes: BTreeMap<(u16, u8), PipeBook>,
    /// A lane that is off can be used in the cycle in which it is requested.
    pub wakes_at_once: bool,
    /// Lanes that got an instruction in this cycle.
    placed: Vec<(u16, u8, u32)>,
}

impl LaneBooks {
    pub fn enter(&mut self, cycle: u64, event: &Event) -> Result<(), String> {
        match *event {
            Event::Lanes { sm, pipe, busy, dark, earning, waking } => {
                let sum: u32 = [busy, dark, earning, waking].iter().map(|mask| mask.count_ones()).sum();
                if sum != (busy | dark | earning | waking).count_ones() {
                    return Err(format!("pipeline {pipe}: a lane does two things"));
                }
                let book = self.pipes.entry((sm, pipe)).or_default();
                book.pass(cycle);
                (book.busy, book.off, book.waking) = (busy, dark | earning, waking);
                book.known |= busy | dark | earning | waking;
            }
            Event::Placed { sm, pipe, first, then, .. } => {
                let off = self.pipes.get(&(sm, pipe)).map_or(0, |book| book.off);
                if first == 0 || (first | then) & off != 0 && !self.wakes_at_once {
                    return Err(format!("pipeline {pipe}: an instruction on lanes {first:b} and {then:b}, off are {off:b}"));
                }
                self.placed.push((sm, pipe, first));
            }
            // The last event of a cycle.
            Event::Cycle { sm, .. } => {
                for (of, pipe, lanes) in self.placed.extract_if(.., |(of, ..)| *of == sm) {
                    let book = self.pipes.get(&(of, pipe)).copied().unwrap_or_default();
                    if lanes & book.known & !book.busy != 0 {
                        return Err(format!("pipeline {pipe}: an instruction on lanes {lanes:b}, busy are {:b}", book.busy));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    pub fn balance(&self, metrics: &Metrics, config: &Config, cycles: u64) -> Result<(), String> {
        let Some(report) = metrics.power.report(cycles) else { return Ok(()) };
        let lanes = u64::from(config.simd_width.min(config.warp_width));
        let per_type = lanes * cycles * u64::from(config.sp_units) * u64::from(config.sms);
        for (second, power) in [(0, report.int), (1, report.fp)] {
            let LaneCycles { busy, idle, idle_detect, gated, wakeup } = power.lane_cycles;
            if power.lane_cycles.total() != per_type {
                return Err(format!("{} lane-cycles, of {per_type}", power.lane_cycles.total()));
            }
            let mut own = [0; 3];
            for (_, book) in self.pipes.iter().filter(|((_, pipe), _)| pipe % 2 == second) {
                let mut book = *book;
                book.pass(cycles);
                own.iter_mut().zip(book.cycles).for_each(|(sum, cycles)| *sum += cycles);
            }
            if own != [busy, gated, wakeup] {
                return Err(format!("busy, gated and waking lane-cycles {own:?}, counted {busy}, {gated}, {wakeup}"));
            }
            if config.gating == GatingKind::On && idle > 0 || config.gating == GatingKind::Count && idle_detect + gated > 0 {
                return Err("lanes that sleep where they must not, or never do".to_string());
            }
        }
        Ok(())
    }
}

impl PipeBook {
    fn pass(&mut self, cycle: u64) {
        for (sum, mask) in self.cycles.iter_mut().zip([self.busy, self.off, self.waking]) {
            *sum += u64::from(mask.count_ones()) * (cycle - self.since);
        }
        self.since = cycle;
    }
}
