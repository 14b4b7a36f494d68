//! The kernel's control-flow graph, with the warps in it.
//!
//! Basic blocks lie in layers: a block lies below its predecessors, and the two sides of a branch lie side by side (`layers`).
//! Arrows lead down, labelled with how often they were taken where that is known; arrows on the left lead back and close a loop.
//! A chip with a coloured edge is a warp with lanes that run in the block. A plain chip is lanes that wait there for other
//! threads: below the top of their warp's or their block's stack, at a branch where they have arrived, or at a warp barrier. A
//! diamond marks branches that can split a warp, full (◆) once one has, and blocks in which the sides reconverge, for sure (◇) or
//! likely (◌).

mod layers;

use super::PanelView;
use super::parts::{BASE, SMALL, hue, kind};
use crate::plot::grouped;
use crate::scene::{Align, Geometry, Rect, Scene, Tone, key};
use crate::view::{Selection, WarpPicture, cut};
use layers::{BLOCK, Layers, layers};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use warpscope_kernel::program::cfg::{BasicBlock, Cfg};
use warpscope_machine::event::Event;
use warpscope_machine::metrics::Cost;

/// Room above the first layer, for the legend.
const TOP: f32 = 26.0;
const BOX: f32 = 62.0;
/// The space between two layers.
const GAP: f32 = 34.0;
/// The distance between two parallel arrows back.
const LANE: f32 = 9.0;
/// The most blocks that are drawn: a canvas has a limited height, and more blocks are not readable.
const MOST: usize = 120;
const CHIP: f32 = 37.0;
/// The limits of a block's width.
const NARROWEST: f32 = 104.0;
const WIDEST: f32 = 300.0;

/// Draws the control-flow graph with the threads at each block.
pub fn draw(view: PanelView) -> Scene<Selection> {
    let cfg = &view.sim.machine.program.cfg;
    let shown = shown(&view, cfg);
    let found = laid_out(cfg, &shown);
    let lanes = back_lanes(&found);
    let left = lanes.iter().map(|lane| lane + 1).max().map_or(0.0, |lanes| lanes as f32 * LANE + 8.0);
    let scale = ((view.width - left) / found.width.max(BLOCK)).clamp(NARROWEST / BLOCK, WIDEST / BLOCK);
    let geometry = FlowGeometry { left, scale, found: &found };
    let wide = (left + found.width * scale).max(view.width);
    let mut scene = Scene::new(wide, view.height.max(geometry.layer(found.layers)));
    let legend = "coloured edge: runs · plain: waits · ◆ splits · ◇ meets".to_string();
    let part = format!("Blocks {} to {} of {}, around the selected warp.", shown.start + 1, shown.end, cfg.blocks.len());
    let title = if shown.len() == cfg.blocks.len() { legend } else { part };
    scene.label(0, Tone::Soft, 0.0, 12.0, SMALL, Align::Left, title);
    let blocks = &cfg.blocks[shown.clone()];
    ways(&mut scene, &view, geometry, blocks);
    for (&(from, to), lane) in found.back.iter().zip(&lanes) {
        way_back(&mut scene, geometry, (from, to), *lane, count(&view, blocks, from, to));
    }
    let most = cfg.blocks.iter().map(|block| lost(&view, block)).max().unwrap_or(0);
    for (at, block) in blocks.iter().enumerate() {
        draw_block(&mut scene, &view, geometry.block(at), block, most);
    }
    // Chips of running lanes lie on top, because a reader looks for them first.
    let occupants = occupants(&view, cfg);
    for runs in [false, true] {
        for at in shown.clone() {
            draw_warps(&mut scene, &view, geometry.block(at - shown.start), &occupants[at], runs);
        }
    }
    scene.words = words(cfg, &occupants);
    let is_event = |event: &Event| {
        matches!(
            event,
            Event::Branch { diverged: true, .. } | Event::Met { .. } | Event::BlockMet { .. } | Event::LikelyMerge { .. }
        )
    };
    if view.last.iter().any(is_event) {
        scene.dwell();
    }
    scene
}

/// Returns the layout of these blocks. A step does not change it, so the last layout is cached.
fn laid_out(cfg: &Cfg, shown: &Range<usize>) -> Rc<Layers> {
    type Known = (Vec<Vec<usize>>, Range<usize>, Rc<Layers>);
    thread_local! {
        static LAST: RefCell<Option<Known>> = const { RefCell::new(None) };
    }
    let same = |edges: &[Vec<usize>]| {
        edges.len() == cfg.blocks.len() && edges.iter().zip(&cfg.blocks).all(|(edges, block)| *edges == block.successors)
    };
    LAST.with_borrow_mut(|last| match last {
        Some((edges, range, found)) if range == shown && same(edges) => found.clone(),
        _ => {
            let found = Rc::new(layers(cfg, shown));
            let edges = cfg.blocks.iter().map(|block| block.successors.clone()).collect();
            *last = Some((edges, shown.clone(), found.clone()));
            found
        }
    })
}

/// Returns the blocks to draw: all, or in a very large graph those around the selected warp.
fn shown(view: &PanelView, cfg: &Cfg) -> Range<usize> {
    if cfg.blocks.len() <= MOST {
        return 0..cfg.blocks.len();
    }
    let selected = view.selection.and_then(Selection::warp).and_then(|(sm, warp)| view.picture.warp(sm, warp));
    let pc = selected.or(view.warps().next()).map_or(0, |warp| warp.pc);
    let at = cfg.block_of.get(pc as usize).map_or(0, |&block| block as usize);
    // The range moves by half its size, so that most steps leave it where it is.
    let first = (at / (MOST / 2) * (MOST / 2)).saturating_sub(MOST / 4);
    first..(first + MOST).min(cfg.blocks.len())
}

/// The positions of layers and blocks in the picture.
#[derive(Clone, Copy)]
struct FlowGeometry<'a> {
    /// Room at the left for the arrows back.
    left: f32,
    /// Pixels per unit of the layout.
    scale: f32,
    found: &'a Layers,
}

impl FlowGeometry<'_> {
    fn x(&self, at: f32) -> f32 {
        self.left + at * self.scale
    }

    /// Returns the top of a layer.
    fn layer(&self, layer: usize) -> f32 {
        TOP + layer as f32 * (BOX + GAP)
    }

    fn block(&self, at: usize) -> Rect {
        let (middle, layer) = self.found.blocks[at];
        let wide = BLOCK * self.scale;
        Rect::new(self.x(middle) - wide / 2.0, self.layer(layer), wide, BOX)
    }
}

/// Returns how often an edge was taken, if the issue counts tell: `from` has no other way out, or `to` no other way in.
fn count(view: &PanelView, blocks: &[BasicBlock], from: usize, to: usize) -> Option<u64> {
    let issues = |pc: u32| view.tally.costs.get(pc as usize).map(|cost| cost.issues);
    let (out, entry) = (&blocks[from], &blocks[to]);
    let ways_in = view.sim.machine.program.cfg.blocks.iter().flat_map(|block| &block.successors);
    let target = view.sim.machine.program.cfg.block_of.get(entry.start as usize).map(|&block| block as usize);
    if out.successors.len() == 1 && !out.exits {
        issues(out.end - 1)
    } else if entry.start != 0 && ways_in.filter(|&&way| Some(way) == target).count() == 1 {
        issues(entry.start)
    } else {
        None
    }
}

/// Draws the arrows down; those of a branch leave its block side by side.
fn ways(scene: &mut Scene<Selection>, view: &PanelView, geometry: FlowGeometry, blocks: &[BasicBlock]) {
    for from in 0..blocks.len() {
        let mut out: Vec<&layers::DownEdge> = geometry.found.down.iter().filter(|way| way.from == from).collect();
        let aim = |way: &layers::DownEdge| way.bends.first().copied().unwrap_or(geometry.found.blocks[way.to].0);
        out.sort_by(|a, b| aim(a).total_cmp(&aim(b)));
        let start = geometry.block(from);
        for (at, way) in out.iter().enumerate() {
            let share = (at + 1) as f32 / (out.len() + 1) as f32;
            let mut here = (start.x + start.w * (0.25 + share * 0.5), start.y + BOX);
            let mut layer = geometry.found.blocks[from].1;
            let first = here;
            for bend in &way.bends {
                layer += 1;
                let next = (geometry.x(*bend), geometry.layer(layer));
                line(scene, Tone::Mark, here, next);
                here = (next.0, next.1 + BOX);
                line(scene, Tone::Mark, next, here);
            }
            let goal = geometry.block(way.to);
            let end = (goal.x + goal.w / 2.0, goal.y);
            line(scene, Tone::Mark, here, end);
            head(scene, Tone::Mark, end.0, end.1, (0.0, 1.0));
            if let Some(count) = count(view, blocks, way.from, way.to).filter(|&count| count > 0) {
                let side = if at == 0 && out.len() > 1 { (Align::Right, -5.0) } else { (Align::Left, 5.0) };
                scene.mono(0, Tone::Soft, first.0 + side.1, first.1 + 12.0, 10.0, side.0, grouped(count));
            }
        }
    }
}

fn line(scene: &mut Scene<Selection>, tone: Tone, from: (f32, f32), to: (f32, f32)) {
    scene.push(0, tone, Geometry::Line(Rect::new(from.0, from.1, to.0 - from.0, to.1 - from.1)));
}

/// Returns how far out each arrow back runs, so that overlapping arrows differ; short arrows stay near the blocks.
fn back_lanes(found: &Layers) -> Vec<usize> {
    let span = |&(from, to): &(usize, usize)| (found.blocks[to].1, found.blocks[from].1);
    let mut order: Vec<usize> = (0..found.back.len()).collect();
    order.sort_by_key(|&at| span(&found.back[at]).1 - span(&found.back[at]).0);
    let mut lanes = vec![usize::MAX; found.back.len()];
    for &at in &order {
        let (top, bottom) = span(&found.back[at]);
        let meets = |other: &usize| {
            let (above, below) = span(&found.back[*other]);
            lanes[*other] != usize::MAX && above <= bottom && top <= below
        };
        let taken: Vec<usize> = (0..found.back.len()).filter(meets).map(|other| lanes[other]).collect();
        lanes[at] = (0..).find(|lane| !taken.contains(lane)).unwrap_or(0);
    }
    lanes
}

/// Draws an arrow back around the left side. Below its start and above its goal it runs between the layers.
fn way_back(scene: &mut Scene<Selection>, geometry: FlowGeometry, (from, to): (usize, usize), lane: usize, count: Option<u64>) {
    let (start, goal) = (geometry.block(from), geometry.block(to));
    let x = geometry.left - 8.0 - lane as f32 * LANE;
    let (out, into) = (start.x + 14.0, goal.x + 14.0);
    let (below, above) = (start.y + BOX + 7.0 + lane as f32 * 2.0, goal.y - 9.0 - lane as f32 * 2.0);
    let points = [(out, start.y + BOX), (out, below), (x, below), (x, above), (into, above), (into, goal.y)];
    for pair in points.windows(2) {
        line(scene, Tone::Accent, pair[0], pair[1]);
    }
    head(scene, Tone::Accent, into, goal.y, (0.0, 1.0));
    if let Some(count) = count.filter(|&count| count > 0) {
        scene.mono(0, Tone::Accent, out + 5.0, below + 4.0, 10.0, Align::Left, grouped(count));
    }
}

/// Draws an arrow's head at (x, y), in the direction (dx, dy).
fn head(scene: &mut Scene<Selection>, tone: Tone, x: f32, y: f32, (dx, dy): (f32, f32)) {
    for side in [-1.0, 1.0] {
        let (w, h) = (-dx * 5.0 + dy * side * 4.0, -dy * 5.0 + dx * side * 4.0);
        scene.push(0, tone, Geometry::Line(Rect::new(x, y, w, h)));
    }
}

/// Returns the lane-slots that a block has lost so far.
fn lost(view: &PanelView, block: &BasicBlock) -> u64 {
    view.tally.costs.get(block.start as usize..block.end as usize).unwrap_or(&[]).iter().sum::<Cost>().lost
}

fn draw_block(scene: &mut Scene<Selection>, view: &PanelView, rect: Rect, block: &BasicBlock, most: u64) {
    let program = &view.sim.machine.program;
    scene.fill(0, Tone::Panel, rect);
    let here = view.selection.and_then(Selection::warp).and_then(|(sm, warp)| view.picture.warp(sm, warp));
    if here.is_some_and(|warp| !warp.places.is_empty() && (block.start..block.end).contains(&warp.pc)) {
        scene.fill(key(kind::BLOCK, 0, 0, 0), Tone::Picked, rect);
    }
    scene.outline(0, Tone::Edge, rect);
    let (x, y) = (rect.x + 8.0, rect.y + 17.0);
    let last = block.end - 1;
    let name = view.listing.place(block.start);
    let wide = name.chars().count() as f32 * 8.8 + 8.0;
    scene.bold(0, Tone::Text, x, y, BASE, Align::Left, name);
    let pcs = if block.start == last { format!("PC {last}") } else { format!("PC {}–{last}", block.start) };
    if wide + pcs.chars().count() as f32 * 6.2 < rect.w - 16.0 {
        scene.mono(0, Tone::Soft, x + wide, y, 10.0, Align::Left, pcs);
    }
    let loss = lost(view, block);
    if loss > 0 && most > 0 {
        scene.fill(0, Tone::Heat, Rect::new(rect.x, rect.y, rect.w * loss as f32 / most as f32, 3.0));
    }
    // Marks for reconvergence and divergence.
    let meetings = &program.reconvergence.meetings;
    let mut x = x;
    let mut mark = |scene: &mut Scene<Selection>, tone: Tone, mark: &str| {
        scene.label(0, tone, x, y + 16.0, BASE, Align::Left, mark);
        x += 15.0;
    };
    if meetings.iter().any(|meeting| meeting.rpc == Some(block.start)) {
        mark(scene, Tone::Good, "◇");
    }
    if meetings.iter().any(|meeting| meeting.lpc == Some(block.start)) {
        mark(scene, Tone::Good, "◌");
    }
    if program.reconvergence.at(last).is_some() {
        let split = view.tally.costs.get(last as usize).is_some_and(|cost| cost.splits > 0);
        mark(scene, if split { Tone::Heat } else { Tone::Soft }, if split { "◆" } else { "◈" });
    }
    let room = ((rect.x + rect.w - x - 6.0) / 6.7).max(0.0) as usize;
    if room > 6 {
        scene.mono(0, Tone::Soft, x, y + 16.0, SMALL, Align::Left, cut(view.listing.code(program, last), room));
    }
}

/// A warp's lanes in a block.
struct BlockOccupant<'a> {
    warp: &'a WarpPicture,
    lanes: u32,
    /// Whether they run, rather than wait for other threads.
    runs: bool,
}

/// Returns the warps in each block, running ones first.
fn occupants<'a>(view: &PanelView<'a>, cfg: &Cfg) -> Vec<Vec<BlockOccupant<'a>>> {
    let mut occupants: Vec<Vec<BlockOccupant>> = cfg.blocks.iter().map(|_| Vec::new()).collect();
    for runs in [true, false] {
        for warp in view.warps() {
            let waiting = || view.sim.state.sms[usize::from(warp.sm)].divergence.view().waiting(warp.warp, warp.slot);
            for (pc, lanes) in if runs { warp.places.clone() } else { waiting() } {
                let Some(block) = cfg.block_of.get(pc as usize).and_then(|&block| occupants.get_mut(block as usize)) else {
                    continue;
                };
                match block.last_mut().filter(|last| last.runs == runs && last.warp.warp == warp.warp) {
                    Some(occupant) => occupant.lanes |= lanes,
                    None => block.push(BlockOccupant { warp, lanes, runs }),
                }
            }
        }
    }
    occupants
}

fn draw_warps(scene: &mut Scene<Selection>, view: &PanelView, block: Rect, occupants: &[BlockOccupant], runs: bool) {
    let (x, y) = (block.x + 8.0, block.y + BOX - 23.0);
    let room = (((block.w - 8.0 - 18.0) / CHIP) as usize).max(1);
    let picked = view.selection.and_then(Selection::warp);
    let of = |occupant: &BlockOccupant| Some((occupant.warp.sm, occupant.warp.warp)) == picked;
    // The selected warp is always named.
    let far = occupants.iter().position(of).filter(|&far| far >= room);
    let named = (0..occupants.len().min(room)).map(|place| far.filter(|_| place + 1 == room).unwrap_or(place));
    for (place, occupant) in named.map(|at| &occupants[at]).enumerate().filter(|(_, occupant)| occupant.runs == runs) {
        let cell = Rect::new(x + place as f32 * CHIP, y, CHIP - 2.0, 16.0);
        let name = u32::from(occupant.warp.sm) << 16 | u32::from(occupant.warp.warp);
        let which = u8::from(occupant.runs);
        scene.fill(key(kind::OCCUPANT_EDGE, name, 0, which + 2), Tone::Panel, cell);
        if occupant.runs {
            scene.fill(key(kind::OCCUPANT, name, 0, which), hue(occupant.warp.warp), Rect::new(cell.x, cell.y, 5.0, cell.h));
        }
        scene.outline(key(kind::OCCUPANT_EDGE, name, 0, which), if of(occupant) { Tone::Text } else { Tone::Edge }, cell);
        let full = occupant.lanes.count_ones() == occupant.warp.width;
        let text = if full {
            occupant.warp.warp.to_string()
        } else {
            format!("{}·{}", occupant.warp.warp, occupant.lanes.count_ones())
        };
        let tone = if occupant.runs { Tone::Text } else { Tone::Soft };
        scene.mono(key(kind::OCCUPANT_TEXT, name, 0, which), tone, cell.x + 7.0, cell.y + 12.0, 10.0, Align::Left, text);
        scene.spot(cell, Selection::Warp { sm: occupant.warp.sm, warp: occupant.warp.warp });
    }
    if runs && occupants.len() > room {
        let text = format!("+{}", occupants.len() - room);
        scene.label(0, Tone::Soft, x + room as f32 * CHIP, y + 12.0, SMALL, Align::Left, text);
    }
}

fn words(cfg: &Cfg, occupants: &[Vec<BlockOccupant>]) -> String {
    let mut text = format!("Control flow: {} blocks.", cfg.blocks.len());
    for (block, occupants) in cfg.blocks.iter().zip(occupants).filter(|(_, occupants)| !occupants.is_empty()) {
        let lanes = |runs: bool| -> u32 {
            occupants.iter().filter(|occupant| occupant.runs == runs).map(|occupant| occupant.lanes.count_ones()).sum()
        };
        text.push_str(&format!(" PC {} to {}: {} lanes run, {} wait.", block.start, block.end - 1, lanes(true), lanes(false)));
    }
    text
}
