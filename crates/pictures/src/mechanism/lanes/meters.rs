//! Meters of the lanes: the phase of Warp Folding, and the leakage of a pipeline.

use super::view::{FoldView, LanesView, PhaseView, PipeView};
use crate::mechanism::parts::{SMALL, fitting, kind};
use crate::scene::{Align, Beat, Rect, Scene, Tone, key};
use crate::view::Selection;
use warpscope_machine::policy::view::Unit;

/// The height of a leakage meter.
pub const LEAKAGE: f32 = 30.0;
/// The height of a type's line in the phase.
const LINE: f32 = 18.0;
const BAR: f32 = 10.0;
/// The widths of the text before and behind the bars; a narrow picture has less before them and none behind.
const BEFORE: [f32; 2] = [216.0, 92.0];
const BEHIND: [f32; 2] = [110.0, 0.0];
/// The width below which a picture is narrow.
const NARROW: f32 = 460.0;
/// The least width of a meter that counts the sleeps that were lost.
const COUNTED: f32 = 190.0;
/// The least width of a meter that says what its savings are compared with.
const WHOLE: f32 = 350.0;

fn name(unit: Unit) -> &'static str {
    if unit == Unit::Int { "INT" } else { "FP" }
}

/// The height of a picture from which on the phase has bars.
const TALL: f32 = 420.0;

/// Returns the height that [`phase`] takes in a picture of this height.
pub fn phase_height(phase: &PhaseView, height: f32) -> f32 {
    if height < TALL { 15.0 * if phase.off { 2.0 } else { 1.0 } } else { 2.0 * LINE + 13.0 }
}

/// Draws how each type folds in this phase, how far the phase is, and which warps come first; returns the lower end.
pub fn phase(scene: &mut Scene<Selection>, view: &LanesView, phase: &PhaseView, area: Rect) -> f32 {
    let narrow = area.w < NARROW;
    if area.h < TALL {
        let folds = phase.types.map(|folds| said(phase, &folds, true)).join(", ");
        let text = format!("Phase: cycle {} of {} · {folds}", phase.passed, phase.cycles);
        scene.label(0, Tone::Soft, area.x, area.y + 11.0, SMALL, Align::Left, fitting(&text, area.w));
        return area.y + 15.0;
    }
    let (before, behind) = (BEFORE[usize::from(narrow)], BEHIND[usize::from(narrow)]);
    let bar = Rect::new(area.x + before, area.y, (area.w - before - behind).max(60.0), BAR);
    let per_cycle = bar.w / phase.cycles as f32;
    let now = bar.x + phase.passed as f32 * per_cycle;
    for (line, folds) in phase.types.iter().enumerate() {
        let y = area.y + line as f32 * LINE;
        scene.label(0, Tone::Text, area.x, y + 9.0, SMALL, Align::Left, said(phase, folds, narrow));
        scene.fill(0, Tone::Line, Rect { y, ..bar });
        scene.fill(0, Tone::LaneFolding, Rect { y, w: folds.cycles as f32 * per_cycle, ..bar });
        scene.outline(0, Tone::Edge, Rect { y, ..bar });
        if !narrow && !phase.off {
            let left = match folds.cycles.saturating_sub(phase.passed) {
                0 => "folds no more".to_string(),
                left => format!("{left} cycles to fold"),
            };
            scene.label(0, Tone::Soft, bar.x + bar.w + 8.0, y + 9.0, SMALL, Align::Left, left);
        }
    }
    scene.beat = Beat::Settle;
    let cursor = Rect::new(now - 1.0, area.y - 3.0, 2.0, LINE + BAR + 6.0);
    scene.fill(key(kind::PHASE_NOW, view.sm.into(), 0, 0), Tone::Text, cursor);
    scene.beat = Beat::default();
    let mut y = area.y + 2.0 * LINE + 9.0;
    let mut told = vec![format!("Phase: cycle {} of {}.", phase.passed, phase.cycles)];
    if phase.off {
        told.push("The previous phase used so many issue slots that this one does not fold.".to_string());
    }
    if let Some((first, group)) = view.group {
        let of_these = match group {
            Some(true) => ", of these the warps with all lanes",
            Some(false) => ", of these the warps with fewer lanes",
            None => "",
        };
        told.push(format!("{} instructions issue first{of_these}.", name(first)));
    }
    // A narrow picture has a line for each sentence.
    let lines = if narrow { told } else { vec![told.join(" ")] };
    for line in lines {
        scene.label(0, Tone::Soft, area.x, y, SMALL, Align::Left, fitting(&line, area.w));
        y += 15.0;
    }
    y - 11.0
}

fn said(phase: &PhaseView, folds: &FoldView, narrow: bool) -> String {
    let share = 100 * folds.cycles / phase.cycles.max(1);
    match folds.is_majority {
        _ if narrow => format!("{} folds {}%", name(folds.unit), if phase.off { 0 } else { share }),
        _ if phase.off => format!("{}: does not fold", name(folds.unit)),
        true => format!("{}, the majority: folds {share}% of it", name(folds.unit)),
        false => format!("{}, the minority: folds {share}% of it", name(folds.unit)),
    }
}

/// Draws a pipeline's leakage without gating, divided into what is saved, what switching costs, and what still leaks. Returns the
/// lower end.
pub fn leakage(scene: &mut Scene<Selection>, view: &LanesView, pipe: &PipeView, area: Rect) -> f32 {
    let end = area.y + LEAKAGE;
    let Some(power) = pipe.power.filter(|_| view.gates) else { return end };
    let bar = Rect::new(area.x, area.y + 5.0, area.w, 7.0);
    let all = power.lane_cycles.total().max(1) as f32;
    let gated = power.lane_cycles.gated as f32 / all;
    let cost = (power.overhead as f32).min(1.0);
    let name = |part: u8| key(kind::LEAKAGE, u32::from(view.sm) << 8 | u32::from(pipe.pipe), 0, part);
    // Savings start at the left. The cost of switching is taken off them, and can exceed them.
    let net = (gated - cost).max(0.0);
    scene.fill(0, Tone::Mark, bar);
    scene.beat = Beat::Settle;
    scene.fill(name(0), Tone::Good, Rect { w: bar.w * net, ..bar });
    scene.fill(name(1), Tone::Bad, Rect { x: bar.x + bar.w * net, w: bar.w * cost.min(1.0 - net), ..bar });
    scene.beat = Beat::default();
    let saved = 100.0 * power.leakage_saved;
    let (lost, all) = (power.lost_events, power.gating_events);
    let tone = if saved < 0.0 { Tone::Bad } else { Tone::Text };
    let has_room = area.w >= 300.0;
    // Switching can cost more than lanes that never turn off leak.
    let than = if area.w >= WHOLE { " than without gating" } else { "" };
    let told = format!("{:.0}% {} leakage{than}", saved.abs(), if saved < 0.0 { "more" } else { "less" });
    scene.label(0, tone, bar.x, bar.y + 19.0, SMALL, Align::Left, told);
    let told = match has_room {
        true => format!("{lost} of {all} gatings lost energy"),
        false if area.w < COUNTED => String::new(),
        false => format!("{lost} of {all} lost"),
    };
    scene.label(0, Tone::Soft, bar.x + bar.w, bar.y + 19.0, SMALL, Align::Right, told);
    end
}
