//! The hash of a run: equal for equal streams of events, on every host.

use super::{Event, Sink};

/// A number that depends on every event and its order, for comparing runs.
#[derive(Clone, Debug)]
pub struct EventHash(u64);

impl Default for EventHash {
    fn default() -> EventHash {
        EventHash(0xcbf2_9ce4_8422_2325)
    }
}

impl EventHash {
    /// Returns the hash of the events so far.
    pub fn value(&self) -> u64 {
        self.0
    }
}

impl std::hash::Hasher for EventHash {
    fn finish(&self) -> u64 {
        self.0
    }

    /// FNV-1a over the bytes; integers arrive through the methods below, in one byte order on every host.
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u16(&mut self, i: u16) {
        self.write_u64(i.into());
    }

    fn write_u32(&mut self, i: u32) {
        self.write_u64(i.into());
    }

    fn write_u64(&mut self, i: u64) {
        self.0 = (self.0 ^ i).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    fn write_usize(&mut self, i: usize) {
        self.write_u64(i as u64);
    }

    fn write_isize(&mut self, i: isize) {
        self.write_u64(i as u64);
    }
}

impl Sink for EventHash {
    const WANTS_WARPS: bool = true;

    fn event(&mut self, cycle: u64, event: Event) {
        use std::hash::{Hash, Hasher};
        self.write_u64(cycle);
        event.hash(self);
    }
}
