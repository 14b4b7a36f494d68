//! Which lines of a text are in sight, and scrolling to the line of the selected warp.

use std::ops::Range;
use web_sys::HtmlElement;
use yew::prelude::*;

/// The height of a line in pixels.
pub const LINE_PX: f64 = warpscope_pictures::mechanism::LINE as f64;
/// Space above the first line and below the last, in pixels.
pub const EDGE_PX: f64 = 8.0;
/// Lines that are rendered beyond the visible ones.
const SPARE: usize = 5;

/// Returns the height of a text of `count` lines, in pixels.
pub fn height_of(count: usize) -> f64 {
    count as f64 * LINE_PX + 2.0 * EDGE_PX
}

/// Returns the lines to render of a text of `count` lines that is scrolled to `top`.
pub fn in_sight(top: f64, height: f64, count: usize) -> Range<usize> {
    let first = ((top / LINE_PX) as usize).saturating_sub(SPARE).min(count);
    let last = (first + (height.max(200.0) / LINE_PX) as usize + 2 * SPARE).min(count);
    first..last
}

/// Returns the scroll position of a text of `count` lines in an element of this height, and the callback that follows it. Scrolls
/// to `followed` whenever that line changes and is out of view.
#[hook]
pub fn use_scroll(place: &NodeRef, followed: Option<usize>, height: f64, count: usize) -> (f64, Callback<Event>) {
    let top = use_state_eq(|| 0.0f64);
    let onscroll = {
        let (place, top) = (place.clone(), top.clone());
        Callback::from(move |_: Event| {
            if let Some(element) = place.cast::<HtmlElement>() {
                top.set(f64::from(element.scroll_top()));
            }
        })
    };
    {
        let (place, top) = (place.clone(), top.clone());
        use_effect_with((followed, height as u32), move |(followed, height)| {
            if let (Some(line), Some(element)) = (followed, place.cast::<HtmlElement>())
                && let Some(wanted) = in_view(*line, *top, f64::from(*height))
            {
                let wanted = wanted.min(height_of(count) - f64::from(*height)).max(0.0);
                element.set_scroll_top(wanted as i32);
                top.set(wanted.floor());
            }
        });
    }
    (*top, onscroll)
}

/// Returns the scroll position at which a line that is out of view is visible. Does not ask the page, which would have to
/// compute its layout to answer, in the middle of a step.
fn in_view(line: usize, top: f64, height: f64) -> Option<f64> {
    let at = line as f64 * LINE_PX;
    let seen = at >= top + LINE_PX && at <= top + height - 3.0 * LINE_PX;
    // The first visible line is a whole one.
    (!seen && height > 0.0).then(|| ((at - height / 3.0) / LINE_PX).round() * LINE_PX + EDGE_PX)
}
