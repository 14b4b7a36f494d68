//! Comparison of a run's result with a reference's, and the cause of a difference.
//!
//! A kernel that is not race-free may leave different results on different machines. [`explain`] separates two causes from a
//! fault of the simulated machine: a kernel that **depends on lock-step** (the scalar reference leaves another result when the
//! threads of a PTX warp run in lock-step), and a **race** between warps or blocks.

use std::fmt;
use warpscope_catalogue::{Mismatch, compare};
use warpscope_kernel::interp::memory::Global;
use warpscope_kernel::interp::races::{Conflict, Races, Touch};
use warpscope_kernel::interp::reference::{self, Order};
use warpscope_kernel::interp::start::Start;
use warpscope_kernel::launch::BufferData;
use warpscope_kernel::program::{Pc, Program};
use warpscope_kernel::ptx::problem::line_column;

/// A kernel bound to its launch, with its PTX text.
#[derive(Clone, Copy)]
pub struct CheckedKernel<'a> {
    /// The kernel as compiled, without a machine's own passes.
    pub program: &'a Program,
    /// The launch, laid out in memory.
    pub start: &'a Start,
    /// The text, from which messages quote.
    pub ptx: &'a str,
    /// Thread instructions after which a reference gives up.
    pub most: u64,
}

/// A difference between a run's result and the reference's. Its text is that of `run --check`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The scalar reference trapped, with this message; the machine did not.
    Trapped(String),
    /// The scalar reference read shared memory before any thread had written it; on the machine a thread had.
    ReadTooEarly {
        /// The reference's message.
        trap: String,
        /// Whether threads in lock-step write in time.
        depends_on_lock_step: bool,
    },
    /// Both ended, and left other memory.
    Memory {
        /// The first element that differs.
        mismatch: Mismatch,
        /// The property of the kernel that explains it, if there is one.
        cause: Option<Box<KernelFault>>,
    },
}

/// Why a kernel may leave another result than the scalar reference although the machine is correct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelFault {
    /// The kernel depends on lock-step.
    LockStep {
        /// Two accesses that nothing orders.
        accesses: String,
        /// How the run differs from a run in lock-step; `None` if both left the same.
        mismatch: Option<Mismatch>,
    },
    /// Threads of different warps or blocks race.
    Race {
        /// Two accesses that nothing orders.
        accesses: String,
    },
}

impl Difference {
    /// Returns the property of the kernel that explains it, if there is one.
    pub fn cause(&self) -> Option<&KernelFault> {
        if let Difference::Memory { cause, .. } = self { cause.as_deref() } else { None }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Difference::Trapped(trap) => write!(f, "the scalar reference trapped, but the machine did not: {trap}"),
            Difference::ReadTooEarly { trap, depends_on_lock_step } => {
                let fault = if *depends_on_lock_step { "depends on lock-step" } else { "has a race" };
                write!(
                    f,
                    "the kernel {fault}: a thread reads shared memory that another thread writes, and nothing orders the two. The \
                     scalar reference, which runs one thread after another, finds {trap}"
                )
            }
            Difference::Memory { mismatch, cause: None } => write!(f, "{mismatch}"),
            Difference::Memory { mismatch, cause: Some(cause) } => write!(f, "{mismatch}. {cause}"),
        }
    }
}

impl fmt::Display for KernelFault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            KernelFault::LockStep { accesses, mismatch } => {
                write!(f, "The kernel depends on lock-step: {accesses}.")?;
                let same = mismatch.is_none();
                f.write_str(if same { " With warps in lock-step the kernel leaves exactly this result." } else { "" })
            }
            KernelFault::Race { accesses } => write!(f, "The kernel has a race: {accesses}"),
        }
    }
}

/// Compares a run's result with the scalar reference's; `None` if the reference takes too long.
pub fn against_reference(kernel: CheckedKernel, after: &[BufferData]) -> Option<Result<(), Difference>> {
    let outcome = reference::run(kernel.program, kernel.start, kernel.most);
    if let Some(trap) = outcome.trap {
        let gave_up = outcome.thread_instructions >= kernel.most;
        if trap.is_uninitialised() {
            let lock_step = reference::observe(kernel.program, kernel.start, kernel.most, Order::LockStep, &mut ());
            let depends_on_lock_step = lock_step.trap.is_none();
            return Some(Err(Difference::ReadTooEarly { trap: trap.to_string(), depends_on_lock_step }));
        }
        return (!gave_up).then(|| Err(Difference::Trapped(trap.to_string())));
    }
    Some(compare(&left(&outcome.global, after), after).map_err(|mismatch| explain(kernel, mismatch, after)))
}

/// Explains a difference from a reference by the accesses that cause it, if the kernel does.
pub fn explain(kernel: CheckedKernel, mismatch: Mismatch, after: &[BufferData]) -> Difference {
    let cause = cause(kernel, &mismatch, after);
    Difference::Memory { mismatch, cause: cause.map(Box::new) }
}

/// Returns the same buffers with the contents that a reference left in them.
fn left(global: &Global, buffers: &[BufferData]) -> Vec<BufferData> {
    let bytes = |buffer: &BufferData| global.read_buffer(&buffer.name).unwrap_or_else(|| buffer.bytes.clone());
    buffers.iter().map(|buffer| BufferData { bytes: bytes(buffer), ..buffer.clone() }).collect()
}

fn cause(kernel: CheckedKernel, mismatch: &Mismatch, after: &[BufferData]) -> Option<KernelFault> {
    let CheckedKernel { program, start, most, .. } = kernel;
    let Mismatch::Element { buffer, index, .. } = mismatch else { return None };
    let mut races = Races::new(start.shape.ptx_warp);
    let scalar = reference::observe(program, start, most, Order::Threads, &mut races);
    let lock_step = reference::observe(program, start, most, Order::LockStep, &mut ());
    if scalar.trap.is_some() || lock_step.trap.is_some() {
        return None;
    }
    if scalar.global != lock_step.global {
        let accesses = tell(kernel, &races.first_within_warp.or(races.first)?);
        return Some(KernelFault::LockStep { accesses, mismatch: compare(&left(&lock_step.global, after), after).err() });
    }
    let width = u64::from(after.iter().find(|data| data.name == *buffer)?.ty.bytes());
    let address = start.global.address_of(buffer)? + *index as u64 * width;
    let conflict = races.at(address, width).or(races.first)?;
    Some(KernelFault::Race { accesses: tell(kernel, &conflict) })
}

/// Describes two accesses that nothing orders.
fn tell(kernel: CheckedKernel, conflict: &Conflict) -> String {
    let Conflict { first, second, space, address } = conflict;
    let whom = match () {
        () if conflict.is_within_warp(kernel.start.shape.ptx_warp) => "of the same warp",
        () if first.block == second.block => "of another warp",
        () => "of another block",
    };
    let does = |touch: &Touch| if touch.write { "writes" } else { "reads" };
    let line = |pc: Pc| {
        let instruction = &kernel.program.instructions[pc as usize];
        let (line, _) = line_column(kernel.ptx, instruction.span.start as usize);
        let source = instruction.place.map(|place| format!(" ({})", kernel.program.place_name(place)));
        format!("PTX line {line}{}", source.unwrap_or_default())
    };
    let block = |touch: &Touch| if first.block == second.block { String::new() } else { format!(" of block {}", touch.block) };
    let owner = if first.block == second.block { format!(" of block {}", first.block) } else { block(first) };
    format!(
        "thread {}{owner} {} {space} address {address:#x} at {}, thread {}{} {whom} {} it at {}, and nothing orders the two",
        first.thread,
        does(first),
        line(first.pc),
        second.thread,
        block(second),
        does(second),
        line(second.pc)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_machine::run::Draft;

    /// Runs eight threads in two warps of four on a buffer `out`; `body` has the thread in %t and its element's address in %out.
    fn judge(body: &str, after: [u32; 8]) -> Result<(), Difference> {
        let ptx = format!(
            ".version 7.5\n.target sm_75\n.address_size 64\n\
             .visible .entry k(.param .u64 out)\n{{\n\
             .reg .b32 %t, %x;\n.reg .b64 %out, %a;\n.shared .align 4 .b8 tile[32];\n\
             mov.u32 %t, %tid.x;\nld.param.u64 %out, [out];\nmad.wide.u32 %out, %t, 4, %out;\n{body}\nret;\n}}\n"
        );
        let launch = "grid = [1]\nblock = [8]\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = 8\ninit = \"zeros\"\n";
        let job = Draft::read(&ptx, launch).expect("sound texts").fill(&|file| Err(file.to_string())).expect("a buffer");
        let start = job.start(4, 1).expect("they fit");
        let bytes = after.iter().flat_map(|word| word.to_le_bytes()).collect();
        let after = [BufferData { bytes, ..job.before[0].clone() }];
        let kernel = CheckedKernel { program: &job.program, start: &start, ptx: &ptx, most: 10_000 };
        against_reference(kernel, &after).expect("the reference ends")
    }

    fn told(difference: &Difference) -> &Mismatch {
        if let Difference::Memory { mismatch, .. } = difference { mismatch } else { panic!("{difference}") }
    }

    fn mismatch(index: usize, expected: u32, found: u32, differing: usize) -> Mismatch {
        let (expected, found) = (expected.to_string(), found.to_string());
        Mismatch::Element { buffer: "out".into(), index, expected, found, differing, elements: 8 }
    }

    /// Every thread reads what its neighbour has just written, without waiting for it.
    const NEIGHBOUR: &str = "mov.u64 %a, tile;\nmad.wide.u32 %a, %t, 4, %a;\nst.shared.u32 [%a], 0;\nbar.sync 0;\n\
        st.shared.u32 [%a], %t;\n\
        xor.b32 %x, %t, 1;\nmov.u64 %a, tile;\nmad.wide.u32 %a, %x, 4, %a;\n\
        ld.shared.u32 %x, [%a];\nst.global.u32 [%out], %x;";

    #[test]
    fn a_lock_step_dependency_is_told_with_what_lock_step_leaves() {
        let found = judge(NEIGHBOUR, [1, 0, 3, 2, 5, 4, 7, 6]).expect_err("the scalar reference leaves something else");
        let Some(KernelFault::LockStep { accesses, mismatch: None }) = found.cause() else { panic!("{found:?}") };
        let scalar = told(&found);
        assert_eq!(*scalar, mismatch(0, 0, 1, 4), "thread 0 reads before thread 1 has written");
        let threads =
            ["thread 0 of block 0 reads shared address", "thread 1 of the same warp writes it", "nothing orders the two"];
        assert!(threads.iter().all(|words| accesses.contains(words)), "{accesses}");
        let said = found.to_string();
        assert!(said.starts_with(&format!("{scalar}. The kernel depends on lock-step: {accesses}.")), "{said}");
        assert!(said.ends_with(" With warps in lock-step the kernel leaves exactly this result."), "{said}");

        let found = judge(NEIGHBOUR, [1, 0, 0, 2, 5, 4, 7, 6]).expect_err("neither reference leaves this");
        let Some(KernelFault::LockStep { mismatch: against, .. }) = found.cause() else { panic!("{found:?}") };
        assert_eq!(*against, Some(mismatch(2, 3, 0, 1)), "beside lock-step's result");
        assert!(found.to_string().ends_with("nothing orders the two."), "{found}");
    }

    #[test]
    fn a_read_of_shared_memory_that_is_written_in_time_by_luck_is_the_kernels_fault() {
        let unwritten = NEIGHBOUR.replace("st.shared.u32 [%a], 0;\nbar.sync 0;\n", "");
        let found = judge(&unwritten, [1, 0, 3, 2, 5, 4, 7, 6]).expect_err("the scalar reference traps");
        assert!(matches!(found, Difference::ReadTooEarly { depends_on_lock_step: true, .. }), "{found:?}");
        let said = found.to_string();
        let parts =
            ["the kernel depends on lock-step", "nothing orders the two", "before any thread has written", "thread (0, 0, 0)"];
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
        // The other warp's word: lock-step within a warp does not help either.
        let found = judge(&unwritten.replace("%t, 1;", "%t, 4;"), [4, 5, 6, 7, 0, 1, 2, 3]).expect_err("a race");
        assert!(found.to_string().starts_with("the kernel has a race"), "{found}");
    }

    #[test]
    fn a_race_between_two_warps_is_told_with_its_element_its_values_and_both_threads() {
        // Threads 0 to 3 write the elements of threads 4 to 7 too.
        let body = "and.b32 %x, %t, 3;\nmul.wide.u32 %a, %x, 4;\nld.param.u64 %out, [out];\nadd.s64 %out, %out, %a;\n\
            st.global.u32 [%out], %t;";
        assert_eq!(judge(body, [4, 5, 6, 7, 0, 0, 0, 0]), Ok(()), "the second warp writes last");
        let found = judge(body, [4, 1, 2, 7, 0, 0, 0, 0]).expect_err("another order");
        let Some(KernelFault::Race { accesses }) = found.cause() else { panic!("{found:?}") };
        assert_eq!(*told(&found), mismatch(1, 5, 1, 2));
        let threads =
            ["thread 1 of block 0 writes global address", "thread 5 of another warp writes it", "nothing orders the two"];
        assert!(threads.iter().all(|words| accesses.contains(words)), "{accesses}");
        let said = found.to_string();
        assert!(
            said.contains("element 1: expected 5, found 1; 2 of 8 elements differ. The kernel has a race: thread 1"),
            "{said}"
        );
    }

    #[test]
    fn a_race_free_kernel_is_right_or_the_machine_is_wrong() {
        let body = "st.global.u32 [%out], %t;";
        assert_eq!(judge(body, [0, 1, 2, 3, 4, 5, 6, 7]), Ok(()));
        let found = judge(body, [0, 1, 2, 3, 4, 5, 6, 9]).expect_err("a wrong element");
        assert_eq!(
            found,
            Difference::Memory { mismatch: mismatch(7, 7, 9, 1), cause: None },
            "nothing of the kernel explains it"
        );
        // With a warp barrier between the two accesses, neighbours may read each other's word.
        let body = NEIGHBOUR.replace("xor.b32", "bar.warp.sync -1;\nxor.b32");
        assert_eq!(judge(&body, [1, 0, 3, 2, 5, 4, 7, 6]), Ok(()));
    }
}
