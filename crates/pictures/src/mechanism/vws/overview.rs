//! All original gangs: each is a row of cells with the names of its gangs.

use super::super::PanelView;
use super::super::parts::{hue, ink, kind, reason};
use super::rows::Row;
use crate::scene::{Align, Geometry, Rect, Scene, Tone, key};
use crate::view::Selection;
use crate::view::words::gang_name;

/// The least pitch of cells with room for a gang's name.
const NAME: f32 = 32.0;

/// Draws every original gang as a row of cells; returns the lower end.
pub fn draw(scene: &mut Scene<Selection>, view: &PanelView, rows: &[Row], chosen: Option<u32>, y: f32) -> f32 {
    let slices = view.sim.machine.config.slices;
    let height = 17.0;
    let wide = 52.0 + slices as f32 * 30.0 + 90.0;
    let count = ((view.width + 20.0) / (wide + 20.0)).floor().max(1.0) as usize;
    let per_column = rows.len().div_ceil(count).max(1);
    let column = (view.width + 20.0) / count as f32;
    let pitch = ((column - 20.0 - 52.0 - 84.0) / slices as f32).clamp(10.0, 44.0);
    let gangs = view.sim.machine.config.gangs;
    for (at, row) in rows.iter().enumerate() {
        let left = (at / per_column) as f32 * column;
        let top = y + (at % per_column) as f32 * height;
        if chosen == Some(row.number) {
            scene.fill(key(kind::OVERVIEW_ROW, 0, 0, 0), Tone::Picked, Rect::new(left, top, column - 20.0, height));
        }
        let first = row.number * slices;
        let name = if gangs { row.number.to_string() } else { format!("w{first}") };
        scene.mono(0, Tone::Text, left, top + 12.0, 11.0, Align::Left, name);
        for slice in 0..slices {
            let Some(warp) = row.warps[slice as usize] else { continue };
            let cell = Rect::new(left + 52.0 + slice as f32 * pitch, top + 2.0, pitch - 3.0, height - 4.0);
            let who = key(kind::OVERVIEW_LANE, u32::from(warp.sm) << 16 | u32::from(warp.warp), 0, 0);
            if !row.lives(slice) {
                scene.push(who, Tone::Soft, Geometry::Dot(cell));
            } else if let Some(entry) = row.entry(slice) {
                scene.fill(who, hue(warp.warp), cell);
                if pitch >= NAME {
                    let (x, y) = (cell.x + cell.w / 2.0, cell.y + 10.0);
                    scene.mono(0, ink(warp.warp), x, y, 10.0, Align::Middle, gang_name(row.number, entry));
                }
            } else if !gangs && warp.active != 0 {
                scene.fill(who, hue(warp.warp), cell);
            } else {
                scene.outline(who, hue(warp.warp), cell);
            }
            scene.spot(cell, Selection::Warp { sm: warp.sm, warp: warp.warp });
        }
        let lead = row.warps.iter().flatten().find(|warp| warp.alive != 0);
        if let Some(lead) = lead {
            let x = left + 52.0 + slices as f32 * pitch + 4.0;
            reason(scene, lead.reason, left + 32.0, top + 3.0, 11.0);
            let pcs = row.places();
            let text = if pcs == 1 { format!("PC {}", lead.pc) } else { format!("{pcs} PCs") };
            scene.mono(0, Tone::Soft, x, top + 12.0, 11.0, Align::Left, text);
        }
    }
    y + per_column.min(rows.len().max(1)) as f32 * height
}
