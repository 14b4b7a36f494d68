//! The table of configuration keys.

use super::rate::Rate;
use super::{
    BlockPriorityKind, DispatchKind, DivergenceKind, FetchKind, FetchWhen, FirstSideKind, GangMeetKind, GangScheduleKind,
    GangSplitKind, GatingGrain, GatingKind, HazardTracking, IssueGroupsKind, ScheduleKind, ThreadIndexKind,
};
use serde::Serialize;

/// The kind of value that a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyKind {
    /// A whole number, or a bandwidth with a fraction.
    Number,
    /// `true` or `false`.
    Flag,
    /// One of several names.
    Choice,
}

/// One key: its name and meaning, and functions that read and write its value.
pub struct Key {
    /// What a person types, `--set name=value`.
    pub name: &'static str,
    /// What a number counts; empty for the other kinds.
    pub unit: &'static str,
    /// What it means and where its default comes from.
    pub about: &'static str,
    /// What kind of value it takes.
    pub kind: KeyKind,
    /// The allowed values of a choice or a flag; empty for a number.
    pub choices: fn() -> Vec<&'static str>,
    /// Writes the value as it would be typed.
    pub get: fn(&Config) -> String,
    /// Reads a typed value; the error says what is allowed.
    pub set: fn(&mut Config, &str) -> Result<(), String>,
}

/// A type that a key's value can have.
trait KeyValue: Sized {
    const KIND: KeyKind;
    fn show(&self) -> String;
    fn read(text: &str) -> Result<Self, String>;
    fn choices() -> Vec<&'static str> {
        Vec::new()
    }
}

impl KeyValue for u32 {
    const KIND: KeyKind = KeyKind::Number;

    fn show(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Result<u32, String> {
        text.parse().map_err(|_| "a whole number from 0 to 4294967295 is allowed".to_string())
    }
}

impl KeyValue for Rate {
    const KIND: KeyKind = KeyKind::Number;

    fn show(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Result<Rate, String> {
        text.parse()
    }
}

impl KeyValue for bool {
    const KIND: KeyKind = KeyKind::Flag;

    fn show(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Result<bool, String> {
        text.parse().map_err(|_| "`true` or `false` is allowed".to_string())
    }

    fn choices() -> Vec<&'static str> {
        vec!["true", "false"]
    }
}

/// Finds a choice by name, ignoring case.
fn choose<T: Copy>(choices: &[(&'static str, T)], text: &str) -> Result<T, String> {
    let names = || choices.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    choices
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(text))
        .map(|&(_, value)| value)
        .ok_or_else(|| format!("one of {} is allowed", names()))
}

/// Implements `KeyValue` for kinds of policies, by the names in their tables.
macro_rules! policy_key {
    ($($kind:ty),*) => {$(
        impl KeyValue for $kind {
            const KIND: KeyKind = KeyKind::Choice;

            fn show(&self) -> String {
                self.name().to_string()
            }

            fn read(text: &str) -> Result<$kind, String> {
                choose(&<$kind>::ALL.map(|kind| (kind.name(), kind)), text)
            }

            fn choices() -> Vec<&'static str> {
                <$kind>::ALL.map(|kind| kind.name()).to_vec()
            }
        }
    )*};
}

policy_key!(
    ScheduleKind,
    FetchKind,
    FetchWhen,
    DivergenceKind,
    BlockPriorityKind,
    GangMeetKind,
    GangScheduleKind,
    GangSplitKind,
    FirstSideKind,
    GatingKind,
    GatingGrain,
    IssueGroupsKind,
    DispatchKind,
    ThreadIndexKind,
    HazardTracking
);

macro_rules! keys {
    ($($name:ident: $ty:ty = $default:expr, $unit:literal, $about:literal;)*) => {
        /// Every parameter of the machine. The default is the preset `gtx480`.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
        pub struct Config {
            $(#[doc = $about] pub $name: $ty,)*
        }

        impl Default for Config {
            fn default() -> Config {
                Config { $($name: $default,)* }
            }
        }

        /// Every key, in the order in which lists show them.
        pub static KEYS: &[Key] = &[
            $(Key {
                name: stringify!($name),
                unit: $unit,
                about: $about,
                kind: <$ty as KeyValue>::KIND,
                choices: <$ty as KeyValue>::choices,
                get: |config| config.$name.show(),
                set: |config, text| <$ty as KeyValue>::read(text).map(|value| config.$name = value),
            },)*
        ];
    };
}

keys! {
    sms: u32 = 1, "SMs", "Streaming multiprocessors; they share the L2 cache, DRAM and the grid's blocks";
    warp_width: u32 = 32, "threads", "Threads of a hardware warp: 1, 2, 4, 8, 16 or 32";
    simd_width: u32 = 32, "lanes", "Lanes of an execution unit; a warp wider than that holds its issue port and unit for several cycles (TBC table 2: 8)";
    ptx_warp: u32 = 32, "threads", "Threads of a PTX warp, to which %laneid, shfl.sync and member masks refer";
    max_threads: u32 = 1536, "threads", "Threads resident on an SM (BAWS section 5, VTW table 3)";
    max_blocks: u32 = 8, "blocks", "Blocks resident on an SM (VTW table 3)";
    registers: u32 = 32768, "registers", "32-bit registers of an SM (BAWS section 5, VTW table 3)";
    shared_memory: u32 = 49152, "bytes", "Shared memory of an SM (VTW table 3)";
    divergence: DivergenceKind = DivergenceKind::Pdom, "", "How the machine tracks the threads of a divergent branch and reconverges them";
    tbc_uniform: bool = true, "", "TBC: warps do not wait for each other at branches that are uniform in a block according to an analysis of the program (TBC section 3.1)";
    tbc_compaction: bool = true, "", "TBC: threads are compacted into new warps; if false, static warps stay as they are (TBC section 3.2)";
    its_first: FirstSideKind = FirstSideKind::Fewer, "", "ITS: which side of a divergent branch runs first; an H200 runs the one with fewer threads, and of equal ones the one that falls through (measured)";
    its_merge: bool = false, "", "ITS: splits of a warp also merge when they are at the same PC; a GPU merges them at barriers and warp operations only (measured)";
    its_slice: u32 = 0, "instructions", "ITS: after how many instructions of one split another one of its warp runs; 0: not before it waits, yields or ends, as on a GPU (measured)";
    slices: u32 = 1, "slices", "Slices of the lanes, each with its own front end, scoreboards and schedulers; warp n belongs to slice n modulo this number (VWS section 4.1)";
    gangs: bool = false, "", "Warps of neighbouring slices start as a gang and run in lock-step until they split (VWS section 4.2)";
    gangs_per_cycle: u32 = 2, "gangs/cycle", "Gangs that each scheduler may issue in a cycle; 4 pairs fill eight slices (VWS figure 13)";
    gang_fetches: u32 = 2, "gangs/cycle", "Gangs that the fetch stage may serve in a cycle, per scheduler (VWS section 4.6)";
    gang_schedule: GangScheduleKind = GangScheduleKind::Bgto, "", "Which gang issues first (VWS section 6.3)";
    gang_split: GangSplitKind = GangSplitKind::Control, "", "What splits a gang besides different next instructions (VWS sections 4.4 and 6.5)";
    gang_reform: bool = false, "", "Parts of an original gang merge again when they reach the same instruction (VWS section 4.5)";
    gang_meet: GangMeetKind = GangMeetKind::Any, "", "Which of those parts merge: two at the same PC, two that reached it in the same cycle or that are equally ready, all at once, or also two held at one barrier (VWS sections 4.5 and 6.1)";
    gang_wait: u32 = 0, "cycles", "How long a part of an original gang waits for the others where branches meet (VWS section 6.4)";
    gang_patience: u32 = 1000, "cycles", "How long gangs may keep a ready warp from issuing before it goes first once; 0: no limit. The paper gives gangs priority and no limit (VWS section 4.1)";
    schedulers: u32 = 2, "schedulers", "Issue ports, in each slice; warp n of a slice belongs to scheduler n modulo this number (BAWS section 5: even and odd)";
    schedule: ScheduleKind = ScheduleKind::Lrr, "", "Which ready warp issues; Majority and Oldest are from DWF, LPC from VWS, progress from VTW (section 4.3.2)";
    block_priority: BlockPriorityKind = BlockPriorityKind::None, "", "Which block's warps come first; the schedule chooses among them (TBC section 6.2, BAWS sections 4.1 and 6.6)";
    schedule_patience: u32 = 0, "cycles", "How long the order of warps may keep a ready warp from issuing, or from being fetched for, before it goes first once; 0: no limit, as in the papers, whose strict orders can starve the holder of a lock for ever";
    exits_wait: bool = true, "", "Exited warps count as waiting at an implicit barrier at their block's end (BAWS section 1)";
    tls_active: u32 = 8, "warps", "Two-level scheduling: warps of a scheduler in the active set";
    dispatch: DispatchKind = DispatchKind::Plain, "", "Whether a resident block runs one logical block or, with the kernel in a loop, one after another (VTW section 4)";
    thread_index: ThreadIndexKind = ThreadIndexKind::SameLane, "", "Which threads of its next logical block a virtual warp takes (VTW section 4.2.2)";
    hoist: bool = true, "", "Values equal for all logical blocks are computed once, before the loop over them, if registers suffice (VTW section 4.3.1)";
    native_code: bool = false, "", "The program as compiled to native code: copies and parameters become operands, a branch around at most seven instructions becomes predication (CUDA C Programming Guide 4.2, section 5.4.2), a division many instructions, and each side of a branch executes one where they meet";
    scoreboard: HazardTracking = HazardTracking::Register, "", "What an instruction waits for: its registers, or every earlier instruction of its warp";
    ideal_fetch: bool = false, "", "Instructions are always available: no I-buffer, no I-cache (TBC section 2.2)";
    fetch: FetchKind = FetchKind::Lrr, "", "Which warp the fetch stage serves (BAWS sections 2.2, 4.2 and 6.2)";
    fetch_when: FetchWhen = FetchWhen::Empty, "", "Which warps the fetch stage may serve: those with an empty I-buffer (BAWS section 2.2), or any with room in it";
    fetch_ports: u32 = 1, "warps/cycle", "Warps that each slice fetches instructions for in a cycle";
    icache_ports: u32 = 8, "fetches/cycle", "Fetches that the instruction cache serves in a cycle, gangs first, then slices in turn (VWS section 4.6)";
    fetch_instructions: u32 = 2, "instructions", "Most instructions that one fetch brings";
    fetch_latency: u32 = 1, "cycles", "From a fetch that hits the I-cache until its instructions can issue";
    ibuffer: u32 = 2, "instructions", "I-buffer entries of a warp (BAWS section 2)";
    icache_bytes: u32 = 2048, "bytes", "Instruction cache (BAWS section 5)";
    icache_line: u32 = 128, "bytes", "Line of the instruction cache";
    icache_ways: u32 = 4, "ways", "Associativity of the instruction cache";
    icache_miss_latency: u32 = 60, "cycles", "Time to bring a line into the instruction cache";
    icache_l2: bool = false, "", "A line that misses the instruction cache comes from the L2 cache or DRAM, through the memory channel, as data do; if false, it takes icache_miss_latency";
    l0i_bytes: u32 = 0, "bytes", "Instruction cache of a slice, in front of the one that all share; 0 for none (VWS section 4.6)";
    l0i_line: u32 = 64, "bytes", "Line of a slice's instruction cache, which is fully associative";
    instruction_bytes: u32 = 8, "bytes", "Size of an instruction in memory";
    branch_latency: u32 = 2, "cycles", "From a branch's issue until its outcome is known and its warp may fetch again";
    read_latency: u32 = 3, "cycles", "From issue through operand read to execution";
    sp_units: u32 = 2, "units", "SP units, each with an integer and a floating-point pipeline of its own (BAWS section 5, Origami section 4.1)";
    sfu_units: u32 = 1, "units", "Units for special functions (BAWS section 5)";
    ldst_units: u32 = 1, "units", "Load/store units";
    one_pipeline: bool = false, "", "One pipeline takes all instructions, in order: a load that needs many cycles holds up everything behind it (TBC section 2.2)";
    collectors: u32 = 0, "instructions", "Instructions that may wait with their operands for SP units, each of which is then one pipeline; SP and SFU results leave by one result bus per SP unit, one a cycle each. 0: separate INT and FP pipelines that never wait for a result bus";
    int_latency: u32 = 4, "cycles", "Integer addition, logic, shifts, comparisons, moves";
    logic_latency: u32 = 0, "cycles", "Logic, shifts, comparisons, moves and conversions, if they take less than an addition; 0: as long";
    mul_latency: u32 = 5, "cycles", "Integer multiplication";
    div_latency: u32 = 145, "cycles", "Integer division and remainder";
    fp_latency: u32 = 4, "cycles", "Single- and half-precision addition, multiplication, fused multiply-add";
    dp_latency: u32 = 8, "cycles", "Double-precision addition, multiplication, fused multiply-add";
    sfu_latency: u32 = 20, "cycles", "Division, roots and transcendental functions";
    int_interval: u32 = 1, "cycles", "Cycles between two integer instructions on one unit";
    mul_interval: u32 = 2, "cycles", "Cycles between two integer multiplications on one unit";
    div_interval: u32 = 8, "cycles", "Cycles between two integer divisions on one unit";
    fp_interval: u32 = 1, "cycles", "Cycles between two floating-point instructions on one unit";
    dp_interval: u32 = 8, "cycles", "Cycles between two double-precision instructions on one unit";
    sfu_interval: u32 = 8, "cycles", "Cycles between two instructions on a special-function unit";
    gating: GatingKind = GatingKind::Off, "", "Whether the use of INT and FP lanes is counted, and idle lanes are switched off (Origami section 2.2)";
    gating_grain: GatingGrain = GatingGrain::Lane, "", "Which lanes are switched together: each by itself, or all of a pipeline (Warped-Gates, by the Origami paper's abstract)";
    idle_detect: u32 = 5, "cycles", "Idle cycles after which a lane is switched off (Origami section 4.1)";
    break_even: u32 = 14, "cycles", "Cycles that a lane must be off to save what switching it costs (Origami section 4.1)";
    wakeup: u32 = 3, "cycles", "From the request for a lane that is off until it can be used (Origami section 4.4 tries 9)";
    blackout: bool = false, "", "A lane stays off for break_even cycles, even if it is needed (Warped-Gates, Origami section 1)";
    cluster_lanes: u32 = 4, "lanes", "Neighbouring lanes among which threads can be moved (Origami section 3.1)";
    fold: bool = false, "", "Warps execute in two halves on the lower half of each cluster, for a part of each phase (Origami section 3.1)";
    fold_aggressive: u32 = 70, "% of a phase", "For how long the type with fewer instructions folds (Origami section 3.1.1)";
    fold_conservative: u32 = 40, "% of a phase", "For how long the type with more instructions folds (Origami section 3.1.1)";
    fold_off: u32 = 90, "% of issue slots", "No warp folds after a phase that used this share of its issue slots (Origami section 3.1.1)";
    fold_stages: u32 = 2, "cycles", "What shifting and shifting back add to every INT and FP instruction if threads can be moved (Origami section 3.4)";
    phase_cycles: u32 = 300, "cycles", "Cycles of a phase (Origami section 3.1.1)";
    eager_gating: bool = true, "", "While a type folds, the lanes that folding leaves free are switched off after one idle cycle (Origami section 3.3)";
    lane_shift: bool = false, "", "Threads execute on the leftmost lanes of their cluster (Origami section 3.2)";
    issue_groups: IssueGroupsKind = IssueGroupsKind::None, "", "Which warps issue first: those with one type of instruction, and under Origami the full or the partial ones of these (Origami sections 2.3 and 3.2)";
    group_phases: u32 = 2, "phases", "Origami: for how many phases in a row one group of warps may come first (Origami section 3.3)";
    ideal_memory: bool = false, "", "Every access to memory takes one cycle";
    shared_banks: u32 = 32, "banks", "Banks of shared memory, four bytes wide; with fewer banks than lanes, that many lanes are served at a time (16: half-warps)";
    shared_latency: u32 = 24, "cycles", "Access to shared memory without conflict";
    constant_latency: u32 = 8, "cycles", "Access to constants or parameters";
    l1d_bytes: u32 = 16384, "bytes", "L1 data cache (BAWS section 5, VTW table 3)";
    l1d_line: u32 = 128, "bytes", "Line of the L1 data cache, and the unit of coalescing";
    l1d_ways: u32 = 4, "ways", "Associativity of the L1 data cache";
    l1d_hash: bool = true, "", "The set of a line in the L1 data cache is a hash of its address, so that a matrix column does not fall into one set; if false, neighbouring lines have neighbouring sets";
    l1d_mshrs: u32 = 32, "lines", "MSHRs of the L1 data cache: lines that may be pending";
    back_pressure: bool = false, "", "An access that finds all MSHRs or the queue to the L2 cache full holds the load/store unit until it can go; if false, only the access waits";
    miss_queue: u32 = 8, "lines", "Lines that may wait for the channel to the L2 cache before the load/store unit is held, with back_pressure";
    store_sector: u32 = 0, "bytes", "Stores move only the sectors of this size that they touch; 0: whole lines of the L1 data cache";
    l1d_latency: u32 = 30, "cycles", "Hit in the L1 data cache";
    l1d_lookup: u32 = 30, "cycles", "From an access until it is known to miss the L1 data cache, and leaves for the L2 cache";
    l2_bytes: u32 = 52428, "bytes", "L2 cache: one SM's share of 768 KB over 15 SMs (VTW table 3); the cache takes whole sets of it";
    l2_line: u32 = 128, "bytes", "Line of the L2 cache";
    l2_ways: u32 = 8, "ways", "Associativity of the L2 cache";
    l2_warm: bool = false, "", "Buffers were copied to the device just before the launch: the L2 cache begins with the lines that were copied last";
    l2_write_back: bool = true, "", "Written data stay in the L2 cache and reach DRAM when their line is evicted; if false, they go to DRAM when they miss";
    l2_latency: u32 = 120, "cycles", "Hit in the L2 cache, the way there and back included";
    l2_bytes_per_cycle: Rate = Rate::whole(32), "bytes/cycle", "Bandwidth of the channel between an SM and the L2 cache";
    dram_latency: u32 = 220, "cycles", "What a miss in the L2 cache adds";
    dram_bytes_per_cycle: Rate = Rate::thousandths(16_895), "bytes/cycle", "DRAM bandwidth: one SM's share of 177.4 GB/s over 15 SMs, at the 700 MHz at which two schedulers issue warps of 32 to as many lanes";
    dram_queue: u32 = 8, "lines", "Written lines that may wait for DRAM before the load/store unit is held, with back_pressure: one core's share of 8 queues of 32 over 30 cores (TBC table 2)";
    atomic_interval: u32 = 2, "cycles", "Cycles between two atomics to the same address";
}
