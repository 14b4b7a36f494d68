//! Loads in flight: what the memory panel shows in a cycle without an access to memory.
//!
//! Each load whose value has not arrived has a line, the soonest first. Its warp's token stands as many cycles from the left as
//! the load still needs, so it comes nearer with every step; loads that return together stand below each other.

use super::PanelView;
use super::parts::{BASE, SMALL, hue, ink, kind, round_up};
use crate::scene::{Align, Rect, Scene, Tone, key};
use crate::view::Selection;
use crate::view::why::{Explainer, InFlight};
use crate::view::words::counted;

/// Room for the names of places, and right of the farthest token.
const LABEL: f32 = 76.0;
const MARGIN: f32 = 44.0;
/// The width of the title.
const TITLE: f32 = 108.0;
/// The width and height of a token; the least and the greatest height of a line.
const TOKEN: (f32, f32) = (34.0, 18.0);
const LINE: (f32, f32) = (21.0, 30.0);

/// Draws the loads in flight from `y` on; returns the same in words.
pub fn draw(scene: &mut Scene<Selection>, view: &PanelView, y: f32) -> String {
    let loads = loads(view);
    let Some(&(_, last)) = loads.last() else { return "No load is on its way.".to_string() };
    let left = |flight: &InFlight| flight.due.saturating_sub(view.picture.cycle) + 1;
    let scale = round_up(left(&last));
    let room = (view.width - LABEL - MARGIN).max(40.0);
    let x = |cycles: u64| LABEL + room * cycles as f32 / scale as f32;
    scene.bold(0, Tone::Text, 0.0, y + 12.0, BASE, Align::Left, "On their way");
    scene.label(0, Tone::Soft, TITLE, y + 12.0, SMALL, Align::Left, "cycles until the value is there");
    let top = y + 34.0;
    for cycles in [0, scale / 2, scale] {
        scene.mono(0, Tone::Soft, x(cycles), top - 4.0, SMALL, Align::Middle, cycles.to_string());
    }
    let pitch = ((view.height - top) / loads.len() as f32).clamp(LINE.0, LINE.1).floor();
    let height = loads.len() as f32 * pitch;
    scene.fill(0, Tone::Text, Rect::new(LABEL - 1.0, top, 2.0, height));
    for (at, (warp, flight)) in loads.iter().enumerate() {
        let line = top + at as f32 * pitch;
        let name = |kind: u8| key(kind, u32::from(view.sm()) << 16 | u32::from(*warp), flight.pc as u16, flight.due as u8);
        scene.label(0, Tone::Text, 0.0, line + pitch / 2.0 + 4.0, SMALL, Align::Left, view.listing.place(flight.pc));
        scene.fill(0, Tone::Line, Rect::new(LABEL, (line + pitch / 2.0).floor(), room, 1.0));
        let token = Rect::new(x(left(flight)), line + (pitch - TOKEN.1) / 2.0, TOKEN.0, TOKEN.1);
        scene.round(name(kind::RUNNER), hue(*warp), token);
        let (middle, base) = (token.x + token.w / 2.0, token.y + 13.0);
        scene.mono(name(kind::RUNNER_TEXT), ink(*warp), middle, base, SMALL, Align::Middle, format!("w{warp}"));
        scene.spot(Rect::new(0.0, line, view.width, pitch), Selection::Warp { sm: view.sm(), warp: *warp });
    }
    scene.height = scene.height.max(top + height + 4.0);
    let next = counted(left(&loads[0].1), "cycle");
    format!("{} on their way; the next is there in {next}.", counted(loads.len() as u64, "load"))
}

/// Returns warps and their loads, the soonest first. Static warps in the same entry of the warp table share their loads.
fn loads(view: &PanelView) -> Vec<(u16, InFlight)> {
    let explainer = Explainer {
        sim: view.sim,
        picture: view.picture,
        listing: view.listing,
        record: view.record,
        last: view.last,
        choices: None,
    };
    let mut entries = Vec::new();
    let mut loads = Vec::new();
    for warp in view.warps().filter(|warp| warp.entry.is_some()) {
        if !entries.contains(&warp.entry) {
            entries.push(warp.entry);
            loads.extend(explainer.in_flight(warp).into_iter().filter(|flight| flight.load).map(|flight| (warp.warp, flight)));
        }
    }
    loads.sort_by_key(|(warp, flight)| (flight.due, *warp, flight.pc));
    loads
}
