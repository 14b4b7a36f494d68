//! The picture of ITS: the selected warp's splits, a row each, above the convergence barriers that they wait at.
//!
//! Rows lie under the lanes. The first is the split that runs; those below run next, in this order, the ones that have yielded last;
//! then come those that wait. A barrier's row has a place for each lane of its mask: filled in where the lane has arrived, with a
//! strong edge where it is still missing. A branch parts the row of the running split; a split that is blocked sinks to its barrier's
//! side; when the last lane arrives, all of them rise as one row.

use super::PanelView;
use super::parts::{BASE, LaneGrid, PALE, SMALL, Stand, Thread, fitting, heading, hue, kind, lane_numbers, overview};
use super::pdom::header;
use crate::scene::{Align, Beat, Geometry, Rect, Scene, Tone, key};
use crate::view::words::the_lanes;
use crate::view::{Selection, WarpPicture};
use warpscope_kernel::ptx::op::Barrier;
use warpscope_machine::event::{Event, Reason};
use warpscope_machine::policy::divergence::its::{Split, SplitState, WarpSplits};

/// Room left of the lanes for the names of rows.
const LABELS: f32 = 148.0;
/// The width below which lanes are too narrow for names at their left: the names then stand above the rows.
const NARROW: f32 = 14.0;
const LINE: f32 = 15.0;
/// The height from the top to the first row.
const ABOVE: f32 = 58.0;
/// The height between the splits and the barriers.
const BETWEEN: f32 = 26.0;
const LEGEND: &str = "filled: runs · pale: waits · bar: at a barrier of the block · dot: ended";

/// Splits and barriers for which there is room in any case.
const USUAL: (usize, usize) = (4, 2);

/// Where rows and lanes lie.
struct Sizes {
    grid: LaneGrid,
    names: f32,
    row: f32,
}

impl Sizes {
    /// Chooses rows that leave room for the warps below, also when a branch adds another.
    fn new(view: &PanelView, lanes: u32, rows: usize, warps: usize) -> Sizes {
        let below = 44.0 + (warps as f32 * 14.0).clamp(20.0, view.height * 0.3);
        let tall = (view.height - ABOVE - BETWEEN - below) / rows as f32;
        let beside = LaneGrid::fit(LABELS, view.width - LABELS - 4.0, lanes, tall.clamp(18.0, 48.0));
        let (grid, names) = if beside.pitch < NARROW {
            (LaneGrid::fit(6.0, view.width - 10.0, lanes, tall.clamp(18.0, 48.0)), LINE)
        } else {
            (beside, 0.0)
        };
        Sizes { grid, names, row: tall.clamp(20.0 + names, 54.0 + names).floor() }
    }

    fn cell(&self, lane: u32, y: f32) -> Rect {
        self.grid.cell(lane, y + self.names + 3.0, (self.row - self.names - 8.0).max(8.0))
    }

    /// Writes the name of a row: beside its lanes, or above them.
    fn name(&self, scene: &mut Scene<Selection>, id: (u8, u32), y: f32, (tone, name, more): (Tone, &str, &str)) {
        let (kind, number) = id;
        let (text, detail) = (key(kind, number, 0, 0), key(kind, number, 1, 0));
        if self.names > 0.0 {
            scene.bold(text, tone, 6.0, y + 11.0, SMALL, Align::Left, name);
            scene.label(detail, Tone::Soft, self.grid.x + 150.0, y + 11.0, SMALL, Align::Left, more);
        } else if self.row >= 28.0 {
            scene.bold(text, tone, 6.0, y + self.row / 2.0 - 3.0, BASE, Align::Left, name);
            scene.label(detail, Tone::Soft, 6.0, y + self.row / 2.0 + 10.0, SMALL, Align::Left, fitting(more, LABELS - 10.0));
        } else {
            scene.bold(text, tone, 6.0, y + self.row / 2.0 + 3.0, SMALL, Align::Left, name);
        }
    }
}

pub fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let Some(warp) = view.focus() else { return scene };
    let unit = view.sim.state.sms.get(usize::from(warp.sm)).and_then(|sm| sm.divergence.its());
    let Some(splits) = unit.and_then(|its| its.warp(warp.warp)) else { return scene };
    header(&mut scene, &view, warp);
    plan(&mut scene, &view, warp);
    // Room for more than there is, so that a branch that parts the running split moves nothing else.
    let (ways, barriers) = (splits.splits.len().max(USUAL.0), splits.barriers.len().max(USUAL.1));
    let rows = ways + barriers;
    let sizes = Sizes::new(&view, warp.width, rows, view.warps().count());
    lane_numbers(&mut scene, &sizes.grid, warp.width, ABOVE - 8.0);
    scene.bold(0, Tone::Text, 0.0, ABOVE - 22.0, BASE, Align::Left, "Splits");
    let about = fitting("lanes of the warp that go on together; the first runs", view.width - 60.0);
    scene.label(0, Tone::Soft, 52.0, ABOVE - 22.0, SMALL, Align::Left, about);
    let mut y = ABOVE;
    for split in ordered(splits) {
        row(&mut scene, &view, warp, split, &sizes, y);
        y += sizes.row;
    }
    y = y.max(ABOVE + ways as f32 * sizes.row) + BETWEEN;
    scene.bold(0, Tone::Text, 0.0, y - 9.0, BASE, Align::Left, "Convergence barriers");
    let about = match splits.barriers.len() {
        0 => "no lane waits for another",
        _ => "filled: has arrived · strong edge: still missing",
    };
    scene.label(0, Tone::Soft, 168.0, y - 9.0, SMALL, Align::Left, fitting(about, view.width - 172.0));
    for &(barrier, lanes) in &splits.barriers {
        mask(&mut scene, (warp, splits), (barrier, lanes), &sizes, y);
        y += sizes.row;
    }
    y = y.max(ABOVE + rows as f32 * sizes.row + BETWEEN) + 6.0;
    scene.fill(0, Tone::Line, Rect::new(0.0, y, view.width, 1.0));
    y += 18.0;
    heading(&mut scene, &view, y, "All warps", LEGEND);
    y += 8.0;
    y += overview(&mut scene, &view, Rect::new(0.0, y, view.width, (view.height - y - 4.0).max(24.0)));
    scene.height = scene.height.max(y);
    scene.words = words(&view, warp, splits);
    scene
}

/// Returns the splits in the order of the rows: those that run or can run, in their order, then those that wait.
fn ordered(splits: &WarpSplits) -> Vec<&Split> {
    let waits = |split: &&Split| matches!(split.state, SplitState::Blocked(_) | SplitState::Parked);
    let (waiting, rest): (Vec<&Split>, Vec<&Split>) = splits.splits.iter().partition(waits);
    rest.into_iter().chain(waiting).collect()
}

/// Gives the film of this cycle a beat for each thing that happened.
fn plan(scene: &mut Scene<Selection>, view: &PanelView, of: &WarpPicture) {
    let own = |event: &&Event| match **event {
        Event::Branch { sm, warp, diverged: true, .. }
        | Event::Blocked { sm, warp, .. }
        | Event::Converged { sm, warp, .. }
        | Event::Yielded { sm, warp, .. }
        | Event::Switched { sm, warp, .. } => (sm, warp) == (of.sm, of.warp),
        _ => false,
    };
    let travel = match view.last.iter().filter(own).max_by_key(|event| weight(event)) {
        Some(Event::Branch { .. }) => "part",
        Some(Event::Converged { .. }) => "meet",
        Some(Event::Blocked { .. }) => "park",
        Some(Event::Yielded { .. }) => "step back",
        Some(_) => "switch",
        None => return,
    };
    scene.plan(Beat::Flash, "flash", 150);
    scene.plan(Beat::Travel, travel, 450);
    scene.plan(Beat::Settle, "settle", 250);
}

/// What a film is named after, where several things happened.
fn weight(event: &Event) -> u8 {
    match event {
        Event::Converged { .. } => 4,
        Event::Branch { .. } => 3,
        Event::Blocked { .. } => 2,
        Event::Yielded { .. } => 1,
        _ => 0,
    }
}

/// Draws a split: its threads in their lanes, in a frame, with its place and what it waits for.
fn row(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture, split: &Split, sizes: &Sizes, y: f32) {
    let runs = split.state == SplitState::Running;
    // A split is known by its first lane: when it is parted, that lane's part keeps the row.
    let name = split.mask.trailing_zeros();
    scene.beat = Beat::Settle;
    let wide = sizes.grid.x + sizes.grid.width(warp.width) + 4.0;
    let bar = Rect::new(0.0, y, wide, sizes.row - 3.0);
    let (tone, frame) = if runs { (Tone::Changed, Geometry::Round(bar)) } else { (Tone::Line, Geometry::Outline(bar)) };
    scene.push(key(kind::ENTRY_ROW, name, 0, 0), tone, frame);
    let state = match split.state {
        SplitState::Running => "runs".to_string(),
        SplitState::Ready { .. } => "ready".to_string(),
        SplitState::Yielded => "has yielded".to_string(),
        SplitState::Blocked(barrier) => format!("waits at B{}", barrier.register),
        SplitState::Parked => "waits for others".to_string(),
    };
    let ink = if runs { Tone::Text } else { Tone::Soft };
    sizes.name(scene, (kind::ENTRY_TEXT, name), y, (ink, &view.listing.place(split.pc), &state));
    scene.beat = Beat::Flash;
    let lit = runs && warp.reason == Some(Reason::Issued);
    scene.mark(key(kind::NOW, name, 0, 0), Tone::Accent, lit, Geometry::Ring(bar));
    scene.beat = Beat::Travel;
    for lane in (0..warp.width).filter(|lane| split.mask >> lane & 1 != 0) {
        let stand = match split.state {
            SplitState::Running => Stand::Token,
            SplitState::Parked if warp.at_barrier >> lane & 1 != 0 => Stand::Parked,
            _ => Stand::Waits,
        };
        let thread = Thread::of(warp, lane);
        thread.draw(scene, stand, sizes.cell(lane, y));
        if stand == Stand::Token {
            // Unseen, so that it comes and goes with the thread.
            thread.edge(scene, sizes.cell(lane, y), false);
        }
    }
}

/// Draws a barrier's mask, with the lanes that have arrived and those that are missing.
fn mask(
    scene: &mut Scene<Selection>,
    (warp, splits): (&WarpPicture, &WarpSplits),
    (barrier, lanes): (Barrier, u32),
    sizes: &Sizes,
    y: f32,
) {
    let (there, missing) = (splits.blocked(barrier), splits.missing(barrier));
    let number = u32::from(barrier.register) << 24 | barrier.point & 0xff_ffff;
    scene.beat = Beat::Settle;
    let name = format!("B{} · {} of {} here", barrier.register, there.count_ones(), lanes.count_ones());
    let more = if missing == 0 { "complete".to_string() } else { format!("waits for {}", the_lanes(missing)) };
    let more = if there == 0 { "nobody waits yet".to_string() } else { more };
    let ink = if there != 0 { Tone::Text } else { Tone::Soft };
    sizes.name(scene, (kind::CARD, number), y, (ink, &name, &more));
    for lane in (0..warp.width).filter(|lane| lanes >> lane & 1 != 0) {
        let cell = sizes.cell(lane, y).around(-1.0);
        let place = key(kind::MASK_PLACE, number, lane as u16, 0);
        let awaited = there != 0 && missing >> lane & 1 != 0;
        scene.outline(place, if awaited { Tone::Accent } else { Tone::Edge }, cell);
        if awaited {
            scene.outline(0, Tone::Accent, cell.around(-1.0));
        }
        if there >> lane & 1 != 0 {
            scene.mark(key(kind::MASK, number, lane as u16, 0), hue(warp.warp), true, Geometry::Round(cell.around(-2.0)));
            scene.fade(2.0 * PALE);
        }
        scene.spot(cell, Selection::Lane { sm: warp.sm, warp: warp.warp, lane: lane as u8 });
    }
}

fn words(view: &PanelView, warp: &WarpPicture, splits: &WarpSplits) -> String {
    let list: Vec<String> = ordered(splits)
        .into_iter()
        .map(|split| {
            let what = match split.state {
                SplitState::Running => "run",
                SplitState::Ready { .. } => "are ready",
                SplitState::Yielded => "have yielded",
                SplitState::Blocked(_) => "wait at a convergence barrier",
                SplitState::Parked => "wait for other threads",
            };
            format!("{} {what} at {}", the_lanes(split.mask), view.listing.line(split.pc))
        })
        .collect();
    format!("Cycle {}: warp {}: {}.", view.picture.cycle, warp.warp, list.join("; "))
}
