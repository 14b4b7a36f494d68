//! Techniques: names as their papers write them, each a few keys.

use super::{Config, ConfigError};
use crate::policy::divergence::DivergenceKind;
use crate::policy::gang::GangSplitKind;
use crate::policy::gang::schedule::GangScheduleKind;
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
    /// Where the name ends in a number that can be another: the part before it, and what the number does.
    pub number: &'static [Numbered],
}

/// The part of a name before its number, and what the number does.
pub type Numbered = (&'static str, fn(&mut Config, u32));

const DIVERGENCE: &str = "divergence";
const SCHEDULE: &str = "schedule";

macro_rules! techniques {
    ($($name:literal $([$stem:literal, $set:expr])?, $decides:ident $(+ $also:ident)*, $paper:literal, $about:literal, $apply:expr;)*) => {
        pub static TECHNIQUES: &[Technique] = &[
            $(Technique {
                name: $name,
                decides: $decides,
                keys: &[$decides $(, $also)*],
                paper: $paper,
                about: $about,
                apply: $apply,
                number: &[$(($stem, $set))?],
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

/// Warps of another width on the same lanes, which are cut into as many slices as that takes.
fn warp_size(config: &mut Config, width: u32) {
    config.slices = (config.row_threads() / width).max(1);
    config.warp_width = width;
    config.gangs = false;
}

/// Gangs of warps of 4. The paper's figure 7: greedy-then-oldest slices, eight fetches a cycle.
fn gangs(config: &mut Config, order: GangScheduleKind, reform: bool, split: GangSplitKind) {
    warp_size(config, 4);
    config.gangs = true;
    config.gang_schedule = order;
    config.gang_reform = reform;
    config.gang_split = split;
    config.schedule = match order {
        GangScheduleKind::Lrr => ScheduleKind::Lrr,
        GangScheduleKind::Lpc => ScheduleKind::Lpc,
        _ => ScheduleKind::Gto,
    };
    config.l0i_bytes = 256;
}

/// Gangs that are only taken apart where control flow parts.
fn inelastic(config: &mut Config, order: GangScheduleKind) {
    gangs(config, order, false, GangSplitKind::Control);
}

fn sync(config: &mut Config, cycles: u32) {
    gangs(config, GangScheduleKind::Bgto, true, GangSplitKind::Control);
    config.gang_wait = cycles;
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

    "WS4", DIVERGENCE, "VWS sections 3 and 6.1", "warps of 4 threads, a slice of the lanes each, that run for themselves",
    |c| warp_size(c, 4);

    "WS8", DIVERGENCE, "VWS section 3", "warps of 8 threads in slices of their own",
    |c| warp_size(c, 8);

    "WS16", DIVERGENCE, "VWS section 3", "warps of 16 threads in slices of their own",
    |c| warp_size(c, 16);

    "WS32", DIVERGENCE, "VWS section 2", "warps of 32 threads on all lanes: the same as PDOM where those are 32",
    |c| warp_size(c, 32);

    "I-VWS", DIVERGENCE + SCHEDULE, "VWS section 6.1",
    "gangs of warps of 4 in lock-step, taken apart for good where their control flow parts; big gangs first",
    |c| inelastic(c, GangScheduleKind::Bgto);

    "I-VWS-GTO", DIVERGENCE + SCHEDULE, "VWS section 6.3", "I-VWS, the gang that issued last first, then the oldest",
    |c| inelastic(c, GangScheduleKind::Gto);

    "I-VWS-LRR", DIVERGENCE + SCHEDULE, "VWS section 6.3", "I-VWS, gangs and warps in turn",
    |c| inelastic(c, GangScheduleKind::Lrr);

    "I-VWS-LPC", DIVERGENCE + SCHEDULE, "VWS section 6.3", "I-VWS, the lowest PC first",
    |c| inelastic(c, GangScheduleKind::Lpc);

    "I-VWS-LGTO", DIVERGENCE + SCHEDULE, "VWS section 6.3", "I-VWS, little gangs first",
    |c| inelastic(c, GangScheduleKind::Lgto);

    "I-VWS-GroupMem", DIVERGENCE + SCHEDULE, "VWS section 6.5",
    "I-VWS, and warps whose loads come back together leave the others of their gang behind",
    |c| gangs(c, GangScheduleKind::Bgto, false, GangSplitKind::Group);

    "I-VWS-ImpatientMem", DIVERGENCE + SCHEDULE, "VWS section 6.5",
    "I-VWS, and a gang whose loads come back at different times falls apart",
    |c| gangs(c, GangScheduleKind::Bgto, false, GangSplitKind::Impatient);

    "E-VWS", DIVERGENCE + SCHEDULE, "VWS section 6.1", "I-VWS, and parts of a gang that meet again go on together",
    |c| gangs(c, GangScheduleKind::Bgto, true, GangSplitKind::Control);

    "E-VWS-ImpatientMem", DIVERGENCE + SCHEDULE, "VWS section 6.1",
    "E-VWS, and a gang whose loads come back at different times falls apart",
    |c| gangs(c, GangScheduleKind::Bgto, true, GangSplitKind::Impatient);

    "E-VWS-Sync20" ["E-VWS-Sync", sync], DIVERGENCE + SCHEDULE, "VWS section 6.4",
    "E-VWS, and parts of a gang wait for each other where branches meet, for 20 cycles or as many as the name says",
    |c| sync(c, 20);

    "LRR", SCHEDULE, "TBC table 2, BAWS section 5", "loose round robin: the next ready warp after the last",
    |c| c.schedule = ScheduleKind::Lrr;

    "GTO", SCHEDULE, "VWS table 1", "greedy then oldest: the same warp while it can, else the oldest",
    |c| c.schedule = ScheduleKind::Gto;

    "TLS", SCHEDULE, "Origami section 4.1",
    "two-level: a small active set, from which warps that wait for memory are taken out",
    |c| c.schedule = ScheduleKind::TwoLevel;
}

impl Technique {
    /// Whether a name is that of a technique with a number, however large.
    fn is_numbered(name: &str) -> bool {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        stem.len() < name.len() && TECHNIQUES.iter().any(|t| t.number.iter().any(|(known, _)| known.eq_ignore_ascii_case(stem)))
    }

    /// The technique of a name, compared without case, and the number that the name ends in where that is a choice.
    pub fn find(name: &str) -> Option<(&'static Technique, Option<u32>)> {
        if let Some(exact) = TECHNIQUES.iter().find(|t| t.name.eq_ignore_ascii_case(name)) {
            return Some((exact, None));
        }
        TECHNIQUES.iter().find_map(|t| {
            let (stem, _) = *t.number.first()?;
            let (head, tail) = name.split_at_checked(stem.len())?;
            let number = tail
                .parse()
                .ok()
                .filter(|_| head.eq_ignore_ascii_case(stem) && tail.starts_with(|c: char| c.is_ascii_digit()))?;
            Some((t, Some(number)))
        })
    }
}

/// Applies techniques joined by commas, e.g. `PDOM,GTO`; none are none.
pub fn apply_techniques(config: &mut Config, names: &str) -> Result<(), ConfigError> {
    let mut chosen: Vec<&Technique> = Vec::new();
    let several = names.split(',').map(str::trim).filter(|_| !names.trim().is_empty());
    for name in several {
        let (technique, number) = Technique::find(name).ok_or_else(|| match name {
            "" => ConfigError::NoTechnique { names: names.to_string() },
            _ if Technique::is_numbered(name) => ConfigError::Value {
                key: "technique",
                value: name.to_string(),
                allowed: format!("the number in its name may be {} at most", u32::MAX),
            },
            _ => ConfigError::UnknownTechnique { name: name.to_string() },
        })?;
        for &what in technique.keys {
            if let Some(first) = chosen.iter().find(|t| t.keys.contains(&what)) {
                return Err(ConfigError::Clash { first: first.name, second: technique.name, what });
            }
        }
        match (technique.number, number) {
            ([(_, apply)], Some(number)) => apply(config, number),
            _ => (technique.apply)(config),
        }
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
        apply_techniques(&mut config, "e-vws-sync7")?;
        assert_eq!((config.gang_wait, config.slices, config.warp_width), (7, 8, 4));
        assert!(apply_techniques(&mut config, "E-VWS-Sync+7").is_err());
        let large = apply_techniques(&mut config, "E-VWS-Sync99999999999").expect_err("more than 32 bits").to_string();
        assert!(large.contains("at most"), "{large}");
        for missing in [",", "PDOM,", ",,GTO"] {
            let error = apply_techniques(&mut config, missing).expect_err(missing).to_string();
            assert!(error.contains("missing"), "{error}");
        }
        assert!(apply_techniques(&mut config, "zzz").is_err_and(|e| e.to_string().contains("PDOM")));
        Ok(())
    }
}
