//! Figures of hand-made runs, whose values can be worked out on paper.

use super::layout::{Mark, lay_out};
use super::*;
use crate::config::Config;
use crate::event::{CacheOutcome, Event, Reason, ReasonCounts, Sink, SlotUse};
use crate::metrics::{DEFINITIONS, Metrics, Report};
use crate::record::{Phases, Series, Stints};
use crate::scene::{Palette, Rgb, Theme, Tone};

/// A run that was told event by event.
struct Told {
    series: Series,
    metrics: Metrics,
    phases: Phases,
    stints: Stints,
}

impl Told {
    /// Nothing has run.
    fn new(sms: usize) -> Told {
        let (metrics, phases) = (Metrics::of(&Config::default()), Phases::default());
        Told { series: Series::new(sms), metrics, phases, stints: Stints::default() }
    }

    /// A run of a kernel with barriers, looked at from its end.
    fn run(&self, warp_width: u32) -> PlottedRun<'_> {
        let Told { series, metrics, phases, stints } = self;
        let (block_warps, is_virtual) = (4, false);
        PlottedRun {
            series,
            phases,
            stints,
            metrics,
            warp_width,
            block_warps,
            is_virtual,
            barriers: true,
            cycle: None,
            sm: 0,
            block: None,
        }
    }

    fn chart(&self, figure: &'static Figure, warp_width: u32, most: usize) -> Chart {
        Chart::new(figure, &self.run(warp_width), most)
    }

    fn curves(&self, id: &str, warp_width: u32, most: usize) -> Curves {
        match self.chart(figure(id), warp_width, most).body {
            Body::Curves(curves) => curves,
            _ => panic!("{id} has no curves"),
        }
    }
}

/// Figures over stretches of cycles.
fn over_time() -> impl Iterator<Item = &'static Figure> {
    FIGURES.iter().filter(|figure| matches!(figure.kind, FigureKind::Line(_) | FigureKind::Stack(_)))
}

/// Four cycles of two SMs, of warps of 32: in cycle 0 both issue, with 32 and 8 lanes; in cycle 1 one issues, with 16; then
/// all wait for memory.
fn short() -> Told {
    let issue = |sm, mask| Event::Issued { sm, warp: 0, block: 0, pc: 0, mask, first_thread: 0 };
    let cycle = |sm, counts| Event::Cycle { sm, counts, repeat: 1 };
    let slot = |sm, slot| Event::Slot { sm, port: 0, slot, repeat: 1 };
    let l1 = |outcome| Event::L1 { sm: 0, line: 0, write: false, outcome };
    let l2 = |outcome| Event::L2 { line: 0, write: false, outcome };
    let (both, wait) =
        (ReasonCounts([1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), ReasonCounts([0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
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
fn told(sms: usize, cycles: impl IntoIterator<Item = Vec<Event>>) -> Told {
    let mut told = Told::new(sms);
    for (cycle, events) in (0..).zip(cycles) {
        for event in events {
            told.metrics.event(cycle, event);
            told.phases.event(cycle, event);
            told.stints.event(cycle, event);
        }
        told.series.count(cycle + 1, &told.metrics);
    }
    told
}

/// A run of so many cycles with a bit of everything.
fn long(cycles: u64) -> Told {
    let events = |cycle: u64| {
        let mut counts = ReasonCounts::default();
        let common = Reason::listed(|_| 0).len();
        counts.0[..common].fill(1);
        counts.0[(cycle / 7) as usize % common] += 4;
        let alone = (cycle / 16 % 9) as u16;
        let mask = u32::MAX >> (cycle * 5 % 32);
        let slot = match cycle % 5 {
            0 => SlotUse::Stall,
            1 => SlotUse::Memory,
            2 => SlotUse::Idle,
            _ => SlotUse::Threads(mask.count_ones() as u8),
        };
        let outcome = [CacheOutcome::Hit, CacheOutcome::Miss, CacheOutcome::Merged][(cycle / 3 % 3) as usize];
        let mut events = vec![
            Event::GangSizes { sm: 0, sizes: [alone, 0, 0, 0, 0, 0, 0, 16 - alone] },
            Event::Cycle { sm: 0, counts, repeat: 1 },
            Event::Issued { sm: 0, warp: 0, block: 0, pc: 0, mask, first_thread: 0 },
            Event::Slot { sm: 0, port: 0, slot, repeat: 1 },
            Event::L1 { sm: 0, line: 0, write: false, outcome },
            Event::L2 { line: 0, write: false, outcome },
        ];
        events.extend(barriers(cycle));
        events
    };
    told(1, (0..cycles).map(events))
}

/// Two blocks of four warps, of which every second one arrives later; a barrier every twenty cycles. A warp ends at cycle 70.
fn barriers(cycle: u64) -> Vec<Event> {
    let (sm, barrier) = (0, 0);
    let mut events = Vec::new();
    for block in 0..2 {
        let first_warp = 4 * block as u16;
        if cycle == 0 {
            events.push(Event::BlockStart { sm, slot: block as u16, block, first_warp, warps: 4 });
        }
        let at = cycle % 20;
        for warp in (first_warp..first_warp + 4).filter(|&warp| u64::from(warp % 2) * 9 + 10 == at && (warp != 3 || cycle < 70)) {
            events.push(Event::BarrierArrive { sm, warp, block, barrier, mask: 1 });
        }
        if at == 19 {
            events.push(Event::BarrierRelease { sm, block, barrier });
        }
    }
    if cycle == 70 {
        events.push(Event::WarpExit { sm, warp: 3 });
    }
    events
}

fn figure(id: &str) -> &'static Figure {
    FIGURES.iter().find(|figure| figure.id == id).unwrap_or_else(|| panic!("no figure {id}"))
}

fn chart(id: &str) -> Chart {
    short().chart(figure(id), 32, 100)
}

/// Values as text, so that what is not a number compares.
fn values(id: &str, name: &str) -> Vec<String> {
    let chart = short().curves(id, 32, 100);
    let curve = chart.curves.iter().find(|curve| curve.label.name == name);
    let curve = curve.unwrap_or_else(|| panic!("no curve {name} in {id}"));
    curve.values.iter().map(f64::to_string).collect()
}

#[test]
fn a_last_stretch_of_a_few_cycles_goes_with_the_one_before_it() {
    // 513 stretches of four cycles, but the last has only one.
    let chart = long(2049).curves("ipc", 32, 4096);
    assert_eq!((chart.len(), chart.edges[510..].to_vec()), (512, vec![2040, 2044, 2049]));
    assert!(chart.curves.iter().all(|curve| curve.values.len() == 512));
    let lanes = |cycle: u64| f64::from((u32::MAX >> (cycle * 5 % 32)).count_ones());
    assert_eq!(chart.curves[0].values[511], (2044..2049).map(lanes).sum::<f64>() / 5.0, "nothing is lost");
    // Two of four are enough to stand alone.
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
                    vec![counts, slot(0, SlotUse::Threads((cycle % width) as u8 + 1)), slot(1, SlotUse::Stall)]
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
    // 56 lanes of 3 warps, whereas the mean of 62.5 % and 50 % would be 56.25 %.
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
        for figure in over_time() {
            let mut chart = series.chart(figure, 32, 200);
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
        let mut chart = long(300).chart(figure, 32, 100);
        chart.note = "a < b & \"c\"".into();
        let file = svg(&chart, Palette::of(Theme::Light), 720, 360);
        assert_well_formed(&file);
        assert!(file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"360\" viewBox="), "{file}");
        assert!(file.contains("a &lt; b &amp; &quot;c&quot;") && !file.contains("a < b"));
        assert!(file.contains(figure.title) && file.contains(&chart.content().heading(figure)));
        let texts = file.matches("<text").count();
        assert!(texts > 5 && file.matches("sans-serif\" font-size").count() == texts, "every text names its fonts");
        let labels = chart.content().labels();
        if labels.len() > 1 {
            for label in labels {
                let words = slot_words(&label.name);
                assert!(file.contains(&format!("\n{words}\n")), "{}: no {words:?}", figure.id);
                assert!(label.letter.is_none_or(|letter| file.contains(&format!("\n{letter}\n"))));
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
        let file = svg(&long(90).chart(figure("stalls"), 32, 100), palette, 720, 360);
        let has = |colour: Rgb| file.contains(&format!("fill=\"{}\"", colour.css().to_uppercase()));
        let common = Reason::listed(|_| 0);
        assert!(common.iter().all(|reason| has(palette.get(Tone::Reason(*reason)))), "{theme:?}");
        assert!(has(palette.get(Tone::Panel)) && has(palette.get(Tone::Text)) && has(palette.get(Tone::Soft)));
        let slots = long(90).curves("issue-slots", 32, 100);
        let colours: Vec<Rgb> = slots.curves.iter().map(|curve| curve.label.paint.colour(palette)).collect();
        for (at, colour) in colours.iter().enumerate() {
            assert!(!colours[..at].contains(colour), "{theme:?}: {:?} looks like another", slots.curves[at].label.name);
        }
    }
}

#[test]
fn any_data_can_be_drawn() {
    let palette = Palette::of(Theme::Dark);
    let one = told(1, [vec![Event::Cycle { sm: 0, counts: ReasonCounts::default(), repeat: 1 }]]);
    for series in [Told::new(0), Told::new(1), one, short(), long(5000)] {
        for figure in FIGURES {
            for width in [0, 1, 32, 64] {
                for (w, h) in [(1, 1), (40, 30), (340, 190), (720, 360)] {
                    let mut chart = series.chart(figure, width, 100);
                    chart.cycle = Some(1);
                    chart.note = "x".repeat(200);
                    assert_well_formed(&svg(&chart, palette, w, h));
                    let _ = (csv(&chart), chart.words());
                    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e300];
                    let Body::Curves(curves) = &mut chart.body else { continue };
                    for curve in &mut curves.curves {
                        curve.values.iter_mut().zip(odd).for_each(|(value, odd)| *value = odd);
                    }
                    assert_well_formed(&svg(&chart, palette, w, h));
                    let _ = (csv(&chart), chart.words());
                }
            }
        }
    }
    let empty = svg(&Told::new(1).chart(figure("ipc"), 32, 10), palette, 340, 190);
    assert!(empty.contains("Nothing has run yet"));
}

#[test]
fn a_sheet_that_fits_leaves_the_data_their_height() {
    for figure in over_time() {
        let chart = long(100).chart(figure, 32, 100);
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

/// What a figure of a run with barriers is laid out as.
fn laid_out(told: &Told, id: &str, frame: &Frame) -> (Chart, Vec<Mark>) {
    let chart = told.chart(figure(id), 32, 200);
    let marks = lay_out(&chart, Palette::of(Theme::Light), frame);
    (chart, marks)
}

/// Bars of the colour that a label has.
fn bars_of<'a>(chart: &Chart, marks: &'a [Mark], name: &str) -> impl Iterator<Item = [i32; 4]> + use<'a> {
    let palette = Palette::of(Theme::Light);
    let labels = chart.content().labels();
    let wanted = labels.iter().find(|label| label.name == name).unwrap_or_else(|| panic!("no {name}")).paint.colour(palette);
    marks.iter().filter_map(move |mark| match mark {
        Mark::Bar { from, to, colour } if *colour == wanted => Some([from.0, from.1, to.0, to.1]),
        _ => None,
    })
}

#[test]
fn warp_phases_have_a_bar_for_each_warp_that_ends_where_it_arrives() {
    // At cycle 60 three barriers have been passed; nobody has arrived at the fourth.
    let told = long(60);
    let (chart, marks) = laid_out(&told, "warp-phases", &FRAMES[1]);
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
    // A warp that has ended is told apart from one that waits.
    let (chart, marks) = laid_out(&long(90), "warp-phases", &FRAMES[1]);
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
    for frame in FRAMES {
        let marks = lay_out(&chart(Some(1000)), Palette::of(Theme::Light), &frame);
        let (width, height) = frame.pixels();
        for mark in &marks {
            if let Mark::Bar { from, to, .. } = mark {
                assert!(
                    from.0 >= 0 && to.0 <= (width * frame.fine) as i32 && from.1 >= 0 && to.1 <= (height * frame.fine) as i32
                );
            }
        }
    }
}

#[test]
fn rtru_has_a_point_for_each_phase_and_the_reports_average() {
    let told = long(60);
    let (chart, marks) = laid_out(&told, "rtru", &FRAMES[1]);
    // Two warps need 10 cycles, two 19: 2 · 9 / (4 · 19), and later, from release to release, 11 and 20: 2 · 9 / (4 · 20).
    let text = csv(&chart);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..3], ["cycle,sm,block,phase,warps,RTRU [%]", "19,0,0,1,4,23.6842", "19,0,1,1,4,23.6842"]);
    assert_eq!((lines[3], lines.len()), ("39,0,0,2,4,22.5", 7));
    let mean = 100.0 * Report::new(&told.metrics, &Config::default(), 60).barriers.rtru;
    assert!((mean - (23.6842 + 22.5 + 22.5) / 3.0).abs() < 1e-6);
    // Phases of both blocks fall on the same points; one mark is the legend's.
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
        assert_eq!(fitting_height(&chart, 340, 128), 188, "no room for a legend that is not there");
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
fn the_breakdown_adds_up_to_the_resident_warp_cycles() {
    let told = long(500);
    let report = Report::new(&told.metrics, &Config::default(), 500);
    let (chart, marks) = laid_out(&told, "stall-totals", &FRAMES[1]);
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
        let width = f64::from(bar[2] - bar[0]) / f64::from(FINE) / FRAMES[1].scale;
        let share = *count as f64 / report.resident_warp_cycles as f64;
        assert!((width - share * 704.0).abs() < 1.5, "{row:?} is {width} wide");
    }
    assert!(chart.words().starts_with("Stall totals, "), "{}", chart.words());
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
fn nothing_is_written_off_the_sheet_or_over_other_words() {
    for told in [long(60), long(3000)] {
        for figure in FIGURES.iter().filter(|figure| over_time().all(|other| other.id != figure.id)) {
            for (width, titled) in [(300, false), (340, false), (420, false), (720, true)] {
                let chart = told.chart(figure, 32, width as usize / 2);
                let height = if titled { 360 } else { fitting_height(&chart, width, 128) };
                let frame = Frame { width, height, scale: 1.0, fine: 1, titled };
                let mut boxes: Vec<([f64; 4], &str)> = Vec::new();
                let marks = lay_out(&chart, Palette::of(Theme::Light), &frame);
                for mark in &marks {
                    let Mark::Text { at: (x, y), size, align, text, .. } = mark else { continue };
                    // Letters are a little narrower than they are taken to be.
                    let long = layout::text_width(text, *size) * 0.85;
                    let left = match align {
                        crate::scene::Align::Left => f64::from(*x),
                        crate::scene::Align::Middle => f64::from(*x) - long / 2.0,
                        crate::scene::Align::Right => f64::from(*x) - long,
                    };
                    let (top, bottom) = (f64::from(*y) - size * 0.4, f64::from(*y) + size * 0.4);
                    let place = [left, top, left + long, bottom];
                    let inside = left >= 0.0 && place[2] <= f64::from(width) && top >= 0.0 && bottom <= f64::from(height);
                    assert!(inside, "{} at {width}: {text:?} is cut off", figure.id);
                    for (other, words) in &boxes {
                        let apart = other[2] <= left || place[2] <= other[0] || other[3] <= top || bottom <= other[1];
                        assert!(apart, "{} at {width}: {text:?} lies on {words:?}", figure.id);
                    }
                    boxes.push((place, text));
                }
                assert!(boxes.len() > 5, "{}", figure.id);
            }
        }
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
