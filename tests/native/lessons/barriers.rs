//! The lessons on barrier-aware scheduling (BAWS): priority table, issue order and figures at their stops.

use super::{lesson, says, tell, text};
use warpscope_machine::event::{Event, NullSink, Reason};
use warpscope_machine::metrics::{Metrics, Report};
use warpscope_machine::sim::Sim;
use warpscope_pictures::mechanism::panels;

/// Returns the machine at a stop.
fn sim_at(id: &str, stop: usize) -> Sim {
    let lesson = lesson(id);
    let stop = &lesson.stops[stop];
    let mut sim = lesson.sim(&stop.technique).expect("it can run");
    sim.run(lesson.cycle_of(stop).expect("it comes up"), &mut NullSink);
    sim
}

/// Returns the priority table of the first blocks, and the issue order of the only scheduler.
fn board(sim: &Sim, blocks: usize) -> (Vec<u32>, Vec<u32>) {
    let order = sim.issue_order(0);
    assert_eq!(order.ports.len(), 1, "one scheduler");
    (sim.waiting(0)[..blocks].to_vec(), order.ports[0].clone())
}

/// Returns the warps that wait at a barrier.
fn at_barrier(sim: &Sim) -> Vec<u32> {
    let sm = &sim.state.sms[0];
    sm.sets.barrier.iter(sm.sets.words).collect()
}

/// Returns the warps that issued before a cycle, in order.
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
    assert_eq!(question.right_choice().expect("choices"), "w8, w4, w6, w1, w3, w0");
}

/// The scheduler issues the warps in that order, one a cycle.
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

const FIGURE_13: &str = "13-first-hit";

#[test]
fn figure_13_comes_up_and_saws_stays_with_the_block_that_was_first() {
    let order = |stop: usize| board(&sim_at(FIGURE_13, stop), 3);
    assert_eq!(order(0), (vec![1, 0, 0], vec![0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11]), "t0");
    assert_eq!(order(1), (vec![1, 2, 0], vec![3, 0, 1, 4, 6, 9, 8, 10, 11]), "t1");
    assert_eq!(order(2), (vec![1, 2, 3], vec![3, 0, 1, 4, 6, 8]), "t2");
    assert_eq!(order(4), (vec![1, 2, 0], vec![4, 6, 3, 0, 1, 9, 8, 10, 11]), "t1 under MWF");
    assert_eq!(order(5), (vec![1, 2, 3], vec![8, 4, 6, 3, 0, 1]), "t2 under MWF");
    // The runs are the same up to t2, because the preferred warps wait for memory.
    let t2 = sim_at(FIGURE_13, 5).state.cycle;
    let both = ["SAWS", "MWF-GTO"].map(|technique| issued_before(FIGURE_13, technique, t2));
    assert_eq!(both[0], both[1]);
    assert_eq!(sim_at(FIGURE_13, 2).state.cycle, t2);
    // At t0 MWF has the same order.
    let mut mwf = lesson(FIGURE_13).sim("MWF-GTO").expect("it can run");
    mwf.run(sim_at(FIGURE_13, 0).state.cycle, &mut NullSink);
    assert_eq!(board(&mwf, 3), order(0));
}

#[test]
fn block_2_leaves_its_barrier_earlier_under_mwf_than_under_saws() {
    let [saws, mwf] = [3, 6].map(|stop| sim_at(FIGURE_13, stop));
    assert!(saws.state.sms[0].blocks[..2].iter().all(Option::is_none), "blocks 0 and 1 have ended under SAWS");
    assert!(mwf.state.sms[0].blocks[..3].iter().all(Option::is_some), "all blocks run under MWF");
    assert_eq!([&saws, &mwf].map(|sim| board(sim, 3).0), [[0; 3]; 2], "all gates are open");
    let (late, early) = (saws.state.cycle, mwf.state.cycle);
    says(&text(FIGURE_13, 3), &[format!("Cycle {late}: ")]);
    let [slow, fast] = ["SAWS", "MWF-GTO"].map(|technique| tell(FIGURE_13, technique).cycles());
    let ends = format!("ends after {fast} cycles; under SAWS it takes {slow}.");
    says(&text(FIGURE_13, 6), &[format!("Cycle {early}: "), format!("{} cycles earlier", late - early), ends]);
    assert_eq!([slow, fast], [1058, 876]);
}

const LAST_WARP: &str = "14-last-warp";

/// Returns the cycle since which no warp but `warp` has issued, looking back from the cycle `before`.
fn alone_since(id: &str, technique: &str, warp: u16, before: u64) -> u64 {
    let told = tell(id, technique);
    let other =
        |(at, event): &&(u64, Event)| *at + 1 < before && matches!(*event, Event::Issued { warp: other, .. } if other != warp);
    told.log.events.iter().rfind(other).map_or(0, |(at, _)| at + 1)
}

#[test]
fn gto_leaves_the_last_warp_behind_and_mwf_takes_it_first() {
    assert_eq!(board(&sim_at(LAST_WARP, 0), 3), (vec![0, 1, 3], vec![5, 6, 7, 11]));
    assert!(sim_at(LAST_WARP, 0).state.sms[0].blocks[0].is_none(), "block 0 has ended");
    assert_eq!(board(&sim_at(LAST_WARP, 1), 3), (vec![0, 0, 3], vec![11]));
    assert_eq!(board(&sim_at(LAST_WARP, 2), 3), (vec![0, 0, 3], vec![11, 5, 4, 6, 7]));
    assert_eq!(board(&sim_at(LAST_WARP, 3), 3), (vec![0, 2, 0], vec![6, 7, 11, 8, 9, 10]));
}

#[test]
fn the_last_warp_is_alone_for_fewer_cycles_under_mwf() {
    let arrivals = |technique: &str| -> Vec<u64> {
        let told = tell(LAST_WARP, technique);
        let meet = told.pc("MEET");
        let of = |(at, event): &(u64, Event)| match *event {
            Event::Issued { warp: 11, pc, .. } if pc == meet => Some(at + 1),
            _ => None,
        };
        told.log.events.iter().filter_map(of).collect()
    };
    let (gto, mwf) = (arrivals("GTO"), arrivals("MWF-GTO"));
    assert_eq!([sim_at(LAST_WARP, 3).state.cycle, sim_at(LAST_WARP, 4).state.cycle], [mwf[0], mwf[1]]);
    says(&text(LAST_WARP, 3), &[format!("Cycle {}: w11", mwf[0]), format!("Under GTO this was cycle {}", gto[0])]);
    let ends = ["GTO", "MWF-GTO"].map(|technique| tell(LAST_WARP, technique).cycles());
    let alone = [("GTO", &gto), ("MWF-GTO", &mwf)]
        .map(|(technique, arrived)| arrived[1] - alone_since(LAST_WARP, technique, 11, arrived[1]));
    let fewer = 100.0 * (ends[0] - ends[1]) as f64 / ends[0] as f64;
    let words = [
        format!("opens in cycle {}; under GTO in cycle {}", mwf[1], gto[1]),
        format!("alone for {} cycles of this round, under GTO for {}", alone[1], alone[0]),
        format!("{} cycles in all instead of {}: {fewer:.1}% fewer", ends[1], ends[0]),
    ];
    says(&text(LAST_WARP, 4), &words);
    says(&text(LAST_WARP, 3), &[format!("{} cycles. The work is the same", ends[1])]);
    // From the end of block 1 to the release of the barrier, under GTO.
    let from = sim_at(LAST_WARP, 1).state.cycle;
    assert_eq!(alone_since(LAST_WARP, "GTO", 11, gto[0]), from);
    let issued = issued_before(LAST_WARP, "GTO", gto[0]).len() - issued_before(LAST_WARP, "GTO", from).len();
    let (cycles, lost) = (gto[0] - from, gto[0] - from - issued as u64);
    says(
        &text(LAST_WARP, 1),
        &[format!("{cycles} cycles, in which it issues {issued} instructions. {lost} issue slots are lost")],
    );
}

const CRITICAL_FETCH: &str = "15-critical-fetch";

/// Returns the warps with a red ring: a scheduler wants them, and they have no instruction and none on its way.
fn starved(sim: &Sim) -> Vec<u32> {
    let warps = &sim.state.sms[0].warps;
    let empty = |&warp: &u32| warps[warp as usize].filled == 0 && !warps[warp as usize].fetching;
    sim.issue_order(0).wanted.into_iter().flatten().filter(empty).collect()
}

/// Returns the warps that were fetched for in these cycles.
fn fetched(id: &str, technique: &str, cycles: std::ops::Range<u64>) -> Vec<u16> {
    let told = tell(id, technique);
    let warp = |(at, event): &(u64, Event)| match *event {
        Event::Fetched { warp, .. } if cycles.contains(at) => Some(warp),
        _ => None,
    };
    told.log.events.iter().filter_map(warp).collect()
}

#[test]
fn the_critical_warp_waits_for_fetch_until_fetch_goes_with_issue() {
    let waits = sim_at(CRITICAL_FETCH, 0);
    assert_eq!((waits.waiting(0)[..3].to_vec(), waits.issue_order(0).ports[0][0]), (vec![1, 2, 3], 8));
    let plain = sim_at(CRITICAL_FETCH, 1);
    let cycle = plain.state.cycle;
    assert_eq!((starved(&plain), fetched(CRITICAL_FETCH, "MWF-GTO", cycle - 1..cycle)), (vec![8], vec![3]));
    assert_eq!(plain.issue_order(0).ports[0][0], 8, "number 1");
    let turns = fetched(CRITICAL_FETCH, "MWF-GTO", cycle..cycle + 60);
    let mut served: Vec<u16> = turns[..6].to_vec();
    served.sort_unstable();
    assert_eq!(served, [0, 1, 3, 4, 6, 8], "one fetch for each warp that runs");
    assert_eq!(turns.iter().filter(|&&warp| warp == 8).count(), 10, "every sixth cycle");
    let critical = sim_at(CRITICAL_FETCH, 3);
    let cycle = critical.state.cycle;
    assert_eq!((starved(&critical), fetched(CRITICAL_FETCH, "BAWS", cycle - 1..cycle)), (vec![1], vec![8]));
    assert_eq!(issued_before(CRITICAL_FETCH, "BAWS", cycle).last(), Some(&8));
}

#[test]
fn without_critical_fetches_most_waiting_first_gains_nothing_here() {
    let cycles = ["LRR", "GTO", "MWF-GTO", "BAWS"].map(|technique| tell(CRITICAL_FETCH, technique).cycles());
    assert_eq!(cycles, [977, 977, 977, 834]);
    says(&lesson(CRITICAL_FETCH).stops[1].question.as_ref().expect("a question").text, &[format!("takes {} cycles", cycles[1])]);
    let [late, early] = [2, 4].map(|stop| sim_at(CRITICAL_FETCH, stop));
    assert_eq!([&late, &early].map(|sim| sim.waiting(0)[2]), [0, 0], "the gate of block 2 is open");
    assert_eq!(issued_before(CRITICAL_FETCH, "MWF-GTO", late.state.cycle).last(), Some(&8));
    assert_eq!(issued_before(CRITICAL_FETCH, "BAWS", early.state.cycle).last(), Some(&8));
    assert!(late.state.cycle - waits_since() > 500);
    let (late, early) = (late.state.cycle, early.state.cycle);
    let fewer = 100.0 * (cycles[2] - cycles[3]) as f64 / cycles[2] as f64;
    says(&text(CRITICAL_FETCH, 2), &[format!("Cycle {late}: w8")]);
    let ends = format!("{} cycles instead of {}: {fewer:.1}% fewer", cycles[3], cycles[2]);
    says(&text(CRITICAL_FETCH, 4), &[format!("Cycle {early}: w8"), format!("{} cycles earlier", late - early), ends]);
    let question = lesson(CRITICAL_FETCH).stops[3].question.as_ref().expect("a question");
    assert_eq!(question.right_choice().expect("choices"), format!("In cycle {early}"));
}

/// Returns the cycle in which the last of the three warps of block 2 came to its barrier.
fn waits_since() -> u64 {
    sim_at(CRITICAL_FETCH, 0).state.cycle
}

const PHASES: &str = "16-warp-phases";

/// Returns cycles, RTRU and the share of warp-cycles at barriers, as the page's Numbers list it: without the wait of warps that have
/// ended for the end of their block, which `barriers.stall_fraction` adds.
fn phases(technique: &str) -> (u64, f64, f64) {
    let lesson = lesson(PHASES);
    let mut sim = lesson.sim(technique).expect("it can run");
    let mut metrics = Metrics::of(&sim.machine.config);
    sim.run(10_000, &mut metrics);
    assert!(sim.finished() && sim.trap().is_none());
    let report = Report::new(&metrics, &sim.machine.config, sim.state.cycle);
    let at_barriers = report.warp_cycles.get(Reason::Barrier) as f64 / report.warp_cycles.total() as f64;
    (report.cycles, report.barriers.rtru, at_barriers)
}

#[test]
fn warp_phases_are_most_equal_under_lrr_and_shortest_under_baws() {
    let [lrr, gto, baws] = ["LRR", "GTO", "BAWS"].map(phases);
    let unequal = |(_, rtru, stall): (u64, f64, f64), link: &str| format!("{rtru:.2}{link}{:.1}%", 100.0 * stall);
    says(&text(PHASES, 0), &[unequal(lrr, "; "), format!("too: {} cycles.", lrr.0), format!("{} cycles, though RTRU is", gto.0)]);
    says(&text(PHASES, 0), &[unequal(gto, " and ")]);
    let ends = format!("{} cycles, against {} under GTO and {} under LRR", baws.0, gto.0, lrr.0);
    says(&text(PHASES, 4), &[unequal(baws, " and "), unequal(gto, " and "), ends]);
    assert!(lrr.1 < baws.1 && baws.1 < gto.1 && baws.0 < gto.0 && gto.0 < lrr.0);
}

#[test]
fn the_first_gate_of_block_2_stays_closed_for_long_under_gto_alone() {
    let arrivals = |technique: &str| -> Vec<u64> {
        let told = tell(PHASES, technique);
        let loaded = told.pc("LOADED");
        let first = |wanted: u16| {
            let is = |event: &Event| matches!(*event, Event::Issued { warp, pc, .. } if (warp, pc) == (wanted, loaded));
            told.log.events.iter().find(|(_, event)| is(event)).expect("it arrives").0 + 1
        };
        (0..12).map(first).collect()
    };
    let (lrr, gto, baws) = (arrivals("LRR"), arrivals("GTO"), arrivals("BAWS"));
    let span = lrr.iter().max().expect("warps") - lrr.iter().min().expect("warps") + 1;
    says(&text(PHASES, 0), &[format!("within {span} cycles")]);
    assert_eq!(sim_at(PHASES, 0).waiting(0)[..3], [3, 3, 3]);
    let stop = sim_at(PHASES, 1);
    assert_eq!((stop.waiting(0)[2], board(&stop, 3).1.last()), (3, Some(&11)));
    says(&text(PHASES, 1), &[format!("for {} cycles", stop.state.cycle - gto[8])]);
    assert_eq!(steps_behind(stop.state.cycle), [3, 3, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0], "of four");
    let stop = sim_at(PHASES, 2);
    assert_eq!(stop.state.cycle, gto[11]);
    assert!(stop.state.sms[0].blocks[0].is_none(), "block 0 has ended");
    assert_eq!(
        board(&stop, 3).1.into_iter().filter(|&warp| warp / 4 == 1).collect::<Vec<_>>(),
        [7],
        "only w7 is left of block 1"
    );
    says(&text(PHASES, 2), &[format!("for {} cycles", gto[11] - gto[8]), "As soon as".into()]);
    assert_eq!(board(&sim_at(PHASES, 3), 3).0, [0, 0, 3]);
    assert_eq!(board(&sim_at(PHASES, 3), 3).1[0], 11);
    assert_eq!(sim_at(PHASES, 4).state.cycle, baws[11]);
    let waited = format!("{} cycles", baws[11] - baws[8]);
    says(&text(PHASES, 4), &[format!("for {waited}")]);
    let question = lesson(PHASES).stops[2].question.as_ref().expect("a question");
    assert_eq!(question.right_choice().expect("choices"), waited);
}

/// Returns how many steps each warp has done by a cycle, under GTO.
fn steps_behind(cycle: u64) -> [u32; 12] {
    let told = tell(PHASES, "GTO");
    let used = told.pc("USED");
    let mut steps = [0; 12];
    for (at, event) in &told.log.events {
        if let Event::Issued { warp, pc, .. } = *event
            && pc == used
            && *at < cycle
        {
            steps[usize::from(warp)] += 1;
        }
    }
    steps
}

/// The product equals the one computed here in the same order of steps.
#[test]
fn the_small_matrix_multiply_is_right_under_every_technique() {
    let floats = |told: &super::Told, name: &str| told.buffer(name).into_iter().map(f32::from_bits).collect::<Vec<f32>>();
    for technique in ["LRR", "GTO", "BAWS"] {
        let told = tell(PHASES, technique);
        let (a, b, c) = (floats(&told, "a"), floats(&told, "b"), floats(&told, "c"));
        for (at, &got) in c.iter().enumerate() {
            let (row, column) = (at / 12, at % 12);
            let wanted = (0..16).fold(0.0, |sum: f32, k| a[row * 16 + k].mul_add(b[k * 12 + column], sum));
            assert_eq!(got, wanted, "row {row}, column {column} under {technique}");
        }
    }
}

/// A lesson's panel exists on the stage, and applies to its machine and kernel under each of its techniques.
#[test]
fn the_panels_of_lessons_apply() {
    let mut named = 0;
    for lesson in warpscope_study::lesson::all() {
        let Some(panel) = &lesson.panel else { continue };
        for technique in &lesson.techniques {
            let sim = lesson.sim(technique).expect("it can run");
            assert!(panels(&sim).iter().any(|applies| applies.name == panel), "{}: {panel}", lesson.id);
        }
        named += 1;
    }
    assert_eq!(named, 14, "the lessons on barriers, lanes and virtual blocks");
}
