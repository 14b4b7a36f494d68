//! Techniques: names as in the papers, each for a set of keys.
//!
//! A technique is a choice on one axis ([`AXES`]) and may decide keys of other axes with it: DWF, for example, brings its own
//! schedule. Names on different axes combine, as `TBC,GTO` or `GTO+CFF`; a comma and a plus mean the same.

use super::{
    BlockPriorityKind, Config, ConfigError, DispatchKind, DivergenceKind, FetchKind, FetchWhen, GangScheduleKind, GangSplitKind,
    GatingGrain, GatingKind, IssueGroupsKind, ScheduleKind, ThreadIndexKind,
};

/// A name that a user can select, and the keys it stands for.
pub struct Technique {
    /// The name in the paper, as nearly as a key may be spelt.
    pub name: &'static str,
    /// The axis on which it is a choice.
    pub decides: &'static str,
    /// All keys that it decides; techniques that decide the same key cannot be combined.
    pub keys: &'static [&'static str],
    /// The source: a paper of [`TECHNIQUE_GROUPS`], then the section.
    pub paper: &'static str,
    /// What it does: first a phrase, then the details.
    pub about: &'static str,
    /// The technique for which this is another name. Links and the command line accept it; menus leave it out.
    pub alias_of: Option<&'static str>,
    /// Sets its keys.
    pub apply: fn(&mut Config),
    /// For a name that ends in a variable number: the part before the number, and what the number sets.
    pub number: &'static [Numbered],
}

/// The part of a name before its number, and a function that applies the number.
pub type Numbered = (&'static str, fn(&mut Config, u32));

/// The axis of how threads diverge and reconverge.
pub const DIVERGENCE: &str = "divergence";
/// The axis of which warp issues.
pub const SCHEDULE: &str = "schedule";
/// The axis of which warp is fetched for.
pub const FETCH: &str = "fetch";
/// The axis of lanes that are switched off or folded.
pub const GATING: &str = "gating";
/// The axis of how blocks come to an SM.
pub const DISPATCH: &str = "dispatch";
/// Decided along with the divergence or the schedule, never alone.
const PRIORITY: &str = "block_priority";

/// The axes of choice, named by the key that holds the choice, in the order in which techniques are applied. If two techniques
/// set the same key and only one of them decides it, the value of the one applied later stands.
pub static AXES: &[&str] = &[DIVERGENCE, SCHEDULE, FETCH, DISPATCH, GATING];

/// Returns what a choice on an axis is about, as menus say it.
pub fn axis_label(axis: &str) -> &'static str {
    match axis {
        DIVERGENCE => "At branches",
        SCHEDULE => "Issue order",
        FETCH => "Fetch order",
        DISPATCH => "Blocks",
        GATING => "Lanes' power",
        _ => "",
    }
}

/// The techniques of one paper, as menus group them.
pub struct TechniqueGroup {
    /// The prefix of [`Technique::paper`].
    pub paper: &'static str,
    /// The paper's title and where it appeared.
    pub title: &'static str,
}

/// The papers in the order of their years.
pub static TECHNIQUE_GROUPS: &[TechniqueGroup] = &[
    TechniqueGroup { paper: "TBC", title: "Thread Block Compaction, HPCA 2011" },
    TechniqueGroup { paper: "VWS", title: "Variable Warp Size, ISCA 2015" },
    TechniqueGroup { paper: "BAWS", title: "Barrier-Aware Warp Scheduling, ICS 2016" },
    TechniqueGroup { paper: "Origami", title: "Folding Warps for Energy Efficient GPUs, ICS 2016" },
    TechniqueGroup { paper: "VTW", title: "Taming Warp Divergence, CGO 2017" },
    TechniqueGroup { paper: "GPUs since 2017", title: "Independent thread scheduling, since Volta" },
];

impl TechniqueGroup {
    /// Returns the group's techniques on an axis, without aliases.
    pub fn techniques(&self, decides: &str) -> Vec<&'static Technique> {
        let listed = |t: &&Technique| t.decides == decides && t.alias_of.is_none() && t.paper.starts_with(self.paper);
        TECHNIQUES.iter().filter(listed).collect()
    }
}

macro_rules! techniques {
    ($($name:literal $(= $alias:literal)? $([$stem:literal, $set:expr])?, $decides:ident $(+ $also:ident)*, $paper:literal, $about:literal, $apply:expr;)*) => {
        /// Every technique, by axis, aliases behind what they stand for.
        pub static TECHNIQUES: &[Technique] = &[
            $(Technique {
                name: $name,
                decides: $decides,
                keys: &[$decides $(, $also)*],
                paper: $paper,
                about: $about,
                alias_of: [None, $(Some($alias))?][<[&str]>::len(&[$($alias)?])],
                apply: $apply,
                number: &[$(($stem, $set))?],
            },)*
        ];
    };
}

/// Selects TBC with a block priority; the schedule decides which warp of a block issues.
fn tbc(config: &mut Config, likely: bool, priority: BlockPriorityKind) {
    config.divergence = if likely { DivergenceKind::TbcLcp } else { DivergenceKind::Tbc };
    config.block_priority = priority;
}

/// Selects DWF with its own schedule, which orders warps by the PCs of their threads.
fn dwf(config: &mut Config, kind: DivergenceKind) {
    (config.divergence, config.schedule) = (kind, ScheduleKind::Majority);
}

/// Changes the warp width; the lanes are cut into as many slices as that takes.
fn warp_size(config: &mut Config, width: u32) {
    config.slices = (config.row_threads() / width).max(1);
    config.warp_width = width;
    config.gangs = false;
    // Slices have their own units and share the load/store unit.
    if config.slices > 1 {
        (config.one_pipeline, config.collectors) = (false, 0);
    }
}

/// Selects gangs of warps of 4, as in the paper's figure 7: greedy-then-oldest slices, eight fetches a cycle.
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

/// Selects gangs that only control flow splits.
fn inelastic(config: &mut Config, order: GangScheduleKind) {
    gangs(config, order, false, GangSplitKind::Control);
}

fn sync(config: &mut Config, cycles: u32) {
    gangs(config, GangScheduleKind::Bgto, true, GangSplitKind::Control);
    config.gang_wait = cycles;
}

/// Selects a block priority and the schedule within a block.
fn by_block(config: &mut Config, priority: BlockPriorityKind, within: ScheduleKind) {
    (config.block_priority, config.schedule) = (priority, within);
}

/// Switches idle lanes off, and selects which groups of warps come first.
fn gating(config: &mut Config, groups: IssueGroupsKind) {
    (config.gating, config.issue_groups) = (GatingKind::On, groups);
    // Gating applies to separate INT and FP pipelines.
    (config.one_pipeline, config.collectors) = (false, 0);
}

/// Folds warps, and switches idle lanes off one by one.
fn folding(config: &mut Config, groups: IssueGroupsKind) {
    gating(config, groups);
    config.fold = true;
}

/// Selects virtual blocks and warps, a schedule and a thread-index policy.
fn virtual_blocks(config: &mut Config, schedule: ScheduleKind, index: ThreadIndexKind) {
    (config.dispatch, config.schedule, config.thread_index) = (DispatchKind::Virtual, schedule, index);
}

techniques! {
    "PDOM", DIVERGENCE, "TBC section 2.2.2",
    "a stack for each warp; the two sides of a branch meet at its immediate post-dominator",
    |c| c.divergence = DivergenceKind::Pdom;

    "PDOM-LCP", DIVERGENCE, "TBC section 4",
    "PDOM with likely-convergence points: threads that a break would keep apart meet early",
    |c| c.divergence = DivergenceKind::PdomLcp;

    "DWF", DIVERGENCE + SCHEDULE, "TBC section 2.3",
    "dynamic warp formation: threads at the same instruction form new warps from a pool, the PC with most threads first",
    |c| dwf(c, DivergenceKind::Dwf);

    "DWF-WB", DIVERGENCE + SCHEDULE, "TBC section 2.4",
    "DWF with a barrier for each static warp where the sides of its outermost divergent branch meet",
    |c| dwf(c, DivergenceKind::DwfWb);

    "ITS", DIVERGENCE, "GPUs since 2017",
    "independent thread scheduling: a warp is a list of splits that meet at convergence barriers, as on GPUs since Volta",
    |c| c.divergence = DivergenceKind::Its;

    "TBC", DIVERGENCE, "TBC section 3",
    "thread block compaction: a stack for each block; warps meet at branches and their threads are compacted; oldest block first",
    |c| tbc(c, false, BlockPriorityKind::Age);

    "TBC-AGE" = "TBC", DIVERGENCE + PRIORITY, "TBC section 6.2", "TBC, warps of the oldest block first: the same as TBC",
    |c| tbc(c, false, BlockPriorityKind::Age);

    "TBC-RRB", DIVERGENCE + PRIORITY, "TBC section 6.2", "TBC, priority moves to the next block at every issue",
    |c| tbc(c, false, BlockPriorityKind::Rrb);

    "TBC-SRR", DIVERGENCE + PRIORITY, "TBC section 6.2", "TBC, a block keeps its priority while it can issue",
    |c| tbc(c, false, BlockPriorityKind::Srr);

    "TBC-LCP", DIVERGENCE, "TBC sections 3 and 4", "TBC with likely-convergence points: what the paper measures",
    |c| tbc(c, true, BlockPriorityKind::Age);

    "TBC-LCP-AGE" = "TBC-LCP", DIVERGENCE + PRIORITY, "TBC section 6.2", "TBC-LCP, warps of the oldest block first: the same as TBC-LCP",
    |c| tbc(c, true, BlockPriorityKind::Age);

    "TBC-LCP-RRB", DIVERGENCE + PRIORITY, "TBC section 6.2", "TBC-LCP, priority moves to the next block at every issue",
    |c| tbc(c, true, BlockPriorityKind::Rrb);

    "TBC-LCP-SRR", DIVERGENCE + PRIORITY, "TBC section 6.2", "TBC-LCP, a block keeps its priority while it can issue",
    |c| tbc(c, true, BlockPriorityKind::Srr);

    "WS4", DIVERGENCE, "VWS sections 3 and 6.1", "warps of 4 threads that run independently, each on a slice of the lanes",
    |c| warp_size(c, 4);

    "WS8", DIVERGENCE, "VWS section 3", "warps of 8 threads in slices of their own",
    |c| warp_size(c, 8);

    "WS16", DIVERGENCE, "VWS section 3", "warps of 16 threads in slices of their own",
    |c| warp_size(c, 16);

    "WS32", DIVERGENCE, "VWS section 2", "warps of 32 threads on all lanes: the same as PDOM on 32 lanes",
    |c| warp_size(c, 32);

    "I-VWS", DIVERGENCE + SCHEDULE, "VWS section 6.1",
    "gangs of warps of 4 in lock-step that split for good where their control flow diverges; big gangs first",
    |c| inelastic(c, GangScheduleKind::Bgto);

    "I-VWS-GTO", DIVERGENCE + SCHEDULE, "VWS section 6.3", "I-VWS, the gang that issued last first, then the oldest",
    |c| inelastic(c, GangScheduleKind::Gto);

    "I-VWS-LRR", DIVERGENCE + SCHEDULE, "VWS section 6.3", "I-VWS, gangs and warps in turn",
    |c| inelastic(c, GangScheduleKind::Lrr);

    "I-VWS-LPC", DIVERGENCE + SCHEDULE, "VWS section 6.3", "I-VWS, the lowest PC first",
    |c| inelastic(c, GangScheduleKind::Lpc);

    "I-VWS-LGTO", DIVERGENCE + SCHEDULE, "VWS section 6.3", "I-VWS, small gangs first",
    |c| inelastic(c, GangScheduleKind::Lgto);

    "I-VWS-GroupMem", DIVERGENCE + SCHEDULE, "VWS section 6.5",
    "I-VWS, and warps whose loads return in the same cycle split off together",
    |c| gangs(c, GangScheduleKind::Bgto, false, GangSplitKind::Group);

    "I-VWS-ImpatientMem", DIVERGENCE + SCHEDULE, "VWS section 6.5",
    "I-VWS, and a gang whose loads return at different times splits into singletons",
    |c| gangs(c, GangScheduleKind::Bgto, false, GangSplitKind::Impatient);

    "E-VWS", DIVERGENCE + SCHEDULE, "VWS section 6.1", "I-VWS, and parts of a gang that meet again merge",
    |c| gangs(c, GangScheduleKind::Bgto, true, GangSplitKind::Control);

    "E-VWS-ImpatientMem", DIVERGENCE + SCHEDULE, "VWS section 6.1",
    "E-VWS, and a gang whose loads return at different times splits into singletons",
    |c| gangs(c, GangScheduleKind::Bgto, true, GangSplitKind::Impatient);

    "E-VWS-Sync20" ["E-VWS-Sync", sync], DIVERGENCE + SCHEDULE, "VWS section 6.4",
    "E-VWS, and parts of a gang wait for each other where branches meet; up to 20 cycles, or the number in the name",
    |c| sync(c, 20);

    "LRR", SCHEDULE, "TBC table 2, BAWS section 5", "loose round robin: the next ready warp after the last",
    |c| c.schedule = ScheduleKind::Lrr;

    "GTO", SCHEDULE, "VWS table 1", "greedy then oldest: the same warp while it can, else the oldest",
    |c| c.schedule = ScheduleKind::Gto;

    "TLS", SCHEDULE, "Origami section 4.1",
    "two-level: a small active set, which warps leave while they wait for memory",
    |c| c.schedule = ScheduleKind::TwoLevel;

    "MWF-LRR", SCHEDULE + PRIORITY, "BAWS section 4.1",
    "most-waiting-first: the block with most warps at its barrier first; its warps in turn",
    |c| by_block(c, BlockPriorityKind::MostWaiting, ScheduleKind::Lrr);

    "MWF-GTO", SCHEDULE + PRIORITY, "BAWS section 4.1",
    "most-waiting-first, and in a block its last issued warp first, then the oldest",
    |c| by_block(c, BlockPriorityKind::MostWaiting, ScheduleKind::Gto);

    "SAWS", SCHEDULE + PRIORITY, "BAWS section 6.6",
    "the block that reached its barrier first comes first; in a block its last issued warp, then the oldest",
    |c| by_block(c, BlockPriorityKind::FirstHit, ScheduleKind::Gto);

    "BAWS", SCHEDULE + PRIORITY + FETCH, "BAWS section 4",
    "barrier-aware warp scheduling: MWF-GTO+CFF",
    |c| {
        by_block(c, BlockPriorityKind::MostWaiting, ScheduleKind::Gto);
        c.fetch = FetchKind::Cff;
    };

    "CFF", FETCH, "BAWS section 4.2",
    "critical-fetch-first: fetches for the warp that the scheduler would issue next",
    |c| c.fetch = FetchKind::Cff;

    "FEF", FETCH, "BAWS section 6.2",
    "fewest-entries-first: fetches for the warp with the fewest instructions in its I-buffer, if it has room",
    |c| (c.fetch, c.fetch_when) = (FetchKind::Fef, FetchWhen::Room);

    "vLRR", DISPATCH + SCHEDULE, "VTW section 5.2", "virtual blocks: a finished warp starts the next block; warps issue in turn",
    |c| virtual_blocks(c, ScheduleKind::Lrr, ThreadIndexKind::SameLane);

    "vGTO", DISPATCH + SCHEDULE, "VTW section 5.2", "virtual blocks; the same warp while it can, else the oldest",
    |c| virtual_blocks(c, ScheduleKind::Gto, ThreadIndexKind::SameLane);

    "VTW", DISPATCH + SCHEDULE, "VTW section 4",
    "virtual blocks and warps: a finished warp starts the next block; warps issue by the progress of their blocks",
    |c| virtual_blocks(c, ScheduleKind::Progress, ThreadIndexKind::SameLane);

    "VTW-SL", DISPATCH + SCHEDULE, "VTW section 4.2.2", "VTW; a warp takes the threads of the previous block's slowest warp",
    |c| virtual_blocks(c, ScheduleKind::Progress, ThreadIndexKind::SlowestLane);

    "VTW-LH", DISPATCH + SCHEDULE, "VTW section 4.2.2", "VTW; a warp takes the lowest threads not yet taken",
    |c| virtual_blocks(c, ScheduleKind::Progress, ThreadIndexKind::LowestToHighestLane);

    "NoPG", GATING, "Origami section 4.2", "no power gating: INT and FP lanes stay on, and their use is counted",
    |c| c.gating = GatingKind::Count;

    "ConvPG", GATING, "Origami section 2.2", "conventional power gating: a lane that is idle for a while is switched off",
    |c| gating(c, IssueGroupsKind::None);

    "Warped-Gates", GATING, "Origami sections 1 and 2.3",
    "one type of instructions first (GATES); a whole pipeline is switched off, and stays off for break_even cycles (Blackout)",
    |c| {
        gating(c, IssueGroupsKind::Gates);
        (c.gating_grain, c.blackout) = (GatingGrain::Pipeline, true);
    };

    "Warp-Folding", GATING, "Origami section 3.1",
    "warps execute in two halves on half of the lanes; the other half sleeps",
    |c| folding(c, IssueGroupsKind::None);

    "Origami", GATING, "Origami section 3",
    "Warp Folding; one type of instructions and one group of warps first, and threads on the leftmost lanes of their clusters",
    |c| {
        folding(c, IssueGroupsKind::Origami);
        c.lane_shift = true;
    };
}

impl Technique {
    /// Returns a short description for menus: `about` up to the first colon or semicolon.
    pub fn line(&self) -> &'static str {
        self.about.split([':', ';']).next().unwrap_or_default()
    }

    /// Whether a name is that of a technique with a number of any size.
    fn is_numbered(name: &str) -> bool {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        stem.len() < name.len() && TECHNIQUES.iter().any(|t| t.number.iter().any(|(known, _)| known.eq_ignore_ascii_case(stem)))
    }

    /// Returns the technique of a name, ignoring case, and the number at its end if that is variable.
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

/// Splits a list of technique names; an empty list has none.
pub fn split_techniques(names: &str) -> impl Iterator<Item = &str> {
    names.split([',', '+']).map(str::trim).filter(|_| !names.trim().is_empty())
}

/// Joins technique names as the papers write them: a fetch policy follows its schedule with a plus, as in `PDOM,MWF-GTO+CFF`.
pub fn join_techniques(names: &[&str]) -> String {
    let decides = |name: &str| Technique::find(name).map(|(technique, _)| technique.decides);
    let mut list = String::new();
    for (at, name) in names.iter().enumerate() {
        let follows = at > 0 && decides(name) == Some(FETCH) && decides(names[at - 1]) == Some(SCHEDULE);
        list += if at == 0 {
            ""
        } else if follows {
            "+"
        } else {
            ","
        };
        list += name;
    }
    list
}

/// Applies a list of techniques, e.g. `PDOM,GTO`; an empty list changes nothing.
pub fn apply_techniques(config: &mut Config, names: &str) -> Result<(), ConfigError> {
    let mut chosen: Vec<(&Technique, Option<u32>)> = Vec::new();
    for name in split_techniques(names) {
        let (technique, number) = Technique::find(name).ok_or_else(|| match name {
            "" => ConfigError::NoTechnique { names: names.to_string() },
            _ if Technique::is_numbered(name) => ConfigError::Value {
                key: "technique",
                value: name.to_string(),
                allowed: format!("the number in its name may be {} at most", u32::MAX),
            },
            _ => ConfigError::UnknownTechnique {
                name: name.to_string(),
                nearest: super::nearest(name, TECHNIQUES.iter().map(|t| t.name)),
            },
        })?;
        for &what in technique.keys {
            if let Some((first, _)) = chosen.iter().find(|(t, _)| t.keys.contains(&what)) {
                return Err(ConfigError::Clash { first: first.name, second: technique.name, what });
            }
        }
        chosen.push((technique, number));
    }
    chosen.sort_by_key(|(technique, _)| AXES.iter().position(|axis| *axis == technique.decides));
    for (technique, number) in chosen {
        match (technique.number, number) {
            ([(_, apply)], Some(number)) => apply(config, number),
            _ => (technique.apply)(config),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_technique_but_an_alias_is_in_one_group() {
        for technique in TECHNIQUES {
            let in_group = |group: &&TechniqueGroup| group.techniques(technique.decides).iter().any(|t| t.name == technique.name);
            let groups = TECHNIQUE_GROUPS.iter().filter(in_group).count();
            assert_eq!(groups, usize::from(technique.alias_of.is_none()), "{}", technique.name);
            assert!(technique.line().len() < 100, "{} has a long line in the menu", technique.name);
        }
    }

    #[test]
    fn an_alias_makes_the_same_machine() -> Result<(), ConfigError> {
        let machine = |name: &str| {
            let mut config = Config::default();
            apply_techniques(&mut config, name).map(|()| config)
        };
        let aliases: Vec<_> = TECHNIQUES.iter().filter_map(|t| Some((t.name, t.alias_of?))).collect();
        assert_eq!(aliases, [("TBC-AGE", "TBC"), ("TBC-LCP-AGE", "TBC-LCP")]);
        for (alias, of) in aliases {
            assert_eq!(machine(alias)?, machine(of)?);
        }
        Ok(())
    }

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
        for (names, joined) in
            [(&["PDOM", "MWF-GTO", "CFF"][..], "PDOM,MWF-GTO+CFF"), (&["TBC", "FEF"], "TBC,FEF"), (&["CFF"], "CFF"), (&[], "")]
        {
            assert_eq!(join_techniques(names), joined);
            assert_eq!(split_techniques(joined).collect::<Vec<_>>(), names);
        }
        let mut combined = Config::default();
        apply_techniques(&mut combined, "CFF,MWF-GTO,TBC")?;
        assert_eq!(combined.block_priority, BlockPriorityKind::MostWaiting, "the schedule's own, not TBC's AGE");
        assert_eq!((combined.divergence, combined.fetch), (DivergenceKind::Tbc, FetchKind::Cff));
        let clash = apply_techniques(&mut config, "TBC-RRB,MWF-GTO").expect_err("both name a priority").to_string();
        assert!(clash.contains("block_priority"), "{clash}");
        assert!(apply_techniques(&mut config, "BAWS+CFF").is_err_and(|e| e.to_string().contains("fetch")));
        assert!(apply_techniques(&mut config, "zzz").is_err_and(|e| e.to_string().contains("PDOM")));
        Ok(())
    }
}
