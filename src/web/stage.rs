//! The mechanism: how the chosen technique works, now.

use super::drawing::{Drawing, Subject, save_button};
use super::handle::Handle;
use crate::mechanism;
use crate::scene::Theme;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
}

#[component]
pub fn StagePanel(props: &Props) -> Html {
    let mechanism = props.handle.on_stage(|_, stage| mechanism::of(&stage.session.sim().machine.config));
    let Some(mechanism) = mechanism else {
        let (what, next) = match props.handle.read(|lab| lab.misfit.is_some()) {
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
    html! {
        <section class="panel stage" aria-label="Mechanism">
            <header>
                <h2>{ "Mechanism" }</h2>
                <span class="note" title={mechanism.about}>{ mechanism.title }</span>
                <span class="push"></span>
                { save_button(&props.handle, props.theme, Subject::Mechanism) }
            </header>
            <Drawing handle={props.handle.clone()} theme={props.theme} subject={Subject::Mechanism} />
        </section>
    }
}
