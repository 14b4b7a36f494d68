//! Edit distances of a word to the entries of a list, and the starts of the entries.

use super::{Host, Mismatch, lengths};

const LETTERS: i32 = 32;
/// Sizes that match the launches.
const ENTRIES: usize = 16384;
const LONGEST: i32 = 48;
const FEW: usize = 250;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (word, starts, letters) = (host.read::<u8>(0)?, host.read::<i32>(1)?, host.read::<u8>(2)?);
    let mut distances = host.read::<i32>(3)?;
    let length = host.value::<i32>(4)?;
    if !(0..=LETTERS).contains(&length) {
        return Err(Mismatch::Launch(format!("a word has at most {LETTERS} letters, not {length}")));
    }
    let word = (0..length).map(|at| word.at(at)).collect::<Result<Vec<u8>, _>>()?;
    for entry in 0..host.value::<i32>(5)?.min(host.threads_x()) {
        let text = (starts.at(entry)?..starts.at(entry + 1)?).map(|at| letters.at(at)).collect::<Result<Vec<u8>, _>>()?;
        distances.set(entry, distance(&word, &text))?;
    }
    host.write(3, &distances)
}

/// Computes the distance by the whole table: an element is the distance between prefixes of the two words.
fn distance(word: &[u8], text: &[u8]) -> i32 {
    let mut table = vec![(0..=word.len() as i32).collect::<Vec<i32>>()];
    for (letter, above) in text.iter().zip(0..) {
        let mut row = vec![above + 1];
        for (column, other) in word.iter().enumerate() {
            let before = &table[above as usize];
            let changed = before[column] + i32::from(letter != other);
            row.push(changed.min(before[column + 1] + 1).min(row[column] + 1));
        }
        table.push(row);
    }
    table[text.len()][word.len()]
}

pub fn file(name: &str) -> Option<Vec<u8>> {
    lengths::file(
        name,
        || lengths::starts(54, ENTRIES, LONGEST, |u| 3.0 / u.sqrt()),
        || lengths::starts(67, FEW, 16, |u| 1.0 / u.sqrt()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::testing::check_files;

    #[test]
    fn the_files_have_the_starts() {
        check_files("dprows", &["starts.bin", "few.bin"], file);
    }

    #[test]
    fn distances_of_known_words() {
        assert_eq!(distance(b"kitten", b"sitting"), 3);
        assert_eq!(distance(b"", b"four"), 4);
        assert_eq!(distance(b"four", b""), 4);
        assert_eq!(distance(b"saturday", b"sunday"), 3);
    }
}
