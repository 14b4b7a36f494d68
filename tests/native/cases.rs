//! The small kernels of `tests/forms/*.case` do what their cases say: the words left in memory, the text printed, the message of
//! a trap or of a refusal.

use crate::common::case::{self, Case};
use crate::common::kernel::{Kernel, words32};
use crate::common::lanes::{self, Seating};
use crate::common::{entries, read};
use warpscope_kernel::ptx::op::Op;

/// Far more than any case needs that ends.
const MOST_INSTRUCTIONS: u64 = 2_000_000;

macro_rules! files {
    ($($name:ident at least $least:literal,)*) => {
        $(#[test]
        fn $name() {
            check_file(stringify!($name), $least);
        })*

        #[test]
        fn every_file_of_cases_is_tested() {
            let files: Vec<String> = entries("forms").iter().filter_map(|f| f.strip_suffix(".case")).map(String::from).collect();
            assert_eq!(files, [$(stringify!($name)),*]);
        }
    };
}

files! {
    atomics at least 200,
    block at least 19,
    control at least 18,
    memory at least 263,
    traps at least 65,
    warp at least 42,
}

/// Runs every case of a file and reports all that fail.
fn check_file(name: &str, least: usize) {
    let cases = case::parse(&read(&format!("forms/{name}.case")));
    assert!(cases.len() >= least, "{name} has {} cases", cases.len());
    let failures: Vec<String> =
        cases.iter().filter_map(|case| check(case).err().map(|trouble| format!("{}: {trouble}", case.title))).collect();
    assert!(failures.is_empty(), "{} of {} cases of {name} fail\n\n{}", failures.len(), cases.len(), failures.join("\n\n"));
}

fn check(case: &Case) -> Result<(), String> {
    let kernel = match (case.kernel(), &case.refused) {
        (Ok(kernel), None) => kernel,
        (Err(message), Some(part)) if message.contains(part) => return Ok(()),
        (Err(message), _) => return Err(format!("is refused:\n{message}")),
        (Ok(_), Some(_)) => return Err("is not refused".to_string()),
    };
    let outcome = kernel.run_at_most(case.at_most.unwrap_or(MOST_INSTRUCTIONS));
    let printed = String::from_utf8_lossy(&outcome.output);
    if printed != case.prints {
        return Err(format!("prints {printed:?}, not {:?}", case.prints));
    }
    match &outcome.trap {
        None if case.traps.is_empty() => {}
        None => return Err("does not trap".to_string()),
        Some(trap) => return check_trap(case, &trap.to_string()),
    }
    check_words(case, &words32(&kernel.buffers(&outcome.global)[1].bytes), "the reference")?;
    if is_straight_line(&kernel) {
        let global = lanes::run(&kernel, Seating::Warp)?;
        check_words(case, &words32(&kernel.buffers(&global)[1].bytes), "a warp")?;
    }
    Ok(())
}

/// Checks that a trap says what happened, and names thread, PC, PTX line and source line.
fn check_trap(case: &Case, message: &str) -> Result<(), String> {
    let mut parts = case.traps.clone();
    parts.extend(["at PC ", "PTX line ", "source case.cu:"].map(String::from));
    if !message.contains("never arrive") && !message.contains("never complete") {
        parts.push("thread (".to_string());
    }
    parts.extend(case.culprit.map(|line| format!("source case.cu:{line}\n")));
    match parts.iter().find(|part| case.traps.is_empty() || !format!("{message}\n").contains(part.as_str())) {
        None => Ok(()),
        Some(part) => Err(format!("traps without saying {part:?}:\n{message}")),
    }
}

fn check_words(case: &Case, found: &[u32], who: &str) -> Result<(), String> {
    // `out` has a word even where the case expects nothing of it.
    let found = &found[..case.wanted.len().min(found.len())];
    if found == case.wanted { Ok(()) } else { Err(format!("{who}\n  leaves {found:08x?}\n  not    {:08x?}", case.wanted)) }
}

/// Whether a whole warp can run every instruction at once, independently of other warps.
fn is_straight_line(kernel: &Kernel) -> bool {
    kernel.job.program.instructions.iter().all(|instruction| {
        let op = instruction.op;
        let branches = matches!(op, Op::Bra { .. } | Op::BrxIdx | Op::Trap | Op::Printf | Op::AssertFail | Op::ActiveMask);
        !(branches || op.joins_warp() || op.is_barrier() || matches!(op, Op::Ret | Op::Exit) && instruction.guard.is_some())
    })
}
