//! Pictures of how a machine works: one file per panel, one row in [`PANELS`].
//!
//! A panel's picture is a function from the machine at one cycle, and the room for it, to a [`Scene`] that fills the room. Lanes,
//! stack entries, threads and warps carry keys, so that the page animates what moved without further help. The stage shows every
//! panel that applies to the machine and its kernel. To add a panel, write a file with such a function and a row that says where
//! it applies. Two pictures are the same for every technique: [`flow()`], the kernel's control-flow graph, and [`at_lines()`],
//! the warps at the lines of a text.

mod at_lines;
pub mod barriers;
pub mod blocks;
mod dwf;
mod ended;
mod flow;
mod its;
pub mod lanes;
mod memory;
mod on_the_way;
mod parts;
mod pdom;
pub mod phases;
mod tbc;
mod values;
mod vws;

pub use at_lines::{LINE, VisibleLines, draw as at_lines, warps_at};
pub use ended::Baseline;
pub use flow::draw as flow;

use self::phases::Rival;
use crate::scene::Scene;
use crate::view::{Listing, Picture, Selection, WarpPicture};
use warpscope_machine::config::{DivergenceKind, FetchKind, GatingKind};
use warpscope_machine::event::Event;
use warpscope_machine::metrics::Tally;
use warpscope_machine::record::{Issue, Record};
use warpscope_machine::sim::footprint::resident_blocks;
use warpscope_machine::sim::{Machine, Sim};

/// The input of a panel's picture.
#[derive(Clone, Copy)]
pub struct PanelView<'a> {
    /// The machine after the last cycle.
    pub sim: &'a Sim,
    /// The same as plain data.
    pub picture: &'a Picture,
    /// The kernel's texts, line by line.
    pub listing: &'a Listing,
    /// What the user has selected; the picture shows its SM.
    pub selection: Option<Selection>,
    /// The events of the last cycle.
    pub last: &'a [Event],
    /// The counts of the run up to this cycle.
    pub tally: &'a Tally,
    /// The recorded history of the run, including cycles after this one.
    pub record: &'a Record,
    /// What issued in the first cycles; empty until the run has ended.
    pub issues: &'a [Issue],
    /// The run that this one is compared with once it has ended.
    pub baseline: Option<&'a Baseline>,
    /// The same kernel under other schedulers, for the panel that compares them; empty for all others.
    pub rivals: &'a [Rival],
    /// Whether to label the parts of the picture, for a first-time viewer.
    pub names_parts: bool,
    /// The register whose values stand in the threads' tokens, without its `%`; `None` for the threads' numbers.
    pub values: Option<&'a str>,
    /// The room for the picture, in pixels. A taller picture is scrolled.
    pub width: f32,
    /// The height of that room, in pixels.
    pub height: f32,
    /// The least scale at which the picture may be drawn to fit: 1, or less where the page enlarges it.
    pub least_scale: f32,
}

impl<'a> PanelView<'a> {
    /// Returns the selected SM, or the first.
    fn sm(&self) -> u16 {
        self.selection.map_or(0, Selection::sm)
    }

    /// Returns the warp to show: the selected one, the first of the selected block, or the SM's first.
    fn focus(&self) -> Option<&'a WarpPicture> {
        self.picture.focus(self.selection)
    }

    /// Returns the warps of the selected SM.
    fn warps(&self) -> impl Iterator<Item = &'a WarpPicture> {
        let (sm, picture) = (self.sm(), self.picture);
        picture.warps.iter().filter(move |warp| warp.sm == sm)
    }
}

/// When a panel is on the stage while the user has chosen none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Alone on the stage.
    Leads,
    /// Together with the others that share the stage, if several fit; else the first of them is alone.
    Beside,
    /// Not on the stage.
    OnRequest,
}

/// Writes the script of a step's film into the later of its two scenes, and may give things of the earlier one other names.
pub type Director = fn(&mut Scene<Selection>, &mut Scene<Selection>);

/// One panel of the stage.
pub struct Panel {
    /// Its place on the stage, under which the user's choice is stored. At most one panel of each name applies.
    pub name: &'static str,
    /// A word or two for the panel chooser.
    pub short: &'static str,
    /// The heading of the panel.
    pub title: &'static str,
    /// What the picture shows, in the paper's terms with a gloss.
    pub about: &'static str,
    /// Where the paper describes it.
    pub figure: &'static str,
    /// Whether it is on the stage by itself, on this machine.
    pub share: fn(&Machine) -> Share,
    /// Whether it still shows something after the run has ended.
    pub lasts: bool,
    /// Whether it applies to this machine and its kernel.
    pub applies: fn(&Machine) -> bool,
    /// The least room that its layout needs on this machine. In a larger one it is drawn larger.
    pub room: fn(&Machine) -> (f32, f32),
    /// Draws the picture.
    pub scene: fn(PanelView) -> Scene<Selection>,
    /// Writes the script of a step's film into the later of its two scenes, where that takes knowledge of both.
    pub film: Option<Director>,
}

/// The least room for the results of a run that has ended.
const ENDED: (f32, f32) = (534.0, 360.0);

/// Returns the least room for a picture of warps and their lanes.
fn by_lanes(machine: &Machine) -> (f32, f32) {
    if machine.config.warp_width <= 8 { (520.0, 336.0) } else { (880.0, 440.0) }
}

/// The name of the panel that shows how threads diverge and reconverge; every machine has one.
pub const MECHANISM: &str = "mechanism";

/// The name of the panel that compares warp-phases under several schedulers.
pub const PHASES: &str = "phases";

/// The name of the panel that shows which warp slot ran which block when.
const BLOCKS: &str = "blocks";

/// The panels, in the order in which they lie on the stage.
pub static PANELS: &[Panel] = &[
    Panel {
        name: MECHANISM,
        short: "Gangs",
        title: "Slices and gangs",
        about: "Columns are slices: parts of the lanes, each with a front end of its own. The warps that lie side by side in them \
                are an original gang; they run in lock-step until their next instructions differ. Members with a common PC stay \
                together as gangs (1.g0 is entry 0 of original gang 1), a warp alone at its PC becomes a singleton, which its slice schedules by itself.",
        figure: "VWS sections 4.1 to 4.5, figure 6",
        share: |_| Share::Beside,
        lasts: true,
        applies: |machine| machine.config.slices > 1,
        room: |_| (640.0, 430.0),
        scene: vws::draw,
        film: None,
    },
    Panel {
        name: MECHANISM,
        short: "Stack",
        title: "Reconvergence stack of each warp",
        about: "Columns are lanes, with the selected warp's threads in them by their numbers; below are the entries of its stack, of \
                which the top one runs. A divergent branch pushes an entry for each side, with its mask and its RPC (reconvergence \
                PC: where the sides meet again); the threads of the other side wait in theirs. An entry that reaches its RPC is \
                popped. All warps: every resident warp, with what it did in the last cycle.",
        figure: "TBC section 2.2.2",
        share: |_| Share::Beside,
        lasts: true,
        applies: |machine| !machine.waits_by_thread && machine.config.slices == 1,
        room: by_lanes,
        scene: pdom::draw,
        film: None,
    },
    Panel {
        name: MECHANISM,
        short: "Splits",
        title: "Splits and convergence barriers",
        about: "A warp is a list of splits: lanes that go on together. The one on top runs; at a branch its lanes part, the side with \
                fewer threads runs on and the other is next. BSSY adds lanes to a barrier, BSYNC waits there until all of the \
                barrier's lanes have come, BREAK takes lanes out that go another way. A split that has yielded lets the others go \
                first, and no barrier waits for it.",
        figure: "GPUs since 2017: independent thread scheduling",
        share: |_| Share::Beside,
        lasts: true,
        applies: |machine| machine.waits_by_thread && !machine.reforms,
        room: by_lanes,
        scene: its::draw,
        film: None,
    },
    Panel {
        name: MECHANISM,
        short: "Compaction",
        title: "Thread block compaction",
        about: "One stack for the whole block. Warps arrive at a branch in any order and fill the masks of its two sides, while their \
                threads wait; when WCnt (warps that have not arrived) is zero, the compactor makes as few warps as possible of the \
                side that is next: in each lane, one encoder picks a thread a cycle. At the reconvergence point all threads return to \
                their static warps. An instruction for threads of three static warps counts as two shared issue slots.",
        figure: "TBC sections 3.1 to 3.3, figures 7 to 9",
        share: |_| Share::Beside,
        lasts: true,
        applies: |machine| matches!(machine.config.divergence, DivergenceKind::Tbc | DivergenceKind::TbcLcp),
        room: by_lanes,
        scene: tbc::draw,
        film: Some(tbc::direct),
    },
    Panel {
        name: MECHANISM,
        short: "Warp pool",
        title: "Dynamic warp formation",
        about: "After each instruction a warp's threads go back to the pool, to the warp that waits at their next PC and has \
                their home lanes free. The scheduler issues from the PC with the most threads (majority), and leaves the others \
                behind. An instruction for threads of three static warps counts as two shared issue slots; DWF can still \
                lose to PDOM, where threads stay apart that PDOM would have reconverged.",
        figure: "TBC sections 1, 2.3 and 2.4, figure 1",
        share: |_| Share::Beside,
        lasts: true,
        applies: |machine| matches!(machine.config.divergence, DivergenceKind::Dwf | DivergenceKind::DwfWb),
        room: by_lanes,
        scene: dwf::draw,
        film: None,
    },
    Panel {
        name: "barriers",
        short: "Barriers",
        title: "Barrier board",
        about: "A track for each resident block, from its last barrier to the next. A warp's token stands where its warp-phase is: \
                as many instructions from the start as the warp has issued since the last barrier. Warps that have arrived wait at \
                the gate, which counts them; when the last one arrives, the gate opens and all start the next phase. Numbers beside the \
                tokens are the order in which the warp's scheduler would take it; ! marks critical warps: those that most others \
                wait for. Under MWF and SAWS a block's priority is its count in the warp priority table. Right: the I-buffer of each \
                warp, with what was fetched and what issued in the last cycle; red where a scheduler wants a warp without \
                instructions, but fetch served another.",
        figure: "BAWS sections 3 and 4, figures 3 and 7",
        share: |machine| {
            let decides = machine.config.block_priority.counts_barriers() || machine.config.fetch == FetchKind::Cff;
            if decides { Share::Leads } else { Share::Beside }
        },
        lasts: false,
        applies: |machine| {
            let has_barrier = machine.program.instructions.iter().any(|instruction| instruction.op.is_barrier());
            has_barrier || machine.config.block_priority.counts_barriers()
        },
        room: |_| (534.0, 340.0),
        scene: barriers::draw,
        film: None,
    },
    Panel {
        name: PHASES,
        short: "Warp-phases",
        title: "Warp-phases under three schedulers",
        about: "The same kernel under LRR, GTO and BAWS, on one axis of time, up to the cycle on the stage. A row for each warp: dark \
                while it executes towards the next barrier, pale while it waits there for the last warp of its block. Where the \
                dark parts end under each other, warps arrive together.",
        figure: "BAWS figures 3 and 4",
        share: |_| Share::OnRequest,
        lasts: true,
        applies: |machine| machine.program.instructions.iter().any(|instruction| instruction.op.is_barrier()),
        room: |_| (600.0, 380.0),
        scene: phases::draw,
        film: None,
    },
    Panel {
        name: "lanes",
        short: "Lanes",
        title: "INT and FP lanes",
        about: "Each SP unit has an INT and an FP pipeline of 32 lanes in clusters of 4. A roll shows what its lanes did: the \
                front edge is the current cycle, earlier ones flow down. A lane that has been empty for idle-detect cycles is \
                switched off; it has to stay off for break-even cycles to save what switching costs, and takes a few cycles to \
                wake. Warp Folding sends a warp through in two halves on the lower lanes of each cluster, so that the upper ones \
                can sleep: above, the second half waits in the register, slides onto the lanes of the first, and back to its own \
                in the results. Phases say which type folds for how long. Below each roll: the share of leakage saved, and what \
                switching cost.",
        figure: "Origami figures 5 and 8",
        share: |_| Share::Leads,
        lasts: true,
        applies: |machine| machine.config.gating != GatingKind::Off,
        room: by_lanes,
        scene: lanes::draw,
        film: None,
    },
    Panel {
        name: "memory",
        short: "Memory",
        title: "Accesses to memory",
        about: "The memory instructions of the last cycle: a path from each lane to the cache line that it wants, or to its bank of \
                shared memory. Lanes that want the same line share a transaction; below it stands what it found in the L1 cache: \
                hit, miss, or merged (the line was already requested). A bank that is asked for several words is a conflict, and \
                serves one after the other. In other cycles: the loads on their way, and how long each still needs.",
        figure: "TBC section 2.1; VWS figure 4",
        share: |_| Share::OnRequest,
        lasts: false,
        applies: |machine| machine.program.instructions.iter().any(|instruction| instruction.op.is_memory()),
        room: |_| (600.0, 360.0),
        scene: memory::draw,
        film: None,
    },
    Panel {
        name: BLOCKS,
        short: "Blocks",
        title: "Virtual blocks",
        about: "A row for each warp slot, time to the right. The dispenser hands out logical blocks by number; each stretch has the \
                colour of the logical block whose warp the slot runs. A virtual warp that has finished its warp starts the next \
                logical block at once, at most one ahead of its siblings. Red: here the slot would wait for the other warps of the \
                block, if blocks were not virtual. Right, under VTW: the warps that could issue, in the scheduler's groups.",
        figure: "VTW section 4, figure 1(b)",
        share: |_| Share::Leads,
        lasts: true,
        applies: |machine| machine.program.wrapper.is_some(),
        room: |_| (600.0, 360.0),
        scene: blocks::draw,
        film: None,
    },
    Panel {
        name: BLOCKS,
        short: "Blocks",
        title: "Blocks over time",
        about: "A row for each warp slot, time to the right. The dispenser hands out blocks by number, as soon as a slot is free; each \
                stretch has the colour of its block. Red: the warp has ended, and its slot waits for the other warps of the block. \
                The techniques of VTW use that time.",
        figure: "VTW section 3, figure 1(a)",
        share: |_| Share::OnRequest,
        lasts: true,
        applies: |machine| machine.program.wrapper.is_none() && hands_out_later(machine),
        room: |_| (600.0, 360.0),
        scene: blocks::draw,
        film: None,
    },
];

/// Returns whether some blocks can start only when others have ended.
fn hands_out_later(machine: &Machine) -> bool {
    let shape = &machine.start.shape;
    machine.block_warps > 1 && shape.blocks() > resident_blocks(&machine.config, &machine.program, shape)
}

/// Returns the panels for a machine and its kernel; after the run's end only those that still show something.
pub fn panels(sim: &Sim) -> Vec<&'static Panel> {
    let has_ended = has_ended(sim);
    PANELS.iter().filter(|panel| (panel.applies)(&sim.machine) && (!has_ended || panel.lasts)).collect()
}

/// Returns the panel that shows most of a machine: the one that leads, else the first.
pub fn leading(sim: &Sim) -> Option<&'static Panel> {
    let panels = panels(sim);
    panels.iter().copied().find(|panel| (panel.share)(&sim.machine) == Share::Leads).or(panels.first().copied())
}

/// Returns whether the run has ended and no block is resident.
fn has_ended(sim: &Sim) -> bool {
    sim.finished() && sim.state.sms.iter().all(|sm| sm.blocks.iter().all(Option::is_none))
}

impl Panel {
    /// Draws the panel for the current cycle; after the run's end the mechanism panel shows the run's results.
    pub fn draw(&self, view: PanelView) -> Scene<Selection> {
        let (draw, (width, height)): (fn(PanelView) -> Scene<Selection>, _) = match has_ended(view.sim) && self.name == MECHANISM
        {
            true => (ended::draw, ENDED),
            false => (self.scene, (self.room)(&view.sim.machine)),
        };
        let scale = (view.width / width).min(view.height / height);
        // In steps, so that a window that is drawn larger does not change the picture with every pixel.
        let scale = ((scale * 4.0).floor() / 4.0).max(view.least_scale);
        let view = PanelView { width: view.width / scale, height: view.height / scale, ..view };
        let mut scene = draw(view);
        if let Some(register) = view.values.filter(|_| !has_ended(view.sim)) {
            values::write(&mut scene, &view, register);
        }
        scene.scaled(scale)
    }

    /// Prepares two scenes of this panel for the film of the step from the earlier to the later one.
    pub fn direct(&self, earlier: &mut Scene<Selection>, later: &mut Scene<Selection>) {
        if let Some(film) = self.film {
            film(earlier, later);
        }
    }
}
