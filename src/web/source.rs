//! The kernel's text.

use std::rc::Rc;

use yew::prelude::*;

use super::editor::Editor;
use super::state::{Action, State};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ptx: Rc<str>,
    pub dispatch: UseReducerDispatcher<State>,
}

#[component]
pub fn SourcePanel(props: &Props) -> Html {
    let dispatch = props.dispatch.clone();
    let onedit = Callback::from(move |text| dispatch.dispatch(Action::EditPtx(text)));
    html! {
        <section class="panel" aria-label="Source">
            <header><h2>{ "Source" }</h2></header>
            <Editor id="ptx" label="PTX of the kernel" placeholder="Paste PTX here, as nvcc or clang writes it."
                text={props.ptx.clone()} {onedit} />
        </section>
    }
}
