//! Whether a run left what the reference leaves, and if not, why not.
//!
//! A kernel that is not race-free may leave something else under every machine. [`explain`] tells two causes apart from a
//! mistake of the machine: a kernel that **depends on lock-step** (the scalar reference leaves another result when the
//! threads of a PTX warp run in lock-step), and a **race** between warps or blocks.

use crate::interp::races::{Conflict, Races, Touch};
use crate::interp::reference::{self, Order};
use crate::interp::start::Start;
use crate::launch::BufferData;
use crate::program::{Pc, Program};
use crate::ptx::problem::line_column;
use crate::workload::{Mismatch, compare};

/// A kernel, bound to its launch, with the text that it came from.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub program: &'a Program,
    pub start: &'a Start,
    pub ptx: &'a str,
    /// Thread instructions after which a reference gives up.
    pub most: u64,
}

/// Compares what a run left with what the scalar reference leaves. `None`: the reference takes too long.
pub fn against_reference(subject: Subject, after: &[BufferData]) -> Option<Result<(), String>> {
    let outcome = reference::run(subject.program, subject.start, subject.most);
    if let Some(trap) = outcome.trap {
        let gave_up = outcome.thread_instructions >= subject.most;
        return (!gave_up).then(|| Err(format!("the scalar reference trapped where the machine did not: {trap}")));
    }
    let bytes = |buffer: &BufferData| outcome.global.read_buffer(&buffer.name).unwrap_or_else(|| buffer.bytes.clone());
    let expected: Vec<BufferData> = after.iter().map(|buffer| BufferData { bytes: bytes(buffer), ..buffer.clone() }).collect();
    Some(compare(&expected, after).map_err(|mismatch| explain(subject, &mismatch, after)))
}

/// A difference in words, with the accesses that are to blame if the kernel itself is.
pub fn explain(subject: Subject, mismatch: &Mismatch, after: &[BufferData]) -> String {
    let cause = cause(subject, mismatch, after).map(|cause| format!(". {cause}")).unwrap_or_default();
    format!("{mismatch}{cause}")
}

fn cause(subject: Subject, mismatch: &Mismatch, after: &[BufferData]) -> Option<String> {
    let Subject { program, start, most, .. } = subject;
    let Mismatch::Element { buffer, index, .. } = mismatch else { return None };
    let mut races = Races::new(start.shape.ptx_warp);
    let scalar = reference::observe(program, start, most, Order::Threads, &mut races);
    let lock_step = reference::observe(program, start, most, Order::LockStep, &mut ());
    if scalar.trap.is_some() || lock_step.trap.is_some() {
        return None;
    }
    if scalar.global != lock_step.global {
        let conflict = races.first_within_warp.or(races.first)?;
        let is_found = |data: &BufferData| lock_step.global.read_buffer(&data.name).is_some_and(|bytes| bytes == data.bytes);
        let agrees =
            if after.iter().all(is_found) { " With its warps in lock-step the kernel leaves what was found." } else { "" };
        return Some(format!("The kernel depends on lock-step: {}.{agrees}", tell(subject, &conflict)));
    }
    let width = u64::from(after.iter().find(|data| data.name == *buffer)?.ty.bytes());
    let address = start.global.address_of(buffer)? + *index as u64 * width;
    let conflict = races.at(address, width).or(races.first)?;
    Some(format!("The kernel has a race: {}", tell(subject, &conflict)))
}

/// Two accesses that nothing orders, in words.
fn tell(subject: Subject, conflict: &Conflict) -> String {
    let Conflict { first, second, space, address } = conflict;
    let whom = match () {
        () if conflict.is_within_warp(subject.start.shape.ptx_warp) => "of the same warp",
        () if first.block == second.block => "of another warp",
        () => "of another block",
    };
    let does = |touch: &Touch| if touch.write { "writes" } else { "reads" };
    let line = |pc: Pc| {
        let instruction = &subject.program.instructions[pc as usize];
        let (line, _) = line_column(subject.ptx, instruction.span.start as usize);
        let source = instruction.place.map(|place| format!(" ({})", subject.program.place_name(place)));
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
