//! What is left to see of a run that has ended, whatever the technique: what it came to, and where its warps' time went.

use super::PanelView;
use super::parts::{BASE, SMALL, reason};
use crate::event::Reason;
use crate::metrics::Report;
use crate::plot::grouped;
use crate::scene::{Align, Rect, Scene, Tone};
use crate::view::Selection;

/// A line's height, where there is room.
const LINE: f32 = 22.0;
const LEAST_LINE: f32 = 17.0;
/// What is not lines, and how many of those there are.
const AROUND: f32 = 86.0;
const LINES: f32 = 17.0;
const VALUES: f32 = 262.0;
const BARS: f32 = 170.0;

pub fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let metrics = &view.tally.metrics;
    let report = Report::new(metrics, &view.sim.machine.config, view.picture.cycle);
    scene.bold(0, Tone::Text, 0.0, 15.0, 15.0, Align::Left, "The run has ended");
    scene.label(0, Tone::Soft, 176.0, 15.0, BASE, Align::Left, "← steps back into it");
    let line = ((view.height - AROUND) / LINES).clamp(LEAST_LINE, LINE);
    let mut y = 24.0;
    let figures = [
        ("Cycles", grouped(report.cycles)),
        ("Warp instructions", grouped(report.warp_instructions)),
        ("IPC (thread instructions/cycle)", format!("{:.3}", report.ipc)),
        ("Lanes used", format!("{:.1} %", report.lane_efficiency * 100.0)),
        ("SIMD efficiency (of the warp's width)", format!("{:.1} %", report.simd_efficiency * 100.0)),
        ("Divergent branches", format!("{} of {}", grouped(report.divergent_branches), grouped(report.branches))),
        ("Memory transactions", grouped(report.memory_transactions)),
        ("Fetches", grouped(report.fetches)),
    ];
    for (name, value) in figures {
        y += line;
        scene.label(0, Tone::Soft, 0.0, y, BASE, Align::Left, name);
        scene.mono(0, Tone::Text, VALUES.min(view.width - 110.0), y, BASE, Align::Left, value);
    }
    y += line + 14.0;
    scene.bold(0, Tone::Text, 0.0, y, BASE, Align::Left, "What warps did");
    scene.label(0, Tone::Soft, 130.0, y, SMALL, Align::Left, "shares of their cycles");
    y += 6.0;
    let all: u64 = metrics.warp_cycles.iter().sum();
    let most = metrics.warp_cycles.iter().copied().max().unwrap_or(0).max(1);
    let count = |reason: Reason| metrics.warp_cycles[reason as usize];
    for at in Reason::listed(count) {
        let cycles = count(at);
        y += line;
        reason(&mut scene, Some(at), 0.0, y - 11.0, 13.0);
        scene.label(0, Tone::Soft, 24.0, y, BASE, Align::Left, at.label());
        let room = (view.width - BARS - 64.0).max(0.0);
        scene.fill(0, Tone::Reason(at), Rect::new(BARS, y - 10.0, room * cycles as f32 / most as f32, 12.0));
        let share = format!("{:.1} %", cycles as f64 * 100.0 / all.max(1) as f64);
        scene.mono(0, Tone::Text, view.width, y, 12.0, Align::Right, share);
    }
    scene.height = scene.height.max(y + 8.0);
    scene.words = format!(
        "The run has ended after {} cycles: {} warp instructions, {:.1} % of the lanes used.",
        report.cycles,
        report.warp_instructions,
        report.lane_efficiency * 100.0
    );
    scene
}
