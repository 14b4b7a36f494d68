//! The instructions that issued in the first cycles of a run, lane by lane: the execution flow of a small kernel (TBC figure 7).

use crate::event::{Event, SCATTERED, Sink};

/// The first cycles whose issues are kept; a picture of more is not readable.
pub const MOST_CYCLES: u64 = 600;

/// An instruction that issued for lanes of one static warp; a dynamic warp gives several of these in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    /// When it issued.
    pub cycle: u64,
    /// The SM.
    pub sm: u16,
    /// The entry of the warp table.
    pub warp: u16,
    /// The instruction.
    pub pc: u32,
    /// The static warp of the lanes, and which of its lanes issued.
    pub origin: u16,
    /// See `origin`.
    pub mask: u32,
}

/// Listens to a run and collects its issues.
#[derive(Clone, Debug, Default)]
pub struct Issues {
    /// In the order of cycles.
    pub all: Vec<Issue>,
    /// The PC that a dynamic warp issued; the `IssuedFor` events that follow name its static warps.
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
