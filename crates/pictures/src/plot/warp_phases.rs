//! The warp-phases of a few blocks over time, a row for each warp (BAWS figures 3 and 4). A bar is dark while the warp executes
//! and pale while it waits for the last warp of its block. Above a block's rows stand the numbers of its phases.

use super::axis::grouped;
use super::chart::{Content, PlottedRun};
use super::figures::{Figure, Label, Paint};
use super::layout::{BELOW, Bounds, PAD, PlotSheet, along, text_width};
use crate::scene::{Align, Tone};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use warpscope_machine::event::Reason;
use warpscope_machine::metrics::phases::{Ending, Phase, PhasePart};

/// The message of warp-phase figures for a kernel without barriers.
pub const NO_BARRIER: &str = "This kernel has no barrier that would divide it into warp-phases";

/// The most blocks and the most warps that are shown; one block is shown however many warps it has.
const MOST_BLOCKS: usize = 3;
const MOST_ROWS: usize = 48;
/// The height of the band above a block's rows, in multiples of the letter size.
const BAND: f64 = 1.5;
/// The vertical middle of the text in the band, in multiples of the letter size; it keeps clear of the rows' names.
const BAND_MIDDLE: f64 = 0.6;
/// The height of the thickest bar, in the page's pixels.
const THICKEST: f64 = 18.0;

/// A bar for each warp and warp-phase of an SM's blocks.
#[derive(Clone, Debug)]
pub struct WarpPhases {
    barriers: bool,
    sm: u16,
    blocks: Vec<Rows>,
    /// How many blocks the SM has had.
    known: usize,
    /// The cycles that are shown.
    shown: Range<u64>,
    /// How many phases are not kept, and how many are.
    left_out: u64,
    kept: usize,
    labels: [Label; 4],
}

/// The phases of one block.
#[derive(Clone, Debug)]
struct Rows {
    sm: u16,
    block: u64,
    first_warp: u16,
    warps: usize,
    /// In the order in which they ended; a phase that is still open is last.
    phases: Vec<Phase>,
    /// How many phases there are, including those that are not shown.
    known: usize,
}

impl WarpPhases {
    /// Collects as many phases as fit `most` stretches; [`usize::MAX`] takes all phases of all blocks of all SMs.
    pub fn new(run: &PlottedRun, most: usize) -> WarpPhases {
        let open: Vec<Phase> = run.phases.open(run.series.end()).collect();
        let all = || run.phases.kept().iter().chain(&open).filter(|phase| most == usize::MAX || phase.sm == run.sm);
        // Every block has exactly one first phase.
        let mut firsts: Vec<&Phase> = if run.barriers { all().filter(|phase| phase.number == 1).collect() } else { Vec::new() };
        firsts.sort_by_key(|phase| (phase.sm, phase.start, phase.block));
        let known = firsts.len();
        if most != usize::MAX {
            firsts = chosen(&firsts, run.block, |block| warps(all(), run.sm, block));
        }
        let blocks = collected(&firsts, all());
        let label = |tone, rest, share, name: &str| Paint::Mix(tone, rest, share).label(name);
        let mut phases = WarpPhases {
            barriers: run.barriers,
            sm: run.sm,
            blocks,
            known,
            shown: 0..0,
            left_out: run.phases.left_out(),
            kept: run.phases.kept().len(),
            labels: [
                Paint::Pure(Tone::Accent).label("odd phase"),
                label(Tone::Accent, Tone::Text, 0.45, "even phase"),
                label(Tone::Reason(Reason::Barrier), Tone::Panel, 0.4, Reason::Barrier.label()),
                label(Tone::Reason(Reason::Exit), Tone::Panel, 0.4, Reason::Exit.label()),
            ],
        };
        phases.cut((most / 4).max(2), run.cycle);
        phases
    }

    /// Keeps `most` phases of the first block, around the displayed cycle, and the other blocks' phases of the same time.
    fn cut(&mut self, most: usize, cycle: Option<u64>) {
        let phases = || self.blocks.iter().flat_map(|rows| &rows.phases);
        let earliest = |phases: &mut dyn Iterator<Item = &Phase>| {
            phases.flat_map(|phase| phase.parts.iter().map(|part| part.start)).min().unwrap_or(0)
        };
        self.shown = earliest(&mut phases())..phases().map(|phase| phase.release).max().unwrap_or(0);
        let Some(first) = self.blocks.first().filter(|rows| rows.phases.len() > most) else { return };
        let now = cycle.map_or(0, |cycle| first.phases.partition_point(|phase| phase.release < cycle));
        let from = now.saturating_sub(most / 2).min(first.phases.len() - most);
        let part = &first.phases[from..from + most];
        let shown = part.iter().map(|phase| phase.start).min().unwrap_or(0)..part[most - 1].release;
        for rows in &mut self.blocks {
            rows.phases.retain(|phase| phase.start < shown.end && phase.release > shown.start);
        }
        self.shown = shown;
    }

    fn ended(&self) -> impl Iterator<Item = (&Rows, &Phase)> {
        let all = self.blocks.iter().flat_map(|rows| rows.phases.iter().map(move |phase| (rows, phase)));
        all.filter(|(_, phase)| phase.ending != Ending::Open)
    }

    fn rows(&self) -> usize {
        self.blocks.iter().map(|rows| rows.warps).sum()
    }

    fn draw_part(&self, sheet: &mut PlotSheet, bounds: Bounds, phase: &Phase, part: &PhasePart) {
        let [left, top, right, bottom] = bounds;
        let place = |cycle: u64| along([left, right], &self.shown, cycle.clamp(self.shown.start, self.shown.end) as f64);
        let (start, arrival, release) = (place(part.start), place(part.arrival), place(phase.release));
        let [odd, even, waits, ended] = [0, 1, 2, 3].map(|at: usize| self.labels[at].paint.colour(sheet.palette));
        if release > arrival {
            sheet.bar([arrival, top, release, bottom], if part.exited { ended } else { waits });
        }
        if arrival > start {
            sheet.bar([start, top, arrival, bottom], if part.number % 2 == 1 { odd } else { even });
        }
    }

    /// Draws the numbers of a block's phases above its rows, where they fit, and marks between the phases.
    fn draw_band(&self, sheet: &mut PlotSheet, rows: &Rows, [left, top, right, bottom]: Bounds) {
        let letters = sheet.letters;
        let mut free = left;
        for phase in &rows.phases {
            let place = |cycle: u64| along([left, right], &self.shown, cycle.clamp(self.shown.start, self.shown.end) as f64);
            let (from, to) = (place(phase.start), place(phase.release));
            let number = phase.number.to_string();
            let half = text_width(&number, letters) / 2.0;
            let middle = (from + to) / 2.0;
            if to - from > 2.0 * half + 3.0 && middle - half > free {
                sheet.text(middle, top + BAND_MIDDLE * letters, Align::Middle, Tone::Soft, &number);
                free = middle + half + 2.0;
            }
            if phase.ending == Ending::Barrier && phase.release < self.shown.end {
                sheet.hairline([to, top + (bottom - top) * 0.25, to, bottom], sheet.palette.get(Tone::Edge));
            }
        }
    }

    /// Draws the names of warps beside their rows, as many as fit.
    fn draw_names(&self, sheet: &mut PlotSheet, rows: &Rows, right: f64, top: f64, pitch: f64) {
        let every = (sheet.letters * 1.05 / pitch.max(0.1)).ceil().max(1.0) as usize;
        for warp in (0..rows.warps).step_by(every) {
            let y = top + (warp as f64 + 0.5) * pitch;
            sheet.text(right, y, Align::Right, Tone::Soft, &format!("w{}", usize::from(rows.first_warp) + warp));
        }
    }
}

impl Content for WarpPhases {
    fn nothing(&self) -> Option<&'static str> {
        match (self.barriers, self.blocks.is_empty() || self.shown.is_empty()) {
            (false, _) => Some(NO_BARRIER),
            (true, true) => Some("Nothing has run yet"),
            (true, false) => None,
        }
    }

    fn heading(&self, _: &Figure) -> String {
        let (shown, sm) = (self.blocks.len(), self.sm);
        match self.known {
            1 => format!("Warps of the block on SM {sm}"),
            known if known == shown => format!("Warps of {shown} blocks on SM {sm}"),
            known => format!("Warps of {shown} of {known} blocks on SM {sm}"),
        }
    }

    fn remark(&self) -> Option<String> {
        let cut = self.blocks.first().filter(|rows| rows.phases.len() < rows.known).map(|rows| {
            let numbers = || rows.phases.iter().map(|phase| phase.number);
            let (first, last) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
            format!("Phases {first} to {last} of {} of block {}.", rows.known, rows.block)
        });
        let parts: Vec<String> = cut.into_iter().chain(left_out(self.left_out, self.kept)).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    fn labels(&self) -> Vec<&Label> {
        self.labels.iter().collect()
    }

    fn height(&self, usual: f64, letters: f64) -> f64 {
        let rows = self.rows();
        let pitch = match rows {
            0..=8 => 14.0,
            9..=24 => 9.0,
            _ => 6.0,
        };
        (rows as f64 * pitch + self.blocks.len() as f64 * BAND * letters).max(usual) + letters * BELOW
    }

    fn draw(&self, sheet: &mut PlotSheet, [left, top, right, bottom]: Bounds, cycle: Option<u64>) {
        let letters = sheet.letters;
        let names = self.blocks.iter().map(|rows| text_width(&name(rows.block), letters)).fold(0.0, f64::max);
        let warps = self.blocks.iter().map(|rows| usize::from(rows.first_warp) + rows.warps).max().unwrap_or(0);
        let left = left + names.max(text_width(&format!("w{warps}"), letters)) + 6.0;
        let (right, bottom) = (right.max(left + 1.0), (bottom - letters * BELOW).max(top + 1.0));
        let band = BAND * letters;
        let pitch = ((bottom - top - band * self.blocks.len() as f64) / self.rows().max(1) as f64).max(0.1);
        let thick = (if pitch > 4.0 { pitch - 1.0 } else { pitch }).min(THICKEST);
        let mut y = top;
        for rows in &self.blocks {
            sheet.text(PAD, y + BAND_MIDDLE * letters, Align::Left, Tone::Soft, &name(rows.block));
            self.draw_band(sheet, rows, [left, y, right, y + band]);
            y += band;
            self.draw_names(sheet, rows, left - 6.0, y, pitch);
            for phase in &rows.phases {
                for part in &phase.parts {
                    let top = y + f64::from(part.warp) * pitch + (pitch - thick) / 2.0;
                    self.draw_part(sheet, [left, top, right, top + thick], phase, part);
                }
            }
            y += pitch * rows.warps as f64;
        }
        sheet.cycles([left, top, right, bottom], self.shown.clone(), cycle);
    }

    fn words(&self, figure: &Figure, _: Option<u64>) -> String {
        let blocks: Vec<String> = self.blocks.iter().map(|rows| rows.block.to_string()).collect();
        let mut text = format!(
            "{} of block {} on SM {}, cycles {} to {}: {} have ended.",
            figure.title,
            blocks.join(", "),
            self.sm,
            grouped(self.shown.start),
            grouped(self.shown.end),
            grouped(self.ended().count() as u64),
        );
        let waits = self
            .ended()
            .filter(|(_, phase)| phase.ending == Ending::Barrier)
            .flat_map(|(rows, phase)| phase.parts.iter().map(move |part| (phase.release - part.arrival, rows, phase, part)));
        if let Some((cycles, rows, phase, part)) = waits.max_by_key(|wait| wait.0) {
            let warp = rows.first_warp + part.warp;
            let _ = write!(
                text,
                " The longest wait at a barrier is warp {warp}'s in phase {} of block {}, {} cycles.",
                phase.number,
                rows.block,
                grouped(cycles)
            );
        }
        text
    }

    /// Returns a row for each warp and phase that has ended.
    fn csv(&self, _: &Figure) -> String {
        let mut text = String::from("sm,block,warp,phase,start [cycle],arrival [cycle],release [cycle],ends at\n");
        for (rows, phase) in self.ended() {
            let ends = if phase.ending == Ending::Barrier { "barrier" } else { "block end" };
            for PhasePart { warp, number, start, arrival, .. } in &phase.parts {
                let warp = rows.first_warp + warp;
                let _ = writeln!(text, "{},{},{warp},{number},{start},{arrival},{},{ends}", rows.sm, rows.block, phase.release);
            }
        }
        text
    }
}

fn name(block: u64) -> String {
    format!("block {block}")
}

/// Returns a remark that later phases are not kept, if there are any.
pub fn left_out(left_out: u64, kept: usize) -> Option<String> {
    let (kept, more) = (grouped(kept as u64), grouped(left_out));
    (left_out > 0).then(|| format!("Only the first {kept} warp-phases of the run are kept; {more} ended later."))
}

/// Returns how many warps a block has. Its last phase has all of them, whatever its barriers.
fn warps<'a>(phases: impl Iterator<Item = &'a Phase>, sm: u16, block: u64) -> usize {
    let parts = phases.filter(|phase| phase.sm == sm && phase.block == block).flat_map(|phase| &phase.parts);
    parts.map(|part| usize::from(part.warp) + 1).max().unwrap_or(0)
}

/// Collects the phases of each block whose first phase is given.
fn collected<'a>(firsts: &[&Phase], all: impl Iterator<Item = &'a Phase>) -> Vec<Rows> {
    let places: BTreeMap<(u16, u64), usize> = firsts.iter().enumerate().map(|(at, it)| ((it.sm, it.block), at)).collect();
    let rows =
        |it: &&Phase| Rows { sm: it.sm, block: it.block, first_warp: it.first_warp, warps: 0, phases: Vec::new(), known: 0 };
    let mut blocks: Vec<Rows> = firsts.iter().map(rows).collect();
    for phase in all {
        if let Some(&at) = places.get(&(phase.sm, phase.block)) {
            blocks[at].phases.push(phase.clone());
        }
    }
    for rows in &mut blocks {
        (rows.warps, rows.known) = (warps(rows.phases.iter(), rows.sm, rows.block), rows.phases.len());
    }
    blocks
}

/// Chooses the blocks to show, by their first phases: the selected one and those behind it, then those before it.
fn chosen<'a>(firsts: &[&'a Phase], block: Option<u64>, warps: impl Fn(u64) -> usize) -> Vec<&'a Phase> {
    let at = block.and_then(|block| firsts.iter().position(|first| first.block == block)).unwrap_or(0);
    let order = firsts[at..].iter().chain(firsts[..at].iter().rev()).take(MOST_BLOCKS);
    let mut rows = 0;
    let fitting = order.take_while(|first| {
        let before = rows;
        rows += warps(first.block);
        before == 0 || rows <= MOST_ROWS
    });
    fitting.copied().collect()
}
