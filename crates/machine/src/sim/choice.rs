//! Why warps that could have issued were passed over, for views of the machine.
//!
//! An issue changes the ranks that led to it, so the reason is taken where the port chooses, from the same ranks. It is kept only
//! in a cycle that [`Sim::step_with_choices`] simulates: a view repeats the cycle in question when somebody asks.

use super::Sim;
use crate::event::{Event, Sink};
use crate::policy::gang::schedule::{GangSchedule, ReadyGang};
use crate::policy::gang::{ENTRIES, MAX_SLICES};
use crate::policy::schedule::Scheduler;
use crate::policy::view::IssueView;
use crate::policy::warp_set::WarpSet;
use warpscope_kernel::program::Pc;

/// A warp that could have issued in a cycle and did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// Its SM.
    pub sm: u16,
    /// Its entry in the warp table.
    pub warp: u16,
    /// What issued instead.
    pub cause: Cause,
}

/// What issued instead of a warp. `words` says why it came first, as a relative clause: `which is older`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Its scheduler chose another warp.
    Warp {
        /// The warp that issued.
        chosen: u16,
        /// What it issued.
        pc: Pc,
        /// Why it came first.
        words: &'static str,
    },
    /// Its scheduler's policy did not let it issue, and no other warp was available.
    HeldBack,
    /// The scheduler chose another gang. Gangs are given as original gang and slices.
    Gang {
        /// The warp's own gang.
        own: (u32, u8),
        /// The gang that issued.
        chosen: (u32, u8),
        /// Why it came first.
        words: &'static str,
    },
}

/// Listens to nothing.
struct Deaf;

impl Sink for Deaf {
    fn event(&mut self, _: u64, _: Event) {}
}

impl Sim {
    /// Simulates one cycle as [`Sim::step`] does, and returns the warps that were passed over in it.
    pub fn step_with_choices(&mut self) -> Vec<PassedOver> {
        self.state.sms.iter_mut().for_each(|sm| sm.scratch.choices = Some(Vec::new()));
        self.step(&mut Deaf);
        self.state.sms.iter_mut().filter_map(|sm| sm.scratch.choices.take()).flatten().collect()
    }
}

/// Keeps why a port passed over its available warps. Those that are not in the view wait behind warps that are late.
#[inline(never)]
pub fn keep(
    choices: &mut Vec<PassedOver>,
    sm: u16,
    scheduler: &Scheduler,
    view: &IssueView,
    available: &WarpSet,
    first: Option<u32>,
) {
    for warp in available.iter(view.words).filter(|&warp| Some(warp) != first) {
        let words = |chosen: u32| match view.available.contains(warp) {
            true => scheduler.precedes(chosen, warp, view).map(|precedence| precedence.words),
            false => Some("which has been kept waiting for too long"),
        };
        let cause = match first {
            None => Some(Cause::HeldBack),
            Some(chosen) => {
                words(chosen).map(|words| Cause::Warp { chosen: chosen as u16, pc: view.warps.place(chosen).pc, words })
            }
        };
        choices.extend(cause.map(|cause| PassedOver { sm, warp: warp as u16, cause }));
    }
}

/// Keeps why a scheduler passed over gangs when it chose one. A gang that is chosen later in the cycle, or passed over again, is
/// kept anew.
#[inline(never)]
pub fn keep_gangs(
    choices: &mut Vec<PassedOver>,
    sm: u16,
    slices: u32,
    schedule: &GangSchedule,
    chosen: &ReadyGang,
    candidates: &[ReadyGang],
) {
    let name = |gang: &ReadyGang| (gang.gang / ENTRIES as u32, gang.mask);
    for gang in candidates {
        let (row, mask) = name(gang);
        choices.retain(|known| !matches!(known.cause, Cause::Gang { own, .. } if own == (row, mask)));
        let Some(words) = schedule.precedes(chosen, gang) else { continue };
        for slice in (0..MAX_SLICES as u32).filter(|slice| mask >> slice & 1 != 0) {
            let cause = Cause::Gang { own: (row, mask), chosen: name(chosen), words };
            choices.push(PassedOver { sm, warp: (row * slices + slice) as u16, cause });
        }
    }
}
