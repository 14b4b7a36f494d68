//! The menu of techniques: what decides each axis now, and every technique under its paper, those of one axis in a row.

use super::handle::Handle;
use warpscope_lab::MachineSpec;
use warpscope_machine::config::{AXES, DIVERGENCE, SCHEDULE, TECHNIQUE_GROUPS, TECHNIQUES, Technique, axis_label};
use yew::prelude::*;

const MENU: &str = "techniques";

#[derive(Properties, PartialEq)]
pub struct Props {
    /// Equal at every version; the setup is all that is shown.
    pub handle: Handle,
    pub setup: MachineSpec,
}

#[component]
pub fn TechniqueMenu(props: &Props) -> Html {
    let pointed = use_state_eq(|| None::<usize>);
    // The menu covers the page's own line for messages.
    let refusal = use_state_eq(|| None::<String>);
    let Props { handle, setup } = props;
    let told = pointed.and_then(|at| TECHNIQUES.get(at));
    let chip = |technique: &'static Technique| {
        let Technique { name, decides, about, .. } = *technique;
        let on = setup.technique_for(decides) == Some(name);
        let point = {
            let (pointed, refusal) = (pointed.setter(), refusal.setter());
            let at = TECHNIQUES.iter().position(|known| known.name == name);
            move || {
                pointed.set(at);
                refusal.set(None);
            }
        };
        let (onpointerenter, onfocus) = (point.clone(), point);
        let onclick = {
            let (handle, refusal) = (handle.clone(), refusal.setter());
            Callback::from(move |_: MouseEvent| {
                let before = handle.read(|lab| lab.refused);
                handle.act(|lab| lab.decide(decides, (!on).then_some(name)));
                refusal.set(
                    handle.read(|lab| lab.notice.as_ref().filter(|_| lab.refused > before).map(|notice| notice.text.clone())),
                );
            })
        };
        html! {
            <button type="button" class="technique" data-axis={decides} value={name} aria-pressed={on.to_string()} title={about}
                onpointerenter={move |_: PointerEvent| onpointerenter()} onfocus={move |_: FocusEvent| onfocus()}
                {onclick}>{ name }</button>
        }
    };
    let row = |(axis, found): (&'static str, Vec<&'static Technique>)| {
        html! { <><span class="axis">{ axis_label(axis) }</span><span class="chips">{ for found.into_iter().map(chip) }</span></> }
    };
    let own = handle.callback(|lab| lab.set_up(MachineSpec { technique: String::new(), ..lab.setup.clone() }));
    html! {
        <>
            <button type="button" id="technique" popovertarget={MENU} title="Techniques: how the machine parts and joins threads, and who comes first"
                aria-label={format!("Techniques: {}", names(setup))} data-names={setup.technique.clone()}>
                <span>{ names(setup) }</span>{ "\u{a0}▾" }
            </button>
            <div id={MENU} popover="auto" aria-label="Techniques">
                <div class="all">
                    <h3>{ "On now" }</h3>
                    <div class="now">{ for AXES.iter().map(|axis| now(handle, setup, axis)) }</div>
                    if !setup.technique.is_empty() {
                        <button type="button" class="plain" id="own-techniques" onclick={own}>{ "What the machine does by itself" }</button>
                    }
                    { for TECHNIQUE_GROUPS.iter().map(|group| html! {
                        <section aria-label={group.title}>
                            <h3>{ group.paper }<span class="note">{ group.title }</span></h3>
                            <div class="techniques">
                                { for AXES.iter().map(|axis| (*axis, group.techniques(axis))).filter(|(_, found)| !found.is_empty()).map(row) }
                            </div>
                        </section>
                    }) }
                </div>
                if let Some(refusal) = &*refusal {
                    <p class="about bad" role="status">{ refusal }</p>
                } else {
                    <p class="about" role="status">
                        { told.map_or_else(|| "One technique decides each of the five; those that do not go together are refused.".to_string(),
                            |technique| format!("{}: {}. {}.", technique.name, technique.about, technique.paper)) }
                    </p>
                }
            </div>
        </>
    }
}

/// Renders what decides an axis: a technique that was chosen, with a button that drops it, or the machine or another technique.
fn now(handle: &Handle, setup: &MachineSpec, axis: &'static str) -> Html {
    let value = match setup.technique_for(axis) {
        Some(name) => {
            let drop = handle.callback::<MouseEvent>(move |lab| lab.decide(axis, None));
            html! {
                <><b>{ name }</b>
                    <button type="button" class="plain" data-drop={axis} aria-label={format!("Drop {name}")} onclick={drop}>{ "×" }</button>
                </>
            }
        }
        None => html! { <span class="note">{ setup.default_for(axis).unwrap_or_default() }</span> },
    };
    html! { <div><span class="axis">{ axis_label(axis) }</span>{ value }</div> }
}

/// Returns the names of what is on: the chosen techniques, and the machine's own at branches and for the order of issue.
fn names(setup: &MachineSpec) -> String {
    let own = |axis: &str| {
        let default = setup.default_for(axis).filter(|_| axis == DIVERGENCE || axis == SCHEDULE)?;
        default.split_once(", ").filter(|(_, owner)| *owner == "the machine's own").map(|(name, _)| name.to_string())
    };
    let on = |axis: &&str| setup.technique_for(axis).map(str::to_string).or_else(|| own(axis));
    AXES.iter().filter_map(on).collect::<Vec<_>>().join(" · ")
}
