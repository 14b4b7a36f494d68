//! How the threads of a divergent branch are tracked: the control-flow unit.
//!
//! The machine schedules the entries of a **warp table**: an entry is a warp with a thread in some of its lanes, a mask and
//! a PC. The control-flow unit owns whatever decides which entries there are: a stack for each warp, a pool, a stack for
//! each block. It is told of a block's start, of where the threads of each issued instruction go, of warps that are held at
//! barriers and let go again, and of every cycle; it answers with where the warp goes on ([`Next`]) and with changes of the
//! table ([`Edit`]). Barriers, PTX-warp operations, exits and block ends are not its business.
//!
//! Techniques differ here and nowhere else. Those that keep warps as they were compiled ([`pdom`]) answer with a place and
//! are done. Those that re-form warps ([`dwf`], [`tbc`]) implement [`Reforms`]:
//!
//! ```text
//!             issue                        nothing of the warp in flight
//!   entry ───────────────► Next::Go ─► entry        ┌──► left() ─► Edit::Free, Edit::Form, Edit::Grow
//!                     └──► Next::Leaves ─► (drains) ─┘
//!                     └──► Next::Gone
//!   every cycle, behind issue: cycle() ─► Edit::Form …
//! ```
//!
//! A thread never leaves its home lane, so a thread of an SM is known by its static warp and its lane, and a dynamic warp is
//! a static warp's number for each lane: [`Members`].
//!
//! # Adding a mechanism
//! Write its file, give it a row in [`DivergenceKind`] and an arm in [`Divergence::new`], and, if it re-forms warps, in
//! [`Divergence::reforms`]; then name it in `config/technique.rs`.

pub mod block_stack;
pub mod compactor;
pub mod dwf;
pub mod members;
pub mod pdom;
mod pdom_lcp;
pub mod tbc;
mod tbc_stall;
pub mod warp_barrier;

use crate::config::{Config, DivergenceKind};
use crate::event::Event;
use crate::program::Pc;
use dwf::Dwf;
use pdom::Pdom;
use tbc::Tbc;

pub use members::Members;
pub use pdom::Entry;

impl DivergenceKind {
    /// Whether it keeps a reconvergence stack; a pool of warps has none.
    pub fn has_stack(self) -> bool {
        !matches!(self, DivergenceKind::Dwf | DivergenceKind::DwfWb)
    }

    /// Whether warps are taken apart and put together anew at run time.
    pub fn reforms(self) -> bool {
        !matches!(self, DivergenceKind::Pdom | DivergenceKind::PdomLcp)
    }

    /// Whether likely-convergence points are looked at.
    pub fn likely(self) -> bool {
        matches!(self, DivergenceKind::PdomLcp | DivergenceKind::TbcLcp)
    }

    /// Entries of the warp table that an SM with so many static warps and threads needs.
    pub fn entries(self, warps: u32, threads: u32) -> u32 {
        match self {
            DivergenceKind::Pdom | DivergenceKind::PdomLcp => warps,
            // In the worst case every thread is a warp of its own.
            DivergenceKind::Dwf | DivergenceKind::DwfWb => threads,
            // One side of a branch at a time needs no more warps than the block has; sides that only run because another
            // one is stuck at a barrier come on top.
            DivergenceKind::Tbc | DivergenceKind::TbcLcp => (4 * warps).min(threads),
        }
    }
}

/// The PC of a meeting point that does not exist: threads meet nobody before the kernel ends.
pub const NEVER: Pc = Pc::MAX;

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
    Branch { groups: &'a [Place], meeting: Meeting },
    /// The lanes of `mask` are gone; the others go to the next instruction.
    Exit { mask: u32 },
    /// The lanes of `mask` wait outside of their warp, to be brought back by [`Reforms::resume`]; the others go to the next
    /// instruction.
    Park { mask: u32 },
}

/// What is known of a branch before anybody takes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meeting {
    /// The compiler has not promised that all threads of a warp agree.
    pub may_diverge: bool,
    /// The two places that a conditional branch leads to, the taken one first.
    pub sides: Option<[Pc; 2]>,
    pub rpc: Option<Pc>,
    pub lpc: Option<Pc>,
}

/// Where a warp is after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It goes on there.
    Go(Place),
    /// It leaves the table as soon as nothing of it is in flight; [`Reforms::left`] is told then.
    Leaves,
    /// Its threads are gone.
    Gone,
}

/// A change of the warp table, or something to tell those who listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The entry holds nobody any more.
    Free {
        warp: u16,
    },
    /// The entry holds these threads, at `pc`.
    Form {
        warp: u16,
        pc: Pc,
        members: Members,
    },
    /// The entry, which waits to be issued, holds these threads in addition.
    Grow {
        warp: u16,
        members: Members,
    },
    Tell(Event),
}

/// Answers of a control-flow unit, in order.
#[derive(Clone, Default)]
pub struct Edits {
    pub list: Vec<Edit>,
    /// Whether anybody wants to be told. Not a part of the machine's state.
    pub listens: bool,
}

impl std::fmt::Debug for Edits {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.list.fmt(f)
    }
}

impl Edits {
    pub fn tell(&mut self, event: Event) {
        if self.listens {
            self.list.push(Edit::Tell(event));
        }
    }

    /// Puts a warp together, telling who is in it.
    pub fn form(&mut self, sm: u16, warp: u16, pc: Pc, members: Members) {
        self.list.push(Edit::Form { warp, pc, members });
        self.tell(Event::Formed { sm, warp, pc, mask: members.mask });
        self.tell_members(sm, warp, &members);
    }

    pub fn free(&mut self, sm: u16, warp: u16) {
        self.list.push(Edit::Free { warp });
        self.tell(Event::Left { sm, warp });
    }

    pub fn tell_members(&mut self, sm: u16, warp: u16, members: &Members) {
        if self.listens {
            for (origin, mask) in members.parts() {
                self.list.push(Edit::Tell(Event::Member { sm, warp, origin, mask }));
            }
        }
    }
}

/// A warp's number on an SM, for events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpName {
    pub sm: u16,
    pub warp: u16,
}

/// A block that starts: where its static warps are, and which of their lanes hold threads.
#[derive(Clone, Copy, Debug)]
pub struct NewBlock<'a> {
    pub slot: u16,
    pub first_warp: u16,
    /// Where it begins.
    pub pc: Pc,
    pub masks: &'a [u32],
}

/// A mechanism that re-forms warps.
pub trait Reforms {
    fn start_block(&mut self, block: NewBlock, out: &mut Edits);

    fn end_block(&mut self, slot: u16);

    /// The lanes of `at.mask` of an entry have issued the instruction at `at.pc`.
    fn advance(&mut self, warp: u16, at: Place, flow: Flow, out: &mut Edits) -> Next;

    /// An entry that was to leave has nothing in flight any more.
    fn left(&mut self, warp: u16, out: &mut Edits);

    /// Whether threads of this warp that wait for others do so one by one, outside of the table.
    fn parks(&self, warp: u16) -> bool;

    /// Threads of a static warp that were parked go on at `pc`.
    fn resume(&mut self, members: Members, pc: Pc, out: &mut Edits);

    /// A warp is held at a barrier or in an operation of PTX warps, or goes on from there.
    fn hold(&mut self, _warp: u16, _is_held: bool) {}

    /// A cycle's work; whether there was any.
    fn cycle(&mut self, _out: &mut Edits) -> bool {
        false
    }
}

/// A divergence mechanism with its memory, one for each SM.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Divergence {
    Pdom(Pdom),
    Dwf(Box<Dwf>),
    Tbc(Box<Tbc>),
}

impl Divergence {
    /// For the SM of that number with so many static warps.
    pub fn new(config: &Config, sm: u16, warps: u32) -> Divergence {
        let kind = config.divergence;
        let entries = kind.entries(warps, config.max_threads);
        match kind {
            DivergenceKind::Pdom | DivergenceKind::PdomLcp => Divergence::Pdom(Pdom::new(warps, kind.likely())),
            DivergenceKind::Dwf => Divergence::Dwf(Box::new(Dwf::new(sm, entries))),
            DivergenceKind::DwfWb => Divergence::Dwf(Box::new(Dwf::with_warp_barriers(sm, entries, warps))),
            DivergenceKind::Tbc | DivergenceKind::TbcLcp => {
                Divergence::Tbc(Box::new(Tbc::new(sm, warps, entries, kind.likely(), config.tbc_compaction)))
            }
        }
    }

    /// The mechanism, if it re-forms warps.
    pub fn reforms(&mut self) -> Option<&mut dyn Reforms> {
        match self {
            Divergence::Pdom(_) => None,
            Divergence::Dwf(dwf) => Some(&mut **dwf),
            Divergence::Tbc(tbc) => Some(&mut **tbc),
        }
    }

    /// A static warp begins at a place.
    pub fn start(&mut self, warp: WarpName, place: Place) {
        if let Divergence::Pdom(pdom) = self {
            pdom.start(warp, place);
        }
    }

    /// The warp's stack, bottom first, for those who look on; empty where warps have none.
    pub fn stack(&self, warp: u32) -> &[Entry] {
        match self {
            Divergence::Pdom(pdom) => pdom.stack(warp),
            _ => &[],
        }
    }

    /// Lanes of a static warp that wait for other threads, and where: for those who look on.
    pub fn waiting(&self, warp: u32, slot: u16) -> Vec<(Pc, u32)> {
        match self {
            Divergence::Pdom(pdom) => pdom.waiting(warp),
            Divergence::Tbc(tbc) => tbc.block(slot).map_or_else(Vec::new, |stack| stack.waiting(warp as u16)),
            Divergence::Dwf(dwf) => {
                dwf.warp_barrier(warp as u16).map(|barrier| (barrier.pc, barrier.arrived)).into_iter().collect()
            }
        }
    }

    /// Lanes of a static warp that are in no warp of the table, and where they will go on: for those who look on.
    pub fn going_on(&self, warp: u32, slot: u16) -> Vec<(Pc, u32)> {
        match self {
            Divergence::Pdom(_) => Vec::new(),
            Divergence::Tbc(tbc) => tbc.block(slot).map_or_else(Vec::new, |stack| stack.going_on(warp as u16)),
            Divergence::Dwf(_) => self.waiting(warp, slot),
        }
    }

    /// The block-wide stacks, for those who look on.
    pub fn tbc(&self) -> Option<&Tbc> {
        match self {
            Divergence::Tbc(tbc) => Some(tbc),
            _ => None,
        }
    }

    /// The pool of warps, for those who look on.
    pub fn dwf(&self) -> Option<&Dwf> {
        match self {
            Divergence::Dwf(dwf) => Some(dwf),
            _ => None,
        }
    }
}
