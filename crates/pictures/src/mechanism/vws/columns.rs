//! Where the slices lie: a column for each, side by side, right of the names.

use super::super::PanelView;
use super::super::parts::fitting;
use crate::scene::Rect;

/// Room left of the slices, for names and the state of a gang; a narrow picture has less room and shows less.
const LABEL: f32 = 136.0;
const SHORT_LABEL: f32 = 78.0;
const NARROW: f32 = 430.0;

/// The positions of the slices side by side.
#[derive(Clone, Copy)]
pub struct Columns {
    pub x: f32,
    pub pitch: f32,
}

impl Columns {
    pub fn of(view: &PanelView) -> Columns {
        let x = if view.width < NARROW { SHORT_LABEL } else { LABEL };
        let pitch = ((view.width - x) / view.sim.machine.config.slices as f32).clamp(22.0, 150.0).floor();
        Columns { x, pitch }
    }

    pub fn is_narrow(&self) -> bool {
        self.x < LABEL
    }

    /// Returns what fits left of the slices.
    pub fn label<'a>(&self, said: &'a str) -> &'a str {
        if self.is_narrow() { fitting(said, self.x) } else { said }
    }

    pub fn cell(&self, slice: u32, y: f32, height: f32) -> Rect {
        let gap = if self.is_narrow() { 3.0 } else { 6.0 };
        Rect::new(self.x + slice as f32 * self.pitch, y, self.pitch - gap, height)
    }
}
