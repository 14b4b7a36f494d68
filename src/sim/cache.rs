//! Tags of a set-associative cache with least-recently-used replacement, and the lines that are on their way to it.

/// A cache's tags. Data lives elsewhere: the machine's memory is exact at all times, caches only decide when.
#[derive(Clone, Debug)]
pub struct Cache {
    /// For each way of each set: line number plus one (zero is empty), when it was last used, when it arrives.
    tags: Vec<Tag>,
    ways: usize,
    sets: u64,
    line_shift: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tag {
    line: u64,
    used: u64,
    arrives: u64,
}

/// What a look at the tags found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Hit,
    /// On its way, there at this time.
    Coming(u64),
    Miss,
}

impl Cache {
    /// What the tags of such a cache take in memory.
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
        }
    }

    /// The line that an address lies in.
    #[inline(always)]
    pub fn line(&self, address: u64) -> u64 {
        address >> self.line_shift
    }

    #[inline(always)]
    fn set(&mut self, line: u64) -> &mut [Tag] {
        let start = (line % self.sets) as usize * self.ways;
        &mut self.tags[start..start + self.ways]
    }

    /// Looks a line up, and marks it as used if it is there or coming.
    #[inline]
    pub fn look(&mut self, line: u64, now: u64) -> Look {
        match self.set(line).iter_mut().find(|tag| tag.line == line + 1) {
            None => Look::Miss,
            Some(tag) => {
                tag.used = now;
                if tag.arrives > now { Look::Coming(tag.arrives) } else { Look::Hit }
            }
        }
    }

    /// Makes room for a line that arrives later, in place of the least recently used one.
    pub fn insert(&mut self, line: u64, now: u64, arrives: u64) {
        let set = self.set(line);
        let victim = set.iter().enumerate().min_by_key(|(_, tag)| (tag.line != 0, tag.used)).map_or(0, |(at, _)| at);
        set[victim] = Tag { line: line + 1, used: now, arrives };
    }

    /// Forgets a line.
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
        assert_eq!(cache.look(0, 3), Look::Hit);
        assert_eq!(cache.look(2, 4), Look::Coming(9));
        assert_eq!(cache.look(0, 5), Look::Hit);
        cache.insert(4, 6, 6);
        assert_eq!([0, 2, 4].map(|line| cache.look(line, 9)), [Look::Hit, Look::Miss, Look::Hit]);
        cache.evict(0);
        assert_eq!(cache.look(0, 10), Look::Miss);
        assert_eq!(cache.look(1, 10), Look::Miss, "another set");
    }
}
