//! What a run leaves behind for those who look back: every warp's reason over time, marks where something happened, and
//! counts over stretches of cycles.
//!
//! A [`Record`] listens while the machine enters country that has not been seen before, and only then; going back and forth
//! afterwards adds nothing to it. The timeline, the scrubber and the plots read nothing else. What happens in every cycle it
//! does not count again: the numbers of the run so far are handed to it at the edges of its stretches
//! ([`Record::next_edge`], [`Record::count`]).

mod afar;
mod marks;
mod series;
mod track;

pub use marks::{Kind, Marks};
pub use series::{Bucket, SLOT_CLASSES, Series};
pub use track::{GONE, Track};

use crate::event::{Event, Reasons, Sink, changes};
use crate::metrics::Metrics;
use afar::Afar;
use track::Changes;

/// The most changes of reasons that are kept cycle by cycle, over all warps: 96 MB.
const MOST_CHANGES: usize = 12 << 20;
/// Warps that are seen from afar together.
const TOGETHER: usize = 64;

/// All that is kept of a run.
#[derive(Clone, Debug)]
pub struct Record {
    /// Warp slots of an SM: warp `w` of SM `s` has the track `s * slots + w`.
    slots: usize,
    changes: Vec<Changes>,
    /// How many there are.
    kept: usize,
    /// The slots of an SM, 64 at a time, SM by SM.
    afar: Vec<Afar>,
    marks: [Marks; Kind::ALL.len()],
    series: Series,
    /// Cycles up to this one are known.
    end: u64,
}

impl Record {
    pub fn new(sms: usize, slots: usize) -> Record {
        Record {
            slots,
            changes: vec![Changes::default(); sms * slots],
            kept: 0,
            afar: vec![Afar::default(); sms * slots.div_ceil(TOGETHER)],
            marks: std::array::from_fn(|_| Marks::default()),
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
        self.changes.len()
    }

    /// One of all tracks.
    pub fn nth(&self, at: usize) -> Track<'_> {
        let (sm, warp) = (at / self.slots, at % self.slots);
        Track { changes: &self.changes[at], afar: &self.afar[self.group(sm, warp)], lane: (warp % TOGETHER) as u32 }
    }

    pub fn track(&self, sm: u16, warp: u16) -> Option<Track<'_>> {
        let at = usize::from(sm) * self.slots + usize::from(warp);
        (at < self.changes.len()).then(|| self.nth(at))
    }

    fn group(&self, sm: usize, warp: usize) -> usize {
        sm * self.slots.div_ceil(TOGETHER) + warp / TOGETHER
    }

    pub fn marks(&self, kind: Kind) -> &Marks {
        &self.marks[kind as usize]
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
        self.afar.iter_mut().for_each(|afar| afar.pass(self.end));
        if self.kept > MOST_CHANGES {
            self.forget();
        }
    }

    /// Lets go of the older half of what is kept cycle by cycle; the view from afar stays.
    fn forget(&mut self) {
        self.changes.iter_mut().for_each(Changes::forget_half);
        self.kept = self.changes.iter().map(Changes::len).sum();
    }
}

impl Sink for Record {
    const WANTS_WARPS: bool = true;
    const WANTS_ROUTINE: bool = false;

    #[inline]
    fn event(&mut self, cycle: u64, event: Event) {
        if let Event::Warp { sm, warp, reason } = event {
            let Some(afar) = self.afar.get(self.group(sm.into(), warp.into())) else { return };
            let (before, lane) = (*afar.now(), warp % TOGETHER as u16);
            let mut now = before.map(|warps| warps & !(1 << lane));
            if let Some(reason) = reason {
                now[reason as usize] |= 1 << lane;
            }
            self.warps(cycle, sm, warp - lane, &before, &now);
        } else if let Some(kind) = Kind::of(&event) {
            self.marks[kind as usize].set(cycle);
        }
    }

    fn warps(&mut self, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons) {
        if before == now {
            return;
        }
        let group = self.group(sm.into(), first.into());
        let base = usize::from(sm) * self.slots + usize::from(first);
        let (Some(afar), Some(tracks)) = (self.afar.get_mut(group), self.changes.get_mut(base..)) else { return };
        afar.change(cycle, now);
        changes(before, now, |at, reason| {
            if let Some(track) = tracks.get_mut(usize::from(at)) {
                track.add(cycle, reason);
                self.kept += 1;
            }
        });
    }
}
