//! The machine does what the lessons say, with exactly the counts that their texts name.

mod barriers;
mod convergence;
mod cuda;
mod lanes;
mod lanes_picture;
mod virtual_blocks;

use std::collections::BTreeMap;
use warpscope_machine::event::{Event, Log, Reason};
use warpscope_machine::metrics::Report;
use warpscope_machine::replay::Replay;
use warpscope_machine::sim::Sim;
use warpscope_study::lesson::{self, Lesson};

/// A lesson's complete run under a technique.
struct Told {
    sim: Sim,
    log: Log,
    lesson: &'static Lesson,
}

fn lesson(id: &str) -> &'static Lesson {
    lesson::all().iter().find(|lesson| lesson.id == id).expect("a lesson of that name")
}

/// An instruction that issued for these threads.
struct Issue {
    cycle: u64,
    pc: u32,
    threads: Vec<u32>,
}

/// Returns every issue of a run, in order.
fn issues(log: &Log, width: u32) -> Vec<Issue> {
    let lanes = |first: u32, mask: u32| (0..32).filter(move |lane| mask >> lane & 1 != 0).map(move |lane| first + lane);
    let mut issues: Vec<Issue> = Vec::new();
    for (cycle, event) in &log.events {
        match *event {
            Event::Issued { pc, mask, first_thread, .. } => {
                let known = first_thread != warpscope_machine::event::SCATTERED;
                let threads = if known { lanes(first_thread, mask).collect() } else { Vec::new() };
                issues.push(Issue { cycle: *cycle, pc, threads });
            }
            Event::IssuedFor { origin, mask, .. } => {
                if let Some(last) = issues.last_mut() {
                    last.threads.extend(lanes(u32::from(origin) * width, mask));
                    last.threads.sort_unstable();
                }
            }
            _ => {}
        }
    }
    issues
}

fn tell(id: &str, technique: &str) -> Told {
    let lesson = lesson(id);
    let mut sim = lesson.sim(technique).expect("it can run");
    let mut log = Log::default();
    sim.run(10_000, &mut log);
    assert!(sim.finished() && sim.trap().is_none(), "{id} under {technique}");
    Told { sim, log, lesson }
}

impl Told {
    fn pc(&self, label: &str) -> u32 {
        self.lesson.label(&self.sim.machine.program, label).expect("a label")
    }

    /// Returns, for each label, the threads of every warp that ran the block behind it.
    fn executions(&self, labels: &[&'static str]) -> BTreeMap<&'static str, Vec<Vec<u32>>> {
        let issues = issues(&self.log, self.sim.machine.config.warp_width);
        let runs = |label: &str| {
            let there = issues.iter().filter(|issue| issue.pc == self.pc(label));
            let mut runs: Vec<Vec<u32>> = there.map(|issue| issue.threads.clone()).collect();
            runs.sort();
            runs
        };
        labels.iter().map(|&label| (label, runs(label))).filter(|(_, runs)| !runs.is_empty()).collect()
    }

    fn cycles(&self) -> u64 {
        self.sim.state.cycle
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

/// Static-warp-synchronous code fails under compaction, and is right with the compactor off (TBC section 3.2).
#[test]
fn neighbours_exchange_numbers_only_where_static_warps_are_kept() {
    let id = "26-compactor-off";
    let right = vec![0, 1, 1, 1, 0, 1, 1, 1, 109, 108, 1, 1];
    assert_eq!(tell(id, "PDOM").buffer("out"), right);
    let tbc = tell(id, "TBC,GTO");
    assert_eq!(tbc.buffer("out")[8..10], [109, 0], "thread 9 has read too early");
    assert_eq!(tbc.executions(&["C"])["C"], [vec![0, 9], vec![4], vec![8]]);
    // The stops with the compactor off have a machine without it.
    let lesson = lesson(id);
    let off = lesson.stops.iter().filter(|stop| !stop.keys.is_empty());
    assert_eq!(off.count(), 2);
    let mut sim = lesson.sim_at(&lesson.stops[5]).expect("it can run");
    let mut log = Log::default();
    sim.run(10_000, &mut log);
    let kept = Told { sim, log, lesson };
    assert_eq!(kept.buffer("out"), right);
    assert_eq!(kept.executions(&["C"])["C"], [vec![0], vec![4], vec![8, 9]]);
}

/// Figure 9: warps arrive out of order, and the masks fill as they come.
#[test]
fn figure_9_fills_its_masks_in_the_order_of_arrival() {
    let tbc = tell("27-out-of-order", "TBC");
    let arrivals: Vec<(u64, u16)> = tbc
        .log
        .events
        .iter()
        .filter_map(|(cycle, event)| match *event {
            Event::BlockArrive { warp, .. } => Some((*cycle, warp)),
            _ => None,
        })
        .take(3)
        .collect();
    assert_eq!(arrivals.iter().map(|(_, warp)| *warp).collect::<Vec<_>>(), [1, 2, 0]);
    says(&text("27-out-of-order", 2), &[format!("{} cycles later", arrivals[2].0 - arrivals[1].0)]);
    let blocks = tbc.executions(&["B", "C", "D"]);
    assert_eq!(blocks["C"], [vec![2, 4, 7, 9], vec![8]]);
    assert_eq!((blocks["B"].len(), blocks["D"].len()), (2, 3));
    says(&text("27-out-of-order", 4), &[format!("{} instructions", tbc.instructions()), format!("{} cycles", tbc.cycles())]);
    let pdom = tell("27-out-of-order", "PDOM");
    says(&text("27-out-of-order", 5), &[format!("{} instructions", pdom.instructions()), format!("{} cycles", pdom.cycles())]);
    assert_eq!([tbc.buffer("out"), pdom.buffer("out")].map(|out| out[8]), [581; 2]);
}

/// The three block priorities of section 6.2, by which block issues when.
#[test]
fn block_priorities_order_the_blocks_as_the_paper_says() {
    let order = |technique: &str| {
        let told = tell("28-block-priorities", technique);
        let blocks: Vec<u64> = told
            .log
            .events
            .iter()
            .filter_map(|(_, event)| if let Event::Issued { block, .. } = event { Some(*block) } else { None })
            .collect();
        assert_eq!(blocks.len(), 68);
        (blocks, told.cycles())
    };
    let stretches = |blocks: &[u64]| blocks.chunk_by(|a, b| a == b).map(<[u64]>::len).collect::<Vec<_>>();
    let (age, cycles) = order("TBC");
    assert_eq!((stretches(&age), cycles), (vec![20, 1, 14, 33], 69));
    let (rrb, cycles) = order("TBC-RRB");
    assert!(rrb[..20].chunks(2).all(|turn| turn == [0, 1]) && cycles == 68, "{rrb:?}, {cycles}");
    let (srr, cycles) = order("TBC-SRR");
    assert_eq!((stretches(&srr), cycles), (vec![20, 20, 14, 14], 68));
}

/// Returns the report of a complete run on a stop's machine.
fn report_at(id: &str, stop: usize) -> Report {
    let lesson = lesson(id);
    let mut run = Replay::new(lesson.sim_at(&lesson.stops[stop]).expect("it can run"));
    run.seek(u64::MAX);
    Report::new(&run.tally().metrics, &run.sim().machine.config, run.cycle())
}

#[test]
fn waiting_where_branches_meet_saves_fetches_and_costs_a_cycle() {
    let id = "29-waiting-to-meet";
    let told = [1, 3].map(|stop| report_at(id, stop));
    let merges = |report: &Report| report.gangs.as_ref().map_or(0, |gangs| gangs.reformations);
    assert_eq!(told.each_ref().map(merges), [1, 3]);
    let [cycles, fetches] = [told.each_ref().map(|report| report.cycles), told.each_ref().map(|report| report.fetches)];
    says(&text(id, 1), &[format!("{} cycles and {} fetches", cycles[0], fetches[0])]);
    says(
        &text(id, 3),
        &[format!("{} fetches instead of {}", fetches[1], fetches[0]), format!("{} cycles instead of {}", cycles[1], cycles[0])],
    );
}

#[test]
fn an_l0_cache_does_what_ports_would() {
    let id = "30-ports";
    for (stop, words) in [(1, "406 cycles"), (2, "166 cycles"), (4, "185 cycles")] {
        assert_eq!(format!("{} cycles", report_at(id, stop).cycles), words);
        says(&text(id, stop), &[words.into()]);
    }
    let report = report_at(id, 4);
    says(&text(id, 4), &[format!("{} of the {} fetches", report.l0_hits, report.fetches)]);
}

/// Figure 18: warps by the size of the gang that they are in.
#[test]
fn gangs_part_into_halves_or_go_to_pieces() {
    let id = "31-gang-sizes";
    let sizes = |stop: usize| {
        let lesson = lesson(id);
        let stop = &lesson.stops[stop];
        let mut sim = lesson.sim(&stop.technique).expect("it can run");
        sim.run(lesson.cycle_of(stop).expect("it comes up"), &mut Log::default());
        sim.state.sms[0].gangs.as_ref().expect("gangs").sizes()
    };
    assert_eq!(sizes(0), [0, 0, 0, 8, 0, 0, 0, 8], "two gangs of four, one of eight");
    assert_eq!(sizes(1), [8, 0, 0, 4, 0, 0, 0, 0], "eight singletons, a gang of four");
    let told = [2, 4].map(|stop| report_at(id, stop));
    let gangs = told.each_ref().map(|report| report.gangs.as_ref().expect("gangs"));
    let (cycles, fetches) = (told.each_ref().map(|report| report.cycles), told.each_ref().map(|report| report.fetches));
    let members = gangs.map(|gangs| format!("{:.1} members", gangs.mean_size));
    assert_eq!((cycles[0], gangs.map(|gangs| gangs.reformations)), (cycles[1], [0, 7]), "seven merges, and no cycle");
    says(&text(id, 2), &[format!("{} fetches in {} cycles", fetches[0], cycles[0]), members[0].clone()]);
    says(&text(id, 4), &[format!("{} fetches instead of {}", fetches[1], fetches[0]), members[1].clone()]);
}

/// Returns the text of a lesson's stop, with the explanation of its question.
fn text(id: &str, stop: usize) -> String {
    let lesson = lesson(id);
    let stop = &lesson.stops[stop];
    let because = stop.question.as_ref().map_or("", |question| &question.because);
    format!("{} {because}", stop.text)
}

/// Asserts that the text contains every one of these words.
fn says(text: &str, words: &[String]) {
    for word in words {
        assert!(text.contains(word.as_str()), "{word:?} is not in: {text}");
    }
}

#[test]
fn compaction_saves_an_eighth_of_all_cycles_and_the_text_has_both_ends() {
    let (pdom, tbc) = (tell("1-compaction", "PDOM"), tell("1-compaction", "TBC"));
    assert_eq!([pdom.cycles(), tbc.cycles()], [40, 35]);
    assert_eq!([pdom.instructions(), tbc.instructions()], [40, 34]);
    let last = lesson("1-compaction").stops.len() - 1;
    says(&text("1-compaction", 1), &[format!("{} instructions, {} cycles", pdom.instructions(), pdom.cycles())]);
    let saved = 100.0 * (pdom.cycles() - tbc.cycles()) as f64 / pdom.cycles() as f64;
    let end = text("1-compaction", last);
    says(&end, &[format!("{} cycles instead of {}: {saved}% fewer", tbc.cycles(), pdom.cycles())]);
    says(&end, &[format!("{} instead of {}", tbc.instructions(), pdom.instructions())]);
    // One cycle without an issue, before B begins.
    let issued = issues(&tbc.log, tbc.sim.machine.config.warp_width);
    let idle: Vec<u64> = (0..tbc.cycles()).filter(|&cycle| issued.iter().all(|issue| issue.cycle != cycle)).collect();
    let first_b = issued.iter().find(|issue| issue.pc == tbc.pc("B")).expect("B runs");
    assert_eq!(idle, [first_b.cycle - 1], "it lies between C and B");
}

#[test]
fn with_one_instruction_in_c_nothing_is_gained() {
    let mut lesson = lesson("1-compaction").clone();
    let c = lesson.kernel.find("sub.u32").expect("C's first instruction");
    let c = c + lesson.kernel[c..].find('\n').expect("its end") + 1;
    let d = lesson.kernel.find("\nD:\n").expect("D") + 1;
    lesson.kernel = format!("{}{}", &lesson.kernel[..c], &lesson.kernel[d..]);
    let cycles = ["PDOM", "TBC"].map(|technique| {
        let mut sim = lesson.sim(technique).expect("it can run");
        sim.run(10_000, &mut Log::default());
        sim.state.cycle
    });
    assert_eq!(cycles[0], cycles[1]);
}

#[test]
fn switched_off_the_compactor_saves_nothing() {
    let lesson = lesson("1-compaction");
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
    says(&text("2-starvation-eddy", 4), &[format!("{} instructions", dwf.instructions())]);
    says(&text("2-starvation-eddy", 6), &[format!("{} instructions instead of {}", tbc.instructions(), dwf.instructions())]);
    // C runs only when all other threads have ended.
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

/// Returns the threads that issued in the last cycle before a stop, on a machine that issues one warp a cycle.
fn threads_at(id: &str, stop: usize) -> Vec<u32> {
    let told = tell(id, &lesson(id).stops[stop].technique);
    let cycle = told.lesson.cycle_of(&told.lesson.stops[stop]).expect("it comes up");
    let all = issues(&told.log, told.sim.machine.config.warp_width);
    all.into_iter().find(|issue| issue.cycle + 1 == cycle).map_or(Vec::new(), |issue| issue.threads)
}

/// Majority scheduling keeps a PC until no thread is left there: one thread issues while three wait.
#[test]
fn thread_7_issues_alone_though_three_wait() {
    let dwf = tell("2-starvation-eddy", "DWF");
    let all = issues(&dwf.log, dwf.sim.machine.config.warp_width);
    for (stop, label) in [(1, "B"), (2, "D")] {
        assert_eq!(threads_at("2-starvation-eddy", stop), [1, 2, 3, 4], "the majority's first warp, at {label}");
        let at = all.iter().position(|issue| issue.pc == dwf.pc(label)).expect("it runs");
        let [four, alone, ..] = &all[at..] else { panic!("the run ends at {label}") };
        assert_eq!((four.threads.len(), alone.pc, &*alone.threads), (4, dwf.pc(label), &[7][..]));
        assert!(all[..at].iter().all(|issue| issue.pc != dwf.pc("C")), "three threads wait at C");
    }
    let words = "keeps this PC until no thread is left there";
    says(&text("2-starvation-eddy", 1), &["Thread 7 is next, alone".into(), words.into()]);
}

#[test]
fn e_runs_once_for_four_threads_of_two_warps_with_a_block_wide_likely_convergence_point() {
    let of = |technique: &str| tell("4-likely-convergence", technique).executions(&["E"])["E"].clone();
    assert_eq!(of("PDOM"), [[0], [1], [6], [7]]);
    assert_eq!(of("PDOM-LCP"), [[0, 1], [6, 7]]);
    assert_eq!(of("TBC"), [[0, 6], [1, 7]]);
    assert_eq!(of("TBC-LCP"), [[0, 1, 6, 7]]);
    let cycles = ["PDOM", "PDOM-LCP", "TBC", "TBC-LCP"].map(|technique| tell("4-likely-convergence", technique).cycles());
    assert_eq!(cycles, [54, 48, 44, 41]);
    let [pdom, pdom_lcp, tbc, tbc_lcp] = cycles;
    let last = lesson("4-likely-convergence").stops.len() - 1;
    let end = text("4-likely-convergence", last);
    says(&end, &[format!("{tbc_lcp} cycles. PDOM takes {pdom}, PDOM-LCP {pdom_lcp}"), format!("takes {tbc}.")]);
}

/// Before the merge, at it, and behind it: TBC-LCP joins threads of two warps.
#[test]
fn the_stops_of_tbc_lcp_lie_before_at_and_behind_the_merge_of_two_warps() {
    let merges = |stop: usize| -> Vec<Event> {
        let merge = |event: &Event| matches!(event, Event::BlockMerge { .. });
        at_stop("4-likely-convergence", stop).into_iter().filter(merge).collect()
    };
    let lesson = lesson("4-likely-convergence");
    let stops: Vec<usize> = (0..lesson.stops.len()).filter(|&at| lesson.stops[at].technique == "TBC-LCP").collect();
    assert!(merges(stops[0]).is_empty());
    assert_eq!(merges(stops[1]).len(), 1);
    assert_eq!(threads_at("4-likely-convergence", stops[2]), [0, 1, 6, 7]);
}

#[test]
fn warp_synchronous_code_fails_under_dwf_alone() {
    for technique in ["PDOM", "DWF-WB", "TBC", "TBC-LCP"] {
        assert_eq!(tell("5-warp-synchronous", technique).buffer("done"), [1; 16], "{technique}");
    }
    let done = tell("5-warp-synchronous", "DWF").buffer("done");
    let times = |wanted: u32| done.iter().filter(|&&times| times == wanted).count();
    assert_eq!([times(0), times(1), times(2)], [6, 4, 6], "six twice, six never: {done:?}");
    assert_eq!(done.iter().sum::<u32>(), 16, "as much work, but not the same");
}

/// Returns cycles, transactions and fetches.
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
    assert_eq!(of("10-impatient-hurts", "I-VWS"), (989, 328, 848));
    assert_eq!(of("10-impatient-hurts", "I-VWS-ImpatientMem"), (1181, 867, 6224));
    let (cycles, _, fetches) = of("10-impatient-hurts", "E-VWS-ImpatientMem");
    let merges = report_at("10-impatient-hurts", 4).gangs.map_or(0, |gangs| gangs.reformations);
    says(&text("10-impatient-hurts", 4), &[format!("{merges} merges"), format!("{cycles} cycles"), format!("{fetches} fetches")]);
    assert_eq!(100 * cycles / 989, 109, "nine per cent more");
}

#[test]
fn big_gangs_first_fill_more_slices_than_little_ones() {
    let of = |technique: &str| figures("11-big-gangs", technique).0;
    assert_eq!([of("I-VWS"), of("I-VWS-LGTO")], [264, 328]);
}

/// Returns the events of the last cycle before a stop of a lesson.
fn at_stop(id: &str, stop: usize) -> Vec<Event> {
    let lesson = lesson(id);
    let stop = &lesson.stops[stop];
    let cycle = lesson.cycle_of(stop).expect("it comes up");
    let mut sim = lesson.sim(&stop.technique).expect("it can run");
    let mut log = Log::default();
    sim.run(cycle, &mut log);
    log.events.into_iter().filter(|(at, _)| *at + 1 == cycle).map(|(_, event)| event).collect()
}

/// Returns the masks of the gangs that issued, and the slices that issued a singleton.
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
        .any(|e| matches!(e, Event::Cycle { counts, .. } if counts.0[Reason::NotSelected as usize] >= 4));
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

/// The two introductory lessons: what a warp is, and what it costs when its threads diverge.
#[test]
fn the_basics_are_counted_out() {
    let told = tell("0-what-is-a-warp", "PDOM");
    let all = issues(&told.log, 4);
    assert_eq!((told.sim.state.cycle, all.len()), (16, 16));
    assert!(all.iter().all(|issue| issue.threads.len() == 4));
    assert_eq!((all[0].threads.clone(), all[1].threads.clone()), (vec![0, 1, 2, 3], vec![4, 5, 6, 7]));
    assert_eq!((all[0].pc, all[1].pc), (0, 0));

    let told = tell("0-what-divergence-costs", "PDOM");
    let all = issues(&told.log, 4);
    let of =
        |first: u32| all.iter().filter(|issue| issue.threads.iter().all(|thread| (first..first + 4).contains(thread))).count();
    assert_eq!((of(0), of(4)), (14, 11));
    assert_eq!(all.iter().map(|issue| 4 - issue.threads.len()).sum::<usize>(), 8, "of a hundred lane-slots");
    assert_eq!(all.len() * 4, 100);
    let label = |name: &str| told.lesson.label(&told.sim.machine.program, name).expect("a label");
    let at =
        |name: &str| all.iter().find(|issue| issue.pc == label(name) && issue.threads[0] < 4).map(|issue| issue.threads.clone());
    assert_eq!((at("EVEN"), at("ODD"), at("STORE")), (Some(vec![1, 3]), Some(vec![0, 2]), Some(vec![0, 1, 2, 3])));
    // The stop at STORE is that of the first warp.
    let stop = told.lesson.cycle_of(&told.lesson.stops[3]).expect("it comes up");
    assert!(all.iter().any(|issue| issue.cycle + 1 == stop && issue.pc == label("STORE") && issue.threads == [0, 1, 2, 3]));
}

/// Lessons are grouped by paper, each group in one piece, and say how long they take.
#[test]
fn lessons_are_grouped_and_timed() {
    let groups: Vec<&str> = lesson::all().iter().map(Lesson::group).collect();
    let mut order = groups.clone();
    order.dedup();
    let mut once = order.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!((order.len(), once.len()), (7, 7), "{order:?}");
    assert_eq!(order[0], "Start here");
    for lesson in lesson::all() {
        assert!((1..=8).contains(&lesson.minutes()), "{}: {}", lesson.id, lesson.minutes());
    }
}
