//! The picture of variable warp sizing: slices as columns, the gang table of one original gang, and all original gangs.
//!
//! A warp stays in its slice's column for life: a frame around its threads. Each entry of the gang table is a line. When a gang
//! splits, its members drop to the lines of their new gangs or to the line of singletons; when parts meet, they rise again. Above
//! is what every slice did in the last cycle: the gang or the warp that issued through it, and what was fetched. Below is every
//! original gang, as a row of cells with the names of its gangs. Warps keep their own hues throughout. (VWS sections 4.1 to 4.5,
//! figure 6)

mod activity;
mod columns;
mod overview;
mod rows;
mod slices;
mod table;

use self::columns::Columns;
use self::rows::Row;
use super::PanelView;
use super::parts::{BASE, heading};
use crate::scene::{Align, Beat, Rect, Scene, Tone};
use crate::view::Selection;
use crate::view::words::counted;
use warpscope_machine::event::Event;

pub fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let name = view.sm();
    let Some(sm) = view.sim.state.sms.get(usize::from(name)) else { return scene };
    let slices = view.sim.machine.config.slices;
    let rows = rows::rows(&view, sm, name, slices);
    // A selected block stands for its first warp.
    let warp = view.selection.and_then(Selection::warp).map(|(_, warp)| warp).or_else(|| Some(view.focus()?.warp));
    let asked = warp.map(|warp| u32::from(warp) / slices);
    let chosen = rows.iter().find(|row| Some(row.number) == asked);
    // An original gang that has ended has nothing to show.
    let live = chosen.filter(|row| row.is_live()).or_else(|| rows.iter().find(|row| row.is_live())).or(rows.first());
    // The table follows the event: an original gang that has just split or merged comes before the selected one.
    let changed = || rows.iter().filter(|row| row.changed(view.last));
    let focus = changed().find(|row| Some(row.number) == asked).or_else(|| changed().next()).or(live);
    if focus.is_some_and(|row| row.changed(view.last)) {
        scene.plan(Beat::Flash, "flash", 150);
        scene.plan(Beat::Travel, "regroup", 500);
        scene.plan(Beat::Settle, "settle", 200);
    }
    let columns = Columns::of(&view);
    let mut y = slices::draw(&mut scene, &view, name, columns);
    if let Some(row) = focus {
        y = table::draw(&mut scene, &view, sm, row, asked, columns, y + 10.0);
    }
    scene.fill(0, Tone::Line, Rect::new(0.0, y + 8.0, view.width, 1.0));
    y += 28.0;
    if rows.is_empty() {
        scene.label(0, Tone::Soft, 0.0, y, BASE, Align::Left, "No warp is resident.");
    } else if sm.gangs.is_some() {
        heading(&mut scene, &view, y, "All original gangs", "0.g1: gang 1 of original gang 0 · outline: singleton · dot: ended");
    } else {
        heading(&mut scene, &view, y, "All warps", "from that number on, a cell for each slice · outline: waits · dot: ended");
    }
    y += 8.0;
    y = overview::draw(&mut scene, &view, &rows, focus.map(|row| row.number), y);
    scene.height = scene.height.max(y + 4.0);
    scene.words = words(&view, name, &rows, focus);
    scene
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
        if let Some(happened) = row.happened(view.last) {
            text += &format!(" Last cycle: {happened}.");
        }
    }
    text
}
