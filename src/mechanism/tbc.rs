//! TBC's picture: a block's stack, its block-wide mask, and the warps that the compactor makes of it.
//!
//! On the left every thread of the block has its home, in its static warp's row and its home lane; on the right are the
//! warps of the warp buffer. A thread is in one of the two places: it flies over when the compactor picks it for a warp, and
//! back when its warp has arrived. At home, a thread that has arrived at a branch shows which side it goes to, so that the
//! two masks fill in as warps arrive. (TBC sections 3.1 to 3.3, figures 7 to 9)

use super::PanelView;
use super::parts::{self, BASE, LaneGrid, SMALL, chip, fitting, heading, hue, kind, overview};
use crate::event::Event;
use crate::policy::divergence::NEVER;
use crate::policy::divergence::block_stack::{BlockEntry, BlockStack, EntryState};
use crate::policy::divergence::compactor;
use crate::policy::divergence::tbc::Tbc;
use crate::program::Pc;
use crate::scene::{Align, Figure, Rect, Scene, Tone, key};
use crate::sim::state::Sm;
use crate::view::why::counted;
use crate::view::{Selection, WarpPicture};

const ROW: f32 = 18.0;
/// Entries that the stack has room for before it pushes the rest down.
const ROOM: usize = 5;
/// Room for what lies around the stack: the block-wide mask and the warp buffer with it.
const BELOW: f32 = 250.0;

pub fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let Some(warp) = view.focus() else {
        overview(&mut scene, &view, 0.0, view.height);
        scene.words = "No block is resident.".into();
        return scene;
    };
    let sm = &view.sim.state.sms[usize::from(warp.sm)];
    let Some((tbc, stack)) = sm.divergence.tbc().and_then(|tbc| tbc.block(warp.slot).map(|stack| (tbc, stack))) else {
        return scene;
    };
    let mut y = header(&mut scene, &view, warp, stack);
    y = stack_rows(&mut scene, &view, warp, stack, y);
    y = threads(&mut scene, &view, warp, sm, tbc, stack, y) + 8.0;
    scene.fill(0, Tone::Line, Rect::new(0.0, y, view.width, 1.0));
    let legend = "filled: can run · outline: waits for its block · bar: at a barrier";
    heading(&mut scene, &view, y + 20.0, "All warps", legend);
    y += 28.0;
    y += overview(&mut scene, &view, y, (view.height - y - 4.0).max(60.0));
    scene.height = scene.height.max(y);
    scene.words = words(&view, warp, stack);
    scene
}

fn header(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture, stack: &BlockStack) -> f32 {
    let last = stack.first_warp + stack.warps.max(1) - 1;
    scene.bold(0, Tone::Text, 0.0, 15.0, 15.0, Align::Left, format!("Block {}", warp.block));
    let about = format!("{}, one stack for all", warps(stack.first_warp, last));
    if view.width > 480.0 {
        scene.label(0, Tone::Soft, 76.0, 15.0, BASE, Align::Left, about);
    }
    parts::shared(scene, view);
    26.0
}

fn warps(first: u16, last: u16) -> String {
    if first == last { format!("warp {first}") } else { format!("warps {first} to {last}") }
}

fn count(mask: &[u32]) -> u32 {
    mask.iter().map(|lanes| lanes.count_ones()).sum()
}

/// The block's stack, the top first, with what each entry waits for.
fn stack_rows(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture, stack: &BlockStack, mut y: f32) -> f32 {
    let columns = [0.0, 66.0, 150.0, 212.0, 274.0];
    y += 14.0;
    for (x, name) in columns.into_iter().zip(["stack", "PC → RPC", "LPC", "WCnt", "threads"]) {
        scene.label(0, Tone::Soft, x, y, SMALL, Align::Left, name);
    }
    y += 6.0;
    let next = stack.entries.iter().rposition(|entry| entry.state == EntryState::Pending);
    // Of a deep stack the middle is left out where the masks below would be out of sight.
    let most = ((view.height - BELOW) / ROW).max(ROOM as f32 + 2.0) as usize;
    let all = stack.entries.len();
    let left_out = if all > most { 1..all - (most - 2) } else { 0..0 };
    for (at, entry) in stack.entries.iter().enumerate().rev() {
        if left_out.contains(&at) {
            if at == left_out.start {
                let text = format!("… {} more", left_out.len());
                scene.label(0, Tone::Soft, 0.0, y + 13.0, SMALL, Align::Left, text);
                y += ROW;
            }
            continue;
        }
        let name = (entry.id & 0xffff) as u16;
        let runs = entry.state == EntryState::Running;
        if runs {
            scene.fill(key(kind::ENTRY_ROW, 0, name, 1), Tone::Changed, Rect::new(0.0, y, view.width, ROW - 1.0));
        }
        let tone = if runs { Tone::Text } else { Tone::Soft };
        let state = match entry.state {
            EntryState::Running => "▶ runs",
            EntryState::Pending if next == Some(at) => "is next",
            EntryState::Pending => "later",
            EntryState::Waiting => "waits",
        };
        let point = |pc: u32| if pc == NEVER { "–".to_string() } else { pc.to_string() };
        let places = format!("{} → {}", entry.pc, if entry.rpc == NEVER { "end".into() } else { entry.rpc.to_string() });
        let cells = [state.to_string(), places, point(entry.lpc), entry.wcnt.to_string(), count(&entry.mask).to_string()];
        for (column, (x, text)) in columns.into_iter().zip(cells).enumerate() {
            scene.mono(key(kind::ENTRY_TEXT, 0, name, column as u8), tone, x, y + 13.0, 12.0, Align::Left, text);
        }
        arriving(scene, view, entry, 330.0, y);
        y += ROW;
    }
    if let Some((pc, threads)) = merged(view.last, warp) {
        let text = format!("{} merged at the likely-convergence point, PC {pc}", counted(threads.into(), "thread"));
        scene.bold(0, Tone::Accent, 0.0, y + 13.0, SMALL, Align::Left, text);
    }
    // Room for a few entries is kept, and a line for a merge, so that what lies below does not jump.
    y + ROOM.saturating_sub(stack.entries.len()).max(1) as f32 * ROW + 10.0
}

/// The sides of the branch that an entry's warps arrive at, filling up.
fn arriving(scene: &mut Scene<Selection>, view: &PanelView, entry: &BlockEntry, x: f32, y: f32) {
    let Some(arrivals) = entry.arrivals.first() else { return };
    let sides: Vec<String> = arrivals.sides.iter().map(|side| format!("{} to PC {}", count(&side.mask), side.pc)).collect();
    let text =
        if sides.is_empty() { format!("{} arrived", count(&arrivals.mask)) } else { format!("arrived: {}", sides.join(", ")) };
    if view.width > x + 80.0 {
        scene.label(0, Tone::Accent, x, y + 13.0, SMALL, Align::Left, text);
    }
}

/// Homes on the left, warps on the right, and every thread in one of the two.
fn threads(
    scene: &mut Scene<Selection>,
    view: &PanelView,
    warp: &WarpPicture,
    sm: &Sm,
    tbc: &Tbc,
    stack: &BlockStack,
    y: f32,
) -> f32 {
    let width = warp.width;
    let label = 34.0;
    let column = (view.width - 24.0) / 2.0;
    let home = LaneGrid::fit(label, column - label, width, 40.0);
    let away = LaneGrid::fit(column + 24.0 + 62.0, column - 62.0, width, 40.0);
    scene.bold(
        0,
        Tone::Text,
        0.0,
        y + 12.0,
        BASE,
        Align::Left,
        if column > 240.0 { "Home: the block-wide mask" } else { "Home" },
    );
    scene.bold(0, Tone::Text, column + 24.0, y + 12.0, BASE, Align::Left, "Warp buffer");
    let top = y + 22.0;
    let cell_height = (home.pitch - home.gap).clamp(9.0, 26.0);
    let row = cell_height + 3.0;
    let running = stack.entries.iter().rev().find(|entry| entry.state == EntryState::Running);

    // Warps of the block in the table, in the order of their entries.
    let mut rows_away = Vec::new();
    for entry in sm.sets.resident.iter(view.sim.machine.words) {
        if tbc.crew(entry as u16).is_some_and(|crew| crew.slot == warp.slot) {
            rows_away.push(entry as u16);
        }
    }
    for (at, &entry) in rows_away.iter().enumerate() {
        let y = top + at as f32 * row;
        let state = &sm.warps[usize::from(entry)];
        scene.mono(
            0,
            Tone::Text,
            column + 24.0,
            y + cell_height / 2.0 + 4.0,
            11.0,
            Align::Left,
            format!("PC {}", state.place.pc),
        );
        for lane in 0..width {
            scene.outline(0, Tone::Edge, away.cell(lane, y, cell_height));
        }
    }
    for number in 0..stack.warps {
        let origin = stack.first_warp + number;
        let y = top + f32::from(number) * row;
        chip(scene, origin, 0.0, y + (cell_height - 9.0) / 2.0, 9.0);
        scene.mono(0, Tone::Text, 13.0, y + cell_height / 2.0 + 4.0, 11.0, Align::Left, origin.to_string());
        let Some(picture) = view.picture.warp(warp.sm, origin) else { continue };
        for lane in (0..width).filter(|lane| picture.present >> lane & 1 != 0) {
            let cell = home.cell(lane, y, cell_height);
            let name = key(kind::THREAD, u32::from(warp.sm) << 16 | u32::from(origin), lane as u16, 0);
            let selection = Selection::Lane { sm: warp.sm, warp: origin, lane: lane as u8 };
            scene.spot(cell, selection);
            if picture.alive >> lane & 1 == 0 {
                scene.push(name, Tone::Soft, Figure::Dot(cell));
                continue;
            }
            let at = sm.statics.at[usize::from(origin) * width as usize + lane as usize];
            match rows_away.iter().position(|entry| *entry == at) {
                Some(row_at) => {
                    scene.outline(0, Tone::Line, cell);
                    let there = away.cell(lane, top + row_at as f32 * row, cell_height);
                    let waits = sm.sets.barrier.contains(at.into());
                    scene.push(name, hue(origin), if waits { Figure::Wait(there) } else { Figure::Fill(there) });
                    if !waits {
                        let text = key(kind::THREAD_TEXT, u32::from(warp.sm) << 16 | u32::from(origin), lane as u16, 0);
                        parts::origin(scene, text, origin, there);
                    }
                    scene.spot(there, selection);
                }
                None => {
                    scene.outline(name, hue(origin), cell);
                    if let Some(side) = side_of(running, number, lane) {
                        let half = Rect::new(
                            cell.x + if side == 0 { 1.0 } else { cell.w / 2.0 },
                            cell.y + 1.0,
                            cell.w / 2.0 - 1.0,
                            cell.h - 2.0,
                        );
                        scene.fill(0, hue(origin), half);
                    }
                }
            }
        }
    }
    let mut bottom = top + f32::from(stack.warps).max(rows_away.len() as f32) * row + 6.0;
    bottom = encoders(scene, &home, running, cell_height, top + f32::from(stack.warps) * row + 4.0, width).max(bottom);
    scene.label(
        0,
        Tone::Soft,
        0.0,
        bottom + 10.0,
        SMALL,
        Align::Left,
        fitting("outline: waits at home · half filled: has arrived (left: first side) · dot: ended", view.width),
    );
    bottom + 16.0
}

/// Which side of the running entry's branch a thread has arrived for.
fn side_of(running: Option<&BlockEntry>, number: u16, lane: u32) -> Option<usize> {
    let arrivals = running?.arrivals.first()?;
    arrivals.sides.iter().position(|side| side.mask.get(usize::from(number)).is_some_and(|mask| mask >> lane & 1 != 0))
}

/// The compactor's priority encoders: what each home lane still has to give.
fn encoders(scene: &mut Scene<Selection>, home: &LaneGrid, running: Option<&BlockEntry>, height: f32, y: f32, width: u32) -> f32 {
    let Some(entry) = running.filter(|entry| count(&entry.todo) > 0) else { return y };
    let left = compactor::warps(&entry.todo);
    for lane in 0..width {
        let waiting = entry.todo.iter().filter(|mask| *mask >> lane & 1 != 0).count();
        let cell = home.cell(lane, y, height);
        scene.fill(key(kind::ENCODER, lane, 0, 0), Tone::Accent, Rect::new(cell.x, y, cell.w, 3.0));
        scene.mono(0, Tone::Text, cell.x + cell.w / 2.0, y + 14.0, 10.0, Align::Middle, waiting.to_string());
    }
    let text = format!("compactor: one priority encoder a lane, one warp a cycle, {left} to go");
    scene.label(0, Tone::Accent, 0.0, y + 28.0, SMALL, Align::Left, text);
    y + 34.0
}

/// The threads of the block that joined others at their likely-convergence point in the last cycle.
fn merged(last: &[Event], of: &WarpPicture) -> Option<(Pc, u16)> {
    last.iter().find_map(|event| match *event {
        Event::BlockMerge { sm, slot, pc, threads, .. } if (sm, slot) == (of.sm, of.slot) => Some((pc, threads)),
        _ => None,
    })
}

fn words(view: &PanelView, warp: &WarpPicture, stack: &BlockStack) -> String {
    let mut text = format!(
        "Cycle {}, block {}: a stack of depth {} for {}.",
        view.picture.cycle,
        warp.block,
        stack.entries.len(),
        counted(stack.warps.into(), "warp")
    );
    if let Some(entry) = stack.entries.iter().rev().find(|entry| entry.state == EntryState::Running) {
        text.push_str(&format!(
            " {} from PC {}; {} not arrived.",
            counted(count(&entry.mask).into(), "thread") + if count(&entry.mask) == 1 { " runs" } else { " run" },
            entry.pc,
            counted(entry.wcnt.into(), "warp") + if entry.wcnt == 1 { " has" } else { " have" }
        ));
    }
    text.push_str(&format!(" {} shared so far.", counted(view.tally.shared(), "issue slot")));
    text
}
