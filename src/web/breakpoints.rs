//! The menu of breakpoints: kinds of events, warps that issue, lines of the source, and elements of buffers that are written.

use super::handle::Handle;
use super::listening::{closest, use_window_events};
use warpscope_machine::event::EventKind;
use warpscope_pictures::session::Breakpoints;
use warpscope_pictures::view::Selection;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
}

#[component]
pub fn BreakpointMenu(props: &Props) -> Html {
    let open = use_state_eq(|| false);
    let handle = &props.handle;
    let button = use_node_ref();
    let (breakpoints, selected) = handle.read(|lab| (lab.breakpoints.clone(), lab.selection.and_then(Selection::warp)));
    let several = handle.on_stage(|_, stage| stage.session.sim().state.sms.len() > 1).unwrap_or_default();
    let named = |(sm, warp): (u16, u16)| if several { format!("warp {warp} of SM {sm}") } else { format!("warp {warp}") };
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    // The transport can be used while the menu is open.
    use_window_events(*open, &["mousedown"], {
        let open = open.clone();
        move |event| {
            if closest(event, ".transport").is_none() {
                open.set(false);
            }
        }
    });
    let onkeydown = {
        let (open, button) = (open.clone(), button.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && *open {
                open.set(false);
                if let Some(button) = button.cast::<HtmlElement>() {
                    let _ = button.focus();
                }
            }
        })
    };
    let lines = lines(handle, &breakpoints);
    let count = breakpoints.kinds.len() + breakpoints.warps.len() + lines.len() + breakpoints.elements.len();
    html! {
        <span class="menu" {onkeydown}>
            <button type="button" id="breakpoints" ref={button} aria-expanded={open.to_string()} onclick={toggle}
                title="Where play stops: lines (click a line number), events, a warp, a value that is written">
                { if count == 0 { "Stops".to_string() } else { format!("Stops · {count}") } }
            </button>
            if *open {
                <div class="popup" role="dialog" aria-label="Breakpoints">
                    <h3>{ "Stop at an event" }</h3>
                    { for EventKind::sought().map(|kind| check(kind.label().to_string(), breakpoints.kinds.contains(&kind),
                        handle.callback(move |lab| lab.breakpoints.toggle_kind(kind)))) }
                    <h3>{ "Stop when a warp issues" }</h3>
                    // An item stays where it is when it is ticked, and keeps the focus.
                    if let Some((sm, warp)) = selected {
                        { check(format!("{} (selected)", named((sm, warp))), breakpoints.warps.contains(&(sm, warp)),
                            handle.callback(move |lab| lab.breakpoints.toggle_warp(sm, warp))) }
                    }
                    { for breakpoints.warps.iter().filter(|warp| Some(**warp) != selected).map(|&(sm, warp)| {
                        check(named((sm, warp)), true, handle.callback(move |lab| lab.breakpoints.toggle_warp(sm, warp)))
                    }) }
                    <h3>{ "Stop at a line" }</h3>
                    { for lines.into_iter().map(|(name, pcs)| check(name, true,
                        handle.callback(move |lab| lab.breakpoints.toggle_pcs(&pcs)))) }
                    <p class="note">{ "Click a line's number in the source, or press B for the selected warp's line." }</p>
                    <h3>{ "Stop when a value is written" }</h3>
                    { for breakpoints.elements.iter().cloned().map(|element| check(element.to_string(), true,
                        handle.callback(move |lab| lab.breakpoints.toggle_element(element.clone())))) }
                    <p class="note">{ "Click a value in the tab of buffers." }</p>
                    if count > 0 {
                        <button type="button" class="plain" onclick={handle.callback(|lab| lab.breakpoints = Breakpoints::default())}>{ "Remove all" }</button>
                    }
                </div>
            }
        </span>
    }
}

fn check(label: String, checked: bool, onchange: Callback<Event>) -> Html {
    html! { <label class="check"><input type="checkbox" {checked} {onchange} />{ label }</label> }
}

/// Returns the lines that hold breakpoints, with their PCs.
fn lines(handle: &Handle, breakpoints: &Breakpoints) -> Vec<(String, Vec<u32>)> {
    let found = handle.on_stage(|_, stage| {
        let mut lines: Vec<(String, Vec<u32>)> = Vec::new();
        for &pc in &breakpoints.pcs {
            let name = stage.listing.line(pc);
            match lines.iter_mut().find(|(known, _)| *known == name) {
                Some((_, pcs)) => pcs.push(pc),
                None => lines.push((name, vec![pc])),
            }
        }
        lines
    });
    found.unwrap_or_default()
}
