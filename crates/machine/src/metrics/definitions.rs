//! The definition of each number of a report: one row has its key, how it is computed and folded, its label, its unit and what
//! it means.

use super::blocks::WarpDivergence;
use super::gangs::GangReport;
use super::power::PowerReport;
use super::report::{BarrierReport, Counts, ReportNumber, barriers};
use super::slots::SlotClass;
use super::{CacheCounts, Metrics, Totals, VirtualBlocks, slots};
use crate::config::Config;
use crate::config::area::area;
use crate::event::{Reason, StallCause};
use serde::{Deserialize, Serialize};

/// Issue slots by what they were used for.
type SlotCounts = Counts<SlotClass>;
/// Issue slots with a stall, by its cause.
type StallCounts = Counts<StallCause>;
/// Cycles of resident warps by reason.
type ReasonCycles = Counts<Reason>;

/// How a number of a run comes about from those of its stretches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fold {
    /// It is their sum.
    Sum,
    /// It is a ratio of sums.
    Ratio,
    /// It is known only of the whole run: the deepest stack, how unequal the warps of a block were, how long a lane was gated.
    Whole,
}

/// A number that can be plotted over time: its value over a stretch, NaN where it has none.
pub type Plotted = fn(&MetricSource) -> f64;

/// One number of a run's report.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Definition {
    /// The key in JSON.
    pub name: &'static str,
    /// The label in a legend or at an axis.
    pub label: &'static str,
    /// What it counts; empty for ratios.
    pub unit: &'static str,
    /// What it says, and which figure or table of which paper reproduces it.
    pub about: &'static str,
    /// How the number of a whole follows from those of its parts.
    pub fold: Fold,
    /// Reads it from a report, if it is a single number.
    #[serde(skip)]
    pub value: Option<fn(&Report) -> ReportNumber>,
    /// Computes it over a stretch, if it has a figure of its own.
    #[serde(skip)]
    pub plotted: Option<Plotted>,
}

/// A stretch of cycles, or the whole run: what sums and ratios are computed from.
#[derive(Clone, Copy)]
pub struct MetricSource<'a> {
    /// What was counted in it.
    pub totals: &'a Totals,
    /// Its length.
    pub cycles: u64,
    /// The machine.
    pub config: &'a Config,
}

/// What numbers of the whole run are computed from.
struct RunSource<'a> {
    metrics: &'a Metrics,
    cycles: u64,
    config: &'a Config,
}

/// Generates [`Report`], [`Report::new`] and [`DEFINITIONS`] from rows: key, type and fold with a closure; label, unit,
/// description. A ratio gives its part and its whole, and says what it is where the whole is 0; `plotted` gives it a figure.
macro_rules! definitions {
    (@compute $of:ident, sum, $compute:expr) => { compute_of_stretch(&$of.0, $compute) };
    (@compute $of:ident, whole, $compute:expr) => { compute_of_whole(&$of.1, $compute) };
    (@compute $of:ident, ratio($empty:literal), $compute:expr) => { ratio(compute_of_stretch(&$of.0, $compute), $empty) };
    (@compute $of:ident, ratio($empty:literal) plotted, $compute:expr) => { ratio(compute_of_stretch(&$of.0, $compute), $empty) };
    (@fold sum) => { Fold::Sum };
    (@fold whole) => { Fold::Whole };
    (@fold ratio $($rest:tt)*) => { Fold::Ratio };
    (@plotted ratio($empty:literal) plotted, $compute:expr) => {
        Some(|stretch: &MetricSource| ratio(compute_of_stretch(stretch, $compute), f64::NAN))
    };
    (@plotted $($fold:tt)*) => { None };
    (@value u64, $name:ident) => { Some(|report: &Report| ReportNumber::Count(report.$name)) };
    (@value f64, $name:ident) => { Some(|report: &Report| ReportNumber::Ratio(report.$name)) };
    (@value $ty:tt, $name:ident) => { None };
    ($($name:ident: $ty:tt = [$($fold:tt)*] $compute:expr; $label:literal, $unit:literal, $about:literal;)*) => {
        /// Results of a run on the machine, in the order of [`DEFINITIONS`].
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub struct Report {
            $(#[doc = $about] pub $name: $ty,)*
        }

        impl Report {
            /// Computes every number of a run of that many cycles.
            pub fn new(metrics: &Metrics, config: &Config, cycles: u64) -> Report {
                let of = (MetricSource { totals: &metrics.totals, cycles, config }, RunSource { metrics, cycles, config });
                Report { $($name: definitions!(@compute of, $($fold)*, $compute),)* }
            }
        }

        /// Every number, in the order of a report.
        pub static DEFINITIONS: &[Definition] = &[
            $(Definition {
                name: stringify!($name),
                label: $label,
                unit: $unit,
                about: $about,
                fold: definitions!(@fold $($fold)*),
                value: definitions!(@value $ty, $name),
                plotted: definitions!(@plotted $($fold)*, $compute),
            },)*
            HOST,
        ];
    };
}

/// Reports that are printed have it beside the numbers of the run itself.
const HOST: Definition = Definition {
    name: "host",
    label: "Simulator speed",
    unit: "",
    about: "How fast the simulator itself was: seconds, SM cycles, warp and thread instructions per second",
    fold: Fold::Whole,
    value: None,
    plotted: None,
};

// Give the closures of rows their types.
fn compute_of_stretch<T>(stretch: &MetricSource, compute: impl Fn(&MetricSource) -> T) -> T {
    compute(stretch)
}

fn compute_of_whole<T>(whole: &RunSource, compute: impl Fn(&RunSource) -> T) -> T {
    compute(whole)
}

fn ratio((part, whole): (u64, u64), empty: f64) -> f64 {
    if whole == 0 { empty } else { part as f64 / whole as f64 }
}

type OfVirtualBlocks = Option<VirtualBlocks>;
type OfGangs = Option<GangReport>;
type OfPower = Option<PowerReport>;

definitions! {
    cycles: u64 = [sum] |of| of.cycles;
        "Cycles", "cycles", "From launch to the last block's end";
    warp_instructions: u64 = [sum] |of| of.totals.warp_instructions;
        "Warp instructions", "instructions", "Instructions issued by warps";
    thread_instructions: u64 = [sum] |of| of.totals.thread_instructions;
        "Thread instructions", "instructions", "Active threads of issued instructions";
    ipc: f64 = [ratio(0.0) plotted] |of| (of.totals.thread_instructions, of.cycles);
        "IPC", "thread instructions/cycle", "Thread instructions per cycle, the papers' IPC";
    lane_efficiency: f64 = [ratio(0.0) plotted] |of| (of.totals.thread_instructions, of.totals.lanes_offered);
        "Lanes used", "", "Issued threads divided by the lanes of the machine in cycles with an issue: comparable across warp widths";
    simd_efficiency: f64 = [ratio(0.0) plotted] |of| {
        (of.totals.thread_instructions, of.totals.warp_instructions * u64::from(of.config.warp_width))
    };
        "SIMD efficiency", "", "Thread instructions over warp instructions times warp width, the papers' number: comparable at one warp width only";
    partial_warps: f64 = [ratio(0.0)] |of| {
        let full = of.totals.slots_by_threads.get(of.config.warp_width as usize - 1).copied().unwrap_or(0);
        (of.totals.warp_instructions.saturating_sub(full), of.totals.warp_instructions)
    };
        "Partial warps", "", "Share of issued instructions with fewer active threads than the warp is wide (Origami figure 6)";
    branches: u64 = [sum] |of| of.totals.branches;
        "Branches", "instructions", "Branches that could diverge, executed by warps; exits under a guard are none, see partial_exits";
    divergent_branches: u64 = [sum] |of| of.totals.divergent_branches;
        "Divergent branches", "instructions", "Branches whose threads split";
    branch_efficiency: f64 = [ratio(1.0)] |of| (of.totals.branches - of.totals.divergent_branches, of.totals.branches);
        "Branch efficiency", "", "Share of branches that did not split";
    partial_exits: u64 = [sum] |of| of.totals.partial_exits;
        "Partial exits", "instructions", "Exits at which some active threads of a warp left and the others went on: a guarded exit, or a branch to where threads only return";
    sms: u64 = [whole] |of| of.config.sms.into();
        "SMs", "", "Streaming multiprocessors simulated";
    issue_ports: u64 = [whole] |of| of.config.issue_ports().into();
        "Issue ports", "", "Issue ports of an SM";
    issue_slots: SlotCounts = [sum] |of| {
        let classes = slots::issued(of.config.warp_width).chain(slots::UNUSED);
        Counts::new(classes.zip(slots::classes(of.totals, of.config.warp_width)))
    };
        "Issue slots", "slots", "What each issue port did each cycle: active threads in eighths of its width, stall, w0_mem, w0_idle (TBC figure 13)";
    stalls: StallCounts = [sum] |of| Counts::new(StallCause::ALL.into_iter().zip(of.totals.slots_stalled));
        "Stalls", "slots", "The issue slots with a stall by what held the ready warp back: an access to several lines, bank conflicts, several constants, memory that takes no more, another instruction in the unit, or lanes that are not on (TBC figures 13(b), 14(b): all but the last two)";
    warp_cycles: ReasonCycles = [sum] |of| Counts::new(Reason::ALL.into_iter().zip(of.totals.warp_cycles));
        "Warp cycles", "warp-cycles", "What each resident static warp did each cycle, or why it did not issue (BAWS figure 10)";
    resident_warp_cycles: u64 = [sum] |of| of.totals.warp_cycles.iter().sum();
        "Resident warp cycles", "warp-cycles", "Static warps resident, summed over cycles";
    fetches: u64 = [sum] |of| of.totals.fetches;
        "Fetches", "fetches", "Instruction fetches (VWS figures 5, 9)";
    fetches_per_cycle: f64 = [ratio(0.0)] |of| (of.totals.fetches, of.cycles * u64::from(of.config.sms));
        "Fetches per cycle", "fetches/cycle", "Instruction fetches per cycle and SM";
    fetches_used_next: u64 = [whole] |of| of.metrics.fetching.used_next;
        "Fetches used next", "fetches", "Fetches whose warp is the next that its scheduler issues (BAWS section 4.2); the others are a mismatch between fetch and issue";
    instruction_misses: u64 = [sum] |of| of.totals.instruction_misses;
        "I-cache misses", "fetches", "Fetches that had to wait for their line";
    l0_hits: u64 = [whole] |of| of.metrics.gangs.l0_hits;
        "L0 hits", "fetches", "Fetches that a slice's own instruction cache served (VWS section 4.6)";
    l1d: CacheCounts = [sum] |of| of.totals.l1d;
        "L1 data cache", "accesses", "Accesses, hits, misses, and accesses to lines already on their way";
    l2: CacheCounts = [sum] |of| of.totals.l2;
        "L2 cache", "accesses", "Accesses, hits, misses, and accesses to lines already on their way";
    memory_transactions: u64 = [sum] |of| of.totals.memory_transactions;
        "Memory transactions", "transactions", "Lines that global and local accesses were coalesced into";
    memory_bytes: u64 = [sum] |of| of.totals.memory_transactions * u64::from(of.config.l1d_line);
        "Memory bytes", "bytes", "Bytes that transactions move";
    shared_bank_conflicts: u64 = [sum] |of| of.totals.shared_bank_conflicts;
        "Bank conflicts", "cycles", "Cycles that shared memory needed beyond the first of each access";
    max_stack_depth: u64 = [whole] |of| of.metrics.max_stack_depth.max(of.config.divergence.has_stack().into());
        "Stack depth", "entries", "The deepest reconvergence stack (TBC table 3); 0 for techniques without one";
    warps_formed: u64 = [sum] |of| of.totals.warps_formed;
        "Warps formed", "warps", "Warps formed at run time by techniques that re-form them, including those that blocks start with";
    threads_merged: u64 = [sum] |of| of.totals.threads_merged;
        "Threads merged", "threads", "Threads that joined a warp of the pool (DWF) or others at a likely-convergence point (LCP)";
    barriers: BarrierReport = [whole] |of| barriers(of.metrics);
        "Barriers", "", "phases: spans of a block between barriers; rtru: how unequal its warps are in them (BAWS section 3.2, figure 5); stall_fraction: share of warp cycles spent at a barrier or, after exit, at the block's end (figure 1)";
    warp_divergence: WarpDivergence = [whole] |of| of.metrics.block_folds.warp_divergence();
        "Warp divergence", "", "Blocks of the launch whose warps differ by more than 50, 25, 10, 5 per cent in instructions and cycles; dwr, dws: the divergent warp region and its stalls (VTW tables 1, 2)";
    stall_cycles: f64 = [whole] |of| of.metrics.block_folds.stalls() as f64 / f64::from(of.config.sms);
        "Stall cycles", "cycles", "Cycles in which no scheduler of an SM issues, on average over SMs (VTW table 6)";
    resident_blocks: u64 = [whole] |of| of.metrics.block_folds.resident_blocks();
        "Resident blocks", "blocks", "The most blocks that were resident at a time, over all SMs (VTW tables 1 and 7)";
    virtual_blocks: OfVirtualBlocks = [whole] |of| of.metrics.is_virtual.then_some(of.metrics.virtual_blocks);
        "Virtual blocks", "", "blocks: resident blocks that ran one logical block after another; iterations: the most that one of them ran (VTW section 4.1); null without them";
    gangs: OfGangs = [whole] |of| of.metrics.gangs.report(of.cycles);
        "Gangs", "", "Instructions that gangs issued, splits in all and for memory, reformations, and warps by the size of their gang: in all (warp_cycles, sizes 1 to 8), in the first cycle with warps and over time (VWS figure 18); null without gangs";
    power: OfPower = [whole] |of| of.metrics.power.report(of.cycles);
        "Power", "", "Of the INT and the FP pipelines: lane-cycles busy, idle, idle_detect, gated and wakeup; gating_events, and lost_events after which the lane was needed too early; overhead: what switching costs; leakage_saved: gated less that cost; all over lane-cycles (Origami figures 10, 11); folded: share of instructions (figure 12); bubbles: share of cycles in gaps under 10 (figure 2); null with gating off";
    leakage_saved: f64 = [whole] |of| of.metrics.power.report(of.cycles).map_or(0.0, |power| power.leakage_saved());
        "Leakage saved", "", "Of the INT and FP pipelines together, net of what switching lanes off costs; 0 with gating off";
    area_mm2: f64 = [whole] |of| area(of.config).sm_mm2;
        "Added area", "mm²", "What slices and gangs add to an SM in a 40 nm process, by the paper's estimate (VWS table 2)";
    storage_bytes: u64 = [whole] |of| of.config.storage_bytes().into();
        "Added storage", "bytes", "What the warp priority table of MWF adds to an SM (BAWS section 4.1.2); 0 for techniques whose papers give no size";
    blocks: u64 = [sum] |of| of.totals.blocks;
        "Blocks ended", "blocks", "Blocks that ended";
}

impl Report {
    /// Returns the number of that name, if it is a single one.
    pub fn number(&self, name: &str) -> Option<ReportNumber> {
        let definition = DEFINITIONS.iter().find(|definition| definition.name == name)?;
        definition.value.map(|value| value(self))
    }

    /// Returns the issue slots with a stall of the memory pipeline (TBC figures 2(b), 13(b) and 14(b)).
    pub fn memory_stalls(&self) -> u64 {
        self.stalls.sum(StallCause::ALL.into_iter().filter(|cause| cause.is_memory()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Replay;
    use crate::run::testing::toy;

    #[test]
    fn a_report_reads_what_it_writes() {
        let totals = Totals { warp_instructions: 7, slots_memory: 3, ..Totals::default() };
        let report = Report::new(&Metrics { totals, ..Metrics::default() }, &Config::default(), 9);
        let text = serde_json::to_string(&report).expect("a report is JSON");
        let again: Report = serde_json::from_str(&text).expect("and JSON a report");
        assert_eq!(serde_json::to_string(&again).ok(), Some(text));
        assert_eq!((again.warp_instructions, again.issue_slots.get(SlotClass::Memory), again.cycles), (7, 3, 9));
    }

    #[test]
    fn every_single_number_of_a_report_has_its_name() {
        let report = Report::new(&Metrics::default(), &Config::default(), 1);
        let json = serde_json::to_value(&report).expect("a report is JSON");
        for definition in DEFINITIONS {
            let found = report.number(definition.name).map(|number| match number {
                ReportNumber::Count(count) => count as f64,
                ReportNumber::Ratio(ratio) => ratio,
            });
            assert_eq!(found, json.get(definition.name).and_then(serde_json::Value::as_f64), "{}", definition.name);
        }
    }

    #[test]
    fn sums_of_two_stretches_are_those_of_both_together() {
        let mut run = Replay::new(toy("collatz", "TBC", &[]));
        run.seek(u64::MAX);
        let (end, config) = (run.cycle(), run.sim().machine.config.clone());
        let tallies = [0, end / 3, end].map(|cycle| run.tally_at(cycle));
        let report =
            |from: usize, to: usize, cycles: u64| Report::new(&tallies[to].since(&tallies[from]).metrics, &config, cycles);
        let (first, second, all) = (report(0, 1, end / 3), report(1, 2, end - end / 3), report(0, 2, end));
        let whole = Report::new(&tallies[2].metrics, &config, end);
        for Definition { name, fold, .. } in DEFINITIONS.iter().filter(|definition| definition.fold != Fold::Whole) {
            assert_eq!(all.number(name), whole.number(name), "{name}");
            if let (Some(ReportNumber::Count(a)), Some(ReportNumber::Count(b)), Some(ReportNumber::Count(sum))) =
                (first.number(name), second.number(name), all.number(name))
            {
                assert_eq!((a + b, *fold), (sum, Fold::Sum), "{name}");
            }
        }
        let counts = |report: &Report| -> Vec<u64> {
            report.warp_cycles.iter().chain(report.issue_slots.iter()).map(|(_, count)| count).collect()
        };
        assert!(counts(&first).iter().zip(counts(&all)).all(|(&part, both)| part <= both));
    }

    #[test]
    fn a_plotted_number_has_no_value_where_nothing_is_counted() {
        let (totals, config) = (Totals::default(), Config::default());
        let plotted: Vec<(&str, Plotted)> = DEFINITIONS.iter().filter_map(|d| Some((d.name, d.plotted?))).collect();
        assert_eq!(plotted.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["ipc", "lane_efficiency", "simd_efficiency"]);
        assert!(plotted.iter().all(|(_, value)| value(&MetricSource { totals: &totals, cycles: 0, config: &config }).is_nan()));
    }
}
