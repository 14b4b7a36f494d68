//! What a run leaves behind for those who look back: every warp's reason over time, marks where something happened, the
//! first warp-phases, who ran what, and counts over stretches of cycles.
//!
//! A [`Record`] listens while the machine enters country that has not been seen before, and only then; going back and forth
//! afterwards adds nothing to it. The timeline, the scrubber and the plots read nothing else. What happens in every cycle it
//! does not count again: the numbers of the run so far are handed to it at the edges of its stretches
//! ([`Record::next_edge`], [`Record::count`]).

mod afar;
mod bitwise;
mod group;
mod issues;
mod marks;
mod moments;
mod phases;
mod series;
mod stints;
mod track;

pub use bitwise::{Codes, GONE};
pub use issues::{Issue, Issues, MOST_CYCLES};
pub use marks::Marks;
pub use phases::Phases;
pub use series::{Bucket, SLOT_CLASSES, Series};
pub use stints::{Stint, Stints};
pub use track::Track;

use crate::event::{Event, EventKind, Reasons, Sink};
use crate::metrics::Metrics;
use group::Group;
use std::ops::Range;

/// The most moments that are kept cycle by cycle, over all warps: 96 MB.
const MOST_MOMENTS: usize = (96 << 20) / 40;
/// Warps of a group.
const TOGETHER: usize = 64;

/// All that is kept of a run.
#[derive(Clone, Debug)]
pub struct Record {
    sms: usize,
    /// Warp slots of an SM: warp `w` of SM `s` has the track `s * slots + w`.
    slots: usize,
    /// The slots of an SM, 64 at a time, SM by SM.
    groups: Vec<Group>,
    /// Moments that are kept.
    kept: usize,
    marks: [Marks; EventKind::ALL.len()],
    phases: Phases,
    stints: Stints,
    series: Series,
    /// Cycles up to this one are known.
    end: u64,
}

impl Record {
    pub fn new(sms: usize, slots: usize) -> Record {
        Record {
            sms,
            slots,
            groups: vec![Group::default(); sms * slots.div_ceil(TOGETHER)],
            kept: 0,
            marks: std::array::from_fn(|_| Marks::default()),
            phases: Phases::default(),
            stints: Stints::default(),
            series: Series::new(sms),
            end: 0,
        }
    }

    /// The first cycle that is not known.
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

    /// One of all tracks.
    pub fn nth(&self, track: usize) -> Track<'_> {
        let (group, lane) = self.place(track);
        Track { group: &self.groups[group], lane }
    }

    pub fn track(&self, sm: u16, warp: u16) -> Option<Track<'_>> {
        let inside = usize::from(sm) < self.sms && usize::from(warp) < self.slots;
        inside.then(|| self.nth(usize::from(sm) * self.slots + usize::from(warp)))
    }

    /// The group that a track belongs to, and its place there.
    pub fn place(&self, track: usize) -> (usize, u32) {
        let (sm, warp) = (track / self.slots, track % self.slots);
        (self.group(sm, warp), (warp % TOGETHER) as u32)
    }

    fn group(&self, sm: usize, warp: usize) -> usize {
        sm * self.slots.div_ceil(TOGETHER) + warp / TOGETHER
    }

    /// What the warps of a group did longest in each of some columns of `per_column` cycles, which are counted from the cycle
    /// `from` on; what is not known yet is [`GONE`].
    pub fn columns(&self, group: usize, from: f64, per_column: f64, columns: Range<usize>) -> Vec<Codes> {
        self.groups[group].columns(from, per_column, columns.start, self.end, columns.len())
    }

    pub fn marks(&self, kind: EventKind) -> &Marks {
        &self.marks[kind as usize]
    }

    pub fn phases(&self) -> &Phases {
        &self.phases
    }

    pub fn stints(&self) -> &Stints {
        &self.stints
    }

    pub fn series(&self) -> &Series {
        &self.series
    }

    /// The next cycle after `cycle` up to which numbers are wanted by themselves.
    pub fn next_edge(&self, cycle: u64) -> u64 {
        self.series.next_edge(cycle)
    }

    /// These are the numbers of all cycles before `cycle`.
    pub fn count(&mut self, cycle: u64, metrics: &Metrics) {
        self.series.count(cycle, metrics);
    }

    /// Everything before `cycle` is known now.
    pub fn close(&mut self, cycle: u64) {
        self.end = self.end.max(cycle);
        self.groups.iter_mut().for_each(|group| group.close(self.end));
        if self.kept > MOST_MOMENTS {
            self.forget();
        }
    }

    /// Lets go of the older half of what is kept cycle by cycle; the view from afar stays.
    fn forget(&mut self) {
        self.groups.iter_mut().for_each(Group::forget_half);
        self.kept = self.groups.iter().map(Group::len).sum();
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
