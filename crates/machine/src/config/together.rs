//! Why chosen techniques cannot run together, or on a preset, in words of what each does.
//!
//! [`Config::validate`] names keys, which a person who has chosen techniques has never seen. Where the techniques alone are
//! refused, the sentence here says which two of them, or which one and the preset, cannot be one machine.

use super::{
    Config, ConfigError, DispatchKind, FetchKind, GatingKind, MachineSpec, ScheduleKind, ThreadIndexKind, split_techniques,
};

/// Something that a machine does because of a technique or of its preset: how to recognise it, and how to say it.
struct Habit {
    has: fn(&Config) -> bool,
    says: &'static str,
}

const REFORMS: Habit = Habit { has: |c| c.divergence.reforms(), says: "re-forms warps" };
const GANGS: Habit = Habit { has: |c| c.gangs, says: "keeps narrow warps together in gangs" };
const SLICES: Habit = Habit { has: |c| c.slices > 1, says: "gives each narrow warp a slice of the lanes of its own" };
const TWO_LEVEL: Habit =
    Habit { has: |c| c.schedule == ScheduleKind::TwoLevel, says: "keeps a warp in its active set while it computes" };
const VIRTUAL: Habit =
    Habit { has: |c| c.dispatch != DispatchKind::Plain, says: "gives a warp its next block as soon as it has finished" };
const MOVES: Habit =
    Habit { has: |c| c.thread_index != ThreadIndexKind::SameLane, says: "gives a warp the threads of other warps' places" };
const GATES: Habit = Habit { has: |c| c.gating != GatingKind::Off, says: "counts and switches the lanes of a whole SP" };
const FOLDS: Habit = Habit { has: |c| c.fold || c.lane_shift, says: "needs a lane for each thread of a warp" };
const FETCHES: Habit = Habit { has: |c| c.fetch != FetchKind::Lrr, says: "has an order of fetches of its own" };
const ONE_PIPELINE: Habit = Habit { has: |c| c.one_pipeline, says: "has one pipeline for all instructions" };
const COLLECTORS: Habit = Habit { has: |c| c.collectors > 0, says: "joins INT and FP to one pipeline" };
const FEW_LANES: Habit =
    Habit { has: |c| c.simd_width < c.warp_width * c.slices, says: "has fewer lanes than a warp has threads" };

const WIDE: Habit = Habit { has: |c| c.warp_width > 4, says: "makes warps of more threads" };
const NARROW: Habit = Habit { has: |c| c.ptx_warp <= 4, says: "has PTX warps of few threads" };
const ONE_WARP_WIDE: Habit = Habit { has: |c| c.row_threads() < 8, says: "has too few lanes for two of them side by side" };

/// Pairs that cannot be one machine, the one that says most first.
const APART: &[(Habit, Habit)] = &[
    (GANGS, ONE_WARP_WIDE),
    (WIDE, NARROW),
    (REFORMS, GANGS),
    (REFORMS, SLICES),
    (REFORMS, TWO_LEVEL),
    (MOVES, REFORMS),
    (VIRTUAL, GANGS),
    (VIRTUAL, SLICES),
    (GATES, GANGS),
    (GATES, SLICES),
    (FETCHES, GANGS),
    (ONE_PIPELINE, GATES),
    (ONE_PIPELINE, SLICES),
    (COLLECTORS, GATES),
    (COLLECTORS, SLICES),
    (FEW_LANES, FOLDS),
    (FEW_LANES, GANGS),
    (FEW_LANES, SLICES),
];

impl MachineSpec {
    /// Returns the refusal of the techniques alone, in their own words; `None` if keys are the cause.
    pub(super) fn apart(&self) -> Option<ConfigError> {
        let of = |techniques: &str| MachineSpec::new(&self.preset, techniques, []).unchecked().ok();
        let fails = |techniques: &str| of(techniques).is_some_and(|config| config.validate().is_err());
        if !fails(&self.technique) {
            return None;
        }
        let names: Vec<&str> = split_techniques(&self.technique).collect();
        let preset = of("")?;
        if let Some(&name) = names.iter().find(|name| fails(name)) {
            let (own, other) = habits(&of(name)?, &preset)?;
            let why = format!("{name} {own}, and `{}` {other}", self.preset);
            return Some(ConfigError::Elsewhere { technique: name.to_string(), preset: self.preset.clone(), why });
        }
        let pairs = names.iter().enumerate().flat_map(|(at, one)| names[at + 1..].iter().map(move |two| (*one, *two)));
        let (one, two) = pairs.into_iter().find(|(one, two)| fails(&format!("{one},{two}")))?;
        let (first, second) = habits(&of(one)?, &of(two)?)?;
        let why = format!("{one} {first}, and {two} {second}");
        Some(ConfigError::Apart { one: one.to_string(), two: two.to_string(), why })
    }
}

/// Returns what one machine does that the other does not bear, and what that one does.
fn habits(one: &Config, two: &Config) -> Option<(&'static str, &'static str)> {
    APART.iter().find_map(|(a, b)| {
        if (a.has)(one) && (b.has)(two) {
            Some((a.says, b.says))
        } else {
            ((b.has)(one) && (a.has)(two)).then_some((b.says, a.says))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::{AXES, PRESETS, TECHNIQUES};
    use super::*;

    #[test]
    fn two_techniques_or_one_and_a_preset_are_refused_in_words_of_what_they_do() {
        let message =
            |preset: &str, techniques: &str| MachineSpec::new(preset, techniques, []).config().expect_err(techniques).to_string();
        let gangs = message("gtx480", "TBC,vGTO,NoPG,E-VWS");
        assert!(gangs.contains("both decide"), "{gangs}");
        assert_eq!(
            message("gtx480", "TBC,TLS"),
            "TBC and TLS cannot be combined: TBC re-forms warps, and TLS keeps a warp in its active set while it computes"
        );
        assert_eq!(
            message("tbc", "Origami"),
            "Origami does not run on the machine `tbc`: Origami counts and switches the lanes of a whole SP, and `tbc` has one \
             pipeline for all instructions"
        );
    }

    /// Every pair of techniques on every preset, and every technique: what is refused is refused by name.
    #[test]
    fn no_choice_of_techniques_is_refused_in_words_of_keys() {
        let mut refused = 0;
        for preset in PRESETS {
            for one in TECHNIQUES {
                let others = TECHNIQUES.iter().filter(|two| {
                    let place = |axis| AXES.iter().position(|known| *known == axis);
                    place(one.decides) < place(two.decides)
                });
                let lists = others.map(|two| format!("{},{}", one.name, two.name)).chain([one.name.to_string()]);
                for list in lists {
                    let Err(error) = MachineSpec::new(preset.name, &list, []).config() else { continue };
                    refused += 1;
                    assert!(error.is_about_techniques(), "{list} on {}: {error}", preset.name);
                }
            }
        }
        assert!(refused > 1000, "{refused}");
    }
}
