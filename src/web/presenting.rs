//! What stands below the stage while it is shown to a class: the open lesson, and the source line of the warp that the picture
//! shows.

use super::handle::Handle;
use super::lesson::presented_lesson;
use warpscope_pictures::view::Script;
use yew::prelude::*;

pub fn below(handle: &Handle) -> Html {
    html! {
        <>
            { presented_lesson(handle) }
            { presented_line(handle) }
        </>
    }
}

/// Renders the line of the source at which the shown warp is.
fn presented_line(handle: &Handle) -> Html {
    let line = handle.on_stage(|lab, stage| {
        let picture = stage.picture();
        let warp = picture.focus(lab.selection)?;
        let script = if stage.listing.cuda_line(warp.pc).is_some() { Script::Cuda } else { Script::Ptx };
        let at = stage.listing.line_in(script, warp.pc)?;
        let text = stage.listing.text(script, at as usize - 1).trim().to_string();
        Some((format!("Warp {}, line {at}", warp.warp), text))
    });
    let Some((at, text)) = line.flatten() else { return Html::default() };
    html! { <p class="presented"><span>{ at }</span><code>{ text }</code></p> }
}
