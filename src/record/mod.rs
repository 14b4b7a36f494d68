//! What a run leaves behind for those who look back: every warp's reason over time, marks where something happened, and
//! counts over stretches of cycles.
//!
//! A [`Record`] listens while the machine enters country that has not been seen before, and only then; going back and forth
//! afterwards adds nothing to it. The timeline, the scrubber and the plots read nothing else.

mod marks;
mod series;
mod track;

pub use marks::{Kind, Marks};
pub use series::{Bucket, SLOT_CLASSES, Series};
pub use track::{GONE, Track};

use crate::event::{Event, Reason, Reasons, Sink, changes};

/// The most changes of reasons that are kept cycle by cycle, over all warps: 96 MB.
const MOST_CHANGES: usize = 12 << 20;

/// All that is kept of a run.
#[derive(Clone, Debug)]
pub struct Record {
    /// Warp slots of an SM: warp `w` of SM `s` has the track `s * slots + w`.
    slots: usize,
    tracks: Vec<Track>,
    marks: [Marks; Kind::ALL.len()],
    series: Series,
    /// Cycles up to this one are known.
    end: u64,
    changes: usize,
}

impl Record {
    pub fn new(sms: usize, slots: usize) -> Record {
        Record {
            slots,
            tracks: vec![Track::default(); sms * slots],
            marks: std::array::from_fn(|_| Marks::default()),
            series: Series::new(sms),
            end: 0,
            changes: 0,
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

    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    pub fn track(&self, sm: u16, warp: u16) -> Option<&Track> {
        self.tracks.get(usize::from(sm) * self.slots + usize::from(warp))
    }

    pub fn marks(&self, kind: Kind) -> &Marks {
        &self.marks[kind as usize]
    }

    pub fn series(&self) -> &Series {
        &self.series
    }

    #[inline]
    fn change(&mut self, cycle: u64, sm: u16, warp: u16, reason: Option<Reason>) {
        if let Some(track) = self.tracks.get_mut(usize::from(sm) * self.slots + usize::from(warp)) {
            track.change(cycle, reason);
            self.changes += 1;
        }
    }

    /// Everything before `cycle` is known now; works out what is needed to draw it from afar.
    pub fn close(&mut self, cycle: u64) {
        self.end = self.end.max(cycle);
        for track in &mut self.tracks {
            track.digest(self.end);
        }
        if self.changes > MOST_CHANGES {
            self.tracks.iter_mut().for_each(Track::forget_half);
            self.changes = self.tracks.iter().map(Track::changes).sum();
        }
    }
}

impl Sink for Record {
    const WANTS_WARPS: bool = true;

    #[inline]
    fn event(&mut self, cycle: u64, event: Event) {
        self.series.event(cycle, &event);
        match event {
            Event::Warp { sm, warp, reason } => self.change(cycle, sm, warp, reason),
            _ => {
                if let Some(kind) = Kind::of(&event) {
                    self.marks[kind as usize].set(cycle);
                }
            }
        }
    }

    #[inline]
    fn warps(&mut self, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons) {
        changes(before, now, |at, reason| self.change(cycle, sm, first + at, reason));
    }
}
