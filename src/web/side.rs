//! The right-hand column: inspector, numbers, plots, memory, the kernel's description and an open lesson.

use super::handle::Handle;
use super::inspector::Inspector;
use super::lesson::lesson_panel;
use super::memory::memory;
use super::numbers::numbers;
use super::plots::PlotsPanel;
use super::prose::prose;
use strum::VariantArray;
use warpscope_lab::Tab;
use warpscope_pictures::scene::Theme;
use yew::prelude::*;

const YOUR_OWN: &str = "\
Compile with `nvcc -ptx -lineinfo kernel.cu`, or with `clang --cuda-device-only -S -gline-tables-only`, and paste the result \
into the editor (E), or drop the file on the page. Optimisers often turn branches into selects; `-Xcicc -O0` keeps them.

The launch says how large the grid and its blocks are, and gives one `[[param]]` for each of the kernel's parameters: a \
`buffer`, which is passed as its address, or a `type` and a `value`.

A buffer's `init` is one of:

- `\"zeros\"`
- `{ iota = { start = 0, step = 1 } }`
- `{ random = { seed = 7, min = -1.0, max = 1.0 } }`
- `{ values = [1, 2, 3] }`";

pub fn side(handle: &Handle, others: &[Handle], theme: Theme, ontab: &Callback<Tab>) -> Html {
    let (shown, has_lesson) = handle.read(|lab| (lab.tab(), lab.course.is_some()));
    let tab = |(at, tab): (usize, Tab)| {
        let onclick = ontab.reform(move |_: MouseEvent| tab);
        let selected = (shown == tab).to_string();
        html! {
            <button type="button" id={format!("tab-{}", tab.key())} aria-pressed={selected}
                title={format!("{} ({})", tab.name(), at + 1)} {onclick}>{ tab.name() }</button>
        }
    };
    // The tab of an open lesson comes first.
    let mut rest: Vec<(usize, Tab)> = Tab::VARIANTS.iter().copied().enumerate().collect();
    let lesson = rest.pop().filter(|_| has_lesson);
    html! {
        <section class="panel side" aria-label="Details">
            <h2 class="unseen">{ "Details" }</h2>
            <header><div class="tabs" role="group" aria-label="Details">{ for lesson.into_iter().chain(rest).map(tab) }</div></header>
            { match shown {
                Tab::Inspector => html! { <Inspector handle={handle.clone()} /> },
                Tab::Numbers => numbers(handle, others),
                Tab::Plots => html! { <PlotsPanel handle={handle.clone()} {theme} /> },
                Tab::Buffers => memory(handle),
                Tab::About => about(handle),
                Tab::Lesson => lesson_panel(handle),
            } }
        </section>
    }
}

fn about(handle: &Handle) -> Html {
    let (title, text) = handle.read(|lab| match lab.origin {
        Some(origin) => (origin.workload.title, without_heading(origin.workload.text)),
        None => ("Your own kernel", YOUR_OWN),
    });
    let edited = if handle.read(|lab| lab.origin.is_some() && lab.is_edited()) { ", before your changes" } else { "" };
    html! { <div key="about" class="scroll prose" tabindex="0" role="region" aria-label="About the kernel"><h3>{ title }{ edited }</h3>{ prose(text) }</div> }
}

/// Removes the heading, which the panel has already.
fn without_heading(markdown: &'static str) -> &'static str {
    match markdown.split_once('\n') {
        Some((first, rest)) if first.starts_with('#') => rest,
        _ => markdown,
    }
}
