//! The lanes of the INT and FP pipelines: which are busy, which are power-gated, and how a warp is folded (Origami).
//!
//! From the top: one pipeline large, with the threads that enter its lanes and leave them ([`shift`]), whose way [`film`] tells; the phase, which says
//! which type folds for how long ([`meters`]); a roll for each pipeline, with now at its front edge and the past flowing down
//! ([`roll`]), above the pipeline's leakage meter. [`LanesView`] is what is shown, as plain data.

mod film;
mod meters;
mod roll;
mod shift;
mod view;

pub use view::{FoldView, LaneCell, LaneSpan, LanesView, PhaseView, PipeView};

use super::PanelView;
use super::parts::{BASE, LaneGrid};
use crate::scene::{Align, Rect, Scene, Tone};
use crate::view::Selection;

pub(crate) fn draw(view: PanelView) -> Scene<Selection> {
    match LanesView::of(&view) {
        Some(lanes) => picture(&lanes, view.width, view.height),
        None => {
            let mut scene = Scene::new(view.width, view.height);
            scene.words = "No cycle has passed yet: all lanes are on and empty.".to_string();
            scene.label(0, Tone::Soft, 0.0, 16.0, BASE, Align::Left, &*scene.words.clone());
            scene
        }
    }
}

/// The space between the parts, and between two pipelines.
const GAP: f32 = 12.0;

/// Draws the lanes into a room of this size.
pub fn picture(view: &LanesView, width: f32, height: f32) -> Scene<Selection> {
    let mut scene = Scene::new(width, height);
    scene.words = words(view);
    let mut y = 0.0;
    let legend = roll::legend_height(view, width);
    if view.moves {
        let phase = view.phase.as_ref().map_or(0.0, |phase| meters::phase_height(phase, height) + GAP);
        let room = (height - legend - roll::LEAST - phase - GAP).max(120.0);
        y = shift::draw(&mut scene, view, Rect::new(0.0, y, width, room)) + GAP;
    }
    if let Some(phase) = &view.phase {
        y = meters::phase(&mut scene, view, phase, Rect::new(0.0, y, width, height)) + GAP;
    }
    let plan = roll::RollPlan::new(view, Rect::new(0.0, y, width, height - y - legend));
    let mut end = y;
    for (at, pipe) in view.pipes.iter().enumerate() {
        end = roll::draw(&mut scene, view, pipe, &plan, at);
    }
    end = roll::legend(&mut scene, view, width, end);
    scene.height = height.max(end);
    scene
}

/// Returns the colour of a lane's state.
fn tone(cell: LaneCell) -> Tone {
    match cell {
        // No warp's hue: some of them look like a lane that has won or lost.
        LaneCell::Busy(_) => Tone::Accent,
        LaneCell::Idle => Tone::LaneIdle,
        LaneCell::Dark => Tone::LaneDark,
        LaneCell::Earning => Tone::LaneEarning,
        LaneCell::Waking => Tone::LaneWaking,
        LaneCell::Ends { won: true } => Tone::Good,
        LaneCell::Ends { won: false } => Tone::Bad,
    }
}

/// Returns a grid of lanes side by side in a part of the width.
fn grid(x: f32, width: f32, lanes: u32, most: f32) -> LaneGrid {
    LaneGrid { gap: 1.0, ..LaneGrid::fit(x, width, lanes, most) }
}

fn words(view: &LanesView) -> String {
    let count = |pipe: &PipeView, is: fn(&LaneCell) -> bool| pipe.now.iter().filter(|cell| is(cell)).count();
    let pipes = view.pipes.iter().map(|pipe| {
        let busy = count(pipe, |cell| matches!(cell, LaneCell::Busy(_)));
        let off = count(pipe, |cell| matches!(cell, LaneCell::Dark | LaneCell::Earning));
        let waking = count(pipe, |cell| matches!(cell, LaneCell::Waking | LaneCell::Ends { .. }));
        format!("{}: {busy} lanes busy, {off} off, {waking} waking", pipe.name())
    });
    format!("Cycle {}: {}.", view.now, pipes.collect::<Vec<_>>().join("; "))
}
