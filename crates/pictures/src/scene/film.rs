//! The film of a step: how one scene becomes the next, in three beats.
//!
//! A film runs from the scene of an earlier cycle to the scene of a later one: issued instructions flash, tokens travel,
//! structures take their new shape. A shape whose key is in both scenes moves. A shape that only the later scene has fades in; a
//! shape that only the earlier scene has fades out. Each does so in its own [`Beat`]. A mark that moves with a thing and only
//! lights up does so in the first beat, wherever the thing then goes. Shapes without a key look as in the target scene from the
//! first frame on. Stepping back plays the same film backwards.

use super::tween::between;
use super::{Beat, Scene, Shape, ShapeKey};
use std::ops::Range;

/// The length of a step's film, as the user has set it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// No film: the next picture is there at once.
    Off,
    /// A third of a full film.
    Quick,
    /// As long as one needs to follow what moves.
    #[default]
    Full,
    /// Three times a full film.
    Slow,
}

/// The playback rate, in cycles per second, from which on there is no film.
const TOO_FAST: f64 = 16.0;
/// The share of a cycle's display time that its film takes during playback.
const SHARE: f64 = 0.8;

impl Motion {
    /// Every length, in the order of menus.
    pub const ALL: [Motion; 4] = [Motion::Off, Motion::Quick, Motion::Full, Motion::Slow];

    /// Returns the name under which the setting is stored.
    pub fn key(self) -> &'static str {
        match self {
            Motion::Off => "off",
            Motion::Quick => "quick",
            Motion::Full => "full",
            Motion::Slow => "slow",
        }
    }

    /// Returns the setting that was stored under this name.
    pub fn from_key(key: &str) -> Option<Motion> {
        Motion::ALL.into_iter().find(|motion| motion.key() == key)
    }

    /// Returns the text of a menu.
    pub fn label(self) -> &'static str {
        match self {
            Motion::Off => "No film",
            Motion::Quick => "Quick film",
            Motion::Full => "Film",
            Motion::Slow => "Slow film",
        }
    }

    /// Returns the length of a single step's film, in milliseconds.
    pub fn step_ms(self) -> f64 {
        match self {
            Motion::Off => 0.0,
            Motion::Quick => 200.0,
            Motion::Full => 600.0,
            Motion::Slow => 1800.0,
        }
    }

    /// Returns the length of a film at `rate` cycles per second (`None`: single steps), in milliseconds; zero means no film.
    pub fn film_ms(self, rate: Option<f64>) -> f64 {
        match rate {
            None => self.step_ms(),
            Some(rate) if rate >= TOO_FAST => 0.0,
            Some(rate) => self.step_ms().min(SHARE * 1000.0 / rate.max(0.001)),
        }
    }
}

impl Beat {
    /// Returns the beat's start and end, as shares of the film. A beat begins shortly before the previous one ends.
    fn span(self) -> Range<f32> {
        match self {
            Beat::Flash => 0.0..0.25,
            Beat::Travel => 0.15..0.8,
            Beat::Settle => 0.7..1.0,
        }
    }

    /// Returns how far a shape of this beat has come at a moment of the film; both are from 0 to 1.
    pub fn part(self, moment: f32) -> f32 {
        let Range { start, end } = self.span();
        ease(((moment - start) / (end - start)).clamp(0.0, 1.0))
    }
}

/// Eases a movement in and out: slow at both ends.
fn ease(part: f32) -> f32 {
    part * part * (3.0 - 2.0 * part)
}

/// The transition from one scene to another.
pub struct Film<'a, T> {
    from: &'a Scene<T>,
    to: &'a Scene<T>,
    /// Whether the film leads to an earlier cycle.
    backwards: bool,
    /// The keys of each scene with the indices of their shapes, in key order.
    from_keys: Vec<(ShapeKey, u32)>,
    to_keys: Vec<(ShapeKey, u32)>,
}

impl<'a, T: Copy> Film<'a, T> {
    /// Matches the shapes of two scenes by their keys.
    pub fn new(from: &'a Scene<T>, to: &'a Scene<T>, backwards: bool) -> Film<'a, T> {
        Film { from, to, backwards, from_keys: by_key(from), to_keys: by_key(to) }
    }

    /// Returns the picture after a share of the film's time (0 to 1).
    pub fn frame(&self, time: f32) -> Scene<T> {
        let time = time.clamp(0.0, 1.0);
        let moment = if self.backwards { 1.0 - time } else { time };
        let mut shapes = Vec::with_capacity(self.to.shapes.len());
        for shape in self.from.shapes.iter().filter(|s| s.key != 0 && find(&self.to_keys, s.key).is_none()) {
            shapes.push(faded(shape, self.share(shape, moment, false)));
        }
        for shape in &self.to.shapes {
            match find(&self.from_keys, shape.key).map(|at| &self.from.shapes[at as usize]) {
                _ if shape.key == 0 => shapes.push(shape.clone()),
                Some(other) if other == shape => shapes.push(shape.clone()),
                Some(other) => self.moving(other, shape, moment, &mut shapes),
                None => shapes.push(faded(shape, self.share(shape, moment, true))),
            }
        }
        let Scene { width, height, beat, .. } = *self.to;
        Scene { shapes, width, height, beat, spots: self.to.spots.clone(), waypoints: Vec::new(), words: self.to.words.clone() }
    }

    /// Returns the visible share of a shape that only one of the scenes has.
    fn share(&self, shape: &Shape, moment: f32, comes: bool) -> f32 {
        let part = shape.beat.part(moment);
        // Played backwards, a shape that disappears is one that appears in machine time.
        if comes != self.backwards { part } else { 1.0 - part }
    }

    /// Adds a shape that both scenes have, between its two places.
    fn moving(&self, from: &Shape, to: &Shape, moment: f32, shapes: &mut Vec<Shape>) {
        let (earlier, later, scene) = if self.backwards { (to, from, self.from) } else { (from, to, self.to) };
        let points = scene.waypoints.iter().find(|way| way.key == later.key).map_or(&[][..], |way| &way.points);
        between(earlier, later, points, later.beat.part(moment), Beat::Flash.part(moment), shapes);
    }
}

fn faded(shape: &Shape, share: f32) -> Shape {
    Shape { alpha: shape.alpha * share, ..shape.clone() }
}

fn by_key<T>(scene: &Scene<T>) -> Vec<(ShapeKey, u32)> {
    let keyed = scene.shapes.iter().enumerate().filter(|(_, shape)| shape.key != 0);
    let mut keys: Vec<(ShapeKey, u32)> = keyed.map(|(at, shape)| (shape.key, at as u32)).collect();
    keys.sort_unstable();
    keys
}

fn find(keys: &[(ShapeKey, u32)], key: ShapeKey) -> Option<u32> {
    keys.binary_search_by_key(&key, |(key, _)| *key).ok().map(|at| keys[at].1)
}

#[cfg(test)]
mod tests {
    use super::super::{Geometry, Rect, Tone, key};
    use super::*;

    fn scene(rects: &[(ShapeKey, f32, Beat)]) -> Scene<()> {
        let mut scene = Scene::new(100.0, 10.0);
        for &(key, x, beat) in rects {
            scene.beat = beat;
            scene.fill(key, Tone::Accent, Rect::new(x, 0.0, 4.0, 4.0));
        }
        scene
    }

    fn names() -> [ShapeKey; 4] {
        [0, 1, 2, 3].map(|name| key(1, name, 0, 0))
    }

    /// Returns the x coordinate and the opacity of a shape.
    fn look(frame: &Scene<()>, key: ShapeKey) -> Option<(f32, f32)> {
        frame.shapes.iter().find(|shape| shape.key == key).map(|shape| (shape.geometry.place().x, shape.alpha))
    }

    #[test]
    fn things_move_and_newcomers_fade_in_while_leavers_fade_out() {
        let [a, b, c, _] = names();
        let travel = |key: ShapeKey, x: f32| (key, x, Beat::Travel);
        let (old, new) = (scene(&[travel(a, 0.0), travel(b, 50.0)]), scene(&[travel(a, 20.0), travel(c, 80.0)]));
        let middle = (Beat::Travel.span().start + Beat::Travel.span().end) / 2.0;
        let half = Film::new(&old, &new, false).frame(middle);
        let near = |found: Option<(f32, f32)>, x: f32, alpha: f32| {
            found.is_some_and(|(at, seen)| (at - x).abs() < 0.01 && (seen - alpha).abs() < 0.01)
        };
        assert!(near(look(&half, a), 10.0, 1.0) && near(look(&half, b), 50.0, 0.5) && near(look(&half, c), 80.0, 0.5));
        let end = Film::new(&old, &new, false).frame(1.0);
        assert_eq!(end.shapes.iter().filter(|s| s.alpha > 0.0).count(), 2);
    }

    #[test]
    fn each_beat_has_its_time() {
        let [flash, travel, settle, _] = names();
        let beats = [(flash, Beat::Flash), (travel, Beat::Travel), (settle, Beat::Settle)];
        let (old, new) = (scene(&beats.map(|(key, beat)| (key, 0.0, beat))), scene(&beats.map(|(key, beat)| (key, 10.0, beat))));
        let film = Film::new(&old, &new, false);
        let at = |time: f32| beats.map(|(key, _)| look(&film.frame(time), key).map_or(-1.0, |(x, _)| x));
        assert_eq!(at(0.0), [0.0, 0.0, 0.0]);
        let [a, b, c] = at(0.3);
        assert!(a == 10.0 && b > 0.0 && b < 5.0 && c == 0.0, "{a} {b} {c}");
        let [a, b, c] = at(0.85);
        assert!(a == 10.0 && b == 10.0 && c > 0.0 && c < 10.0, "{a} {b} {c}");
        assert_eq!(at(1.0), [10.0, 10.0, 10.0]);
    }

    #[test]
    fn back_is_the_same_film_backwards() {
        let [a, b, c, d] = names();
        let old = scene(&[(a, 0.0, Beat::Travel), (b, 50.0, Beat::Flash), (d, 5.0, Beat::Settle)]);
        let mut new = scene(&[(a, 20.0, Beat::Settle), (c, 80.0, Beat::Flash), (d, 60.0, Beat::Travel)]);
        new.way(d, vec![(40.0, 30.0)]);
        let (forth, back) = (Film::new(&old, &new, false), Film::new(&new, &old, true));
        let sorted = |frame: Scene<()>| {
            let mut shapes = frame.shapes;
            shapes.retain(|shape| shape.alpha > 0.0);
            shapes.sort_by_key(|shape| shape.key);
            shapes.into_iter().map(|shape| (shape.key, shape.geometry.place(), shape.alpha)).collect::<Vec<_>>()
        };
        for step in 0..=20 {
            let time = step as f32 / 20.0;
            let (one, other) = (sorted(forth.frame(time)), sorted(back.frame(1.0 - time)));
            assert_eq!(one.len(), other.len(), "at {time}");
            for ((key, place, alpha), (other_key, other_place, other_alpha)) in one.into_iter().zip(other) {
                let same = (place.x - other_place.x).abs() < 0.01 && (place.y - other_place.y).abs() < 0.01;
                assert!(key == other_key && same && (alpha - other_alpha).abs() < 0.001, "at {time}: {place:?} {other_place:?}");
            }
        }
    }

    #[test]
    fn a_film_ends_in_its_scene_and_begins_in_the_one_before() {
        let [a, b, c, _] = names();
        let (old, new) =
            (scene(&[(a, 0.0, Beat::Flash), (b, 9.0, Beat::Settle)]), scene(&[(a, 7.0, Beat::Settle), (c, 1.0, Beat::Travel)]));
        let seen = |frame: Scene<()>| {
            frame.shapes.into_iter().filter(|s| s.alpha > 0.0).map(|s| (s.key, s.geometry)).collect::<Vec<_>>()
        };
        for backwards in [false, true] {
            let film = Film::new(&old, &new, backwards);
            let mut first = seen(film.frame(0.0));
            first.sort_by_key(|(key, _)| *key);
            assert_eq!(first, old.shapes.iter().map(|s| (s.key, s.geometry.clone())).collect::<Vec<_>>());
            assert_eq!(seen(film.frame(1.0)), new.shapes.iter().map(|s| (s.key, s.geometry.clone())).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_mark_lights_up_where_its_thing_was_and_goes_with_it() {
        let mark = |x: f32, alpha: f32| {
            let mut scene = scene(&[(names()[0], x, Beat::Travel)]);
            scene.shapes[0].alpha = alpha;
            scene
        };
        let (old, new) = (mark(0.0, 0.0), mark(50.0, 1.0));
        let film = Film::new(&old, &new, false);
        let (x, alpha) = look(&film.frame(0.25), names()[0]).expect("the mark");
        assert!(x < 10.0 && alpha == 1.0, "{x} {alpha}");
    }

    #[test]
    fn words_without_a_key_are_those_of_the_goal_at_once() {
        let with = |text: &str| {
            let mut scene = scene(&[(names()[0], 0.0, Beat::Travel)]);
            scene.mono(0, Tone::Text, 0.0, 0.0, 8.0, super::super::Align::Left, text);
            scene
        };
        let (old, new) = (with("before"), with("after"));
        for backwards in [false, true] {
            let frame = Film::new(&old, &new, backwards).frame(0.0);
            let said = frame.shapes.iter().find_map(|shape| match &shape.geometry {
                Geometry::Text { text, .. } => Some(text.as_str()),
                _ => None,
            });
            assert_eq!(said, Some("after"));
        }
    }

    #[test]
    fn films_are_short_while_the_run_plays_and_none_from_sixteen_cycles_a_second_on() {
        assert_eq!(Motion::default().film_ms(None), 600.0);
        assert_eq!(Motion::Full.film_ms(Some(1.0)), 600.0);
        assert_eq!(Motion::Full.film_ms(Some(8.0)), 100.0);
        assert_eq!(Motion::Slow.film_ms(Some(1.0)), 800.0, "no longer than the cycle");
        assert!(Motion::Full.film_ms(Some(15.0)) > 0.0);
        for motion in Motion::ALL {
            assert_eq!(motion.film_ms(Some(16.0)), 0.0);
            assert_eq!(Motion::from_key(motion.key()), Some(motion));
        }
        assert_eq!((Motion::Off.film_ms(None), Motion::Off.film_ms(Some(2.0))), (0.0, 0.0));
    }
}
