//! The inspector: what the selected warp, lane or block does, why it is idle, and its state.

use super::canvas::use_size;
use super::handle::Handle;
use super::prose::inline;
use super::still::still;
use warpscope_pictures::view::card::{self, FlightRow, RegisterRow, StackRow};
use warpscope_pictures::view::words::lanes;
use warpscope_pictures::view::{Selection, WarpPicture, cut};
use yew::prelude::*;

/// The height of a row in pixels; the style sheet says the same.
const ROW_PX: f64 = 20.0;
/// Registers that are rendered beyond the visible ones.
const SPARE: usize = 16;
/// Most characters of a register's values.
const SHORT: usize = 30;
/// Most characters of the registers that an instruction writes. A box that clips its text would cost more: the browser
/// composes all layers again whenever such a text changes.
const WRITES: usize = 15;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
}

#[component]
pub fn Inspector(props: &Props) -> Html {
    let hex = use_state_eq(|| false);
    let (place, list) = (use_node_ref(), use_node_ref());
    let (_, height) = use_size(&place);
    let above = use_state_eq(|| 0usize);
    let onscroll = {
        let (place, list, above) = (place.clone(), list.clone(), above.clone());
        Callback::from(move |_: Event| {
            let top = |node: &NodeRef| node.cast::<web_sys::Element>().map(|element| element.get_bounding_client_rect().top());
            if let (Some(place), Some(list)) = (top(&place), top(&list)) {
                // Rounded to a multiple of the spare rows, so that most scrolling changes nothing.
                above.set(((place - list).max(0.0) / ROW_PX) as usize / SPARE * SPARE);
            }
        })
    };
    let first = above.saturating_sub(SPARE);
    let shown = first..first + (height / ROW_PX) as usize + 3 * SPARE;
    let handle = &props.handle;
    let found = handle.on_stage(|lab, stage| {
        let selection = lab.selection?;
        let picture = stage.picture();
        let warp = selection.warp().and_then(|(sm, warp)| picture.warp(sm, warp).cloned());
        Some((selection, card::card_with(stage.explainer(&picture), selection, shown), warp))
    });
    let Some(Some((selection, card, warp))) = found else {
        return html! { <p class="empty"><strong>{ "Nothing is selected" }</strong>{ "Click a lane, a warp or a line, or press ↓." }</p> };
    };
    html! {
        <div class="scroll inspector" tabindex="0" role="region" aria-label="What is selected" ref={place} {onscroll}>
            <h3 id="selected">{ &card.title }{ climb(handle, selection, warp.as_ref()) }</h3>
            <div class="why" aria-live="polite">{ for card.why.iter().map(|sentence| html! { <p>{ counting(sentence) }</p> }) }</div>
            <dl class="pairs">{ for card.facts.iter().map(|(name, value)| html! { <><dt>{ *name }</dt><dd>{ value }</dd></> }) }</dl>
            if let Some(warp) = warp.filter(|_| !card.stack.is_empty()) {
                { stack(card.stack, warp.width) }
            }
            if card.register_count > 0 {
                { flights(&card.flights) }
                { buffer(&card.buffer) }
                { registers(card.registers, first, card.register_count, &hex, list) }
            }
        </div>
    }
}

/// Renders a sentence with its numbers of cycles in boxes of their own: most steps change only these numbers, and the text
/// around such a box stays where it is.
fn counting(sentence: &str) -> Html {
    const NOUN: &str = " cycles";
    let mut rest = sentence;
    let mut parts = Vec::new();
    while let Some(at) = rest.find(NOUN) {
        let words = rest[..at].trim_end_matches(|c: char| c.is_ascii_digit());
        let number = &rest[words.len()..at];
        // A bracket before the number stays with it.
        let (words, bracket) = words.split_at(words.rfind(' ').map_or(0, |at| at + 1));
        let style = format!("width:{}ch", number.len());
        parts.push(inline(words));
        parts.push(html! { <><span class="together">{ bracket }<span class="count" {style}>{ number }</span></span>{ NOUN }</> });
        rest = &rest[at + NOUN.len()..];
    }
    parts.push(inline(rest));
    parts.into_iter().collect()
}

/// Renders the button that selects the warp of a lane, or the block of a warp.
fn climb(handle: &Handle, selection: Selection, warp: Option<&WarpPicture>) -> Html {
    let (up, name) = match (selection, warp) {
        (Selection::Lane { sm, warp, .. }, _) => (Selection::Warp { sm, warp }, format!("warp {warp}")),
        (Selection::Warp { sm, .. }, Some(picture)) => {
            (Selection::Block { sm, slot: picture.slot }, format!("block {}", picture.block))
        }
        _ => return Html::default(),
    };
    let onclick = handle.callback(move |lab| lab.selection = Some(up));
    html! { <button type="button" class="plain push" {onclick}>{ format!("↑ its {name}") }</button> }
}

/// Renders a mask in groups of four lanes, lane 0 on the left; its tooltip has it in hex.
fn mask(mask: u32, width: u32) -> Html {
    html! {
        <span class="mask" title={format!("{mask:#010x}: lanes {}", lanes(mask))}>
            { for (0..width).map(|lane| html! { <i class={classes!((mask >> lane & 1 != 0).then_some("on"))}></i> }) }
        </span>
    }
}

/// Renders the warp's stack, which changes at branches and where threads reconverge, not with every step.
fn stack(rows: Vec<StackRow>, width: u32) -> Html {
    let shows = rows.iter().flat_map(|row| [row.pc.into(), row.rpc.map_or(u64::MAX, u64::from), row.mask.into()]);
    let shows = shows.chain([width.into()]).collect();
    still(shows, move || stack_table(&rows, width))
}

fn stack_table(rows: &[StackRow], width: u32) -> Html {
    html! {
        <section>
            <h4>{ "Stack" }<span class="note">{ "the top entry runs" }</span></h4>
            <table class="grid">
                <thead><tr><th>{ "PC" }</th><th>{ "RPC" }</th><th>{ "Lanes" }</th></tr></thead>
                <tbody>
                { for rows.iter().map(|row| html! {
                    <tr class={classes!(row.top.then_some("top"))}>
                        <td title={row.line.clone()}>{ row.pc }</td>
                        <td title={row.rpc_line.clone()}>{ row.rpc.map_or("end".to_string(), |rpc| rpc.to_string()) }</td>
                        <td>{ mask(row.mask, width) }</td>
                    </tr>
                }) }
                </tbody>
            </table>
        </section>
    }
}

/// Fewest rows that are shown, so that what is below does not move from step to step.
const ROWS: usize = 2;

/// Returns the rows, and empty ones up to [`ROWS`].
fn padded<T>(rows: &[T]) -> impl Iterator<Item = Option<&T>> {
    (0..rows.len().max(ROWS)).map(|at| rows.get(at))
}

fn flights(rows: &[FlightRow]) -> Html {
    let row = |row: Option<&FlightRow>| {
        let told = |tell: fn(&FlightRow) -> String| row.map_or(String::new(), tell);
        html! {
            <li title={told(|row| row.code.clone())}>
                <span>{ row.map_or("–".to_string(), |row| row.pc.to_string()) }</span>
                <span>{ told(|row| row.left.to_string()) }</span>
                <span class="wide">{ told(|row| cut(row.registers.clone(), WRITES)) }</span>
                { told(|row| row.code.split_whitespace().next().unwrap_or("").to_string()) }
            </li>
        }
    };
    html! {
        <section>
            <h4>{ "In flight" }<span class="note">{ "issued, no result yet (scoreboard)" }</span></h4>
            <ul class="rows">
                <li class="note"><span>{ "PC" }</span><span>{ "Cycles" }</span><span class="wide">{ "Writes" }</span>{ "Instruction" }</li>
                { for padded(rows).map(row) }
            </ul>
        </section>
    }
}

fn buffer(rows: &[(u32, String)]) -> Html {
    let row = |row: Option<&(u32, String)>| {
        let (pc, code) = row.map_or(("–".to_string(), ""), |(pc, code)| (pc.to_string(), code.as_str()));
        html! { <li title={code.to_string()}><span>{ pc }</span>{ code }</li> }
    };
    html! {
        <section>
            <h4>{ "I-buffer" }<span class="note">{ "fetched, not issued" }</span></h4>
            <ul class="rows">
                <li class="note"><span>{ "PC" }</span>{ "Instruction" }</li>
                { for padded(rows).map(row) }
            </ul>
        </section>
    }
}

/// Renders the registers: room for all of them, elements for the visible ones from `first` on.
fn registers(rows: Vec<RegisterRow>, first: usize, count: usize, hex: &UseStateHandle<bool>, list: NodeRef) -> Html {
    let style = format!("height:{}px;padding-top:{}px", count as f64 * ROW_PX, first.min(count) as f64 * ROW_PX);
    let onclick = {
        let hex = hex.clone();
        Callback::from(move |_: MouseEvent| hex.set(!*hex))
    };
    html! {
        <section>
            <h4>{ "Registers" }<button type="button" class="plain push" {onclick}>{ if **hex { "decimal" } else { "hex" } }</button></h4>
            <ul class="rows registers" ref={list} {style}>
                { for (first..).zip(rows).map(|(at, row)| html! { <Register key={at} {row} hex={**hex} /> }) }
            </ul>
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct RegisterProps {
    row: RegisterRow,
    hex: bool,
}

/// A register. An instruction writes one or two, and only those are rendered again.
#[component]
fn Register(props: &RegisterProps) -> Html {
    // Only the register under the pointer has all lanes' values as a tooltip.
    let pointed = use_state_eq(|| false);
    let point = |at: bool| {
        let pointed = pointed.clone();
        Callback::from(move |_: MouseEvent| pointed.set(at))
    };
    let row = &props.row;
    let on_its_way = if row.pending { " on its way" } else { "" };
    html! {
        <li class={classes!(row.pending.then_some("pending"))} title={pointed.then(|| every(row, props.hex))}
            onmouseenter={point(true)} onmouseleave={point(false)}>
            <span>{ &row.name }</span>{ short(row, props.hex) + on_its_way }
        </li>
    }
}

fn value(row: &RegisterRow, value: u64, hex: bool) -> String {
    if row.bits == 1 {
        return if value != 0 { "true" } else { "false" }.to_string();
    }
    match (row.bits, row.float) {
        _ if hex => format!("{value:#x}"),
        (64, true) => f64::from_bits(value).to_string(),
        (32, true) => f32::from_bits(value as u32).to_string(),
        // Most 64-bit integers are addresses.
        (64, false) => format!("{value:#x}"),
        (bits, _) => {
            let unused = 64 - bits;
            (((value << unused) as i64) >> unused).to_string()
        }
    }
}

/// Returns one value if all lanes agree, else as many whole ones as a narrow panel has room for.
fn short(row: &RegisterRow, hex: bool) -> String {
    match row.values.as_slice() {
        [] => String::new(),
        [first, rest @ ..] if rest.iter().all(|other| other == first) => {
            let all = if rest.is_empty() { "" } else { " (all lanes)" };
            format!("{}{all}", value(row, *first, hex))
        }
        values => {
            let mut text = value(row, values[0], hex);
            for next in values[1..].iter().map(|v| value(row, *v, hex)) {
                if text.len() + next.len() > SHORT {
                    return text + ", …";
                }
                text = text + ", " + &next;
            }
            text
        }
    }
}

fn every(row: &RegisterRow, hex: bool) -> String {
    row.values.iter().enumerate().map(|(lane, v)| format!("{lane}: {}", value(row, *v, hex))).collect::<Vec<_>>().join("\n")
}
