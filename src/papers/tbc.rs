//! Thread Block Compaction (Fung and Aamodt, HPCA 2011): its evaluation in section 6, on the machine of its table 2.
//!
//! The paper sorts its benchmarks by SIMD efficiency under PDOM: below 76 per cent they are divergent, else coherent (section
//! 2.2.2). The same rule sorts the catalogue here. The paper's two code listings, which are in the catalogue too, are no
//! applications, and each shows nothing but one effect; they are left out of both sets and only speak where a claim is about
//! that effect. Speedups are ratios of cycles, their means harmonic.

use super::judge::{Judge, NumberClaim, Speedups, each, mean};
use super::{Claim, Results, Run};
use crate::metrics::Report;
use crate::workload::{self, Suite};

const JUDGE: Judge = Judge { paper: "tbc" };
const PRESET: &str = "tbc";
/// The listings: example 1 and example 2.
const EXAMPLES: [&str; 2] = ["tbc_example1", "tbc_example2"];
/// Section 2.2.2.
const DIVERGENT_BELOW: f64 = 0.76;
const TECHNIQUES: [&str; 8] = ["PDOM", "PDOM-LCP", "DWF", "DWF-WB", "TBC", "TBC-LCP", "TBC-LCP-RRB", "TBC-LCP-SRR"];
/// Section 6.4: 128 KB instead of 1 MB for each of 8 channels, of which a core of 30 has its share; 8 ways.
const SMALL_L2: [(&str, &str); 2] = [("l2_bytes", "34952"), ("l2_ways", "8")];
const WITH_SMALL_L2: [&str; 5] = ["PDOM", "DWF", "DWF-WB", "TBC-LCP", "TBC-LCP-RRB"];

pub fn runs() -> Vec<Run> {
    let mut runs = Vec::new();
    for workload in workload::suite(Suite::Divergence) {
        runs.extend(TECHNIQUES.map(|technique| Run::new(workload.name, PRESET, technique)));
        runs.extend(WITH_SMALL_L2.map(|technique| Run::new(workload.name, PRESET, technique).with(&SMALL_L2)));
    }
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

    fn speedups_small_l2(&self, set: &[&'static str], technique: &str) -> Speedups {
        let cycles = |workload: &str, technique: &str| {
            let run = Run::new(workload, PRESET, technique).with(&SMALL_L2);
            self.results.of(&run).map(|report| report.cycles as f64)
        };
        set.iter().filter_map(|name| Some((*name, cycles(name, "PDOM")? / cycles(name, technique)?))).collect()
    }

    /// A quantity of a technique over that of PDOM, on average over the workloads of a set that have it.
    fn average(&self, set: &[&'static str], technique: &str, quantity: impl Fn(&Report) -> f64) -> Option<f64> {
        let ratio = |name: &&'static str| {
            let pdom = self.report(name, "PDOM").map(&quantity).filter(|&value| value > 0.0)?;
            Some(self.report(name, technique).map(&quantity)? / pdom)
        };
        let ratios: Vec<f64> = set.iter().filter_map(ratio).collect();
        (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
    }

    /// The same of the sums over a set, for what some hardly have.
    fn ratio(&self, set: &[&'static str], technique: &str, quantity: impl Fn(&Report) -> f64) -> Option<f64> {
        let sum = |technique: &str| {
            set.iter().map(|name| self.report(name, technique).map(&quantity)).sum::<Option<f64>>().filter(|&sum| sum > 0.0)
        };
        if set.is_empty() { None } else { Some(sum(technique)? / sum("PDOM")?) }
    }
}

/// `name 50%, …`
fn percents(shares: &Speedups) -> String {
    shares.iter().map(|(name, share)| format!("{name} {:.0}%", 100.0 * share)).collect::<Vec<_>>().join(", ")
}

fn slot(report: &Report, name: &str) -> f64 {
    report.issue_slots.get(name) as f64
}

pub fn judge(results: &Results) -> Vec<Claim> {
    let board = Board::new(results);
    let mut claims = speeds(&board);
    claims.extend(mechanisms(&board));
    claims
}

/// Figures 12, 15 and 17.
fn speeds(board: &Board) -> Vec<Claim> {
    let (divergent, coherent, all) = (&board.divergent[..], &board.coherent[..], &board.all()[..]);
    let over_pdom = |set: &[&'static str], technique: &str| board.speedups(set, technique, "PDOM");
    let number = |id, place, claim, expected, tolerance| NumberClaim { judge: JUDGE, id, place, claim, expected, tolerance };
    let tbc = over_pdom(divergent, "TBC-LCP");
    let dwf = over_pdom(divergent, "DWF");
    let wb = over_pdom(divergent, "DWF-WB");
    let tbc_over_dwf = board.speedups(divergent, "TBC-LCP", "DWF");
    let tbc_over_wb = board.speedups(divergent, "TBC-LCP", "DWF-WB");
    let cohe = over_pdom(coherent, "TBC-LCP");
    let slower: Speedups = over_pdom(all, "DWF").into_iter().filter(|(_, speedup)| *speedup < 0.98).collect();
    // The share of the cycles that DWF loses which warp barriers win back.
    let recovered: Speedups = slower
        .iter()
        .filter_map(|&(name, dwf)| {
            let (_, wb) = over_pdom(&[name], "DWF-WB").pop()?;
            Some((name, (1.0 / dwf - 1.0 / wb) / (1.0 / dwf - 1.0)))
        })
        .collect();
    let recovering = recovered.iter().filter(|(_, share)| *share > 0.5).count();
    let priorities: Vec<(&str, Option<f64>)> = [("AGE", "TBC-LCP"), ("RRB", "TBC-LCP-RRB"), ("SRR", "TBC-LCP-SRR")]
        .map(|(name, technique)| (name, mean(&over_pdom(all, technique))))
        .to_vec();
    let best = priorities.iter().filter_map(|(name, mean)| mean.map(|mean| (*name, mean))).max_by(|a, b| a.1.total_cmp(&b.1));
    let small = board.speedups_small_l2(divergent, "TBC-LCP");
    // Whoever would rather have the listings among the applications can see what that changes.
    let with_listings = |set: &[&'static str], technique: &str| {
        let set: Vec<&'static str> = set.iter().copied().chain(EXAMPLES).collect();
        mean(&over_pdom(&set, technique))
            .map_or_else(String::new, |mean| format!(" With the paper's two listings counted in: {mean:.2}."))
    };
    vec![
        number(
            "tbc.divergent",
            "abstract, section 6, figure 12",
            "TBC is 22% faster than PDOM on divergent applications",
            1.22,
            0.1,
        )
        .judge(mean(&tbc), format!("{} {}{}", each(&tbc), TBC_DIVERGENT, with_listings(divergent, "TBC-LCP"))),
        number("tbc.dwf-divergent", "section 6, figure 12", "DWF is 4% faster than PDOM on divergent applications", 1.04, 0.1)
            .judge(mean(&dwf), format!("{} {}{}", each(&dwf), DWF_DIVERGENT, with_listings(divergent, "DWF"))),
        number(
            "tbc.dwf-wb-divergent",
            "section 6 (derived: TBC is 22% over PDOM and 6% over DWF-WB)",
            "DWF with warp barriers is about 15% faster than PDOM on divergent applications",
            1.15,
            0.1,
        )
        .judge(mean(&wb), format!("{} {}{}", each(&wb), WB_DIVERGENT, with_listings(divergent, "DWF-WB"))),
        number("tbc.over-dwf", "abstract, section 6", "TBC is 17% faster than DWF on divergent applications", 1.17, 0.1)
            .judge(mean(&tbc_over_dwf), format!("{} {}", each(&tbc_over_dwf), TBC_OVER_DWF)),
        number("tbc.over-dwf-wb", "section 6", "TBC is 6% faster than DWF-WB on divergent applications", 1.06, 0.1)
            .judge(mean(&tbc_over_wb), format!("{} {}", each(&tbc_over_wb), TBC_OVER_DWF)),
        {
            let measured = mean(&cohe).map(|mean| (format!("{mean:.3}"), mean >= 0.98));
            JUDGE.fact(
                "tbc.coherent",
                "section 8, figure 12",
                "TBC costs coherent applications nothing",
                "about 1.0, no less than 0.98",
                measured,
                format!("{} {}", each(&cohe), TBC_COHERENT),
            )
        },
        number("tbc.all", "section 6", "TBC is 10% faster than PDOM over all applications", 1.10, 0.1)
            .judge(mean(&over_pdom(all, "TBC-LCP")), with_listings(all, "TBC-LCP").trim().to_string()),
        JUDGE.fact(
            "tbc.dwf-loses",
            "sections 2.3 and 6",
            "DWF slows some applications down",
            "some below 1",
            (!all.is_empty()).then(|| (each(&slower), !slower.is_empty())),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.wb-recovers",
            "section 6",
            "Warp barriers recover most of DWF's slowdowns",
            "more than half of what DWF loses to PDOM, on most",
            (!slower.is_empty())
                .then(|| (format!("more than half on {recovering} of {}", slower.len()), recovering * 2 > slower.len())),
            format!("Share of the slowdown that is won back: {} {WB_RECOVERS}", percents(&recovered)),
        ),
        JUDGE.fact(
            "tbc.priority",
            "section 6.2, figure 15",
            "Of the block priorities AGE is the fastest overall",
            "AGE",
            best.map(|(name, _)| {
                let means = priorities.iter().filter_map(|(name, mean)| mean.map(|mean| format!("{name} {mean:.3}")));
                (means.collect::<Vec<_>>().join(", "), name == "AGE")
            }),
            PRIORITY.to_string(),
        ),
        number(
            "tbc.small-l2",
            "section 6.4, figure 17",
            "With an L2 cache of an eighth TBC (AGE) is 13.5% faster than PDOM on divergent applications",
            1.135,
            0.1,
        )
        .judge(mean(&small), each(&small)),
    ]
}

/// Figures 2, 11, 13, 14, 16 and table 3.
fn mechanisms(board: &Board) -> Vec<Claim> {
    let (divergent, all) = (&board.divergent[..], &board.all()[..]);
    let efficiency = |technique: &str| {
        let values: Option<Vec<f64>> =
            divergent.iter().map(|name| board.report(name, technique).map(|report| report.simd_efficiency)).collect();
        values.filter(|values| !values.is_empty()).map(|values| values.iter().sum::<f64>() / values.len() as f64)
    };
    let efficiencies = (efficiency("PDOM"), efficiency("DWF"), efficiency("TBC-LCP"));
    let stalls = |report: &Report| slot(report, "stall");
    let stall_ratios = (board.ratio(all, "DWF", stalls), board.ratio(all, "TBC-LCP", stalls));
    let transactions = |report: &Report| report.memory_transactions as f64;
    let traffic = |report: &Report| report.l2.accesses as f64;
    let full = |technique: &str| {
        let share = |name: &&'static str| {
            let report = board.report(name, technique)?;
            let used: f64 =
                report.issue_slots.0.iter().filter(|(key, _)| key.starts_with('W')).map(|(_, count)| *count as f64).sum();
            Some((*name, slot(report, "W29_32") / used.max(1.0)))
        };
        all.iter().filter_map(share).collect::<Speedups>()
    };
    let emptied: Vec<String> = full("PDOM")
        .iter()
        .zip(full("DWF"))
        .filter(|((_, before), (_, after))| *after < before - 0.02)
        .map(|((name, before), (_, after))| format!("{name} {:.0}% to {:.0}%", 100.0 * before, 100.0 * after))
        .collect();
    // The listing with the break counts here: no application of the catalogue has one.
    let everything: Vec<&'static str> = workload::suite(Suite::Divergence).map(|workload| workload.name).collect();
    let lcp_tbc = board.speedups(&everything, "TBC-LCP", "TBC");
    let lcp_pdom = board.speedups(&everything, "PDOM-LCP", "PDOM");
    let touched =
        |speedups: &Speedups| -> Speedups { speedups.iter().filter(|(_, s)| (s - 1.0).abs() > 0.001).copied().collect() };
    let depths: Vec<(&str, u64)> =
        all.iter().filter_map(|name| board.report(name, "TBC-LCP").map(|report| (*name, report.max_stack_depth))).collect();
    let deepest = depths.iter().map(|(_, depth)| *depth).max();
    vec![
        JUDGE.fact(
            "tbc.simd-efficiency",
            "section 1, figure 2(a)",
            "TBC has a higher SIMD efficiency than PDOM and DWF on divergent applications",
            "TBC above PDOM and DWF",
            match efficiencies {
                (Some(pdom), Some(dwf), Some(tbc)) => Some((
                    format!("PDOM {:.1}%, DWF {:.1}%, TBC {:.1}%", 100.0 * pdom, 100.0 * dwf, 100.0 * tbc),
                    tbc > pdom && tbc > dwf,
                )),
                _ => None,
            },
            EFFICIENCY.to_string(),
        ),
        {
            let note = match stall_ratios.1 {
                Some(tbc) => format!("TBC: {tbc:.2} times PDOM's. {STALLS}"),
                None => String::new(),
            };
            NumberClaim {
                judge: JUDGE,
                id: "tbc.dwf-stalls",
                place: "section 1, figure 2(b)",
                claim: "DWF has 2.7 times the stalls of the memory pipeline",
                expected: 2.7,
                tolerance: 0.7,
            }
            .judge(stall_ratios.0, note)
        },
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
            "Memory traffic outside the core is within 7% of PDOM's with TBC: the L1 cache absorbs the rest",
            "at most 1.07",
            board.average(all, "TBC-LCP", traffic).map(|ratio| (format!("{ratio:.3}"), ratio <= 1.07)),
            TRAFFIC.to_string(),
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
            LCP.to_string(),
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
            DEPTH.to_string(),
        ),
    ]
}

const TBC_DIVERGENT: &str = "(speedups of the workloads that have less than 76% SIMD efficiency under PDOM). Mandelbrot and merge sort gain nothing: a \
    block's warps are rows of pixels one below the other, whose threads leave the loop in the same columns and so in the same \
    lanes; and merge sort's later rounds have threads in one warp only.";
const DWF_DIVERGENT: &str = "Better than in the paper, whose DWF loses what it gains to memory stalls. The divergent kernels here \
    have little coalescing to lose: breadth-first search reads scattered words whoever shares a warp (no port is idle for \
    memory for more than 5% of the time), the interpreter hardly reads at all. And DWF takes threads from all blocks of the \
    core: for the interpreter's 16 ways that fills 42% of the lanes, where TBC has the 4 warps of one block and fills 31%.";
const WB_DIVERGENT: &str = "As with DWF: little coalescing to lose, and warps from all blocks of the core. Kernels whose top-level \
    divergence spans all their work (interpreter, merge sort) run as under DWF.";
const TBC_OVER_DWF: &str = "Here DWF is the faster where warps of one block are too few to fill lanes (interpreter) or where TBC's \
    waits at branches leave the port idle (breadth-first search: 22% of the time for memory, 5% under DWF). Lost coalescing \
    costs these kernels little; DWF's other weakness, threads that fall behind, shows in merge sort (6% more warp instructions \
    than under PDOM) and in the coherent workloads.";
const WB_RECOVERS: &str = "What is not recovered: merge sort's outermost branch spans all its work, so its threads stay in the pool; \
    SAXPY and Sobel never diverge, and pay for majority scheduling, which DWF-WB shares.";
const TBC_COHERENT: &str = "Block reduction loses to AGE, not to compaction: its warps wait for memory in every block at once, and \
    with the oldest block first they come one after another (0.99 with RRB).";
const PRIORITY: &str =
    "Harmonic means over all workloads. As in the paper the differences are small and no policy is best everywhere.";
const EFFICIENCY: &str = "Averages over the divergent workloads. TBC is ahead of PDOM, but here not of DWF: the interpreter's sixteen ways \
    leave the 4 warps of a block too few threads each (31% against 42%), and DWF also merges threads of different blocks.";
const STALLS: &str = "Counted are issue slots in which a warp was ready and its unit, mostly the load/store unit working off \
    uncoalesced accesses and bank conflicts, was not free; summed over all workloads.";
const TRAFFIC: &str = "Accesses to the L2 cache over PDOM's, on average over all workloads.";
const LCP: &str = "Of the applications here only ray tracing has likely-convergence points that come before post-dominators, and it \
    neither gains nor loses 0.1% by them. In the paper TBC gains more than PDOM on one application (30% against 14%) and less \
    on the other (2% against 5%); here both gain alike. The listing of section 4 shows the effect at its extreme: without \
    them every iteration splits the warp once more, for good.";
const DEPTH: &str = "A branch that meets where the entry below waits replaces its entry, so a loop does not deepen the stack; the \
    paper's merge sort, a kernel with deeper nesting, needs 38.";
