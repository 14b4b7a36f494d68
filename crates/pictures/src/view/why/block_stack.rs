//! Sentences about a block's stack (TBC): where a thread waits on it, and what its entries are.

use super::Explainer;
use crate::view::WarpPicture;
use crate::view::words::counted;
use warpscope_machine::policy::divergence::block_stack::{ArrivalPoint, BlockEntry, BlockMask, BlockStack, EntryState};

impl Explainer<'_> {
    /// Explains a thread that waits on its block's stack; `None` if it does not.
    pub(super) fn on_block_stack(
        &self,
        who: &str,
        waited: &str,
        warp: &WarpPicture,
        lane: u32,
        described: &[(u16, u32)],
    ) -> Option<Vec<String>> {
        let stack = self.sim.state.sms[usize::from(warp.sm)].divergence.tbc()?.block(warp.slot)?;
        let number = usize::from(warp.warp - stack.first_warp);
        let has = |mask: &BlockMask| mask.get(number).is_some_and(|lanes| lanes >> lane & 1 != 0);
        if let Some(mut sentences) = self.arrived(who, waited, stack, has) {
            sentences.extend(self.slowest(warp.sm, warp.slot, described));
            return Some(sentences);
        }
        let at = stack.entries.iter().rposition(|entry| match entry.state {
            EntryState::Pending => has(&entry.mask),
            EntryState::Waiting => has(&entry.reached),
            EntryState::Running => has(&entry.todo),
        })?;
        let own = &stack.entries[at];
        if own.state == EntryState::Running {
            return Some(vec![format!("{who} waits while the compactor makes warps of its side, {}{waited}.", self.at(own.pc))]);
        }
        let mut sentences = vec![self.side_that_runs(who, waited, stack), self.then_own_side(stack, at)];
        sentences.extend(self.slowest(warp.sm, warp.slot, described));
        Some(sentences)
    }

    /// Explains a thread that has arrived where it waits for other warps of its block; `has` tells the masks that contain it.
    fn arrived(&self, who: &str, waited: &str, stack: &BlockStack, has: impl Fn(&BlockMask) -> bool) -> Option<Vec<String>> {
        let own = |entry: &BlockEntry| entry.arrivals.iter().find(|arrivals| has(&arrivals.mask)).map(|arrivals| arrivals.at);
        let (entry, at) = stack.entries.iter().find_map(|entry| Some((entry, own(entry)?)))?;
        let place = match at {
            ArrivalPoint::Rpc => format!("the reconvergence point, {}", self.at(entry.rpc)),
            ArrivalPoint::Lpc => format!("the likely-convergence point, {}", self.at(entry.lpc)),
            ArrivalPoint::Branch { pc, .. } => format!("the branch, {}", self.at(pc)),
        };
        let (warps, have) = (counted(entry.wcnt.into(), "warp"), if entry.wcnt == 1 { "has" } else { "have" });
        let missing = match entry.wcnt {
            0 => "All warps of that side have arrived; the block's stack advances.".to_string(),
            _ if stack.entries.len() == 1 => {
                format!("{warps} of its block {have} not arrived yet (WCnt); then its stack advances.")
            }
            _ => format!("{warps} of that side {have} not arrived yet (WCnt); then the block's stack advances."),
        };
        Some(vec![format!("{who} waits for its block: it has arrived at {place}{waited}."), missing])
    }

    /// Says which side of a branch runs while a thread waits for its own.
    fn side_that_runs(&self, who: &str, waited: &str, stack: &BlockStack) -> String {
        let Some(running) = stack.entries.iter().rfind(|entry| entry.state == EntryState::Running) else {
            return format!("{who} waits while its block's stack advances{waited}.");
        };
        let until = match self.sim.machine.program.instructions.get(running.rpc as usize) {
            Some(_) => format!("until it reaches {}", self.at(running.rpc)),
            None => "until its threads have ended".to_string(),
        };
        format!("{who} waits{waited}: its block runs the side that began at {}, {until}.", self.at(running.pc))
    }

    /// Says when the side in entry `at`, which does not run, goes on.
    fn then_own_side(&self, stack: &BlockStack, at: usize) -> String {
        let (own, above) = (&stack.entries[at], &stack.entries[at + 1..]);
        let in_state = |state: EntryState| above.iter().filter(|entry| entry.state == state).count();
        let place = self.at(own.pc);
        match (own.state, in_state(EntryState::Waiting), in_state(EntryState::Pending)) {
            (EntryState::Waiting, 0, _) => format!("It has reached {place}, where the sides meet, and goes on there with them."),
            (EntryState::Waiting, ..) => {
                format!("It has reached {place}, where the sides of an outer branch meet, and goes on when they have met.")
            }
            (_, _, 0) => format!("Its own side, at {place}, comes next on the block's stack."),
            (_, _, before) => {
                let sides = counted(before as u64, "other side");
                format!("Its own side, at {place}, comes after {sides} on the block's stack.")
            }
        }
    }

    /// Lists the entries of a block's stack in words, the topmost first.
    pub fn block_stack(&self, sm: u16, slot: u16) -> Vec<String> {
        let stack = self.sim.state.sms[usize::from(sm)].divergence.tbc().and_then(|tbc| tbc.block(slot));
        let said = |entry: &BlockEntry| {
            let until = match self.sim.machine.program.instructions.get(entry.rpc as usize) {
                Some(_) => format!("to PC {}", entry.rpc),
                None => "to the end".to_string(),
            };
            let threads: u32 = entry.mask.iter().map(|lanes| lanes.count_ones()).sum();
            let state = match entry.state {
                EntryState::Running => format!("runs, {} to arrive", counted(entry.wcnt.into(), "warp")),
                EntryState::Pending => "has not run yet".to_string(),
                EntryState::Waiting => "waits for the sides above".to_string(),
            };
            format!("PC {} {until}, {}: {state}", entry.pc, counted(threads.into(), "thread"))
        };
        stack.map_or_else(Vec::new, |stack| stack.entries.iter().rev().map(said).collect())
    }
}
