//! Validation of configurations: the machine relies on what is checked here.

use super::{Config, ConfigError, DispatchKind, FetchKind, FetchWhen, GatingKind, KEYS, Rate, ScheduleKind, ThreadIndexKind};
use warpscope_kernel::interp::shape::GridShape;
use warpscope_kernel::program::Program;

/// The most static warps on an SM.
pub const MAX_WARPS: u32 = 512;
/// The most threads on an SM. It also bounds the warp table: where warps re-form, each thread may be a warp of its own.
pub const MAX_THREADS: u32 = 4096;

/// The largest cache: 1 GiB.
const MOST_CACHE_BYTES: u32 = 1 << 30;
/// The largest shared memory of an SM: 256 MiB.
const MOST_SHARED_BYTES: u32 = 1 << 28;
/// The most registers of an SM.
const MOST_REGISTERS: u32 = 1 << 20;
/// The most units of a kind, ways of a cache, or things done in a cycle: all are looked at one by one.
const MOST_EACH: u32 = 1024;
/// The longest queue.
const MOST_QUEUED: u32 = 1 << 16;
/// The largest bandwidth, in bytes per cycle.
const MOST_RATE: u32 = 1 << 20;
/// The longest latency or interval, in cycles.
const MOST_CYCLES: u32 = 10_000;
/// The longest period, in cycles or phases.
const MOST_PERIOD: u32 = 1 << 20;
/// The longest patience, in cycles.
const MOST_PATIENCE: u32 = 1_000_000_000;

/// The least and the largest value of every key that is a whole number. Beyond them there is no machine, or none whose runs
/// somebody can wait for. Some keys must also fit others.
const RANGES: &[(&[&str], u32, u32)] = &[
    (&["sms"], 1, 64),
    (&["warp_width", "simd_width", "ptx_warp", "slices", "cluster_lanes", "schedulers"], 1, 32),
    (&["ibuffer"], 1, 16),
    (&["max_threads", "max_blocks", "tls_active"], 1, MAX_THREADS),
    (&["registers"], 1, MOST_REGISTERS),
    (&["shared_memory"], 0, MOST_SHARED_BYTES),
    (&["shared_banks", "sp_units", "sfu_units", "ldst_units", "l1d_ways", "l2_ways", "icache_ways"], 1, MOST_EACH),
    (&["gangs_per_cycle", "gang_fetches", "fetch_ports", "icache_ports", "fetch_instructions"], 1, MOST_EACH),
    (&["collectors", "miss_queue"], 0, MOST_EACH),
    (&["l1d_mshrs"], 1, MOST_QUEUED),
    (&["dram_queue"], 0, MOST_QUEUED),
    (&["l1d_line", "l2_line", "icache_line", "l0i_line"], 32, 4096),
    (&["instruction_bytes"], 1, 4096),
    (&["store_sector"], 0, 4096),
    (&["l1d_bytes", "l2_bytes", "icache_bytes"], 1, MOST_CACHE_BYTES),
    (&["l0i_bytes"], 0, 1 << 20),
    (&["int_latency", "mul_latency", "div_latency", "fp_latency", "dp_latency", "sfu_latency"], 1, MOST_CYCLES),
    (&["int_interval", "mul_interval", "div_interval", "fp_interval", "dp_interval", "sfu_interval"], 1, MOST_CYCLES),
    (&["shared_latency", "constant_latency", "l1d_latency", "l2_latency", "fetch_latency"], 1, MOST_CYCLES),
    (&["dram_latency", "icache_miss_latency", "branch_latency", "read_latency", "logic_latency"], 0, MOST_CYCLES),
    (&["l1d_lookup", "atomic_interval", "gang_wait", "idle_detect", "break_even", "wakeup", "fold_stages"], 0, MOST_CYCLES),
    (&["fold_aggressive", "fold_conservative", "fold_off"], 0, 100),
    (&["phase_cycles", "group_phases"], 1, MOST_PERIOD),
    (&["gang_patience", "schedule_patience", "its_slice"], 0, MOST_PATIENCE),
];

/// Returns the least and the largest value of a key that is a whole number.
pub fn range(key: &str) -> Option<(u32, u32)> {
    RANGES.iter().find(|(keys, ..)| keys.contains(&key)).map(|&(_, least, most)| (least, most))
}

impl Config {
    /// Checks the configuration; an error names the key, its value and what is allowed.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let powers = [("warp_width", 32), ("simd_width", 32), ("ptx_warp", 32), ("shared_banks", 1024), ("slices", 32)];
        for (key, most) in powers {
            self.demand(key, |v| v.is_power_of_two() && v <= most, &format!("a power of two from 1 to {most} is allowed"))?;
        }
        for key in ["l1d_line", "l2_line", "icache_line", "l0i_line"] {
            self.demand(key, |v| v.is_power_of_two() && (32..=4096).contains(&v), "a power of two from 32 to 4096 is allowed")?;
        }
        self.validate_ranges()?;
        self.demand(
            "instruction_bytes",
            |v| v.is_power_of_two() && v <= self.icache_line.min(self.l0i_line),
            "a power of two up to icache_line and l0i_line is allowed",
        )?;
        self.demand(
            "store_sector",
            |v| v == 0 || v.is_power_of_two() && (4..=self.l1d_line).contains(&v),
            "0, or a power of two from 4 to l1d_line is allowed",
        )?;
        for (key, rate) in [("l2_bytes_per_cycle", self.l2_bytes_per_cycle), ("dram_bytes_per_cycle", self.dram_bytes_per_cycle)]
        {
            if !(Rate::thousandths(1)..=Rate::whole(MOST_RATE)).contains(&rate) {
                let allowed = format!("0.001 to {MOST_RATE} bytes a cycle are allowed");
                return Err(ConfigError::Value { key, value: rate.to_string(), allowed });
            }
        }
        for (bytes, line, ways) in [
            ("l1d_bytes", self.l1d_line, self.l1d_ways),
            ("l2_bytes", self.l2_line, self.l2_ways),
            ("icache_bytes", self.icache_line, self.icache_ways),
        ] {
            let set = u64::from(line) * u64::from(ways);
            let least = format!("at least one set of {ways} ways of {line} bytes ({set}) is needed");
            self.demand(bytes, |v| u64::from(v) >= set, &least)?;
        }
        self.demand(
            "max_threads",
            |v| v.div_ceil(self.warp_width) <= MAX_WARPS,
            &format!("at most {MAX_WARPS} warps of warp_width fit an SM"),
        )?;
        self.demand("warp_width", |v| v <= self.ptx_warp, "a hardware warp may not be wider than ptx_warp")?;
        self.demand(
            "l0i_bytes",
            |v| v == 0 || (self.l0i_line..=1 << 20).contains(&v),
            &format!("0, or {} (one line of l0i_line) to 1048576 is allowed", self.l0i_line),
        )?;
        self.validate_slices()?;
        self.validate_gating()?;
        self.validate_dispatch()?;
        if self.divergence.reforms() && self.schedule == ScheduleKind::TwoLevel {
            let allowed = format!(
                "two-level scheduling keeps a warp in its active set while it computes, and {} re-forms warps; choose LRR or GTO, or for DWF Majority or Oldest",
                self.divergence.name()
            );
            return Err(ConfigError::Value { key: "schedule", value: self.schedule.name().to_string(), allowed });
        }
        Ok(())
    }

    /// Checks every whole number by itself.
    fn validate_ranges(&self) -> Result<(), ConfigError> {
        for key in KEYS {
            if let Some((least, most)) = range(key.name) {
                let unit = if key.unit.is_empty() { String::new() } else { format!(" {}", key.unit) };
                self.demand(key.name, |v| (least..=most).contains(&v), &format!("{least} to {most}{unit} are allowed"))?;
            }
        }
        Ok(())
    }

    /// Refuses virtual blocks where warps cannot take logical blocks separately.
    fn validate_dispatch(&self) -> Result<(), ConfigError> {
        if self.dispatch == DispatchKind::Plain {
            return Ok(());
        }
        let refuse = |key, value: &str, allowed: String| Err(ConfigError::Value { key, value: value.to_string(), allowed });
        if self.slices > 1 {
            let allowed = "virtual warps take logical blocks separately, and warps in slices cannot: choose one slice";
            return refuse("dispatch", self.dispatch.name(), allowed.to_string());
        }
        let index = self.thread_index;
        if index != ThreadIndexKind::SameLane && self.divergence.reforms() {
            let allowed = format!(
                "{} re-forms warps, so a virtual block keeps its threads: only SameLane is allowed",
                self.divergence.name()
            );
            return refuse("thread_index", index.name(), allowed);
        }
        if index != ThreadIndexKind::SameLane && !self.warp_width.is_multiple_of(self.ptx_warp) {
            let allowed =
                format!("PTX warps of {} threads span warps of {}: only SameLane is allowed", self.ptx_warp, self.warp_width);
            return refuse("thread_index", index.name(), allowed);
        }
        Ok(())
    }

    /// Refuses invalid gating, folding and phase parameters.
    fn validate_gating(&self) -> Result<(), ConfigError> {
        let lanes = self.simd_width;
        self.demand("cluster_lanes", |v| v.is_power_of_two() && v <= 32, "a power of two from 1 to 32 is allowed")?;
        if self.gating == GatingKind::Off {
            return Ok(());
        }
        self.demand("sp_units", |v| v <= 128, "1 to 128 are allowed with gating, which tracks the lanes of each")?;
        let never_on = "with wakeup above 0, at least 1 is allowed: a lane that has just been switched on would be switched off before it can be used";
        let may_be_off_at_once = self.gating != GatingKind::On || self.wakeup == 0;
        self.demand("idle_detect", |v| v > 0 || may_be_off_at_once, never_on)?;
        let refuse = |allowed: String| Err(ConfigError::Value { key: "gating", value: self.gating.name().to_string(), allowed });
        if self.slices > 1 {
            return refuse("gating works on the pipelines of an SP, and a slice has lanes and units of its own: choose one slice (PDOM, TBC or DWF)".to_string());
        }
        if lanes < self.warp_width && (self.fold || self.lane_shift) {
            return refuse(format!(
                "a warp of {} already executes in parts on {lanes} lanes: folding and shifting need as many lanes as a warp has threads",
                self.warp_width
            ));
        }
        Ok(())
    }

    /// Refuses slices and gangs that do not go with the other keys.
    fn validate_slices(&self) -> Result<(), ConfigError> {
        if self.one_pipeline && (self.slices > 1 || self.gating != GatingKind::Off) {
            let allowed = "slices have their own units, and gating needs separate INT and FP pipelines: only false is allowed";
            return Err(ConfigError::Value { key: "one_pipeline", value: "true".to_string(), allowed: allowed.to_string() });
        }
        if self.slices > 1 || self.gating != GatingKind::Off || self.one_pipeline {
            let allowed = "collectors join INT and FP to one pipeline; slices and gating need two, and one_pipeline already has one: only 0 is allowed";
            self.demand("collectors", |v| v == 0, allowed)?;
        }
        let (width, lanes) = (self.warp_width, self.simd_width);
        self.demand("slices", |v| v * width <= 32, &format!("with warps of {width}, at most {} fill 32 lanes", 32 / width))?;
        self.demand("slices", |v| v <= lanes, &format!("there are only {lanes} lanes"))?;
        if self.slices > 1 {
            self.demand(
                "slices",
                |_| !self.divergence.waits_by_thread(),
                &format!(
                    "a warp in a slice waits as a whole, and under {} it does not: choose PDOM or one slice",
                    self.divergence.name()
                ),
            )?;
        }
        if self.gangs {
            self.demand(
                "slices",
                |v| (2..=8).contains(&v),
                "a gang is made of 2 to 8 slices: choose a base warp of an eighth to a half of the lanes, or no gangs",
            )?;
            let refuse = |key, value: &str| {
                let allowed = "the fetch stage serves gangs in an order of its own, when their I-buffers are empty".to_string();
                Err(ConfigError::Value { key, value: value.to_string(), allowed })
            };
            if self.fetch != FetchKind::Lrr {
                return refuse("fetch", self.fetch.name());
            }
            if self.fetch_when != FetchWhen::Empty {
                return refuse("fetch_when", self.fetch_when.name());
            }
        }
        Ok(())
    }

    /// Refuses a launch whose blocks an SM of this machine cannot hold, and a kernel made for wider PTX warps.
    pub fn validate_launch(&self, program: &Program, shape: &GridShape) -> Result<(), ConfigError> {
        self.validate_members(program)?;
        let threads = shape.threads.next_multiple_of(self.row_threads());
        let enough = |key: &str, needed: u64, most: u64| {
            if needed <= most {
                format!("; use `--set {key}={needed}`")
            } else {
                format!(", more than {key} allows; use smaller blocks")
            }
        };
        let would_do = enough("max_threads", threads.into(), MAX_THREADS.min(MAX_WARPS * self.warp_width).into());
        let needed = format!("a block of this launch has {} threads{would_do}", shape.threads);
        self.demand("max_threads", |v| threads <= v, &needed)?;
        let registers = u64::from(program.registers_needed.max(1)) * u64::from(threads);
        let would_do = enough("registers", registers, MOST_REGISTERS.into());
        self.demand("registers", |v| registers <= v.into(), &format!("a block of this launch needs {registers}{would_do}"))?;
        let shared = shape.shared_bytes;
        let would_do = enough("shared_memory", shared.into(), MOST_SHARED_BYTES.into());
        self.demand("shared_memory", |v| shared <= v, &format!("a block of this launch needs {shared} bytes{would_do}"))
    }

    /// Returns the bytes of local memory of all threads that can be resident at a time, for a grid of `blocks` blocks of
    /// `threads`.
    pub fn local_bytes(&self, program: &Program, blocks: u64, threads: u64) -> u64 {
        let resident = u64::from(self.max_threads).min(blocks.saturating_mul(threads)) * u64::from(self.sms).min(blocks);
        resident * u64::from(program.local_bytes)
    }

    fn demand(&self, key: &'static str, holds: impl Fn(u32) -> bool, allowed: &str) -> Result<(), ConfigError> {
        let value = KEYS.iter().find(|k| k.name == key).map(|k| (k.get)(self)).unwrap_or_default();
        if value.parse().is_ok_and(holds) { Ok(()) } else { Err(ConfigError::Value { key, value, allowed: allowed.to_string() }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{KeyKind, PRESETS};

    #[test]
    fn every_preset_is_sound() {
        for preset in PRESETS {
            assert_eq!((preset.make)().validate(), Ok(()), "{}", preset.name);
        }
    }

    #[test]
    fn every_whole_number_has_a_largest_value_and_is_refused_beyond_it_by_name() {
        let mut checked = 0;
        for key in KEYS.iter().filter(|key| key.kind == KeyKind::Number) {
            let mut config = Config::default();
            if (key.set)(&mut config, "0.5").is_ok() {
                continue; // A bandwidth.
            }
            let (least, most) = range(key.name).unwrap_or_else(|| panic!("`{}` has no range", key.name));
            assert_eq!(config.set(key.name, &u32::MAX.to_string()), Ok(()));
            let message = config.validate().expect_err(key.name).to_string();
            assert!(message.contains(&format!("`{}` = `4294967295`", key.name)), "{message}");
            assert!(message.contains(&format!(" to {most}")), "{}: {least} to {most}: {message}", key.name);
            checked += 1;
        }
        assert_eq!(checked, RANGES.iter().map(|(keys, ..)| keys.len()).sum::<usize>(), "a range of no key");
    }

    #[test]
    fn what_no_machine_could_be_is_refused_by_key() {
        for (key, value) in [
            ("warp_width", "33"),
            ("warp_width", "0"),
            ("l1d_ways", "0"),
            ("sms", "0"),
            ("l1d_line", "100"),
            ("int_latency", "0"),
            ("l2_bytes", "5"),
            ("schedulers", "0"),
            ("max_threads", "100000"),
        ] {
            let mut config = Config::default();
            assert_eq!(config.set(key, value), Ok(()));
            let message = config.validate().expect_err("must be refused").to_string();
            assert!(message.contains(value), "{key} = {value}: {message}");
        }
    }
}
