//! The kernel's control-flow graph, with the warps in it.
//!
//! Basic blocks lie one below the other in program order, as in the PTX. Where a block's last instruction may go, an arrow
//! goes: straight down to the next block, on the right to a later one, on the left back to an earlier one, which is a loop.
//! Chips with a coloured edge are warps with lanes that run in the block; plain ones are lanes that wait there for other
//! threads: below the top of their warp's or their block's stack, where they have arrived at a branch, at a warp barrier.
//! A diamond marks branches that can split a warp, full once one has, and blocks in which the sides meet.

use super::PanelView;
use super::parts::{BASE, SMALL, hue, kind};
use crate::metrics::Cost;
use crate::program::cfg::{Block, Cfg};
use crate::scene::{Align, Figure, Rect, Scene, Tone, key};
use crate::view::{Selection, WarpPicture, cut};
use std::ops::Range;

/// Above the first block, for the legend.
const TOP: f32 = 24.0;
const BOX: f32 = 62.0;
const GAP: f32 = 18.0;
/// Between two arrows that go side by side, where there is room.
const LANE: f32 = 9.0;
/// Blocks that are drawn at most: a canvas can only be so high, and nobody looks at more.
const MOST: usize = 120;
const CHIP: f32 = 48.0;
/// How long the longest bar of lost lane-slots is.
const HEAT: f32 = 72.0;

pub fn draw(view: PanelView) -> Scene<Selection> {
    let cfg = &view.sim.machine.program.cfg;
    let shown = shown(&view, cfg);
    let arrows = arrows(cfg, &shown);
    let lanes =
        |back: bool| arrows.iter().filter(|arrow| arrow.back == back).map(|arrow| arrow.lane + 1).max().unwrap_or(0) as f32;
    let (left, right) = (lanes(true), lanes(false));
    let lane = LANE.min(view.width * 0.4 / (left + right).max(1.0));
    let (x, rest) = (left * lane + 10.0, right * lane + 10.0);
    let frame = Frame { x, width: (view.width - x - rest).max(120.0), first: shown.start, lane };
    let mut scene = Scene::new(view.width, view.height.max(frame.top(shown.end)));
    let legend = "coloured edge: runs · plain: waits · bar: lane-slots lost".to_string();
    let part = format!("Blocks {} to {} of {}, around the selected warp.", shown.start + 1, shown.end, cfg.blocks.len());
    let title = if shown.len() == cfg.blocks.len() { legend } else { part };
    scene.label(0, Tone::Soft, 0.0, 10.0, SMALL, Align::Left, title);
    let most = cfg.blocks.iter().map(|block| lost(&view, block)).max().unwrap_or(0);
    for at in shown.clone() {
        let block = &cfg.blocks[at];
        draw_block(&mut scene, &view, frame, at, block, most);
        if block.successors.contains(&(at + 1)) {
            let x = frame.x + frame.width / 2.0;
            let rect = Rect::new(x, frame.top(at) + BOX, 0.0, GAP);
            scene.push(0, Tone::Mark, Figure::Line(rect));
            head(&mut scene, Tone::Mark, x, frame.top(at + 1), (0.0, 1.0));
        }
    }
    arrows.iter().for_each(|arrow| draw_arrow(&mut scene, frame, arrow));
    // Those that run lie on top: who looks for a warp finds them first.
    let parties = parties(&view, cfg);
    for runs in [false, true] {
        shown.clone().for_each(|at| draw_warps(&mut scene, &view, frame, at, &parties[at], runs));
    }
    scene.words = words(cfg, &parties);
    scene
}

/// The blocks that are drawn: all, or of very many those around the selected warp.
fn shown(view: &PanelView, cfg: &Cfg) -> Range<usize> {
    if cfg.blocks.len() <= MOST {
        return 0..cfg.blocks.len();
    }
    let selected = view.selection.and_then(Selection::warp).and_then(|(sm, warp)| view.picture.warp(sm, warp));
    let pc = selected.or(view.warps().next()).map_or(0, |warp| warp.pc);
    let at = cfg.block_of.get(pc as usize).map_or(0, |&block| block as usize);
    // Whole pages, so that a step does not move them.
    let first = (at / (MOST / 2) * (MOST / 2)).saturating_sub(MOST / 4);
    first..(first + MOST).min(cfg.blocks.len())
}

/// Where blocks lie.
#[derive(Clone, Copy)]
struct Frame {
    x: f32,
    width: f32,
    /// The block at the top.
    first: usize,
    /// Between two arrows that go side by side.
    lane: f32,
}

impl Frame {
    fn top(&self, block: usize) -> f32 {
        TOP + (block - self.first) as f32 * (BOX + GAP)
    }
}

/// A way from a block to one that is not the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrow {
    from: usize,
    to: usize,
    back: bool,
    /// How far out it goes, so that no two share a way.
    lane: usize,
}

/// All between blocks that are shown; short ones stay near the blocks.
fn arrows(cfg: &Cfg, shown: &Range<usize>) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = Vec::new();
    for from in shown.clone() {
        let far = cfg.blocks[from].successors.iter().copied().filter(|&to| to != from + 1 && shown.contains(&to));
        arrows.extend(far.map(|to| Arrow { from, to, back: to <= from, lane: 0 }));
    }
    arrows.sort_by_key(|arrow| arrow.from.abs_diff(arrow.to));
    for at in 0..arrows.len() {
        let (done, rest) = arrows.split_at_mut(at);
        let arrow = &mut rest[0];
        // Arrows to the same block may become one.
        let crosses = |other: &&Arrow| other.back == arrow.back && other.to != arrow.to && other.span_meets(arrow);
        let taken: Vec<usize> = done.iter().filter(crosses).map(|other| other.lane).collect();
        arrow.lane = (0..).find(|lane| !taken.contains(lane)).unwrap_or(0);
    }
    arrows
}

impl Arrow {
    fn span_meets(&self, other: &Arrow) -> bool {
        let span = |arrow: &Arrow| (arrow.from.min(arrow.to), arrow.from.max(arrow.to));
        let ((a, b), (c, d)) = (span(self), span(other));
        a <= d && c <= b
    }
}

fn draw_arrow(scene: &mut Scene<Selection>, frame: Frame, arrow: &Arrow) {
    let out = arrow.lane as f32 * frame.lane + 8.0;
    let (edge, x, way) =
        if arrow.back { (frame.x, frame.x - out, 1.0) } else { (frame.x + frame.width, frame.x + frame.width + out, -1.0) };
    let (from, to) = (frame.top(arrow.from) + BOX - 10.0, frame.top(arrow.to) + 10.0);
    let tone = if arrow.back { Tone::Accent } else { Tone::Mark };
    for rect in [Rect::new(edge, from, x - edge, 0.0), Rect::new(x, from, 0.0, to - from), Rect::new(x, to, edge - x, 0.0)] {
        scene.push(0, tone, Figure::Line(rect));
    }
    head(scene, tone, edge, to, (way, 0.0));
}

/// An arrow's head at a point, towards (x, y).
fn head(scene: &mut Scene<Selection>, tone: Tone, x: f32, y: f32, (dx, dy): (f32, f32)) {
    for side in [-1.0, 1.0] {
        let (w, h) = (-dx * 5.0 + dy * side * 4.0, -dy * 5.0 + dx * side * 4.0);
        scene.push(0, tone, Figure::Line(Rect::new(x, y, w, h)));
    }
}

/// Lane-slots that were lost in a block so far.
fn lost(view: &PanelView, block: &Block) -> u64 {
    view.tally.costs.get(block.start as usize..block.end as usize).unwrap_or(&[]).iter().sum::<Cost>().lost
}

fn draw_block(scene: &mut Scene<Selection>, view: &PanelView, frame: Frame, at: usize, block: &Block, most: u64) {
    let program = &view.sim.machine.program;
    let rect = Rect::new(frame.x, frame.top(at), frame.width, BOX);
    let here = view.selection.and_then(Selection::warp).and_then(|(sm, warp)| view.picture.warp(sm, warp));
    if here.is_some_and(|warp| !warp.places.is_empty() && (block.start..block.end).contains(&warp.pc)) {
        scene.fill(key(kind::BLOCK, 0, 0, 0), Tone::Picked, rect);
    }
    scene.outline(0, Tone::Edge, rect);
    let (x, y) = (rect.x + 8.0, rect.y + 17.0);
    let last = block.end - 1;
    let pcs = if block.start == last { format!("PC {last}") } else { format!("PC {}–{last}", block.start) };
    scene.bold(0, Tone::Text, x, y, BASE, Align::Left, pcs);
    scene.label(0, Tone::Soft, x + 104.0, y, SMALL, Align::Left, view.listing.line(block.start));
    let loss = lost(view, block);
    if loss > 0 && most > 0 {
        let wide = HEAT.min(rect.w - 170.0).max(8.0) * loss as f32 / most as f32;
        scene.fill(0, Tone::Heat, Rect::new(rect.x + rect.w - 8.0 - wide, rect.y + 9.0, wide, 8.0));
    }
    // Who parts here, and who meets.
    let branches = program.reconvergence.at(last).is_some();
    let parted: Vec<String> =
        program.reconvergence.meetings.iter().filter(|m| m.rpc == Some(block.start)).map(|m| m.pc.to_string()).collect();
    let mut x = x;
    if branches {
        let split = view.tally.costs.get(last as usize).is_some_and(|cost| cost.splits > 0);
        let (tone, mark) = if split { (Tone::Heat, "◆") } else { (Tone::Soft, "◈") };
        scene.label(0, tone, x, y + 16.0, SMALL, Align::Left, mark);
        x += 14.0;
    }
    let code = view.listing.code(program, last);
    let room = ((rect.x + rect.w - x - 8.0) / 6.7) as usize;
    let meets = match parted.as_slice() {
        [] => String::new(),
        [one] => format!("◇ meet from PC {one}"),
        more => format!("◇ meet from {} PCs", more.len()),
    };
    scene.mono(0, Tone::Soft, x, y + 16.0, SMALL, Align::Left, cut(code, room.saturating_sub(meets.chars().count())));
    if !meets.is_empty() {
        scene.label(0, Tone::Good, rect.x + rect.w - 8.0, y + 16.0, SMALL, Align::Right, meets);
    }
}

/// A warp's lanes in a block.
struct Party<'a> {
    warp: &'a WarpPicture,
    lanes: u32,
    /// They run, rather than wait for others of their warp.
    runs: bool,
}

/// Who is in each block: those that run first.
fn parties<'a>(view: &PanelView<'a>, cfg: &Cfg) -> Vec<Vec<Party<'a>>> {
    let mut parties: Vec<Vec<Party>> = cfg.blocks.iter().map(|_| Vec::new()).collect();
    for runs in [true, false] {
        for warp in view.warps() {
            let waiting = || view.sim.state.sms[usize::from(warp.sm)].divergence.waiting(warp.warp.into(), warp.slot);
            for (pc, lanes) in if runs { warp.places.clone() } else { waiting() } {
                let Some(block) = cfg.block_of.get(pc as usize).and_then(|&block| parties.get_mut(block as usize)) else {
                    continue;
                };
                match block.last_mut().filter(|last| last.runs == runs && last.warp.warp == warp.warp) {
                    Some(party) => party.lanes |= lanes,
                    None => block.push(Party { warp, lanes, runs }),
                }
            }
        }
    }
    parties
}

fn draw_warps(scene: &mut Scene<Selection>, view: &PanelView, frame: Frame, at: usize, parties: &[Party], runs: bool) {
    let (x, y) = (frame.x + 8.0, frame.top(at) + BOX - 23.0);
    let room = (((frame.width - 8.0 - 36.0) / CHIP) as usize).max(1);
    let picked = view.selection.and_then(Selection::warp);
    let of = |party: &Party| Some((party.warp.sm, party.warp.warp)) == picked;
    // The selected warp is always named.
    let far = parties.iter().position(of).filter(|&far| far >= room);
    let named = (0..parties.len().min(room)).map(|place| far.filter(|_| place + 1 == room).unwrap_or(place));
    for (place, party) in named.map(|at| &parties[at]).enumerate().filter(|(_, party)| party.runs == runs) {
        let cell = Rect::new(x + place as f32 * CHIP, y, CHIP - 4.0, 16.0);
        let name = u32::from(party.warp.sm) << 16 | u32::from(party.warp.warp);
        let which = u8::from(party.runs);
        if party.runs {
            scene.fill(key(kind::PARTY, name, 0, which), hue(party.warp.warp), Rect::new(cell.x, cell.y, 5.0, cell.h));
        }
        scene.outline(key(kind::PARTY_EDGE, name, 0, which), if of(party) { Tone::Text } else { Tone::Edge }, cell);
        let full = party.lanes.count_ones() == party.warp.width;
        let text = if full { party.warp.warp.to_string() } else { format!("{}·{}", party.warp.warp, party.lanes.count_ones()) };
        let tone = if party.runs { Tone::Text } else { Tone::Soft };
        scene.mono(key(kind::PARTY_TEXT, name, 0, which), tone, cell.x + 8.0, cell.y + 12.0, SMALL, Align::Left, text);
        scene.spot(cell, Selection::Warp { sm: party.warp.sm, warp: party.warp.warp });
    }
    if runs && parties.len() > room {
        let text = format!("+{}", parties.len() - room);
        scene.label(0, Tone::Soft, x + room as f32 * CHIP, y + 12.0, SMALL, Align::Left, text);
    }
}

fn words(cfg: &Cfg, parties: &[Vec<Party>]) -> String {
    let mut text = format!("Control flow: {} blocks.", cfg.blocks.len());
    for (block, parties) in cfg.blocks.iter().zip(parties).filter(|(_, parties)| !parties.is_empty()) {
        let lanes =
            |runs: bool| -> u32 { parties.iter().filter(|party| party.runs == runs).map(|party| party.lanes.count_ones()).sum() };
        text.push_str(&format!(" PC {} to {}: {} lanes run, {} wait.", block.start, block.end - 1, lanes(true), lanes(false)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Pc;

    fn cfg(successors: &[&[usize]]) -> Cfg {
        let block =
            |(at, to): (usize, &&[usize])| Block { start: at as Pc, end: at as Pc + 1, successors: to.to_vec(), exits: false };
        Cfg { blocks: successors.iter().enumerate().map(block).collect(), ..Cfg::default() }
    }

    #[test]
    fn arrows_that_pass_each_other_have_ways_of_their_own() {
        // 0 skips to 4; 1 skips to 3; 3 goes back to 1; 2 goes back to itself.
        let cfg = cfg(&[&[4, 1], &[3, 2], &[2, 3], &[1, 4], &[]]);
        let arrows = super::arrows(&cfg, &(0..5));
        for (at, one) in arrows.iter().enumerate() {
            assert_eq!(one.back, one.to <= one.from, "{one:?}");
            for other in &arrows[at + 1..] {
                let apart = one.back != other.back || one.lane != other.lane || !one.span_meets(other);
                assert!(apart || one.to == other.to, "{one:?} {other:?}");
            }
        }
        assert_eq!(arrows.len(), 4);
        let lane = |from: usize, to: usize| arrows.iter().find(|a| (a.from, a.to) == (from, to)).map(|a| a.lane);
        assert_eq!((lane(1, 3), lane(0, 4)), (Some(0), Some(1)), "the inner one stays inside");
        assert_eq!((lane(2, 2), lane(3, 1)), (Some(0), Some(1)));
        let part: Vec<(usize, usize)> = super::arrows(&cfg, &(1..4)).iter().map(|arrow| (arrow.from, arrow.to)).collect();
        assert_eq!(part, [(2, 2), (1, 3), (3, 1)], "the others lead out of sight");
    }
}
