//! An animated picture of a run as a GIF. The caller adds whole pictures; each frame keeps only the part that differs from the
//! picture before.

use gif::{DisposalMethod, Encoder, Frame, Repeat};

/// Speed of choosing colours where a picture has more than a GIF can hold, from 1 (thorough) to 30: the pictures are flat.
const QUICK: i32 = 20;

/// Writes an animated picture that repeats forever.
pub struct FilmWriter {
    encoder: Encoder<Vec<u8>>,
    size: (u16, u16),
    /// The last picture, and its frame, which is not written yet because the picture may be shown for longer.
    before: Vec<u8>,
    waiting: Option<Frame<'static>>,
}

/// The rectangle in which two pictures differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl FilmWriter {
    /// Begins a file for pictures of `width` by `height` pixels.
    pub fn new(width: u16, height: u16) -> Result<FilmWriter, gif::EncodingError> {
        let mut encoder = Encoder::new(Vec::new(), width, height, &[])?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(FilmWriter { encoder, size: (width, height), before: Vec::new(), waiting: None })
    }

    /// Shows a picture (RGBA, row by row) for `hundredths` of a second; ignores one of another size.
    pub fn show(&mut self, pixels: &[u8], hundredths: u16) -> Result<(), gif::EncodingError> {
        if pixels.len() != usize::from(self.size.0) * usize::from(self.size.1) * 4 {
            return Ok(());
        }
        match (self.part(pixels), &mut self.waiting) {
            (None, Some(waiting)) => waiting.delay = waiting.delay.saturating_add(hundredths),
            (part, _) => {
                self.write_waiting()?;
                let whole = Part { left: 0, top: 0, width: self.size.0.into(), height: self.size.1.into() };
                self.waiting = Some(self.frame(pixels, part.unwrap_or(whole), hundredths));
                self.before = pixels.to_vec();
            }
        }
        Ok(())
    }

    /// Writes the last frame and returns the file.
    pub fn end(mut self) -> Result<Vec<u8>, gif::EncodingError> {
        self.write_waiting()?;
        self.encoder.into_inner()
    }

    fn write_waiting(&mut self) -> Result<(), gif::EncodingError> {
        match self.waiting.take() {
            Some(frame) => self.encoder.write_frame(&frame),
            None => Ok(()),
        }
    }

    /// Returns where a picture differs from the last one: everywhere if it is the first, `None` if it is the same.
    fn part(&self, pixels: &[u8]) -> Option<Part> {
        let width = usize::from(self.size.0);
        if self.before.is_empty() {
            return Some(Part { left: 0, top: 0, width, height: self.size.1.into() });
        }
        let rows = || pixels.chunks_exact(width * 4).zip(self.before.chunks_exact(width * 4));
        let top = rows().position(|(new, old)| new != old)?;
        let bottom = rows().rposition(|(new, old)| new != old)?;
        let (mut left, mut right) = (width, 0);
        for (new, old) in rows().skip(top).take(bottom - top + 1) {
            let columns = || new.chunks_exact(4).zip(old.chunks_exact(4));
            left = left.min(columns().position(|(new, old)| new != old).unwrap_or(width));
            right = right.max(columns().rposition(|(new, old)| new != old).unwrap_or(0));
        }
        Some(Part { left, top, width: right + 1 - left, height: bottom + 1 - top })
    }

    fn frame(&self, pixels: &[u8], part: Part, delay: u16) -> Frame<'static> {
        let row = usize::from(self.size.0) * 4;
        let mut cut: Vec<u8> = (part.top..part.top + part.height)
            .flat_map(|y| &pixels[y * row + part.left * 4..y * row + (part.left + part.width) * 4])
            .copied()
            .collect();
        let frame = Frame::from_rgba_speed(part.width as u16, part.height as u16, &mut cut, QUICK);
        Frame { left: part.left as u16, top: part.top as u16, delay, dispose: DisposalMethod::Keep, ..frame }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a white picture with one red pixel.
    fn picture(at: usize) -> Vec<u8> {
        (0..8 * 4).flat_map(|pixel| if pixel == at { [255, 0, 0, 255] } else { [255; 4] }).collect()
    }

    #[test]
    fn a_film_holds_what_changes_and_how_long_it_stays() {
        let mut film = FilmWriter::new(8, 4).expect("a film");
        for (at, delay) in [(9, 10), (9, 20), (10, 8), (31, 30)] {
            film.show(&picture(at), delay).expect("a picture");
        }
        film.show(&[0; 4], 50).expect("another size is left out");
        let file = film.end().expect("a file");
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut reader = options.read_info(&file[..]).expect("a GIF");
        let mut seen = Vec::new();
        let mut screen = vec![0; 8 * 4 * 4];
        while let Some(frame) = reader.read_next_frame().expect("a frame") {
            for y in 0..usize::from(frame.height) {
                let from = y * usize::from(frame.width) * 4;
                let to = ((usize::from(frame.top) + y) * 8 + usize::from(frame.left)) * 4;
                let wide = usize::from(frame.width) * 4;
                screen[to..to + wide].copy_from_slice(&frame.buffer[from..from + wide]);
            }
            seen.push((frame.delay, (frame.left, frame.top, frame.width, frame.height), screen.clone()));
        }
        assert_eq!(seen.iter().map(|(delay, ..)| *delay).collect::<Vec<_>>(), [30, 8, 30]);
        assert_eq!(seen[1].1, (1, 1, 2, 1), "one pixel went, one came");
        for ((.., shown), at) in seen.iter().zip([9, 10, 31]) {
            assert_eq!(*shown, picture(at));
        }
    }
}
