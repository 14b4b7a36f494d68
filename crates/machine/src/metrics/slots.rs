//! Classes of issue slots: active threads in eighths of the port's width (TBC figure 13).

use super::Totals;
use super::report::Counted;
use std::borrow::Cow;

/// The most classes of slots in which an instruction issued.
pub const MOST: usize = 8;

/// What an issue slot was used for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlotClass {
    /// An instruction with a number of active threads in a range.
    Issued {
        /// The fewest of them.
        low: u32,
        /// The most of them.
        high: u32,
    },
    /// A warp was ready, and something kept it from issuing.
    Stall,
    /// No warp was ready, and one waited for memory.
    Memory,
    /// No warp was ready, and none waited for memory.
    Idle,
}

/// The classes of 29 to 32 active threads of a warp of 32 (TBC figure 13).
pub const FULL: SlotClass = SlotClass::Issued { low: 29, high: 32 };

/// Classes of slots in which no instruction issued, listed after the others.
pub const UNUSED: [SlotClass; 3] = [SlotClass::Stall, SlotClass::Memory, SlotClass::Idle];

/// `W1_4` … `W29_32` for warps of 32, `W1` … `W8` for warps of 8.
impl Counted for SlotClass {
    fn name(&self) -> Cow<'static, str> {
        match self {
            SlotClass::Issued { low, high } if low == high => format!("W{low}").into(),
            SlotClass::Issued { low, high } => format!("W{low}_{high}").into(),
            SlotClass::Stall => "stall".into(),
            SlotClass::Memory => "w0_mem".into(),
            SlotClass::Idle => "w0_idle".into(),
        }
    }
}

/// Returns how many numbers of threads a class spans, for warps of a width.
fn step(width: u32) -> u32 {
    width.div_ceil(MOST as u32).max(1)
}

/// Returns the class of an instruction with this many active threads, from 0 on.
pub fn class_of(threads: u32, width: u32) -> usize {
    ((threads.max(1) - 1) / step(width)) as usize
}

/// Returns the classes in which an instruction issued.
pub fn issued(width: u32) -> impl Iterator<Item = SlotClass> {
    let class = move |low| SlotClass::Issued { low, high: (low + step(width) - 1).min(width) };
    (1..=width.max(1)).step_by(step(width) as usize).map(class)
}

/// Names the classes in which an instruction issued.
pub fn names(width: u32) -> Vec<String> {
    issued(width).map(|class| class.name().into_owned()).collect()
}

/// Counts issue slots by class, in the order of [`issued`], then [`UNUSED`].
pub fn classes(totals: &Totals, width: u32) -> Vec<u64> {
    let mut counts = vec![0; class_of(width, width) + 1];
    for (threads, count) in (1..=width).zip(totals.slots_by_threads) {
        counts[class_of(threads, width)] += count;
    }
    counts.extend([totals.slots_stall(), totals.slots_memory, totals.slots_idle]);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_threads_has_a_class_with_a_name() {
        for width in [1, 2, 4, 8, 16, 32] {
            let names = names(width);
            assert!(names.len() <= MOST, "{names:?}");
            let classes: Vec<usize> = (1..=width).map(|threads| class_of(threads, width)).collect();
            assert!(classes.is_sorted() && classes.last() == Some(&(names.len() - 1)), "{width}: {classes:?}");
        }
        assert_eq!(names(32).join(" "), "W1_4 W5_8 W9_12 W13_16 W17_20 W21_24 W25_28 W29_32");
        assert_eq!(names(8).join(" "), "W1 W2 W3 W4 W5 W6 W7 W8");
        assert_eq!(names(1), ["W1"]);
    }
}
