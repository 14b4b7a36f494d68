//! The picture of TBC: a block's home rows, its stack, and below the compactor the warps of the warp buffer.
//!
//! Three bands, as in figures 7 to 9. *Home*: the block's static warps, a row each. *Stack*: the block-wide entries, each with a
//! row of its mask for every static warp, and the sides of a branch that fill up while warps arrive at it. *Warp buffer*: below
//! the homes in the same lane columns, so that a thread that the compactor picks drops straight down through the encoder of its
//! lane. A thread is in one of two places: at home while it waits, in a warp of the buffer while it runs. A thread that arrives
//! at a branch passes the mask of its side on its way home. (TBC sections 3.1 to 3.3)

use super::PanelView;
use super::parts::{self, BASE, LaneGrid, SMALL, Stand, Thread, chip, fitting, heading, hue, kind, lane_numbers, overview};
use crate::event::Event;
use crate::policy::divergence::NEVER;
use crate::policy::divergence::block_stack::{BlockEntry, BlockMask, BlockStack, EntryState, Side};
use crate::policy::divergence::compactor;
use crate::policy::divergence::tbc::Tbc;
use crate::program::Pc;
use crate::scene::{Align, Beat, Geometry, Rect, Scene, Tone, key};
use crate::sim::state::Sm;
use crate::view::words::counted;
use crate::view::{Selection, WarpPicture};

/// Room left of the lanes, for the names of warps.
const LABEL: f32 = 74.0;
/// The width of a stack beside the lanes.
const STACK: f32 = 232.0;
const TOP: f32 = 26.0;
/// The heights of the encoders between homes and warp buffer, and of a heading.
const ENCODERS: f32 = 26.0;
const TITLE: f32 = 20.0;
/// Where text can stand to the right of the warp buffer's title.
const BEHIND_TITLE: f32 = 92.0;
/// The height of an entry's text.
const WORDS: f32 = 34.0;

/// Sizes and positions, constant during a block's life.
#[derive(Clone, Copy)]
struct Sizes {
    grid: LaneGrid,
    /// The heights of a thread's cell, and of a row with its gap.
    cell: f32,
    row: f32,
    lanes: u32,
    warps: u16,
    /// The area of the stack: beside the lanes, or above them if they need the full width.
    stack: Rect,
    /// The top of the homes.
    home: f32,
    /// The size of a mask's cell in the stack.
    mask: f32,
}

impl Sizes {
    /// Places the stack beside the lanes, or above them if that leaves the threads clearly more room.
    fn new(view: &PanelView, lanes: u32, warps: u16) -> Sizes {
        let (beside, above) = (Sizes::beside(view, lanes, warps), Sizes::above(view, lanes, warps));
        let size = |sizes: &Sizes| sizes.cell.min(sizes.grid.pitch);
        if size(&beside) * 1.2 >= size(&above) { beside } else { above }
    }

    fn beside(view: &PanelView, lanes: u32, warps: u16) -> Sizes {
        let grid = LaneGrid::fit(LABEL, view.width - LABEL - STACK - 28.0, lanes, MOST);
        let x = (LABEL + grid.width(lanes) + 28.0).min(view.width - STACK);
        let stack = Rect::new(x, TOP, view.width - x, view.height - TOP - others(view, warps));
        let mask = ((stack.w - 24.0) / (lanes as f32 * 1.12)).min(64.0 / f32::from(warps)).clamp(2.5, 18.0);
        Sizes::around(view, grid, lanes, warps, stack, TOP, mask)
    }

    fn above(view: &PanelView, lanes: u32, warps: u16) -> Sizes {
        let grid = LaneGrid::fit(LABEL, view.width - LABEL, lanes, MOST);
        let mask = (view.width * 0.4 / (lanes as f32 * 1.12)).min(28.0 / f32::from(warps)).clamp(2.5, 8.0);
        let tall = TITLE + 3.0 * (f32::from(warps) * mask + 6.0).max(18.0) + 8.0;
        let stack = Rect::new(0.0, TOP, view.width, tall);
        Sizes::around(view, grid, lanes, warps, stack, TOP + tall, mask)
    }

    fn around(view: &PanelView, grid: LaneGrid, lanes: u32, warps: u16, stack: Rect, home: f32, mask: f32) -> Sizes {
        let room = view.height - home - 2.0 * TITLE - ENCODERS - others(view, warps) - 12.0;
        let cell = (room / (2.0 * f32::from(warps)) - 3.0).min(grid.pitch - grid.gap).max(LEAST);
        Sizes { grid, cell, row: cell + 3.0, lanes, warps, stack, home, mask }
    }

    fn is_beside(&self) -> bool {
        self.stack.x > 0.0
    }

    /// Returns a thread's cell at home, by its static warp's number in the block and its lane.
    fn home_cell(&self, number: u16, lane: u32) -> Rect {
        self.grid.cell(lane, self.home + TITLE + f32::from(number) * self.row, self.cell)
    }

    /// Returns the top of the line of encoders, below which the warp buffer begins.
    fn encoders(&self) -> f32 {
        self.home + TITLE + f32::from(self.warps) * self.row + 2.0
    }

    fn away_cell(&self, row: usize, lane: u32) -> Rect {
        self.grid.cell(lane, self.encoders() + ENCODERS + TITLE + row as f32 * self.row, self.cell)
    }

    /// Returns the height of a mask in the stack.
    fn mask_tall(&self) -> f32 {
        f32::from(self.warps) * self.mask
    }

    /// Returns a thread's cell in the mask at a point.
    fn mask_cell(&self, (x, y): (f32, f32), number: u16, lane: u32) -> Rect {
        let x = x + (lane as f32 + (lane / 4) as f32 * 0.4) * self.mask;
        let gap = if self.mask > 4.0 { 1.0 } else { 0.5 };
        Rect::new(x, y + f32::from(number) * self.mask, self.mask - gap, self.mask - gap)
    }
}

/// The greatest width of a thread's cell.
const MOST: f32 = 54.0;
/// The least height of a thread's cell; below it the picture scrolls.
const LEAST: f32 = 12.0;
/// Room for the other blocks, without their masks.
const OTHERS: f32 = 44.0;

/// Returns the height that the other blocks take at the bottom.
fn others(view: &PanelView, warps: u16) -> f32 {
    if has_others(view) { OTHERS + f32::from(warps).min(8.0) * 3.0 } else { 0.0 }
}

/// Returns whether the machine ever has other blocks beside the one that is shown.
fn has_others(view: &PanelView) -> bool {
    let machine = &view.sim.machine;
    machine.start.shape.blocks() > 1 && machine.max_warps > machine.block_warps
}

pub fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let Some(warp) = view.focus() else {
        overview(&mut scene, &view, Rect::new(0.0, 0.0, view.width, view.height));
        scene.words = "No block is resident.".into();
        return scene;
    };
    let sm = &view.sim.state.sms[usize::from(warp.sm)];
    let Some((tbc, stack)) = sm.divergence.tbc().and_then(|tbc| tbc.block(warp.slot).map(|stack| (tbc, stack))) else {
        return scene;
    };
    let sizes = Sizes::new(&view, warp.width, stack.warps);
    header(&mut scene, &view, warp, stack);
    let ways = stack_band(&mut scene, &view, warp, stack, &sizes);
    encoders(&mut scene, stack, &sizes);
    let mut y = threads(&mut scene, &view, warp, sm, tbc, stack, &sizes, &ways) + 8.0;
    if has_others(&view) {
        y = other_blocks(&mut scene, &view, warp, y.max(view.height - others(&view, stack.warps)));
    }
    scene.height = scene.height.max(y);
    scene.words = words(&view, warp, stack);
    scene
}

fn header(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture, stack: &BlockStack) {
    scene.bold(0, Tone::Text, 0.0, 15.0, 15.0, Align::Left, format!("Block {}", warp.block));
    if let Some((pc, threads)) = merged(view.last, warp) {
        let (threads, place) = (counted(threads.into(), "thread"), view.listing.place(pc));
        let text = format!("{threads} merged at the likely-convergence point, {place}");
        scene.bold(0, Tone::Accent, 76.0, 15.0, SMALL, Align::Left, text);
        return;
    }
    let last = stack.first_warp + stack.warps.max(1) - 1;
    let about = format!("{}, one stack for all", warps(stack.first_warp, last));
    if view.width > 480.0 {
        scene.label(0, Tone::Soft, 76.0, 15.0, BASE, Align::Left, about);
    }
    // A narrow panel has no room for both texts.
    if view.width > 300.0 {
        parts::shared(scene, view);
    }
}

fn warps(first: u16, last: u16) -> String {
    if first == last { format!("warp {first}") } else { format!("warps {first} to {last}") }
}

fn count(mask: &[u32]) -> u32 {
    mask.iter().map(|lanes| lanes.count_ones()).sum()
}

fn has(mask: &[u32], number: u16, lane: u32) -> bool {
    mask.get(usize::from(number)).is_some_and(|mask| mask >> lane & 1 != 0)
}

/// An entry of the stack as it is drawn, or a side of a branch that will become one.
struct Card<'a> {
    id: u32,
    state: &'static str,
    runs: bool,
    way: String,
    pcs: String,
    wcnt: Option<u16>,
    mask: &'a BlockMask,
    /// Whether it is still being filled.
    fills: bool,
    /// When cards take their places: before threads go to them, or after.
    opens: Beat,
}

/// Returns the cards from the top of the stack down; sides that fill up stand above their entry.
fn cards<'a>(view: &PanelView, stack: &'a BlockStack) -> Vec<Card<'a>> {
    let next = stack.entries.iter().rposition(|entry| entry.state == EntryState::Pending);
    let mut cards = Vec::new();
    for (at, entry) in stack.entries.iter().enumerate().rev() {
        for (side_at, side) in sides(entry).iter().enumerate() {
            cards.push(Card {
                id: 1 << 15 | side_at as u32,
                state: "fills",
                runs: false,
                way: view.listing.place(side.pc),
                pcs: format!("PC {}", side.pc),
                wcnt: None,
                mask: &side.mask,
                fills: true,
                opens: Beat::Flash,
            });
        }
        let state = match entry.state {
            EntryState::Running => "runs",
            EntryState::Pending if next == Some(at) => "is next",
            EntryState::Pending => "later",
            EntryState::Waiting => "waits",
        };
        let point = |pc: u32| (pc != NEVER).then_some(pc);
        let likely = point(entry.lpc).map_or(String::new(), |lpc| format!(" (likely {})", view.listing.place(lpc)));
        cards.push(Card {
            id: entry.id & 0x7fff,
            state,
            runs: entry.state == EntryState::Running,
            way: view.listing.way(entry.pc, point(entry.rpc)) + &likely,
            pcs: format!("PC {} → {}", entry.pc, point(entry.rpc).map_or("end".into(), |rpc| rpc.to_string())),
            wcnt: Some(entry.wcnt),
            mask: &entry.mask,
            fills: false,
            opens: Beat::Settle,
        });
    }
    // New sides take their places first, so that threads move to where the sides are.
    if cards.iter().any(|card| card.fills) {
        cards.iter_mut().for_each(|card| card.opens = Beat::Flash);
    }
    cards
}

/// Returns the sides of the branch at which an entry's warps arrive.
fn sides(entry: &BlockEntry) -> &[Side] {
    entry.arrivals.first().map_or(&[], |arrivals| &arrivals.sides)
}

/// The mask of each side that fills up, with where it is drawn.
type Ways<'a> = Vec<(&'a BlockMask, (f32, f32))>;

/// Draws the block's stack, top first; returns the masks of the sides that fill up.
fn stack_band<'a>(
    scene: &mut Scene<Selection>,
    view: &PanelView,
    warp: &WarpPicture,
    stack: &'a BlockStack,
    sizes: &Sizes,
) -> Ways<'a> {
    let Rect { x, y, w: wide, h: tall } = sizes.stack;
    scene.bold(0, Tone::Text, x, y + 13.0, BASE, Align::Left, "Stack");
    let legend = "WCnt: warps that have not arrived · the top first";
    scene.label(0, Tone::Soft, x + 50.0, y + 13.0, SMALL, Align::Left, fitting(legend, wide - 50.0));
    let step = if sizes.is_beside() { WORDS + sizes.mask_tall() + 8.0 } else { (sizes.mask_tall() + 6.0).max(18.0) };
    let mut cards = cards(view, stack);
    // The middle of a deep stack is left out where it does not fit.
    let most = ((tall - TITLE) / step).max(3.0) as usize;
    let all = cards.len();
    let left_out = all.saturating_sub(most);
    if left_out > 0 {
        let keep = most.saturating_sub(1);
        cards.drain(keep..all - 1);
    }
    let mut ways = Vec::new();
    let mut y = y + TITLE;
    for (at, card) in cards.iter().enumerate() {
        let rect = Rect::new(x, y, wide, step - 4.0);
        let masks = card_words(scene, card, rect, sizes);
        mask(scene, view, warp, stack, card, masks, sizes);
        if card.fills {
            ways.push((card.mask, masks));
        }
        if left_out > 0 && at + 2 == cards.len() {
            let text = format!("… {} more …", left_out);
            scene.label(0, Tone::Soft, x + wide - 6.0, y + 13.0, SMALL, Align::Right, text);
        }
        y += step;
    }
    ways
}

/// Writes an entry's text; returns where its mask goes.
fn card_words(scene: &mut Scene<Selection>, card: &Card, rect: Rect, sizes: &Sizes) -> (f32, f32) {
    let name = card.id as u16;
    let named = |column: u8| key(kind::ENTRY_TEXT, 0, name, column);
    scene.beat = card.opens;
    let (tone, geometry) = match (card.runs, card.fills) {
        (true, _) => (Tone::Changed, Geometry::Round(rect)),
        (_, true) => (Tone::Accent, Geometry::Outline(rect)),
        _ => (Tone::Line, Geometry::Outline(rect)),
    };
    scene.push(key(kind::ENTRY_ROW, 0, name, 1), tone, geometry);
    let tone = if card.runs { Tone::Text } else { Tone::Soft };
    let threads = counted(count(card.mask).into(), "thread");
    let beside = sizes.is_beside();
    let (x, line) = (rect.x + 8.0, rect.y + if beside { 15.0 } else { rect.h / 2.0 + 4.0 });
    scene.bold(named(0), tone, x, line, BASE, Align::Left, card.way.as_str());
    let masks = if beside {
        let wcnt = card.wcnt.map_or(card.state.to_string(), |wcnt| format!("{} · WCnt {wcnt}", card.state));
        scene.label(named(1), tone, rect.x + rect.w - 8.0, line, SMALL, Align::Right, wcnt);
        scene.mono(named(2), Tone::Soft, x, line + 13.0, 10.0, Align::Left, format!("{} · {threads}", card.pcs));
        (x, rect.y + WORDS)
    } else {
        let wcnt = card.wcnt.map_or(String::new(), |wcnt| format!("WCnt {wcnt} · "));
        let left = rect.x + rect.w - 8.0 - sizes.lanes as f32 * sizes.mask * 1.12;
        let said = format!("{} · {wcnt}{threads}", card.state);
        scene.label(named(1), tone, x + 128.0, line, SMALL, Align::Left, fitting(&said, left - x - 132.0));
        (left, rect.y + (rect.h - sizes.mask_tall()) / 2.0 + 1.0)
    };
    scene.beat = Beat::Travel;
    masks
}

/// Draws the mask of an entry, a row for each static warp.
fn mask(
    scene: &mut Scene<Selection>,
    view: &PanelView,
    warp: &WarpPicture,
    stack: &BlockStack,
    card: &Card,
    at: (f32, f32),
    sizes: &Sizes,
) {
    for number in 0..sizes.warps {
        let origin = stack.first_warp + number;
        let present = view.picture.warp(warp.sm, origin).map_or(0, |picture| picture.present);
        for lane in (0..sizes.lanes).filter(|lane| present >> lane & 1 != 0) {
            let cell = sizes.mask_cell(at, number, lane);
            let name = |kind: u8| key(kind, card.id << 16 | u32::from(number), lane as u16, 0);
            // A place is drawn whether it is filled or not, so that it stays while it empties.
            if sizes.mask > 4.0 {
                scene.beat = card.opens;
                scene.outline(name(kind::MASK_PLACE), Tone::Line, cell);
            }
            if has(card.mask, number, lane) {
                scene.beat = if card.fills { Beat::Settle } else { card.opens };
                scene.fill(name(kind::MASK), hue(origin), cell);
            }
        }
    }
    scene.beat = Beat::Travel;
}

/// Draws homes above, warps below, and every thread in one of the two; returns the lower end.
#[expect(clippy::too_many_arguments, reason = "a band of the picture has the block, its machine and its sizes")]
fn threads(
    scene: &mut Scene<Selection>,
    view: &PanelView,
    warp: &WarpPicture,
    sm: &Sm,
    tbc: &Tbc,
    stack: &BlockStack,
    sizes: &Sizes,
    ways: &Ways,
) -> f32 {
    let width = sizes.lanes;
    scene.bold(0, Tone::Text, 0.0, sizes.home + 13.0, BASE, Align::Left, "Home");
    lane_numbers(scene, &sizes.grid, width, sizes.home + 13.0);
    let buffer = sizes.encoders() + ENCODERS;
    scene.bold(0, Tone::Text, 0.0, buffer + 12.0, BASE, Align::Left, "Warp buffer");
    // The block's warps in the warp table, in the order of their entries.
    let in_table = sm.sets.resident.iter(view.sim.machine.words).map(|entry| entry as u16);
    let rows: Vec<u16> =
        in_table.filter(|&entry| tbc.buffered(entry).is_some_and(|buffered| buffered.slot == warp.slot)).collect();
    for (at, &entry) in rows.iter().enumerate() {
        let state = &sm.warps[usize::from(entry)];
        let first = sizes.away_cell(at, 0);
        let middle = first.y + sizes.cell / 2.0 + 4.0;
        scene.mono(0, Tone::Text, 0.0, middle, SMALL, Align::Left, view.listing.place(state.place.pc));
        (0..width).for_each(|lane| scene.outline(0, Tone::Line, sizes.away_cell(at, lane)));
        let last = sizes.away_cell(at, width - 1);
        let frame = Rect::new(first.x - 3.0, first.y - 2.0, last.x + last.w - first.x + 6.0, sizes.cell + 4.0);
        scene.beat = Beat::Flash;
        let lit = sm.issued.warps.contains(entry.into());
        scene.mark(key(kind::NOW, u32::from(entry), 0, 0), Tone::Accent, lit, Geometry::Ring(frame));
        scene.beat = Beat::Travel;
    }
    // Places are drawn first, so that none covers a moving thread.
    for number in 0..stack.warps {
        let Some(home) = view.picture.warp(warp.sm, stack.first_warp + number) else { continue };
        let taken = (0..width).filter(|lane| (home.present & home.alive) >> lane & 1 != 0);
        taken.for_each(|lane| scene.outline(0, Tone::Line, sizes.home_cell(number, lane)));
    }
    for number in 0..stack.warps {
        let origin = stack.first_warp + number;
        let y = sizes.home_cell(number, 0).y;
        chip(scene, origin, 44.0, y + (sizes.cell - 9.0) / 2.0, 9.0);
        scene.mono(0, Tone::Text, 0.0, y + sizes.cell / 2.0 + 4.0, SMALL, Align::Left, format!("w{origin}"));
        let Some(picture) = view.picture.warp(warp.sm, origin) else { continue };
        for lane in (0..width).filter(|lane| picture.present >> lane & 1 != 0) {
            let cell = sizes.home_cell(number, lane);
            let thread = Thread::of(picture, lane);
            scene.spot(cell, thread.selection());
            if picture.alive >> lane & 1 == 0 {
                thread.draw(scene, Stand::Ended, cell);
                continue;
            }
            let at = sm.statics.at[usize::from(origin) * width as usize + lane as usize];
            match rows.iter().position(|entry| *entry == at) {
                Some(row) => {
                    let waits = sm.sets.barrier.contains(at.into());
                    thread.draw(scene, if waits { Stand::Parked } else { Stand::Token }, sizes.away_cell(row, lane));
                }
                None => {
                    thread.draw(scene, Stand::Token, cell);
                    // On its way home the thread passes the mask of its side.
                    if let Some((_, point)) = ways.iter().find(|(mask, _)| has(mask, number, lane)) {
                        thread.pass(scene, cell, sizes.mask_cell(*point, number, lane));
                    }
                }
            }
            if view.selection == Some(thread.selection()) {
                scene.outline(0, Tone::Text, Rect::new(cell.x - 2.0, cell.y - 2.0, cell.w + 4.0, cell.h + 4.0));
            }
        }
    }
    buffer + TITLE + f32::from(stack.warps).max(rows.len() as f32) * sizes.row
}

/// Draws the compactor's priority encoders, with how many threads each home lane still has to give.
fn encoders(scene: &mut Scene<Selection>, stack: &BlockStack, sizes: &Sizes) {
    let y = sizes.encoders();
    let running = stack.entries.iter().rev().find(|entry| entry.state == EntryState::Running && count(&entry.todo) > 0);
    for lane in 0..sizes.lanes {
        let cell = sizes.grid.cell(lane, y + 3.0, 14.0);
        let waiting = running.map_or(0, |entry| entry.todo.iter().filter(|mask| *mask >> lane & 1 != 0).count());
        scene.beat = Beat::Flash;
        scene.mark(key(kind::ENCODER, lane, 0, 0), Tone::Accent, waiting > 0, Geometry::Fill(cell));
        scene.beat = Beat::Travel;
        scene.outline(0, Tone::Edge, cell);
        if waiting > 0 && cell.w >= 9.0 {
            scene.mono(0, Tone::OnAccent, cell.x + cell.w / 2.0, y + 14.0, 10.0, Align::Middle, waiting.to_string());
        }
    }
    scene.label(0, Tone::Soft, 0.0, y + 14.0, SMALL, Align::Left, "compactor");
    if let Some(entry) = running {
        let text = format!("{} to go", counted(compactor::warps(&entry.todo).into(), "warp"));
        // Beside the title of the buffer that the warps go to.
        scene.label(0, Tone::Accent, BEHIND_TITLE, y + ENCODERS + 12.0, SMALL, Align::Left, text);
    }
}

/// Draws the SM's blocks, a small mask each, filled where a thread can run. Returns the lower end.
fn other_blocks(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture, y: f32) -> f32 {
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

/// Returns the PC and the number of the block's threads that merged at a likely-convergence point in the last cycle.
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
