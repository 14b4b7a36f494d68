//! Runs side by side: the one on stage is the leader, and up to three followers have a [`Lab`] each.

use super::frame::{Every, Frames, now};
use super::handle::{Handle, use_lab};
use warpscope_lab::{Following, Lab, MOST_BESIDE, MachineSpec, RunAlignment, grouped, standing};
use warpscope_machine::config::PRESETS;
use warpscope_machine::event::Reason;
use warpscope_study::compare::all_techniques;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// How long a follower may work at a time, in milliseconds.
const SLICE_MS: f64 = 8.0;

/// Returns the followers that have a run, and keeps them at the cycle that corresponds to the leader's.
#[hook]
pub fn use_others(leader: &Handle) -> Vec<Handle> {
    // All possible followers exist, because hooks cannot be conditional; mostly they are empty.
    let all = [use_lab(1, Lab::new), use_lab(2, Lab::new), use_lab(MOST_BESIDE, Lab::new)];
    let wanted = leader.read(|lab| lab.beside.wishes.len());
    let follows = leader.clone();
    let followers: Vec<Handle> = all.iter().map(Handle::steady).collect();
    use_effect_with((leader.version(), wanted), move |_| {
        // A single run must not pay for followers that have no run.
        let idle = wanted == 0 && followers.iter().all(|follower| follower.on_stage(|_, _| ()).is_none());
        let frames = (!idle).then(|| {
            Frames::every(Every::Task, move || {
                let mut going = false;
                for (at, follower) in followers.iter().enumerate() {
                    follower.act_if(|lab| {
                        let done = follows.read(|leader| lab.follow(leader, at, SLICE_MS, &now));
                        going |= done == Following::Going;
                        done == Following::Moved
                    });
                }
                going
            })
        });
        move || drop(frames)
    });
    all.into_iter().take(wanted).collect()
}

/// Returns the name of a run beside others: its technique, or its machine's default.
pub fn run_name(lab: &Lab) -> String {
    match lab.setup.technique.as_str() {
        "" => format!("{} default", lab.setup.preset),
        technique => technique.to_string(),
    }
}

/// Renders the leader's stage, and the followers' stages beside it.
pub fn runs(leader: &Handle, others: &[Handle], stage: &Html, panel: impl Fn(&Handle) -> Html) -> Html {
    if others.is_empty() {
        return stage.clone();
    }
    let reached = |run: &Handle| run.on_stage(|_, stage| stage.session.cycle()).unwrap_or(0);
    let longest = others.iter().map(reached).fold(reached(leader), u64::max).max(1);
    let did = |run: &Handle| what_warps_did(run, reached(run) as f64 / longest as f64);
    html! {
        <div class="runs" id="runs" data-runs={(others.len() + 1).to_string()}>
            <article class="run" aria-label={leader.read(run_name)}>
                <header class="run-head">
                    <strong>{ leader.read(run_name) }</strong>
                    <span class="push"></span>
                    { align_menu(leader) }
                    <button type="button" class="plain" id="beside-none" title="Only this run" onclick={leader.callback(|lab| lab.beside.wishes.clear())}>{ "Alone" }</button>
                </header>
                <p class="standing"><span>{ "It sets the pace." }</span><span class="note">{ cycle_words(leader) }</span></p>
                { did(leader) }
                { stage.clone() }
            </article>
            { for others.iter().enumerate().map(|(at, other)| html! {
                <article class="run" key={at} aria-label={other.read(run_name)}>
                    { head(leader, other, at) }
                    { did(other) }
                    { panel(other) }
                </article>
            }) }
        </div>
    }
}

fn cycle_words(handle: &Handle) -> String {
    let told = handle.on_stage(|_, stage| {
        let end = if stage.session.at_end() { ", its end" } else { "" };
        format!("cycle {}{end}", grouped(stage.session.cycle()))
    });
    told.unwrap_or_default()
}

/// Renders a follower's machine, how it compares with the leader, and its buttons.
fn head(leader: &Handle, other: &Handle, at: usize) -> Html {
    let told = leader.read(|leader| other.read(|other| standing(leader, other)));
    let wrong = other.read(|lab| lab.misfit.clone());
    let swap = leader.callback(move |lab| lab.swap_beside(at));
    let close = leader.callback(move |lab| {
        if at < lab.beside.wishes.len() {
            lab.beside.wishes.remove(at);
        }
    });
    html! {
        <>
            <header class="run-head">
                { technique_menu(leader, at) }
                { machine_menu(leader, at) }
                { keys_field(leader, at) }
                <span class="push"></span>
                <button type="button" class="plain" data-act="lead" title="Make this the leading run" onclick={swap}>{ "Lead" }</button>
                <button type="button" class="plain" data-act="close" aria-label="Close this run" title="Close this run" onclick={close}>{ "×" }</button>
            </header>
            if let Some(wrong) = wrong {
                <p class="standing bad" role="alert">{ format!("It cannot run: {wrong}.") }</p>
            } else {
                <p class="standing"><span>{ told.map(|told| format!("It {told}.")) }</span><span class="note">{ cycle_words(other) }</span></p>
            }
        </>
    }
}

/// Renders the share of each reason in the warp-cycles so far, as a bar. All runs have one scale: `length` is the run's share of the
/// longest one's cycles.
fn what_warps_did(handle: &Handle, length: f64) -> Html {
    let Some(cycles) = handle.on_stage(|_, stage| stage.report().warp_cycles) else { return Html::default() };
    let count = |reason: Reason| cycles.get(reason);
    let all: u64 = Reason::ALL.into_iter().map(count).sum();
    let share = |reason: Reason| count(reason) as f64 / all.max(1) as f64;
    let part = |reason: Reason| {
        let class = format!("reason-{}", reason.letter().to_ascii_lowercase());
        let title = format!("{}: {:.1} % of the warp-cycles up to this cycle", reason.label(), 100.0 * share(reason));
        html! { <b {class} {title} style={format!("flex-grow:{:.4}", share(reason))}></b> }
    };
    let shown = Reason::listed(count).into_iter().filter(|reason| count(*reason) > 0);
    html! {
        <div class="race-lane">
            <div class="race-bar whole" role="img" aria-label="What its warps have done" style={format!("width:{:.2}%", 100.0 * length)}>{ for shown.map(part) }</div>
        </div>
    }
}

fn changed(leader: &Handle, change: impl Fn(&mut Lab, String) + 'static) -> Callback<Event> {
    let leader = leader.clone();
    Callback::from(move |event: Event| {
        if let Some(menu) = event.target_dyn_into::<HtmlSelectElement>() {
            leader.act(|lab| change(lab, menu.value()));
        }
    })
}

fn technique_menu(leader: &Handle, at: usize) -> Html {
    let chosen = leader.read(|lab| lab.beside.wishes.get(at).map(|wish| wish.technique.clone())).unwrap_or_default();
    let onchange = changed(leader, move |lab, name| {
        if let Some(wish) = lab.beside.wishes.get_mut(at) {
            wish.technique = name;
        }
    });
    let listed = all_techniques().any(|name| name == chosen);
    let option = |name: &str| html! { <option value={name.to_string()} selected={chosen == name}>{ name }</option> };
    html! {
        <select key={format!("technique-{chosen}")} class="beside-technique" aria-label="Technique of this run" {onchange}>
            <option value="" selected={chosen.is_empty()}>{ "default" }</option>
            if !listed && !chosen.is_empty() { { option(&chosen) } }
            { for all_techniques().map(option) }
        </select>
    }
}

fn machine_menu(leader: &Handle, at: usize) -> Html {
    let chosen = leader.read(|lab| lab.beside.wishes.get(at).map(|wish| wish.preset.clone())).unwrap_or_default();
    let onchange = changed(leader, move |lab, name| {
        if let Some(wish) = lab.beside.wishes.get_mut(at) {
            wish.preset = name;
        }
    });
    let option = |name: &'static str| html! { <option value={name} selected={chosen == name}>{ name }</option> };
    html! {
        <select key={format!("machine-{chosen}")} class="beside-machine" aria-label="Machine of this run" {onchange}>
            { for PRESETS.iter().map(|preset| option(preset.name)) }
        </select>
    }
}

/// Renders the field for this run's own keys.
fn keys_field(leader: &Handle, at: usize) -> Html {
    let value = leader.read(|lab| lab.beside.wishes.get(at).map(MachineSpec::keys_text)).unwrap_or_default();
    let hand = leader.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(field) = event.target_dyn_into::<HtmlInputElement>() {
            let keys = MachineSpec::keys_of(&field.value());
            hand.act(|lab| {
                if let Some(wish) = lab.beside.wishes.get_mut(at) {
                    wish.keys = keys;
                }
            });
        }
    });
    html! {
        <input key={format!("keys-{value}")} class="beside-keys" value={value.clone()} placeholder="key=value" spellcheck="false"
            aria-label="Keys of this run's machine" title="Keys of this run's machine: schedulers=1, l1d_bytes=32768. Settings lists them all." {onchange} />
    }
}

fn align_menu(leader: &Handle) -> Html {
    let chosen = leader.read(|lab| lab.beside.align);
    let onchange = changed(leader, |lab, key| lab.beside.align = RunAlignment::from_key(&key).unwrap_or_default());
    html! {
        <select key={chosen.key()} id="align" aria-label="Which cycles are shown side by side" title="Which cycles are shown side by side" {onchange}>
            { for RunAlignment::ALL.into_iter().map(|align| html! { <option value={align.key()} selected={align == chosen}>{ align.label() }</option> }) }
        </select>
    }
}
