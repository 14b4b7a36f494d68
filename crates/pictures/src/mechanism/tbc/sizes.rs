//! Where things lie in the picture of TBC: the lanes' columns, the rows of homes and warps, and the area of the stack.

use super::super::PanelView;
use super::super::parts::LaneGrid;
use crate::scene::Rect;

/// Room left of the lanes, for the names of warps and bands; wide warps leave less.
const LABEL: f32 = 94.0;
const NARROW_LABEL: f32 = 74.0;
/// The width of a stack beside the lanes.
const STACK: f32 = 232.0;
const TOP: f32 = 26.0;
/// The heights of an encoder, and of a heading.
pub const ENCODER: f32 = 14.0;
pub const TITLE: f32 = 20.0;
/// The space around the compactor.
const AROUND: f32 = 8.0;
/// The height of an entry's text.
pub const WORDS: f32 = 34.0;
/// The greatest width of a thread's cell.
const MOST: f32 = 54.0;
/// The least height of a thread's cell; below it the picture scrolls.
const LEAST: f32 = 12.0;
/// Room for the other blocks, without their masks.
const OTHERS: f32 = 44.0;

/// Sizes and positions, constant during a block's life.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub grid: LaneGrid,
    /// The heights of a thread's cell, and of a row with its gap.
    pub cell: f32,
    pub row: f32,
    pub lanes: u32,
    pub warps: u16,
    /// The area of the stack: beside the lanes, or above them if they need the full width.
    pub stack: Rect,
    /// The top of the homes.
    pub home: f32,
    /// The size of a mask's cell in the stack.
    pub mask: f32,
    /// The height of a mask's row above the encoders.
    dock: f32,
}

impl Sizes {
    /// Places the stack beside the lanes, or above them if that leaves the threads clearly more room.
    pub fn new(view: &PanelView, lanes: u32, warps: u16) -> Sizes {
        let (beside, above) = (Sizes::beside(view, lanes, warps), Sizes::above(view, lanes, warps));
        let size = |sizes: &Sizes| sizes.cell.min(sizes.grid.pitch);
        if size(&beside) * 1.2 >= size(&above) { beside } else { above }
    }

    fn beside(view: &PanelView, lanes: u32, warps: u16) -> Sizes {
        let label = label(lanes);
        let grid = LaneGrid::fit(label, view.width - label - STACK - 28.0, lanes, MOST);
        let x = (label + grid.width(lanes) + 28.0).min(view.width - STACK);
        let stack = Rect::new(x, TOP, view.width - x, view.height - TOP - others(view, warps));
        // Three cards fit: the two sides of a branch, and the entry below them.
        let card = (stack.h - TITLE) / 3.0 - WORDS - 8.0;
        let mask = ((stack.w - 24.0) / (lanes as f32 * 1.12)).min(card / f32::from(warps)).clamp(2.5, 40.0).floor();
        Sizes::around(view, grid, lanes, warps, stack, TOP, mask)
    }

    fn above(view: &PanelView, lanes: u32, warps: u16) -> Sizes {
        let grid = LaneGrid::fit(label(lanes), view.width - label(lanes), lanes, MOST);
        let mask = (view.width * 0.4 / (lanes as f32 * 1.12)).min(28.0 / f32::from(warps)).clamp(2.5, 8.0);
        let tall = TITLE + 3.0 * (f32::from(warps) * mask + 6.0).max(18.0) + 8.0;
        let stack = Rect::new(0.0, TOP, view.width, tall);
        Sizes::around(view, grid, lanes, warps, stack, TOP + tall, mask)
    }

    fn around(view: &PanelView, grid: LaneGrid, lanes: u32, warps: u16, stack: Rect, home: f32, mask: f32) -> Sizes {
        let dock = (40.0 / f32::from(warps)).clamp(3.0, 12.0).floor();
        let compactor = f32::from(warps) * dock + ENCODER + 2.0 * AROUND;
        let room = view.height - home - 2.0 * TITLE - compactor - others(view, warps) - 8.0;
        let cell = (room / (2.0 * f32::from(warps)) - 3.0).min(grid.pitch - grid.gap).max(LEAST).floor();
        Sizes { grid, cell, row: cell + 3.0, lanes, warps, stack, home, mask, dock }
    }

    pub fn is_beside(&self) -> bool {
        self.stack.x > 0.0
    }

    /// Returns a thread's cell at home, by its static warp's number in the block and its lane.
    pub fn home_cell(&self, number: u16, lane: u32) -> Rect {
        self.grid.cell(lane, self.home + TITLE + f32::from(number) * self.row, self.cell)
    }

    /// Returns the place above its lane's encoder where a bit of the running entry's mask waits.
    pub fn dock_cell(&self, number: u16, lane: u32) -> Rect {
        let top = self.home + TITLE + f32::from(self.warps) * self.row + AROUND + f32::from(number) * self.dock;
        let cell = self.grid.cell(lane, top, self.dock - 1.0);
        Rect { x: cell.x + (cell.w * 0.15).floor(), w: (cell.w * 0.7).ceil(), ..cell }
    }

    /// Returns a lane's encoder.
    pub fn encoder(&self, lane: u32) -> Rect {
        self.grid.cell(lane, self.dock_cell(self.warps, lane).y + 1.0, ENCODER)
    }

    /// Returns the top of the warp buffer.
    pub fn buffer(&self) -> f32 {
        self.encoder(0).y + ENCODER + AROUND
    }

    /// Returns a thread's cell in the warp buffer, by the row of its warp and its lane.
    pub fn away_cell(&self, row: usize, lane: u32) -> Rect {
        self.grid.cell(lane, self.buffer() + TITLE + row as f32 * self.row, self.cell)
    }

    /// Returns the height of a mask in the stack.
    pub fn mask_tall(&self) -> f32 {
        f32::from(self.warps) * self.mask
    }

    /// Returns a thread's cell in the mask at a point.
    pub fn mask_cell(&self, (x, y): (f32, f32), number: u16, lane: u32) -> Rect {
        let x = x + (lane as f32 + (lane / 4) as f32 * 0.4) * self.mask;
        let gap = if self.mask > 4.0 { 1.0 } else { 0.5 };
        Rect::new(x, y + f32::from(number) * self.mask, self.mask - gap, self.mask - gap)
    }
}

fn label(lanes: u32) -> f32 {
    if lanes > 8 { NARROW_LABEL } else { LABEL }
}

/// Returns the height that the other blocks take at the bottom.
pub fn others(view: &PanelView, warps: u16) -> f32 {
    if has_others(view) { OTHERS + f32::from(warps).min(8.0) * 3.0 } else { 0.0 }
}

/// Returns whether the machine ever has other blocks beside the one that is shown.
pub fn has_others(view: &PanelView) -> bool {
    let machine = &view.sim.machine;
    machine.start.shape.blocks() > 1 && machine.max_warps > machine.block_warps
}
