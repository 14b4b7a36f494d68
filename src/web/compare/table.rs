//! The table: a row for each technique, with its bar, its numbers, and the buttons that show its run.

use super::super::tips::term;
use super::Props;
use super::bars::bar;
use super::rows::{RowOrder, technique};
use warpscope_lab::grouped;
use warpscope_machine::metrics::ReportNumber;
use warpscope_study::compare::{Comparison, Entry, Outcome, cell, columns};
use yew::prelude::*;

/// Renders the table. `race` is the number of races so far, `on_stage` the technique of the run on the stage.
pub fn table(
    props: &Props,
    comparison: &Comparison,
    rows: &[(&Entry, &Outcome)],
    order: &UseStateHandle<RowOrder>,
    race: u32,
    on_stage: &str,
) -> Html {
    let columns = columns();
    let longest = rows.iter().map(|(_, run)| run.cycles).max().unwrap_or(1).max(1);
    let row = |(entry, run): &(&Entry, &Outcome)| {
        let (name, about) = match technique(entry) {
            Some(technique) => (technique.name, technique.about),
            None => ("default", "The machine without any technique"),
        };
        let default = entry.technique.is_empty();
        let share = comparison.share(entry);
        let change = if default { String::new() } else { format!("{:+.1} %", 100.0 * (share - 1.0)) };
        html! {
            <tr key={name} data-technique={name} class={classes!(default.then_some("default"), (entry.technique == on_stage).then_some("here"))}>
                <th scope="row">{ term(html! { { name } }, about) }</th>
                <td class="race-cell">{ bar(run, longest, race) }</td>
                <td class={classes!("right", (share < 0.995).then_some("better"), (share > 1.005).then_some("worse"))}>{ change }</td>
                { for run.numbers().iter().zip(&columns).map(|(number, column)| html! {
                    <td class="right">{ shown(*number, column.unit) }</td>
                }) }
                <td class="right actions">
                    if !comparison.leaves_the_same(entry) { <b class="wrong" title="Its final memory differs from the default's">{ "≠ memory" }</b> }
                    { actions(props, name, &entry.technique) }
                </td>
            </tr>
        }
    };
    html! {
        <table class="grid compare-table">
            <thead><tr>
                { head(order, None, "Technique", "In the order of the papers") }
                <th scope="col">{ "Its run" }</th>
                <th scope="col" class="right" title="Cycles compared with the default">{ "± default" }</th>
                { for columns.iter().enumerate().map(|(at, column)| head(order, Some(at), column.label, column.about)) }
                <th scope="col"><span class="unseen">{ "Actions" }</span></th>
            </tr></thead>
            <tbody>{ for rows.iter().map(row) }</tbody>
        </table>
    }
}

/// Renders a column's heading; a click sorts by it, a second one in the other direction.
fn head(order: &UseStateHandle<RowOrder>, column: Option<usize>, label: &str, about: &str) -> Html {
    let (sort, arrow) = match **order {
        RowOrder { column: by, .. } if by != column => (None, ""),
        RowOrder { falling: false, .. } => (Some("ascending"), " ↑"),
        _ => (Some("descending"), " ↓"),
    };
    let order = order.clone();
    let onclick = move |_: MouseEvent| order.set(RowOrder { column, falling: order.column == column && !order.falling });
    html! {
        <th scope="col" aria-sort={sort} class={column.map(|_| "right")}>
            <button type="button" class="plain" title={about.to_string()} {onclick}>{ label }{ arrow }</button>
        </th>
    }
}

/// Renders the buttons that bring a technique's run to the stage, or beside the run that is there.
fn actions(props: &Props, name: &str, technique: &str) -> Html {
    let show = {
        let (handle, onclose, technique) = (props.handle.clone(), props.onclose.clone(), technique.to_string());
        Callback::from(move |_: MouseEvent| {
            handle.act(|lab| lab.show_technique(&technique));
            onclose.emit(());
        })
    };
    let beside = {
        let technique = technique.to_string();
        props.onbeside.reform(move |_: MouseEvent| technique.clone())
    };
    html! {
        <>
            <button type="button" class="plain" data-act="show" title="On the stage, at a cycle with something to see" aria-label={format!("Show {name}")} onclick={show}>{ "Show" }</button>
            <button type="button" class="plain" data-act="beside" title="Beside the run that is on the stage" aria-label={format!("{name} beside it")} onclick={beside}>{ "Beside" }</button>
        </>
    }
}

fn shown(number: ReportNumber, unit: &str) -> String {
    match number {
        ReportNumber::Count(count) => grouped(count),
        ratio => cell(ratio, unit).replace('%', " %"),
    }
}
