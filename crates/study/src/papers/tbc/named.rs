//! Claims about applications that the paper names, on the workloads of other suites that are the same programs or resemble them.

use super::{Board, JUDGE};
use crate::papers::Claim;
use crate::papers::judge::{each, each_percent};
use warpscope_machine::metrics::slots::SlotClass;

/// A workload, the paper's abbreviation of the application that it stands for (table 1), whether that is in the divergent set,
/// and its entries in table 3.
struct Application {
    workload: &'static str,
    name: &'static str,
    divergent: bool,
    entries: u64,
}

const APPLICATIONS: [Application; 11] = [
    Application { workload: "bfs", name: "BFS2", divergent: true, entries: 3 },
    Application { workload: "cascade", name: "FCDT", divergent: true, entries: 5 },
    Application { workload: "hotspot", name: "HSP", divergent: true, entries: 2 },
    Application { workload: "trie", name: "MUM", divergent: true, entries: 13 },
    Application { workload: "rayqueue", name: "NVRT", divergent: true, entries: 5 },
    Application { workload: "aes", name: "AES", divergent: false, entries: 1 },
    Application { workload: "backprop", name: "BACKP", divergent: false, entries: 2 },
    Application { workload: "heartwall", name: "HRTWL", divergent: false, entries: 5 },
    Application { workload: "libor", name: "LIB", divergent: false, entries: 1 },
    Application { workload: "mergesort", name: "MGST", divergent: false, entries: 38 },
    Application { workload: "raytrace", name: "RAY", divergent: false, entries: 9 },
];

/// Returns the entries that table 3 lists for a workload's application.
pub fn entries(workload: &str) -> Option<u64> {
    APPLICATIONS.iter().find(|application| application.workload == workload).map(|application| application.entries)
}

/// Returns the workloads that stand for applications of one of the paper's sets.
pub fn set(divergent: bool) -> Vec<&'static str> {
    APPLICATIONS.iter().filter(|application| application.divergent == divergent).map(|application| application.workload).collect()
}

/// Judges claims about applications by name.
pub fn named(board: &Board) -> Vec<Claim> {
    let mut claims = hotspot(board);
    claims.extend(heartwall(board));
    claims.extend(faces(board));
    claims.extend(mummer(board));
    claims.extend(together(board));
    claims
}

/// Judges a speedup over PDOM against a bound.
fn bound(
    board: &Board,
    (id, place, claim): (&'static str, &'static str, &'static str),
    (workload, technique): (&'static str, &str),
    (expected, holds): (&str, fn(f64) -> bool),
    note: String,
) -> Claim {
    let measured = board.one(workload, technique).map(|speedup| (format!("{speedup:.2}"), holds(speedup)));
    JUDGE.fact(id, place, claim, expected, measured, note)
}

/// Lists lanes filled and transactions over PDOM's, which are what regrouping gains and costs.
pub fn costs(board: &Board, workload: &'static str) -> String {
    const REGROUPING: [&str; 4] = ["PDOM", "DWF", "DWF-WB", "TBC-LCP"];
    let filled = REGROUPING.iter().filter_map(|technique| {
        board.report(workload, *technique).map(|report| format!("{technique} {:.0}%", 100.0 * report.simd_efficiency))
    });
    let transactions = REGROUPING[1..].iter().filter_map(|technique| {
        let ratio = board.ratio(workload, *technique, "PDOM", |report| report.memory_transactions as f64);
        ratio.map(|ratio| format!("{technique} {ratio:.2}"))
    });
    let (filled, transactions) = (filled.collect::<Vec<_>>().join(", "), transactions.collect::<Vec<_>>().join(", "));
    if filled.is_empty() { filled } else { format!("Lanes filled: {filled}. Transactions over PDOM's: {transactions}.") }
}

/// Judges the claims about HotSpot (`hotspot`).
fn hotspot(board: &Board) -> Vec<Claim> {
    const NAME: &str = "hotspot";
    vec![
        bound(
            board,
            ("tbc.hotspot-dwf", "sections 2.4 and 6, figure 6", "DWF slows HotSpot down"),
            (NAME, "DWF"),
            ("below 0.98", |speedup| speedup < 0.98),
            costs(board, NAME),
        ),
        bound(
            board,
            ("tbc.hotspot-dwf-wb", "section 2.4, figure 6", "With warp barriers DWF makes HotSpot faster than PDOM"),
            (NAME, "DWF-WB"),
            ("above 1.01", |speedup| speedup > 1.01),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.hotspot-over-tbc",
            "section 6.1, figure 12",
            "and faster than TBC does",
            "above 1.01",
            board.speedups(&[NAME], "DWF-WB", "TBC-LCP").pop().map(|(_, over)| (format!("{over:.2}"), over > 1.01)),
            String::new(),
        ),
    ]
}

/// Judges the claims about Heart Wall Detection (`heartwall`).
fn heartwall(board: &Board) -> Vec<Claim> {
    const NAME: &str = "heartwall";
    const RECOVERS: (&str, &str, &str) =
        ("tbc.heartwall-dwf-wb", "section 6, figure 12", "and warp barriers recover much of this slowdown");
    const EXPECTED: &str = "more than half of what DWF loses to PDOM";
    let both = board.one(NAME, "DWF").zip(board.one(NAME, "DWF-WB"));
    let recovers = match both {
        Some((dwf, _)) if dwf >= 0.98 => JUDGE.untestable(
            RECOVERS.0,
            RECOVERS.1,
            RECOVERS.2,
            EXPECTED,
            &format!("DWF is {dwf:.3} times as fast as PDOM here: it loses less than 2%, which leaves too little to recover."),
        ),
        both => {
            let share = both.map(|(dwf, wb)| (1.0 / dwf - 1.0 / wb) / (1.0 / dwf - 1.0));
            let told = both
                .zip(share)
                .map(|((dwf, wb), share)| (format!("{:.0}%: DWF {dwf:.2}, DWF-WB {wb:.2}", 100.0 * share), share > 0.5));
            JUDGE.fact(RECOVERS.0, RECOVERS.1, RECOVERS.2, EXPECTED, told, String::new())
        }
    };
    vec![
        bound(
            board,
            ("tbc.heartwall-dwf", "section 6, figure 12", "DWF slows heart wall detection down significantly"),
            (NAME, "DWF"),
            ("below 0.95", |speedup| speedup < 0.95),
            costs(board, NAME),
        ),
        recovers,
    ]
}

/// Judges the claims about face detection (`cascade`).
fn faces(board: &Board) -> Vec<Claim> {
    const NAME: &str = "cascade";
    vec![
        bound(
            board,
            ("tbc.faces-dwf", "section 2.3, figure 6", "DWF improves face detection significantly"),
            (NAME, "DWF"),
            ("1.1 or more", |speedup| speedup >= 1.1),
            costs(board, NAME),
        ),
        bound(
            board,
            ("tbc.faces-tbc", "section 6, figure 12", "and much of TBC's gain is on face detection"),
            (NAME, "TBC-LCP"),
            ("1.22 or more", |speedup| speedup >= 1.22),
            String::new(),
        ),
    ]
}

/// Judges the claims about MUMMER-GPU. `trie` has its two loops: from each letter of a read the inner one follows links until a
/// break.
fn mummer(board: &Board) -> Vec<Claim> {
    const NAME: &str = "trie";
    let over = |technique: &str, over: &str| board.speedup(NAME, technique, over);
    let depth = |technique: &str| board.report(NAME, technique).map(|report| report.max_stack_depth);
    let memory = |technique: &str| board.slots(&[NAME], technique, &[SlotClass::Memory]).pop().map(|(_, share)| share);
    let gain = over("TBC-LCP", "TBC").zip(over("PDOM-LCP", "PDOM")).map_or_else(String::new, |(tbc, pdom)| {
        format!(" With these points it is {tbc:.3} times as fast under TBC, and {pdom:.3} under PDOM.")
    });
    vec![
        bound(
            board,
            ("tbc.mummer-tbc", "section 6, figure 12", "and on the suffix tree of MUMMER-GPU"),
            (NAME, "TBC-LCP"),
            ("1.22 or more", |speedup| speedup >= 1.22),
            format!("The workload `trie` stands for it. {}", costs(board, NAME)).trim_end().to_string(),
        ),
        JUDGE.fact(
            "tbc.mummer-memory",
            "section 6.1, figure 13(a)",
            "MUMMER-GPU becomes memory-bound with TBC",
            "a larger share of W0 Mem than under PDOM",
            memory("TBC-LCP")
                .zip(memory("PDOM"))
                .map(|(tbc, pdom)| (format!("{:.1}% of issue slots, PDOM {:.1}%", 100.0 * tbc, 100.0 * pdom), tbc > pdom + 0.01)),
            String::new(),
        ),
        JUDGE.untestable(
            "tbc.mummer-lcp",
            "section 4, figure 11",
            "Likely-convergence points make MUMMER-GPU 2% faster under TBC and 5% under PDOM",
            "1.02 and 1.05",
            &format!(
                "The loop over links has such a point in `trie` too, but an iteration has no second path to it: there is nothing \
                 that could converge.{gain}"
            ),
        ),
        JUDGE.fact(
            "tbc.mummer-lcp-depth",
            "section 4",
            "Under TBC they increase the maximum stack usage of MUMMER-GPU",
            "more entries with them than without",
            depth("TBC-LCP").zip(depth("TBC")).map(|(with, without)| (format!("{with} with, {without} without"), with > without)),
            String::new(),
        ),
    ]
}

/// Judges claims about several applications by name.
fn together(board: &Board) -> Vec<Claim> {
    let all = || APPLICATIONS.iter();
    let classes: Option<Vec<(&Application, f64)>> =
        all().map(|application| Some((application, board.report(application.workload, "PDOM")?.simd_efficiency))).collect();
    let classes = classes.map(|classes| {
        let side = |efficiency: f64| efficiency < super::DIVERGENT_BELOW;
        let other: Vec<String> = classes
            .iter()
            .filter(|(application, efficiency)| side(*efficiency) != application.divergent)
            .map(|(application, efficiency)| format!("{} {:.0}%", application.workload, 100.0 * efficiency))
            .collect();
        let told = if other.is_empty() { "all".to_string() } else { format!("all but {}", other.join(", ")) };
        let list = classes.iter().map(|(application, efficiency)| {
            format!("{} ({}) {:.0}%", application.workload, application.name, 100.0 * efficiency)
        });
        ((told, other.is_empty()), format!("SIMD efficiency under PDOM: {}.", list.collect::<Vec<_>>().join(", ")))
    });
    let (classes, efficiencies) = classes.unzip();

    const FULL: [&str; 4] = ["hotspot", "heartwall", "mergesort", "raytrace"];
    let (before, after) = (board.full_warps(&FULL, "PDOM"), board.full_warps(&FULL, "DWF"));
    let fallen: Vec<usize> = (0..before.len().min(after.len())).filter(|&at| after[at].1 < before[at].1 - 0.02).collect();

    const GAINING: [&str; 3] = ["cascade", "rayqueue", "heartwall"];
    let gains = board.speedups(&GAINING, "TBC-LCP", "PDOM");

    let priority = |technique: &str| board.one("libor", technique);
    let libor = match (priority("TBC-LCP"), priority("TBC-LCP-RRB"), priority("TBC-LCP-SRR")) {
        (Some(age), Some(rrb), Some(srr)) => {
            Some((format!("AGE {age:.3}, RRB {rrb:.3}, SRR {srr:.3}"), age < 0.99 * rrb && age < 0.99 * srr))
        }
        _ => None,
    };
    let rounds = board.report("libor", "TBC-LCP").map_or_else(String::new, |report| {
        format!("The launch has {} blocks, of which {} are resident at a time.", report.blocks, report.resident_blocks)
    });

    let depths: Vec<(&Application, u64)> = all()
        .filter_map(|application| Some((application, board.report(application.workload, "TBC-LCP")?.max_stack_depth)))
        .collect();
    let close =
        depths.iter().filter(|(application, depth)| (0.5..=1.5).contains(&(*depth as f64 / application.entries as f64))).count();
    let listed = depths
        .iter()
        .map(|(application, depth)| format!("{} {depth} ({} {})", application.workload, application.name, application.entries));
    vec![
        JUDGE.fact(
            "tbc.classes",
            "section 2.2.2, figure 5, table 1",
            "Of the applications by name BFS2, FCDT, HSP, MUM and NVRT are divergent, and AES, BACKP, HRTWL, LIB, MGST and RAY coherent",
            "below 76% of SIMD efficiency, or not, as there",
            classes,
            efficiencies.unwrap_or_default(),
        ),
        JUDGE.fact(
            "tbc.eddies-named",
            "section 6.1, figures 13(a) and 14(a)",
            "HotSpot, heart wall detection, merge sort and ray tracing are among the applications whose full warps DWF empties",
            "a smaller share of W29-32 than under PDOM on each, by more than 2 points",
            (before.len() == FULL.len() && after.len() == FULL.len()).then(|| {
                (format!("on {} of {}", fallen.len(), FULL.len()), fallen.len() == FULL.len())
            }),
            format!("Share of the used issue slots with 29 to 32 active threads: PDOM {}; DWF {}.", each_percent(&before), each_percent(&after)),
        ),
        JUDGE.fact(
            "tbc.gains-named",
            "section 6.1",
            "TBC's extra memory stalls do not outweigh its benefits on face detection, persistent threads and heart wall detection",
            "above 1.01 on each",
            (gains.len() == GAINING.len()).then(|| (each(&gains), gains.iter().all(|(_, speedup)| *speedup > 1.01))),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.libor-age",
            "section 6.2, figure 15",
            "AGE slows LIBOR (LIB) down: it can leave a core with a lone block near a launch's end",
            "more than 1% behind RRB and SRR",
            libor,
            rounds,
        ),
        JUDGE.fact(
            "tbc.stack-depths",
            "section 7, table 3",
            "Each application needs so many entries of the block-wide stack",
            "half to one and a half times the paper's on most",
            (!depths.is_empty()).then(|| (format!("on {close} of {}", depths.len()), close * 2 > depths.len())),
            format!("Here, and in brackets in table 3: {}.", listed.collect::<Vec<_>>().join(", ")),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::NAMED;
    use super::*;
    use warpscope_catalogue::{self as catalogue, Suite};

    #[test]
    fn every_application_runs_either_in_the_suite_or_by_name() {
        for Application { workload, .. } in &APPLICATIONS {
            let suite = catalogue::find(workload).map(|found| found.suite);
            assert_eq!(NAMED.iter().any(|(name, _)| name == workload), suite != Some(Suite::Divergence), "{workload}");
        }
        assert!(NAMED.iter().all(|(name, _)| entries(name).is_some()));
    }
}
