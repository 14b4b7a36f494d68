//! Views as scenes: lists of shapes, independent of how they are drawn.
//!
//! A view is a function from plain data to a [`Scene`]. A scene is painted on a canvas, written as SVG, or compared in a test. A
//! shape that stands for a thing (a lane, a stack entry, a thread) carries a key. A [`Film`] moves each shape from where its key
//! was in the last scene to where it is in the next, so a view is animated without code of its own. A view can also name the
//! [`Beat`] in which a shape changes and the points that it passes on its way, and write a [`Script`] of beats and steps for an
//! event.

mod damage;
mod film;
mod motion;
pub mod palette;
mod scale;
mod script;
mod strip;
mod svg;
mod tween;
mod way;

pub use damage::{Damage, add as add_damage, damage};
pub use film::Film;
pub use motion::{Motion, Pace};
pub use palette::{Palette, Rgb, Theme, Tone};
pub use script::{Beat, Script};
pub use strip::{StripPicture, strip};
pub use svg::{MARGIN as SVG_MARGIN, svg};
pub(crate) use svg::{SANS, escape};

/// A rectangle, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// The left edge.
    pub x: f32,
    /// The upper edge.
    pub y: f32,
    /// The width; an arrow or a line may go to the left.
    pub w: f32,
    /// The height; an arrow or a line may go upwards.
    pub h: f32,
}

impl Rect {
    /// Takes the left and upper edge, then the size.
    pub fn new(x: f32, y: f32, w: f32, h: f32) -> Rect {
        Rect { x, y, w, h }
    }

    pub(crate) fn contains(&self, x: f32, y: f32) -> bool {
        x >= self.x && x < self.x + self.w && y >= self.y && y < self.y + self.h
    }
}

/// How a text is aligned to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// The text begins at the point.
    Left,
    /// The point is in the middle of the text.
    Middle,
    /// The text ends at the point.
    Right,
}

/// The geometry of a shape, or its text.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A filled rectangle.
    Fill(Rect),
    /// The outline of a rectangle, a pixel thick.
    Outline(Rect),
    /// A filled circle in the middle of the rectangle; its diameter is a third of the shorter side.
    Dot(Rect),
    /// A bar along the right edge of the rectangle: a thread that waits at a barrier.
    Wait(Rect),
    /// A line from corner to corner.
    Line(Rect),
    /// A filled rectangle with round corners: a token.
    Round(Rect),
    /// A thick outline with round corners.
    Ring(Rect),
    /// A thick arrow from corner to corner.
    Arrow(Rect),
    /// A line of text.
    Text {
        /// The point that it is aligned to.
        x: f32,
        /// The baseline.
        y: f32,
        /// The font size in pixels.
        size: f32,
        /// How it lies to its point.
        align: Align,
        /// Whether it is code, a mask or a number, in the monospace font.
        mono: bool,
        /// Whether it is set in bold.
        bold: bool,
        /// The words.
        text: String,
    },
}

/// Identifies a thing from one scene to the next; zero means no identity.
pub type ShapeKey = u64;

/// Returns the corner radius of a [`Geometry::Round`] or a [`Geometry::Ring`], in pixels.
pub fn corner(rect: &Rect) -> f32 {
    (rect.w.min(rect.h) * 0.28).clamp(0.0, 8.0)
}

/// The line width of a [`Geometry::Ring`] and a [`Geometry::Arrow`], in pixels.
pub const STRONG: f32 = 2.0;

/// Returns where the two lines of an arrow's head begin; both end at the arrow's tip.
pub fn arrow_head(arrow: &Rect) -> [(f32, f32); 2] {
    let length = arrow.w.hypot(arrow.h).max(0.001);
    let (dx, dy) = (arrow.w / length, arrow.h / length);
    let size = (length * 0.4).min(7.0);
    let (x, y) = (arrow.x + arrow.w, arrow.y + arrow.h);
    [-1.0, 1.0].map(|side| (x - size * (dx - side * dy * 0.8), y - size * (dy + side * dx * 0.8)))
}

/// One thing of a scene, as a film follows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Identifies the thing in the scenes before and after.
    pub key: ShapeKey,
    /// Its colour, by meaning.
    pub tone: Tone,
    /// Opacity, from 0 (invisible) to 1.
    pub alpha: f32,
    /// When it moves, appears or changes in the film that leads to its scene.
    pub beat: Beat,
    /// Its form and its place.
    pub geometry: Geometry,
}

/// The points that a shape passes, in order, on its way to its place in a scene: for a rectangle the upper left corner, for a
/// text its point.
#[derive(Clone, Debug, PartialEq)]
pub struct Waypoints {
    pub(crate) key: ShapeKey,
    pub(crate) points: Vec<(f32, f32)>,
}

/// A region that answers the pointer; later spots lie on top.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot<T> {
    /// The part of the scene that it covers.
    pub rect: Rect,
    /// What a click there selects.
    pub what: T,
}

/// A picture with its spots and a description in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene<T> {
    /// The width, in pixels.
    pub width: f32,
    /// The height, in pixels.
    pub height: f32,
    /// What is drawn, later shapes over earlier ones.
    pub shapes: Vec<Shape>,
    /// What answers the pointer.
    pub spots: Vec<Spot<T>>,
    /// The ways of shapes that do not travel straight.
    pub waypoints: Vec<Waypoints>,
    /// The beats of the film that leads to this scene.
    pub script: Script,
    /// The text alternative, for readers who cannot see the picture.
    pub words: String,
    /// The beat given to the shapes that are pushed from now on.
    pub beat: Beat,
}

impl<T: Copy> Scene<T> {
    /// Returns an empty scene of that size.
    pub fn new(width: f32, height: f32) -> Scene<T> {
        let (shapes, spots, waypoints) = (Vec::new(), Vec::new(), Vec::new());
        let (words, beat, script) = (String::new(), Beat::default(), Script::default());
        Scene { width, height, shapes, spots, waypoints, words, beat, script }
    }

    pub(crate) fn push(&mut self, key: ShapeKey, tone: Tone, geometry: Geometry) {
        self.shapes.push(Shape { key, tone, alpha: 1.0, beat: self.beat, geometry });
    }

    /// Adds a mark that moves with a thing: present in every scene so that it can move, visible only while `lit`.
    pub fn mark(&mut self, key: ShapeKey, tone: Tone, lit: bool, geometry: Geometry) {
        self.shapes.push(Shape { key, tone, alpha: if lit { 1.0 } else { 0.0 }, beat: self.beat, geometry });
    }

    /// Sets the opacity of the shape that was added last.
    pub fn fade(&mut self, alpha: f32) {
        if let Some(shape) = self.shapes.last_mut() {
            shape.alpha = alpha;
        }
    }

    /// Names the points that the shape with this key passes on its way to its place.
    pub fn way(&mut self, key: ShapeKey, points: Vec<(f32, f32)>) {
        self.waypoints.push(Waypoints { key, points });
    }

    /// Sends the shapes of a group past the same points. `place` is the final place of the group's corner; each shape keeps the
    /// offset from it that it ends with.
    pub fn way_together(&mut self, keys: &[ShapeKey], place: (f32, f32), points: &[(f32, f32)]) {
        for &key in keys {
            let Some(shape) = self.shapes.iter().rev().find(|shape| shape.key == key) else { continue };
            let at = shape.geometry.place();
            let (dx, dy) = (at.x - place.0, at.y - place.1);
            self.way(key, points.iter().map(|(x, y)| (x + dx, y + dy)).collect());
        }
    }

    /// Adds a filled rectangle.
    pub fn fill(&mut self, key: ShapeKey, tone: Tone, rect: Rect) {
        self.push(key, tone, Geometry::Fill(rect));
    }

    pub(crate) fn outline(&mut self, key: ShapeKey, tone: Tone, rect: Rect) {
        self.push(key, tone, Geometry::Outline(rect));
    }

    pub(crate) fn round(&mut self, key: ShapeKey, tone: Tone, rect: Rect) {
        self.push(key, tone, Geometry::Round(rect));
    }

    /// Adds text in the page's sans serif; `y` is the baseline.
    #[expect(clippy::too_many_arguments, reason = "a text has a look, a place and its words")]
    pub fn label(&mut self, key: ShapeKey, tone: Tone, x: f32, y: f32, size: f32, align: Align, text: impl Into<String>) {
        self.push(key, tone, Geometry::Text { x, y, size, align, mono: false, bold: false, text: text.into() });
    }

    /// Adds text in the monospace font of code, masks and numbers.
    #[expect(clippy::too_many_arguments, reason = "a text has a look, a place and its words")]
    pub fn mono(&mut self, key: ShapeKey, tone: Tone, x: f32, y: f32, size: f32, align: Align, text: impl Into<String>) {
        self.push(key, tone, Geometry::Text { x, y, size, align, mono: true, bold: false, text: text.into() });
    }

    #[expect(clippy::too_many_arguments, reason = "a text has a look, a place and its words")]
    pub(crate) fn bold(&mut self, key: ShapeKey, tone: Tone, x: f32, y: f32, size: f32, align: Align, text: impl Into<String>) {
        self.push(key, tone, Geometry::Text { x, y, size, align, mono: false, bold: true, text: text.into() });
    }

    pub(crate) fn spot(&mut self, rect: Rect, what: T) {
        self.spots.push(Spot { rect, what });
    }

    /// Reduces the size to what is drawn: the space right of it and below it goes.
    pub fn crop(&mut self) {
        let bounds = || self.shapes.iter().filter(|shape| shape.alpha > 0.0).map(Shape::bounds);
        let right = bounds().map(|bounds| bounds.x + bounds.w).fold(0.0, f32::max);
        let bottom = bounds().map(|bounds| bounds.y + bounds.h).fold(0.0, f32::max);
        (self.width, self.height) = (right.ceil().min(self.width), bottom.ceil().min(self.height));
    }

    /// Returns what lies at a point: the topmost spot there.
    pub fn hit(&self, x: f32, y: f32) -> Option<T> {
        self.spots.iter().rev().find(|spot| spot.rect.contains(x, y)).map(|spot| spot.what)
    }
}

/// Builds a key from a kind of thing and up to three numbers that identify it. Kinds begin at 1.
pub fn key(kind: u8, a: u32, b: u16, c: u8) -> ShapeKey {
    u64::from(kind) << 56 | u64::from(a) << 24 | u64::from(b) << 8 | u64::from(c)
}
