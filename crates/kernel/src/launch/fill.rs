//! Initial contents of buffers and of module variables.

use super::number::{float_bits, wrap};
use super::{Buffer, Init, LaunchError, LaunchNumber, VariableInit};
use crate::ptx::types::Type;

/// A buffer's contents, little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferData {
    /// The buffer's name in the launch file.
    pub name: String,
    /// The type of its elements.
    pub ty: Type,
    /// Its contents, little-endian.
    pub bytes: Vec<u8>,
}

/// The random numbers of launch files: Steele, Lea and Flood's SplitMix64, a 64-bit counter stepped by the golden ratio and
/// scrambled. It is small and portable, and every seed is as good as another.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Begins with this state; the same seed gives the same draws everywhere.
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    /// Returns the next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Draws evenly from [0, 1), in steps of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.draw() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Makes the initial contents of one buffer. `Launch::parse` has checked the numbers; a launch made by hand is checked here.
pub(super) fn fill(buffer: &Buffer, read_file: &dyn Fn(&str) -> Result<Vec<u8>, String>) -> Result<BufferData, LaunchError> {
    let bytes = match &buffer.init {
        Init::File(name) => read_whole(buffer, name, read_file),
        init => elements(buffer, init),
    };
    bytes
        .map(|bytes| BufferData { name: buffer.name.clone(), ty: buffer.ty, bytes })
        .map_err(|message| LaunchError::Fill { buffer: buffer.name.clone(), message })
}

impl VariableInit {
    /// Makes the initial contents of a variable of that type; elements that the launch does not set come from `image`.
    pub fn fill(
        &self,
        declared: Type,
        mut image: Vec<u8>,
        read_file: &dyn Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<BufferData, LaunchError> {
        let (name, ty) = (self.name.clone(), self.ty.unwrap_or(declared));
        let wrong = |message| Err(LaunchError::Global { name: self.name.clone(), message });
        let (width, bytes) = (u64::from(ty.bytes()), image.len() as u64);
        if !bytes.is_multiple_of(width) {
            return wrong(format!("its {bytes} bytes are not a whole number of {ty} elements"));
        }
        let Some(init) = &self.init else { return Ok(BufferData { name, ty, bytes: image }) };
        let values = if let Init::Values(values) = init { Some(values.len() as u64) } else { None };
        let len = self.len.or(values).unwrap_or(bytes / width);
        if len > bytes / width || values.is_some_and(|values| values > len) {
            let given = values.unwrap_or(len).max(len);
            return wrong(format!("it has {bytes} bytes, {} elements of {ty}, and {given} are given", bytes / width));
        }
        if let Err(message) = check_init(ty, init) {
            return wrong(message);
        }
        let first =
            fill(&Buffer { name: name.clone(), ty, len, init: init.clone() }, read_file).map_err(|error| match error {
                LaunchError::Fill { buffer, message } => LaunchError::Global { name: buffer, message },
                other => other,
            })?;
        image[..first.bytes.len()].copy_from_slice(&first.bytes);
        Ok(BufferData { name, ty, bytes: image })
    }
}

fn read_whole(buffer: &Buffer, name: &str, read_file: &dyn Fn(&str) -> Result<Vec<u8>, String>) -> Result<Vec<u8>, String> {
    let bytes = read_file(name).map_err(|why| format!("file `{name}` cannot be read: {why}"))?;
    if bytes.len() as u64 != buffer.bytes() {
        return Err(format!(
            "file `{name}` has {} bytes, the buffer {} ({} elements of {})",
            bytes.len(),
            buffer.bytes(),
            buffer.len,
            buffer.ty
        ));
    }
    Ok(bytes)
}

fn elements(buffer: &Buffer, init: &Init) -> Result<Vec<u8>, String> {
    let ty = buffer.ty;
    let width = ty.bytes() as usize;
    let mut bytes = vec![0; buffer.bytes() as usize];
    let mut write = |bits: &mut dyn FnMut(u64) -> u64| {
        for (index, element) in bytes.chunks_exact_mut(width).enumerate() {
            element.copy_from_slice(&bits(index as u64).to_le_bytes()[..width]);
        }
    };
    match init {
        Init::Zeros | Init::File(_) => {}
        Init::Values(values) => {
            let bits = values.iter().map(|value| value.bits(ty)).collect::<Result<Vec<u64>, String>>()?;
            write(&mut |index| bits.get(index as usize).copied().unwrap_or(0));
        }
        Init::Iota { start, step } if ty.is_float() => {
            let (start, step) = (start.to_f64(), step.to_f64());
            write(&mut |index| float_bits(LaunchNumber::Float(start + index as f64 * step), ty));
        }
        Init::Iota { start, step } => {
            let (start, step) = (start.to_int(ty)?, step_of(*step)?);
            write(&mut |index| wrap(start.wrapping_add(step.wrapping_mul(index.into())), ty));
        }
        Init::Random { seed, min, max } if ty.is_float() => {
            let (min, max) = (min.to_f64(), max.to_f64());
            let mut random = SplitMix64::new(*seed);
            write(&mut |_| float_bits(LaunchNumber::Float(min + (max - min) * random.unit()), ty));
        }
        Init::Random { seed, min, max } => {
            let (min, span) = random_range(*min, *max, ty)?;
            let mut random = SplitMix64::new(*seed);
            write(&mut |_| wrap(min + i128::from(random.draw()) % span, ty));
        }
    }
    Ok(bytes)
}

/// Checks whether a buffer can be filled, as far as that is known before a file is read.
pub(super) fn check_init(ty: Type, init: &Init) -> Result<(), String> {
    match init {
        Init::Zeros | Init::File(_) => Ok(()),
        Init::Values(values) => {
            for (index, value) in values.iter().enumerate() {
                value.bits(ty).map_err(|why| format!("value {index}: {why}"))?;
            }
            Ok(())
        }
        Init::Iota { start, step } if ty.is_float() => [start, step].into_iter().try_for_each(|n| n.bits(ty).map(|_| ())),
        Init::Iota { start, step } => start.to_int(ty).and(step_of(*step)).map(|_| ()),
        Init::Random { min, max, .. } if ty.is_float() => {
            min.bits(ty)?;
            max.bits(ty)?;
            let span = max.to_f64() - min.to_f64();
            if span.is_finite() && span >= 0.0 {
                Ok(())
            } else {
                Err(format!("random numbers from {min} to {max} cannot be drawn"))
            }
        }
        Init::Random { min, max, .. } => random_range(*min, *max, ty).map(|_| ()),
    }
}

/// Returns an integer step. It may be negative whatever the type: the numbers wrap round.
fn step_of(step: LaunchNumber) -> Result<i128, String> {
    match step {
        LaunchNumber::Int(step) => Ok(step),
        LaunchNumber::Float(step) => Err(format!("the step {step:?} is a float: write it without a point")),
    }
}

/// Returns the smallest number of a range of integers, and how many there are. The largest is `max - 1`.
fn random_range(min: LaunchNumber, max: LaunchNumber, ty: Type) -> Result<(i128, i128), String> {
    let min = min.to_int(ty)?;
    let max = match max {
        LaunchNumber::Int(max) => max,
        LaunchNumber::Float(_) => max.to_int(ty)?,
    };
    if max <= min {
        return Err(format!(
            "min = {min} and max = {max} leave nothing to draw: integers are drawn from min up to, not including, max"
        ));
    }
    LaunchNumber::Int(max - 1).to_int(ty)?;
    Ok((min, max - min))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The first draws with seed 7.
    const SEED7_0: u64 = 0x63cb_e1e4_5932_0dd7;
    const SEED7_1: u64 = 0x044c_3cd7_f43c_661c;
    const SEED7_2: u64 = 0xe698_4080_bab1_2a02;

    fn filled(ty: Type, len: u64, init: Init) -> Vec<u8> {
        let buffer = Buffer { name: "x".into(), ty, len, init };
        fill(&buffer, &|_| Err("no files here".into())).expect("a filled buffer").bytes
    }

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
    }

    /// The numbers for seed 1234567 are those that other implementations publish; those for seed 7 were computed separately.
    #[test]
    fn splitmix64_draws_the_published_numbers() {
        let draws = |seed| {
            let mut random = SplitMix64::new(seed);
            [random.draw(), random.draw(), random.draw()]
        };
        assert_eq!(draws(1_234_567), [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
        assert_eq!(draws(7), [SEED7_0, SEED7_1, SEED7_2]);
    }

    #[test]
    fn random_integers_and_floats_follow_their_formulas() {
        let range = |min, max| Init::Random { seed: 7, min: LaunchNumber::Int(min), max: LaunchNumber::Int(max) };
        let expected = [SEED7_0, SEED7_1, SEED7_2];
        let small: Vec<u32> = expected.iter().map(|draw| (draw % 100) as u32).collect();
        assert_eq!(words(&filled(Type::U32, 3, range(0, 100))), small);
        let negative: Vec<u32> = expected.iter().map(|draw| (-50 + (draw % 100) as i32) as u32).collect();
        assert_eq!(words(&filled(Type::S32, 3, range(-50, 50))), negative);
        let floats = Init::Random { seed: 7, min: LaunchNumber::Float(-1.0), max: LaunchNumber::Int(1) };
        let unit: Vec<u32> =
            expected.iter().map(|draw| ((-1.0 + 2.0 * ((draw >> 11) as f64 * 2f64.powi(-53))) as f32).to_bits()).collect();
        assert_eq!(words(&filled(Type::F32, 3, floats)), unit);
        // The full range of u64.
        let all = Init::Random { seed: 7, min: LaunchNumber::Int(0), max: LaunchNumber::Int(1 << 64) };
        assert_eq!(filled(Type::U64, 1, all), SEED7_0.to_le_bytes());
    }

    #[test]
    fn iota_counts_in_its_type() {
        let iota = |start, step| Init::Iota { start: LaunchNumber::Int(start), step: LaunchNumber::Int(step) };
        assert_eq!(filled(Type::U8, 4, iota(254, 1)), [254, 255, 0, 1]);
        assert_eq!(filled(Type::S16, 3, iota(0, -1)), [0, 0, 255, 255, 254, 255]);
        assert_eq!(words(&filled(Type::U32, 3, iota(3, -2))), [3, 1, u32::MAX]);
        let halves = Init::Iota { start: LaunchNumber::Float(0.5), step: LaunchNumber::Float(0.25) };
        assert_eq!(words(&filled(Type::F32, 3, halves)), [0.5f32, 0.75, 1.0].map(f32::to_bits));
    }

    #[test]
    fn values_come_first_and_zeros_after() {
        let values = Init::Values(vec![LaunchNumber::Int(1), LaunchNumber::Int(-2)]);
        assert_eq!(words(&filled(Type::S32, 4, values)), [1, 0xffff_fffe, 0, 0]);
        assert_eq!(filled(Type::F64, 2, Init::Zeros), [0; 16]);
        assert_eq!(filled(Type::F16, 2, Init::Values(vec![LaunchNumber::Float(1.5), LaunchNumber::Int(2)])), [0, 0x3e, 0, 0x40]);
    }

    #[test]
    fn files_must_be_there_and_as_long_as_the_buffer() {
        let buffer = Buffer { name: "x".into(), ty: Type::U16, len: 2, init: Init::File("x.bin".into()) };
        assert_eq!(fill(&buffer, &|_| Ok(vec![1, 2, 3, 4])).expect("filled").bytes, [1, 2, 3, 4]);
        let short = fill(&buffer, &|_| Ok(vec![1])).expect_err("too short").to_string();
        assert_eq!(short, "buffer `x`: file `x.bin` has 1 bytes, the buffer 4 (2 elements of u16)");
        let gone = fill(&buffer, &|_| Err("not found".into())).expect_err("missing").to_string();
        assert_eq!(gone, "buffer `x`: file `x.bin` cannot be read: not found");
    }

    #[test]
    fn ranges_that_leave_nothing_are_refused() {
        let problem = |ty, min, max| check_init(ty, &Init::Random { seed: 0, min, max }).expect_err("refused");
        assert!(problem(Type::U32, LaunchNumber::Int(5), LaunchNumber::Int(5)).contains("nothing to draw"));
        assert!(problem(Type::U8, LaunchNumber::Int(0), LaunchNumber::Int(257)).contains("256 does not fit u8"));
        assert!(problem(Type::U32, LaunchNumber::Int(0), LaunchNumber::Float(9.0)).contains("is a float"));
        assert!(problem(Type::F32, LaunchNumber::Float(1.0), LaunchNumber::Float(0.0)).contains("cannot be drawn"));
        assert!(problem(Type::F32, LaunchNumber::Float(0.0), LaunchNumber::Float(f64::NAN)).contains("cannot be drawn"));
    }
}
