//! Alignment of two runs: which of their cycles correspond, and which run is ahead.
//!
//! Techniques issue different instructions in different cycles, but their threads do the same work. So cycles correspond by
//! [work done](RunAlignment::Work), by how often threads have executed [a line](RunAlignment::Line) or by [events](RunAlignment::Event).
//! [`standing`] compares two runs in thread instructions.

use super::{Lab, Stage, grouped};
use warpscope_kernel::program::Pc;
use warpscope_machine::event::{Event, EventKind, Sink};
use warpscope_pictures::view::Script;

/// Cycles to search backwards for the last issued instruction.
const LOOK_BACK: u64 = 1024;

/// The rule by which cycles of two runs correspond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RunAlignment {
    /// The same cycle.
    #[default]
    Cycle,
    /// The same number of thread instructions executed.
    Work,
    /// The leader's last executed line, executed equally often; each thread counts each time.
    Line,
    /// The same number of events of a kind.
    Event(EventKind),
}

impl RunAlignment {
    /// Every way, in the order of the menu.
    pub const ALL: [RunAlignment; 6] = [
        RunAlignment::Cycle,
        RunAlignment::Work,
        RunAlignment::Line,
        RunAlignment::Event(EventKind::Divergence),
        RunAlignment::Event(EventKind::Reconvergence),
        RunAlignment::Event(EventKind::BarrierRelease),
    ];

    /// Returns the rule's name in links.
    pub fn key(self) -> &'static str {
        match self {
            RunAlignment::Cycle => "cycle",
            RunAlignment::Work => "work",
            RunAlignment::Line => "line",
            RunAlignment::Event(kind) => kind.key(),
        }
    }

    /// Returns the way that [`RunAlignment::key`] names.
    pub fn from_key(key: &str) -> Option<RunAlignment> {
        RunAlignment::ALL.into_iter().find(|align| align.key() == key)
    }

    /// Returns the way's name in the menu.
    pub fn label(self) -> String {
        match self {
            RunAlignment::Cycle => "Same cycle".into(),
            RunAlignment::Work => "Same work done".into(),
            RunAlignment::Line => "Same line, as often".into(),
            RunAlignment::Event(kind) => format!("Same number of: {}", kind.label().to_lowercase()),
        }
    }

    /// Returns the aim by which other runs find the cycle that corresponds to the leader's.
    pub fn aim(self, led: &Stage, cycle: u64) -> Aim {
        let session = &led.session;
        match self {
            RunAlignment::Cycle => Aim::Cycle(cycle),
            RunAlignment::Work => Aim::Work(session.replay().tally_at(cycle).metrics.totals.thread_instructions),
            RunAlignment::Line => last_issued(led, cycle).and_then(|pc| line_aim(led, pc, cycle)).unwrap_or(Aim::Cycle(0)),
            RunAlignment::Event(kind) => Aim::Events(kind, session.record().marks(kind).before(cycle).count()),
        }
    }
}

/// What corresponding cycles of runs have in common: computed once for the leader, searched for in every follower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    Cycle(u64),
    /// Number of thread instructions executed.
    Work(u64),
    /// A text, a line in it (from 0), and how many threads have executed that line; each thread counts each time.
    Line(Script, usize, u64),
    /// A kind of event, and how many have occurred.
    Events(EventKind, usize),
}

impl Aim {
    /// Returns the corresponding cycle of a run; `None` if it has not been simulated yet.
    pub fn cycle_in(self, own: &Stage) -> Option<u64> {
        let session = &own.session;
        match self {
            Aim::Cycle(cycle) => Some(cycle).filter(|cycle| *cycle <= session.reached()),
            Aim::Work(done) => session.record().series().cycle_of(done),
            Aim::Line(script, line, threads) => session.replay().cycle_of(own.listing.pcs(script, line), threads),
            Aim::Events(_, 0) => Some(0),
            // An event of cycle n is visible at cycle n + 1.
            Aim::Events(kind, come_by) => session.record().marks(kind).before(u64::MAX).nth(come_by - 1).map(|cycle| cycle + 1),
        }
    }
}

/// Returns how often threads have executed the line of `pc`. PCs differ on machines that rewrite the kernel; lines do not.
fn line_aim(led: &Stage, pc: Pc, cycle: u64) -> Option<Aim> {
    let script = if led.listing.cuda_line(pc).is_some() { Script::Cuda } else { Script::Ptx };
    let line = led.listing.line_in(script, pc)? as usize - 1;
    Some(Aim::Line(script, line, led.session.replay().tally_at(cycle).threads_of(led.listing.pcs(script, line))))
}

/// Returns the last instruction issued before a cycle; `None` if none issued in the last [`LOOK_BACK`] cycles.
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
    // Mostly it issued a few cycles ago, so a short window is searched first.
    for back in [16, LOOK_BACK] {
        stage.session.replay().events(cycle.saturating_sub(back), cycle, &mut last);
        if last.0.is_some() {
            break;
        }
    }
    last.0
}

/// Returns how a follower's run compares with the leader's: a sentence without subject and full stop.
pub fn standing(leader: &Lab, follower: &Lab) -> Option<String> {
    let (led, own) = (&leader.stage.as_ref()?.session, &follower.stage.as_ref()?.session);
    if led.at_end() && own.ended() {
        let (one, other) = (own.reached(), led.cycle());
        let after = if one == other { String::new() } else { format!(", after {}", grouped(one)) };
        return Some(format!("ends {}{after}", sooner_or_later(one, other)));
    }
    if leader.beside.align != RunAlignment::Cycle {
        return Some(format!("comes here {}", sooner_or_later(own.cycle(), led.cycle())));
    }
    let work = |session: &warpscope_pictures::session::Session| session.replay().tally().metrics.totals.thread_instructions;
    let (done, leads) = (work(own), work(led));
    if own.at_end() {
        return Some(format!("has ended, after {} cycles", grouped(own.cycle())));
    }
    let by = |side: &str, apart: u64| {
        let noun = if apart == 1 { "cycle" } else { "cycles" };
        format!("is {side} by {} {noun} in this program", grouped(apart))
    };
    Some(match done.cmp(&leads) {
        std::cmp::Ordering::Equal => "has done as much work".into(),
        // The cycle by which the follower had done the leader's current work.
        std::cmp::Ordering::Greater => {
            let then = own.record().series().cycle_of(leads)?;
            by("ahead", own.cycle().saturating_sub(then))
        }
        std::cmp::Ordering::Less => {
            let then = led.record().series().cycle_of(done)?;
            by("behind", led.cycle().saturating_sub(then))
        }
    })
}

/// Compares two cycles in words.
fn sooner_or_later(own: u64, led: u64) -> String {
    let apart = match own.abs_diff(led) {
        0 => return "in the same cycle".into(),
        1 => "1 cycle".into(),
        apart => format!("{} cycles", grouped(apart)),
    };
    format!("{apart} {}", if own < led { "earlier" } else { "later" })
}

#[cfg(test)]
mod tests {
    use super::super::beside::tests::{follow, leader, to};
    use super::*;

    #[test]
    fn runs_go_together_by_work_and_by_events() {
        let (mut lead, mut other) = (leader("PDOM"), Lab::new());
        lead.place_beside("PDOM");
        lead.beside.align = RunAlignment::Work;
        to(&mut lead, 400);
        follow(&mut other, &lead);
        // Under the same technique both have done the same work; idle cycles may lie between them.
        let work = |lab: &Lab| lab.stage.as_ref().map(|stage| stage.session.replay().tally().metrics.totals.thread_instructions);
        assert_eq!(work(&other), work(&lead));
        lead.beside.wishes[0].technique = "TBC".into();
        lead.beside.align = RunAlignment::Event(EventKind::Divergence);
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
        assert_eq!(standing(&lead, &other).as_deref(), Some("has done as much work"));
        lead.beside.wishes[0].technique = "TBC".into();
        to(&mut lead, 900);
        follow(&mut other, &lead);
        let told = standing(&lead, &other).expect("it stands somewhere");
        assert!(told.ends_with("in this program") && told.contains(" by "), "{told}");
        to(&mut lead, 100_000);
        follow(&mut other, &lead);
        let told = standing(&lead, &other).expect("it stands somewhere");
        let (one, two) = (lead.cycle(), other.stage.as_ref().expect("a stage").session.reached());
        assert!(told.contains(&grouped(one.abs_diff(two))) && told.starts_with("ends"), "{told}: {one}, {two}");
    }

    #[test]
    fn cycles_are_compared_in_words() {
        assert_eq!(sooner_or_later(1_505, 3_000), "1\u{202f}495 cycles earlier");
        assert_eq!(sooner_or_later(7, 7), "in the same cycle");
        assert_eq!(sooner_or_later(8, 7), "1 cycle later");
    }

    #[test]
    fn runs_go_together_by_how_often_a_line_was_executed() {
        let (mut lead, mut other) = (leader("PDOM"), Lab::new());
        lead.place_beside("TBC");
        lead.beside.align = RunAlignment::Line;
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
            assert_eq!(standing(&lead, &other), Some(format!("comes here {}", sooner_or_later(there, cycle))));
        }
    }
}
