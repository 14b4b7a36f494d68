//! The barrier board: how far each block's warps have come on their way to the next barrier (BAWS sections 3 and 4).
//!
//! [`BarrierView`] is what the board shows, as plain data; [`plan`] says where it lies; [`board::draw`] draws it, a [`track`]
//! for each block; [`film`] tells what happens at the gate.

mod board;
mod film;
mod plan;
mod track;
mod view;

pub use board::draw as draw_board;
pub use plan::Room;
pub use view::{BarrierView, BlockTrack, Runner, RunnerState};

use super::PanelView;
use crate::scene::Scene;
use crate::view::Selection;

pub(crate) fn draw(view: PanelView) -> Scene<Selection> {
    let room = Room {
        width: view.width,
        height: view.height,
        sm: view.sm(),
        slot: view.focus().map(|warp| warp.slot),
        warp: view.selection.and_then(Selection::warp).map(|(_, warp)| warp),
    };
    draw_board(&BarrierView::of(&view), &room)
}
