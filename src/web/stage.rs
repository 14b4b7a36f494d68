//! The mechanism: how the chosen technique works, now, on a canvas that shows what moved where.

use super::canvas::{self, use_size};
use super::frame::{Frames, motion_allowed, now};
use super::handle::Handle;
use super::paint::paint;
use crate::mechanism::{self, View};
use crate::scene::{Palette, Scene, Theme, tween};
use crate::view::Selection;
use std::cell::RefCell;
use std::rc::Rc;
use yew::prelude::*;

/// How long a movement takes, in milliseconds.
const MOVE_MS: f64 = 180.0;
/// Space around the picture.
const MARGIN: f64 = 12.0;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
}

/// What the canvas shows, and the movement that is under way.
#[derive(Default)]
struct Shown {
    scene: Option<Rc<Scene<Selection>>>,
    cycle: u64,
    moving: Option<Frames>,
}

#[component]
pub fn StagePanel(props: &Props) -> Html {
    let place = use_node_ref();
    let node = use_node_ref();
    let size = use_size(&place);
    let shown = use_mut_ref(Shown::default);
    let words = use_state_eq(String::new);
    let height = use_state_eq(|| 0.0f64);
    {
        let (node, shown, words, height) = (node.clone(), shown.clone(), words.clone(), height.clone());
        use_effect_with((props.handle.clone(), props.theme, size), move |(handle, theme, size)| {
            let Some((scene, slow, cycle)) = draw(handle, *size) else { return };
            words.set(scene.words.clone());
            let tall = f64::from(scene.height) + 2.0 * MARGIN;
            height.set(tall);
            show(&shown, node, scene, slow, cycle, *theme, (size.0, tall));
        });
    }
    let onclick = {
        let (handle, shown, node) = (props.handle.clone(), shown.clone(), node.clone());
        Callback::from(move |event: MouseEvent| {
            let Some(canvas) = node.cast::<web_sys::Element>() else { return };
            let bounds = canvas.get_bounding_client_rect();
            let (x, y) = (f64::from(event.client_x()) - bounds.left(), f64::from(event.client_y()) - bounds.top());
            let hit = shown.borrow().scene.as_ref().and_then(|s| s.hit((x - MARGIN) as f32, (y - MARGIN) as f32));
            if let Some(selection) = hit {
                handle.act(|lab| lab.selection = Some(selection));
            }
        })
    };
    let kind = props.handle.on_stage(|_, stage| stage.session.sim().machine.config.divergence);
    let Some(kind) = kind else {
        return html! {
            <section class="panel stage" aria-label="Mechanism">
                <header><h2>{ "Mechanism" }</h2></header>
                <p class="empty"><strong>{ "No kernel is loaded" }</strong>{ "Choose one at the top, or press E to paste your own." }</p>
            </section>
        };
    };
    let mechanism = mechanism::of(kind);
    html! {
        <section class="panel stage" aria-label="Mechanism">
            <header><h2>{ "Mechanism" }</h2><span class="note" title={mechanism.about}>{ mechanism.title }</span></header>
            <div class="place" ref={place}>
                <canvas ref={node} id="mechanism" style={format!("height:{}px", *height)} role="img" aria-label={(*words).clone()} {onclick} />
            </div>
        </section>
    }
}

fn draw(handle: &Handle, (width, height): (f64, f64)) -> Option<(Rc<Scene<Selection>>, bool, u64)> {
    if width <= 2.0 * MARGIN || height <= 2.0 * MARGIN {
        return None;
    }
    handle.on_stage(|lab, stage| {
        let sim = stage.session.sim();
        let picture = stage.picture();
        let view = View {
            sim,
            picture: &picture,
            listing: &stage.listing,
            selection: lab.selection,
            last: stage.session.last(),
            saved: stage.session.replay().tally().saved(),
            width: (width - 2.0 * MARGIN) as f32,
            height: (height - 2.0 * MARGIN) as f32,
        };
        let scene = (mechanism::of(sim.machine.config.divergence).draw)(view);
        (Rc::new(scene), lab.transport.is_slow(), picture.cycle)
    })
}

/// Paints the scene, at once or on the way from the one before.
fn show(
    shown: &Rc<RefCell<Shown>>,
    node: NodeRef,
    scene: Rc<Scene<Selection>>,
    slow: bool,
    cycle: u64,
    theme: Theme,
    size: (f64, f64),
) {
    let palette = Palette::of(theme);
    let paint_it = move |scene: &Scene<Selection>| {
        if let Some(context) = canvas::context(&node, size.0, size.1) {
            let _ = context.translate(MARGIN, MARGIN);
            paint(&context, scene, palette);
        }
    };
    let mut state = shown.borrow_mut();
    let before = state.scene.replace(scene.clone());
    let near = state.cycle != cycle && state.cycle.abs_diff(cycle) <= 2;
    state.cycle = cycle;
    state.moving = None;
    match before.filter(|_| slow && near && motion_allowed()) {
        Some(before) => {
            let start = now();
            state.moving = Some(Frames::start(move |_| {
                let part = (now() - start) / MOVE_MS;
                if part >= 1.0 {
                    paint_it(&scene);
                } else {
                    paint_it(&tween(&before, &scene, part as f32));
                }
                part < 1.0
            }));
        }
        None => paint_it(&scene),
    }
}
