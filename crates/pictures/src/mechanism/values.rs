//! The values of one register in the tokens of the threads, in place of the threads' numbers.
//!
//! A lesson that asks what threads do next names the register that decides it. A token then shows `n=3` where there is room, else
//! the value alone.

use super::PanelView;
use super::parts::{Thread, kind};
use crate::scene::{Geometry, Rect, Scene, ShapeKey};
use crate::view::{Selection, WarpPicture};
use std::collections::BTreeMap;
use warpscope_machine::sim::logical::StorageThread;

/// The advance of a monospace letter, as a share of the font size.
const LETTER: f32 = 0.62;
/// The least size at which `n=3` is written.
const NAMED: f32 = 9.0;

/// Writes the register's values into the tokens; without such a register the tokens stay.
pub fn write(scene: &mut Scene<Selection>, view: &PanelView, register: &str) {
    let values = values(view, register);
    let cells: BTreeMap<ShapeKey, Rect> = scene
        .shapes
        .iter()
        .filter(|shape| shape.key >> 56 == u64::from(kind::THREAD))
        .map(|s| (s.key, s.geometry.place()))
        .collect();
    for shape in &mut scene.shapes {
        let Some((thread, value)) = values.get(&shape.key) else { continue };
        let Geometry::Text { size, text, .. } = &mut shape.geometry else { continue };
        let (room, large) = cells.get(thread).map_or((*size, *size), |cell| (cell.w - 4.0, (cell.h * 0.36).max(*size)));
        let fitting = |text: &str| room / (text.len() as f32 * LETTER);
        let named = format!("{register}={value}");
        let (words, most) = if fitting(&named) >= NAMED { (named, large) } else { (value.clone(), *size) };
        *size = fitting(&words).min(most);
        *text = words;
    }
}

/// Returns each thread's value, and the key of its token, by the key of the token's text.
fn values(view: &PanelView, register: &str) -> BTreeMap<ShapeKey, (ShapeKey, String)> {
    let registers = &view.sim.machine.program.registers;
    let Some(register) = registers.iter().find(|known| known.name.trim_start_matches('%') == register) else {
        return BTreeMap::new();
    };
    let float = view.listing.is_float(register.plane);
    let read = |warp: &WarpPicture, lane: u32| {
        let sm = view.sim.state.sms.get(usize::from(warp.sm))?;
        let block = sm.blocks.get(usize::from(warp.slot))?.as_ref()?;
        let word = block.registers.word(register.plane, StorageThread(warp.first_place.0 + lane));
        Some(if float { f32::from_bits(word).to_string() } else { word.to_string() })
    };
    let lanes = view.picture.warps.iter().flat_map(|warp| (0..warp.width).map(move |lane| (warp, lane)));
    lanes
        .filter_map(|(warp, lane)| {
            let thread = Thread::of(warp, lane);
            Some((thread.key(kind::THREAD_TEXT), (thread.key(kind::THREAD), read(warp, lane)?)))
        })
        .collect()
}
