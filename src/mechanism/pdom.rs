//! PDOM's picture: the selected warp's stack over its lanes, and all warps below.
//!
//! The stack's rows lie under the lanes they are about, so that a mask is read off its column. The top entry, which runs,
//! is the first row; the others wait, each for the ones above it. (TBC section 2.2.2)

use super::PanelView;
use super::parts::{BASE, LaneGrid, SMALL, chip, fitting, heading, hue, kind, lane, overview, reason};
use crate::event::Event;
use crate::program::Pc;
use crate::scene::{Align, Rect, Scene, Tone, key};
use crate::view::why::{counted, the_lanes};
use crate::view::{Lane, Selection, WarpPicture, cut};

const LABELS: f32 = 118.0;
const ENTRY: f32 = 20.0;
const LEGEND: &str = "filled: active · outline: masked · number: stack entries · bar: at a barrier · dot: ended";

/// Rows that the stack's part has room for before it pushes the overview down: the same all through a run, and as many as
/// the overview can spare.
fn rows_kept(view: &PanelView) -> usize {
    const OTHERS: f32 = 170.0;
    const WARP: f32 = 22.0;
    let machine = &view.sim.machine;
    let blocks = machine.start.shape.blocks().div_ceil(u64::from(machine.config.sms));
    let warps = blocks.saturating_mul(machine.block_warps.into()).min(machine.max_warps.into());
    (((view.height - OTHERS - warps as f32 * WARP) / ENTRY) as usize).clamp(4, 12)
}

pub fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let warp = view.focus();
    let mut y = 0.0;
    if let Some(warp) = warp {
        y = focus(&mut scene, &view, warp);
    }
    y += 12.0;
    scene.fill(0, Tone::Line, Rect::new(0.0, y, view.width, 1.0));
    y += 20.0;
    heading(&mut scene, &view, y, "All warps", LEGEND);
    y += 8.0;
    y += overview(&mut scene, &view, y, (view.height - y - 4.0).max(60.0));
    scene.height = scene.height.max(y);
    scene.words = words(&view, warp);
    scene
}

/// The selected warp large: its lanes, and its stack below them. The height that was needed.
fn focus(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture) -> f32 {
    let grid = LaneGrid::fit(LABELS, view.width - LABELS, warp.width, 30.0);
    let tone = hue(warp.warp);
    chip(scene, warp.warp, 0.0, 3.0, 14.0);
    scene.bold(0, Tone::Text, 20.0, 15.0, 15.0, Align::Left, format!("Warp {}", warp.warp));
    scene.label(0, Tone::Soft, 98.0, 15.0, BASE, Align::Left, format!("block {}", warp.block));
    if let Some(did) = warp.reason {
        reason(scene, Some(did), 172.0, 3.0, 14.0);
        scene.label(0, Tone::Soft, 196.0, 15.0, BASE, Align::Left, did.label());
    }
    let code = view.listing.code(&view.sim.machine.program, warp.pc);
    let room = ((view.width - 320.0) / 7.3).max(0.0) as usize;
    if !code.is_empty() && room > 12 {
        scene.mono(0, Tone::Soft, view.width, 15.0, 12.0, Align::Right, cut(code, room));
    }

    let mut y = 40.0;
    // Lane numbers: every fourth, or every one where there is room.
    for at in (0..warp.width).filter(|at| at % 4 == 0 || grid.pitch >= 16.0) {
        let cell = grid.cell(at, y, 0.0);
        scene.mono(0, Tone::Soft, cell.x + cell.w / 2.0, y, 10.0, Align::Middle, at.to_string());
    }
    scene.label(0, Tone::Soft, 0.0, y, SMALL, Align::Left, "lane");
    y += 6.0;
    let height = grid.pitch.clamp(12.0, 22.0);
    for at in 0..warp.width {
        let cell = grid.cell(at, y, height);
        lane(scene, key(kind::FOCUS_LANE, 0, 0, at as u8), warp.lane(at), tone, cell);
        let name = Selection::Lane { sm: warp.sm, warp: warp.warp, lane: at as u8 };
        scene.spot(cell, name);
        if view.selection == Some(name) {
            let ring = Rect::new(cell.x - 2.0, cell.y - 2.0, cell.w + 4.0, cell.h + 4.0);
            scene.outline(0, Tone::Text, ring);
        }
    }
    scene.label(
        0,
        Tone::Text,
        0.0,
        y + height / 2.0 + 4.0,
        SMALL,
        Align::Left,
        format!("{} of {} active", warp.active.count_ones(), warp.width),
    );
    y += height + 22.0;
    let title = if view.sim.machine.config.divergence.likely() { "PC → RPC (LPC)" } else { "stack: PC → RPC" };
    scene.label(0, Tone::Soft, 0.0, y, SMALL, Align::Left, title);
    match merged(view.last, warp) {
        Some((pc, mask)) => {
            let text = format!("{} merged at the likely-convergence point, PC {pc}", the_lanes(mask));
            scene.bold(0, Tone::Accent, LABELS, y, SMALL, Align::Left, text);
        }
        None => {
            let text = fitting("the top entry runs, the others wait below it", view.width - LABELS);
            scene.label(0, Tone::Soft, LABELS, y, SMALL, Align::Left, text);
        }
    }
    y += 6.0;
    let depth = warp.stack.len();
    for (row, (at, entry)) in warp.stack.iter().enumerate().rev().enumerate() {
        let top = y + row as f32 * ENTRY;
        let runs = row == 0;
        let name = at as u8;
        if runs {
            scene.fill(
                key(kind::ENTRY_ROW, 0, 0, 0),
                Tone::Changed,
                Rect::new(0.0, top, view.width.min(LABELS + grid.width(warp.width) + 4.0), ENTRY - 2.0),
            );
        }
        let likely = entry.lpc.map_or(String::new(), |lpc| format!(" ({lpc})"));
        let text = format!("{} → {}{likely}", entry.pc, entry.rpc.map_or("end".to_string(), |rpc: Pc| rpc.to_string()));
        scene.mono(
            key(kind::ENTRY_TEXT, 0, 0, name),
            if runs { Tone::Text } else { Tone::Soft },
            6.0,
            top + 13.0,
            12.0,
            Align::Left,
            text,
        );
        for lane_at in 0..warp.width {
            let cell = grid.cell(lane_at, top + 3.0, ENTRY - 8.0);
            let look = match (entry.mask >> lane_at & 1 != 0, runs) {
                (true, true) => Lane::Active,
                (true, false) => Lane::Masked,
                (false, _) => continue,
            };
            lane(scene, key(kind::ENTRY_LANE, lane_at, name.into(), 0), look, if runs { tone } else { Tone::Soft }, cell);
        }
    }
    y + depth.max(rows_kept(view)) as f32 * ENTRY
}

/// The lanes that came to the warp's likely-convergence point in the last cycle, and joined those that wait there.
fn merged(last: &[Event], of: &WarpPicture) -> Option<(Pc, u32)> {
    last.iter().find_map(|event| match *event {
        Event::LikelyMerge { sm, warp, pc, mask, .. } if (sm, warp) == (of.sm, of.warp) => Some((pc, mask)),
        _ => None,
    })
}

fn words(view: &PanelView, warp: Option<&WarpPicture>) -> String {
    let resident = view.picture.warps.len();
    let issued = view.picture.warps.iter().filter(|w| w.reason == Some(crate::event::Reason::Issued)).count();
    let divergent = view.picture.warps.iter().filter(|w| w.stack.len() > 1).count();
    let mut text = format!(
        "Cycle {}: {} resident, {issued} issued in the last cycle, {divergent} divergent.",
        view.picture.cycle,
        counted(resident as u64, "warp")
    );
    if let Some(warp) = warp {
        text.push_str(&format!(
            " Warp {}: {} of {} lanes active at PC {}, {}; stack entries: {}.",
            warp.warp,
            warp.active.count_ones(),
            warp.width,
            warp.pc,
            view.listing.line(warp.pc),
            warp.stack.len()
        ));
    }
    text
}
