//! A machine as a person asks for it: a preset, techniques and changed keys.

use super::{Config, ConfigError, apply_techniques};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The names and values that a [`Config`] is built from, as typed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MachineSpec {
    pub preset: String,
    /// Technique names as in the papers, joined by `,` or `+`; empty for the preset's own.
    pub technique: String,
    /// Values of the changed keys by name.
    pub keys: BTreeMap<String, String>,
}

/// The machine that the page begins with.
impl Default for MachineSpec {
    fn default() -> MachineSpec {
        MachineSpec::new("gtx480", "PDOM", [])
    }
}

impl MachineSpec {
    pub fn new<'a>(preset: &str, technique: &str, keys: impl IntoIterator<Item = (&'a str, &'a str)>) -> MachineSpec {
        let keys = keys.into_iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        MachineSpec { preset: preset.to_string(), technique: technique.to_string(), keys }
    }

    /// Builds the machine: the only way from a person's choices to a valid [`Config`].
    pub fn config(&self) -> Result<Config, ConfigError> {
        let config = self.unchecked()?;
        config.validate()?;
        Ok(config)
    }

    /// Builds the machine although its keys may not go together, to look at single keys.
    pub fn unchecked(&self) -> Result<Config, ConfigError> {
        let mut config = Config::preset(&self.preset)?;
        apply_techniques(&mut config, &self.technique)?;
        for (key, value) in &self.keys {
            config.set(key, value)?;
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_after_techniques_and_the_whole_is_validated() {
        let schedule = |keys: &[(&str, &str)]| {
            MachineSpec::new("gtx480", "PDOM,GTO", keys.iter().copied()).config().map(|config| config.schedule.name())
        };
        assert_eq!(schedule(&[]), Ok("GTO"));
        assert_eq!(schedule(&[("schedule", "LRR")]), Ok("LRR"));
        let wide = MachineSpec::new("gtx480", "", [("warp_width", "33")]);
        assert!(wide.unchecked().is_ok());
        assert!(wide.config().is_err_and(|error| error.to_string().contains("warp_width")));
    }
}
