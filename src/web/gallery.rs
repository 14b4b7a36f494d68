//! The catalogue as pictures: every kernel with its divergence at a glance, with a search field.
//!
//! Kernels are simulated for a few thousand cycles when the sheet opens, one kernel per task, so that the page stays
//! responsive.

use super::download::address;
use super::drawer::Drawer;
use super::frame::{Every, Frames};
use super::handle::Handle;
use std::collections::BTreeMap;
use warpscope_catalogue::{self as catalogue, Size, Workload};
use warpscope_lab::{Origin, Thumbnail};
use warpscope_pictures::scene::{Palette, Theme, svg};
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
    pub onclose: Callback<()>,
}

/// Maps a kernel's name to its picture as a data URL, and to the share of lanes that it uses.
type Known = BTreeMap<&'static str, (AttrValue, f64)>;

#[component]
pub fn Gallery(props: &Props) -> Html {
    let wanted = use_state_eq(String::new);
    let known = use_mut_ref(Known::new);
    let drawn = use_state_eq(|| 0usize);
    {
        let (known, drawn) = (known.clone(), drawn.setter());
        use_effect_with(props.theme, move |theme| {
            known.borrow_mut().clear();
            let palette = Palette::of(*theme);
            let mut left = catalogue::all().iter();
            let frames = Frames::every(Every::Task, move || {
                let Some(workload) = left.next() else { return false };
                if let Some(thumbnail) = Thumbnail::of(workload) {
                    let picture = address(&svg(&thumbnail.scene(), palette));
                    known.borrow_mut().insert(workload.name, (picture.into(), thumbnail.lanes));
                }
                drawn.set(known.borrow().len());
                true
            });
            move || drop(frames)
        });
    }
    let oninput = {
        let wanted = wanted.setter();
        Callback::from(move |event: InputEvent| {
            if let Some(field) = event.target_dyn_into::<HtmlInputElement>() {
                wanted.set(field.value());
            }
        })
    };
    let found: Vec<&'static Workload> = catalogue::all().iter().filter(|workload| matches(workload, &wanted)).collect();
    let known = known.borrow();
    let item = |workload: &'static Workload| {
        let (handle, onclose) = (props.handle.clone(), props.onclose.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            handle.act(|lab| lab.choose(Origin::find(workload.name, Size::Small)));
            onclose.emit(());
        });
        let picture = known.get(workload.name);
        let lanes = picture.map(|(_, lanes)| format!(" · {:.0} % of lanes used", 100.0 * lanes));
        html! {
            <li key={workload.name}>
                <button type="button" data-kernel={workload.name} {onclick}>
                    <span class="thumbnail">
                        if let Some((picture, _)) = picture { <img src={picture.clone()} alt="" /> }
                    </span>
                    <strong>{ workload.title }</strong>
                    <span class="note">{ workload.class.name() }{ lanes }</span>
                    <span class="about">{ first_sentence(workload.text) }</span>
                </button>
            </li>
        }
    };
    html! {
        <Drawer title="Kernels" id="gallery" wide=true onclose={props.onclose.clone()}>
            <p class="status">
                <input type="search" id="find-kernel" placeholder="Search kernels" aria-label="Search kernels" value={(*wanted).clone()} {oninput} />
                <span class="note">{ format!("{} of {}. ", found.len(), catalogue::all().len()) }
                    { "A row is a warp, and time goes to the right; a cell is filled by the share of lanes used." }</span>
            </p>
            <div class="scroll" tabindex="0" role="region" aria-label="Kernels" aria-busy={(*drawn < catalogue::all().len()).to_string()}>
                if found.is_empty() {
                    <p class="empty"><strong>{ "No kernel of that name" }</strong>{ "Search by name, by what a kernel does, or by divergent, convergent or insensitive." }</p>
                }
                <ul class="gallery">{ for found.into_iter().map(item) }</ul>
            </div>
        </Drawer>
    }
}

/// Returns whether a kernel's name, title, class or text contain every word that is searched for.
fn matches(workload: &Workload, wanted: &str) -> bool {
    let text = [workload.name, workload.title, workload.class.name(), workload.text].join(" ").to_lowercase();
    wanted.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// Returns the first sentence below the heading, which says what the kernel does.
fn first_sentence(text: &str) -> &str {
    let body = text.split("\n\n").map(str::trim).find(|part| !part.is_empty() && !part.starts_with('#')).unwrap_or("");
    body.split_inclusive(". ").next().unwrap_or(body).trim()
}
