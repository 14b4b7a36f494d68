//! Fetch for gangs: one fetch serves all members at the same PC, and gangs come before singletons (VWS section 4.3).

use super::core::Core;
use crate::event::{Event, Sink};

impl<S: Sink> Core<'_, S> {
    /// Whether a warp that is in no gang accepts a fetch.
    pub fn singleton_wants_fetch(&self) -> bool {
        let Some(gangs) = &self.sm.gangs else { return true };
        (0..self.sm.sets.words).any(|word| self.sm.sets.wants_fetch.bits[word] & gangs.singles.bits[word] != 0)
    }

    /// Fetches for as many gangs as the configuration allows, once for all members with nothing to issue.
    pub fn fetch_for_gangs(&mut self, ports: &mut u32) {
        let config = &self.machine.config;
        let kept = u32::from(self.late_warp_wants_fetch());
        for _ in 0..config.gang_fetches * config.schedulers {
            let Some(gangs) = self.sm.gangs.as_mut().filter(|_| *ports > kept) else { return };
            let wants = &self.sm.sets.wants_fetch;
            let Some((row, members)) = gangs.next_to_fetch(wants) else { return };
            let (first, slices) = (row * gangs.slices, gangs.slices);
            let lead = first + members.trailing_zeros();
            let line = self.line_of(lead, config.icache_line);
            let (hit, ready) = self.look_up(line);
            *ports -= 1;
            let mut count = 0;
            for warp in (0..slices).filter(|slice| members >> slice & 1 != 0).map(|slice| first + slice) {
                count = self.bring(warp, config.icache_line, ready);
            }
            let pc = self.fetch_pc(lead);
            self.emit(Event::Fetched { sm: self.name, warp: lead as u16, pc, count, hit });
        }
    }

    /// Whether a singleton that gangs have passed over for too long wants a fetch: a port is reserved for it.
    fn late_warp_wants_fetch(&self) -> bool {
        self.sm.gangs.as_ref().is_some_and(|gangs| {
            let late = |word: usize| gangs.patience.late().bits[word] & gangs.singles.bits[word];
            (0..self.sm.sets.words).any(|word| late(word) & self.sm.sets.wants_fetch.bits[word] != 0)
        })
    }
}
