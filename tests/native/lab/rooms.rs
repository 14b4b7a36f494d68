//! How panels fill the room that they get.

use super::*;

/// The room for the stage's picture in presentation mode, in windows of 1280 by 720, 1920 by 1080 and 3840 by 2160 pixels.
const ROOMS: [(f32, f32); 3] = [(1230.0, 500.0), (1870.0, 800.0), (3790.0, 1700.0)];

/// A kernel, a preset, a technique and its axis, the panel, and the cycle to look at.
const SHOWN: [(&str, &str, &str, &str, &str, u64); 13] = [
    ("collatz", "gtx480", "PDOM", "divergence", "mechanism", 700),
    ("collatz", "tbc", "TBC", "divergence", "mechanism", 700),
    ("collatz", "tbc", "DWF", "divergence", "mechanism", 700),
    ("collatz", "vws", "E-VWS", "divergence", "mechanism", 700),
    ("reduce", "gtx480", "BAWS", "schedule", "barriers", 400),
    ("collatz", "gtx480", "Origami", "gating", "lanes", 700),
    ("3-lost-coalescing", "", "", "", "memory", 0),
    ("collatz", "gtx480", "VTW", "dispatch", "blocks", 700),
    ("1-compaction", "", "", "", "mechanism", 14),
    ("18-fold", "", "", "", "lanes", 6),
    ("16-warp-phases", "", "", "", "phases", 1900),
    ("12-most-waiting-first", "", "", "", "barriers", 254),
    ("0-what-divergence-costs", "", "", "", "mechanism", 30),
];

fn shown(name: &str, preset: &str, technique: &str, axis: &str, cycle: u64) -> Lab {
    let mut lab = if preset.is_empty() {
        let mut lab = Lab::new();
        assert!(lab.open_lesson(name));
        let at = if name == "1-compaction" { 3 } else { 0 };
        lab.go_to_stop(at);
        lab
    } else {
        let mut lab = lab(name, preset);
        lab.set_up(lab.setup.with_technique(axis, Some(technique)));
        assert_eq!(lab.misfit, None, "{technique}");
        lab
    };
    // A lesson's stop, where no cycle is given.
    if cycle > 0 {
        lab.seek(cycle);
    }
    settle(&mut lab);
    lab
}

/// Returns where a shape is; letters are taken to be as wide as most are.
fn extent(shape: &Shape) -> Rect {
    let Geometry::Text { x, y, size, align, text, .. } = &shape.geometry else { return shape.geometry.place() };
    let wide = text.chars().count() as f32 * size * 0.5;
    let left = match align {
        Align::Left => *x,
        Align::Middle => x - wide / 2.0,
        Align::Right => x - wide,
    };
    Rect::new(left, y - size * 0.75, wide, *size)
}

/// Every panel covers two thirds of its room or more, stays inside it, and no token touches another one or an edge.
#[test]
fn every_panel_fills_its_room() {
    let mut poor = Vec::new();
    for (name, preset, technique, axis, panel, cycle) in SHOWN {
        let lab = shown(name, preset, technique, axis, cycle);
        let panels = mechanism::panels(lab.stage.as_ref().expect("a stage").session.sim());
        let panel = panels.into_iter().find(|one| one.name == panel).unwrap_or_else(|| panic!("{name} {technique}: no {panel}"));
        let rivals = if panel.name == mechanism::PHASES { lab.rivals() } else { Default::default() };
        for (width, height) in ROOMS {
            let scene = with_view(&lab, |view| panel.draw(PanelView { width, height, rivals: &rivals, ..view }));
            let at = format!("{name} {technique} {} at {width} x {height}", panel.name);
            let seen = scene.shapes.iter().filter(|shape| shape.alpha > 0.0);
            let around = seen.clone().map(extent).reduce(|all, rect| all.with(&rect)).expect("shapes");
            let covered = around.w * around.h / (width * height);
            if covered < 0.66 {
                poor.push(format!("{at}: {:.0}%", 100.0 * covered));
            }
            if around.x < -1.0 || around.y < -1.0 || around.x + around.w > width + 1.0 || around.y + around.h > height + 1.0 {
                poor.push(format!("{at}: beyond, {around:?}"));
            }
            let tokens: Vec<Rect> = seen
                .filter_map(|shape| match shape.geometry {
                    Geometry::Round(rect) if matches!(shape.tone, Tone::Warp(_)) => Some(rect),
                    _ => None,
                })
                .collect();
            let largest = tokens.iter().map(|token| token.h).fold(0.0, f32::max);
            println!("{at}: {:.0}% covered, tokens up to {largest}", 100.0 * covered);
            // A stretch of a virtual block carries the token of its block.
            let tokens = if panel.name == "blocks" { Vec::new() } else { tokens };
            for (one, token) in tokens.iter().enumerate() {
                if let Some(other) = tokens[one + 1..].iter().find(|other| token.around(-1.0).meets(other)) {
                    poor.push(format!("{at}: {token:?} meets {other:?}"));
                    break;
                }
            }
        }
    }
    assert!(poor.is_empty(), "{}", poor.join("\n"));
}
