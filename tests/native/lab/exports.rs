//! What a strip and an animation show: the cycles with events, and no empty space around the pictures.

use super::{drawn, with_view};
use warpscope_lab::Lab;
use warpscope_machine::event::{Event, Log};
use warpscope_pictures::mechanism;

/// In the lesson on compaction the usual cycles have every arrival and every warp that is formed.
#[test]
fn the_compaction_is_among_the_cycles_of_a_strip() {
    let mut lab = Lab::new();
    assert!(lab.open_lesson("1-compaction"));
    lab.go_to_stop(5);
    let stage = lab.stage.as_ref().expect("a stage");
    let mut log = Log::default();
    stage.session.replay().events(0, stage.session.cycle(), &mut log);
    let formed: Vec<u64> = log.events.iter().filter(|(_, e)| matches!(e, Event::Formed { .. })).map(|(at, _)| at + 1).collect();
    let cycles = stage.eventful_cycles(12);
    assert!(!formed.is_empty() && formed.iter().rev().take(4).all(|cycle| cycles.contains(cycle)), "{formed:?} {cycles:?}");
    assert!(cycles.len() <= 12 && cycles.is_sorted());
    let filmed = stage.filmed_cycles(12);
    assert!(cycles.iter().all(|cycle| filmed.contains(cycle) && filmed.contains(&(cycle - 1))), "each with the way to it");
}

#[test]
fn pictures_are_cropped_to_their_content() {
    let mut lab = Lab::new();
    assert!(lab.open_lesson("1-compaction"));
    lab.go_to_stop(2);
    let mut scene = with_view(&lab, |view| mechanism::panels(view.sim)[0].draw(view));
    let before = (scene.width, scene.height);
    scene.crop();
    assert!(scene.width <= before.0 && scene.height < before.1, "{} of {}", scene.height, before.1);
    let lowest = scene.shapes.iter().map(|shape| shape.geometry.place().y).fold(0.0, f32::max);
    assert!(scene.height >= lowest, "nothing is cut off");
    let whole = drawn(&lab, |view| mechanism::panels(view.sim)[0].draw(view));
    assert_eq!(whole.shapes.len(), scene.shapes.len());
}
