//! Tags of a set-associative cache with least-recently-used replacement, including lines in flight.

/// The tags of a cache. It holds no data: memory is exact at all times, and caches only decide timing.
#[derive(Clone, Debug, Hash)]
pub struct Cache {
    /// For each way of each set: line number plus one (zero is empty), cycle of the last use, cycle of arrival.
    tags: Vec<Tag>,
    ways: usize,
    sets: u64,
    line_shift: u32,
    /// Bytes of a sector, as a power of two: the part of a line that can be valid or dirty by itself.
    sector_shift: u32,
    /// Bits of a set index, where it is a hash.
    hash_bits: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, Hash)]
struct Tag {
    line: u64,
    used: u64,
    arrives: u64,
    /// Sectors that are present or in flight, and those that were written and are not written back yet.
    valid: Sectors,
    dirty: Sectors,
}

/// Sectors of a line, a bit each.
pub type Sectors = u32;

pub const ALL_SECTORS: Sectors = Sectors::MAX;

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
            sector_shift: line.trailing_zeros(),
            hash_bits: None,
        }
    }

    /// Divides the lines into sectors of so many bytes, of which a line has at most 32; 0: a line is one sector.
    pub fn sectored(self, bytes: u32) -> Cache {
        let finest = self.line_shift.saturating_sub(Sectors::BITS.trailing_zeros());
        let shift = if bytes == 0 { self.line_shift } else { bytes.trailing_zeros() };
        Cache { sector_shift: shift.clamp(finest, self.line_shift), ..self }
    }

    /// Returns the sectors of its line that `bytes` at an address touch, as far as the line goes.
    pub fn sectors(&self, address: u64, bytes: u32) -> Sectors {
        let line_bytes = 1 << self.line_shift;
        let first = address % line_bytes;
        let last = (first + u64::from(bytes.max(1)) - 1).min(line_bytes - 1);
        let below = |byte: u64| (1u64 << (byte >> self.sector_shift)) - 1;
        (below(last) << 1 | 1) as Sectors & !(below(first) as Sectors)
    }

    /// Returns the bytes of some sectors of a line.
    pub fn sector_bytes(&self, sectors: Sectors) -> u32 {
        (sectors & self.whole_line()).count_ones() << self.sector_shift
    }

    fn whole_line(&self) -> Sectors {
        ((1u64 << (1 << (self.line_shift - self.sector_shift))) - 1) as Sectors
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

    /// Gives sectors of a line that arrive later the least recently used way of its set; returns the old line's dirty bytes.
    pub fn insert(&mut self, line: u64, now: u64, arrives: u64, valid: Sectors) -> u32 {
        let set = self.set(line);
        let victim = set.iter().enumerate().min_by_key(|(_, tag)| (tag.line != 0, tag.used)).map_or(0, |(at, _)| at);
        let old = std::mem::replace(&mut set[victim], Tag { line: line + 1, used: now, arrives, valid, dirty: 0 });
        self.sector_bytes(old.dirty)
    }

    /// Puts a line into an empty way of its set, if there is one.
    pub fn fill(&mut self, line: u64) {
        if let Some(tag) = self.set(line).iter_mut().find(|tag| tag.line == 0) {
            *tag = Tag { line: line + 1, valid: ALL_SECTORS, ..Tag::default() };
        }
    }

    fn tag(&mut self, line: u64) -> Option<&mut Tag> {
        self.set(line).iter_mut().find(|tag| tag.line == line + 1)
    }

    /// Returns those of some sectors of a line that are neither present nor in flight.
    pub fn missing(&mut self, line: u64, wanted: Sectors) -> Sectors {
        let valid = self.tag(line).map_or(0, |tag| tag.valid);
        wanted & !valid & self.whole_line()
    }

    /// Adds sectors that arrive later to a line that has others.
    pub fn complete(&mut self, line: u64, arrives: u64, sectors: Sectors) {
        if let Some(tag) = self.tag(line) {
            tag.valid |= sectors;
            tag.arrives = tag.arrives.max(arrives);
        }
    }

    /// Marks sectors of a line as written, if the line is there.
    pub fn write(&mut self, line: u64, sectors: Sectors) {
        if let Some(tag) = self.tag(line) {
            tag.valid |= sectors;
            tag.dirty |= sectors;
        }
    }

    /// Removes a line.
    pub fn evict(&mut self, line: u64) {
        if let Some(tag) = self.tag(line) {
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
        cache.insert(0, 1, 1, ALL_SECTORS);
        cache.insert(2, 2, 9, ALL_SECTORS);
        assert_eq!(cache.look_up(0, 3), Lookup::Hit);
        assert_eq!(cache.look_up(2, 4), Lookup::Coming(9));
        assert_eq!(cache.look_up(0, 5), Lookup::Hit);
        cache.insert(4, 6, 6, ALL_SECTORS);
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
        assert_eq!([0, 1].map(|line| cache.insert(line, line, line, ALL_SECTORS)), [0, 0]);
        cache.write(0, ALL_SECTORS);
        cache.write(5, ALL_SECTORS);
        assert_eq!(cache.insert(2, 2, 2, ALL_SECTORS), 64, "line 0 is the oldest");
        assert_eq!(cache.insert(3, 3, 3, ALL_SECTORS), 0, "line 1 was only read");
    }

    #[test]
    fn a_sector_is_written_as_often_as_one_likes_and_says_nothing_of_its_neighbours() {
        let mut cache = Cache::new(128, 128, 1).sectored(32);
        assert_eq!([cache.sectors(256 + 30, 4), cache.sectors(384, 128), cache.sectors(127, 9)], [0b0011, 0b1111, 0b1000]);
        assert_eq!(cache.insert(2, 0, 0, 0b0001), 0);
        (0..4).for_each(|_| cache.write(2, 0b0001));
        cache.write(2, 0b0100);
        assert_eq!(cache.missing(2, ALL_SECTORS), 0b1010);
        cache.complete(2, 9, 0b1010);
        assert_eq!((cache.missing(2, ALL_SECTORS), cache.look_up(2, 5)), (0, Lookup::Coming(9)));
        assert_eq!(cache.insert(3, 9, 9, ALL_SECTORS), 64, "two sectors go back");
        assert_eq!(Cache::new(4096, 4096, 1).sectored(4).sectors(200, 4), 0b10, "a line has 32 sectors at most");
        assert_eq!(Cache::new(64, 64, 1).sectored(0).sectors(60, 400), 1);
    }
}
