//! Figures of hand-made runs, whose values can be worked out on paper.

mod phases;
mod sheet;
mod values;

use super::layout::{Mark, lay_out};
use super::*;
use crate::scene::{Palette, Rgb, Theme, Tone};
use warpscope_machine::config::Config;
use warpscope_machine::event::{CacheOutcome, Event, Reason, ReasonCounts, Sink, SlotUse, StallCause};
use warpscope_machine::metrics::{DEFINITIONS, Metrics, Report};
use warpscope_machine::record::{Phases, Series, Stints};

const SHEET_SIZES: [SheetSize; 2] = [
    SheetSize { width: 340, height: 236, scale: 1.0, fine: FINE, titled: false },
    SheetSize { width: 720, height: 360, scale: 2.0, fine: FINE, titled: true },
];

/// A run built from a list of events.
struct Told {
    series: Series,
    metrics: Metrics,
    phases: Phases,
    stints: Stints,
}

impl Told {
    /// Returns a run of no cycles.
    fn new(sms: usize) -> Told {
        let (metrics, phases) = (Metrics::of(&Config::default()), Phases::default());
        Told { series: Series::new(sms), metrics, phases, stints: Stints::default() }
    }

    /// Returns a run of a kernel with barriers, displayed at its end.
    fn run(&self, warp_width: u32) -> PlottedRun<'_> {
        let Told { series, metrics, phases, stints } = self;
        let (block_warps, is_virtual) = (4, false);
        PlottedRun {
            series,
            phases,
            stints,
            metrics,
            config: of_width(warp_width),
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

/// Returns a machine with warps of a width. It lives as long as the tests.
fn of_width(warp_width: u32) -> &'static Config {
    Box::leak(Box::new(Config { warp_width, ..Config::default() }))
}

/// Figures over stretches of cycles.
fn over_time() -> impl Iterator<Item = &'static Figure> {
    FIGURES.iter().filter(|figure| matches!(figure.kind, FigureKind::Number { .. } | FigureKind::Line(_) | FigureKind::Stack(_)))
}

/// Four cycles of two SMs with warps of 32: in cycle 0 both SMs issue, with 32 and 8 lanes; in cycle 1 one issues, with 16; then
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

/// Records the events of consecutive cycles.
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

/// Returns a run of `cycles` cycles with events of many kinds.
fn long(cycles: u64) -> Told {
    let events = |cycle: u64| {
        let mut counts = ReasonCounts::default();
        let common = Reason::listed(|_| 0).len();
        counts.0[..common].fill(1);
        counts.0[(cycle / 7) as usize % common] += 4;
        let alone = (cycle / 16 % 9) as u16;
        let mask = u32::MAX >> (cycle * 5 % 32);
        let slot = match cycle % 5 {
            0 => SlotUse::Stall(StallCause::Unit),
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

/// Returns the events of two blocks of four warps with a barrier every twenty cycles; odd warps arrive later. Warp 3 ends at
/// cycle 70.
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

/// Returns values as text, so that NaN compares equal.
fn values(id: &str, name: &str) -> Vec<String> {
    let chart = short().curves(id, 32, 100);
    let curve = chart.curves.iter().find(|curve| curve.label.name == name);
    let curve = curve.unwrap_or_else(|| panic!("no curve {name} in {id}"));
    curve.values.iter().map(f64::to_string).collect()
}

/// Lays out a figure of a run with barriers.
fn laid_out(told: &Told, id: &str, sheet_size: &SheetSize) -> (Chart, Vec<Mark>) {
    let chart = told.chart(figure(id), 32, 200);
    let marks = lay_out(&chart, Palette::of(Theme::Light), sheet_size);
    (chart, marks)
}

/// Returns the bars in a label's colour.
fn bars_of<'a>(chart: &Chart, marks: &'a [Mark], name: &str) -> impl Iterator<Item = [i32; 4]> + use<'a> {
    let palette = Palette::of(Theme::Light);
    let labels = chart.content().labels();
    let wanted = labels.iter().find(|label| label.name == name).unwrap_or_else(|| panic!("no {name}")).paint.colour(palette);
    marks.iter().filter_map(move |mark| match mark {
        Mark::Bar { from, to, colour } if *colour == wanted => Some([from.0, from.1, to.0, to.1]),
        _ => None,
    })
}
