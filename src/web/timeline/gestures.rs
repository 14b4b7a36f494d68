//! Wheel and drags on the timeline's canvas.
//!
//! The wheel zooms; with Shift it pans, and over the warps' numbers it scrolls the rows. A drag pans and scrolls; along the
//! numbers of cycles, or with Shift, it selects a range of cycles. A click seeks.

use super::super::strip::{LEFT, TOP};
use super::viewport::Viewport;
use warpscope_lab::timeline::VisibleCycles;
use yew::prelude::*;

/// Most pixels that the pointer may move in a click.
const CLICK: f64 = 4.0;

/// Where a drag began, what was visible then, and how far it went.
#[derive(Clone, Copy)]
pub struct Drag {
    from: (f64, f64),
    span: VisibleCycles,
    first: usize,
    furthest: f64,
    /// The drag selects cycles instead of panning.
    chooses: bool,
}

/// The canvas's callbacks, and what they leave to be shown.
pub struct Gestures {
    pub onwheel: Callback<WheelEvent>,
    pub onpointerdown: Callback<PointerEvent>,
    pub onpointermove: Callback<PointerEvent>,
    pub onpointerup: Callback<PointerEvent>,
    pub onpointercancel: Callback<PointerEvent>,
    pub onpointerleave: Callback<PointerEvent>,
    /// The point under the pointer, while it drags nothing.
    pub pointer: Option<(f64, f64)>,
    /// The cycles that a drag is selecting.
    pub choosing: Option<(u64, u64)>,
}

#[hook]
pub fn use_gestures(viewport: &Viewport, canvas: &NodeRef) -> Gestures {
    let pointer = use_state_eq(|| None::<(f64, f64)>);
    let choosing = use_state_eq(|| None::<(u64, u64)>);
    let onwheel = {
        let (viewport, canvas) = (viewport.clone(), canvas.clone());
        Callback::from(move |event: WheelEvent| {
            event.prevent_default();
            let (x, _) = on_canvas(&canvas, &event);
            if x < LEFT {
                viewport.scroll(event.delta_y(), None);
            } else if event.shift_key() || event.delta_x().abs() > event.delta_y().abs() {
                let along = if event.delta_x() == 0.0 { event.delta_y() } else { event.delta_x() };
                viewport.change(|span, _| span.pan(along));
            } else {
                viewport.change(|span, _| span.zoom(1.0015f64.powf(event.delta_y()), x - LEFT));
            }
        })
    };
    let onpointerdown = {
        let (viewport, canvas) = (viewport.clone(), canvas.clone());
        Callback::from(move |event: PointerEvent| {
            // The other buttons are the browser's.
            if event.button() != 0 {
                return;
            }
            let from = on_canvas(&canvas, &event);
            let chooses = from.0 >= LEFT && (from.1 < TOP || event.shift_key());
            let drag = Drag { from, span: *viewport.span, first: *viewport.first, furthest: 0.0, chooses };
            viewport.drag.set(Some(drag));
            if let Some(canvas) = canvas.cast::<web_sys::Element>() {
                let _ = canvas.set_pointer_capture(event.pointer_id());
            }
        })
    };
    let onpointermove = {
        let (viewport, canvas) = (viewport.clone(), canvas.clone());
        let (pointer, choosing) = (pointer.setter(), choosing.setter());
        Callback::from(move |event: PointerEvent| {
            let (x, y) = on_canvas(&canvas, &event);
            let Some(drag) = viewport.drag.get() else { return pointer.set(Some((x, y))) };
            let (right, down) = (x - drag.from.0, y - drag.from.1);
            let furthest = drag.furthest.max(right.abs()).max(down.abs());
            viewport.drag.set(Some(Drag { furthest, ..drag }));
            if furthest > CLICK && drag.chooses {
                choosing.set(Some(between(drag.span, drag.from.0, x)));
            } else if furthest > CLICK {
                viewport.change(|_, _| drag.span.pan(-right));
                viewport.scroll(-down, Some(drag.first));
            }
        })
    };
    let onpointerup = {
        let (viewport, canvas, choosing) = (viewport.clone(), canvas.clone(), choosing.setter());
        Callback::from(move |event: PointerEvent| {
            let Some(drag) = viewport.drag.take() else { return };
            let at = on_canvas(&canvas, &event);
            choosing.set(None);
            if drag.furthest <= CLICK {
                viewport.pick(at);
            } else if drag.chooses {
                viewport.handle.act(|lab| lab.set_range(Some(between(drag.span, drag.from.0, at.0))));
            }
        })
    };
    let onpointercancel = {
        let (drag, choosing) = (viewport.drag.clone(), choosing.setter());
        Callback::from(move |_: PointerEvent| {
            drag.set(None);
            choosing.set(None);
        })
    };
    let onpointerleave = {
        let pointer = pointer.setter();
        Callback::from(move |_: PointerEvent| pointer.set(None))
    };
    let (pointer, choosing) = (*pointer, *choosing);
    Gestures { onwheel, onpointerdown, onpointermove, onpointerup, onpointercancel, onpointerleave, pointer, choosing }
}

/// Returns where on the canvas an event happened.
fn on_canvas(canvas: &NodeRef, event: &MouseEvent) -> (f64, f64) {
    let bounds = canvas.cast::<web_sys::Element>().map(|canvas| canvas.get_bounding_client_rect());
    bounds.map_or((0.0, 0.0), |bounds| (f64::from(event.client_x()) - bounds.left(), f64::from(event.client_y()) - bounds.top()))
}

/// Returns the cycles between two x positions, clamped at the first cycle.
fn between(span: VisibleCycles, one: f64, other: f64) -> (u64, u64) {
    let at = |x: f64| span.cycle_at((x - LEFT).max(0.0)).max(0.0);
    (at(one.min(other)).floor() as u64, at(one.max(other)).ceil() as u64)
}
