//! Draws the timeline on a canvas: cells, letters, marks and the axis. What has not changed is not drawn again.

use super::canvas;
use super::paint::{MONO, SANS};
use std::rc::Rc;
use warpscope_lab::timeline::{Rows, VisibleCycles, colours, raster};
use warpscope_lab::{Lab, Stage, grouped};
use warpscope_machine::event::{EventKind, Reason};
use warpscope_machine::record::Record;
use warpscope_pictures::scene::{Palette, Theme, Tone};
use warpscope_pictures::view::{Listing, Selection};
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};
use yew::NodeRef;

/// Space for warp numbers on the left, and for marks at the top, in pixels.
pub const LEFT: f64 = 52.0;
pub const TOP: f64 = 34.0;
/// Height of the numbers of cycles at the top, in pixels.
const AXIS: f64 = 14.0;
/// The kinds of events with a mark, and the mark's tone.
pub const MARKED: [(EventKind, Tone); 4] = [
    (EventKind::Divergence, Tone::Accent),
    (EventKind::BarrierRelease, Tone::Reason(Reason::Barrier)),
    (EventKind::BlockEnd, Tone::Soft),
    (EventKind::Trap, Tone::Bad),
];

/// Returns the rows that a strip of this height has room for.
pub fn rows(record: &Record, height: f64, first: usize) -> Rows {
    Rows::fit(record, height - TOP - 2.0, first)
}

/// What the canvas shows. While only `end` and `moment` change, only what is new is drawn.
pub struct Drawn {
    /// Kept alive, so that no other listing can have its address.
    listing: Rc<Listing>,
    theme: Theme,
    span: VisibleCycles,
    size: (f64, f64),
    ratio: f64,
    /// The number of the first visible row, and how many are visible.
    rows: (usize, usize),
    selected: Option<(u16, u16)>,
    end: u64,
    /// Where the line of the current cycle is, in pixels from the left edge of the cells; `None` if it is out of view.
    moment: Option<f64>,
}

impl Drawn {
    pub fn of(lab: &Lab, stage: &Stage, strip: &Strip) -> Drawn {
        let ratio = canvas::ratio();
        let moment = (strip.span.x_of(lab.cycle() as f64) * ratio).round() / ratio;
        Drawn {
            listing: stage.listing.clone(),
            theme: strip.palette.theme,
            span: strip.span,
            size: strip.size,
            ratio,
            rows: (strip.rows.above, strip.rows.shown.len()),
            selected: lab.selection.and_then(Selection::warp),
            end: strip.record.end(),
            moment: (moment >= 0.0 && moment <= strip.size.0 - LEFT).then_some(moment),
        }
    }

    /// Returns the pixel from which on to draw, if the canvas shows `before`; `None` if everything has to be drawn.
    fn new_from(&self, before: &Drawn) -> Option<f64> {
        let same = Rc::ptr_eq(&self.listing, &before.listing)
            && self.theme == before.theme
            && self.span == before.span
            && self.size == before.size
            && self.ratio == before.ratio
            && self.rows == before.rows
            && self.selected == before.selected
            && self.end >= before.end;
        // Zoomed out, the last stretches were not complete yet.
        let unsure = if self.span.per_px >= 8.0 { 1024.0 } else { 1.0 };
        same.then(|| if self.end == before.end { f64::MAX } else { self.span.x_of(before.end as f64 - unsure).floor() - 1.0 })
    }
}

/// What one drawing of the timeline needs.
pub struct Strip<'a> {
    pub record: &'a Record,
    pub rows: Rows,
    pub span: VisibleCycles,
    pub palette: &'static Palette,
    pub size: (f64, f64),
}

/// A part of the strip, in pixels from the left edge of its cells.
#[derive(Clone, Copy)]
struct Part {
    from: f64,
    to: f64,
}

/// Merges two parts if they overlap or touch.
fn together(one: Option<Part>, other: Option<Part>) -> impl Iterator<Item = Part> {
    let parts = match (one, other) {
        (Some(a), Some(b)) if a.from <= b.to && b.from <= a.to => {
            [Some(Part { from: a.from.min(b.from), to: a.to.max(b.to) }), None]
        }
        two => [two.0, two.1],
    };
    parts.into_iter().flatten()
}

impl Strip<'_> {
    /// Draws what is new since `before`, or everything. Returns what the canvas then shows.
    pub fn draw(&self, node: &NodeRef, tall: &NodeRef, before: Option<&Drawn>, now: Drawn) -> Option<Drawn> {
        let (width, height) = self.size;
        if width <= LEFT + 8.0 || height <= TOP {
            return None;
        }
        let inner = width - LEFT;
        let row = self.rows.each;
        match before.and_then(|before| now.new_from(before)) {
            Some(from) => {
                let new = (from < inner).then(|| Part {
                    from: from.max(0.0),
                    to: (self.span.x_of(self.record.end() as f64).ceil() + 2.0).min(inner),
                });
                let left = before.and_then(|before| before.moment).filter(|x| Some(*x) != now.moment);
                // What the old line covered is drawn again.
                let left = left.map(|x| Part { from: (x - 2.0).floor().max(0.0), to: (x + 2.0).ceil().min(inner) });
                if new.is_none() && left.is_none() && before.is_some_and(|before| before.moment == now.moment) {
                    return Some(now);
                }
                let context = canvas::same_context(node)?;
                for part in together(left, new) {
                    context.save();
                    context.begin_path();
                    context.rect(LEFT + part.from, AXIS, part.to - part.from, height - AXIS);
                    context.clip();
                    context.clear_rect(LEFT + part.from, AXIS, part.to - part.from, height - AXIS);
                    self.draw_part(&context, tall, row, part);
                    context.restore();
                }
                self.moment(&context, now.moment);
            }
            None => {
                let context = canvas::context(node, width, height)?;
                self.labels(&context);
                self.draw_part(&context, tall, row, Part { from: 0.0, to: inner });
                self.numbers(&context, row, now.selected);
                self.moment(&context, now.moment);
            }
        }
        Some(now)
    }

    /// Draws the line of the current cycle. A line on the canvas costs a step less than an element over it, which the browser
    /// would have to compose with the layers each time.
    fn moment(&self, context: &CanvasRenderingContext2d, at: Option<f64>) {
        if let Some(x) = at {
            self.fill(context, Tone::Text);
            // Left of the cells nothing of the line is drawn.
            let left = (x - 1.0).max(0.0);
            context.fill_rect(LEFT + left, AXIS, x + 1.0 - left, self.size.1 - AXIS);
        }
    }

    fn draw_part(&self, context: &CanvasRenderingContext2d, tall: &NodeRef, row: f64, part: Part) {
        self.axis(context, part);
        self.marks(context, part);
        if !self.rows.shown.is_empty() {
            let _ = self.cells(context, tall, row, part);
        }
        self.letters(context, row, part);
    }

    fn fill(&self, context: &CanvasRenderingContext2d, tone: Tone) {
        context.set_fill_style_str(&self.palette.get(tone).css());
    }

    /// Returns the visible round cycles, and their positions.
    fn round_cycles(&self) -> impl Iterator<Item = (u64, f64)> {
        let wanted = self.span.per_px * 90.0;
        let power = 10f64.powf(wanted.max(1.0).log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
        let step = steps.into_iter().find(|step| *step >= wanted).unwrap_or(power * 10.0).max(1.0);
        let (span, inner) = (self.span, self.size.0 - LEFT);
        let first = (span.from / step).ceil().max(0.0) as u64;
        (first..).map(move |at| at as f64 * step).map(move |at| (at as u64, span.x_of(at))).take_while(move |(_, x)| *x < inner)
    }

    fn axis(&self, context: &CanvasRenderingContext2d, part: Part) {
        self.fill(context, Tone::Line);
        for (_, x) in self.round_cycles().filter(|(_, x)| *x > part.from - 2.0 && *x < part.to + 2.0) {
            context.fill_rect((LEFT + x).round(), AXIS, 1.0, self.size.1 - AXIS);
        }
    }

    /// Draws the numbers of the round cycles, above the part that changes.
    fn labels(&self, context: &CanvasRenderingContext2d) {
        context.set_font(&format!("11px {SANS}"));
        context.set_text_align("left");
        self.fill(context, Tone::Soft);
        for (cycle, x) in self.round_cycles() {
            let (text, at) = (grouped(cycle), LEFT + x + 3.0);
            // A number that would be cut off is left out.
            if at + text.len() as f64 * 6.5 <= self.size.0 {
                let _ = context.fill_text(&text, at, 12.0);
            }
        }
        let _ = context.fill_text("cycle", 8.0, 12.0);
    }

    /// Draws a tick in each pixel in which an event of a kind occurred, and a row for each kind.
    fn marks(&self, context: &CanvasRenderingContext2d, part: Part) {
        let width = part.to;
        for (row, (kind, tone)) in MARKED.into_iter().enumerate() {
            let marks = self.record.marks(kind);
            self.fill(context, tone);
            let y = 16.0 + row as f64 * 4.0;
            let mut x = (part.from - 2.0).max(0.0);
            while x < width {
                let Some(next) = marks.next(self.span.cycle_at(x).max(0.0).floor() as u64) else { break };
                let at = self.span.x_of(next as f64 + 0.5);
                if at >= width {
                    break;
                }
                if at >= 0.0 {
                    context.fill_rect(LEFT + at - 0.75, y, 1.5, 3.0);
                }
                // On to the next pixel, and past this cycle.
                x = (at + 1.0).max(self.span.x_of(next as f64 + 1.0)).max(x + 0.5);
            }
        }
    }

    /// Draws the reasons: one row of pixels for each warp, painted once and stretched.
    fn cells(&self, context: &CanvasRenderingContext2d, tall: &NodeRef, row: f64, part: Part) -> Option<()> {
        let ratio = canvas::ratio();
        let columns = (part.from * ratio).floor() as usize..(part.to * ratio).round() as usize;
        let (left, wide) = (LEFT + columns.start as f64 / ratio, columns.len() as f64);
        let pixels = raster(self.record, &self.rows.shown, self.span, columns.clone(), ratio, &colours(self.palette));
        let (width, count) = (columns.len() as u32, self.rows.shown.len() as u32);
        let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&pixels), width, count).ok()?;
        let strip = tall.cast::<HtmlCanvasElement>()?;
        if strip.width() < width || strip.height() != count {
            strip.set_width(width);
            strip.set_height(count);
        }
        let below = strip.get_context("2d").ok()??.dyn_into::<CanvasRenderingContext2d>().ok()?;
        below.put_image_data(&image, 0.0, 0.0).ok()?;
        context.set_image_smoothing_enabled(false);
        let height = row * f64::from(count);
        context
            .draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
                &strip,
                0.0,
                0.0,
                wide,
                f64::from(count),
                left,
                TOP,
                wide / ratio,
                height,
            )
            .ok()?;
        // A line between rows, where there is room for one.
        if row >= 6.0 {
            self.fill(context, Tone::Panel);
            for at in 0..=self.rows.shown.len() {
                context.fill_rect(LEFT, TOP + at as f64 * row - 0.5, self.size.0 - LEFT, 1.0);
            }
        }
        Some(())
    }

    /// Draws a letter in each cell that is large enough for one.
    fn letters(&self, context: &CanvasRenderingContext2d, row: f64, part: Part) {
        if self.span.per_px > 1.0 / 9.0 || row < 10.0 {
            return;
        }
        context.set_font(&format!("{}px {MONO}", (row * 0.72).min(12.0)));
        context.set_text_align("center");
        let first = self.span.cycle_at(part.from).max(0.0).floor() as u64;
        let last = (self.span.cycle_at(part.to).ceil() as u64).min(self.record.end());
        for (at, track) in self.rows.shown.iter().enumerate() {
            for cycle in first..last {
                let code = self.record.nth(*track).at(cycle);
                let Some(reason) = Reason::ALL.get(usize::from(code)) else { continue };
                let x = LEFT + self.span.x_of(cycle as f64 + 0.5);
                if x < LEFT + 4.0 {
                    continue;
                }
                let ground = self.palette.get(Tone::Reason(*reason));
                let ink = [Tone::Text, Tone::Panel].map(|tone| self.palette.get(tone));
                let ink = if ink[0].contrast(ground) >= ink[1].contrast(ground) { ink[0] } else { ink[1] };
                context.set_fill_style_str(&ink.css());
                let _ = context.fill_text(&reason.letter().to_string(), x, TOP + at as f64 * row + row * 0.75);
            }
        }
        self.fill(context, Tone::Panel);
        let mut cycle = first;
        while cycle <= last {
            context.fill_rect(LEFT + self.span.x_of(cycle as f64) - 0.5, TOP, 1.0, self.rows.shown.len() as f64 * row);
            cycle += 1;
        }
    }

    fn numbers(&self, context: &CanvasRenderingContext2d, row: f64, selected: Option<(u16, u16)>) {
        let slots = self.record.slots().max(1);
        let several = self.record.tracks() > slots;
        context.set_text_align("right");
        context.set_font(&format!("{}px {MONO}", (row * 0.8).clamp(9.0, 12.0)));
        let name = |track: &usize| ((track / slots) as u16, (track % slots) as u16);
        let chosen = self.rows.shown.iter().position(|track| selected == Some(name(track)));
        // Low rows: only every n-th warp is named, and none so near to the selected one that their names would overlap.
        let every = ((10.0 / row).ceil() as usize).max(1);
        for (at, track) in self.rows.shown.iter().enumerate() {
            let (sm, warp) = name(track);
            let y = TOP + at as f64 * row;
            let picked = chosen == Some(at);
            if picked {
                self.fill(context, Tone::Accent);
                context.fill_rect(LEFT - 4.0, y, 3.0, row.max(3.0));
            }
            let near = chosen.is_some_and(|chosen| chosen.abs_diff(at) < every);
            if picked || !near && usize::from(warp).is_multiple_of(every) {
                self.fill(context, if picked { Tone::Accent } else { Tone::Soft });
                let name = if several { format!("{sm}:{warp}") } else { format!("w{warp}") };
                let _ = context.fill_text(&name, LEFT - 8.0, y + row / 2.0 + 4.0);
            }
        }
        // The visible rows among all rows, as a scrollbar shows them.
        let Rows { shown, above, below, .. } = &self.rows;
        if above + below > 0 {
            let room = self.size.1 - TOP - 2.0;
            let share = |rows: usize| room * rows as f64 / (above + shown.len() + below) as f64;
            self.fill(context, Tone::Line);
            context.fill_rect(2.0, TOP, 4.0, room);
            self.fill(context, Tone::Edge);
            context.fill_rect(2.0, TOP + share(*above), 4.0, share(shown.len()));
        }
    }
}
