//! Saves what is on stage as a file for slides: the picture, a strip of several, or a film (an animated GIF).
//!
//! Strips and films are of the cycles selected on the timeline, or of the last ones with an event.

use super::download::{caption, name, save, save_text};
use super::drawing::{FILE, Subject, save_picture, scene};
use super::handle::Handle;
use super::paint::paint_whole;
use gloo_timers::future::TimeoutFuture;
use js_sys::{Array, Uint8Array};
use warpscope_lab::{Lab, Notice, Stage, grouped};
use warpscope_pictures::export::film::FilmWriter;
use warpscope_pictures::scene::{Align, Film, Palette, Rect, Scene, StripPicture, Theme, Tone, strip};
use warpscope_pictures::view::Selection;
use wasm_bindgen::JsCast;
use wasm_bindgen::JsValue;
use web_sys::{Blob, BlobPropertyBag, CanvasRenderingContext2d, Element, HtmlCanvasElement};
use yew::platform::spawn_local;
use yew::prelude::*;

/// Most cycles of a film, most pictures of a strip, and the number of cycles with events without a selected range.
const MOST_FILMED: u64 = 40;
const MOST_IN_STRIP: u64 = 12;
const USUAL: usize = 8;
/// How long a frame is shown, and how much longer the last one of a step, in hundredths of a second.
const FRAME_TIME: u16 = 8;
const STAY: u16 = 40;
/// Space around the pictures of a film, and below them for text, in pixels.
const MARGIN: f32 = 12.0;
const WORDS: f32 = 28.0;
/// Between the Save button and its menu, in pixels.
const GAP: f64 = 4.0;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
    pub subject: Subject,
}

#[component]
pub fn SaveMenu(props: &Props) -> Html {
    let Props { theme, subject, .. } = *props;
    let menu = format!("save-{}", props.handle.id(subject.id()));
    let place = use_state_eq(String::new);
    // The browser opens the menu after the click, at the place that is set here.
    let onclick = {
        let place = place.setter();
        Callback::from(move |event: MouseEvent| place.set(below(&event).unwrap_or_default()))
    };
    let item = |what: &'static str, name: &'static str, save: fn(&Handle, Theme, Subject)| {
        let handle = props.handle.steady();
        let onclick = Callback::from(move |_: MouseEvent| save(&handle, theme, subject));
        html! { <button type="button" data-save={subject.id()} data-as={what} popovertarget={menu.clone()} {onclick}>{ name }</button> }
    };
    html! {
        <>
            <button type="button" class="plain save" popovertarget={menu.clone()} {onclick} title="Save this picture, a strip of several, or an animation">{ "Save" }</button>
            <div id={menu.clone()} class="saves" popover="auto" style={(*place).clone()}>
                { item("picture", "This picture (SVG)", save_picture) }
                { item("strip", "A strip of cycles (SVG)", save_strip) }
                { item("film", "An animation of cycles (GIF)", save_film) }
                <p class="note">{ "Strips and animations show the cycles selected on the timeline, or the last eight with an event." }</p>
            </div>
        </>
    }
}

/// Returns the style of a menu at the clicked button: below it, or above it in the lower half of the window, with the same right
/// edge.
fn below(event: &MouseEvent) -> Option<String> {
    let button = event.target_dyn_into::<Element>()?.get_bounding_client_rect();
    let window = web_sys::window()?;
    let length = |value: Result<JsValue, JsValue>| value.ok()?.as_f64();
    let (width, height) = (length(window.inner_width())?, length(window.inner_height())?);
    let right = width - button.right();
    Some(if button.bottom() < height / 2.0 {
        format!("inset: {}px {right}px auto auto", button.bottom() + GAP)
    } else {
        format!("inset: auto {right}px {}px auto", height - button.top() + GAP)
    })
}

/// Returns the cycles that a film shows.
fn filmed(stage: &Stage) -> Vec<u64> {
    match stage.range {
        Some((from, to)) => (from..=to.min(from + MOST_FILMED - 1)).collect(),
        None => stage.filmed_cycles(USUAL),
    }
}

/// Returns the cycles that a strip shows: of a long range, cycles at even distances.
fn stripped(stage: &Stage) -> Vec<u64> {
    let Some((from, to)) = stage.range else { return stage.eventful_cycles(USUAL) };
    let count = (to - from + 1).min(MOST_IN_STRIP);
    (0..count).map(|at| from + (to - from) * at / (count - 1).max(1)).collect()
}

/// A cycle of a run as a picture, with a sentence about it.
struct Moment {
    cycle: u64,
    words: String,
    scene: Scene<Selection>,
}

/// Returns the pictures of some cycles, and the run to its cycle; the page is not rendered in between.
fn moments(handle: &Handle, subject: Subject, wanted: impl Fn(&Stage) -> Vec<u64>) -> Vec<Moment> {
    let mut moments = Vec::new();
    handle.act_if(|lab| {
        let Some((now, cycles)) = lab.stage.as_ref().map(|stage| (stage.session.cycle(), wanted(stage))) else { return false };
        for cycle in cycles {
            seek(lab, cycle);
            if let Some(stage) = &lab.stage {
                moments.push(Moment { cycle, words: stage.say(lab.selection), scene: scene(subject, lab, stage, FILE) });
            }
        }
        seek(lab, now);
        false
    });
    // All have one size, that of the largest content.
    moments.iter_mut().for_each(|moment| moment.scene.crop());
    let size = |of: fn(&Scene<Selection>) -> f32| moments.iter().map(|moment| of(&moment.scene)).fold(0.0, f32::max);
    let (width, height) = (size(|scene| scene.width), size(|scene| scene.height));
    moments.iter_mut().for_each(|moment| (moment.scene.width, moment.scene.height) = (width, height));
    moments
}

fn seek(lab: &mut Lab, cycle: u64) {
    if let Some(stage) = &mut lab.stage {
        stage.session.seek(cycle);
    }
}

fn save_strip(handle: &Handle, theme: Theme, subject: Subject) {
    let moments = moments(handle, subject, stripped);
    let pictures: Vec<StripPicture<Selection>> = moments
        .iter()
        .map(|Moment { cycle, words, scene }| StripPicture {
            name: format!("cycle {}", grouped(*cycle)),
            words: words.clone(),
            scene,
        })
        .collect();
    let file = handle.on_stage(|lab, stage| {
        (name(lab, stage, &format!("{}-strip", subject.id()), ".svg"), strip(&pictures, &caption(lab, stage), Palette::of(theme)))
    });
    if let Some((name, text)) = file {
        save_text(&name, "image/svg+xml", &text);
    }
}

fn save_film(handle: &Handle, theme: Theme, subject: Subject) {
    let moments = moments(handle, subject, filmed);
    let names = handle.on_stage(|lab, stage| (name(lab, stage, &format!("{}-film", subject.id()), ".gif"), caption(lab, stage)));
    let Some((name, caption)) = names else { return };
    let handle = handle.clone();
    let tell = move |notice: Notice| handle.act(|lab| lab.notice = Some(notice));
    spawn_local(async move {
        let count = moments.len();
        tell(Notice::good(format!("An animation of {count} cycles is being made.")));
        // Lets the page show the notice first.
        TimeoutFuture::new(30).await;
        tell(match film(subject, moments, &caption, Palette::of(theme)).await {
            Some(file) => {
                let options = BlobPropertyBag::new();
                options.set_type("image/gif");
                let parts = Array::of1(&Uint8Array::from(file.as_slice()));
                if let Ok(blob) = Blob::new_with_u8_array_sequence_and_options(&parts, &options) {
                    save(&name, &blob);
                }
                Notice::good(format!("An animation of {count} cycles is saved as {name}, {} kB.", file.len().div_ceil(1000)))
            }
            None => Notice::bad("The animation could not be made: the browser cannot make a canvas of that size."),
        });
    });
}

/// Encodes a film; yields to the page between its frames.
async fn film(subject: Subject, mut moments: Vec<Moment>, caption: &str, palette: &Palette) -> Option<Vec<u8>> {
    let width = moments.iter().map(|moment| moment.scene.width).fold(0.0, f32::max);
    let height = moments.iter().map(|moment| moment.scene.height).fold(0.0, f32::max) + WORDS;
    for moment in &mut moments {
        let Moment { cycle, words, scene } = moment;
        (scene.width, scene.height) = (width, height);
        let words = format!("cycle {} · {words}", grouped(*cycle));
        scene.label(0, Tone::Text, 0.0, height - 14.0, 12.0, Align::Left, words);
        scene.label(0, Tone::Soft, 0.0, height, 10.0, Align::Left, caption);
    }
    let whole = Rect::new(-MARGIN, -MARGIN, width + 2.0 * MARGIN, height + 2.0 * MARGIN);
    let (wide, high) = (whole.w.ceil(), whole.h.ceil());
    let context = context(wide as u32, high as u32)?;
    context.translate(MARGIN.into(), MARGIN.into()).ok()?;
    let mut writer = FilmWriter::new(wide as u16, high as u16).ok()?;
    let mut show = |scene: &Scene<Selection>, time: u16| {
        paint_whole(&context, scene, palette, whole);
        let pixels = context.get_image_data(0.0, 0.0, wide.into(), high.into()).ok()?;
        writer.show(&pixels.data().0, time).ok()
    };
    show(&moments.first()?.scene, FRAME_TIME + STAY)?;
    for pair in moments.windows(2) {
        // Between cycles that are apart there is no motion to show.
        if pair[1].cycle != pair[0].cycle + 1 {
            show(&pair[1].scene, FRAME_TIME + STAY)?;
            continue;
        }
        let (mut from, mut to) = (pair[0].scene.clone(), pair[1].scene.clone());
        subject.direct(&mut from, &mut to);
        let frames = (to.script.length_ms() / (10.0 * f64::from(FRAME_TIME))).ceil().max(2.0) as u32;
        let film = Film::new(&from, &to, false);
        for at in 1..frames {
            show(&film.frame(at as f32 / frames as f32), FRAME_TIME)?;
            TimeoutFuture::new(0).await;
        }
        show(&pair[1].scene, FRAME_TIME + STAY)?;
    }
    writer.end().ok()
}

/// Returns the context of a new canvas that is not on the page.
fn context(width: u32, height: u32) -> Option<CanvasRenderingContext2d> {
    let document = web_sys::window()?.document()?;
    let canvas = document.create_element("canvas").ok()?.dyn_into::<HtmlCanvasElement>().ok()?;
    canvas.set_width(width);
    canvas.set_height(height);
    canvas.get_context("2d").ok()??.dyn_into::<CanvasRenderingContext2d>().ok()
}
