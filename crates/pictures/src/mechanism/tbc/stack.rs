//! The stack of a block, drawn: its cards from the top down, each with its text and its mask.

use super::super::parts::{BASE, SMALL, fitting, hue, kind};
use super::cards::{StackCard, cards};
use super::sizes::{Sizes, TITLE, WORDS};
use super::{ShownBlock, count, has};
use crate::scene::{Align, Beat, Geometry, Rect, Scene, Tone, key};
use crate::view::Selection;
use crate::view::words::counted;
use warpscope_machine::policy::divergence::block_stack::BlockMask;

/// Room for the line that says how many entries are left out.
const LEFT_OUT: f32 = 14.0;

/// The mask of each side that fills up, with where it is drawn.
pub type Ways<'a> = Vec<(&'a BlockMask, (f32, f32))>;

/// Draws the block's stack, top first; returns the masks of the sides that fill up.
pub fn draw<'a>(scene: &mut Scene<Selection>, block: &ShownBlock<'a>) -> Ways<'a> {
    let sizes = &block.sizes;
    let Rect { x, y, w: wide, h: tall } = sizes.stack;
    scene.bold(0, Tone::Text, x, y + 13.0, BASE, Align::Left, "Stack");
    let legend = "WCnt: warps that have not arrived · the top first";
    scene.label(0, Tone::Soft, x + 50.0, y + 13.0, SMALL, Align::Left, fitting(legend, wide - 50.0));
    let step = if sizes.is_beside() { WORDS + sizes.mask_tall() + 8.0 } else { (sizes.mask_tall() + 6.0).max(18.0) };
    let mut cards = cards(block);
    // The middle of a deep stack is left out where it does not fit.
    let fit = |room: f32| (room / step).max(3.0) as usize;
    let all = cards.len();
    let most = if all > fit(tall - TITLE) { fit(tall - TITLE - LEFT_OUT) } else { all };
    let left_out = all - most;
    cards.drain(most - usize::from(left_out > 0)..all - usize::from(left_out > 0));
    let mut ways = Vec::new();
    let mut y = y + TITLE;
    for (at, card) in cards.iter().enumerate() {
        let rect = Rect::new(x, y, wide, step - 4.0);
        let masks = card_words(scene, card, rect, sizes);
        mask(scene, block, card, masks);
        if card.fills {
            ways.push((card.mask, masks));
        }
        y += step;
        if left_out > 0 && at + 2 == cards.len() {
            scene.label(0, Tone::Soft, x + 8.0, y + 10.0, SMALL, Align::Left, format!("… {left_out} more …"));
            y += LEFT_OUT;
        }
    }
    ways
}

/// Writes an entry's text; returns where its mask goes.
fn card_words(scene: &mut Scene<Selection>, card: &StackCard, rect: Rect, sizes: &Sizes) -> (f32, f32) {
    let name = card.id as u16;
    let named = |column: u8| key(kind::ENTRY_TEXT, 0, name, column);
    scene.beat = card.opens;
    let (tone, geometry) = match (card.runs, card.fills) {
        (true, _) => (Tone::Changed, Geometry::Round(rect)),
        (_, true) => (Tone::Accent, Geometry::Outline(rect)),
        _ => (Tone::Line, Geometry::Outline(rect)),
    };
    scene.push(key(kind::ENTRY_ROW, 0, name, 1), tone, geometry);
    let tone = if card.runs { Tone::Text } else { Tone::Soft };
    let threads = counted(count(card.mask).into(), "thread");
    let beside = sizes.is_beside();
    let (x, line) = (rect.x + 8.0, rect.y + if beside { 15.0 } else { rect.h / 2.0 + 4.0 });
    scene.bold(named(0), tone, x, line, BASE, Align::Left, card.way.as_str());
    let masks = if beside {
        let wcnt = card.wcnt.map_or(card.state.to_string(), |wcnt| format!("{} · WCnt {wcnt}", card.state));
        scene.label(named(1), tone, rect.x + rect.w - 8.0, line, SMALL, Align::Right, wcnt);
        scene.mono(named(2), Tone::Soft, x, line + 13.0, 10.0, Align::Left, format!("{} · {threads}", card.pcs));
        (x, rect.y + WORDS)
    } else {
        let wcnt = card.wcnt.map_or(String::new(), |wcnt| format!("WCnt {wcnt} · "));
        let left = rect.x + rect.w - 8.0 - sizes.lanes as f32 * sizes.mask * 1.12;
        let said = format!("{} · {wcnt}{threads}", card.state);
        scene.label(named(1), tone, x + 128.0, line, SMALL, Align::Left, fitting(&said, left - x - 132.0));
        (left, rect.y + (rect.h - sizes.mask_tall()) / 2.0 + 1.0)
    };
    scene.beat = Beat::Travel;
    masks
}

/// Draws the mask of an entry, a row for each static warp.
fn mask(scene: &mut Scene<Selection>, block: &ShownBlock, card: &StackCard, at: (f32, f32)) {
    let sizes = &block.sizes;
    for number in 0..sizes.warps {
        let origin = block.stack.first_warp + number;
        let present = block.static_warp(number).map_or(0, |picture| picture.present);
        for lane in (0..sizes.lanes).filter(|lane| present >> lane & 1 != 0) {
            let cell = sizes.mask_cell(at, number, lane);
            let name = |kind: u8| key(kind, card.id << 16 | u32::from(number), lane as u16, 0);
            // A place is drawn whether it is filled or not, so that it stays while it empties.
            if sizes.mask > 4.0 {
                scene.beat = card.opens;
                scene.outline(name(kind::MASK_PLACE), Tone::Line, cell);
            }
            if has(card.mask, number, lane) {
                scene.beat = if card.fills { Beat::Settle } else { card.opens };
                scene.fill(name(kind::MASK), hue(origin), cell);
            }
        }
    }
    scene.beat = Beat::Travel;
}
