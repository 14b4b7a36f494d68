//! When each lane of an access is done, for those who ask.

use crate::interp::access::active;

/// Somebody who wants to know when which lanes are done; most only ask when all are.
pub trait PerLane {
    /// Whether lanes of one access can be done at different times.
    const BY_LANE: bool = false;
    /// A lane wants a line of the access, which is new.
    fn wants(&mut self, _lane: usize, _line: (usize, bool)) {}
    /// These lanes are done at that time.
    fn done(&mut self, _lanes: u32, _done: u64) {}
    /// Those of these lanes that want that line are.
    fn line_done(&mut self, _lanes: u32, _line: usize, _done: u64) {}
}

/// How an access went for each lane.
#[derive(Clone, Debug, Default)]
pub struct LaneTimes {
    /// When the lane has what it asked for.
    pub done: [u64; 32],
    /// Lanes that were the first to want their line.
    pub opens: u32,
    /// The line that a lane wants, of those of the access.
    line: [u8; 32],
}

/// All lanes are done when the last is.
pub struct Together;

impl PerLane for Together {}

impl PerLane for LaneTimes {
    const BY_LANE: bool = true;

    fn wants(&mut self, lane: usize, (line, is_new): (usize, bool)) {
        self.line[lane] = line as u8;
        self.opens |= u32::from(is_new) << lane;
    }

    fn done(&mut self, lanes: u32, done: u64) {
        active(lanes).for_each(|lane| self.done[lane] = done);
    }

    fn line_done(&mut self, lanes: u32, line: usize, done: u64) {
        active(lanes).filter(|&lane| usize::from(self.line[lane]) == line).for_each(|lane| self.done[lane] = done);
    }
}
