//! The help sheet: every keyboard shortcut, and how to read the page.

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
                    <p>{ "At cycle n the page shows what cycle n − 1 did. You can go back to every earlier cycle exactly." }</p>
                    <p>{ "In the source, ◈ marks a branch that can split a warp (◆ once it has), ◇ the reconvergence point where its sides meet again. The strip beside a line is darker the more lane-slots the line lost." }</p>
                    <p>{ "In the timeline, the wheel zooms, dragging pans, and a click goes to that cycle and warp. Dragging along the cycles' numbers, or with Shift held, selects a range of cycles, and Numbers shows that range." }</p>
                </div>
            </div>
        </Drawer>
    }
}
