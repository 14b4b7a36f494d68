//! The sixteen-way interpreter: the kernel's machine of three registers, on the host.

use super::host::Array;
use super::{Host, Mismatch};

/// Bytes per program.
const PROGRAM: u32 = 16;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (code, program) = (host.read::<u8>(0)?, host.read::<u8>(1)?);
    let input = host.read::<u32>(2)?;
    let mut output = host.read::<u32>(3)?;
    let (count, limit) = (host.value::<i32>(4)?, host.value::<i32>(5)?);
    for t in 0..count.min(host.threads_x()) {
        output.set(t, interpret(&code, program.at(t)?, input.at(t)?, limit)?)?;
    }
    host.write(3, &output)
}

/// Runs one program until it halts, or for `limit` instructions; returns the register `a`.
fn interpret(code: &Array<u8>, program: u8, input: u32, limit: i32) -> Result<u32, Mismatch> {
    let (mut a, mut b, mut c, mut pc) = (0u32, 0u32, 0u32, 0u32);
    for _ in 0..limit {
        let byte = code.at(u32::from(program) * PROGRAM + pc % PROGRAM)?;
        let operand = u32::from(byte / 16);
        pc = pc.wrapping_add(1);
        match byte % 16 {
            0 => break,
            1 => a = operand,
            2 => a = a.wrapping_add(operand),
            3 => (a, b) = (b, a),
            4 => a = a.wrapping_add(b),
            5 => a = a.wrapping_sub(b),
            6 => a = a.wrapping_mul(b),
            7 => a &= b,
            8 => a ^= b,
            9 => a <<= operand,
            10 => a >>= operand,
            11 => a = input,
            12 => b = a,
            13 => c = a % 16,
            14 if c > 0 => (c, pc) = (c - 1, pc.wrapping_sub(operand)),
            15 if a.is_multiple_of(2) => pc = pc.wrapping_add(operand),
            _ => {}
        }
    }
    Ok(a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use warpscope_kernel::launch::Launch;

    /// Returns the result of one of the tiny launch's programs for an input.
    fn result(program: u8, input: u32) -> u32 {
        let launch = Launch::parse(find("interpreter").expect("the workload").tiny.expect("a tiny launch")).expect("a launch");
        let before = launch.fill(&|_| Err(String::new())).expect("buffers");
        let code = Host::new(&launch, &before).read::<u8>(0).expect("code");
        interpret(&code, program, input, 1000).expect("a result")
    }

    #[test]
    fn the_programs_do_what_the_launch_file_says() {
        let gray = |x: u32| x ^ x >> 1;
        assert_eq!(result(0, 0), 33);
        assert_eq!(result(1, 12), 144);
        assert_eq!(result(2, 3), 2187);
        assert_eq!(result(4, 27), 233); // 27, 41, 62, 31, 47, 71, 107, 161, 242, 121, 182, 91, 137, 206, 103, 155, 233
        assert_eq!(result(6, 1000), (0..11).fold(1000, |x, _| gray(x)));
        assert_eq!(result(7, 0), 987);
    }

    #[test]
    fn a_program_that_never_halts_is_stopped() {
        let launch = Launch::parse("grid = [1]\nblock = [1]\n[[param]]\nbuffer = 'code'\ntype = 'u8'\nlen = 16\ninit = { iota = { start = 18, step = 0 } }").expect("a launch");
        let before = launch.fill(&|_| Err(String::new())).expect("buffers");
        let code = Host::new(&launch, &before).read::<u8>(0).expect("code");
        assert_eq!(interpret(&code, 0, 0, 100).expect("a result"), 100); // add 1, for ever
    }
}
