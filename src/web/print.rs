//! What printing gives: a sheet with the picture, what it is of, and the numbers. It is there only while the page is printed.

use super::app::listen;
use super::download::caption;
use super::drawing::{FILE, Subject, scene};
use super::handle::Handle;
use super::numbers::numbers;
use crate::lab::grouped;
use crate::mechanism::{self, Panel};
use crate::scene::{Palette, Theme, svg};
use wasm_bindgen::prelude::Closure;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
}

#[component]
pub fn PrintSheet(props: &Props) -> Html {
    let printing = use_state_eq(|| false);
    {
        let printing = printing.setter();
        use_effect_with((), move |()| {
            let tell = |now: bool| {
                let printing = printing.clone();
                Closure::<dyn FnMut()>::new(move || printing.set(now))
            };
            let (before, after) = (tell(true), tell(false));
            listen("beforeprint", &before);
            listen("afterprint", &after);
            move || drop((before, after))
        });
    }
    let sheet = props.handle.on_stage(|lab, stage| {
        printing.then(|| {
            let picture = |panel: &'static Panel| {
                let picture = svg(&scene(Subject::Panel(panel), lab, stage, FILE), Palette::of(Theme::Light));
                html! { <img src={address(&picture)} alt={panel.title} /> }
            };
            let panels = mechanism::panels(stage.session.sim());
            let pictures: Html = panels.into_iter().map(picture).collect();
            (format!("{}, cycle {}", caption(lab, stage), grouped(stage.session.cycle())), pictures)
        })
    });
    let Some(Some((caption, pictures))) = sheet else { return Html::default() };
    html! {
        <section class="sheet" aria-label="Printed sheet">
            <figure>{ pictures }<figcaption>{ caption }</figcaption></figure>
            { numbers(&props.handle, &[]) }
        </section>
    }
}

/// A picture as an address of its own.
fn address(svg: &str) -> String {
    format!("data:image/svg+xml,{}", String::from(js_sys::encode_uri_component(svg)))
}
