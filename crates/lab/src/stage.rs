//! The stage: a kernel on a machine, with its session, its texts and its initial memory.

use super::{Finding, Notice, Origin, Ready, ShownBuffer, Stretch, grouped};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use warpscope_catalogue::Workload;
use warpscope_kernel::interp::shape::GridShape;
use warpscope_kernel::launch::BufferData;
use warpscope_kernel::program::Pc;
use warpscope_machine::config::Config;
use warpscope_machine::config::DivergenceKind;
use warpscope_machine::event::Event;
use warpscope_machine::metrics::Report;
use warpscope_machine::replay::{self, Rerun};
use warpscope_machine::sim::Sim;
use warpscope_machine::sim::footprint::{Footprint, OverBudget, memory_bytes};
use warpscope_pictures::export::chrome::ChromeTrace;
use warpscope_pictures::mechanism::Baseline;
use warpscope_pictures::mechanism::phases::Rival;
use warpscope_pictures::plot::PlottedRun;
use warpscope_pictures::session::Session;
use warpscope_pictures::view::why::{self, Explainer};
use warpscope_pictures::view::{Listing, Picture, Selection};
use warpscope_study::check::{self, Difference, KernelFault};

/// Most bytes of local memory of all resident threads; every snapshot holds a copy.
const MOST_LOCAL_BYTES: u64 = 8 << 20;
/// Memory budget of a machine with the fewest snapshots that it needs to be moved through, in bytes.
const BUDGET: u64 = 256 << 20;
/// Most cycles that the page simulates of one run.
pub const LIMIT: u64 = 5_000_000;

/// Most cycles in a trace, so that a browser can write the file at once and Perfetto can open it.
const MOST_TRACED: u64 = 50_000;

/// Most thread instructions that the scalar reference runs to judge a result: well under a second.
const MOST_CHECKED: u64 = 4_000_000;

/// How a result compares with the workload's reference on the host, or with the scalar reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResultVerdict {
    /// Every byte is the reference's.
    Right,
    /// Equals the result of warps in lock-step, on which the kernel relies without saying so; the text names the accesses.
    LockStep(String),
    /// The first difference, and its cause where that is known.
    Wrong(String),
    /// No reference knows the right result.
    Unknown,
}

/// A kernel on a machine, and the run of it that the user moves through.
pub struct Stage {
    /// The run.
    pub session: Session,
    /// The kernel's texts, line by line.
    pub listing: Rc<Listing>,
    /// The text that the launch was read from.
    pub launch: Rc<str>,
    /// The kernel's name.
    pub kernel: String,
    ready: Ready,
    /// The workload whose host reference judges the result; `None` for texts that are not its own.
    reference: Option<&'static Workload>,
    /// Cache of the last picture.
    picture: RefCell<Option<Rc<Picture>>>,
    /// Cache of the run that this one is compared with at its end, if there is one.
    pub(super) baseline: OnceCell<Option<Rc<Baseline>>>,
    /// Cache of the verdict.
    verdict: OnceCell<ResultVerdict>,
    /// The selected range of cycles: its start, and its end (exclusive).
    pub range: Option<(u64, u64)>,
    /// Cache of the runs under other schedulers.
    pub(super) rivals: OnceCell<Rc<[Rival]>>,
    /// Cache of the last stretch.
    pub(super) stretch: RefCell<Option<Rc<Stretch>>>,
}

/// A Perfetto trace that is being written, some cycles at a time.
pub struct Tracing {
    rerun: Rerun,
    trace: ChromeTrace<Vec<u8>>,
}

impl Tracing {
    /// Traces up to `most` further cycles. Returns whether cycles are left.
    pub fn advance(&mut self, most: u64) -> bool {
        self.rerun.advance(most, &mut self.trace)
    }

    /// Returns the file, up to the cycle that the trace has come to.
    pub fn finish(self) -> Option<String> {
        let cycle = self.rerun.sim().state.cycle;
        String::from_utf8(self.trace.finish(cycle).ok()?).ok()
    }
}

/// Rejects a kernel with more local memory than a page has.
fn check_local(ready: &Ready, config: &Config) -> Result<(), String> {
    let bytes = config.local_bytes(&ready.job.program, ready.job.launch.blocks(), ready.job.launch.block_threads());
    if bytes <= MOST_LOCAL_BYTES {
        return Ok(());
    }
    let (each, all, most) = (grouped(ready.job.program.local_bytes.into()), bytes >> 20, MOST_LOCAL_BYTES >> 20);
    Err(format!(
        "it keeps {each} bytes of local memory a thread, {all} MiB for all resident threads, and the page has {most}; \
         the command line has more"
    ))
}

/// Rejects a machine that needs more memory than a page has, for its snapshots and three live copies: the run, the one before a
/// step back, and the one that is asked why warps were passed over.
fn check_memory(ready: &Ready, config: &Config) -> Result<(), OverBudget> {
    let shape = GridShape::new(&ready.job.program, &ready.job.launch, config.ptx_warp, config.sms);
    let memory = memory_bytes(&ready.job.program, &ready.job.launch);
    Footprint::of(config, &ready.job.program, &shape, memory).check(config, BUDGET, replay::LEAST + 3)
}

/// Returns whether PTX warps run in lock-step: one warp holds all threads, and one stack orders a branch's sides.
fn keeps_lock_step(config: &Config) -> bool {
    matches!(config.divergence, DivergenceKind::Pdom | DivergenceKind::PdomLcp) && config.warp_width >= config.ptx_warp
}

/// Judges a kernel that relies on lock-step by the result of warps in lock-step, for which it is meant.
fn against_lock_step(difference: Difference, kept: bool) -> ResultVerdict {
    let Some(KernelFault::LockStep { accesses, mismatch }) = difference.cause() else {
        return ResultVerdict::Wrong(difference.to_string());
    };
    let Some(mismatch) = mismatch else {
        return ResultVerdict::LockStep(format!(
            "The result is that of warps in lock-step, and the kernel depends on that: {accesses}."
        ));
    };
    let how = if kept { "on the order of warps or of a branch's sides too" } else { "this technique does not keep it" };
    ResultVerdict::Wrong(format!(
        "The kernel depends on lock-step and {how}. \
         Compared with warps in lock-step: {mismatch}. The accesses: {accesses}."
    ))
}

impl Stage {
    /// Builds the machine and its session. `ptx` and `launch` are the texts that kernel and launch were read from, `cuda` is the
    /// source of the PTX, where it is known.
    pub fn new(
        ready: &Ready,
        config: Config,
        origin: Option<Origin>,
        ptx: Rc<str>,
        cuda: Option<Rc<str>>,
        launch: Rc<str>,
    ) -> Result<Stage, String> {
        Stage::check(ready, &config)?;
        // The page has no `--set` flag: keys are changed in the settings.
        let sim = Sim::of(&ready.job, config).map_err(|error| error.to_string().replace("`--set ", "`"))?;
        let session = Session::new(sim);
        let own = origin.filter(|origin| *origin.workload.ptx == *ptx && origin.launch() == &*launch);
        let reference = own.map(|origin| origin.workload);
        let listing = Listing::new(&session.sim().machine.program, ptx, cuda);
        Ok(Stage {
            session,
            listing: Rc::new(listing),
            launch,
            kernel: ready.job.program.kernel.clone(),
            ready: ready.clone(),
            reference,
            picture: RefCell::new(None),
            baseline: OnceCell::new(),
            verdict: OnceCell::new(),
            rivals: OnceCell::new(),
            range: None,
            stretch: RefCell::new(None),
        })
    }

    /// Refuses what a page has no memory for.
    pub fn check(ready: &Ready, config: &Config) -> Result<(), String> {
        check_local(ready, config)?;
        check_memory(ready, config).map_err(|error| format!("{error}; the command line has more"))
    }

    /// Returns the machine's picture at the current cycle.
    pub fn picture(&self) -> Rc<Picture> {
        let cycle = self.session.cycle();
        if let Some(picture) = self.picture.borrow().as_ref().filter(|picture| picture.cycle == cycle) {
            return picture.clone();
        }
        let picture = Rc::new(Picture::of(self.session.sim()));
        *self.picture.borrow_mut() = Some(picture.clone());
        picture
    }

    /// Returns the data that explanations are derived from.
    pub fn explainer<'a>(&'a self, picture: &'a Picture) -> Explainer<'a> {
        Explainer {
            sim: self.session.sim(),
            picture,
            listing: &self.listing,
            record: self.session.record(),
            last: self.session.last(),
            choices: Some(&self.session),
        }
    }

    /// Returns a short description of what a warp, lane or block does now, for its tooltip.
    pub fn brief(&self, selection: Selection) -> String {
        let picture = self.picture();
        let mut text = why::why(self.explainer(&picture), selection).into_iter().next().unwrap_or_default();
        if let Some(warp) = selection.warp().and_then(|(sm, warp)| picture.warp(sm, warp)) {
            text.push_str(&format!("\nActive lanes of warp {}: {:#010x}", warp.warp, warp.active));
        }
        text
    }

    /// Returns the instruction that issued in the last cycle for a static warp, or for threads of it.
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

    /// Returns the numbers up to the current cycle.
    pub fn report(&self) -> Report {
        let metrics = &self.session.replay().tally().metrics;
        Report::new(metrics, &self.session.sim().machine.config, self.session.cycle())
    }

    /// Returns the data for figures; figures of one SM show the selection's SM, and its block first.
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
            config: &machine.config,
            block_warps: machine.block_warps as u16,
            is_virtual: machine.program.wrapper.is_some(),
            barriers: machine.program.instructions.iter().any(|instruction| instruction.op.is_barrier()),
            cycle: Some(session.cycle()),
            sm: selection.map_or(0, Selection::sm),
            block: selected.map(|warp| warp.block),
        }
    }

    /// Returns the buffers at the current cycle, those that the kernel wrote first.
    pub fn buffers(&self) -> Vec<ShownBuffer> {
        let after = self.after();
        let mut shown: Vec<ShownBuffer> =
            self.ready.job.before.iter().zip(&after).map(|(before, after)| ShownBuffer::new(before, after)).collect();
        shown.sort_by_key(|buffer| buffer.changed == 0);
        shown
    }

    /// Begins a Perfetto trace of the cycles simulated so far; of a long run, only of the last ones.
    pub fn tracing(&self) -> Tracing {
        let reached = self.session.reached();
        let cycles = reached.saturating_sub(MOST_TRACED)..reached;
        let rerun = self.session.replay().rerun(cycles.clone());
        let trace = ChromeTrace::new(rerun.sim(), &self.listing.ptx, cycles, Vec::new());
        Tracing { rerun, trace }
    }

    /// Returns what the kernel has printed.
    pub fn output(&self) -> String {
        String::from_utf8_lossy(&self.session.sim().state.uncore.output).into_owned()
    }

    fn after(&self) -> Vec<BufferData> {
        self.ready.job.after(&self.session.sim().state.uncore.global)
    }

    /// Compares the result with the reference; `None` unless the run has ended without a trap.
    pub fn verdict(&self) -> Option<ResultVerdict> {
        let done = self.session.at_end() && self.session.sim().trap().is_none();
        done.then(|| self.verdict.get_or_init(|| self.judge()).clone())
    }

    /// Judges catalogue kernels by the host reference, others by the scalar reference.
    fn judge(&self) -> ResultVerdict {
        let machine = &self.session.sim().machine;
        let (program, start, ptx) = (&self.ready.job.program, &machine.start, &*self.listing.ptx);
        let subject = check::CheckedKernel { program, start, ptx, most: MOST_CHECKED };
        let after = self.after();
        if let Some(work) = self.reference {
            return match work.check(&self.ready.job.launch, &self.ready.job.before, &after) {
                Ok(()) => ResultVerdict::Right,
                Err(mismatch) => ResultVerdict::Wrong(check::explain(subject, mismatch, &after).to_string()),
            };
        }
        match check::against_reference(subject, &after) {
            Some(Ok(())) => ResultVerdict::Right,
            Some(Err(difference)) => against_lock_step(difference, keeps_lock_step(&machine.config)),
            None => ResultVerdict::Unknown,
        }
    }

    /// Returns the trap that ended the run, if one did, with its line in the PTX text.
    pub fn trap(&self) -> Option<Finding> {
        let trap = self.session.sim().trap()?.clone().in_text(&self.session.sim().machine.program, &self.listing.ptx);
        Some(Finding { place: None, message: trap.to_string(), help: None })
    }

    /// Returns the notice at the end of the run.
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
            Some(ResultVerdict::Right) => {
                Notice::good(format!("Done after {cycles} cycles. Every byte is what the reference computes."))
            }
            Some(ResultVerdict::LockStep(how)) => Notice::good(format!("Done after {cycles} cycles. {how}")),
            Some(ResultVerdict::Wrong(how)) => {
                Notice::bad(format!("Done after {cycles} cycles, but the result is not the reference's: {how}"))
            }
            _ => Notice::good(format!("Done after {cycles} cycles.")),
        }
    }
}
