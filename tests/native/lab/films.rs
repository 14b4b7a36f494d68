//! The films of steps: the order of their beats, and that nothing collides on the way.

use super::*;
use std::collections::BTreeMap;

/// The kinds of keys that the tests look for, as `mechanism::parts::kind` has them.
const THREAD: u64 = 7;
const ENTRY_TEXT: u64 = 5;
const WCNT: u64 = 54;
const MASK: u64 = 45;
const DOCK: u64 = 50;

fn kind(shape: &Shape) -> u64 {
    shape.key >> 56
}

/// The step to the current cycle, in a panel, ready to be shown.
struct Step {
    from: Scene<Selection>,
    to: Scene<Selection>,
}

impl Step {
    /// Goes to `cycle` by a single step.
    fn to(lab: &mut Lab, panel: &str, cycle: u64) -> Step {
        lab.seek(cycle - 1);
        settle(lab);
        let from = Step::scene(lab, panel).1;
        lab.step();
        settle(lab);
        let (panel, to) = Step::scene(lab, panel);
        let mut step = Step { from, to };
        panel.direct(&mut step.from, &mut step.to);
        step
    }

    fn scene(lab: &Lab, name: &str) -> (&'static Panel, Scene<Selection>) {
        let panels = mechanism::panels(lab.stage.as_ref().expect("a stage").session.sim());
        let panel = panels.into_iter().find(|panel| panel.name == name).expect("the panel applies");
        (panel, with_view(lab, |view| panel.draw(view)))
    }

    fn frame(&self, time: f32) -> Vec<Shape> {
        let mut shapes = Film::new(&self.from, &self.to, false).frame(time).shapes;
        shapes.retain(|shape| shape.alpha > 0.01);
        shapes
    }

    /// Returns the picture at the end of a beat.
    fn after(&self, beat: &str) -> Vec<Shape> {
        let part = self.to.script.part_of(beat).unwrap_or_else(|| panic!("no {beat} in {:?}", self.to.script.names()));
        self.frame(part.end - 0.0001)
    }
}

fn lesson(id: &str, stop: usize) -> Lab {
    let mut lab = Lab::new();
    assert!(lab.open_lesson(id));
    lab.go_to_stop(stop);
    settle(&mut lab);
    lab
}

/// Returns the texts of a kind, in the order of their keys.
fn texts(shapes: &[Shape], of: u64) -> Vec<String> {
    let words = |shape: &Shape| if let Geometry::Text { text, .. } = &shape.geometry { Some(text.clone()) } else { None };
    let found: BTreeMap<u64, String> =
        shapes.iter().filter(|shape| kind(shape) == of && shape.alpha > 0.5).filter_map(|s| Some((s.key, words(s)?))).collect();
    found.into_values().collect()
}

/// Returns how many filled tokens lie below a height, and how many above it.
fn active(shapes: &[Shape], line: f32) -> (usize, usize) {
    let tokens = shapes.iter().filter(|shape| kind(shape) == THREAD && shape.alpha > 0.9);
    let (above, below): (Vec<&Shape>, Vec<&Shape>) = tokens.partition(|token| token.geometry.place().y < line);
    (below.len(), above.len())
}

/// TBC figure 7, when the second warp arrives: bits fly to the masks, WCnt goes to 0, the mask drops, the encoders pick, the warp
/// forms.
#[test]
fn under_tbc_a_warp_arrives_before_the_next_one_forms() {
    let mut lab = lesson("1-compaction", 3);
    let step = Step::to(&mut lab, "mechanism", 14);
    assert_eq!(step.to.script.names(), ["flash", "home", "fill", "count", "push", "drop", "pick", "form"]);
    let line = step.to.shapes.iter().find(|shape| kind(shape) == DOCK).expect("a docked bit").geometry.place().y;
    let bits = |beat: &str, of: u64| step.after(beat).iter().filter(|shape| kind(shape) == of).count();
    assert_eq!(active(&step.after("flash"), line), (4, 0), "warp 1 stands in the buffer");
    assert_eq!(active(&step.after("home"), line), (0, 4), "and goes home");
    assert_eq!((bits("home", MASK), bits("fill", MASK)), (12, 16), "then its bits fly into the masks of the sides");
    assert_eq!(texts(&step.after("fill"), WCNT), ["WCnt 1"]);
    assert_eq!(texts(&step.after("count"), WCNT), ["WCnt 0"]);
    let states = |beat: &str| texts(&step.after(beat), ENTRY_TEXT).iter().filter(|text| *text == "fills").count();
    assert_eq!((states("count"), states("push")), (2, 0), "full sides become entries");
    assert_eq!([bits("push", DOCK), bits("drop", DOCK), bits("pick", DOCK), bits("form", DOCK)], [0, 3, 3, 0]);
    assert_eq!(active(&step.after("pick"), line), (0, 0), "nobody is active before the warp forms");
    assert_eq!(active(&step.after("form"), line), (3, 0));
}

/// The end of C in figure 7: all go home, the entry counts down and closes, and only then the next entry forms its first warp.
#[test]
fn under_tbc_an_entry_closes_behind_its_last_warp() {
    let mut lab = lesson("1-compaction", 3);
    let step = Step::to(&mut lab, "mechanism", 21);
    assert_eq!(step.to.script.names(), ["flash", "home", "count", "close", "push", "drop", "pick", "form"]);
    assert_eq!(texts(&step.after("count"), WCNT).len(), 3);
    assert!(texts(&step.after("count"), WCNT).iter().all(|text| text == "WCnt 0"));
    assert_eq!(texts(&step.after("close"), WCNT).len(), 2, "the entry is gone");
    assert!(texts(&step.after("push"), WCNT).contains(&"WCnt 2".to_string()), "the next one is to become two warps");
    let step = Step::to(&mut lab, "mechanism", 22);
    assert_eq!(step.to.script.names(), ["flash", "pick", "form"], "a cycle later what remains");
}

/// No two tokens stand in one place, and every thread is seen once, in every frame of every film under TBC.
#[test]
fn under_tbc_no_thread_is_in_two_places_or_in_the_place_of_another() {
    for (id, last) in [("1-compaction", 36), ("27-out-of-order", 60)] {
        let mut lab = lesson(id, if id == "1-compaction" { 3 } else { 0 });
        let mut events = 0;
        for cycle in 2..last {
            let step = Step::to(&mut lab, "mechanism", cycle);
            if step.to.shapes.iter().all(|shape| kind(shape) != THREAD) {
                break;
            }
            events += usize::from(!step.to.script.is_quiet());
            let parts: Vec<f32> =
                step.to.script.names().iter().map(|name| step.to.script.part_of(name).expect("a beat").end).collect();
            for time in parts {
                let shapes = step.frame(time - 0.0001);
                let tokens: Vec<&Shape> = shapes.iter().filter(|shape| kind(shape) == THREAD && shape.alpha > 0.05).collect();
                for (at, token) in tokens.iter().enumerate() {
                    for other in &tokens[at + 1..] {
                        assert!(token.key != other.key, "{id}, cycle {cycle}: a thread twice at {time}");
                        let place = token.geometry.place().around(-2.0);
                        assert!(!place.meets(&other.geometry.place()), "{id}, cycle {cycle} at {time}: {token:?} {other:?}");
                    }
                }
            }
        }
        assert!(events >= 6, "{id}: {events} films tell an event");
    }
}

/// Origami figure 8: the first half goes down, the second waits above it, slides sideways a cycle later, and back at the end.
#[test]
fn a_folded_warp_goes_in_two_halves_and_comes_back_whole() {
    const TOKEN: u64 = 30;
    let mut lab = lesson("18-fold", 0);
    let xs = |step: &Step, beat: &str, of: [u64; 4]| {
        let shapes = step.after(beat);
        let place = |thread: u64| {
            let token = shapes.iter().rfind(|shape| kind(shape) == TOKEN && shape.key & 0xff == thread);
            token.map(|token| token.geometry.place()).unwrap_or_default()
        };
        (of.map(|thread| place(thread).x.round()), place(of[0]).y.round())
    };
    let (lower, upper) = ([0, 1, 4, 5], [2, 3, 6, 7]);
    let first = Step::to(&mut lab, "lanes", 5);
    assert_eq!(first.to.script.names(), ["flash", "register", "enter", "lift"]);
    let (own, register) = xs(&first, "register", upper);
    assert_eq!(xs(&first, "register", lower).1, register, "the register is full");
    assert!(xs(&first, "enter", lower).1 > register && xs(&first, "enter", upper).1 == register, "the lower half goes down");
    assert!(xs(&first, "lift", upper).1 < register, "and the upper half waits above, lifted");
    let second = Step::to(&mut lab, "lanes", 6);
    assert_eq!(second.to.script.names(), ["flash", "advance", "slide", "enter"]);
    let lanes = xs(&first, "enter", lower);
    assert_eq!(xs(&second, "advance", upper).0, own);
    assert_eq!(xs(&second, "slide", upper).0, lanes.0, "it slides onto the lanes of the first half");
    assert_eq!(xs(&second, "enter", upper), lanes, "which has left them");
    let third = Step::to(&mut lab, "lanes", 7);
    assert_eq!(third.to.script.names()[..3], ["flash", "advance", "back"]);
    assert_eq!((xs(&third, "advance", upper).0, xs(&third, "back", upper).0), (lanes.0, own), "and back onto its own lanes");
}

/// One pipeline stage a row: no row of tokens holds two instructions at the end of a beat.
#[test]
fn no_row_of_lanes_holds_two_instructions() {
    const TOKEN: u64 = 30;
    let mut lab = lesson("19-windows", 1);
    let mut rows_seen = 0;
    for cycle in 150..175 {
        let step = Step::to(&mut lab, "lanes", cycle);
        for name in step.to.script.names() {
            let mut rows: BTreeMap<i32, u64> = BTreeMap::new();
            for token in step.after(name).iter().filter(|shape| kind(shape) == TOKEN && shape.alpha > 0.2) {
                let instruction = token.key >> 8;
                let row = rows.entry(token.geometry.place().y as i32).or_insert(instruction);
                assert_eq!(*row, instruction, "cycle {cycle}, {name}");
            }
            rows_seen = rows_seen.max(rows.len());
        }
    }
    assert!(rows_seen >= 5, "{rows_seen}");
}

/// The gang table shows the original gang of which the event tells, whatever is selected.
#[test]
fn the_gang_table_follows_the_event() {
    let lab = lesson("31-gang-sizes", 1);
    assert_eq!(lab.selection, Some(Selection::Warp { sm: 0, warp: 0 }));
    let events = lab.stage.as_ref().expect("a stage").session.last().to_vec();
    let split = events.iter().find_map(|event| if let Event::GangSplit { row, .. } = event { Some(*row) } else { None });
    let shown = scene(&lab);
    let title = format!("Original gang {}", split.expect("a split"));
    let says = |shape: &Shape| matches!(&shape.geometry, Geometry::Text { text, .. } if *text == title);
    assert!(split != Some(0) && shown.shapes.iter().any(says), "{title}");
    assert_eq!(shown.script.names(), ["flash", "regroup", "settle"]);
}

/// BAWS figures 3 and 4: LRR above GTO above BAWS on one axis, each as far as the run on the stage has come.
#[test]
fn warp_phases_of_three_schedulers_grow_on_one_axis() {
    const RUN: u64 = 59;
    let mut lab = lesson("16-warp-phases", 0);
    let rivals = lab.rivals();
    assert_eq!(
        rivals.iter().map(|rival| (rival.name, rival.cycles)).collect::<Vec<_>>(),
        [("LRR", 1935), ("GTO", 1828), ("BAWS", 1753)]
    );
    assert_eq!(rivals.iter().map(|rival| rival.is_shown).collect::<Vec<_>>(), [true, false, false]);
    let phases = mechanism::PANELS.iter().find(|panel| panel.name == mechanism::PHASES).expect("the panel");
    // Where each run's bars end, from the top.
    let mut ends = |cycle: u64| {
        lab.seek(cycle);
        settle(&mut lab);
        let scene = with_view(&lab, |view| phases.draw(PanelView { rivals: &rivals, ..view }));
        let bars = |at: u64| scene.shapes.iter().filter(move |shape| kind(shape) == RUN && shape.key >> 48 & 0xff == at);
        let end = |at: u64| bars(at).map(|bar| bar.geometry.place().x + bar.geometry.place().w).fold(0.0, f32::max);
        let top = |at: u64| bars(at).map(|bar| bar.geometry.place().y).fold(f32::INFINITY, f32::min);
        assert!(top(0) < top(1) && top(1) < top(2));
        [0, 1, 2].map(|at| end(at).round())
    };
    let (early, late, last) = (ends(400), ends(1000), ends(1935));
    let level = |ends: [f32; 3]| ends.iter().all(|end| (end - ends[0]).abs() <= 1.0);
    assert!(level(early) && level(late), "{early:?} {late:?}");
    assert!(early[0] < late[0] && late[0] < last[2], "{early:?} {late:?} {last:?}");
    assert!(last[2] < last[1] && last[1] < last[0], "a shorter run looks shorter: {last:?}");
}
