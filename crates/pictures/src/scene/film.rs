//! The film of a step: how one scene becomes the next, in the beats of the later scene's [`Script`](super::Script).
//!
//! A shape whose key is in both scenes moves. A shape that only the later scene has fades in; a shape that only the earlier scene
//! has fades out. Each does so in its own [`Beat`], after the steps that the script gives it. A mark that moves with a thing and
//! only lights up does so in the first beat, wherever the thing then goes. Shapes without a key look as in the target scene from
//! the first frame on. Stepping back plays the same film backwards.

use super::script::Step;
use super::tween::between;
use super::{Beat, Scene, Shape, ShapeKey};

/// The transition from one scene to another.
pub struct Film<'a, T> {
    from: &'a Scene<T>,
    to: &'a Scene<T>,
    /// Whether the film leads to an earlier cycle.
    backwards: bool,
    /// The keys of each scene with the indices of their shapes, in key order.
    from_keys: Vec<(ShapeKey, u32)>,
    to_keys: Vec<(ShapeKey, u32)>,
    /// The later scene's steps by key, those of a key in order.
    steps: Vec<(ShapeKey, u32)>,
}

impl<'a, T: Copy> Film<'a, T> {
    /// Matches the shapes of two scenes by their keys.
    pub fn new(from: &'a Scene<T>, to: &'a Scene<T>, backwards: bool) -> Film<'a, T> {
        let later = if backwards { from } else { to };
        let mut steps: Vec<(ShapeKey, u32)> =
            later.script.steps.iter().enumerate().map(|(at, step)| (step.shape.key, at as u32)).collect();
        steps.sort_unstable();
        Film { from, to, backwards, from_keys: by_key(&from.shapes), to_keys: by_key(&to.shapes), steps }
    }

    fn later(&self) -> &'a Scene<T> {
        if self.backwards { self.from } else { self.to }
    }

    /// Returns the picture after a share of the film's time (0 to 1).
    pub fn frame(&self, time: f32) -> Scene<T> {
        let time = time.clamp(0.0, 1.0);
        let moment = if self.backwards { 1.0 - time } else { time };
        let mut shapes = Vec::with_capacity(self.to.shapes.len());
        // Things that go from step to step lie above the others.
        let mut above = Vec::new();
        for shape in &self.to.shapes {
            if shape.key == 0 {
                shapes.push(shape.clone());
            } else {
                let other = find(&self.from_keys, shape.key).map(|at| &self.from.shapes[at as usize]);
                self.changing(other, Some(shape), moment, &mut shapes, &mut above);
            }
        }
        // Over the grounds of the later scene, which would hide them.
        for shape in self.from.shapes.iter().filter(|s| s.key != 0 && find(&self.to_keys, s.key).is_none()) {
            self.changing(Some(shape), None, moment, &mut shapes, &mut above);
        }
        shapes.append(&mut above);
        let Scene { width, height, beat, .. } = *self.to;
        let (spots, words) = (self.to.spots.clone(), self.to.words.clone());
        Scene { shapes, spots, words, width, height, beat, waypoints: Vec::new(), script: Default::default() }
    }

    /// Adds a thing as it looks at a moment, given its looks in the two scenes.
    fn changing(&self, from: Option<&Shape>, to: Option<&Shape>, moment: f32, shapes: &mut Vec<Shape>, above: &mut Vec<Shape>) {
        let (earlier, later) = if self.backwards { (to, from) } else { (from, to) };
        let Some(key) = earlier.or(later).map(|shape| shape.key) else { return };
        let first = self.steps.partition_point(|(other, _)| *other < key);
        let steps = &self.steps[first..];
        let steps = &steps[..steps.partition_point(|(other, _)| *other == key)];
        if steps.is_empty() {
            match (earlier, later) {
                (Some(earlier), Some(later)) if earlier == later => shapes.push(later.clone()),
                (Some(earlier), Some(later)) => self.moving(earlier, later, moment, shapes),
                (Some(shape), None) => {
                    // The beats that its own script named are over: it goes when structures settle, or else first.
                    let beat = if matches!(shape.beat, Beat::Act(_)) { Beat::Settle } else { shape.beat };
                    let beat = if self.later().script.has(beat) { beat } else { Beat::Flash };
                    shapes.push(faded(shape, 1.0 - self.later().script.progress(beat, moment)));
                }
                (None, Some(shape)) => shapes.push(faded(shape, self.later().script.progress(shape.beat, moment))),
                (None, None) => {}
            }
            return;
        }
        let steps = steps.iter().map(|(_, at)| &self.later().script.steps[*at as usize]);
        let goes = steps.clone().any(|step| later.is_some_and(|later| step.shape.geometry.place() != later.geometry.place()));
        self.stepping(earlier, steps, later, moment, if goes { above } else { shapes });
    }

    /// Adds a thing that goes through steps.
    fn stepping<'s>(
        &self,
        earlier: Option<&Shape>,
        steps: impl Iterator<Item = &'s Step>,
        later: Option<&Shape>,
        moment: f32,
        shapes: &mut Vec<Shape>,
    ) {
        let script = &self.later().script;
        let mut look = earlier;
        let looks = steps.map(|step| (&step.shape, step.is_cut)).chain(later.map(|later| (later, false)));
        for (next, is_cut) in looks {
            let span = script.span(next.beat);
            if moment < span.start || (is_cut && moment <= span.start) {
                break;
            }
            if is_cut || moment >= span.end {
                look = Some(next);
                continue;
            }
            let part = script.progress(next.beat, moment);
            let points = if later.is_some_and(|later| std::ptr::eq(later, next)) { self.points(next.key) } else { &[] };
            match look {
                Some(was) => between(was, next, points, part, part, shapes),
                None => shapes.push(faded(next, part)),
            }
            return;
        }
        shapes.extend(look.cloned());
    }

    /// Returns the points that a thing passes on its way to its last place.
    fn points(&self, key: ShapeKey) -> &'a [(f32, f32)] {
        self.later().waypoints.iter().find(|way| way.key == key).map_or(&[][..], |way| &way.points)
    }

    /// Adds a shape that both scenes have, between its two places.
    fn moving(&self, earlier: &Shape, later: &Shape, moment: f32, shapes: &mut Vec<Shape>) {
        let points = self.points(later.key);
        let part = |beat: Beat| self.later().script.progress(beat, moment);
        // What travels lights up before it goes.
        let lit = if later.beat == Beat::Travel { Beat::Flash } else { later.beat };
        between(earlier, later, points, part(later.beat), part(lit), shapes);
    }
}

fn faded(shape: &Shape, share: f32) -> Shape {
    Shape { alpha: shape.alpha * share, ..shape.clone() }
}

fn by_key(shapes: &[Shape]) -> Vec<(ShapeKey, u32)> {
    let keyed = shapes.iter().enumerate().filter(|(_, shape)| shape.key != 0);
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
        let span = new.script.span(Beat::Travel);
        let middle = (span.start + span.end) / 2.0;
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
        let [a, b, c] = at(0.4);
        assert!(a == 10.0 && b > 0.0 && b < 5.0 && c == 0.0, "{a} {b} {c}");
        let [a, b, c] = at(0.9);
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
        let (x, alpha) = look(&film.frame(0.3), names()[0]).expect("the mark");
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
    fn a_thing_goes_from_step_to_step_each_in_its_beat() {
        let [thing, copy, gone, _] = names();
        let old = scene(&[(thing, 0.0, Beat::Travel), (gone, 5.0, Beat::Travel)]);
        let mut new = Scene::new(100.0, 10.0);
        let [up, hold, leave] = [new.act("up", 100), new.act("hold", 200), new.act("leave", 100)];
        let at = |key: ShapeKey, x: f32| scene(&[(key, x, Beat::Travel)]).shapes;
        new.beat = leave;
        new.fill(thing, Tone::Accent, Rect::new(90.0, 0.0, 4.0, 4.0));
        new.mark(copy, Tone::Accent, false, Geometry::Fill(Rect::new(50.0, 0.0, 4.0, 4.0)));
        new.pose(up, at(thing, 40.0));
        new.cut(hold, at(copy, 40.0));
        new.pose(hold, at(copy, 50.0));
        new.exit(up, &old.shapes[1]);
        let film = Film::new(&old, &new, false);
        let seen = |time: f32| [thing, copy, gone].map(|key| look(&film.frame(time), key).filter(|(_, alpha)| *alpha > 0.0));
        assert_eq!(seen(0.0), [Some((0.0, 1.0)), None, Some((5.0, 1.0))]);
        assert_eq!(seen(0.125), [Some((20.0, 1.0)), None, Some((5.0, 0.5))]);
        assert_eq!(seen(0.5), [Some((40.0, 1.0)), Some((45.0, 1.0)), None], "the thing waits while its copy goes");
        assert_eq!(seen(0.8).map(|seen| seen.is_some()), [true, true, false]);
        assert_eq!(seen(1.0), [Some((90.0, 1.0)), None, None]);
        let back = Film::new(&new, &old, true);
        let seen = |time: f32| look(&back.frame(time), thing);
        assert_eq!((seen(0.5), seen(0.875), seen(1.0)), (Some((40.0, 1.0)), Some((20.0, 1.0)), Some((0.0, 1.0))));
    }
}
