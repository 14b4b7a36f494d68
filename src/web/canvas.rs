//! Canvases at the screen's resolution, as large as the element that holds them.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, ResizeObserver};
use yew::prelude::*;

/// Observes the size of an element.
struct Watch {
    element: Element,
    observer: ResizeObserver,
    _callback: Closure<dyn FnMut()>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// Returns the size of an element in CSS pixels, at most the window's; follows the element, and any that replaces it. (Without
/// its style sheet an element is as large as what is drawn in it, and would grow with it for ever.)
#[hook]
pub fn use_size(node: &NodeRef) -> (f64, f64) {
    let size = use_state_eq(|| (0.0, 0.0));
    let watch = use_mut_ref(|| None::<Watch>);
    let (node, set) = (node.clone(), size.setter());
    // After every render: the element may appear later than the component does, or be replaced.
    use_effect(move || {
        let element = node.cast::<Element>();
        if watch.borrow().as_ref().map(|watch| &watch.element) != element.as_ref() {
            watch.replace(element.and_then(|element| begin(element, set)));
        }
    });
    *size
}

fn begin(element: Element, size: UseStateSetter<(f64, f64)>) -> Option<Watch> {
    let measured = element.clone();
    let measure = move || {
        let window = web_sys::window().and_then(|window| window.document()?.document_element());
        let Some(window) = window else { return };
        let (width, height) = (measured.client_width(), measured.client_height());
        size.set((width.min(window.client_width()).into(), height.min(window.client_height()).into()));
    };
    measure();
    let callback = Closure::<dyn FnMut()>::new(measure);
    let observer = ResizeObserver::new(callback.as_ref().unchecked_ref()).ok()?;
    observer.observe(&element);
    Some(Watch { element, observer, _callback: callback })
}

/// Returns the screen pixels per CSS pixel.
pub fn ratio() -> f64 {
    web_sys::window().map_or(1.0, |window| window.device_pixel_ratio()).clamp(1.0, 4.0)
}

/// Returns the canvas's context as [`context`] left it.
pub fn same_context(node: &NodeRef) -> Option<CanvasRenderingContext2d> {
    node.cast::<HtmlCanvasElement>()?.get_context("2d").ok()??.dyn_into::<CanvasRenderingContext2d>().ok()
}

/// Sizes and clears the canvas; returns its context, with CSS pixels as coordinates.
pub fn context(node: &NodeRef, width: f64, height: f64) -> Option<CanvasRenderingContext2d> {
    let canvas = node.cast::<HtmlCanvasElement>()?;
    let ratio = ratio();
    let (w, h) = ((width * ratio).round() as u32, (height * ratio).round() as u32);
    if canvas.width() != w || canvas.height() != h {
        canvas.set_width(w);
        canvas.set_height(h);
    }
    let context = canvas.get_context("2d").ok()??.dyn_into::<CanvasRenderingContext2d>().ok()?;
    context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0).ok()?;
    context.clear_rect(0.0, 0.0, width, height);
    Some(context)
}
