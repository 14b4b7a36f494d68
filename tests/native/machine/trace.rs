//! A run as a table to check by eye: a row a cycle, with what every warp did or waited for, and what issued.
//!
//! ```text
//! cycle warps issued                 lanes stack afterwards
//!     2 IN    w0  2 @%p bra OTHER;   0123  [11 - 0123] [3 11 012] [10 11 3]
//! ```
//!
//! A stack entry is PC, reconvergence PC and lanes; the last one runs. Letters are those of `Reason`.

use std::fmt::Write;
use warpscope_machine::event::{Event, Log, Reason};
use warpscope_machine::policy::divergence::{NEVER, PdomEntry};
use warpscope_machine::sim::Sim;

/// One instruction of a warp, with the stack that it left.
pub struct Issue {
    pub cycle: u64,
    pub warp: u16,
    pub pc: u32,
    pub mask: u32,
    pub stack: String,
}

pub struct Trace {
    pub issues: Vec<Issue>,
    /// The letters of all warps, cycle by cycle.
    pub reasons: Vec<String>,
}

impl Trace {
    /// Steps a machine of one SM to its end.
    pub fn record(sim: &mut Sim) -> Trace {
        let mut warps: Vec<Option<Reason>> = vec![None; sim.machine.block_warps as usize];
        let mut trace = Trace { issues: Vec::new(), reasons: Vec::new() };
        while !sim.finished() {
            let mut log = Log::default();
            sim.step(&mut log);
            for (cycle, event) in log.events {
                match event {
                    Event::Warp { warp, reason, .. } => warps[usize::from(warp)] = reason,
                    Event::Issued { warp, pc, mask, .. } => {
                        let stack = stack(sim.state.sms[0].divergence.stack(warp.into()));
                        trace.issues.push(Issue { cycle, warp, pc, mask, stack });
                    }
                    _ => {}
                }
            }
            trace.reasons.push(warps.iter().map(|reason| reason.map_or('.', Reason::letter)).collect());
        }
        trace
    }

    /// Returns the table, with the instructions' text.
    pub fn table(&self, sim: &Sim, text: &str) -> String {
        let mut out = String::from("cycle warps issued                             lanes stack afterwards\n");
        for (cycle, reasons) in self.reasons.iter().enumerate() {
            let _ = write!(out, "{cycle:>5} {reasons:<5}");
            for issue in self.issues.iter().filter(|issue| issue.cycle == cycle as u64) {
                let instruction = sim.machine.program.instructions[issue.pc as usize].span.text(text);
                let _ =
                    write!(out, " w{} {:>2} {instruction:<28} {:<5} {}", issue.warp, issue.pc, lanes(issue.mask), issue.stack);
            }
            out.truncate(out.trim_end().len());
            out.push('\n');
        }
        out
    }

    /// Returns the stack that each instruction of a warp left, in order.
    pub fn stacks(&self, warp: u16) -> Vec<&str> {
        self.issues.iter().filter(|issue| issue.warp == warp).map(|issue| issue.stack.as_str()).collect()
    }
}

/// Formats a stack as `[pc rpc lanes]` from the bottom up; `-` stands for no reconvergence point before the end.
pub fn stack(entries: &[PdomEntry]) -> String {
    let rpc = |entry: &PdomEntry| if entry.rpc == NEVER { "-".to_string() } else { entry.rpc.to_string() };
    entries.iter().map(|entry| format!("[{} {} {}]", entry.pc, rpc(entry), lanes(entry.mask))).collect::<Vec<_>>().join(" ")
}

/// Returns the numbers of a mask's lanes.
pub fn lanes(mask: u32) -> String {
    (0..32).filter(|lane| mask >> lane & 1 != 0).map(|lane| lane.to_string()).collect()
}
