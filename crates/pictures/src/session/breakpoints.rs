//! Breakpoints of a playing run: an instruction, a kind of event, a warp that issues, or an element of a buffer that is written.

use crate::view::Selection;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use warpscope_kernel::program::Pc;
use warpscope_kernel::ptx::types::Space;
use warpscope_machine::event::{Event, EventKind};
use warpscope_machine::sim::Sim;

/// The breakpoint that was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Hit {
    /// A warp issued the instruction.
    Pc {
        /// The instruction.
        pc: Pc,
        /// The SM on which it issued.
        sm: u16,
        /// The warp that issued it.
        warp: u16,
    },
    /// The warp issued.
    Warp {
        /// The warp's SM.
        sm: u16,
        /// Its number on the SM.
        warp: u16,
        /// What it issued.
        pc: Pc,
    },
    /// An event of this kind happened.
    Event(EventKind),
    /// A lane's store or atomic writes the element.
    Write {
        /// The store or atomic.
        pc: Pc,
        /// The SM of the warp.
        sm: u16,
        /// The warp's entry of the warp table.
        warp: u16,
        /// The position in [`Breakpoints::elements`].
        element: usize,
    },
}

/// An element of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Element {
    /// The name in the launch file.
    pub buffer: String,
    /// Its number, from 0.
    pub index: u64,
    /// Size of the element.
    pub bytes: u8,
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}[{}]", self.buffer, self.index)
    }
}

impl Element {
    /// Returns the text for links: `out[12]:4`, with the size behind the colon.
    fn key(&self) -> String {
        format!("{self}:{}", self.bytes)
    }

    fn from_key(key: &str) -> Option<Element> {
        let (element, bytes) = key.rsplit_once(':')?;
        let (buffer, index) = element.strip_suffix(']')?.rsplit_once('[')?;
        let bytes = bytes.parse().ok().filter(|bytes| (1..=16).contains(bytes))?;
        Some(Element { buffer: buffer.to_string(), index: index.parse().ok()?, bytes })
    }

    /// Returns its addresses in a machine's memory; none where there is no such buffer.
    fn addresses(&self, sim: &Sim) -> Range<u64> {
        let size = u64::from(self.bytes);
        let start = sim.state.uncore.global.address_of(&self.buffer).zip(self.index.checked_mul(size));
        start.and_then(|(base, offset)| base.checked_add(offset)).map_or(0..0, |start| start..start.saturating_add(size))
    }
}

/// The most breakpoints that are read from a link.
const MOST: usize = 4096;

/// The set breakpoints, in ascending order and without duplicates. The lists are short, so searching them is quick enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakpoints {
    /// Instructions; a breakpoint on a line of a text is one on every instruction that came from it.
    pub pcs: Vec<Pc>,
    /// Kinds of events.
    pub kinds: Vec<EventKind>,
    /// By SM and warp slot.
    pub warps: Vec<(u16, u16)>,
    /// Elements of buffers that a store or an atomic writes.
    #[serde(default)]
    pub elements: Vec<Element>,
}

impl Breakpoints {
    /// Whether none is set.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many are set, of all kinds.
    pub fn len(&self) -> usize {
        self.pcs.len() + self.kinds.len() + self.warps.len() + self.elements.len()
    }

    /// Adds all of these instructions, or removes them if all are there.
    pub fn toggle_pcs(&mut self, pcs: &[Pc]) {
        if pcs.iter().all(|pc| self.pcs.contains(pc)) {
            self.pcs.retain(|pc| !pcs.contains(pc));
        } else {
            pcs.iter().for_each(|pc| add(&mut self.pcs, *pc));
        }
    }

    /// Sets a breakpoint on a kind of event, or removes it.
    pub fn toggle_kind(&mut self, kind: EventKind) {
        toggle(&mut self.kinds, kind);
    }

    /// Sets a breakpoint on a warp, or removes it.
    pub fn toggle_warp(&mut self, sm: u16, warp: u16) {
        toggle(&mut self.warps, (sm, warp));
    }

    /// Adds the element, or removes it if it is there.
    pub fn toggle_element(&mut self, element: Element) {
        toggle(&mut self.elements, element);
    }

    /// Returns the text for links: `divergence,w3,s1w4,pc12,out[12]:4`.
    pub fn key(&self) -> String {
        let kinds = self.kinds.iter().map(|kind| kind.key().to_string());
        let warps = self.warps.iter().map(|&(sm, warp)| Selection::Warp { sm, warp }.key());
        let pcs = self.pcs.iter().map(|pc| format!("pc{pc}"));
        let elements = self.elements.iter().map(Element::key);
        kinds.chain(warps).chain(pcs).chain(elements).collect::<Vec<_>>().join(",")
    }

    /// Parses what [`Breakpoints::key`] wrote, or returns the first word that is no breakpoint.
    pub fn from_key(key: &str) -> Result<Breakpoints, &str> {
        let mut all = Breakpoints::default();
        for word in key.split(',').filter(|word| !word.is_empty()).take(MOST) {
            if let Some(kind) = EventKind::from_key(word) {
                add(&mut all.kinds, kind);
            } else if let Some(Selection::Warp { sm, warp }) = Selection::from_key(word) {
                add(&mut all.warps, (sm, warp));
            } else if let Some(element) = Element::from_key(word) {
                add(&mut all.elements, element);
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

/// Breakpoints on a machine: searches events for the first that hits one.
#[derive(Clone, Debug)]
pub struct BreakpointMatcher {
    breakpoints: Breakpoints,
    /// The addresses of each element.
    elements: Vec<Range<u64>>,
    /// Slices of the machine, and lanes of each: an access of several slices is one event of the first warp's.
    slices: (u16, u16),
}

impl BreakpointMatcher {
    pub fn new(breakpoints: &Breakpoints, sim: &Sim) -> BreakpointMatcher {
        let elements = breakpoints.elements.iter().map(|element| element.addresses(sim)).collect();
        let config = &sim.machine.config;
        BreakpointMatcher { breakpoints: breakpoints.clone(), elements, slices: (config.slices as u16, config.warp_width as u16) }
    }

    /// Whether every lane of an access is needed.
    pub fn wants_lanes(&self) -> bool {
        !self.elements.is_empty()
    }

    pub fn find(&self, events: &[Event]) -> Option<Hit> {
        events.iter().find_map(|event| self.hit(event))
    }

    pub fn hit(&self, event: &Event) -> Option<Hit> {
        match *event {
            Event::Issued { sm, warp, pc, .. } if self.breakpoints.pcs.contains(&pc) => Some(Hit::Pc { pc, sm, warp }),
            Event::Issued { sm, warp, pc, .. } if self.breakpoints.warps.contains(&(sm, warp)) => {
                Some(Hit::Warp { sm, warp, pc })
            }
            Event::LaneAccess { sm, warp, pc, lane, space: Space::Global, write: true, address, bytes } => {
                let (slices, width) = self.slices;
                let warp = if slices > 1 { warp - warp % slices + u16::from(lane) / width } else { warp };
                let end = address + u64::from(bytes);
                let element = self.elements.iter().position(|range| range.start < end && address < range.end)?;
                Some(Hit::Write { pc, sm, warp, element })
            }
            _ => EventKind::of(event).filter(|kind| self.breakpoints.kinds.contains(kind)).map(Hit::Event),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_survives_a_link_and_nonsense_is_refused() {
        let element = Element { buffer: "row sums[2]".into(), index: 12, bytes: 8 };
        assert_eq!(Element::from_key(&element.key()), Some(element));
        for nonsense in ["out", "out[3]", "out[3]:0", "out[3]:17", "out[x]:4", "out:4", "[", "out]3[:4"] {
            assert_eq!(Element::from_key(nonsense), None, "{nonsense}");
        }
    }
}
