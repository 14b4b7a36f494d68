//! The accesses of a cycle: from the lanes of a warp to the cache lines that they want, or to the banks of shared memory.
//!
//! A line that several lanes want is one transaction, so the fewer boxes below, the better; each says what the L1 cache made
//! of it. In shared memory a bank serves one word at a time: a bank that is asked for several is a conflict, and the access
//! takes as many turns as its busiest bank has words. (TBC section 2.1; VWS section 2.1, figure 4)

use super::parts::{BASE, LaneGrid, SMALL, Stand, Thread, fitting, hue, kind, lane_numbers};
use super::{PanelView, on_the_way};
use crate::event::{CacheOutcome, Event, Space};
use crate::program::Pc;
use crate::scene::{Align, Figure, Rect, Scene, Tone, key};
use crate::view::Selection;
use crate::view::why::counted;
use std::collections::BTreeMap;

/// What lies above the lanes of an access, and below its boxes.
const ABOVE: f32 = 44.0;
const BELOW: f32 = 48.0;
/// Height of a box, and the least room for the ways to it.
const BOX: f32 = 24.0;
const WAYS: f32 = 46.0;
/// Accesses that are drawn at most.
const MOST: usize = 3;

/// One memory instruction of the last cycle.
struct Access {
    warp: u16,
    pc: Pc,
    space: Space,
    write: bool,
    /// Lanes and the addresses that they want.
    lanes: Vec<(u32, u64)>,
}

/// What a box stands for.
struct Goal {
    name: String,
    /// What became of it, and the tone for that.
    fate: Option<(&'static str, Tone)>,
    /// Different words that are wanted of it: more than one is a conflict of a bank.
    words: usize,
    /// Lanes that want it, and how far along the box.
    lanes: Vec<(u32, f32)>,
}

pub fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let all = accesses(&view);
    if all.is_empty() {
        let done = view.tally.metrics.memory_transactions;
        scene.bold(0, Tone::Text, 0.0, 15.0, 15.0, Align::Left, "No access to memory in this cycle");
        let so_far = format!("{} so far · look for the next cache miss", counted(done, "transaction"));
        scene.label(0, Tone::Soft, 0.0, 36.0, BASE, Align::Left, fitting(&so_far, view.width * SMALL / BASE));
        let said = on_the_way::draw(&mut scene, &view, 52.0);
        scene.words = format!("Cycle {}: no access to memory. {said}", view.picture.cycle);
        return scene;
    }
    let shown = all.len().min(MOST);
    let tall = (view.height / shown as f32).max(ABOVE + 14.0 + WAYS + BOX + BELOW);
    scene.words = format!("Cycle {}:", view.picture.cycle);
    for (at, access) in all.iter().take(MOST).enumerate() {
        let said = one(&mut scene, &view, access, at, at as f32 * tall, tall);
        scene.words.push_str(&format!(" {said}"));
    }
    if all.len() > MOST {
        let more = format!("and {} more in this cycle", all.len() - MOST);
        scene.label(0, Tone::Soft, view.width, view.height, SMALL, Align::Right, more);
    }
    scene.height = scene.height.max(shown as f32 * tall);
    scene
}

/// The accesses of the last cycle on the SM that is looked at, the selected warp's first.
fn accesses(view: &PanelView) -> Vec<Access> {
    let mut all: Vec<Access> = Vec::new();
    for event in view.last {
        let Event::LaneAccess { sm, warp, pc, lane, space, write, address } = *event else { continue };
        if sm != view.sm() {
            continue;
        }
        match all.last_mut().filter(|last| (last.warp, last.pc, last.space) == (warp, pc, space)) {
            Some(access) => access.lanes.push((lane.into(), address)),
            None => all.push(Access { warp, pc, space, write, lanes: vec![(lane.into(), address)] }),
        }
    }
    let picked = view.selection.and_then(Selection::warp).map(|(_, warp)| warp);
    all.sort_by_key(|access| Some(access.warp) != picked);
    all
}

/// Draws an access into a band of the picture; the same in words.
fn one(scene: &mut Scene<Selection>, view: &PanelView, access: &Access, number: usize, y: f32, tall: f32) -> String {
    let config = &view.sim.machine.config;
    let lanes = config.warp_width * config.slices;
    let goals = goals(view, access);
    let said = said(view, access, &goals);
    let verb = match (access.write, access.space) {
        (true, Space::Shared) => "stores to shared memory",
        (true, _) => "stores",
        (false, Space::Shared) => "loads from shared memory",
        (false, Space::Const | Space::Param) => "loads a constant",
        (false, _) => "loads",
    };
    let who = if view.sim.machine.reforms { "A dynamic warp".to_string() } else { format!("Warp {}", access.warp) };
    let title = format!("{who} {verb} at {}", view.listing.place(access.pc));
    scene.bold(0, Tone::Text, 0.0, y + 15.0, 15.0, Align::Left, title.as_str());
    scene.label(0, Tone::Soft, 0.0, y + 32.0, BASE, Align::Left, fitting(&said, view.width * SMALL / BASE));
    let grid = LaneGrid::fit(0.0, view.width, lanes, 40.0);
    let top = y + ABOVE + 14.0;
    let size = (grid.pitch - grid.gap).clamp(8.0, 30.0);
    lane_numbers(scene, &grid, lanes, top - 5.0);
    for lane in 0..lanes {
        scene.outline(0, Tone::Line, grid.cell(lane, top, size));
    }
    // Boxes as wide as there is room for, and no wider than a line of cache needs to be read.
    let pitch = (view.width / goals.len() as f32).min(480.0);
    let box_top = (y + tall - BELOW - BOX).min(top + size + 190.0);
    for (at, goal) in goals.iter().enumerate() {
        let rect = Rect::new(at as f32 * pitch, box_top, (pitch - 4.0).max(3.0), BOX);
        let tone = goal.fate.map_or(if goal.words > 1 { Tone::Heat } else { Tone::Edge }, |(_, tone)| tone);
        for &(lane, share) in &goal.lanes {
            let from = grid.cell(lane, top, size);
            let (x, below) = (from.x + from.w / 2.0, from.y + from.h);
            let to = rect.x + 2.0 + share * (rect.w - 4.0).max(1.0);
            let way = Rect::new(x, below, to - x, rect.y - below);
            let thread = thread(view, access, lane);
            let tone = thread.map_or(Tone::Mark, |thread| hue(thread.warp));
            scene.push(key(kind::WAY, lane, at as u16, number as u8), tone, Figure::Line(way));
            scene.fill(0, tone, Rect::new(to - 1.0, rect.y + 1.0, 2.0, 6.0));
            match thread {
                Some(thread) => thread.draw(scene, Stand::Token, from),
                None => scene.round(0, Tone::Mark, from),
            }
        }
        if goal.words > 1 {
            scene.fill(0, Tone::BadTint, rect);
        }
        scene.outline(0, tone, rect);
        name_box(scene, goal, rect, tone);
    }
    format!("{title}: {said}.")
}

/// What is written in and below a box, where there is room.
fn name_box(scene: &mut Scene<Selection>, goal: &Goal, rect: Rect, tone: Tone) {
    let middle = rect.x + rect.w / 2.0;
    if goal.name.len() as f32 * 6.4 < rect.w {
        scene.mono(0, Tone::Text, middle, rect.y + 18.0, 10.0, Align::Middle, goal.name.as_str());
    }
    let fate = match goal.fate {
        Some((word, _)) if word.len() as f32 * 6.5 < rect.w => word.to_string(),
        Some((word, _)) => word[..1].to_string(),
        None if goal.words > 1 => format!("{}", goal.words),
        None => String::new(),
    };
    if rect.w >= 7.0 {
        let tone = if tone == Tone::Edge { Tone::Soft } else { tone };
        scene.label(0, tone, middle, rect.y + rect.h + 14.0, SMALL, Align::Middle, fate);
    }
}

/// The thread in a lane of the access: of the warp, of the narrow warp in that slice, or of the static warp that it came from.
fn thread(view: &PanelView, access: &Access, lane: u32) -> Option<Thread> {
    let (config, sm) = (&view.sim.machine.config, view.sm());
    let (warp, own) = if view.sim.machine.reforms {
        let origin = view.last.iter().find_map(|event| match *event {
            Event::IssuedFor { sm: s, warp, origin, mask } if (s, warp) == (sm, access.warp) && mask >> lane & 1 != 0 => {
                Some(origin)
            }
            _ => None,
        });
        (origin?, lane)
    } else if config.slices > 1 {
        let slice = lane / config.warp_width;
        let warp = view.last.iter().find_map(|event| match *event {
            Event::Memory { sm: s, warp, .. } if s == sm && u32::from(warp) % config.slices == slice => Some(warp),
            _ => None,
        });
        (warp?, lane % config.warp_width)
    } else {
        (access.warp, lane)
    };
    Some(Thread::of(view.picture.warp(sm, warp)?, own))
}

/// The boxes that an access goes to, in the order of their addresses.
fn goals(view: &PanelView, access: &Access) -> Vec<Goal> {
    let config = &view.sim.machine.config;
    if access.space == Space::Shared {
        let banks = u64::from(config.shared_banks);
        let bank = |bank: u64| {
            let lanes: Vec<(u32, u64)> = access.lanes.iter().copied().filter(|(_, at)| at / 4 % banks == bank).collect();
            let mut words: Vec<u64> = lanes.iter().map(|(_, address)| address / 4).collect();
            words.sort_unstable();
            words.dedup();
            Goal {
                name: bank.to_string(),
                fate: None,
                words: words.len(),
                lanes: lanes.iter().map(|(lane, _)| (*lane, 0.5)).collect(),
            }
        };
        return (0..banks).map(bank).collect();
    }
    let constant = matches!(access.space, Space::Const | Space::Param);
    let line = if constant { 4 } else { u64::from(config.l1d_line) };
    let mut found: BTreeMap<u64, Vec<(u32, f32)>> = BTreeMap::new();
    for &(lane, address) in &access.lanes {
        found.entry(address / line).or_default().push((lane, (address % line) as f32 / line as f32));
    }
    let fate = |number: u64| {
        let of_line = view.last.iter().find_map(|event| match *event {
            Event::L1 { sm, line, outcome, .. } if (sm, line) == (view.sm(), number) => Some(outcome),
            _ => None,
        });
        of_line.filter(|_| !constant).map(|outcome| match outcome {
            CacheOutcome::Hit => ("hit", Tone::Good),
            CacheOutcome::Miss => ("miss", Tone::Heat),
            CacheOutcome::Merged => ("merged", Tone::Accent),
        })
    };
    let goal = |(number, lanes): (u64, Vec<(u32, f32)>)| Goal {
        // The end of an address tells lines apart; its front is the same for all buffers.
        name: format!("…{:04x}", (number * line) & 0xffff),
        fate: fate(number),
        words: 1,
        lanes,
    };
    found.into_iter().map(goal).collect()
}

/// What it came to.
fn said(view: &PanelView, access: &Access, goals: &[Goal]) -> String {
    let lanes = counted(access.lanes.len() as u64, "lane");
    if access.space == Space::Shared {
        let busiest = goals.iter().map(|goal| goal.words).max().unwrap_or(1);
        let used = goals.iter().filter(|goal| goal.words > 0).count();
        let used = format!("{lanes} to {} of {} banks", used, goals.len());
        let extra = view.last.iter().find_map(|event| match *event {
            Event::BankConflict { warp, pc, extra, .. } if (warp, pc) == (access.warp, access.pc) => Some(extra),
            _ => None,
        });
        return match extra {
            Some(extra) => {
                format!("{used} · a bank is asked for {busiest} words: {} more", counted(extra.into(), "cycle"))
            }
            None => format!("{used} · no conflict"),
        };
    }
    if matches!(access.space, Space::Const | Space::Param) {
        return format!("{lanes} to {}", counted(goals.len() as u64, "different word"));
    }
    let fates = ["hit", "miss", "merged"].map(|word| {
        let count = goals.iter().filter(|goal| goal.fate.is_some_and(|(fate, _)| fate == word)).count();
        (count > 0).then(|| format!("{count} {word}"))
    });
    let fates: Vec<String> = fates.into_iter().flatten().collect();
    let made = format!("{lanes} to {}", counted(goals.len() as u64, "transaction"));
    if fates.is_empty() { made } else { format!("{made} · {}", fates.join(" · ")) }
}
