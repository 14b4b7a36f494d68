//! The block's threads: at home while they wait, in a warp of the buffer while they run, and between them the compactor.

use super::super::parts::{BASE, SMALL, Stand, Thread, chip, kind, lane_numbers};
use super::sizes::{ENCODERS, TITLE};
use super::stack::Ways;
use super::{ShownBlock, count, has};
use crate::scene::{Align, Beat, Geometry, Rect, Scene, Tone, key};
use crate::view::words::counted;
use crate::view::{Selection, WarpPicture};
use warpscope_machine::policy::divergence::block_stack::EntryState;
use warpscope_machine::policy::divergence::compactor;

/// Where text can stand to the right of the warp buffer's title.
const BEHIND_TITLE: f32 = 92.0;

/// Draws homes above, warps below, and every thread in one of the two; returns the lower end.
pub fn draw(scene: &mut Scene<Selection>, block: &ShownBlock, ways: &Ways) -> f32 {
    let (stack, sizes) = (block.stack, &block.sizes);
    scene.bold(0, Tone::Text, 0.0, sizes.home + 13.0, BASE, Align::Left, "Home");
    lane_numbers(scene, &sizes.grid, sizes.lanes, sizes.home + 13.0);
    let buffer = sizes.encoders() + ENCODERS;
    scene.bold(0, Tone::Text, 0.0, buffer + 12.0, BASE, Align::Left, "Warp buffer");
    let rows = block.buffered();
    for (row, &entry) in rows.iter().enumerate() {
        buffered(scene, block, row, entry);
    }
    // Places are drawn first, so that none covers a moving thread.
    for number in 0..stack.warps {
        let Some(home) = block.static_warp(number) else { continue };
        let taken = (0..sizes.lanes).filter(|lane| (home.present & home.alive) >> lane & 1 != 0);
        taken.for_each(|lane| scene.outline(0, Tone::Line, sizes.home_cell(number, lane)));
    }
    for number in 0..stack.warps {
        let origin = stack.first_warp + number;
        let y = sizes.home_cell(number, 0).y;
        chip(scene, origin, 44.0, y + (sizes.cell - 9.0) / 2.0, 9.0);
        scene.mono(0, Tone::Text, 0.0, y + sizes.cell / 2.0 + 4.0, SMALL, Align::Left, format!("w{origin}"));
        let Some(picture) = block.static_warp(number) else { continue };
        for lane in (0..sizes.lanes).filter(|lane| picture.present >> lane & 1 != 0) {
            thread(scene, block, picture, number, lane, &rows, ways);
        }
    }
    buffer + TITLE + f32::from(stack.warps).max(rows.len() as f32) * sizes.row
}

/// Draws the place of a warp in the warp buffer, and marks it when it has just issued.
fn buffered(scene: &mut Scene<Selection>, block: &ShownBlock, row: usize, entry: u16) {
    let sizes = &block.sizes;
    let state = &block.sm.warps[usize::from(entry)];
    let first = sizes.away_cell(row, 0);
    let middle = first.y + sizes.cell / 2.0 + 4.0;
    scene.mono(0, Tone::Text, 0.0, middle, SMALL, Align::Left, block.view.listing.place(state.place.pc));
    (0..sizes.lanes).for_each(|lane| scene.outline(0, Tone::Line, sizes.away_cell(row, lane)));
    let last = sizes.away_cell(row, sizes.lanes - 1);
    let frame = Rect::new(first.x - 3.0, first.y - 2.0, last.x + last.w - first.x + 6.0, sizes.cell + 4.0);
    scene.beat = Beat::Flash;
    let lit = block.sm.issued.warps.contains(entry.into());
    scene.mark(key(kind::NOW, u32::from(entry), 0, 0), Tone::Accent, lit, Geometry::Ring(frame));
    scene.beat = Beat::Travel;
}

/// Draws a thread of the block's static warp `number` where it is: at home, or in its warp's row of the buffer.
fn thread(
    scene: &mut Scene<Selection>,
    block: &ShownBlock,
    picture: &WarpPicture,
    number: u16,
    lane: u32,
    rows: &[u16],
    ways: &Ways,
) {
    let (sm, sizes) = (block.sm, &block.sizes);
    let cell = sizes.home_cell(number, lane);
    let thread = Thread::of(picture, lane);
    scene.spot(cell, thread.selection());
    if picture.alive >> lane & 1 == 0 {
        thread.draw(scene, Stand::Ended, cell);
        return;
    }
    let at = sm.statics.at[usize::from(picture.warp) * sizes.lanes as usize + lane as usize];
    match rows.iter().position(|entry| *entry == at) {
        Some(row) => {
            let waits = sm.sets.barrier.contains(at.into());
            thread.draw(scene, if waits { Stand::Parked } else { Stand::Token }, sizes.away_cell(row, lane));
        }
        None => {
            thread.draw(scene, Stand::Token, cell);
            // On its way home the thread passes the mask of its side.
            if let Some((_, point)) = ways.iter().find(|(mask, _)| has(mask, number, lane)) {
                thread.pass(scene, cell, sizes.mask_cell(*point, number, lane));
            }
        }
    }
    if block.view.selection == Some(thread.selection()) {
        scene.outline(0, Tone::Text, Rect::new(cell.x - 2.0, cell.y - 2.0, cell.w + 4.0, cell.h + 4.0));
    }
}

/// Draws the compactor's priority encoders, with how many threads each home lane still has to give.
pub fn encoders(scene: &mut Scene<Selection>, block: &ShownBlock) {
    let (stack, sizes) = (block.stack, &block.sizes);
    let y = sizes.encoders();
    let running = stack.entries.iter().rev().find(|entry| entry.state == EntryState::Running && count(&entry.todo) > 0);
    for lane in 0..sizes.lanes {
        let cell = sizes.grid.cell(lane, y + 3.0, 14.0);
        let waiting = running.map_or(0, |entry| entry.todo.iter().filter(|mask| *mask >> lane & 1 != 0).count());
        scene.beat = Beat::Flash;
        scene.mark(key(kind::ENCODER, lane, 0, 0), Tone::Accent, waiting > 0, Geometry::Fill(cell));
        scene.beat = Beat::Travel;
        scene.outline(0, Tone::Edge, cell);
        if waiting > 0 && cell.w >= 9.0 {
            scene.mono(0, Tone::OnAccent, cell.x + cell.w / 2.0, y + 14.0, 10.0, Align::Middle, waiting.to_string());
        }
    }
    scene.label(0, Tone::Soft, 0.0, y + 14.0, SMALL, Align::Left, "compactor");
    if let Some(entry) = running {
        let text = format!("{} to go", counted(compactor::warps(&entry.todo).into(), "warp"));
        // Beside the title of the buffer that the warps go to.
        scene.label(0, Tone::Accent, BEHIND_TITLE, y + ENCODERS + 12.0, SMALL, Align::Left, text);
    }
}
