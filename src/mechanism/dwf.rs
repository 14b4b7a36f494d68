//! DWF's picture: the warp pool by PC.
//!
//! Each group is the warps at one PC, with how many threads wait there: what majority scheduling looks at. The largest
//! group is issued from; the others are left behind until it is no longer the largest. Every thread keeps its static
//! warp's colour, so that a warp made of many shows it, and flies to the warp that it joins. Under DWF-WB, static warps that
//! have diverged have a barrier each, where they are restored. (TBC sections 1, 2.3 and 2.4)

use super::PanelView;
use super::parts::{self, BASE, LaneGrid, SMALL, fitting, heading, hue, kind, overview};
use crate::policy::divergence::dwf::{Dwf, PoolStage, PoolWarp};
use crate::program::Pc;
use crate::scene::{Align, Figure, Rect, Scene, Tone, key};
use crate::view::Selection;
use crate::view::why::counted;

/// Room for what is said of the threads at a PC, behind their bar.
const WORDS: f32 = 230.0;
const LABEL: f32 = 76.0;
/// Heights that the pool's part takes are multiples of this.
const STEP: f32 = 64.0;
/// Room for the static warps below it.
const WARPS: f32 = 160.0;
const BELOW: f32 = WARPS + 40.0;

pub fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let name = view.sm();
    let Some(dwf) = view.sim.state.sms.get(usize::from(name)).and_then(|sm| sm.divergence.dwf()) else { return scene };
    scene.bold(0, Tone::Text, 0.0, 15.0, 15.0, Align::Left, "Warp pool");
    let left = parts::shared(&mut scene, &view);
    let about = fitting("warps, by their next PC", (left - 110.0) * SMALL / BASE);
    scene.label(0, Tone::Soft, 100.0, 15.0, BASE, Align::Left, about);
    let waiting = dwf.threads_by_pc();
    let threads_at = |pc: Pc| waiting.get(&pc).copied().unwrap_or_default();
    let (largest, most) =
        waiting.iter().map(|(&pc, &threads)| (pc, threads)).reduce(|a, b| if b.1 > a.1 { b } else { a }).unwrap_or_default();
    // The group that is issued from: the scheduler stays with one until nobody is left, then takes the largest, the first
    // among equals.
    let ports = &view.sim.state.sms[usize::from(name)].ports;
    let kept = ports.iter().find_map(|port| port.scheduler.majority_pc()).filter(|pc| threads_at(*pc) > 0);
    let turn = |pc: Pc| match kept {
        Some(kept) if kept == pc => Some("until nobody is left"),
        None if largest == pc => Some("the most that wait"),
        _ => None,
    };
    // In the order of PCs, so that groups stay where they are while they grow and shrink.
    let mut pool: Vec<(u16, &PoolWarp)> = dwf.pool().collect();
    pool.sort_by_key(|(_, warp)| warp.pc);
    let width = view.sim.machine.config.warp_width;
    let grid = LaneGrid::fit(LABEL, view.width - LABEL, width, 24.0);
    let height = (grid.pitch - grid.gap).clamp(7.0, 18.0);
    let mut y = 28.0;
    let same_pc = |a: &(u16, &PoolWarp), b: &(u16, &PoolWarp)| a.1.pc == b.1.pc;
    for warps in pool.chunk_by(same_pc) {
        let pc = warps[0].1.pc;
        y = group_head(&mut scene, &view, pc, (threads_at(pc), most), turn(pc), y);
        for (entry, warp) in warps {
            pool_warp(&mut scene, &view, name, *entry, warp, &grid, height, y);
            y += height + 3.0;
        }
        y += 8.0;
    }
    if pool.is_empty() {
        scene.label(0, Tone::Soft, 0.0, y + 14.0, BASE, Align::Left, "The pool is empty.");
        y += 24.0;
    }
    y = barriers(&mut scene, &view, name, dwf, &grid, height, y);
    // At the bottom where there is room, and else in coarse steps, so that what lies below does not jump whenever the pool
    // changes.
    y = ((y / STEP).ceil() * STEP).max(view.height - BELOW);
    scene.fill(0, Tone::Line, Rect::new(0.0, y + 8.0, view.width, 1.0));
    let legend = "filled: can run · outline: kept by the technique · bar: at a barrier · dot: ended";
    heading(&mut scene, &view, y + 28.0, "Static warps", legend);
    y += 36.0;
    y += overview(&mut scene, &view, y, WARPS);
    scene.height = scene.height.max(y);
    scene.words = format!(
        "Cycle {}: {} in the pool at {}{}. {} shared so far.",
        view.picture.cycle,
        counted(pool.len() as u64, "warp"),
        counted(pool.chunk_by(same_pc).count() as u64, "PC"),
        if most == 0 { String::new() } else { format!("; the most popular has {} that can run", counted(most.into(), "thread")) },
        counted(view.tally.shared(), "issue slot")
    );
    scene
}

/// A PC, and how many threads wait there to be issued, beside the most that do anywhere; and why it is their turn, if it is.
fn group_head(
    scene: &mut Scene<Selection>,
    view: &PanelView,
    pc: Pc,
    (threads, most): (u32, u32),
    turn: Option<&str>,
    y: f32,
) -> f32 {
    let turn = turn.filter(|_| threads > 0);
    let tone = if turn.is_some() { Tone::Text } else { Tone::Soft };
    scene.mono(0, tone, 0.0, y + 12.0, 12.0, Align::Left, format!("PC {pc}"));
    scene.label(0, Tone::Soft, LABEL, y + 12.0, SMALL, Align::Left, view.listing.line(pc));
    // How many threads wait here, as a length.
    let room = (view.width - LABEL - 90.0 - WORDS).max(0.0);
    let share = if most == 0 { 0.0 } else { threads as f32 / most as f32 };
    let from = LABEL + 90.0;
    scene.fill(
        key(kind::ENCODER, pc, 0, 0),
        if turn.is_some() { Tone::Accent } else { Tone::Edge },
        Rect::new(from, y + 4.0, room * share, 8.0),
    );
    let word = match (threads, turn) {
        (0, _) => "in flight".to_string(),
        (n, Some(why)) => format!("{}: its turn, {why}", counted(n.into(), "thread")),
        (1, None) => "1 thread waits".to_string(),
        (n, None) => format!("{n} threads wait"),
    };
    scene.label(0, tone, view.width, y + 12.0, SMALL, Align::Right, word);
    y + 18.0
}

#[expect(clippy::too_many_arguments, reason = "a row of a picture has a place, a size and a subject")]
fn pool_warp(
    scene: &mut Scene<Selection>,
    view: &PanelView,
    sm: u16,
    entry: u16,
    warp: &PoolWarp,
    grid: &LaneGrid,
    height: f32,
    y: f32,
) {
    let state = match warp.stage {
        PoolStage::Flying => "in flight",
        _ if warp.sealed => "static",
        _ => "waits",
    };
    scene.label(0, Tone::Soft, 0.0, y + height / 2.0 + 4.0, SMALL, Align::Left, state);
    if view.sim.state.sms[usize::from(sm)].issued.warps.contains(entry.into()) {
        scene.fill(0, Tone::Accent, Rect::new(LABEL - 10.0, y, 4.0, height));
    }
    for lane in 0..view.sim.machine.config.warp_width {
        scene.outline(0, Tone::Edge, grid.cell(lane, y, height));
    }
    for (lane, origin) in warp.members.lanes() {
        let cell = grid.cell(lane as u32, y, height);
        let who = u32::from(sm) << 16 | u32::from(origin);
        scene.push(key(kind::THREAD, who, lane as u16, 0), hue(origin), Figure::Fill(cell));
        parts::origin(scene, key(kind::THREAD_TEXT, who, lane as u16, 0), origin, cell);
        scene.spot(cell, Selection::Lane { sm, warp: origin, lane: lane as u8 });
    }
}

/// DWF-WB: the barriers of static warps that have diverged.
fn barriers(scene: &mut Scene<Selection>, view: &PanelView, sm: u16, dwf: &Dwf, grid: &LaneGrid, height: f32, mut y: f32) -> f32 {
    let mut any = false;
    for warp in &view.picture.warps {
        let Some(barrier) = dwf.warp_barrier(warp.warp).filter(|_| warp.sm == sm) else { continue };
        if !any {
            scene.bold(0, Tone::Text, 0.0, y + 14.0, BASE, Align::Left, "Warp barriers");
            scene.label(
                0,
                Tone::Soft,
                116.0,
                y + 14.0,
                SMALL,
                Align::Left,
                "where a static warp's threads meet and are a warp again",
            );
            y += 22.0;
            any = true;
        }
        scene.mono(0, Tone::Text, 0.0, y + height / 2.0 + 4.0, 11.0, Align::Left, format!("{} @ {}", warp.warp, barrier.pc));
        for lane in (0..warp.width).filter(|lane| barrier.expected >> lane & 1 != 0) {
            let cell = grid.cell(lane, y, height);
            if barrier.arrived >> lane & 1 != 0 {
                let who = u32::from(sm) << 16 | u32::from(warp.warp);
                scene.push(key(kind::THREAD, who, lane as u16, 0), hue(warp.warp), Figure::Wait(cell));
            } else {
                scene.outline(0, Tone::Mark, cell);
            }
        }
        y += height + 3.0;
    }
    y
}
