//! The picture of variable warp sizing: slices as columns, the gang table of one original gang, and all original gangs.
//!
//! A warp stays in its slice's column for life: a frame around its threads. Each entry of the gang table is a line. When a gang
//! splits, its members drop to the lines of their new gangs or to the line of singletons; when parts meet, they rise again. Above
//! is what every slice did in the last cycle: the gang or the warp that issued through it, and what was fetched. Below is every
//! original gang, as a row of cells with the names of its gangs. Warps keep their own hues throughout. (VWS sections 4.1 to 4.5,
//! figure 6)

use super::PanelView;
use super::parts::{BASE, SMALL, Stand, Thread, fitting, heading, hue, ink, kind, reason};
use crate::event::{Event, Reason};
use crate::policy::gang::{ENTRIES, GangSet};
use crate::program::Pc;
use crate::scene::{Align, Geometry, Rect, Scene, Tone, key};
use crate::sim::state::Sm;
use crate::view::words::{counted, gang_name};
use crate::view::{LaneActivity, Selection, WarpPicture};

/// Room left of the slices, for names and the state of a gang; a narrow picture has less room and shows less.
const LABEL: f32 = 136.0;
const SHORT_LABEL: f32 = 78.0;
const NARROW: f32 = 430.0;
/// The height that the gang table leaves to the rest of the picture, and the least height of a line of the table.
const REST: f32 = 236.0;
const LEAST_LINE: f32 = 30.0;
/// The least height of a line with threads in two rows.
const LEAST_DOUBLE: f32 = 42.0;
/// The width of a token below which two rows of threads are better than one.
const ROOMY: f32 = 14.0;
/// The greatest height of a line of the table.
const MOST_LINE: f32 = 72.0;
/// The least pitch of cells with room for a gang's name.
const NAME: f32 = 17.0;

/// The mask of a warp that issues by itself, whatever its slice.
const ALONE: u8 = 1;

/// The positions of the slices side by side.
#[derive(Clone, Copy)]
struct Columns {
    x: f32,
    pitch: f32,
}

impl Columns {
    fn of(view: &PanelView) -> Columns {
        let x = if view.width < NARROW { SHORT_LABEL } else { LABEL };
        let pitch = ((view.width - x) / view.sim.machine.config.slices as f32).clamp(22.0, 150.0).floor();
        Columns { x, pitch }
    }

    fn is_narrow(&self) -> bool {
        self.x < LABEL
    }

    /// Returns what fits left of the slices.
    fn label<'a>(&self, said: &'a str) -> &'a str {
        if self.is_narrow() { fitting(said, self.x) } else { said }
    }

    fn cell(&self, slice: u32, y: f32, height: f32) -> Rect {
        let gap = if self.is_narrow() { 3.0 } else { 6.0 };
        Rect::new(self.x + slice as f32 * self.pitch, y, self.pitch - gap, height)
    }
}

/// Returns a gang's name with its original gang's number: `2.g0`, or only the number if the gang has left the table.
fn full_name(set: Option<&GangSet>, row: u32, mask: u8) -> String {
    set.and_then(|set| set.entry_of(mask)).map_or(row.to_string(), |entry| format!("{row}.{}", gang_name(entry)))
}

/// An original gang as the picture needs it, with its warps by slice, whether the machine has gangs or only slices.
struct Row<'a> {
    sm: u16,
    number: u32,
    set: GangSet,
    warps: Vec<Option<&'a WarpPicture>>,
}

impl Row<'_> {
    fn entry(&self, slice: u32) -> Option<usize> {
        // Without gangs there may be more slices than a gang can span.
        self.set.gangs.iter().position(|&gang| u32::from(gang) >> slice & 1 != 0)
    }

    fn lives(&self, slice: u32) -> bool {
        self.warps[slice as usize].is_some_and(|warp| warp.alive != 0)
    }
}

pub fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let name = view.sm();
    let Some(sm) = view.sim.state.sms.get(usize::from(name)) else { return scene };
    let slices = view.sim.machine.config.slices;
    let rows = rows(&view, sm, name, slices);
    // A selected block stands for its first warp.
    let warp = view.selection.and_then(Selection::warp).map(|(_, warp)| warp).or_else(|| Some(view.focus()?.warp));
    let asked = warp.map(|warp| u32::from(warp) / slices);
    let lives = |row: &&Row| row.warps.iter().flatten().any(|warp| warp.alive != 0);
    let chosen = rows.iter().find(|row| Some(row.number) == asked);
    // An original gang that has ended has nothing to show.
    let focus = chosen.filter(lives).or_else(|| rows.iter().find(lives)).or(rows.first());
    let columns = Columns::of(&view);
    let mut y = slices_in_cycle(&mut scene, &view, name, columns);
    if let Some(row) = focus {
        y = table(&mut scene, &view, sm, row, asked, columns, y + 10.0);
    }
    scene.fill(0, Tone::Line, Rect::new(0.0, y + 8.0, view.width, 1.0));
    y += 28.0;
    if rows.is_empty() {
        scene.label(0, Tone::Soft, 0.0, y, BASE, Align::Left, "No warp is resident.");
    } else if sm.gangs.is_some() {
        heading(&mut scene, &view, y, "All original gangs", "g0 to g3: gangs · outline: singleton · dot: ended");
    } else {
        heading(&mut scene, &view, y, "All warps", "from that number on, a cell for each slice · outline: waits · dot: ended");
    }
    y += 8.0;
    y = overview(&mut scene, &view, &rows, focus.map(|row| row.number), y);
    scene.height = scene.height.max(y + 4.0);
    scene.words = words(&view, name, &rows, focus);
    scene
}

/// Returns the original gangs that have a resident warp.
fn rows<'a>(view: &PanelView<'a>, sm: &Sm, name: u16, slices: u32) -> Vec<Row<'a>> {
    let mut rows: Vec<Row> = Vec::new();
    for warp in view.warps() {
        let number = u32::from(warp.warp) / slices;
        if rows.last().is_none_or(|row| row.number != number) {
            let set = sm.gangs.as_ref().map_or(GangSet::default(), |gangs| gangs.sets[number as usize]);
            rows.push(Row { sm: name, number, set, warps: vec![None; slices as usize] });
        }
        if let Some(row) = rows.last_mut() {
            row.warps[(u32::from(warp.warp) % slices) as usize] = Some(warp);
        }
    }
    rows
}

/// Draws what every slice did in the last cycle; returns the lower end.
fn slices_in_cycle(scene: &mut Scene<Selection>, view: &PanelView, sm: u16, columns: Columns) -> f32 {
    let slices = view.sim.machine.config.slices;
    scene.bold(0, Tone::Text, 0.0, 15.0, 15.0, Align::Left, "Slices");
    for slice in 0..slices {
        let cell = columns.cell(slice, 0.0, 0.0);
        scene.mono(0, Tone::Soft, cell.x + cell.w / 2.0, 13.0, 11.0, Align::Middle, slice.to_string());
    }
    let top = 22.0;
    let mut used = 0u32;
    let mut issuing = [None; 32];
    for event in view.last {
        match *event {
            Event::GangIssued { sm: s, row, mask, .. } if s == sm => {
                for slice in (0..slices).filter(|slice| mask >> slice & 1 != 0) {
                    issuing[slice as usize] = Some((u32::from(row), mask));
                }
            }
            Event::Issued { sm: s, warp, .. } if s == sm => {
                let slice = u32::from(warp) % slices;
                used |= 1 << slice;
                issuing[slice as usize].get_or_insert((u32::from(warp) / slices, ALONE));
            }
            _ => {}
        }
    }
    let mut slice = 0;
    while slice < slices {
        let cell = columns.cell(slice, top, 20.0);
        let Some((row, mask)) = issuing[slice as usize].filter(|_| used >> slice & 1 != 0) else {
            scene.outline(key(kind::ENCODER, slice, 1, 0), Tone::Line, cell);
            slice += 1;
            continue;
        };
        // Members side by side are one bar, even if the instruction that they issued has split the gang.
        let joined = mask.count_ones() > 1;
        let run = (slice..slices).take_while(|at| joined && mask >> at & 1 != 0).count().max(1) as u32;
        let bar = Rect { w: cell.w + (run - 1) as f32 * columns.pitch, ..cell };
        let warp = (row * slices + slice) as u16;
        let (tone, ink) = if joined { (Tone::Soft, Tone::Panel) } else { (hue(warp), ink(warp)) };
        scene.fill(key(kind::ENCODER, slice, 1, 0), tone, bar);
        // The gang's name, unless the instruction that it issued has split it.
        let set = view.sim.state.sms[usize::from(sm)].gangs.as_ref().map(|gangs| gangs.sets[row as usize]);
        let name = full_name(set.as_ref(), row, mask);
        let text = match (joined, run) {
            (true, 1) => name.rsplit('.').next().unwrap_or_default().to_string(),
            (true, 2) => name,
            // The gang has split or merged, and has no name any more.
            (true, _) if !name.contains('.') => format!("gang of {name}"),
            (true, _) => format!("gang {name}"),
            (false, _) => format!("w{warp}"),
        };
        scene.mono(0, ink, bar.x + bar.w / 2.0, bar.y + 14.0, if text.len() > 3 { 10.0 } else { 11.0 }, Align::Middle, text);
        slice += run;
    }
    let free = slices - used.count_ones();
    let said = if free == 0 { "issued".to_string() } else { format!("issued · {free} of {slices} empty") };
    scene.label(0, Tone::Soft, 0.0, top + 14.0, SMALL, Align::Left, columns.label(&said));
    let y = fetched(scene, view, sm, columns, top + 30.0);
    memory(scene, view, sm, columns, y)
}

/// Draws what was fetched through which I-cache ports: a gang by its name, a warp by the cache that it hit.
fn fetched(scene: &mut Scene<Selection>, view: &PanelView, sm: u16, columns: Columns, y: f32) -> f32 {
    let config = &view.sim.machine.config;
    let slices = config.slices;
    let (mut ports, mut own) = (0u32, false);
    let mut texts: Vec<Vec<String>> = vec![Vec::new(); slices as usize];
    for event in view.last {
        match *event {
            Event::SliceFetch { sm: s, hit, .. } if s == sm => own = hit,
            Event::Fetched { sm: s, warp, .. } if s == sm => {
                let (row, slice) = (u32::from(warp) / slices, u32::from(warp) % slices);
                let state = view.sim.state.sms[usize::from(sm)].gangs.as_ref().map(|gangs| gangs.sets[row as usize]);
                let part = state.map_or(1, |set| set.part_of(slice));
                if part.count_ones() > 1 {
                    let name = full_name(state.as_ref(), row, part);
                    let members = (0..8).filter(|slice| part >> slice & 1 != 0);
                    members.for_each(|slice: usize| texts[slice] = vec![name.clone()]);
                    ports += 1;
                } else {
                    texts[slice as usize].push(if own { "L0".to_string() } else { "L1".to_string() });
                    ports += u32::from(!own);
                }
                own = false;
            }
            _ => {}
        }
    }
    let said = format!("fetched · {ports} of {} ports", config.icache_ports);
    scene.label(0, Tone::Soft, 0.0, y + 11.0, SMALL, Align::Left, columns.label(&said));
    for (slice, text) in texts.iter().enumerate() {
        let cell = columns.cell(slice as u32, y, 14.0);
        let tone = if text.is_empty() { Tone::Soft } else { Tone::Text };
        let text = if text.is_empty() { "–".to_string() } else { text.join(" ") };
        // If a gang's full name does not fit, the number of its original gang is left out.
        let text = if columns.is_narrow() { text.rsplit('.').next().unwrap_or_default().to_string() } else { text };
        scene.mono(0, tone, cell.x + cell.w / 2.0, y + 11.0, 11.0, Align::Middle, text);
    }
    y + 18.0
}

/// Writes how many transactions the last cycle's memory accesses became.
fn memory(scene: &mut Scene<Selection>, view: &PanelView, sm: u16, columns: Columns, y: f32) -> f32 {
    let (mut warps, mut lines) = (0u32, 0u32);
    for event in view.last {
        if let Event::Memory { sm: s, transactions, .. } = *event
            && s == sm
        {
            warps += 1;
            lines += u32::from(transactions);
        }
    }
    let said = match (warps, lines) {
        (0, _) => "no access to memory".to_string(),
        (n, 0) => format!("accesses of {} to shared memory or constants", counted(n.into(), "warp")),
        (n, m) => format!("accesses of {} became {}", counted(n.into(), "warp"), counted(m.into(), "transaction")),
    };
    scene.label(0, Tone::Soft, 0.0, y + 11.0, SMALL, Align::Left, "memory");
    scene.label(0, if lines > 0 { Tone::Text } else { Tone::Soft }, columns.x, y + 11.0, SMALL, Align::Left, said);
    y + 18.0
}

/// Draws the chosen original gang: a line for each entry of its set of the gang table, and one for singletons.
fn table(
    scene: &mut Scene<Selection>,
    view: &PanelView,
    sm: &Sm,
    row: &Row,
    asked: Option<u32>,
    columns: Columns,
    y: f32,
) -> f32 {
    let config = &view.sim.machine.config;
    let slices = config.slices;
    scene.fill(0, Tone::Line, Rect::new(0.0, y, view.width, 1.0));
    let block = row.warps.iter().flatten().next().map_or(0, |warp| warp.block);
    let first = row.number * slices;
    let title =
        if config.gangs { format!("Original gang {}", row.number) } else { format!("Warps {first} to {}", first + slices - 1) };
    scene.bold(0, Tone::Text, 0.0, y + 20.0, 15.0, Align::Left, title);
    let instead = match asked.filter(|&asked| asked != row.number) {
        Some(asked) => format!(" · the selected warp's ({asked}) has ended"),
        None => String::new(),
    };
    let about = format!("block {block}{instead}");
    scene.label(0, Tone::Soft, 168.0, y + 20.0, BASE, Align::Left, fitting(&about, (view.width - 168.0) * SMALL / BASE));
    // Its room is always kept, so that nothing jumps when something happens.
    if let Some(text) = happened(view, row) {
        scene.bold(0, Tone::Accent, 0.0, y + 37.0, SMALL, Align::Left, text);
    }
    let mut y = y + 44.0;
    let lines = if config.gangs { ENTRIES.min(slices as usize / 2) } else { 0 };
    let rows = view.warps().count() as f32 / slices as f32;
    // If the numbers of a row of threads do not fit, there are two rows.
    let threads = row.warps.iter().flatten().map(|warp| warp.width).max().unwrap_or(1);
    let double = columns.cell(0, 0.0, 0.0).w - 6.0 < ROOMY * threads as f32;
    let least = if double { LEAST_DOUBLE } else { LEAST_LINE };
    let line = ((view.height - REST - rows * 17.0) / (lines + 1) as f32).clamp(least, MOST_LINE);
    for entry in 0..lines {
        let mask = row.set.gangs[entry];
        scene.fill(0, Tone::Line, Rect::new(0.0, y - 2.0, view.width, 1.0));
        let tone = if mask == 0 { Tone::Mark } else { Tone::Text };
        scene.bold(0, tone, 0.0, y + line / 2.0 + 2.0, 15.0, Align::Left, gang_name(entry));
        if mask != 0 {
            entry_state(scene, view, sm, row, (mask, columns), y + line / 2.0);
        }
        y += line;
    }
    scene.fill(0, Tone::Line, Rect::new(0.0, y - 2.0, view.width, 1.0));
    let title = match (config.gangs, columns.is_narrow()) {
        (true, false) => "singletons",
        (true, true) => "alone",
        (false, _) => "warps",
    };
    let none = config.gangs && row.set.singles == 0;
    let (tone, title) = if none { (Tone::Soft, format!("{title} –")) } else { (Tone::Text, title.to_string()) };
    scene.label(0, tone, 0.0, y + line / 2.0 + 3.0, BASE, Align::Left, title);
    let first = y - lines as f32 * line;
    for slice in 0..slices {
        let Some(warp) = row.warps[slice as usize] else { continue };
        let entry = row.entry(slice);
        let cell = columns.cell(slice, first + entry.unwrap_or(lines) as f32 * line + 1.0, line - 7.0);
        member(scene, view, warp, entry, cell);
    }
    y + line
}

/// Writes a gang's state: its PC, whether its instruction is fetched, and how many members are ready.
fn entry_state(scene: &mut Scene<Selection>, view: &PanelView, sm: &Sm, row: &Row, (mask, columns): (u8, Columns), middle: f32) {
    let config = &view.sim.machine.config;
    let first = row.number * config.slices;
    let lead = first + mask.trailing_zeros();
    let pc = sm.warps[lead as usize].place.pc;
    let members = || (0..config.slices).filter(|slice| mask >> slice & 1 != 0).map(|slice| first + slice);
    let sets = &sm.sets;
    let waits = |warp: u32| sets.data.contains(warp) || sets.barrier.contains(warp) || sets.sync.contains(warp);
    let ready = members().filter(|&warp| !waits(warp)).count();
    let valid = members().all(|warp| !sets.unfetched.contains(warp));
    let x = if columns.is_narrow() { 25.0 } else { 30.0 };
    scene.bold(
        0,
        Tone::Text,
        x,
        middle - 1.0,
        if columns.is_narrow() { SMALL } else { BASE },
        Align::Left,
        view.listing.place(pc),
    );
    let members = mask.count_ones();
    let said = match columns.is_narrow() {
        true => format!("{ready}/{members}{}", if valid { " ready" } else { " no I" }),
        false => format!("PC {pc} · {ready}/{members} ready{}", if valid { "" } else { " · no I" }),
    };
    scene.mono(0, Tone::Soft, x, middle + 10.0, if columns.is_narrow() { 9.0 } else { 10.0 }, Align::Left, said);
}

/// Draws a warp in its slice's column: a frame around its threads, strong when it has just issued.
fn member(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture, entry: Option<usize>, cell: Rect) {
    let tone = hue(warp.warp);
    let who = u32::from(warp.sm) << 16 | u32::from(warp.warp);
    let selected = view.selection.and_then(Selection::warp) == Some((warp.sm, warp.warp));
    let ended = warp.alive == 0;
    let edge = if selected {
        Tone::Text
    } else if entry.is_some() {
        tone
    } else {
        Tone::Mark
    };
    scene.outline(key(kind::ENTRY_ROW, who, 0, 0), if ended { Tone::Line } else { edge }, cell);
    scene.mark(key(kind::NOW, who, 0, 0), Tone::Accent, warp.reason == Some(Reason::Issued), Geometry::Ring(cell));
    scene.spot(cell, Selection::Warp { sm: warp.sm, warp: warp.warp });
    // Two rows, if that makes the tokens larger and leaves room for their numbers.
    let margin = if cell.w < 40.0 { 2.0 } else { 3.0 };
    let (wide, high) = (cell.w - 2.0 * margin, cell.h - 6.0);
    let rows = if wide / (warp.width as f32) < high / 2.0 && high / 2.0 >= ROOMY { 2 } else { 1 };
    let in_row = warp.width.div_ceil(rows);
    let (width, height) = (wide / in_row as f32, high / rows as f32);
    let size = height.min(width * 1.25);
    for at in 0..warp.width {
        let gap = if width > 5.0 { 2.0 } else { 0.5 };
        let top = cell.y + 3.0 + (at / in_row) as f32 * height + (height - size) / 2.0;
        let small =
            Rect::new(cell.x + margin + (at % in_row) as f32 * width + gap / 2.0, top, width - gap, size - (rows - 1) as f32);
        let thread = Thread::of(warp, at);
        match warp.lane(at) {
            LaneActivity::Active => thread.draw(scene, Stand::Token, small),
            LaneActivity::Masked => thread.draw(scene, Stand::Faint, small),
            LaneActivity::Barrier => thread.draw(scene, Stand::Parked, small),
            LaneActivity::Exited => thread.draw(scene, Stand::Ended, small),
            LaneActivity::Empty => {}
        }
    }
}

/// Describes a split or a merge of this original gang in the last cycle.
fn happened(view: &PanelView, row: &Row) -> Option<String> {
    let part = |mask: u8| {
        let slices: Vec<String> = (0..8).filter(|slice| mask >> slice & 1 != 0).map(|slice| slice.to_string()).collect();
        slices.join(" ")
    };
    view.last.iter().rev().find_map(|event| match *event {
        Event::GangSplit { sm, row: at, gangs, singles, cause, .. } if (sm, u32::from(at)) == (row.sm, row.number) => {
            let name = |gang: u8| row.set.entry_of(gang).map_or(String::new(), |entry| gang_name(entry) + " ");
            let gangs = gangs.iter().filter(|&&gang| gang != 0).map(|&gang| format!("{}{{{}}}", name(gang), part(gang)));
            let gangs: Vec<String> = gangs.collect();
            let alone = if singles == 0 { String::new() } else { format!(", single {}", part(singles)) };
            let parted = if gangs.is_empty() { "split".to_string() } else { format!("split into {}", gangs.join(" ")) };
            Some(format!("{parted}{alone}: {}", cause.words()))
        }
        Event::GangMerge { sm, row: at, one, two, pc } if (sm, u32::from(at)) == (row.sm, row.number) => {
            Some(format!("{{{}}} and {{{}}} merged at PC {pc}", part(one), part(two)))
        }
        _ => None,
    })
}

/// Draws every original gang as a row of cells; returns the lower end.
fn overview(scene: &mut Scene<Selection>, view: &PanelView, rows: &[Row], chosen: Option<u32>, y: f32) -> f32 {
    let slices = view.sim.machine.config.slices;
    let height = 17.0;
    let wide = 52.0 + slices as f32 * 30.0 + 90.0;
    let count = ((view.width + 20.0) / (wide + 20.0)).floor().max(1.0) as usize;
    let per_column = rows.len().div_ceil(count).max(1);
    let column = (view.width + 20.0) / count as f32;
    let pitch = ((column - 20.0 - 52.0 - 84.0) / slices as f32).clamp(10.0, 44.0);
    let gangs = view.sim.machine.config.gangs;
    for (at, row) in rows.iter().enumerate() {
        let left = (at / per_column) as f32 * column;
        let top = y + (at % per_column) as f32 * height;
        if chosen == Some(row.number) {
            scene.fill(key(kind::OVERVIEW_ROW, 0, 0, 0), Tone::Picked, Rect::new(left, top, column - 20.0, height));
        }
        let first = row.number * slices;
        let name = if gangs { row.number.to_string() } else { format!("w{first}") };
        scene.mono(0, Tone::Text, left, top + 12.0, 11.0, Align::Left, name);
        for slice in 0..slices {
            let Some(warp) = row.warps[slice as usize] else { continue };
            let cell = Rect::new(left + 52.0 + slice as f32 * pitch, top + 2.0, pitch - 3.0, height - 4.0);
            let who = key(kind::OVERVIEW_LANE, u32::from(warp.sm) << 16 | u32::from(warp.warp), 0, 0);
            if !row.lives(slice) {
                scene.push(who, Tone::Soft, crate::scene::Geometry::Dot(cell));
            } else if let Some(entry) = row.entry(slice) {
                scene.fill(who, hue(warp.warp), cell);
                if pitch >= 12.0 {
                    let (x, y) = (cell.x + cell.w / 2.0, cell.y + 10.0);
                    // A narrow cell has room for the number alone.
                    let name = if pitch >= NAME { gang_name(entry) } else { entry.to_string() };
                    scene.mono(0, ink(warp.warp), x, y, 10.0, Align::Middle, name);
                }
            } else if !gangs && warp.active != 0 {
                scene.fill(who, hue(warp.warp), cell);
            } else {
                scene.outline(who, hue(warp.warp), cell);
            }
            scene.spot(cell, Selection::Warp { sm: warp.sm, warp: warp.warp });
        }
        let lead = row.warps.iter().flatten().find(|warp| warp.alive != 0);
        if let Some(lead) = lead {
            let x = left + 52.0 + slices as f32 * pitch + 4.0;
            reason(scene, lead.reason, left + 32.0, top + 3.0, 11.0);
            let pcs = places(row);
            let text = if pcs == 1 { format!("PC {}", lead.pc) } else { format!("{pcs} PCs") };
            scene.mono(0, Tone::Soft, x, top + 12.0, 11.0, Align::Left, text);
        }
    }
    y + per_column.min(rows.len().max(1)) as f32 * height
}

/// Returns how many different instructions an original gang is at.
fn places(row: &Row) -> usize {
    let mut pcs: Vec<Pc> = row.warps.iter().flatten().filter(|warp| warp.alive != 0).map(|warp| warp.pc).collect();
    pcs.sort_unstable();
    pcs.dedup();
    pcs.len()
}

fn words(view: &PanelView, sm: u16, rows: &[Row], focus: Option<&Row>) -> String {
    let issued = view.last.iter().filter(|event| matches!(event, Event::Issued { sm: s, .. } if *s == sm)).count();
    let gangs: usize = rows.iter().map(|row| row.set.gangs.iter().filter(|gang| **gang != 0).count()).sum();
    let singles: u32 = rows.iter().map(|row| row.set.singles.count_ones()).sum();
    let slices = view.sim.machine.config.slices;
    let mut text = format!("Cycle {}: {issued} of {slices} slices issued in the last cycle.", view.picture.cycle);
    if !view.sim.machine.config.gangs {
        text += &format!(" Rows of warps side by side in the slices: {}.", rows.len());
        return text;
    }
    text += &format!(
        " {}: {} and {}.",
        counted(rows.len() as u64, "original gang"),
        counted(gangs as u64, "gang"),
        counted(singles.into(), "singleton")
    );
    if let Some(row) = focus {
        let sizes: Vec<String> = row.set.parts().map(|part| part.count_ones().to_string()).collect();
        text += &format!(" Original gang {} has parts of {} warps.", row.number, sizes.join(", "));
        if let Some(happened) = happened(view, row) {
            text += &format!(" Last cycle: {happened}.");
        }
    }
    text
}
