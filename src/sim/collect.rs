//! Operand collectors, and SP units with one result port each, as GPGPU-Sim's GTX480 has them.
//!
//! With `collectors`, an SP unit is one pipeline that takes integer, floating-point and control instructions, one a cycle, and
//! hands out one result a cycle. Latencies differ, so an instruction may find that one which entered earlier has the result
//! port in its cycle. It then waits in a collector, and so do those behind it: instructions enter in the order in which they
//! issued, whichever unit takes them. While all collectors hold an instruction that waits, none issues to these units.
//!
//! All instructions take `read_latency` from issue to a unit that is free. Here that is left out: an instruction enters in the
//! cycle of its issue, or as many cycles later as it waits.

use super::decode::Unit;
use std::collections::VecDeque;

/// The SP units of an SM, and the instructions in front of them.
#[derive(Clone, Debug)]
pub struct Collectors {
    count: usize,
    units: Vec<SpUnit>,
    /// When the instructions that issued last enter a unit, in order; those that have entered long ago are gone.
    entries: VecDeque<u64>,
}

#[derive(Clone, Debug, Default)]
struct SpUnit {
    /// When its input takes the next instruction.
    free: u64,
    /// Cycles in which its result port is taken.
    results: Vec<u64>,
}

impl Collectors {
    /// What one unit takes in memory, about: itself, and results on their way.
    pub const UNIT_BYTES: u64 = (size_of::<SpUnit>() + size_of::<[u64; 8]>()) as u64;

    pub fn new(count: u32, units: u32) -> Collectors {
        Collectors { count: count as usize, units: vec![SpUnit::default(); units as usize], entries: VecDeque::new() }
    }

    /// Whether instructions for a unit go through the collectors.
    pub fn serve(unit: Unit) -> bool {
        matches!(unit, Unit::Int | Unit::Fp | Unit::Control)
    }

    /// An instruction issues in a cycle; how long it waits for an input, and a cycle at the result port that goes with it.
    pub fn enter(&mut self, cycle: u64, latency: u32, interval: u32) -> u64 {
        self.units.iter_mut().for_each(|unit| unit.results.retain(|&taken| taken > cycle));
        while self.entries.front().is_some_and(|&entry| entry <= cycle) {
            self.entries.pop_front();
        }
        let mut at = self.entries.back().map_or(cycle, |&last| last.max(cycle));
        loop {
            let result = at + u64::from(latency);
            if let Some(unit) = self.units.iter_mut().find(|unit| unit.free <= at && !unit.results.contains(&result)) {
                unit.free = at + u64::from(interval);
                unit.results.push(result);
                self.entries.push_back(at);
                return at - cycle;
            }
            at += 1;
        }
    }

    /// From which cycle on a collector is free for the next instruction.
    pub fn free(&self) -> u64 {
        self.entries.len().checked_sub(self.count).map_or(0, |first| self.entries[first])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_different_latency_do_not_leave_together() {
        let mut one = Collectors::new(2, 1);
        assert_eq!(one.enter(10, 4, 1), 0); // its result leaves in 14
        assert_eq!(one.enter(11, 4, 1), 0); // 15
        assert_eq!(one.enter(12, 2, 1), 2); // 14 and 15 are taken: 16, so it enters in 14
        assert_eq!(one.free(), 0);
        assert_eq!(one.enter(13, 4, 1), 2); // behind it, in 15: there is one input
        assert_eq!(one.free(), 14); // two wait, as many as there are collectors
    }

    #[test]
    fn another_unit_takes_what_the_first_cannot() {
        let mut two = Collectors::new(2, 2);
        assert_eq!([two.enter(10, 4, 1), two.enter(10, 4, 2)], [0, 0]);
        assert_eq!(two.enter(11, 3, 1), 1); // both ports are taken in 14, and the second input until 12
        assert_eq!(two.enter(13, 1, 1), 1); // in 14 both ports are taken: the second unit takes it a cycle later
    }
}
