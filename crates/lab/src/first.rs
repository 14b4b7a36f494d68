//! The first visit: the kernel and the cycle that it opens with, and three hints to try.
//!
//! The first kernel opens at a cycle where a branch has just masked about half of a warp's lanes, so that lanes, warps and
//! masks are in view. The user may follow the hints in any order, each once; after the last one they disappear.

use super::{Lab, Origin, Stage};
use warpscope_catalogue::Size;
use warpscope_machine::event::{Event, EventKind};
use warpscope_pictures::session::SearchTarget;
use warpscope_pictures::view::{LaneActivity, Selection};

/// The first kernel: two blocks of four warps, whose neighbouring lanes work on even and odd numbers in turn.
pub(super) const FIRST: &str = "collatz";
/// Most cycles to search for a divergence; the page waits for the search.
const FAR: u64 = 5_000;

/// The hints of a first visit: which of them the user has followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// A cycle was stepped.
    pub stepped: bool,
    /// The inspector was asked about an idle lane.
    pub asked: bool,
    /// The kernel was run under another technique.
    pub compared: bool,
}

impl Lab {
    /// Creates the lab of a first visit: a small kernel, at a cycle where about half of a warp's lanes are masked.
    pub fn first_visit() -> Lab {
        let mut lab = Lab::new();
        lab.choose(Origin::find(FIRST, Size::Small));
        lab.go_to_something_interesting();
        lab.hints = Some(Hints::default());
        lab
    }

    /// Seeks to the most even divergence within the next `FAR` cycles, and selects its warp.
    pub(super) fn go_to_something_interesting(&mut self) {
        let Some(stage) = &mut self.stage else { return };
        let mut best: Option<(u32, u64, Option<Selection>)> = None;
        let half = stage.session.sim().machine.config.warp_width / 2;
        let end = stage.session.cycle() + FAR;
        // No split is more even than one into halves.
        while best.is_none_or(|(most, ..)| most < half) {
            let left = end.saturating_sub(stage.session.cycle());
            if left == 0 || !stage.session.search(SearchTarget::Event(EventKind::Divergence), left) {
                break;
            }
            let (smaller, warp) = parted(stage);
            if best.is_none_or(|(most, ..)| smaller > most) {
                best = Some((smaller, stage.session.cycle(), warp));
            }
        }
        let (_, cycle, warp) = best.unwrap_or_default();
        stage.session.seek(cycle);
        self.selection = warp;
        self.notice = None;
    }

    /// Selects a masked lane, of the selected warp if it has one; the inspector says why the lane is idle.
    pub fn try_asking(&mut self) {
        let Some(stage) = &self.stage else { return };
        let picture = stage.picture();
        let own = self.selection.and_then(Selection::warp).and_then(|(sm, warp)| picture.warp(sm, warp));
        let masked = own.into_iter().chain(&picture.warps).find_map(|warp| {
            let lane = (0..warp.width).find(|&lane| warp.lane(lane) == LaneActivity::Masked)?;
            Some(Selection::Lane { sm: warp.sm, warp: warp.warp, lane: lane as u8 })
        });
        self.selection = masked.or(self.selection);
        self.tried(|hints| hints.asked = true);
    }

    /// Runs the same kernel under thread block compaction, and seeks to a divergence of that run.
    pub fn try_compaction(&mut self) {
        self.decide("divergence", Some("TBC"));
        self.go_to_something_interesting();
        self.selection = self.selection.or(Some(Selection::Warp { sm: 0, warp: 0 }));
        self.tried(|hints| hints.compared = true);
    }

    /// Marks a hint as done; removes the hints once all are done.
    pub(super) fn tried(&mut self, note: impl FnOnce(&mut Hints)) {
        if let Some(hints) = &mut self.hints {
            note(hints);
            if *hints == (Hints { stepped: true, asked: true, compared: true }) {
                self.hints = None;
            }
        }
    }
}

/// Returns the number of lanes on the smaller side of the last cycle's divergence, and its warp unless warps re-form.
fn parted(stage: &Stage) -> (u32, Option<Selection>) {
    let reforms = stage.session.sim().machine.reforms;
    let branch = stage.session.last().iter().find_map(|event| match *event {
        Event::Branch { sm, warp, diverged: true, taken, not_taken, .. } => {
            Some((taken.count_ones().min(not_taken.count_ones()), Selection::Warp { sm, warp }))
        }
        _ => None,
    });
    branch.map_or((0, None), |(smaller, warp)| (smaller, (!reforms).then_some(warp)))
}
