//! A fast hash map for the parser's names. No result depends on its order.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Maps names to positions in a list. All lists share one map type, because each type would add a copy of the map's code.
pub type NameMap<'a> = HashMap<&'a str, u32, BuildHasherDefault<NameHasher>>;

/// Hashes eight bytes at a time by rotation and multiplication. Names are short, and a table that lives for one parse needs no
/// protection against chosen keys.
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
