//! Breakpoints of a playing run: an instruction, a kind of event, or a warp that issues.

use crate::view::Selection;
use serde::{Deserialize, Serialize};
use warpscope_kernel::program::Pc;
use warpscope_machine::event::{Event, EventKind};

/// The breakpoint that was hit.
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
    Event(EventKind),
}

/// The most breakpoints that are read from a link.
const MOST: usize = 4096;

/// The set breakpoints, in ascending order and without duplicates. The lists are short, so searching them is quick enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakpoints {
    /// Instructions; a breakpoint on a line of a text is one on every instruction that came from it.
    pub pcs: Vec<Pc>,
    pub kinds: Vec<EventKind>,
    /// By SM and warp slot.
    pub warps: Vec<(u16, u16)>,
}

impl Breakpoints {
    pub fn is_empty(&self) -> bool {
        self.pcs.is_empty() && self.kinds.is_empty() && self.warps.is_empty()
    }

    pub fn len(&self) -> usize {
        self.pcs.len() + self.kinds.len() + self.warps.len()
    }

    /// Adds all of these instructions, or removes them if all are there.
    pub fn toggle_pcs(&mut self, pcs: &[Pc]) {
        if pcs.iter().all(|pc| self.pcs.contains(pc)) {
            self.pcs.retain(|pc| !pcs.contains(pc));
        } else {
            pcs.iter().for_each(|pc| add(&mut self.pcs, *pc));
        }
    }

    pub fn toggle_kind(&mut self, kind: EventKind) {
        toggle(&mut self.kinds, kind);
    }

    pub fn toggle_warp(&mut self, sm: u16, warp: u16) {
        toggle(&mut self.warps, (sm, warp));
    }

    /// Returns the text for links: `divergence,w3,s1w4,pc12`.
    pub fn key(&self) -> String {
        let kinds = self.kinds.iter().map(|kind| kind.key().to_string());
        let warps = self.warps.iter().map(|&(sm, warp)| Selection::Warp { sm, warp }.key());
        let pcs = self.pcs.iter().map(|pc| format!("pc{pc}"));
        kinds.chain(warps).chain(pcs).collect::<Vec<_>>().join(",")
    }

    /// Parses what [`Breakpoints::key`] wrote, or returns the first word that is no breakpoint.
    pub fn from_key(key: &str) -> Result<Breakpoints, &str> {
        let mut all = Breakpoints::default();
        for word in key.split(',').filter(|word| !word.is_empty()).take(MOST) {
            if let Some(kind) = EventKind::from_key(word) {
                add(&mut all.kinds, kind);
            } else if let Some(Selection::Warp { sm, warp }) = Selection::from_key(word) {
                add(&mut all.warps, (sm, warp));
            } else {
                add(&mut all.pcs, word.strip_prefix("pc").and_then(|pc| pc.parse().ok()).ok_or(word)?);
            }
        }
        Ok(all)
    }
}

/// Inserts a thing in order, or removes it if it is there.
fn toggle<T: Ord>(things: &mut Vec<T>, thing: T) {
    let before = things.len();
    things.retain(|other| *other != thing);
    if things.len() == before {
        add(things, thing);
    }
}

/// Inserts a thing in order, unless it is there.
fn add<T: Ord>(things: &mut Vec<T>, thing: T) {
    let place = things.partition_point(|other| *other < thing);
    if things.get(place) != Some(&thing) {
        things.insert(place, thing);
    }
}

/// Searches the events of a cycle for a breakpoint.
pub struct BreakpointMatcher<'a> {
    breakpoints: &'a Breakpoints,
}

impl BreakpointMatcher<'_> {
    pub fn new(breakpoints: &Breakpoints) -> BreakpointMatcher<'_> {
        BreakpointMatcher { breakpoints }
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
            EventKind::of(event).filter(|kind| self.breakpoints.kinds.contains(kind)).map(Hit::Event)
        })
    }
}
