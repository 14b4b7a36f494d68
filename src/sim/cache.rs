//! Tags of a set-associative cache with least-recently-used replacement, including lines in flight.

/// The tags of a cache. It holds no data: memory is exact at all times, and caches only decide timing.
#[derive(Clone, Debug)]
pub struct Cache {
    /// For each way of each set: line number plus one (zero is empty), cycle of the last use, cycle of arrival.
    tags: Vec<Tag>,
    ways: usize,
    sets: u64,
    line_shift: u32,
    /// Bits of a set index, where it is a hash.
    hash_bits: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tag {
    line: u64,
    used: u64,
    arrives: u64,
    /// Written bytes that are not written back yet.
    dirty: u32,
}

/// The result of a tag lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    Hit,
    /// The line is in flight and arrives in this cycle.
    Coming(u64),
    Miss,
}

impl Cache {
    /// Returns the bytes of simulator memory that the tags of such a cache take.
    pub fn tag_bytes(bytes: u32, line: u32, ways: u32) -> u64 {
        let sets = (u64::from(bytes) / (u64::from(line) * u64::from(ways)).max(1)).max(1);
        sets * u64::from(ways) * size_of::<Tag>() as u64
    }

    pub fn new(bytes: u32, line: u32, ways: u32) -> Cache {
        let sets = (bytes / (line * ways)).max(1);
        Cache {
            tags: vec![Tag::default(); (sets * ways) as usize],
            ways: ways as usize,
            sets: sets.into(),
            line_shift: line.trailing_zeros(),
            hash_bits: None,
        }
    }

    /// Makes the set index a hash of the line number, if `is_hashed`: all parts of that number, exclusive-ored.
    pub fn hashed(self, is_hashed: bool) -> Cache {
        let bits = self.sets.next_power_of_two().trailing_zeros();
        Cache { hash_bits: (is_hashed && bits > 0).then_some(bits), ..self }
    }

    #[inline(always)]
    fn index(&self, line: u64) -> u64 {
        let Some(bits) = self.hash_bits else { return self.within_sets(line) };
        let (mut rest, mut hash) = (line, 0);
        while rest != 0 {
            hash ^= rest;
            rest >>= bits;
        }
        self.within_sets(hash & ((1 << bits) - 1))
    }

    /// Returns a number modulo the number of sets, which usually is a power of two.
    #[inline(always)]
    fn within_sets(&self, number: u64) -> u64 {
        if self.sets.is_power_of_two() { number & (self.sets - 1) } else { number % self.sets }
    }

    /// Returns the line that contains an address.
    #[inline(always)]
    pub fn line(&self, address: u64) -> u64 {
        address >> self.line_shift
    }

    #[inline(always)]
    fn set(&mut self, line: u64) -> &mut [Tag] {
        let start = self.index(line) as usize * self.ways;
        &mut self.tags[start..start + self.ways]
    }

    /// Looks a line up, and marks it as used if it is present or in flight.
    #[inline]
    pub fn look_up(&mut self, line: u64, now: u64) -> Lookup {
        match self.set(line).iter_mut().find(|tag| tag.line == line + 1) {
            None => Lookup::Miss,
            Some(tag) => {
                tag.used = now;
                if tag.arrives > now { Lookup::Coming(tag.arrives) } else { Lookup::Hit }
            }
        }
    }

    /// Whether a line is present or in flight; does not count as a use.
    pub fn holds(&self, line: u64) -> bool {
        let start = self.index(line) as usize * self.ways;
        self.tags[start..start + self.ways].iter().any(|tag| tag.line == line + 1)
    }

    /// Gives a line that arrives later the least recently used way of its set; returns the old line's dirty bytes.
    pub fn insert(&mut self, line: u64, now: u64, arrives: u64) -> u32 {
        let set = self.set(line);
        let victim = set.iter().enumerate().min_by_key(|(_, tag)| (tag.line != 0, tag.used)).map_or(0, |(at, _)| at);
        std::mem::replace(&mut set[victim], Tag { line: line + 1, used: now, arrives, dirty: 0 }).dirty
    }

    /// Puts a line into an empty way of its set, if there is one.
    pub fn fill(&mut self, line: u64) {
        if let Some(tag) = self.set(line).iter_mut().find(|tag| tag.line == 0) {
            *tag = Tag { line: line + 1, ..Tag::default() };
        }
    }

    /// Marks `bytes` of a line as dirty, if it is present; never more than the line has.
    pub fn write(&mut self, line: u64, bytes: u32) {
        let most = 1 << self.line_shift;
        if let Some(tag) = self.set(line).iter_mut().find(|tag| tag.line == line + 1) {
            tag.dirty = (tag.dirty + bytes).min(most);
        }
    }

    /// Removes a line.
    pub fn evict(&mut self, line: u64) {
        if let Some(tag) = self.set(line).iter_mut().find(|tag| tag.line == line + 1) {
            *tag = Tag::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_line_makes_room() {
        let mut cache = Cache::new(256, 64, 2);
        assert_eq!(cache.line(130), 2);
        cache.insert(0, 1, 1);
        cache.insert(2, 2, 9);
        assert_eq!(cache.look_up(0, 3), Lookup::Hit);
        assert_eq!(cache.look_up(2, 4), Lookup::Coming(9));
        assert_eq!(cache.look_up(0, 5), Lookup::Hit);
        cache.insert(4, 6, 6);
        assert_eq!([0, 2, 4].map(|line| cache.look_up(line, 9)), [Lookup::Hit, Lookup::Miss, Lookup::Hit]);
        cache.evict(0);
        assert_eq!(cache.look_up(0, 10), Lookup::Miss);
        assert_eq!(cache.look_up(1, 10), Lookup::Miss, "another set");
    }

    /// Lines 32 apart, a column of a matrix with rows of 4 KB, share one set of 32 or are spread over one set each.
    #[test]
    fn a_hash_spreads_a_column_over_the_sets() {
        let sets = |cache: &Cache| {
            let mut sets: Vec<u64> = (0..32).map(|row| cache.index(row * 32)).collect();
            sets.sort_unstable();
            sets.dedup();
            sets.len()
        };
        let plain = Cache::new(16 << 10, 128, 4);
        assert_eq!((sets(&plain), sets(&plain.hashed(true))), (1, 32));
        let neighbours: Vec<u64> = (64..96).map(|line| Cache::new(16 << 10, 128, 4).hashed(true).index(line)).collect();
        assert!((0..32).all(|set| neighbours.contains(&set)), "neighbours have sets of their own: {neighbours:?}");
    }

    #[test]
    fn what_was_written_is_written_back_when_its_line_makes_room() {
        let mut cache = Cache::new(128, 64, 2);
        assert_eq!([0, 1].map(|line| cache.insert(line, line, line)), [0, 0]);
        cache.write(0, 32);
        cache.write(0, 64);
        cache.write(5, 64);
        assert_eq!(cache.insert(2, 2, 2), 64, "line 0 is the oldest, and has no more than its 64 bytes");
        assert_eq!(cache.insert(3, 3, 3), 0, "line 1 was only read");
    }
}
