//! The mechanism: how the chosen technique works, now.

use super::drawing::{Drawing, Subject, save_button};
use super::handle::Handle;
use crate::mechanism;
use crate::scene::Theme;
use yew::prelude::*;

pub fn stage_panel(handle: &Handle, theme: Theme) -> Html {
    let mechanism = handle.on_stage(|_, stage| mechanism::of(&stage.session.sim().machine.config));
    let Some(mechanism) = mechanism else {
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
    html! {
        <section class="panel stage" aria-label="Mechanism">
            <header>
                <h2>{ "Mechanism" }</h2>
                <span class="note" title={mechanism.about}>{ mechanism.title }</span>
                <span class="push"></span>
                { save_button(handle, theme, Subject::Mechanism) }
            </header>
            <Drawing handle={handle.clone()} {theme} subject={Subject::Mechanism} />
        </section>
    }
}
