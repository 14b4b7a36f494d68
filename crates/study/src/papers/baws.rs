//! Barrier-Aware Warp Scheduling (Liu et al., ICS 2016): its evaluation in section 6, on the machine of its section 5.
//!
//! The paper calls a workload barrier-intensive if a warp is stalled at barriers, its block's end included, for more than 15 per
//! cent of its time (section 5). The same rule sorts the suites of divergence and of barriers here, measured under LRR. The two
//! listings of the TBC paper are no applications and are left out. Speedups are ratios of cycles, their means harmonic.
//!
//! Instructions are fetched for warps with an empty I-buffer, as section 2.2 says. Fewest-entries-first and a wider I-buffer then
//! change nothing, so those claims are tested where warps with room in the I-buffer are fetched for (`fetch_when=room`), and
//! compared with runs of the same kind.

use super::board::{self, Keys};
use super::judge::{Judge, Speedups, each, listed, mean, percent};
use super::{Claim, Results, STAGES};
use crate::run::RunSpec;
use warpscope_catalogue::{self as catalogue, Suite};
use warpscope_machine::config::Config;
use warpscope_machine::event::Reason;
use warpscope_machine::metrics::Report;

const JUDGE: Judge = Judge { paper: "baws" };
const PRESET: &str = "gtx480";
const EXAMPLES: [&str; 2] = ["tbc_example1", "tbc_example2"];
/// Share of its time at barriers above which a workload is barrier-intensive (section 5).
const INTENSIVE_ABOVE: f64 = 0.15;
/// Techniques for all workloads; LRR sorts them.
const FOR_ALL: [&str; 4] = ["LRR", "GTO", "SAWS", "MWF-GTO+CFF"];
/// Further techniques for barrier-intensive workloads.
const FOR_INTENSIVE: [&str; 7] = ["TLS", "MWF-LRR", "MWF-GTO", "GTO+CFF", "TLS+CFF", "MWF-LRR+CFF", "SAWS+CFF"];
/// Techniques that run with room in the I-buffer, to compare fewest-entries-first with.
const WITH_ROOM: [&str; 4] = ["LRR", "MWF-GTO", "MWF-GTO+CFF", "MWF-GTO+FEF"];
const ROOM: Keys = &[("fetch_when", "room")];
/// A wider I-buffer (section 6.4).
const WIDE_BUFFER: Keys = &[("fetch_when", "room"), ("ibuffer", "4")];
/// An experiment that the paper does not have: fetches for two warps a cycle that never miss, which bound the gain of any fetch
/// order.
const FREE_FETCH: Keys = &[("fetch_ports", "2"), ("icache_bytes", "65536")];
/// The difference that counts as none: half of the smallest speedup that the paper counts as one, the 1.7% of CFF for GTO.
const NEUTRAL: f64 = 0.0085;

fn applications() -> impl Iterator<Item = &'static str> {
    let suites = [Suite::Divergence, Suite::Barriers].into_iter().flat_map(catalogue::suite);
    suites.map(|workload| workload.name).filter(|name| !EXAMPLES.contains(name))
}

pub fn runs() -> Vec<RunSpec> {
    applications().flat_map(|name| FOR_ALL.map(|technique| RunSpec::of(name, PRESET, technique))).collect()
}

/// Returns the runs of the barrier-intensive workloads alone.
pub fn follow_ups(results: &Results) -> Vec<RunSpec> {
    let mut runs = Vec::new();
    for name in &sorted(results).sets.intensive {
        runs.extend(FOR_INTENSIVE.map(|technique| RunSpec::of(name, PRESET, technique)));
        runs.extend(WITH_ROOM.map(|technique| RunSpec::of(name, PRESET, technique).with(ROOM)));
        runs.extend(["LRR", "GTO", "MWF-GTO+CFF"].map(|technique| RunSpec::of(name, PRESET, technique).with(STAGES)));
        runs.push(RunSpec::of(name, PRESET, "MWF-GTO").with(WIDE_BUFFER));
        runs.push(RunSpec::of(name, PRESET, "MWF-GTO").with(FREE_FETCH));
    }
    runs
}

/// The paper's two sets.
#[derive(Default)]
struct Sets {
    intensive: Vec<&'static str>,
    others: Vec<&'static str>,
}

type Board<'a> = board::Board<'a, Sets>;

fn sorted(results: &Results) -> Board<'_> {
    board::Board::new(results, PRESET).sorted(|board| {
        let mut sets = Sets::default();
        for name in applications() {
            let Some(report) = board.report(name, "LRR") else { continue };
            let is_intensive = report.barriers.stall_fraction > INTENSIVE_ABOVE;
            if is_intensive { sets.intensive.push(name) } else { sets.others.push(name) }
        }
        sets
    })
}

impl Board<'_> {
    /// Returns the average of a quantity over the barrier-intensive workloads.
    fn mean_of(&self, technique: &str, quantity: impl Fn(&Report) -> f64) -> Option<f64> {
        self.average(&self.sets.intensive, technique, quantity)
    }

    /// Returns stall cycles of some reasons over those under LRR, each summed over the set.
    fn stalls(&self, technique: &str, reasons: &[Reason]) -> Option<f64> {
        let of = |report: &Report| report.warp_cycles.sum(reasons.iter().copied()) as f64;
        let lrr = self.mean_of("LRR", of).filter(|&stalls| stalls > 0.0)?;
        Some(self.mean_of(technique, of)? / lrr)
    }
}

/// Returns the workloads whose speedup satisfies a condition.
fn names(speedups: &Speedups, is_one: impl Fn(f64) -> bool) -> Vec<&'static str> {
    speedups.iter().filter(|(_, speedup)| is_one(*speedup)).map(|(name, _)| *name).collect()
}

pub fn judge(results: &Results) -> Vec<Claim> {
    let board = sorted(results);
    let mut claims = speeds(&board);
    claims.extend(fetching(&board));
    claims.extend(stalls(&board));
    claims.extend(others(&board));
    claims
}

/// Judges section 6.1, figure 8, and section 6.6, figure 12.
fn speeds(board: &Board) -> Vec<Claim> {
    let over_lrr = |id, claim, technique, expected| {
        let speedups = board.speedups(&board.sets.intensive, technique, "LRR");
        JUDGE.effect(id, "section 6.1, figure 8", claim, expected).judge(mean(&speedups), each(&speedups))
    };
    let tls = board.speedups(&board.sets.intensive, "TLS", "LRR");
    let over_gto = board.speedups(&board.sets.intensive, "MWF-GTO+CFF", "GTO");
    let over_saws = board.speedups(&board.sets.intensive, "MWF-GTO+CFF", "SAWS");
    let baws = board.speedups(&board.sets.intensive, "MWF-GTO+CFF", "LRR");
    let slower = names(&baws, |speedup| speedup < 1.0 - NEUTRAL);
    let best = baws.iter().map(|(_, speedup)| *speedup).reduce(f64::max);
    let with_stages = |over: &str| {
        let mean = mean(&board.speedups_with(&board.sets.intensive, STAGES, "MWF-GTO+CFF", over));
        mean.map_or_else(String::new, |mean| format!(" With decode and operand collectors as stages of their own: {mean:.3}."))
    };
    let srad = |technique: &str, over: &str| board.speedup("srad", technique, over);
    vec![
        over_lrr("baws.gto", "GTO is 8.4% faster than LRR on barrier-intensive workloads", "GTO", 1.084),
        over_lrr("baws.mwf-lrr", "MWF (LRR) is 9.5% faster than LRR", "MWF-LRR", 1.095),
        over_lrr("baws.mwf-gto", "MWF (GTO) is 9.8% faster than LRR", "MWF-GTO", 1.098),
        over_lrr("baws.mwf-lrr-cff", "MWF (LRR) with CFF is 16.2% faster than LRR", "MWF-LRR+CFF", 1.162),
        JUDGE
            .effect("baws.baws", "section 6.1, figure 8", "BAWS, MWF (GTO) with CFF, is 16.9% faster than LRR", 1.169)
            .judge(mean(&baws), format!("{}.{}", each(&baws), with_stages("LRR"))),
        JUDGE
            .effect("baws.over-gto", "abstract, section 6.1", "BAWS is 8.5% faster than GTO", 1.085)
            .judge(mean(&over_gto), format!("{}.{}", each(&over_gto), with_stages("GTO"))),
        JUDGE
            .effect("baws.over-saws", "section 6.6, figure 12", "BAWS is 7% faster than SAWS", 1.07)
            .judge(mean(&over_saws), each(&over_saws)),
        {
            let over = board.speedups(&board.sets.intensive, "MWF-GTO+CFF", "SAWS+CFF");
            let gains = mean(&board.speedups(&board.sets.intensive, "SAWS+CFF", "SAWS"));
            JUDGE.fact(
                "baws.over-saws-cff",
                "section 6.6, figure 12",
                "SAWS with CFF gains somewhat over SAWS, and stays behind BAWS",
                "SAWS with CFF above SAWS, BAWS above it",
                gains.zip(mean(&over)).map(|(gains, over)| {
                    (
                        format!("SAWS with CFF {gains:.3} times SAWS, BAWS {over:.3} times SAWS with CFF"),
                        gains > 1.0 && over > 1.0,
                    )
                }),
                each(&over),
            )
        },
        neutral("baws.tls", "section 6.1", "TLS is as fast as LRR on average", &tls),
        JUDGE.fact(
            "baws.never-slower",
            "section 6.1",
            "BAWS is slower than LRR on no barrier-intensive workload",
            "none",
            (!baws.is_empty()).then(|| (listed(&slower), slower.is_empty())),
            format!("Slower means by more than {:.2}%.", 100.0 * NEUTRAL),
        ),
        JUDGE.fact(
            "baws.up-to",
            "abstract",
            "BAWS is up to 35% faster than LRR",
            "1.18 to 1.53 on the workload that gains most",
            best.map(|best| (format!("{best:.2}"), (1.175..=1.525).contains(&best))),
            each(&baws),
        ),
        JUDGE.effect("baws.srad", "section 6.1", "On SRAD, BAWS is 30% faster than GTO, which is slower than LRR", 1.30).judge(
            srad("MWF-GTO+CFF", "GTO"),
            srad("GTO", "LRR").map_or_else(String::new, |gto| format!("Here GTO is {gto:.2} times as fast as LRR on SRAD.")),
        ),
        JUDGE
            .effect("baws.srad-saws", "section 6.6", "On SRAD, BAWS is 18% faster than SAWS", 1.18)
            .judge(srad("MWF-GTO+CFF", "SAWS"), String::new()),
    ]
}

/// Judges a claim that there is no difference.
fn neutral(id: &'static str, place: &'static str, claim: &'static str, speedups: &Speedups) -> Claim {
    let measured = mean(speedups).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= NEUTRAL));
    JUDGE.fact(id, place, claim, &format!("within {:.2}% of 1", 100.0 * NEUTRAL), measured, each(speedups))
}

/// Judges the fetch stage (sections 6.1, 6.2 and 6.4).
fn fetching(board: &Board) -> Vec<Claim> {
    let mwf_with = |keys: Keys, without: Keys| board.speedups(&board.sets.intensive, ("MWF-GTO", keys), ("MWF-GTO", without));
    let wide = mwf_with(WIDE_BUFFER, ROOM);
    let bound = mean(&mwf_with(FREE_FETCH, &[])).map_or_else(String::new, |bound| {
        format!(" With two fetches a cycle and no I-cache misses MWF (GTO) is {bound:.3} times as fast: as long as only empty I-buffers are filled, an order of fetches can gain little more.")
    });
    let cff = |id, claim, technique: &str, expected| {
        let speedups = board.speedups(&board.sets.intensive, format!("{technique}+CFF").as_str(), technique);
        let used =
            |technique: &str| board.mean_of(technique, |report| report.fetches_used_next as f64 / report.fetches.max(1) as f64);
        let note = match (used(technique), used(&format!("{technique}+CFF"))) {
            (Some(before), Some(after)) => format!(
                "{}. Fetches whose warp issues next: {:.1}% without CFF, {:.1}% with it.{bound}",
                each(&speedups),
                100.0 * before,
                100.0 * after
            ),
            _ => String::new(),
        };
        JUDGE.effect(id, "section 6.1", claim, expected).judge(mean(&speedups), note)
    };
    let room = |technique: &str, over: &str| board.speedups_with(&board.sets.intensive, ROOM, technique, over);
    let fef = room("MWF-GTO+FEF", "LRR");
    let (cff_room, mwf_room) = (room("MWF-GTO+CFF", "LRR"), room("MWF-GTO", "LRR"));
    let fef_note = match (mean(&cff_room), mean(&mwf_room)) {
        (Some(cff), Some(mwf)) => {
            format!("{}. In the same setting MWF (GTO) alone has {mwf:.3} and BAWS {cff:.3}.", each(&fef))
        }
        _ => String::new(),
    };
    vec![
        cff("baws.cff-gto", "CFF makes GTO 1.7% faster", "GTO", 1.017),
        cff("baws.cff-tls", "CFF makes TLS 1.7% faster", "TLS", 1.017),
        cff("baws.cff-mwf-lrr", "CFF makes MWF (LRR) 6.7% faster", "MWF-LRR", 1.067),
        cff("baws.cff-mwf-gto", "CFF makes MWF (GTO) 7.1% faster", "MWF-GTO", 1.071),
        JUDGE
            .effect("baws.fef", "section 6.2, figure 9", "MWF with FEF is 11% faster than LRR", 1.11)
            .judge(mean(&fef), fef_note),
        {
            let measured = mean(&wide).map(|mean| (format!("{mean:.3}"), (1.0..=1.0 + 2.0 * 0.003).contains(&mean)));
            JUDGE.fact(
                "baws.wide-buffer",
                "section 6.4",
                "An I-buffer of 4 instead of 2 instructions makes MWF 0.3% faster",
                "1.000 to 1.006",
                measured,
                each(&wide),
            )
        },
    ]
}

/// Judges figures 1, 5 and 10.
fn stalls(board: &Board) -> Vec<Claim> {
    let fraction = |technique: &str| board.mean_of(technique, |report| report.barriers.stall_fraction);
    let rtru = |technique: &str| board.mean_of(technique, |report| report.barriers.rtru);
    let breakdown = |technique: &str| {
        let kinds: [(&str, &[Reason]); 6] = [
            ("control", &[Reason::Control]),
            ("data", &[Reason::Memory, Reason::Result]),
            ("structural", &[Reason::Structural]),
            ("barrier", &[Reason::Barrier]),
            ("exit", &[Reason::Exit]),
            ("fetch", &[Reason::Fetch]),
        ];
        let told = kinds.map(|(name, reasons)| board.stalls(technique, reasons).map(|ratio| format!("{name} {ratio:.2}")));
        format!("{technique}: {}", told.into_iter().flatten().collect::<Vec<_>>().join(", "))
    };
    let all = ["GTO", "MWF-LRR", "MWF-LRR+CFF", "MWF-GTO+CFF"].map(breakdown).join("; ");
    let barrier = |technique: &str| board.stalls(technique, &[Reason::Barrier, Reason::Exit]);
    let less = |id, claim, reasons: &[Reason], (technique, than): (&str, &str)| {
        let measured = match (board.stalls(technique, reasons), board.stalls(than, reasons)) {
            (Some(one), Some(other)) => Some((format!("{one:.2} against {other:.2}"), one < other)),
            _ => None,
        };
        JUDGE.fact(id, "section 6.3, figure 10", claim, "less", measured, format!("Stall cycles over LRR's. {all}"))
    };
    vec![
        JUDGE.fact(
            "baws.stall-fraction",
            "section 1, figure 1",
            "A warp is stalled at barriers for 37% of its time under GTO and for 30% under LRR",
            "more under GTO than under LRR",
            fraction("GTO")
                .zip(fraction("LRR"))
                .map(|(gto, lrr)| (format!("GTO {}, LRR {}", percent(gto), percent(lrr)), gto > lrr)),
            "The set is defined by this number under LRR, so only the difference is judged.".to_string(),
        ),
        JUDGE.fact(
            "baws.rtru",
            "section 3.2, figure 5",
            "Warps of a phase are more unequal (RTRU) under GTO than under LRR",
            "GTO above LRR",
            rtru("GTO").zip(rtru("LRR")).map(|(gto, lrr)| (format!("GTO {gto:.3}, LRR {lrr:.3}"), gto > lrr)),
            rtru("MWF-GTO+CFF").map_or_else(String::new, |baws| format!("BAWS {baws:.3}.")),
        ),
        JUDGE.fact(
            "baws.barrier-stalls",
            "section 6.3, figure 10",
            "BAWS has fewer barrier stalls than MWF, LRR and GTO",
            "less than 1, than MWF and than GTO",
            barrier("MWF-LRR+CFF").zip(barrier("MWF-LRR")).zip(barrier("GTO")).map(|((baws, mwf), gto)| {
                let told = format!("MWF (LRR) with CFF {baws:.2}, MWF (LRR) {mwf:.2}, GTO {gto:.2}");
                (told, baws < 1.0 && baws < mwf && baws < gto)
            }),
            format!("Barrier and exit stalls over LRR's. {all}"),
        ),
        less("baws.structural", "BAWS has fewer structural stalls than LRR", &[Reason::Structural], ("MWF-LRR+CFF", "LRR")),
        less("baws.structural-gto", "GTO has fewer structural stalls than BAWS", &[Reason::Structural], ("GTO", "MWF-LRR+CFF")),
        less("baws.fetch-stalls", "CFF removes fetch stalls of MWF", &[Reason::Fetch], ("MWF-LRR+CFF", "MWF-LRR")),
    ]
}

/// Judges the other workloads (section 6.5, figures 11 and 14) and the storage cost (section 4.1.2).
fn others(board: &Board) -> Vec<Claim> {
    let over = |over: &str| board.speedups(&board.sets.others, "MWF-GTO+CFF", over);
    let over_lrr = over("LRR");
    let bytes = || {
        let config: Config = RunSpec::of("", PRESET, "BAWS").config().ok()?;
        let bytes = config.storage_bytes();
        Some((format!("{bytes} bytes"), bytes == 6))
    };
    vec![
        JUDGE
            .effect("baws.others-lrr", "section 6.5, figure 11", "BAWS is 5.7% faster than LRR on other workloads", 1.057)
            .judge(mean(&over_lrr), each(&over_lrr)),
        neutral("baws.others-gto", "section 6.5", "BAWS is as fast as GTO on other workloads", &over("GTO")),
        neutral("baws.others-saws", "section 6.6, figure 14", "BAWS is as fast as SAWS on other workloads", &over("SAWS")),
        JUDGE.fact(
            "baws.cost",
            "section 4.1.2",
            "The warp priority table takes 6 bytes",
            "6 bytes",
            (!board.results.runs.is_empty()).then(bytes).flatten(),
            String::new(),
        ),
    ]
}
