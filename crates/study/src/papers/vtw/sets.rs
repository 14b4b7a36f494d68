//! The paper's four sets of kernels (section 3): with divergence in instructions and in cycles, in cycles alone, in instructions
//! alone, and with very little or none.
//!
//! The paper gives no number for *very little*. Here a kernel has divergence in instructions if at least a quarter of its blocks
//! have warps that differ by more than 5 per cent, and divergence in cycles if at least one block in 25 has. With these two
//! thresholds 50 of the 51 kernels of the paper's table 1 fall into the set where the paper has them. As in the paper, blocks are
//! measured under LRR.

use warpscope_machine::metrics::Report;

const INSTRUCTIONS_FROM: f64 = 0.25;
const CYCLES_FROM: f64 = 0.04;

/// Kernels by set, from the first to the fourth.
#[derive(Default)]
pub struct KernelSets(pub [Vec<&'static str>; 4]);

impl KernelSets {
    pub fn add(&mut self, name: &'static str, report: &Report) {
        let divergence = report.warp_divergence;
        self.0[place(report.blocks, divergence.instructions.over_5, divergence.cycles.over_5)].push(name);
    }

    pub fn all(&self) -> Vec<&'static str> {
        self.0.iter().flatten().copied().collect()
    }

    /// Returns two sets as one.
    pub fn both(&self, one: usize, other: usize) -> Vec<&'static str> {
        self.0[one].iter().chain(&self.0[other]).copied().collect()
    }
}

/// Returns the set of a kernel from its blocks and from those with 5 per cent divergence in instructions and in cycles.
fn place(blocks: u64, instructions: u64, cycles: u64) -> usize {
    let share = |part: u64| part as f64 / blocks.max(1) as f64;
    match (share(instructions) >= INSTRUCTIONS_FROM, share(cycles) >= CYCLES_FROM) {
        (true, true) => 0,
        (false, true) => 1,
        (true, false) => 2,
        (false, false) => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 1 in its order: blocks, and those with 5 per cent or more in instructions and in cycles.
    const TABLE_1: [(u64, u64, u64); 51] = [
        (18000, 17999, 18000),
        (17408, 936, 17360),
        (1954, 1015, 1695),
        (1954, 492, 1621),
        (695, 695, 694),
        (256, 133, 209),
        (196, 176, 196),
        (256, 255, 255),
        (512, 128, 116),
        (10000, 9073, 9999),
        (168, 168, 168),
        (6000, 5848, 5999),
        (2594, 2594, 2588),
        (1849, 1849, 1800),
        (1584, 1583, 356),
        (4096, 4096, 214),
        (5188, 1, 5188),
        (4098, 1, 4098),
        (3249, 0, 3249),
        (1212, 0, 1211),
        (1212, 0, 1212),
        (450, 1, 450),
        (450, 0, 450),
        (256, 0, 252),
        (450, 1, 450),
        (1212, 0, 1210),
        (99, 0, 99),
        (128, 0, 126),
        (450, 1, 450),
        (16384, 0, 8414),
        (3249, 0, 1743),
        (1212, 252, 1065),
        (128, 0, 126),
        (4096, 1, 2864),
        (16384, 0, 729),
        (225, 0, 77),
        (41, 41, 0),
        (463, 462, 0),
        (100, 100, 0),
        (64, 4, 0),
        (121, 27, 0),
        (201, 11, 0),
        (257, 0, 4),
        (2800, 0, 0),
        (280, 0, 0),
        (1400, 0, 0),
        (384, 0, 0),
        (1024, 0, 0),
        (1024, 0, 0),
        (64, 0, 0),
        (64, 0, 0),
    ];

    #[test]
    fn the_papers_kernels_come_into_its_sets_but_for_one() {
        let in_paper = [0..16, 16..36, 36..39, 39..51];
        let elsewhere: Vec<usize> = in_paper
            .into_iter()
            .enumerate()
            .flat_map(|(set, rows)| rows.map(move |row| (set, row)))
            .filter(|&(set, row)| place(TABLE_1[row].0, TABLE_1[row].1, TABLE_1[row].2) != set)
            .map(|(_, row)| row)
            .collect();
        assert_eq!(elsewhere, [1], "mergepack: the blocks that differ in instructions are few, but differ much");
    }
}
