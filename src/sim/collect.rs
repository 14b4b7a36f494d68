//! Operand collectors and result buses, as GPGPU-Sim's GTX480 has them.
//!
//! With `collectors`, an SP unit is one pipeline that takes integer, floating-point and control instructions, one a cycle. What
//! SP units and those for special functions compute leaves by **result buses**, as many as there are SP units, each with one
//! result a cycle. Latencies differ, so an instruction may find that all buses are taken in its cycle by others that entered
//! earlier. It then waits in a collector, and so do those behind it: instructions enter in the order in which they issued,
//! whichever unit takes them. While all collectors hold an instruction that waits, none issues to SP units. Special functions
//! wait in front of their own unit, and hold it.
//!
//! All instructions take `read_latency` from issue to a unit that is free. Here that is left out: an instruction enters in the
//! cycle of its issue, or as many cycles later as it waits.

use super::decode::Unit;
use std::collections::VecDeque;

/// The SP units of an SM, the instructions in front of them, and the ways out.
#[derive(Clone, Debug)]
pub struct Collectors {
    count: usize,
    /// When the input of each SP unit takes the next instruction.
    units: Vec<u64>,
    /// Cycles in which a result bus is taken: once for each bus that is.
    results: Vec<u64>,
    /// When the instructions that issued last enter a unit, in order; those that have entered long ago are gone.
    entries: VecDeque<u64>,
}

impl Collectors {
    /// What one unit takes in memory, about: itself, and results on their way.
    pub const UNIT_BYTES: u64 = size_of::<[u64; 12]>() as u64;

    pub fn new(count: u32, units: u32) -> Collectors {
        Collectors { count: count as usize, units: vec![0; units as usize], results: Vec::new(), entries: VecDeque::new() }
    }

    /// Whether instructions for a unit go through the collectors.
    pub fn serve(unit: Unit) -> bool {
        matches!(unit, Unit::Int | Unit::Fp | Unit::Control)
    }

    /// An instruction issues in a cycle; how long it waits for an input, and a bus in the cycle that goes with it.
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

    /// A special function issues in a cycle to its unit; how long it waits there for a bus.
    pub fn enter_special(&mut self, cycle: u64, latency: u32) -> u32 {
        self.forget(cycle);
        let first = cycle + u64::from(latency);
        let result = (first..).find(|&result| self.has_bus(result)).unwrap_or(first);
        self.results.push(result);
        (result - first) as u32
    }

    /// Results that have left take no bus any more.
    fn forget(&mut self, cycle: u64) {
        self.results.retain(|&taken| taken > cycle);
    }

    fn has_bus(&self, result: u64) -> bool {
        self.results.iter().filter(|&&taken| taken == result).count() < self.units.len()
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
