//! AES-128 step by step as FIPS 197 describes it, without the kernel's table.

use super::host::Array;
use super::{Host, Mismatch};

const ROUNDS: usize = 10;

/// The state of the cipher: four columns of four bytes.
type State = [[u8; 4]; 4];

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    if host.block()[0] < 4 * (ROUNDS as i32 + 1) {
        return Err(Mismatch::Launch("a block needs a thread for each of 44 words of keys".into()));
    }
    let (plain, keys) = (host.read::<u32>(0)?, host.read::<u32>(1)?);
    let mut cipher = host.read::<u32>(2)?;
    let count = i64::from(host.value::<i32>(3)?);
    let mut round_keys = [State::default(); ROUNDS + 1];
    for (key, at) in round_keys.iter_mut().zip(0..) {
        *key = load(&keys, at)?;
    }
    let substitutes = substitutes();
    for at in 0..count {
        let encrypted = encrypt(load(&plain, at)?, &round_keys, &substitutes);
        for (column, place) in encrypted.iter().zip(4 * at..) {
            cipher.set(place, u32::from_le_bytes(*column))?;
        }
    }
    host.write(2, &cipher)
}

fn load(words: &Array<u32>, at: i64) -> Result<State, Mismatch> {
    let mut state = State::default();
    for (column, place) in state.iter_mut().zip(4 * at..) {
        *column = words.at(place)?.to_le_bytes();
    }
    Ok(state)
}

fn encrypt(plain: State, keys: &[State; ROUNDS + 1], substitutes: &[u8; 256]) -> State {
    let mut state = add(plain, &keys[0]);
    for (round, key) in keys.iter().enumerate().skip(1) {
        let shifted: State =
            std::array::from_fn(|c| std::array::from_fn(|row| substitutes[usize::from(state[(c + row) % 4][row])]));
        state = add(if round < ROUNDS { shifted.map(mix) } else { shifted }, key);
    }
    state
}

fn add(state: State, key: &State) -> State {
    std::array::from_fn(|column| std::array::from_fn(|row| state[column][row] ^ key[column][row]))
}

/// Multiplies a column by the polynomial 3x³ + x² + x + 2.
fn mix(column: [u8; 4]) -> [u8; 4] {
    std::array::from_fn(|row| {
        let at = |offset: usize| column[(row + offset) % 4];
        multiply(at(0), 2) ^ multiply(at(1), 3) ^ at(2) ^ at(3)
    })
}

/// Multiplies in the field of 256 elements, modulo x⁸ + x⁴ + x³ + x + 1.
fn multiply(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 != 0 {
            product ^= a;
        }
        a = a << 1 ^ if a & 0x80 != 0 { 0x1b } else { 0 };
        b >>= 1;
    }
    product
}

/// Returns the S-box: for each byte, rotations of its inverse in the field and 0x63, added up. Powers of 3 are all elements but
/// zero.
fn substitutes() -> [u8; 256] {
    let mut found = [0x63; 256];
    let (mut element, mut inverse) = (1u8, 1u8);
    for _ in 0..255 {
        let turned = (1..5).fold(inverse, |sum, by| sum ^ inverse.rotate_left(by));
        found[usize::from(element)] = turned ^ 0x63;
        element = multiply(element, 3);
        inverse = multiply(inverse, 0xf6);
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::find;
    use crate::host::testing::run;

    /// The example of FIPS 197, appendix B, with the key of the launches.
    #[test]
    fn the_standard_s_example_is_encrypted_as_it_says() {
        let small = find("aes").expect("the workload").small;
        let keys = small.split("[[param]]").nth(2).expect("the keys");
        let launch = format!(
            "grid = [1]\nblock = [64]
            [[param]]\nbuffer = 'plain'\ntype = 'u32'\ninit = {{ values = [0xa8f64332, 0x8d305a88, 0xa2983131, 0x340737e0] }}
            [[param]]{keys}
            [[param]]\nbuffer = 'cipher'\ntype = 'u32'\nlen = 4
            [[param]]\ntype = 's32'\nvalue = 1"
        );
        let cipher = run::<u32>(super::reference, &launch, "cipher");
        assert_eq!(cipher, [0x1d84_2539, 0xfb09_dc02, 0x9785_11dc, 0x320b_6a19]);
    }
}
