//! Estimates from above how much memory a machine's state takes, before any of it is allocated.
//!
//! A configuration may pass [`Config::validate`] key by key and still ask for more than a computer has: caches of a gigabyte
//! on each of 64 SMs, a million units, a module variable of a gigabyte. [`Footprint::of`] adds up what grows with the keys,
//! the program and the launch; [`Footprint::check`] refuses what is over a budget and names the keys that matter most.

use super::cache::Cache;
use super::collect::Collectors;
use super::issue::Scratch;
use super::pipeline::{LaneBank, Pipeline};
use super::state::{Block, Port, Sm, StaticWarp, Warp};
use crate::config::{Config, GatingKind, KEYS};
use std::cmp::Reverse;
use thiserror::Error;
use warpscope_kernel::interp::shape::GridShape;
use warpscope_kernel::launch::Launch;
use warpscope_kernel::program::Program;

/// The memory limit of a machine outside of a browser: 2 GiB.
pub const BUDGET: u64 = 2 << 30;
/// Copies of global memory: as the launch gives it, at the start, now, and as it is read back.
const MEMORY_COPIES: u64 = 4;
/// Bytes for a warp's reconvergence stack and other state of its technique; few kernels need a tenth of them.
const CONTROL_FLOW_BYTES: u64 = 1024;

/// The estimated memory of a machine or run, part by part.
#[derive(Clone, Debug)]
pub struct Footprint {
    parts: Vec<FootprintPart>,
}

#[derive(Clone, Debug)]
struct FootprintPart {
    what: &'static str,
    /// The configuration keys that it grows with.
    keys: &'static [&'static str],
    bytes: u64,
    /// Whether each snapshot copies it; snapshots share global memory.
    copied: bool,
}

/// The error for a machine that needs more memory than its limit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the machine and its memory need about {} MiB{}, and the limit is {} MiB; most of it is for {most}", need.div_ceil(1 << 20), if *copies > 1 { format!(" with {copies} snapshots") } else { String::new() }, limit >> 20)]
pub struct OverBudget {
    pub(crate) need: u64,
    pub(crate) limit: u64,
    copies: u64,
    /// The largest parts, with their keys.
    most: String,
}

impl Footprint {
    /// Estimates a machine; `memory` is the result of [`memory_bytes`] for the launch.
    pub fn of(config: &Config, program: &Program, shape: &GridShape, memory: u64) -> Footprint {
        let size = |bytes: usize| bytes as u64;
        let (sms, slices) = (u64::from(config.sms), u64::from(config.slices));
        let max_warps = config.max_threads / config.row_threads().max(1) * config.slices;
        let entries = u64::from(config.divergence.entries(max_warps, config.max_threads));
        let max_warps = u64::from(max_warps);
        let warp = size(size_of::<Warp>()) + u64::from(program.planes).div_ceil(64) * 16 + 8;
        let technique = max_warps * (CONTROL_FLOW_BYTES + size(size_of::<StaticWarp>())) + u64::from(config.max_threads) * 8;
        let slots = max_warps.min(config.max_blocks.into()) * size(size_of::<Option<Block>>());
        let l0i = if config.l0i_bytes == 0 { 0 } else { Cache::tag_bytes(config.l0i_bytes, config.l0i_line, 1) };
        let banks = if config.gating == GatingKind::Off { 0 } else { 2 * u64::from(config.sp_units) };
        let collected = if config.collectors == 0 { 0 } else { u64::from(config.sp_units) };
        let units = (2 * u64::from(config.sp_units) + u64::from(config.sfu_units)) * slices + u64::from(config.ldst_units);
        let resident = resident_blocks(config, program, shape);
        let threads = u64::from(shape.threads).next_multiple_of(32);
        let part = |what, keys, bytes| FootprintPart { what, keys, bytes, copied: true };
        let l1d = Cache::tag_bytes(config.l1d_bytes, config.l1d_line, config.l1d_ways);
        let l2 = Cache::tag_bytes(config.l2_bytes, config.l2_line, config.l2_ways);
        let icache = Cache::tag_bytes(config.icache_bytes, config.icache_line, config.icache_ways);
        let fixed = size(size_of::<Sm>() + size_of::<Scratch>());
        let parts = vec![
            part("L1 data caches", &["sms", "l1d_bytes", "l1d_line"], sms * l1d),
            part("pending lines", &["sms", "l1d_mshrs"], sms * u64::from(config.l1d_mshrs) * 16),
            part("the L2 cache", &["l2_bytes", "l2_line"], l2),
            part("instruction caches", &["sms", "icache_bytes", "l0i_bytes", "slices"], sms * (icache + slices * l0i)),
            part(
                "units",
                &["sms", "sp_units", "sfu_units", "ldst_units", "slices", "gating", "collectors"],
                sms * (units * size(size_of::<Pipeline>()) + banks * LaneBank::BYTES + collected * Collectors::UNIT_BYTES),
            ),
            part("warp tables", &["sms", "max_threads", "warp_width"], sms * (entries * warp + technique + slots + fixed)),
            part(
                "issue ports",
                &["sms", "schedulers", "slices"],
                sms * slices * u64::from(config.schedulers) * size(size_of::<Port>()),
            ),
            part(
                "registers of resident blocks",
                &["sms", "max_threads", "max_blocks"],
                resident * u64::from(program.planes) * threads * 4,
            ),
            part(
                "shared memory of resident blocks",
                &["sms", "shared_memory"],
                resident.saturating_mul(u64::from(shape.shared_bytes) * 9 / 8),
            ),
            part(
                "local memory of resident threads",
                &["sms", "max_threads"],
                resident.saturating_mul(local_bytes(program, threads)),
            ),
            part("counts of each instruction", &[], size(program.instructions.len()) * 24),
            memory_part(memory),
        ];
        Footprint { parts }
    }

    /// Estimates a run by the scalar reference, which has one block at a time and no machine.
    pub fn of_reference(program: &Program, shape: &GridShape, memory: u64) -> Footprint {
        let threads = u64::from(shape.threads).next_multiple_of(32);
        let block =
            u64::from(program.planes) * threads * 4 + u64::from(shape.shared_bytes) * 9 / 8 + local_bytes(program, threads);
        let block =
            FootprintPart { what: "registers, shared and local memory of a block", keys: &[], bytes: block, copied: true };
        Footprint { parts: vec![block, memory_part(memory)] }
    }

    /// Returns the bytes that one snapshot of the machine copies.
    pub fn snapshot_bytes(&self) -> u64 {
        self.parts.iter().filter(|part| part.copied).fold(0, |sum, part| sum.saturating_add(part.bytes))
    }

    /// Returns the bytes of the machine and its memory, without snapshots.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.bytes))
    }

    /// Refuses a machine if `copies` copies of it need more than `budget` bytes.
    pub fn check(&self, config: &Config, budget: u64, copies: u64) -> Result<(), OverBudget> {
        let weight = |part: &FootprintPart| part.bytes.saturating_mul(if part.copied { copies } else { 1 });
        let need = self.parts.iter().fold(0u64, |sum, part| sum.saturating_add(weight(part)));
        if need <= budget {
            return Ok(());
        }
        let mut parts: Vec<&FootprintPart> = self.parts.iter().filter(|part| weight(part) >= need / 10).collect();
        parts.sort_by_key(|part| Reverse(weight(part)));
        let most: Vec<String> = parts.iter().take(3).map(|part| part.words(config, weight(part))).collect();
        Err(OverBudget { need, limit: budget, copies, most: most.join(", ") })
    }
}

impl FootprintPart {
    /// Describes a part: `L1 data caches, 1536 MiB (sms = 64, l1d_bytes = 1073741824)`.
    fn words(&self, config: &Config, bytes: u64) -> String {
        let value = |name: &str| KEYS.iter().find(|key| key.name == name).map_or(String::new(), |key| (key.get)(config));
        let keys: Vec<String> = self.keys.iter().map(|key| format!("{key} = {}", value(key))).collect();
        let keys = if keys.is_empty() { String::new() } else { format!(" ({})", keys.join(", ")) };
        format!("{}, {} MiB{keys}", self.what, bytes.div_ceil(1 << 20))
    }
}

/// Bytes of the launch's buffers and of the module's variables.
pub fn memory_bytes(program: &Program, launch: &Launch) -> u64 {
    let buffers = launch.buffers().into_iter().map(|buffer| buffer.bytes());
    let variables = program.variables.iter().map(|variable| variable.bytes);
    buffers.chain(variables).fold(0, u64::saturating_add)
}

fn memory_part(memory: u64) -> FootprintPart {
    let what = "the launch's buffers and the module's variables, each held up to four times";
    FootprintPart { what, keys: &[], bytes: memory.saturating_mul(MEMORY_COPIES), copied: false }
}

fn local_bytes(program: &Program, threads: u64) -> u64 {
    u64::from(program.local_bytes).next_multiple_of(16) * threads
}

/// Returns the most blocks of a launch that all SMs hold at a time, for the program after the machine's passes.
pub fn resident(config: &Config, program: &Program, launch: &Launch) -> u64 {
    let program = program.clone().through(&config.passes(launch.grid, launch.block));
    resident_blocks(config, &program, &GridShape::new(&program, launch, config.ptx_warp, config.sms))
}

/// Returns the same for a program that has gone through its passes.
pub fn resident_blocks(config: &Config, program: &Program, shape: &GridShape) -> u64 {
    let threads = u64::from(shape.threads).next_multiple_of(config.row_threads().max(1).into()).max(1);
    let registers = u64::from(program.registers_needed.max(1)) * threads;
    let by = |have: u32, need: u64| u64::from(have) / need.max(1);
    let each = by(config.max_threads, threads)
        .min(config.max_blocks.into())
        .min(by(config.registers, registers))
        .min(by(config.shared_memory, shape.shared_bytes.into()));
    (u64::from(config.sms) * each).min(shape.blocks())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{MachineSpec, PRESETS};
    use warpscope_catalogue as catalogue;
    use warpscope_kernel::program;

    fn footprint(config: &Config) -> Footprint {
        let collatz = catalogue::find("collatz").expect("in the catalogue");
        let launch = Launch::parse(collatz.full).expect("a launch");
        let program = program::load(collatz.ptx, None).expect("sound");
        let shape = GridShape::new(&program, &launch, config.ptx_warp, config.sms);
        Footprint::of(config, &program, &shape, memory_bytes(&program, &launch))
    }

    #[test]
    fn every_preset_is_far_below_the_budget() {
        for preset in PRESETS {
            let bytes = footprint(&(preset.make)()).snapshot_bytes();
            assert!((1_000..4 << 20).contains(&bytes), "{}: {bytes}", preset.name);
        }
    }

    #[test]
    fn a_launch_has_as_many_resident_blocks_as_the_machine_then_runs() {
        let radixsort = catalogue::find("radixsort").expect("in the catalogue");
        let launch = Launch::parse(radixsort.full).expect("a launch");
        let program = program::load(radixsort.ptx, None).expect("sound");
        let blocks = |technique| {
            let config = MachineSpec::new("gtx480", technique, []).config().expect("a technique");
            resident(&config, &program, &launch)
        };
        assert_eq!((blocks("GTO"), blocks("VTW")), (3, 2), "the loop over blocks takes registers");
    }

    #[test]
    fn what_is_over_the_budget_names_figure_limit_and_keys() {
        for (keys, words) in [
            (&[("sms", "64"), ("l1d_bytes", "1073741824")][..], "l1d_bytes = 1073741824"),
            (&[("sms", "64"), ("l1d_mshrs", "65536"), ("l2_bytes", "1073741824"), ("l2_line", "32")], "l2_bytes"),
        ] {
            let mut config = Config::default();
            keys.iter().for_each(|(key, value)| config.set(key, value).expect("a key"));
            assert_eq!(config.validate(), Ok(()));
            let refused = footprint(&config).check(&config, 1 << 30, 1).expect_err("over the budget");
            let said = refused.to_string();
            let figure = format!("{} MiB", refused.need.div_ceil(1 << 20));
            assert!(
                refused.need > 1 << 30 && said.contains(words) && said.contains("1024 MiB") && said.contains(&figure),
                "{said}"
            );
        }
    }
}
