//! What issued in the first cycles of a run, lane by lane: the execution flow of a small kernel (TBC figure 7).

use crate::event::{Event, SCATTERED, Sink};

/// As many cycles as are kept: more would be no picture.
pub const MOST_CYCLES: u64 = 600;

/// An instruction that issued, for the lanes of one static warp; a dynamic warp has several of these, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    pub cycle: u64,
    pub sm: u16,
    /// The entry of the warp table.
    pub warp: u16,
    pub pc: u32,
    /// Of which static warp the lanes are, and which.
    pub origin: u16,
    pub mask: u32,
}

/// Listens to a run for them.
#[derive(Clone, Debug, Default)]
pub struct Issues {
    pub all: Vec<Issue>,
    /// What a dynamic warp issued: who it was for is told next.
    scattered: u32,
}

impl Sink for Issues {
    fn event(&mut self, cycle: u64, event: Event) {
        match event {
            Event::Issued { pc, first_thread: SCATTERED, .. } => self.scattered = pc,
            Event::Issued { sm, warp, pc, mask, .. } => self.all.push(Issue { cycle, sm, warp, pc, origin: warp, mask }),
            Event::IssuedFor { sm, warp, origin, mask } => {
                self.all.push(Issue { cycle, sm, warp, pc: self.scattered, origin, mask });
            }
            _ => {}
        }
    }
}
