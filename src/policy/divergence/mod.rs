//! How the threads of a divergent branch are tracked: the control-flow unit.
//!
//! It is told when a warp starts, and after each issued instruction where its threads go; it answers with the place where
//! the warp goes on. Barriers, PTX-warp operations and block ends are not its business.

mod pdom;

use crate::event::Event;
use crate::program::Pc;
use pdom::Pdom;

super::kinds! {
    /// The divergence mechanisms.
    DivergenceKind {
        /// A reconvergence stack for each warp.
        Pdom = "PDOM",
    }
}

/// Where a warp goes on, and with which of its lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    pub pc: Pc,
    pub mask: u32,
}

/// Where the threads of an issued instruction go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow<'a> {
    /// To the next instruction.
    Next,
    /// Lanes to places, none empty and none named twice; more than one means divergence.
    Branch { groups: &'a [Place], rpc: Option<Pc>, lpc: Option<Pc> },
    /// The lanes of `mask` are gone; the others go to the next instruction.
    Exit { mask: u32 },
}

/// A warp's number on an SM, for events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpName {
    pub sm: u16,
    pub warp: u16,
}

/// A divergence mechanism with its memory, one for each SM.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Divergence {
    Pdom(Pdom),
}

impl Divergence {
    pub fn new(kind: DivergenceKind, warps: u32) -> Divergence {
        match kind {
            DivergenceKind::Pdom => Divergence::Pdom(Pdom::new(warps)),
        }
    }

    /// A warp begins at the kernel's first instruction with the lanes of `mask`.
    pub fn start(&mut self, warp: WarpName, mask: u32) -> Place {
        match self {
            Divergence::Pdom(pdom) => pdom.start(warp, mask),
        }
    }

    /// Where the warp goes on after an instruction; `None` when all its threads are gone.
    #[inline]
    pub fn advance(&mut self, warp: WarpName, flow: Flow, emit: &mut impl FnMut(Event)) -> Option<Place> {
        match self {
            Divergence::Pdom(pdom) => pdom.advance(warp, flow, emit),
        }
    }

    /// The warp's stack, bottom first, for those who look on.
    pub fn stack(&self, warp: u32) -> &[pdom::Entry] {
        match self {
            Divergence::Pdom(pdom) => pdom.stack(warp),
        }
    }
}

pub use pdom::{Entry, NEVER};
