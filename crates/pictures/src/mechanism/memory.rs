//! The memory accesses of a cycle: from the lanes of a warp to cache lines, or to the banks of shared memory.
//!
//! A line that several lanes access is one transaction, so the fewer boxes, the better; each box shows what the L1 cache made of
//! it. A bank of shared memory serves one word at a time: a bank that is asked for several is a conflict, and the access takes as
//! many turns as its busiest bank has words. (TBC section 2.1; VWS section 2.1, figure 4)

use super::parts::{BASE, LaneGrid, SMALL, Stand, Thread, fitting, hue, kind, lane_numbers};
use super::{PanelView, on_the_way};
use crate::scene::{Align, Geometry, Rect, Scene, Tone, key};
use crate::view::Selection;
use crate::view::words::counted;
use std::collections::BTreeMap;
use warpscope_kernel::program::Pc;
use warpscope_machine::event::{CacheOutcome, Event, Space};

/// The heights above the lanes of an access, and below its boxes.
const ABOVE: f32 = 44.0;
const BELOW: f32 = 48.0;
/// The height of a box, and the least room for the lines that lead to it.
const BOX: f32 = 24.0;
const WAYS: f32 = 46.0;
/// The most accesses that are drawn.
const MOST: usize = 3;

/// One memory instruction of the last cycle.
struct WarpAccess {
    warp: u16,
    pc: Pc,
    space: Space,
    write: bool,
    /// Lanes, and the addresses that they access.
    lanes: Vec<(u32, u64)>,
}

/// A box of the picture: a cache line, a word of constant memory, or a bank.
struct AccessTarget {
    name: String,
    /// The L1 cache's outcome, with its tone.
    outcome: Option<(&'static str, Tone)>,
    /// How many different words are accessed: more than one is a bank conflict.
    words: usize,
    /// Lanes that access it, and how far along the box, from 0 to 1.
    lanes: Vec<(u32, f32)>,
}

pub fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let all = accesses(&view);
    if all.is_empty() {
        let done = view.tally.metrics.totals.memory_transactions;
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

/// Returns the last cycle's accesses on the selected SM, the selected warp's first.
fn accesses(view: &PanelView) -> Vec<WarpAccess> {
    let mut all: Vec<WarpAccess> = Vec::new();
    for event in view.last {
        let Event::LaneAccess { sm, warp, pc, lane, space, write, address, .. } = *event else { continue };
        if sm != view.sm() {
            continue;
        }
        match all.last_mut().filter(|last| (last.warp, last.pc, last.space) == (warp, pc, space)) {
            Some(access) => access.lanes.push((lane.into(), address)),
            None => all.push(WarpAccess { warp, pc, space, write, lanes: vec![(lane.into(), address)] }),
        }
    }
    let picked = view.selection.and_then(Selection::warp).map(|(_, warp)| warp);
    all.sort_by_key(|access| Some(access.warp) != picked);
    all
}

/// Draws an access into a band of the picture; returns the same in words.
fn one(scene: &mut Scene<Selection>, view: &PanelView, access: &WarpAccess, number: usize, y: f32, tall: f32) -> String {
    let config = &view.sim.machine.config;
    let lanes = config.warp_width * config.slices;
    let targets = targets(view, access);
    let said = said(view, access, &targets);
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
    let grid = LaneGrid::fit(0.0, view.width, lanes, 72.0);
    let top = y + ABOVE + 14.0;
    let size = (grid.pitch - grid.gap).clamp(8.0, 48.0);
    lane_numbers(scene, &grid, lanes, top - 5.0);
    for lane in 0..lanes {
        scene.outline(0, Tone::Line, grid.cell(lane, top, size));
    }
    let pitch = view.width / targets.len() as f32;
    let box_top = y + tall - BELOW - BOX;
    for (at, target) in targets.iter().enumerate() {
        let rect = Rect::new(at as f32 * pitch, box_top, (pitch - 4.0).max(3.0), BOX);
        let tone = target.outcome.map_or(if target.words > 1 { Tone::Heat } else { Tone::Edge }, |(_, tone)| tone);
        for &(lane, share) in &target.lanes {
            let from = grid.cell(lane, top, size);
            let (x, below) = (from.x + from.w / 2.0, from.y + from.h);
            let to = rect.x + 2.0 + share * (rect.w - 4.0).max(1.0);
            let way = Rect::new(x, below, to - x, rect.y - below);
            let thread = thread(view, access, lane);
            let tone = thread.map_or(Tone::Mark, |thread| hue(thread.warp));
            scene.push(key(kind::WAY, lane, at as u16, number as u8), tone, Geometry::Line(way));
            scene.fill(0, tone, Rect::new(to - 1.0, rect.y + 1.0, 2.0, 6.0));
            match thread {
                Some(thread) => thread.draw(scene, Stand::Token, from),
                None => scene.round(0, Tone::Mark, from),
            }
        }
        if target.words > 1 {
            scene.fill(0, Tone::BadTint, rect);
        }
        scene.outline(0, tone, rect);
        name_box(scene, target, rect, tone);
    }
    format!("{title}: {said}.")
}

/// Writes a box's name in it and its outcome below it, where they fit.
fn name_box(scene: &mut Scene<Selection>, target: &AccessTarget, rect: Rect, tone: Tone) {
    let middle = rect.x + rect.w / 2.0;
    if target.name.len() as f32 * 6.4 < rect.w {
        scene.mono(0, Tone::Text, middle, rect.y + 18.0, 10.0, Align::Middle, target.name.as_str());
    }
    let outcome = match target.outcome {
        Some((word, _)) if word.len() as f32 * 6.5 < rect.w => word.to_string(),
        Some((word, _)) => word[..1].to_string(),
        None if target.words > 1 => format!("{}", target.words),
        None => String::new(),
    };
    if rect.w >= 7.0 {
        let tone = if tone == Tone::Edge { Tone::Soft } else { tone };
        scene.label(0, tone, middle, rect.y + rect.h + 14.0, SMALL, Align::Middle, outcome);
    }
}

/// Returns the thread in a lane of the access: the warp's own, that of the narrow warp in the slice, or that of the static warp
/// of origin.
fn thread(view: &PanelView, access: &WarpAccess, lane: u32) -> Option<Thread> {
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

/// Returns the boxes of an access, in the order of their addresses.
fn targets(view: &PanelView, access: &WarpAccess) -> Vec<AccessTarget> {
    let config = &view.sim.machine.config;
    if access.space == Space::Shared {
        let banks = u64::from(config.shared_banks);
        let bank = |bank: u64| {
            let lanes: Vec<(u32, u64)> = access.lanes.iter().copied().filter(|(_, at)| at / 4 % banks == bank).collect();
            let mut words: Vec<u64> = lanes.iter().map(|(_, address)| address / 4).collect();
            words.sort_unstable();
            words.dedup();
            AccessTarget {
                name: bank.to_string(),
                outcome: None,
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
    let outcome = |number: u64| {
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
    let target = |(number, lanes): (u64, Vec<(u32, f32)>)| AccessTarget {
        // The end of an address tells lines apart; its front is the same for all buffers.
        name: format!("…{:04x}", (number * line) & 0xffff),
        outcome: outcome(number),
        words: 1,
        lanes,
    };
    found.into_iter().map(target).collect()
}

/// Describes the outcome of an access.
fn said(view: &PanelView, access: &WarpAccess, targets: &[AccessTarget]) -> String {
    let lanes = counted(access.lanes.len() as u64, "lane");
    if access.space == Space::Shared {
        let busiest = targets.iter().map(|target| target.words).max().unwrap_or(1);
        let used = targets.iter().filter(|target| target.words > 0).count();
        let used = format!("{lanes} to {} of {} banks", used, targets.len());
        let extra = view.last.iter().find_map(|event| match *event {
            Event::BankConflict { sm, warp, pc, extra, .. } if (sm, warp, pc) == (view.sm(), access.warp, access.pc) => {
                Some(extra)
            }
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
        return format!("{lanes} to {}", counted(targets.len() as u64, "different word"));
    }
    let outcomes = ["hit", "miss", "merged"].map(|word| {
        let count = targets.iter().filter(|target| target.outcome.is_some_and(|(outcome, _)| outcome == word)).count();
        (count > 0).then(|| format!("{count} {word}"))
    });
    let outcomes: Vec<String> = outcomes.into_iter().flatten().collect();
    let made = format!("{lanes} to {}", counted(targets.len() as u64, "transaction"));
    if outcomes.is_empty() { made } else { format!("{made} · {}", outcomes.join(" · ")) }
}
