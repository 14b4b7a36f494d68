//! Techniques: names as their papers write them, each a few keys.

use super::{Config, ConfigError};
use crate::policy::divergence::DivergenceKind;
use crate::policy::schedule::ScheduleKind;
use crate::policy::schedule::block_priority::BlockPriorityKind;

/// A name that a person chooses, and the keys it stands for.
pub struct Technique {
    pub name: &'static str,
    /// What it is a choice of.
    pub decides: &'static str,
    /// Everything that it decides; two techniques that decide the same do not go together.
    pub keys: &'static [&'static str],
    pub paper: &'static str,
    pub about: &'static str,
    pub apply: fn(&mut Config),
}

const DIVERGENCE: &str = "divergence";
const SCHEDULE: &str = "schedule";

macro_rules! techniques {
    ($($name:literal, $decides:ident $(+ $also:ident)*, $paper:literal, $about:literal, $apply:expr;)*) => {
        pub static TECHNIQUES: &[Technique] = &[
            $(Technique {
                name: $name,
                decides: $decides,
                keys: &[$decides $(, $also)*],
                paper: $paper,
                about: $about,
                apply: $apply,
            },)*
        ];
    };
}

/// TBC comes with a priority between blocks; which warp of a block issues is the schedule's choice.
fn tbc(config: &mut Config, likely: bool, priority: BlockPriorityKind) {
    config.divergence = if likely { DivergenceKind::TbcLcp } else { DivergenceKind::Tbc };
    config.block_priority = priority;
}

/// DWF orders warps by where their threads are, so it brings its own schedule.
fn dwf(config: &mut Config, kind: DivergenceKind) {
    (config.divergence, config.schedule) = (kind, ScheduleKind::Majority);
}

techniques! {
    "PDOM", DIVERGENCE, "TBC section 2.2.2",
    "a stack for each warp; the two sides of a branch meet at its immediate post-dominator",
    |c| c.divergence = DivergenceKind::Pdom;

    "PDOM-LCP", DIVERGENCE, "TBC section 4",
    "PDOM with likely-convergence points: threads that a break keeps from meeting early do so all the same",
    |c| c.divergence = DivergenceKind::PdomLcp;

    "DWF", DIVERGENCE + SCHEDULE, "TBC section 2.3",
    "dynamic warp formation: threads at the same instruction form new warps from a pool, the largest crowd first",
    |c| dwf(c, DivergenceKind::Dwf);

    "DWF-WB", DIVERGENCE + SCHEDULE, "TBC section 2.4",
    "DWF with a barrier for each static warp where the sides of its outermost divergent branch meet",
    |c| dwf(c, DivergenceKind::DwfWb);

    "TBC", DIVERGENCE, "TBC section 3",
    "thread block compaction: a stack for each block; warps meet at branches and their threads are compacted; oldest block first",
    |c| tbc(c, false, BlockPriorityKind::Age);

    "TBC-AGE", DIVERGENCE, "TBC section 6.2", "TBC, warps of the oldest block first: the same as TBC",
    |c| tbc(c, false, BlockPriorityKind::Age);

    "TBC-RRB", DIVERGENCE, "TBC section 6.2", "TBC, priority going round the blocks every cycle",
    |c| tbc(c, false, BlockPriorityKind::Rrb);

    "TBC-SRR", DIVERGENCE, "TBC section 6.2", "TBC, a block keeping its priority while it can issue",
    |c| tbc(c, false, BlockPriorityKind::Srr);

    "TBC-LCP", DIVERGENCE, "TBC sections 3 and 4", "TBC with likely-convergence points: what the paper measures",
    |c| tbc(c, true, BlockPriorityKind::Age);

    "TBC-LCP-AGE", DIVERGENCE, "TBC section 6.2", "TBC-LCP, warps of the oldest block first: the same as TBC-LCP",
    |c| tbc(c, true, BlockPriorityKind::Age);

    "TBC-LCP-RRB", DIVERGENCE, "TBC section 6.2", "TBC-LCP, priority going round the blocks every cycle",
    |c| tbc(c, true, BlockPriorityKind::Rrb);

    "TBC-LCP-SRR", DIVERGENCE, "TBC section 6.2", "TBC-LCP, a block keeping its priority while it can issue",
    |c| tbc(c, true, BlockPriorityKind::Srr);

    "LRR", SCHEDULE, "TBC table 2, BAWS section 5", "loose round robin: the next ready warp after the last",
    |c| c.schedule = ScheduleKind::Lrr;

    "GTO", SCHEDULE, "VWS table 1", "greedy then oldest: the same warp while it can, else the oldest",
    |c| c.schedule = ScheduleKind::Gto;

    "TLS", SCHEDULE, "Origami section 4.1",
    "two-level: a small active set, from which warps that wait for memory are taken out",
    |c| c.schedule = ScheduleKind::TwoLevel;
}

/// Applies techniques joined by commas, e.g. `PDOM,GTO`.
pub fn apply_techniques(config: &mut Config, names: &str) -> Result<(), ConfigError> {
    let mut chosen: Vec<&Technique> = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let technique = TECHNIQUES
            .iter()
            .find(|t| t.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| ConfigError::UnknownTechnique { name: name.to_string() })?;
        for &what in technique.keys {
            if let Some(first) = chosen.iter().find(|t| t.keys.contains(&what)) {
                return Err(ConfigError::Clash { first: first.name, second: technique.name, what });
            }
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
        apply_techniques(&mut config, "tbc-lcp-srr,gto")?;
        assert_eq!((config.schedule, config.block_priority), (ScheduleKind::Gto, BlockPriorityKind::Srr));
        assert!(apply_techniques(&mut config, "TBC,PDOM").is_err_and(|e| e.to_string().contains("divergence")));
        let clash = apply_techniques(&mut config, "DWF,GTO").expect_err("DWF has a schedule of its own").to_string();
        assert!(clash.contains("both decide the schedule"), "{clash}");
        assert!(apply_techniques(&mut config, "zzz").is_err_and(|e| e.to_string().contains("PDOM")));
        Ok(())
    }
}
