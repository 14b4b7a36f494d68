//! The stack of a block, drawn: its cards from the top down, each with its text and its mask.

use super::super::parts::{BASE, SMALL, Thread, fitting, hue, kind};
use super::cards::{StackCard, cards};
use super::sizes::{Sizes, TITLE, WORDS};
use super::{ShownBlock, count, has};
use crate::scene::{Align, Geometry, Rect, Scene, ShapeKey, Tone, key};
use crate::view::Selection;
use crate::view::words::counted;

/// Room for the line that says how many entries are left out.
const LEFT_OUT: f32 = 14.0;

/// Draws the block's stack, top first.
pub fn draw(scene: &mut Scene<Selection>, block: &ShownBlock) {
    let sizes = &block.sizes;
    let Rect { x, y, w: wide, h: tall } = sizes.stack;
    scene.bold(0, Tone::Text, x, y + 13.0, BASE, Align::Left, "Stack");
    let legend = "the top first · filled: active now · pale: waits · WCnt: warps that have not arrived";
    scene.label(0, Tone::Soft, x + 50.0, y + 13.0, SMALL, Align::Left, fitting(legend, wide - 50.0));
    let step = if sizes.is_beside() { WORDS + sizes.mask_tall() + 8.0 } else { (sizes.mask_tall() + 6.0).max(18.0) };
    let mut cards = cards(block);
    // The middle of a deep stack is left out where it does not fit.
    let fit = |room: f32| (room / step).max(3.0) as usize;
    let all = cards.len();
    let most = if all > fit(tall - TITLE) { fit(tall - TITLE - LEFT_OUT) } else { all };
    let left_out = all - most;
    cards.drain(most - usize::from(left_out > 0)..all - usize::from(left_out > 0));
    let mut y = y + TITLE;
    for (at, card) in cards.iter().enumerate() {
        let rect = Rect::new(x, y, wide, step - 4.0);
        let masks = card_words(scene, card, rect, sizes);
        mask(scene, block, card, masks);
        y += step;
        if left_out > 0 && at + 2 == cards.len() {
            scene.label(0, Tone::Soft, x + 8.0, y + 10.0, SMALL, Align::Left, format!("… {left_out} more …"));
            y += LEFT_OUT;
        }
    }
}

/// Writes an entry's text; returns where its mask goes.
fn card_words(scene: &mut Scene<Selection>, card: &StackCard, rect: Rect, sizes: &Sizes) -> (f32, f32) {
    let name = card.id as u16;
    let named = |column: u8| key(kind::ENTRY_TEXT, 0, name, column);
    scene.mark(key(kind::CARD, card.pc, name, 0), Tone::Panel, false, Geometry::Fill(rect));
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
    if beside {
        let right = rect.x + rect.w - 8.0;
        if let Some(wcnt) = card.wcnt {
            scene.bold(key(kind::WCNT, 0, name, 0), tone, right, line, BASE, Align::Right, format!("WCnt {wcnt}"));
        }
        scene.label(named(1), tone, right, line + 14.0, SMALL, Align::Right, card.state);
        scene.mono(named(2), Tone::Soft, x, line + 13.0, 10.0, Align::Left, format!("{} · {threads}", card.pcs));
        (x, rect.y + WORDS)
    } else {
        let left = rect.x + rect.w - 8.0 - sizes.lanes as f32 * sizes.mask * 1.12;
        if let Some(wcnt) = card.wcnt {
            scene.bold(key(kind::WCNT, 0, name, 0), tone, x + 128.0, line, SMALL, Align::Left, format!("WCnt {wcnt}"));
        }
        let said = format!("{} · {threads}", card.state);
        scene.label(named(1), tone, x + 180.0, line, SMALL, Align::Left, fitting(&said, left - x - 184.0));
        (left, rect.y + (rect.h - sizes.mask_tall()) / 2.0 + 1.0)
    }
}

/// Draws the mask of an entry, a row for each static warp: filled where the thread runs for it now, pale where it waits.
fn mask(scene: &mut Scene<Selection>, block: &ShownBlock, card: &StackCard, at: (f32, f32)) {
    let sizes = &block.sizes;
    for number in 0..sizes.warps {
        let Some(picture) = block.static_warp(number) else { continue };
        for lane in (0..sizes.lanes).filter(|lane| picture.present >> lane & 1 != 0) {
            let cell = sizes.mask_cell(at, number, lane);
            let thread = Thread::of(picture, lane);
            // A place is drawn whether it is filled or not, so that it stays while it empties.
            if sizes.mask > 4.0 {
                scene.outline(bit_key(kind::MASK_PLACE, &thread, card.id), Tone::Line, cell);
            }
            if has(card.mask, number, lane) {
                scene.fill(bit_key(kind::MASK, &thread, card.id), hue(picture.warp), cell);
                if !(card.runs && block.runs(picture.warp, lane)) {
                    scene.fade(WAITING_BIT);
                }
            }
        }
    }
}

/// The opacity of the bit of a thread that waits: bits are smaller than tokens and have no edge.
pub const WAITING_BIT: f32 = 0.4;

/// Returns the key of a thread's bit in the mask of a card.
pub fn bit_key(kind: u8, thread: &Thread, card: u32) -> ShapeKey {
    let (thread, lane) = (u32::from(thread.sm) << 16 | u32::from(thread.warp), thread.lane as u16);
    key(kind, thread, lane | (card as u16) << 5, (card >> 11) as u8)
}

/// Returns the card of a bit, by the key that [`bit_key`] made.
pub fn card_of(bit: ShapeKey) -> u32 {
    (bit >> 13 & 0x7ff) as u32 | ((bit & 0xff) as u32) << 11
}
