//! A trace in the Chrome trace-event format, which Perfetto's UI opens: a track for each warp with what it did or why it
//! waited, instructions as slices under it, and counters of active threads. One cycle is one microsecond.

use crate::event::{Event, Reason, SCATTERED, Sink};
use crate::program::inspect::code;
use crate::sim::Sim;
use serde_json::{Value, json};

/// Listens to a run and writes it down.
pub struct ChromeTrace {
    events: Vec<Value>,
    /// For each SM and warp: its reason and since when.
    since: Vec<Vec<Option<(Reason, u64)>>>,
    /// Threads that issued in the cycle being counted, by SM.
    threads: Vec<(u64, u32)>,
    /// Short names of the instructions.
    names: Vec<String>,
    /// That of the last instruction issued by a dynamic warp.
    scattered: String,
}

impl ChromeTrace {
    /// `text` is the PTX that the program was built from.
    pub fn new(sim: &Sim, text: &str) -> ChromeTrace {
        let program = &sim.machine.program;
        let (sms, warps) = (sim.state.sms.len(), sim.machine.max_warps as usize);
        let names = (0..program.instructions.len() as u32).map(|pc| format!("{pc}: {}", code(program, text, pc))).collect();
        ChromeTrace {
            events: Vec::new(),
            since: vec![vec![None; warps]; sms],
            threads: vec![(0, 0); sms],
            names,
            scattered: String::new(),
        }
    }

    /// Closes what is open and gives the file's text.
    pub fn finish(mut self, cycles: u64) -> String {
        for sm in 0..self.since.len() {
            for warp in 0..self.since[sm].len() {
                self.close(sm, warp, cycles);
            }
            self.count(sm, cycles);
        }
        let mut head = Vec::new();
        for (sm, warps) in self.since.iter().enumerate() {
            head.push(json!({"ph": "M", "name": "process_name", "pid": sm, "args": {"name": format!("SM {sm}")}}));
            for warp in 0..warps.len() {
                head.push(
                    json!({"ph": "M", "name": "thread_name", "pid": sm, "tid": warp, "args": {"name": format!("warp {warp}")}}),
                );
                head.push(json!({"ph": "M", "name": "thread_sort_index", "pid": sm, "tid": warp, "args": {"sort_index": warp}}));
            }
        }
        head.append(&mut self.events);
        json!({"displayTimeUnit": "ms", "otherData": {"unit": "one microsecond is one cycle"}, "traceEvents": head}).to_string()
    }

    fn close(&mut self, sm: usize, warp: usize, now: u64) {
        if let Some((reason, since)) = self.since[sm][warp].take()
            && reason != Reason::Issued
            && now > since
        {
            self.events.push(
                json!({"ph": "X", "name": reason.key(), "cat": "wait", "pid": sm, "tid": warp, "ts": since, "dur": now - since}),
            );
        }
    }

    /// Writes the counter of the last cycle that had issues, once time has moved on.
    fn count(&mut self, sm: usize, now: u64) {
        let (cycle, threads) = self.threads[sm];
        if now > cycle && threads > 0 {
            self.events.push(json!({"ph": "C", "name": "active threads", "pid": sm, "ts": cycle, "args": {"threads": threads}}));
            if now > cycle + 1 {
                self.events
                    .push(json!({"ph": "C", "name": "active threads", "pid": sm, "ts": cycle + 1, "args": {"threads": 0}}));
            }
            self.threads[sm] = (now, 0);
        }
    }

    fn instant(&mut self, sm: u16, warp: u16, now: u64, name: String) {
        self.events.push(json!({"ph": "i", "s": "t", "name": name, "cat": "control", "pid": sm, "tid": warp, "ts": now}));
    }
}

impl Sink for ChromeTrace {
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
                let name = self.names.get(pc as usize).cloned().unwrap_or_default();
                let args = json!({"block": block, "pc": pc, "mask": format!("{mask:#010x}"), "threads": mask.count_ones()});
                if first_thread == SCATTERED {
                    self.scattered = name;
                    return;
                }
                self.events.push(
                    json!({"ph": "X", "name": name, "cat": "issued", "pid": sm, "tid": warp, "ts": now, "dur": 1, "args": args}),
                );
            }
            // A dynamic warp's instruction appears with every static warp that has threads in it.
            Event::IssuedFor { sm, warp, origin, mask } => {
                let args = json!({"warp": warp, "mask": format!("{mask:#010x}"), "threads": mask.count_ones()});
                let name = &self.scattered;
                self.events.push(
                    json!({"ph": "X", "name": name, "cat": "issued", "pid": sm, "tid": origin, "ts": now, "dur": 1, "args": args}),
                );
            }
            Event::Branch { sm, warp, taken, not_taken, diverged: true, .. } => {
                self.instant(sm, warp, now, format!("diverged {}/{}", taken.count_ones(), not_taken.count_ones()));
            }
            Event::Met { sm, warp, .. } => self.instant(sm, warp, now, "reconverged".into()),
            Event::BarrierRelease { sm, block, barrier } => {
                self.events.push(json!({"ph": "i", "s": "p", "name": format!("barrier {barrier} of block {block} released"), "cat": "barrier", "pid": sm, "tid": 0, "ts": now}));
            }
            Event::BlockStart { sm, block, first_warp, .. } => self.instant(sm, first_warp, now, format!("block {block} starts")),
            Event::BlockEnd { sm, block, .. } => {
                self.events.push(json!({"ph": "i", "s": "p", "name": format!("block {block} ends"), "cat": "block", "pid": sm, "tid": 0, "ts": now}));
            }
            _ => {}
        }
    }
}
