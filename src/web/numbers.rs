//! The numbers of the run up to the cycle that is looked at.

use super::beside::run_name;
use super::handle::Handle;
use super::tips::term;
use crate::event::Reason;
use crate::lab::grouped;
use crate::metrics::{CacheCounts, Counts, DEFINITIONS, Definition, Number, Report};
use crate::plot::slot_words;
use yew::prelude::*;

pub fn numbers(handle: &Handle, others: &[Handle]) -> Html {
    let Some(report) = handle.on_stage(|_, stage| stage.report()) else {
        return html! { <p class="empty"><strong>{ "No run yet" }</strong>{ "Choose a kernel." }</p> };
    };
    let reports: Vec<(String, Report)> =
        others.iter().filter_map(|other| other.on_stage(|lab, stage| (run_name(lab), stage.report()))).collect();
    // Only slices and gangs have an estimate of their area: nothing is not what others cost.
    let told = |(d, value): &(&Definition, Number)| d.unit != "mm²" || *value != Number::Ratio(0.0);
    let plain = DEFINITIONS.iter().filter_map(|d| Some((d, report.number(d.name)?))).filter(told);
    html! {
        <div key="numbers" class="scroll numbers" tabindex="0" role="region" aria-label="Numbers of the run">
            <p class="note">{ "From the launch up to this cycle." }</p>
            if reports.is_empty() {
                <dl class="pairs">
                    { for plain.map(|(d, value)| html! { <><dt>{ term(html! { { d.label } }, d.about) }</dt><dd>{ number(value, d.unit) }</dd></> }) }
                </dl>
            } else {
                { side_by_side(handle, &reports, plain) }
            }
            <h3>{ "What warps did" }</h3>
            { reasons(&report.warp_cycles) }
            <h3>{ "Issue slots" }<span class="note">{ "by active threads" }</span></h3>
            { shares(report.issue_slots.0) }
            <h3>{ "L1 data cache" }</h3>
            { shares(outcomes(report.l1d)) }
        </div>
    }
}

/// The same numbers of several runs, with what differs from the first marked.
fn side_by_side<'a>(handle: &Handle, others: &[(String, Report)], plain: impl Iterator<Item = (&'a Definition, Number)>) -> Html {
    let other = |(d, led): (&Definition, Number), (_, report): &(String, Report)| {
        let value = report.number(d.name).unwrap_or(Number::Count(0));
        let differs = (value != led).then_some("differs");
        html! { <td class={classes!("right", differs)}>{ number(value, d.unit) }</td> }
    };
    html! {
        <table class="grid side-by-side">
            <thead><tr>
                <th></th>
                <th class="right">{ handle.read(run_name) }</th>
                { for others.iter().map(|(name, _)| html! { <th class="right">{ name }</th> }) }
            </tr></thead>
            <tbody>{ for plain.map(|(d, led)| html! {
                <tr>
                    <th scope="row">{ term(html! { { d.label } }, d.about) }</th>
                    <td class="right">{ number(led, d.unit) }</td>
                    { for others.iter().map(|run| other((d, led), run)) }
                </tr>
            }) }</tbody>
        </table>
    }
}

fn number(value: Number, unit: &str) -> String {
    let text = match value {
        Number::Count(count) => grouped(count),
        Number::Ratio(part) if unit.is_empty() => format!("{:.1} %", part * 100.0),
        Number::Ratio(part) => format!("{part:.3}"),
    };
    match (unit, value) {
        ("" | "cycles" | "instructions", _) => text,
        (_, Number::Count(1)) => format!("1 {}", one_of(unit)),
        _ => format!("{text} {unit}"),
    }
}

/// `block` of `blocks`, for the units that there are.
fn one_of(unit: &str) -> &str {
    match unit {
        "entries" => "entry",
        "accesses" | "fetches" => unit.trim_end_matches("es"),
        _ => unit.trim_end_matches('s'),
    }
}

fn reasons(cycles: &Counts) -> Html {
    let count = |reason: Reason| cycles.get(reason.key());
    let all: u64 = Reason::ALL.into_iter().map(count).sum();
    let rows = Reason::listed(count).into_iter().map(|reason| {
        let share = if all == 0 { 0.0 } else { count(reason) as f64 * 100.0 / all as f64 };
        let letter = reason.letter();
        html! {
            <tr>
                <td><b class={format!("letter reason-{}", letter.to_ascii_lowercase())}>{ letter }</b></td>
                <td>{ term(html! { { reason.label() } }, reason.about()) }</td>
                <td class="bar-cell"><i class={format!("reason-{}", letter.to_ascii_lowercase())} style={format!("width:{share:.1}%")}></i></td>
                <td class="right">{ format!("{share:.1} %") }</td>
            </tr>
        }
    });
    html! { <table class="grid shares"><tbody>{ for rows }</tbody></table> }
}

fn outcomes(cache: CacheCounts) -> Vec<(String, u64)> {
    [("hits", cache.hits), ("misses", cache.misses), ("MSHR merges", cache.mshr_merges)]
        .map(|(name, n)| (name.into(), n))
        .to_vec()
}

fn shares(counts: Vec<(String, u64)>) -> Html {
    let all: u64 = counts.iter().map(|(_, count)| count).sum();
    let rows = counts.iter().map(|(name, count)| {
        let share = if all == 0 { 0.0 } else { *count as f64 * 100.0 / all as f64 };
        html! {
            <tr>
                <td>{ slot_words(name) }</td>
                <td class="bar-cell"><i style={format!("width:{share:.1}%")}></i></td>
                <td class="right" title={grouped(*count)}>{ format!("{share:.1} %") }</td>
            </tr>
        }
    });
    html! { <table class="grid shares"><tbody>{ for rows }</tbody></table> }
}
