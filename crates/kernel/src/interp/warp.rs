//! PTX-warp operations: shuffles, votes, matches and reductions among the threads that take part.
//!
//! The caller has gathered the threads, whichever hardware warps hold them. Lanes here are lanes of the PTX warp. A shuffle
//! from a lane that does not take part, which PTX leaves undefined, returns the reader's own value.
//!
//! The threads may have come to the operation at several instructions, one on each side of a branch: what matters is that it is the
//! same operation with the same members. Each thread reads and writes the registers that its own instruction names.

use super::access::active;
use super::alu::Exec;
use super::value::{Int, Value};
use crate::program::{Instruction, Pc};
use crate::ptx::op::{Int2, Op, ShflMode, VoteMode};
use crate::ptx::types::Type;

impl<'a> Exec<'a, 32> {
    /// Executes a joined operation for the active lanes.
    pub fn warp(&mut self) {
        let own = [(self.instruction, self.active)];
        self.warp_at(&own);
    }

    /// Executes a joined operation for lanes that have come to it at several instructions, each with its lanes.
    pub fn warp_at(&mut self, parts: &[(&'a Instruction, u32)]) {
        let active = parts.iter().fold(0, |all, (_, lanes)| all | lanes);
        Joint { exec: self, parts, active }.run();
    }
}

/// The lanes that have come to a joined operation, by the instruction at which they wait.
pub type Parts = Vec<(Pc, u32)>;

/// Adds lanes that wait at an instruction.
pub fn add_lanes(parts: &mut Parts, pc: Pc, lanes: u32) {
    match parts.iter_mut().find(|(known, _)| *known == pc) {
        Some((_, there)) => *there |= lanes,
        None => parts.push((pc, lanes)),
    }
}

/// A joined operation while it is executed.
struct Joint<'j, 'a> {
    exec: &'j mut Exec<'a, 32>,
    parts: &'j [(&'a Instruction, u32)],
    active: u32,
}

impl Joint<'_, '_> {
    /// Reads a source, each lane from its own instruction.
    fn get<T: Value>(&mut self, at: usize) -> [T; 32] {
        let mut values = [T::default(); 32];
        for &(instruction, lanes) in self.parts {
            self.exec.instruction = instruction;
            let read = self.exec.get::<T>(at);
            active(lanes).for_each(|lane| values[lane] = read[lane]);
        }
        values
    }

    fn source_predicate(&mut self, at: usize) -> u32 {
        self.parts.iter().fold(0, |all, &(instruction, lanes)| {
            self.exec.instruction = instruction;
            all | self.exec.source_predicate(at) & lanes
        })
    }

    fn put<T: Value>(&mut self, at: usize, values: &[T; 32]) {
        for &(instruction, lanes) in self.parts {
            (self.exec.instruction, self.exec.active) = (instruction, lanes);
            self.exec.put(at, values);
        }
    }

    fn put_mask(&mut self, at: usize, mask: u32) {
        self.put::<bool>(at, &std::array::from_fn(|lane| mask >> lane & 1 != 0));
    }

    fn run(mut self) {
        match self.exec.instruction.op {
            Op::Shfl(mode) => self.shuffle(mode),
            Op::Vote(mode) => self.vote(mode),
            Op::Match { all, ty } => self.match_values(all, ty),
            Op::Redux(op, ty) => self.reduce(op, ty),
            Op::ActiveMask => self.put(0, &[self.active; 32]),
            // Nothing is exchanged.
            _ => {}
        }
    }

    fn shuffle(&mut self, mode: ShflMode) {
        let (a, b, c) = (self.get::<u32>(0), self.get::<u32>(1), self.get::<u32>(2));
        let mut values = [0u32; 32];
        let mut in_range = 0u32;
        for lane in active(self.active) {
            let (offset, clamp, segment) = (b[lane] & 31, c[lane] & 31, c[lane] >> 8 & 31);
            let here = lane as u32;
            let (most, least) = (here & segment | clamp & !segment, here & segment);
            let (from, valid) = match mode {
                ShflMode::Up => (here.wrapping_sub(offset), here as i32 - offset as i32 >= most as i32),
                ShflMode::Down => (here + offset, here + offset <= most),
                ShflMode::Butterfly => (here ^ offset, here ^ offset <= most),
                ShflMode::Index => (least | offset & !segment, least | offset & !segment <= most),
            };
            let from = if valid { from } else { here };
            let takes_part = self.active >> (from & 31) & 1 != 0 && from < 32;
            values[lane] = a[if takes_part { from as usize } else { lane }];
            in_range |= (valid as u32) << lane;
        }
        self.put(0, &values);
        self.put_mask(1, in_range);
    }

    fn vote(&mut self, mode: VoteMode) {
        let yes = self.source_predicate(0) & self.active;
        let answer = match mode {
            VoteMode::Ballot => return self.put(0, &[yes; 32]),
            VoteMode::All => yes == self.active,
            VoteMode::Any => yes != 0,
            VoteMode::Uniform => yes == self.active || yes == 0,
        };
        self.put(0, &[answer; 32]);
    }

    fn match_values(&mut self, all: bool, ty: Type) {
        let values: [u64; 32] = if ty.bits() == 64 { self.get(0) } else { self.get::<u32>(0).map(u64::from) };
        let same =
            |lane: usize| active(self.active).filter(|&other| values[other] == values[lane]).fold(0u32, |mask, l| mask | 1 << l);
        let mut masks = [0; 32];
        active(self.active).for_each(|lane| masks[lane] = same(lane));
        if all {
            let everyone = active(self.active).next().is_none_or(|first| masks[first] == self.active);
            self.put(0, &[if everyone { self.active } else { 0 }; 32]);
            self.put_mask(1, if everyone { u32::MAX } else { 0 });
        } else {
            self.put(0, &masks);
        }
    }

    fn reduce(&mut self, op: Int2, ty: Type) {
        fn fold<T: Int>(values: [T; 32], mask: u32, op: Int2) -> T {
            let f = match op {
                Int2::Min => T::min,
                Int2::Max => T::max,
                Int2::And => T::and,
                Int2::Or => T::or,
                Int2::Xor => T::xor,
                _ => T::add,
            };
            active(mask).map(|lane| values[lane]).reduce(f).unwrap_or_default()
        }
        if ty == Type::S32 {
            let result = fold::<i32>(self.get(0), self.active, op);
            self.put(0, &[result; 32]);
        } else {
            let result = fold::<u32>(self.get(0), self.active, op);
            self.put(0, &[result; 32]);
        }
    }
}
