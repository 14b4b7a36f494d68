//! All blocks of the SM, of which the picture shows one.

use super::super::PanelView;
use super::super::parts::{SMALL, heading, hue};
use crate::scene::{Align, Rect, Scene, Tone};
use crate::view::{Selection, WarpPicture};

/// Draws the SM's blocks, a small mask each, filled where a thread can run. Returns the lower end.
pub fn draw(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture, y: f32) -> f32 {
    scene.fill(0, Tone::Line, Rect::new(0.0, y, view.width, 1.0));
    heading(scene, view, y + 17.0, "All blocks", "filled: can run · a row for each warp");
    let (mut x, mut top, mut end) = (0.0, y + 24.0, y + 24.0);
    let mut warps: Vec<&WarpPicture> = view.warps().collect();
    warps.sort_by_key(|other| (other.slot, other.warp));
    for block in warps.chunk_by(|a, b| a.slot == b.slot) {
        let pixel = if warp.width > 8 { 2.0 } else { 4.0 };
        let (wide, tall) = (warp.width as f32 * pixel, block.len() as f32 * 3.0);
        let name = block[0].block.to_string();
        let room = wide + 20.0 + name.len() as f32 * 7.0;
        if x > 0.0 && x + room > view.width {
            (x, top) = (0.0, top + tall.max(12.0) + 6.0);
        }
        let rect = Rect::new(x, top, room - 6.0, tall.max(12.0) + 2.0);
        let chosen = block[0].slot == warp.slot;
        if chosen {
            scene.fill(0, Tone::Picked, rect);
        }
        scene.spot(rect, Selection::Block { sm: warp.sm, slot: block[0].slot });
        scene.mono(0, if chosen { Tone::Text } else { Tone::Soft }, x + 2.0, top + 10.0, SMALL, Align::Left, name.as_str());
        for (row, other) in block.iter().enumerate() {
            let line = Rect::new(x, top + 1.0 + row as f32 * 3.0, rect.w, 3.0);
            scene.spot(line, Selection::Warp { sm: other.sm, warp: other.warp });
            for lane in (0..warp.width).filter(|lane| other.active >> lane & 1 != 0) {
                let from = x + name.len() as f32 * 7.0 + 6.0;
                let cell = Rect::new(from + lane as f32 * pixel, top + 1.0 + row as f32 * 3.0, pixel, 2.0);
                scene.fill(0, hue(other.warp), cell);
            }
        }
        end = rect.y + rect.h;
        x += room + 4.0;
    }
    end + 4.0
}
