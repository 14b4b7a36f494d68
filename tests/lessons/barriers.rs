//! The lessons on barrier-aware scheduling (BAWS): priority table, issue order and figures at their stops.

use super::{lesson, says, tell, text};
use warpscope::event::{Event, Silence};
use warpscope::sim::Sim;

/// The machine as it stands at a stop.
fn sim_at(id: &str, stop: usize) -> Sim {
    let lesson = lesson(id);
    let stop = &lesson.stops[stop];
    let mut sim = lesson.sim(&stop.technique).expect("it can run");
    sim.run(lesson.cycle_of(stop).expect("it comes up"), &mut Silence);
    sim
}

/// The priority table of the first blocks, and the order in which the only scheduler would take warps.
fn board(sim: &Sim, blocks: usize) -> (Vec<u32>, Vec<u32>) {
    let order = sim.issue_order(0);
    assert_eq!(order.ports.len(), 1, "one scheduler");
    (sim.waiting(0)[..blocks].to_vec(), order.ports[0].clone())
}

/// The warps at their barrier.
fn at_barrier(sim: &Sim) -> Vec<u32> {
    let sm = &sim.state.sms[0];
    sm.sets.barrier.iter(sim.machine.words).collect()
}

/// The warps that issued before a cycle, in order.
fn issued_before(id: &str, technique: &str, cycle: u64) -> Vec<u32> {
    let told = tell(id, technique);
    let warp = |(at, event): &(u64, Event)| match *event {
        Event::Issued { warp, .. } if *at < cycle => Some(u32::from(warp)),
        _ => None,
    };
    told.log.events.iter().filter_map(warp).collect()
}

const FIGURE_7: &str = "12-most-waiting-first";

#[test]
fn figure_7_comes_up_in_the_run_with_its_waiting_warps_its_last_issues_and_its_order() {
    let sim = sim_at(FIGURE_7, 2);
    assert_eq!(board(&sim, 3), (vec![1, 2, 3], vec![8, 4, 6, 1, 3, 0]));
    assert_eq!(at_barrier(&sim), [2, 5, 7, 9, 10, 11]);
    let issued = issued_before(FIGURE_7, "MWF-LRR", sim.state.cycle);
    let last = |block: u32| issued.iter().rev().find(|&&warp| warp / 4 == block).copied();
    assert_eq!([last(0), last(1)], [Some(0), Some(7)], "the last issued of blocks 0 and 1, as in the paper's text");
    says(&text(FIGURE_7, 2), &["w8, w4, w6, w1, w3, w0".into()]);
}

#[test]
fn the_question_of_figure_7_comes_before_its_answer() {
    let lesson = lesson(FIGURE_7);
    assert_eq!(board(&sim_at(FIGURE_7, 0), 3), (vec![1, 0, 0], vec![3, 0, 1, 4, 5, 6, 7, 8, 9, 10, 11]));
    let sim = sim_at(FIGURE_7, 1);
    assert_eq!(board(&sim, 3), (vec![1, 2, 0], vec![4, 6, 1, 3, 0, 8, 9, 10, 11]));
    assert_eq!(issued_before(FIGURE_7, "MWF-LRR", sim.state.cycle).last(), Some(&7), "w7 arrives in this cycle");
    let question = lesson.stops[1].question.as_ref().expect("a question");
    assert_eq!(question.choices[question.answer], "w8, w4, w6, w1, w3, w0");
}

/// The scheduler does take them in that order, one a cycle.
#[test]
fn the_six_warps_of_figure_7_arrive_in_the_order_that_it_gives() {
    let sim = sim_at(FIGURE_7, 3);
    assert_eq!(board(&sim, 3), (vec![1, 2, 0], vec![4, 6, 1, 3, 0, 9, 10, 11, 8]));
    let last = sim_at(FIGURE_7, 4);
    assert_eq!(board(&last, 3), (vec![3, 0, 0], vec![0, 7, 4, 5, 6, 9, 10, 11, 8]));
    let issued = issued_before(FIGURE_7, "MWF-LRR", last.state.cycle + 1);
    assert_eq!(issued[issued.len() - 6..], [8, 4, 6, 1, 3, 0]);
    assert_eq!(last.state.cycle - sim.state.cycle, 4, "one a cycle");
    says(&text(FIGURE_7, 4), &["w8, w4, w6, w1, w3.".into()]);
}
