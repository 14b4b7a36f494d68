//! Every key, and how to read the page.

use super::drawer::Drawer;
use super::keys::SHORTCUTS;
use yew::prelude::*;

pub fn help(onclose: Callback<()>) -> Html {
    html! {
        <Drawer title="Keys" id="help" {onclose}>
            <div class="scroll" tabindex="0" role="region" aria-label="Every key">
                <dl class="shortcuts">
                    { for SHORTCUTS.iter().filter(|s| !s.shown.is_empty()).map(|s| html! {
                        <><dt>{ for s.shown.split("  ").map(|key| html! { <kbd>{ key }</kbd> }) }</dt><dd>{ s.about }</dd></>
                    }) }
                </dl>
                <h3>{ "Reading the page" }</h3>
                <div class="prose">
                    <p>{ "A cycle is a moment: at cycle n the page shows what cycle n − 1 did. Everything can be gone back to exactly." }</p>
                    <p>{ "In the source, ◈ marks a branch that can split a warp (◆ once it has), ◇ the reconvergence point where its sides meet again. The strip beside a line is the darker, the more lane-slots were lost on it." }</p>
                    <p>{ "In the timeline, the wheel zooms, dragging pans, and a click goes to that cycle and warp. Dragging along the cycles' numbers, or with Shift held, chooses a stretch whose numbers are shown by themselves." }</p>
                </div>
            </div>
        </Drawer>
    }
}
