//! The mechanism: how the chosen technique works, now.

use super::drawing::{Drawing, Subject, save_button};
use super::handle::Handle;
use super::tips::term;
use crate::lab::Lab;
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
                { term(html! { { mechanism.title } }, mechanism.about) }
                <span class="push"></span>
                { save_button(handle, theme, Subject::Mechanism) }
            </header>
            { idle_note(handle) }
            <Drawing handle={handle.clone()} {theme} subject={Subject::Mechanism} />
        </section>
    }
}

/// Says that the technique cannot act on this launch, and offers one on which it can.
fn idle_note(handle: &Handle) -> Html {
    let idle = handle.read(|lab| Some((lab.idle.clone()?, lab.origin)));
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
