//! The stage: every panel that applies to the machine and its kernel, or one of them alone.

use super::drawing::{Drawing, Subject, save_button};
use super::film::SaveMenu;
use super::handle::Handle;
use super::motion::MotionMenu;
use super::storage;
use super::tips::{self, term};
use std::rc::Rc;
use warpscope_lab::Lab;
use warpscope_pictures::mechanism::{self, Panel, Share};
use warpscope_pictures::scene::Theme;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::MediaQueryList;
use yew::prelude::*;

const ALONE: &str = "warpscope.panel";

/// The media query for a window with room for several pictures on the stage.
const ROOM: &str = "(min-height: 960px) and (min-width: 1001px), (min-width: 2200px)";

/// The name that stands for all panels.
const ALL: &str = "all";

/// Loads the name of the panel that is shown alone, or [`ALL`]; `None` if the user has not chosen.
pub fn load_alone() -> Option<Rc<str>> {
    storage::load(ALONE).filter(|name| !name.is_empty()).map(Rc::from)
}

pub fn save_alone(alone: Option<&str>) {
    storage::save(ALONE, alone.unwrap_or_default());
}

/// Returns whether the window has room for several pictures on the stage, and follows its size.
#[hook]
pub fn use_has_room() -> bool {
    let query = use_memo((), |()| web_sys::window().and_then(|window| window.match_media(ROOM).ok().flatten()));
    let has_room = use_state(|| query.as_ref().as_ref().is_some_and(MediaQueryList::matches));
    let setter = has_room.setter();
    use_effect_with((), move |()| {
        let follow = query.clone();
        let onchange = Closure::<dyn FnMut()>::new(move || {
            setter.set(follow.as_ref().as_ref().is_some_and(MediaQueryList::matches));
        });
        if let Some(query) = query.as_ref() {
            query.set_onchange(Some(onchange.as_ref().unchecked_ref()));
        }
        move || {
            if let Some(query) = query.as_ref() {
                query.set_onchange(None);
            }
            drop(onchange);
        }
    });
    *has_room
}

/// Returns the choice after the current one: each panel alone, then all of them.
pub fn next_alone(handle: &Handle, choice: Choice) -> Option<Rc<str>> {
    let panels = applying(handle)?;
    let (together, leading) = sharing(handle, &panels);
    let names: Vec<&str> = panels.iter().map(|panel| panel.name).collect();
    let shown = choice.chosen(&panels, leading).map(|panel| panel.name);
    let next = shown.and_then(|shown| names.iter().position(|name| *name == shown)).map_or(0, |at| at + 1);
    let after = if together.len() > 1 { ALL } else { names[0] };
    Some(Rc::from(names.get(next).copied().unwrap_or(after)))
}

fn applying(handle: &Handle) -> Option<Vec<&'static Panel>> {
    handle.on_stage(|_, stage| mechanism::panels(stage.session.sim()))
}

/// What the user has chosen to see on the stage, and how.
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    /// The panel to show alone, if it applies, or [`ALL`]; `None` if the user has not chosen.
    pub alone: Option<&'a str>,
    pub has_room: bool,
    /// The scale of the pictures.
    pub zoom: f64,
    /// The stage is shown to a class: its header names the run, and has no menus.
    pub presents: bool,
}

/// The leading panel, and how it shares the stage.
type Leading = Option<(&'static Panel, Share)>;

impl Choice<'_> {
    /// Returns the panel to show alone, if there is one.
    fn chosen(&self, panels: &[&'static Panel], leading: Leading) -> Option<&'static Panel> {
        match self.alone {
            Some(alone) => panels.iter().copied().find(|panel| panel.name == alone),
            None => leading.filter(|(_, share)| *share == Share::Leads || !self.has_room).map(|(panel, _)| panel),
        }
    }
}

/// Renders the stage. Without a choice, the leading panel is alone if it always is, or if several have no room.
pub fn stage_panel(handle: &Handle, theme: Theme, choice: Choice, onalone: &Callback<Option<Rc<str>>>) -> Html {
    let zoom = choice.zoom;
    let Some(panels) = applying(handle) else {
        let (what, next) = match handle.read(|lab| lab.misfit.is_some()) {
            true => ("The kernel does not fit the machine", "The message below says why."),
            false => ("No kernel is loaded", "Choose one at the top, or press E to paste your own."),
        };
        return html! {
            <section class="panel stage" aria-label="Mechanism">
                <header><h2>{ "Mechanism" }</h2></header>
                <p class="empty"><strong>{ what }</strong>{ next }</p>
            </section>
        };
    };
    let (together, leading) = sharing(handle, &panels);
    let single = if let [single] = together.as_slice() { Some(*single) } else { None };
    let chosen = choice.chosen(&panels, leading).or(single);
    let shown = chosen.map_or(together, |panel| vec![panel]);
    // A single panel uses the stage's header; several have headers of their own.
    let only = if let [only] = shown.as_slice() { Some(*only) } else { None };
    html! {
        <section class="panel stage" aria-label="Mechanism">
            <header>
                if choice.presents {
                    <h2>{ run_name(handle) }</h2>
                } else {
                    <h2>{ "Mechanism" }</h2>
                }
                if panels.len() > 1 {
                    { chooser(&panels, chosen, single.is_none(), onalone) }
                } else if let Some(panel) = only {
                    { term(html! { { panel.title } }, panel.about) }
                }
                if let Some(panel) = only {
                    <span class="figure">{ panel.figure }</span>
                }
                <span class="push"></span>
                if handle.seat() == 0 && !choice.presents {
                    <MotionMenu />
                }
                if let Some(panel) = only.filter(|_| !choice.presents) {
                    <SaveMenu handle={handle.clone()} {theme} subject={Subject::Panel(panel)} />
                }
            </header>
            { idle_note(handle) }
            <div class="views">
                <div class="arranged">{ for shown.into_iter().map(|panel| view(handle, theme, zoom, panel, only.is_none())) }</div>
            </div>
        </section>
    }
}

/// Names the run: its kernel, or the lesson, and its technique.
fn run_name(handle: &Handle) -> String {
    let name = handle.on_stage(|lab, stage| {
        let kernel = lab.origin.map_or(stage.kernel.as_str(), |origin| origin.workload.title);
        let technique = lab.shown().0.technique.as_str();
        format!("{kernel} · {}", if technique.is_empty() { "default" } else { technique })
    });
    name.unwrap_or_default()
}

/// Returns the panels that share the stage, and the leading one.
fn sharing(handle: &Handle, panels: &[&'static Panel]) -> (Vec<&'static Panel>, Leading) {
    let found = handle.on_stage(|_, stage| {
        let sim = stage.session.sim();
        let share = |panel: &Panel| (panel.share)(&sim.machine);
        let together = panels.iter().copied().filter(|panel| share(panel) != Share::OnRequest).collect();
        (together, mechanism::leading(sim).map(|panel| (panel, share(panel))))
    });
    found.unwrap_or_default()
}

/// Renders the buttons for each panel alone, and for all of them if several share the stage.
fn chooser(
    panels: &[&'static Panel],
    chosen: Option<&'static Panel>,
    several: bool,
    onalone: &Callback<Option<Rc<str>>>,
) -> Html {
    let button = |name: &'static str, label: &'static str, tip: String| {
        let onclick = onalone.reform(move |_: MouseEvent| Some(Rc::from(name)));
        let pressed = chosen.map_or(ALL, |panel| panel.name) == name;
        html! {
            <button type="button" data-alone={name} aria-pressed={pressed.to_string()} data-tip={tip} aria-describedby={tips::BOX} {onclick}>
                { label }
            </button>
        }
    };
    html! {
        <div class="tabs" role="group" aria-label="Panels on the stage">
            if several {
                { button(ALL, "All", "All panels together. V shows the next one.".to_owned()) }
            }
            { for panels.iter().map(|panel| button(panel.name, panel.short, format!("{}. {}", panel.title, panel.about))) }
        </div>
    }
}

/// Renders a panel.
fn view(handle: &Handle, theme: Theme, zoom: f64, panel: &'static Panel, titled: bool) -> Html {
    html! {
        <div key={panel.name} class="view" data-panel={panel.name}>
            if titled {
                <div class="caption">
                    { term(html! { { panel.title } }, panel.about) }
                    <span class="push"></span>
                    { save_button(handle, theme, Subject::Panel(panel)) }
                </div>
            }
            <Drawing handle={handle.clone()} {theme} {zoom} subject={Subject::Panel(panel)} />
        </div>
    }
}

/// Renders a note if the technique cannot act on this launch, with an offer of one on which it can.
fn idle_note(handle: &Handle) -> Html {
    let idle = handle.read(|lab| Some((lab.inapplicable.clone()?, lab.origin)));
    let Some((idle, origin)) = idle else { return Html::default() };
    html! {
        <p class="idle" id="idle" role="status">
            <span>{ &idle.why }</span>
            if let Some(words) = idle.offer_words(origin) {
                <button type="button" class="small" onclick={handle.callback(Lab::take_offer)}>{ words }</button>
            }
        </p>
    }
}
