//! Sorting: one sort in the whole program, for every further instantiation of the standard one is several kilobytes of
//! the page. Whatever is sorted has a number for a key.

/// Sorts by a number; items of the same number keep their order.
pub fn by_key<T>(items: &mut [T], key: impl Fn(&T) -> u64) {
    let mut keys: Vec<(u64, u32)> = (0..).zip(&*items).map(|(at, item)| (key(item), at)).collect();
    pairs(&mut keys);
    // Along each circle of places, what belongs there is swapped in.
    for start in 0..keys.len() {
        let mut to = start;
        loop {
            let from = std::mem::replace(&mut keys[to].1, to as u32) as usize;
            if from == start {
                break;
            }
            items.swap(to, from);
            to = from;
        }
    }
}

/// Sorts pairs of a key and a place.
pub fn pairs(pairs: &mut [(u64, u32)]) {
    pairs.sort_unstable();
}

/// The sum of the numbers for each key, in the order of the keys.
pub fn sums(numbers: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    let mut sums: Vec<(u32, u32)> = Vec::new();
    for (key, number) in numbers {
        match sums.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(at) => sums[at].1 += number,
            Err(at) => sums.insert(at, (key, number)),
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_key_are_added() {
        assert_eq!(sums([(7, 1), (3, 2), (7, 4), (5, 0)].into_iter()), [(3, 2), (5, 0), (7, 5)]);
    }

    #[test]
    fn items_come_in_the_order_of_their_keys_and_equal_ones_keep_theirs() {
        for len in 0..200u64 {
            let mut items: Vec<(u64, u64)> = (0..len).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 59, at)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            by_key(&mut items, |item| item.0);
            assert_eq!(items, expected);
        }
    }
}
