//! Presets: machines as the papers describe them.

use super::{Config, HazardTracking, Rate, ScheduleKind};

/// A machine under a name.
pub struct Preset {
    /// What a person types, `--preset name`.
    pub name: &'static str,
    /// The machine that it models, and the source.
    pub about: &'static str,
    /// Builds its configuration.
    pub make: fn() -> Config,
}

/// Every preset, in the order of lists and menus.
pub static PRESETS: &[Preset] = &[
    Preset { name: "gtx480", about: "NVIDIA GTX480 as BAWS section 5 and VTW table 3 configure it", make: Config::default },
    Preset { name: "gtx480x15", about: "The whole GTX480: 15 SMs that share 768 KB of L2 cache and 177.4 GB/s", make: gtx480x15 },
    Preset {
        name: "tbc",
        about: "Thread Block Compaction, table 2: warps of 32 on 8 lanes, one instruction of a warp in flight",
        make: tbc,
    },
    Preset { name: "vws", about: "Variable Warp Sizing, table 1: 32 lanes, greedy-then-oldest", make: vws },
    Preset {
        name: "origami",
        about: "Origami section 4.1: the GTX480 with a two-level scheduler, INT and FP pipelines of 32 lanes",
        make: origami,
    },
    Preset { name: "toy", about: "For lessons: warps of 4, every latency 1, ideal memory and fetch", make: toy },
];

/// `gtx480` has one SM and its share of the L2 cache and DRAM. This preset has all SMs, and more stages of GPGPU-Sim's GTX480:
/// decode, operand collection, as many result buses as SP units, instruction fetch through the L2 cache. `gtx480` leaves these
/// out because the techniques of all papers are compared on it, and those that gate INT and FP pipelines or cut them into slices
/// have no such bus.
fn gtx480x15() -> Config {
    let sms = 15;
    let one = Config::default();
    Config {
        sms,
        l2_bytes: 768 << 10,
        dram_bytes_per_cycle: one.dram_bytes_per_cycle.times(sms),
        dram_queue: one.dram_queue * sms,
        // Fetch, then decode; the outcome of a branch is known at issue.
        fetch_latency: 2,
        branch_latency: 0,
        icache_l2: true,
        // Stages: into a collector, its operand reads, out of it, into the unit; and after the unit, to the port and back.
        read_latency: 6,
        collectors: 6,
        logic_latency: 1,
        mul_latency: 4,
        ..one
    }
}

fn tbc() -> Config {
    let depth = Config::default().int_latency;
    Config {
        simd_width: 8,
        max_threads: 1024,
        registers: 16384,
        shared_memory: 16 << 10,
        schedulers: 1,
        schedule: ScheduleKind::Lrr,
        scoreboard: HazardTracking::Simple,
        ideal_fetch: true,
        branch_latency: 0,
        // One pipeline, eight lanes wide, serves arithmetic and memory (section 2.2). Table 2 has no unit with a longer latency
        // than another, and instructions in one pipeline do not overtake each other: all have its depth, branches too. What
        // comes from a memory takes that memory's latency, of which the table has none: it is the default's.
        one_pipeline: true,
        sp_units: 1,
        mul_latency: depth,
        div_latency: depth,
        fp_latency: depth,
        dp_latency: depth,
        sfu_latency: depth,
        mul_interval: 1,
        div_interval: 1,
        dp_interval: 1,
        sfu_interval: 1,
        // The table limits the requests that wait for DRAM to 32 in each channel. What finds no room waits in the pipeline.
        back_pressure: true,
        // Shared-memory banks of the Quadro FX5800, which serve half a warp at a time.
        shared_banks: 16,
        l1d_bytes: 32 << 10,
        l1d_line: 64,
        l1d_ways: 8,
        l1d_hash: false,
        l1d_lookup: 0,
        // 1 MB for each of 8 channels, shared by 30 cores.
        l2_bytes: (8 << 20) / 30,
        l2_line: 64,
        l2_ways: 64,
        // 8 channels of 8 bytes per memory cycle (800 MHz), shared by 30 cores at 1300 MHz.
        dram_bytes_per_cycle: Rate::thousandths(1000 * 8 * 8 * 800 / (30 * 1300)),
        ..Config::default()
    }
}

fn vws() -> Config {
    let alu = 10;
    Config {
        max_threads: 1024,
        max_blocks: 16,
        schedulers: 1,
        schedule: ScheduleKind::Gto,
        fetch_instructions: 1,
        ibuffer: 1,
        // From table 2.
        icache_bytes: 64 << 10,
        read_latency: 0,
        sp_units: 1,
        int_latency: alu,
        mul_latency: alu,
        fp_latency: alu,
        dp_latency: alu,
        mul_interval: 1,
        dp_interval: 1,
        l1d_bytes: 64 << 10,
        l1d_ways: 8,
        l1d_hash: false,
        l1d_lookup: 0,
        // Enough lines in flight for the table's 32 bytes a cycle, given the latencies of L2 and DRAM.
        l1d_mshrs: 128,
        back_pressure: true,
        store_sector: 32,
        l2_bytes: 128 << 10,
        l2_ways: 8,
        dram_bytes_per_cycle: Rate::whole(32),
        ..Config::default()
    }
}

fn origami() -> Config {
    Config { schedule: ScheduleKind::TwoLevel, ..Config::default() }
}

fn toy() -> Config {
    Config {
        warp_width: 4,
        simd_width: 4,
        ptx_warp: 4,
        max_threads: 32,
        max_blocks: 8,
        schedulers: 1,
        schedule: ScheduleKind::Lrr,
        ideal_fetch: true,
        branch_latency: 0,
        read_latency: 0,
        sp_units: 1,
        int_latency: 1,
        mul_latency: 1,
        div_latency: 1,
        fp_latency: 1,
        dp_latency: 1,
        sfu_latency: 1,
        mul_interval: 1,
        div_interval: 1,
        dp_interval: 1,
        sfu_interval: 1,
        ideal_memory: true,
        // For lessons that switch ideal memory off: the simplest real memory.
        l1d_hash: false,
        l1d_lookup: 0,
        l2_write_back: false,
        dram_bytes_per_cycle: Rate::whole(8),
        shared_banks: 4,
        shared_latency: 1,
        constant_latency: 1,
        ..Config::default()
    }
}
