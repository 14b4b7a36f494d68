//! A machine as a person asks for it: a preset, techniques and changed keys; how menus and settings change it, how links write it.

use super::{Config, ConfigError, KEYS, PRESETS, TECHNIQUES, Technique, apply_techniques, join_techniques, split_techniques};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The names and values that a [`Config`] is built from, as typed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MachineSpec {
    /// The preset's name.
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
    /// Takes names and values as typed; [`MachineSpec::config`] checks them.
    pub fn new<'a>(preset: &str, technique: &str, keys: impl IntoIterator<Item = (&'a str, &'a str)>) -> MachineSpec {
        let keys = keys.into_iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        MachineSpec { preset: preset.to_string(), technique: technique.to_string(), keys }
    }

    /// Builds the machine: the only way from a person's choices to a valid [`Config`].
    pub fn config(&self) -> Result<Config, ConfigError> {
        let config = self.unchecked()?;
        config.validate().map_err(|error| self.apart().unwrap_or(error))?;
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

    /// Builds the machine without the changed keys.
    pub fn base(&self) -> Result<Config, ConfigError> {
        MachineSpec { keys: BTreeMap::new(), ..self.clone() }.unchecked()
    }

    /// Replaces an invalid setup from a link by the nearest valid one. Returns what was wrong and what was left out.
    pub fn mend(&mut self) -> Option<String> {
        let error = self.config().err()?;
        let without_keys = MachineSpec { keys: BTreeMap::new(), ..self.clone() };
        let without_technique = MachineSpec { technique: String::new(), ..without_keys.clone() };
        let (mended, what) = [(without_keys, "its changed keys are left out"), (without_technique, "its technique is left out")]
            .into_iter()
            .find(|(setup, _)| setup.config().is_ok())
            .unwrap_or((MachineSpec::default(), "the first one is taken"));
        *self = mended;
        Some(format!("{error}; {what}"))
    }

    /// Returns what is wrong with a changed key, alone or together with the others.
    pub fn problem(&self, key: &str) -> Option<String> {
        let value = self.keys.get(key)?;
        let mut config = self.base().ok()?;
        if let Err(error) = config.set(key, value) {
            return Some(error.to_string());
        }
        self.config().err().map(|error| error.to_string()).filter(|message| message.contains(key))
    }

    /// Changes a key; the value that the machine has without the change removes it from the changed keys.
    pub fn with_key(&self, key: &str, value: &str) -> MachineSpec {
        let mut next = self.clone();
        let same = KEYS
            .iter()
            .find(|known| known.name == key)
            .zip(self.base().ok())
            .is_some_and(|(known, base)| (known.get)(&base) == value.trim());
        if same {
            next.keys.remove(key);
        } else {
            next.keys.insert(key.to_string(), value.trim().to_string());
        }
        next
    }

    /// Returns the chosen technique that decides an axis.
    pub fn technique_for(&self, decides: &str) -> Option<&str> {
        let names = split_techniques(&self.technique);
        let (name, technique) = names.filter_map(|name| Some((name, known(name)?))).find(|(_, t)| t.decides == decides)?;
        // The table's spelling, unless the name contains another number than the table's.
        Some(if name.eq_ignore_ascii_case(technique.name) { technique.name } else { name })
    }

    /// Returns the default value of an axis, and whether it is the machine's or a technique's.
    pub fn default_for(&self, decides: &str) -> Option<String> {
        let without = self.with_technique(decides, None);
        let key = KEYS.iter().find(|key| key.name == decides)?;
        let owner = split_techniques(&without.technique).find(|name| known(name).is_some_and(|t| t.keys.contains(&decides)));
        let value = (key.get)(&without.config().or_else(|_| without.base()).ok()?);
        Some(format!("{value}, {}'s own", owner.unwrap_or("the machine")))
    }

    /// Chooses a technique, and drops those that decide the same; `None` leaves the decision to the preset.
    pub fn with_technique(&self, decides: &str, name: Option<&str>) -> MachineSpec {
        let taken = name.and_then(known).map_or(&[][..], |technique| technique.keys);
        let kept = split_techniques(&self.technique)
            .filter(|n| known(n).is_some_and(|t| t.decides != decides && !t.keys.iter().any(|key| taken.contains(key))));
        let mut names: Vec<&str> = kept.collect();
        names.extend(name);
        // In the table's order, so that a choice has only one name.
        let place = |name: &&str| known(name).and_then(|known| TECHNIQUES.iter().position(|t| t.name == known.name));
        names.sort_by_key(place);
        MachineSpec { technique: join_techniques(&names), ..self.clone() }
    }

    /// Returns a preset that supports the techniques, if this one does not.
    pub fn elsewhere(&self) -> Option<&'static str> {
        let on = |preset: &str| {
            MachineSpec { preset: preset.into(), technique: self.technique.clone(), ..MachineSpec::default() }.config()
        };
        PRESETS.iter().map(|preset| preset.name).find(|preset| on(&self.preset).is_err() && on(preset).is_ok())
    }

    /// Returns the setup in words for notices and titles: `gtx480, PDOM, 2 keys changed`.
    pub fn words(&self) -> String {
        let mut parts = vec![self.preset.clone()];
        if !self.technique.is_empty() {
            parts.push(self.technique.replace(',', " + "));
        }
        match self.keys.len() {
            0 => {}
            1 => parts.extend(self.keys.iter().map(|(key, value)| format!("{key} = {value}"))),
            n => parts.push(format!("{n} keys changed")),
        }
        parts.join(", ")
    }

    /// Returns the keys as the user types them: `sms=2, schedulers=1`.
    pub fn keys_text(&self) -> String {
        self.keys.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(", ")
    }

    /// Parses typed keys; a word without `=` is a key without a value, which the machine rejects by name.
    pub fn keys_of(text: &str) -> BTreeMap<String, String> {
        let words = text.split([',', ' ', ';']).filter(|word| !word.is_empty());
        words.map(|word| word.split_once('=').unwrap_or((word, ""))).map(|(key, value)| (key.into(), value.into())).collect()
    }

    /// Returns the machine of a run beside another: its keys are its own, and the other's if both have the same preset.
    pub fn beside(&self, leader: &MachineSpec) -> MachineSpec {
        let mut keys = if self.preset == leader.preset { leader.keys.clone() } else { BTreeMap::new() };
        keys.extend(self.keys.clone());
        MachineSpec { preset: self.preset.clone(), technique: self.technique.clone(), keys }
    }
    /// Parses what [`Display`](fmt::Display) writes; `None` if it is malformed. Nothing is checked against the tables.
    pub fn parse(text: &str) -> Option<MachineSpec> {
        let (technique, machine) = text.split_once('@')?;
        let (preset, keys) = machine.split_once('+').unwrap_or((machine, ""));
        let keys = MachineSpec::parse_keys(keys).ok()?;
        Some(MachineSpec { preset: preset.into(), technique: technique.into(), keys })
    }

    /// Parses the keys of an encoded machine: `sms:2,schedulers:1`. The error is the part without a value.
    pub fn parse_keys(text: &str) -> Result<BTreeMap<String, String>, &str> {
        let pair = |part: &'_ str| part.split_once(':').map(|(key, value)| (key.to_string(), value.to_string()));
        text.split(',').filter(|part| !part.is_empty()).map(|part| pair(part).ok_or(part)).collect()
    }
}

/// The machine as links and files encode it: `TBC@gtx480`, `DWF@tbc+sms:2,schedulers:1`.
impl fmt::Display for MachineSpec {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}@{}", self.technique, self.preset)?;
        for (at, (key, value)) in self.keys.iter().enumerate() {
            write!(f, "{}{key}:{value}", if at == 0 { '+' } else { ',' })?;
        }
        Ok(())
    }
}

fn known(name: &str) -> Option<&'static Technique> {
    Technique::find(name).map(|(technique, _)| technique)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_technique_that_cannot_be_here_can_be_elsewhere() {
        let on = |preset: &str, technique: &str| MachineSpec {
            preset: preset.into(),
            technique: technique.into(),
            ..MachineSpec::default()
        };
        assert_eq!(on("toy", "I-VWS").elsewhere(), Some("gtx480"));
        assert_eq!(on("vws", "I-VWS").elsewhere(), None);
        assert_eq!(MachineSpec::default().with_key("warp_width", "33").elsewhere(), None);
    }

    #[test]
    fn techniques_replace_those_that_decide_the_same() {
        let setup = MachineSpec::default().with_technique("schedule", Some("GTO"));
        assert_eq!(setup.technique, "PDOM,GTO");
        assert_eq!(setup.technique_for("schedule"), Some("GTO"));
        assert_eq!(setup.with_technique("schedule", Some("LRR")).technique, "PDOM,LRR");
        assert_eq!(setup.with_technique("schedule", None), MachineSpec::default());
        let critical = MachineSpec::default().with_technique("fetch", Some("CFF")).with_technique("schedule", Some("MWF-GTO"));
        assert_eq!(critical.technique, "PDOM,MWF-GTO+CFF");
        let whole = critical.with_technique("schedule", Some("BAWS"));
        assert_eq!(
            (whole.technique.as_str(), whole.technique_for("fetch")),
            ("PDOM,BAWS", None),
            "BAWS brings its own fetch policy"
        );
        assert_eq!(whole.default_for("fetch").as_deref(), Some("CFF, BAWS's own"));
    }

    #[test]
    fn the_default_is_named() {
        let on = |preset: &str, technique: &str| MachineSpec {
            preset: preset.into(),
            technique: technique.into(),
            ..MachineSpec::default()
        };
        let named = |setup: MachineSpec, decides: &str| setup.default_for(decides).unwrap_or_default();
        assert_eq!(named(on("vws", "PDOM"), "divergence"), "PDOM, the machine's own");
        assert_eq!(named(on("vws", "PDOM"), "schedule"), "GTO, the machine's own");
        assert_eq!(named(on("vws", "PDOM,LRR"), "schedule"), "GTO, the machine's own");
        assert_eq!(named(on("gtx480", "DWF"), "schedule"), "Majority, DWF's own");
        assert_eq!(named(MachineSpec::default().with_key("schedule", "GTO"), "schedule"), "GTO, the machine's own");
    }

    #[test]
    fn a_key_with_its_own_value_is_no_change_and_a_wrong_one_is_told() {
        let setup = MachineSpec::default();
        assert_eq!(setup.with_key("schedulers", "2"), setup);
        let changed = setup.with_key("schedulers", "1");
        assert_eq!(changed.config().map(|c| c.schedulers), Ok(1));
        assert_eq!(changed.with_key("schedulers", "2"), setup);
        let wrong = setup.with_key("warp_width", "33");
        assert!(wrong.config().is_err());
        assert!(wrong.problem("warp_width").is_some_and(|m| m.contains("warp_width")), "{:?}", wrong.problem("warp_width"));
        assert_eq!(wrong.problem("sms"), None);
    }
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
