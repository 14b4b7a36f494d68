//! The warps at each line of a text: chips in a column between the line numbers and the code.
//!
//! A chip in a warp's hue is a warp with lanes that run an instruction of the line; it shows how many, unless all of the warp's
//! lanes are there. If no lane of a warp can run because its technique keeps them all, the warp is an outline at the lines where
//! they will go on. The selected warp is always named, with a ring around it. Of the others as many are named as fit, with a
//! count of the rest.

use super::parts::{hue, ink};
use crate::scene::{Align, Geometry, Rect, Scene, Tone};
use crate::view::{ListingLine, Picture, Selection, WarpPicture};
use warpscope_kernel::program::Pc;

/// The height of a line, in pixels; the style sheet has the same.
pub const LINE: f32 = 20.0;
const SIZE: f32 = 11.0;
/// The width of a letter of that size in the monospace fonts.
const LETTER: f32 = SIZE * 0.6;
const GAP: f32 = 4.0;
/// The space between the last chip and the code.
const EDGE: f32 = 4.0;

/// The lines to draw, and what is known about them.
pub struct VisibleLines<'a> {
    /// Where every warp is.
    pub picture: &'a Picture,
    /// The visible lines of a text, from the first on.
    pub lines: &'a [ListingLine],
    /// The index in the text of the first of them, from 0.
    pub first: usize,
    /// The selected warp, by SM and number.
    pub selected: Option<(u16, u16)>,
    /// The selected warp's line, from 0, which has another background.
    pub current: Option<usize>,
    /// The width of the text that they are drawn beside, in pixels.
    pub room: f32,
}

/// Beside a text narrower than this, chips show neither lane counts nor how many more warps there are.
const TERSE: f32 = 300.0;

/// Returns how many warps a line names, beside a text of this width in pixels.
fn named(room: f32) -> usize {
    match room {
        ..440.0 => 1,
        440.0..640.0 => 2,
        _ => 3,
    }
}

/// Returns the warps that have lanes at one of these instructions, with how many; warps that can run come first.
pub fn warps_at<'a>(picture: &'a Picture, pcs: &'a [Pc]) -> impl Iterator<Item = (&'a WarpPicture, u32)> {
    let at = |runs: bool| picture.warps.iter().filter(move |warp| runs != warp.places.is_empty());
    at(true).chain(at(false)).map(|warp| (warp, warp.lanes_at(pcs).count_ones())).filter(|(_, lanes)| *lanes > 0)
}

/// A warp at a line, and how many of its lanes are there.
#[derive(Clone, Copy)]
struct Here<'a> {
    warp: &'a WarpPicture,
    lanes: u32,
    picked: bool,
}

impl Here<'_> {
    fn waits(&self) -> bool {
        self.warp.places.is_empty()
    }

    /// Returns the warp's name, and its lane count unless all lanes are there.
    fn chip(&self, several: bool, terse: bool) -> (String, String) {
        let WarpPicture { sm, warp, width, .. } = self.warp;
        let name = if several { format!("{sm}:{warp}") } else { warp.to_string() };
        (name, if terse || self.lanes == *width { String::new() } else { format!("·{}", self.lanes) })
    }
}

/// Draws the chips of the warps that are at the visible lines, each in the row of its line.
pub fn draw(view: &VisibleLines) -> Scene<Selection> {
    let several = several(view.picture);
    let most = named(view.room);
    let mut scene = Scene::new(width(view.picture, view.room), view.lines.len() as f32 * LINE);
    for (at, line) in view.lines.iter().enumerate().filter(|(_, line)| !line.pcs.is_empty()) {
        let (here, more) = here(view, &line.pcs, most);
        if here.is_empty() {
            continue;
        }
        let ground = if view.current == Some(view.first + at) { Tone::Picked } else { Tone::Sunken };
        let named: Vec<(String, String)> = here.iter().map(|one| one.chip(several, view.room < TERSE)).collect();
        let counted = match more {
            0 => String::new(),
            _ if view.room < TERSE => "+".to_string(),
            more => format!("+{more}"),
        };
        chips(&mut scene, at as f32 * LINE, ground, &here, named, counted);
        let before = if scene.words.is_empty() { "Warps at line" } else { "; at line" };
        scene.words.push_str(&format!("{before} {}: {}", view.first + at + 1, said(&here, more, several)));
    }
    if scene.words.is_empty() {
        scene.words.push_str("No warps at these lines");
    }
    scene
}

/// Returns the width of the column of chips beside a text of this width; it is the same in every cycle of a run.
fn width(picture: &Picture, room: f32) -> f32 {
    // Two digits each for the warp, its lanes and the SM.
    let longest = if room < TERSE { 2 } else { 5 } + if several(picture) { 3 } else { 0 };
    let widest = letters(longest) + 2.0 * GAP;
    let more = if room < TERSE { 1 } else { 3 };
    (named(room) as f32 * (widest + GAP) + letters(more) + EDGE).ceil()
}

/// Returns whether names must include the SM.
fn several(picture: &Picture) -> bool {
    picture.warps.last().is_some_and(|last| last.sm > 0)
}

fn letters(count: usize) -> f32 {
    count as f32 * LETTER
}

/// Returns the warps at a line that are named, and how many more there are.
fn here<'a>(view: &VisibleLines<'a>, pcs: &'a [Pc], most: usize) -> (Vec<Here<'a>>, usize) {
    let mut named: Vec<Here> = Vec::new();
    let mut count = 0;
    for (warp, lanes) in warps_at(view.picture, pcs) {
        let one = Here { warp, lanes, picked: view.selected == Some((warp.sm, warp.warp)) };
        if named.len() < most {
            named.push(one);
        } else if one.picked {
            named[most - 1] = one;
        }
        count += 1;
    }
    let more = count - named.len();
    (named, more)
}

/// Draws the chips of one line, ending at the code.
fn chips(scene: &mut Scene<Selection>, y: f32, ground: Tone, here: &[Here], named: Vec<(String, String)>, more: String) {
    let long = |(name, lanes): &(String, String)| letters(name.len() + lanes.chars().count());
    let wide = |chip: &(String, String)| (long(chip) + 2.0 * GAP).max(18.0).round();
    let all: f32 = named.iter().map(|chip| wide(chip) + GAP).sum();
    let mut x = scene.width - EDGE - letters(more.len()) - all;
    let write = |scene: &mut Scene<Selection>, tone: Tone, x: f32, bold: bool, text: String| {
        scene.push(0, tone, Geometry::Text { x, y: y + 14.0, size: SIZE, align: Align::Left, mono: true, bold, text });
    };
    for (one, named) in here.iter().zip(named) {
        let warp = one.warp.warp;
        let chip = Rect::new(x, y + 2.0, wide(&named), 16.0);
        if one.picked {
            scene.fill(0, Tone::Text, chip.around(2.0));
            scene.fill(0, ground, chip.around(1.0));
        }
        scene.fill(0, hue(warp), chip);
        let ink = if one.waits() { Tone::Text } else { ink(warp) };
        if one.waits() {
            scene.fill(0, ground, chip.around(-2.0));
        }
        let left = x + (chip.w - long(&named)) / 2.0;
        let (name, lanes) = named;
        let after = left + letters(name.len());
        write(scene, ink, left, true, name);
        if !lanes.is_empty() {
            write(scene, ink, after, false, lanes);
        }
        scene.spot(chip, Selection::Warp { sm: one.warp.sm, warp });
        x += chip.w + GAP;
    }
    if !more.is_empty() {
        write(scene, Tone::Soft, x, false, more);
    }
}

/// Describes the warps at a line in words.
fn said(here: &[Here], more: usize, several: bool) -> String {
    let mut words: Vec<String> = here
        .iter()
        .map(|one| {
            let name = if several { format!("{} of SM {}", one.warp.warp, one.warp.sm) } else { one.warp.warp.to_string() };
            let name = if one.picked { format!("{name}, selected") } else { name };
            let name = if one.waits() { format!("{name}, waiting") } else { name };
            if one.lanes == one.warp.width { name } else { format!("{name} ({} of {} lanes)", one.lanes, one.warp.width) }
        })
        .collect();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    words.join(", ")
}
