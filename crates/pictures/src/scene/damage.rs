//! Finds the regions to repaint when one scene follows another.
//!
//! **Damage** is a few rectangles outside of which both scenes, and every frame between them, look the same. Most steps change a
//! handful of lanes and letters out of thousands of shapes. Most of those change at once; only shapes with a key take time to
//! move.

use super::{Align, Geometry, Rect, Scene, Shape, ShapeKey};
use std::collections::BTreeSet;

/// How many shapes ahead the comparison looks for an unchanged shape.
const AHEAD: usize = 96;
/// Two rectangles are merged if that adds at most this many pixels.
const SLACK: f32 = 1500.0;
/// A longer list of rectangles is merged into one.
const MOST: usize = 24;
/// If more shapes than this are gone, the whole picture counts as damaged: comparing further takes longer than painting.
const MANY: usize = 512;

impl Rect {
    /// Returns whether the two rectangles overlap.
    pub fn meets(&self, other: &Rect) -> bool {
        self.x < other.x + other.w && other.x < self.x + self.w && self.y < other.y + other.h && other.y < self.y + self.h
    }

    /// Returns the smallest rectangle around both.
    pub fn with(&self, other: &Rect) -> Rect {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let (right, bottom) = ((self.x + self.w).max(other.x + other.w), (self.y + self.h).max(other.y + other.h));
        Rect::new(x, y, right - x, bottom - y)
    }

    /// Returns the rectangle enlarged by `pixels` on each side.
    pub fn around(&self, pixels: f32) -> Rect {
        Rect::new(self.x - pixels, self.y - pixels, self.w + 2.0 * pixels, self.h + 2.0 * pixels)
    }

    fn area(&self) -> f32 {
        self.w * self.h
    }
}

impl Shape {
    /// Returns a rectangle that contains the whole shape. Letters are assumed to be wide.
    pub fn bounds(&self) -> Rect {
        match &self.geometry {
            Geometry::Fill(r) | Geometry::Outline(r) | Geometry::Dot(r) | Geometry::Wait(r) => r.around(1.0),
            Geometry::Round(r) | Geometry::Ring(r) => r.around(2.0),
            // The head is wider than the line.
            Geometry::Arrow(r) => Rect::new(r.x.min(r.x + r.w), r.y.min(r.y + r.h), r.w.abs(), r.h.abs()).around(8.0),
            Geometry::Line(r) => Rect::new(r.x.min(r.x + r.w), r.y.min(r.y + r.h), r.w.abs(), r.h.abs()).around(1.0),
            Geometry::Text { x, y, size, align, text, .. } => {
                let wide = text.chars().count() as f32 * size * 0.9;
                let left = match align {
                    Align::Left => *x,
                    Align::Middle => x - wide / 2.0,
                    Align::Right => x - wide,
                };
                Rect::new(left, y - size * 1.1, wide, size * 1.5).around(1.0)
            }
        }
    }
}

/// Where two scenes differ. No two rectangles of a list touch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Damage {
    /// The rectangles that are drawn anew.
    pub all: Vec<Rect>,
    /// Where something moves or fades. The rest looks like the new scene from the first frame on.
    pub moving: Vec<Rect>,
}

/// Returns where `old` and `new` differ, given that the film between them is that of the `later` one of the two. A moving shape
/// damages its whole way.
pub fn damage<T: Copy>(old: &Scene<T>, new: &Scene<T>, backwards: bool) -> Damage {
    let Some((gone, come)) = differing(&old.shapes, &new.shapes) else {
        let whole = old.shapes.iter().chain(&new.shapes).map(Shape::bounds).reduce(|all, rect| all.with(&rect));
        return Damage { all: whole.into_iter().collect(), moving: whole.into_iter().collect() };
    };
    let mut damage = Damage::default();
    let mut note = |shape: &Shape, rect: Rect| {
        add(&mut damage.all, rect);
        if shape.key != 0 {
            add(&mut damage.moving, rect);
        }
    };
    for shape in &come {
        let was = gone.iter().find(|was| was.key == shape.key && was.key != 0);
        note(shape, was.map_or_else(|| shape.bounds(), |was| passed(old, new, was, shape)));
    }
    gone.iter().for_each(|shape| note(shape, shape.bounds()));
    for (shape, rect) in stepped(old, new, if backwards { old } else { new }) {
        note(shape, rect);
    }
    damage
}

/// Returns the things that go through steps, each with a rectangle around its whole way.
fn stepped<'a, T>(old: &'a Scene<T>, new: &'a Scene<T>, later: &'a Scene<T>) -> Vec<(&'a Shape, Rect)> {
    let mut looks: Vec<&Shape> = later.script.steps.iter().map(|step| &step.shape).collect();
    let keys: BTreeSet<ShapeKey> = looks.iter().map(|shape| shape.key).collect();
    if !keys.is_empty() {
        looks.extend(old.shapes.iter().chain(&new.shapes).filter(|shape| keys.contains(&shape.key)));
    }
    looks.sort_by_key(|shape| shape.key);
    let around = |way: &[&Shape]| way.iter().fold(way[0].bounds(), |all, shape| all.with(&shape.bounds()));
    looks.chunk_by(|one, other| one.key == other.key).map(|way| (way[0], around(way))).collect()
}

/// Returns a rectangle around everything that a shape passes on its way, in either direction.
fn passed<T>(old: &Scene<T>, new: &Scene<T>, was: &Shape, is: &Shape) -> Rect {
    let ends = was.bounds().with(&is.bounds());
    // The bounds of the shape, in its old or its new size, while its point is at (x, y).
    let around = |shape: &Shape, x: f32, y: f32| {
        let (bounds, at) = (shape.bounds(), shape.geometry.place());
        Rect::new(bounds.x + x - at.x, bounds.y + y - at.y, bounds.w, bounds.h)
    };
    points_of(old, new, is.key).fold(ends, |all, (x, y)| all.with(&around(was, x, y)).with(&around(is, x, y)))
}

/// Returns the points that either scene names for a key.
fn points_of<'a, T>(old: &'a Scene<T>, new: &'a Scene<T>, key: ShapeKey) -> impl Iterator<Item = (f32, f32)> + 'a {
    let waypoints = old.waypoints.iter().chain(&new.waypoints).filter(move |way| way.key == key);
    waypoints.flat_map(|way| way.points.iter().copied())
}

/// Adds a rectangle to the damage. No two rectangles touch, because an overlap would be painted twice.
pub fn add(damage: &mut Vec<Rect>, mut rect: Rect) {
    let one = |a: &Rect, b: &Rect| a.around(2.0).meets(b) || a.with(b).area() <= a.area() + b.area() + SLACK;
    while let Some(at) = damage.iter().position(|old| one(old, &rect)) {
        rect = damage.swap_remove(at).with(&rect);
    }
    damage.push(rect);
    if damage.len() > MOST {
        let all = damage.iter().skip(1).fold(damage[0], |all, rect| all.with(rect));
        *damage = vec![all];
    }
}

/// Returns the shapes of each list that the other lacks, in order; `None` if there are too many.
fn differing<'a>(old: &'a [Shape], new: &'a [Shape]) -> Option<(Vec<&'a Shape>, Vec<&'a Shape>)> {
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    let (mut a, mut b) = (0, 0);
    while let (Some(was), Some(is)) = (old.get(a), new.get(b)) {
        if gone.len() > MANY {
            return None;
        } else if was == is {
            (a, b) = (a + 1, b + 1);
        } else if was.key != 0 && was.key == is.key {
            gone.push(was);
            come.push(is);
            (a, b) = (a + 1, b + 1);
        } else if let Some(skip) = new[b..].iter().take(AHEAD).position(|shape| shape == was) {
            come.extend(&new[b..b + skip]);
            b += skip;
        } else {
            gone.push(was);
            a += 1;
        }
    }
    gone.extend(&old[a..]);
    come.extend(&new[b..]);
    Some((gone, come))
}

#[cfg(test)]
mod tests {
    use super::super::{Film, Tone, key};
    use super::*;

    fn tween(old: &Scene<()>, new: &Scene<()>, part: f32) -> Scene<()> {
        Film::new(old, new, false).frame(part)
    }

    fn scene(rects: &[(u32, f32)]) -> Scene<()> {
        let mut scene = Scene::new(1000.0, 10.0);
        for &(name, x) in rects {
            scene.fill(key(1, name, 0, 0), Tone::Accent, Rect::new(x, 0.0, 4.0, 4.0));
            scene.fill(0, Tone::Line, Rect::new(x, 6.0, 1.0, 1.0));
        }
        scene
    }

    #[test]
    fn nothing_differs_outside_of_the_damage() {
        let old = scene(&[(0, 0.0), (1, 200.0), (2, 400.0), (3, 900.0)]);
        let new = scene(&[(0, 0.0), (2, 410.0), (3, 900.0), (4, 600.0)]);
        let damage = damage(&old, &new, false).all;
        assert!(!damage.is_empty() && damage.iter().all(|rect| !rect.meets(&Rect::new(0.0, 0.0, 100.0, 10.0))), "{damage:?}");
        let outside = |scene: &Scene<()>| {
            let still = scene.shapes.iter().filter(|shape| damage.iter().all(|rect| !rect.meets(&shape.bounds())));
            still.cloned().collect::<Vec<_>>()
        };
        for part in [0.0, 0.3, 1.0] {
            assert_eq!(outside(&old), outside(&tween(&old, &new, part)));
        }
        assert_eq!(outside(&old), outside(&new));
    }

    #[test]
    fn a_way_that_leads_around_is_damaged_too() {
        let (old, mut new) = (scene(&[(0, 0.0)]), scene(&[(0, 50.0)]));
        new.way(key(1, 0, 0, 0), vec![(700.0, 90.0), (20.0, -30.0)]);
        let moving = damage(&old, &new, false).moving;
        for part in 0..=20 {
            let frame = tween(&old, &new, part as f32 / 20.0);
            let shape = frame.shapes.iter().find(|shape| shape.key == key(1, 0, 0, 0)).expect("it is on its way");
            assert!(moving.iter().any(|rect| rect.with(&shape.bounds()) == *rect), "{shape:?} outside of {moving:?}");
        }
    }

    #[test]
    fn the_steps_of_the_later_scene_are_damaged_whichever_way_the_film_goes() {
        let (old, mut new) = (scene(&[(0, 0.0)]), scene(&[(0, 50.0)]));
        let lift = new.act("lift", 100);
        let lifted = new.shapes[0].placed(Rect::new(20.0, 300.0, 4.0, 4.0));
        new.pose(lift, [lifted]);
        let far = Rect::new(20.0, 300.0, 4.0, 4.0);
        for (from, to, backwards) in [(&old, &new, false), (&new, &old, true)] {
            let moving = damage(from, to, backwards).moving;
            assert!(moving.iter().any(|rect| rect.with(&far) == *rect), "{moving:?}");
        }
    }

    #[test]
    fn no_two_rectangles_touch() {
        let mut damage = Vec::new();
        // A cross, and a bar that reaches from one of its arms to a rectangle far away.
        for rect in [(0.0, 90.0, 900.0, 9.0), (400.0, 0.0, 9.0, 900.0), (0.0, 500.0, 9.0, 9.0), (0.0, 92.0, 4.0, 410.0)] {
            add(&mut damage, Rect::new(rect.0, rect.1, rect.2, rect.3));
        }
        let touching = |a: usize, b: usize| a != b && damage[a].meets(&damage[b]);
        assert!((0..damage.len()).all(|a| (0..damage.len()).all(|b| !touching(a, b))), "{damage:?}");
    }

    #[test]
    fn the_same_scene_has_no_damage_and_another_one_little() {
        let old = scene(&[(0, 0.0), (1, 200.0)]);
        assert_eq!(damage(&old, &old, false), Damage::default());
        let many: Vec<(u32, f32)> = (0..100).map(|at| (at, at as f32 * 300.0)).collect();
        assert!(damage(&scene(&[]), &scene(&many), false).all.len() <= MOST, "too many rectangles are one");
    }

    #[test]
    fn very_different_scenes_are_damaged_all_over() {
        let many = |by: f32| scene(&(0..600).map(|at| (at, at as f32 * 10.0 + by)).collect::<Vec<_>>());
        let (old, new) = (many(0.0), many(3.0));
        let damage = damage(&old, &new, false);
        assert_eq!(damage.all, damage.moving);
        let inside = |shape: &Shape| damage.all[0].with(&shape.bounds()) == damage.all[0];
        assert!(damage.all.len() == 1 && old.shapes.iter().chain(&new.shapes).all(inside), "{damage:?}");
    }

    #[test]
    fn nothing_is_on_its_way_outside_of_what_moves() {
        // One thing moves; a text without a key changes far from it.
        let with_letter = |x: f32, letter: &str| {
            let mut scene = scene(&[(0, x)]);
            scene.mono(0, Tone::Text, 800.0, 5.0, 8.0, Align::Left, letter);
            scene
        };
        let (old, new) = (with_letter(0.0, "a"), with_letter(50.0, "b"));
        let damage = damage(&old, &new, false);
        let letter = Rect::new(800.0, 0.0, 8.0, 8.0);
        assert!(damage.all.iter().any(|rect| rect.meets(&letter)) && !damage.moving.iter().any(|rect| rect.meets(&letter)));
        let still = |scene: &Scene<()>| {
            let outside = scene.shapes.iter().filter(|shape| damage.moving.iter().all(|rect| !rect.meets(&shape.bounds())));
            outside.filter(|shape| shape.alpha > 0.0).cloned().collect::<Vec<_>>()
        };
        for part in [0.0, 0.3, 1.0] {
            assert_eq!(still(&tween(&old, &new, part)), still(&new));
        }
    }
}
