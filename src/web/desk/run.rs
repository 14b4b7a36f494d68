//! A run of the reference interpreter, from two texts to what it left.

use serde::{Deserialize, Serialize};

use super::read::{PTX_WARP, Ready, read};
use super::{ShownBuffer, Spot};
use crate::interp::reference;
use crate::interp::start::Start;
use crate::interp::trap::Trap;
use crate::launch::BufferData;
use crate::workload::{self, Workload};

/// What is to be run: texts and names alone, so that it can be sent to a worker.
#[derive(Clone, Serialize, Deserialize)]
pub struct Order {
    pub ptx: String,
    pub launch: String,
    /// The workload that the texts started from, whose files the launch may name.
    pub origin: Option<String>,
    /// The launch is still that workload's own, so its reference knows the right result.
    pub check: bool,
}

/// What a run came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    pub ending: Ending,
    pub thread_instructions: u64,
    pub seconds: f64,
    pub output: String,
    pub buffers: Vec<ShownBuffer>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Ending {
    /// Every thread reached its end.
    Done(Verdict),
    /// The kernel did something that a GPU would stop it for.
    Trapped { message: String, spot: Option<Spot> },
    /// Somebody had enough of it.
    Stopped,
    /// It could not be run.
    Failed(String),
}

/// How the result compares with the workload's reference on the host.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Verdict {
    Right,
    Wrong(String),
    /// Nobody knows what would be right.
    None,
}

impl From<Ending> for Outcome {
    /// An ending that leaves nothing to show.
    fn from(ending: Ending) -> Outcome {
        Outcome { ending, thread_instructions: 0, seconds: 0.0, output: String::new(), buffers: Vec::new() }
    }
}

/// Carries the order out, however long it takes. `clock` gives seconds.
pub fn run(order: &Order, clock: impl Fn() -> f64) -> Outcome {
    let workload = order.origin.as_deref().and_then(workload::find);
    let ready = match read(&order.ptx, &order.launch).ready {
        Ok(ready) => ready,
        Err(missing) => return Ending::Failed(missing).into(),
    };
    execute(order, &ready, workload, clock).unwrap_or_else(|message| Ending::Failed(message).into())
}

fn execute(order: &Order, ready: &Ready, workload: Option<&Workload>, clock: impl Fn() -> f64) -> Result<Outcome, String> {
    let read_file = |name: &str| match workload {
        Some(workload) => workload.read_file(name),
        None => Err("a page has no files; use the command line, or give values".into()),
    };
    let before = ready.launch.fill(&read_file).map_err(|error| error.to_string())?;
    let start = Start::new(&ready.program, &ready.launch, &before, PTX_WARP, 1).map_err(|error| error.to_string())?;
    let began = clock();
    let outcome = reference::run(&ready.program, &start, u64::MAX);
    let seconds = clock() - began;
    let after: Vec<BufferData> = before
        .iter()
        .map(|buffer| BufferData { bytes: outcome.global.read_buffer(&buffer.name).unwrap_or_default(), ..buffer.clone() })
        .collect();
    let ending = match outcome.trap {
        Some(trap) => trapped(&trap.in_text(&ready.program, &order.ptx), &order.ptx),
        None => {
            Ending::Done(match workload.filter(|_| order.check).map(|workload| workload.check(&ready.launch, &before, &after)) {
                Some(Ok(())) => Verdict::Right,
                Some(Err(mismatch)) => Verdict::Wrong(mismatch.to_string()),
                None => Verdict::None,
            })
        }
    };
    // What the kernel wrote is what one looks for first.
    let mut buffers: Vec<ShownBuffer> =
        before.iter().zip(&after).map(|(before, after)| ShownBuffer::new(before, after)).collect();
    buffers.sort_by_key(|buffer| buffer.changed == 0);
    Ok(Outcome {
        ending,
        thread_instructions: outcome.thread_instructions,
        seconds,
        output: String::from_utf8_lossy(&outcome.output).into_owned(),
        buffers,
    })
}

fn trapped(trap: &Trap, text: &str) -> Ending {
    let spot = trap.ptx_line.map(|line| {
        let written = text.lines().nth(line - 1).unwrap_or("");
        let indent = written.chars().take_while(|c| c.is_whitespace()).count();
        Spot { line, column: indent + 1, width: written.trim().chars().count() }
    });
    Ending::Trapped { message: trap.to_string(), spot }
}
