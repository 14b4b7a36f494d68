//! The panel of plots: every figure of the run, live while it plays, each with buttons to save it.
//!
//! Playing changes the page sixty times a second. A figure is drawn at most ten times a second, and one figure a frame, so
//! that no frame pays for all of them. Figures that are scrolled out of view wait until they are visible.

use super::canvas::use_size;
use super::chart::{FILE, most_stretches, png, show};
use super::download::{caption, name, save, save_text};
use super::frame::{Frames, now};
use super::handle::Handle;
use js_sys::Array;
use std::cell::RefCell;
use std::rc::Rc;
use warpscope_lab::Tracing;
use warpscope_pictures::plot::{Chart, FIGURES, Figure, csv, svg};
use warpscope_pictures::scene::{Palette, Theme};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{HtmlCanvasElement, IntersectionObserver, IntersectionObserverEntry};
use yew::prelude::*;

/// The least time between two drawings of a figure, in milliseconds.
const PAUSE_MS: f64 = 100.0;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
}

#[component]
pub fn PlotsPanel(props: &Props) -> Html {
    let place = use_node_ref();
    let (width, _) = use_size(&place);
    let easel = use_mut_ref(Easel::default);
    let dark = use_state_eq(|| false);
    let ready = props.handle.on_stage(|_, _| ()).is_some();
    {
        let easel = easel.clone();
        use_effect_with((props.handle.clone(), props.theme, width as u32), move |(handle, theme, width)| {
            easel.borrow_mut().take(handle.clone(), *theme, *width);
            draw_soon(&easel);
        });
    }
    {
        let easel = easel.clone();
        use_effect_with((), move |()| watch(easel));
    }
    let onsave = {
        let easel = easel.clone();
        use_callback(*dark, move |(at, format): (usize, Format), dark| {
            let theme = if *dark { Theme::Dark } else { Theme::Light };
            easel.borrow().save(at, format, theme);
        })
    };
    let ontrace = {
        let handle = props.handle.clone();
        Callback::from(move |_: MouseEvent| {
            let begun = handle.on_stage(|lab, stage| (name(lab, stage, "trace", ".json"), stage.tracing()));
            if let Some((name, tracing)) = begun {
                wasm_bindgen_futures::spawn_local(save_trace(name, tracing));
            }
        })
    };
    let theme = |name: &'static str, value: bool| {
        let dark = dark.clone();
        let pressed = (*dark == value).to_string();
        let onclick = move |_: MouseEvent| dark.set(value);
        html! { <button type="button" aria-pressed={pressed} {onclick}>{ name }</button> }
    };
    let shows = |at: usize| {
        let shows = props.handle.on_stage(|_, stage| (FIGURES[at].shows)(&stage.session.sim().machine.config));
        shows.unwrap_or(false)
    };
    let plots = easel.borrow().canvases.clone().into_iter().enumerate();
    html! {
        <div class="scroll plots">
            if ready {
                <div class="plots-files">
                    <span class="note" id="plots-files">{ "Save figures in" }</span>
                    <div class="segments" role="group" aria-labelledby="plots-files">
                        { theme("Light", false) }{ theme("Dark", true) }
                    </div>
                    <span class="push"></span>
                    <button type="button" class="plain" id="save-trace" onclick={ontrace}
                        title="Every warp, cycle by cycle, as far as the run is simulated: a file for Perfetto's page or chrome://tracing">{ "Perfetto trace" }</button>
                </div>
            } else {
                <p class="empty"><strong>{ "No run yet" }</strong>{ "Choose a kernel." }</p>
            }
            <div class="plots-list" ref={place} hidden={!ready}>
                { for plots.map(|(at, canvas)| plot(at, canvas, !shows(at), &onsave)) }
            </div>
        </div>
    }
}

/// Writes a trace in slices, between which the page answers, and saves it.
async fn save_trace(name: String, mut tracing: Tracing) {
    /// Cycles of a slice: some milliseconds.
    const SLICE: u64 = 500;
    while tracing.advance(SLICE) {
        gloo_timers::future::TimeoutFuture::new(0).await;
    }
    if let Some(text) = tracing.finish() {
        save_text(&name, "application/json", &text);
    }
}

/// The file format of a saved figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Png(u32),
    Svg,
    Csv,
}

impl Format {
    const ALL: [Format; 5] = [Format::Png(1), Format::Png(2), Format::Png(4), Format::Svg, Format::Csv];

    fn name(self) -> String {
        match self {
            Format::Png(scale) => format!("{scale}×"),
            Format::Svg => "SVG".into(),
            Format::Csv => "CSV".into(),
        }
    }

    fn about(self) -> String {
        match self {
            Format::Png(scale) => format!("Save as PNG, {} × {} pixels", FILE.0 * scale, FILE.1 * scale),
            Format::Svg => "Save as SVG".into(),
            Format::Csv => "Save the numbers as CSV".into(),
        }
    }

    fn ending(self) -> String {
        match self {
            Format::Png(1) => ".png".into(),
            Format::Png(scale) => format!("@{scale}x.png"),
            Format::Svg => ".svg".into(),
            Format::Csv => ".csv".into(),
        }
    }
}

/// Renders the figure number `at`, hidden if it does not apply to this machine. The easel draws on its canvas.
fn plot(at: usize, canvas: NodeRef, hidden: bool, onsave: &Callback<(usize, Format)>) -> Html {
    let Figure { id, title, about, .. } = &FIGURES[at];
    let button = |format: Format| {
        let onclick = onsave.reform(move |_: MouseEvent| (at, format));
        let label = format!("{}: {}, {title}", format.name(), format.about());
        html! {
            <button type="button" class="plain" data-format={format.name()} title={format.about()} aria-label={label} {onclick}>
                { format.name() }
            </button>
        }
    };
    html! {
        <figure key={at} class="plot" data-figure={*id} {hidden}>
            <figcaption>
                <h3 title={*about}>{ *title }</h3>
                <div class="plot-files" role="group" aria-label={format!("Save {title}")}>
                    <span aria-hidden="true">{ "PNG" }</span>
                    { for Format::ALL.into_iter().map(button) }
                </div>
            </figcaption>
            <canvas ref={canvas} role="img" title={*about} data-at={at.to_string()} />
        </figure>
    }
}

/// The canvases of the figures, and which figures have to be drawn.
struct Easel {
    /// The lab to draw, the colours, and the width in pixels.
    subject: Option<(Handle, &'static Palette, u32)>,
    canvases: Vec<NodeRef>,
    plots: Vec<Standing>,
    frames: Option<Frames>,
}

/// The state of one figure's drawing.
#[derive(Clone, Copy, Default)]
struct Standing {
    stale: bool,
    seen: bool,
    drawn_at: f64,
}

impl Default for Easel {
    fn default() -> Easel {
        Easel {
            subject: None,
            canvases: FIGURES.iter().map(|_| NodeRef::default()).collect(),
            plots: vec![Standing::default(); FIGURES.len()],
            frames: None,
        }
    }
}

impl Easel {
    fn take(&mut self, handle: Handle, theme: Theme, width: u32) {
        self.subject = Some((handle, Palette::of(theme), width));
        self.plots.iter_mut().for_each(|plot| plot.stale = true);
    }

    /// Draws the stale, visible figure that was drawn longest ago, if it is due. Returns whether others wait.
    fn draw_one(&mut self, time: f64) -> bool {
        let waits = |plot: &Standing| plot.stale && plot.seen;
        let due = self.plots.iter().enumerate().filter(|(_, plot)| waits(plot) && time - plot.drawn_at >= PAUSE_MS);
        if let Some(at) = due.min_by(|a, b| a.1.drawn_at.total_cmp(&b.1.drawn_at)).map(|(at, _)| at) {
            self.plots[at] = Standing { stale: false, seen: true, drawn_at: time };
            self.draw(at);
        }
        self.plots.iter().any(waits)
    }

    fn draw(&self, at: usize) -> Option<()> {
        let (handle, palette, width) = self.subject.as_ref().filter(|subject| subject.2 > 0)?;
        let canvas = self.canvases[at].cast::<HtmlCanvasElement>()?;
        let chart = chart(handle, at, most_stretches(*width))?;
        show(&canvas, &chart, palette, *width);
        canvas.set_attribute("aria-label", &chart.words()).ok()
    }

    fn save(&self, at: usize, format: Format, theme: Theme) -> Option<()> {
        let (handle, ..) = self.subject.as_ref()?;
        let most = if format == Format::Csv { usize::MAX } else { most_stretches(FILE.0) };
        let chart = chart(handle, at, most)?;
        let palette = Palette::of(theme);
        let name = handle.on_stage(|lab, stage| name(lab, stage, chart.figure.id, &format.ending()))?;
        match format {
            Format::Png(scale) => png(&chart, palette, scale, move |blob| save(&name, &blob))?,
            Format::Svg => save_text(&name, "image/svg+xml", &svg(&chart, palette, FILE.0, FILE.1)),
            Format::Csv => save_text(&name, "text/csv;charset=utf-8", &csv(&chart)),
        }
        Some(())
    }
}

/// Returns a figure of the run in its current state.
fn chart(handle: &Handle, at: usize, most: usize) -> Option<Chart> {
    handle.on_stage(|lab, stage| {
        let mut chart = Chart::new(&FIGURES[at], &stage.run(lab.selection), most);
        chart.note = caption(lab, stage);
        chart
    })
}

/// Draws stale figures, one a frame, from the next frame on.
fn draw_soon(easel: &Rc<RefCell<Easel>>) {
    if easel.borrow().frames.is_some() {
        return;
    }
    let mine = easel.clone();
    let frames = Frames::start(move || {
        let mut easel = mine.borrow_mut();
        let more = easel.draw_one(now());
        if !more {
            easel.frames = None;
        }
        more
    });
    easel.borrow_mut().frames = Some(frames);
}

/// Tracks which figures are visible, until the returned closure is called.
fn watch(easel: Rc<RefCell<Easel>>) -> impl FnOnce() {
    let watched = easel.clone();
    let notice = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
        let mut easel = watched.borrow_mut();
        for entry in entries.iter() {
            let entry: IntersectionObserverEntry = entry.unchecked_into();
            let at = entry.target().get_attribute("data-at").and_then(|at| at.parse().ok());
            if let Some(plot) = at.and_then(|at: usize| easel.plots.get_mut(at)) {
                plot.seen = entry.is_intersecting();
            }
        }
        drop(easel);
        draw_soon(&watched);
    });
    let observer = IntersectionObserver::new(notice.as_ref().unchecked_ref()).ok();
    if let Some(observer) = &observer {
        let canvases = easel.borrow().canvases.clone();
        canvases.iter().filter_map(NodeRef::cast::<HtmlCanvasElement>).for_each(|canvas| observer.observe(&canvas));
    }
    move || {
        if let Some(observer) = observer {
            observer.disconnect();
        }
        easel.borrow_mut().frames = None;
        drop(notice);
    }
}
