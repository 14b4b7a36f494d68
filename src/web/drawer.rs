//! A sheet over the page: the editor, the machine's keys, help. Escape closes it.

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
        // Whoever came by keyboard goes on inside.
        use_effect_with((), move |()| {
            if let Some(element) = node.cast::<HtmlElement>() {
                let _ = element.focus();
            }
        });
    }
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
            <section class={classes!("drawer", props.wide.then_some("wide"))} id={props.id.clone()} role="dialog" aria-modal="true"
                aria-label={props.title.clone()} tabindex="-1" ref={node}>
                <header><h2>{ props.title.clone() }</h2><button type="button" class="push" onclick={close} title="Close (Esc)">{ "Close" }</button></header>
                { props.children.clone() }
            </section>
        </div>
    }
}
