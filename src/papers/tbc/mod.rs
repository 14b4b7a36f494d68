//! Thread Block Compaction (Fung and Aamodt, HPCA 2011): its evaluation in section 6, on the machine of its table 2.
//!
//! The paper sorts its benchmarks by SIMD efficiency under PDOM: below 76 per cent they are divergent, else coherent (section
//! 2.2.2). The same rule sorts the catalogue here. The paper's two code listings, which are in the catalogue too, are no
//! applications, and each shows nothing but one effect; they are left out of both sets and only speak where a claim is about
//! that effect. Speedups are ratios of cycles, their means harmonic.

mod dwf;

use super::judge::{Effect, Judge, Speedups, each, mean};
use super::{Claim, Results, Run, RunError};
use crate::metrics::Report;
use crate::workload::{self, Suite};

const JUDGE: Judge = Judge { paper: "tbc" };
const PRESET: &str = "tbc";
/// The listings: example 1 and example 2.
const EXAMPLES: [&str; 2] = ["tbc_example1", "tbc_example2"];
/// Section 2.2.2.
const DIVERGENT_BELOW: f64 = 0.76;
const TECHNIQUES: [&str; 8] = ["PDOM", "PDOM-LCP", "DWF", "DWF-WB", "TBC", "TBC-LCP", "TBC-LCP-RRB", "TBC-LCP-SRR"];
/// What the paper's DWF gains on divergent applications.
const DWF_OVER_PDOM: f64 = 1.04;
/// Warps of four, as figure 7 has them.
const FIGURE_7: &str = "toy";
/// Section 6.4: 128 KB instead of 1 MB for each of 8 channels, of which a core of 30 has its share; 8 ways.
const SMALL_L2: [(&str, &str); 2] = [("l2_bytes", "34952"), ("l2_ways", "8")];
const WITH_SMALL_L2: [&str; 5] = ["PDOM", "DWF", "DWF-WB", "TBC-LCP", "TBC-LCP-RRB"];

pub fn runs() -> Vec<Run> {
    let mut runs = Vec::new();
    for workload in workload::suite(Suite::Divergence) {
        runs.extend(TECHNIQUES.map(|technique| Run::new(workload.name, PRESET, technique)));
        runs.extend(WITH_SMALL_L2.map(|technique| Run::new(workload.name, PRESET, technique).with(&SMALL_L2)));
    }
    runs.extend(dwf::runs());
    runs.extend(["PDOM", "TBC"].map(|technique| Run::new(EXAMPLES[0], FIGURE_7, technique).with_tiny_launch()));
    runs
}

/// The results, sorted into the paper's two sets.
struct Board<'a> {
    results: &'a Results,
    divergent: Vec<&'static str>,
    coherent: Vec<&'static str>,
}

impl<'a> Board<'a> {
    fn new(results: &'a Results) -> Board<'a> {
        let mut board = Board { results, divergent: Vec::new(), coherent: Vec::new() };
        for workload in workload::suite(Suite::Divergence).filter(|workload| !EXAMPLES.contains(&workload.name)) {
            let Some(report) = board.report(workload.name, "PDOM") else { continue };
            let set = if report.simd_efficiency < DIVERGENT_BELOW { &mut board.divergent } else { &mut board.coherent };
            set.push(workload.name);
        }
        board
    }

    fn report(&self, workload: &str, technique: &str) -> Option<&'a Report> {
        self.results.of(&Run::new(workload, PRESET, technique))
    }

    fn all(&self) -> Vec<&'static str> {
        self.divergent.iter().chain(&self.coherent).copied().collect()
    }

    /// How much faster a technique is than another, for each workload that both ran.
    fn speedups(&self, set: &[&'static str], technique: &str, over: &str) -> Speedups {
        let cycles = |workload: &str, technique: &str| self.report(workload, technique).map(|report| report.cycles as f64);
        set.iter().filter_map(|name| Some((*name, cycles(name, over)? / cycles(name, technique)?))).collect()
    }

    /// How much faster a technique is than PDOM, both on a machine with other keys.
    fn speedups_with(&self, set: &[&'static str], keys: &[(&str, &str)], technique: &str) -> Speedups {
        let cycles = |workload: &str, technique: &str| {
            let run = Run::new(workload, PRESET, technique).with(keys);
            self.results.of(&run).map(|report| report.cycles as f64)
        };
        set.iter().filter_map(|name| Some((*name, cycles(name, "PDOM")? / cycles(name, technique)?))).collect()
    }

    /// The speedup of one workload of the catalogue, which stands for one of the paper's.
    fn one(&self, name: &'static str, technique: &str) -> Option<f64> {
        self.speedups(&[name], technique, "PDOM").pop().map(|(_, speedup)| speedup)
    }

    /// A quantity of a technique over that of PDOM, on average over the workloads of a set that have it.
    fn average(&self, set: &[&'static str], technique: &str, quantity: impl Fn(&Report) -> f64) -> Option<f64> {
        average(&self.ratios(set, technique, quantity))
    }

    /// A quantity in cycles as a share of PDOM's cycles, averaged over a set, over the same of PDOM: every workload counts
    /// alike, however long it runs and however little of it PDOM has.
    fn ratio_of_shares(&self, set: &[&'static str], technique: &str, quantity: impl Fn(&Report) -> f64) -> Option<f64> {
        let sum = |technique: &str| {
            let share = |name: &&'static str| {
                Some(quantity(self.report(name, technique)?) / self.report(name, "PDOM")?.cycles.max(1) as f64)
            };
            set.iter().map(share).sum::<Option<f64>>().filter(|&sum| sum > 0.0)
        };
        if set.is_empty() { None } else { Some(sum(technique)? / sum("PDOM")?) }
    }

    /// A quantity under a technique over the same under PDOM, workload by workload.
    fn ratios(&self, set: &[&'static str], technique: &str, quantity: impl Fn(&Report) -> f64) -> Speedups {
        let ratio = |name: &&'static str| {
            let pdom = self.report(name, "PDOM").map(&quantity).filter(|&value| value > 0.0)?;
            Some((*name, quantity(self.report(name, technique)?) / pdom))
        };
        set.iter().filter_map(ratio).collect()
    }

    /// The share of its issue slots that a class takes, workload by workload.
    fn slots(&self, set: &[&'static str], technique: &str, classes: &[&str]) -> Speedups {
        let share = |name: &&'static str| {
            let report = self.report(name, technique)?;
            let all: u64 = report.issue_slots.0.iter().map(|(_, count)| count).sum();
            Some((*name, classes.iter().map(|class| slot(report, class)).sum::<f64>() / all.max(1) as f64))
        };
        set.iter().filter_map(share).collect()
    }
}

/// `name 50%, …`
fn percents(shares: &Speedups) -> String {
    shares.iter().map(|(name, share)| format!("{name} {:.0}%", 100.0 * share)).collect::<Vec<_>>().join(", ")
}

fn average(values: &Speedups) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().map(|(_, value)| value).sum::<f64>() / values.len() as f64)
}

fn slot(report: &Report, name: &str) -> f64 {
    report.issue_slots.get(name) as f64
}

fn effect(id: &'static str, place: &'static str, claim: &'static str, expected: f64) -> Effect {
    Effect { judge: JUDGE, id, place, claim, expected }
}

pub fn judge(results: &Results) -> Vec<Claim> {
    let board = Board::new(results);
    let mut claims = speeds(&board);
    claims.extend(priorities(&board));
    claims.extend(small_caches(&board));
    claims.extend(mechanisms(&board));
    claims.extend(applications(&board));
    claims.extend(persistent_threads(&board));
    claims.extend(untestable());
    claims
}

/// Figure 12.
fn speeds(board: &Board) -> Vec<Claim> {
    let (divergent, coherent, all) = (&board.divergent[..], &board.coherent[..], &board.all()[..]);
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
    // The share of the cycles that DWF loses which warp barriers win back.
    let recovered: Speedups = lost
        .iter()
        .filter_map(|&(name, dwf)| Some((name, (1.0 / dwf - 1.0 / board.one(name, "DWF-WB")?) / (1.0 / dwf - 1.0))))
        .collect();
    let recovering = recovered.iter().filter(|(_, share)| *share > 0.5).count();
    // Whoever would rather have the listings among the applications can see what that changes.
    let with_listings = |set: &[&'static str], technique: &str| {
        let set: Vec<&'static str> = set.iter().copied().chain(EXAMPLES).collect();
        mean(&over_pdom(&set, technique))
            .map_or_else(String::new, |mean| format!(" With the paper's two listings counted in: {mean:.2}."))
    };
    let waits = |technique: &str| percents(&board.slots(divergent, technique, &["w0_mem", "w0_idle"]));
    let filled = |technique: &str| {
        let of = |name: &&'static str| board.report(name, technique).map(|report| (*name, report.simd_efficiency));
        percents(&divergent.iter().filter_map(of).collect())
    };
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
        effect("tbc.divergent", "abstract, section 6, figure 12", "TBC is 22% faster than PDOM on divergent applications", 1.22)
            .judge(mean(&tbc), format!("{}.{}", each(&tbc), with_listings(divergent, "TBC-LCP"))),
        effect(
            "tbc.dwf-divergent",
            "section 6, figure 12",
            "DWF is 4% faster than PDOM on divergent applications",
            DWF_OVER_PDOM,
        )
        .judge(mean(&dwf), format!("{}.{} {}", each(&dwf), with_listings(divergent, "DWF"), why_dwf)),
        effect(
            "tbc.dwf-wb-divergent",
            "section 6 (derived: TBC is 22% over PDOM and 6% over DWF-WB)",
            "DWF with warp barriers is about 15% faster than PDOM on divergent applications",
            1.15,
        )
        .judge(mean(&wb), format!("{}.{}", each(&wb), with_listings(divergent, "DWF-WB"))),
        effect("tbc.over-dwf", "abstract, section 6", "TBC is 17% faster than DWF on divergent applications", 1.17)
            .judge(mean(&tbc_over_dwf), format!("{}. {idle}", each(&tbc_over_dwf))),
        effect("tbc.over-dwf-wb", "section 6", "TBC is 6% faster than DWF-WB on divergent applications", 1.06)
            .judge(mean(&tbc_over_wb), format!("{}.", each(&tbc_over_wb))),
        JUDGE.fact(
            "tbc.coherent",
            "section 8, figure 12",
            "TBC costs coherent applications nothing",
            "about 1.0, no less than 0.98",
            mean(&cohe).map(|mean| (format!("{mean:.3}"), mean >= 0.98)),
            format!("{}. With RRB: {}.", each(&cohe), each(&over_pdom(coherent, "TBC-LCP-RRB"))),
        ),
        effect("tbc.all", "section 6", "TBC is 10% faster than PDOM over all applications", 1.10)
            .judge(mean(&over_pdom(all, "TBC-LCP")), with_listings(all, "TBC-LCP").trim().to_string()),
        JUDGE.fact(
            "tbc.dwf-wb-all",
            "section 6",
            "DWF with warp barriers performs as PDOM does over all applications",
            "0.98 to 1.02",
            mean(&wb_all).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= 0.02)),
            format!("{}.", each(&wb_all)),
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
            format!("Share of the slowdown that is won back: {}.", percents(&recovered)),
        ),
    ]
}

/// How much coalescing there is to lose.
fn coalescing(board: &Board, set: &[&'static str]) -> String {
    let transactions = |report: &Report| report.memory_transactions as f64;
    let stalls = |technique: &str| percents(&board.slots(set, technique, &["stall"]));
    format!(
        "Transactions over PDOM's: {}. Issue slots behind a busy pipeline: PDOM {}; DWF {}.",
        each(&board.ratios(set, "DWF", transactions)),
        stalls("PDOM"),
        stalls("DWF")
    )
}

/// Figure 15.
fn priorities(board: &Board) -> Vec<Claim> {
    let all = &board.all()[..];
    let over_pdom = |technique: &str| board.speedups(all, technique, "PDOM");
    let kinds = [("AGE", "TBC-LCP"), ("RRB", "TBC-LCP-RRB"), ("SRR", "TBC-LCP-SRR")];
    let means = kinds.map(|(name, technique)| (name, mean(&over_pdom(technique))));
    let best = means.iter().filter_map(|(name, mean)| mean.map(|mean| (*name, mean))).max_by(|a, b| a.1.total_cmp(&b.1));
    let listed = || means.iter().filter_map(|(name, mean)| mean.map(|mean| format!("{name} {mean:.3}"))).collect::<Vec<_>>();
    // How far each is behind the best of the three, where it is furthest behind.
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

/// Figure 17.
fn small_caches(board: &Board) -> Vec<Claim> {
    let (divergent, coherent) = (&board.divergent[..], &board.coherent[..]);
    let age = board.speedups_with(divergent, &SMALL_L2, "TBC-LCP");
    let rrb = board.speedups_with(divergent, &SMALL_L2, "TBC-LCP-RRB");
    let change = |set: &[&'static str], technique: &str| -> Speedups {
        let large = board.speedups(set, technique, "PDOM");
        board
            .speedups_with(set, &SMALL_L2, technique)
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
        effect(
            "tbc.small-l2",
            "section 6.4, figure 17",
            "With an L2 cache of an eighth TBC (AGE) is 13.5% faster than PDOM on divergent applications",
            1.135,
        )
        .judge(mean(&age), format!("{}.", each(&age))),
        effect("tbc.small-l2-rrb", "section 6.4, figure 17", "and TBC with RRB 15%", 1.15)
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

/// Figures 2, 7, 11, 13, 14, 16 and table 3.
fn mechanisms(board: &Board) -> Vec<Claim> {
    let (divergent, all) = (&board.divergent[..], &board.all()[..]);
    let efficiencies = |technique: &str| -> Speedups {
        divergent.iter().filter_map(|name| board.report(name, technique).map(|report| (*name, report.simd_efficiency))).collect()
    };
    // What goes wrong under DWF has nothing to compare.
    let is_right = |name: &str| board.report(name, "DWF").is_some();
    let efficiency = |technique: &str| average(&efficiencies(technique).into_iter().filter(|(name, _)| is_right(name)).collect());
    let stalls = |report: &Report| slot(report, "stall");
    let right: Vec<&'static str> = all.iter().copied().filter(|name| is_right(name)).collect();
    let stall_ratios = (board.ratio_of_shares(&right, "DWF", stalls), board.ratio_of_shares(&right, "TBC-LCP", stalls));
    let transactions = |report: &Report| report.memory_transactions as f64;
    let traffic = board.ratios(all, "TBC-LCP", |report: &Report| report.l2.accesses as f64);
    let heavier: Speedups = traffic.iter().filter(|(_, ratio)| *ratio > 1.07).copied().collect();
    let full = |technique: &str| -> Speedups {
        let share = |name: &&'static str| {
            let report = board.report(name, technique)?;
            let used: f64 =
                report.issue_slots.0.iter().filter(|(key, _)| key.starts_with('W')).map(|(_, count)| *count as f64).sum();
            Some((*name, slot(report, "W29_32") / used.max(1.0)))
        };
        all.iter().filter_map(share).collect()
    };
    let emptied: Vec<String> = full("PDOM")
        .iter()
        .zip(full("DWF"))
        .filter(|((_, before), (_, after))| *after < before - 0.02)
        .map(|((name, before), (_, after))| format!("{name} {:.0}% to {:.0}%", 100.0 * before, 100.0 * after))
        .collect();
    let empty = |technique: &str| average(&board.slots(divergent, technique, &["w0_mem", "w0_idle"]));
    // The listing with the break counts here: it shows nothing but this effect.
    let everything: Vec<&'static str> = workload::suite(Suite::Divergence).map(|workload| workload.name).collect();
    let lcp_tbc = board.speedups(&everything, "TBC-LCP", "TBC");
    let lcp_pdom = board.speedups(&everything, "PDOM-LCP", "PDOM");
    let touched =
        |speedups: &Speedups| -> Speedups { speedups.iter().filter(|(_, s)| (s - 1.0).abs() > 0.001).copied().collect() };
    let depths: Vec<(&str, u64)> =
        all.iter().filter_map(|name| board.report(name, "TBC-LCP").map(|report| (*name, report.max_stack_depth))).collect();
    let deepest = depths.iter().map(|(_, depth)| *depth).max();
    let example = |technique: &str| {
        board.results.of(&Run::new(EXAMPLES[0], FIGURE_7, technique).with_tiny_launch()).map(|report| report.cycles as f64)
    };
    vec![
        effect(
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
            format!("Averages. TBC: {}. DWF: {}.", percents(&efficiencies("TBC-LCP")), percents(&efficiencies("DWF"))),
        ),
        effect("tbc.dwf-stalls", "section 1, figure 2(b)", "DWF has 2.7 times the stalls of the memory pipeline", 2.7).judge(
            stall_ratios.0,
            "Issue slots in which a warp was ready and the pipeline was not free, as a share of PDOM's cycles, on average over all \
             workloads, over the same of PDOM."
                .to_string(),
        ),
        JUDGE.fact(
            "tbc.stalls",
            "section 6.1, figures 13(b) and 14(b)",
            "TBC introduces far fewer extra memory stalls than DWF",
            "less than half of DWF's",
            stall_ratios.0.zip(stall_ratios.1).map(|(dwf, tbc)| {
                (format!("times PDOM's: DWF {dwf:.2}, TBC {tbc:.2}"), dwf > 1.0 && tbc - 1.0 < (dwf - 1.0) / 2.0)
            }),
            format!("DWF: {}. TBC: {}.", percents(&board.slots(all, "DWF", &["stall"])), percents(&board.slots(all, "TBC-LCP", &["stall"]))),
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
            match (board.average(all, "DWF", transactions), board.average(all, "TBC-LCP", transactions)) {
                (Some(dwf), Some(tbc)) => Some((
                    format!("transactions over PDOM's: DWF {dwf:.2}, TBC {tbc:.2}"),
                    dwf > 1.05 && (tbc - 1.0).abs() < (dwf - 1.0) / 2.0,
                )),
                _ => None,
            },
            String::new(),
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
            "some faster, none slower",
            (!all.is_empty()).then(|| {
                let (tbc, pdom) = (touched(&lcp_tbc), touched(&lcp_pdom));
                let fine =
                    |speedups: &Speedups| speedups.iter().all(|(_, s)| *s > 0.98) && speedups.iter().any(|(_, s)| *s > 1.01);
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
            "1 to 14, merge sort 38",
            deepest.map(|deepest| {
                let list = depths.iter().map(|(name, depth)| format!("{name} {depth}")).collect::<Vec<_>>().join(", ");
                (format!("at most {deepest}: {list}"), depths.iter().filter(|(_, d)| *d < 16).count() * 2 > depths.len())
            }),
            "A branch that meets where the entry below waits replaces its entry, so a loop does not deepen the stack.".to_string(),
        ),
    ]
}

/// What the paper says of single applications that the catalogue has a workload like.
fn applications(board: &Board) -> Vec<Claim> {
    let told = |name: &'static str, technique: &str| board.one(name, technique).map(|speedup| (format!("{speedup:.2}"), speedup));
    let memory = |technique: &str| board.slots(&["bfs"], technique, &["w0_mem"]).pop().map(|(_, share)| share);
    let depth = |name: &str| board.report(name, "TBC-LCP").map(|report| report.max_stack_depth);
    vec![
        JUDGE.fact(
            "tbc.bfs-dwf",
            "section 2.3, figure 6",
            "DWF improves breadth-first search significantly",
            "1.1 or more",
            told("bfs", "DWF").map(|(told, speedup)| (told, speedup >= 1.1)),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.bfs-tbc",
            "section 6, figure 12",
            "Much of TBC's gain is on applications of very low SIMD efficiency, such as breadth-first search",
            "1.22 or more",
            told("bfs", "TBC-LCP").map(|(told, speedup)| (told, speedup >= 1.22)),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.bfs-memory",
            "section 6.1, figure 13(a)",
            "Breadth-first search becomes memory-bound with TBC",
            "a larger share of W0 Mem than under PDOM",
            memory("PDOM")
                .zip(memory("TBC-LCP"))
                .map(|(pdom, tbc)| (format!("{:.1}% of issue slots, PDOM {:.1}%", 100.0 * tbc, 100.0 * pdom), tbc > pdom + 0.01)),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.ray-dwf",
            "section 6, figure 12",
            "DWF slows ray tracing down",
            "below 0.98",
            told("raytrace", "DWF").map(|(told, speedup)| (told, speedup < 0.98)),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.ray-dwf-wb",
            "sections 2.4 and 6.1",
            "and still suffers from starvation eddies with warp barriers",
            "below 0.98",
            told("raytrace", "DWF-WB").map(|(told, speedup)| (told, speedup < 0.98)),
            "The paper's ray tracer branches more deeply between the top-level branch and its end than the one here.".to_string(),
        ),
        JUDGE.fact(
            "tbc.mergesort-depth",
            "section 7, table 3",
            "Merge sort needs the deepest stack, 38 entries",
            "the deepest of all",
            depth("mergesort").map(|own| {
                let deepest = board.all().iter().filter_map(|name| depth(name)).max().unwrap_or(own);
                (format!("{own}, the deepest has {deepest}"), own == deepest)
            }),
            "The paper's has seven kernels of deeper nesting; the one here is a single kernel.".to_string(),
        ),
    ]
}

/// The ray tracer whose warps take their work from a queue (NVRT in the paper).
fn persistent_threads(board: &Board) -> Vec<Claim> {
    const NAME: &str = "rayqueue";
    let over = |technique: &str, over: &str| board.speedups(&[NAME], technique, over).pop().map(|(_, speedup)| speedup);
    let lanes = |technique: &str| board.report(NAME, technique).map(|report| report.simd_efficiency);
    let waits = |technique: &str| board.slots(&[NAME], technique, &["w0_mem", "w0_idle"]).pop().map(|(_, share)| share);
    let told = |names: &[&str], number: &dyn Fn(&str) -> Option<f64>| {
        let told = names.iter().filter_map(|name| Some(format!("{name} {:.0}%", 100.0 * number(name)?)));
        told.collect::<Vec<_>>().join(", ")
    };
    let note = format!(
        "Lanes filled: {}. Issue slots without a ready warp: {}.",
        told(&["PDOM", "PDOM-LCP", "DWF-WB", "TBC", "TBC-LCP"], &lanes),
        told(&["PDOM", "PDOM-LCP", "DWF-WB", "TBC", "TBC-LCP"], &waits),
    );
    let dwf = Run::new(NAME, PRESET, "DWF");
    let under_dwf = match board.results.error(&dwf) {
        Some(RunError::Wrong(_)) => Some(("a wrong picture".to_string(), true)),
        Some(RunError::Failed(why)) => Some((why.clone(), true)),
        Some(RunError::Unfit(_)) => None,
        None => board.results.of(&dwf).map(|_| ("the right picture".to_string(), false)),
    };
    let deeper = |with: &str, without: &str| {
        let depth = |technique: &str| board.report(NAME, technique).map(|report| report.max_stack_depth);
        depth(with).zip(depth(without)).map_or_else(String::new, |(with, without)| {
            format!("Entries of the deepest stack: {without}, with likely-convergence points {with}.")
        })
    };
    vec![
        JUDGE.fact(
            "tbc.nvrt-dwf",
            "sections 2.3 and 6",
            "Persistent threads that take work from a queue warp by warp go wrong under DWF",
            "a wrong picture, or no end",
            under_dwf,
            "Threads go on with old rays while the first of their static warp should take new ones. Where the schedule prefers \
             the majority, as here, the first may never come to it."
                .to_string(),
        ),
        effect("tbc.nvrt-dwf-wb", "section 2.4", "With warp barriers they run properly, and 60% faster than under PDOM", 1.60)
            .judge(over("DWF-WB", "PDOM"), note.clone()),
        effect("tbc.nvrt-lcp", "section 4, figure 11", "Likely-convergence points make them 30% faster under TBC", 1.30)
            .judge(over("TBC-LCP", "TBC"), deeper("TBC-LCP", "TBC")),
        effect("tbc.nvrt-lcp-pdom", "section 4, figure 11", "and 14% faster under PDOM", 1.14)
            .judge(over("PDOM-LCP", "PDOM"), deeper("PDOM-LCP", "PDOM")),
        JUDGE.fact(
            "tbc.nvrt-over-tbc",
            "section 6.1",
            "On them DWF with warp barriers is faster than TBC, which takes threads from one block alone",
            "above 1",
            over("DWF-WB", "TBC-LCP").map(|speedup| (format!("{speedup:.2}"), speedup > 1.0)),
            note,
        ),
    ]
}

/// What no run here can decide.
fn untestable() -> Vec<Claim> {
    vec![
        JUDGE.untestable(
            "tbc.mum",
            "section 6.4",
            "A smaller L2 cache turns DWF's 28% on MUMMER-GPU++ into a slowdown of 4%",
            "1.28 and 0.96",
            "The catalogue has no suffix tree in texture memory; tbc.small-l2-dwf has the worst case among its workloads.",
        ),
        JUDGE.untestable(
            "tbc.dg",
            "section 6.3, figure 16",
            "gpuDG's traffic is 2.67 times PDOM's with AGE, by misses of the texture cache, and RRB lowers it",
            "2.67",
            "The machine has no texture cache.",
        ),
        JUDGE.untestable(
            "tbc.encoders",
            "section 7",
            "The priority encoders of the thread compactor take a negligible area",
            "well below 1 mm²",
            "It is a synthesis result.",
        ),
    ]
}
