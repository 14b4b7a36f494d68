//! PTX-warp operations: shuffles, votes, matches and reductions among the threads that take part.
//!
//! The caller has gathered the threads, whichever hardware warps hold them. Lanes here are lanes of the PTX warp. A shuffle
//! from a lane that does not take part, which PTX leaves undefined, returns the reader's own value.

use super::access::active;
use super::alu::Exec;
use super::value::Int;
use crate::ptx::op::{Int2, Op, ShflMode, VoteMode};
use crate::ptx::types::Type;

impl Exec<'_, 32> {
    /// Executes a joined operation for the active lanes; returns false for other operations.
    pub fn warp(&mut self) -> bool {
        match self.instruction.op {
            Op::Shfl(mode) => self.shuffle(mode),
            Op::Vote(mode) => self.vote(mode),
            Op::Match { all, ty } => self.match_values(all, ty),
            Op::Redux(op, ty) => self.reduce(op, ty),
            Op::ActiveMask => self.put(0, &[self.active; 32]),
            Op::WarpBarrier => {}
            _ => return false,
        }
        true
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
        let masks = self.each(same);
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
