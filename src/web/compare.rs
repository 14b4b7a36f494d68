//! The comparison of all techniques: a table that fills while workers run, a bar for each run, the race, and files.
//!
//! A bar's length is its run's number of cycles; its colours are the reasons of its warps. In the race all bars grow at one
//! speed, so that each ends when its run does.

use super::chart::{FILE, file_height, png};
use super::download::{save, save_text};
use super::drawer::Drawer;
use super::frame::motion_allowed;
use super::handle::Handle;
use super::tips::term;
use crate::compare::{Comparison, Entry, Outcome, cell, columns, csv};
use crate::config::{AXES, TECHNIQUES, Technique};
use crate::event::Reason;
use crate::lab::{Contest, grouped};
use crate::metrics::ReportNumber;
use crate::plot::{Chart, RACE, Racer, file_name, svg};
use crate::scene::{Palette, Theme};
use yew::prelude::*;

/// Duration of the slowest run in a race, in seconds.
const RACE_SECONDS: f64 = 4.0;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
    pub onclose: Callback<()>,
    /// Requests a run of a technique beside the one on stage.
    pub onbeside: Callback<String>,
}

/// The order of the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Order {
    /// The column to sort by; `None` for the order of the table of techniques.
    column: Option<usize>,
    falling: bool,
}

#[component]
pub fn CompareSheet(props: &Props) -> Html {
    let handle = &props.handle;
    let order = use_state_eq(|| Order { column: Some(0), falling: false });
    let axis = use_state_eq(|| None::<&'static str>);
    let race = use_state_eq(|| 0_u32);
    // Opening the sheet starts a contest, unless the results are known already.
    {
        let handle = handle.clone();
        use_effect_with((), move |()| {
            if handle.read(|lab| lab.stage.is_some() && !lab.contest_is_current()) {
                handle.act(|lab| lab.hold_contest());
            }
        });
    }
    let body = handle.read(|lab| {
        let Some(contest) = &lab.contest else {
            return html! { <p class="empty"><strong>{ "No kernel is loaded" }</strong>{ "Choose one at the top." }</p> };
        };
        let on_stage = lab.shown().0.technique.clone();
        let rows = contest.comparison().map(|comparison| (comparison, sorted(comparison, *order, *axis)));
        html! {
            <>
                { progress(handle, contest) }
                if let Some((comparison, rows)) = rows {
                    <p class="verdict" id="compare-words">{ comparison.words() }</p>
                    <div class="compare-tools">
                        { axes(&axis) }
                        <button type="button" id="race" title="All bars grow at one speed, so that each ends when its run does"
                            onclick={let race = race.clone(); Callback::from(move |_: MouseEvent| race.set(*race + 1))}>{ "Race" }</button>
                        <span class="push"></span>
                        { files(contest, comparison, &rows, props.theme) }
                    </div>
                    <div class="scroll compare-scroll" tabindex="0" role="region" aria-label="Techniques">
                        { table(props, comparison, &rows, &order, *race, &on_stage) }
                        { legend(&rows) }
                        { refused(comparison) }
                    </div>
                }
            </>
        }
    });
    html! { <Drawer title="Compare techniques" id="compare" wide=true onclose={props.onclose.clone()}>{ body }</Drawer> }
}

/// Renders what is compared, how far that is, and the button that stops or restarts it.
fn progress(handle: &Handle, contest: &Contest) -> Html {
    let (done, all) = contest.progress();
    html! {
        <div class="compare-head">
            <strong>{ &contest.about }</strong>
            if contest.is_running() {
                <progress max={all.to_string()} value={done.to_string()} aria-label="Techniques that have run"></progress>
                <span class="note">{ format!("{done} of {all} runs") }</span>
                <button type="button" id="compare-stop" onclick={handle.callback(|lab| {
                    if let Some(contest) = &mut lab.contest { contest.stop(); }
                })}>{ "Stop" }</button>
            } else {
                <span class="note" id="compare-done">{ format!("{done} of {all} runs") }</span>
                <button type="button" id="compare-again" onclick={handle.callback(|lab| lab.hold_contest())}>{ "Run again" }</button>
            }
        </div>
    }
}

/// Renders the choice between the techniques of one axis and all.
fn axes(axis: &UseStateHandle<Option<&'static str>>) -> Html {
    let button = |value: Option<&'static str>, name: &'static str| {
        let pressed = (**axis == value).to_string();
        let axis = axis.clone();
        html! { <button type="button" aria-pressed={pressed} onclick={move |_: MouseEvent| axis.set(value)}>{ name }</button> }
    };
    html! {
        <span class="segments" role="group" aria-label="Techniques that decide">
            { button(None, "all") }
            { for AXES.iter().map(|axis| button(Some(*axis), axis)) }
        </span>
    }
}

fn technique(entry: &Entry) -> Option<&'static Technique> {
    TECHNIQUES.iter().find(|technique| technique.name == entry.technique)
}

/// Returns the rows that are shown, in order; the default is always among them.
fn sorted<'a>(comparison: &'a Comparison, order: Order, axis: Option<&str>) -> Vec<(&'a Entry, &'a Outcome)> {
    let wanted = |entry: &&Entry| {
        let decides = technique(entry).map(|technique| technique.decides);
        axis.is_none() || entry.technique.is_empty() || decides == axis
    };
    let mut rows: Vec<_> = comparison.with_default().filter(wanted).filter_map(|entry| Some((entry, entry.ran()?))).collect();
    let place = |entry: &Entry| TECHNIQUES.iter().position(|technique| technique.name == entry.technique);
    match order.column {
        None => rows.sort_by_key(|(entry, _)| place(entry)),
        Some(column) => rows.sort_by(|(_, one), (_, other)| value(one, column).total_cmp(&value(other, column))),
    }
    if order.falling {
        rows.reverse();
    }
    rows
}

fn value(run: &Outcome, column: usize) -> f64 {
    match run.numbers().get(column) {
        Some(ReportNumber::Count(count)) => *count as f64,
        Some(ReportNumber::Ratio(ratio)) => *ratio,
        None => 0.0,
    }
}

fn table(
    props: &Props,
    comparison: &Comparison,
    rows: &[(&Entry, &Outcome)],
    order: &UseStateHandle<Order>,
    race: u32,
    on_stage: &str,
) -> Html {
    let columns = columns();
    let longest = rows.iter().map(|(_, run)| run.cycles).max().unwrap_or(1).max(1);
    let head = |column: Option<usize>, label: &str, about: &str| {
        let sort = match **order {
            Order { column: by, .. } if by != column => None,
            Order { falling: false, .. } => Some("ascending"),
            _ => Some("descending"),
        };
        let arrow = match sort {
            Some("ascending") => " ↑",
            Some(_) => " ↓",
            None => "",
        };
        let order = order.clone();
        let onclick = move |_: MouseEvent| order.set(Order { column, falling: order.column == column && !order.falling });
        html! {
            <th scope="col" aria-sort={sort} class={column.map(|_| "right")}>
                <button type="button" class="plain" title={about.to_string()} {onclick}>{ label }{ arrow }</button>
            </th>
        }
    };
    let row = |(entry, run): &(&Entry, &Outcome)| {
        let default = entry.technique.is_empty();
        let share = comparison.share(entry);
        let seconds = RACE_SECONDS * run.cycles as f64 / longest as f64;
        let wide = 100.0 * run.cycles as f64 / longest as f64;
        let (name, about) = match technique(entry) {
            Some(technique) => (technique.name, technique.about),
            None => ("default", "The machine without any technique"),
        };
        let style = match race > 0 && motion_allowed() {
            true => format!("width:{wide:.2}%;animation:race {seconds:.2}s linear"),
            false => format!("width:{wide:.2}%"),
        };
        let same = comparison.leaves_the_same(entry);
        let show = {
            let (handle, onclose, technique) = (props.handle.clone(), props.onclose.clone(), entry.technique.clone());
            Callback::from(move |_: MouseEvent| {
                handle.act(|lab| lab.show_technique(&technique));
                onclose.emit(());
            })
        };
        let beside = {
            let (onbeside, technique) = (props.onbeside.clone(), entry.technique.clone());
            Callback::from(move |_: MouseEvent| onbeside.emit(technique.clone()))
        };
        let change = if default { String::new() } else { format!("{:+.1} %", 100.0 * (share - 1.0)) };
        html! {
            <tr key={name} data-technique={name} class={classes!(default.then_some("default"), (entry.technique == on_stage).then_some("here"))}>
                <th scope="row">{ term(html! { { name } }, about) }</th>
                <td class="race-cell"><i key={race} class="race-bar" {style}>{ for shares(run).into_iter().map(segment) }</i></td>
                <td class={classes!("right", (share < 0.995).then_some("better"), (share > 1.005).then_some("worse"))}>{ change }</td>
                { for run.numbers().iter().zip(&columns).map(|(number, column)| html! {
                    <td class="right">{ shown(*number, column.unit) }</td>
                }) }
                <td class="right actions">
                    if !same { <b class="wrong" title="Its final memory differs from the default's">{ "≠ memory" }</b> }
                    <button type="button" class="plain" data-act="show" title="On the stage, at a cycle with something to see" aria-label={format!("Show {name}")} onclick={show}>{ "Show" }</button>
                    <button type="button" class="plain" data-act="beside" title="Beside the run that is on the stage" aria-label={format!("{name} beside it")} onclick={beside}>{ "Beside" }</button>
                </td>
            </tr>
        }
    };
    html! {
        <table class="grid compare-table">
            <thead><tr>
                { head(None, "Technique", "In the order of the papers") }
                <th scope="col">{ "Its run" }</th>
                <th scope="col" class="right" title="Cycles compared with the default">{ "± default" }</th>
                { for columns.iter().enumerate().map(|(at, column)| head(Some(at), column.label, column.about)) }
                <th scope="col"><span class="unseen">{ "Actions" }</span></th>
            </tr></thead>
            <tbody>{ for rows.iter().map(row) }</tbody>
        </table>
    }
}

fn shown(number: ReportNumber, unit: &str) -> String {
    match number {
        ReportNumber::Count(count) => grouped(count),
        ratio => cell(ratio, unit).replace('%', " %"),
    }
}

/// Returns what the warps of a run did, as shares of their cycles.
fn shares(run: &Outcome) -> Vec<(Reason, f64)> {
    let all: u64 = Reason::ALL.into_iter().map(|reason| run.warp_cycles(reason)).sum();
    let parts = Reason::listed(|reason| run.warp_cycles(reason)).into_iter().filter(|reason| run.warp_cycles(*reason) > 0);
    parts.map(|reason| (reason, run.warp_cycles(reason) as f64 / all.max(1) as f64)).collect()
}

fn segment((reason, share): (Reason, f64)) -> Html {
    let class = format!("reason-{}", reason.letter().to_ascii_lowercase());
    let title = format!("{}: {:.1} %", reason.label(), 100.0 * share);
    html! { <b {class} {title} style={format!("flex-grow:{share:.4}")}></b> }
}

/// Renders the legend of the bars' colours.
fn legend(rows: &[(&Entry, &Outcome)]) -> Html {
    let total = |reason: Reason| rows.iter().map(|(_, run)| run.warp_cycles(reason)).sum();
    let used = Reason::listed(total).into_iter().filter(|reason| total(*reason) > 0);
    html! {
        <p class="compare-legend">
            <span class="note">{ "A bar is as long as its run. Its colours: what its warps did." }</span>
            { for used.map(|reason| html! {
                <span><b class={format!("letter reason-{}", reason.letter().to_ascii_lowercase())}>{ reason.letter() }</b>{ term(html! { { reason.label() } }, reason.about()) }</span>
            }) }
        </p>
    }
}

fn refused(comparison: &Comparison) -> Html {
    if comparison.refused.is_empty() {
        return Html::default();
    }
    let why = |entry: &Entry| entry.outcome.as_ref().err().cloned().unwrap_or_default();
    html! {
        <details class="refused">
            <summary>{ format!("{} techniques do not run on this machine", comparison.refused.len()) }</summary>
            <dl class="pairs">{ for comparison.refused.iter().map(|entry| html! { <><dt>{ entry.name() }</dt><dd>{ why(entry) }</dd></> }) }</dl>
        </details>
    }
}

/// Renders the buttons that save the table and the bars as files.
fn files(contest: &Contest, comparison: &Comparison, rows: &[(&Entry, &Outcome)], theme: Theme) -> Html {
    let racer = |(entry, run): &(&Entry, &Outcome)| Racer {
        name: entry.name().to_string(),
        cycles: run.cycles,
        parts: Reason::listed(|reason| run.warp_cycles(reason))
            .into_iter()
            .map(|reason| (reason, run.warp_cycles(reason)))
            .collect(),
    };
    let chart = Chart::race(rows.iter().map(racer).collect(), contest.about.clone());
    let kernel = contest.kernel.clone();
    let name = move |ending: &str| file_name(&kernel, "all", RACE.id, ending);
    let csv_text = csv(comparison);
    let save_csv = {
        let name = name(".csv");
        Callback::from(move |_: MouseEvent| save_text(&name, "text/csv", &csv_text))
    };
    let save_svg = {
        let (name, chart) = (name(".svg"), chart.clone());
        Callback::from(move |_: MouseEvent| {
            save_text(&name, "image/svg+xml", &svg(&chart, Palette::of(theme), FILE.0, file_height(&chart)));
        })
    };
    let save_png = {
        let name = name("@2x.png");
        Callback::from(move |_: MouseEvent| {
            let name = name.clone();
            let _ = png(&chart, Palette::of(theme), 2, move |blob| save(&name, &blob));
        })
    };
    html! {
        <span class="plot-files" role="group" aria-label="Save the comparison">
            <button type="button" class="plain" id="compare-png" title="Save the bars as PNG" onclick={save_png}>{ "PNG" }</button>
            <button type="button" class="plain" id="compare-svg" title="Save the bars as SVG" onclick={save_svg}>{ "SVG" }</button>
            <button type="button" class="plain" id="compare-csv" title="Save the numbers as CSV" onclick={save_csv}>{ "CSV" }</button>
        </span>
    }
}
