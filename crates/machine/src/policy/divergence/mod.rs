//! The control-flow unit: tracks the threads of divergent branches.
//!
//! The machine schedules the entries of a **warp table**: an entry is a warp with threads in some of its lanes, a mask and a PC.
//! The control-flow unit owns the structure that decides which entries exist: a stack per warp, a pool, or a stack per block. The
//! machine informs it of the start of a block, of where the threads of each issued instruction go, of warps that are held at
//! barriers and released, and of every cycle. It answers with where the warp continues ([`Next`]) and with changes of the table
//! ([`Edit`]). Barriers, PTX-warp operations, exits and block ends are handled elsewhere.
//!
//! Divergence techniques differ only here: each implements [`ControlFlow`]. Those that keep warps as compiled ([`pdom`]) answer
//! with a place. Those that re-form warps ([`dwf`], [`tbc`]) edit the table:
//!
//! ```text
//!             issue                        nothing of the warp in flight
//!   entry ───────────────► Next::Go ─► entry        ┌──► left() ─► Edit::Free, Edit::Form, Edit::Grow
//!                     └──► Next::Leaves ─► (drains) ─┘
//!                     └──► Next::Gone
//!   every cycle, behind issue: cycle() ─► Edit::Form …
//! ```
//!
//! A thread never leaves its home lane, so a thread of an SM is identified by its static warp and its lane, and a dynamic warp is
//! a static warp's number for each lane: [`Members`].
//!
//! # Adding a mechanism
//! Write its file with an implementation of [`ControlFlow`], give it a row in [`DivergenceKind`] and an arm in
//! [`Divergence::new`], and name it in `config/technique.rs`.

pub mod block_stack;
pub mod compactor;
pub mod dwf;
pub mod its;
pub(crate) mod members;
pub(crate) mod pdom;
mod pdom_lcp;
pub mod tbc;
mod tbc_stall;
pub(crate) mod warp_barrier;

use crate::config::{Config, DivergenceKind};
use crate::event::Event;
use dwf::Dwf;
use its::Its;
use pdom::Pdom;
use tbc::Tbc;
use warpscope_kernel::program::Pc;
use warpscope_kernel::ptx::op::Converge;

pub use members::Members;
pub use pdom::PdomEntry;

impl DivergenceKind {
    /// Whether the mechanism has reconvergence stacks; a pool of warps has none.
    pub fn has_stack(self) -> bool {
        !matches!(self, DivergenceKind::Dwf | DivergenceKind::DwfWb | DivergenceKind::Its)
    }

    /// Whether warps are re-formed at run time.
    pub fn reforms(self) -> bool {
        !matches!(self, DivergenceKind::Pdom | DivergenceKind::PdomLcp | DivergenceKind::Its)
    }

    /// Whether threads can wait one by one, so that others of their warp go on.
    pub fn waits_by_thread(self) -> bool {
        self.reforms() || self == DivergenceKind::Its
    }

    /// Whether likely-convergence points are used.
    pub fn likely(self) -> bool {
        matches!(self, DivergenceKind::PdomLcp | DivergenceKind::TbcLcp)
    }

    /// Returns the number of warp-table entries for an SM with `warps` static warps and `threads` threads.
    pub fn entries(self, warps: u32, threads: u32) -> u32 {
        match self {
            DivergenceKind::Pdom | DivergenceKind::PdomLcp | DivergenceKind::Its => warps,
            // In the worst case every thread is a warp of its own.
            DivergenceKind::Dwf | DivergenceKind::DwfWb => threads,
            // One side of a branch at a time needs no more warps than the block has. Sides that run only because another one is
            // stuck at a barrier need further entries.
            DivergenceKind::Tbc | DivergenceKind::TbcLcp => (4 * warps).min(threads),
        }
    }
}

/// The PC of a reconvergence point that does not exist: the threads do not meet before the kernel ends.
pub const NEVER: Pc = Pc::MAX;

/// Where a warp continues: its PC and active mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// The next instruction.
    pub pc: Pc,
    /// The lanes that execute it.
    pub mask: u32,
}

/// Where the threads of an issued instruction go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow<'a> {
    /// To the next instruction.
    Next,
    /// Lanes grouped by target; no group is empty, no lane is in two. More than one group means divergence.
    Branch {
        /// Where each group of lanes goes.
        groups: &'a [Place],
        /// What the program says about the branch.
        info: BranchInfo,
    },
    /// The lanes of `mask` exit; the others go to the next instruction.
    Exit {
        /// The lanes that exit.
        mask: u32,
    },
    /// The lanes of `mask` execute an instruction of convergence barriers; all go to the next instruction.
    Converge {
        /// What it does.
        what: Converge,
        /// The lanes that execute it.
        mask: u32,
    },
    /// The lanes of `mask` wait outside of their warp until [`ControlFlow::resume`] brings them back; the others go to the next
    /// instruction.
    Park {
        /// The lanes that wait.
        mask: u32,
    },
}

/// What the program analysis knows about a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BranchInfo {
    /// Whether the branch may split a warp: neither the compiler nor the analysis marks it as uniform.
    pub may_diverge: bool,
    /// The two targets of a conditional branch, the taken one first.
    pub sides: Option<[Pc; 2]>,
    pub(crate) rpc: Option<Pc>,
    pub(crate) lpc: Option<Pc>,
}

/// How a warp continues after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The warp continues at this place.
    Go(Place),
    /// The warp leaves the table when nothing of it is in flight; then [`ControlFlow::left`] is called.
    Leaves,
    /// All threads of the warp have exited. Where warps re-form, the unit frees the entry.
    Gone,
    /// No thread of the warp can run until [`ControlFlow::resume`] brings some back.
    Waits,
}

/// A change of the warp table, or an event for the listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Edit {
    /// The entry becomes free.
    Free {
        /// The entry.
        warp: u16,
    },
    /// The entry holds a new warp of these threads, at `pc`.
    Form {
        /// The entry.
        warp: u16,
        /// Where the warp begins.
        pc: Pc,
        /// Its threads.
        members: Members,
    },
    /// The entry, which waits to be issued, gets these additional threads.
    Grow {
        /// The entry.
        warp: u16,
        /// The threads that it gets.
        members: Members,
    },
    /// The entry, whose threads waited or are joined by others, goes on at a place.
    Go {
        /// The entry.
        warp: u16,
        /// Where it goes on, with all lanes that do.
        place: Place,
    },
    /// Something that changes no entry.
    Tell(Event),
}

/// The answers of a control-flow unit, in order.
#[derive(Clone, Default)]
pub struct Edits {
    pub(crate) list: Vec<Edit>,
    /// Whether a listener wants events; not part of the machine's state.
    pub listens: bool,
}

impl std::fmt::Debug for Edits {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.list.fmt(f)
    }
}

impl std::hash::Hash for Edits {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.list.hash(state);
    }
}

impl Edits {
    pub(crate) fn tell(&mut self, event: Event) {
        if self.listens {
            self.list.push(Edit::Tell(event));
        }
    }

    /// Forms a warp, with the events that describe it.
    pub fn form(&mut self, sm: u16, warp: u16, pc: Pc, members: Members) {
        self.list.push(Edit::Form { warp, pc, members });
        self.tell(Event::Formed { sm, warp, pc, mask: members.mask });
        self.tell_members(sm, warp, &members);
    }

    pub(crate) fn free(&mut self, sm: u16, warp: u16) {
        self.list.push(Edit::Free { warp });
        self.tell(Event::Left { sm, warp });
    }

    pub(crate) fn tell_members(&mut self, sm: u16, warp: u16, members: &Members) {
        if self.listens {
            for (origin, mask) in members.parts() {
                self.list.push(Edit::Tell(Event::Member { sm, warp, origin, mask }));
            }
        }
    }
}

/// The SM and number of a warp, for events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpName {
    pub(crate) sm: u16,
    pub(crate) warp: u16,
}

/// A block that starts: its slot, its static warps, and the lanes of each that hold threads.
#[derive(Clone, Copy, Debug)]
pub struct NewBlock<'a> {
    pub(crate) slot: u16,
    pub(crate) first_warp: u16,
    /// The PC at which the block starts.
    pub pc: Pc,
    pub(crate) masks: &'a [u32],
}

/// A control-flow unit: what the machine tells a divergence mechanism, and asks of it.
///
/// Every method but [`ControlFlow::advance`] has a default for mechanisms that the question does not concern.
pub trait ControlFlow {
    /// Starts a static warp at a place, where warps stay as compiled.
    fn start(&mut self, _warp: u16, _place: Place) {}

    /// Forms the warps of a block that has become resident, where warps re-form.
    fn start_block(&mut self, _block: NewBlock, _out: &mut Edits) {}

    /// Forgets a block whose threads have all exited.
    fn end_block(&mut self, _slot: u16) {}

    /// Advances the lanes of `at.mask` of an entry, which have issued the instruction at `at.pc`.
    fn advance(&mut self, warp: u16, at: Place, flow: Flow, out: &mut Edits) -> Next;

    /// Handles an entry that is to leave and has nothing in flight any more.
    fn left(&mut self, _warp: u16, _out: &mut Edits) {}

    /// Whether threads of this warp wait for others one by one, outside of the table.
    fn parks(&self, _warp: u16) -> bool {
        false
    }

    /// Brings back parked threads of a static warp, to continue at `pc`.
    fn resume(&mut self, _members: Members, _pc: Pc, _out: &mut Edits) {}

    /// Records that a warp is held at a barrier or in an operation of its PTX warp, or is released.
    fn hold(&mut self, _warp: u16, _is_held: bool) {}

    /// Does the work of one cycle; returns whether there was any.
    fn cycle(&mut self, _out: &mut Edits) -> bool {
        false
    }

    /// Returns lanes of a static warp of the block in a slot that wait for other threads, and where, for views.
    fn waiting(&self, warp: u16, slot: u16) -> Vec<(Pc, u32)>;

    /// Returns the lanes of a static warp whose threads have not ended, where warps stay as compiled.
    fn live(&self, _warp: u16) -> u32 {
        0
    }

    /// Returns lanes of a static warp that are in no warp of the table, and where they will continue, for views.
    fn going_on(&self, _warp: u16, _slot: u16) -> Vec<(Pc, u32)> {
        Vec::new()
    }
}

/// A divergence mechanism with its state, one per SM.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Divergence {
    /// A stack for each warp, with or without likely-convergence points.
    Pdom(Pdom),
    /// A pool of warps, with or without warp barriers.
    Dwf(Box<Dwf>),
    /// A stack for each block, with or without likely-convergence points.
    Tbc(Box<Tbc>),
    /// Splits of each warp, which meet at convergence barriers.
    Its(Box<Its>),
}

impl Divergence {
    /// Creates the configured mechanism for SM number `sm` with `warps` static warps.
    pub fn new(config: &Config, sm: u16, warps: u32) -> Divergence {
        let kind = config.divergence;
        let entries = kind.entries(warps, config.max_threads);
        match kind {
            DivergenceKind::Pdom | DivergenceKind::PdomLcp => Divergence::Pdom(Pdom::new(sm, warps, kind.likely())),
            DivergenceKind::Dwf => Divergence::Dwf(Box::new(Dwf::new(sm, entries))),
            DivergenceKind::DwfWb => Divergence::Dwf(Box::new(Dwf::with_warp_barriers(sm, entries, warps))),
            DivergenceKind::Tbc | DivergenceKind::TbcLcp => {
                Divergence::Tbc(Box::new(Tbc::new(sm, warps, entries, kind.likely(), config.tbc_compaction)))
            }
            DivergenceKind::Its => Divergence::Its(Box::new(Its::new(sm, warps, config))),
        }
    }

    /// Advances an entry as [`ControlFlow::advance`] does: the one call of every instruction, without a pointer in between.
    #[inline]
    pub fn advance(&mut self, warp: u16, at: Place, flow: Flow, out: &mut Edits) -> Next {
        match self {
            Divergence::Pdom(pdom) => pdom.advance(warp, at, flow, out),
            Divergence::Dwf(dwf) => dwf.advance(warp, at, flow, out),
            Divergence::Tbc(tbc) => tbc.advance(warp, at, flow, out),
            Divergence::Its(its) => its.advance(warp, at, flow, out),
        }
    }

    /// Returns the control-flow unit, for everything else.
    pub fn unit(&mut self) -> &mut dyn ControlFlow {
        match self {
            Divergence::Pdom(pdom) => pdom,
            Divergence::Dwf(dwf) => &mut **dwf,
            Divergence::Tbc(tbc) => &mut **tbc,
            Divergence::Its(its) => &mut **its,
        }
    }

    /// Returns the control-flow unit, for views.
    pub fn view(&self) -> &dyn ControlFlow {
        match self {
            Divergence::Pdom(pdom) => pdom,
            Divergence::Dwf(dwf) => &**dwf,
            Divergence::Tbc(tbc) => &**tbc,
            Divergence::Its(its) => &**its,
        }
    }

    /// Returns the warp's stack, bottom first, for views; empty without stacks per warp.
    pub fn stack(&self, warp: u32) -> &[PdomEntry] {
        match self {
            Divergence::Pdom(pdom) => pdom.stack(warp),
            _ => &[],
        }
    }

    /// Returns the block-wide stacks, for views.
    pub fn tbc(&self) -> Option<&Tbc> {
        match self {
            Divergence::Tbc(tbc) => Some(tbc),
            _ => None,
        }
    }

    /// Returns the splits of warps and their barriers, for views.
    pub fn its(&self) -> Option<&Its> {
        match self {
            Divergence::Its(its) => Some(its),
            _ => None,
        }
    }

    /// Returns the pool of warps, for views.
    pub fn dwf(&self) -> Option<&Dwf> {
        match self {
            Divergence::Dwf(dwf) => Some(dwf),
            _ => None,
        }
    }
}
