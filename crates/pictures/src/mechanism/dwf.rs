//! The picture of DWF: the warp pool, a line for each place in the code.
//!
//! A line holds the warps at one place side by side, so its length shows how many there are, which is what majority scheduling
//! looks at. The line that the scheduler issues from has a frame; the others wait until it is empty. Every thread keeps its
//! number and its static warp's colour, and flies to its lane in the warp that it joins: the branch flashes, the threads fly, the lines settle. Under DWF-WB, each static warp that has
//! diverged has a barrier where it is restored. (TBC sections 1, 2.3 and 2.4)

use super::PanelView;
use super::parts::{self, BASE, LaneGrid, SMALL, Stand, Thread, fitting, heading, kind, overview};
use crate::scene::{Align, Beat, Geometry, Rect, Scene, Tone, key};
use crate::view::Selection;
use crate::view::words::counted;
use warpscope_kernel::program::Pc;
use warpscope_machine::event::Event;
use warpscope_machine::policy::divergence::dwf::{Dwf, PoolStage, PoolWarp};

/// The space left and right of the warps, and between two side by side.
const MARGIN: f32 = 8.0;
const BETWEEN: f32 = 14.0;
const TOP: f32 = 26.0;
/// Room above the warps of a line, for its place and its text.
const SAID: f32 = 18.0;
const GAP: f32 = 6.0;
/// The space between two rows of warps, including their frames.
const APART: f32 = 6.0;
/// The most room that is reserved for the static warps below.
const WARPS: f32 = 96.0;

/// The size of the pool's warps and how many lie side by side; stable while the pool is not unusually large.
#[derive(Clone, Copy)]
struct Sizes {
    grid: LaneGrid,
    cell: f32,
    lanes: u32,
    columns: usize,
}

impl Sizes {
    /// Chooses the largest size that fits the current pool and a pool with a warp for every static warp. Where tokens would
    /// become too small to read, the picture scrolls.
    fn new(view: &PanelView, lanes: u32, groups: &[usize], statics: usize) -> Sizes {
        let tall = view.height - TOP - 36.0 - (statics as f32 * 13.0).clamp(40.0, WARPS);
        let mut sizes = Sizes::of(view, lanes, 44.0);
        for most in [38.0, 32.0, 27.0, 23.0, 19.0, 16.0, 14.0] {
            let usual = statics.div_ceil(sizes.columns) + 2;
            let rows = groups.iter().map(|warps| warps.div_ceil(sizes.columns)).sum::<usize>().max(usual);
            let needed = rows as f32 * (sizes.cell + APART) + groups.len().max(3) as f32 * (SAID + GAP);
            if needed <= tall {
                break;
            }
            sizes = Sizes::of(view, lanes, most);
        }
        sizes
    }

    fn of(view: &PanelView, lanes: u32, most: f32) -> Sizes {
        let wide = view.width - 2.0 * MARGIN;
        let grid = LaneGrid::fit(MARGIN, wide, lanes, most);
        let columns = ((wide + BETWEEN) / (grid.width(lanes) + BETWEEN)).floor().max(1.0) as usize;
        Sizes { grid, cell: (grid.pitch - grid.gap).clamp(7.0, most), lanes, columns }
    }

    /// Returns the positions of a warp's lanes.
    fn column(&self, at: usize) -> LaneGrid {
        let step = self.grid.width(self.lanes) + BETWEEN;
        LaneGrid { x: self.grid.x + (at % self.columns) as f32 * step, ..self.grid }
    }
}

pub fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let name = view.sm();
    let Some(dwf) = view.sim.state.sms.get(usize::from(name)).and_then(|sm| sm.divergence.dwf()) else { return scene };
    scene.bold(0, Tone::Text, 0.0, 15.0, 15.0, Align::Left, "Warp pool");
    if view.width > 300.0 {
        let left = parts::shared(&mut scene, &view);
        let about = fitting("a row for each PC · filled: in flight · pale: waits for its turn", (left - 110.0) * SMALL / BASE);
        scene.label(0, Tone::Soft, 100.0, 15.0, BASE, Align::Left, about);
    }
    let waiting = dwf.threads_by_pc();
    let threads_at = |pc: Pc| waiting.get(&pc).copied().unwrap_or_default();
    let (largest, most) =
        waiting.iter().map(|(&pc, &threads)| (pc, threads)).reduce(|a, b| if b.1 > a.1 { b } else { a }).unwrap_or_default();
    // The line that is issued from: the scheduler stays with one PC until no thread is left there, then takes the largest, the
    // first among equals.
    let ports = &view.sim.state.sms[usize::from(name)].ports;
    let kept = ports.iter().find_map(|port| port.scheduler.majority_pc()).filter(|pc| threads_at(*pc) > 0);
    let turn = |pc: Pc| match kept {
        Some(kept) if kept == pc => Some("until none is left"),
        None if largest == pc && most > 0 => Some("the most waiting"),
        _ => None,
    };
    // In the order of PCs, so that lines keep their places while they grow and shrink.
    let mut pool: Vec<(u16, &PoolWarp)> = dwf.pool().collect();
    pool.sort_by_key(|(_, warp)| warp.pc);
    let same_pc = |a: &(u16, &PoolWarp), b: &(u16, &PoolWarp)| a.1.pc == b.1.pc;
    let groups: Vec<usize> = pool.chunk_by(same_pc).map(<[_]>::len).collect();
    let statics = view.warps().count();
    let sizes = Sizes::new(&view, view.sim.machine.config.warp_width, &groups, statics);
    let mut lines = PoolLines { view: &view, sm: name, sizes: &sizes, tokens: Vec::new() };
    let mut y = TOP;
    for warps in pool.chunk_by(same_pc) {
        let pc = warps[0].1.pc;
        y = lines.line(&mut scene, warps, (threads_at(pc), turn(pc)), y);
    }
    for (thread, stand, cell) in lines.tokens {
        thread.draw(&mut scene, stand, cell);
    }
    let is_event = |event: &Event| match *event {
        Event::Merged { sm, .. } | Event::Branch { sm, diverged: true, .. } => sm == name,
        _ => false,
    };
    if view.last.iter().any(is_event) {
        scene.dwell();
    }
    if pool.is_empty() {
        scene.label(0, Tone::Soft, 0.0, y + 14.0, BASE, Align::Left, "The pool is empty.");
        y += 24.0;
    }
    y = barriers(&mut scene, &view, name, dwf, &sizes, y);
    // At the bottom of the panel, if there is room.
    let room = (statics as f32 * 16.0).clamp(40.0, WARPS);
    y = y.max(view.height - room - 36.0);
    scene.fill(0, Tone::Line, Rect::new(0.0, y + 4.0, view.width, 1.0));
    let legend = "filled: can run · outline: kept by the technique · bar: at a barrier · dot: ended";
    heading(&mut scene, &view, y + 22.0, "Static warps", legend);
    y += 30.0;
    y += overview(&mut scene, &view, Rect::new(0.0, y, view.width, (view.height - y).max(room)));
    scene.height = scene.height.max(y);
    scene.words = format!(
        "Cycle {}: {} in the pool at {}{}. {} shared so far.",
        view.picture.cycle,
        counted(pool.len() as u64, "warp"),
        counted(groups.len() as u64, "PC"),
        if most == 0 { String::new() } else { format!("; the most popular has {} that can run", counted(most.into(), "thread")) },
        counted(view.tally.shared(), "issue slot")
    );
    scene
}

/// The pool's lines while they are drawn. Threads are collected and drawn last, so that they fly over every line.
struct PoolLines<'a> {
    view: &'a PanelView<'a>,
    sm: u16,
    sizes: &'a Sizes,
    tokens: Vec<(Thread, Stand, Rect)>,
}

impl PoolLines<'_> {
    /// Draws the warps at one place, with how many threads wait to be issued and, if it is the line's turn, why. Returns the top
    /// of the next line.
    fn line(
        &mut self,
        scene: &mut Scene<Selection>,
        warps: &[(u16, &PoolWarp)],
        (threads, turn): (u32, Option<&str>),
        y: f32,
    ) -> f32 {
        let (view, sizes) = (self.view, self.sizes);
        let pc = warps[0].1.pc;
        let tall = warps.len().div_ceil(sizes.columns) as f32 * (sizes.cell + APART);
        let framed = Rect::new(0.0, y, view.width, SAID + tall + 1.0);
        scene.beat = Beat::Settle;
        scene.mark(key(kind::FRAME, pc, 0, 0), Tone::Accent, turn.is_some(), Geometry::Ring(framed));
        scene.beat = Beat::Travel;
        let tone = if turn.is_some() { Tone::Text } else { Tone::Soft };
        let flying = warps.iter().filter(|(_, warp)| warp.stage == PoolStage::Flying);
        let crowd = match (threads, flying.map(|(_, warp)| warp.members.mask.count_ones()).sum::<u32>()) {
            (0, flying) => format!("{} in flight", counted(flying.into(), "thread")),
            (1, 0) => "1 thread waits".to_string(),
            (waiting, 0) => format!("{waiting} threads wait"),
            (1, flying) => format!("1 thread waits, {flying} in flight"),
            (waiting, flying) => format!("{waiting} threads wait, {flying} in flight"),
        };
        let said = turn.map_or_else(|| crowd.clone(), |why| format!("{crowd} · its turn, {why}"));
        let place = view.listing.place(pc);
        parts::place(scene, 0, tone, (MARGIN, y + 13.0), &place, &format!("PC {pc}"));
        let behind = MARGIN + place.chars().count() as f32 * 8.8 + 60.0;
        scene.label(0, tone, behind, y + 13.0, SMALL, Align::Left, fitting(&said, view.width - behind));
        for (at, (entry, warp)) in warps.iter().enumerate() {
            let top = y + SAID + (at / sizes.columns) as f32 * (sizes.cell + APART) + 2.0;
            self.warp(scene, *entry, warp, &sizes.column(at), top);
        }
        y + SAID + tall + GAP
    }

    /// Draws a warp of the pool: a frame around its lanes, strong when it has just issued, with a stronger edge while it is in
    /// flight.
    fn warp(&mut self, scene: &mut Scene<Selection>, entry: u16, warp: &PoolWarp, grid: &LaneGrid, y: f32) {
        let (view, sm, sizes) = (self.view, self.sm, self.sizes);
        let frame = Rect::new(grid.x - 3.0, y - 3.0, grid.width(sizes.lanes) + 6.0 - grid.gap, sizes.cell + APART);
        let issued = view.sim.state.sms[usize::from(sm)].issued.warps.contains(entry.into());
        scene.outline(0, if warp.stage == PoolStage::Flying { Tone::Edge } else { Tone::Line }, frame);
        scene.beat = Beat::Flash;
        scene.mark(key(kind::NOW, u32::from(entry), 0, 0), Tone::Accent, issued, Geometry::Ring(frame));
        scene.beat = Beat::Travel;
        for lane in (0..sizes.lanes).filter(|lane| warp.members.mask >> lane & 1 == 0) {
            scene.outline(0, Tone::Line, grid.cell(lane, y, sizes.cell));
        }
        // In flight is active; a warp that could issue waits for its turn.
        let stand = if warp.stage == PoolStage::Flying || issued { Stand::Token } else { Stand::Waits };
        let members = warp.members.lanes().map(|(lane, origin)| (lane as u32, origin));
        self.tokens.extend(members.filter_map(|(lane, origin)| {
            Some((Thread::of(view.picture.warp(sm, origin)?, lane), stand, grid.cell(lane, y, sizes.cell)))
        }));
    }
}

/// Draws the barriers of static warps that have diverged (DWF-WB), side by side as the pool's warps are.
fn barriers(scene: &mut Scene<Selection>, view: &PanelView, sm: u16, dwf: &Dwf, sizes: &Sizes, mut y: f32) -> f32 {
    let diverged = view.picture.warps.iter().filter(|warp| warp.sm == sm);
    let all: Vec<_> = diverged.filter_map(|warp| Some((warp, dwf.warp_barrier(warp.warp)?))).collect();
    if all.is_empty() {
        return y;
    }
    scene.bold(0, Tone::Text, 0.0, y + 12.0, BASE, Align::Left, "Warp barriers");
    let about = "where a static warp's threads meet to re-form it";
    scene.label(0, Tone::Soft, 104.0, y + 12.0, SMALL, Align::Left, fitting(about, view.width - 104.0));
    y += 18.0;
    for (at, (warp, barrier)) in all.iter().enumerate() {
        let top = y + SAID + (at / sizes.columns) as f32 * (sizes.cell + SAID + 4.0);
        let grid = sizes.column(at);
        let name = format!("w{} at {}", warp.warp, view.listing.place(barrier.pc));
        scene.label(0, Tone::Soft, grid.x, top - 4.0, SMALL, Align::Left, name);
        for lane in (0..warp.width).filter(|lane| barrier.expected >> lane & 1 != 0) {
            let cell = grid.cell(lane, top, sizes.cell);
            let thread = Thread::of(warp, lane);
            if barrier.arrived >> lane & 1 != 0 {
                thread.draw(scene, Stand::Waits, cell);
            } else {
                scene.outline(0, Tone::Mark, cell);
                thread.write(scene, 0, Tone::Mark, cell);
            }
        }
    }
    y + all.len().div_ceil(sizes.columns) as f32 * (sizes.cell + SAID + 4.0) + GAP
}
