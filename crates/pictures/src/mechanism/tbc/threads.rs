//! The block's threads: at home while they wait, in a warp of the buffer while they run.

use super::super::parts::{BASE, SMALL, Stand, Thread, chip, kind, lane_numbers};
use super::ShownBlock;
use super::sizes::TITLE;
use crate::scene::{Align, Beat, Geometry, Rect, Scene, Tone, key};
use crate::view::{Selection, WarpPicture};

/// Draws homes above, warps below, and every thread in one of the two; returns the lower end.
pub fn draw(scene: &mut Scene<Selection>, block: &ShownBlock) -> f32 {
    let (stack, sizes) = (block.stack, &block.sizes);
    scene.bold(0, Tone::Text, 0.0, sizes.home + 13.0, BASE, Align::Left, "Home");
    lane_numbers(scene, &sizes.grid, sizes.lanes, sizes.home + 13.0);
    let buffer = sizes.buffer();
    scene.bold(0, Tone::Text, 0.0, buffer + 12.0, BASE, Align::Left, "Warp buffer");
    let entries = block.buffered();
    for &entry in &entries {
        buffered(scene, block, entry);
    }
    // Places are drawn first, so that none covers a moving thread.
    for number in 0..stack.warps {
        let Some(home) = block.static_warp(number) else { continue };
        let taken = (0..sizes.lanes).filter(|lane| (home.present & home.alive) >> lane & 1 != 0);
        taken.for_each(|lane| {
            scene.outline(Thread::of(home, lane).key(kind::HOME_PLACE), Tone::Line, sizes.home_cell(number, lane));
        });
    }
    for number in 0..stack.warps {
        let origin = stack.first_warp + number;
        let y = sizes.home_cell(number, 0).y;
        chip(scene, origin, 44.0, y + (sizes.cell - 9.0) / 2.0, 9.0);
        scene.mono(0, Tone::Text, 0.0, y + sizes.cell / 2.0 + 4.0, SMALL, Align::Left, format!("w{origin}"));
        let Some(picture) = block.static_warp(number) else { continue };
        for lane in (0..sizes.lanes).filter(|lane| picture.present >> lane & 1 != 0) {
            thread(scene, block, picture, number, lane);
        }
    }
    let rows = entries.iter().map(|entry| block.row(*entry) + 1).max().unwrap_or(0);
    buffer + TITLE + f32::from(stack.warps).max(rows as f32) * sizes.row
}

/// Draws the place of a warp in the warp buffer, and marks it when it has just issued.
fn buffered(scene: &mut Scene<Selection>, block: &ShownBlock, entry: u16) {
    let (sizes, row) = (&block.sizes, block.row(entry));
    let state = &block.sm.warps[usize::from(entry)];
    let first = sizes.away_cell(row, 0);
    let middle = first.y + sizes.cell / 2.0 + 4.0;
    let place = block.view.listing.place(state.place.pc);
    scene.mono(key(kind::ROW_TEXT, row as u32, 0, 0), Tone::Text, 0.0, middle, SMALL, Align::Left, place);
    (0..sizes.lanes).for_each(|lane| scene.outline(0, Tone::Line, sizes.away_cell(row, lane)));
    let last = sizes.away_cell(row, sizes.lanes - 1);
    let frame = Rect::new(first.x - 3.0, first.y - 2.0, last.x + last.w - first.x + 6.0, sizes.cell + 4.0);
    let is_new = block.formed().any(|formed| formed == entry);
    if is_new {
        scene.mark(key(kind::FORMED, u32::from(entry), 0, 0), Tone::Panel, false, Geometry::Fill(frame));
    }
    scene.beat = Beat::Flash;
    let lit = block.sm.issued.warps.contains(entry.into()) && !is_new;
    scene.mark(key(kind::NOW, u32::from(entry), 0, 0), Tone::Accent, lit, Geometry::Ring(frame));
    scene.beat = Beat::Travel;
}

/// Draws a thread of the block's static warp `number` where it is: at home, or in its warp's row of the buffer.
fn thread(scene: &mut Scene<Selection>, block: &ShownBlock, picture: &WarpPicture, number: u16, lane: u32) {
    let (sm, sizes) = (block.sm, &block.sizes);
    let cell = sizes.home_cell(number, lane);
    let thread = Thread::of(picture, lane);
    scene.spot(cell, thread.selection());
    if picture.alive >> lane & 1 == 0 {
        thread.draw(scene, Stand::Ended, cell);
        return;
    }
    let at = sm.statics.at[usize::from(picture.warp) * sizes.lanes as usize + lane as usize];
    if block.formed().any(|formed| formed == at) {
        thread.edge(scene, cell, false);
    }
    let is_away = block.tbc.buffered(at).is_some_and(|buffered| buffered.slot == block.warp.slot);
    match is_away {
        true if block.runs(picture.warp, lane) => thread.draw(scene, Stand::Token, sizes.away_cell(block.row(at), lane)),
        true => thread.draw(scene, Stand::Parked, sizes.away_cell(block.row(at), lane)),
        false => thread.draw(scene, Stand::Waits, cell),
    }
    if block.view.selection == Some(thread.selection()) {
        scene.outline(0, Tone::Text, Rect::new(cell.x - 2.0, cell.y - 2.0, cell.w + 4.0, cell.h + 4.0));
    }
}
