//! The picture of PDOM: the selected warp's lanes, large, with its stack below; all warps below or beside.
//!
//! Every thread stands in one place: in its lane while it runs, else in the stack entry where it waits. Entries lie under their
//! lanes, so that a mask reads column by column. The top entry, which runs, comes first. The film of a divergence: the branch
//! flashes, the new entries *open*, the threads of one side *sink* into theirs. Of a reconvergence: the threads of the next entry
//! *rise* into the lanes, then the popped one *closes*. (TBC section 2.2.2)

use super::PanelView;
use super::parts::{
    self, BASE, LaneGrid, SMALL, Stand, Thread, chip, fitting, heading, hue, kind, lane_numbers, overview, reason, titled,
};
use crate::scene::{Align, Beat, Geometry, Rect, Scene, Tone, key};
use crate::view::words::{counted, the_lanes};
use crate::view::{LaneActivity, Selection, WarpPicture, cut};
use warpscope_kernel::program::Pc;
use warpscope_machine::event::{Event, Reason};

/// Room left of the lanes for the names of places, which stand above the lanes if the lanes would become too narrow.
const LABELS: f32 = 136.0;
const LINE: f32 = 16.0;
/// The height of a row of the stack, as a share of the lanes'.
const ROW: f32 = 0.8;
/// The width below which lanes are too narrow.
const NARROW: f32 = 20.0;
const LEGEND: &str = "filled: active · outline: masked · number: stack entries · bar: at a barrier · dot: ended";
/// The height from the top of the picture to the lanes.
const ABOVE: f32 = 52.0;
/// The height of the names of the parts above the lanes.
const NAMES: f32 = 44.0;
/// The height from the lanes to the stack.
const BETWEEN: f32 = 30.0;
/// The least width of the overview beside the selected warp.
const OVERVIEW: f32 = 200.0;

/// Sizes and positions, constant during a run.
#[derive(Clone, Copy)]
struct Sizes {
    grid: LaneGrid,
    /// The height of place names above lanes and rows; zero where they stand at the left.
    names: f32,
    /// The top of the lanes.
    top: f32,
    /// The heights of a lane's cell and of a row of the stack.
    lane: f32,
    row: f32,
    /// How many rows of the stack fit.
    rows: usize,
    /// The left edge of the overview where it fits beside the lanes; else it lies below.
    beside: Option<f32>,
}

impl Sizes {
    fn new(view: &PanelView, lanes: u32) -> Sizes {
        let most = (view.height * 0.2).clamp(28.0, 96.0);
        let at = |x: f32| LaneGrid::fit(x, view.width - x - 4.0, lanes, most);
        let beside = at(LABELS);
        let (grid, names) = if beside.pitch < NARROW { (at(6.0), LINE) } else { (beside, 0.0) };
        let end = grid.x + grid.width(lanes) + 28.0;
        let beside = (view.width - end >= OVERVIEW).then_some(end);
        let machine = &view.sim.machine;
        let blocks = machine.start.shape.blocks().div_ceil(u64::from(machine.config.sms));
        let warps = blocks.saturating_mul(machine.block_warps.into()).min(machine.max_warps.into());
        // The rows of few warps are higher.
        let rows = (warps as f32 * 26.0).min((warps as f32 * 14.0).max(view.height * 0.25));
        let below = if beside.is_some() { 8.0 } else { 44.0 + rows };
        let top = names + if view.names_parts { ABOVE + NAMES } else { ABOVE };
        // The lanes and a stack of three entries fit above the overview.
        let room = view.height - top - BETWEEN - below - 3.0 * (names + 6.0);
        let lane =
            (room / (1.0 + 3.0 * ROW)).min(grid.pitch - grid.gap).clamp(if names > 0.0 { 12.0 } else { 18.0 }, most).floor();
        let row = names + (lane * ROW + 6.0).max(21.0).floor();
        let rows = ((view.height - top - lane - BETWEEN - below) / row) as usize;
        Sizes { grid, names, top, lane, row, rows: rows.clamp(3, 7), beside }
    }

    /// Returns the baseline of the name of the lanes' place.
    fn place(&self) -> f32 {
        if self.names > 0.0 { self.top - 8.0 - self.names } else { self.top + self.lane / 2.0 - 1.0 }
    }

    /// Returns the top of the stack.
    fn stack(&self) -> f32 {
        self.top + self.lane + BETWEEN
    }
}

pub fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let warp = view.focus();
    let sizes = Sizes::new(&view, view.sim.machine.config.warp_width);
    let mut y = 0.0;
    if let Some(warp) = warp {
        header(&mut scene, &view, warp);
        lanes(&mut scene, &view, warp, &sizes);
        if view.names_parts {
            name_parts(&mut scene, &view, warp, &sizes);
        }
        y = stack(&mut scene, &view, warp, &sizes);
    }
    match sizes.beside.filter(|_| warp.is_some()) {
        Some(x) => {
            scene.bold(0, Tone::Text, x, sizes.top - 12.0, BASE, Align::Left, titled(&view, "All warps"));
            let room = Rect::new(x, sizes.top - 2.0, view.width - x, view.height - sizes.top);
            y = y.max(sizes.top + overview(&mut scene, &view, room));
        }
        None => {
            y += 8.0;
            scene.fill(0, Tone::Line, Rect::new(0.0, y, view.width, 1.0));
            y += 20.0;
            heading(&mut scene, &view, y, "All warps", LEGEND);
            y += 8.0;
            y += overview(&mut scene, &view, Rect::new(0.0, y, view.width, (view.height - y - 4.0).max(60.0)));
        }
    }
    scene.height = scene.height.max(y);
    scene.words = words(&view, warp);
    scene
}

/// Draws the selected warp's name, what it did, and its instruction.
pub fn header(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture) {
    chip(scene, warp.warp, 0.0, 3.0, 14.0);
    scene.bold(0, Tone::Text, 20.0, 15.0, 15.0, Align::Left, format!("Warp {}", warp.warp));
    scene.label(0, Tone::Soft, 98.0, 15.0, BASE, Align::Left, format!("block {}", warp.block));
    if let Some(did) = warp.reason {
        reason(scene, Some(did), 172.0, 3.0, 14.0);
        let (front, short) = did.label_parts();
        let fits = 196.0 + (front.len() + short.len()) as f32 * BASE * 0.56 <= view.width;
        scene.label(0, Tone::Soft, 196.0, 15.0, BASE, Align::Left, if fits { did.label() } else { short });
    }
    let code = |pc: Pc| view.listing.code(&view.sim.machine.program, pc);
    let room = ((view.width - 320.0) / 7.3).max(0.0) as usize;
    let next = code(warp.pc);
    let text = match issued(view.last, warp).map(code) {
        Some(issued) if !issued.is_empty() && room > 30 => {
            let (issued, next) = (cut(issued, (room - 8) / 2), cut(next, (room - 8) / 2));
            format!("{issued} → next {next}")
        }
        _ if next.is_empty() => String::new(),
        _ => format!("next {}", cut(next, room.saturating_sub(5))),
    };
    if room > 12 {
        scene.mono(0, Tone::Soft, view.width, 15.0, 12.0, Align::Right, text);
    }
}

/// Returns the instruction that the warp issued in the last cycle.
fn issued(last: &[Event], of: &WarpPicture) -> Option<Pc> {
    last.iter().find_map(|event| match *event {
        Event::Issued { sm, warp, pc, .. } if sm == of.sm && Some(warp) == of.entry => Some(pc),
        _ => None,
    })
}

/// Draws the lanes, with the threads that run in them.
fn lanes(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture, sizes: &Sizes) {
    let grid = &sizes.grid;
    lane_numbers(scene, grid, warp.width, sizes.top - 8.0);
    if sizes.names == 0.0 {
        scene.label(0, Tone::Soft, grid.x - 10.0, sizes.top - 8.0, SMALL, Align::Right, "lane");
    }
    let frame = Rect::new(grid.x - 4.0, sizes.top - 4.0, grid.width(warp.width) + 6.0 - grid.gap, sizes.lane + 8.0);
    scene.beat = Beat::Flash;
    let lit = warp.reason == Some(Reason::Issued);
    scene.mark(key(kind::NOW, 0, 0, 0), Tone::Accent, lit, Geometry::Ring(frame));
    scene.beat = Beat::Travel;
    for at in 0..warp.width {
        let cell = grid.cell(at, sizes.top, sizes.lane);
        let thread = Thread::of(warp, at);
        match warp.lane(at) {
            LaneActivity::Active => {
                thread.draw(scene, Stand::Token, cell);
                // Unseen, so that it comes and goes with the thread.
                thread.edge(scene, cell, false);
            }
            LaneActivity::Barrier => thread.draw(scene, Stand::Parked, cell),
            LaneActivity::Exited => thread.draw(scene, Stand::Ended, cell),
            LaneActivity::Empty => scene.outline(0, Tone::Line, cell),
            // The thread itself waits in the stack.
            LaneActivity::Masked => {
                scene.outline(0, Tone::Mark, cell);
                thread.write(scene, 0, Tone::Mark, cell);
                scene.spot(cell, thread.selection());
            }
        }
        if view.selection == Some(thread.selection()) {
            scene.outline(0, Tone::Text, Rect::new(cell.x - 2.0, cell.y - 2.0, cell.w + 4.0, cell.h + 4.0));
        }
    }
    let line = sizes.place();
    parts::place(scene, 0, Tone::Text, (0.0, line), &view.listing.place(warp.pc), &format!("PC {}", warp.pc));
    let active = format!("{} of {} active", warp.active.count_ones(), warp.width);
    if sizes.names > 0.0 {
        scene.label(0, Tone::Soft, grid.x + grid.width(warp.width), line, SMALL, Align::Right, active);
    } else {
        scene.label(0, Tone::Soft, 0.0, line + 14.0, SMALL, Align::Left, active);
    }
}

/// Explains a warp, a lane and a mask, with an arrow to one of each.
fn name_parts(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture, sizes: &Sizes) {
    let line = ABOVE - 22.0;
    let mut point = |x: f32, y: f32, to: (f32, f32), text: &str| {
        scene.bold(0, Tone::Accent, x, y, SMALL, Align::Left, text);
        let from = (to.0.clamp(x + 4.0, x + 60.0), y + 4.0);
        scene.push(0, Tone::Accent, Geometry::Arrow(Rect::new(from.0, from.1, to.0 - from.0, to.1 - from.1)));
    };
    let lane = |look: LaneActivity, from: u32| (from..warp.width).chain(0..from).find(|&lane| warp.lane(lane) == look);
    let above = |lane: u32| {
        let cell = sizes.grid.cell(lane, sizes.top, sizes.lane);
        (cell.x + cell.w / 2.0, cell.y - 18.0)
    };
    let words = format!("a warp: {} threads that run one instruction together", warp.width);
    point(0.0, line, (20.0, sizes.place() - 22.0), &words);
    // Beside the name of the place, if that stands above the lanes.
    if let Some(at) = lane(LaneActivity::Active, if sizes.names > 0.0 { warp.width / 4 } else { 0 }) {
        let to = above(at);
        point((to.0 - 8.0).max(sizes.grid.x), line + 15.0, to, "a lane, filled: its thread runs");
    }
    if let Some(at) = lane(LaneActivity::Masked, warp.width / 2) {
        let to = above(at);
        let x = (to.0 - 24.0).min(view.width - 220.0).max(sizes.grid.x);
        point(x, line + 30.0, to, "masked: waits for the other side");
    }
}

/// Draws the stack, with the threads that wait in it; returns the lower end.
fn stack(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture, sizes: &Sizes) -> f32 {
    let y = sizes.stack();
    let likely = view.sim.machine.config.divergence.likely();
    scene.bold(0, Tone::Text, 0.0, y - 7.0, BASE, Align::Left, "Stack");
    let columns = if likely { "at → meets (likely)" } else { "at → meets" };
    scene.label(0, Tone::Soft, 44.0, y - 7.0, SMALL, Align::Left, columns);
    let room = sizes.beside.unwrap_or(view.width) - LABELS;
    match merged(view.last, warp) {
        Some((pc, mask)) => {
            let text = format!("{} merged at the likely-convergence point, {}", the_lanes(mask), view.listing.place(pc));
            scene.bold(0, Tone::Accent, LABELS, y - 7.0, SMALL, Align::Left, text);
        }
        None => {
            let text = fitting("the top entry runs · filled: active now · pale: waits in its entry", room);
            scene.label(0, Tone::Soft, LABELS, y - 7.0, SMALL, Align::Left, text);
        }
    }
    // New entries appear before threads sink into them; popped entries go after their threads have risen.
    let opens = match changed(view.last, warp) {
        Some(Change::Pushed) => {
            scene.plan(Beat::Flash, "flash", 150);
            let open = scene.act("open", 250);
            scene.plan(Beat::Travel, "sink", 450);
            open
        }
        Some(Change::Popped) => {
            scene.plan(Beat::Flash, "flash", 150);
            scene.plan(Beat::Travel, "rise", 450);
            scene.plan(Beat::Settle, "close", 250);
            Beat::Settle
        }
        None => Beat::Settle,
    };
    let waiting = warp.alive & !warp.active & !warp.at_barrier;
    let mut placed = 0;
    for (row, (at, entry)) in warp.stack.iter().enumerate().rev().enumerate() {
        let top = y + row as f32 * sizes.row;
        let (runs, name) = (row == 0, at as u8);
        scene.beat = opens;
        let wide = sizes.grid.x + sizes.grid.width(warp.width) + 4.0;
        let bar = Rect::new(0.0, top, wide, sizes.row - 3.0);
        let (tone, geometry) = if runs { (Tone::Changed, Geometry::Round(bar)) } else { (Tone::Line, Geometry::Outline(bar)) };
        scene.push(key(kind::ENTRY_ROW, 0, 0, name), tone, geometry);
        let tone = if runs { Tone::Text } else { Tone::Soft };
        let middle = if sizes.names > 0.0 { top + 8.0 } else { top + (sizes.row - 3.0) / 2.0 };
        let text = key(kind::ENTRY_TEXT, 0, 0, name);
        let likely = entry.lpc.map_or(String::new(), |lpc| format!(" ({})", view.listing.place(lpc)));
        let way = view.listing.way(entry.pc, entry.rpc) + &likely;
        if sizes.names == 0.0 && sizes.row >= 28.0 {
            scene.bold(text, tone, 6.0, middle, BASE, Align::Left, way);
            let pcs = format!("PC {} → {}", entry.pc, entry.rpc.map_or("end".to_string(), |rpc: Pc| rpc.to_string()));
            scene.mono(key(kind::ENTRY_TEXT, 1, 0, name), Tone::Soft, 6.0, middle + 11.0, 10.0, Align::Left, pcs);
        } else {
            scene.bold(text, tone, 6.0, middle + 4.0, SMALL, Align::Left, way);
        }
    }
    // Threads lie over all rows, so that no row hides a moving thread.
    scene.beat = Beat::Travel;
    for (row, (at, entry)) in warp.stack.iter().enumerate().rev().enumerate() {
        let (top, name) = (y + row as f32 * sizes.row, at as u8);
        // A thread is in several entries, and waits in the topmost of them.
        let here = entry.mask & waiting & !placed;
        placed |= entry.mask;
        for lane in (0..warp.width).filter(|lane| entry.mask >> lane & 1 != 0) {
            let cell = sizes.grid.cell(lane, top + sizes.names + 3.0, sizes.row - sizes.names - 9.0);
            if here >> lane & 1 != 0 {
                Thread::of(warp, lane).draw(scene, Stand::Waits, cell);
            } else {
                scene.beat = opens;
                scene.outline(key(kind::MASK_PLACE, lane, name.into(), 0), Tone::Edge, cell);
                if row == 0 && warp.active >> lane & 1 != 0 {
                    scene.fill(key(kind::MASK, lane, name.into(), 0), hue(warp.warp), cell.around(-2.0));
                }
                scene.beat = Beat::Travel;
            }
        }
    }
    y + warp.stack.len().max(sizes.rows) as f32 * sizes.row
}

/// What happened to a stack.
enum Change {
    Pushed,
    Popped,
}

/// Returns what happened to the warp's stack in the last cycle.
fn changed(last: &[Event], of: &WarpPicture) -> Option<Change> {
    let is_pushed = |event: &Event| matches!(*event, Event::Push { sm, warp, .. } if (sm, warp) == (of.sm, of.warp));
    let is_popped = |event: &Event| matches!(*event, Event::Pop { sm, warp, .. } if (sm, warp) == (of.sm, of.warp));
    match (last.iter().any(is_pushed), last.iter().any(is_popped)) {
        (true, _) => Some(Change::Pushed),
        (_, true) => Some(Change::Popped),
        _ => None,
    }
}

/// Returns the PC and the lanes that joined waiting lanes at the warp's likely-convergence point in the last cycle.
fn merged(last: &[Event], of: &WarpPicture) -> Option<(Pc, u32)> {
    last.iter().find_map(|event| match *event {
        Event::LikelyMerge { sm, warp, pc, mask, .. } if (sm, warp) == (of.sm, of.warp) => Some((pc, mask)),
        _ => None,
    })
}

fn words(view: &PanelView, warp: Option<&WarpPicture>) -> String {
    let resident = view.picture.warps.len();
    let issued = view.picture.warps.iter().filter(|w| w.reason == Some(Reason::Issued)).count();
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
