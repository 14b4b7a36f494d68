//! The kernel editor: PTX and launch with their problems. The last valid kernel stays on the stage.

use super::drawer::Drawer;
use super::dropping::OpenButton;
use super::editor::{Editor, Reveal};
use super::findings::findings;
use super::handle::Handle;
use super::{share, storage};
use warpscope_lab::{Lab, Reading, TextSpot, grouped};
use yew::prelude::*;

const LAUNCH_EXAMPLE: &str = "\
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
    pub handle: Handle,
    pub onclose: Callback<()>,
}

#[component]
pub fn KernelEditor(props: &Props) -> Html {
    let ptx_reveal = use_state_eq(|| None::<Reveal>);
    let launch_reveal = use_state_eq(|| None::<Reveal>);
    let handle = &props.handle;
    let (ptx, launch, reading, edited, origin) =
        handle.read(|lab| (lab.ptx.clone(), lab.launch.clone(), lab.reading.clone(), lab.is_edited(), lab.origin));
    let edit_ptx = {
        let handle = handle.clone();
        Callback::from(move |text: String| {
            storage::save_visit(&handle.read(|lab| lab.visit_with(&text, &lab.launch)));
            share::forget();
            handle.act(|lab| lab.edit_ptx(text));
        })
    };
    let edit_launch = {
        let handle = handle.clone();
        Callback::from(move |text: String| {
            storage::save_visit(&handle.read(|lab| lab.visit_with(&lab.ptx, &text)));
            share::forget();
            handle.act(|lab| lab.edit_launch(text));
        })
    };
    let refuse = {
        let handle = handle.clone();
        Callback::from(move |message: String| handle.act(|lab| lab.notice = Some(warpscope_lab::Notice::bad(message))))
    };
    let go = |reveal: &UseStateHandle<Option<Reveal>>| {
        let reveal = reveal.clone();
        Callback::from(move |spot: TextSpot| reveal.set(Some(Reveal::after(*reveal, spot))))
    };
    let redraft = html! {
        <button type="button" class="plain" id="redraft" title="A launch that fits the kernel's parameters, in place of this one"
            onclick={handle.callback(Lab::redraft)}>{ "Draft" }</button>
    };
    let undo = handle.callback(|lab| lab.choose(lab.origin));
    html! {
        <Drawer title="Kernel" id="editor" wide={true} onclose={props.onclose.clone()}>
            <p class="status" role="status">
                { handle.read(summary) }
                if edited && origin.is_some() {
                    <button type="button" class="plain" id="undo" onclick={undo}>{ "Undo my changes" }</button>
                }
            </p>
            <div class="editors">
                <section class="panel" aria-label="PTX">
                    <header>
                        <h3>{ "PTX" }</h3>
                        <span class="note push">{ "paste, drop a file, or" }</span>
                        <OpenButton handle={handle.clone()} />
                    </header>
                    <Editor id="ptx" label="PTX of the kernel" text={ptx} findings={reading.ptx.clone()} reveal={*ptx_reveal}
                        placeholder="Paste PTX here, drop a file on the page, or open one." onedit={edit_ptx} onrefuse={refuse.clone()} />
                    { findings("ptx-problems", "Problems of the PTX", &reading.ptx, &go(&ptx_reveal)) }
                </section>
                <section class="panel" aria-label="Launch">
                    <header><h3>{ "Launch" }</h3>{ extent(&reading) }{ redraft }</header>
                    <Editor id="launch" label="Launch file" text={launch} findings={reading.launch.clone()} reveal={*launch_reveal}
                        placeholder={LAUNCH_EXAMPLE} onedit={edit_launch} onrefuse={refuse} />
                    { findings("launch-problems", "Problems of the launch file", &reading.launch, &go(&launch_reveal)) }
                </section>
            </div>
        </Drawer>
    }
}

/// Renders a summary of the kernel, or the number of its problems.
fn summary(lab: &Lab) -> Html {
    let problems = lab.reading.ptx.len() as u64;
    let wrong = match (&lab.reading.ready, &lab.misfit) {
        (Err(_), _) if problems > 0 => format!("{} in the PTX.", counted(problems, "problem")),
        (Ok(_), Some(_)) => "The machine cannot run it.".to_string(),
        (Ok(ready), None) => {
            let program = &ready.job.program;
            let instructions = counted(program.instructions.len() as u64, "instruction");
            let registers = counted(program.registers_needed.into(), "register");
            let elsewhere = if problems > 0 { " The problems below are in parts that it does not use." } else { "" };
            return html! { { format!("{}: {instructions}, {registers}. Loaded.{elsewhere}", program.kernel) } };
        }
        (Err(missing), _) if lab.reading.launch.is_empty() => return html! { { missing } },
        (Err(missing), _) => missing.clone(),
    };
    let stays = if lab.stage.is_some() { " The last good kernel stays loaded." } else { "" };
    html! { <span class="bad">{ wrong }{ stays }</span> }
}

fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Renders the size of the launch in blocks and threads.
fn extent(reading: &Reading) -> Html {
    let Ok(ready) = &reading.ready else { return Html::default() };
    let text =
        format!("{} × {}", counted(ready.job.launch.blocks(), "block"), counted(ready.job.launch.block_threads(), "thread"));
    html! { <span class="note push">{ text }</span> }
}
