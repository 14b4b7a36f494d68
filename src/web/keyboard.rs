//! The keyboard: what a key press does on the page, and how the keys stay the page's after a click.

use super::columns::PageColumn;
use super::handle::Handle;
use super::keys::{KeyCommand, command};
use super::layout::{Layout, LayoutAction};
use super::listening::{closest, use_window_events, use_window_keys};
use super::share;
use warpscope_lab::Lab;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlSelectElement};
use yew::prelude::*;

/// Carries out the shortcuts. The two that need more than the lab and the layout are given: to switch between light and dark,
/// and to show the next panel of the stage.
#[hook]
pub fn use_shortcuts(handle: &Handle, layout: &UseReducerHandle<Layout>, theme: Callback<()>, panels: Callback<()>) {
    let (handle, layout) = (handle.clone(), layout.clone());
    use_window_keys(move |event| {
        // Any key ends an animated jump at its destination, and does there what it always does; Space does no more than that.
        if event.key() != " " {
            handle.act_if(Lab::arrive);
        }
        // Escape works wherever the focus is.
        if event.key() == "Escape" {
            layout.dispatch(LayoutAction::Escape);
            handle.act_if(|lab| lab.hints.take().is_some());
            handle.act_if(|lab| lab.stage.as_mut().is_some_and(|stage| stage.range.take().is_some()));
        }
        let Some(command) = command(event) else { return };
        // With a sheet open, only the key that closes it counts.
        let closes = |sheet| matches!(command, KeyCommand::Layout(LayoutAction::Toggle(own)) if own == sheet);
        if layout.sheet.is_some_and(|sheet| !closes(sheet)) {
            return;
        }
        event.prevent_default();
        match command {
            KeyCommand::Act(act) => handle.act(act),
            KeyCommand::Layout(action) => layout.dispatch(action),
            KeyCommand::Details(tab) => {
                handle.act(|lab| lab.show_tab(tab));
                layout.dispatch(LayoutAction::PageColumn(PageColumn::Side));
            }
            KeyCommand::Theme => theme.emit(()),
            KeyCommand::Share => share::copy(&handle),
            KeyCommand::Panels => panels.emit(()),
        }
    });
}

/// The buttons that give up the focus after a click, so that Space plays; reached by the keyboard, Space presses them.
const MOVERS: &str = ".transport button:not([aria-expanded]), .side-of-line button, .timeline button, .source button, .notice button, .stage .tabs button, .term";

/// Takes the focus from a menu that was used with the mouse and from a button that was clicked, so that the page's keys work.
#[hook]
pub fn use_letting_go() {
    // Not `click`: a key raises one too, and some buttons stop it from propagating.
    use_window_events(true, &["mouseup"], |event| {
        if let Some(button) = closest(event, MOVERS).and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
            let _ = button.blur();
        }
    });
    use_window_events(true, &["change"], |event| {
        let menu = event.target_dyn_into::<HtmlSelectElement>();
        if let Some(menu) = menu.filter(|menu| !menu.matches(":focus-visible").unwrap_or(true)) {
            let _ = menu.blur();
        }
    });
}
