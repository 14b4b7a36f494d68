//! The lessons about virtual blocks (VTW): what their texts say, and what their pictures show.

use super::lanes_picture::at;
use super::{says, tell, text};
use warpscope_machine::event::{Event, Reason};
use warpscope_machine::policy::schedule::ProgressGroup;
use warpscope_pictures::mechanism::blocks::{self, BlocksView};

/// Returns the first cycle that has a wanted event.
fn cycle_of(id: &str, technique: &str, wanted: impl Fn(&Event) -> bool) -> u64 {
    tell(id, technique).log.events.iter().find(|(_, event)| wanted(event)).expect("it happens").0
}

fn view(id: &str, cycles: u64) -> BlocksView {
    at(id, "VTW", cycles, |view| BlocksView::of(&view))
}

/// Returns the warps of each group that has any.
fn groups(view: &BlocksView) -> Vec<(ProgressGroup, Vec<u16>)> {
    let named = view.groups.iter().map(|group| {
        let mut warps: Vec<u16> = group.warps.iter().map(|(warp, ..)| *warp).collect();
        warps.sort_unstable();
        (group.group, warps)
    });
    named.filter(|(_, warps)| !warps.is_empty()).collect()
}

#[test]
fn figure_1_takes_145_units_and_120_around_the_same_code() {
    let [plain, virtual_blocks] = ["LRR", "VTW"].map(|technique| tell("22-no-waiting", technique).cycles());
    // 13 cycles around each block's loop; virtual warps need two more for the loop's head, and two to leave it.
    assert_eq!([plain, virtual_blocks], [145 * 4 + 3 * 13, 120 * 4 + 44]);
    let exit = |of: u16| move |event: &Event| matches!(event, Event::WarpExit { warp, .. } if *warp == of);
    let ends = [0, 1, 2].map(|warp| cycle_of("22-no-waiting", "LRR", exit(warp)));
    let [w0, w1, w2] = ends.map(|cycle| format!("in cycle {cycle}"));
    says(&text("22-no-waiting", 0), &[format!("Warp 2 ended {w2}, warp 0 {w0}"), w1]);
    says(&text("22-no-waiting", 1), &[format!("{plain} cycles"), "145 units or 580 cycles".into()]);
    let last = text("22-no-waiting", 4);
    says(&last, &[format!("{virtual_blocks} cycles instead of {plain}"), "50, 30 and 40 units make 120, or 480".into()]);
}

#[test]
fn a_slot_that_is_done_runs_a_warp_of_the_block_that_a_sibling_drew() {
    let view = view("22-no-waiting", 140);
    let now: Vec<(u64, u32)> = view.blocks[0]
        .warps
        .iter()
        .map(|row| row.pieces.last().map(|piece| (piece.block, piece.number)).expect("it runs"))
        .collect();
    assert_eq!(now, [(0, 0), (0, 1), (1, 2)]);
    let first = view.blocks[0].warps[2].pieces[0];
    assert!(first.held > first.to && first.held == 140, "it would wait still: {first:?}");
    assert_eq!((view.next, view.total), (2, 3));
    let scene = blocks::picture(&view, None, 600.0, 400.0);
    assert!(scene.words.contains("block 2 is handed out next, 1 are left"), "{}", scene.words);
    assert!(scene.words.contains("warp 2 runs warp 2 of block 1"), "{}", scene.words);
}

#[test]
fn at_their_stops_warps_stand_in_the_groups_that_the_texts_name() {
    use ProgressGroup::{Barrier, HigherIteration, LowerIteration, SameIteration, SlowPhase};
    let at = |cycles: u64| groups(&view("23-four-groups", cycles));
    assert_eq!(at(20), [(Barrier, vec![1, 2]), (SameIteration, vec![3, 4, 5])]);
    assert_eq!(at(56), [(LowerIteration, vec![1, 2]), (SameIteration, vec![3, 4, 5]), (HigherIteration, vec![0])]);
    assert_eq!(at(70), [(Barrier, vec![4, 5]), (LowerIteration, vec![1, 2]), (HigherIteration, vec![0])]);
    assert_eq!(at(241), [(SlowPhase, vec![0, 1, 2, 3, 4, 5])]);
    assert!(!view("23-four-groups", 239).slow_phase, "the phase has just begun");
}

#[test]
fn a_warp_ahead_waits_at_shared_memory_until_its_siblings_have_ended() {
    let siblings = |event: &Event| matches!(event, Event::Warp { warp: 0, reason: Some(Reason::Siblings), .. });
    let from = cycle_of("24-shared-memory", "VTW", siblings);
    let end = cycle_of("24-shared-memory", "VTW", |event| matches!(event, Event::LogicalEnd { block: 0, .. }));
    says(&text("24-shared-memory", 1), &[format!("since cycle {from}")]);
    says(&text("24-shared-memory", 2), &[format!("ended in cycle {end}")]);
    let [plain, virtual_blocks] = ["LRR", "VTW"].map(|technique| tell("24-shared-memory", technique).cycles());
    says(&text("24-shared-memory", 3), &[format!("{virtual_blocks} cycles")]);
    says(&text("24-shared-memory", 4), &[format!("{plain} cycles")]);
    let waits = &view("24-shared-memory", 80).blocks[0].warps[0].waits;
    assert!(waits.contains(&(Reason::Siblings, from..80)), "{waits:?}");
}

#[test]
fn hoisted_code_runs_once_for_a_virtual_warp_and_takes_registers() {
    let [plain, virtual_blocks] = ["LRR", "VTW"].map(|technique| tell("25-hoisting", technique));
    let program = &virtual_blocks.sim.machine.program;
    let wrapper = program.wrapper.as_ref().expect("a loop");
    assert_eq!((wrapper.head, wrapper.registers_before, program.registers_needed), (6, 5, 8));
    let resident = |told: &super::Told| {
        told.log.events.iter().take_while(|(cycle, _)| *cycle == 0).filter(|(_, e)| matches!(e, Event::BlockStart { .. })).count()
    };
    assert_eq!([resident(&plain), resident(&virtual_blocks)], [4, 3]);
    says(&text("25-hoisting", 0), &[format!("{} instructions", plain.instructions()), "5 registers, a block 60".into()]);
    says(&text("25-hoisting", 1), &["Six instructions".into(), "8 registers instead of 5".into()]);
    says(&text("25-hoisting", 2), &["takes 96 registers".into()]);
    let last = format!("{} instructions instead of {}", virtual_blocks.instructions(), plain.instructions());
    says(&text("25-hoisting", 3), &[last]);
}

/// Stops whose text looks back on a whole run are at its end.
#[test]
fn stops_at_the_end_are_at_the_end() {
    for (id, stops) in
        [("22-no-waiting", &[1, 4][..]), ("23-four-groups", &[4]), ("24-shared-memory", &[3, 4]), ("25-hoisting", &[0, 3])]
    {
        for &stop in stops {
            let stop = &super::lesson(id).stops[stop];
            let end = tell(id, &stop.technique).cycles();
            assert_eq!(super::lesson(id).cycle_of(stop), Some(end), "{id}: {}", stop.text);
        }
    }
}
