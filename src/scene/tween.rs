//! The way from one scene to the next.

use super::{Figure, Key, Rect, Scene, Shape};

/// The scene between `old` and `new`, `part` (0 to 1) of the way: what has a key in both moves, what is only in the new
/// one fades in, what is only in the old one fades out.
pub fn tween<T: Copy>(old: &Scene<T>, new: &Scene<T>, part: f32) -> Scene<T> {
    let part = ease(part.clamp(0.0, 1.0));
    let (before, after) = (by_key(old), by_key(new));
    let find = |keys: &[(Key, u32)], key: Key| keys.binary_search_by_key(&key, |(key, _)| *key).ok().map(|at| keys[at].1);
    let mut shapes = Vec::with_capacity(new.shapes.len());
    for shape in old.shapes.iter().filter(|s| s.key != 0 && find(&after, s.key).is_none()) {
        shapes.push(Shape { alpha: shape.alpha * (1.0 - part), ..shape.clone() });
    }
    for shape in &new.shapes {
        match find(&before, shape.key).map(|at| &old.shapes[at as usize]) {
            _ if shape.key == 0 => shapes.push(shape.clone()),
            Some(was) if was == shape => shapes.push(shape.clone()),
            Some(was) => between(was, shape, part, &mut shapes),
            None => shapes.push(Shape { alpha: shape.alpha * part, ..shape.clone() }),
        }
    }
    Scene { shapes, width: new.width, height: new.height, spots: new.spots.clone(), words: new.words.clone() }
}

/// Where the shapes with a key are, in the order of their keys.
fn by_key<T>(scene: &Scene<T>) -> Vec<(Key, u32)> {
    let keyed = scene.shapes.iter().enumerate().filter(|(_, shape)| shape.key != 0);
    let mut keys: Vec<(Key, u32)> = keyed.map(|(at, shape)| (shape.key, at as u32)).collect();
    keys.sort_unstable();
    keys
}

/// Slow at both ends.
fn ease(part: f32) -> f32 {
    part * part * (3.0 - 2.0 * part)
}

/// A shape on its way; one that looks different now fades from its old look to its new.
fn between(was: &Shape, is: &Shape, part: f32, shapes: &mut Vec<Shape>) {
    let place = |figure: &Figure| match figure {
        Figure::Fill(r) | Figure::Outline(r) | Figure::Dot(r) | Figure::Wait(r) | Figure::Line(r) => *r,
        Figure::Text { x, y, size, .. } => Rect::new(*x, *y, 0.0, *size),
    };
    let (from, to) = (place(&was.figure), place(&is.figure));
    let mix = |a: f32, b: f32| a + (b - a) * part;
    let here = Rect::new(mix(from.x, to.x), mix(from.y, to.y), mix(from.w, to.w), mix(from.h, to.h));
    let alike = was.tone == is.tone
        && std::mem::discriminant(&was.figure) == std::mem::discriminant(&is.figure)
        && text(&was.figure) == text(&is.figure);
    if !alike {
        shapes.push(Shape { alpha: was.alpha * (1.0 - part), figure: moved(&was.figure, here), ..was.clone() });
    }
    let alpha = if alike { mix(was.alpha, is.alpha) } else { is.alpha * part };
    shapes.push(Shape { alpha, figure: moved(&is.figure, here), ..is.clone() });
}

fn text(figure: &Figure) -> Option<&str> {
    match figure {
        Figure::Text { text, .. } => Some(text),
        _ => None,
    }
}

fn moved(figure: &Figure, to: Rect) -> Figure {
    match figure {
        Figure::Fill(_) => Figure::Fill(to),
        Figure::Outline(_) => Figure::Outline(to),
        Figure::Dot(_) => Figure::Dot(to),
        Figure::Wait(_) => Figure::Wait(to),
        Figure::Line(_) => Figure::Line(to),
        Figure::Text { align, mono, bold, text, .. } => {
            Figure::Text { x: to.x, y: to.y, size: to.h, align: *align, mono: *mono, bold: *bold, text: text.clone() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Tone, key};
    use super::*;

    fn scene(rects: &[(Key, f32)]) -> Scene<()> {
        let mut scene = Scene::new(100.0, 10.0);
        for &(key, x) in rects {
            scene.fill(key, Tone::Accent, Rect::new(x, 0.0, 4.0, 4.0));
        }
        scene
    }

    #[test]
    fn things_move_and_newcomers_fade_in_while_leavers_fade_out() {
        let (a, b, c) = (key(1, 0, 0, 0), key(1, 1, 0, 0), key(1, 2, 0, 0));
        let (old, new) = (scene(&[(a, 0.0), (b, 50.0)]), scene(&[(a, 20.0), (c, 80.0)]));
        let half = tween(&old, &new, 0.5);
        let found = |key: Key| half.shapes.iter().find(|s| s.key == key).map(|s| (s.figure.clone(), s.alpha));
        assert_eq!(found(a), Some((Figure::Fill(Rect::new(10.0, 0.0, 4.0, 4.0)), 1.0)));
        assert_eq!(found(b).map(|(_, alpha)| alpha), Some(0.5));
        assert_eq!(found(c).map(|(_, alpha)| alpha), Some(0.5));
        assert_eq!(tween(&old, &new, 1.0).shapes.iter().filter(|s| s.alpha > 0.0).count(), 2);
    }
}
