//! Straight-line kernels on whole warps: the instructions that the scalar reference runs with one lane, run with 32.

use super::kernel::Kernel;
use warpscope_kernel::interp::alu::Exec;
use warpscope_kernel::interp::lanes::{Lanes, Registers};
use warpscope_kernel::interp::memory::{Global, Local, Shared, Spaces};
use warpscope_kernel::interp::shape::BlockView;
use warpscope_kernel::interp::thread::StorageThread;
use warpscope_kernel::ptx::op::Op;

/// How threads are assigned to lanes.
#[derive(Clone, Copy, Debug)]
pub enum Seating {
    /// In order, side by side.
    Warp,
    /// In reverse order, as a machine that compacts warps might have them.
    Gathered,
}

/// Runs a kernel without branches, warp after warp, and returns the memory that it leaves.
pub fn run(kernel: &Kernel, seating: Seating) -> Result<Global, String> {
    let (program, start) = (&kernel.job.program, &kernel.start);
    let threads = start.shape.threads;
    let mut global = start.global.clone();
    for block in 0..start.shape.blocks() {
        let mut registers = Registers::new(program.planes, threads);
        let mut shared = Shared::new(start.shape.shared_bytes);
        let mut local = Local::new(program.local_bytes, threads);
        for first in (0..threads).step_by(32) {
            let count = 32.min(threads - first);
            let lanes: Lanes<32> = match seating {
                Seating::Warp => Lanes::warp(StorageThread(first), count),
                Seating::Gathered => {
                    let seats = std::array::from_fn(|lane| StorageThread(first + (count - 1).saturating_sub(lane as u32)));
                    Lanes::gathered(seats, Lanes::<32>::warp(StorageThread(first), count).mask)
                }
            };
            for instruction in &program.instructions {
                let mut active = lanes.mask;
                if let Some(guard) = instruction.guard {
                    let holds = registers.predicate(guard.plane, &lanes);
                    active &= if guard.negated { !holds } else { holds };
                }
                let mut exec = Exec {
                    instruction,
                    lanes: &lanes,
                    active,
                    registers: &mut registers,
                    block: BlockView { shape: &start.shape, ctaid: start.shape.ctaid(block), sm: 0, clock: 0 },
                    carry: program.planes - 1,
                };
                match instruction.op {
                    Op::Load(_) | Op::Store(_) | Op::Atom { .. } => {
                        let mut spaces = Spaces {
                            global: &mut global,
                            shared: &mut shared,
                            local: &mut local,
                            constants: &program.constants,
                            params: &start.params,
                        };
                        exec.memory(&mut spaces).map_err(|(lane, fault)| format!("lane {lane}: {fault}"))?;
                    }
                    Op::Ret | Op::Exit => break,
                    op if !exec.alu() => return Err(format!("{op:?} is no operation on registers")),
                    _ => {}
                }
            }
        }
    }
    Ok(global)
}
