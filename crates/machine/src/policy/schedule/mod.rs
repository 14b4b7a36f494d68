//! Issue policies: which ready warp issues. Each issue port of an SM has one [`Scheduler`].
//!
//! A policy ranks warps, and the warp with the lowest rank issues. Issue, critical-fetch-first, the order shown on the page and
//! the reason why a warp was not chosen ([`Scheduler::precedes`]) use the same function, so they cannot disagree. A policy may
//! find the first warp by a shortcut without ranking all warps; a test checks the shortcut against the ranks.
//!
//! # Adding a policy
//! Write its file, give it a row in [`ScheduleKind`] and an arm in each function of [`Schedule`].

pub(crate) mod block_priority;
mod greedy_oldest;
pub(crate) mod groups;
mod last;
mod lowest_pc;
mod majority;
mod oldest;
pub(crate) mod progress;
mod round_robin;
#[cfg(test)]
pub(crate) mod test_view;
mod two_level;

use super::view::IssueView;
use crate::config::{BlockPriorityKind, Config, ScheduleKind};
use block_priority::BlockPriority;
use greedy_oldest::GreedyOldest;
use groups::IssueGroups;
use lowest_pc::LowestPc;
use majority::Majority;
use oldest::Oldest;
pub use progress::Group as ProgressGroup;
use progress::Progress;
use round_robin::RoundRobin;
use two_level::TwoLevel;

/// A warp's place in a policy's order: lower issues first, compared from the left.
pub type Rank = [u64; 2];

/// A warp's place in a scheduler's order: by issue group, then by block priority, then by issue policy.
pub type IssueRank = (Rank, Rank, Rank);

/// The parts of an [`IssueRank`], in the order in which they are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RankPart {
    /// The order of groups of warps (`issue_groups`).
    Group,
    /// The order of blocks (`block_priority`).
    Block,
    /// The order of warps (`schedule`).
    Schedule,
    /// The number of the warp: it decides between equal ranks.
    Number,
}

/// Why one warp comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Precedence {
    /// The first part in which their ranks differ.
    pub part: RankPart,
    /// What the policy says about the earlier one, as a relative clause: `which is older`.
    pub words: &'static str,
}

/// An issue policy with its state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// The next ready warp after the last.
    Lrr(RoundRobin),
    /// The last warp while it can, then the oldest.
    Gto(GreedyOldest),
    /// The warps of a small active set in turn.
    TwoLevel(TwoLevel),
    /// The PC with most threads.
    Majority(Majority),
    /// The warp that was formed first.
    Oldest(Oldest),
    /// The lowest PC.
    Lpc(LowestPc),
    /// The progress of virtual blocks and warps.
    Progress(Progress),
}

impl Schedule {
    fn new(config: &Config) -> Schedule {
        // With a block priority, the policy keeps a separate turn for each block (TBC section 6.2, BAWS section 4.1).
        let by_block = config.block_priority != BlockPriorityKind::None;
        match config.schedule {
            ScheduleKind::Lrr => Schedule::Lrr(RoundRobin::new(by_block)),
            ScheduleKind::Gto => Schedule::Gto(GreedyOldest::new(by_block)),
            ScheduleKind::TwoLevel => Schedule::TwoLevel(TwoLevel::new(config.tls_active)),
            ScheduleKind::Majority => Schedule::Majority(Majority::default()),
            ScheduleKind::Oldest => Schedule::Oldest(Oldest),
            ScheduleKind::Lpc => Schedule::Lpc(LowestPc),
            ScheduleKind::Progress => Schedule::Progress(Progress::default()),
        }
    }

    /// Updates the state that the policy keeps about all warps, before it ranks any.
    #[inline]
    fn arrange(&mut self, view: &IssueView) {
        match self {
            Schedule::TwoLevel(policy) => policy.arrange(view),
            Schedule::Majority(policy) => policy.arrange(view),
            Schedule::Progress(policy) => policy.arrange(view),
            Schedule::Lrr(_) | Schedule::Gto(_) | Schedule::Oldest(_) | Schedule::Lpc(_) => {}
        }
    }

    /// Returns a warp's rank; `None` if the policy does not let it issue now.
    fn rank(&self, warp: u32, view: &IssueView) -> Option<Rank> {
        match self {
            Schedule::Lrr(policy) => Some(policy.rank(warp, view)),
            Schedule::Gto(policy) => Some(policy.rank(warp, view)),
            Schedule::TwoLevel(policy) => policy.rank(warp),
            Schedule::Majority(policy) => Some(policy.rank(warp, view)),
            Schedule::Oldest(policy) => Some(policy.rank(warp, view)),
            Schedule::Lpc(policy) => Some(policy.rank(warp, view)),
            Schedule::Progress(policy) => Some(policy.rank(warp, view)),
        }
    }

    /// Returns what the policy says about a warp that it ranks before another; every warp that can issue ranks before one that
    /// the policy does not let issue.
    fn words(&self, first: Rank, other: Option<Rank>) -> &'static str {
        let Some(other) = other else { return two_level::IN_ACTIVE_SET };
        match self {
            Schedule::Lrr(_) | Schedule::TwoLevel(_) => round_robin::words(),
            Schedule::Gto(_) => greedy_oldest::words(first, other),
            Schedule::Majority(_) => majority::words(first, other),
            Schedule::Oldest(_) => oldest::OLDER,
            Schedule::Lpc(_) => lowest_pc::words(first, other),
            Schedule::Progress(_) => progress::words(first, other),
        }
    }

    /// Returns the available warp with the lowest rank, if the policy has a shortcut to it.
    #[inline]
    fn shortcut(&self, view: &IssueView) -> Option<Option<u32>> {
        match self {
            Schedule::Lrr(policy) => policy.first(view),
            Schedule::Gto(policy) => policy.first(view),
            Schedule::TwoLevel(policy) => Some(policy.first(view.available)),
            Schedule::Majority(_) | Schedule::Oldest(_) | Schedule::Lpc(_) | Schedule::Progress(_) => None,
        }
    }

    fn issued(&mut self, warp: u32, view: &IssueView) {
        match self {
            Schedule::Lrr(policy) => policy.issued(warp, view),
            Schedule::Gto(policy) => policy.issued(warp, view),
            Schedule::TwoLevel(policy) => policy.issued(warp),
            Schedule::Majority(_) | Schedule::Oldest(_) | Schedule::Lpc(_) | Schedule::Progress(_) => {}
        }
    }
}

/// The decisions of one issue port: issue groups, block priority and issue policy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scheduler {
    groups: IssueGroups,
    priority: BlockPriority,
    schedule: Schedule,
}

impl Scheduler {
    pub(crate) fn new(config: &Config) -> Scheduler {
        Scheduler { groups: IssueGroups::new(config), priority: BlockPriority::new(config), schedule: Schedule::new(config) }
    }

    /// Whether the scheduler reads [`IssueView::long_wait`]; for others the set is empty.
    pub fn looks_at_waits(&self) -> bool {
        matches!(self.schedule, Schedule::TwoLevel(_)) || self.groups.matters()
    }

    /// Whether the scheduler reads [`IssueView::unfetched`]; for others the set is empty.
    pub fn looks_at_fetch(&self) -> bool {
        matches!(self.schedule, Schedule::Majority(_))
    }

    /// Returns the issue groups.
    pub fn groups(&self) -> &IssueGroups {
        &self.groups
    }

    /// Returns the PC that majority scheduling puts first; `None` under other policies.
    pub fn majority_pc(&self) -> Option<warpscope_kernel::program::Pc> {
        if let Schedule::Majority(policy) = &self.schedule { policy.pc() } else { None }
    }

    /// Updates the state of its policies; called once in every cycle in which a warp can issue.
    #[inline]
    pub fn arrange(&mut self, view: &IssueView) {
        if self.groups.matters() {
            self.groups.arrange(view);
        }
        self.schedule.arrange(view);
    }

    /// Lets the available warps issue although the policy would keep them back: they have waited for too long.
    #[inline(never)]
    pub fn promote(&mut self, view: &IssueView) {
        if let Schedule::TwoLevel(policy) = &mut self.schedule {
            policy.promote(view.available);
        }
    }

    /// Returns a warp's rank, after [`Scheduler::arrange`]; `None` if a policy does not let it issue now.
    pub fn rank(&self, warp: u32, view: &IssueView) -> Option<IssueRank> {
        Some((self.groups.rank(warp, view), self.priority.rank(warp, view), self.schedule.rank(warp, view)?))
    }

    /// Returns why a warp comes before another, after [`Scheduler::arrange`]; `None` if it does not.
    pub fn precedes(&self, first: u32, other: u32, view: &IssueView) -> Option<Precedence> {
        let (one, two) = (self.rank(first, view)?, self.rank(other, view));
        let schedule = |two: Option<Rank>| (RankPart::Schedule, self.schedule.words(one.2, two));
        let (part, words) = match two {
            None => schedule(None),
            Some(two) if (one, first) >= (two, other) => return None,
            Some(two) if one.0 != two.0 => (RankPart::Group, self.groups.words(one.0, two.0)),
            Some(two) if one.1 != two.1 => (RankPart::Block, self.priority.words(one.1, two.1)),
            Some(two) if one.2 != two.2 => schedule(Some(two.2)),
            Some(_) => (RankPart::Number, "which has the lower number"),
        };
        Some(Precedence { part, words })
    }

    /// Returns the available warp that issues, after [`Scheduler::arrange`].
    #[inline]
    pub fn first(&self, view: &IssueView) -> Option<u32> {
        if !self.priority.matters()
            && !self.groups.matters()
            && let Some(first) = self.schedule.shortcut(view)
        {
            return first;
        }
        self.lowest(view)
    }

    /// Returns the available warp with the lowest rank.
    #[inline(never)]
    fn lowest(&self, view: &IssueView) -> Option<u32> {
        let mut lowest: Option<(IssueRank, u32)> = None;
        for warp in view.available.iter(view.words) {
            let (group, block) = (self.groups.rank(warp, view), self.priority.rank(warp, view));
            if lowest.is_some_and(|(other, _)| (group, block) > (other.0, other.1)) {
                continue;
            }
            // Of equals the first one stays: it has the lower number.
            if let Some(own) = self.schedule.rank(warp, view)
                && lowest.is_none_or(|(other, _)| (group, block, own) < other)
            {
                lowest = Some(((group, block, own), warp));
            }
        }
        lowest.map(|(_, warp)| warp)
    }

    /// Returns the available warps in the order in which they would issue, after [`Scheduler::arrange`].
    pub fn order(&self, view: &IssueView) -> Vec<u32> {
        let ranked = view.available.iter(view.words).filter_map(|warp| Some((self.rank(warp, view)?, warp)));
        let mut ranked: Vec<_> = ranked.collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, warp)| warp).collect()
    }

    /// Records that the warp issues.
    #[inline]
    pub fn issued(&mut self, warp: u32, view: &IssueView) {
        self.priority.issued(warp, view);
        self.schedule.issued(warp, view);
    }
}

#[cfg(test)]
mod tests {
    use super::test_view::{TestWarps, set};
    use super::*;
    use crate::config::IssueGroupsKind;
    use crate::policy::divergence::Place;
    use crate::policy::view::{BlockFacts, Unit, VirtualBlockFacts, WarpProgress};
    use proptest::prelude::*;

    /// A set of warps below 128, drawn at random.
    fn some(most: usize) -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(0u32..128, 0..most)
    }

    proptest! {
        /// Warps come and go, and wait for memory; those that are available are resident and do not wait.
        #[test]
        fn shortcuts_agree_with_ranks(
            kind in prop::sample::select(ScheduleKind::ALL.to_vec()),
            tls_active in 1u32..6,
            cycles in prop::collection::vec((some(12), some(60), prop::option::of(some(60))), 1..30),
            ages in Just((0..128u64).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let mut scheduler = Scheduler::new(&Config { schedule: kind, tls_active, ..Config::default() });
            let mut warps = TestWarps { ages, ..TestWarps::new(128) };
            for (could, long_wait, absent) in cycles {
                warps.long_wait = set(&long_wait);
                if let Some(absent) = absent {
                    warps.absent = set(&absent);
                }
                let available = set(&could);
                let available = set(&available.iter(2).filter(|&warp| !warps.holds(warp)).collect::<Vec<_>>());
                warps.with_view(&available, |view| {
                    scheduler.arrange(view);
                    let order = scheduler.order(view);
                    prop_assert_eq!(scheduler.first(view), order.first().copied());
                    prop_assert_eq!(scheduler.lowest(view), order.first().copied());
                    if let Some(warp) = scheduler.first(view) {
                        scheduler.issued(warp, view);
                    }
                    Ok(())
                })?;
            }
        }

        /// Of two warps the one that comes earlier in the order precedes the other, under every policy.
        #[test]
        fn precedence_agrees_with_the_order(
            kind in prop::sample::select(ScheduleKind::ALL.to_vec()),
            block_priority in prop::sample::select(BlockPriorityKind::ALL.to_vec()),
            issue_groups in prop::sample::select(IssueGroupsKind::ALL.to_vec()),
            places in prop::collection::vec((0u32..4, 1u32..4, 0usize..5, 0u16..3), 16),
            counts in prop::collection::vec((0u32..3, 0u32..3, 0u32..3, 0u32..3, any::<bool>()), 3),
            own in prop::collection::vec((0u32..3, any::<bool>()), 16),
            first_hits in prop::collection::vec(prop::option::of(0u64..3), 3),
            ages in Just((0..16u64).collect::<Vec<_>>()).prop_shuffle(),
            last in prop::option::of(0u32..16),
        ) {
            let config = Config { schedule: kind, block_priority, issue_groups, tls_active: 4, ..Config::default() };
            let mut scheduler = Scheduler::new(&config);
            let slot = |warp: usize| usize::from(places[warp].3);
            let units = [Unit::Int, Unit::Fp, Unit::Sfu, Unit::LdSt, Unit::Control];
            let block = |warp: usize| BlockFacts {
                slot: places[warp].3,
                index: places[warp].3.into(),
                waiting: counts[slot(warp)].1,
                first_hit: first_hits[slot(warp)],
            };
            let facts = |warp: usize| {
                let (progress, at_barrier, lower, higher, slow_phase) = counts[slot(warp)];
                VirtualBlockFacts { progress, at_barrier, lower, higher, slow_phase }
            };
            let warps = TestWarps {
                ages,
                places: places.iter().map(|&(pc, mask, ..)| Place { pc, mask }).collect(),
                units: places.iter().map(|place| units[place.2]).collect(),
                blocks: (0..16).map(block).collect(),
                progress: own.iter().map(|&(instructions, is_ahead)| WarpProgress { instructions, is_ahead }).collect(),
                iterations: (0..16).map(facts).collect(),
                slots: 3,
                ..TestWarps::new(16)
            };
            if let Some(last) = last {
                warps.pick(&mut scheduler, &[last]);
            }
            let all: Vec<u32> = (0..16).collect();
            warps.with_view(&set(&all), |view| {
                scheduler.arrange(view);
                let order = scheduler.order(view);
                let held = all.iter().copied().filter(|warp| !order.contains(warp));
                let ranked: Vec<u32> = order.iter().copied().chain(held.clone()).collect();
                for (at, &first) in ranked.iter().enumerate() {
                    prop_assert_eq!(scheduler.precedes(first, first, view), None);
                    for &other in &ranked[at + 1..] {
                        let precedence = scheduler.precedes(first, other, view);
                        prop_assert_eq!(precedence.is_some(), order.contains(&first), "{} before {}", first, other);
                        prop_assert_eq!(scheduler.precedes(other, first, view), None);
                        let (one, two) = (scheduler.rank(first, view), scheduler.rank(other, view));
                        let part = match (one, two) {
                            (Some(one), Some(two)) if one.0 != two.0 => RankPart::Group,
                            (Some(one), Some(two)) if one.1 != two.1 => RankPart::Block,
                            (Some(one), Some(two)) if one.2 == two.2 => RankPart::Number,
                            _ => RankPart::Schedule,
                        };
                        prop_assert!(precedence.is_none_or(|precedence| precedence.part == part));
                    }
                }
                Ok(())
            })?;
        }
    }

    #[test]
    fn the_words_name_what_the_policy_compares() {
        let said = |config: &Config, warps: &TestWarps, first: u32, other: u32| {
            let all: Vec<u32> = (0..warps.ages.len() as u32).collect();
            let mut scheduler = Scheduler::new(config);
            warps.pick(&mut scheduler, &[0]);
            warps.with_view(&set(&all), |view| {
                scheduler.arrange(view);
                scheduler.precedes(first, other, view).map_or("", |precedence| precedence.words)
            })
        };
        let by = |schedule: ScheduleKind| Config { schedule, tls_active: 2, ..Config::default() };
        let mut warps = TestWarps::new(4);
        warps.places[3].pc = 9;
        assert_eq!(said(&by(ScheduleKind::Lrr), &warps, 1, 0), "which comes first in turn");
        assert_eq!(said(&by(ScheduleKind::Gto), &warps, 0, 3), "which issued last and goes on while it can");
        assert_eq!(said(&by(ScheduleKind::Gto), &warps, 3, 2), "which is older");
        assert_eq!(said(&by(ScheduleKind::Oldest), &warps, 1, 0), "which is older");
        assert_eq!(said(&by(ScheduleKind::TwoLevel), &warps, 0, 3), "which is in the active set");
        assert_eq!(said(&by(ScheduleKind::Majority), &warps, 2, 3), "which is at the majority PC");
        assert_eq!(said(&by(ScheduleKind::Lpc), &warps, 0, 3), "which is at a lower PC");
        assert_eq!(said(&by(ScheduleKind::Lpc), &warps, 3, 0), "");
        let block = |waiting| BlockFacts { slot: waiting as u16 % 2, index: 0, waiting, first_hit: None };
        warps.blocks = [0, 1, 1, 0].map(block).to_vec();
        warps.slots = 2;
        let mwf = Config { block_priority: BlockPriorityKind::MostWaiting, exits_wait: false, ..by(ScheduleKind::Gto) };
        assert_eq!(said(&mwf, &warps, 1, 3), "whose block has more warps at its barrier");
    }
}
