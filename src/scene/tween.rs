//! One shape between two looks of it.

use super::way::along;
use super::{Figure, Rect, Shape};

/// A shape `part` of the way from `was` to `is`, through `points`, its opacity `lit` of the way; one that looks different now
/// fades from its old look to its new.
pub fn between(was: &Shape, is: &Shape, points: &[(f32, f32)], part: f32, lit: f32, shapes: &mut Vec<Shape>) {
    let (from, to) = (was.figure.place(), is.figure.place());
    let mix = |a: f32, b: f32| a + (b - a) * part;
    let (x, y) = along((from.x, from.y), points, (to.x, to.y), part);
    let here = Rect::new(x, y, mix(from.w, to.w), mix(from.h, to.h));
    let alike = was.tone == is.tone
        && std::mem::discriminant(&was.figure) == std::mem::discriminant(&is.figure)
        && text(&was.figure) == text(&is.figure);
    if !alike {
        shapes.push(Shape { alpha: was.alpha * (1.0 - part), figure: moved(&was.figure, here), ..was.clone() });
    }
    let alpha = if alike { was.alpha + (is.alpha - was.alpha) * lit } else { is.alpha * part };
    shapes.push(Shape { alpha, figure: moved(&is.figure, here), ..is.clone() });
}

impl Figure {
    /// Where it is: its rectangle; of a text the point and, as the height, the size.
    pub fn place(&self) -> Rect {
        match self {
            Figure::Fill(r) | Figure::Outline(r) | Figure::Dot(r) | Figure::Wait(r) | Figure::Line(r) => *r,
            Figure::Round(r) | Figure::Ring(r) | Figure::Arrow(r) => *r,
            Figure::Text { x, y, size, .. } => Rect::new(*x, *y, 0.0, *size),
        }
    }
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
        Figure::Round(_) => Figure::Round(to),
        Figure::Ring(_) => Figure::Ring(to),
        Figure::Arrow(_) => Figure::Arrow(to),
        Figure::Text { align, mono, bold, text, .. } => {
            Figure::Text { x: to.x, y: to.y, size: to.h, align: *align, mono: *mono, bold: *bold, text: text.clone() }
        }
    }
}
