//! A scene as an SVG file.

use super::{Align, Geometry, Palette, STRONG, Scene, Tone, arrow_head, corner};
use std::fmt::Write;

/// The fonts that a file asks for; the viewer uses the first that it has.
pub const SANS: &str = "system-ui, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif";
const MONO: &str = "ui-monospace, Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace";

/// Space around the picture, in pixels.
pub const MARGIN: f32 = 12.0;

/// Writes a scene as an SVG document, with its words as title.
pub fn svg<T>(scene: &Scene<T>, palette: &Palette) -> String {
    let mut out = String::new();
    let (w, h) = (scene.width + 2.0 * MARGIN, scene.height + 2.0 * MARGIN);
    let frame = format!(r#"viewBox="{} {} {w} {h}" width="{w}" height="{h}""#, -MARGIN, -MARGIN);
    let _ = writeln!(out, r#"<svg xmlns="http://www.w3.org/2000/svg" {frame}>"#);
    let _ = writeln!(out, r#"<title>{}</title>"#, escape(&scene.words));
    let ground = palette.get(Tone::Panel).css();
    let _ = writeln!(out, r#"<rect x="{}" y="{}" width="{w}" height="{h}" fill="{ground}"/>"#, -MARGIN, -MARGIN);
    shapes(&mut out, scene, palette);
    out.push_str("</svg>\n");
    out
}

/// Writes the shapes of a scene, for a file that may hold several scenes.
pub(super) fn shapes<T>(out: &mut String, scene: &Scene<T>, palette: &Palette) {
    for shape in scene.shapes.iter().filter(|shape| shape.alpha > 0.0) {
        let colour = palette.get(shape.tone).css();
        let alpha = if shape.alpha < 1.0 { format!(r#" opacity="{:.2}""#, shape.alpha) } else { String::new() };
        let _ = match &shape.geometry {
            Geometry::Fill(r) => {
                writeln!(out, r#"<rect x="{}" y="{}" width="{}" height="{}" fill="{colour}"{alpha}/>"#, r.x, r.y, r.w, r.h)
            }
            Geometry::Outline(r) => writeln!(
                out,
                r#"<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="{colour}"{alpha}/>"#,
                r.x + 0.5,
                r.y + 0.5,
                (r.w - 1.0).max(0.0),
                (r.h - 1.0).max(0.0)
            ),
            Geometry::Dot(r) => writeln!(
                out,
                r#"<circle cx="{}" cy="{}" r="{}" fill="{colour}"{alpha}/>"#,
                r.x + r.w / 2.0,
                r.y + r.h / 2.0,
                r.w.min(r.h) / 6.0
            ),
            Geometry::Wait(r) => writeln!(
                out,
                r#"<rect x="{}" y="{}" width="{}" height="{}" fill="{colour}"{alpha}/>"#,
                r.x + r.w * 0.65,
                r.y,
                r.w * 0.35,
                r.h
            ),
            Geometry::Line(r) => writeln!(
                out,
                r#"<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{colour}"{alpha}/>"#,
                r.x,
                r.y,
                r.x + r.w,
                r.y + r.h
            ),
            Geometry::Round(r) => writeln!(
                out,
                r#"<rect x="{}" y="{}" width="{}" height="{}" rx="{}" fill="{colour}"{alpha}/>"#,
                r.x,
                r.y,
                r.w,
                r.h,
                corner(r)
            ),
            Geometry::Ring(r) => writeln!(
                out,
                r#"<rect x="{}" y="{}" width="{}" height="{}" rx="{}" fill="none" stroke="{colour}" stroke-width="{STRONG}"{alpha}/>"#,
                r.x,
                r.y,
                r.w,
                r.h,
                corner(r)
            ),
            Geometry::Arrow(r) => {
                let (x, y) = (r.x + r.w, r.y + r.h);
                let [a, b] = arrow_head(r);
                writeln!(
                    out,
                    r#"<path d="M{} {}L{x} {y}M{} {}L{x} {y}L{} {}" fill="none" stroke="{colour}" stroke-width="{STRONG}"{alpha}/>"#,
                    r.x, r.y, a.0, a.1, b.0, b.1
                )
            }
            Geometry::Text { x, y, size, align, mono, bold, text } => {
                let anchor = match align {
                    Align::Left => "start",
                    Align::Middle => "middle",
                    Align::Right => "end",
                };
                let family = if *mono { MONO } else { SANS };
                let weight = if *bold { r#" font-weight="600""# } else { "" };
                writeln!(
                    out,
                    r#"<text x="{x}" y="{y}" font-size="{size}" font-family="{family}" text-anchor="{anchor}"{weight} fill="{colour}"{alpha}>{}</text>"#,
                    escape(text)
                )
            }
        };
    }
}

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::{Rect, Theme};
    use super::*;

    #[test]
    fn text_in_a_file_stays_text() {
        let mut scene: Scene<()> = Scene::new(10.0, 10.0);
        scene.label(0, Tone::Text, 0.0, 8.0, 8.0, Align::Left, "a < b & \"c\"");
        scene.fill(0, Tone::Warp(0), Rect::new(0.0, 0.0, 2.0, 2.0));
        let file = svg(&scene, Palette::of(Theme::Light));
        assert!(file.contains("a &lt; b &amp; &quot;c&quot;"), "{file}");
        assert!(file.contains("#b87f00"), "{file}");
    }
}
