//! The machine's parameters: one table of keys, presets from the papers' tables, technique names, one `validate`.
//!
//! A [`Config`] is plain data and fixed during a run; a [`MachineSpec`] holds the names and values that it is built from. Every parameter in it is a key that a user can read, look up (unit,
//! meaning, source) and change (`--set key=value`). Where the papers give no value, the default has the order of magnitude of
//! GPGPU-Sim's GTX480 configuration.

mod acts;
pub mod area;
mod choices;
mod keys;
mod members;
mod preset;
mod rate;
mod spec;
mod storage;
mod technique;
mod together;
mod validate;

pub use acts::LaunchShape;
pub use choices::{
    BlockPriorityKind, DispatchKind, DivergenceKind, FetchKind, FetchWhen, FirstSideKind, GangMeetKind, GangScheduleKind,
    GangSplitKind, GatingGrain, GatingKind, HazardTracking, IssueGroupsKind, ScheduleKind, ThreadIndexKind,
};
pub use keys::{Config, KEYS, Key, KeyKind};
pub use preset::{PRESETS, Preset};
pub use rate::{PARTS, Rate};
pub use spec::MachineSpec;
pub use technique::{
    AXES, DISPATCH, DIVERGENCE, FETCH, GATING, SCHEDULE, TECHNIQUE_GROUPS, TECHNIQUES, Technique, TechniqueGroup,
    apply_techniques, axis_label, join_techniques, split_techniques,
};
pub use validate::{MAX_THREADS, MAX_WARPS, range};

use thiserror::Error;
use warpscope_kernel::program::passes::Pass;
use warpscope_kernel::program::passes::virtualise::Dimensions;

/// An error in a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// A key that is in no table.
    #[error("there is no key `{key}`{}; `warpscope list keys` shows them all", did_you_mean(*nearest))]
    UnknownKey {
        /// What was given.
        key: String,
        /// The key that is spelt most like it.
        nearest: Option<&'static str>,
    },
    /// A value that its key does not allow, alone or with the others.
    #[error("`{key}` = `{value}` is invalid: {allowed}")]
    Value {
        /// The key.
        key: &'static str,
        /// What was given.
        value: String,
        /// What is allowed, as the rest of the sentence.
        allowed: String,
    },
    /// A preset that is in no table.
    #[error("there is no preset `{name}`; the presets are {}", PRESETS.iter().map(|p| p.name).collect::<Vec<_>>().join(", "))]
    UnknownPreset {
        /// What was given.
        name: String,
    },
    /// A technique that is in no table.
    #[error("there is no technique `{name}`{}; the techniques are {}", did_you_mean(*nearest), TECHNIQUES.iter().map(|t| format!("{} ({})", t.name, t.paper)).collect::<Vec<_>>().join(", "))]
    UnknownTechnique {
        /// What was given.
        name: String,
        /// The technique that is spelt most like it.
        nearest: Option<&'static str>,
    },
    /// A list of techniques with an empty place in it.
    #[error("a technique name is missing beside a comma or a plus in `{names}`")]
    NoTechnique {
        /// The list.
        names: String,
    },
    /// Two techniques that decide the same key.
    #[error("techniques `{first}` and `{second}` both decide the {what}: choose one")]
    Clash {
        /// The one that comes first in the list.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// The key that both decide.
        what: &'static str,
    },
    /// Two techniques that cannot be one machine, and what each does.
    #[error("{one} and {two} cannot be combined: {why}")]
    Apart {
        /// The one that comes first in the list.
        one: String,
        /// The other.
        two: String,
        /// What each of them does.
        why: String,
    },
    /// A technique that the preset cannot have.
    #[error("{technique} does not run on the machine `{preset}`: {why}")]
    Elsewhere {
        /// The technique, or several.
        technique: String,
        /// The preset.
        preset: String,
        /// What it needs or lacks.
        why: String,
    },
}

impl ConfigError {
    /// Whether it refuses techniques by name, alone or together with the preset.
    pub fn is_about_techniques(&self) -> bool {
        matches!(self, ConfigError::Clash { .. } | ConfigError::Apart { .. } | ConfigError::Elsewhere { .. })
    }
}

impl Config {
    /// Returns the number of issue ports of an SM: the schedulers of all slices.
    pub fn issue_ports(&self) -> u32 {
        self.schedulers * self.slices
    }

    /// Returns the port through which a warp issues; ports are numbered by scheduler, then by slice.
    pub fn port_of(&self, warp: u32) -> u32 {
        warp / self.slices % self.schedulers * self.slices + warp % self.slices
    }

    /// Returns the threads in a row of one warp per slice, the unit in which threads of an SM are allocated.
    pub fn row_threads(&self) -> u32 {
        self.warp_width * self.slices
    }

    /// Returns the passes that a program goes through for this machine and launch shape.
    pub fn passes(&self, grid: [u32; 3], block: [u32; 3]) -> Vec<Pass> {
        let threads = block.iter().fold(1u32, |all, &size| all.saturating_mul(size)).next_multiple_of(self.row_threads());
        let barriers = self.divergence == DivergenceKind::Its;
        let native = self.native_code.then_some(Pass::Native { meetings: !barriers });
        let converge = barriers.then_some(Pass::Converge);
        let virtualise = match self.dispatch {
            DispatchKind::Plain => None,
            DispatchKind::Virtual => {
                let most_registers = if self.hoist { self.registers / threads.max(1) } else { 0 };
                Some(Pass::Virtualise { dimensions: Dimensions::new(grid, block), most_registers })
            }
        };
        native.into_iter().chain(converge).chain(virtualise).collect()
    }

    /// Returns the preset of that name, ignoring case.
    pub fn preset(name: &str) -> Result<Config, ConfigError> {
        let preset = PRESETS.iter().find(|p| p.name.eq_ignore_ascii_case(name));
        preset.map(|p| (p.make)()).ok_or_else(|| ConfigError::UnknownPreset { name: name.to_string() })
    }

    /// Sets one key from its text form.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), ConfigError> {
        let known = KEYS.iter().find(|k| k.name == key).ok_or_else(|| ConfigError::UnknownKey {
            key: key.to_string(),
            nearest: nearest(key, KEYS.iter().map(|k| k.name)),
        })?;
        (known.set)(self, value.trim()).map_err(|allowed| ConfigError::Value {
            key: known.name,
            value: value.to_string(),
            allowed,
        })
    }
}

/// Returns the known name with the most similar spelling, if one is close; upper and lower case are the same.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = name.to_lowercase();
    let near = known.into_iter().map(|known| (strsim::levenshtein(&typed, &known.to_lowercase()), known));
    near.filter(|&(d, _)| d <= 3 && 2 * d <= typed.len()).min().map(|(_, known)| known)
}

/// Returns the question that follows an unknown name in a message, if a known one is close.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_can_be_read_and_set_back() -> Result<(), ConfigError> {
        for preset in PRESETS {
            let mut config = (preset.make)();
            let before = config.clone();
            for key in KEYS {
                config.set(key.name, &(key.get)(&before))?;
            }
            assert_eq!(config, before, "{}", preset.name);
        }
        Ok(())
    }

    #[test]
    fn wrong_keys_and_values_are_named() {
        let mut config = Config::default();
        assert!(config.set("warp_widht", "8").is_err_and(|e| e.to_string().contains("warp_width")));
        assert!(config.set("warp_width", "many").is_err_and(|e| e.to_string().contains("many")));
        assert!(config.set("schedule", "FIFO").is_err_and(|e| e.to_string().contains("GTO")));
        assert!(Config::preset("zzz").is_err_and(|e| e.to_string().contains("gtx480")));
        let said =
            |techniques| MachineSpec::new("toy", techniques, []).config().map_or_else(|e| e.to_string(), |_| String::new());
        assert!(
            said("GTO,tbc-lpc").starts_with("there is no technique `tbc-lpc` (did you mean `TBC-LCP`?); the techniques are PDOM")
        );
        assert!(said("zzz").starts_with("there is no technique `zzz`; the techniques are PDOM"));
    }
}
