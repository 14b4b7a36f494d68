//! A kernel on a machine: the session, the kernel's texts, and memory as it was before.

use super::{Finding, Notice, Origin, Ready, ShownBuffer, Stretch, grouped};
use crate::check::{self, Cause, Difference};
use crate::config::Config;
use crate::config::DivergenceKind;
use crate::event::Event;
use crate::export::chrome::ChromeTrace;
use crate::interp::shape::Shape;
use crate::launch::BufferData;
use crate::metrics::Report;
use crate::plot::PlottedRun;
use crate::program::Pc;
use crate::replay;
use crate::session::Session;
use crate::sim::Sim;
use crate::sim::footprint::{Footprint, OverBudget, memory_bytes};
use crate::view::why::{self, Witness};
use crate::view::{Listing, Picture, Selection};
use crate::workload::Workload;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// Local memory that a page has for all resident threads: every snapshot holds it.
const MOST_LOCAL_BYTES: u64 = 8 << 20;
/// What a page has for a machine, with the fewest snapshots that one can be moved through with.
const BUDGET: u64 = 256 << 20;
/// As many cycles as the page simulates of one run.
pub const LIMIT: u64 = 5_000_000;

/// As many cycles as a trace holds: a file that a browser can make at once and Perfetto opens.
const MOST_TRACED: u64 = 50_000;

/// Thread instructions that the scalar reference runs to judge a kernel that is not of the catalogue: well under a second.
const MOST_CHECKED: u64 = 4_000_000;

/// How a result compares with the workload's reference on the host, or with the scalar reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Right,
    /// What warps in lock-step leave; nothing in the kernel asks for lock-step, and this says where.
    LockStep(String),
    Wrong(String),
    /// Nobody knows what would be right.
    Unknown,
}

pub struct Stage {
    pub session: Session,
    pub listing: Rc<Listing>,
    /// The text that the launch was read from.
    pub launch: Rc<str>,
    /// The kernel's name.
    pub kernel: String,
    ready: Ready,
    /// Whose reference knows what is right: only for its own texts.
    reference: Option<&'static Workload>,
    /// The picture that was asked for last.
    picture: RefCell<Option<Rc<Picture>>>,
    /// How the result compares with the reference, once somebody has asked.
    verdict: OnceCell<Verdict>,
    /// Cycles that somebody looks at by themselves: from one up to another.
    pub range: Option<(u64, u64)>,
    /// The numbers of cycles that were asked for last.
    pub(super) stretch: RefCell<Option<Rc<Stretch>>>,
}

/// Refuses a kernel with more local memory than a page has.
fn check_local(ready: &Ready, config: &Config) -> Result<(), String> {
    let bytes = config.local_bytes(&ready.program, ready.launch.blocks(), ready.launch.block_threads());
    if bytes <= MOST_LOCAL_BYTES {
        return Ok(());
    }
    let (each, all, most) = (grouped(ready.program.local_bytes.into()), bytes >> 20, MOST_LOCAL_BYTES >> 20);
    Err(format!(
        "it keeps {each} bytes of local memory a thread, {all} MiB for all that are resident, and a page has {most}; \
         the command line has more"
    ))
}

/// Refuses a machine that needs more memory than a page has: the snapshots, and the two that are moved through.
fn check_memory(ready: &Ready, config: &Config) -> Result<(), OverBudget> {
    let shape = Shape::new(&ready.program, &ready.launch, config.ptx_warp, config.sms);
    let memory = memory_bytes(&ready.program, &ready.launch);
    Footprint::of(config, &ready.program, &shape, memory).check(config, BUDGET, replay::LEAST + 2)
}

/// Whether the threads of a PTX warp run in lock-step: one warp holds them all, and one stack orders its sides.
fn keeps_lock_step(config: &Config) -> bool {
    matches!(config.divergence, DivergenceKind::Pdom | DivergenceKind::PdomLcp) && config.warp_width >= config.ptx_warp
}

/// Judges a kernel that depends on lock-step by what warps in lock-step leave: it is meant for them.
fn against_lock_step(difference: Difference, kept: bool) -> Verdict {
    let Some(Cause::LockStep { accesses, mismatch }) = difference.cause() else {
        return Verdict::Wrong(difference.to_string());
    };
    let Some(mismatch) = mismatch else {
        return Verdict::LockStep(format!(
            "The result is what warps in lock-step leave, and the kernel depends on that: {accesses}."
        ));
    };
    let how = if kept { "on the order of warps or of a branch's sides too" } else { "this technique does not keep it" };
    Verdict::Wrong(format!(
        "The kernel depends on lock-step and {how}. \
         Beside what warps in lock-step leave: {mismatch}. The accesses: {accesses}."
    ))
}

impl Stage {
    /// `launch` is the text that the launch was read from.
    pub fn new(ready: &Ready, config: Config, origin: Option<Origin>, ptx: Rc<str>, launch: Rc<str>) -> Result<Stage, String> {
        check_local(ready, &config)?;
        check_memory(ready, &config).map_err(|error| format!("{error}; the command line has more"))?;
        // On a page a key is changed among the settings, not by a flag.
        let session = Session::new((*ready.program).clone(), config, &ready.launch, &ready.buffers)
            .map_err(|error| error.to_string().replace("`--set ", "`"))?;
        let own = origin.filter(|origin| *origin.workload.ptx == *ptx);
        let reference = own.filter(|origin| origin.launch() == &*launch).map(|origin| origin.workload);
        let listing = Listing::new(&session.sim().machine.program, ptx, own.map(|origin| origin.workload.cuda.into()));
        Ok(Stage {
            session,
            listing: Rc::new(listing),
            launch,
            kernel: ready.program.kernel.clone(),
            ready: ready.clone(),
            reference,
            picture: RefCell::new(None),
            verdict: OnceCell::new(),
            range: None,
            stretch: RefCell::new(None),
        })
    }

    /// The machine at the cycle that is looked at.
    pub fn picture(&self) -> Rc<Picture> {
        let cycle = self.session.cycle();
        if let Some(picture) = self.picture.borrow().as_ref().filter(|picture| picture.cycle == cycle) {
            return picture.clone();
        }
        let picture = Rc::new(Picture::of(self.session.sim()));
        *self.picture.borrow_mut() = Some(picture.clone());
        picture
    }

    /// What sentences draw on.
    pub fn witness<'a>(&'a self, picture: &'a Picture) -> Witness<'a> {
        Witness {
            sim: self.session.sim(),
            picture,
            listing: &self.listing,
            record: self.session.record(),
            last: self.session.last(),
        }
    }

    /// In short what a thing does now: for whoever points at it.
    pub fn brief(&self, selection: Selection) -> String {
        let picture = self.picture();
        let mut text = why::why(self.witness(&picture), selection).into_iter().next().unwrap_or_default();
        if let Some(warp) = selection.warp().and_then(|(sm, warp)| picture.warp(sm, warp)) {
            text.push_str(&format!("\nActive lanes of warp {}: {:#010x}", warp.warp, warp.active));
        }
        text
    }

    /// The instruction that issued in the last cycle for a warp, or for threads of it.
    pub fn just_issued(&self, (sm, warp): (u16, u16)) -> Option<Pc> {
        let reforms = self.session.sim().machine.reforms;
        let mut issued = None;
        self.session.last().iter().find_map(|event| match *event {
            Event::Issued { sm: s, warp: w, pc, .. } if s == sm => {
                issued = Some(pc);
                issued.filter(|_| !reforms && w == warp)
            }
            Event::IssuedFor { sm: s, origin, .. } if (s, origin) == (sm, warp) => issued,
            _ => None,
        })
    }

    /// The numbers up to the cycle that is looked at.
    pub fn report(&self) -> Report {
        let metrics = &self.session.replay().tally().metrics;
        Report::new(metrics, &self.session.sim().machine.config, self.session.cycle())
    }

    /// What figures are made from; those of one SM show the selection's, and its block first.
    pub fn run(&self, selection: Option<Selection>) -> PlottedRun<'_> {
        let (session, picture) = (&self.session, self.picture());
        let machine = &session.sim().machine;
        let selected = selection.and_then(|selection| {
            picture.warps.iter().find(|warp| match selection {
                Selection::Block { sm, slot } => (warp.sm, warp.slot) == (sm, slot),
                _ => selection.warp() == Some((warp.sm, warp.warp)),
            })
        });
        PlottedRun {
            series: session.record().series(),
            phases: session.record().phases(),
            stints: session.record().stints(),
            metrics: &session.replay().tally().metrics,
            warp_width: machine.config.warp_width,
            block_warps: machine.block_warps as u16,
            is_virtual: machine.program.wrapper.is_some(),
            barriers: machine.program.instructions.iter().any(|instruction| instruction.op.is_barrier()),
            cycle: Some(session.cycle()),
            sm: selection.map_or(0, Selection::sm),
            block: selected.map(|warp| warp.block),
        }
    }

    /// Memory at the cycle that is looked at; what the kernel wrote comes first.
    pub fn buffers(&self) -> Vec<ShownBuffer> {
        let after = self.after();
        let mut shown: Vec<ShownBuffer> =
            self.ready.buffers.iter().zip(&after).map(|(before, after)| ShownBuffer::new(before, after)).collect();
        shown.sort_by_key(|buffer| buffer.changed == 0);
        shown
    }

    /// A trace of the run as far as it is known, for Perfetto; of a long run its last cycles.
    pub fn trace(&self) -> Option<String> {
        let (known, reached) = (self.session.sim(), self.session.reached());
        let program = (*self.ready.program).clone();
        let mut sim = Sim::new(program, known.machine.config.clone(), &self.ready.launch, &self.ready.buffers).ok()?;
        let mut trace = ChromeTrace::new(&sim, &self.listing.ptx, reached.saturating_sub(MOST_TRACED)..reached, Vec::new());
        sim.run(reached, &mut trace);
        String::from_utf8(trace.finish(sim.state.cycle).ok()?).ok()
    }

    /// What the kernel has printed.
    pub fn output(&self) -> String {
        String::from_utf8_lossy(&self.session.sim().state.uncore.output).into_owned()
    }

    fn after(&self) -> Vec<BufferData> {
        let global = &self.session.sim().state.uncore.global;
        let read = |buffer: &BufferData| global.read_buffer(&buffer.name).unwrap_or_else(|| buffer.bytes.clone());
        self.ready.buffers.iter().map(|buffer| BufferData { bytes: read(buffer), ..buffer.clone() }).collect()
    }

    /// How the result compares with the reference; only a run that has ended by itself has one.
    pub fn verdict(&self) -> Option<Verdict> {
        let done = self.session.at_end() && self.session.sim().trap().is_none();
        done.then(|| self.verdict.get_or_init(|| self.judge()).clone())
    }

    /// Against the host's reference for kernels of the catalogue, and for others against the scalar one.
    fn judge(&self) -> Verdict {
        let machine = &self.session.sim().machine;
        let (program, start, ptx) = (&self.ready.program, &machine.start, &*self.listing.ptx);
        let subject = check::Subject { program, start, ptx, most: MOST_CHECKED };
        let after = self.after();
        if let Some(work) = self.reference {
            return match work.check(&self.ready.launch, &self.ready.buffers, &after) {
                Ok(()) => Verdict::Right,
                Err(mismatch) => Verdict::Wrong(check::explain(subject, mismatch, &after).to_string()),
            };
        }
        match check::against_reference(subject, &after) {
            Some(Ok(())) => Verdict::Right,
            Some(Err(difference)) => against_lock_step(difference, keeps_lock_step(&machine.config)),
            None => Verdict::Unknown,
        }
    }

    /// The trap that ended the run, if one did, in the reader's words.
    pub fn trap(&self) -> Option<Finding> {
        let trap = self.session.sim().trap()?.clone().in_text(&self.session.sim().machine.program, &self.listing.ptx);
        Some(Finding { place: None, message: trap.to_string(), help: None })
    }

    /// What to say at the end of the run.
    pub fn ending(&self) -> Notice {
        let cycles = grouped(self.session.cycle());
        if let Some(trap) = self.session.sim().trap() {
            let text = self.trap().map(|finding| finding.message).unwrap_or_default();
            let at = |pc: Pc| self.picture().warps.iter().find(|warp| warp.pc == pc).map(|warp| (warp.sm, warp.warp));
            let show = trap.pc.and_then(at).map(|(sm, warp)| Selection::Warp { sm, warp });
            let then = "← steps back to before it; E opens the kernel.";
            return Notice { show, ..Notice::bad(format!("The kernel trapped in cycle {cycles}: {text}\n{then}")) };
        }
        match self.verdict() {
            Some(Verdict::Right) => {
                Notice::good(format!("Done after {cycles} cycles. Every byte is what the reference computes."))
            }
            Some(Verdict::LockStep(how)) => Notice::good(format!("Done after {cycles} cycles. {how}")),
            Some(Verdict::Wrong(how)) => {
                Notice::bad(format!("Done after {cycles} cycles, but the result is not the reference's: {how}"))
            }
            _ => Notice::good(format!("Done after {cycles} cycles.")),
        }
    }
}
