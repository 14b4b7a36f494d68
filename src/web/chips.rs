//! The chips beside a text's lines, which show the warps at each line. They are on a canvas, because most steps change some of
//! them, and adding and removing elements costs a browser many times as much.

use super::canvas;
use super::paint::Frame;
use std::cell::RefCell;
use std::rc::Rc;
use warpscope_pictures::scene::{Scene, Theme, damage};
use warpscope_pictures::view::Selection;
use web_sys::HtmlElement;
use yew::prelude::*;

/// The canvas, and the scene that it shows.
#[derive(Default)]
pub struct Chips {
    shown: Option<(Frame, Rc<Scene<Selection>>)>,
    node: NodeRef,
}

impl Chips {
    /// Returns the warp under the pointer.
    pub fn at(&self, event: &MouseEvent) -> Option<Selection> {
        let place = self.node.cast::<HtmlElement>()?.get_bounding_client_rect();
        let (x, y) = (f64::from(event.client_x()) - place.left(), f64::from(event.client_y()) - place.top());
        self.shown.as_ref()?.1.hit(x as f32, y as f32)
    }

    /// Paints a scene; repaints only what has changed if the canvas is the same.
    fn show(&mut self, scene: Rc<Scene<Selection>>, theme: Theme) {
        let size = (f64::from(scene.width), f64::from(scene.height));
        let frame = Frame { theme, size, ratio: canvas::ratio(), zoom: 1.0, margin: 0.0 };
        match &self.shown {
            Some((before, old)) if *before == frame => frame.repaint(&self.node, &scene, &damage(old, &scene, false).all),
            _ => frame.paint(&self.node, &scene),
        }
        self.shown = Some((frame, scene));
    }
}

/// Returns the chips of a text, and the canvas element that shows them.
#[hook]
pub fn use_chips(scene: Option<Scene<Selection>>, theme: Theme) -> (Rc<RefCell<Chips>>, Html) {
    let chips = use_mut_ref(Chips::default);
    let scene = scene.map(Rc::new);
    {
        let (chips, scene) = (chips.clone(), scene.clone());
        use_effect(move || match scene {
            Some(scene) => chips.borrow_mut().show(scene, theme),
            // The canvas is removed, and the next one is empty.
            None => chips.borrow_mut().shown = None,
        });
    }
    let canvas = scene.map(|scene| {
        let node = chips.borrow().node.clone();
        let style = format!("width:{}px", scene.width as u32);
        html! { <canvas class="here" ref={node} role="img" aria-label={scene.words.clone()} {style} /> }
    });
    (chips, canvas.unwrap_or_default())
}
