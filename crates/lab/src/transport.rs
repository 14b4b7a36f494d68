//! Play, pause, run to the end, search: the goal of the run, and its speed.
//!
//! A far goal is reached in time slices, so that the page can draw and respond in between.

use super::Notice;
use super::stage::LIMIT;
use warpscope_machine::event::EventKind;
use warpscope_pictures::scene::Pace;
use warpscope_pictures::session::{BackwardSearch, Backwards, Breakpoints, SearchTarget, Session, StopReason};

/// The goal of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// Stays where it is.
    #[default]
    Rest,
    /// Runs on at the chosen speed.
    Play,
    /// The end of the run, or a breakpoint before it.
    End,
    /// A cycle, through cycles that may not have been simulated yet.
    Cycle(u64),
    /// Runs to the end of a range, selects it, and goes to a cycle.
    Range {
        /// Its start, and its end (exclusive).
        range: (u64, u64),
        /// The cycle to show.
        then: u64,
    },
    /// The next cycle in which something happens.
    Search(SearchTarget),
    /// Runs to the next breakpoint.
    NextBreakpoint,
    /// Searches for the last breakpoint before this cycle.
    PreviousBreakpoint,
    /// Goes to a near, simulated cycle through all cycles on the way, at a pace that can be watched.
    Jump(Jump),
    /// The run has ended; its result is judged in a slice of its own.
    Verdict,
}

/// An animated jump through a few simulated cycles, forwards or backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// Where it begins.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
}

impl Jump {
    /// Most cycles of an animated jump; a longer one is made at once.
    const MOST: u64 = 40;
    /// Duration of a cycle, and the longest of the whole jump, in milliseconds.
    const CYCLE_MS: f64 = 120.0;
    const MOST_MS: f64 = 1500.0;

    fn cycles(self) -> u64 {
        self.from.abs_diff(self.to)
    }

    /// Returns whether the jump is animated; a single step has a film already.
    pub fn is_short(self) -> bool {
        (2..=Jump::MOST).contains(&self.cycles())
    }

    fn length_ms(self) -> f64 {
        (self.cycles() as f64 * Jump::CYCLE_MS).min(Jump::MOST_MS)
    }

    /// Returns the cycle to show after `elapsed` milliseconds.
    fn at(self, elapsed: f64) -> u64 {
        let done = (elapsed / self.length_ms() * self.cycles() as f64) as u64;
        let done = done.min(self.cycles());
        if self.to > self.from { self.from + done } else { self.from - done }
    }

    /// Returns the speed of the jump in cycles per second.
    fn rate(self) -> f64 {
        self.cycles() as f64 * 1000.0 / self.length_ms()
    }
}

/// What next and previous search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The next or the previous event of a kind.
    Event(EventKind),
    /// The selected warp begins to wait.
    Stall,
    /// Any of the breakpoints that are set.
    Breakpoint,
}

impl Wanted {
    /// Returns everything that can be searched for, in the order of the menu.
    pub fn all() -> impl Iterator<Item = Wanted> {
        EventKind::sought().map(Wanted::Event).chain([Wanted::Stall, Wanted::Breakpoint])
    }

    /// Returns the name in the menu.
    pub fn label(self) -> &'static str {
        match self {
            Wanted::Event(kind) => kind.label(),
            Wanted::Stall => "Stall of the selected warp",
            Wanted::Breakpoint => "Breakpoint",
        }
    }

    /// Returns the menu's value for it.
    pub fn key(self) -> &'static str {
        match self {
            Wanted::Event(kind) => kind.key(),
            Wanted::Stall => "stall",
            Wanted::Breakpoint => "breakpoint",
        }
    }

    /// Returns what [`Wanted::key`] names.
    pub fn from_key(key: &str) -> Option<Wanted> {
        Wanted::all().find(|wanted| wanted.key() == key)
    }

    /// Returns the message where a search forwards finds nothing.
    pub fn none_follows(self) -> String {
        format!("{}: none follows.", self.label())
    }

    /// Returns the message where a search backwards finds nothing.
    pub fn none_before(self) -> String {
        format!("{}: none before this.", self.label())
    }
}

/// Speeds of play in cycles per second; the last one is as fast as possible.
pub const SPEEDS: [u32; 14] = [1, 2, 4, 8, 15, 30, 60, 120, 250, 1_000, 5_000, 20_000, 100_000, u32::MAX];

/// Parses a cycle as the user types it: digits, grouped or not.
pub fn typed_cycle(text: &str) -> Option<u64> {
    let groups = |c: &char| c.is_whitespace() || ",._'’".contains(*c);
    let digits: String = text.trim().chars().filter(|c| !groups(c)).collect();
    // The last group has three digits: `1.5` is no cycle.
    let tail = text.trim().chars().rev().take_while(char::is_ascii_digit).count();
    let sound = digits.chars().all(|c| c.is_ascii_digit()) && (tail == digits.len() || tail == 3);
    // A number too large for a `u64` is still a cycle far away.
    (sound && !digits.is_empty()).then(|| digits.parse().unwrap_or(u64::MAX))
}

/// Cycles between two checks of the clock: the initial number, and the range in which it adapts to the time taken.
const CHUNK: u64 = 128;
const CHUNKS: std::ops::RangeInclusive<u64> = 16..=4096;
/// How long the cycles between two checks of the clock should take, in milliseconds.
const CHUNK_MS: std::ops::RangeInclusive<f64> = 1.0..=2.0;

/// Why a time slice ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Time is up; there is more to do.
    Going,
    Arrived,
    NotFound,
    /// The page's limit of cycles is reached.
    Limit,
    /// A breakpoint, or the end of the run.
    Stopped(StopReason),
}

/// The goal of the run, and how it is pursued.
#[derive(Clone, Debug)]
pub struct Transport {
    /// What the run moves towards.
    pub goal: Goal,
    /// Index into [`SPEEDS`].
    pub speed: usize,
    /// What next and previous search for.
    pub wanted: Wanted,
    /// The cycle of the lesson's next stop, where play halts.
    pub(super) halt_at: Option<u64>,
    /// Cycles that play has yet to run, with a fraction.
    owed: f64,
    /// Time since the animated jump began, in milliseconds, and the notice for its end.
    jumping: f64,
    pub(super) arrival: Option<Notice>,
    /// The cycle where a search began, to which a search without a hit returns.
    pub searched_from: u64,
    /// The search for an earlier breakpoint, between two slices of it.
    backwards: Option<Box<BackwardSearch>>,
}

impl Default for Transport {
    fn default() -> Transport {
        let wanted = Wanted::Event(EventKind::Divergence);
        Transport {
            goal: Goal::Rest,
            speed: 3,
            wanted,
            halt_at: None,
            owed: 0.0,
            jumping: 0.0,
            arrival: None,
            searched_from: 0,
            backwards: None,
        }
    }
}

impl Transport {
    /// Whether nothing moves.
    pub fn is_resting(&self) -> bool {
        self.goal == Goal::Rest
    }

    /// Gives up the goal.
    pub fn rest(&mut self) {
        self.goal = Goal::Rest;
        self.halt_at = None;
        self.owed = 0.0;
        self.jumping = 0.0;
        self.arrival = None;
        self.backwards = None;
    }

    /// Returns the jump that is being animated.
    pub fn jump(&self) -> Option<Jump> {
        if let Goal::Jump(jump) = self.goal { Some(jump) } else { None }
    }

    /// Takes a goal; its first cycle is run at once.
    pub fn start(&mut self, goal: Goal) {
        self.goal = goal;
        // The first cycle is run at once, even at one cycle per second.
        self.owed = 1.0;
    }

    /// Returns the speed of play in cycles per second.
    pub fn rate(&self) -> u32 {
        SPEEDS[self.speed.min(SPEEDS.len() - 1)]
    }

    /// Returns how the user sees the run come to its next cycle: infinitely fast on the way to a far goal.
    pub fn pace(&self) -> Pace {
        match self.goal {
            Goal::Rest => Pace::Step,
            Goal::Play => Pace::Play(self.rate().into()),
            Goal::Jump(jump) => Pace::Hurry(jump.rate()),
            _ => Pace::Hurry(f64::INFINITY),
        }
    }

    /// Works towards the goal; `None` when there was nothing to do.
    pub fn tick(
        &mut self,
        session: &mut Session,
        breakpoints: &Breakpoints,
        elapsed: f64,
        slice: f64,
        clock: &dyn Fn() -> f64,
    ) -> Option<Halt> {
        let none = Breakpoints::default();
        let deadline = clock() + slice;
        // Play from behind the stop does not come to it.
        let halt_at = self.halt_at.filter(|cycle| *cycle > session.cycle()).unwrap_or(u64::MAX);
        match self.goal {
            Goal::Rest => None,
            Goal::Play if self.rate() == u32::MAX => Some(run(session, halt_at, breakpoints, deadline, clock)),
            Goal::Play => {
                // Time that the tab spent in the background does not count.
                self.owed += f64::from(self.rate()) * elapsed.min(250.0) / 1000.0;
                let whole = self.owed.floor();
                if whole < 1.0 {
                    return None;
                }
                self.owed -= whole;
                let goal = (session.cycle() + whole as u64).min(halt_at);
                Some(match run(session, goal, breakpoints, deadline, clock) {
                    Halt::Arrived if session.cycle() < halt_at => Halt::Going,
                    halt => halt,
                })
            }
            Goal::End => Some(run(session, u64::MAX, breakpoints, deadline, clock)),
            Goal::Cycle(cycle) | Goal::Range { range: (_, cycle), .. } => Some(run(session, cycle, &none, deadline, clock)),
            Goal::Search(target) => Some(search(session, target, deadline, clock)),
            Goal::NextBreakpoint => Some(match run(session, u64::MAX, breakpoints, deadline, clock) {
                Halt::Stopped(StopReason::Ended) => Halt::NotFound,
                halt => halt,
            }),
            Goal::PreviousBreakpoint => {
                let mut search = self.backwards.take().unwrap_or_else(|| Box::new(session.search_back(breakpoints)));
                let found = loop {
                    let found = search.advance(session, CHUNK);
                    if found != Backwards::Going || clock() >= deadline {
                        break found;
                    }
                };
                Some(match found {
                    Backwards::Going => {
                        self.backwards = Some(search);
                        Halt::Going
                    }
                    Backwards::Nothing => Halt::NotFound,
                    Backwards::Found(cycle) => {
                        session.seek(cycle);
                        Halt::Arrived
                    }
                })
            }
            Goal::Jump(jump) => {
                self.jumping += elapsed.min(250.0);
                let at = jump.at(self.jumping);
                if at == session.cycle() && at != jump.to {
                    return None;
                }
                session.seek(at);
                Some(if at == jump.to { Halt::Arrived } else { Halt::Going })
            }
            Goal::Verdict => Some(Halt::Stopped(StopReason::Ended)),
        }
    }
}

fn run(session: &mut Session, goal: u64, breakpoints: &Breakpoints, deadline: f64, clock: &dyn Fn() -> f64) -> Halt {
    let mut chunk = CHUNK;
    let mut last = clock();
    loop {
        let left = goal.min(LIMIT).saturating_sub(session.cycle());
        if left == 0 {
            return if session.cycle() >= LIMIT { Halt::Limit } else { Halt::Arrived };
        }
        match session.advance(left.min(chunk), breakpoints) {
            StopReason::Paused => {
                let now = clock();
                if now >= deadline {
                    return if session.cycle() >= goal { Halt::Arrived } else { Halt::Going };
                }
                let took = now - std::mem::replace(&mut last, now);
                if took < *CHUNK_MS.start() {
                    chunk = (chunk * 2).min(*CHUNKS.end());
                } else if took > *CHUNK_MS.end() {
                    chunk = (chunk / 2).max(*CHUNKS.start());
                }
            }
            stop => return Halt::Stopped(stop),
        }
    }
}

fn search(session: &mut Session, target: SearchTarget, deadline: f64, clock: &dyn Fn() -> f64) -> Halt {
    loop {
        if session.search(target, CHUNK) {
            return Halt::Arrived;
        }
        if session.at_end() {
            return Halt::NotFound;
        }
        if session.cycle() >= LIMIT {
            return Halt::Limit;
        }
        if clock() >= deadline {
            return Halt::Going;
        }
    }
}
