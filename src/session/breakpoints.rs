//! Where a run that plays shall stop: at an instruction, at a kind of event, at a warp's turn.

use crate::event::Event;
use crate::program::Pc;
use crate::record::Kind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

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

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakpoints {
    /// Instructions; a line of a text is all instructions that came from it.
    pub pcs: BTreeSet<Pc>,
    pub kinds: BTreeSet<Kind>,
    /// By SM and slot.
    pub warps: BTreeSet<(u16, u16)>,
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
            pcs.iter().for_each(|pc| {
                self.pcs.remove(pc);
            });
        } else {
            self.pcs.extend(pcs);
        }
    }

    pub fn toggle_kind(&mut self, kind: Kind) {
        if !self.kinds.remove(&kind) {
            self.kinds.insert(kind);
        }
    }

    pub fn toggle_warp(&mut self, sm: u16, warp: u16) {
        if !self.warps.remove(&(sm, warp)) {
            self.warps.insert((sm, warp));
        }
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
