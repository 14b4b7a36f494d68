//! Events in words: notices for searches and breakpoints, and a sentence for each cycle.

use super::{Notice, Stage};
use warpscope_machine::event::{Event, EventKind};
use warpscope_pictures::session::{Breakpoints, Hit};
use warpscope_pictures::view::Selection;
use warpscope_pictures::view::words::counted;

impl Stage {
    /// Returns the notice at a breakpoint, one of `breakpoints`.
    pub fn tell_hit(&self, hit: Hit, breakpoints: &Breakpoints) -> Notice {
        // Where warps re-form, a warp of the table is dynamic and has no name.
        let reforms = self.session.sim().machine.reforms;
        let who = |sm: u16, warp: u16| if reforms { "a dynamic warp".to_string() } else { self.named(sm, warp) };
        let (text, by) = match hit {
            Hit::Pc { pc, sm, warp } | Hit::Warp { pc, sm, warp } => {
                (format!("Breakpoint: {} issued PC {pc}, {}.", who(sm, warp), self.listing.line(pc)), (sm, warp))
            }
            Hit::Write { pc, sm, warp, element } => {
                let element = breakpoints.elements.get(element).map_or_else(String::new, ToString::to_string);
                (format!("Breakpoint: {} wrote {element} at {} (PC {pc}).", who(sm, warp), self.listing.place(pc)), (sm, warp))
            }
            Hit::Event(kind) => {
                let notice = self.tell_event(kind);
                return Notice { text: format!("Breakpoint: {}", lower_first(&notice.text)), ..notice };
            }
        };
        let show = Some(Selection::Warp { sm: by.0, warp: by.1 }).filter(|_| !reforms);
        Notice { show, ..Notice::good(text) }
    }

    /// Returns a notice about the last cycle's events of a kind: the first one in words, and how many more there are.
    pub fn tell_event(&self, kind: EventKind) -> Notice {
        let mut events = self.session.last().iter().filter(|event| EventKind::of(event) == Some(kind));
        let told = events.next().and_then(|event| self.tell(event));
        let more = match events.count() {
            0 => String::new(),
            n => format!(" {n} more in this cycle."),
        };
        let (text, show) = told.map_or_else(|| (String::new(), None), |(text, show)| (format!(": {text}"), show));
        Notice { show, ..Notice::good(format!("{}{text}.{more}", kind.label())) }
    }

    /// Describes the last cycle: its most important events, or else an issue, preferably of the selected warp.
    pub fn say(&self, selection: Option<Selection>) -> String {
        let last = || self.session.last().iter();
        let told = |event: &Event| Some((EventKind::of(event)?.weight()?, self.tell(event)?.0));
        let mut told: Vec<(u8, String)> = last().filter_map(told).collect();
        // The two events of highest weight; of several of one weight, the first.
        told.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
        told.dedup_by_key(|(weight, _)| *weight);
        if !told.is_empty() {
            let text: Vec<String> = told.into_iter().take(2).map(|(_, text)| text).collect();
            return format!("{}.", upper_first(&text.join("; ")));
        }
        let own = selection.and_then(Selection::warp);
        let issued = |own: Option<(u16, u16)>| {
            last().find_map(|event| match *event {
                Event::Issued { sm, warp, pc, mask, .. } if own.is_none_or(|own| own == (sm, warp)) => Some((sm, warp, pc, mask)),
                _ => None,
            })
        };
        let (sim, width) = (self.session.sim(), self.session.sim().machine.config.warp_width);
        let Some((sm, warp, pc, mask)) = own.and_then(|own| issued(Some(own))).or_else(|| issued(None)) else {
            return if self.session.cycle() == 0 { "Nothing has run yet." } else { "Nothing issued in this cycle." }.to_string();
        };
        let who = if sim.machine.reforms { "A dynamic warp".to_string() } else { upper_first(&self.named(sm, warp)) };
        let (code, place) = (self.listing.code(&sim.machine.program, pc), self.listing.place(pc));
        format!("{who} issued {} at {place}, for {} of {width} lanes.", code.trim_end_matches(';'), mask.count_ones())
    }

    /// Returns the notice about a warp that has begun to stall.
    pub fn tell_stall(&self, sm: u16, warp: u16) -> Option<Notice> {
        let reason = self.picture().warp(sm, warp)?.reason?;
        Some(Notice::good(format!("Stall: {} begins to wait: {} {}.", self.named(sm, warp), reason.letter(), reason.label())))
    }

    fn named(&self, sm: u16, warp: u16) -> String {
        if self.session.sim().state.sms.len() > 1 { format!("warp {warp} of SM {sm}") } else { format!("warp {warp}") }
    }

    fn tell(&self, event: &Event) -> Option<(String, Option<Selection>)> {
        let at = |pc: u32| format!("{} (PC {pc})", self.listing.place(pc));
        let warp = |sm: u16, warp: u16| Some(Selection::Warp { sm, warp });
        // Where warps re-form, a warp of the table is dynamic and cannot be selected.
        let reforms = self.session.sim().machine.reforms;
        Some(match *event {
            Event::Branch { sm, warp: name, pc, taken, not_taken, .. } => {
                let (one, two) = (taken.count_ones(), not_taken.count_ones());
                let who = if reforms { "a warp".to_string() } else { self.named(sm, name) };
                let verbs = |n: u32, one: &'static str, many: &'static str| if n == 1 { one } else { many };
                let (take, fall) = (verbs(one, "takes", "take"), verbs(two, "falls", "fall"));
                let text = format!("{who} diverges at {}: {one} of its lanes {take} the branch, {two} {fall} through", at(pc));
                (text, warp(sm, name).filter(|_| !reforms))
            }
            Event::Met { sm, warp: name, pc, mask } => {
                let lanes = counted(mask.count_ones().into(), "lane");
                (format!("{} reconverges at {} with {lanes}", self.named(sm, name), at(pc)), warp(sm, name))
            }
            Event::BlockMet { sm, slot, pc, threads } => {
                let block = self.session.sim().state.sms[usize::from(sm)].blocks[usize::from(slot)]
                    .as_ref()
                    .map(|block| block.current.index);
                let who = block.map_or_else(|| "a block".to_string(), |id| format!("block {id}"));
                let threads = counted(threads.into(), "thread");
                (format!("{threads} of {who} reconverge at {}", at(pc)), Some(Selection::Block { sm, slot }))
            }
            Event::BarrierArrive { sm, warp: name, barrier, .. } => {
                (format!("{} arrives at barrier {barrier}", self.named(sm, name)), warp(sm, name))
            }
            Event::BarrierRelease { block, barrier, .. } => (format!("barrier {barrier} releases block {block}"), None),
            Event::L1 { sm, line, .. } => {
                let address = line * u64::from(self.session.sim().machine.config.l1d_line);
                (format!("the line of address {address:#x} is not in the L1 cache of SM {sm}"), None)
            }
            Event::BlockStart { sm, slot, block, .. } => (format!("block {block}"), Some(Selection::Block { sm, slot })),
            Event::BlockEnd { block, .. } => (format!("block {block}"), None),
            Event::WarpExit { sm, warp: name } => (self.named(sm, name), warp(sm, name)),
            Event::GangSplit { row, gang, .. } => (format!("{} of original gang {row} split", members(gang)), None),
            Event::GangMerge { row, one, two, pc, .. } => {
                (format!("{} of original gang {row} re-form a gang at {}", members(one | two), at(pc)), None)
            }
            Event::BlockArrive { pc, wcnt, .. } => {
                let rest = if wcnt == 0 { "all have arrived".to_string() } else { format!("{wcnt} not arrived yet (WCnt)") };
                (format!("a warp has arrived at {}: {rest}", at(pc)), None)
            }
            Event::Formed { pc, mask, .. } => {
                (format!("a warp of {} was formed for {}", counted(mask.count_ones().into(), "thread"), at(pc)), None)
            }
            Event::Merged { pc, mask, .. } => {
                let (threads, verb) = (mask.count_ones(), if mask.count_ones() == 1 { "joins" } else { "join" });
                (format!("{} {verb} a warp of the pool at {}", counted(threads.into(), "thread"), at(pc)), None)
            }
            Event::LikelyMerge { sm, warp: name, pc, mask, .. } => {
                let lanes = counted(mask.count_ones().into(), "lane");
                let text = format!("{lanes} of {} merged at the likely-convergence point, {}", self.named(sm, name), at(pc));
                (text, warp(sm, name))
            }
            Event::BlockMerge { sm, slot, pc, threads, .. } => {
                let threads = counted(threads.into(), "thread");
                let text = format!("{threads} merged at the likely-convergence point, {}", at(pc));
                (text, Some(Selection::Block { sm, slot }))
            }
            Event::WarpBarrier { sm, warp: name, pc, mask } => {
                let lanes = counted(mask.count_ones().into(), "thread");
                (format!("{lanes} of {} came to its warp barrier at {}", self.named(sm, name), at(pc)), warp(sm, name))
            }
            Event::LogicalStart { block, .. } => (format!("the dispenser hands out logical block {block}"), None),
            Event::Trap { pc, .. } => (format!("the kernel trapped at {}", at(pc)), None),
            _ => return None,
        })
    }
}

/// Returns the number of a gang's members in words; `gang` has a bit for each slice.
fn members(gang: u8) -> String {
    format!("{} members", gang.count_ones())
}

fn upper_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
