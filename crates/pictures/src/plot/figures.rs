//! The table of figures, one row each.

use crate::scene::{Palette, Rgb, Tone};
use std::sync::LazyLock;
use warpscope_machine::config::Config;
use warpscope_machine::event::Reason;
use warpscope_machine::metrics::Counted;
use warpscope_machine::metrics::{CacheCounts, DEFINITIONS, Definition, MetricSource, slots};
use warpscope_machine::record::StretchCounts;

/// A figure that can be plotted for a run.
#[derive(Debug)]
pub struct Figure {
    /// Identifies the figure in file names.
    pub id: &'static str,
    /// The heading of the figure.
    pub title: &'static str,
    /// The quantity on the y axis, and its unit.
    pub y: &'static str,
    pub(crate) unit: &'static str,
    /// What it shows, in a sentence or two.
    pub about: &'static str,
    /// Whether the figure applies to machines of this configuration.
    pub shows: fn(&Config) -> bool,
    pub(crate) kind: FigureKind,
}

/// How a figure's numbers are computed and drawn.
#[derive(Debug)]
pub enum FigureKind {
    /// A curve of one number of the report; a share is shown in per cent.
    Number {
        /// Computes the number for a stretch.
        plotted: fn(&MetricSource) -> f64,
        /// Whether it is between 0 and 1, and shown in per cent.
        is_share: bool,
    },
    /// Curves over a common zero.
    Line(OverTime),
    /// Layers stacked on each other, the first at the bottom.
    Stack(OverTime),
    /// A bar for each warp and warp-phase.
    WarpPhases,
    /// A point for each warp-phase.
    Rtru,
    /// A bar for each warp of a block that a warp slot ran.
    WhoRan,
    /// One bar for all warp-cycles.
    Breakdown,
    /// A bar for each of several runs.
    Race,
}

/// The values of a figure per stretch of cycles.
#[derive(Debug)]
pub struct OverTime {
    /// Where the y axis ends; `None` fits it to the data.
    pub top: fn(&RunFacts) -> Option<f64>,
    pub labels: fn(&RunFacts) -> Vec<Label>,
    /// A value for each label; NaN where there is no value.
    pub values: fn(&StretchCounts, &RunFacts) -> Vec<f64>,
}

/// The facts about a machine and its run that figures need.
#[derive(Clone, Debug)]
pub struct RunFacts {
    pub warp_width: u32,
    pub sms: usize,
    /// The reasons that this run's breakdowns list.
    pub reasons: Vec<Reason>,
}

/// The legend entry of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The letter that stands for it everywhere, if it has one.
    pub letter: Option<char>,
    /// What the curve stands for, in words.
    pub name: String,
    /// The colour of the curve.
    pub paint: Paint,
}

impl Label {
    /// Returns the label of a reason, in the reason's colour.
    pub fn of(reason: Reason) -> Label {
        Label { letter: Some(reason.letter()), name: reason.label().into(), paint: Paint::Pure(Tone::Reason(reason)) }
    }
}

/// Returns the display name of a class of issue slots: `W1_4` becomes a range, and `w0` would read as a warp.
pub fn slot_words(key: &str) -> String {
    match key {
        "w0_mem" => "memory".into(),
        "w0_idle" => "idle".into(),
        key if key.starts_with('W') => key.replace('_', "–"),
        key => key.into(),
    }
}

/// A colour, given by its meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    /// A colour of the palette.
    Pure(Tone),
    /// The share of the first tone, from 0 to 1; the second has the rest.
    Mix(Tone, Tone, f32),
}

impl Paint {
    /// Returns the colour in a theme.
    pub fn colour(self, palette: &Palette) -> Rgb {
        match self {
            Paint::Pure(tone) => palette.get(tone),
            Paint::Mix(tone, rest, share) => {
                let (a, b) = (palette.get(tone), palette.get(rest));
                let mix = |a: u8, b: u8| (f32::from(a) * share + f32::from(b) * (1.0 - share)).round() as u8;
                Rgb(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
            }
        }
    }
}

/// Every figure of a run: the numbers of a report that can be plotted, then the others.
pub static FIGURES: LazyLock<Vec<Figure>> = LazyLock::new(|| {
    let numbers = DEFINITIONS.iter().filter_map(|definition| Some(Figure::of(definition, definition.plotted?)));
    numbers.chain(others()).collect()
});

impl Figure {
    /// Returns the figure of a number, by its definition. A number without a unit is a share of a whole.
    fn of(definition: &'static Definition, plotted: fn(&MetricSource) -> f64) -> Figure {
        let Definition { name, label, unit, about, .. } = *definition;
        Figure {
            id: name.replace('_', "-").leak(),
            title: label,
            y: label,
            unit: if unit.is_empty() { "%" } else { unit },
            about: if unit.is_empty() { format!("{about}. A gap is a stretch in which nothing issued.").leak() } else { about },
            shows: |_| true,
            kind: FigureKind::Number { plotted, is_share: unit.is_empty() },
        }
    }
}

fn others() -> [Figure; 10] {
    [
        Figure {
            id: "active-lanes",
            title: "Active lanes",
            y: "Active lanes",
            unit: "lanes/instruction",
            about: "Active lanes in an issued instruction, on average; the axis ends at the warp's width. \
                A gap is a stretch in which nothing issued.",
            shows: |_| true,
            kind: FigureKind::Line(OverTime {
                top: |facts| Some(f64::from(facts.warp_width.max(1))),
                labels: |_| single("active lanes"),
                values: |bucket, _| vec![ratio(bucket.totals.thread_instructions, bucket.totals.warp_instructions)],
            }),
        },
        Figure {
            id: "stalls",
            title: "Stall breakdown",
            y: "Warp-cycles",
            unit: "%",
            about: "What each resident warp did each cycle, or why it did not issue (BAWS figure 10).",
            shows: |_| true,
            kind: FigureKind::Stack(OverTime {
                top: |_| Some(100.0),
                labels: |facts| facts.reasons.iter().copied().map(Label::of).collect(),
                values: |bucket, facts| {
                    let counts: Vec<u64> =
                        facts.reasons.iter().map(|&reason| bucket.totals.warp_cycles[reason as usize]).collect();
                    shares(&counts)
                },
            }),
        },
        Figure {
            id: "stall-totals",
            title: "Stall totals",
            y: "Warp-cycles",
            unit: "%",
            about: "Warp-cycles up to the current cycle, by what the warp waited for (BAWS figure 10): hazards first, then \
                other reasons. They add up to the warp-cycles of all resident warps.",
            shows: |_| true,
            kind: FigureKind::Breakdown,
        },
        Figure {
            id: "warp-phases",
            title: "Warp-phases",
            y: "Warps",
            unit: "cycles",
            about: "A bar for each warp and warp-phase (BAWS figures 3 and 4): dark from the phase's start to the warp's arrival at the \
                barrier or its end, pale while it waits for the last warp of its block. Shows the selected block and its neighbours.",
            shows: |_| true,
            kind: FigureKind::WarpPhases,
        },
        Figure {
            id: "rtru",
            title: "RTRU of phases",
            y: "RTRU",
            unit: "%",
            about: "A point for each warp-phase that has ended: the share of its warps' time that they wait for the slowest one, \
                the ratio of temporal resource underutilisation (BAWS equation 1 and figure 5). Smaller is better.",
            shows: |_| true,
            kind: FigureKind::Rtru,
        },
        Figure {
            id: "who-ran",
            title: "Who ran which block",
            y: "Warp slots",
            unit: "cycles",
            about: "A row for each warp slot, a bar for each warp of a block that it ran, in the block's colour and with its number (VTW \
                figure 1). Red: the warp had ended, and its block had not. With virtual blocks the slot runs the next one meanwhile.",
            shows: |_| true,
            kind: FigureKind::WhoRan,
        },
        Figure {
            id: "issue-slots",
            title: "Issue slots",
            y: "Issue slots",
            unit: "%",
            about: "What each issue port did each cycle (TBC figure 13): W1_4 issued an instruction with 1 to 4 active lanes, and so on; \
                stall: a warp was ready, but no unit free; w0_mem: no warp was ready and at least one waited for memory; w0_idle: \
                no warp was ready and none waited for memory.",
            shows: |_| true,
            kind: FigureKind::Stack(OverTime {
                top: |_| Some(100.0),
                labels: slot_labels,
                values: |bucket, facts| shares(&slots::classes(&bucket.totals, facts.warp_width)),
            }),
        },
        Figure {
            id: "l1",
            title: "L1 data cache",
            y: "L1 accesses",
            unit: "accesses/cycle",
            about: "Accesses to the L1 data caches per cycle: found there (hit), already on its way (merged), to be fetched (miss).",
            shows: |_| true,
            kind: FigureKind::Stack(OverTime {
                top: |_| None,
                labels: |_| cache_labels(),
                values: |bucket, facts| per_cycle(&outcomes(bucket.totals.l1d), bucket, facts),
            }),
        },
        Figure {
            id: "l2",
            title: "L2 cache",
            y: "L2 accesses",
            unit: "accesses/cycle",
            about: "Accesses to the L2 cache per cycle: found there (hit), already on its way (merged), to be fetched from memory (miss).",
            shows: |_| true,
            kind: FigureKind::Stack(OverTime {
                top: |_| None,
                labels: |_| cache_labels(),
                values: |bucket, facts| per_cycle(&outcomes(bucket.totals.l2), bucket, facts),
            }),
        },
        Figure {
            id: "gang-sizes",
            title: "Gang sizes",
            y: "By size of gang",
            unit: "warps",
            about: "Warps that have not ended, by the size of the gang they are in (VWS figure 18): 8 is an original gang that has not \
                split, 1 a warp that its slice schedules by itself.",
            shows: |config| config.gangs,
            kind: FigureKind::Stack(OverTime {
                top: |_| None,
                labels: |_| (0..8).map(|at| gang_paint(at).label(&(8 - at).to_string())).collect(),
                values: |bucket, facts| {
                    let large_first: Vec<u64> = bucket.gangs.iter().rev().copied().collect();
                    per_cycle(&large_first, bucket, facts)
                },
            }),
        },
    ]
}

/// Returns a gang size's colour, from dark (eight warps together) to pale (a singleton).
fn gang_paint(at: usize) -> Paint {
    Paint::Mix(Tone::Accent, Tone::Panel, 1.0 - at as f32 * 0.115)
}

const HIT: Paint = Paint::Pure(Tone::Good);
const MERGED: Paint = Paint::Mix(Tone::Heat, Tone::Panel, 0.45);
const MISS: Paint = Paint::Pure(Tone::Heat);

/// The colours of the classes of unused issue slots, in their order: each that of the closest reason.
const UNUSED: [Tone; slots::UNUSED.len()] =
    [Tone::Reason(Reason::Structural), Tone::Reason(Reason::Memory), Tone::Reason(Reason::Exit)];

impl Paint {
    pub(crate) fn label(self, name: &str) -> Label {
        Label { letter: None, name: name.into(), paint: self }
    }
}

fn single(name: &str) -> Vec<Label> {
    vec![Paint::Pure(Tone::Accent).label(name)]
}

/// Returns how many classes a warp of this width can fall into.
fn filled_classes(facts: &RunFacts) -> usize {
    slots::names(facts.warp_width).len()
}

/// Returns the classes from pale (few lanes) to full colour (all lanes), then the unused ones. The lanes' blue is none of the
/// reasons' colours, so that a pale class is not taken for an idle slot.
fn slot_labels(facts: &RunFacts) -> Vec<Label> {
    let filled = filled_classes(facts);
    let class = |(at, name): (usize, String)| {
        let share = if filled == 1 { 1.0 } else { 0.3 + 0.7 * at as f32 / (filled - 1) as f32 };
        Paint::Mix(Tone::Accent, Tone::Panel, share).label(&name)
    };
    slots::names(facts.warp_width)
        .into_iter()
        .enumerate()
        .map(class)
        .chain(slots::UNUSED.into_iter().zip(UNUSED).map(|(class, tone)| Paint::Pure(tone).label(&class.name())))
        .collect()
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { f64::NAN } else { part as f64 / whole as f64 }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * ratio(part, whole)
}

fn shares(counts: &[u64]) -> Vec<f64> {
    let whole = counts.iter().sum();
    counts.iter().map(|&count| percent(count, whole)).collect()
}

fn cache_labels() -> Vec<Label> {
    vec![HIT.label("hit"), MERGED.label("merged"), MISS.label("miss")]
}

/// Returns the accesses to a cache in the order of the layers.
fn outcomes(CacheCounts { hits, mshr_merges, misses, .. }: CacheCounts) -> [u64; 3] {
    [hits, mshr_merges, misses]
}

fn per_cycle(counts: &[u64], bucket: &StretchCounts, facts: &RunFacts) -> Vec<f64> {
    counts.iter().map(|&count| ratio(count * facts.sms as u64, bucket.cycles)).collect()
}
