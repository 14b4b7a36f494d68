//! What each number means.

use serde::Serialize;

/// One number of a run's report.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Definition {
    /// The key in JSON.
    pub name: &'static str,
    /// What a legend or an axis says.
    pub label: &'static str,
    pub unit: &'static str,
    pub about: &'static str,
}

macro_rules! definitions {
    ($($name:literal, $label:literal, $unit:literal, $about:literal;)*) => {
        /// Every number, in the order of a report.
        pub static DEFINITIONS: &[Definition] = &[$(Definition { name: $name, label: $label, unit: $unit, about: $about },)*];
    };
}

definitions! {
    "cycles", "Cycles", "cycles", "From launch to the last block's end";
    "warp_instructions", "Warp instructions", "instructions", "Instructions issued by warps";
    "thread_instructions", "Thread instructions", "instructions", "The sum of their active threads";
    "ipc", "IPC", "thread instructions/cycle", "Thread instructions per cycle, the papers' IPC";
    "lane_efficiency", "Lanes used", "", "Threads issued over the lanes that the machine had in the cycles in which it issued: comparable across warp widths";
    "simd_efficiency", "SIMD efficiency", "", "Thread instructions over warp instructions times warp width, the papers' number: comparable at one warp width only";
    "branches", "Branches", "instructions", "Branches that could diverge, executed by warps";
    "divergent_branches", "Divergent branches", "instructions", "Those whose threads split";
    "branch_efficiency", "Branch efficiency", "", "Share of branches that did not split";
    "sms", "SMs", "", "Streaming multiprocessors simulated";
    "issue_ports", "Issue ports", "", "Issue ports of an SM";
    "issue_slots", "Issue slots", "slots", "What each issue port did each cycle: active threads in eighths of its width, stall, w0_mem, w0_idle (TBC figure 13)";
    "warp_cycles", "Warp cycles", "warp-cycles", "What each resident static warp did each cycle, or why it did not issue (BAWS figure 10)";
    "resident_warp_cycles", "Resident warp cycles", "warp-cycles", "Static warps resident, summed over cycles";
    "fetches", "Fetches", "fetches", "Instruction fetches (VWS figures 5, 9)";
    "fetches_per_cycle", "Fetches per cycle", "fetches/cycle", "Instruction fetches per cycle and SM";
    "fetches_used_next", "Fetches used next", "fetches", "Fetches whose warp is the next that its scheduler issues (BAWS section 4.2); the others are a mismatch between fetch and issue";
    "instruction_misses", "I-cache misses", "fetches", "Fetches that had to wait for their line";
    "l0_hits", "L0 hits", "fetches", "Fetches that a slice's own instruction cache served (VWS section 4.6)";
    "l1d", "L1 data cache", "accesses", "Accesses, hits, misses, and accesses to lines already on their way";
    "l2", "L2 cache", "accesses", "Accesses, hits, misses, and accesses to lines already on their way";
    "memory_transactions", "Memory transactions", "transactions", "Lines that global and local accesses were coalesced into";
    "memory_bytes", "Memory bytes", "bytes", "What those transactions move";
    "shared_bank_conflicts", "Bank conflicts", "cycles", "Cycles that shared memory needed beyond the first of each access";
    "max_stack_depth", "Stack depth", "entries", "The deepest reconvergence stack (TBC table 3); 0 for techniques without one";
    "warps_formed", "Warps formed", "warps", "Warps put together at run time by techniques that re-form them, those that blocks start with included";
    "threads_merged", "Threads merged", "threads", "Threads that joined a warp of the pool (DWF) or others at a likely-convergence point (LCP)";
    "barriers", "Barriers", "", "phases: spans of a block between barriers; rtru: how unequal its warps are in them (BAWS section 3.2, figure 5); stall_fraction: share of warp cycles spent at a barrier or, after exit, at the block's end (figure 1)";
    "warp_divergence", "Warp divergence", "", "Blocks whose warps differ by more than 50, 25, 10, 5 per cent in instructions and cycles; dwr, dws: the divergent warp region and its stalls (VTW tables 1, 2)";
    "gangs", "Gangs", "", "Instructions that gangs issued, splits and those for memory, reformations, and warps by the size of their gang: in all (warp_cycles, sizes 1 to 8) and over time (VWS figure 18); null without gangs";
    "area_mm2", "Added area", "mm²", "What slices and gangs add to an SM in a 40 nm process, by the paper's estimate (VWS table 2)";
    "storage_bytes", "Added storage", "bytes", "What the warp priority table of MWF adds to an SM (BAWS section 4.1.2); 0 for techniques whose papers give no size";
    "blocks", "Blocks ended", "blocks", "Blocks that ended";
    "host", "Simulator speed", "", "How fast the simulator itself was: seconds, SM cycles, warp and thread instructions per second";
}
