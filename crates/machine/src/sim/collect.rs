//! Operand collectors and result buses, as GPGPU-Sim's GTX480 has them.
//!
//! With `collectors`, an SP unit is one pipeline that takes integer, floating-point and control instructions, one a cycle.
//! Results of SP and special-function units leave by **result buses**, as many as there are SP units, each with one result a
//! cycle. Latencies differ, so earlier instructions may have taken all buses in the cycle of an instruction's result. It then
//! waits in a collector, and so do those behind it: instructions enter in the order in which they issued, whichever unit takes
//! them. While every collector holds a waiting instruction, none issues to SP units. Special functions wait in front of their
//! own unit, and hold it.
//!
//! The `read_latency` that all instructions take from issue to a free unit is left out here: an instruction enters in the
//! cycle of its issue, or as many cycles later as it waits.

use super::decode::Unit;
use std::collections::VecDeque;

/// The SP units of an SM with their operand collectors and result buses.
#[derive(Clone, Debug, Hash)]
pub struct Collectors {
    count: usize,
    /// When the input of each SP unit takes the next instruction.
    units: Vec<u64>,
    /// Cycles in which result buses are taken, one element for each bus.
    results: Vec<u64>,
    /// When the last instructions to issue enter a unit, in order; entries that have passed are dropped.
    entries: VecDeque<u64>,
}

impl Collectors {
    /// About how many bytes one unit takes, with its pending results.
    pub const UNIT_BYTES: u64 = size_of::<[u64; 12]>() as u64;

    pub fn new(count: u32, units: u32) -> Collectors {
        Collectors { count: count as usize, units: vec![0; units as usize], results: Vec::new(), entries: VecDeque::new() }
    }

    /// Whether instructions for a unit go through the collectors.
    pub fn serve(unit: Unit) -> bool {
        matches!(unit, Unit::Int | Unit::Fp | Unit::Control)
    }

    /// Issues an instruction; returns how long it waits for an input, and for a bus in the cycle of its result.
    pub fn enter(&mut self, cycle: u64, latency: u32, interval: u32) -> u64 {
        self.forget(cycle);
        while self.entries.front().is_some_and(|&entry| entry <= cycle) {
            self.entries.pop_front();
        }
        let mut at = self.entries.back().map_or(cycle, |&last| last.max(cycle));
        loop {
            let bus_is_free = self.has_bus(at + u64::from(latency));
            if let Some(free) = self.units.iter_mut().find(|free| **free <= at && bus_is_free) {
                *free = at + u64::from(interval);
                self.results.push(at + u64::from(latency));
                self.entries.push_back(at);
                return at - cycle;
            }
            at += 1;
        }
    }

    /// Issues a special function to its unit; returns how long it waits there for a bus.
    pub fn enter_special(&mut self, cycle: u64, latency: u32) -> u32 {
        self.forget(cycle);
        let first = cycle + u64::from(latency);
        let result = (first..).find(|&result| self.has_bus(result)).unwrap_or(first);
        self.results.push(result);
        (result - first) as u32
    }

    /// Frees the buses of results that have left.
    fn forget(&mut self, cycle: u64) {
        self.results.retain(|&taken| taken > cycle);
    }

    fn has_bus(&self, result: u64) -> bool {
        self.results.iter().filter(|&&taken| taken == result).count() < self.units.len()
    }

    /// Returns the cycle from which a collector is free for the next instruction.
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
        assert_eq!(two.enter(11, 3, 1), 1); // both buses are taken in 14, and the second input until 12
        assert_eq!(two.enter(13, 1, 1), 1); // in 14 both buses are taken: the second unit takes it a cycle later
    }

    #[test]
    fn special_functions_leave_by_the_same_buses() {
        let mut two = Collectors::new(2, 2);
        assert_eq!(two.enter_special(10, 20), 0); // its result leaves in 30
        assert_eq!(two.enter(26, 4, 1), 0); // by the other bus
        assert_eq!(two.enter(26, 4, 1), 1); // in 30 both are taken
        assert_eq!(two.enter_special(27, 3), 1); // so they are for the next one, which waits until 31
        assert_eq!(two.enter(27, 4, 1), 1); // and now 31 is full too
    }
}
