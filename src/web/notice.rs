//! What a person should be told: a line over the timeline's heading, with what to do.

use super::handle::Handle;
use super::prose::inline;
use crate::lab::Goal;
use crate::view::Selection;
use yew::prelude::*;

pub fn notice_line(handle: &Handle) -> Html {
    let (notice, misfit, goal) = handle.read(|lab| (lab.notice.clone(), lab.misfit.clone(), lab.transport.goal));
    let loaded = handle.read(|lab| lab.stage.is_some());
    if let Some(misfit) = misfit {
        let then = if loaded { "The last machine stays." } else { "Choose another machine, technique or kernel at the top." };
        let text = format!("This machine cannot run the kernel: {misfit}. {then}");
        return html! { <div class="notice bad" role="alert" id="notice"><span>{ inline(&text) }</span></div> };
    }
    let (text, bad, pc) = match (notice, goal) {
        (Some(notice), _) => (notice.text, notice.bad, notice.pc),
        (None, Goal::Search(_)) => ("Looking for the next one… Space stops.".to_string(), false, None),
        (None, Goal::Cycle(cycle)) => (format!("Going to cycle {cycle}… Space stops."), false, None),
        (None, Goal::End) => ("Running to the end… Space stops.".to_string(), false, None),
        (None, _) => return html! { <div id="notice" role="status" class="notice" hidden=true></div> },
    };
    let close = handle.callback(|lab| lab.notice = None);
    let go = pc.map(|pc| {
        handle.callback(move |lab| {
            let there =
                lab.stage.as_ref().and_then(|stage| stage.picture().warps.iter().find(|w| w.pc == pc).map(|w| (w.sm, w.warp)));
            if let Some((sm, warp)) = there {
                lab.selection = Some(Selection::Warp { sm, warp });
            }
        })
    });
    html! {
        <div class={classes!("notice", bad.then_some("bad"))} role={if bad { "alert" } else { "status" }} id="notice">
            <span>{ inline(&text) }</span>
            if let Some(onclick) = go {
                <button type="button" class="plain" {onclick}>{ "Show the warp" }</button>
            }
            <button type="button" class="plain push" aria-label="Close the message" onclick={close}>{ "×" }</button>
        </div>
    }
}
