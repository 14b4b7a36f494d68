//! The first minute: what a first visit opens with, and three things to try there.
//!
//! The first kernel stands at a moment where a branch has just masked about half of a warp's lanes, so that lanes, warps and
//! masks are there to be pointed at. The hints are done in any order, each once; with the last one they are gone.

use super::{Lab, Origin, Stage};
use crate::event::{Event, EventKind};
use crate::session::Target;
use crate::view::{Lane, Selection};
use crate::workload::Size;

/// Two blocks of four warps, whose neighbouring numbers are even and odd in turn.
pub(super) const FIRST: &str = "collatz";
/// How many cycles a moment is looked for in: the page waits for it.
const FAR: u64 = 5_000;

/// What there is to try, and what has been.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    pub stepped: bool,
    pub asked: bool,
    pub compared: bool,
}

impl Lab {
    /// What a first visit sees: a small kernel, at a moment when about half of a warp's lanes are masked.
    pub fn first_visit() -> Lab {
        let mut lab = Lab::new();
        lab.choose(Origin::find(FIRST, Size::Small));
        lab.go_to_something_interesting();
        lab.hints = Some(Hints::default());
        lab
    }

    /// To the divergence, of the first ones, that parts its warp most evenly; that warp is selected.
    pub(super) fn go_to_something_interesting(&mut self) {
        let Some(stage) = &mut self.stage else { return };
        let mut best: Option<(u32, u64, Option<Selection>)> = None;
        let half = stage.session.sim().machine.config.warp_width / 2;
        let end = stage.session.cycle() + FAR;
        // No warp can be parted more evenly than in halves.
        while best.is_none_or(|(most, ..)| most < half) {
            let left = end.saturating_sub(stage.session.cycle());
            if left == 0 || !stage.session.search(Target::Event(EventKind::Divergence), left) {
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

    /// Selects a masked lane, of the selected warp where it has one; the inspector says why it is idle.
    pub fn try_asking(&mut self) {
        let Some(stage) = &self.stage else { return };
        let picture = stage.picture();
        let own = self.selection.and_then(Selection::warp).and_then(|(sm, warp)| picture.warp(sm, warp));
        let masked = own.into_iter().chain(&picture.warps).find_map(|warp| {
            let lane = (0..warp.width).find(|&lane| warp.lane(lane) == Lane::Masked)?;
            Some(Selection::Lane { sm: warp.sm, warp: warp.warp, lane: lane as u8 })
        });
        self.selection = masked.or(self.selection);
        self.tried(|hints| hints.asked = true);
    }

    /// The same kernel under thread block compaction, at a moment of its own.
    pub fn try_compaction(&mut self) {
        self.decide("divergence", Some("TBC"));
        self.go_to_something_interesting();
        self.selection = self.selection.or(Some(Selection::Warp { sm: 0, warp: 0 }));
        self.tried(|hints| hints.compared = true);
    }

    /// Notes that something has been tried; when all has, there is nothing more to hint at.
    pub(super) fn tried(&mut self, note: impl FnOnce(&mut Hints)) {
        if let Some(hints) = &mut self.hints {
            note(hints);
            if *hints == (Hints { stepped: true, asked: true, compared: true }) {
                self.hints = None;
            }
        }
    }
}

/// How many lanes the smaller side of the branch of the last cycle has, and whose they are, where warps stay as compiled.
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
