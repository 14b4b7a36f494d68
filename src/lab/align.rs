//! Which moments of two runs go together, and how the runs stand to each other there.
//!
//! Techniques issue different instructions in different cycles, but the threads have the same work to do. So moments
//! correspond by [work done](Align::Work), by how often threads have come [to a line](Align::Line) or by
//! [events](Align::Event), and who is ahead [`standing`] says in thread instructions.

use super::{Lab, Stage, grouped};
use crate::event::{Event, EventKind, Sink};
use crate::program::Pc;
use crate::view::Script;

/// How many cycles back the last instruction is looked for.
const LOOK_BACK: u64 = 1024;

/// Which moments of two runs go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Align {
    /// The same cycle.
    #[default]
    Cycle,
    /// As many thread instructions done.
    Work,
    /// The line that was executed last executed by as many threads, each time counted.
    Line,
    /// As many events of a kind come by.
    Event(EventKind),
}

impl Align {
    pub const ALL: [Align; 6] = [
        Align::Cycle,
        Align::Work,
        Align::Line,
        Align::Event(EventKind::Divergence),
        Align::Event(EventKind::Reconvergence),
        Align::Event(EventKind::BarrierRelease),
    ];

    /// As links name it.
    pub fn key(self) -> &'static str {
        match self {
            Align::Cycle => "cycle",
            Align::Work => "work",
            Align::Line => "line",
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
            Align::Line => "Same line, as often".into(),
            Align::Event(kind) => format!("Same number of: {}", kind.label().to_lowercase()),
        }
    }

    /// What a cycle of one run is known by in others.
    pub fn aim(self, led: &Stage, cycle: u64) -> Aim {
        let session = &led.session;
        match self {
            Align::Cycle => Aim::Cycle(cycle),
            Align::Work => Aim::Work(session.replay().tally_at(cycle).metrics.thread_instructions),
            Align::Line => last_issued(led, cycle).and_then(|pc| line_aim(led, pc, cycle)).unwrap_or(Aim::Cycle(0)),
            Align::Event(kind) => Aim::Events(kind, session.record().marks(kind).before(cycle).count()),
        }
    }
}

/// What corresponding moments of runs have in common. It is asked of the leader once, and looked for in the others as they go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    Cycle(u64),
    /// Thread instructions that have been done.
    Work(u64),
    /// Threads that have executed a line (from 0) of a text, each time counted.
    Line(Script, usize, u64),
    /// Events that have come by.
    Events(EventKind, usize),
}

impl Aim {
    /// The cycle of a run; none where it lies further than has been simulated.
    pub fn cycle_in(self, own: &Stage) -> Option<u64> {
        let session = &own.session;
        match self {
            Aim::Cycle(cycle) => Some(cycle).filter(|cycle| *cycle <= session.reached()),
            Aim::Work(done) => session.record().series().cycle_of(done),
            Aim::Line(script, line, threads) => session.replay().cycle_of(own.listing.pcs(script, line), threads),
            Aim::Events(_, 0) => Some(0),
            // What a cycle did is seen after it.
            Aim::Events(kind, come_by) => session.record().marks(kind).before(u64::MAX).nth(come_by - 1).map(|cycle| cycle + 1),
        }
    }
}

/// Machines that rewrite the kernel count instructions otherwise, so lines are compared.
fn line_aim(led: &Stage, pc: Pc, cycle: u64) -> Option<Aim> {
    let script = if led.listing.cuda_line(pc).is_some() { Script::Cuda } else { Script::Ptx };
    let line = led.listing.line_in(script, pc)? as usize - 1;
    Some(Aim::Line(script, line, led.session.replay().tally_at(cycle).threads_of(led.listing.pcs(script, line))))
}

/// The instruction that issued last before a cycle; none where that is long ago.
fn last_issued(stage: &Stage, cycle: u64) -> Option<Pc> {
    struct Last(Option<Pc>);
    impl Sink for Last {
        fn event(&mut self, _: u64, event: Event) {
            if let Event::Issued { pc, .. } = event {
                self.0 = Some(pc);
            }
        }
    }
    let mut last = Last(None);
    // Most often it was in the last cycles.
    for back in [16, LOOK_BACK] {
        stage.session.replay().events(cycle.saturating_sub(back), cycle, &mut last);
        if last.0.is_some() {
            break;
        }
    }
    last.0
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
    use super::super::beside::tests::{follow, leader, to};
    use super::*;

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
        lead.beside.align = Align::Event(EventKind::Divergence);
        to(&mut lead, 2_000);
        follow(&mut other, &lead);
        let come_by = |lab: &Lab| {
            let session = &lab.stage.as_ref().expect("a stage").session;
            session.record().marks(EventKind::Divergence).before(session.cycle()).count()
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
    fn runs_go_together_by_how_often_a_line_was_executed() {
        let (mut lead, mut other) = (leader("PDOM"), Lab::new());
        lead.place_beside("TBC");
        lead.beside.align = Align::Line;
        for cycle in [500, 1_500, 3_000] {
            to(&mut lead, cycle);
            follow(&mut other, &lead);
            let (led, own) = (lead.stage.as_ref().expect("a stage"), other.stage.as_ref().expect("a stage"));
            let pc = last_issued(led, cycle).expect("something has issued");
            let line = led.listing.cuda_line(pc).expect("it has a source") as usize - 1;
            let executed = |stage: &Stage, at: u64| {
                stage.session.replay().tally_at(at).threads_of(&stage.listing.lines(Script::Cuda)[line].pcs)
            };
            let (wanted, there) = (executed(led, cycle), own.session.cycle());
            assert!(wanted > 0 && executed(own, there) >= wanted, "line {}", line + 1);
            assert!(executed(own, there - 1) < wanted, "and not before");
        }
    }
}
