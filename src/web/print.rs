//! The printed page: a sheet with the pictures, their caption and the numbers. A lesson prints as a handout with its kernel, a
//! picture and the question of every stop, and the answers at the end. The sheet exists only while the page is printed.

use super::download::{address, caption};
use super::drawing::{FILE, Subject, scene};
use super::handle::Handle;
use super::listening::use_window_events;
use super::numbers::numbers;
use super::prose::prose;
use warpscope_lab::{Lab, grouped};
use warpscope_pictures::mechanism::{self, Panel};
use warpscope_pictures::scene::{Palette, SVG_MARGIN, Theme, svg};
use warpscope_study::lesson::{Ask, Lesson, Question};
use yew::prelude::*;

/// The room for a picture of a handout, in pixels, and its scale on paper: it is as wide as the page, and its smallest labels, of
/// 10 pixels, become 9 points high.
const ROOM: (f64, f64) = (540.0, 360.0);
const SCALE: f32 = 1.21;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
}

#[component]
pub fn PrintSheet(props: &Props) -> Html {
    let printing = use_state_eq(|| false);
    {
        let printing = printing.setter();
        use_window_events(true, &["beforeprint", "afterprint"], move |event| printing.set(event.type_() == "beforeprint"));
    }
    if *printing && let Some(handout) = props.handle.read(|lab| lab.course.as_ref().map(|course| handout(&course.lesson))) {
        return handout;
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

/// Renders a lesson as a handout.
fn handout(lesson: &Lesson) -> Html {
    // The stops are visited in a separate lab, so that the page does not move.
    let mut lab = Lab::new();
    lab.begin_lesson(lesson.clone());
    let mut stop = |at: usize| {
        let stop = &lesson.stops[at];
        lab.go_to_stop(at);
        let picture = lab.stage.as_ref().and_then(|stage| {
            let wanted = stop.panel.as_deref().or(lesson.panel.as_deref());
            let sim = stage.session.sim();
            let named = mechanism::panels(sim).into_iter().find(|panel| Some(panel.name) == wanted);
            let panel = named.or_else(|| mechanism::leading(sim))?;
            let mut scene = scene(Subject::Panel(panel), &lab, stage, ROOM);
            scene.crop();
            let width = format!("width:{}px", (scene.width + 2.0 * SVG_MARGIN) * SCALE);
            Some(html! { <img src={address(&svg(&scene, Palette::of(Theme::Light)))} alt={panel.title} style={width} /> })
        });
        html! {
            <section class="stop">
                <h3>{ format!("{}. {}, cycle {}", at + 1, stop.technique, grouped(lab.cycle())) }</h3>
                <div class="prose">{ prose(&stop.text) }</div>
                <figure>{ picture }</figure>
                if let Some(question) = &stop.question {
                    <p><strong>{ &question.text }</strong></p>
                    { asked(&question.ask) }
                }
            </section>
        }
    };
    let stops: Html = (0..lesson.stops.len()).map(&mut stop).collect();
    let answers = lesson.stops.iter().enumerate().filter_map(|(at, stop)| Some((at, stop.question.as_ref()?)));
    let answer = |(at, question): (usize, &Question)| html! { <li value={(at + 1).to_string()}>{ right(&question.ask) }{ " " }{ &question.because }</li> };
    html! {
        <section class="sheet handout" aria-label="Handout of the lesson">
            <h2>{ &lesson.title }</h2>
            <p class="note">{ format!("{} · {} · Warpscope", lesson.section, lesson.techniques.join(", ")) }</p>
            <div class="prose">{ prose(&lesson.about) }</div>
            { code(lesson) }
            { stops }
            <h3>{ "Answers" }</h3>
            <ol class="answers">{ for answers.map(answer) }</ol>
        </section>
    }
}

/// Renders the kernel with the numbers of its lines: in CUDA, or in PTX where there is no more.
fn code(lesson: &Lesson) -> Html {
    let (name, text) = if lesson.cuda.is_empty() { ("PTX", &lesson.kernel) } else { ("CUDA", &lesson.cuda) };
    let line = |(at, line): (usize, &str)| {
        html! { <span class="printed"><span class="at">{ at + 1 }</span>{ line.replace('\t', "    ") }</span> }
    };
    html! {
        <section class="stop">
            <h3>{ format!("The kernel, in {name}") }</h3>
            <pre class="code">{ for text.trim_end().lines().enumerate().map(line) }</pre>
        </section>
    }
}

/// Renders the choices of a question, with room to tick.
fn asked(ask: &Ask) -> Html {
    match ask {
        Ask::Choices { choices, .. } => {
            html! { <ul class="ticks">{ for choices.iter().map(|choice| html! { <li>{ choice }</li> }) }</ul> }
        }
        Ask::Lanes { count, .. } => {
            html! { <p class="boxes">{ "Mark the lanes: " }{ for (0..*count).map(|lane| html! { <span>{ lane }</span> }) }</p> }
        }
    }
}

/// Returns the right answer in words.
fn right(ask: &Ask) -> String {
    match ask {
        Ask::Choices { choices, right } => format!("{}.", choices.get(*right).map_or("", String::as_str).trim_end_matches('.')),
        Ask::Lanes { count, right } => {
            let lanes: Vec<String> = (0..*count).filter(|lane| right >> lane & 1 == 1).map(|lane| lane.to_string()).collect();
            format!("Lanes {}.", lanes.join(", "))
        }
    }
}
