//! Other runs beside the one on stage: the same kernel and launch under another technique or on another machine.
//!
//! The laboratory on stage *leads*: it holds the [`Wish`]es and how the runs go together ([`Align`]). Each wish has a laboratory
//! of its own that *follows* ([`Lab::follow`]): it takes the leader's kernel, and goes to the moment that corresponds to the
//! leader's, in slices where that is far. Where two runs stand to each other [`standing`] says from what they have done:
//! thread instructions, which every technique has to do.

use super::{Lab, Setup, grouped};
use crate::record::MarkKind;
use crate::session::Breakpoints;

/// As many runs beside the leader at most.
pub const MOST_BESIDE: usize = 3;
/// Cycles that a follower simulates between two looks at the clock.
const CHUNK: u64 = 64;

/// A run that is wanted beside the leader's; keys are the leader's where the machine is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    pub preset: String,
    pub technique: String,
}

/// Which moments of two runs go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Align {
    /// The same cycle.
    #[default]
    Cycle,
    /// As many thread instructions done.
    Work,
    /// As many events of a kind come by.
    Event(MarkKind),
}

impl Align {
    pub const ALL: [Align; 5] = [
        Align::Cycle,
        Align::Work,
        Align::Event(MarkKind::Divergence),
        Align::Event(MarkKind::Reconvergence),
        Align::Event(MarkKind::BarrierRelease),
    ];

    /// As links name it.
    pub fn key(self) -> &'static str {
        match self {
            Align::Cycle => "cycle",
            Align::Work => "work",
            Align::Event(kind) => kind.key(),
        }
    }

    pub fn from_key(key: &str) -> Option<Align> {
        Align::ALL.into_iter().find(|align| align.key() == key)
    }

    pub fn label(self) -> String {
        match self {
            Align::Cycle => "Same cycle".into(),
            Align::Work => "Same work done".into(),
            Align::Event(kind) => format!("Same number of: {}", kind.label().to_lowercase()),
        }
    }
}

/// What is wanted beside the leader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    pub wishes: Vec<Wish>,
    pub align: Align,
}

impl Beside {
    /// As links have it: `TBC;DWF@tbc`.
    pub fn key(&self) -> String {
        self.wishes.iter().map(|wish| format!("{}@{}", wish.technique, wish.preset)).collect::<Vec<_>>().join(";")
    }

    /// Reads what [`Beside::key`] wrote; no more runs than there may be.
    pub fn from_key(key: &str) -> Option<Vec<Wish>> {
        let wish = |part: &str| {
            let (technique, preset) = part.split_once('@')?;
            Some(Wish { preset: preset.into(), technique: technique.into() })
        };
        let wishes: Vec<Wish> = key.split(';').filter(|part| !part.is_empty()).map(wish).collect::<Option<_>>()?;
        (wishes.len() <= MOST_BESIDE).then_some(wishes)
    }
}

/// What a follower has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Following {
    /// Nothing: it is where it should be.
    Same,
    Moved,
    /// It is on its way, and wants more time.
    Going,
}

/// Where a follower should be.
enum Goal {
    Cycle(u64),
    /// Further than has been simulated.
    Beyond,
}

impl Lab {
    /// Wants a technique beside the run on stage, on the same machine. Whether there is room.
    pub fn place_beside(&mut self, technique: &str) -> bool {
        let room = self.beside.wishes.len() < MOST_BESIDE;
        if room {
            let preset = self.shown().0.preset.clone();
            self.beside.wishes.push(Wish { preset, technique: technique.into() });
        }
        room
    }

    /// Lets the leader and one of the others change places.
    pub fn swap_beside(&mut self, at: usize) {
        let shown = self.shown().0.clone();
        let cycle = self.cycle();
        let Some(wish) = self.beside.wishes.get_mut(at) else { return };
        let own = Wish { preset: shown.preset.clone(), technique: shown.technique.clone() };
        let wish = std::mem::replace(wish, own);
        let keys = if wish.preset == shown.preset { shown.keys } else { Default::default() };
        self.set_up(Setup { preset: wish.preset, technique: wish.technique, keys });
        self.seek(cycle);
    }

    /// Goes where the leader's wish of that place wants it, working for at most `slice` milliseconds by `clock`.
    pub fn follow(&mut self, leader: &Lab, at: usize, slice: f64, clock: &dyn Fn() -> f64) -> Following {
        let Some((wish, stage)) = leader.beside.wishes.get(at).zip(leader.stage.as_ref()) else {
            if self.stage.is_none() && self.misfit.is_none() {
                return Following::Same;
            }
            *self = Lab::new();
            return Following::Moved;
        };
        let (shown, origin) = leader.shown();
        let keys = if wish.preset == shown.preset { shown.keys.clone() } else { Default::default() };
        let setup = Setup { preset: wish.preset.clone(), technique: wish.technique.clone(), keys };
        let mut moved = false;
        if (&self.ptx, &self.launch, &self.setup) != (&stage.listing.ptx, &stage.launch, &setup) {
            (self.ptx, self.launch) = (stage.listing.ptx.clone(), stage.launch.clone());
            (self.setup, self.origin, self.stage) = (setup, origin, None);
            self.read(None);
            self.selection = leader.selection;
            moved = true;
        }
        let begun = clock();
        loop {
            let goal = self.goal(leader);
            let Some(own) = &mut self.stage else { break };
            match goal {
                Goal::Cycle(cycle) => {
                    let cycle = cycle.min(own.session.reached());
                    if own.session.cycle() != cycle {
                        own.session.seek(cycle);
                        moved = true;
                    }
                    break;
                }
                Goal::Beyond if clock() - begun > slice => return Following::Going,
                Goal::Beyond => {
                    own.session.seek(u64::MAX);
                    own.session.advance(CHUNK, &Breakpoints::default());
                    moved = true;
                }
            }
        }
        if moved { Following::Moved } else { Following::Same }
    }

    /// The moment that corresponds to the leader's.
    fn goal(&self, leader: &Lab) -> Goal {
        let Some((own, led)) = self.stage.as_ref().zip(leader.stage.as_ref()) else { return Goal::Cycle(0) };
        let (own, led) = (&own.session, &led.session);
        let goal = match leader.beside.align {
            // There is nothing behind the leader's end to go to, so that all ends stand side by side.
            _ if led.at_end() => own.ended().then_some(u64::MAX),
            Align::Cycle => Some(led.cycle()).filter(|cycle| *cycle <= own.reached()),
            Align::Work => own.record().series().cycle_of(led.replay().tally().metrics.thread_instructions),
            Align::Event(kind) => {
                // What a cycle did is seen after it.
                match led.record().marks(kind).before(led.cycle()).count() {
                    0 => Some(0),
                    come_by => own.record().marks(kind).before(u64::MAX).nth(come_by - 1).map(|cycle| cycle + 1),
                }
            }
        };
        match goal {
            Some(cycle) => Goal::Cycle(cycle),
            None if own.ended() || own.reached() >= super::LIMIT => Goal::Cycle(own.reached()),
            None => Goal::Beyond,
        }
    }
}

/// How a follower's run stands to the leader's, in a sentence without its full stop.
pub fn standing(leader: &Lab, follower: &Lab) -> Option<String> {
    let (led, own) = (&leader.stage.as_ref()?.session, &follower.stage.as_ref()?.session);
    if led.at_end() && own.ended() {
        let (one, other) = (own.reached(), led.cycle());
        return Some(match one.cmp(&other) {
            std::cmp::Ordering::Less => format!("ends {} cycles before it, after {}", grouped(other - one), grouped(one)),
            std::cmp::Ordering::Equal => "ends in the same cycle".into(),
            std::cmp::Ordering::Greater => format!("ends {} cycles after it, after {}", grouped(one - other), grouped(one)),
        });
    }
    if leader.beside.align != Align::Cycle {
        return Some(format!("needs {} cycles to here, beside {}", grouped(own.cycle()), grouped(led.cycle())));
    }
    let work = |session: &crate::session::Session| session.replay().tally().metrics.thread_instructions;
    let (done, leads) = (work(own), work(led));
    if own.at_end() {
        return Some(format!("has ended, after {} cycles", grouped(own.cycle())));
    }
    Some(match done.cmp(&leads) {
        std::cmp::Ordering::Equal => "has done as much".into(),
        // It had done what the leader has done now before.
        std::cmp::Ordering::Greater => {
            let then = own.record().series().cycle_of(leads)?;
            format!("is {} cycles ahead", grouped(own.cycle().saturating_sub(then)))
        }
        std::cmp::Ordering::Less => {
            let then = led.record().series().cycle_of(done)?;
            format!("is {} cycles behind", grouped(led.cycle().saturating_sub(then)))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Origin;
    use crate::workload::Size;

    fn leader(technique: &str) -> Lab {
        let mut lab = Lab::new();
        lab.setup.technique = technique.into();
        lab.choose(Origin::find("collatz", Size::Small));
        lab
    }

    /// Lets it follow until it is there.
    fn follow(follower: &mut Lab, leader: &Lab) -> Following {
        follower.follow(leader, 0, f64::INFINITY, &|| 0.0)
    }

    fn to(lab: &mut Lab, cycle: u64) {
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
    fn runs_go_together_by_work_and_by_events() {
        let (mut lead, mut other) = (leader("PDOM"), Lab::new());
        lead.place_beside("PDOM");
        lead.beside.align = Align::Work;
        to(&mut lead, 400);
        follow(&mut other, &lead);
        // The same technique has done as much in the same cycle, or in one in which nothing was done since.
        let work = |lab: &Lab| lab.stage.as_ref().map(|stage| stage.session.replay().tally().metrics.thread_instructions);
        assert_eq!(work(&other), work(&lead));
        lead.beside.wishes[0].technique = "TBC".into();
        lead.beside.align = Align::Event(MarkKind::Divergence);
        to(&mut lead, 2_000);
        follow(&mut other, &lead);
        let come_by = |lab: &Lab| {
            let session = &lab.stage.as_ref().expect("a stage").session;
            session.record().marks(MarkKind::Divergence).before(session.cycle()).count()
        };
        assert_eq!(come_by(&other), come_by(&lead));
        assert!(come_by(&lead) > 0);
    }

    #[test]
    fn the_one_that_has_done_more_is_ahead_and_the_ends_are_compared() {
        let (mut lead, mut other) = (leader("PDOM"), Lab::new());
        lead.place_beside("PDOM");
        to(&mut lead, 200);
        follow(&mut other, &lead);
        assert_eq!(standing(&lead, &other).as_deref(), Some("has done as much"));
        lead.beside.wishes[0].technique = "TBC".into();
        to(&mut lead, 100_000);
        follow(&mut other, &lead);
        let told = standing(&lead, &other).expect("it stands somewhere");
        let (one, two) = (lead.cycle(), other.stage.as_ref().expect("a stage").session.reached());
        assert!(told.contains(&grouped(one.abs_diff(two))) && told.starts_with("ends"), "{told}: {one}, {two}");
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
}
