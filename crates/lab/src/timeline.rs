//! The timeline of warps over cycles: the visible cycles and rows, and the pixels of each row.

use std::ops::Range;
use warpscope_machine::event::Reason;
use warpscope_machine::record::{Codes, GONE, Record};
use warpscope_pictures::scene::{Palette, Tone};

/// Fewest and most cycles per pixel.
const NEAREST: f64 = 1.0 / 32.0;
const FURTHEST: f64 = 8192.0;
/// Least and greatest height of a warp's row, in pixels.
const ROW: std::ops::RangeInclusive<f64> = 2.0..=28.0;
/// Rows kept visible above and below a row that is scrolled into view.
const NEIGHBOURS: usize = 3;
/// Cycles per pixel up to which zooming out is always possible, however short the run.
const SMALL_RUN: f64 = 0.5;

/// The visible cycles: the first one, and the number of cycles per pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VisibleCycles {
    /// The cycle at the left edge.
    pub from: f64,
    /// Cycles to a pixel.
    pub per_px: f64,
}

impl Default for VisibleCycles {
    fn default() -> VisibleCycles {
        VisibleCycles { from: 0.0, per_px: 0.1 }
    }
}

impl VisibleCycles {
    /// Returns the cycle at `x` pixels from the left edge.
    pub fn cycle_at(&self, x: f64) -> f64 {
        self.from + x * self.per_px
    }

    /// Returns how many pixels from the left edge a cycle lies.
    pub fn x_of(&self, cycle: f64) -> f64 {
        (cycle - self.from) / self.per_px
    }

    /// Zooms in (factor below 1) or out; the cycle under `x` stays in place.
    pub fn zoom(self, factor: f64, x: f64) -> VisibleCycles {
        let per_px = (self.per_px * factor).clamp(NEAREST, FURTHEST);
        VisibleCycles { from: self.cycle_at(x) - x * per_px, per_px }.bounded()
    }

    /// Returns the range after a drag by some pixels.
    pub fn pan(self, pixels: f64) -> VisibleCycles {
        VisibleCycles { from: self.from + pixels * self.per_px, ..self }.bounded()
    }

    /// Returns the span of the whole run up to `end`.
    pub fn fit(end: u64, width: f64) -> VisibleCycles {
        VisibleCycles { from: 0.0, per_px: ((end as f64 * 1.02 + 4.0) / width.max(1.0)).clamp(NEAREST, FURTHEST) }
    }

    /// Scrolls to a cycle that is out of view; most of the old span stays visible if the cycle is just beyond its edge.
    pub fn follow(self, cycle: u64, width: f64) -> VisibleCycles {
        let x = self.x_of(cycle as f64);
        if x >= 0.0 && x <= width - 16.0 {
            return self;
        }
        let room = if x < 0.0 { 0.1 } else { 0.8 };
        VisibleCycles { from: cycle as f64 - width * room * self.per_px, ..self }.bounded()
    }

    /// Returns `next`, moved so that some of a run up to `end` stays visible, or `self` if `next` zooms out too far.
    pub fn or(self, next: VisibleCycles, end: u64, width: f64) -> VisibleCycles {
        let furthest = (2.0 * VisibleCycles::fit(end, width).per_px).max(SMALL_RUN);
        if next.per_px > furthest && next.per_px > self.per_px {
            return self;
        }
        let last = (end as f64 - 0.1 * width * next.per_px).max(0.0);
        VisibleCycles { from: next.from.min(last), ..next }
    }

    fn bounded(self) -> VisibleCycles {
        VisibleCycles { from: self.from.max(-64.0 * self.per_px), ..self }
    }
}

/// Returns the tracks that ever held a warp.
pub fn rows(record: &Record) -> Vec<usize> {
    (0..record.tracks()).filter(|&at| !record.nth(at).is_empty()).collect()
}

/// The visible rows: as high as the room allows; rows that do not fit at the lowest height are out of view.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// The tracks of the visible rows.
    pub shown: Vec<usize>,
    /// Height of each row, in pixels.
    pub each: f64,
    /// Number of rows out of view at the top and at the bottom.
    pub above: usize,
    /// How many rows are below those that are shown.
    pub below: usize,
}

impl Rows {
    /// Fits rows into `room` pixels, from row `first` on unless that leaves a gap at the bottom.
    pub fn fit(record: &Record, room: f64, first: usize) -> Rows {
        let all = rows(record);
        let each = (room / all.len().max(1) as f64).clamp(*ROW.start(), *ROW.end());
        let count = ((room / each) as usize).clamp(1, all.len().max(1));
        let above = first.min(all.len().saturating_sub(count));
        let shown: Vec<usize> = all.iter().copied().skip(above).take(count).collect();
        Rows { each, above, below: all.len() - above - shown.len(), shown }
    }

    /// Returns the track at `y` pixels below the top of the first row.
    pub fn at(&self, y: f64) -> Option<usize> {
        (y >= 0.0).then(|| self.shown.get((y / self.each) as usize).copied()).flatten()
    }

    /// Returns the row to show at the top so that `row`, an index into all rows, and a few neighbours are visible.
    pub fn follow(&self, row: usize) -> usize {
        let beside = NEIGHBOURS.min(self.shown.len().saturating_sub(1) / 2);
        self.above.clamp((row + 1 + beside).saturating_sub(self.shown.len()), row.saturating_sub(beside))
    }
}

/// Returns the RGBA colour of each reason code; where no warp is resident, pixels are transparent.
pub fn colours(palette: &Palette) -> [[u8; 4]; 16] {
    let mut colours = [[0; 4]; 16];
    for (code, reason) in Reason::ALL.into_iter().enumerate() {
        let rgb = palette.get(Tone::Reason(reason));
        colours[code] = [rgb.0, rgb.1, rgb.2, 255];
    }
    colours[usize::from(GONE)] = [0; 4];
    colours
}

/// Returns one row of RGBA pixels for each track: the columns `columns` of the span, `ratio` columns to a CSS pixel.
pub fn raster(
    record: &Record,
    rows: &[usize],
    span: VisibleCycles,
    columns: Range<usize>,
    ratio: f64,
    colours: &[[u8; 4]; 16],
) -> Vec<u8> {
    let width = columns.len();
    let mut pixels = vec![0; rows.len() * width * 4];
    let mut known: Option<(usize, Vec<Codes>)> = None;
    for (row, pixels) in rows.iter().zip(pixels.chunks_exact_mut(width.max(1) * 4)) {
        let (group, lane) = record.place(*row);
        // Rows of one group are adjacent, so the columns of the last group are reused.
        if known.as_ref().is_none_or(|(of, _)| *of != group) {
            known = Some((group, record.columns(group, span.from, span.per_px / ratio, columns.clone())));
        }
        let codes = known.iter().flat_map(|(_, codes)| codes);
        for (pixel, codes) in pixels.chunks_exact_mut(4).zip(codes) {
            pixel.copy_from_slice(&colours[usize::from(codes.get(lane) & 15)]);
        }
    }
    pixels
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_machine::event::{Event, Sink};
    use warpscope_pictures::scene::Theme;

    #[test]
    fn zooming_keeps_what_is_under_the_pointer() {
        let span = VisibleCycles { from: 100.0, per_px: 2.0 };
        for factor in [0.5, 0.9, 1.1, 4.0] {
            let near = span.zoom(factor, 40.0);
            assert!((near.cycle_at(40.0) - 180.0).abs() < 1e-9, "{near:?}");
            assert!((near.x_of(near.cycle_at(17.0)) - 17.0).abs() < 1e-9);
        }
        assert!(span.zoom(1e-9, 0.0).per_px >= NEAREST && span.zoom(1e9, 0.0).per_px <= FURTHEST);
    }

    #[test]
    fn something_of_the_run_stays_in_sight() {
        let (end, width) = (100_000, 1000.0);
        let mut span = VisibleCycles::default();
        for _ in 0..100 {
            span = span.or(span.zoom(1.3, 900.0), end, width);
        }
        assert!(span.x_of(end as f64) > 300.0, "{span:?}");
        for _ in 0..100 {
            span = span.or(span.pan(400.0), end, width);
        }
        assert!((span.x_of(end as f64) - 100.0).abs() < 1e-6, "a tenth of the width: {span:?}");
        for _ in 0..100 {
            span = span.or(span.zoom(0.7, 500.0), end, width);
        }
        assert!(span.x_of(end as f64) >= 99.0 && span.per_px == NEAREST, "{span:?}");
        // Even a run without cycles can be zoomed out up to `SMALL_RUN`.
        assert_eq!(VisibleCycles::default().or(VisibleCycles::default().zoom(2.0, 0.0), 0, width).per_px, 0.2);
    }

    #[test]
    fn following_moves_only_when_it_must() {
        let span = VisibleCycles { from: 0.0, per_px: 1.0 };
        assert_eq!(span.follow(500, 600.0), span);
        let moved = span.follow(700, 600.0);
        assert!((0.0..600.0).contains(&moved.x_of(700.0)), "{moved:?}");
        assert!((0.0..600.0).contains(&moved.follow(3, 600.0).x_of(3.0)));
        assert!(VisibleCycles::fit(100_000, 500.0).x_of(100_000.0) <= 500.0);
    }

    #[test]
    fn rows_that_do_not_fit_can_be_come_to() {
        let mut record = Record::new(4, 64);
        for warp in 0..256u16 {
            record.event(0, Event::Warp { sm: warp / 64, warp: warp % 64, reason: Some(Reason::Issued) });
        }
        record.close(1);
        let top = Rows::fit(&record, 100.0, 0);
        assert_eq!((top.each, top.shown.len(), top.above, top.below), (2.0, 50, 0, 206));
        assert_eq!((top.at(-1.0), top.at(0.0), top.at(99.0), top.at(101.0)), (None, Some(0), Some(49), None));
        assert_eq!((top.follow(46), top.follow(47), top.follow(252)), (0, 1, 206));
        let end = Rows::fit(&record, 100.0, 1000);
        assert_eq!((end.above, end.below, end.at(99.0)), (206, 0, Some(255)), "no gap at the bottom");
        assert_eq!((end.follow(209), end.follow(3), end.follow(0)), (206, 0, 0));
        assert_eq!(Rows::fit(&record, 100.0, end.follow(255)).above, 206, "the last one has no neighbours below");
        let few = Rows::fit(&record, 1024.0, 7);
        assert_eq!((few.each, few.above, few.below, few.shown.len()), (4.0, 0, 0, 256));
        assert!(Rows::fit(&Record::new(1, 8), 100.0, 0).shown.is_empty());
    }

    #[test]
    fn pixels_have_the_colours_of_reasons() {
        let mut record = Record::new(1, 2);
        record.event(0, Event::Warp { sm: 0, warp: 1, reason: Some(Reason::Issued) });
        record.event(2, Event::Warp { sm: 0, warp: 1, reason: Some(Reason::Memory) });
        record.close(4);
        assert_eq!(rows(&record), [1]);
        let colours = colours(Palette::of(Theme::Light));
        let pixels = raster(&record, &[1], VisibleCycles { from: 0.0, per_px: 1.0 }, 0..5, 1.0, &colours);
        let expected: Vec<u8> = [0, 0, 2, 2, Reason::ALL.len()].iter().flat_map(|&code: &usize| colours[code]).collect();
        assert_eq!(pixels, expected);
        let twice = raster(&record, &[1], VisibleCycles { from: 0.0, per_px: 1.0 }, 0..8, 2.0, &colours);
        assert_eq!(&twice[12..16], &colours[0], "two pixels to a cycle");
        assert_eq!(&twice[16..20], &colours[2]);
        let part = raster(&record, &[1], VisibleCycles { from: 0.0, per_px: 1.0 }, 3..8, 2.0, &colours);
        assert_eq!(part, twice[12..], "a part has the pixels of the whole");
    }
}
