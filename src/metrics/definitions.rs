//! The definition of each number of a report.

use super::report::{Report, ReportNumber};
use serde::Serialize;

/// One number of a run's report.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Definition {
    /// The key in JSON.
    pub name: &'static str,
    /// The label in a legend or at an axis.
    pub label: &'static str,
    pub unit: &'static str,
    pub about: &'static str,
    /// Reads it from a report, if it is a single number.
    #[serde(skip)]
    pub value: Option<fn(&Report) -> ReportNumber>,
}

macro_rules! definitions {
    (@value) => { None };
    (@value $value:expr) => { Some($value) };
    ($($name:literal, $label:literal, $unit:literal, $about:literal $(, $value:expr)?;)*) => {
        /// Every number, in the order of a report.
        pub static DEFINITIONS: &[Definition] = &[
            $(Definition {
                name: $name,
                label: $label,
                unit: $unit,
                about: $about,
                value: definitions!(@value $($value)?),
            },)*
        ];
    };
}

definitions! {
    "cycles", "Cycles", "cycles", "From launch to the last block's end",
        |report| ReportNumber::Count(report.cycles);
    "warp_instructions", "Warp instructions", "instructions", "Instructions issued by warps",
        |report| ReportNumber::Count(report.warp_instructions);
    "thread_instructions", "Thread instructions", "instructions", "Active threads of issued instructions",
        |report| ReportNumber::Count(report.thread_instructions);
    "ipc", "IPC", "thread instructions/cycle", "Thread instructions per cycle, the papers' IPC",
        |report| ReportNumber::Ratio(report.ipc);
    "lane_efficiency", "Lanes used", "", "Issued threads divided by the lanes of the machine in cycles with an issue: comparable across warp widths",
        |report| ReportNumber::Ratio(report.lane_efficiency);
    "simd_efficiency", "SIMD efficiency", "", "Thread instructions over warp instructions times warp width, the papers' number: comparable at one warp width only",
        |report| ReportNumber::Ratio(report.simd_efficiency);
    "partial_warps", "Partial warps", "", "Share of issued instructions with fewer active threads than the warp is wide (Origami figure 6)",
        |report| ReportNumber::Ratio(report.partial_warps);
    "branches", "Branches", "instructions", "Branches that could diverge, executed by warps",
        |report| ReportNumber::Count(report.branches);
    "divergent_branches", "Divergent branches", "instructions", "Branches whose threads split",
        |report| ReportNumber::Count(report.divergent_branches);
    "branch_efficiency", "Branch efficiency", "", "Share of branches that did not split",
        |report| ReportNumber::Ratio(report.branch_efficiency);
    "sms", "SMs", "", "Streaming multiprocessors simulated",
        |report| ReportNumber::Count(report.sms.into());
    "issue_ports", "Issue ports", "", "Issue ports of an SM",
        |report| ReportNumber::Count(report.issue_ports.into());
    "issue_slots", "Issue slots", "slots", "What each issue port did each cycle: active threads in eighths of its width, stall, w0_mem, w0_idle (TBC figure 13)";
    "stalls", "Stalls", "slots", "The issue slots with a stall by what held the ready warp back: an access to several lines, bank conflicts, several constants, memory that takes no more, another instruction in the unit, or lanes that are not on (TBC figures 13(b), 14(b): all but the last two)";
    "warp_cycles", "Warp cycles", "warp-cycles", "What each resident static warp did each cycle, or why it did not issue (BAWS figure 10)";
    "resident_warp_cycles", "Resident warp cycles", "warp-cycles", "Static warps resident, summed over cycles",
        |report| ReportNumber::Count(report.resident_warp_cycles);
    "fetches", "Fetches", "fetches", "Instruction fetches (VWS figures 5, 9)",
        |report| ReportNumber::Count(report.fetches);
    "fetches_per_cycle", "Fetches per cycle", "fetches/cycle", "Instruction fetches per cycle and SM",
        |report| ReportNumber::Ratio(report.fetches_per_cycle);
    "fetches_used_next", "Fetches used next", "fetches", "Fetches whose warp is the next that its scheduler issues (BAWS section 4.2); the others are a mismatch between fetch and issue",
        |report| ReportNumber::Count(report.fetches_used_next);
    "instruction_misses", "I-cache misses", "fetches", "Fetches that had to wait for their line",
        |report| ReportNumber::Count(report.instruction_misses);
    "l0_hits", "L0 hits", "fetches", "Fetches that a slice's own instruction cache served (VWS section 4.6)",
        |report| ReportNumber::Count(report.l0_hits);
    "l1d", "L1 data cache", "accesses", "Accesses, hits, misses, and accesses to lines already on their way";
    "l2", "L2 cache", "accesses", "Accesses, hits, misses, and accesses to lines already on their way";
    "memory_transactions", "Memory transactions", "transactions", "Lines that global and local accesses were coalesced into",
        |report| ReportNumber::Count(report.memory_transactions);
    "memory_bytes", "Memory bytes", "bytes", "Bytes that transactions move",
        |report| ReportNumber::Count(report.memory_bytes);
    "shared_bank_conflicts", "Bank conflicts", "cycles", "Cycles that shared memory needed beyond the first of each access",
        |report| ReportNumber::Count(report.shared_bank_conflicts);
    "max_stack_depth", "Stack depth", "entries", "The deepest reconvergence stack (TBC table 3); 0 for techniques without one",
        |report| ReportNumber::Count(report.max_stack_depth);
    "warps_formed", "Warps formed", "warps", "Warps formed at run time by techniques that re-form them, including those that blocks start with",
        |report| ReportNumber::Count(report.warps_formed);
    "threads_merged", "Threads merged", "threads", "Threads that joined a warp of the pool (DWF) or others at a likely-convergence point (LCP)",
        |report| ReportNumber::Count(report.threads_merged);
    "barriers", "Barriers", "", "phases: spans of a block between barriers; rtru: how unequal its warps are in them (BAWS section 3.2, figure 5); stall_fraction: share of warp cycles spent at a barrier or, after exit, at the block's end (figure 1)";
    "warp_divergence", "Warp divergence", "", "Blocks of the launch whose warps differ by more than 50, 25, 10, 5 per cent in instructions and cycles; dwr, dws: the divergent warp region and its stalls (VTW tables 1, 2)";
    "stall_cycles", "Stall cycles", "cycles", "Cycles in which no scheduler of an SM issues, on average over SMs (VTW table 6)",
        |report| ReportNumber::Ratio(report.stall_cycles);
    "resident_blocks", "Resident blocks", "blocks", "The most blocks that were resident at a time, over all SMs (VTW tables 1 and 7)",
        |report| ReportNumber::Count(report.resident_blocks);
    "virtual_blocks", "Virtual blocks", "", "blocks: resident blocks that ran one logical block after another; iterations: the most that one of them ran (VTW section 4.1); null without them";
    "gangs", "Gangs", "", "Instructions that gangs issued, splits in all and for memory, reformations, and warps by the size of their gang: in all (warp_cycles, sizes 1 to 8) and over time (VWS figure 18); null without gangs";
    "power", "Power", "", "Of the INT and the FP pipelines: lane-cycles busy, idle, idle_detect, gated and wakeup; gating_events, and lost_events after which the lane was needed too early; overhead: what switching costs; leakage_saved: gated less that cost; all over lane-cycles (Origami figures 10, 11); folded: share of instructions (figure 12); bubbles: share of cycles in gaps under 10 (figure 2); null with gating off";
    "leakage_saved", "Leakage saved", "", "Of the INT and FP pipelines together, net of what switching lanes off costs; 0 with gating off",
        |report| ReportNumber::Ratio(report.leakage_saved);
    "area_mm2", "Added area", "mm²", "What slices and gangs add to an SM in a 40 nm process, by the paper's estimate (VWS table 2)",
        |report| ReportNumber::Ratio(report.area_mm2);
    "storage_bytes", "Added storage", "bytes", "What the warp priority table of MWF adds to an SM (BAWS section 4.1.2); 0 for techniques whose papers give no size",
        |report| ReportNumber::Count(report.storage_bytes.into());
    "blocks", "Blocks ended", "blocks", "Blocks that ended",
        |report| ReportNumber::Count(report.blocks);
    "host", "Simulator speed", "", "How fast the simulator itself was: seconds, SM cycles, warp and thread instructions per second";
}
