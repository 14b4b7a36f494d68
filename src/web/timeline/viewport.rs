//! The part of the run that the timeline shows: a span of cycles along, rows of warps down; and how it moves.

use super::super::handle::Handle;
use super::super::strip::{self, LEFT, TOP};
use super::Move;
use super::gestures::Drag;
use std::cell::Cell;
use std::rc::Rc;
use warpscope_lab::timeline::{VisibleCycles, rows};
use warpscope_pictures::view::Selection;
use yew::prelude::*;

#[derive(Clone)]
pub struct Viewport {
    pub handle: Handle,
    pub span: UseStateHandle<VisibleCycles>,
    /// The first row that is shown.
    pub first: UseStateHandle<usize>,
    /// The drag that is going on.
    pub drag: Rc<Cell<Option<Drag>>>,
    /// Width and height of the canvas, in pixels.
    pub size: (f64, f64),
    /// The last simulated cycle, of all runs that share the axis.
    pub end: u64,
}

impl Viewport {
    /// Returns the width of the cycles, beside the warps' numbers.
    pub fn width(&self) -> f64 {
        (self.size.0 - LEFT).max(0.0)
    }

    /// Changes the visible span, given that span and the last simulated cycle.
    pub fn change(&self, change: impl Fn(VisibleCycles, u64) -> VisibleCycles) {
        self.span.set(self.span.or(change(*self.span, self.end), self.end, self.width()));
    }

    /// Carries out a command of the keyboard; zooming keeps the current cycle in place.
    pub fn command(&self, command: Move) {
        let width = self.width();
        let cursor = self.span.x_of(self.handle.read(|lab| lab.cycle()) as f64).clamp(0.0, width);
        match command {
            Move::Nearer => self.change(|span, _| span.zoom(0.5, cursor)),
            Move::Further => self.change(|span, _| span.zoom(2.0, cursor)),
            Move::Left => self.change(|span, _| span.pan(-width / 4.0)),
            Move::Right => self.change(|span, _| span.pan(width / 4.0)),
            Move::Fit => self.change(|_, end| VisibleCycles::fit(end, width)),
        }
    }

    /// Scrolls the rows by a number of pixels, from the current first row or from another.
    pub fn scroll(&self, by: f64, from: Option<usize>) {
        let from = from.unwrap_or(*self.first);
        let rows = self.handle.on_stage(|_, stage| {
            let (record, height) = (stage.session.record(), self.size.1);
            let each = strip::rows(record, height, from).each;
            strip::rows(record, height, (from as f64 + by / each).max(0.0) as usize).above
        });
        self.first.set(rows.unwrap_or(0));
    }

    /// Seeks to the cycle of the cell at a point, and selects its warp.
    pub fn pick(&self, (x, y): (f64, f64)) {
        self.handle.act(|lab| {
            let Some(stage) = &lab.stage else { return };
            let record = stage.session.record();
            let track = strip::rows(record, self.size.1, *self.first).at(y - TOP);
            let cycle = self.span.cycle_at(x - LEFT).floor();
            let (slots, reached) = (record.slots(), stage.session.reached());
            if x >= LEFT && cycle >= 0.0 {
                // What a cycle did is shown at the cycle after it.
                lab.seek((cycle as u64 + 1).min(reached));
            }
            if let Some(track) = track {
                lab.selection = Some(Selection::Warp { sm: (track / slots) as u16, warp: (track % slots) as u16 });
            }
        });
    }
}

/// Returns a viewport that begins at the run's start. The other runs share its axis.
#[hook]
pub fn use_viewport(handle: &Handle, others: &[Handle], size: (f64, f64)) -> Viewport {
    let span = use_state_eq(VisibleCycles::default);
    let first = use_state_eq(|| 0usize);
    let drag = use_memo((), |()| Cell::new(None::<Drag>));
    let reached = |run: &Handle| run.on_stage(|_, stage| stage.session.reached()).unwrap_or(0);
    let end = others.iter().map(reached).fold(reached(handle), u64::max);
    Viewport { handle: handle.clone(), span, first, drag, size, end }
}

/// Keeps the current cycle visible, unless the user drags. Returns the span to draw: it follows in this render already, because
/// the next may come late while a run goes on.
#[hook]
pub fn use_followed_cycle(viewport: &Viewport) -> VisibleCycles {
    let at_cycle = (viewport.handle.read(|lab| lab.cycle()), viewport.width() as u32);
    let followed = use_mut_ref(|| (0, 0));
    let moves = *followed.borrow() != at_cycle && at_cycle.1 > 0 && viewport.drag.get().is_none();
    let in_sight = if moves { viewport.span.follow(at_cycle.0, viewport.width().floor()) } else { *viewport.span };
    let span = viewport.span.clone();
    use_effect_with((at_cycle, in_sight), move |(at_cycle, in_sight)| {
        followed.replace(*at_cycle);
        span.set(*in_sight);
    });
    in_sight
}

/// Keeps the selected warp's row visible where not all rows fit, unless the user drags.
#[hook]
pub fn use_followed_warp(viewport: &Viewport) {
    let row = viewport.handle.on_stage(|lab, stage| {
        let (sm, warp) = lab.selection.and_then(Selection::warp)?;
        let record = stage.session.record();
        let track = usize::from(sm) * record.slots() + usize::from(warp);
        rows(record).iter().position(|&known| known == track)
    });
    let viewport = viewport.clone();
    use_effect_with((row.flatten(), viewport.size.1 as u32), move |(row, height)| {
        let Some(row) = row.filter(|_| viewport.drag.get().is_none()) else { return };
        let first = viewport
            .handle
            .on_stage(|_, stage| strip::rows(stage.session.record(), f64::from(*height), *viewport.first).follow(row));
        viewport.first.set(first.unwrap_or(0));
    });
}
