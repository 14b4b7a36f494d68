//! The film of a step under TBC: how warps arrive, and how the compactor forms new ones (TBC figures 7 to 9).
//!
//! The beats, in order; a step has those of them for which there is a cause:
//!
//! 1. *flash*: what issued lights up.
//! 2. *open*: the sides of a branch that is reached for the first time get their places above the entry that runs.
//! 3. *home*: the threads of a warp that arrives, or that has been pushed aside, go home.
//! 4. *fill*: from there their bits fly into the masks of the two sides.
//! 5. *count*: WCnt, the number of warps that have not arrived, goes down.
//! 6. *close*: entries that have reached their reconvergence point close.
//! 7. *push*: full sides become entries, those below a closed one move up, and the entry that is next begins to run.
//! 8. *drop*: the rows of its mask drop side by side onto the encoders.
//! 9. *pick*: each encoder lights the thread that it takes.
//! 10. *form*: these slide into one row, the new warp. A cycle later 9 and 10 repeat with what remains.
//!
//! A thread is never in two places: while it waits it is pale and at home, its bit in the mask; it becomes active where the warp
//! forms.

use super::super::parts::{PALE, kind};
use super::cards::SIDES;
use super::stack::{WAITING_BIT, card_of};
use crate::scene::{Beat, Geometry, Rect, Scene, Shape, ShapeKey};
use crate::view::Selection;
use std::collections::{BTreeMap, BTreeSet};

/// Writes the script of the step from the earlier scene to the later one.
pub fn direct(earlier: &mut Scene<Selection>, later: &mut Scene<Selection>) {
    keep_sides(earlier, later);
    let cast = Cast::new(earlier, later);
    if cast.is_idle() {
        return;
    }
    let acts = Acts::plan(&cast, later);
    let steps = cast.steps(&acts);
    for (key, beat) in cast.beats(&acts) {
        if let Some(shape) = later.shapes.iter_mut().find(|shape| shape.key == key) {
            shape.beat = beat;
        }
    }
    for (beat, is_cut, shape) in steps {
        if is_cut { later.cut(beat, [shape]) } else { later.pose(beat, [shape]) }
    }
}

/// Gives the sides of the earlier scene the names of the entries that they became.
fn keep_sides(earlier: &mut Scene<Selection>, later: &Scene<Selection>) {
    let (before, after) = (cards(earlier), cards(later));
    let became = |side: u32| {
        let pc = before.iter().find(|card| card.0 == side)?.1;
        let fresh = after.iter().filter(|card| before.iter().all(|old| old.0 != card.0));
        fresh.clone().find(|card| card.1 == pc && card.0 < SIDES).map(|card| card.0)
    };
    let names: BTreeMap<u32, u32> =
        before.iter().filter(|card| card.0 >= SIDES).filter_map(|c| Some((c.0, became(c.0)?))).collect();
    if names.is_empty() {
        return;
    }
    for shape in &mut earlier.shapes {
        if let Some(name) = card_name(shape.key).and_then(|card| names.get(&card)) {
            shape.key = match kind_of(shape.key) {
                kind::MASK | kind::MASK_PLACE => shape.key & !0xffe0ff | u64::from(name & 0x7ff) << 13 | u64::from(name >> 11),
                _ => shape.key & !0xff_ff00 | u64::from(*name) << 8,
            };
        }
    }
}

fn kind_of(key: ShapeKey) -> u8 {
    (key >> 56) as u8
}

/// Returns the ids and the PCs of the cards.
fn cards(scene: &Scene<Selection>) -> Vec<(u32, u32)> {
    let marks = scene.shapes.iter().filter(|shape| kind_of(shape.key) == kind::CARD);
    marks.map(|shape| ((shape.key >> 8 & 0xffff) as u32, (shape.key >> 24) as u32)).collect()
}

/// Returns the card that a shape belongs to.
fn card_name(key: ShapeKey) -> Option<u32> {
    match kind_of(key) {
        kind::MASK | kind::MASK_PLACE => Some(card_of(key)),
        kind::ENTRY_ROW | kind::ENTRY_TEXT | kind::WCNT | kind::CARD => Some((key >> 8 & 0xffff) as u32),
        _ => None,
    }
}

/// Returns the key of the same thread's shape of another kind.
fn of_thread(key: ShapeKey, kind: u8) -> ShapeKey {
    let lane = if matches!(kind_of(key), kind::MASK | kind::MASK_PLACE) { 0x1f } else { 0xffff };
    u64::from(kind) << 56 | key & 0x00ff_ffff_ff00_0000 | key & lane << 8
}

/// The shapes of both scenes, and the threads that do something in the step.
struct Cast {
    before: BTreeMap<ShapeKey, Shape>,
    after: BTreeMap<ShapeKey, Shape>,
    /// Threads, by the keys of their tokens, that leave a warp.
    leave: BTreeSet<ShapeKey>,
    /// Threads of the warps that form.
    form: BTreeSet<ShapeKey>,
    /// Bits that sides get, and bits that go to the encoders, by their keys.
    fill: BTreeSet<ShapeKey>,
    dock: BTreeSet<ShapeKey>,
    /// Cards that open and close.
    open: BTreeSet<u32>,
    close: BTreeSet<u32>,
}

impl Cast {
    fn new(earlier: &Scene<Selection>, later: &Scene<Selection>) -> Cast {
        let keyed = |scene: &Scene<Selection>| -> BTreeMap<ShapeKey, Shape> {
            scene.shapes.iter().filter(|shape| shape.key != 0).map(|shape| (shape.key, shape.clone())).collect()
        };
        let (before, after) = (keyed(earlier), keyed(later));
        let of = |shapes: &BTreeMap<ShapeKey, Shape>, kind: u8| -> Vec<Shape> {
            shapes.values().filter(|shape| kind_of(shape.key) == kind).cloned().collect()
        };
        let formed: Vec<Rect> = of(&after, kind::FORMED).iter().map(|mark| mark.geometry.place()).collect();
        let form: BTreeSet<ShapeKey> = of(&after, kind::THREAD)
            .iter()
            .filter(|token| formed.iter().any(|row| row.meets(&token.geometry.place())))
            .map(|token| token.key)
            .collect();
        let is_away = |token: &Shape| {
            let home = after.get(&of_thread(token.key, kind::HOME_PLACE)).or(before.get(&of_thread(token.key, kind::HOME_PLACE)));
            home.is_some_and(|home| home.geometry.place() != token.geometry.place())
        };
        let leave = of(&before, kind::THREAD)
            .iter()
            .filter(|token| is_away(token))
            .filter(|token| form.contains(&token.key) || after.get(&token.key).is_some_and(|now| !is_away(now)))
            .map(|token| token.key)
            .collect();
        let ids = |shapes: &BTreeMap<ShapeKey, Shape>| -> BTreeSet<u32> {
            of(shapes, kind::CARD).iter().filter_map(|mark| card_name(mark.key)).collect()
        };
        let (old, new) = (ids(&before), ids(&after));
        let fill = of(&after, kind::MASK)
            .iter()
            .filter(|bit| card_of(bit.key) >= SIDES || !old.contains(&card_of(bit.key)) || has_side(&before, bit.key))
            .filter(|bit| !before.contains_key(&bit.key))
            .map(|bit| bit.key)
            .collect();
        let dock = of(&after, kind::DOCK).iter().filter(|bit| !before.contains_key(&bit.key)).map(|bit| bit.key).collect();
        let (open, close) = (new.difference(&old).copied().collect(), old.difference(&new).copied().collect());
        Cast { before, after, leave, form, fill, dock, open, close }
    }

    fn is_idle(&self) -> bool {
        self.leave.is_empty() && self.form.is_empty() && self.open.is_empty() && self.close.is_empty()
    }

    /// Returns whether a WCnt differs, or belongs to an entry that closes.
    fn counts(&self) -> bool {
        let mut old = self.before.values().filter(|shape| kind_of(shape.key) == kind::WCNT);
        old.any(|was| self.after.get(&was.key).is_none_or(|is| wcnt(is) < wcnt(was)))
    }

    fn home(&self, token: ShapeKey) -> Option<Rect> {
        let place = of_thread(token, kind::HOME_PLACE);
        self.after.get(&place).or(self.before.get(&place)).map(|shape| shape.geometry.place())
    }

    /// Returns the thread's token, number and stripe in a scene.
    fn parts(shapes: &BTreeMap<ShapeKey, Shape>, token: ShapeKey) -> impl Iterator<Item = &Shape> {
        let kinds = [kind::THREAD, kind::THREAD_STRIPE, kind::THREAD_TEXT];
        kinds.into_iter().filter_map(move |kind| shapes.get(&of_thread(token, kind)))
    }

    /// Returns when shapes of the later scene take their final look.
    fn beats(&self, acts: &Acts) -> Vec<(ShapeKey, Beat)> {
        let mut beats = Vec::new();
        for (&key, is) in &self.after {
            let was = self.before.get(&key);
            let token = of_thread(key, kind::THREAD);
            let beat = match kind_of(key) {
                kind::THREAD | kind::THREAD_TEXT | kind::THREAD_STRIPE if self.form.contains(&token) => acts.form,
                kind::THREAD | kind::THREAD_TEXT | kind::THREAD_STRIPE | kind::THREAD_EDGE if self.leave.contains(&token) => {
                    acts.rest
                }
                kind::MASK if self.fill.contains(&key) && !self.form.contains(&token) => acts.fill,
                kind::MASK if self.fill.contains(&key) => acts.form,
                kind::MASK => match was {
                    None => acts.open,
                    Some(was) if is.alpha < was.alpha => acts.home,
                    Some(was) if is.alpha > was.alpha => acts.form,
                    Some(_) => acts.shift(),
                },
                kind::MASK_PLACE | kind::CARD => acts.shift(),
                kind::ENTRY_ROW | kind::ENTRY_TEXT | kind::WCNT => match was {
                    _ if card_name(key).is_some_and(|card| self.open.contains(&card)) => acts.open,
                    None => acts.push,
                    Some(was) if kind_of(key) == kind::WCNT && wcnt(is) < wcnt(was) => acts.count,
                    Some(_) if key & 0xff == 2 && !self.fill.is_empty() => acts.fill,
                    Some(_) => acts.push,
                },
                kind::DOCK if self.dock.contains(&key) => acts.drop,
                kind::ROW_TEXT | kind::TO_GO => acts.form,
                _ => continue,
            };
            beats.push((key, beat));
        }
        beats
    }

    /// Returns the looks between the first and the last, each with its beat and whether it is a cut.
    fn steps(&self, acts: &Acts) -> Vec<(Beat, bool, Shape)> {
        let mut steps = Vec::new();
        self.cards(acts, &mut steps);
        for &token in &self.leave {
            let (Some(home), Some(from)) = (self.home(token), self.before.get(&token)) else { continue };
            let at = from.geometry.place();
            let way = (home.x - at.x, home.y - at.y);
            for part in Cast::parts(&self.before, token) {
                steps.push((acts.home, false, part.moved_by(way)));
                if self.form.contains(&token) && part.key == token {
                    steps.push((acts.rest, false, part.moved_by(way).seen(PALE)));
                }
            }
            if let Some(edge) = self.after.get(&of_thread(token, kind::THREAD_EDGE)).filter(|_| self.form.contains(&token)) {
                steps.push((acts.rest, false, edge.seen(1.0)));
            }
        }
        for &bit in &self.fill {
            if let (Some(shape), Some(home)) = (self.after.get(&bit), self.home(of_thread(bit, kind::THREAD))) {
                steps.push((acts.fill, true, shape.placed(home).seen(1.0)));
                if self.form.contains(&of_thread(bit, kind::THREAD)) {
                    steps.push((acts.fill, false, shape.seen(WAITING_BIT)));
                }
            }
        }
        for &bit in &self.dock {
            let (Some(shape), Some(from)) = (self.after.get(&bit), self.running_bit(bit)) else { continue };
            steps.push((acts.drop, true, shape.placed(from.geometry.place()).seen(2.0 * PALE)));
            if shape.alpha == 0.0 {
                steps.push((acts.drop, false, shape.seen(2.0 * PALE)));
            }
        }
        for &token in &self.form {
            self.forming(token, acts, &mut steps);
        }
        // A row that is left is empty until the next warp forms in it.
        for (key, was) in self.before.iter().filter(|(key, _)| kind_of(**key) == kind::ROW_TEXT) {
            match self.after.get(key) {
                Some(is) if is != was && self.form_rows().any(|y| (y - is.geometry.place().y).abs() < 40.0) => {
                    steps.push((acts.home, false, was.seen(0.0)));
                    steps.push((acts.form, true, is.seen(0.0)));
                }
                None => steps.push((acts.home, false, was.seen(0.0))),
                Some(_) => {}
            }
        }
        steps
    }

    fn form_rows(&self) -> impl Iterator<Item = f32> {
        self.after.values().filter(|shape| kind_of(shape.key) == kind::FORMED).map(|shape| shape.geometry.place().y)
    }

    /// Lets a thread's bit light up under its encoder, and its token slide from there into the new warp.
    fn forming(&self, token: ShapeKey, acts: &Acts, steps: &mut Vec<(Beat, bool, Shape)>) {
        let Some(dock) = self.after.get(&of_thread(token, kind::DOCK)) else { return };
        steps.push((acts.pick, false, dock.seen(1.0)));
        steps.push((acts.form, true, dock.seen(0.0)));
        let (at, lane) = (dock.geometry.place(), token >> 8 & 0xffff);
        let encoder = u64::from(kind::ENCODER) << 56 | lane << 24;
        if let Some(mark) = self.after.get(&encoder) {
            steps.push((acts.pick, false, mark.seen(1.0)));
            steps.push((acts.form, false, mark.seen(0.0)));
        }
        let Some(goal) = self.after.get(&token).map(|shape| shape.geometry.place()) else { return };
        for part in Cast::parts(&self.after, token) {
            let start = match part.geometry {
                Geometry::Round(_) => part.placed(at),
                _ => part
                    .moved_by((at.x + at.w / 2.0 - goal.x - goal.w / 2.0, at.y + at.h / 2.0 - goal.y - goal.h / 2.0))
                    .seen(0.0),
            };
            steps.push((acts.form, true, start));
        }
        if let Some(edge) = self.after.get(&of_thread(token, kind::THREAD_EDGE)) {
            steps.push((acts.form, true, edge.seen(0.0)));
        }
    }

    /// Returns the bit of the same thread in the mask of the entry that runs.
    fn running_bit(&self, dock: ShapeKey) -> Option<&Shape> {
        let runs = |card: u32| {
            let row = |shapes: &BTreeMap<ShapeKey, Shape>| {
                let row = u64::from(kind::ENTRY_ROW) << 56 | u64::from(card) << 8 | 1;
                shapes.get(&row).is_some_and(|row| matches!(row.geometry, Geometry::Round(_)))
            };
            row(&self.after)
        };
        let same = |bit: &&Shape| kind_of(bit.key) == kind::MASK && of_thread(bit.key, kind::DOCK) == dock;
        self.after.values().filter(same).find(|bit| runs(card_of(bit.key)))
    }

    /// Lets cards open, close and move.
    fn cards(&self, acts: &Acts, steps: &mut Vec<(Beat, bool, Shape)>) {
        for (key, was) in &self.before {
            let Some(card) = card_name(*key) else { continue };
            let gone = self.close.contains(&card);
            match self.after.get(key) {
                None if gone => {
                    if kind_of(*key) == kind::WCNT {
                        steps.push((acts.count, false, to_zero(was)));
                        steps.push((acts.close, false, to_zero(was).seen(0.0)));
                    } else {
                        steps.push((acts.close, false, was.seen(0.0)));
                    }
                }
                None => steps.push((acts.push, false, was.seen(0.0))),
                Some(is) => {
                    let (from, to) = (was.geometry.place(), is.geometry.place());
                    // What moves up and changes in one beat needs no step.
                    let later = !acts.closes || (kind_of(*key) == kind::MASK && is.alpha > was.alpha);
                    if (from.x, from.y) != (to.x, to.y) && later {
                        steps.push((acts.shift(), false, was.moved_by((to.x - from.x, to.y - from.y))));
                    }
                }
            }
        }
    }
}

/// Returns whether the bit's card was a side that filled up.
fn has_side(before: &BTreeMap<ShapeKey, Shape>, bit: ShapeKey) -> bool {
    let row = u64::from(kind::WCNT) << 56 | u64::from(card_of(bit)) << 8;
    !before.contains_key(&row)
}

/// Returns the number at the end of a text.
fn wcnt(shape: &Shape) -> Option<u32> {
    let Geometry::Text { text, .. } = &shape.geometry else { return None };
    text.rsplit(' ').next()?.parse().ok()
}

/// Returns the same WCnt at zero.
fn to_zero(shape: &Shape) -> Shape {
    match &shape.geometry {
        Geometry::Text { x, y, size, align, mono, bold, .. } => {
            let (x, y, size, align, mono, bold) = (*x, *y, *size, *align, *mono, *bold);
            let text = "WCnt 0".to_string();
            Shape { geometry: Geometry::Text { x, y, size, align, mono, bold, text }, ..shape.clone() }
        }
        _ => shape.clone(),
    }
}

/// The beats of a step; one without a cause is the same as the one before it.
struct Acts {
    open: Beat,
    home: Beat,
    /// When threads that have come home turn pale.
    rest: Beat,
    fill: Beat,
    count: Beat,
    close: Beat,
    push: Beat,
    drop: Beat,
    pick: Beat,
    form: Beat,
    closes: bool,
}

impl Acts {
    fn plan(cast: &Cast, later: &mut Scene<Selection>) -> Acts {
        later.plan(Beat::Flash, "flash", 100);
        let mut last = Beat::Flash;
        let mut act = |is_needed: bool, name: &'static str, ms: u16| {
            if is_needed {
                last = later.act(name, ms);
            }
            last
        };
        let (forms, closes) = (!cast.form.is_empty(), !cast.close.is_empty());
        let open = act(!cast.open.is_empty(), "open", 250);
        let home = act(!cast.leave.is_empty(), "home", 300);
        let fill = act(!cast.fill.is_empty(), "fill", 320);
        let count = act(cast.counts(), "count", 300);
        let close = act(closes, "close", 200);
        let is_new = |shape: &Shape| kind_of(shape.key) == kind::ENTRY_ROW && cast.before.get(&shape.key) != Some(shape);
        let changes = (closes || !cast.dock.is_empty()) && cast.after.values().any(is_new);
        let push = act(changes, "push", if closes { 250 } else { 150 });
        let drop = act(!cast.dock.is_empty(), "drop", 320);
        let pick = act(forms, "pick", 250);
        let form = act(forms, "form", 320);
        let rest = if cast.fill.is_empty() { if closes { close } else { count } } else { fill };
        Acts { open, home, rest, fill, count, close, push, drop, pick, form, closes }
    }

    /// Returns when cards move to make room or to close a gap.
    fn shift(&self) -> Beat {
        if self.closes { self.push } else { self.open }
    }
}
