//! Who is at each line of a text: chips over the ends of its lines.
//!
//! A chip is a warp with lanes that run an instruction of the line, in the warp's hue; it says how many where those are not
//! all of its lanes. A warp none of whose lanes can run, because its technique keeps them all, is at the lines where they will
//! go on, as an outline. The selected warp is always among those that are named, with a ring around it; of the others, as many as
//! there is room for, and how many more there are.

use super::parts::{hue, ink};
use crate::program::Pc;
use crate::scene::{Align, Beat, Figure, Rect, Scene, Shape, Tone};
use crate::view::{Line, Picture, Selection, WarpPicture};

/// The height of a line in pixels; the style sheet says the same.
pub const LINE: f32 = 20.0;
const SIZE: f32 = 11.0;
/// What a letter of that size takes in the monospace fonts.
const LETTER: f32 = SIZE * 0.6;
const GAP: f32 = 4.0;
/// Between the last chip and the text's edge, and where the text below fades.
const EDGE: f32 = 6.0;

/// The lines that are drawn.
pub struct Lines<'a> {
    pub picture: &'a Picture,
    pub lines: &'a [Line],
    /// Which line the first of them is, from 0.
    pub first: usize,
    pub selected: Option<(u16, u16)>,
    /// The selected warp's line, from 0, which lies on another ground.
    pub current: Option<usize>,
    /// How wide the text is that they are drawn over.
    pub room: f32,
}

/// Warps that a line names, in a text so many pixels wide.
fn named(room: f32) -> usize {
    match room {
        ..300.0 => 1,
        300.0..440.0 => 2,
        _ => 3,
    }
}

/// The warps that have lanes at one of these instructions, with those lanes; those that can run come first.
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

    /// Its name, and how many lanes where they are not all.
    fn chip(&self, several: bool) -> (String, String) {
        let WarpPicture { sm, warp, width, .. } = self.warp;
        let name = if several { format!("{sm}:{warp}") } else { warp.to_string() };
        (name, if self.lanes == *width { String::new() } else { format!("·{}", self.lanes) })
    }
}

pub fn draw(view: &Lines) -> Scene<Selection> {
    let several = view.picture.warps.last().is_some_and(|last| last.sm > 0);
    let most = named(view.room);
    // Two digits of each, and of the SM.
    let widest = letters(if several { 8 } else { 5 }) + 2.0 * GAP;
    let width = (most as f32 * (widest + GAP) + letters(3) + 2.0 * EDGE).ceil();
    let mut scene = Scene::new(width, view.lines.len() as f32 * LINE);
    for (at, line) in view.lines.iter().enumerate().filter(|(_, line)| !line.pcs.is_empty()) {
        let (here, more) = here(view, &line.pcs, most);
        if here.is_empty() {
            continue;
        }
        let ground = if view.current == Some(view.first + at) { Tone::Picked } else { Tone::Sunken };
        chips(&mut scene, at as f32 * LINE, ground, &here, more, several);
        let before = if scene.words.is_empty() { "Warps at line" } else { "; at line" };
        scene.words.push_str(&format!("{before} {}: {}", view.first + at + 1, said(&here, more, several)));
    }
    if scene.words.is_empty() {
        scene.words.push_str("No warps at these lines");
    }
    scene
}

fn letters(count: usize) -> f32 {
    count as f32 * LETTER
}

/// The warps at a line that are named, and how many more are there.
fn here<'a>(view: &Lines<'a>, pcs: &'a [Pc], most: usize) -> (Vec<Here<'a>>, usize) {
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

/// The chips of one line, up to its right edge, on a ground that covers the text below.
fn chips(scene: &mut Scene<Selection>, y: f32, ground: Tone, here: &[Here], more: usize, several: bool) {
    let more = if more > 0 { format!("+{more}") } else { String::new() };
    let named: Vec<(String, String)> = here.iter().map(|one| one.chip(several)).collect();
    let long = |(name, lanes): &(String, String)| letters(name.len() + lanes.chars().count());
    let wide = |chip: &(String, String)| (long(chip) + 2.0 * GAP).max(18.0).round();
    let all: f32 = named.iter().map(|chip| wide(chip) + GAP).sum();
    let mut x = scene.width - EDGE - letters(more.len()) - all;
    for (left, alpha) in [(x - 2.0 * EDGE, 0.6), (x - EDGE, 1.0)] {
        let rect = if alpha < 1.0 { Rect::new(left, y, EDGE, LINE) } else { Rect::new(left, y, scene.width - left, LINE) };
        scene.shapes.push(Shape { key: 0, tone: ground, alpha, beat: Beat::default(), figure: Figure::Fill(rect) });
    }
    let write = |scene: &mut Scene<Selection>, tone: Tone, x: f32, bold: bool, text: String| {
        scene.push(0, tone, Figure::Text { x, y: y + 14.0, size: SIZE, align: Align::Left, mono: true, bold, text });
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

/// The same in words.
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
