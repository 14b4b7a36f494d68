//! The value that a warp waits for: which registers it comes in, which instruction produces it, and when it arrives.

use super::{Explainer, InFlight};
use crate::view::WarpPicture;
use crate::view::words::in_cycles;
use warpscope_kernel::program::{Dst, Pc, RegisterInfo};
use warpscope_machine::config::HazardTracking;
use warpscope_machine::sim::decode::Decoded;

impl Explainer<'_> {
    /// Explains a warp whose next instruction needs a result in flight.
    pub(super) fn value(&self, name: &str, warp: &WarpPicture) -> Vec<String> {
        let decoded = self.sim.machine.decoded.get(warp.pc as usize);
        let Some(decoded) = decoded else { return vec![format!("{name} waits for a value.")] };
        let next = self.instruction(warp.pc);
        let Some(last) = self.blocking(decoded, self.in_flight(warp)) else {
            return vec![format!("{name} waited for a value, which has arrived; next it issues {next}.")];
        };
        let first = format!("{name} waits for {}{}.", self.awaited(last), self.waited(warp));
        let then = if warp.leaving { "its threads are regrouped".to_string() } else { format!("{next}, can issue") };
        let what = match self.registers_of(last.pc) {
            none if none.is_empty() => "It completes",
            several if several.contains(',') => "The values arrive",
            _ => "The value arrives",
        };
        let second = format!("{what} in {}; then {then}.", in_cycles(last.due, self.picture.cycle));
        vec![first, second]
    }

    /// Returns the instruction in flight that keeps the next instruction from issuing longest.
    pub(super) fn blocking(&self, decoded: &Decoded, flights: Vec<InFlight>) -> Option<InFlight> {
        let machine = &self.sim.machine;
        let blocks = |flight: &InFlight| {
            decoded.drains
                || machine.config.scoreboard == HazardTracking::Simple
                || machine.decoded[flight.pc as usize]
                    .writes
                    .iter()
                    .any(|&(word, bits)| decoded.hazards.iter().any(|&(at, wanted)| at == word && wanted & bits != 0))
        };
        flights.into_iter().filter(blocks).max_by_key(|flight| flight.due)
    }

    /// Names the awaited registers and their producer: ``%r1, which `add.s32` at PC 4 (line 7) computes``.
    pub(super) fn awaited(&self, flight: InFlight) -> String {
        let (registers, code, place) = (self.registers_of(flight.pc), self.code(flight.pc), self.at(flight.pc));
        match (registers.is_empty(), flight.load) {
            (true, _) => format!("`{code}` at {place} to complete"),
            (false, true) => format!("{registers}, which `{code}` at {place} loads"),
            (false, false) => format!("{registers}, which `{code}` at {place} computes"),
        }
    }

    /// Names the registers that an instruction writes.
    pub fn registers_of(&self, pc: Pc) -> String {
        let program = &self.sim.machine.program;
        let Some(instruction) = program.instructions.get(pc as usize) else { return String::new() };
        let planes = instruction.dst.iter().filter_map(|dst| match dst {
            Dst::Register { plane, .. } => Some(*plane),
            Dst::Sink => None,
        });
        let named = |plane: u32| program.registers.iter().find(|r: &&RegisterInfo| r.plane == plane).map(|r| r.name.as_str());
        planes.filter_map(named).collect::<Vec<_>>().join(", ")
    }
}
