//! A trace in the Chrome trace-event format, which Perfetto's UI opens. Every warp has a track with its waits by reason, its
//! instructions as slices, and every event that has a name ([`EventKind`]) as an instant. Every SM has a counter of active
//! threads. One cycle is one microsecond.
//!
//! The trace is written while the machine runs, in chunks of whole records, so its memory does not grow with the run. After a
//! failed write nothing more is written; [`Incomplete`] says how much of the output is whole.

use crate::view::reason_of;
use std::fmt::{Arguments, Display};
use std::io::{self, Write};
use std::ops::Range;
use thiserror::Error;
use warpscope_kernel::program::inspect::code;
use warpscope_machine::event::{Event, EventKind, Reason, SCATTERED, Sink};
use warpscope_machine::sim::Sim;
use warpscope_machine::sim::state::Sm;

/// The bytes that close the list of events and the file.
pub const END: &[u8] = b"\n]}\n";
const HEAD: &[u8] = br#"{"displayTimeUnit":"ms","otherData":{"unit":"one microsecond is one cycle"},"traceEvents":["#;
/// Bytes that are buffered before they go to the writer.
const CHUNK: usize = 64 << 10;

/// A listener that writes a run as a trace.
pub struct ChromeTrace<W: Write> {
    records: Records<W>,
    /// Only these cycles are written.
    cycles: Range<u64>,
    /// For each SM and warp: its reason, and the cycle since which it holds.
    since: Vec<Vec<Option<(Reason, u64)>>>,
    /// By SM: the cycle being counted, and the threads that issued in it.
    threads: Vec<(u64, u32)>,
    /// Short names of the instructions, as JSON strings.
    names: Vec<String>,
    /// The PC that a dynamic warp issued last.
    scattered: usize,
    keeps_warps: bool,
}

/// A trace whose output failed.
#[derive(Debug, Error)]
#[error("{error}")]
pub struct Incomplete {
    /// What the output said.
    #[source]
    pub error: io::Error,
    /// Bytes of whole records: followed by [`END`] they are a valid file, unless there are none.
    pub sound_bytes: u64,
}

impl<W: Write> ChromeTrace<W> {
    /// Begins a trace of these cycles with the machine before the first of them, or earlier; `text` is the PTX that the program
    /// was built from.
    pub fn new(sim: &Sim, text: &str, cycles: Range<u64>, writer: W) -> ChromeTrace<W> {
        let program = &sim.machine.program;
        let begun = |sm: &Sm| (0..sim.machine.max_warps).map(|warp| Some((reason_of(sm, warp)?, sim.state.cycle))).collect();
        let (sms, warps) = (sim.state.sms.len(), sim.machine.max_warps as usize);
        let name = |pc| quoted(&format!("{pc}: {}", code(program, text, pc)));
        let mut records = Records::new(writer);
        for sm in 0..sms {
            records.push(format_args!(r#"{{"ph":"M","name":"process_name","pid":{sm},"args":{{"name":"SM {sm}"}}}}"#));
            for warp in 0..warps {
                records.push(format_args!(
                    r#"{{"ph":"M","name":"thread_name","pid":{sm},"tid":{warp},"args":{{"name":"warp {warp}"}}}}"#
                ));
                records.push(format_args!(
                    r#"{{"ph":"M","name":"thread_sort_index","pid":{sm},"tid":{warp},"args":{{"sort_index":{warp}}}}}"#
                ));
            }
        }
        ChromeTrace {
            records,
            cycles,
            since: sim.state.sms.iter().map(begun).collect(),
            threads: vec![(0, 0); sms],
            names: (0..program.instructions.len() as u32).map(name).collect(),
            scattered: 0,
            keeps_warps: sim.machine.keeps_warps(),
        }
    }

    /// Whether a write has failed; nothing is written after that.
    pub fn failed(&self) -> bool {
        self.records.error.is_some()
    }

    /// Closes the open waits and counters at `cycle`, and writes the rest.
    pub fn finish(mut self, cycle: u64) -> Result<W, Incomplete> {
        for sm in 0..self.since.len() {
            for warp in 0..self.since[sm].len() {
                self.close(sm, warp, cycle);
            }
            self.count(sm, cycle);
        }
        self.records.finish()
    }

    fn close(&mut self, sm: usize, warp: usize, now: u64) {
        let Some((reason, since)) = self.since[sm][warp].take() else { return };
        let (from, to) = (since.max(self.cycles.start), now.min(self.cycles.end));
        if reason != Reason::Issued && to > from {
            let (name, cycles) = (reason.key(), to - from);
            self.records.push(format_args!(
                r#"{{"ph":"X","name":"{name}","cat":"wait","pid":{sm},"tid":{warp},"ts":{from},"dur":{cycles}}}"#
            ));
        }
    }

    /// Writes the counter of the last cycle that had issues, if `now` is later.
    fn count(&mut self, sm: usize, now: u64) {
        let (cycle, threads) = self.threads[sm];
        if now > cycle && threads > 0 {
            self.counter(sm, cycle, threads);
            if now > cycle + 1 {
                self.counter(sm, cycle + 1, 0);
            }
            self.threads[sm] = (now, 0);
        }
    }

    fn counter(&mut self, sm: usize, cycle: u64, threads: u32) {
        if self.cycles.contains(&cycle) {
            self.records.push(format_args!(
                r#"{{"ph":"C","name":"active threads","pid":{sm},"ts":{cycle},"args":{{"threads":{threads}}}}}"#
            ));
        }
    }

    /// Writes an instruction of one cycle; `whose` names its block and PC, or its dynamic warp.
    fn issued(&mut self, sm: u16, warp: u16, now: u64, pc: usize, mask: u32, whose: impl Display) {
        if self.cycles.contains(&now) {
            let (name, threads) = (self.names.get(pc).map_or("\"\"", String::as_str), mask.count_ones());
            self.records.push(format_args!(
                r#"{{"ph":"X","name":{name},"cat":"issued","pid":{sm},"tid":{warp},"ts":{now},"dur":1,"args":{{{whose},"mask":"{mask:#010x}","threads":{threads}}}}}"#
            ));
        }
    }

    /// Writes an event that has a name, with all of its fields, on the track of its warp or of the whole SM.
    fn moment(&mut self, now: u64, kind: EventKind, event: &Event) {
        if !self.cycles.contains(&now) {
            return;
        }
        let Ok(serde_json::Value::Object(tagged)) = serde_json::to_value(event) else { return };
        let Some(known) = tagged.values().next() else { return };
        // Tracks are static warps. A warp-table entry is one only where warps stay as compiled.
        let tells_static =
            matches!(event, Event::Met { .. } | Event::WarpExit { .. } | Event::BarrierArrive { .. } | Event::WarpBarrier { .. });
        let warp = known.get("warp").filter(|_| self.keeps_warps || tells_static).or(known.get("first_warp"));
        let (scope, warp) = warp.and_then(serde_json::Value::as_u64).map_or(('p', 0), |warp| ('t', warp));
        let (name, sm) = (kind.label(), known["sm"].as_u64().unwrap_or(0));
        self.records.push(format_args!(
            r#"{{"ph":"i","s":"{scope}","name":"{name}","cat":"event","pid":{sm},"tid":{warp},"ts":{now},"args":{known}}}"#
        ));
    }
}

impl<W: Write> Sink for ChromeTrace<W> {
    const WANTS_WARPS: bool = true;

    fn event(&mut self, now: u64, event: Event) {
        match event {
            Event::Warp { sm, warp, reason } => {
                self.close(sm.into(), warp.into(), now);
                self.since[usize::from(sm)][usize::from(warp)] = reason.map(|reason| (reason, now));
            }
            Event::Issued { sm, warp, block, pc, mask, first_thread } => {
                self.count(sm.into(), now);
                let (cycle, threads) = &mut self.threads[usize::from(sm)];
                (*cycle, *threads) = (now, *threads + mask.count_ones());
                if first_thread == SCATTERED {
                    self.scattered = pc as usize;
                } else {
                    self.issued(sm, warp, now, pc as usize, mask, format_args!(r#""block":{block},"pc":{pc}"#));
                }
            }
            // A dynamic warp's instruction appears on the track of every static warp that has threads in it.
            Event::IssuedFor { sm, warp, origin, mask } => {
                self.issued(sm, origin, now, self.scattered, mask, format_args!(r#""warp":{warp}"#));
            }
            // Comes in almost every cycle, and `Issued` already shows it.
            Event::GangIssued { .. } => {}
            _ => {
                if let Some(kind) = EventKind::of(&event) {
                    self.moment(now, kind, &event);
                }
            }
        }
    }
}

/// A list of records for a writer; only whole records are written.
struct Records<W: Write> {
    writer: W,
    pending: Vec<u8>,
    first: bool,
    sound_bytes: u64,
    error: Option<io::Error>,
}

impl<W: Write> Records<W> {
    fn new(writer: W) -> Records<W> {
        Records { writer, pending: HEAD.to_vec(), first: true, sound_bytes: 0, error: None }
    }

    fn push(&mut self, record: Arguments) {
        if self.error.is_some() {
            return;
        }
        self.pending.extend_from_slice(if self.first { b"\n" } else { b",\n" });
        self.first = false;
        self.error = self.pending.write_fmt(record).err();
        if self.pending.len() >= CHUNK {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        if self.error.is_none() {
            match self.writer.write_all(&self.pending) {
                Ok(()) => self.sound_bytes += self.pending.len() as u64,
                Err(error) => self.error = Some(error),
            }
        }
        self.pending.clear();
    }

    fn finish(mut self) -> Result<W, Incomplete> {
        self.hand_over();
        let sound_bytes = self.sound_bytes;
        let closed = match self.error.take() {
            Some(error) => Err(error),
            None => self.writer.write_all(END).and_then(|()| self.writer.flush()),
        };
        closed.map(|()| self.writer).map_err(|error| Incomplete { error, sound_bytes })
    }
}

/// Returns a text as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use warpscope_catalogue as catalogue;
    use warpscope_machine::config::MachineSpec;
    use warpscope_machine::run;

    const PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n\
        .reg .pred %p;\nmov.u32 %r0, %tid.x;\nL:\nadd.u32 %r0, %r0, 1;\nsetp.ne.u32 %p, %r0, 0;\n@%p bra L;\nret;\n}\n";

    fn endless() -> Sim {
        let launch = "grid = [2]\nblock = [64]\n";
        run::prepare(PTX, launch, &MachineSpec::default(), &|file| Err(file.to_string())).expect("a machine").1
    }

    /// Parses a trace, which must be JSON, and returns its events.
    fn events(text: &[u8]) -> Vec<Value> {
        let root: Value = serde_json::from_slice(text).expect("valid JSON");
        root["traceEvents"].as_array().expect("a list").clone()
    }

    fn trace(sim: &mut Sim, run: u64, cycles: Range<u64>) -> Vec<Value> {
        let mut trace = ChromeTrace::new(sim, PTX, cycles, Vec::new());
        sim.run(run, &mut trace);
        events(&trace.finish(sim.state.cycle).expect("memory takes all"))
    }

    /// Fails once it has taken `most` bytes, as a full disk does.
    struct Full {
        taken: Vec<u8>,
        most: usize,
    }

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let n = bytes.len().min(self.most - self.taken.len());
            self.taken.extend_from_slice(&bytes[..n]);
            if n == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(n) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_workload_traced_to_its_end_is_valid_and_has_its_instructions() {
        let collatz = catalogue::find("collatz").expect("in the catalogue");
        let machine = MachineSpec::new("tbc", "", [("divergence", "TBC")]);
        let files = |name: &str| collatz.read_file(name);
        let (_, mut sim) = run::prepare(collatz.ptx, collatz.small, &machine, &files).expect("a machine");
        let mut trace = ChromeTrace::new(&sim, collatz.ptx, 0..u64::MAX, Vec::new());
        sim.run(1_000_000, &mut trace);
        let events = events(&trace.finish(sim.state.cycle).expect("memory takes all"));
        for category in ["wait", "issued", "event"] {
            assert!(events.iter().any(|event| event["cat"] == category), "{category}");
        }
        let named = |kind: EventKind| events.iter().filter(move |event| event["name"] == kind.label());
        for kind in
            [EventKind::Divergence, EventKind::Reconvergence, EventKind::BlockStart, EventKind::BlockEnd, EventKind::Formed]
        {
            assert!(named(kind).count() > 0, "{kind:?}");
        }
        // A dynamic warp's branch is on the SM's track, a block start on the track of its first static warp.
        assert!(named(EventKind::Divergence).all(|event| event["s"] == "p" && event["args"]["taken"].is_u64()));
        assert!(named(EventKind::BlockStart).all(|event| event["s"] == "t" && event["tid"] == event["args"]["first_warp"]));
    }

    #[test]
    fn memory_stays_flat_while_the_run_goes_on() {
        let mut sim = endless();
        let mut trace = ChromeTrace::new(&sim, PTX, 0..u64::MAX, io::sink());
        sim.run(200_000, &mut trace);
        assert!(trace.records.sound_bytes > 1 << 20, "{} bytes are a short trace", trace.records.sound_bytes);
        assert!(trace.records.pending.capacity() < 4 * CHUNK, "{} bytes are kept", trace.records.pending.capacity());
    }

    #[test]
    fn only_the_cycles_asked_for_are_written() {
        let events = trace(&mut endless(), 5_000, 1_000..1_100);
        let timed: Vec<&Value> = events.iter().filter(|event| event["ph"] != "M").collect();
        assert!(!timed.is_empty());
        for event in timed {
            let from = event["ts"].as_u64().expect("a time");
            let to = from + event["dur"].as_u64().unwrap_or(0);
            assert!((1_000..1_100).contains(&from) && to <= 1_100, "{event}");
        }
        let waits = events.iter().filter(|event| event["cat"] == "wait" && event["ts"] == 1_000);
        assert!(waits.count() > 0, "a wait that began earlier is written from the first cycle on");
    }

    #[test]
    fn a_run_that_is_stopped_leaves_a_valid_trace() {
        assert!(trace(&mut endless(), 777, 0..u64::MAX).iter().any(|event| event["cat"] == "issued"));
    }

    #[test]
    fn what_was_written_before_the_disk_was_full_can_be_closed() {
        for most in [0, 10, CHUNK - 1, CHUNK + 100, 300_000, 1_000_000] {
            let mut full = Full { taken: Vec::new(), most };
            let mut sim = endless();
            let mut trace = ChromeTrace::new(&sim, PTX, 0..u64::MAX, &mut full);
            sim.run(20_000, &mut trace);
            assert!(trace.failed(), "{most} bytes are enough");
            let incomplete = trace.finish(sim.state.cycle).map(|_| ()).expect_err("the disk is full");
            assert_eq!(incomplete.error.kind(), io::ErrorKind::StorageFull);
            let sound = incomplete.sound_bytes as usize;
            assert!(sound <= most && (sound > 0 || most < 2 * CHUNK), "{sound} of {most}");
            if sound > 0 {
                let closed = [&full.taken[..sound], END].concat();
                assert!(!events(&closed).is_empty());
            }
        }
    }
}
