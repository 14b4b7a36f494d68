//! What every slice did in the last cycle, drawn: bars for what issued, and below them the fetches and the accesses to memory.

use super::super::PanelView;
use super::super::parts::{SMALL, hue, ink, kind};
use super::activity::{Activity, Issuer};
use super::columns::Columns;
use super::rows::name_of;
use crate::scene::{Align, Rect, Scene, Tone, key};
use crate::view::Selection;
use crate::view::words::counted;

/// Draws what every slice did in the last cycle; returns the lower end.
pub fn draw(scene: &mut Scene<Selection>, view: &PanelView, sm: u16, columns: Columns) -> f32 {
    let slices = view.sim.machine.config.slices;
    let activity = Activity::of(view, sm);
    scene.bold(0, Tone::Text, 0.0, 15.0, 15.0, Align::Left, "Slices");
    for slice in 0..slices {
        let cell = columns.cell(slice, 0.0, 0.0);
        scene.mono(0, Tone::Soft, cell.x + cell.w / 2.0, 13.0, 11.0, Align::Middle, slice.to_string());
    }
    let top = 22.0;
    issued(scene, view, sm, &activity, columns, top);
    let free = activity.issued.iter().filter(|issuer| issuer.is_none()).count();
    let said = if free == 0 { "issued".to_string() } else { format!("issued · {free} of {slices} empty") };
    scene.label(0, Tone::Soft, 0.0, top + 14.0, SMALL, Align::Left, columns.label(&said));
    let y = fetched(scene, view, &activity, columns, top + 30.0);
    memory(scene, &activity, columns, y)
}

/// Draws a bar for each gang or warp that issued.
fn issued(scene: &mut Scene<Selection>, view: &PanelView, sm: u16, activity: &Activity, columns: Columns, top: f32) {
    let slices = view.sim.machine.config.slices;
    let mut slice = 0;
    while slice < slices {
        let cell = columns.cell(slice, top, 20.0);
        let Some(issuer) = activity.issued[slice as usize] else {
            scene.outline(key(kind::ENCODER, slice, 1, 0), Tone::Line, cell);
            slice += 1;
            continue;
        };
        // Members side by side are one bar, even if the instruction that they issued has split the gang.
        let run = (slice..slices).take_while(|at| issuer.is_gang() && issuer.mask >> at & 1 != 0).count().max(1) as u32;
        let bar = Rect { w: cell.w + (run - 1) as f32 * columns.pitch, ..cell };
        let warp = (issuer.row * slices + slice) as u16;
        let (tone, ink) = if issuer.is_gang() { (Tone::Soft, Tone::Panel) } else { (hue(warp), ink(warp)) };
        scene.fill(key(kind::ENCODER, slice, 1, 0), tone, bar);
        let text = if issuer.is_gang() { gang(view, sm, issuer, run) } else { format!("w{warp}") };
        scene.mono(0, ink, bar.x + bar.w / 2.0, bar.y + 14.0, if text.len() > 3 { 10.0 } else { 11.0 }, Align::Middle, text);
        slice += run;
    }
}

/// Names a gang that issued, as fits a bar over `run` slices.
fn gang(view: &PanelView, sm: u16, Issuer { row, mask }: Issuer, run: u32) -> String {
    let set = view.sim.state.sms[usize::from(sm)].gangs.as_ref().map(|gangs| gangs.sets[row as usize]);
    let name = name_of(set.as_ref(), row, mask);
    match (name, run) {
        (Some(name), 1 | 2) => name,
        (Some(name), _) => format!("gang {name}"),
        (None, 1) => String::new(),
        (None, _) => "has split".to_string(),
    }
}

/// Writes what was fetched through which I-cache ports.
fn fetched(scene: &mut Scene<Selection>, view: &PanelView, activity: &Activity, columns: Columns, y: f32) -> f32 {
    let said = format!("fetched · {} of {} ports", activity.ports, view.sim.machine.config.icache_ports);
    scene.label(0, Tone::Soft, 0.0, y + 11.0, SMALL, Align::Left, columns.label(&said));
    for (slice, text) in activity.fetched.iter().enumerate() {
        let cell = columns.cell(slice as u32, y, 14.0);
        let tone = if text.is_empty() { Tone::Soft } else { Tone::Text };
        let text = if text.is_empty() { "–".to_string() } else { text.join(" ") };
        let size = if columns.is_narrow() { 9.0 } else { 11.0 };
        scene.mono(0, tone, cell.x + cell.w / 2.0, y + 11.0, size, Align::Middle, text);
    }
    y + 18.0
}

/// Writes how many transactions the last cycle's memory accesses became.
fn memory(scene: &mut Scene<Selection>, activity: &Activity, columns: Columns, y: f32) -> f32 {
    let (warps, lines) = (activity.accesses, activity.transactions);
    let said = match (warps, lines) {
        (0, _) => "no access to memory".to_string(),
        (n, 0) => format!("accesses of {} to shared memory or constants", counted(n.into(), "warp")),
        (n, m) => format!("accesses of {} became {}", counted(n.into(), "warp"), counted(m.into(), "transaction")),
    };
    scene.label(0, Tone::Soft, 0.0, y + 11.0, SMALL, Align::Left, "memory");
    scene.label(0, if lines > 0 { Tone::Text } else { Tone::Soft }, columns.x, y + 11.0, SMALL, Align::Left, said);
    y + 18.0
}
