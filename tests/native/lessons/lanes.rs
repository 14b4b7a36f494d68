//! Lessons 17 to 21 (Origami): power-gated lanes and folded warps.

use super::{Told, tell};
use warpscope_machine::event::{Event, Reason, Sink};
use warpscope_machine::metrics::{Metrics, PowerReport};

/// Returns the states of a pipeline's lanes, a row a cycle: b busy, i idle, d dark, e earning, w waking.
fn roll(told: &Told, of: u8) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    let mut now = "i".repeat(8);
    for (cycle, event) in &told.log.events {
        if let Event::Lanes { pipe, busy, dark, earning, waking, .. } = *event
            && pipe == of
        {
            rows.resize(*cycle as usize, now);
            let states = [(busy, 'b'), (dark, 'd'), (earning, 'e'), (waking, 'w')];
            let state = |lane: u32| states.iter().find(|(mask, _)| mask >> lane & 1 != 0).map_or('i', |(_, state)| *state);
            now = (0..8).map(state).collect();
        }
    }
    rows.resize(told.cycles() as usize, now);
    rows
}

/// Returns the first and the last row that equal `look`.
fn span(rows: &[String], look: &str) -> Option<(usize, usize)> {
    let has = |row: &String| row == look;
    Some((rows.iter().position(has)?, rows.iter().rposition(has)?))
}

fn power(told: &Told) -> PowerReport {
    let mut metrics = Metrics::of(&told.sim.machine.config);
    told.log.events.iter().for_each(|(cycle, event)| metrics.event(*cycle, *event));
    metrics.power.report(told.cycles()).expect("lanes are looked at")
}

fn percent(share: f64) -> i64 {
    (100.0 * share).round() as i64
}

/// Returns the lanes of the instruction that was placed in a cycle, for its first and its second pass.
fn placed(told: &Told, cycle: u64) -> Option<(u32, u32)> {
    told.log.events.iter().find_map(|(at, event)| match *event {
        Event::Placed { first, then, .. } if *at == cycle => Some((first, then)),
        _ => None,
    })
}

#[test]
fn bubbles_take_the_second_half_and_full_pipelines_do_not() {
    let (plain, folded) = (tell("17-bubbles", "ConvPG"), tell("17-bubbles", "Warp-Folding"));
    assert_eq!((plain.cycles(), folded.cycles()), (55, 74));
    let first = |told: &Told, label: &str| {
        let pc = told.pc(label);
        told.log.events.iter().find_map(|(at, e)| matches!(e, Event::Issued { pc: it, .. } if *it == pc).then_some(*at))
    };
    let of = |told: &Told| [first(told, "MIX"), first(told, "FULL"), first(told, "END")].map(|at| at.expect("issued"));
    assert_eq!((of(&plain), of(&folded)), ([1, 33, 50], [2, 34, 67]), "MIX 32 cycles each, FULL 16 and 32, with the sum behind");
    assert!(!roll(&plain, 0).iter().any(|row| row.contains('d')), "nothing sleeps");
    assert_eq!(roll(&plain, 1)[5], "dddddddd");
    assert_eq!((placed(&folded, 12), roll(&folded, 0)[1].as_str()), (Some((0x33, 0x33)), "bbddbbdd"));
    assert_eq!((percent(power(&plain).int.leakage_saved), percent(power(&folded).int.leakage_saved)), (0, 40));
}

#[test]
fn figure_8_is_folded_as_the_paper_says() {
    let told = tell("18-fold", "Warp-Folding");
    assert_eq!(placed(&told, 4), Some((0b0011_0011, 0b0011_0011)), "all threads");
    assert_eq!(placed(&told, 15), Some((0b0011_0011, 0)), "threads 0, 1, 4 and 5");
    assert_eq!(placed(&told, 21), Some((0b0011_0011, 0b0000_0011)), "threads 0 to 5");
    assert_eq!(roll(&told, 0)[1], "bbddbbdd");
}

#[test]
fn figure_7_windows_come_from_groups_and_shifts() {
    let (plain, origami) = (tell("19-windows", "ConvPG"), tell("19-windows", "Origami"));
    let work: Vec<String> = roll(&plain, 0)[112..205].to_vec();
    assert!(!work.iter().any(|row| row.contains('d')), "round robin leaves no window");
    let rows = roll(&origami, 0);
    assert_eq!(span(&rows, "bbbdbbdd"), Some((163, 176)));
    assert_eq!(span(&rows, "bbbebbee"), Some((177, 203)), "41 cycles off");
    assert_eq!(placed(&origami, 154), Some((0xff, 0)), "the last full warp");
    assert_eq!(placed(&origami, 159), Some((0b0011_0011, 0)), "of 0b01010011: thread 6 on lane 5");
}

#[test]
fn the_short_gap_loses_and_the_long_one_wins() {
    let plain = tell("20-break-even", "ConvPG");
    let rows = roll(&plain, 0);
    assert_eq!((span(&rows[..24], "dddddddd"), span(&rows[..24], "wwwwwwww")), (Some((8, 18)), Some((19, 21))));
    assert_eq!((span(&rows[24..], "dddddddd"), span(&rows[24..], "eeeeeeee")), (Some((5, 18)), Some((19, 31))), "29 to 55");
    let blackout = roll(&tell("20-break-even", "Warped-Gates"), 0);
    assert_eq!((span(&blackout[..25], "dddddddd"), span(&blackout[..25], "wwwwwwww")), (Some((8, 21)), Some((22, 24))));
    let folded = roll(&tell("20-break-even", "Warp-Folding"), 0);
    assert_eq!(span(&folded[..25], "wweewwee"), Some((22, 24)), "only the lower lanes wake");
    assert!(folded[1..].iter().all(|row| !"biw".contains(&row[2..3])), "the upper ones never do");
    let waits = plain.log.events.iter().map(|(_, event)| match event {
        Event::Cycle { counts, repeat, .. } => u64::from(counts.0[Reason::Wakeup as usize]) * repeat,
        _ => 0,
    });
    assert_eq!(waits.sum::<u64>(), 6, "three cycles for each gap");
}

#[test]
fn a_busy_kernel_under_three_ways_to_sleep() {
    let [plain, blackout, folded] = ["ConvPG", "Warped-Gates", "Warp-Folding"].map(|technique| tell("21-blackout", technique));
    assert_eq!([&plain, &blackout, &folded].map(Told::cycles), [324, 304, 312]);
    let saved = |told: &Told| [power(told).int, power(told).fp].map(|power| percent(power.leakage_saved));
    assert_eq!((saved(&blackout), saved(&folded)), ([33, 58], [38, 65]));
    let lost = |told: &Told| {
        let PowerReport { int, fp } = power(told);
        (int.lost_events + fp.lost_events, int.gating_events + fp.gating_events)
    };
    let (of_plain, all) = lost(&plain);
    assert!(2 * of_plain > all, "{of_plain} of {all}");
    assert_eq!(lost(&blackout).0, 0);
    assert_eq!(percent(power(&folded).int.folded), 10);
    assert_eq!((&roll(&plain, 0)[54][..], &roll(&plain, 0)[57][..]), ("dddddddd", "wwwwwwww"));
    let [sp0, sp1] = [0, 2].map(|pipe| roll(&blackout, pipe));
    assert_eq!((&sp0[60][..], &sp1[57][..], &sp1[70][..], &sp1[71][..]), ("wwwwwwww", "dddddddd", "dddddddd", "eeeeeeee"));
    let folds = |told: &Told| {
        let phases = told.log.events.iter().filter_map(|(at, event)| match *event {
            Event::FoldPhase { int, fp, .. } => Some((*at, int, fp)),
            _ => None,
        });
        phases.collect::<Vec<_>>()
    };
    assert!(folds(&folded).contains(&(60, 0, 0)), "{:?}", folds(&folded));
}
