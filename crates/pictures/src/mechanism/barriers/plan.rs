//! Where things lie on the barrier board: the height of a row, the size of a token, and the columns from left to right.

use super::super::parts::round_up;
use super::view::{BarrierView, BlockTrack, Runner, RunnerState};

/// The room for the board, and the selection.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub(crate) width: f32,
    pub(crate) height: f32,
    pub(crate) sm: u16,
    /// The block that is large where not all fit.
    pub slot: Option<u16>,
    pub(crate) warp: Option<u16>,
}

/// The least and the greatest height of a token.
pub const TOKEN: std::ops::RangeInclusive<f32> = 12.0..=40.0;
/// The space between two rows, and the greatest height of a row.
const ROW_GAP: f32 = 3.0;
const HIGHEST_ROW: f32 = 64.0;
/// Room above the first row for the headings; the space between two blocks.
pub const HEAD: f32 = 24.0;
pub const BLOCK_GAP: f32 = 10.0;
/// The height of the line below the tracks.
pub const FOOT: f32 = 18.0;
/// The width of a block's name.
pub const LABEL: f32 = 66.0;
/// The widths of the gate with its count, of the place for ended warps, and of an I-buffer, at least those of their headings.
pub const GATE: f32 = 50.0;
const ENDED: f32 = 44.0;
const BUFFER: f32 = 52.0;
/// The width of an arrow with the space around it.
pub const ARROW: f32 = 34.0;
/// A narrower board has no I-buffers and smaller tokens, so that the tracks keep a useful length.
pub const NARROW: f32 = 430.0;
const SMALL_TOKEN: f32 = 22.0;
/// The height of a line of the overview, and its least width.
pub const LINE: f32 = 18.0;
const LINE_WIDTH: f32 = 250.0;

/// The positions of everything on the board.
pub struct BoardPlan {
    /// The block that is large, if not all are.
    only: Option<u16>,
    /// The distance from row to row.
    pub pitch: f32,
    /// The height and the width of a token.
    pub token: f32,
    pub wide: f32,
    /// The left edges of tokens at the start, of the gate, and of tokens of ended warps.
    pub start: f32,
    pub gate: f32,
    pub ended: f32,
    /// The left edges of the fetch arrow, the I-buffer's cells and the issue arrow; the number of cells, zero without I-buffers.
    pub fetch: f32,
    pub cells: f32,
    pub issue: f32,
    pub ibuffer: u32,
    /// The progress at the end of the track, in instructions.
    pub scale: u64,
}

impl BoardPlan {
    pub fn new(view: &BarrierView, room: &Room) -> BoardPlan {
        let rows: usize = view.blocks.iter().map(|block| block.warps.len()).sum();
        let least = TOKEN.start() + ROW_GAP;
        let foot = if has_foot(view, room) { FOOT } else { 0.0 };
        let free = |blocks: usize| room.height - HEAD - foot - BLOCK_GAP * blocks.saturating_sub(1) as f32;
        let mut pitch = free(view.blocks.len()) / rows.max(1) as f32;
        let mut only = None;
        if pitch < least && view.blocks.len() > 1 {
            let chosen = view.blocks.iter().find(|block| Some(block.slot) == room.slot).unwrap_or(&view.blocks[0]);
            only = Some(chosen.slot);
            let lines = overview_lines(view.blocks.len() - 1, room.width);
            pitch = (free(2) - LINE - lines as f32 * LINE) / chosen.warps.len().max(1) as f32;
        }
        let pitch = pitch.clamp(least, HIGHEST_ROW).floor();
        let largest = if room.width < NARROW { SMALL_TOKEN } else { *TOKEN.end() };
        let token = (pitch - ROW_GAP).clamp(*TOKEN.start(), largest);
        let letters = view.blocks.iter().flat_map(|block| &block.warps).map(|runner| name(runner.warp).len()).max().unwrap_or(2);
        let wide = (token * 1.25).max(letters as f32 * text_size(token) * 0.62 + 8.0).ceil();
        let ibuffer = if room.width < NARROW { 0 } else { view.ibuffer };
        let cells = ibuffer as f32 * (cell_size(token) + 2.0);
        let buffer = if ibuffer == 0 { 0.0 } else { cells.max(BUFFER) };
        let issue = room.width - ARROW;
        let fetch = if ibuffer == 0 { issue } else { issue - buffer - ARROW };
        let ended = fetch - wide.max(ENDED) - 14.0;
        BoardPlan {
            only,
            pitch,
            token,
            wide,
            start: LABEL + badge_size(token) + 4.0,
            gate: ended - GATE,
            ended: ended + (wide.max(ENDED) - wide) / 2.0,
            fetch,
            cells: issue - buffer / 2.0 - cells / 2.0,
            issue,
            ibuffer,
            scale: round_up(view.longest),
        }
    }

    pub fn is_large(&self, block: &BlockTrack) -> bool {
        self.only.is_none_or(|only| only == block.slot)
    }

    /// Returns the left edge of a runner's token.
    pub fn x(&self, runner: &Runner) -> f32 {
        match runner.state {
            RunnerState::Running => self.x_at(runner.progress),
            RunnerState::Waiting => self.gate - self.wide - 2.0,
            RunnerState::Exited => self.ended,
        }
    }

    /// Returns the left edge of a running token, which never reaches those that wait.
    pub fn x_at(&self, progress: u64) -> f32 {
        let room = (self.gate - 1.6 * self.wide - self.start).max(0.0);
        self.start + room * (progress as f32 / self.scale as f32).min(1.0)
    }
}

pub fn text_size(token: f32) -> f32 {
    (token * 0.62).clamp(9.0, 20.0).round()
}

pub fn badge_size(token: f32) -> f32 {
    (token * 0.75).clamp(12.0, 22.0)
}

pub fn cell_size(token: f32) -> f32 {
    (token * 0.7).clamp(9.0, 20.0).round()
}

pub fn name(warp: u16) -> String {
    format!("w{warp}")
}

/// Returns whether a line below the tracks fits and has something to say.
pub fn has_foot(view: &BarrierView, room: &Room) -> bool {
    room.height >= 200.0 && view.fetches > 0
}

/// Returns how many lines an overview of `blocks` blocks takes.
pub fn overview_lines(blocks: usize, width: f32) -> usize {
    blocks.div_ceil(((width / LINE_WIDTH) as usize).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_changes_rarely_and_holds_the_longest_phase() {
        let scales: Vec<u64> = (0..200).map(round_up).collect();
        assert!(scales.iter().enumerate().all(|(longest, scale)| *scale >= longest as u64));
        let mut changes = scales.clone();
        changes.dedup();
        assert!(changes.len() <= 11 && changes.is_sorted(), "{changes:?}");
    }
}
