//! The numbers of the run up to the cycle that is looked at.

use super::handle::Handle;
use crate::event::Reason;
use crate::lab::grouped;
use crate::metrics::DEFINITIONS;
use serde_json::Value;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
}

#[component]
pub fn Numbers(props: &Props) -> Html {
    let report = props.handle.on_stage(|_, stage| serde_json::to_value(stage.report()).unwrap_or_default());
    let Some(report) = report else {
        return html! { <p class="empty"><strong>{ "No run yet" }</strong>{ "Choose a kernel." }</p> };
    };
    let plain = DEFINITIONS.iter().filter(|d| report.get(d.name).is_some_and(|value| value.is_number()));
    html! {
        <div class="scroll numbers">
            <p class="note">{ "From the launch up to this cycle." }</p>
            <dl class="pairs">
                { for plain.map(|d| html! { <><dt title={d.about}>{ d.label }</dt><dd>{ number(&report[d.name], d.unit) }</dd></> }) }
            </dl>
            <h4>{ "What warps did" }</h4>
            { reasons(&report["warp_cycles"]) }
            <h4>{ "Issue slots" }<span class="note">{ "by active threads" }</span></h4>
            { shares(&report["issue_slots"]) }
            <h4>{ "L1 data cache" }</h4>
            { shares(&report["l1d"]) }
        </div>
    }
}

fn number(value: &Value, unit: &str) -> String {
    let text = match (value.as_u64(), value.as_f64()) {
        (Some(whole), _) => grouped(whole),
        (None, Some(part)) if unit.is_empty() => format!("{:.1} %", part * 100.0),
        (None, Some(part)) => format!("{part:.3}"),
        _ => String::new(),
    };
    if unit.is_empty() || matches!(unit, "cycles" | "instructions") { text } else { format!("{text} {unit}") }
}

fn reasons(value: &Value) -> Html {
    let count = |reason: Reason| value[reason.key()].as_u64().unwrap_or(0);
    let all: u64 = Reason::ALL.into_iter().map(count).sum();
    let rows = Reason::ALL.into_iter().map(|reason| {
        let share = if all == 0 { 0.0 } else { count(reason) as f64 * 100.0 / all as f64 };
        let letter = reason.letter();
        html! {
            <tr>
                <td><b class={format!("letter reason-{}", letter.to_ascii_lowercase())}>{ letter }</b></td>
                <td>{ reason.label() }</td>
                <td class="bar-cell"><i class={format!("reason-{}", letter.to_ascii_lowercase())} style={format!("width:{share:.1}%")}></i></td>
                <td class="right">{ format!("{share:.1} %") }</td>
            </tr>
        }
    });
    html! { <table class="grid shares"><tbody>{ for rows }</tbody></table> }
}

fn shares(value: &Value) -> Html {
    let Some(map) = value.as_object() else { return Html::default() };
    let all: u64 = map.iter().filter(|(name, _)| *name != "accesses").filter_map(|(_, v)| v.as_u64()).sum();
    let rows = map.iter().filter(|(name, _)| *name != "accesses").map(|(name, v)| {
        let count = v.as_u64().unwrap_or(0);
        let share = if all == 0 { 0.0 } else { count as f64 * 100.0 / all as f64 };
        html! {
            <tr>
                <td>{ name.replace('_', if name.starts_with('W') { "–" } else { " " }) }</td>
                <td class="bar-cell"><i style={format!("width:{share:.1}%")}></i></td>
                <td class="right" title={grouped(count)}>{ format!("{share:.1} %") }</td>
            </tr>
        }
    });
    html! { <table class="grid shares"><tbody>{ for rows }</tbody></table> }
}
