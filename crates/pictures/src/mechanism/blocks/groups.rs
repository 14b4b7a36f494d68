//! The progress-aware scheduler's order: its groups from the top, in each the warps in issue order (VTW algorithm 1).

use super::tones;
use super::view::{BlocksView, GroupView};
use crate::mechanism::parts::{SMALL, kind};
use crate::scene::{Align, Beat, Rect, Scene, Tone, key};
use crate::view::Selection;
use warpscope_machine::policy::schedule::ProgressGroup;

/// The heights of the heading, and of a group's title with its reason.
const HEAD: f32 = 22.0;
const TITLE: f32 = 32.0;
const PAD: f32 = 5.0;

/// Draws the groups; returns the lower end.
pub fn draw(scene: &mut Scene<Selection>, view: &BlocksView, area: Rect) -> f32 {
    let phase = if view.slow_phase { "slow phase" } else { "fast phase" };
    scene.label(0, Tone::Soft, area.x, 12.0, SMALL, Align::Left, "issue order");
    scene.bold(0, Tone::Text, area.x + area.w, 12.0, SMALL, Align::Right, phase);
    let count = view.groups.len().max(1) as f32;
    let high = ((area.h - HEAD - 18.0) / count - 6.0).clamp(TITLE + 18.0, 120.0);
    let mut y = HEAD;
    for (at, group) in view.groups.iter().enumerate() {
        let place = Rect::new(area.x, y, area.w, high);
        y = one(scene, view, group, at, place) + 6.0;
    }
    y
}

fn one(scene: &mut Scene<Selection>, view: &BlocksView, group: &GroupView, at: usize, area: Rect) -> f32 {
    let size = token_size(group.warps.len(), area);
    let wide = token_width(size);
    let columns = ((area.w - 2.0 * PAD) / (wide + 3.0)).floor().max(1.0);
    let rows = (group.warps.len() as f32 / columns).ceil();
    let high = area.h.max(TITLE + rows * (size + 3.0) + PAD);
    let whole = Rect::new(area.x, area.y, area.w, high);
    scene.fill(0, Tone::Sunken, whole);
    scene.outline(0, if group.warps.is_empty() { Tone::Line } else { Tone::Edge }, whole);
    let (title, why) = said(group.group);
    let title = if view.slow_phase { title.to_string() } else { format!("{} {title}", at + 1) };
    let tone = if group.warps.is_empty() { Tone::Soft } else { Tone::Text };
    scene.bold(0, tone, area.x + PAD, area.y + 13.0, SMALL, Align::Left, title);
    scene.label(0, Tone::Soft, area.x + PAD, area.y + 26.0, 10.0, Align::Left, why);
    scene.beat = Beat::Settle;
    for (at, &(warp, block, progress)) in group.warps.iter().enumerate() {
        let (column, row) = (at as f32 % columns, (at as f32 / columns).floor());
        let x = area.x + PAD + column * (wide + 3.0);
        let rect = Rect::new(x, area.y + TITLE + row * (size + 3.0), wide, size);
        let (tone, ink) = tones(block);
        let name = |kind: u8| key(kind, u32::from(view.sm) << 16 | u32::from(warp), 0, 0);
        scene.round(name(kind::RANKED), tone, rect);
        let letters = (size * 0.6).clamp(9.0, 12.0);
        let text = if has_progress(size) { format!("w{warp} {progress:>4}") } else { format!("w{warp}") };
        let (x, y) = (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0 + letters * 0.35);
        scene.mono(name(kind::RANKED_TEXT), ink, x, y, letters, Align::Middle, text);
        scene.spot(rect, Selection::Warp { sm: view.sm, warp });
    }
    scene.beat = Beat::default();
    area.y + high
}

/// Returns whether a warp's progress fits beside its name.
fn has_progress(size: f32) -> bool {
    size >= 20.0
}

fn token_width(size: f32) -> f32 {
    if has_progress(size) { size * 2.9 } else { size * 1.5 }
}

/// Returns the largest token size at which all of a group's warps fit.
fn token_size(warps: usize, area: Rect) -> f32 {
    let fits = |size: &f32| {
        let columns = ((area.w - 2.0 * PAD) / (token_width(*size) + 3.0)).floor().max(1.0);
        (warps as f32 / columns).ceil() * (size + 3.0) <= area.h - TITLE - PAD
    };
    [22.0, 20.0, 17.0, 16.0].into_iter().find(fits).unwrap_or(14.0)
}

/// Returns a group's name, and why its warps are in it.
fn said(group: ProgressGroup) -> (&'static str, &'static str) {
    match group {
        ProgressGroup::Barrier => ("Barrier", "siblings wait at a barrier"),
        ProgressGroup::LowerIteration => ("Behind", "siblings are a block ahead"),
        ProgressGroup::SameIteration => ("Together", "all are in one block"),
        ProgressGroup::HigherIteration => ("Ahead", "siblings are a block behind"),
        ProgressGroup::SlowPhase => ("By progress", "least progress first"),
    }
}
