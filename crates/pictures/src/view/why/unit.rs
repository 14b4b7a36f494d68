//! The unit that a warp waits for: what it is, until when it is busy, and what holds the load/store unit so long.

use super::Explainer;
use crate::view::WarpPicture;
use warpscope_machine::event::StallCause;
use warpscope_machine::sim::decode::Unit;
use warpscope_machine::sim::memory::UnitHold;

impl Explainer<'_> {
    /// Explains a warp whose next instruction finds no free unit.
    pub(super) fn busy_unit(&self, name: &str, warp: &WarpPicture) -> String {
        let (what, unit) = self.needed(self.sim.machine.decoded.get(warp.pc as usize).map(|decoded| decoded.unit));
        let units = &self.sim.state.sms[usize::from(warp.sm)].units;
        let free = unit.and_then(|unit| units[unit as usize].iter().map(|pipeline| pipeline.free).min());
        let until = match free {
            Some(free) if free > self.picture.cycle => format!(", which is busy until cycle {free}"),
            _ => ", which another warp's instruction held".to_string(),
        };
        let with = if unit == Some(Unit::LdSt) { self.held_by_an_access(warp.sm) } else { "" };
        let next = self.instruction(warp.pc);
        format!("{name} waits for {what}{until}{with}{}; next it issues {next}.", self.waited(warp))
    }

    /// Names what an instruction of a unit takes, and returns the unit whose pipelines that are.
    fn needed(&self, unit: Option<Unit>) -> (&'static str, Option<Unit>) {
        let config = &self.sim.machine.config;
        match unit {
            _ if config.one_pipeline => ("the pipeline", Some(Unit::LdSt)),
            Some(Unit::Int | Unit::Control) if config.collectors > 0 => ("an operand collector", Some(Unit::Int)),
            Some(Unit::Fp) if config.collectors > 0 => ("an operand collector", unit),
            Some(Unit::Int) => ("an integer pipeline", unit),
            Some(Unit::Fp) => ("a floating-point pipeline", unit),
            Some(Unit::Sfu) => ("the special-function unit", unit),
            Some(Unit::LdSt) => ("the load/store unit", unit),
            Some(Unit::Control) | None => ("its issue port", None),
        }
    }

    /// Explains a warp whose access finds memory full.
    pub(super) fn full_memory(&self, name: &str, warp: &WarpPicture) -> String {
        let until = self.hold(warp.sm).map_or_else(String::new, |hold| format!(", in cycle {}", hold.until));
        format!(
            "{name} waits until memory accepts more accesses{until}{}: all MSHRs are taken, or the queue to the L2 cache or that to \
             DRAM is full. Next it issues {}.",
            self.waited(warp),
            self.instruction(warp.pc)
        )
    }

    /// Returns what held the load/store unit in the last cycle beyond one access.
    fn hold(&self, sm: u16) -> Option<UnitHold> {
        self.sim.state.sms[usize::from(sm)].memory.held(self.picture.cycle.saturating_sub(1))
    }

    /// Returns what holds the load/store unit, as the end of a clause.
    fn held_by_an_access(&self, sm: u16) -> &'static str {
        match self.hold(sm).map(|hold| hold.cause) {
            Some(StallCause::Lines) => " with an access to several lines",
            Some(StallCause::Banks) => " with bank conflicts",
            Some(StallCause::Constants) => " with an access to several constants",
            _ => "",
        }
    }
}
