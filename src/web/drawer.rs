//! A sheet over the page: the editor, the machine's keys, help. Escape closes it.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
    pub id: AttrValue,
    pub onclose: Callback<()>,
    #[prop_or_default]
    pub wide: bool,
    pub children: Html,
}

#[component]
pub fn Drawer(props: &Props) -> Html {
    let node = use_node_ref();
    {
        let node = node.clone();
        // The keyboard's focus moves into the sheet, and returns to where it was when the sheet closes.
        use_effect_with((), move |()| {
            let before = web_sys::window().and_then(|window| window.document()).and_then(|document| document.active_element());
            // A search field comes first.
            let field = node.cast::<HtmlElement>().and_then(|sheet| sheet.query_selector("[type=search]").ok().flatten());
            match field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
                Some(field) => drop(field.focus()),
                None => focus(&node),
            }
            move || {
                if let Some(element) = before.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
                    let _ = element.focus();
                }
            }
        });
    }
    // Elements before the first control and after the last one return the focus, so that Tab stays in the sheet.
    let turn = {
        let node = node.clone();
        Callback::from(move |_: FocusEvent| focus(&node))
    };
    let edge = || html! { <span tabindex="0" aria-hidden="true" onfocus={turn.clone()}></span> };
    let close = props.onclose.reform(|_: MouseEvent| ());
    let onkeydown = {
        let onclose = props.onclose.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.stop_propagation();
                onclose.emit(());
            }
        })
    };
    html! {
        <div class="veil" {onkeydown}>
            { edge() }
            <section class={classes!("drawer", props.wide.then_some("wide"))} id={props.id.clone()} role="dialog" aria-modal="true"
                aria-label={props.title.clone()} tabindex="-1" ref={node}>
                <header role="none"><h2>{ props.title.clone() }</h2><button type="button" class="push" onclick={close} title="Close (Esc)">{ "Close" }</button></header>
                { props.children.clone() }
            </section>
            { edge() }
        </div>
    }
}

fn focus(node: &NodeRef) {
    if let Some(element) = node.cast::<HtmlElement>() {
        let _ = element.focus();
    }
}
