//! Blocks, and the warp slots that run them, over time (VTW figure 1).
//!
//! From the left: the dispenser, which hands out logical blocks by number; a row for each warp slot, with the logical blocks that
//! it ran one after the other; under a progress-aware scheduler, its groups in issue order ([`groups`]). Red is the time from a
//! warp's end to its block's end: without virtual blocks the slot is idle then. [`BlocksView`] is what is shown, as plain data.

mod groups;
mod rows;
mod view;

pub use view::{BlockRows, BlocksView, GroupView, Piece, WarpRow};

use super::PanelView;
use super::parts::{BASE, SMALL, kind};
use crate::scene::{Align, Beat, Geometry, Rect, Scene, Tone, key};
use crate::view::Selection;
use warpscope_machine::event::Event;

/// The width of the dispenser at the left.
const DISPENSER: f32 = 58.0;
/// The width of the scheduler's groups at the right, and the least picture width that shows them.
const GROUPS: f32 = 150.0;
const WIDE_ENOUGH: f32 = 440.0;
const GAP: f32 = 12.0;

pub(crate) fn draw(view: PanelView) -> Scene<Selection> {
    let chosen = view.selection.and_then(Selection::warp).map(|(_, warp)| warp);
    let mut scene = picture(&BlocksView::of(&view), chosen, view.width, view.height);
    let is_event = |event: &Event| matches!(event, Event::Assigned { .. } | Event::BlockStart { .. } | Event::BlockEnd { .. });
    if view.last.iter().any(is_event) {
        scene.dwell();
    }
    scene
}

/// Draws the blocks into a room of this size.
pub fn picture(view: &BlocksView, chosen: Option<u16>, width: f32, height: f32) -> Scene<Selection> {
    let mut scene = Scene::new(width, height);
    scene.words = words(view);
    let has_groups = view.by_progress && width >= WIDE_ENOUGH;
    let right = if has_groups { width - GROUPS - GAP } else { width };
    let area = Rect::new(DISPENSER + GAP, 0.0, right - DISPENSER - GAP, height);
    let plan = rows::RowPlan::new(view, area);
    dispenser(&mut scene, view, &plan);
    let mut end = rows::draw(&mut scene, view, &plan, chosen);
    if has_groups {
        end = end.max(groups::draw(&mut scene, view, Rect::new(width - GROUPS, 0.0, GROUPS, height)));
    }
    scene.height = height.max(end);
    scene
}

/// Returns a logical block's colour, and the text colour on it.
fn tones(block: u64) -> (Tone, Tone) {
    let hue = (block % 8) as u8;
    (Tone::Warp(hue), Tone::OnWarp(hue))
}

/// Draws a token with a logical block's number. It keeps its key from the dispenser to the row that it goes to.
fn token(scene: &mut Scene<Selection>, block: u64, rect: Rect) {
    let (tone, ink) = tones(block);
    let size = (rect.h * 0.62).clamp(9.0, 16.0);
    scene.round(key(kind::TOKEN, 0, block as u16, 0), tone, rect);
    scene.push(key(kind::TOKEN_EDGE, 0, block as u16, 0), Tone::Panel, Geometry::Ring(rect));
    let (x, y) = (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0 + size * 0.35);
    scene.mono(key(kind::TOKEN_TEXT, 0, block as u16, 0), ink, x, y, size, Align::Middle, block.to_string());
}

/// Returns the width of a block's token of this height.
fn token_width(block: u64, high: f32) -> f32 {
    let size = (high * 0.62).clamp(9.0, 16.0);
    high.max(block.to_string().len() as f32 * size * 0.62 + 6.0)
}

/// Draws the blocks that are still to be handed out, the next one at the top.
fn dispenser(scene: &mut Scene<Selection>, view: &BlocksView, plan: &rows::RowPlan) {
    let top = plan.top() + 4.0;
    scene.outline(0, Tone::Line, Rect::new(0.0, plan.top(), DISPENSER, plan.bottom() - plan.top()));
    scene.label(0, Tone::Soft, 0.0, 12.0, SMALL, Align::Left, "dispenser");
    let left = view.total - view.next;
    if left == 0 {
        scene.label(0, Tone::Soft, DISPENSER / 2.0, top + 14.0, SMALL, Align::Middle, "empty");
        return;
    }
    let high = (plan.bottom() - top) / left.min(8) as f32;
    let high = (high - 4.0).clamp(14.0, 26.0).floor();
    let fits = ((plan.bottom() - top - 18.0) / (high + 4.0)).floor().max(1.0) as u64;
    scene.beat = Beat::Travel;
    for at in 0..left.min(fits) {
        let block = view.next + at;
        let wide = token_width(block, high);
        token(scene, block, Rect::new((DISPENSER - wide) / 2.0, top + at as f32 * (high + 4.0), wide, high));
    }
    scene.beat = Beat::default();
    if left > fits {
        let y = top + fits as f32 * (high + 4.0) + 10.0;
        scene.label(0, Tone::Soft, DISPENSER / 2.0, y, SMALL, Align::Middle, format!("+{} more", left - fits));
    }
}

fn words(view: &BlocksView) -> String {
    if view.blocks.is_empty() {
        return "No block has begun.".to_string();
    }
    let now = |row: &WarpRow| match row.pieces.last().filter(|piece| piece.lasts) {
        Some(piece) => format!("warp {} runs warp {} of block {}", row.warp, piece.number, piece.block),
        None => format!("warp {} runs nothing", row.warp),
    };
    let rows = view.blocks.iter().flat_map(|block| &block.warps).map(now);
    let given = match view.total - view.next {
        0 => "all blocks have been handed out".to_string(),
        left => format!("block {} is handed out next, {left} are left", view.next),
    };
    format!("Cycle {}: {given}; {}.", view.cycle, rows.collect::<Vec<_>>().join(", "))
}

/// Writes that no block has begun.
fn nothing(scene: &mut Scene<Selection>, area: Rect) {
    scene.label(0, Tone::Soft, area.x, 40.0, BASE, Align::Left, "No block has begun: step once.");
}
