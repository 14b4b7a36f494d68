//! Why DWF gains more here than in the paper, with warp barriers too: the cost of scattered accesses, and the gain from other
//! blocks' threads.
//!
//! DWF fills lanes and pays for it where regrouped threads access memory (section 2.3). It takes threads from every block of a
//! core, TBC from one. Two experiments that the paper does not have remove one effect each: with [`PERFECT_MEMORY`] scattered
//! accesses cost nothing, with [`ONE_BLOCK`] there is no other block to take threads from.

use super::{Board, Keys, PRESET};
use crate::papers::judge::{Speedups, each, mean};
use crate::run::RunSpec;

const PERFECT_MEMORY: Keys = &[("ideal_memory", "true")];
const ONE_BLOCK: Keys = &[("max_blocks", "1")];
const TECHNIQUES: [&str; 3] = ["PDOM", "DWF", "TBC-LCP"];

/// Returns the experiments, on the divergent workloads whose result is right under DWF.
pub fn runs(board: &Board) -> Vec<RunSpec> {
    let mut runs = Vec::new();
    for name in board.sets.divergent.iter().filter(|name| board.report(name, "DWF").is_some()) {
        for keys in [PERFECT_MEMORY, ONE_BLOCK] {
            runs.extend(TECHNIQUES.map(|technique| RunSpec::of(name, PRESET, technique).with(keys)));
        }
        runs.push(RunSpec::of(name, PRESET, "DWF-WB").with(ONE_BLOCK));
    }
    runs
}

/// Returns a note on DWF's speedup over PDOM from the experiments; `paper` is the paper's speedup.
pub fn note(board: &Board, paper: f64) -> String {
    let with = |keys: Keys, technique: &str| {
        let speedups = board.speedups_with(&board.sets.divergent, keys, technique, "PDOM");
        mean(&speedups).map(|mean| (mean, each(&speedups)))
    };
    let both = |keys: Keys| Some((with(keys, "DWF")?, with(keys, "TBC-LCP")?));
    let Some((here, (perfect, one_block))) = both(&[]).zip(both(PERFECT_MEMORY).zip(both(ONE_BLOCK))) else {
        return String::new();
    };
    let ((here, _), (here_tbc, _)) = here;
    let ((free, free_each), (free_tbc, _)) = perfect;
    let ((alone, alone_each), (alone_tbc, alone_tbc_each)) = one_block;
    let also = if alone_tbc < here_tbc {
        format!(", and less than that, for TBC, which takes none, falls from {here_tbc:.3} too")
    } else {
        String::new()
    };
    let rest = if alone - 1.0 > 1.5 * (paper - 1.0) {
        " What DWF gains with one block is still more than the paper's: neither memory nor other blocks' threads account for it."
    } else {
        ""
    };
    format!(
        " With a memory that answers at once DWF would be {free:.3} times as fast as PDOM ({free_each}) and TBC {free_tbc:.3}: \
         scattered accesses cost DWF {:.0}% here. With one block on a core DWF is {alone:.3} ({alone_each}) and TBC \
         {alone_tbc:.3} ({alone_tbc_each}): threads of other blocks are at most {:.0}% of DWF's gain{also}.{rest}",
        100.0 * (1.0 - here / free),
        100.0 * (here - alone) / (here - 1.0),
    )
}

/// Returns a note on TBC's speedup over DWF-WB: what is left of it where neither can take threads from other blocks.
pub fn over_barriers(board: &Board) -> String {
    let set: Vec<&'static str> =
        board.speedups_with(&board.sets.divergent, ONE_BLOCK, "DWF-WB", "PDOM").iter().map(|(name, _)| *name).collect();
    let over = |keys: Keys| -> Speedups {
        let of = |technique: &str| board.speedups_with(&set, keys, technique, "PDOM");
        of("TBC-LCP").into_iter().zip(of("DWF-WB")).map(|((name, tbc), (_, barriers))| (name, tbc / barriers)).collect()
    };
    let (here, alone) = (over(&[]), over(ONE_BLOCK));
    mean(&here).zip(mean(&alone)).map_or_else(String::new, |(several, one)| {
        format!(
            " With one block on a core, where DWF-WB has no other block to take threads from, TBC is {one:.3} times as fast as \
             DWF-WB ({}), and {several:.3} on the same workloads with all blocks.",
            each(&alone)
        )
    })
}

/// Returns a note on DWF-WB's speedup over PDOM on all workloads: how much of it is on each set, and with one block.
pub fn with_barriers(board: &Board) -> String {
    let over_pdom = |set: &[&'static str]| mean(&board.speedups(set, "DWF-WB", "PDOM"));
    let alone = board.speedups_with(&board.sets.divergent, ONE_BLOCK, "DWF-WB", "PDOM");
    match (over_pdom(&board.sets.divergent), over_pdom(&board.sets.coherent), mean(&alone)) {
        (Some(divergent), Some(coherent), Some(one)) => format!(
            " On divergent workloads {divergent:.3}, on coherent ones {coherent:.3}; with one block on a core {one:.3} on divergent \
             ones ({}).",
            each(&alone)
        ),
        _ => String::new(),
    }
}
