//! Where a run that plays shall stop: at an instruction, at a kind of event, at a warp's turn.

use crate::event::Event;
use crate::order;
use crate::program::Pc;
use crate::record::Kind;
use serde::{Deserialize, Serialize};

/// What was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Hit {
    /// A warp issued the instruction.
    Pc {
        pc: Pc,
        sm: u16,
        warp: u16,
    },
    /// The warp issued.
    Warp {
        sm: u16,
        warp: u16,
        pc: Pc,
    },
    Event(Kind),
}

/// Everything in its order, and once: few things, for which lists are quick enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakpoints {
    /// Instructions; a line of a text is all instructions that came from it.
    pub pcs: Vec<Pc>,
    pub kinds: Vec<Kind>,
    /// By SM and slot.
    pub warps: Vec<(u16, u16)>,
}

impl Breakpoints {
    pub fn is_empty(&self) -> bool {
        self.pcs.is_empty() && self.kinds.is_empty() && self.warps.is_empty()
    }

    pub fn len(&self) -> usize {
        self.pcs.len() + self.kinds.len() + self.warps.len()
    }

    /// Adds all of these instructions, or takes them away if all are there.
    pub fn toggle_pcs(&mut self, pcs: &[Pc]) {
        if pcs.iter().all(|pc| self.pcs.contains(pc)) {
            self.pcs.retain(|pc| !pcs.contains(pc));
        } else {
            self.pcs.extend(pcs);
            order::by_key(&mut self.pcs, |pc| u64::from(*pc));
            self.pcs.dedup();
        }
    }

    pub fn toggle_kind(&mut self, kind: Kind) {
        toggle(&mut self.kinds, kind);
    }

    pub fn toggle_warp(&mut self, sm: u16, warp: u16) {
        toggle(&mut self.warps, (sm, warp));
    }
}

/// Adds a thing in its place, or takes it away if it is there.
fn toggle<T: Ord>(things: &mut Vec<T>, thing: T) {
    let before = things.len();
    things.retain(|other| *other != thing);
    if things.len() == before {
        let place = things.partition_point(|other| *other < thing);
        things.insert(place, thing);
    }
}

/// Looks for a breakpoint among the events of a cycle.
pub struct Watch<'a> {
    breakpoints: &'a Breakpoints,
}

impl Watch<'_> {
    pub fn new(breakpoints: &Breakpoints) -> Watch<'_> {
        Watch { breakpoints }
    }

    pub fn find(&self, events: &[Event]) -> Option<Hit> {
        events.iter().find_map(|event| {
            if let Event::Issued { sm, warp, pc, .. } = *event {
                if self.breakpoints.pcs.contains(&pc) {
                    return Some(Hit::Pc { pc, sm, warp });
                }
                if self.breakpoints.warps.contains(&(sm, warp)) {
                    return Some(Hit::Warp { sm, warp, pc });
                }
            }
            Kind::of(event).filter(|kind| self.breakpoints.kinds.contains(kind)).map(Hit::Event)
        })
    }
}
