//! Paints a scene on a canvas.

use super::canvas;
use warpscope_pictures::scene::{Align, Geometry, Palette, Rect, STRONG, Scene, Shape, Theme, Tone, arrow_head, corner};
use web_sys::CanvasRenderingContext2d;
use yew::NodeRef;

pub const SANS: &str = "system-ui, -apple-system, \"Segoe UI\", Roboto, \"Liberation Sans\", Arial, sans-serif";
pub const MONO: &str =
    "ui-monospace, \"Cascadia Mono\", \"SF Mono\", Menlo, Consolas, \"Liberation Mono\", \"DejaVu Sans Mono\", monospace";

/// How a canvas is painted; while it stays the same, only what changes is painted again.
#[derive(Clone, Copy, PartialEq)]
pub struct Frame {
    pub theme: Theme,
    pub size: (f64, f64),
    pub ratio: f64,
    /// Pixels of the page per pixel of the picture.
    pub zoom: f64,
    /// Space around the picture, in its pixels.
    pub margin: f64,
}

impl Frame {
    pub fn paint<T>(self, node: &NodeRef, scene: &Scene<T>) {
        if let Some(context) = canvas::context(node, self.size.0 * self.zoom, self.size.1 * self.zoom) {
            let _ = context.scale(self.zoom, self.zoom);
            let _ = context.translate(self.margin, self.margin);
            let (from, (width, height)) = (-self.margin as f32, self.size);
            repaint(&context, scene, Palette::of(self.theme), &[Rect::new(from, from, width as f32, height as f32)]);
        }
    }

    pub fn repaint<T>(self, node: &NodeRef, scene: &Scene<T>, damage: &[Rect]) {
        if let Some(context) = canvas::same_context(node).filter(|_| !damage.is_empty()) {
            let whole: Vec<Rect> = damage.iter().map(|part| self.to_pixels(part)).collect();
            repaint(&context, scene, Palette::of(self.theme), &whole);
        }
    }

    /// Extends a rectangle to whole pixels of the screen, so that no edge is painted partly.
    fn to_pixels(self, part: &Rect) -> Rect {
        let margin = self.margin as f32;
        let ratio = (self.ratio * self.zoom) as f32;
        let down = |at: f32| ((at + margin) * ratio).floor() / ratio - margin;
        let up = |at: f32| ((at + margin) * ratio).ceil() / ratio - margin;
        let (x, y) = (down(part.x), down(part.y));
        Rect::new(x, y, up(part.x + part.w) - x, up(part.y + part.h) - y)
    }
}

/// Paints a whole scene on an opaque ground, in the scene's coordinates.
pub fn paint_whole<T>(context: &CanvasRenderingContext2d, scene: &Scene<T>, palette: &Palette, whole: Rect) {
    repaint(context, scene, palette, &[whole]);
    let _ = context.set_global_composite_operation("destination-over");
    context.set_fill_style_str(&palette.get(Tone::Panel).css());
    context.fill_rect(whole.x.into(), whole.y.into(), whole.w.into(), whole.h.into());
    let _ = context.set_global_composite_operation("source-over");
}

/// Paints what lies in the damaged rectangles, text on top, and nothing elsewhere. Setting the canvas's state is expensive,
/// most of all its font: state that is unchanged is not set again, and text is painted font by font.
fn repaint<T>(context: &CanvasRenderingContext2d, scene: &Scene<T>, palette: &Palette, damage: &[Rect]) {
    let parts: Vec<(Rect, Vec<&Shape>)> =
        damage.iter().map(|part| (*part, scene.shapes.iter().filter(|shape| shape.bounds().meets(part)).collect())).collect();
    let inside = |part: &Rect, act: &mut dyn FnMut(&mut Pen)| {
        context.save();
        context.begin_path();
        context.rect(part.x.into(), part.y.into(), part.w.into(), part.h.into());
        context.clip();
        act(&mut Pen::new(context, palette));
        context.restore();
    };
    for (part, shapes) in &parts {
        inside(part, &mut |pen| {
            context.clear_rect(part.x.into(), part.y.into(), part.w.into(), part.h.into());
            shapes.iter().for_each(|shape| pen.draw(shape));
        });
    }
    // A font that is set before the rectangles are clipped is restored with each of them.
    for font in fonts(parts.iter().flat_map(|(_, shapes)| shapes.iter().copied())) {
        Pen::new(context, palette).font(font);
        for (part, shapes) in &parts {
            if shapes.iter().any(|shape| is_written(shape, font)) {
                inside(part, &mut |pen| shapes.iter().for_each(|shape| pen.write(shape, font)));
            }
        }
    }
}

/// Size, monospace, bold.
type Font = (f32, bool, bool);

/// Returns the fonts of the text among some shapes.
fn fonts<'a>(shapes: impl IntoIterator<Item = &'a Shape>) -> Vec<Font> {
    let mut fonts: Vec<Font> = Vec::new();
    for shape in shapes {
        if let Geometry::Text { size, mono, bold, .. } = shape.geometry
            && !fonts.contains(&(size, mono, bold))
        {
            fonts.push((size, mono, bold));
        }
    }
    fonts
}

fn is_written(shape: &Shape, font: Font) -> bool {
    matches!(shape.geometry, Geometry::Text { size, mono, bold, .. } if (size, mono, bold) == font)
}

struct Pen<'a> {
    context: &'a CanvasRenderingContext2d,
    palette: &'a Palette,
    fill: Option<Tone>,
    stroke: Option<Tone>,
    alpha: f32,
    font: Option<Font>,
    align: Option<Align>,
}

impl<'a> Pen<'a> {
    fn new(context: &'a CanvasRenderingContext2d, palette: &'a Palette) -> Pen<'a> {
        context.set_line_width(1.0);
        Pen { context, palette, fill: None, stroke: None, alpha: 1.0, font: None, align: None }
    }

    /// Paints a shape other than text.
    fn draw(&mut self, shape: &Shape) {
        if shape.alpha <= 0.0 || matches!(shape.geometry, Geometry::Text { .. }) {
            return;
        }
        let context = self.context;
        self.alpha(shape.alpha);
        match &shape.geometry {
            Geometry::Fill(r) => {
                self.fill(shape.tone);
                context.fill_rect(r.x.into(), r.y.into(), r.w.into(), r.h.into());
            }
            Geometry::Outline(r) => {
                self.stroke(shape.tone);
                let (w, h) = ((r.w - 1.0).max(0.0), (r.h - 1.0).max(0.0));
                context.stroke_rect(f64::from(r.x) + 0.5, f64::from(r.y) + 0.5, w.into(), h.into());
            }
            Geometry::Dot(r) => {
                self.fill(shape.tone);
                // A square of a pixel or two cannot be told from a circle.
                let size = (r.w.min(r.h) / 3.0).max(1.5);
                context.fill_rect((r.x + (r.w - size) / 2.0).into(), (r.y + (r.h - size) / 2.0).into(), size.into(), size.into());
            }
            Geometry::Wait(r) => {
                self.fill(shape.tone);
                context.fill_rect((r.x + r.w * 0.65).into(), r.y.into(), (r.w * 0.35).into(), r.h.into());
            }
            Geometry::Line(r) => {
                self.stroke(shape.tone);
                context.begin_path();
                context.move_to(r.x.into(), r.y.into());
                context.line_to((r.x + r.w).into(), (r.y + r.h).into());
                context.stroke();
            }
            Geometry::Round(r) => {
                self.fill(shape.tone);
                self.rounded(r);
                context.fill();
            }
            Geometry::Ring(r) => {
                self.stroke(shape.tone);
                context.set_line_width(STRONG.into());
                self.rounded(r);
                context.stroke();
                context.set_line_width(1.0);
            }
            Geometry::Arrow(r) => {
                self.stroke(shape.tone);
                context.set_line_width(STRONG.into());
                let (x, y) = ((r.x + r.w).into(), (r.y + r.h).into());
                let [a, b] = arrow_head(r);
                context.begin_path();
                context.move_to(r.x.into(), r.y.into());
                context.line_to(x, y);
                context.move_to(a.0.into(), a.1.into());
                context.line_to(x, y);
                context.line_to(b.0.into(), b.1.into());
                context.stroke();
                context.set_line_width(1.0);
            }
            Geometry::Text { .. } => {}
        }
    }

    /// Starts a path around a rectangle with round corners.
    fn rounded(&self, r: &Rect) {
        let context = self.context;
        context.begin_path();
        let _ = context.round_rect_with_f64(r.x.into(), r.y.into(), r.w.into(), r.h.into(), corner(r).into());
    }

    /// Paints a shape if it is text in one font.
    fn write(&mut self, shape: &Shape, font: Font) {
        let Geometry::Text { x, y, align, text, .. } = &shape.geometry else { return };
        if shape.alpha > 0.0 && is_written(shape, font) {
            self.alpha(shape.alpha);
            self.fill(shape.tone);
            self.align(*align);
            let _ = self.context.fill_text(text, (*x).into(), (*y).into());
        }
    }

    fn fill(&mut self, tone: Tone) {
        if self.fill.replace(tone) != Some(tone) {
            self.context.set_fill_style_str(&self.palette.get(tone).css());
        }
    }

    fn stroke(&mut self, tone: Tone) {
        if self.stroke.replace(tone) != Some(tone) {
            self.context.set_stroke_style_str(&self.palette.get(tone).css());
        }
    }

    fn alpha(&mut self, alpha: f32) {
        if self.alpha != alpha {
            self.alpha = alpha;
            self.context.set_global_alpha(alpha.into());
        }
    }

    fn font(&mut self, font: Font) {
        if self.font.replace(font) != Some(font) {
            let (size, mono, bold) = font;
            let (weight, family) = (if bold { "600 " } else { "" }, if mono { MONO } else { SANS });
            self.context.set_font(&format!("{weight}{size}px {family}"));
        }
    }

    fn align(&mut self, align: Align) {
        if self.align.replace(align) != Some(align) {
            self.context.set_text_align(match align {
                Align::Left => "left",
                Align::Middle => "center",
                Align::Right => "right",
            });
        }
    }
}
