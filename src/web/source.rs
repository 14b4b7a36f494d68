//! The kernel's texts side by side: CUDA and PTX, linked by line information; or its control-flow graph.

use super::drawing::{Drawing, Subject, save_button};
use super::handle::Handle;
use super::icons;
use super::split::{Sizes, beside};
use super::storage;
use super::text::Text;
use std::rc::Rc;
use warpscope_kernel::program::Pc;
use warpscope_pictures::scene::Theme;
use warpscope_pictures::view::Script;
use yew::prelude::*;

/// What the panel shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Both,
    Cuda,
    Ptx,
    /// The PTX, and the PTX in the loop over logical blocks.
    Loop,
    /// The control-flow graph.
    Flow,
}

impl Shown {
    /// Returns what is shown instead where the kernel has no such text.
    fn among(self, has_cuda: bool, has_loop: bool) -> Shown {
        let is_there = match self {
            Shown::Both | Shown::Cuda => has_cuda,
            Shown::Loop => has_loop,
            Shown::Ptx | Shown::Flow => true,
        };
        match is_there {
            true => self,
            false if has_cuda => Shown::Cuda,
            false => Shown::Ptx,
        }
    }

    /// Returns the texts to show, in order.
    fn scripts(self) -> &'static [Script] {
        match self {
            Shown::Both => &[Script::Cuda, Script::Ptx],
            Shown::Cuda => &[Script::Cuda],
            Shown::Ptx => &[Script::Ptx],
            Shown::Loop => &[Script::Ptx, Script::Loop],
            Shown::Flow => &[],
        }
    }
}

/// The storage key of whether the PTX is shown beside the source.
const BOTH: &str = "warpscope.both";

/// Returns the texts that the panel shows by default.
fn usual() -> Shown {
    if storage::load(BOTH).is_some_and(|kept| !kept.is_empty()) { Shown::Both } else { Shown::Cuda }
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
    pub onresize: Callback<Option<Sizes>>,
}

#[component]
pub fn SourcePanel(props: &Props) -> Html {
    let handle = &props.handle;
    let shown = use_shown(handle);
    let follow = use_state_eq(|| true);
    let pointed = use_state_eq(|| Rc::<[Pc]>::from([]));
    let found = handle.on_stage(|_, stage| {
        let has = |script: Script| !stage.listing.lines(script).is_empty();
        (has(Script::Cuda), has(Script::Loop), stage.kernel.clone())
    });
    let Some((has_cuda, has_loop, kernel)) = found else {
        return html! {
            <section class="panel source" aria-label="Source">
                <header><h2>{ "Source" }</h2></header>
                <p class="empty"><strong>{ "Nothing to read yet" }</strong>{ "A kernel's CUDA source and its PTX appear here." }</p>
            </section>
        };
    };
    let now = shown.among(has_cuda, has_loop);
    let onfollow = {
        let follow = follow.clone();
        Callback::from(move |_: MouseEvent| follow.set(!*follow))
    };
    let text = |script: &Script| {
        let onpoint = {
            let pointed = pointed.clone();
            Callback::from(move |pcs| pointed.set(pcs))
        };
        html! {
            <Text key={*script as u8} handle={handle.clone()} theme={props.theme} script={*script} follow={*follow}
                tinted={now == Shown::Both}
                pointed={(*pointed).clone()} {onpoint} />
        }
    };
    html! {
        <section class="panel source" aria-label="Source">
            <header>
                <h2 title={kernel}>{ "Source" }</h2>
                { tabs(&shown, now, has_cuda, has_loop) }
                <span class="push"></span>
                if matches!(now, Shown::Both | Shown::Loop) {
                    <button type="button" class="plain beside" title="Side by side or one above the other: widens this panel or restores its width"
                        aria-label="Side by side or one above the other" onclick={props.onresize.reform(|_: MouseEvent| beside())}>
                        { icons::beside() }
                    </button>
                }
                if now == Shown::Flow {
                    { save_button(handle, props.theme, Subject::Flow) }
                }
                <button type="button" class="plain" aria-pressed={(*follow).to_string()}
                    title="Keep the selected warp's line in sight" onclick={onfollow}>{ if *follow { "● Follow" } else { "○ Follow" } }</button>
            </header>
            if now == Shown::Flow {
                <Drawing handle={handle.clone()} theme={props.theme} subject={Subject::Flow} follow={*follow} />
            } else {
                <div class="texts">
                    { for now.scripts().iter().map(text) }
                </div>
            }
        </section>
    }
}

/// Returns what the panel shows: what the user chose, until a lesson begins or ends. It opens with the text or graph that it is
/// about.
#[hook]
fn use_shown(handle: &Handle) -> UseStateHandle<Shown> {
    let shown = use_state_eq(usual);
    let lesson = handle.read(|lab| lab.course.as_ref().map(|course| (course.lesson.id, course.lesson.flow)));
    {
        let shown = shown.setter();
        use_effect_with(lesson, move |lesson| {
            shown.set(if lesson.is_some_and(|(_, flow)| flow) { Shown::Flow } else { usual() })
        });
    }
    shown
}

/// Renders the choice between the kernel's texts and its graph; `now` is what the panel shows.
fn tabs(shown: &UseStateHandle<Shown>, now: Shown, has_cuda: bool, has_loop: bool) -> Html {
    let tab = |what: Shown, name: &'static str, title: &'static str| {
        let shown = shown.clone();
        let selected = if now == what { "true" } else { "false" };
        let onclick = Callback::from(move |_: MouseEvent| {
            match what {
                Shown::Both => storage::save(BOTH, "true"),
                Shown::Cuda => storage::save(BOTH, ""),
                _ => {}
            }
            shown.set(what);
        });
        html! { <button type="button" {title} aria-pressed={selected} {onclick}>{ name }</button> }
    };
    html! {
        <div class="tabs" role="group" aria-label="Text">
            if has_cuda {
                { tab(Shown::Cuda, "CUDA", "The CUDA source only") }
                { tab(Shown::Both, "Both", "CUDA and PTX in matching colours: side by side, or one above the other where there is little room") }
            }
            { tab(Shown::Ptx, "PTX", "The PTX only") }
            if has_loop {
                { tab(Shown::Loop, "Loop", "The PTX, and what runs: the PTX in a loop over logical blocks, after the code that was moved out of it") }
            }
            { tab(Shown::Flow, "CFG", "The control-flow graph: basic blocks, where they lead, and the warps in them") }
        </div>
    }
}
