//! Listeners of the machine: none, one that keeps everything, two at once, any one behind a pointer.

use super::{Event, Reason, Reasons};

/// A listener of the machine's events.
pub trait Sink {
    /// Whether it listens at all.
    const LISTENS: bool = true;
    /// Whether [`Event::Warp`] is wanted: it costs a comparison of every warp's reasons each cycle.
    const WANTS_WARPS: bool = false;
    /// Whether events that come in almost every cycle are wanted: see [`Event::is_routine`].
    const WANTS_ROUTINE: bool = true;
    /// Whether the machine with this sink can keep why its ports passed over warps, for one cycle, if it is told to.
    const KEEPS_CHOICES: bool = false;

    /// Whether [`Event::LaneAccess`] is wanted: one for every lane of every access.
    #[inline(always)]
    fn wants_lanes(&self) -> bool {
        false
    }

    /// Takes an event of a cycle.
    fn event(&mut self, cycle: u64, event: Event);

    /// Emits an [`Event::Warp`] for each of the 64 warps from `first` on whose reason has changed since the cycle before. Most
    /// cycles have several of them, so a sink can take them all at once.
    fn warps(&mut self, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons) {
        changes(before, now, &mut |at, reason| self.event(cycle, Event::Warp { sm, warp: first + at, reason }));
    }
}

/// The sink that does not listen.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullSink;

impl Sink for NullSink {
    const LISTENS: bool = false;

    #[inline(always)]
    fn event(&mut self, _: u64, _: Event) {}
}

/// Keeps every event with its cycle.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// With their cycles, in the order of emission.
    pub events: Vec<(u64, Event)>,
}

impl Sink for Log {
    const WANTS_WARPS: bool = true;

    fn event(&mut self, cycle: u64, event: Event) {
        self.events.push((cycle, event));
    }
}

/// The events of one cycle, down to the lanes of its accesses.
#[derive(Clone, Debug, Default)]
pub struct OneCycle {
    /// In the order of emission.
    pub events: Vec<Event>,
}

impl Sink for OneCycle {
    const WANTS_WARPS: bool = true;

    fn wants_lanes(&self) -> bool {
        true
    }

    fn event(&mut self, _: u64, event: Event) {
        self.events.push(event);
    }
}

/// Two listeners at once.
impl<A: Sink, B: Sink> Sink for (&mut A, &mut B) {
    const LISTENS: bool = A::LISTENS || B::LISTENS;
    const WANTS_WARPS: bool = A::WANTS_WARPS || B::WANTS_WARPS;
    const WANTS_ROUTINE: bool = A::WANTS_ROUTINE || B::WANTS_ROUTINE;

    #[inline(always)]
    fn wants_lanes(&self) -> bool {
        self.0.wants_lanes() || self.1.wants_lanes()
    }

    #[inline(always)]
    fn event(&mut self, cycle: u64, event: Event) {
        let for_few = matches!(event, Event::LaneAccess { .. });
        if !for_few || self.0.wants_lanes() {
            self.0.event(cycle, event);
        }
        if !for_few || self.1.wants_lanes() {
            self.1.event(cycle, event);
        }
    }

    fn warps(&mut self, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons) {
        self.0.warps(cycle, sm, first, before, now);
        self.1.warps(cycle, sm, first, before, now);
    }
}

/// A sink that is called through a pointer; every [`Sink`] is one.
pub trait Listener {
    /// [`Sink::WANTS_WARPS`].
    fn wants_warps(&self) -> bool;
    /// Whether routine events are wanted ([`Event::is_routine`]).
    fn wants_routine(&self) -> bool;
    /// [`Sink::wants_lanes`].
    fn wants_lane_accesses(&self) -> bool;
    /// [`Sink::event`].
    fn hear(&mut self, cycle: u64, event: Event);
    /// [`Sink::warps`].
    fn hear_warps(&mut self, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons);
}

impl<S: Sink> Listener for S {
    fn wants_warps(&self) -> bool {
        S::WANTS_WARPS
    }

    fn wants_routine(&self) -> bool {
        S::WANTS_ROUTINE
    }

    fn wants_lane_accesses(&self) -> bool {
        self.wants_lanes()
    }

    fn hear(&mut self, cycle: u64, event: Event) {
        self.event(cycle, event);
    }

    fn hear_warps(&mut self, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons) {
        self.warps(cycle, sm, first, before, now);
    }
}

/// Forwards to any listener: one sink type, so that the machine's code exists once for all of them.
pub struct DynSink<'a> {
    listener: &'a mut dyn Listener,
    /// Whether the listener wants [`Event::Warp`], routine events, and an event for every lane of an access.
    warps: bool,
    routine: bool,
    lanes: bool,
}

impl<'a> DynSink<'a> {
    /// Asks the listener once what it wants.
    pub fn new(listener: &'a mut (dyn Listener + 'a)) -> DynSink<'a> {
        let (warps, routine) = (listener.wants_warps(), listener.wants_routine());
        let lanes = listener.wants_lane_accesses();
        DynSink { listener, warps, routine, lanes }
    }
}

impl Sink for DynSink<'_> {
    const WANTS_WARPS: bool = true;
    const KEEPS_CHOICES: bool = true;

    #[inline]
    fn wants_lanes(&self) -> bool {
        self.lanes
    }

    #[inline]
    fn event(&mut self, cycle: u64, event: Event) {
        if self.routine || !event.is_routine() {
            self.listener.hear(cycle, event);
        }
    }

    #[inline]
    fn warps(&mut self, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons) {
        if self.warps {
            self.listener.hear_warps(cycle, sm, first, before, now);
        }
    }
}

/// Calls `tell` with each of 64 warps whose reason has changed, by position; with `None` if it is no longer resident.
pub(super) fn changes(before: &Reasons, now: &Reasons, tell: &mut dyn FnMut(u16, Option<Reason>)) {
    let all = |reasons: &Reasons| reasons.iter().fold(0, |all, bits| all | bits);
    bits(all(before) & !all(now), |warp| tell(warp, None));
    for (at, reason) in Reason::ALL.into_iter().enumerate() {
        bits(now[at] & !before[at], |warp| tell(warp, Some(reason)));
    }
}

/// Calls `tell` with the position of each bit that is set.
#[inline]
fn bits(mut word: u64, mut tell: impl FnMut(u16)) {
    while word != 0 {
        tell(word.trailing_zeros() as u16);
        word &= word - 1;
    }
}
