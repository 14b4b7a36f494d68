//! What the lessons tell is what the machine does: the counts that their texts name, exactly.

use std::collections::BTreeMap;
use warpscope::event::{Event, Log, Reason};
use warpscope::lesson::{self, Lesson};
use warpscope::sim::Sim;

/// A lesson's run under a technique, to its end.
struct Told {
    sim: Sim,
    log: Log,
    lesson: &'static Lesson,
}

fn tell(id: &str, technique: &str) -> Told {
    let lesson = lesson::all().iter().find(|lesson| lesson.id == id).expect("a lesson of that name");
    let mut sim = lesson.sim(technique).expect("it can run");
    let mut log = Log::default();
    sim.run(10_000, &mut log);
    assert!(sim.finished() && sim.trap().is_none(), "{id} under {technique}");
    Told { sim, log, lesson }
}

impl Told {
    /// For each label, the threads of every warp that ran the block behind it.
    fn executions(&self, labels: &[&'static str]) -> BTreeMap<&'static str, Vec<Vec<u32>>> {
        let mut found: BTreeMap<&str, Vec<Vec<u32>>> = BTreeMap::new();
        let starts: Vec<(u32, &str)> =
            labels.iter().map(|label| (self.lesson.label(&self.sim.machine.program, label).expect("a label"), *label)).collect();
        let mut current = None;
        let width = self.sim.machine.config.warp_width;
        let threads = |first: u32, mask: u32| (0..32).filter(move |lane| mask >> lane & 1 != 0).map(move |lane| first + lane);
        for (_, event) in &self.log.events {
            match *event {
                Event::Issued { pc, mask, first_thread, .. } => {
                    current = starts.iter().find(|(start, _)| *start == pc).map(|(_, label)| *label);
                    if let Some(label) = current {
                        let known = first_thread != warpscope::event::SCATTERED;
                        let named = if known { threads(first_thread, mask).collect() } else { Vec::new() };
                        found.entry(label).or_default().push(named);
                    }
                }
                Event::IssuedFor { origin, mask, .. } => {
                    if let Some(runs) = current.and_then(|label| found.get_mut(label))
                        && let Some(last) = runs.last_mut()
                    {
                        last.extend(threads(u32::from(origin) * width, mask));
                        last.sort_unstable();
                    }
                }
                _ => {}
            }
        }
        for runs in found.values_mut() {
            runs.sort();
        }
        found
    }

    fn instructions(&self) -> usize {
        self.log.events.iter().filter(|(_, event)| matches!(event, Event::Issued { .. })).count()
    }

    fn transactions(&self) -> u32 {
        let of = |event: &Event| if let Event::Memory { transactions, .. } = event { u32::from(*transactions) } else { 0 };
        self.log.events.iter().map(|(_, event)| of(event)).sum()
    }

    fn buffer(&self, name: &str) -> Vec<u32> {
        let bytes = self.sim.state.uncore.global.read_buffer(name).expect("a buffer of the lesson");
        bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
    }
}

#[test]
fn figure_7_takes_eight_executions_under_pdom_and_seven_under_tbc() {
    let blocks = ["A", "B", "C", "D"];
    let count = |technique: &str| tell("1-compaction", technique).executions(&blocks).values().map(Vec::len).sum::<usize>();
    assert_eq!([count("PDOM"), count("TBC")], [8, 7]);
    let tbc = tell("1-compaction", "TBC").executions(&blocks);
    let whole = vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]];
    assert_eq!(tbc["A"], whole);
    assert_eq!(tbc["C"], [[0, 5, 6]], "one warp of threads 1, 6 and 7 in the paper's counting");
    assert_eq!(tbc["B"], [vec![1, 2, 3, 4], vec![7]]);
    assert_eq!(tbc["D"], whole, "in their original arrangement");
}

#[test]
fn switched_off_the_compactor_saves_nothing() {
    let lesson = &lesson::all()[0];
    let mut lesson = lesson.clone();
    lesson.keys.insert("tbc_compaction".into(), "false".into());
    let mut sim = lesson.sim("TBC").expect("it can run");
    let mut log = Log::default();
    sim.run(10_000, &mut log);
    let c = lesson.label(&sim.machine.program, "C").expect("a label");
    let in_c = log.events.iter().filter(|(_, event)| matches!(event, Event::Issued { pc, .. } if *pc == c)).count();
    assert_eq!(in_c, 2, "static warps stay as they were compiled");
}

#[test]
fn the_minority_falls_behind_under_dwf_and_not_under_tbc() {
    let (dwf, tbc) = (tell("2-starvation-eddy", "DWF"), tell("2-starvation-eddy", "TBC"));
    assert_eq!(dwf.executions(&["D"])["D"], [vec![0, 5, 6], vec![1, 2, 3, 4], vec![7]]);
    assert_eq!(tbc.executions(&["D"])["D"], [[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert_eq!([dwf.instructions(), tbc.instructions()], [49, 40]);
    // C runs only when everybody else has ended.
    let c = dwf.lesson.label(&dwf.sim.machine.program, "C").expect("a label");
    let issue = |wanted: &dyn Fn(u32) -> bool| {
        dwf.log.events.iter().rposition(|(_, e)| matches!(e, Event::Issued { pc, .. } if wanted(*pc))).expect("it issues")
    };
    let first_c = dwf.log.events.iter().position(|(_, e)| matches!(e, Event::Issued { pc, .. } if *pc == c)).expect("C runs");
    assert!(first_c < issue(&|pc| pc > c));
    let before: Vec<u32> = dwf.log.events[..first_c]
        .iter()
        .filter_map(|(_, e)| if let Event::Issued { pc, .. } = e { Some(*pc) } else { None })
        .collect();
    let last = dwf.sim.machine.program.instructions.len() as u32 - 1;
    assert_eq!(before.iter().filter(|&&pc| pc == last).count(), 2, "both warps of the majority have come to the end");
}

#[test]
fn regrouped_neighbours_need_twice_the_accesses() {
    let of = |technique: &str| tell("3-lost-coalescing", technique).transactions();
    assert_eq!(["PDOM", "DWF", "TBC"].map(of), [6, 12, 6]);
}

#[test]
fn e_runs_once_for_both_with_likely_convergence_points() {
    let of = |technique: &str| tell("4-likely-convergence", technique).executions(&["E"])["E"].clone();
    assert_eq!(of("PDOM"), [[0], [1]]);
    assert_eq!(of("TBC"), [[0], [1]]);
    assert_eq!(of("PDOM-LCP"), [[0, 1]]);
    assert_eq!(of("TBC-LCP"), [[0, 1]]);
    let instructions = |technique: &str| tell("4-likely-convergence", technique).instructions();
    assert_eq!(["PDOM", "PDOM-LCP", "TBC-LCP"].map(instructions), [27, 24, 24]);
}

#[test]
fn warp_synchronous_code_fails_under_dwf_alone() {
    for technique in ["PDOM", "DWF-WB", "TBC", "TBC-LCP"] {
        assert_eq!(tell("5-warp-synchronous", technique).buffer("done"), [1; 16], "{technique}");
    }
    let done = tell("5-warp-synchronous", "DWF").buffer("done");
    assert!(done.contains(&0) && done.contains(&2), "{done:?}");
    assert_eq!(done.iter().sum::<u32>(), 16, "as much work, but not the same");
}

/// Cycles, transactions and fetches.
fn figures(id: &str, technique: &str) -> (u64, u32, usize) {
    let told = tell(id, technique);
    let fetches = told.log.events.iter().filter(|(_, event)| matches!(event, Event::Fetched { .. })).count();
    (told.sim.state.cycle, told.transactions(), fetches)
}

#[test]
fn a_gang_of_eight_parts_into_two_gangs_and_two_singletons() {
    let told = tell("6-gang-split", "I-VWS");
    let split = told.log.events.iter().find_map(|(_, event)| match *event {
        Event::GangSplit { gangs, singles, .. } => Some((gangs, singles)),
        _ => None,
    });
    assert_eq!(split, Some(([0b1000_0011, 0b0011_1000, 0, 0], 0b0100_0100)));
    let cycles = ["PDOM", "I-VWS", "E-VWS"].map(|technique| figures("6-gang-split", technique).0);
    assert_eq!(cycles, [24, 16, 16]);
    assert_eq!([figures("6-gang-split", "I-VWS").2, figures("6-gang-split", "E-VWS").2], [39, 34]);
}

#[test]
fn narrow_warps_need_sixteen_transactions_where_wide_ones_and_gangs_need_ten() {
    let of = |technique: &str| figures("7-memory-slip", technique);
    assert_eq!([of("WS32").1, of("WS4").1, of("I-VWS").1], [10, 16, 10]);
    assert_eq!([of("WS32").2, of("WS4").2, of("I-VWS").2], [26, 208, 26]);
}

#[test]
fn sixteen_ways_take_198_cycles_one_by_one_and_60_in_slices() {
    let of = |technique: &str| figures("8-many-paths", technique).0;
    assert_eq!([of("PDOM"), of("TBC"), of("I-VWS")], [198, 199, 60]);
}

#[test]
fn impatience_helps_one_kernel_and_hurts_another() {
    let of = |id: &str, technique: &str| figures(id, technique);
    assert_eq!(of("9-impatient-helps", "I-VWS"), (442, 18, 91));
    assert_eq!(of("9-impatient-helps", "I-VWS-ImpatientMem"), (195, 47, 644));
    assert_eq!(of("10-impatient-hurts", "I-VWS"), (981, 328, 848));
    assert_eq!(of("10-impatient-hurts", "I-VWS-ImpatientMem"), (1188, 841, 6224));
}

#[test]
fn big_gangs_first_fill_more_slices_than_little_ones() {
    let of = |technique: &str| figures("11-big-gangs", technique).0;
    assert_eq!([of("I-VWS"), of("I-VWS-LGTO")], [264, 328]);
}

/// What happened in the cycle behind which a stop of a lesson halts.
fn at_stop(id: &str, stop: usize) -> Vec<Event> {
    let lesson = lesson::all().iter().find(|lesson| lesson.id == id).expect("a lesson of that name");
    let stop = &lesson.stops[stop];
    let cycle = lesson.cycle_of(stop).expect("it comes up");
    let mut sim = lesson.sim(&stop.technique).expect("it can run");
    let mut log = Log::default();
    sim.run(cycle, &mut log);
    log.events.into_iter().filter(|(at, _)| *at + 1 == cycle).map(|(_, event)| event).collect()
}

/// The gangs that issued, as masks, and the slices that did so with a singleton.
fn issued(events: &[Event]) -> (Vec<u8>, u8) {
    let gangs: Vec<u8> =
        events.iter().filter_map(|e| if let Event::GangIssued { mask, .. } = e { Some(*mask) } else { None }).collect();
    let all = events.iter().filter_map(|e| if let Event::Issued { warp, .. } = e { Some(1 << (warp % 8)) } else { None });
    let all = all.fold(0u8, |all, slice| all | slice);
    (gangs.clone(), all & !gangs.iter().fold(0, |all, gang| all | gang))
}

#[test]
fn at_their_stops_gangs_do_what_the_texts_say() {
    assert_eq!(issued(&at_stop("6-gang-split", 1)), (vec![0xff], 0), "one gang through all slices");
    assert_eq!(issued(&at_stop("6-gang-split", 3)), (vec![0b1000_0011, 0b0011_1000], 0b0100_0100), "four ways at once");
    let split = at_stop("8-many-paths", 3);
    assert!(split.iter().any(|e| matches!(e, Event::GangSplit { gangs: [0, 0, 0, 0], singles: 0xff, .. })), "eight singletons");
    let ways = at_stop("8-many-paths", 4);
    assert_eq!(issued(&ways), (vec![], 0xff));
    let pcs: std::collections::BTreeSet<u32> =
        ways.iter().filter_map(|e| if let Event::Issued { pc, .. } = e { Some(*pc) } else { None }).collect();
    assert_eq!(pcs.len(), 8, "eight different instructions");
    let (gangs, _) = issued(&at_stop("11-big-gangs", 1));
    assert_eq!(gangs.iter().map(|gang| gang.count_ones()).collect::<Vec<_>>(), [4, 2], "a gang of four, then a pair");
    let (gangs, _) = issued(&at_stop("11-big-gangs", 3));
    assert_eq!(gangs.iter().map(|gang| gang.count_ones()).collect::<Vec<_>>(), [2, 2], "two pairs");
    let ready = at_stop("11-big-gangs", 3)
        .iter()
        .any(|e| matches!(e, Event::Cycle { counts, .. } if counts[Reason::NotSelected as usize] >= 4));
    assert!(ready, "a gang of four could have gone");
    let impatient = at_stop("9-impatient-helps", 2);
    assert!(impatient.iter().any(|e| matches!(e, Event::GangSplit { gangs: [0, 0, 0, 0], singles: 0xff, .. })));
    let slipped = at_stop("7-memory-slip", 2);
    let writes: Vec<u16> = slipped
        .iter()
        .filter_map(|e| if let Event::Memory { write: true, transactions, .. } = e { Some(*transactions) } else { None })
        .collect();
    assert_eq!(writes, [1, 0], "two slices write, with a transaction of their own");
}
