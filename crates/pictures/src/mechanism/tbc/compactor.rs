//! The compactor, drawn: the rows of the running entry's mask that are still to be formed, above an encoder for each lane.

use super::super::parts::{BASE, PALE, SMALL, Thread, hue, kind};
use super::sizes::ENCODER;
use super::{ShownBlock, count, has};
use crate::scene::{Align, Geometry, Scene, Tone, key};
use crate::view::Selection;
use crate::view::words::counted;
use warpscope_machine::policy::divergence::block_stack::EntryState;
use warpscope_machine::policy::divergence::compactor;

/// Draws the bits that wait for the encoders, and, unseen until the film of this cycle shows them, those of the warps that were
/// formed in it.
pub fn draw(scene: &mut Scene<Selection>, block: &ShownBlock) {
    let (stack, sizes) = (block.stack, &block.sizes);
    let running = stack.entries.iter().rev().find(|entry| entry.state == EntryState::Running && count(&entry.todo) > 0);
    let formed: Vec<u16> = block.formed().collect();
    for number in 0..sizes.warps {
        let Some(picture) = block.static_warp(number) else { continue };
        for lane in (0..sizes.lanes).filter(|lane| picture.present >> lane & 1 != 0) {
            let waits = running.is_some_and(|entry| has(&entry.todo, number, lane));
            let entry = block.sm.statics.at[usize::from(picture.warp) * sizes.lanes as usize + lane as usize];
            if waits || (formed.contains(&entry) && block.runs(picture.warp, lane)) {
                let bit = Thread::of(picture, lane).key(kind::DOCK);
                scene.fill(bit, hue(picture.warp), sizes.dock_cell(number, lane));
                scene.fade(if waits { 2.0 * PALE } else { 0.0 });
            }
        }
    }
    for lane in 0..sizes.lanes {
        let cell = sizes.encoder(lane);
        scene.mark(key(kind::ENCODER, lane, 0, 0), Tone::Accent, false, Geometry::Fill(cell));
        scene.outline(0, Tone::Edge, cell);
    }
    scene.bold(0, Tone::Text, 0.0, sizes.dock_cell(0, 0).y + 8.0, BASE, Align::Left, "Compactor");
    let (name, y) = (key(kind::TO_GO, 0, 0, 0), sizes.encoder(0).y + ENCODER - 3.0);
    match running {
        Some(entry) => {
            let text = format!("{} to go", counted(compactor::warps(&entry.todo).into(), "warp"));
            scene.label(name, Tone::Accent, 0.0, y, SMALL, Align::Left, text);
        }
        None => scene.label(name, Tone::Soft, 0.0, y, SMALL, Align::Left, "encoders"),
    }
}
