//! The inspector's card of a warp, lane or block: facts, registers, stack and instructions in flight.

use super::why::{self, Explainer, InFlight};
use super::words::{lanes, the_lanes};
use super::{Selection, WarpPicture};
use serde::{Serialize, Serializer};
use std::ops::Range;
use warpscope_machine::sim::logical::StorageThread;
use warpscope_machine::sim::state::Warp;

/// A register with its value in one lane, or in every lane of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RegisterRow {
    /// Its name in the PTX.
    pub name: String,
    /// Bits of its type: 1, 16, 32 or 64.
    pub bits: u32,
    /// Whether it holds a floating-point number; meaningful for 32 and 64 bits.
    pub float: bool,
    /// Raw values: that of the selected lane, or one for each lane of the warp that has a thread. In JSON, a value that a double
    /// cannot hold exactly is a decimal text.
    #[serde(serialize_with = "exact")]
    pub values: Vec<u64>,
    /// An instruction in flight still has to write it.
    pub pending: bool,
}

/// Serializes integers that a JavaScript number holds exactly as numbers, larger ones as decimal texts.
fn exact<S: Serializer>(values: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    const MOST: u64 = (1 << 53) - 1;
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Value {
        Number(u64),
        Text(String),
    }
    serializer.collect_seq(
        values.iter().map(|&value| if value <= MOST { Value::Number(value) } else { Value::Text(value.to_string()) }),
    )
}

/// An entry of a reconvergence stack, with the source lines of its PCs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StackRow {
    /// Where its lanes go on.
    pub pc: u32,
    /// That place in the text.
    pub line: String,
    /// Its reconvergence point; `None` where its lanes only meet at the kernel's end.
    pub rpc: Option<u32>,
    /// That place in the text.
    pub rpc_line: Option<String>,
    /// Its lanes.
    pub mask: u32,
    /// Whether it is the entry that runs.
    pub top: bool,
}

/// An instruction in flight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlightRow {
    /// Where it stands in the program.
    pub pc: u32,
    /// The instruction's text.
    pub code: String,
    /// The registers that it will write.
    pub registers: String,
    pub(crate) load: bool,
    /// Cycles until its result arrives.
    pub left: u64,
}

/// What is known about the selected warp, lane or block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Card {
    /// The heading of the card.
    pub title: String,
    /// Why it is idle, or what it does; each sentence gives the cause of the one before.
    pub why: Vec<String>,
    /// Names and values, in the order in which they are listed.
    pub facts: Vec<(&'static str, String)>,
    /// The warp's reconvergence stack, as far as its technique has one.
    pub stack: Vec<StackRow>,
    /// Instructions whose results have not arrived.
    pub flights: Vec<FlightRow>,
    /// The instructions in the I-buffer, with their PCs.
    pub buffer: Vec<(u32, String)>,
    /// Registers with their values.
    pub registers: Vec<RegisterRow>,
    /// Registers of the kernel; `registers` may hold only some of them.
    #[serde(skip)]
    pub register_count: usize,
}

/// The most entries of a block's stack that are listed.
const MOST_ENTRIES: usize = 12;

/// Returns the card of the selected warp, lane or block.
pub fn card(explainer: Explainer, selection: Selection) -> Card {
    card_with(explainer, selection, 0..usize::MAX)
}

/// Returns the card with only the `shown` registers: a view that shows a few rows reads no others.
pub fn card_with(explainer: Explainer, selection: Selection, shown: Range<usize>) -> Card {
    let why = why::why(explainer, selection);
    match selection {
        Selection::Warp { sm, warp } => match explainer.picture.warp(sm, warp) {
            Some(picture) => of_warp(explainer, picture, None, why, shown),
            None => Card { title: format!("Warp {warp}"), why, ..Card::default() },
        },
        Selection::Lane { sm, warp, lane } => match explainer.picture.warp(sm, warp) {
            Some(picture) if picture.present.checked_shr(lane.into()).unwrap_or(0) & 1 == 0 => {
                Card { title: format!("Lane {lane} of warp {warp}"), why, ..Card::default() }
            }
            Some(picture) => of_warp(explainer, picture, Some(lane), why, shown),
            None => Card { title: format!("Lane {lane} of warp {warp}"), why, ..Card::default() },
        },
        Selection::Block { sm, slot } => of_block(explainer, sm, slot, why),
    }
}

/// Returns what the PC of a warp or a lane is to it: its next instruction, its last, or the barrier at which it waits.
fn where_label(warp: &WarpPicture, lane: Option<u8>, has_left: bool) -> &'static str {
    let lanes =
        lane.map_or_else(|| warp.places.iter().find(|(pc, _)| *pc == warp.pc).map_or(0, |(_, mask)| *mask), |lane| 1 << lane);
    match has_left {
        true => "Last",
        false if warp.at_barrier & lanes != 0 => "At barrier",
        false => "Next",
    }
}

fn of_warp(explainer: Explainer, warp: &WarpPicture, lane: Option<u8>, why: Vec<String>, shown: Range<usize>) -> Card {
    let sim = explainer.sim;
    let program = &sim.machine.program;
    let stays = warp.entry.filter(|_| !warp.leaving && sim.trap().is_none());
    let filled = stays.map_or(0, |entry| sim.state.sms[usize::from(warp.sm)].warps[usize::from(entry)].filled);
    let place = |pc: u32| explainer.listing.line(pc);
    let (next, has_left) = explainer.next_of(warp, lane);
    let mut facts = vec![
        ("Block", format!("{} (slot {}), its warp {}", warp.block, warp.slot, warp.number)),
        (where_label(warp, lane, has_left), format!("PC {next}, {}", place(next))),
        ("Instruction", explainer.listing.code(program, next)),
    ];
    let there = warp.places.iter().find(|(pc, _)| *pc == warp.pc).map_or(0, |(_, mask)| mask & warp.active);
    facts.push(("Active lanes", format!("{} ({} of {})", lanes(there), there.count_ones(), warp.width)));
    let others = warp.places.iter().filter(|(pc, _)| *pc != warp.pc);
    let parted = others.map(|(pc, mask)| format!("{} at PC {pc}", the_lanes(*mask)));
    let kept = warp.kept.iter().map(|(pc, mask)| format!("{} kept for PC {pc}", the_lanes(*mask)));
    let elsewhere: Vec<String> = parted.chain(kept).collect();
    if !elsewhere.is_empty() {
        facts.push(("Elsewhere", elsewhere.join("; ")));
    }
    if let Some(gang) = why::gang::fact(&explainer, warp) {
        facts.push(("Gang", gang));
    }
    if let Some(reason) = warp.reason {
        facts.push(("Last cycle", format!("{} {}", reason.letter(), reason.label())));
    }
    if let Some(lane) = lane {
        let thread = warp.first_thread.plus(lane.into());
        let [x, y, z] = sim.machine.start.shape.tid(thread);
        facts.insert(0, ("Thread", format!("{} of its block, %tid ({x}, {y}, {z})", thread.0)));
    }
    let on = if sim.state.sms.len() > 1 { format!(" of SM {}", warp.sm) } else { String::new() };
    let stack = warp.stack.iter().enumerate().rev().map(|(at, entry)| StackRow {
        pc: entry.pc,
        line: place(entry.pc),
        rpc: entry.rpc,
        rpc_line: entry.rpc.map(place),
        mask: entry.mask,
        top: at + 1 == warp.stack.len(),
    });
    let mut flights: Vec<InFlight> =
        explainer.entries(warp).into_iter().flat_map(|(entry, _)| explainer.in_flight_in(warp.sm, entry)).collect();
    flights.sort_by_key(|flight| flight.due);
    let flights = flights.into_iter().map(|flight| FlightRow {
        pc: flight.pc,
        code: explainer.listing.code(program, flight.pc),
        registers: explainer.registers_of(flight.pc),
        load: flight.load,
        left: flight.due.saturating_sub(explainer.picture.cycle) + 1,
    });
    let buffer = (0..u32::from(filled)).map(|ahead| warp.pc + ahead).filter(|&pc| (pc as usize) < program.instructions.len());
    Card {
        title: match lane {
            Some(lane) => format!("Lane {lane} of warp {}{on}", warp.warp),
            None => format!("Warp {}{on}", warp.warp),
        },
        why,
        facts,
        stack: stack.collect(),
        flights: flights.collect(),
        buffer: buffer.map(|pc| (pc, explainer.listing.code(program, pc))).collect(),
        registers: registers(explainer, warp, lane, shown),
        register_count: program.registers.len(),
    }
}

fn registers(explainer: Explainer, warp: &WarpPicture, lane: Option<u8>, shown: Range<usize>) -> Vec<RegisterRow> {
    let sm = &explainer.sim.state.sms[usize::from(warp.sm)];
    let states: Vec<_> = explainer.entries(warp).into_iter().map(|(entry, _)| &sm.warps[usize::from(entry)]).collect();
    let Some(block) = sm.blocks[usize::from(warp.slot)].as_ref() else { return Vec::new() };
    let wanted: Vec<u32> = match lane {
        Some(lane) => vec![lane.into()],
        None => (0..warp.width).filter(|lane| warp.present >> lane & 1 != 0).collect(),
    };
    let read = |plane: u32, bits: u32, lane: u32| {
        let thread = StorageThread(warp.first_place.0 + lane);
        let low = u64::from(block.registers.word(plane, thread));
        if bits > 32 { low | u64::from(block.registers.word(plane + 1, thread)) << 32 } else { low }
    };
    let pending = |plane: u32| {
        let word = |state: &&Warp| state.pending.get(plane as usize / 64).is_some_and(|word| word >> (plane % 64) & 1 != 0);
        states.iter().any(word)
    };
    explainer
        .sim
        .machine
        .program
        .registers
        .iter()
        .take(shown.end)
        .skip(shown.start)
        .map(|register| RegisterRow {
            name: register.name.clone(),
            bits: register.bits,
            float: explainer.listing.is_float(register.plane),
            values: wanted.iter().map(|&lane| read(register.plane, register.bits, lane)).collect(),
            pending: pending(register.plane),
        })
        .collect()
}

fn of_block(explainer: Explainer, sm: u16, slot: u16, why: Vec<String>) -> Card {
    let title = format!("Block slot {slot}");
    let Some(Some(block)) = explainer.sim.state.sms.get(usize::from(sm)).and_then(|sm| sm.blocks.get(usize::from(slot))) else {
        return Card { title, why, ..Card::default() };
    };
    let [x, y, z] = block.current.ctaid;
    let last = block.first_warp + block.warps.max(1) - 1;
    let waiting: Vec<String> = block
        .current
        .barriers
        .waiting()
        .map(|(id, threads, missing)| format!("{id}: threads {}, {missing} missing", threads.ranges()))
        .collect();
    let mut facts = vec![
        ("%ctaid", format!("({x}, {y}, {z})")),
        ("Warps", if block.warps > 1 { format!("{} to {last}", block.first_warp) } else { last.to_string() }),
        ("Threads ended", format!("{} of {}", block.current.exited, explainer.sim.machine.start.shape.threads)),
    ];
    if !waiting.is_empty() {
        facts.push(("Barriers", waiting.join("; ")));
    }
    let stack = explainer.block_stack(sm, slot);
    facts.extend(
        stack
            .into_iter()
            .take(MOST_ENTRIES)
            .zip(["Stack"].into_iter().chain(std::iter::repeat("")))
            .map(|(entry, name)| (name, entry)),
    );
    Card { title: format!("Block {}", block.current.index), why, facts, ..Card::default() }
}
