//! Runs beside the one on stage: the same kernel and launch under another technique, on another machine or with other keys.
//!
//! The lab on stage is the *leader*: it holds the requested runs (*wishes*) and the rule that aligns them ([`RunAlignment`]). Each
//! wish has a lab of its own, a *follower* ([`Lab::follow`]): it takes the leader's kernel and seeks to the cycle that
//! corresponds to the leader's, in time slices if that is far.

use super::align::Aim;
use super::{Lab, MachineSpec, RunAlignment};
use warpscope_pictures::session::Breakpoints;

/// Most runs beside the leader.
pub const MOST_BESIDE: usize = 3;
/// Cycles that a follower simulates between two checks of the clock.
const CHUNK: u64 = 64;

/// The runs requested beside the leader, and the rule that aligns them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// The machine of each run, with the keys that are its own.
    pub wishes: Vec<MachineSpec>,
    /// What decides which of their cycles belong together.
    pub align: RunAlignment,
}

impl Beside {
    /// Returns the runs as links encode them: `TBC@gtx480;DWF@tbc+sms:2,schedulers:1`.
    pub fn key(&self) -> String {
        self.wishes.iter().map(MachineSpec::to_string).collect::<Vec<_>>().join(";")
    }

    /// Parses what [`Beside::key`] returned; `None` if it is malformed or has more than [`MOST_BESIDE`] runs.
    pub fn from_key(key: &str) -> Option<Vec<MachineSpec>> {
        let wishes: Vec<MachineSpec> =
            key.split(';').filter(|part| !part.is_empty()).map(MachineSpec::parse).collect::<Option<_>>()?;
        (wishes.len() <= MOST_BESIDE).then_some(wishes)
    }
}

/// What a follower did in a time slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Following {
    /// Nothing: it is at its goal.
    Same,
    /// It has come to where it was to be, and its picture has changed.
    Moved,
    /// It needs more time to reach its goal.
    Going,
}

/// The cycle that a follower has to reach.
enum FollowerGoal {
    Cycle(u64),
    /// A cycle that has not been simulated yet.
    Beyond,
}

impl Lab {
    /// Requests a run under a technique, on the leader's machine. Returns whether there is room.
    pub fn place_beside(&mut self, technique: &str) -> bool {
        let room = self.beside.wishes.len() < MOST_BESIDE;
        if room {
            let wish = MachineSpec::new(&self.shown().0.preset, technique, []);
            self.beside.wishes.push(wish);
        }
        room
    }

    /// Swaps the leader with one of the runs beside it.
    pub fn swap_beside(&mut self, at: usize) {
        let shown = self.shown().0.clone();
        let cycle = self.cycle();
        let Some(wish) = self.beside.wishes.get_mut(at) else { return };
        // The old leader keeps the keys that it does not share with the new one.
        let next = wish.beside(&shown);
        let own = |(key, value): &(&String, &String)| next.keys.get(*key) != Some(*value);
        let keys = shown.keys.iter().filter(own).map(|(key, value)| (key.clone(), value.clone())).collect();
        *wish = MachineSpec { keys, ..shown };
        self.set_up(next);
        self.seek(cycle);
    }

    /// Follows the leader as its wish `at` says, working for at most `slice` milliseconds by `clock`.
    pub fn follow(&mut self, leader: &Lab, at: usize, slice: f64, clock: &dyn Fn() -> f64) -> Following {
        let Some((wish, stage)) = leader.beside.wishes.get(at).zip(leader.stage.as_ref()) else {
            if self.stage.is_none() && self.misfit.is_none() {
                return Following::Same;
            }
            *self = Lab::new();
            return Following::Moved;
        };
        let (shown, origin) = leader.shown();
        let setup = wish.beside(shown);
        let mut moved = false;
        if (&self.ptx, &self.launch, &self.setup) != (&stage.listing.ptx, &stage.launch, &setup) {
            (self.ptx, self.launch) = (stage.listing.ptx.clone(), stage.launch.clone());
            (self.setup, self.origin, self.stage) = (setup, origin, None);
            self.read(None);
            self.selection = leader.selection;
            moved = true;
        }
        let begun = clock();
        // At the leader's end a follower goes to its own end, so that all ends stand side by side.
        let aim = (!stage.session.at_end()).then(|| leader.beside.align.aim(stage, stage.session.cycle()));
        loop {
            let goal = self.goal(aim);
            let Some(own) = &mut self.stage else { break };
            match goal {
                FollowerGoal::Cycle(cycle) => {
                    let cycle = cycle.min(own.session.reached());
                    if own.session.cycle() != cycle {
                        own.session.seek(cycle);
                        moved = true;
                    }
                    break;
                }
                FollowerGoal::Beyond if clock() - begun > slice => return Following::Going,
                FollowerGoal::Beyond => {
                    own.session.seek(u64::MAX);
                    own.session.advance(CHUNK, &Breakpoints::default());
                    moved = true;
                }
            }
        }
        if moved { Following::Moved } else { Following::Same }
    }

    /// Returns the cycle that corresponds to the aim; without an aim, the end of the run.
    fn goal(&self, aim: Option<Aim>) -> FollowerGoal {
        let Some(own) = &self.stage else { return FollowerGoal::Cycle(0) };
        let session = &own.session;
        let goal = match aim {
            Some(aim) => aim.cycle_in(own),
            None => session.ended().then_some(u64::MAX),
        };
        match goal {
            Some(cycle) => FollowerGoal::Cycle(cycle),
            None if session.ended() || session.reached() >= super::LIMIT => FollowerGoal::Cycle(session.reached()),
            None => FollowerGoal::Beyond,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::Origin;
    use warpscope_catalogue::Size;

    pub fn leader(technique: &str) -> Lab {
        let mut lab = Lab::new();
        lab.setup.technique = technique.into();
        lab.choose(Origin::find("collatz", Size::Small));
        lab
    }

    /// Lets the follower run until it is at its goal.
    pub fn follow(follower: &mut Lab, leader: &Lab) -> Following {
        follower.follow(leader, 0, f64::INFINITY, &|| 0.0)
    }

    pub fn to(lab: &mut Lab, cycle: u64) {
        let stage = lab.stage.as_mut().expect("a stage");
        stage.session.advance(cycle, &Breakpoints::default());
        stage.session.seek(cycle);
    }

    #[test]
    fn a_follower_takes_the_kernel_and_the_cycle_and_goes_when_it_is_no_longer_wanted() {
        let (mut lead, mut other) = (leader("PDOM"), Lab::new());
        assert_eq!(follow(&mut other, &lead), Following::Same);
        assert!(lead.place_beside("TBC"));
        to(&mut lead, 300);
        assert_eq!(follow(&mut other, &lead), Following::Moved);
        assert_eq!((other.cycle(), other.shown().0.technique.as_str()), (300, "TBC"));
        assert_eq!(follow(&mut other, &lead), Following::Same);
        to(&mut lead, 20);
        follow(&mut other, &lead);
        assert_eq!(other.cycle(), 20);
        lead.choose(Origin::find("saxpy", Size::Small));
        follow(&mut other, &lead);
        assert_eq!(other.stage.as_ref().map(|stage| stage.kernel.as_str()), Some("saxpy"));
        lead.beside.wishes.clear();
        assert_eq!(follow(&mut other, &lead), Following::Moved);
        assert!(other.stage.is_none());
    }

    #[test]
    fn a_far_goal_is_come_to_in_slices() {
        let (mut lead, mut other) = (leader("PDOM"), Lab::new());
        lead.place_beside("GTO");
        to(&mut lead, 1_000);
        let time = std::cell::Cell::new(0.0);
        let clock = || time.replace(time.get() + 1.0);
        let mut slices = 0;
        while other.follow(&lead, 0, 2.0, &clock) == Following::Going {
            slices += 1;
            assert!(slices < 1_000);
        }
        assert!(slices > 2 && other.cycle() == 1_000, "{slices}");
    }

    #[test]
    fn leader_and_follower_change_places() {
        let mut lead = leader("PDOM");
        lead.place_beside("TBC");
        lead.swap_beside(0);
        assert_eq!(lead.shown().0.technique, "TBC");
        assert_eq!(lead.beside.wishes[0].technique, "PDOM");
        for technique in ["TBC", "DWF"] {
            assert!(lead.place_beside(technique));
        }
        assert!(!lead.place_beside("VTW"), "no room for a fifth run");
    }

    #[test]
    fn a_run_beside_has_keys_of_its_own() {
        let (mut lead, mut other) = (leader("PDOM"), Lab::new());
        lead.place_beside("PDOM");
        lead.beside.wishes[0].keys = MachineSpec::keys_of("schedulers=1, sms=1");
        follow(&mut other, &lead);
        assert_eq!(other.shown().0.keys.get("schedulers").map(String::as_str), Some("1"));
        let schedulers = |lab: &Lab| lab.stage.as_ref().map(|stage| stage.session.sim().machine.config.schedulers);
        assert_eq!((schedulers(&lead), schedulers(&other)), (Some(2), Some(1)));
        assert_eq!(lead.beside.wishes[0].keys_text(), "schedulers=1, sms=1");
        assert_eq!(Beside::from_key(&lead.beside.key()).as_ref(), Some(&lead.beside.wishes), "{}", lead.beside.key());
        lead.swap_beside(0);
        follow(&mut other, &lead);
        assert_eq!((schedulers(&lead), lead.beside.wishes[0].keys.len()), (Some(1), 0));
        lead.beside.wishes[0].keys = MachineSpec::keys_of("nonsense=1");
        follow(&mut other, &lead);
        assert!(other.misfit.as_ref().is_some_and(|why| why.contains("nonsense")), "{:?}", other.misfit);
    }
}
