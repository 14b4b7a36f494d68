//! The picture of the lanes shows what lessons 18, 20 and 21 say.

use super::lesson;
use warpscope_machine::event::Log;
use warpscope_machine::metrics::Tally;
use warpscope_machine::record::Record;
use warpscope_pictures::mechanism::lanes::{LaneCell, LanesView};
use warpscope_pictures::mechanism::{PANELS, Panel, PanelView};
use warpscope_pictures::scene::{Geometry, Rect, Scene, Shape};
use warpscope_pictures::view::{Listing, Picture, Selection};

fn panel() -> &'static Panel {
    PANELS.iter().find(|panel| panel.name == "lanes").expect("the panel")
}

/// Calls `look` with a lesson's machine after `cycles` cycles, as a panel sees it.
pub fn at<T>(id: &str, technique: &str, cycles: u64, look: impl FnOnce(PanelView) -> T) -> T {
    let lesson = lesson(id);
    let mut sim = lesson.sim(technique).expect("it can run");
    let instructions = sim.machine.program.instructions.len();
    let (mut tally, mut log) = (Tally::new(instructions, &sim.machine.config), Log::default());
    let mut record = Record::new(sim.state.sms.len(), sim.machine.max_warps as usize);
    sim.run(cycles, &mut (&mut (&mut tally, &mut log), &mut record));
    record.close(cycles);
    let last: Vec<_> = log.events.iter().filter(|(cycle, _)| cycle + 1 == cycles).map(|(_, event)| *event).collect();
    let picture = Picture::of(&sim);
    let listing = Listing::new(&sim.machine.program, lesson.kernel.as_str().into(), None);
    look(PanelView {
        rivals: &[],
        sim: &sim,
        picture: &picture,
        listing: &listing,
        selection: None,
        last: &last,
        tally: &tally,
        record: &record,
        issues: &[],
        baseline: None,
        names_parts: false,
        values: None,
        width: 700.0,
        height: 480.0,
        least_scale: 1.0,
    })
}

/// Returns the visible threads of a scene by number, with their places.
fn threads(scene: &Scene<Selection>) -> Vec<(u32, Rect)> {
    let is_thread = |shape: &&Shape| matches!(shape.geometry, Geometry::Round(_)) && shape.alpha > 0.0;
    let number = |shape: &Shape| u32::from(shape.key as u8);
    let mut threads: Vec<_> =
        scene.shapes.iter().filter(is_thread).map(|shape| (number(shape), shape.geometry.place())).collect();
    threads.sort_by_key(|(thread, _)| *thread);
    threads
}

#[test]
fn a_still_of_a_fold_shows_both_halves() {
    let scene = at("18-fold", "Warp-Folding", 5, panel().scene);
    let threads = threads(&scene);
    assert_eq!(threads.iter().map(|(thread, _)| *thread).collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
    let [first, second] = [0, 2].map(|thread| threads[thread].1.y);
    assert!(first > second, "the second half waits above the lanes");
    for (thread, place) in &threads {
        assert_eq!(place.y == first, thread % 4 < 2, "thread {thread}");
    }
    assert!(scene.words.contains("SP 0 INT: 4 lanes busy, 4 off"), "{}", scene.words);
}

#[test]
fn the_second_half_slides_onto_the_lanes_of_the_first_and_back() {
    let xs = |cycles: u64| {
        let places = threads(&at("18-fold", "Warp-Folding", cycles, panel().scene));
        [2, 3, 6, 7].map(|thread| places.iter().rfind(|(it, _)| *it == thread).map(|(_, place)| place.x))
    };
    let first = threads(&at("18-fold", "Warp-Folding", 5, panel().scene));
    let home = |thread: usize| Some(first[thread].1.x);
    assert_eq!(xs(5), [home(2), home(3), home(6), home(7)], "in the register");
    assert_eq!(xs(6), [home(0), home(1), home(4), home(5)], "in the lanes");
}

#[test]
fn the_roll_remembers_who_slept_and_whether_it_paid() {
    let ends = |cycles: u64| {
        at("20-break-even", "ConvPG", cycles, |view| {
            let lanes = LanesView::of(&view).expect("lanes are looked at");
            lanes.pipes[0]
                .past
                .iter()
                .filter(|span| matches!(span.cell, LaneCell::Ends { .. }))
                .map(|span| span.cell)
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(ends(19), []);
    assert_eq!(ends(20), [LaneCell::Ends { won: false }; 8]);
    assert_eq!(ends(57).iter().filter(|cell| **cell == LaneCell::Ends { won: true }).count(), 8);
    let blackout = at("20-break-even", "Warped-Gates", 23, |view| LanesView::of(&view).expect("lanes").pipes[0].now.clone());
    assert_eq!(blackout, [LaneCell::Ends { won: true }; 8], "it has just paid");
}

#[test]
fn every_room_holds_the_picture() {
    for (width, height) in [(420.0, 260.0), (600.0, 330.0), (760.0, 520.0), (1100.0, 800.0)] {
        let scene = at("21-blackout", "Warp-Folding", 70, |view| (panel().scene)(PanelView { width, height, ..view }));
        let beyond = |shape: &&Shape| {
            let place = shape.geometry.place();
            place.x < -0.5 || place.x + place.w > width + 1.0
        };
        assert_eq!(scene.shapes.iter().filter(beyond).count(), 0, "in {width} pixels");
        assert!(scene.height >= height);
    }
}
