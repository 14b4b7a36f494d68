//! How a technique works, as a picture: one file a mechanism, one row in [`MECHANISMS`].
//!
//! A mechanism's picture is a function from the machine at one cycle to a [`Scene`]; lanes, stack entries and threads carry
//! keys, so that the page animates what moved where without any help. To add one: a file with such a function, and a row
//! that says for which configurations it is. Two pictures are the same whatever the technique: [`flow()`], the kernel's
//! control-flow graph, and [`at_lines()`], who is at the lines of a text.

mod at_lines;
mod dwf;
mod ended;
mod flow;
mod parts;
mod pdom;
mod tbc;
mod vws;

pub use at_lines::{LINE, Lines, draw as at_lines, warps_at};
pub use flow::draw as flow;

use crate::config::Config;
use crate::config::DivergenceKind;
use crate::event::Event;
use crate::metrics::Tally;
use crate::scene::Scene;
use crate::sim::Sim;
use crate::view::{Listing, Picture, Selection, WarpPicture};

/// What a picture is made from.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub sim: &'a Sim,
    pub picture: &'a Picture,
    pub listing: &'a Listing,
    pub selection: Option<Selection>,
    /// What happened in the last cycle.
    pub last: &'a [Event],
    /// What the run has come to up to here.
    pub tally: &'a Tally,
    /// The room there is, in pixels. A picture may be taller; then it is scrolled.
    pub width: f32,
    pub height: f32,
}

impl<'a> View<'a> {
    /// The SM that is looked at.
    fn sm(&self) -> u16 {
        self.selection.map_or(0, Selection::sm)
    }

    /// The warp that is looked at: the selected one, the first of the selected block, or the first there is.
    fn focus(&self) -> Option<&'a WarpPicture> {
        let chosen = match self.selection {
            Some(Selection::Block { sm, slot }) => self.picture.warps.iter().find(|w| (w.sm, w.slot) == (sm, slot)),
            other => other.and_then(Selection::warp).and_then(|(sm, warp)| self.picture.warp(sm, warp)),
        };
        chosen.or(self.warps().next())
    }

    /// The warps of that SM.
    fn warps(&self) -> impl Iterator<Item = &'a WarpPicture> {
        let (sm, picture) = (self.sm(), self.picture);
        picture.warps.iter().filter(move |warp| warp.sm == sm)
    }
}

/// One way of showing how threads part and meet.
pub struct Mechanism {
    /// Whether it is for machines of this configuration.
    pub shows: fn(&Config) -> bool,
    pub title: &'static str,
    /// What one sees, in the paper's terms with a gloss.
    pub about: &'static str,
    pub draw: fn(View) -> Scene<Selection>,
}

pub static MECHANISMS: &[Mechanism] = &[
    Mechanism {
        shows: |config| config.slices > 1,
        title: "Slices and gangs",
        about: "Columns are slices: parts of the lanes, each with a front end of its own. The warps that lie side by side in them \
                are an original gang; they run in lock-step until their next instructions differ. Members with a common PC stay \
                together as gangs (A to D), a warp alone at its PC becomes a singleton, which its slice schedules by itself.",
        draw: vws::draw,
    },
    Mechanism {
        shows: |config| !config.divergence.reforms(),
        title: "Reconvergence stack of each warp",
        about: "Columns are lanes, rows are entries of the selected warp's stack; the top entry runs. A divergent branch pushes \
                an entry for each side, with its mask and its RPC (reconvergence PC: where the sides meet again); an entry that \
                reaches its RPC is popped. Below: every resident warp, with what it did in the last cycle.",
        draw: pdom::draw,
    },
    Mechanism {
        shows: |config| matches!(config.divergence, DivergenceKind::Tbc | DivergenceKind::TbcLcp),
        title: "Thread block compaction",
        about: "One stack for the whole block. Warps arrive at a branch in any order and fill the masks of its two sides; when \
                WCnt (warps that have not arrived) is zero, the compactor makes as few warps as possible of the side that is \
                next, each thread in its home lane. At the reconvergence point the threads go home. An instruction for threads \
                of three static warps counts as two shared issue slots.",
        draw: tbc::draw,
    },
    Mechanism {
        shows: |config| matches!(config.divergence, DivergenceKind::Dwf | DivergenceKind::DwfWb),
        title: "Dynamic warp formation",
        about: "After each instruction a warp's threads go back to the pool, to the warp that waits at their next PC and has \
                their home lanes free. The scheduler issues from the PC with the most threads (majority), and leaves the others \
                behind. An instruction for threads of three static warps counts as two shared issue slots; against PDOM that \
                can still be a loss, where threads go on apart that PDOM would have kept together.",
        draw: dwf::draw,
    },
];

/// The picture of how a machine works now; once it has ended, what the run came to.
pub fn draw(view: View) -> Scene<Selection> {
    if view.sim.finished() && view.picture.warps.is_empty() {
        ended::draw(view)
    } else {
        (of(&view.sim.machine.config).draw)(view)
    }
}

/// The picture for a machine: the first that is for it.
pub fn of(config: &Config) -> &'static Mechanism {
    MECHANISMS.iter().find(|mechanism| (mechanism.shows)(config)).unwrap_or(&MECHANISMS[0])
}
