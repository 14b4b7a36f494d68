//! Effects of the mechanisms other than speed: figures 2, 7, 11, 13, 14, 16 and table 3.

use super::{Board, EXAMPLES, FIGURE_7, JUDGE};
use crate::papers::Claim;
use crate::papers::judge::{Speedups, average, each, each_percent};
use crate::run::RunSpec;
use warpscope_catalogue::{self as catalogue, Size, Suite};
use warpscope_machine::event::StallCause;
use warpscope_machine::metrics::Report;
use warpscope_machine::metrics::slots::SlotClass;

/// Judges figures 2, 7, 11, 13, 14, 16 and table 3.
pub fn mechanisms(board: &Board) -> Vec<Claim> {
    let (divergent, all) = (&board.sets.divergent[..], &board.sets.all()[..]);
    let efficiencies = |technique: &str| board.efficiencies(divergent, technique);
    let as_well = board.ratios(divergent, "TBC-LCP", "DWF-WB", |report| report.simd_efficiency);
    // A workload with a wrong result under DWF has nothing to compare.
    let is_right = |name: &str| board.report(name, "DWF").is_some();
    let efficiency = |technique: &str| average(&efficiencies(technique).into_iter().filter(|(name, _)| is_right(name)).collect());
    let stalls = |report: &Report| report.memory_stalls() as f64;
    let stalled = |technique: &str| board.numbers(all, technique, |report| Some(stalls(report) / report.cycles.max(1) as f64));
    // The machine has one port, so cycles are issue slots.
    let causes = |technique: &str| {
        let reports: Vec<&Report> = all.iter().filter_map(|name| board.report(name, technique)).collect();
        let share = |cause: StallCause| {
            let sum: f64 = reports.iter().map(|report| report.stalls.get(cause) as f64 / report.cycles.max(1) as f64).sum();
            format!("{} {:.2}%", cause.key(), 100.0 * sum / reports.len() as f64)
        };
        if reports.is_empty() { String::new() } else { StallCause::ALL.map(share).join(", ") }
    };
    let right: Vec<&'static str> = all.iter().copied().filter(|name| is_right(name)).collect();
    // Of streams, memory holds every mechanism up alike.
    let conflicts = |report: &Report| stalls(report) - report.stalls.get(StallCause::MemoryFull) as f64;
    let stall_ratios = (board.ratio_of_shares(&right, "DWF", stalls), board.ratio_of_shares(&right, "TBC-LCP", stalls));
    let conflict_ratio = board.ratio_of_shares(&right, "DWF", conflicts);
    let transactions = |report: &Report| report.memory_transactions as f64;
    let traffic = board.ratios(all, "TBC-LCP", "PDOM", |report: &Report| report.l2.accesses as f64);
    let heavier: Speedups = traffic.iter().filter(|(_, ratio)| *ratio > 1.07).copied().collect();
    let emptied: Vec<String> = board
        .full_warps(all, "PDOM")
        .iter()
        .zip(board.full_warps(all, "DWF"))
        .filter(|((_, before), (_, after))| *after < before - 0.02)
        .map(|((name, before), (_, after))| format!("{name} {:.0}% to {:.0}%", 100.0 * before, 100.0 * after))
        .collect();
    let empty = |technique: &str| average(&board.slots(divergent, technique, &[SlotClass::Memory, SlotClass::Idle]));
    // The listing with the break counts here: it shows only this effect.
    let everything: Vec<&'static str> = catalogue::suite(Suite::Divergence).map(|workload| workload.name).collect();
    let lcp_tbc = board.speedups(&everything, "TBC-LCP", "TBC");
    let lcp_pdom = board.speedups(&everything, "PDOM-LCP", "PDOM");
    let touched =
        |speedups: &Speedups| -> Speedups { speedups.iter().filter(|(_, s)| (s - 1.0).abs() > 0.001).copied().collect() };
    let depths: Vec<(&str, u64)> =
        all.iter().filter_map(|name| board.report(name, "TBC-LCP").map(|report| (*name, report.max_stack_depth))).collect();
    let deepest = depths.iter().map(|(_, depth)| *depth).max();
    let example = |technique: &str| {
        board.results.of(&RunSpec::of(EXAMPLES[0], FIGURE_7, technique).sized(Size::Tiny)).map(|report| report.cycles as f64)
    };
    vec![
        JUDGE.effect(
            "tbc.figure-7",
            "section 3.1, figure 7",
            "In the example of two warps of four TBC takes 12.5% less time than PDOM",
            0.875,
        )
        .judge(
            example("TBC").zip(example("PDOM")).map(|(tbc, pdom)| tbc / pdom),
            "Cycles of the listing on the machine of the figure: warps of four, one issue a cycle, every latency one. Blocks of \
             code are a few instructions here, and the figure counts each as one step."
                .to_string(),
        ),
        JUDGE.fact(
            "tbc.simd-efficiency",
            "section 1, figure 2(a)",
            "TBC has a higher SIMD efficiency than PDOM and DWF on divergent applications",
            "TBC above PDOM and DWF",
            match (efficiency("PDOM"), efficiency("DWF"), efficiency("TBC-LCP")) {
                (Some(pdom), Some(dwf), Some(tbc)) => Some((
                    format!("PDOM {:.1}%, DWF {:.1}%, TBC {:.1}%", 100.0 * pdom, 100.0 * dwf, 100.0 * tbc),
                    tbc > pdom && tbc > dwf,
                )),
                _ => None,
            },
            format!("Averages. TBC: {}. DWF: {}.", each_percent(&efficiencies("TBC-LCP")), each_percent(&efficiencies("DWF"))),
        ),
        JUDGE.fact(
            "tbc.efficiency-wb",
            "section 6.1, figure 13(a)",
            "TBC usually improves SIMD efficiency as well as DWF-WB does",
            "0.95 or more of DWF-WB's on most divergent applications",
            (!as_well.is_empty()).then(|| {
                let fine = as_well.iter().filter(|(_, ratio)| *ratio >= 0.95).count();
                (format!("on {fine} of {}", as_well.len()), 2 * fine > as_well.len())
            }),
            format!("TBC's over DWF-WB's: {}.", each(&as_well)),
        ),
        JUDGE.effect("tbc.dwf-stalls", "section 1, figure 2(b)", "DWF has 2.7 times the stalls of the memory pipeline", 2.7).judge(
            stall_ratios.0,
            format!(
                "Issue slots in which a warp was ready and an access to memory held the pipeline, as a share of PDOM's cycles, on \
                 average over all workloads, over the same of PDOM. By cause, PDOM: {}. DWF: {}. Without those at a full memory: {}.",
                causes("PDOM"),
                causes("DWF"),
                conflict_ratio.map_or_else(|| "not measured".to_string(), |ratio| format!("{ratio:.2} times"))
            ),
        ),
        JUDGE.fact(
            "tbc.stalls",
            "section 6.1, figures 13(b) and 14(b)",
            "TBC introduces far fewer extra memory stalls than DWF",
            "less than half of DWF's",
            stall_ratios.0.zip(stall_ratios.1).map(|(dwf, tbc)| {
                (format!("times PDOM's: DWF {dwf:.2}, TBC {tbc:.2}"), dwf > 1.0 && tbc - 1.0 < (dwf - 1.0) / 2.0)
            }),
            format!(
                "Share of issue slots, DWF: {}. TBC: {}. By cause, TBC: {}.",
                each_percent(&stalled("DWF")),
                each_percent(&stalled("TBC-LCP")),
                causes("TBC-LCP")
            ),
        ),
        JUDGE.fact(
            "tbc.waits",
            "section 6.1, figure 13(a)",
            "TBC's synchronisation at branches leaves the port without a ready warp more often than DWF-WB does",
            "more W0 idle and W0 Mem under TBC",
            empty("TBC-LCP").zip(empty("DWF-WB")).map(|(tbc, wb)| {
                (format!("TBC {:.1}% of issue slots, DWF-WB {:.1}%", 100.0 * tbc, 100.0 * wb), tbc > wb)
            }),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.coalescing",
            "sections 1 and 2.3, figure 1(b)",
            "Regrouping threads makes more memory accesses under DWF, and far fewer of them under TBC",
            "DWF well above PDOM, TBC close to it",
            match (board.ratio_of_shares(&right, "DWF", transactions), board.ratio_of_shares(&right, "TBC-LCP", transactions)) {
                (Some(dwf), Some(tbc)) => Some((
                    format!("transactions over PDOM's: DWF {dwf:.2}, TBC {tbc:.2}"),
                    dwf > 1.05 && (tbc - 1.0).abs() < (dwf - 1.0) / 2.0,
                )),
                _ => None,
            },
            format!(
                "As a share of PDOM's cycles, on average over all workloads, over the same of PDOM. Each by itself, DWF: {}.",
                each(&board.ratios(&right, "DWF", "PDOM", transactions))
            ),
        ),
        JUDGE.fact(
            "tbc.traffic",
            "section 6.3, figure 16",
            "Memory traffic outside the core is within 7% of PDOM's with TBC on every application but one: the L1 cache absorbs the rest",
            "at most 1.07 on each",
            (!traffic.is_empty()).then(|| {
                let above = if heavier.is_empty() { "none above".to_string() } else { format!("above on {}", each(&heavier)) };
                (above, heavier.is_empty())
            }),
            format!("Accesses to the L2 cache over PDOM's: {}.", each(&traffic)),
        ),
        JUDGE.fact(
            "tbc.dwf-empties-warps",
            "section 6.1, figures 13(a) and 14(a)",
            "In some applications DWF turns full warps into emptier ones (starvation eddies)",
            "a smaller share of W29-32 than under PDOM on some",
            (!all.is_empty()).then(|| (emptied.join(", "), !emptied.is_empty())),
            "Share of the used issue slots with 29 to 32 active threads, PDOM to DWF, where it falls by more than 2 points."
                .to_string(),
        ),
        JUDGE.fact(
            "tbc.lcp",
            "section 4, figure 11",
            "Likely-convergence points help where a loop is left by a break, and matter nowhere else",
            "some applications faster, none slower",
            (!all.is_empty()).then(|| {
                let (tbc, pdom) = (touched(&lcp_tbc), touched(&lcp_pdom));
                // The listing shows the effect at its extreme, but is no application.
                let gains = |(name, speedup): &(&'static str, f64)| *speedup > 1.01 && !EXAMPLES.contains(name);
                let fine = |speedups: &Speedups| speedups.iter().all(|(_, s)| *s > 0.98) && speedups.iter().any(gains);
                (format!("TBC-LCP over TBC: {}; PDOM-LCP over PDOM: {}", each(&tbc), each(&pdom)), fine(&tbc) && fine(&pdom))
            }),
            "Listed are workloads that differ by more than 0.1%. The listing of section 4 shows the effect at its extreme: without \
             such points every iteration splits the warp once more, for good."
                .to_string(),
        ),
        JUDGE.fact(
            "tbc.stack-depth",
            "section 7, table 3",
            "Most applications need fewer than 16 entries of the block-wide stack",
            "fewer than 16 on all but one at most: 1 to 14, merge sort 38",
            deepest.map(|deepest| {
                let list = depths.iter().map(|(name, depth)| format!("{name} {depth}")).collect::<Vec<_>>().join(", ");
                (format!("at most {deepest}: {list}"), depths.iter().filter(|(_, d)| *d >= 16).count() <= 1)
            }),
            "A branch that meets where the entry below waits replaces its entry, so a loop does not deepen the stack.".to_string(),
        ),
    ]
}
