//! Sentences that explain why a warp, lane or block is idle, following the cause to what it waits for.
//!
//! The first sentence says what the thing does or waits for; each further one says what that is waiting for in turn. The chain
//! ends after [`CAUSES`] warps, because warps can wait for each other in a ring.
//!
//! [`cause`] has a case for each reason why a warp waits, [`lane`] one for each why a lane is idle. The other files know one cause
//! each: what a value, a unit, a gang or a block's stack makes a warp wait for.

mod asleep;
mod behind;
mod block_stack;
mod cause;
mod data;
pub(super) mod gang;
mod issued;
mod lane;
mod passed_over;
mod regrouped;
mod splits;
mod unit;

pub use self::issued::InFlight;

use super::words::{counted, cycles_so_far};
use super::{Listing, Picture, Selection, WarpPicture};
use std::rc::Rc;
use warpscope_kernel::program::Pc;
use warpscope_machine::event::Event;
use warpscope_machine::record::Record;
use warpscope_machine::sim::Sim;
use warpscope_machine::sim::choice::PassedOver;

/// The most warps that a chain of causes goes through.
const CAUSES: u32 = 3;

/// Answers which warps were passed over in the last cycle; only when asked, because the cycle has to be simulated again.
pub trait Choices {
    /// Returns them with what issued instead.
    fn passed_over(&self) -> Rc<[PassedOver]>;
}

/// What the sentences are derived from: the machine, its picture, its texts, and the history.
#[derive(Clone, Copy)]
pub struct Explainer<'a> {
    /// The machine after the last cycle.
    pub sim: &'a Sim,
    /// The same as plain data.
    pub picture: &'a Picture,
    /// The kernel's texts, which sentences quote.
    pub listing: &'a Listing,
    /// The history of the run.
    pub record: &'a Record,
    /// The events of the last cycle.
    pub last: &'a [Event],
    /// Answers why a warp was passed over; `None` leaves such sentences out.
    pub choices: Option<&'a dyn Choices>,
}

/// Returns the sentences for the selected warp, lane or block.
pub fn why(explainer: Explainer, selection: Selection) -> Vec<String> {
    match selection {
        Selection::Warp { sm, warp } => match explainer.picture.warp(sm, warp) {
            Some(picture) => explainer.warp(picture),
            None => vec![format!("Warp {warp} is not resident: there is no block in its slot now.")],
        },
        Selection::Lane { sm, warp, lane } => match explainer.picture.warp(sm, warp) {
            Some(picture) => explainer.lane(picture, lane.into()),
            None => vec![format!("Lane {lane} has no thread: warp {warp} is not resident.")],
        },
        Selection::Block { sm, slot } => explainer.block(sm, slot),
    }
}

impl Explainer<'_> {
    /// Names a place: `PC 4 (line 7)`.
    fn at(&self, pc: Pc) -> String {
        format!("PC {pc} ({})", self.listing.line(pc))
    }

    /// Names an instruction with its place: `` `add.s32`, PC 4 (line 7)``.
    fn instruction(&self, pc: Pc) -> String {
        format!("`{}`, {}", self.code(pc), self.at(pc))
    }

    /// Returns the opcode of an instruction with its modifiers: `add.s32`.
    fn code(&self, pc: Pc) -> String {
        let code = self.listing.code(&self.sim.machine.program, pc);
        let code = code.trim_end_matches(';');
        // The guard is not part of the name.
        let code = if code.starts_with('@') { code.split_once(' ').map_or(code, |(_, rest)| rest) } else { code };
        code.split_whitespace().next().unwrap_or("the end").to_string()
    }

    /// Returns how long a warp has waited for the same reason, as an aside.
    fn waited(&self, warp: &WarpPicture) -> String {
        let last = self.picture.cycle.saturating_sub(1);
        let since = self.record.track(warp.sm, warp.warp).map_or(last, |track| track.since(last));
        cycles_so_far(last + 1 - since.min(last))
    }

    fn warp(&self, warp: &WarpPicture) -> Vec<String> {
        self.cause(warp, CAUSES)
    }

    fn block(&self, sm: u16, slot: u16) -> Vec<String> {
        let state = self.sim.state.sms.get(usize::from(sm)).and_then(|sm| sm.blocks.get(usize::from(slot)));
        let Some(Some(block)) = state else { return vec![format!("Block slot {slot} is empty.")] };
        let threads = self.sim.machine.start.shape.threads;
        let mut sentences = vec![format!(
            "Block {} has {}; {} of its {threads} threads have ended.",
            block.current.index,
            counted(block.warps.into(), "warp"),
            block.current.exited
        )];
        for (id, waiting, missing) in block.current.barriers.waiting() {
            sentences.push(format!("{} of its threads wait at barrier {id}; {missing} are missing.", waiting.len()));
        }
        if self.sim.machine.config.divergence.has_stack() && self.sim.machine.reforms {
            sentences.extend(self.slowest(sm, slot, &[]));
        }
        sentences
    }
}
