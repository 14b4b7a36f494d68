//! How the kernel is launched: the launch file, with what is wrong in it.

use std::rc::Rc;

use yew::prelude::*;

use super::desk::{Finding, Spot};
use super::editor::{Editor, Reveal};
use super::findings::Findings;
use super::state::{Action, State};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub text: Rc<str>,
    pub findings: Rc<[Finding]>,
    pub reveal: Option<Reveal>,
    pub dispatch: UseReducerDispatcher<State>,
}

#[component]
pub fn LaunchPanel(props: &Props) -> Html {
    let onedit = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |text| dispatch.dispatch(Action::EditLaunch(text)))
    };
    let ongo = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |spot: Spot| dispatch.dispatch(Action::GoInLaunch(spot)))
    };
    html! {
        <section class="panel" aria-label="Launch">
            <header><h2>{ "Launch" }</h2></header>
            <Editor id="launch" label="Launch file" placeholder="grid, block and parameters, in TOML"
                text={props.text.clone()} findings={props.findings.clone()} reveal={props.reveal} {onedit} />
            <Findings label="Problems of the launch file" findings={props.findings.clone()} {ongo} />
        </section>
    }
}
