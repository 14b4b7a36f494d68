//! The histogram of bytes. Counts do not depend on the order of counting.

use super::{Host, Mismatch};

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let input = host.read::<u32>(0)?;
    let mut bins = host.read::<u32>(1)?;
    for i in 0..host.value::<i32>(2)? {
        for byte in input.at(i)?.to_le_bytes() {
            bins.set(byte, bins.at(byte)?.wrapping_add(1))?;
        }
    }
    host.write(1, &bins)
}

#[cfg(test)]
mod tests {
    use crate::host::testing::run;

    #[test]
    fn every_byte_counts_once_and_on_top_of_what_is_there() {
        let bins = run::<u32>(
            super::reference,
            "grid = [2]\nblock = [32]
            [[param]]\nbuffer = 'in'\ntype = 'u32'\ninit = { values = [0x01010203, 0xff000001, 7] }
            [[param]]\nbuffer = 'bins'\ntype = 'u32'\nlen = 256\ninit = { iota = { step = 0, start = 10 } }
            [[param]]\ntype = 's32'\nvalue = 2",
            "bins",
        );
        assert_eq!(bins[..5], [12, 13, 11, 11, 10]);
        assert_eq!((bins[7], bins[255]), (10, 11));
    }
}
