//! Techniques: names as their papers write them, each a few keys.

use super::{Config, ConfigError};
use crate::policy::divergence::DivergenceKind;
use crate::policy::schedule::ScheduleKind;

/// A name that a person chooses, and the keys it stands for.
pub struct Technique {
    pub name: &'static str,
    /// What it decides; two techniques that decide the same do not go together.
    pub decides: &'static str,
    pub paper: &'static str,
    pub about: &'static str,
    pub apply: fn(&mut Config),
}

const DIVERGENCE: &str = "divergence";
const SCHEDULE: &str = "schedule";

pub static TECHNIQUES: &[Technique] = &[
    Technique {
        name: "PDOM",
        decides: DIVERGENCE,
        paper: "TBC section 2.2.2",
        about: "a stack for each warp; the two sides of a branch meet at its immediate post-dominator",
        apply: |c| c.divergence = DivergenceKind::Pdom,
    },
    Technique {
        name: "LRR",
        decides: SCHEDULE,
        paper: "TBC table 2, BAWS section 5",
        about: "loose round robin: the next ready warp after the last",
        apply: |c| c.schedule = ScheduleKind::Lrr,
    },
    Technique {
        name: "GTO",
        decides: SCHEDULE,
        paper: "VWS table 1",
        about: "greedy then oldest: the same warp while it can, else the oldest",
        apply: |c| c.schedule = ScheduleKind::Gto,
    },
    Technique {
        name: "TLS",
        decides: SCHEDULE,
        paper: "Origami section 4.1",
        about: "two-level: a small active set, from which warps that wait for memory are taken out",
        apply: |c| c.schedule = ScheduleKind::TwoLevel,
    },
];

/// Applies techniques joined by commas, e.g. `PDOM,GTO`.
pub fn apply_techniques(config: &mut Config, names: &str) -> Result<(), ConfigError> {
    let mut chosen: Vec<&Technique> = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let technique = TECHNIQUES
            .iter()
            .find(|t| t.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| ConfigError::UnknownTechnique { name: name.to_string() })?;
        if let Some(first) = chosen.iter().find(|t| t.decides == technique.decides) {
            return Err(ConfigError::Clash { first: first.name, second: technique.name, what: technique.decides });
        }
        (technique.apply)(config);
        chosen.push(technique);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn techniques_combine_unless_they_decide_the_same() -> Result<(), ConfigError> {
        let mut config = Config::default();
        apply_techniques(&mut config, "pdom, gto")?;
        assert_eq!(config.schedule, ScheduleKind::Gto);
        assert!(apply_techniques(&mut config, "LRR,GTO").is_err_and(|e| e.to_string().contains("schedule")));
        assert!(apply_techniques(&mut config, "zzz").is_err_and(|e| e.to_string().contains("PDOM")));
        Ok(())
    }
}
