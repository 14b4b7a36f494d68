//! Figures of hand-made runs, whose values can be worked out on paper.

use super::layout::{Mark, lay_out};
use super::*;
use crate::config::Config;
use crate::event::{CacheOutcome, Event, Reason, Sink, SlotUse};
use crate::metrics::{DEFINITIONS, Metrics};
use crate::record::Series;
use crate::scene::{Palette, Rgb, Theme, Tone};

/// Four cycles of two SMs, of warps of 32: in cycle 0 both issue, with 32 and 8 lanes; in cycle 1 one issues, with 16; then
/// all wait for data.
fn series() -> Series {
    let issue = |sm, mask| Event::Issued { sm, warp: 0, block: 0, pc: 0, mask, first_thread: 0 };
    let cycle = |sm, counts| Event::Cycle { sm, counts, repeat: 1 };
    let slot = |sm, slot| Event::Slot { sm, port: 0, slot, repeat: 1 };
    let l1 = |outcome| Event::L1 { sm: 0, line: 0, write: false, outcome };
    let l2 = |outcome| Event::L2 { line: 0, write: false, outcome };
    let (both, wait) = ([1, 0, 3, 0, 0, 0, 0, 0, 0], [0, 0, 4, 0, 0, 0, 0, 0, 0]);
    let idle = [cycle(0, wait), slot(0, SlotUse::Idle), cycle(1, wait), slot(1, SlotUse::Idle)];
    let cycles: [&[Event]; 4] = [
        &[
            issue(0, u32::MAX),
            issue(1, 0xff),
            cycle(0, both),
            cycle(1, both),
            slot(0, SlotUse::Threads(32)),
            slot(1, SlotUse::Threads(8)),
            l1(CacheOutcome::Hit),
            l1(CacheOutcome::Hit),
            l1(CacheOutcome::Miss),
            l1(CacheOutcome::Merged),
            l2(CacheOutcome::Miss),
        ],
        &[issue(0, 0xffff), cycle(0, both), cycle(1, wait), slot(0, SlotUse::Threads(16)), slot(1, SlotUse::Memory)],
        &idle,
        &idle,
    ];
    told(2, cycles.into_iter().map(<[Event]>::to_vec))
}

/// What is kept of the events of one cycle after the other.
fn told(sms: usize, cycles: impl IntoIterator<Item = Vec<Event>>) -> Series {
    let (mut series, mut metrics) = (Series::new(sms), Metrics::of(&Config::default()));
    for (cycle, events) in (0..).zip(cycles) {
        events.into_iter().for_each(|event| metrics.event(cycle, event));
        series.count(cycle + 1, &metrics);
    }
    series
}

/// A run of so many cycles with a bit of everything.
fn long(cycles: u64) -> Series {
    let events = |cycle: u64| {
        let mut counts = [1; 9];
        counts[(cycle / 7 % 9) as usize] += 4;
        let alone = (cycle / 16 % 9) as u16;
        let mask = u32::MAX >> (cycle * 5 % 32);
        let slot = match cycle % 5 {
            0 => SlotUse::Stall,
            1 => SlotUse::Memory,
            2 => SlotUse::Idle,
            _ => SlotUse::Threads(mask.count_ones() as u8),
        };
        let outcome = [CacheOutcome::Hit, CacheOutcome::Miss, CacheOutcome::Merged][(cycle / 3 % 3) as usize];
        vec![
            Event::GangSizes { sm: 0, sizes: [alone, 0, 0, 0, 0, 0, 0, 16 - alone] },
            Event::Cycle { sm: 0, counts, repeat: 1 },
            Event::Issued { sm: 0, warp: 0, block: 0, pc: 0, mask, first_thread: 0 },
            Event::Slot { sm: 0, port: 0, slot, repeat: 1 },
            Event::L1 { sm: 0, line: 0, write: false, outcome },
            Event::L2 { line: 0, write: false, outcome },
        ]
    };
    told(1, (0..cycles).map(events))
}

fn figure(id: &str) -> &'static Figure {
    FIGURES.iter().find(|figure| figure.id == id).unwrap_or_else(|| panic!("no figure {id}"))
}

fn chart(id: &str) -> Chart {
    Chart::new(figure(id), &series(), 32, 100)
}

/// Values as text, so that what is not a number compares.
fn values(id: &str, name: &str) -> Vec<String> {
    let chart = chart(id);
    let curve = chart.curves.iter().find(|curve| curve.label.name == name);
    let curve = curve.unwrap_or_else(|| panic!("no curve {name} in {id}"));
    curve.values.iter().map(f64::to_string).collect()
}

#[test]
fn a_last_stretch_of_a_few_cycles_goes_with_the_one_before_it() {
    // 513 stretches of four cycles, but the last has only one.
    let chart = Chart::new(figure("ipc"), &long(2049), 32, 4096);
    assert_eq!((chart.len(), chart.edges[510..].to_vec()), (512, vec![2040, 2044, 2049]));
    assert!(chart.curves.iter().all(|curve| curve.values.len() == 512));
    let lanes = |cycle: u64| f64::from((u32::MAX >> (cycle * 5 % 32)).count_ones());
    assert_eq!(chart.curves[0].values[511], (2044..2049).map(lanes).sum::<f64>() / 5.0, "nothing is lost");
    // Two of four are enough to stand alone.
    assert_eq!(Chart::new(figure("ipc"), &long(2050), 32, 4096).len(), 513);
}

#[test]
fn values_are_those_worked_out_by_hand() {
    assert_eq!(chart("ipc").edges, [0, 1, 2, 3, 4]);
    assert_eq!(values("ipc", "IPC"), ["40", "16", "0", "0"], "of both SMs together");
    assert_eq!(values("simd-efficiency", "SIMD efficiency"), ["62.5", "50", "NaN", "NaN"]);
    assert_eq!(values("active-lanes", "active lanes"), ["20", "16", "NaN", "NaN"]);
    assert_eq!(values("stalls", "issued"), ["25", "12.5", "0", "0"]);
    assert_eq!(values("stalls", "waits for data"), ["75", "87.5", "100", "100"]);
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
        for figure in FIGURES.iter().filter(|figure| figure.kind == Kind::Stack && figure.unit == "%") {
            let series = told(
                1,
                (0..50).map(|cycle: u32| {
                    let slot = |port, slot| Event::Slot { sm: 0, port, slot, repeat: 1 };
                    let counts = Event::Cycle { sm: 0, counts: [3, 1, 4, 1, 5, 9, 2, 6, 5], repeat: 1 };
                    vec![counts, slot(0, SlotUse::Threads((cycle % width) as u8 + 1)), slot(1, SlotUse::Stall)]
                }),
            );
            let chart = Chart::new(figure, &series, width, 1000);
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
        let chart = Chart::new(figure("issue-slots"), &series(), width, 10);
        chart.curves.into_iter().map(|curve| curve.label.name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(32), "W1_4 W5_8 W9_12 W13_16 W17_20 W21_24 W25_28 W29_32 stall w0_mem w0_idle");
    assert_eq!(names(8), "W1 W2 W3 W4 W5 W6 W7 W8 stall w0_mem w0_idle");
    assert_eq!(names(1), "W1 stall w0_mem w0_idle");
}

#[test]
fn stretches_are_brought_together_by_their_counts_not_their_values() {
    let chart = Chart::new(figure("simd-efficiency"), &series(), 32, 1);
    assert_eq!(chart.edges, [0, 4]);
    // 56 lanes of 3 warps, whereas the mean of 62.5 % and 50 % would be 56.25 %.
    assert_eq!(chart.curves[0].values, [100.0 * 56.0 / 96.0]);
    let ipc = Chart::new(figure("ipc"), &series(), 32, 1);
    assert_eq!(ipc.curves[0].values, [14.0]);
    assert_eq!(Chart::new(figure("ipc"), &long(1000), 32, 300).edges[..3], [0, 4, 8]);
}

#[test]
fn a_last_stretch_ends_where_the_run_does() {
    let series = long(2500);
    let chart = Chart::new(figure("ipc"), &series, 32, 2000);
    assert!(series.span() > 1 && chart.end() == 2500, "{}", chart.end());
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
    for figure in FIGURES {
        let chart = Chart::new(figure, &series(), 32, 100);
        let text = csv(&chart);
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
    assert_eq!(csv(&Chart::new(figure("ipc"), &Series::new(1), 32, 10)), "cycle,IPC [thread instructions/cycle]\n");
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
    assert_eq!(stalls.words(), "Stall breakdown at cycle 2 of 4: waits for data 87.5 %, issued 12.5 %.");
    assert_eq!(Chart::new(figure("l2"), &Series::new(1), 32, 10).words(), "L2 cache: nothing has run yet.");
}

const FRAMES: [Frame; 2] = [
    Frame { width: 340, height: 236, scale: 1.0, fine: FINE, titled: false },
    Frame { width: 720, height: 360, scale: 2.0, fine: FINE, titled: true },
];

/// The smallest rectangle around points.
fn bounds(points: &[(i32, i32)]) -> [i32; 4] {
    let along = |axis: fn(&(i32, i32)) -> i32| {
        (points.iter().map(axis).min().expect("points"), points.iter().map(axis).max().expect("points"))
    };
    let ((left, right), (top, bottom)) = (along(|point| point.0), along(|point| point.1));
    [left, top, right, bottom]
}

#[test]
fn nothing_is_written_on_the_data_or_off_the_sheet() {
    let series = long(3000);
    for frame in FRAMES {
        for figure in FIGURES {
            let mut chart = Chart::new(figure, &series, 32, 200);
            chart.note = "collatz, PDOM, GTX480".into();
            let marks = lay_out(&chart, Palette::of(Theme::Light), &frame);
            let drawn: Vec<(i32, i32)> = marks
                .iter()
                .filter_map(|mark| match mark {
                    Mark::Area { points, .. } | Mark::Path { points, .. } => Some(points.clone()),
                    _ => None,
                })
                .flatten()
                .collect();
            let data = bounds(&drawn);
            let (width, height) = frame.pixels();
            let fine = frame.fine as i32;
            assert!(data[0] > 0 && data[2] <= width as i32 * fine && data[1] > 0 && data[3] < height as i32 * fine);
            assert!(data[2] - data[0] > width as i32 * fine / 2, "{} has room for its data", figure.id);
            assert!(data[3] - data[1] > height as i32 * fine / 3, "{} has room for its data", figure.id);
            let mut words = 0;
            for mark in &marks {
                if let Mark::Text { at: (x, y), text, size, .. } = mark {
                    words += 1;
                    let inside = *x > data[0] && *x < data[2] && *y > data[1] && *y < data[3];
                    assert!(!inside, "{}: {text:?} lies on the data", figure.id);
                    assert!(*y - *size as i32 / 2 >= 0 && *y + *size as i32 / 2 <= height as i32 * fine, "{text:?} is cut off");
                }
            }
            assert!(words > 6);
        }
    }
}

#[test]
fn data_are_where_their_values_are() {
    let frame = Frame { width: 340, height: 200, scale: 1.0, fine: 1, titled: false };
    let marks = lay_out(&chart("simd-efficiency"), Palette::of(Theme::Light), &frame);
    let path = marks.iter().find_map(|mark| if let Mark::Path { points, .. } = mark { Some(points) } else { None });
    let area = marks.iter().find_map(|mark| if let Mark::Area { points, .. } = mark { Some(points) } else { None });
    let path = path.expect("a line");
    let zero = bounds(area.expect("its wash"))[3];
    let full = |value: i32| f64::from(zero - value);
    assert_eq!(path.len(), 4, "two stretches of one step each; then there is nothing to say");
    assert!((full(path[0].1) / full(path[2].1) - 62.5 / 50.0).abs() < 0.02, "{path:?}");
    assert_eq!(path[1].0 - path[0].0, path[3].0 - path[2].0);
}

#[test]
fn the_cycle_that_is_looked_at_is_marked() {
    let count = |cycle| {
        let mut chart = chart("ipc");
        chart.cycle = cycle;
        lay_out(&chart, Palette::of(Theme::Light), &FRAMES[0]).len()
    };
    assert_eq!(count(Some(2)), count(None) + 1);
    assert_eq!(count(Some(4)), count(None), "the end needs no mark");
}

/// Every tag closed in its turn, every attribute quoted, no loose `&` or `<`.
fn assert_well_formed(file: &str) {
    let mut open = Vec::new();
    let mut rest = file;
    while let Some(at) = rest.find('<') {
        let text = &rest[..at];
        for (at, _) in text.match_indices('&') {
            assert!(["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"].iter().any(|name| text[at..].starts_with(name)), "{text}");
        }
        let (tag, after) = rest[at + 1..].split_once('>').expect("a tag ends");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            assert!(tag.matches('"').count().is_multiple_of(2) && !tag.contains('&') | tag.contains("&apos;"), "{tag}");
            if !tag.ends_with('/') {
                open.push(tag.split_whitespace().next().expect("a name"));
            }
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
}

#[test]
fn files_are_well_formed_and_have_their_legend_and_fonts() {
    for figure in FIGURES {
        let mut chart = Chart::new(figure, &series(), 32, 100);
        chart.note = "a < b & \"c\"".into();
        let file = svg(&chart, Palette::of(Theme::Light), 720, 360);
        assert_well_formed(&file);
        assert!(file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"360\" viewBox="), "{file}");
        assert!(file.contains("a &lt; b &amp; &quot;c&quot;") && !file.contains("a < b"));
        assert!(file.contains(figure.title) && file.contains(&format!("{} ({})", figure.y, figure.unit)));
        let texts = file.matches("<text").count();
        assert!(texts > 5 && file.matches("sans-serif\" font-size").count() == texts, "every text names its fonts");
        if chart.curves.len() > 1 {
            for curve in &chart.curves {
                let words = slot_words(&curve.label.name);
                assert!(file.contains(&format!("\n{words}\n")), "{}: no {words:?}", figure.id);
                assert!(curve.label.letter.is_none_or(|letter| file.contains(&format!("\n{letter}\n"))));
            }
        }
    }
}

#[test]
fn letters_in_files_are_as_large_as_on_canvas() {
    let file = svg(&chart("ipc"), Palette::of(Theme::Light), 720, 360);
    let size = file.split("font-size=\"").filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok()).fold(0.0, f64::max);
    assert!((size / f64::from(FINE) - 18.0).abs() < 0.01, "{size}");
}

#[test]
fn both_themes_have_the_pages_colours() {
    for theme in [Theme::Light, Theme::Dark] {
        let palette = Palette::of(theme);
        let file = svg(&Chart::new(figure("stalls"), &long(90), 32, 100), palette, 720, 360);
        let has = |colour: Rgb| file.contains(&format!("fill=\"{}\"", colour.css().to_uppercase()));
        assert!(Reason::ALL.into_iter().all(|reason| has(palette.get(Tone::Reason(reason)))), "{theme:?}");
        assert!(has(palette.get(Tone::Panel)) && has(palette.get(Tone::Text)) && has(palette.get(Tone::Soft)));
        let slots = Chart::new(figure("issue-slots"), &long(90), 32, 100);
        let colours: Vec<Rgb> = slots.curves.iter().map(|curve| curve.label.paint.colour(palette)).collect();
        for (at, colour) in colours.iter().enumerate() {
            assert!(!colours[..at].contains(colour), "{theme:?}: {:?} looks like another", slots.curves[at].label.name);
        }
    }
}

#[test]
fn any_data_can_be_drawn() {
    let palette = Palette::of(Theme::Dark);
    let one = told(1, [vec![Event::Cycle { sm: 0, counts: [0; 9], repeat: 1 }]]);
    for series in [Series::new(0), Series::new(1), one, series(), long(5000)] {
        for figure in FIGURES {
            for width in [0, 1, 32, 64] {
                for (w, h) in [(1, 1), (40, 30), (340, 190), (720, 360)] {
                    let mut chart = Chart::new(figure, &series, width, 100);
                    chart.cycle = Some(1);
                    chart.note = "x".repeat(200);
                    assert_well_formed(&svg(&chart, palette, w, h));
                    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e300];
                    for curve in &mut chart.curves {
                        curve.values.iter_mut().zip(odd).for_each(|(value, odd)| *value = odd);
                    }
                    assert_well_formed(&svg(&chart, palette, w, h));
                    let _ = (csv(&chart), chart.words());
                }
            }
        }
    }
    let empty = svg(&Chart::new(figure("ipc"), &Series::new(1), 32, 10), palette, 340, 190);
    assert!(empty.contains("Nothing has run yet"));
}

#[test]
fn a_sheet_that_fits_leaves_the_data_their_height() {
    for figure in FIGURES {
        let chart = Chart::new(figure, &long(100), 32, 100);
        for width in [300, 360, 420, 700] {
            let height = fitting_height(&chart, width, 120);
            let frame = Frame { width, height, scale: 1.0, fine: 1, titled: false };
            let marks = lay_out(&chart, Palette::of(Theme::Light), &frame);
            let axis = marks.iter().filter_map(|mark| match mark {
                Mark::Bar { from, to, colour } if *colour == Palette::of(Theme::Light).get(Tone::Line) => Some((from.1, to.1)),
                _ => None,
            });
            let (top, bottom) = axis.fold((i32::MAX, 0), |(top, bottom), line| (top.min(line.0), bottom.max(line.0)));
            assert!((bottom - top - 120).abs() <= 1, "{} at {width}: {top} to {bottom} of {height}", figure.id);
        }
    }
}
