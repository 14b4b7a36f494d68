//! What figures contain: values, tables and words.

use super::*;

#[test]
fn a_last_stretch_of_a_few_cycles_goes_with_the_one_before_it() {
    // 513 stretches of four cycles, but the last has only one.
    let chart = long(2049).curves("ipc", 32, 4096);
    assert_eq!((chart.len(), chart.edges[510..].to_vec()), (512, vec![2040, 2044, 2049]));
    assert!(chart.curves.iter().all(|curve| curve.values.len() == 512));
    let lanes = |cycle: u64| f64::from((u32::MAX >> (cycle * 5 % 32)).count_ones());
    assert_eq!(chart.curves[0].values[511], (2044..2049).map(lanes).sum::<f64>() / 5.0, "nothing is lost");
    // A last stretch of two cycles out of four stands alone.
    assert_eq!(long(2050).curves("ipc", 32, 4096).len(), 513);
}

#[test]
fn values_are_those_worked_out_by_hand() {
    assert_eq!(short().curves("ipc", 32, 100).edges, [0, 1, 2, 3, 4]);
    assert_eq!(values("ipc", "IPC"), ["40", "16", "0", "0"], "of both SMs together");
    assert_eq!(values("simd-efficiency", "SIMD efficiency"), ["62.5", "50", "NaN", "NaN"]);
    assert_eq!(values("active-lanes", "active lanes"), ["20", "16", "NaN", "NaN"]);
    assert_eq!(values("stalls", "issued"), ["25", "12.5", "0", "0"]);
    assert_eq!(values("stalls", "waits for memory"), ["75", "87.5", "100", "100"]);
    assert_eq!(values("issue-slots", "W29_32"), ["50", "0", "0", "0"]);
    assert_eq!(values("issue-slots", "W5_8"), ["50", "0", "0", "0"]);
    assert_eq!(values("issue-slots", "W13_16"), ["0", "50", "0", "0"]);
    assert_eq!(values("issue-slots", "w0_mem"), ["0", "50", "0", "0"]);
    assert_eq!(values("issue-slots", "w0_idle"), ["0", "0", "100", "100"]);
    assert_eq!(values("l1", "hit"), ["2", "0", "0", "0"]);
    assert_eq!(values("l1", "merged"), ["1", "0", "0", "0"]);
    assert_eq!(values("l1", "miss"), ["1", "0", "0", "0"]);
    assert_eq!(values("l2", "miss"), ["1", "0", "0", "0"]);
}

#[test]
fn shares_add_to_a_hundred() {
    for width in [4, 6, 8, 16, 32] {
        for figure in over_time().filter(|figure| matches!(figure.kind, FigureKind::Stack(_)) && figure.unit == "%") {
            let series = told(
                1,
                (0..50).map(|cycle: u32| {
                    let slot = |port, slot| Event::Slot { sm: 0, port, slot, repeat: 1 };
                    let counts =
                        Event::Cycle { sm: 0, counts: ReasonCounts([3, 1, 4, 0, 1, 5, 9, 2, 6, 5, 0, 0, 0, 0]), repeat: 1 };
                    vec![counts, slot(0, SlotUse::Threads((cycle % width) as u8 + 1)), slot(1, SlotUse::Stall(StallCause::Unit))]
                }),
            );
            let chart = series.curves(figure.id, width, 1000);
            for at in 0..chart.len() {
                let sum: f64 = chart.curves.iter().map(|curve| curve.values[at]).sum();
                assert!((sum - 100.0).abs() < 1e-9, "{} of warps of {width}: {sum}", figure.id);
            }
        }
    }
}

#[test]
fn slots_are_named_by_the_lanes_that_a_warp_has() {
    let names = |width| {
        let chart = short().curves("issue-slots", width, 10);
        chart.curves.into_iter().map(|curve| curve.label.name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(32), "W1_4 W5_8 W9_12 W13_16 W17_20 W21_24 W25_28 W29_32 stall w0_mem w0_idle");
    assert_eq!(names(8), "W1 W2 W3 W4 W5 W6 W7 W8 stall w0_mem w0_idle");
    assert_eq!(names(1), "W1 stall w0_mem w0_idle");
}

#[test]
fn stretches_are_brought_together_by_their_counts_not_their_values() {
    let chart = short().curves("simd-efficiency", 32, 1);
    assert_eq!(chart.edges, [0, 4]);
    // 56 lanes of 3 warps; the mean of 62.5 % and 50 % would be 56.25 %.
    assert_eq!(chart.curves[0].values, [100.0 * 56.0 / 96.0]);
    let ipc = short().curves("ipc", 32, 1);
    assert_eq!(ipc.curves[0].values, [14.0]);
    assert_eq!(long(1000).curves("ipc", 32, 300).edges[..3], [0, 4, 8]);
}

#[test]
fn a_last_stretch_ends_where_the_run_does() {
    let series = long(2500);
    let chart = series.curves("ipc", 32, 2000);
    assert!(series.series.span() > 1 && chart.end() == 2500, "{}", chart.end());
}

#[test]
fn figures_agree_with_the_report_on_units() {
    for (id, name) in [("ipc", "ipc"), ("simd-efficiency", "simd_efficiency")] {
        let definition = DEFINITIONS.iter().find(|definition| definition.name == name).expect("a number of the report");
        assert_eq!(figure(id).title, definition.label);
        assert!(definition.unit.is_empty() || definition.unit == figure(id).unit, "{id}");
    }
}

#[test]
fn ids_are_fit_for_names_of_files() {
    for (at, figure) in FIGURES.iter().enumerate() {
        assert!(figure.id.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-'));
        assert!(FIGURES[..at].iter().all(|other| other.id != figure.id), "{}", figure.id);
        assert!(!figure.unit.is_empty() && !figure.about.is_empty());
    }
}

#[test]
fn a_table_reads_back() {
    for figure in over_time() {
        let text = csv(&short().chart(figure, 32, 100));
        let chart = short().curves(figure.id, 32, 100);
        let mut lines = text.lines();
        let heading: Vec<&str> = lines.next().expect("a heading").split(',').collect();
        assert_eq!(heading.len(), chart.curves.len() + 1);
        assert_eq!(heading[1], format!("{} [{}]", chart.curves[0].label.name, figure.unit));
        for (at, line) in lines.by_ref().take(4).enumerate() {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), heading.len(), "{line}");
            assert_eq!(cells[0].parse(), Ok(chart.edges[at]));
            for (cell, curve) in cells[1..].iter().zip(&chart.curves) {
                match curve.values[at] {
                    value if value.is_nan() => assert_eq!(*cell, ""),
                    value => assert_eq!(cell.parse(), Ok(value)),
                }
            }
        }
        assert_eq!(lines.next(), None);
    }
    assert_eq!(csv(&Told::new(1).chart(figure("ipc"), 32, 10)), "cycle,IPC [thread instructions/cycle]\n");
}

#[test]
fn words_say_what_the_figure_says_now() {
    let mut ipc = chart("ipc");
    assert_eq!(
        ipc.words(),
        "IPC at cycle 4 of 4: 0 thread instructions/cycle; between 0 thread instructions/cycle and 40 thread instructions/cycle."
    );
    ipc.cycle = Some(1);
    assert!(ipc.words().starts_with("IPC at cycle 1 of 4: 40 thread instructions/cycle"), "{}", ipc.words());
    let mut stalls = chart("stalls");
    stalls.cycle = Some(2);
    assert_eq!(stalls.words(), "Stall breakdown at cycle 2 of 4: waits for memory 87.5 %, issued 12.5 %.");
    assert_eq!(Told::new(1).chart(figure("l2"), 32, 10).words(), "L2 cache: nothing has run yet.");
}

#[test]
fn the_breakdown_adds_up_to_the_resident_warp_cycles() {
    let told = long(500);
    let report = Report::new(&told.metrics, &Config::default(), 500);
    let (chart, marks) = laid_out(&told, "stall-totals", &SHEET_SIZES[1]);
    let text = csv(&chart);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["reason", "warp-cycles", "share [%]"]);
    let counts: Vec<u64> = rows[1..].iter().map(|row| row[1].parse().expect("a count")).collect();
    assert_eq!(counts.iter().sum::<u64>(), report.resident_warp_cycles);
    assert_eq!(counts.len(), Reason::listed(|_| 0).len());
    let shares: f64 = rows[1..].iter().map(|row| row[2].parse::<f64>().expect("a share")).sum();
    assert!((shares - 100.0).abs() < 1e-9);
    // The bar's parts lie side by side, in the order of the rows, as wide as their shares.
    let mut right = None;
    for (row, count) in rows[1..].iter().zip(&counts) {
        let bar = bars_of(&chart, &marks, row[0]).next().expect("a part of the bar");
        assert!(right.is_none_or(|right| right == bar[0]), "{row:?}");
        right = Some(bar[2]);
        let width = f64::from(bar[2] - bar[0]) / f64::from(FINE) / SHEET_SIZES[1].scale;
        let share = *count as f64 / report.resident_warp_cycles as f64;
        assert!((width - share * 704.0).abs() < 1.5, "{row:?} is {width} wide");
    }
    assert!(chart.words().starts_with("Stall totals, "), "{}", chart.words());
}
