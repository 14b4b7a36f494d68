//! The kernel's text: its PTX, which can be edited, and the CUDA source that it was made from.

use std::rc::Rc;

use yew::prelude::*;

use super::desk::{self, Reading, Spot};
use super::editor::{Editor, Reveal};
use super::findings::Findings;
use super::state::{Action, Origin, Side, State};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ptx: Rc<str>,
    pub origin: Option<Origin>,
    pub side: Side,
    pub reading: Rc<Reading>,
    pub reveal: Option<Reveal>,
    pub dispatch: UseReducerDispatcher<State>,
}

#[component]
pub fn SourcePanel(props: &Props) -> Html {
    let onedit = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |text| dispatch.dispatch(Action::EditPtx(text)))
    };
    let ongo = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |spot: Spot| dispatch.dispatch(Action::GoInPtx(spot)))
    };
    let cuda = props.origin.filter(|_| props.side == Side::Cuda).map(|origin| Rc::<str>::from(origin.workload.cuda));
    html! {
        <section class="panel" aria-label="Source">
            <header>
                <h2>{ "Source" }</h2>
                if props.origin.is_some() {
                    { tabs(props) }
                }
            </header>
            if let Some(cuda) = cuda {
                <Editor key="cuda" id="cuda" label="CUDA source of the kernel" placeholder="" text={cuda} />
            } else {
                <Editor key="ptx" id="ptx" label="PTX of the kernel" text={props.ptx.clone()} findings={props.reading.ptx.clone()}
                    placeholder="Paste PTX here, or drop a file on the page." reveal={props.reveal} {onedit} />
                <Findings label="Problems of the PTX" findings={props.reading.ptx.clone()} {ongo} />
                { summary(&props.reading) }
            }
        </section>
    }
}

fn tabs(props: &Props) -> Html {
    let tab = |side: Side, name: &'static str| {
        let dispatch = props.dispatch.clone();
        let onclick = Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::Turn(side)));
        let selected = if props.side == side { "true" } else { "false" };
        html! { <button type="button" role="tab" aria-selected={selected} {onclick}>{ name }</button> }
    };
    html! { <div class="tabs" role="tablist" aria-label="Text">{ tab(Side::Ptx, "PTX") }{ tab(Side::Cuda, "CUDA") }</div> }
}

/// A line on what the kernel is, or on how much is wrong with it.
fn summary(reading: &Reading) -> Html {
    let text = match (&reading.ready, reading.ptx.len()) {
        (_, 1) => "1 problem".to_string(),
        (_, problems) if problems > 1 => format!("{problems} problems"),
        (Ok(ready), _) => {
            let program = &ready.program;
            let instructions = desk::grouped(program.instructions.len() as u64);
            format!("{}: {instructions} instructions, {} registers", program.kernel, program.registers_needed)
        }
        (Err(_), _) => return Html::default(),
    };
    html! { <p class={classes!("status", (!reading.ptx.is_empty()).then_some("bad"))}>{ text }</p> }
}
