//! How the kernel is launched: the launch file, with what is wrong in it.

use std::rc::Rc;

use yew::prelude::*;

use super::desk::{self, Finding, Reading, Spot};
use super::editor::{Editor, Reveal};
use super::findings::Findings;
use super::state::{Action, State};

const PLACEHOLDER: &str = "\
grid = [16]
block = [256]

[[param]]  # in the kernel's order
buffer = \"x\"
type = \"f32\"
len = 4096
init = \"zeros\"

[[param]]
type = \"u32\"
value = 4096";

#[derive(Properties, PartialEq)]
pub struct Props {
    pub text: Rc<str>,
    pub reading: Rc<Reading>,
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
    let findings: Rc<[Finding]> = props.reading.launch.clone();
    html! {
        <section class="panel" aria-label="Launch">
            <header><h2>{ "Launch" }</h2>{ extent(&props.reading) }</header>
            <Editor id="launch" label="Launch file" placeholder={PLACEHOLDER} text={props.text.clone()}
                findings={findings.clone()} reveal={props.reveal} {onedit} />
            <Findings label="Problems of the launch file" {findings} {ongo} />
        </section>
    }
}

/// How much a run would launch.
fn extent(reading: &Reading) -> Html {
    let Ok(ready) = &reading.ready else { return Html::default() };
    let (blocks, threads) = (ready.launch.blocks(), ready.launch.block_threads());
    let text = format!("{} × {}", counted(blocks, "block"), counted(threads, "thread"));
    html! { <span class="note push">{ text }</span> }
}

fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", desk::grouped(count), if count == 1 { "" } else { "s" })
}
