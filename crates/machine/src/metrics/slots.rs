//! Classes of issue slots: active threads in eighths of the port's width (TBC figure 13).

use super::Totals;

/// The most classes of slots in which an instruction issued.
pub const MOST: usize = 8;

/// Classes of slots in which no instruction issued, listed after the others.
pub const UNUSED: [&str; 3] = ["stall", "w0_mem", "w0_idle"];

/// Returns how many numbers of threads a class spans, for warps of a width.
fn step(width: u32) -> u32 {
    width.div_ceil(MOST as u32).max(1)
}

/// Returns the class of an instruction with this many active threads, from 0 on.
pub fn class_of(threads: u32, width: u32) -> usize {
    ((threads.max(1) - 1) / step(width)) as usize
}

/// Names the classes in which an instruction issued: `W1_4` … `W29_32` for warps of 32, `W1` … `W8` for warps of 8.
pub fn names(width: u32) -> Vec<String> {
    let name = |low: u32| match (low + step(width) - 1).min(width) {
        high if high == low => format!("W{low}"),
        high => format!("W{low}_{high}"),
    };
    (1..=width.max(1)).step_by(step(width) as usize).map(name).collect()
}

/// Counts issue slots by class, in the order of [`names`], then [`UNUSED`].
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
