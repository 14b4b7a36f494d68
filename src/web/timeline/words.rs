//! What the timeline says in words: its tooltips, its legend, the numbers of a selected range, and a description of it all.

use super::super::handle::Handle;
use super::super::strip::{self, LEFT, TOP};
use super::super::tips::term;
use warpscope_lab::grouped;
use warpscope_lab::timeline::{Rows, VisibleCycles, rows};
use warpscope_machine::event::{EventKind, Reason};
use warpscope_machine::record::{GONE, Record};
use warpscope_pictures::view::words::counted;
use yew::prelude::*;

/// Renders a frame around the selected range.
pub fn range_frame((from, to): (u64, u64), span: VisibleCycles, width: f64) -> Html {
    let [left, right] = [from, to].map(|cycle| span.x_of(cycle as f64).clamp(0.0, width));
    if right <= left {
        return Html::default();
    }
    let style = format!("left:{}px;width:{}px", LEFT + left, right - left);
    html! { <span class="range" {style}><b>{ format!("{} cycles", grouped(to - from)) }</b></span> }
}

/// Renders a few numbers of the selected range; the numbers beside the stage say more.
pub fn range_numbers(handle: &Handle) -> Html {
    let told = handle.on_stage(|_, stage| {
        let range = stage.range?;
        let report = &stage.stretch(Some(range)).report;
        let lanes = 100.0 * report.simd_efficiency;
        Some(format!("{} to {}: IPC {:.1}, {lanes:.0} % of lanes", grouped(range.0), grouped(range.1), report.ipc))
    });
    let Some(told) = told.flatten() else { return Html::default() };
    html! {
        <span class="range-numbers" id="range-numbers">{ told }
            <button type="button" class="plain" id="range-off" title="All cycles again (Esc)" aria-label="All cycles again"
                onclick={handle.callback(|lab| lab.set_range(None))}>{ "×" }</button>
        </span>
    }
}

/// The tooltip that says why several rows can issue in one cycle.
pub const STATIC_WARPS: &str = "Rows are static warps: threads as they were launched. This technique puts threads of several of them into one \
     dynamic warp; when that issues, all rows that have a thread in it show I in the same cycle. A row whose threads are in \
     several places shows what its first thread does.";

/// Renders the legend of the colours.
pub fn legend(reasons: &[Reason]) -> Html {
    html! {
        <ul class="legend" aria-label="Colours">
            { for reasons.iter().map(|reason| html! {
                <li>{ term(html! {
                    <>
                        <b class={format!("letter reason-{}", reason.letter().to_ascii_lowercase())}>{ reason.letter() }</b>
                        <span class="more">{ reason.label_parts().0 }</span>{ reason.label_parts().1 }
                    </>
                }, reason.about()) }</li>
            }) }
        </ul>
    }
}

/// Renders what the warp under the pointer did in that cycle, or what the mark there stands for.
pub fn tip(record: &Record, span: VisibleCycles, rows: &Rows, width: f64, (x, y): (f64, f64)) -> Option<Html> {
    if x < LEFT {
        return None;
    }
    let text = if y < TOP { marked(record, span, x)? } else { did(record, span, rows, x, y)? };
    // On the side of the pointer with more room.
    let side = if x < width / 2.0 { format!("left:{}px", x + 12.0) } else { format!("right:{}px", width - x + 12.0) };
    Some(html! { <span class="tip" style={format!("{side};top:{}px", (y - 28.0).max(2.0))}>{ text }</span> })
}

fn did(record: &Record, span: VisibleCycles, rows: &Rows, x: f64, y: f64) -> Option<String> {
    let cycle = span.cycle_at(x - LEFT);
    if cycle < 0.0 || cycle as u64 >= record.end() {
        return None;
    }
    let track = rows.at(y - TOP)?;
    let code = record.nth(track).at(cycle as u64);
    let did = match Reason::ALL.get(usize::from(code)) {
        Some(reason) => format!("{} {}", reason.letter(), reason.label()),
        None if code == GONE => "not resident".to_string(),
        None => return None,
    };
    let (sm, warp) = (track / record.slots(), track % record.slots());
    let of = if record.tracks() > record.slots() { format!(" of SM {sm}") } else { String::new() };
    Some(format!("warp {warp}{of}, cycle {}: {did}", grouped(cycle as u64)))
}

/// Names the marks near a point.
fn marked(record: &Record, span: VisibleCycles, x: f64) -> Option<String> {
    /// The largest distance, in pixels.
    const NEAR: f64 = 3.0;
    let cycle = |by: f64| span.cycle_at(x - LEFT + by).max(0.0) as u64;
    let (from, to) = (cycle(-NEAR), cycle(NEAR));
    let near = strip::MARKED.into_iter().filter_map(|(kind, _)| {
        let at = record.marks(kind).next(from).filter(|at| *at <= to)?;
        Some(format!("{}, cycle {}", kind.label(), grouped(at)))
    });
    Some(near.collect::<Vec<_>>().join(" · ")).filter(|text| !text.is_empty())
}

/// Describes the timeline for screen readers.
pub fn describe(record: &Record, cycle: u64) -> String {
    let cycles = |kind: EventKind| record.marks(kind).count();
    format!(
        "Timeline of {} over {}, now at cycle {cycle}; cycles with divergence: {}, with barrier releases: {}, with block ends: {}.",
        counted(rows(record).len() as u64, "warp"),
        counted(record.end(), "cycle"),
        cycles(EventKind::Divergence),
        cycles(EventKind::BarrierRelease),
        cycles(EventKind::BlockEnd)
    )
}
