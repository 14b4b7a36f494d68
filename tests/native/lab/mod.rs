//! The page's behaviour without the page: stepping, going back, searching, breakpoints, mistakes, links.

mod breakpoints;
mod choosing;
mod exports;
mod films;
mod first;
mod links;
mod moving;
mod pictures;
mod rooms;
mod telling;
mod texts;

use warpscope_catalogue::Size;
use warpscope_lab::{
    Goal, Lab, Link, MOST_TEXT_BYTES, MachineSpec, Origin, ResultVerdict, Stage, Tab, Texts, Visit, Wanted, grouped, too_large,
    typed_cycle,
};
use warpscope_machine::event::{Event, EventKind, Log, Reason, Sink};
use warpscope_machine::policy::view::Unit;
use warpscope_pictures::mechanism::{self, Panel, PanelView, VisibleLines};
use warpscope_pictures::scene::{Align, Film, Geometry, Palette, Rect, Scene, Shape, Theme, Tone, svg};
use warpscope_pictures::session::Breakpoints;
use warpscope_pictures::view::{LaneActivity, Script, Selection, WarpPicture, card};

fn lab(name: &str, preset: &str) -> Lab {
    let mut lab = Lab::new();
    lab.setup = MachineSpec { preset: preset.into(), ..MachineSpec::default() };
    lab.choose(Origin::find(name, Size::Small));
    assert!(lab.misfit.is_none(), "{:?}", lab.misfit);
    lab
}

/// Runs the transport until it rests.
fn settle(lab: &mut Lab) {
    while !lab.transport.is_resting() {
        lab.tick(16.0, f64::INFINITY, &|| 0.0);
    }
}

/// Returns the mechanism's picture of the current cycle.
fn scene(lab: &Lab) -> Scene<Selection> {
    let stage = lab.stage.as_ref().expect("a stage");
    drawn(lab, mechanism::panels(stage.session.sim())[0].scene)
}

fn drawn(lab: &Lab, draw: fn(PanelView) -> Scene<Selection>) -> Scene<Selection> {
    with_view(lab, draw)
}

fn with_view<R>(lab: &Lab, look: impl FnOnce(PanelView) -> R) -> R {
    let stage = lab.stage.as_ref().expect("a stage");
    let picture = stage.picture();
    let baseline = lab.baseline(stage);
    let view = PanelView {
        rivals: &[],
        sim: stage.session.sim(),
        picture: &picture,
        listing: &stage.listing,
        selection: lab.selection,
        last: stage.session.last(),
        tally: stage.session.replay().tally(),
        record: stage.session.record(),
        issues: stage.session.issues(),
        baseline: baseline.as_deref(),
        names_parts: lab.hints.is_some(),
        values: lab.values(),
        width: 600.0,
        height: 500.0,
        least_scale: 1.0,
    };
    look(view)
}

/// Returns the chips over the lines of a text.
fn chips(lab: &Lab, cuda: bool, room: f32) -> Scene<Selection> {
    let stage = lab.stage.as_ref().expect("a stage");
    let lines = stage.listing.lines(if cuda { Script::Cuda } else { Script::Ptx });
    let selected = lab.selection.and_then(Selection::warp);
    mechanism::at_lines(&VisibleLines { picture: &stage.picture(), lines, first: 0, selected, current: None, room })
}

/// Returns everything that the page shows of the current cycle, as text.
fn picture(lab: &Lab) -> String {
    let stage = lab.stage.as_ref().expect("a stage");
    let picture = stage.picture();
    let cards = picture.warps.iter().map(|w| card::card(stage.explainer(&picture), Selection::Warp { sm: w.sm, warp: w.warp }));
    format!(
        "{}\n{}\n{:?}\n{:?}\n{:?}",
        svg(&scene(lab), Palette::of(Theme::Light)),
        svg(&drawn(lab, mechanism::flow), Palette::of(Theme::Light)),
        cards.collect::<Vec<_>>(),
        stage.session.replay().tally(),
        stage.session.last()
    )
}

/// Returns the cycles that have a wanted event, from the events of the machine itself.
fn cycles_of(lab: &Lab, wanted: impl Fn(&Event) -> bool) -> Vec<u64> {
    let stage = lab.stage.as_ref().expect("a stage");
    let mut log = Log::default();
    stage.session.replay().events(0, u64::MAX, &mut log);
    let mut cycles: Vec<u64> = log.events.iter().filter(|(_, event)| wanted(event)).map(|(cycle, _)| *cycle).collect();
    cycles.dedup();
    cycles
}

/// Returns a kernel with `bytes` of local memory a thread.
fn with_local(bytes: u64) -> String {
    format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k() {{\n.reg .b32 %r<3>;\n.local .align 8 .b8 stack[{bytes}];\n\
         mov.u32 %r1, %tid.x;\nst.local.u32 [stack], %r1;\nret;\n}}\n"
    )
}

/// Checks the effect of a refused choice: stage, choices and link stay as they were, and a notice names what runs.
fn assert_refused(lab: &Lab, before: &Link, runs: &str) {
    let notice = lab.notice.as_ref().filter(|notice| notice.bad).map_or("", |notice| notice.text.as_str());
    assert!(notice.starts_with("Not applied") && notice.contains(&format!("Still running: {runs}.")), "{notice}");
    assert_eq!(lab.misfit, None);
    assert_eq!(lab.link(), *before, "the link is to what is shown");
    assert_eq!(lab.visit().map(|visit| visit.setup), before.setup);
    let mut other = Lab::new();
    other.open(before.clone());
    settle(&mut other);
    assert!(other.stage.is_some() && picture(&other) == picture(lab), "the link opens what is shown");
}

/// Setups that need more memory than a page has.
const HUGE: [&str; 4] = [
    "sms:64,l1d_bytes:1073741824",
    "sms:64,l1d_bytes:1073741824,l1d_line:32",
    "l2_bytes:1073741824,l2_line:32",
    "sms:64,max_threads:4096,schedulers:32,divergence:DWF",
];
