//! The page view count. Counts do not depend on the order of counting.

use super::{Host, Mismatch};

const THREADS: i32 = 256;
const LETTERS: i64 = 16;
const BUCKETS: u32 = 512;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let records = host.read::<u8>(0)?;
    let mut views = host.read::<u32>(1)?;
    let count = i64::from(host.value::<i32>(2)?);
    if host.block()[0] > THREADS {
        return Err(Mismatch::Launch(format!("a block has room for {THREADS} records, not for {}", host.block()[0])));
    }
    for record in 0..count {
        let mut name = Vec::new();
        for k in 0..LETTERS {
            name.push(records.at(LETTERS * record + k)?);
        }
        let bucket = bucket(&name);
        views.set(bucket, views.at(bucket)?.wrapping_add(1))?;
    }
    host.write(1, &views)
}

/// Returns the bucket of a name up to its first zero, by FNV-1a.
fn bucket(name: &[u8]) -> u32 {
    let letters = name.iter().take_while(|letter| **letter != 0);
    let hash = letters.fold(2_166_136_261u32, |hash, letter| (hash ^ u32::from(*letter)).wrapping_mul(16_777_619));
    (hash ^ hash >> 16) % BUCKETS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use crate::host::testing::run;

    #[test]
    fn letters_behind_the_end_do_not_count() {
        assert_eq!(bucket(b"index\0rest"), bucket(b"index\0"));
        assert_ne!(bucket(b"index\0"), bucket(b"about\0"));
        // FNV-1a's published hash of "foobar".
        assert_eq!(bucket(b"foobar"), (0xbf9c_f968u32 ^ 0xbf9c) % BUCKETS);
    }

    #[test]
    fn every_record_counts_once() {
        let views = run::<u32>(reference, find("pageview").expect("the workload").small, "views");
        assert_eq!(views.iter().sum::<u32>(), 500);
    }
}
