//! Interpolates one shape between its looks in two scenes.

use super::way::along;
use super::{Geometry, Rect, Shape};

/// Adds a shape `part` of the way from `was` to `is`, through `points`, with its opacity `lit` of the way. If its tone, kind or
/// text differs, the old look fades out while the new look fades in.
pub fn between(was: &Shape, is: &Shape, points: &[(f32, f32)], part: f32, lit: f32, shapes: &mut Vec<Shape>) {
    let (from, to) = (was.geometry.place(), is.geometry.place());
    let mix = |a: f32, b: f32| a + (b - a) * part;
    let (x, y) = along((from.x, from.y), points, (to.x, to.y), part);
    let here = Rect::new(x, y, mix(from.w, to.w), mix(from.h, to.h));
    let alike = was.tone == is.tone
        && std::mem::discriminant(&was.geometry) == std::mem::discriminant(&is.geometry)
        && text(&was.geometry) == text(&is.geometry);
    // Two words on top of each other cannot be read: the old one is gone before the new one comes.
    let is_reworded = text(&was.geometry).is_some() && text(&was.geometry) != text(&is.geometry);
    let (goes, comes) = if is_reworded { ((1.0 - 2.0 * part).max(0.0), (2.0 * part - 1.0).max(0.0)) } else { (1.0 - part, part) };
    if !alike {
        shapes.push(Shape { alpha: was.alpha * goes, geometry: moved(&was.geometry, here), ..was.clone() });
    }
    let alpha = if alike { was.alpha + (is.alpha - was.alpha) * lit } else { is.alpha * comes };
    shapes.push(Shape { alpha, geometry: moved(&is.geometry, here), ..is.clone() });
}

impl Geometry {
    /// Returns the figure's rectangle; for a text, its point, with its size as the height.
    pub fn place(&self) -> Rect {
        match self {
            Geometry::Fill(r) | Geometry::Outline(r) | Geometry::Dot(r) | Geometry::Wait(r) | Geometry::Line(r) => *r,
            Geometry::Round(r) | Geometry::Ring(r) | Geometry::Arrow(r) => *r,
            Geometry::Text { x, y, size, .. } => Rect::new(*x, *y, 0.0, *size),
        }
    }
}

fn text(geometry: &Geometry) -> Option<&str> {
    match geometry {
        Geometry::Text { text, .. } => Some(text),
        _ => None,
    }
}

impl Shape {
    /// Returns the same shape moved by a distance.
    pub fn moved_by(&self, (x, y): (f32, f32)) -> Shape {
        let at = self.geometry.place();
        Shape { geometry: moved(&self.geometry, Rect { x: at.x + x, y: at.y + y, ..at }), ..self.clone() }
    }

    /// Returns the same shape in another rectangle; a text at its corner, in its height.
    pub fn placed(&self, to: Rect) -> Shape {
        Shape { geometry: moved(&self.geometry, to), ..self.clone() }
    }
}

fn moved(geometry: &Geometry, to: Rect) -> Geometry {
    match geometry {
        Geometry::Fill(_) => Geometry::Fill(to),
        Geometry::Outline(_) => Geometry::Outline(to),
        Geometry::Dot(_) => Geometry::Dot(to),
        Geometry::Wait(_) => Geometry::Wait(to),
        Geometry::Line(_) => Geometry::Line(to),
        Geometry::Round(_) => Geometry::Round(to),
        Geometry::Ring(_) => Geometry::Ring(to),
        Geometry::Arrow(_) => Geometry::Arrow(to),
        Geometry::Text { align, mono, bold, text, .. } => {
            Geometry::Text { x: to.x, y: to.y, size: to.h, align: *align, mono: *mono, bold: *bold, text: text.clone() }
        }
    }
}
