//! The picture of TBC: a block's home rows, its stack, and below the compactor the warps of the warp buffer.
//!
//! Three bands, as in figures 7 to 9. *Home*: the block's static warps, a row each. *Stack*: the block-wide entries, each with a
//! row of its mask for every static warp, and the sides of a branch that fill up while warps arrive at it. *Warp buffer*: below
//! the homes in the same lane columns, so that a thread that the compactor picks drops straight down through the encoder of its
//! lane. A thread is in one of two places: at home while it waits, in a warp of the buffer while it runs. [`film`] tells how it
//! comes from one to the other. (TBC sections 3.1 to 3.3)

mod cards;
mod compactor;
mod film;
mod other_blocks;
mod sizes;
mod stack;
mod threads;

pub use self::film::direct;
use self::sizes::{Sizes, has_others, others};
use super::PanelView;
use super::parts::{self, BASE, SMALL, overview};
use crate::scene::{Align, Rect, Scene, Tone};
use crate::view::words::counted;
use crate::view::{Selection, WarpPicture};
use warpscope_kernel::program::Pc;
use warpscope_machine::event::Event;
use warpscope_machine::policy::divergence::block_stack::{BlockStack, EntryState};
use warpscope_machine::policy::divergence::tbc::Tbc;
use warpscope_machine::sim::state::Sm;

/// The block that is shown, on its machine, and the sizes of its picture.
struct ShownBlock<'a> {
    view: PanelView<'a>,
    /// The warp of the block that is in focus.
    warp: &'a WarpPicture,
    sm: &'a Sm,
    tbc: &'a Tbc,
    stack: &'a BlockStack,
    sizes: Sizes,
}

impl<'a> ShownBlock<'a> {
    /// Returns a static warp by its number in the block.
    fn static_warp(&self, number: u16) -> Option<&'a WarpPicture> {
        self.view.picture.warp(self.warp.sm, self.stack.first_warp + number)
    }

    /// Returns whether a thread is in a warp of the warp table, and does not wait at a barrier.
    fn runs(&self, warp: u16, lane: u32) -> bool {
        let entry = self.sm.statics.at[usize::from(warp) * self.sizes.lanes as usize + lane as usize];
        let is_buffered = self.tbc.buffered(entry).is_some_and(|buffered| buffered.slot == self.warp.slot);
        is_buffered && !self.sm.sets.barrier.contains(entry.into())
    }

    /// Returns the warps that the compactor formed in the last cycle.
    fn formed(&self) -> impl Iterator<Item = u16> {
        let sm = self.warp.sm;
        self.view.last.iter().filter_map(move |event| match *event {
            Event::Formed { sm: of, warp, .. } if of == sm => Some(warp),
            _ => None,
        })
    }

    /// Returns the row of the warp buffer for an entry of the warp table: the same one as long as the block lives.
    fn row(&self, entry: u16) -> usize {
        let (first, warps) = (self.stack.first_warp, self.stack.warps);
        let more = || self.buffered().iter().filter(|other| **other < entry && !(first..first + warps).contains(*other)).count();
        if (first..first + warps).contains(&entry) { usize::from(entry - first) } else { usize::from(warps) + more() }
    }

    /// Returns the block's warps in the warp table, in the order of their entries.
    fn buffered(&self) -> Vec<u16> {
        let in_table = self.sm.sets.resident.iter(self.sm.sets.words).map(|entry| entry as u16);
        in_table.filter(|&entry| self.tbc.buffered(entry).is_some_and(|buffered| buffered.slot == self.warp.slot)).collect()
    }
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
    let block = ShownBlock { view, warp, sm, tbc, stack, sizes: Sizes::new(&view, warp.width, stack.warps) };
    header(&mut scene, &block);
    stack::draw(&mut scene, &block);
    compactor::draw(&mut scene, &block);
    let mut y = threads::draw(&mut scene, &block) + 8.0;
    if has_others(&view) {
        y = other_blocks::draw(&mut scene, &view, warp, y.max(view.height - others(&view, stack.warps)));
    }
    scene.height = scene.height.max(y);
    scene.words = words(&block);
    scene
}

fn header(scene: &mut Scene<Selection>, block: &ShownBlock) {
    let ShownBlock { view, warp, stack, .. } = block;
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

/// Returns the PC and the number of the block's threads that merged at a likely-convergence point in the last cycle.
fn merged(last: &[Event], of: &WarpPicture) -> Option<(Pc, u16)> {
    last.iter().find_map(|event| match *event {
        Event::BlockMerge { sm, slot, pc, threads, .. } if (sm, slot) == (of.sm, of.slot) => Some((pc, threads)),
        _ => None,
    })
}

fn words(block: &ShownBlock) -> String {
    let ShownBlock { view, warp, stack, .. } = block;
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
