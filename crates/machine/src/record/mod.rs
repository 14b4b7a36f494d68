//! The history of a run, for views that look back: every warp's reason over time, marks of events, the first warp-phases, which
//! logical warp each slot ran, and counts over stretches of cycles.
//!
//! A [`Record`] listens only to cycles that the machine simulates for the first time; moving back and forth afterwards adds
//! nothing. The timeline, the scrubber and the plots read nothing else. The record does not count what happens in every cycle
//! again: its caller hands it the numbers of the run so far at the edges of its stretches ([`Record::next_edge`],
//! [`Record::count`]).

mod bitwise;
mod changes;
mod coarse;
mod group;
mod issues;
mod marks;
mod phases;
mod series;
mod stints;
mod track;

pub use bitwise::{Codes, GONE};
pub use issues::{Issue, Issues, MOST_CYCLES};
pub use marks::Marks;
pub use phases::Phases;
pub use series::{Series, StretchCounts};
pub use stints::{Stint, Stints};
pub use track::Track;

use crate::event::{Event, EventKind, Reasons, Sink};
use crate::metrics::Metrics;
use group::TrackGroup;
use std::ops::Range;

/// The most changes that are kept cycle by cycle, over all warps: 96 MB.
const MOST_CHANGES: usize = (96 << 20) / 40;
/// Warps of a group.
const TOGETHER: usize = 64;

/// The history of a run.
#[derive(Clone, Debug)]
pub struct Record {
    sms: usize,
    /// Warp slots of an SM: warp `w` of SM `s` has the track `s * slots + w`.
    slots: usize,
    /// The warp slots of each SM in groups of 64, SM by SM.
    groups: Vec<TrackGroup>,
    /// Number of changes that are kept.
    kept: usize,
    marks: [Marks; EventKind::ALL.len()],
    phases: Phases,
    stints: Stints,
    series: Series,
    /// Cycles before this one are known.
    end: u64,
}

impl Record {
    /// Returns the history of a run of which no cycle has been recorded.
    pub fn new(sms: usize, slots: usize) -> Record {
        Record {
            sms,
            slots,
            groups: vec![TrackGroup::default(); sms * slots.div_ceil(TOGETHER)],
            kept: 0,
            marks: std::array::from_fn(|_| Marks::default()),
            phases: Phases::default(),
            stints: Stints::default(),
            series: Series::new(sms),
            end: 0,
        }
    }

    /// Returns the first cycle that is not known.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Warp slots of an SM.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Warp slots of all SMs.
    pub fn tracks(&self) -> usize {
        self.sms * self.slots
    }

    /// Returns the track of this number.
    pub fn nth(&self, track: usize) -> Track<'_> {
        let (group, lane) = self.place(track);
        Track { group: &self.groups[group], lane }
    }

    /// Returns the history of a warp slot.
    pub fn track(&self, sm: u16, warp: u16) -> Option<Track<'_>> {
        let inside = usize::from(sm) < self.sms && usize::from(warp) < self.slots;
        inside.then(|| self.nth(usize::from(sm) * self.slots + usize::from(warp)))
    }

    /// Returns the group that a track belongs to, and its position there.
    pub fn place(&self, track: usize) -> (usize, u32) {
        let (sm, warp) = (track / self.slots, track % self.slots);
        (self.group(sm, warp), (warp % TOGETHER) as u32)
    }

    fn group(&self, sm: usize, warp: usize) -> usize {
        sm * self.slots.div_ceil(TOGETHER) + warp / TOGETHER
    }

    /// Returns the reasons that a group's warps had longest in each of `columns`. A column is `per_column` cycles wide; column 0
    /// begins at the cycle `from`. Cycles that are not known yet are [`GONE`].
    pub fn columns(&self, group: usize, from: f64, per_column: f64, columns: Range<usize>) -> Vec<Codes> {
        self.groups[group].columns(from, per_column, columns.start, self.end, columns.len())
    }

    /// Returns the cycles with an event of this kind.
    pub fn marks(&self, kind: EventKind) -> &Marks {
        &self.marks[kind as usize]
    }

    /// Returns the phases of the blocks.
    pub fn phases(&self) -> &Phases {
        &self.phases
    }

    /// Returns what the warp slots ran, block after block.
    pub fn stints(&self) -> &Stints {
        &self.stints
    }

    /// Returns the run's numbers over time.
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// Returns the next cycle after `cycle` at which [`Record::count`] must be called.
    pub fn next_edge(&self, cycle: u64) -> u64 {
        self.series.next_edge(cycle)
    }

    /// Takes the run's numbers of all cycles before `cycle`.
    pub fn count(&mut self, cycle: u64, metrics: &Metrics) {
        self.series.count(cycle, metrics);
    }

    /// Extends what is known to all cycles before `cycle`, and drops old changes if too many are kept.
    pub fn close(&mut self, cycle: u64) {
        self.end = self.end.max(cycle);
        self.groups.iter_mut().for_each(|group| group.close(self.end));
        if self.kept > MOST_CHANGES {
            self.forget();
        }
    }

    /// Drops the older half of the changes; the low-resolution history stays.
    fn forget(&mut self) {
        self.groups.iter_mut().for_each(TrackGroup::forget_half);
        self.kept = self.groups.iter().map(TrackGroup::len).sum();
    }
}

impl Sink for Record {
    const WANTS_WARPS: bool = true;
    const WANTS_ROUTINE: bool = false;

    fn event(&mut self, cycle: u64, event: Event) {
        if let Event::Warp { sm, warp, reason } = event {
            let Some(group) = self.groups.get(self.group(sm.into(), warp.into())) else { return };
            let (before, lane) = (*group.now(), warp % TOGETHER as u16);
            let mut now = before.map(|warps| warps & !(1 << lane));
            if let Some(reason) = reason {
                now[reason as usize] |= 1 << lane;
            }
            self.warps(cycle, sm, warp - lane, &before, &now);
        } else {
            if let Some(kind) = EventKind::of(&event).filter(|kind| kind.is_sought()) {
                self.marks[kind as usize].set(cycle);
            }
            self.phases.event(cycle, event);
            self.stints.event(cycle, event);
        }
    }

    fn warps(&mut self, cycle: u64, sm: u16, first: u16, _: &Reasons, now: &Reasons) {
        let group = self.group(sm.into(), first.into());
        if let Some(group) = self.groups.get_mut(group) {
            self.kept += usize::from(group.change(cycle, now));
        }
    }
}
