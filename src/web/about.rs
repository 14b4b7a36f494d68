//! What the kernel computes and what to look at; for a kernel of one's own, how to get one here.

use yew::prelude::*;

use super::prose::prose;
use super::state::Origin;

const YOUR_OWN: &str = "\
Compile with `nvcc -ptx -lineinfo kernel.cu`, or with `clang --cuda-device-only -S -gline-tables-only`, and paste or drop the \
result on the left. Optimisers like to turn branches into selects; `-Xcicc -O0` keeps them.

The launch says how large the grid and its blocks are, and gives one `[[param]]` for each of the kernel's parameters: a \
`buffer`, which is passed as its address, or a `type` and a `value`.

A buffer's `init` is one of:

- `\"zeros\"`
- `{ iota = { start = 0, step = 1 } }`
- `{ random = { seed = 7, min = -1.0, max = 1.0 } }`
- `{ values = [1, 2, 3] }`";

#[derive(Properties, PartialEq)]
pub struct Props {
    pub origin: Option<Origin>,
}

#[component]
pub fn AboutPanel(props: &Props) -> Html {
    let (title, text) = match props.origin {
        Some(origin) => (origin.workload.title, without_heading(origin.workload.text)),
        None => ("Your own kernel", YOUR_OWN),
    };
    html! {
        <section class="panel" aria-label="About">
            <header><h2>{ title }</h2></header>
            <div class="scroll prose">{ prose(text) }</div>
        </section>
    }
}

/// The panel's own heading says it already.
fn without_heading(markdown: &str) -> &str {
    match markdown.split_once('\n') {
        Some((first, rest)) if first.starts_with('#') => rest,
        _ => markdown,
    }
}
