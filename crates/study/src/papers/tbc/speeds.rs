//! The speed of each technique: on both sets, with each block priority, and with small caches (figures 12, 15 and 17).

use super::{Board, DWF_OVER_PDOM, EXAMPLES, JUDGE, SMALL_L2, dwf, named};
use crate::papers::Claim;
use crate::papers::judge::{Speedups, each, each_percent, mean};
use warpscope_machine::metrics::Report;
use warpscope_machine::metrics::slots::SlotClass;

/// Judges figure 12.
pub fn speeds(board: &Board) -> Vec<Claim> {
    let (divergent, coherent, all) = (&board.sets.divergent[..], &board.sets.coherent[..], &board.sets.all()[..]);
    let over_pdom = |set: &[&'static str], technique: &str| board.speedups(set, technique, "PDOM");
    let tbc = over_pdom(divergent, "TBC-LCP");
    let dwf = over_pdom(divergent, "DWF");
    let wb = over_pdom(divergent, "DWF-WB");
    let tbc_over_dwf = board.speedups(divergent, "TBC-LCP", "DWF");
    let tbc_over_wb = board.speedups(divergent, "TBC-LCP", "DWF-WB");
    let cohe = over_pdom(coherent, "TBC-LCP");
    let wb_all = over_pdom(all, "DWF-WB");
    let slower =
        |set: &[&'static str]| -> Speedups { over_pdom(set, "DWF").into_iter().filter(|(_, speedup)| *speedup < 0.98).collect() };
    let (lost, lost_coherent) = (slower(all), slower(coherent));
    // The share of the cycles lost by DWF that warp barriers win back.
    let recovered: Speedups = lost
        .iter()
        .filter_map(|&(name, dwf)| Some((name, (1.0 / dwf - 1.0 / board.one(name, "DWF-WB")?) / (1.0 / dwf - 1.0))))
        .collect();
    let recovering = recovered.iter().filter(|(_, share)| *share > 0.5).count();
    // The mean with the listings counted as applications.
    let with_listings = |set: &[&'static str], technique: &str| {
        let set: Vec<&'static str> = set.iter().copied().chain(EXAMPLES).collect();
        mean(&over_pdom(&set, technique))
            .map_or_else(String::new, |mean| format!(" With the paper's two listings counted in: {mean:.2}."))
    };
    let waits = |technique: &str| each_percent(&board.slots(divergent, technique, &[SlotClass::Memory, SlotClass::Idle]));
    let filled = |technique: &str| each_percent(&board.efficiencies(divergent, technique));
    let idle = format!(
        "Issue slots without a ready warp: TBC {}; DWF {}. Lanes filled: TBC {}; DWF {}. DWF takes threads from all blocks of a \
         core, TBC from one block.",
        waits("TBC-LCP"),
        waits("DWF"),
        filled("TBC-LCP"),
        filled("DWF")
    );
    let why_dwf = format!("{}{}", coalescing(board, divergent), dwf::note(board, DWF_OVER_PDOM));
    vec![
        JUDGE
            .effect(
                "tbc.divergent",
                "abstract, section 6, figure 12",
                "TBC is 22% faster than PDOM on divergent applications",
                1.22,
            )
            .judge(
                mean(&tbc),
                format!("{}.{}{}", each(&tbc), with_listings(divergent, "TBC-LCP"), by_name(board, true, "TBC-LCP", "PDOM")),
            ),
        JUDGE
            .effect(
                "tbc.dwf-divergent",
                "section 6, figure 12",
                "DWF is 4% faster than PDOM on divergent applications",
                DWF_OVER_PDOM,
            )
            .judge(
                mean(&dwf),
                format!("{}.{}{} {}", each(&dwf), with_listings(divergent, "DWF"), by_name(board, true, "DWF", "PDOM"), why_dwf),
            ),
        JUDGE
            .effect(
                "tbc.dwf-wb-divergent",
                "section 6 (derived: TBC is 22% over PDOM and 6% over DWF-WB)",
                "DWF with warp barriers is about 15% faster than PDOM on divergent applications",
                1.15,
            )
            .judge(
                mean(&wb),
                format!("{}.{}{}", each(&wb), with_listings(divergent, "DWF-WB"), by_name(board, true, "DWF-WB", "PDOM")),
            ),
        JUDGE
            .effect("tbc.over-dwf", "abstract, section 6", "TBC is 17% faster than DWF on divergent applications", 1.17)
            .judge(mean(&tbc_over_dwf), format!("{}.{} {idle}", each(&tbc_over_dwf), by_name(board, true, "TBC-LCP", "DWF"))),
        JUDGE.effect("tbc.over-dwf-wb", "section 6", "TBC is 6% faster than DWF-WB on divergent applications", 1.06).judge(
            mean(&tbc_over_wb),
            format!("{}.{}{}", each(&tbc_over_wb), by_name(board, true, "TBC-LCP", "DWF-WB"), dwf::over_barriers(board)),
        ),
        JUDGE.fact(
            "tbc.coherent",
            "section 8, figure 12",
            "TBC costs coherent applications nothing",
            "0.98 to 1.02",
            mean(&cohe).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= 0.02)),
            format!(
                "{}. With RRB: {}.{}",
                each(&cohe),
                each(&over_pdom(coherent, "TBC-LCP-RRB")),
                by_name(board, false, "TBC-LCP", "PDOM")
            ),
        ),
        JUDGE
            .effect("tbc.all", "section 6", "TBC is 10% faster than PDOM over all applications", 1.10)
            .judge(mean(&over_pdom(all, "TBC-LCP")), with_listings(all, "TBC-LCP").trim().to_string()),
        JUDGE.fact(
            "tbc.dwf-wb-all",
            "section 6",
            "DWF with warp barriers performs as PDOM does over all applications",
            "0.98 to 1.02",
            mean(&wb_all).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= 0.02)),
            format!("{}.{}", each(&wb_all), dwf::with_barriers(board)),
        ),
        JUDGE.fact(
            "tbc.dwf-loses",
            "section 6, figure 12",
            "DWF slows some coherent applications down significantly",
            "some below 0.95",
            (!coherent.is_empty()).then(|| (each(&lost_coherent), lost_coherent.iter().any(|(_, speedup)| *speedup < 0.95))),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.wb-recovers",
            "section 6",
            "Warp barriers recover most of DWF's slowdowns",
            "more than half of what DWF loses to PDOM, on most",
            (!lost.is_empty())
                .then(|| (format!("more than half on {recovering} of {}", lost.len()), recovering * 2 > lost.len())),
            format!("Share of the slowdown that is won back: {}.", each_percent(&recovered)),
        ),
    ]
}

/// Gives the mean of the workloads that stand for applications of one of the paper's sets.
fn by_name(board: &Board, divergent: bool, technique: &str, over: &str) -> String {
    let speedups = board.speedups(&named::set(divergent), technique, over);
    mean(&speedups).map_or_else(String::new, |mean| {
        format!(" On the workloads that stand for applications of the paper's set: {mean:.3} ({}).", each(&speedups))
    })
}

/// Describes the loss of coalescing: transactions, and issue slots behind a busy pipeline.
fn coalescing(board: &Board, set: &[&'static str]) -> String {
    let transactions = |report: &Report| report.memory_transactions as f64;
    let stalls = |technique: &str| each_percent(&board.slots(set, technique, &[SlotClass::Stall]));
    format!(
        "Transactions over PDOM's: {}. Issue slots behind a busy pipeline: PDOM {}; DWF {}.",
        each(&board.ratios(set, "DWF", "PDOM", transactions)),
        stalls("PDOM"),
        stalls("DWF")
    )
}

/// Judges figure 15.
pub fn priorities(board: &Board) -> Vec<Claim> {
    let all = &board.sets.all()[..];
    let over_pdom = |technique: &str| board.speedups(all, technique, "PDOM");
    let kinds = [("AGE", "TBC-LCP"), ("RRB", "TBC-LCP-RRB"), ("SRR", "TBC-LCP-SRR")];
    let means = kinds.map(|(name, technique)| (name, mean(&over_pdom(technique))));
    let best = means.iter().filter_map(|(name, mean)| mean.map(|mean| (*name, mean))).max_by(|a, b| a.1.total_cmp(&b.1));
    let listed = || means.iter().filter_map(|(name, mean)| mean.map(|mean| format!("{name} {mean:.3}"))).collect::<Vec<_>>();
    // For each priority, the workload on which it is furthest behind the best of the three.
    let worst = |technique: &str| {
        let behind = |name: &&'static str| {
            let speed = |technique: &str| board.one(name, technique);
            let best = kinds.iter().filter_map(|(_, technique)| speed(technique)).fold(0.0, f64::max);
            Some((*name, speed(technique)? / best))
        };
        all.iter().filter_map(behind).min_by(|a, b| a.1.total_cmp(&b.1))
    };
    let worsts = kinds.map(|(name, technique)| (name, worst(technique)));
    let told = worsts.iter().filter_map(|(name, worst)| worst.map(|(on, by)| format!("{name} {by:.2} on {on}")));
    vec![
        JUDGE.fact(
            "tbc.priority",
            "section 6.2, figure 15",
            "Of the block priorities AGE is the fastest overall",
            "AGE",
            best.map(|(name, _)| (listed().join(", "), name == "AGE")),
            format!(
                "Harmonic means over all workloads. AGE: {}. RRB: {}. SRR: {}.",
                each(&over_pdom("TBC-LCP")),
                each(&over_pdom("TBC-LCP-RRB")),
                each(&over_pdom("TBC-LCP-SRR"))
            ),
        ),
        JUDGE.fact(
            "tbc.srr-robust",
            "section 6.2, figure 15",
            "SRR provides robust performance",
            "where it is worst it is no further behind the best priority than AGE is",
            match (worsts[0].1, worsts[2].1) {
                (Some((_, age)), Some((_, srr))) => Some((told.collect::<Vec<_>>().join(", "), srr >= age)),
                _ => None,
            },
            "The speed of each over that of the fastest of the three, on the workload where that is lowest.".to_string(),
        ),
    ]
}

/// Judges figure 17.
pub fn small_caches(board: &Board) -> Vec<Claim> {
    let (divergent, coherent) = (&board.sets.divergent[..], &board.sets.coherent[..]);
    let age = board.speedups_with(divergent, SMALL_L2, "TBC-LCP", "PDOM");
    let rrb = board.speedups_with(divergent, SMALL_L2, "TBC-LCP-RRB", "PDOM");
    let change = |set: &[&'static str], technique: &str| -> Speedups {
        let large = board.speedups(set, technique, "PDOM");
        board
            .speedups_with(set, SMALL_L2, technique, "PDOM")
            .into_iter()
            .zip(large)
            .map(|((name, small), (_, large))| (name, small / large))
            .collect()
    };
    let worst = |technique: &str| change(divergent, technique).into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let moved: Vec<(&str, f64)> = ["DWF", "DWF-WB", "TBC-LCP"]
        .into_iter()
        .filter_map(|technique| {
            let changes = change(coherent, technique);
            changes.iter().map(|(_, change)| (change - 1.0).abs()).reduce(f64::max).map(|most| (technique, most))
        })
        .collect();
    vec![
        JUDGE
            .effect(
                "tbc.small-l2",
                "section 6.4, figure 17",
                "With an L2 cache of an eighth TBC (AGE) is 13.5% faster than PDOM on divergent applications",
                1.135,
            )
            .judge(mean(&age), format!("{}.", each(&age))),
        JUDGE
            .effect("tbc.small-l2-rrb", "section 6.4, figure 17", "and TBC with RRB 15%", 1.15)
            .judge(mean(&rrb), format!("{}.", each(&rrb))),
        JUDGE.fact(
            "tbc.small-l2-dwf",
            "section 6.4, figure 17",
            "A smaller L2 cache takes a speedup from DWF that DWF-WB and TBC keep",
            "DWF's worst loss is the largest, and more than 5%",
            match (worst("DWF"), worst("DWF-WB"), worst("TBC-LCP")) {
                (Some(dwf), Some(wb), Some(tbc)) => Some((
                    format!("DWF {:.2} on {}, DWF-WB {:.2} on {}, TBC {:.2} on {}", dwf.1, dwf.0, wb.1, wb.0, tbc.1, tbc.0),
                    dwf.1 < 0.95 && dwf.1 < wb.1 && dwf.1 < tbc.1,
                )),
                _ => None,
            },
            "Speedup over PDOM with the small cache over that with the large one, where it falls most.".to_string(),
        ),
        JUDGE.fact(
            "tbc.small-l2-coherent",
            "section 6.4, figure 17",
            "On coherent applications a smaller L2 cache changes nothing between the mechanisms",
            "speedups over PDOM change by less than 2%",
            (moved.len() == 3).then(|| {
                let told = moved.iter().map(|(technique, most)| format!("{technique} {:.1}%", 100.0 * most));
                (told.collect::<Vec<_>>().join(", "), moved.iter().all(|(_, most)| *most < 0.02))
            }),
            "The largest change of a speedup over PDOM on any of them.".to_string(),
        ),
    ]
}
