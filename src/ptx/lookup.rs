//! A fast map for the parser's names. Nothing depends on its order, so that cannot leak into a result.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Names and positions in some list. One kind of map for all lists: each kind would be a copy of the map's code.
pub type NameMap<'a> = HashMap<&'a str, u32, BuildHasherDefault<NameHasher>>;

/// Multiplies and rotates eight bytes at a time: names are short, and nobody attacks a table that lives for one parse.
#[derive(Default)]
pub struct NameHasher(u64);

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.mix(u64::from_le_bytes(chunk.try_into().unwrap_or_default()));
        }
        let mut last = [0; 8];
        let rest = chunks.remainder();
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
}

impl NameHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
