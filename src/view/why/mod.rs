//! Sentences that explain why a warp, lane or block is idle, following the cause to what it waits for.
//!
//! The first sentence says what the thing does or waits for; each further one says what that is waiting for in turn. The chain
//! ends after [`CAUSES`] warps, because warps can wait for each other in a ring.

mod asleep;
mod behind;
pub(super) mod gang;
mod passed_over;
mod regrouped;

use super::words::{counted, cycles_so_far, in_cycles, the_lanes, the_warps};
use super::{Listing, Picture, Selection, WarpPicture};
use crate::event::{Event, Reason, SCATTERED, StallCause};
use crate::program::{Pc, RegisterInfo};
use crate::record::Record;
use crate::sim::Sim;
use crate::sim::choice::PassedOver;
use crate::sim::decode::{Decoded, Unit};
use crate::sim::memory::UnitHold;
use crate::sim::wheel::Done;
use std::rc::Rc;

/// The most warps that a chain of causes goes through.
const CAUSES: u32 = 3;

/// Answers which warps were passed over in the last cycle; only when asked, because the cycle has to be simulated again.
pub trait Choices {
    fn passed_over(&self) -> Rc<[PassedOver]>;
}

/// What the sentences are derived from: the machine, its picture, its texts, and the history.
#[derive(Clone, Copy)]
pub struct Explainer<'a> {
    pub sim: &'a Sim,
    pub picture: &'a Picture,
    pub listing: &'a Listing,
    pub record: &'a Record,
    /// The events of the last cycle.
    pub last: &'a [Event],
    pub choices: Option<&'a dyn Choices>,
}

/// An issued instruction whose result has not arrived yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InFlight {
    pub pc: Pc,
    pub load: bool,
    /// The cycle in which the result arrives.
    pub due: u64,
}

/// Returns the sentences for the selected warp, lane or block.
pub fn why(explainer: Explainer, selection: Selection) -> Vec<String> {
    match selection {
        Selection::Warp { sm, warp } => match explainer.picture.warp(sm, warp) {
            Some(picture) => explainer.warp(picture),
            None => vec![format!("Warp {warp} is not resident: there is no block in its slot now.")],
        },
        Selection::Lane { sm, warp, lane } => match explainer.picture.warp(sm, warp) {
            Some(picture) => explainer.lane(picture, lane.into()),
            None => vec![format!("Lane {lane} has no thread: warp {warp} is not resident.")],
        },
        Selection::Block { sm, slot } => explainer.block(sm, slot),
    }
}

impl Explainer<'_> {
    pub(super) fn at(&self, pc: Pc) -> String {
        format!("PC {pc} ({})", self.listing.line(pc))
    }

    pub(super) fn code(&self, pc: Pc) -> String {
        let code = self.listing.code(&self.sim.machine.program, pc);
        let code = code.trim_end_matches(';');
        // The guard is not part of the name.
        let code = if code.starts_with('@') { code.split_once(' ').map_or(code, |(_, rest)| rest) } else { code };
        code.split_whitespace().next().unwrap_or("the end").to_string()
    }

    pub(super) fn waited(&self, warp: &WarpPicture) -> String {
        let last = self.picture.cycle.saturating_sub(1);
        let since = self.record.track(warp.sm, warp.warp).map_or(last, |track| track.since(last));
        cycles_so_far(last + 1 - since.min(last))
    }

    /// Returns what held the load/store unit in the last cycle beyond one access.
    fn hold(&self, sm: u16) -> Option<UnitHold> {
        self.sim.state.sms[usize::from(sm)].memory.held(self.picture.cycle.saturating_sub(1))
    }

    /// Returns what holds the load/store unit, as the end of a clause.
    fn held_by_an_access(&self, sm: u16) -> &'static str {
        match self.hold(sm).map(|hold| hold.cause) {
            Some(StallCause::Lines) => " with an access to several lines",
            Some(StallCause::Banks) => " with bank conflicts",
            Some(StallCause::Constants) => " with an access to several constants",
            _ => "",
        }
    }

    pub(super) fn warp(&self, warp: &WarpPicture) -> Vec<String> {
        self.cause(warp, CAUSES)
    }

    /// Explains what a warp does and why, following the cause through at most `warps` warps.
    pub(super) fn cause(&self, warp: &WarpPicture, warps: u32) -> Vec<String> {
        let Some(further) = warps.checked_sub(1) else { return Vec::new() };
        let name = format!("Warp {}", warp.warp);
        let here = self.at(warp.pc);
        let Some(reason) = warp.reason else {
            return vec![format!("{name} is about to begin, at {here}.")];
        };
        match reason {
            Reason::Issued => {
                let Some((pc, mask)) = self.issued(warp) else {
                    return vec![format!("{name} issued an instruction in the last cycle.")];
                };
                let first = format!(
                    "{name} issued `{}`, {}, for {} of {} lanes.",
                    self.code(pc),
                    self.at(pc),
                    mask.count_ones(),
                    warp.width
                );
                let trapped = self.last.iter().any(|event| matches!(event, Event::Trap { .. }));
                let then = match (warp.alive, mask & warp.alive) {
                    (0, _) => "All its threads have ended.".to_string(),
                    _ if trapped => "The run ended there.".to_string(),
                    (_, 0) => "Those threads have ended.".to_string(),
                    (_, lanes) => self.after(warp, lanes),
                };
                vec![first, then]
            }
            Reason::NotSelected => {
                let why = passed_over::why(self, warp);
                vec![format!("{name} could have issued `{}`, {here}{}, but {why}.", self.code(warp.pc), self.waited(warp))]
            }
            Reason::Memory | Reason::Result => self.data(&name, warp),
            Reason::Structural => {
                let unit = self.sim.machine.decoded.get(warp.pc as usize).map(|d| d.unit);
                let (one, collects) = (self.sim.machine.config.one_pipeline, self.sim.machine.config.collectors > 0);
                let what = match unit {
                    _ if one => "the pipeline",
                    Some(Unit::Int | Unit::Fp | Unit::Control) if collects => "an operand collector",
                    Some(Unit::Int) => "an integer pipeline",
                    Some(Unit::Fp) => "a floating-point pipeline",
                    Some(Unit::Sfu) => "the special-function unit",
                    Some(Unit::LdSt) => "the load/store unit",
                    Some(Unit::Control) | None => "its issue port",
                };
                let unit = match unit {
                    _ if one => Some(Unit::LdSt),
                    Some(Unit::Control) if collects => Some(Unit::Int),
                    unit => unit.filter(|unit| *unit != Unit::Control),
                };
                let free = unit.and_then(|unit| {
                    self.sim.state.sms[usize::from(warp.sm)].units[unit as usize].iter().map(|unit| unit.free).min()
                });
                let until = match free {
                    Some(free) if free > self.picture.cycle => format!(", which is busy until cycle {free}"),
                    _ => ", which another warp's instruction held".to_string(),
                };
                let with = if unit == Some(Unit::LdSt) { self.held_by_an_access(warp.sm) } else { "" };
                vec![format!(
                    "{name} waits for {what}{until}{with}{}; next it issues `{}`, {here}.",
                    self.waited(warp),
                    self.code(warp.pc)
                )]
            }
            Reason::Throttle => {
                let hold = self.hold(warp.sm);
                let until = hold.map_or_else(String::new, |hold| format!(", in cycle {}", hold.until));
                vec![format!(
                    "{name} waits until memory accepts more accesses{until}{}: all MSHRs are taken, or the queue to the L2 cache or \
                     that to DRAM is full. Next it issues `{}`, {here}.",
                    self.waited(warp),
                    self.code(warp.pc)
                )]
            }
            Reason::Wakeup => {
                let lane = asleep::sleeping_lane(self, warp).unwrap_or_else(|| "a lane that was off".into());
                vec![format!("{name} waits for {lane}{}; next it issues `{}`, {here}.", self.waited(warp), self.code(warp.pc))]
            }
            Reason::Siblings => vec![behind::shared(self, &name, warp)],
            Reason::Ahead => vec![behind::block(self, &name, warp)],
            Reason::Control => {
                let then =
                    if warp.leaving { "then its threads are regrouped".to_string() } else { format!("it goes on at {here}") };
                vec![format!("{name} waits for the outcome of its branch{}; {then}.", self.waited(warp))]
            }
            Reason::Fetch => {
                let due = self.due(warp, |done| matches!(done, Done::Fetch { .. }));
                let how = match due {
                    Some(due) => format!("its instructions arrive in {}", in_cycles(due, self.picture.cycle)),
                    None => "the fetch stage serves other warps first".to_string(),
                };
                vec![format!("{name} has no instruction in its buffer{}: {how}. It goes on at {here}.", self.waited(warp))]
            }
            Reason::Barrier => self.barrier(&name, warp, further),
            Reason::Exit => {
                let others = self
                    .picture
                    .warps
                    .iter()
                    .filter(|w| w.sm == warp.sm && w.slot == warp.slot && w.reason != Some(Reason::Exit));
                let list = the_warps(others.map(|w| w.warp));
                let rest =
                    if list.is_empty() { "its block is about to end".into() } else { format!("its block still runs {list}") };
                vec![format!("{name} has ended{}; {rest}.", self.waited(warp))]
            }
            Reason::Sync => self.kept(&name, warp, further),
        }
    }

    fn data(&self, name: &str, warp: &WarpPicture) -> Vec<String> {
        let machine = &self.sim.machine;
        let here = self.at(warp.pc);
        let Some(decoded) = machine.decoded.get(warp.pc as usize) else { return vec![format!("{name} waits for a value.")] };
        let Some(last) = self.blocking(decoded, self.in_flight(warp)) else {
            return vec![format!(
                "{name} waited for a value, which has arrived; next it issues `{}`, {here}.",
                self.code(warp.pc)
            )];
        };
        let first = format!("{name} waits for {}{}.", self.awaited(last), self.waited(warp));
        let then = match warp.leaving {
            true => "its threads are regrouped".to_string(),
            false => format!("`{}`, {here}, can issue", self.code(warp.pc)),
        };
        let what = match self.registers_of(last.pc) {
            none if none.is_empty() => "It completes",
            several if several.contains(',') => "The values arrive",
            _ => "The value arrives",
        };
        let second = format!("{what} in {}; then {then}.", in_cycles(last.due, self.picture.cycle));
        vec![first, second]
    }

    /// Returns the instruction in flight that keeps the next instruction from issuing longest.
    pub(super) fn blocking(&self, decoded: &Decoded, flights: Vec<InFlight>) -> Option<InFlight> {
        let machine = &self.sim.machine;
        let blocks = |flight: &InFlight| {
            decoded.drains
                || machine.config.scoreboard == crate::config::HazardTracking::Simple
                || machine.decoded[flight.pc as usize]
                    .writes
                    .iter()
                    .any(|&(word, bits)| decoded.hazards.iter().any(|&(at, wanted)| at == word && wanted & bits != 0))
        };
        flights.into_iter().filter(blocks).max_by_key(|flight| flight.due)
    }

    /// Names the awaited registers and their producer: ``%r1, which `add.s32` at PC 4 (line 7) computes``.
    pub(super) fn awaited(&self, flight: InFlight) -> String {
        let (registers, code, place) = (self.registers_of(flight.pc), self.code(flight.pc), self.at(flight.pc));
        match (registers.is_empty(), flight.load) {
            (true, _) => format!("`{code}` at {place} to complete"),
            (false, true) => format!("{registers}, which `{code}` at {place} loads"),
            (false, false) => format!("{registers}, which `{code}` at {place} computes"),
        }
    }

    fn barrier(&self, name: &str, warp: &WarpPicture, further: u32) -> Vec<String> {
        let sm = &self.sim.state.sms[usize::from(warp.sm)];
        let pc = warp.entry.map_or(warp.pc, |entry| sm.warps[usize::from(entry)].barrier_pc);
        let place = self.at(pc);
        // The reason is that of the last cycle; the barrier may have completed since.
        if warp.at_barrier == 0 {
            return vec![format!("{name} waited at the barrier, {place}, which has just completed.")];
        }
        let others = self.picture.warps.iter().filter(|w| w.sm == warp.sm && w.slot == warp.slot && w.warp != warp.warp);
        let missing: Vec<&WarpPicture> = others.filter(|w| w.at_barrier != w.alive).collect();
        let own = warp.alive & !warp.at_barrier;
        let waited = self.waited(warp);
        let who = the_warps(missing.iter().map(|w| w.warp));
        let first = match (who.is_empty(), own) {
            (false, _) => format!("{name} waits for {who} at the barrier, {place}{waited}."),
            (true, 0) => format!(
                "{name} waits at the barrier, {place}{waited}, and no thread is on its way there: the other threads of its block \
                 wait at other barriers or have ended."
            ),
            (true, own) => format!("{name} waits at the barrier, {place}{waited}, for its own {} to arrive.", the_lanes(own)),
        };
        let mut sentences = vec![first];
        // The missing warp with the furthest to go holds up all others; the lowest PC is only a guess at which one that is.
        if let Some(slowest) = missing.iter().min_by_key(|w| w.pc) {
            sentences.extend(self.cause(slowest, further).into_iter().take(2));
        }
        sentences
    }

    /// Explains a warp that waits because of the technique, or in an operation of its PTX warp.
    fn kept(&self, name: &str, warp: &WarpPicture, further: u32) -> Vec<String> {
        if let Some(sentences) = gang::wait(self, name, warp, further) {
            return sentences;
        }
        if warp.entry.is_none() && self.sim.machine.reforms {
            let oldest = warp.alive.trailing_zeros();
            let all = warp.kept.iter().fold(0, |all, (_, mask)| all | mask) == warp.alive;
            let who = if all { name.to_string() } else { format!("{name}'s oldest thread, lane {oldest},") };
            let mut entries = self.entries(warp);
            entries.truncate(2);
            let mut sentences = self.why_in_no_warp(&who, &self.waited(warp), warp, oldest, &entries);
            sentences.extend(self.elsewhere(warp, &entries));
            return sentences;
        }
        if let Some(last) = self.in_flight(warp).into_iter().filter(|_| warp.leaving).max_by_key(|flight| flight.due) {
            return vec![
                format!("{name}'s oldest thread is in a warp whose threads will be regrouped{}.", self.waited(warp)),
                format!(
                    "They leave it when all its instructions have completed: `{}`, {}, in {}.",
                    self.code(last.pc),
                    self.at(last.pc),
                    in_cycles(last.due, self.picture.cycle)
                ),
            ];
        }
        if warp.leaving {
            return vec![format!("{name}'s oldest thread has left its warp, after {}, to be regrouped.", self.at(warp.pc))];
        }
        if self.sim.machine.reforms && warp.entry.is_some() {
            return vec![format!(
                "{name}'s oldest thread is in a warp that was just formed, at {}; it can issue in the next cycle.",
                self.at(warp.pc)
            )];
        }
        vec![format!(
            "{name} waits in `{}`, {}, for the other threads that the operation names{}.",
            self.code(warp.pc),
            self.at(warp.pc),
            self.waited(warp)
        )]
    }

    fn lane(&self, warp: &WarpPicture, lane: u32) -> Vec<String> {
        let bit = 1u32.checked_shl(lane).unwrap_or(0);
        let thread = warp.first_thread.0 + lane;
        if warp.present & bit == 0 {
            return vec![format!("Lane {lane} is empty: the block has no thread {thread}.")];
        }
        if warp.alive & bit == 0 {
            return vec![format!("Lane {lane} is idle: its thread {thread} has ended.")];
        }
        if warp.active & bit != 0 {
            let issued = self.issued(warp);
            let was_in = issued.is_some_and(|(_, mask)| mask & bit != 0);
            let mut sentences = vec![match self.entry_of(warp, lane) {
                // The static warp's activity is not that of the dynamic warp that this thread is in.
                Some(entry) if self.sim.machine.reforms && !was_in && (warp.entry != Some(entry) || issued.is_some()) => {
                    return vec![format!(
                        "Lane {lane} (thread {thread}) is in a warp that {}.",
                        self.entry_activity(warp.sm, entry)
                    )];
                }
                Some(entry) if self.sim.machine.reforms => {
                    let pc = self.sim.state.sms[usize::from(warp.sm)].warps[usize::from(entry)].place.pc;
                    format!("Lane {lane} (thread {thread}) is in a warp at {}.", self.at(pc))
                }
                _ if issued.is_some() && !was_in => {
                    format!("Lane {lane} (thread {thread}) is active from now on, at {}.", self.at(warp.pc))
                }
                _ => format!("Lane {lane} (thread {thread}) is active: it does what its warp does."),
            }];
            sentences.extend(self.warp(warp));
            return sentences;
        }
        if warp.at_barrier & bit != 0 {
            let mut sentences = vec![format!("Lane {lane} (thread {thread}) waits at a barrier of its block.")];
            sentences.extend(self.warp(warp));
            return sentences;
        }
        if warp.at_barrier != 0 && !self.sim.machine.reforms {
            let there = the_lanes(warp.at_barrier);
            let mut sentences = vec![format!("Lane {lane} (thread {thread}) waits for {there} of its warp, at a barrier.")];
            sentences.extend(self.warp(warp));
            return sentences;
        }
        let Some(at) = warp.stack.iter().rposition(|entry| entry.mask & bit != 0) else {
            return self.why_in_no_warp(&format!("Lane {lane} (thread {thread})"), "", warp, lane, &[]);
        };
        let own = warp.stack[at];
        let above = warp.stack.get(at + 1);
        if let Some((above, lpc)) = above.and_then(|above| Some((above, above.lpc.filter(|lpc| *lpc == own.pc)?))) {
            let mut sentences = vec![
                format!(
                    "Lane {lane} (thread {thread}) waits at {}, a likely-convergence point: its warp runs {}, for {}.",
                    self.at(lpc),
                    self.at(warp.pc),
                    the_lanes(warp.active)
                ),
                format!("Lanes that reach it merge with this lane: {}, if all do.", the_lanes(own.mask | above.mask)),
            ];
            sentences.extend(self.warp(warp));
            return sentences;
        }
        let until = above.and_then(|above| above.rpc);
        let other = format!("its warp runs the other side, {}, for {}", self.at(warp.pc), the_lanes(warp.active));
        let mut sentences = vec![match until {
            Some(rpc) => format!("Lane {lane} (thread {thread}) waits: {other}, until it reaches {}.", self.at(rpc)),
            None => format!("Lane {lane} (thread {thread}) waits: {other}, until those threads have ended."),
        }];
        sentences.push(if Some(own.pc) == until {
            format!("At that reconvergence point both sides meet, and lane {lane} goes on with {}.", the_lanes(own.mask))
        } else {
            format!("Then lane {lane} goes on at {} with {}.", self.at(own.pc), the_lanes(own.mask))
        });
        sentences.extend(self.warp(warp));
        sentences
    }

    fn block(&self, sm: u16, slot: u16) -> Vec<String> {
        let state = self.sim.state.sms.get(usize::from(sm)).and_then(|sm| sm.blocks.get(usize::from(slot)));
        let Some(Some(block)) = state else { return vec![format!("Block slot {slot} is empty.")] };
        let threads = self.sim.machine.start.shape.threads;
        let mut sentences = vec![format!(
            "Block {} has {}; {} of its {threads} threads have ended.",
            block.current.index,
            counted(block.warps.into(), "warp"),
            block.current.exited
        )];
        for (id, waiting, missing) in block.current.barriers.waiting() {
            sentences.push(format!("{} of its threads wait at barrier {id}; {missing} are missing.", waiting.len()));
        }
        if self.sim.machine.config.divergence.has_stack() && self.sim.machine.reforms {
            sentences.extend(self.slowest(sm, slot, &[]));
        }
        sentences
    }

    /// Returns the instruction that the warp issued in the last cycle, and for which lanes.
    fn issued(&self, warp: &WarpPicture) -> Option<(Pc, u32)> {
        // For a dynamic warp, `Issued` gives the instruction and the `IssuedFor` events behind it give its static warps.
        let mut scattered = 0;
        self.last.iter().find_map(|event| match *event {
            Event::Issued { pc, first_thread: SCATTERED, .. } => {
                scattered = pc;
                None
            }
            Event::Issued { sm, warp: name, pc, mask, .. } if sm == warp.sm && name == warp.warp => Some((pc, mask)),
            Event::IssuedFor { sm, origin, mask, .. } if sm == warp.sm && origin == warp.warp => Some((scattered, mask)),
            _ => None,
        })
    }

    /// Returns the instructions in flight of the warp-table entry that holds a warp's oldest thread, the soonest first.
    pub fn in_flight(&self, warp: &WarpPicture) -> Vec<InFlight> {
        warp.entry.map_or_else(Vec::new, |entry| self.in_flight_in(warp.sm, entry))
    }

    /// Returns the instructions in flight of a warp-table entry, the soonest first.
    pub(super) fn in_flight_in(&self, sm: u16, entry: u16) -> Vec<InFlight> {
        let mut flights: Vec<InFlight> = self
            .pending(sm, entry, false)
            .filter_map(|(due, done)| match done {
                Done::Write { pc, load } => Some(InFlight { pc, load, due }),
                _ => None,
            })
            .collect();
        flights.sort_by_key(|flight| (flight.due, flight.pc));
        flights
    }

    fn due(&self, warp: &WarpPicture, wanted: impl Fn(Done) -> bool) -> Option<u64> {
        self.pending(warp.sm, warp.entry?, true).filter(|(_, done)| wanted(*done)).map(|(due, _)| due).min()
    }

    /// Returns the pending completions of a warp-table entry in its current life; fetches count lives separately.
    fn pending(&self, sm: u16, entry: u16, fetches: bool) -> impl Iterator<Item = (u64, Done)> + '_ {
        let state = &self.sim.state.sms[usize::from(sm)].warps[usize::from(entry)];
        let life = if fetches { state.fetch_life } else { state.life };
        let all = self.sim.state.uncore.wheel.pending();
        all.filter(move |(_, c)| c.sm == sm && c.warp == entry && c.life == life).map(|(due, c)| (due, c.done))
    }

    /// Names the registers that an instruction writes.
    pub fn registers_of(&self, pc: Pc) -> String {
        let program = &self.sim.machine.program;
        let Some(instruction) = program.instructions.get(pc as usize) else { return String::new() };
        let planes = instruction.dst.iter().filter_map(|dst| match dst {
            crate::program::Dst::Register { plane, .. } => Some(*plane),
            crate::program::Dst::Sink => None,
        });
        let named = |plane: u32| program.registers.iter().find(|r: &&RegisterInfo| r.plane == plane).map(|r| r.name.as_str());
        planes.filter_map(named).collect::<Vec<_>>().join(", ")
    }
}
