//! The splitters between the panels: dragged, or moved with the arrow keys; a double click resets all panels.

use super::storage;
use yew::prelude::*;

const KEY: &str = "warpscope.sizes";
/// Distance by which an arrow key moves an edge, in pixels.
const BY: f64 = 16.0;

/// Width of the source with its texts side by side, in pixels; the style sheet asks for 560 inside its border.
const BESIDE: f64 = 564.0;

/// The sizes of the panels, in pixels. Without them, the style sheet decides.
#[derive(Clone, Copy, PartialEq)]
pub struct Sizes {
    source: f64,
    side: f64,
    timeline: f64,
}

impl Sizes {
    /// Loads the sizes that the last visit stored.
    pub fn load() -> Option<Sizes> {
        let text = storage::load(KEY)?;
        let mut numbers = text.split(' ').map(|number| number.parse().ok().filter(|pixels: &f64| pixels.is_finite()));
        let mut next = || numbers.next().flatten();
        Some(Sizes { source: next()?, side: next()?, timeline: next()? })
    }

    pub fn save(sizes: Option<Sizes>) {
        storage::save(KEY, &sizes.map_or(String::new(), |s| format!("{} {} {}", s.source, s.side, s.timeline)));
    }

    /// Returns the sizes with an edge moved right or down by `by` pixels.
    fn pushed(self, edge: Edge, by: f64) -> Sizes {
        match edge {
            Edge::Source => Sizes { source: self.source + by, ..self },
            Edge::Side => Sizes { side: self.side - by, ..self },
            Edge::Timeline => Sizes { timeline: self.timeline - by, ..self },
        }
        .within(edge)
    }

    /// Returns the sizes with an edge's panel large enough to read and small enough to leave room for the others.
    fn within(self, edge: Edge) -> Sizes {
        let root = web_sys::window().and_then(|window| window.document()?.document_element());
        let most = root.map_or(f64::INFINITY, |root| f64::from(root.client_width()) * 0.6);
        match edge {
            Edge::Source => Sizes { source: self.source.min(most).max(200.0), ..self },
            Edge::Side => Sizes { side: self.side.min(most).max(240.0), ..self },
            Edge::Timeline => Sizes { timeline: self.timeline.clamp(96.0, 600.0), ..self },
        }
    }

    /// Returns the CSS variables that set the sizes.
    pub fn style(self) -> String {
        format!("--source:{}px;--side:{}px;--timeline:{}px", self.source, self.side, self.timeline)
    }
}

/// The edge that a splitter moves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    Source,
    Side,
    Timeline,
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub edge: Edge,
    /// The current sizes; a change of them updates the splitter's value.
    pub sizes: Option<Sizes>,
    pub onresize: Callback<Option<Sizes>>,
}

#[component]
pub fn Split(props: &Props) -> Html {
    let node = use_node_ref();
    let held = use_state_eq(|| false);
    let edge = props.edge;
    let to = {
        let onresize = props.onresize.clone();
        move |x: f64, y: f64| {
            if let Some(sizes) = moved(edge, x, y) {
                onresize.emit(Some(sizes));
            }
        }
    };
    let onpointerdown = {
        let (held, node) = (held.clone(), node.clone());
        Callback::from(move |event: PointerEvent| {
            held.set(true);
            if let Some(element) = node.cast::<web_sys::Element>() {
                let _ = element.set_pointer_capture(event.pointer_id());
            }
        })
    };
    let onpointermove = {
        let (held, to) = (held.clone(), to.clone());
        Callback::from(move |event: PointerEvent| {
            if *held {
                to(f64::from(event.client_x()), f64::from(event.client_y()));
            }
        })
    };
    let onpointerup = Callback::from(move |_: PointerEvent| held.set(false));
    let ondblclick = props.onresize.reform(|_: MouseEvent| None);
    // The sizes that keys have asked for since the last layout: keys may come faster than layouts.
    let wanted = use_mut_ref(|| None::<Sizes>);
    let onkeydown = {
        let (wanted, onresize) = (wanted.clone(), props.onresize.clone());
        Callback::from(move |event: KeyboardEvent| {
            let by = match event.key().as_str() {
                "ArrowLeft" | "ArrowUp" => -BY,
                "ArrowRight" | "ArrowDown" => BY,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            let now = *wanted.borrow();
            if let Some(sizes) = now.or_else(measured).map(|now| now.pushed(edge, by)) {
                *wanted.borrow_mut() = Some(sizes);
                onresize.emit(Some(sizes));
            }
        })
    };
    let (class, orientation, label) = match edge {
        Edge::Source => ("splitter tall", "vertical", "Width of the source"),
        Edge::Side => ("splitter tall", "vertical", "Width of the details"),
        Edge::Timeline => ("splitter flat", "horizontal", "Height of the timeline"),
    };
    // After the layout: the size of the edge's panel, in per cent of the window.
    {
        let node = node.clone();
        use_effect(move || {
            *wanted.borrow_mut() = None;
            if let Some(element) = node.cast::<web_sys::Element>() {
                let _ = element.set_attribute("aria-valuenow", &along(edge).unwrap_or(50).to_string());
            }
        });
    }
    html! {
        <div {class} role="separator" aria-valuemin="0" aria-valuemax="100" aria-orientation={orientation} aria-label={label} tabindex="0" ref={node}
            title="Drag, or arrow keys; double click to reset"
            {onpointerdown} {onpointermove} {onpointerup} {ondblclick} {onkeydown}></div>
    }
}

/// Returns the size of an edge's panel, in per cent of the window.
fn along(edge: Edge) -> Option<u32> {
    let document = web_sys::window()?.document()?;
    let root = document.document_element()?;
    let measure = |selector: &str| Some(document.query_selector(selector).ok()??.get_bounding_client_rect());
    let (size, all) = match edge {
        Edge::Source => (measure(".source")?.width(), root.client_width()),
        Edge::Side => (measure(".side")?.width(), root.client_width()),
        Edge::Timeline => (measure(".timeline")?.height(), root.client_height()),
    };
    Some((size / f64::from(all.max(1)) * 100.0).clamp(0.0, 100.0) as u32)
}

/// Returns the sizes with the source wide enough for texts side by side; `None`, a reset, if it is already.
pub fn beside() -> Option<Sizes> {
    let source = web_sys::window()?.document()?.query_selector(".source").ok()??.get_bounding_client_rect();
    if source.width() < BESIDE { moved(Edge::Source, source.left() + BESIDE, 0.0) } else { None }
}

/// Returns the sizes of the current layout.
fn measured() -> Option<Sizes> {
    let [source, side, timeline] = panels()?;
    Some(Sizes { source: source.width(), side: side.width(), timeline: timeline.height() })
}

/// Returns the sizes with the edge at a point of the window.
fn moved(edge: Edge, x: f64, y: f64) -> Option<Sizes> {
    let [source, side, timeline] = panels()?;
    let now = measured()?;
    let sizes = match edge {
        Edge::Source => Sizes { source: x - source.left(), ..now },
        Edge::Side => Sizes { side: side.right() - x, ..now },
        Edge::Timeline => Sizes { timeline: timeline.bottom() - y, ..now },
    };
    Some(sizes.within(edge))
}

/// Returns the bounds of the panels with an edge of their own: source, side, timeline.
fn panels() -> Option<[web_sys::DomRect; 3]> {
    let document = web_sys::window()?.document()?;
    let measure = |selector: &str| Some(document.query_selector(selector).ok()??.get_bounding_client_rect());
    Some([measure(".source")?, measure(".side")?, measure(".timeline")?])
}
