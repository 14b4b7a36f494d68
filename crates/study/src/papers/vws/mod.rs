//! A Variable Warp Size Architecture (Rogers and others, ISCA 2015): its evaluation in section 6, on the machine of its
//! table 1, and the comparison with other techniques of section 7.1, on the machine of the Thread Block Compaction paper.
//!
//! The paper sorts its applications by the effect of narrow warps (section 1): divergent ones run faster, convergent ones slower,
//! insensitive ones neither. The same rule sorts the divergence suite here, with warps of 4 against warps of 32; a difference of
//! up to two per cent counts as none. The two code listings of the Thread Block Compaction paper are no applications and are left
//! out; so is code that relies on the lock-step of 32 threads, which narrow warps do not keep.

mod choices;
mod front_end;
mod rivals;
mod sizes;
mod widths;

use super::board::{self, Keys};
use super::judge::Judge;
use super::{Claim, Results};
use crate::run::RunSpec;
use warpscope_catalogue::{self as catalogue, Suite, Workload};
use warpscope_machine::metrics::Report;

const JUDGE: Judge = Judge { paper: "vws" };
const PRESET: &str = "vws";
const LISTINGS: [&str; 2] = ["tbc_example1", "tbc_example2"];
/// The relative difference in speed up to which two runs are equally fast.
const SAME: f64 = 0.02;
/// The share of warp-cycles in original gangs from which warps stay in their original gangs throughout.
const STAYS: f64 = 0.95;
const BASE: &str = "WS32";
const TECHNIQUES: [&str; 9] = [BASE, "WS16", "WS8", "WS4", "I-VWS", "I-VWS-LPC", "E-VWS", IMPATIENT, SYNC];
/// Other orders of gangs (figure 11), on divergent workloads.
const ORDERS: [&str; 3] = ["I-VWS-GTO", "I-VWS-LRR", "I-VWS-LGTO"];
/// I-VWS that splits for memory (figures 16 and 17), on workloads that are not insensitive.
const SPLITS: [&str; 2] = ["I-VWS-GroupMem", "I-VWS-ImpatientMem"];
/// Waits at reconvergence points (figure 15): on all workloads the middle one, on divergent ones each.
const WAITS: [&str; 3] = ["E-VWS-Sync5", SYNC, "E-VWS-Sync50"];
const SYNC: &str = "E-VWS-Sync20";
const IMPATIENT: &str = "E-VWS-ImpatientMem";
/// I-VWS with other keys: gangs per cycle (figure 13), ports and L0 caches (figure 10), a base warp of 8 (section 8).
const ONE_GANG: Keys = &[("gangs_per_cycle", "1")];
const ANY_GANGS: Keys = &[("gangs_per_cycle", "4"), ("gang_fetches", "4")];
const ONE_PORT: Keys = &[("icache_ports", "1"), ("l0i_bytes", "0")];
const TWO_PORTS: Keys = &[("icache_ports", "2"), ("l0i_bytes", "0")];
const ONE_PORT_L0: Keys = &[("icache_ports", "1")];
const TWO_PORTS_L0: Keys = &[("icache_ports", "2")];
const BASE_8: Keys = &[("warp_width", "8"), ("slices", "4")];
/// E-VWS under other readings of how gangs meet (sections 4.5 and 6.1), on divergent workloads; the first reading also with
/// splits for memory, on the others.
const ARRIVE: Keys = &[("gang_meet", "arrive")];
const READY: Keys = &[("gang_meet", "ready")];
const GROUP: Keys = &[("gang_meet", "group")];
const HELD: Keys = &[("gang_meet", "held")];
const READINGS: [(&str, Keys); 5] = [
    ("any time", &[]),
    ("arriving together", ARRIVE),
    ("equally ready", READY),
    ("all at once", GROUP),
    ("at barriers too", HELD),
];
/// Experiments that remove one effect each: DRAM that answers in a cycle, and a fair order of warps instead of the oldest first.
const NEAR_DRAM: Keys = &[("dram_latency", "1")];
const FAIR: Keys = &[("schedule", "LRR")];
const VARIANTS: [Keys; 5] = [ONE_GANG, ANY_GANGS, ONE_PORT, TWO_PORTS, BASE_8];
/// The machine on which section 7.1 compares techniques: PDOM and I-VWS on all workloads, the others on divergent ones.
const ELSEWHERE: &str = "tbc";
const RIVALS: [&str; 3] = ["PDOM", "DWF", "TBC-LCP"];
/// The machine of that paper with a unit for each kind of instruction, as slices have them.
const OWN_UNITS: Keys = &[("one_pipeline", "false")];

/// Areas in mm² of an SM and of a GPU of 15 SMs, as section 6.7 takes them.
const SM_MM2: f64 = 16.0;
const GPU_MM2: f64 = 529.0;

fn applications() -> impl Iterator<Item = &'static Workload> {
    catalogue::suite(Suite::Divergence).filter(|workload| !LISTINGS.contains(&workload.name) && !workload.lock_step)
}

pub fn runs() -> Vec<RunSpec> {
    let mut runs = Vec::new();
    for Workload { name, .. } in applications() {
        runs.extend(TECHNIQUES.map(|technique| RunSpec::of(name, PRESET, technique)));
        runs.extend([ONE_PORT_L0, TWO_PORTS_L0].map(|keys| RunSpec::of(name, PRESET, "I-VWS").with(keys)));
        runs.extend([RIVALS[0], "I-VWS"].map(|technique| RunSpec::of(name, ELSEWHERE, technique)));
    }
    runs
}

/// Returns the runs of some sets alone, and the experiments: every width with a near DRAM on convergent workloads, and a fair
/// order without gangs where the lowest PC first costs nothing.
pub fn follow_ups(results: &Results) -> Vec<RunSpec> {
    let board = sorted(results);
    let mut runs = Vec::new();
    for name in &board.sets.divergent {
        runs.extend(ORDERS.map(|technique| RunSpec::of(name, PRESET, technique)));
        runs.extend(VARIANTS.map(|keys| RunSpec::of(name, PRESET, "I-VWS").with(keys)));
        runs.extend(WAITS.map(|technique| RunSpec::of(name, PRESET, technique)));
        runs.extend([ARRIVE, READY, GROUP, HELD].map(|keys| RunSpec::of(name, PRESET, "E-VWS").with(keys)));
        runs.extend(RIVALS[1..].iter().map(|technique| RunSpec::of(name, ELSEWHERE, technique)));
        runs.extend(RIVALS.map(|technique| RunSpec::of(name, ELSEWHERE, technique).with(OWN_UNITS)));
    }
    for name in board.sets.divergent.iter().chain(&board.sets.convergent) {
        runs.extend(SPLITS.map(|technique| RunSpec::of(name, PRESET, technique)));
    }
    for name in board.sets.convergent.iter().chain(&board.sets.insensitive) {
        runs.push(RunSpec::of(name, PRESET, IMPATIENT).with(ARRIVE));
    }
    for name in &board.sets.convergent {
        runs.extend(widths::WIDTHS.map(|technique| RunSpec::of(name, PRESET, technique).with(NEAR_DRAM)));
    }
    let fair = choices::unharmed_by_lowest_pc(&board);
    runs.extend(fair.into_iter().map(|(name, _)| RunSpec::of(name, PRESET, "WS4").with(FAIR)));
    runs
}

/// The paper's three sets.
#[derive(Default)]
struct Sets {
    divergent: Vec<&'static str>,
    convergent: Vec<&'static str>,
    insensitive: Vec<&'static str>,
}

impl Sets {
    fn all(&self) -> Vec<&'static str> {
        [&self.divergent, &self.convergent, &self.insensitive].into_iter().flatten().copied().collect()
    }
}

type Board<'a> = board::Board<'a, Sets>;

fn sorted(results: &Results) -> Board<'_> {
    board::Board::new(results, PRESET).sorted(|board| {
        let mut sets = Sets::default();
        for Workload { name, .. } in applications() {
            let Some(speedup) = board.speedup(name, "WS4", BASE) else { continue };
            let set = if speedup > 1.0 + SAME {
                &mut sets.divergent
            } else if speedup < 1.0 - SAME {
                &mut sets.convergent
            } else {
                &mut sets.insensitive
            };
            set.push(*name);
        }
        sets
    })
}

impl Board<'_> {
    /// Returns the share of a workload's warp-cycles in original gangs: all where no gang splits, else those in gangs of eight.
    /// Where members have exited, or a block provides fewer than eight, an original gang is smaller.
    fn original(&self, name: &str, technique: &str) -> Option<f64> {
        let gangs = self.report(name, technique)?.gangs.as_ref()?;
        let all = gangs.warp_cycles.iter().sum::<u64>().max(1);
        Some(if gangs.splits == 0 { 1.0 } else { gangs.warp_cycles[7] as f64 / all as f64 })
    }

    /// Sorts workloads by whether warps stay in their original gangs under I-VWS, as the paper's convergent ones do.
    fn by_gangs(&self, set: &[&'static str]) -> (Vec<&'static str>, Vec<&'static str>) {
        set.iter().copied().partition(|name| self.original(name, "I-VWS").is_some_and(|share| share >= STAYS))
    }
}

pub fn judge(results: &Results) -> Vec<Claim> {
    let board = sorted(results);
    let mut claims = widths::widths(&board);
    claims.extend(sizes::sizes(&board));
    claims.extend(front_end::front_end(&board));
    claims.extend(choices::choices(&board));
    claims.extend(rivals::rivals(&board));
    claims.extend(rivals::cost(&board));
    claims.extend(sizes::gang_sizes(&board));
    claims
}

/// Formats a mean, where there is one.
fn told(mean: Option<f64>) -> String {
    mean.map_or_else(|| "not measured".to_string(), |mean| format!("{mean:.2}"))
}

fn fetches(report: &Report) -> f64 {
    report.fetches_per_cycle
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::RunError;
    use warpscope_machine::config::Config;
    use warpscope_machine::metrics::Metrics;

    /// Returns a run of that many cycles.
    fn run(name: &str, technique: &str, keys: Keys, cycles: u64) -> (RunSpec, Result<Report, RunError>) {
        (RunSpec::of(name, PRESET, technique).with(keys), Ok(Report::new(&Metrics::default(), &Config::default(), cycles)))
    }

    /// `transpose` is convergent and slower with the lowest PC first; `mergesort` is divergent and faster.
    fn results() -> Results {
        let mut results = Results::default();
        for (name, narrow, lowest) in [("transpose", 1250, 1100), ("mergesort", 800, 750)] {
            results.runs.extend([
                run(name, BASE, &[], 1000),
                run(name, "WS16", &[], 990),
                run(name, "WS8", &[], 1050),
                run(name, "WS4", &[], narrow),
                run(name, "I-VWS", &[], 800),
                run(name, "I-VWS-LPC", &[], lowest),
            ]);
        }
        results
    }

    #[test]
    fn each_set_has_runs_of_its_own() {
        let runs = follow_ups(&results());
        let all = |name: &'static str, keys: Keys| -> Vec<&str> {
            let with =
                |run: &&RunSpec| run.name() == name && **run == RunSpec::of(name, PRESET, &run.machine.technique).with(keys);
            runs.iter().filter(with).map(|run| run.machine.technique.as_str()).collect()
        };
        assert_eq!(all("transpose", NEAR_DRAM), widths::WIDTHS);
        assert_eq!((all("transpose", &[]), all("transpose", ARRIVE)), (SPLITS.to_vec(), vec![IMPATIENT]));
        assert_eq!(runs.iter().filter(|run| run.name() == "transpose").count(), 4 + 2 + 1, "it is convergent");
        assert_eq!(all("mergesort", FAIR), ["WS4"]);
        assert_eq!(all("mergesort", &[]), [&ORDERS[..], &WAITS, &SPLITS].concat(), "it is divergent");
        assert_eq!((all("mergesort", ONE_GANG), all("mergesort", ARRIVE)), (vec!["I-VWS"], vec!["E-VWS"]));
        assert!(runs.iter().all(|run| run.config().is_ok_and(|config| config.validate().is_ok())));
    }

    #[test]
    fn notes_tell_what_the_experiments_gave() {
        let mut results = results();
        let near = widths::WIDTHS.map(|technique| run("transpose", technique, NEAR_DRAM, 1000));
        results.runs.extend(near);
        results.runs.extend([run("mergesort", "WS4", FAIR, 640)]);
        let claims = judge(&results);
        let note = |id| claims.iter().find(|claim| claim.id == id).map(|claim| claim.note.as_str()).unwrap_or_default();
        let widths = note("vws.widths-convergent");
        assert!(widths.ends_with("With DRAM that answers in a cycle: WS32 1.000, WS16 1.000, WS8 1.000, WS4 1.000."), "{widths}");
        let lowest = note("vws.lowest-pc");
        assert!(lowest.contains("a fair order (LRR) instead of the oldest first: mergesort 1.250"), "{lowest}");
    }
}
