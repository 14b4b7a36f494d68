//! Figures of warps: their phases at barriers, and which slot ran which block.

use super::*;

#[test]
fn warp_phases_have_a_bar_for_each_warp_that_ends_where_it_arrives() {
    // At cycle 60 three barriers have been passed; no warp has arrived at the fourth.
    let told = long(60);
    let (chart, marks) = laid_out(&told, "warp-phases", &SHEET_SIZES[1]);
    let count = |name: &str| bars_of(&chart, &marks, name).count();
    // Each of the first three colours also has a mark in the legend.
    assert_eq!((count("odd phase"), count("even phase"), count("at a barrier")), (17, 17, 13));
    assert_eq!(count("ended"), 1, "only in the legend");
    let odd: Vec<[i32; 4]> = bars_of(&chart, &marks, "odd phase").collect();
    let scale = f64::from(odd[0][2] - odd[0][0]) / 10.0;
    assert!((f64::from(odd[1][2] - odd[1][0]) - 19.0 * scale).abs() < 16.0, "19 cycles beside 10: {odd:?}");
    let waits: Vec<[i32; 4]> = bars_of(&chart, &marks, "at a barrier").collect();
    assert_eq!((waits[0][0], waits[0][1]), (odd[0][2], odd[0][1]), "the wait begins where the bar ends, in the same row");
    let rows: std::collections::BTreeSet<i32> = odd.iter().take(16).map(|bar| bar[1]).collect();
    assert_eq!(rows.len(), 8);
    assert_eq!(
        chart.words(),
        "Warp-phases of block 0, 1 on SM 0, cycles 0 to 60: 6 have ended. \
         The longest wait at a barrier is warp 6's in phase 3 of block 1, 9 cycles."
    );
    // A warp that has ended looks different from one that waits.
    let (chart, marks) = laid_out(&long(90), "warp-phases", &SHEET_SIZES[1]);
    assert!(bars_of(&chart, &marks, "ended").count() > 1);
}

#[test]
fn warp_phases_are_a_table_of_arrivals() {
    let chart = long(60).chart(figure("warp-phases"), 32, usize::MAX);
    let text = csv(&chart);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "sm,block,warp,phase,start [cycle],arrival [cycle],release [cycle],ends at");
    assert_eq!(lines[1..4], ["0,0,0,1,0,10,19,barrier", "0,0,1,1,0,19,19,barrier", "0,0,2,1,0,10,19,barrier"]);
    assert_eq!(lines.len(), 1 + 2 * 4 * 3, "phases that have not ended are left out");
}

#[test]
fn warp_phases_show_the_selected_block_first_and_no_more_than_can_be_read() {
    let block = |block: u64, warps: u16| {
        let slot = block as u16;
        vec![Event::BlockStart { sm: 0, slot, block, first_warp: slot * warps, warps }]
    };
    let shown = |warps: u16, selected: Option<u64>| {
        let told = told(1, (0..6).map(|at| block(at, warps)));
        let chart = Chart::new(figure("warp-phases"), &PlottedRun { block: selected, ..told.run(32) }, 100);
        let file = svg(&chart, Palette::of(Theme::Light), 720, 360);
        let blocks: Vec<u64> = (0..6).filter(|block| file.contains(&format!("\nblock {block}\n"))).collect();
        (blocks, file.find("\nblock 3\n") < file.find("\nblock 4\n"))
    };
    assert_eq!(shown(8, None).0, [0, 1, 2]);
    assert_eq!(shown(16, None).0, [0, 1, 2], "48 warps, as in the paper");
    assert_eq!(shown(20, None).0, [0, 1]);
    assert_eq!(shown(60, None).0, [0], "one in any case");
    assert_eq!(shown(8, Some(3)), (vec![3, 4, 5], true));
    assert_eq!(shown(8, Some(4)), (vec![3, 4, 5], false), "what is behind the selected block comes first");
    assert_eq!(shown(8, Some(99)).0, [0, 1, 2], "a block that has not been seen");
}

#[test]
fn many_warp_phases_are_cut_to_those_around_the_cycle() {
    let told = long(2000);
    let chart = |cycle| Chart::new(figure("warp-phases"), &PlottedRun { cycle, ..told.run(32) }, 80);
    assert_eq!(chart(Some(1000)).content().remark().as_deref(), Some("Phases 41 to 60 of 101 of block 0."));
    assert_eq!(chart(Some(0)).content().remark().as_deref(), Some("Phases 1 to 20 of 101 of block 0."));
    assert_eq!(chart(Some(2000)).content().remark().as_deref(), Some("Phases 82 to 101 of 101 of block 0."));
    let all = Chart::new(figure("warp-phases"), &told.run(32), usize::MAX);
    assert!(all.content().remark().is_none() && csv(&all).lines().count() > 700);
    for sheet_size in SHEET_SIZES {
        let marks = lay_out(&chart(Some(1000)), Palette::of(Theme::Light), &sheet_size);
        let (width, height) = sheet_size.pixels();
        for mark in &marks {
            if let Mark::Bar { from, to, .. } = mark {
                assert!(
                    from.0 >= 0
                        && to.0 <= (width * sheet_size.fine) as i32
                        && from.1 >= 0
                        && to.1 <= (height * sheet_size.fine) as i32
                );
            }
        }
    }
}

#[test]
fn rtru_has_a_point_for_each_phase_and_the_reports_average() {
    let told = long(60);
    let (chart, marks) = laid_out(&told, "rtru", &SHEET_SIZES[1]);
    // Two warps need 10 cycles, two 19: 2 · 9 / (4 · 19), and later, from release to release, 11 and 20: 2 · 9 / (4 · 20).
    let text = csv(&chart);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..3], ["cycle,sm,block,phase,warps,RTRU [%]", "19,0,0,1,4,23.6842", "19,0,1,1,4,23.6842"]);
    assert_eq!((lines[3], lines.len()), ("39,0,0,2,4,22.5", 7));
    let mean = 100.0 * Report::new(&told.metrics, &Config::default(), 60).barriers.rtru;
    assert!((mean - (23.6842 + 22.5 + 22.5) / 3.0).abs() < 1e-6);
    // Phases of both blocks fall on the same points; one more bar is the legend's.
    assert_eq!(bars_of(&chart, &marks, "warp-phase").count(), 4);
    assert_eq!(bars_of(&chart, &marks, &format!("average {mean:.1} %")).count(), 1);
    assert_eq!(marks.iter().filter(|mark| matches!(mark, Mark::Path { .. })).count(), 1, "a line at the average");
    assert_eq!(chart.words(), "RTRU of phases: 22.9 % on average over 6 warp-phases; between 22.5 % and 23.7 %.");
}

#[test]
fn kernels_without_barriers_have_a_sentence_in_place_of_warp_phases() {
    let told = long(60);
    for id in ["warp-phases", "rtru"] {
        let chart = Chart::new(figure(id), &PlottedRun { barriers: false, ..told.run(32) }, 100);
        let file = svg(&chart, Palette::of(Theme::Light), 720, 360);
        assert!(file.contains("This kernel has no barrier that would divide it into warp-phases"));
        assert!(chart.words().ends_with(": this kernel has no barrier that would divide it into warp-phases."));
        assert_eq!(csv(&chart).lines().count(), 1);
        assert_eq!(fitting_height(&chart, 340, 128), 191, "no room for a legend that is not there");
    }
    let early = long(15).chart(figure("rtru"), 32, 100);
    assert_eq!(early.words(), "RTRU of phases: no warp-phase has ended yet.");
}

#[test]
fn phases_that_are_not_kept_are_told_of() {
    let block = |block: u64| {
        let (sm, slot) = (0, 0);
        let start = Event::BlockStart { sm, slot, block, first_warp: 0, warps: 1000 };
        vec![Event::BlockEnd { sm, slot, block: block.wrapping_sub(1) }, start]
    };
    let told = told(1, (0..201).map(block));
    for id in ["warp-phases", "rtru"] {
        let chart = told.chart(figure(id), 32, 100);
        let remark = chart.content().remark().expect("a remark");
        assert!(remark.starts_with("Only the first 130 warp-phases of the run are kept; 70 ended later."), "{remark}");
        assert!(chart.words().ends_with(&remark));
        let file = svg(&chart, Palette::of(Theme::Light), 340, 300);
        assert!(file.contains("\nOnly the first 130 warp-phases of the run are"), "{file}");
    }
}

#[test]
fn shades_of_warp_phases_can_be_told_apart() {
    let told = long(90);
    for theme in [Theme::Light, Theme::Dark] {
        let palette = Palette::of(theme);
        let chart = told.chart(figure("warp-phases"), 32, 100);
        let colours: Vec<Rgb> = chart.content().labels().iter().map(|label| label.paint.colour(palette)).collect();
        let panel = palette.get(Tone::Panel);
        assert!(colours[..2].iter().all(|colour| colour.contrast(panel) >= 3.0), "{theme:?}: bars on the panel");
        assert!(colours[2..].iter().all(|colour| colour.contrast(panel) >= 1.25), "{theme:?}: waits on the panel");
        for (bar, wait) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
            assert!(colours[bar].contrast(colours[wait]) >= 2.0, "{theme:?}: {bar} beside {wait}");
        }
        assert!(colours[0].contrast(colours[1]) >= 1.3, "{theme:?}: odd beside even");
    }
}

#[test]
fn who_ran_has_a_bar_for_each_warp_of_a_block_and_says_how_long_slots_waited() {
    let (sm, slot) = (0, 0);
    let start = Event::BlockStart { sm, slot, block: 5, first_warp: 0, warps: 2 };
    let exit = |warp| vec![Event::WarpExit { sm, warp }];
    let end = Event::BlockEnd { sm, slot, block: 5 };
    let told = told(1, [vec![start], vec![], exit(1), vec![], [exit(0), vec![end]].concat(), vec![]]);
    let chart = told.chart(figure("who-ran"), 32, usize::MAX);
    let rows: Vec<String> = csv(&chart).lines().filter(|line| !line.starts_with('#')).map(String::from).collect();
    assert_eq!(rows[1..], ["0,0,5,0,0,4,4", "0,1,5,1,0,2,4"]);
    let words =
        "Who ran which block: 2 warp slots ran 2 warps of blocks; for 2 warp-cycles a warp had ended and waited for its block.";
    assert_eq!(chart.words(), words);
}

#[test]
fn who_ran_says_that_warp_slots_are_left_out() {
    let start = Event::BlockStart { sm: 0, slot: 0, block: 0, first_warp: 0, warps: 60 };
    let told = told(1, [vec![start], vec![], vec![]]);
    assert!(told.chart(figure("who-ran"), 32, 100).words().contains("The first 48 of 60 warp slots"));
    assert!(!told.chart(figure("who-ran"), 32, usize::MAX).words().contains("The first"));
}
