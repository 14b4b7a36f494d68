//! Several pictures of one run side by side in one SVG file: a strip for a slide or a page.

use super::svg::{SANS, escape, shapes};
use super::{Palette, Scene, Tone};
use std::fmt::Write;

/// The number of pictures in a row, the width of each, and the space around them.
const COLUMNS: usize = 3;
const WIDE: f32 = 480.0;
const GAP: f32 = 16.0;
/// The heights of a caption's heading and of its lines, and the letters in a line.
const HEADING: f32 = 20.0;
const LINE: f32 = 15.0;
const LETTERS: usize = 74;
/// The most lines of a caption.
const LINES: usize = 2;

/// A picture with its name and its description.
pub struct StripPicture<'a, T> {
    /// The caption's heading.
    pub name: String,
    /// The caption's lines.
    pub words: String,
    /// The picture, which is scaled to its column.
    pub scene: &'a Scene<T>,
}

/// Puts pictures side by side under a caption, as one SVG document.
pub fn strip<T>(pictures: &[StripPicture<T>], caption: &str, palette: &Palette) -> String {
    let columns = pictures.len().clamp(1, COLUMNS);
    let rows: Vec<&[StripPicture<T>]> = pictures.chunks(columns).collect();
    let scale = |scene: &Scene<T>| WIDE / scene.width.max(1.0);
    let tall = |row: &[StripPicture<T>]| row.iter().map(|one| one.scene.height * scale(one.scene)).fold(0.0, f32::max);
    let below = HEADING + LINES as f32 * LINE + GAP;
    let width = GAP + columns as f32 * (WIDE + GAP);
    let height = GAP + rows.iter().map(|row| tall(row) + below).sum::<f32>() + HEADING;
    let [ground, text, soft] = [Tone::Panel, Tone::Text, Tone::Soft].map(|tone| palette.get(tone).css());
    let mut out = String::new();
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">"#
    );
    let _ = writeln!(out, r#"<rect width="{width}" height="{height}" fill="{ground}"/>"#);
    let write = |out: &mut String, x: f32, y: f32, size: f32, colour: &str, weight: u32, words: &str| {
        let words = escape(words);
        let _ = writeln!(
            out,
            r#"<text x="{x}" y="{y}" font-size="{size}" font-family="{SANS}" font-weight="{weight}" fill="{colour}">{words}</text>"#
        );
    };
    let mut y = GAP;
    for row in rows {
        for (at, one) in row.iter().enumerate() {
            let x = GAP + at as f32 * (WIDE + GAP);
            let Scene { width, height, .. } = *one.scene;
            let high = height * scale(one.scene);
            let _ = writeln!(out, r#"<svg x="{x}" y="{y}" width="{WIDE}" height="{high}" viewBox="0 0 {width} {height}">"#);
            shapes(&mut out, one.scene, palette);
            out.push_str("</svg>\n");
            let mut under = y + tall(row) + HEADING - 4.0;
            write(&mut out, x, under, 13.0, &text, 600, &one.name);
            for line in wrapped(&one.words) {
                under += LINE;
                write(&mut out, x, under, 11.0, &soft, 400, &line);
            }
        }
        y += tall(row) + below;
    }
    write(&mut out, GAP, y + HEADING - 10.0, 11.0, &soft, 400, caption);
    out.push_str("</svg>\n");
    out
}

/// Wraps words into lines; an ellipsis marks words that do not fit.
fn wrapped(words: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        let full = lines.len() == LINES;
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < LETTERS => {
                line.push(' ');
                line.push_str(word);
            }
            Some(line) if full => {
                line.push('…');
                break;
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Rect, Theme};

    #[test]
    fn a_strip_holds_its_pictures_in_rows_with_their_names() {
        let mut scene = Scene::<()>::new(960.0, 300.0);
        scene.fill(0, Tone::Accent, Rect::new(0.0, 0.0, 10.0, 10.0));
        let picture =
            |number: u32| StripPicture { name: format!("cycle {number}"), words: "A <warp> parts.".into(), scene: &scene };
        let pictures: Vec<StripPicture<()>> = (0..4).map(picture).collect();
        let file = strip(&pictures, "collatz, TBC on gtx480", Palette::of(Theme::Light));
        assert_eq!(file.matches("A &lt;warp&gt; parts.").count(), 4);
        assert!(file.contains("cycle 3") && file.contains("collatz, TBC"));
        // Three pictures in the first row and one in the second, each in an `svg` element of its own.
        assert_eq!(file.matches("<svg ").count(), 1 + 4);
        assert_eq!(file.matches(r#"<svg x="16""#).count(), 2);
        assert_eq!(file.matches("</svg>").count(), file.matches("<svg ").count());
        assert!(file.contains(r#"height="150" viewBox="0 0 960 300""#), "each in its own measure");
    }

    #[test]
    fn long_words_are_wrapped_and_cut() {
        let words = "word ".repeat(60);
        let lines = wrapped(&words);
        assert_eq!(lines.len(), LINES);
        assert!(lines.iter().all(|line| line.chars().count() <= LETTERS + 1) && lines[1].ends_with('…'));
        assert_eq!(wrapped("short"), ["short"]);
    }
}
