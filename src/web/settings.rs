//! The settings sheet: every key of the machine with its unit, its default, its source and the problem of its value.

use super::drawer::Drawer;
use super::handle::Handle;
use super::prose::inline;
use warpscope_lab::MachineSpec;
use warpscope_machine::config::{KEYS, Key, KeyKind};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub onclose: Callback<()>,
}

#[component]
pub fn Settings(props: &Props) -> Html {
    let wanted = use_state_eq(String::new);
    let handle = &props.handle;
    let setup = handle.read(|lab| lab.setup.clone());
    let oninput = {
        let wanted = wanted.clone();
        Callback::from(move |event: InputEvent| {
            if let Some(field) = event.target_dyn_into::<HtmlInputElement>() {
                wanted.set(field.value().to_ascii_lowercase());
            }
        })
    };
    let words: Vec<&str> = wanted.split_whitespace().collect();
    let found: Vec<&Key> = KEYS
        .iter()
        .filter(|key| {
            let text = format!("{} {} {} {}", key.name, key.unit, key.about, (key.choices)().join(" ")).to_ascii_lowercase();
            words.iter().all(|word| text.contains(word))
        })
        .collect();
    let reset = handle.callback(|lab| lab.set_up(MachineSpec { keys: Default::default(), ..lab.setup.clone() }));
    html! {
        <Drawer title="Machine" id="settings" onclose={props.onclose.clone()}>
            <div class="search">
                <input type="search" id="key-search" placeholder="Search keys: cache, latency, warp, BAWS …" aria-label="Search keys"
                    value={(*wanted).clone()} {oninput} />
                <span class="note">{ format!("{} of {} keys · {}", found.len(), KEYS.len(), setup.words()) }</span>
                if !setup.keys.is_empty() {
                    <button type="button" class="plain" id="reset-keys" onclick={reset}>{ "Undo all changes" }</button>
                }
            </div>
            <div class="scroll keys-list">
                if found.is_empty() {
                    <p class="empty"><strong>{ "No key has these words" }</strong>{ "Try one word, such as latency." }</p>
                }
                { for found.into_iter().map(|key| row(handle, &setup, key)) }
            </div>
        </Drawer>
    }
}

fn row(handle: &Handle, setup: &MachineSpec, key: &'static Key) -> Html {
    let default = setup.base().map(|base| (key.get)(&base)).unwrap_or_default();
    let value = setup.keys.get(key.name).cloned().unwrap_or_else(|| default.clone());
    let changed = setup.keys.contains_key(key.name);
    let problem = setup.problem(key.name);
    let change = {
        let handle = handle.clone();
        move |value: String| handle.act(|lab| lab.set_up(lab.setup.with_key(key.name, &value)))
    };
    let field = match key.kind {
        KeyKind::Number => {
            let onchange = Callback::from(move |event: Event| {
                if let Some(field) = event.target_dyn_into::<HtmlInputElement>() {
                    change(field.value());
                }
            });
            html! { <input type="text" id={key.name} inputmode="numeric" value={value} {onchange} aria-invalid={problem.is_some().to_string()}
            aria-describedby={problem.as_ref().map(|_| format!("{}-problem", key.name))} /> }
        }
        KeyKind::Flag | KeyKind::Choice => {
            let onchange = Callback::from(move |event: Event| {
                if let Some(menu) = event.target_dyn_into::<HtmlSelectElement>() {
                    change(menu.value());
                }
            });
            html! {
                <select id={key.name} {onchange}>
                    { for (key.choices)().into_iter().map(|choice| html! { <option value={choice} selected={choice == value}>{ choice }</option> }) }
                </select>
            }
        }
    };
    let back = handle.callback({
        let default = default.clone();
        move |lab| lab.set_up(lab.setup.with_key(key.name, &default))
    });
    html! {
        <div class={classes!("key", changed.then_some("changed"))}>
            <label for={key.name}><code>{ key.name }</code></label>
            <span class="value">{ field }<span class="note">{ key.unit }</span></span>
            <p class="note">{ key.about }{ format!(" · default {default}") }
                if changed {
                    <button type="button" class="plain" onclick={back}>{ "undo" }</button>
                }
            </p>
            if let Some(problem) = problem {
                <p class="bad" role="alert" id={format!("{}-problem", key.name)}>{ inline(&problem) }</p>
            }
        </div>
    }
}
