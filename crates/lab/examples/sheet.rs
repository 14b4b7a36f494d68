//! usage: sheet OUT WIDTH HEIGHT THEME PANEL lesson:ID:STOP|kernel:NAME:PRESET:TECHNIQUE:axis CYCLE [STEPMS] [WARP]
#![allow(clippy::all, clippy::print_stdout, clippy::disallowed_methods, warnings)]
use std::fmt::Write;
use warpscope_catalogue::Size;
use warpscope_lab::*;
use warpscope_pictures::mechanism::{self, PanelView};
use warpscope_pictures::scene::*;
use warpscope_pictures::view::Selection;
fn settle(lab: &mut Lab) {
    while !lab.transport.is_resting() {
        lab.tick(16.0, f64::INFINITY, &|| 0.0);
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (w, h): (f32, f32) = (a[2].parse().unwrap(), a[3].parse().unwrap());
    let theme = if a[4] == "dark" { Theme::Dark } else { Theme::Light };
    let mut lab = Lab::new();
    let what: Vec<&str> = a[6].split(':').collect();
    if what[0] == "lesson" {
        assert!(lab.open_lesson(what[1]));
        lab.go_to_stop(what[2].parse().unwrap());
        settle(&mut lab);
        println!("stop at cycle {}", lab.cycle());
    } else {
        lab.setup = MachineSpec { preset: what[2].into(), ..MachineSpec::default() };
        lab.choose(Origin::find(what[1], Size::Small));
        if what.len() > 3 {
            lab.set_up(lab.setup.with_technique(what.get(4).unwrap_or(&"divergence"), Some(what[3])));
        }
    }
    if let Some(warp) = a.get(9) {
        lab.selection = Some(Selection::Warp { sm: 0, warp: warp.parse().unwrap() });
    }
    let cycle: u64 = if a[7] == "stop" { lab.cycle() } else { a[7].parse().unwrap() };
    let step: f64 = a.get(8).map_or(100.0, |s| s.parse().unwrap());
    let draw = |lab: &Lab| {
        let stage = lab.stage.as_ref().unwrap();
        let picture = stage.picture();
        let baseline = lab.baseline(stage);
        let rivals = lab.rivals();
        let view = PanelView {
            rivals: &rivals,
            baseline: baseline.as_deref(),
            sim: stage.session.sim(),
            picture: &picture,
            listing: &stage.listing,
            selection: lab.selection,
            last: stage.session.last(),
            tally: stage.session.replay().tally(),
            record: stage.session.record(),
            issues: stage.session.issues(),
            names_parts: false,
            values: lab.values(),
            width: w,
            height: h,
            least_scale: 1.0,
        };
        if a[5] == "flow" {
            return (mechanism::flow(view), None);
        }
        let panels = mechanism::panels(stage.session.sim());
        let panel = panels
            .iter()
            .find(|p| p.name == a[5])
            .unwrap_or_else(|| panic!("panels {:?}", panels.iter().map(|p| p.name).collect::<Vec<_>>()));
        (panel.draw(view), Some(*panel))
    };
    lab.seek(cycle.saturating_sub(1));
    settle(&mut lab);
    let (mut from, _) = draw(&lab);
    lab.step();
    settle(&mut lab);
    let (mut to, panel) = draw(&lab);
    for e in lab.stage.as_ref().unwrap().session.last() {
        println!("{e:?}");
    }
    if let Some(direct) = panel.and_then(|p| p.film) {
        direct(&mut from, &mut to);
    }
    let ms = to.script.length_ms();
    println!(
        "{ms} ms, beats {:?} {}",
        to.script.names(),
        to.script
            .names()
            .iter()
            .map(|n| format!(
                "{n} {:.0}..{:.0}",
                to.script.part_of(n).unwrap().start as f64 * ms,
                to.script.part_of(n).unwrap().end as f64 * ms
            ))
            .collect::<Vec<_>>()
            .join(" | ")
    );
    let palette = Palette::of(theme);
    let frames: Vec<f64> =
        if step <= 0.0 { vec![ms] } else { (0..).map(|at| at as f64 * step).take_while(|t| *t < ms).chain([ms]).collect() };
    let columns: usize = if frames.len() == 1 { 1 } else { std::env::var("COLS").ok().and_then(|c| c.parse().ok()).unwrap_or(4) };
    let (pw, ph) = (w + 30.0, h.max(to.height) + 40.0);
    let rows = frames.len().div_ceil(columns);
    let (tw, th) = (pw * columns as f32, ph * rows as f32);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {tw} {th}\" width=\"{tw}\" height=\"{th}\"><rect width=\"{tw}\" height=\"{th}\" fill=\"{}\"/>",
        palette.get(Tone::Panel).css()
    );
    for (at, t) in frames.iter().enumerate() {
        let film = Film::new(&from, &to, false);
        let frame = film.frame((t / ms) as f32);
        let (x, y) = ((at % columns) as f32 * pw, (at / columns) as f32 * ph);
        let inner = svg(&frame, palette);
        let body = inner.split_once('\n').unwrap().1.trim_end().trim_end_matches("</svg>");
        let _ = write!(
            out,
            "<g transform=\"translate({},{})\">{body}<text x=\"0\" y=\"{}\" font-size=\"14\" fill=\"red\">{:.0} ms cycle {cycle}</text><rect x=\"0\" y=\"0\" width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"red\" stroke-opacity=\"0.3\"/></g>",
            x + 15.0,
            y + 15.0,
            h + 20.0,
            t
        );
    }
    out.push_str("</svg>");
    std::fs::write(&a[1], out).unwrap();
}
