//! A canvas with a panel or the control-flow graph, animated from cycle to cycle.

use super::canvas::{self, use_size};
use super::download::{caption, name, save_text};
use super::frame::{Frames, now};
use super::handle::Handle;
use super::motion;
use super::paint::Frame;
use super::tips;
use std::cell::RefCell;
use std::rc::Rc;
use warpscope_lab::{Lab, Stage, grouped};
use warpscope_pictures::mechanism::{self, Panel, PanelView};
use warpscope_pictures::scene::{Align, Damage, Film, Pace, Palette, Rect, Scene, Shape, Theme, Tone, add_damage, damage, svg};
use warpscope_pictures::view::Selection;
use web_sys::HtmlElement;
use yew::prelude::*;

/// Height of the mouse pointer below its tip, in pixels.
const POINTER: f64 = 16.0;
/// Space around the picture, in pixels.
const MARGIN: f64 = 12.0;

/// The room for a picture in a file, and the height of the caption below it, in pixels.
pub const FILE: (f64, f64) = (960.0, 540.0);
const CAPTION: f32 = 24.0;

/// What a canvas shows.
#[derive(Clone, Copy)]
pub enum Subject {
    /// A panel of the stage.
    Panel(&'static Panel),
    /// The kernel's control-flow graph.
    Flow,
}

impl PartialEq for Subject {
    fn eq(&self, other: &Subject) -> bool {
        self.label() == other.label()
    }
}

impl Subject {
    pub fn id(self) -> &'static str {
        match self {
            Subject::Panel(panel) => panel.name,
            Subject::Flow => "flow",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Subject::Panel(panel) => panel.title,
            Subject::Flow => "Control-flow graph",
        }
    }

    fn draw(self, view: PanelView) -> Scene<Selection> {
        match self {
            Subject::Panel(panel) => panel.draw(view),
            Subject::Flow => mechanism::flow(view),
        }
    }

    /// Prepares two of its scenes for the film from the earlier to the later one.
    pub fn direct(self, earlier: &mut Scene<Selection>, later: &mut Scene<Selection>) {
        if let Subject::Panel(panel) = self {
            panel.direct(earlier, later);
        }
    }
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
    pub subject: Subject,
    /// Keeps the selected warp in view.
    #[prop_or_default]
    pub follow: bool,
    /// The scale of the picture.
    #[prop_or(1.0)]
    pub zoom: f64,
}

/// What the canvas shows, and the film that is running.
#[derive(Default)]
struct Shown {
    scene: Option<Rc<Scene<Selection>>>,
    cycle: u64,
    moving: Option<Frames>,
    /// Where the canvas may differ from the scene, because a film is running.
    unsettled: Rc<RefCell<Vec<Rect>>>,
    frame: Option<Frame>,
    /// The cycle and the selection under the pointer of the last tooltip.
    pointed: Option<(u64, Selection)>,
}

impl Shown {
    /// Returns the selection under the pointer.
    fn at(&self, event: &MouseEvent) -> Option<Selection> {
        let zoom = self.frame.map_or(1.0, |frame| frame.zoom);
        let (x, y) = (f64::from(event.offset_x()) / zoom - MARGIN, f64::from(event.offset_y()) / zoom - MARGIN);
        self.scene.as_ref()?.hit(x as f32, y as f32)
    }
}

#[component]
pub fn Drawing(props: &Props) -> Html {
    let place = use_node_ref();
    let node = use_node_ref();
    let size = use_size(&place);
    let shown = use_mut_ref(Shown::default);
    let Props { subject, follow, zoom, .. } = *props;
    {
        let (node, place, shown) = (node.clone(), place.clone(), shown.clone());
        use_effect_with((props.handle.clone(), props.theme, size, follow, zoom), move |(handle, theme, size, follow, zoom)| {
            let size = (size.0 / zoom, size.1 / zoom);
            let Some((scene, pace, cycle)) = draw(subject, handle, size, *zoom) else {
                // The canvas is removed, and the next one is empty.
                shown.take();
                return;
            };
            let (wide, tall) = (f64::from(scene.width) + 2.0 * MARGIN, f64::from(scene.height) + 2.0 * MARGIN);
            if let Some(canvas) = node.cast::<HtmlElement>() {
                let _ = canvas.set_attribute("aria-label", &scene.words);
                if shown.borrow().frame.is_none_or(|frame| (frame.size, frame.zoom) != ((wide, tall), *zoom)) {
                    let _ = canvas.style().set_property("height", &format!("{}px", tall * zoom));
                    let _ = canvas.style().set_property("width", &format!("{}px", wide * zoom));
                }
            }
            let frame = Frame { theme: *theme, size: (wide, tall), ratio: canvas::ratio(), zoom: *zoom, margin: MARGIN };
            if *follow {
                bring_in_sight(&place, &scene, handle.read(|lab| lab.selection), size.1);
            }
            show(&mut shown.borrow_mut(), subject, node, scene, pace, cycle, frame);
        });
    }
    let onclick = {
        let (handle, shown) = (props.handle.clone(), shown.clone());
        Callback::from(move |event: MouseEvent| {
            let hit = shown.borrow().at(&event);
            if let Some(selection) = hit {
                handle.act(|lab| lab.selection = Some(selection));
            }
        })
    };
    let onmousemove = {
        let (handle, shown) = (props.handle.clone(), shown.clone());
        Callback::from(move |event: MouseEvent| {
            let mut shown = shown.borrow_mut();
            let pointed = shown.at(&event).map(|selection| (shown.cycle, selection));
            if std::mem::replace(&mut shown.pointed, pointed) == pointed {
                return;
            }
            let words = pointed.and_then(|(_, selection)| handle.on_stage(|_, stage| stage.brief(selection)));
            match words {
                Some(words) => {
                    tips::show(&words, event.client_x().into(), event.client_y().into(), f64::from(event.client_y()) + POINTER)
                }
                None => tips::hide(),
            }
        })
    };
    let onmouseleave = {
        let shown = shown.clone();
        Callback::from(move |_: MouseEvent| {
            shown.borrow_mut().pointed = None;
            tips::hide();
        })
    };
    html! {
        <div class="place" ref={place} tabindex="0" role="region" aria-label={subject.label()}>
            <canvas ref={node} id={props.handle.id(subject.id())} role="img" {onclick} {onmousemove} {onmouseleave} />
        </div>
    }
}

/// Returns the current scene, how the run comes to it, and its cycle. Where the page enlarges the picture, it may be laid out
/// smaller to fit.
fn draw(subject: Subject, handle: &Handle, (width, height): (f64, f64), zoom: f64) -> Option<(Rc<Scene<Selection>>, Pace, u64)> {
    if width <= 2.0 * MARGIN || height <= 2.0 * MARGIN {
        return None;
    }
    handle.on_stage(|lab, stage| {
        let room = (width - 2.0 * MARGIN, height - 2.0 * MARGIN);
        (Rc::new(scene_at(subject, lab, stage, room, 1.0 / zoom.max(1.0))), lab.transport.pace(), stage.session.cycle())
    })
}

pub fn scene(subject: Subject, lab: &Lab, stage: &Stage, room: (f64, f64)) -> Scene<Selection> {
    scene_at(subject, lab, stage, room, 1.0)
}

fn scene_at(subject: Subject, lab: &Lab, stage: &Stage, (width, height): (f64, f64), least_scale: f64) -> Scene<Selection> {
    let baseline = lab.baseline(stage);
    let rivals = if subject.id() == mechanism::PHASES { lab.rivals() } else { Rc::default() };
    subject.draw(PanelView {
        rivals: &rivals,
        sim: stage.session.sim(),
        picture: &stage.picture(),
        listing: &stage.listing,
        selection: lab.selection,
        last: stage.session.last(),
        tally: stage.session.replay().tally(),
        record: stage.session.record(),
        issues: stage.session.issues(),
        baseline: baseline.as_deref(),
        names_parts: lab.hints.is_some(),
        values: lab.values(),
        width: width as f32,
        height: height as f32,
        least_scale: least_scale as f32,
    })
}

/// Saves the current picture as an SVG file.
pub fn save_picture(handle: &Handle, theme: Theme, subject: Subject) {
    let file = handle.on_stage(|lab, stage| {
        let mut scene = scene(subject, lab, stage, FILE);
        scene.crop();
        let cycle = stage.session.cycle();
        let words = format!("{}, cycle {}", caption(lab, stage), grouped(cycle));
        scene.height += CAPTION;
        scene.label(0, Tone::Soft, 0.0, scene.height, 11.0, Align::Left, words);
        let name = name(lab, stage, &format!("{}-{cycle}", subject.id()), ".svg");
        (name, svg(&scene, Palette::of(theme)))
    });
    if let Some((name, text)) = file {
        save_text(&name, "image/svg+xml", &text);
    }
}

pub fn save_button(handle: &Handle, theme: Theme, subject: Subject) -> Html {
    let handle = handle.steady();
    let onclick = Callback::from(move |_: MouseEvent| save_picture(&handle, theme, subject));
    html! {
        <button type="button" class="plain" data-save={subject.id()} title="Save this picture as SVG, in the page's colours" {onclick}>
            { "SVG" }
        </button>
    }
}

/// Scrolls the selected warp into view.
fn bring_in_sight(place: &NodeRef, scene: &Scene<Selection>, selection: Option<Selection>, height: f64) {
    let Some(warp) = selection.and_then(Selection::warp) else { return };
    let spot = scene.spots.iter().rev().find(|spot| spot.what.warp() == Some(warp));
    let (Some(spot), Some(place)) = (spot, place.cast::<HtmlElement>()) else { return };
    let (top, middle) = (f64::from(place.scroll_top()), f64::from(spot.rect.y) + MARGIN);
    if middle < top + 32.0 || middle > top + height - 48.0 {
        place.set_scroll_top((middle - height / 2.0) as i32);
    }
}

/// Paints the scene, at once or as a film from the one before. A film that is still running ends at once.
fn show(shown: &mut Shown, subject: Subject, node: NodeRef, scene: Rc<Scene<Selection>>, pace: Pace, cycle: u64, frame: Frame) {
    let before = shown.scene.replace(scene.clone());
    let near = shown.cycle != cycle && shown.cycle.abs_diff(cycle) <= 2;
    let backwards = cycle < shown.cycle;
    shown.cycle = cycle;
    shown.moving = None;
    let same_frame = shown.frame.replace(frame) == Some(frame);
    let Some(before) = before.filter(|_| same_frame) else {
        shown.unsettled.take();
        frame.paint(&node, &scene);
        return;
    };
    let (mut from, mut to) = ((*before).clone(), (*scene).clone());
    if near {
        let (earlier, later) = if backwards { (&mut to, &mut from) } else { (&mut from, &mut to) };
        subject.direct(earlier, later);
    }
    let script = if backwards { &from.script } else { &to.script };
    let (film_ms, tells) = (motion::film_ms(pace, script), !script.is_quiet());
    let Damage { mut all, moving } = damage(&from, &to, backwards);
    // The parts that an unfinished film has left.
    shown.unsettled.take().into_iter().for_each(|part| add_damage(&mut all, part));
    if moving.is_empty() || !near || film_ms <= 0.0 {
        frame.repaint(&node, &scene, &all);
        return;
    }
    // Only the damage is painted: all of it in the first frame, the moving parts in those that follow.
    let (from, to) = (within(&from, &all), within(&to, &all));
    let unsettled = shown.unsettled.clone();
    *unsettled.borrow_mut() = all;
    let start = now();
    if tells {
        motion::wait_for(start + film_ms);
    }
    shown.moving = Some(Frames::start(move || {
        let part = (now() - start) / film_ms;
        let going = part < 1.0;
        let parts = unsettled.replace(if going { moving.clone() } else { Vec::new() });
        if going {
            frame.repaint(&node, &Film::new(&from, &to, backwards).frame(part as f32), &parts);
        } else {
            frame.repaint(&node, &to, &parts);
        }
        going
    }));
}

/// Returns the scene with only the shapes that lie in the damage.
fn within(scene: &Scene<Selection>, damage: &[Rect]) -> Scene<Selection> {
    // One pixel more, because damage is painted in whole pixels of the screen.
    let near = |shape: &&Shape| damage.iter().any(|part| part.meets(&shape.bounds().around(1.0)));
    let shapes = scene.shapes.iter().filter(near).cloned().collect();
    let (waypoints, script) = (scene.waypoints.clone(), scene.script.clone());
    Scene { shapes, waypoints, script, spots: Vec::new(), words: String::new(), ..*scene }
}
