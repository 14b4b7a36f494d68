//! When each lane of an access is done, for callers that need it by lane.

use warpscope_kernel::interp::access::active;

/// Receives completion times by lane; most callers only need the time of the whole access.
pub trait PerLane {
    /// Whether lanes of one access can be done at different times.
    const BY_LANE: bool = false;
    /// Called when a lane requests a line: its position in the access, and whether it is new.
    fn wants(&mut self, _lane: usize, _line: (usize, bool)) {}
    /// Called when these lanes are done.
    fn done(&mut self, _lanes: u32, _done: u64) {}
    /// Called when those of these lanes that requested this line are done.
    fn line_done(&mut self, _lanes: u32, _line: usize, _done: u64) {}
}

/// The completion times of an access by lane.
#[derive(Clone, Debug, Default)]
pub struct LaneTimes {
    /// When each lane has its data.
    pub done: [u64; 32],
    /// Lanes that were the first to request their line.
    pub opens: u32,
    /// For each lane, the position of its line in the access.
    line: [u8; 32],
}

/// The receiver for an access whose lanes are all done when the last one is.
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
