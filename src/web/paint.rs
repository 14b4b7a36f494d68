//! A scene on a canvas.

use crate::scene::{Align, Figure, Palette, Scene, Tone};
use web_sys::CanvasRenderingContext2d;

pub const SANS: &str = "system-ui, -apple-system, \"Segoe UI\", Roboto, \"Liberation Sans\", Arial, sans-serif";
pub const MONO: &str =
    "ui-monospace, \"Cascadia Mono\", \"SF Mono\", Menlo, Consolas, \"Liberation Mono\", \"DejaVu Sans Mono\", monospace";

/// Paints every shape, words on top. What the canvas was last told is not told again: that is what costs, and telling it of
/// another font costs most, so words are painted font by font.
pub fn paint<T>(context: &CanvasRenderingContext2d, scene: &Scene<T>, palette: &Palette) {
    let mut pen = Pen { context, palette, fill: None, stroke: None, alpha: 1.0, font: None, align: None };
    context.set_line_width(1.0);
    let mut fonts: Vec<(f32, bool, bool)> = Vec::new();
    for shape in &scene.shapes {
        if shape.alpha <= 0.0 {
            continue;
        }
        if let Figure::Text { size, mono, bold, .. } = shape.figure {
            if !fonts.contains(&(size, mono, bold)) {
                fonts.push((size, mono, bold));
            }
            continue;
        }
        pen.alpha(shape.alpha);
        match &shape.figure {
            Figure::Fill(r) => {
                pen.fill(shape.tone);
                context.fill_rect(r.x.into(), r.y.into(), r.w.into(), r.h.into());
            }
            Figure::Outline(r) => {
                pen.stroke(shape.tone);
                let (w, h) = ((r.w - 1.0).max(0.0), (r.h - 1.0).max(0.0));
                context.stroke_rect(f64::from(r.x) + 0.5, f64::from(r.y) + 0.5, w.into(), h.into());
            }
            Figure::Dot(r) => {
                pen.fill(shape.tone);
                // A square of a pixel or two cannot be told from a circle.
                let size = (r.w.min(r.h) / 3.0).max(1.5);
                context.fill_rect((r.x + (r.w - size) / 2.0).into(), (r.y + (r.h - size) / 2.0).into(), size.into(), size.into());
            }
            Figure::Wait(r) => {
                pen.fill(shape.tone);
                context.fill_rect((r.x + r.w * 0.65).into(), r.y.into(), (r.w * 0.35).into(), r.h.into());
            }
            Figure::Line(r) => {
                pen.stroke(shape.tone);
                context.begin_path();
                context.move_to(r.x.into(), r.y.into());
                context.line_to((r.x + r.w).into(), (r.y + r.h).into());
                context.stroke();
            }
            Figure::Text { .. } => {}
        }
    }
    for font in fonts {
        pen.font(font);
        for shape in scene.shapes.iter().filter(|shape| shape.alpha > 0.0) {
            let Figure::Text { x, y, size, align, mono, bold, text } = &shape.figure else { continue };
            if (*size, *mono, *bold) == font {
                pen.alpha(shape.alpha);
                pen.fill(shape.tone);
                pen.align(*align);
                let _ = context.fill_text(text, (*x).into(), (*y).into());
            }
        }
    }
    pen.alpha(1.0);
}

struct Pen<'a> {
    context: &'a CanvasRenderingContext2d,
    palette: &'a Palette,
    fill: Option<Tone>,
    stroke: Option<Tone>,
    alpha: f32,
    /// Size, monospace, bold.
    font: Option<(f32, bool, bool)>,
    align: Option<Align>,
}

impl Pen<'_> {
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

    fn font(&mut self, font: (f32, bool, bool)) {
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
