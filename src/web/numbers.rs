//! The numbers of the run up to the current cycle, or of a range of cycles; beside other runs, the differences.

use super::beside::run_name;
use super::handle::Handle;
use super::tips::term;
use warpscope_lab::{Lab, LineCost, Stage, grouped};
use warpscope_machine::event::{Reason, StallCause};
use warpscope_machine::metrics::slots::SlotClass;
use warpscope_machine::metrics::{CacheCounts, DEFINITIONS, Definition, Fold, Report, ReportNumber};
use warpscope_pictures::plot::slot_words;
use yew::prelude::*;

/// The name and the numbers of a run.
struct Told {
    name: String,
    report: Report,
    lines: Vec<LineCost>,
}

/// Returns the numbers of a run up to the current cycle, or of the cycles of a range.
fn told(lab: &Lab, stage: &Stage, range: Option<(u64, u64)>) -> Told {
    let stretch = stage.stretch(range);
    // Numbers that are not defined for a range are shown only without one.
    let report = if range.is_some() { stretch.report.clone() } else { stage.report() };
    Told { name: run_name(lab), report, lines: stage.line_costs(&stretch) }
}

pub fn numbers(handle: &Handle, others: &[Handle]) -> Html {
    let Some((range, led)) = handle.on_stage(|lab, stage| (stage.range, told(lab, stage, stage.range))) else {
        return html! { <p class="empty"><strong>{ "No run yet" }</strong>{ "Choose a kernel." }</p> };
    };
    let beside = |other: &Handle| {
        let range = match range {
            None => None,
            // A run that has not reached the range yet is left out.
            Some(range) => Some(
                handle.on_stage(|lab, led| other.on_stage(|_, own| own.range_beside(led, &lab.beside, range)).flatten())??,
            ),
        };
        other.on_stage(|lab, stage| told(lab, stage, range))
    };
    let others: Vec<Told> = others.iter().filter_map(beside).collect();
    // Only slices and gangs have an estimate of their area: elsewhere it is 0 and is hidden.
    let shown = |(d, value): &(&Definition, ReportNumber)| {
        let whole = range.is_none() || d.fold != Fold::Whole;
        whole && (d.unit != "mm²" || *value != ReportNumber::Ratio(0.0))
    };
    let plain = DEFINITIONS.iter().filter_map(|d| Some((d, led.report.number(d.name)?))).filter(shown);
    html! {
        <div key="numbers" class="scroll numbers" tabindex="0" role="region" aria-label="Numbers of the run">
            <p class="note" id="numbers-of">
                if let Some((from, to)) = range {
                    { format!("Of cycles {} to {}. ", grouped(from), grouped(to)) }
                    <button type="button" class="plain" onclick={handle.callback(|lab| lab.set_range(None))}>{ "All cycles" }</button>
                } else {
                    { "From the launch up to this cycle. Drag along the timeline's numbers for a stretch of it." }
                }
            </p>
            if others.is_empty() {
                <dl class="pairs">
                    { for plain.map(|(d, value)| html! { <><dt>{ term(html! { { d.label } }, d.about) }</dt><dd>{ number(value, d.unit) }</dd></> }) }
                </dl>
            } else {
                { side_by_side(&led.name, &others, plain) }
            }
            { by_line(&led, &others) }
            <h3>{ "What warps did" }</h3>
            { reasons(&led, &others) }
            <h3>{ "Issue slots" }<span class="note">{ "by active threads" }</span></h3>
            { shares(&led, &others, |report| report.issue_slots.iter().map(|(name, count)| (name.to_string(), count)).collect()) }
            if led.report.issue_slots.get(SlotClass::Stall) > 0 {
                <h3>{ "Stalls" }<span class="note">{ "a warp was ready; what it waited for" }</span></h3>
                { shares(&led, &others, stalls) }
            }
            <h3>{ "L1 data cache" }</h3>
            { shares(&led, &others, |report| outcomes(report.l1d)) }
        </div>
    }
}

/// Renders the numbers of several runs side by side; what differs from the leader's is marked.
fn side_by_side<'a>(leader: &str, others: &[Told], plain: impl Iterator<Item = (&'a Definition, ReportNumber)>) -> Html {
    let other = |(d, led): (&Definition, ReportNumber), told: &Told| {
        let value = told.report.number(d.name).unwrap_or(ReportNumber::Count(0));
        let differs = (value != led).then_some("differs");
        html! { <td class={classes!("right", differs)}>{ bare(value, d.unit) }</td> }
    };
    html! {
        <table class="grid side-by-side">
            <thead><tr>
                <th></th>
                <th class="right">{ leader }</th>
                { for others.iter().map(|told| html! { <th class="right">{ &told.name }</th> }) }
            </tr></thead>
            <tbody>{ for plain.map(|(d, led)| html! {
                <tr>
                    <th scope="row">{ term(html! { { d.label } }, d.about) }</th>
                    <td class="right">{ bare(led, d.unit) }</td>
                    { for others.iter().map(|told| other((d, led), told)) }
                </tr>
            }) }</tbody>
        </table>
    }
}

/// Most lines that are shown: those that cost the most cycles.
const LINES: usize = 12;

/// Renders the cycles of the lines in source order; beside other runs, the differences on each line.
fn by_line(led: &Told, others: &[Told]) -> Html {
    let at = |told: &Told, line: usize| told.lines.iter().find(|cost| cost.line == line).map_or(0, |cost| cost.cycles);
    let most = |line: &LineCost| others.iter().map(|told| at(told, line.line)).chain([line.cycles]).max().unwrap_or(0);
    let mut lines: Vec<&LineCost> = led.lines.iter().filter(|line| most(line) > 0).collect();
    lines.sort_by_key(|line| std::cmp::Reverse(most(line)));
    lines.truncate(LINES);
    lines.sort_by_key(|line| line.line);
    if lines.is_empty() {
        return Html::default();
    }
    let longest = lines.iter().map(|line| most(line)).max().unwrap_or(1).max(1);
    let row = |line: &LineCost| {
        let share = line.cycles as f64 * 100.0 / longest as f64;
        html! {
            <tr>
                <td class="right soft">{ line.line }</td>
                <td class="code" title={line.text.clone()}><code>{ &line.text }</code><i style={format!("width:{share:.1}%")}></i></td>
                <td class="right">{ grouped(line.cycles) }</td>
                { for others.iter().map(|told| gain(line.cycles, at(told, line.line))) }
            </tr>
        }
    };
    html! {
        <>
            <h3>{ term(html! { { "Cycles by line" } }, BY_LINE) }</h3>
            <table class="grid by-line" id="by-line">
                if !others.is_empty() {
                    <thead><tr>
                        <th></th><th></th><th class="right">{ &led.name }</th>
                        { for others.iter().map(|told| html! { <th class="right" title={told.name.clone()}>{ &told.name }</th> }) }
                    </tr></thead>
                }
                <tbody>{ for lines.into_iter().map(row) }</tbody>
            </table>
        </>
    }
}

const BY_LINE: &str = "Cycles from each issue to the next, counted for the line that issues next. Cycles in which all warps waited count for the next line that issues; all lines together have all cycles of the run up to its last issue.";

/// Renders how many cycles more or fewer another run needs on a line.
fn gain(led: u64, own: u64) -> Html {
    let (class, text) = match own.cmp(&led) {
        std::cmp::Ordering::Less => ("good", format!("−{}", grouped(led - own))),
        std::cmp::Ordering::Equal => ("soft", "same".to_string()),
        std::cmp::Ordering::Greater => ("bad", format!("+{}", grouped(own - led))),
    };
    html! { <td class={classes!("right", class)} title={format!("{} cycles", grouped(own))}>{ text }</td> }
}

/// Returns a number without its unit.
fn bare(value: ReportNumber, unit: &str) -> String {
    match value {
        ReportNumber::Count(count) => grouped(count),
        ReportNumber::Ratio(part) if unit.is_empty() => format!("{:.1} %", part * 100.0),
        ReportNumber::Ratio(part) => format!("{part:.3}"),
    }
}

/// Returns a number with its unit, unless its label names the unit already.
fn number(value: ReportNumber, unit: &str) -> String {
    let text = bare(value, unit);
    match (unit, value) {
        ("" | "cycles" | "instructions", _) => text,
        (per, _) if per.contains('/') => text,
        (_, ReportNumber::Count(1)) => format!("1 {}", one_of(unit)),
        _ => format!("{text} {unit}"),
    }
}

/// Returns the singular of a unit that occurs here: `block` for `blocks`.
fn one_of(unit: &str) -> &str {
    match unit {
        "entries" => "entry",
        "accesses" | "fetches" => unit.trim_end_matches("es"),
        _ => unit.trim_end_matches('s'),
    }
}

/// Returns a part of a whole, in per cent.
fn share_of(count: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { count as f64 * 100.0 / all as f64 }
}

/// Renders how many percentage points more or less other runs have.
fn points(led: f64, others: impl Iterator<Item = f64>) -> Html {
    let point = |own: f64| {
        let by = own - led;
        let text =
            if by.abs() < 0.05 { "same".to_string() } else { format!("{}{:.1}", if by < 0.0 { "−" } else { "+" }, by.abs()) };
        html! { <td class="right soft" title={format!("{own:.1} %")}>{ text }</td> }
    };
    others.map(point).collect()
}

fn reasons(led: &Told, others: &[Told]) -> Html {
    let count = |told: &Told, reason: Reason| told.report.warp_cycles.get(reason);
    let share =
        |told: &Told, reason: Reason| share_of(count(told, reason), Reason::ALL.into_iter().map(|r| count(told, r)).sum());
    let any = |reason: Reason| others.iter().chain([led]).map(|told| count(told, reason)).max().unwrap_or(0);
    let rows = Reason::listed(any).into_iter().map(|reason| {
        let part = share(led, reason);
        let letter = reason.letter();
        html! {
            <tr>
                <td><b class={format!("letter reason-{}", letter.to_ascii_lowercase())}>{ letter }</b></td>
                <td>{ term(html! { { reason.label() } }, reason.about()) }</td>
                <td class="bar-cell"><i class={format!("reason-{}", letter.to_ascii_lowercase())} style={format!("width:{part:.1}%")}></i></td>
                <td class="right">{ format!("{part:.1} %") }</td>
                { points(part, others.iter().map(|told| share(told, reason))) }
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

fn stalls(report: &Report) -> Vec<(String, u64)> {
    StallCause::ALL.map(|cause| (cause.label().to_string(), report.stalls.get(cause))).to_vec()
}

fn shares(led: &Told, others: &[Told], of: impl Fn(&Report) -> Vec<(String, u64)>) -> Html {
    let whole = |counts: &[(String, u64)]| counts.iter().map(|(_, count)| count).sum::<u64>();
    let counts = of(&led.report);
    let all = whole(&counts);
    let others: Vec<Vec<(String, u64)>> = others.iter().map(|told| of(&told.report)).collect();
    let rows = counts.iter().map(|(name, count)| {
        let part = share_of(*count, all);
        // Machines of another warp width have other classes.
        let beside = |counts: &Vec<(String, u64)>| {
            let own = counts.iter().find(|(known, _)| known == name).map_or(0, |(_, count)| *count);
            share_of(own, whole(counts))
        };
        html! {
            <tr>
                <td>{ slot_words(name) }</td>
                <td class="bar-cell"><i style={format!("width:{part:.1}%")}></i></td>
                <td class="right" title={grouped(*count)}>{ format!("{part:.1} %") }</td>
                { points(part, others.iter().map(beside)) }
            </tr>
        }
    });
    html! { <table class="grid shares"><tbody>{ for rows }</tbody></table> }
}
