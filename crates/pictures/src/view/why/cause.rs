//! Why a warp issued nothing, or what it issued: a case for each reason that the machine gives.

use super::{Explainer, asleep, behind, gang, passed_over};
use crate::view::WarpPicture;
use crate::view::words::{in_cycles, the_lanes, the_warps};
use warpscope_machine::event::{Event, Reason};

impl Explainer<'_> {
    /// Explains what a warp does and why, following the cause through at most `warps` warps.
    pub(super) fn cause(&self, warp: &WarpPicture, warps: u32) -> Vec<String> {
        let Some(further) = warps.checked_sub(1) else { return Vec::new() };
        let name = format!("Warp {}", warp.warp);
        let Some(reason) = warp.reason else {
            return vec![format!("{name} is about to begin, at {}.", self.at(warp.pc))];
        };
        match reason {
            Reason::Issued => self.has_issued(&name, warp),
            Reason::NotSelected => vec![self.not_selected(&name, warp)],
            Reason::Memory | Reason::Result => self.value(&name, warp),
            Reason::Structural => vec![self.busy_unit(&name, warp)],
            Reason::Throttle => vec![self.full_memory(&name, warp)],
            Reason::Wakeup => vec![self.lane_off(&name, warp)],
            Reason::Siblings => vec![behind::shared(self, &name, warp)],
            Reason::Ahead => vec![behind::block(self, &name, warp)],
            Reason::Control => vec![self.branch(&name, warp)],
            Reason::Fetch => vec![self.empty_buffer(&name, warp)],
            Reason::Barrier => self.barrier(&name, warp, further),
            Reason::Exit => vec![self.exited(&name, warp)],
            Reason::Sync => self.held_back(&name, warp, further),
        }
    }

    fn has_issued(&self, name: &str, warp: &WarpPicture) -> Vec<String> {
        let Some((pc, mask)) = self.issued(warp) else {
            return vec![format!("{name} issued an instruction in the last cycle.")];
        };
        let (instruction, count, width) = (self.instruction(pc), mask.count_ones(), warp.width);
        let first = format!("{name} issued {instruction}, for {count} of {width} lanes.");
        let trapped = self.last.iter().any(|event| matches!(event, Event::Trap { .. }));
        let then = match (warp.alive, mask & warp.alive) {
            (0, _) => "All its threads have ended.".to_string(),
            _ if trapped => "The run ended there.".to_string(),
            (_, 0) => "Those threads have ended.".to_string(),
            (_, lanes) => self.after(warp, lanes),
        };
        vec![first, then]
    }

    fn not_selected(&self, name: &str, warp: &WarpPicture) -> String {
        let why = passed_over::why(self, warp);
        format!("{name} could have issued {}{}, but {why}.", self.instruction(warp.pc), self.waited(warp))
    }

    fn lane_off(&self, name: &str, warp: &WarpPicture) -> String {
        let lane = asleep::sleeping_lane(self, warp).unwrap_or_else(|| "a lane that was off".into());
        format!("{name} waits for {lane}{}; next it issues {}.", self.waited(warp), self.instruction(warp.pc))
    }

    fn branch(&self, name: &str, warp: &WarpPicture) -> String {
        let here = self.at(warp.pc);
        let then = if warp.leaving { "then its threads are regrouped".to_string() } else { format!("it goes on at {here}") };
        format!("{name} waits for the outcome of its branch{}; {then}.", self.waited(warp))
    }

    fn empty_buffer(&self, name: &str, warp: &WarpPicture) -> String {
        let how = match self.fetch_due(warp) {
            Some(due) => format!("its instructions arrive in {}", in_cycles(due, self.picture.cycle)),
            None => "the fetch stage serves other warps first".to_string(),
        };
        let (waited, here) = (self.waited(warp), self.at(warp.pc));
        format!("{name} has no instruction in its buffer{waited}: {how}. It goes on at {here}.")
    }

    fn barrier(&self, name: &str, warp: &WarpPicture, further: u32) -> Vec<String> {
        let sm = &self.sim.state.sms[usize::from(warp.sm)];
        let pc = warp.entry.map_or(warp.pc, |entry| sm.warps[usize::from(entry)].barrier_pc);
        let place = self.at(pc);
        // The reason is that of the last cycle; the barrier may have completed since.
        if warp.at_barrier == 0 {
            return vec![format!("{name} waited at the barrier, {place}, which has just completed.")];
        }
        let others = self.of_its_block(warp).filter(|w| w.warp != warp.warp);
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

    fn exited(&self, name: &str, warp: &WarpPicture) -> String {
        let others = self.of_its_block(warp).filter(|w| w.reason != Some(Reason::Exit));
        let list = the_warps(others.map(|w| w.warp));
        let rest = if list.is_empty() { "its block is about to end".into() } else { format!("its block still runs {list}") };
        format!("{name} has ended{}; {rest}.", self.waited(warp))
    }

    /// Explains a warp that waits because of the technique, or in an operation of its PTX warp.
    fn held_back(&self, name: &str, warp: &WarpPicture, further: u32) -> Vec<String> {
        if let Some(sentences) = gang::wait(self, name, warp, further) {
            return sentences;
        }
        if self.sim.machine.reforms {
            return self.kept(name, warp);
        }
        if let Some(splits) = self.splits(warp).filter(|splits| splits.splits.len() > 1) {
            return self.no_split_runs(name, splits);
        }
        let (instruction, waited) = (self.instruction(warp.pc), self.waited(warp));
        vec![format!("{name} waits in {instruction}, for the other threads that the operation names{waited}.")]
    }

    /// Returns the resident warps of a warp's block, including itself.
    fn of_its_block<'w>(&'w self, warp: &WarpPicture) -> impl Iterator<Item = &'w WarpPicture> {
        let (sm, slot) = (warp.sm, warp.slot);
        self.picture.warps.iter().filter(move |other| (other.sm, other.slot) == (sm, slot))
    }
}
