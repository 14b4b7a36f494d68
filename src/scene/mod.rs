//! Pictures as lists of shapes: what a view shows, apart from how it is drawn.
//!
//! A view is a function from plain data to a [`Scene`]. A scene is painted on a canvas, written as SVG, or compared in a
//! test. Shapes that stand for a thing (a lane, a stack entry, a thread) carry a key; a [`Film`] moves a shape from where
//! its key was in the last scene to where it is in the next, so that every view is animated without knowing it. A view
//! that wants to say more names the [`Beat`] in which a shape changes, and the points that its way goes through.

mod damage;
mod film;
pub mod palette;
mod strip;
mod svg;
mod tween;
mod way;

pub use damage::{Damage, add as add_damage, damage};
pub use film::{Film, Motion};
pub use palette::{Palette, Rgb, Theme, Tone};
pub use strip::{Picture as StripPicture, strip};
pub use svg::svg;
pub(crate) use svg::{SANS, escape};

/// A rectangle, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    pub x: f32,
    pub y: f32,
    pub w: f32,
    pub h: f32,
}

impl Rect {
    pub fn new(x: f32, y: f32, w: f32, h: f32) -> Rect {
        Rect { x, y, w, h }
    }

    pub fn contains(&self, x: f32, y: f32) -> bool {
        x >= self.x && x < self.x + self.w && y >= self.y && y < self.y + self.h
    }
}

/// How a text stands to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Middle,
    Right,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    Fill(Rect),
    Outline(Rect),
    /// A filled circle in the middle of the rectangle, a third of its size.
    Dot(Rect),
    /// A bar at the right edge: something waits at a line.
    Wait(Rect),
    /// From corner to corner.
    Line(Rect),
    /// A filled rectangle with round corners: a token.
    Round(Rect),
    /// A strong outline with round corners.
    Ring(Rect),
    /// A strong arrow from corner to corner.
    Arrow(Rect),
    Text {
        x: f32,
        y: f32,
        size: f32,
        align: Align,
        mono: bool,
        bold: bool,
        text: String,
    },
}

/// A thing's identity from one scene to the next. Zero: none.
pub type Key = u64;

/// How round the corners of a [`Figure::Round`] or a [`Figure::Ring`] are, in pixels.
pub fn corner(rect: &Rect) -> f32 {
    (rect.w.min(rect.h) * 0.28).clamp(0.0, 8.0)
}

/// How thick a [`Figure::Ring`] and a [`Figure::Arrow`] are, in pixels.
pub const STRONG: f32 = 2.0;

/// The two lines of an arrow's head: from each of these points to the arrow's end.
pub fn arrow_head(arrow: &Rect) -> [(f32, f32); 2] {
    let length = arrow.w.hypot(arrow.h).max(0.001);
    let (dx, dy) = (arrow.w / length, arrow.h / length);
    let size = (length * 0.4).min(7.0);
    let (x, y) = (arrow.x + arrow.w, arrow.y + arrow.h);
    [-1.0, 1.0].map(|side| (x - size * (dx - side * dy * 0.8), y - size * (dy + side * dx * 0.8)))
}

/// The part of a step's film in which a shape changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beat {
    /// What issued flashes.
    Flash,
    /// Things travel.
    #[default]
    Travel,
    /// Structures take their new shape.
    Settle,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    pub key: Key,
    pub tone: Tone,
    /// From 0 (not there) to 1.
    pub alpha: f32,
    /// When it moves, appears or changes, in the film that leads to its scene.
    pub beat: Beat,
    pub figure: Figure,
}

/// The points that a shape passes on its way to its place in a scene, in order: the left upper corner of a rectangle, the
/// point of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    pub key: Key,
    pub points: Vec<(f32, f32)>,
}

/// What lies where, for pointers; later spots lie on top.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot<T> {
    pub rect: Rect,
    pub what: T,
}

/// A picture, what lies where in it, and what it shows in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene<T> {
    pub width: f32,
    pub height: f32,
    pub shapes: Vec<Shape>,
    pub spots: Vec<Spot<T>>,
    pub ways: Vec<Way>,
    /// The same for those who cannot see it.
    pub words: String,
    /// The beat of the shapes that are pushed from now on.
    pub beat: Beat,
}

impl<T: Copy> Scene<T> {
    pub fn new(width: f32, height: f32) -> Scene<T> {
        let (shapes, spots, ways) = (Vec::new(), Vec::new(), Vec::new());
        Scene { width, height, shapes, spots, ways, words: String::new(), beat: Beat::default() }
    }

    pub fn push(&mut self, key: Key, tone: Tone, figure: Figure) {
        self.shapes.push(Shape { key, tone, alpha: 1.0, beat: self.beat, figure });
    }

    /// A mark that goes with a thing: there in every scene, so that it moves with it, and seen only while it is lit.
    pub fn mark(&mut self, key: Key, tone: Tone, lit: bool, figure: Figure) {
        self.shapes.push(Shape { key, tone, alpha: if lit { 1.0 } else { 0.0 }, beat: self.beat, figure });
    }

    /// Names points that the shape with this key passes on its way to its place.
    pub fn way(&mut self, key: Key, points: Vec<(f32, f32)>) {
        self.ways.push(Way { key, points });
    }

    /// The same for all that belongs to a thing: while its corner, which ends at `place`, passes the points, they pass them
    /// as far from it as they end.
    pub fn way_together(&mut self, keys: &[Key], place: (f32, f32), points: &[(f32, f32)]) {
        for &key in keys {
            let Some(shape) = self.shapes.iter().rev().find(|shape| shape.key == key) else { continue };
            let at = shape.figure.place();
            let (dx, dy) = (at.x - place.0, at.y - place.1);
            self.way(key, points.iter().map(|(x, y)| (x + dx, y + dy)).collect());
        }
    }

    pub fn fill(&mut self, key: Key, tone: Tone, rect: Rect) {
        self.push(key, tone, Figure::Fill(rect));
    }

    pub fn outline(&mut self, key: Key, tone: Tone, rect: Rect) {
        self.push(key, tone, Figure::Outline(rect));
    }

    pub fn round(&mut self, key: Key, tone: Tone, rect: Rect) {
        self.push(key, tone, Figure::Round(rect));
    }

    /// Small text in the page's sans serif, `y` being its baseline.
    #[expect(clippy::too_many_arguments, reason = "a text has a look, a place and its words")]
    pub fn label(&mut self, key: Key, tone: Tone, x: f32, y: f32, size: f32, align: Align, text: impl Into<String>) {
        self.push(key, tone, Figure::Text { x, y, size, align, mono: false, bold: false, text: text.into() });
    }

    /// The same in the monospace of code, masks and numbers.
    #[expect(clippy::too_many_arguments, reason = "a text has a look, a place and its words")]
    pub fn mono(&mut self, key: Key, tone: Tone, x: f32, y: f32, size: f32, align: Align, text: impl Into<String>) {
        self.push(key, tone, Figure::Text { x, y, size, align, mono: true, bold: false, text: text.into() });
    }

    #[expect(clippy::too_many_arguments, reason = "a text has a look, a place and its words")]
    pub fn bold(&mut self, key: Key, tone: Tone, x: f32, y: f32, size: f32, align: Align, text: impl Into<String>) {
        self.push(key, tone, Figure::Text { x, y, size, align, mono: false, bold: true, text: text.into() });
    }

    pub fn spot(&mut self, rect: Rect, what: T) {
        self.spots.push(Spot { rect, what });
    }

    /// What lies at a point.
    pub fn hit(&self, x: f32, y: f32) -> Option<T> {
        self.spots.iter().rev().find(|spot| spot.rect.contains(x, y)).map(|spot| spot.what)
    }
}

/// A key from a kind of thing and up to three numbers that name it. Kinds begin at 1.
pub fn key(kind: u8, a: u32, b: u16, c: u8) -> Key {
    u64::from(kind) << 56 | u64::from(a) << 24 | u64::from(b) << 8 | u64::from(c)
}
