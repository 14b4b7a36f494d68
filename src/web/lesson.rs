//! Lessons: the list to choose from, and the panel with the open lesson's text.

use super::drawer::Drawer;
use super::handle::Handle;
use super::prose::prose;
use super::storage;
use std::collections::BTreeMap;
use warpscope_lab::{Course, Lab};
use warpscope_study::lesson::{self, Ask, Question};
use yew::prelude::*;

/// The storage key of the user's progress: for each lesson, the number of stops reached.
const PROGRESS: &str = "warpscope.lessons";

fn progress() -> BTreeMap<String, usize> {
    storage::load_json(PROGRESS).unwrap_or_default()
}

/// Stores how far the user has come in the open lesson.
#[hook]
pub fn use_progress(handle: &Handle) {
    let at = handle.read(|lab| lab.course.as_ref().and_then(|course| Some((course.lesson.id, course.stop? + 1))));
    use_effect_with(at, |at| {
        let Some((id, stops)) = *at else { return };
        let mut known = progress();
        let furthest = known.entry(id.to_string()).or_default();
        if stops > *furthest {
            *furthest = stops;
            storage::save_json(PROGRESS, &known);
        }
    });
}

/// Renders every lesson with the number that its link has, under its paper, with its length in minutes and the user's progress.
pub fn lesson_list(handle: &Handle, onclose: Callback<()>, onopen: &Callback<()>) -> Html {
    let known = progress();
    let item = |lesson: &'static lesson::Lesson| {
        let onclick = {
            let (handle, onopen) = (handle.clone(), onopen.clone());
            Callback::from(move |_: MouseEvent| {
                handle.act(|lab| {
                    lab.open_lesson(lesson.id);
                });
                onopen.emit(());
            })
        };
        let all = lesson.stops.len();
        let come = match known.get(lesson.id).copied().unwrap_or(0) {
            0 => String::new(),
            stops if stops >= all => "✓ done".to_string(),
            stops => format!("{stops} of {all} stops"),
        };
        html! {
            <li>
                <button type="button" id={format!("lesson-{}", lesson.id)} {onclick}>
                    <strong><span class="number">{ lesson.number() }</span>{ &lesson.title }</strong>
                    <span class="come">{ come }</span>
                    <span class="note">{ format!("{} · {} · about {} min", lesson.section, lesson.techniques.join(", "), lesson.minutes()) }</span>
                </button>
            </li>
        }
    };
    let group = |lessons: &'static [lesson::Lesson]| {
        html! {
            <>
                <h3>{ lessons[0].group() }</h3>
                <ol class="lessons">{ for lessons.iter().map(item) }</ol>
            </>
        }
    };
    html! {
        <Drawer title="Lessons" id="lessons-list" {onclose}>
            <p class="status">{ "Short guided runs of small kernels, stopped where there is something to see." }</p>
            <div class="scroll">{ for lesson::all().chunk_by(|a, b| a.group() == b.group()).map(group) }</div>
        </Drawer>
    }
}

/// Renders the open lesson.
pub fn lesson_panel(handle: &Handle) -> Html {
    let Some(course) = handle.read(|lab| lab.course.clone()) else {
        return html! { <p class="empty"><strong>{ "No lesson is open" }</strong>{ "Choose one under Lessons at the top." }</p> };
    };
    let lesson = &course.lesson;
    let print = Callback::from(|_: MouseEvent| {
        let _ = web_sys::window().map(|window| window.print());
    });
    html! {
        <div key="lesson" class="lesson">
            <div class="scroll" aria-live="polite" tabindex="0" role="region" aria-label="The lesson's text">
                <h3>{ &lesson.title }<button type="button" class="plain push" id="handout" title="Print the lesson: its text, a picture of each stop, its questions" onclick={print}>{ "Print" }</button>
                    <button type="button" class="plain" id="leave" onclick={handle.callback(Lab::leave_lesson)}>{ "Leave" }</button></h3>
                <p class="note">{ &lesson.section }
                    if let Some(stop) = course.current() {
                        { format!(" · {} · ", stop_words(&course)) }<strong>{ &stop.technique }</strong>
                    }
                </p>
                { told(handle, &course) }
                { asked(handle, &course) }
            </div>
            { stops(handle, &course) }
        </div>
    }
}

/// Renders the open lesson below the stage, for a class: what the stop says, beside its question.
pub fn presented_lesson(handle: &Handle) -> Html {
    let Some(course) = handle.read(|lab| lab.course.clone()) else { return Html::default() };
    let words = course.current().map(|_| stop_words(&course));
    html! {
        <section class="lesson presented-lesson" aria-label="Lesson">
            <header>
                <strong>{ &course.lesson.title }</strong><span class="note">{ words }</span>
                { stops(handle, &course) }
            </header>
            <div class="scroll" aria-live="polite" tabindex="0" role="region" aria-label="The lesson's text">
                <div>{ told(handle, &course) }</div>
                { asked(handle, &course) }
            </div>
        </section>
    }
}

/// Says at which stop the lesson is.
fn stop_words(course: &Course) -> String {
    format!("stop {} of {}", course.stop.map_or(0, |at| at + 1), course.lesson.stops.len())
}

/// Renders the text of the current stop, or the lesson's introduction before the first.
fn told(handle: &Handle, course: &Course) -> Html {
    let text = course.current().map_or(course.lesson.about.as_str(), |stop| stop.text.as_str());
    let back = course.stop.filter(|_| handle.read(|lab| is_away(lab, course)));
    html! {
        <>
            <div class="prose" id="lesson-text">{ prose(text) }</div>
            if let Some(at) = back {
                <p class="note">{ "You have moved on from this stop. " }
                    <button type="button" class="plain" onclick={handle.callback(move |lab: &mut Lab| lab.go_to_stop(at))}>{ "Back to it" }</button>
                </p>
            }
        </>
    }
}

/// Renders the question of the current stop, if it has one.
fn asked(handle: &Handle, course: &Course) -> Html {
    let question = course.current().and_then(|stop| stop.question.as_ref());
    question.map_or_else(Html::default, |question| ask(handle, course, question))
}

/// Renders the buttons that lead from stop to stop.
fn stops(handle: &Handle, course: &Course) -> Html {
    let dots = course.lesson.stops.iter().enumerate().map(|(at, stop)| {
        let current = (course.stop == Some(at)).then_some("true");
        let title = format!("Stop {} ({})", at + 1, stop.technique);
        html! {
            <button type="button" class="dot" aria-current={current} aria-label={title.clone()} {title}
                onclick={handle.callback(move |lab: &mut Lab| lab.go_to_stop(at))}></button>
        }
    });
    let is_asked = course.answer().is_none() && course.current().is_some_and(|stop| stop.question.is_some());
    html! {
        <nav class="stops" aria-label="Stops">
            <button type="button" id="previous-stop" disabled={course.stop.unwrap_or(0) == 0} onclick={handle.callback(Lab::previous_stop)}>{ "Back" }</button>
            { for dots }
            if is_asked {
                <button type="button" id="to-question" class="plain" title="Show the question below the text"
                    onclick={|_: MouseEvent| bring_in_sight("question")}>{ "Question ↓" }</button>
            }
            { onwards(handle, course) }
        </nav>
    }
}

/// Renders the way on: to the next stop, and from the last one to the next lesson.
fn onwards(handle: &Handle, course: &Course) -> Html {
    if let Some(next) = handle.read(Lab::next_lesson).filter(|_| course.is_last()) {
        let onclick = handle.callback(move |lab: &mut Lab| {
            lab.begin_lesson(next.clone());
        });
        let title = format!("Lesson {}: {}", next.number(), next.title);
        return html! { <button type="button" id="next-lesson" class="primary" {title} {onclick}>{ "Next lesson →" }</button> };
    }
    html! {
        <button type="button" id="next-stop" class="primary" disabled={course.is_last()} onclick={handle.callback(Lab::next_stop)}>
            { if course.stop.is_none() { "Begin" } else { "Next" } }
        </button>
    }
}

/// Returns whether the machine or the cycle is not the stop's.
fn is_away(lab: &Lab, course: &Course) -> bool {
    // A jump on its way to the stop counts as being there.
    let cycle = lab.transport.jump().map_or(lab.cycle(), |jump| jump.to);
    course.current().is_some_and(|stop| lab.setup != course.lesson.machine_at(stop) || course.cycle != cycle)
}

fn ask(handle: &Handle, course: &Course, question: &Question) -> Html {
    let given = course.answer();
    html! {
        <section class="question" id="question" aria-label="Question">
            <p><strong>{ question.text.clone() }</strong></p>
            { match &question.ask {
                Ask::Choices { choices, right } => choices_to_make(handle, given, choices, *right),
                Ask::Lanes { count, right } => {
                    let key = format!("{}-{:?}", course.lesson.id, course.stop);
                    html! { <LaneChoice {key} handle={handle.clone()} count={*count} right={*right} {given} /> }
                }
            } }
            if given.is_some() {
                <p id="because">{ question.because.clone() }</p>
            }
        </section>
    }
}

/// Answers the question, and scrolls to the explanation.
fn give(handle: &Handle, answer: u64) {
    handle.act(|lab| lab.answer(answer));
    // After the explanation has been rendered.
    gloo_timers::callback::Timeout::new(0, || bring_in_sight("because")).forget();
}

fn choices_to_make(handle: &Handle, given: Option<u64>, choices: &[String], right: usize) -> Html {
    let choice = |(at, text): (usize, &String)| {
        let mark = match given {
            Some(_) if at == right => Some("right"),
            Some(chosen) if at as u64 == chosen => Some("wrong"),
            _ => None,
        };
        let handle = handle.clone();
        let onclick = Callback::from(move |_: MouseEvent| give(&handle, at as u64));
        // Not `disabled`, which would take the keyboard's focus away.
        html! {
            <button type="button" class={classes!("choice", mark)} aria-disabled={given.is_some().then_some("true")} {onclick}>
                { text.clone() }
                if let Some(mark) = mark { <span class="note">{ verdict(mark == "right") }</span> }
            </button>
        }
    };
    choices.iter().enumerate().map(choice).collect()
}

fn verdict(right: bool) -> &'static str {
    if right { "✓ right" } else { "✗ wrong" }
}

/// What an answer said of a lane. Lanes that are not active and were not chosen have no mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LaneMark {
    /// Active, and chosen.
    Right,
    /// Active, but not chosen.
    Missed,
    /// Chosen, but not active.
    Wrong,
}

impl LaneMark {
    fn of(is_active: bool, is_chosen: bool) -> Option<LaneMark> {
        match (is_active, is_chosen) {
            (true, true) => Some(LaneMark::Right),
            (true, false) => Some(LaneMark::Missed),
            (false, true) => Some(LaneMark::Wrong),
            (false, false) => None,
        }
    }

    fn class(self) -> &'static str {
        match self {
            LaneMark::Right => "right",
            LaneMark::Missed => "missed",
            LaneMark::Wrong => "wrong",
        }
    }

    fn sign(self) -> &'static str {
        match self {
            LaneMark::Right => "✓",
            LaneMark::Missed => "?",
            LaneMark::Wrong => "✗",
        }
    }
}

/// Says what the marks of a wrong answer mean, those that it has.
fn mark_legend(right: u64, given: u64) -> String {
    let marks = [
        (right & given, LaneMark::Right, "right"),
        (right & !given, LaneMark::Missed, "missed: it is active"),
        (given & !right, LaneMark::Wrong, "wrong: it is not active"),
    ];
    let told: Vec<String> =
        marks.iter().filter(|(lanes, ..)| *lanes != 0).map(|(_, mark, words)| format!("{} {words}", mark.sign())).collect();
    format!(" {}", told.join(" · "))
}

#[derive(Properties, PartialEq)]
struct LaneChoiceProps {
    handle: Handle,
    count: u32,
    /// The active lanes, as bits.
    right: u64,
    given: Option<u64>,
}

/// A warp's lanes, of which the user clicks those expected to be active. After the check each has its mark.
#[component]
fn LaneChoice(props: &LaneChoiceProps) -> Html {
    let chosen = use_state_eq(|| 0u64);
    let LaneChoiceProps { count, right, given, .. } = *props;
    let lane = |lane: u32| {
        let bit = 1u64 << lane;
        let expected = given.unwrap_or(*chosen) & bit != 0;
        let mark = given.and_then(|_| LaneMark::of(right & bit != 0, expected));
        let chosen = chosen.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            if given.is_none() {
                chosen.set(*chosen ^ bit);
            }
        });
        html! {
            <button type="button" class={classes!("lane", mark.map(LaneMark::class))} aria-pressed={expected.to_string()}
                aria-label={mark.map_or_else(|| format!("Lane {lane}"), |mark| format!("Lane {lane}: {}", mark.class()))}
                aria-disabled={given.is_some().then_some("true")} {onclick}>
                { lane }
                if let Some(mark) = mark { <span aria-hidden="true">{ mark.sign() }</span> }
            </button>
        }
    };
    let oncheck = {
        let (handle, chosen) = (props.handle.clone(), *chosen);
        Callback::from(move |_: MouseEvent| give(&handle, chosen))
    };
    html! {
        <>
            <div class="lane-choice" role="group" aria-label="Lanes to choose">{ for (0..count).map(lane) }</div>
            if let Some(given) = given {
                <p class={classes!("checked", (given != right).then_some("off"))}>
                    { verdict(given == right) }
                    if given != right { <span class="note">{ mark_legend(right, given) }</span> }
                </p>
            } else {
                <p class="note">{ "Click the lanes." }</p>
                <button type="button" id="check-lanes" class="small" onclick={oncheck}>{ "Check" }</button>
            }
        </>
    }
}

/// Scrolls a part of the lesson's text into view, its lower end at that of the panel.
fn bring_in_sight(id: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(part) = document.and_then(|document| document.get_element_by_id(id)) {
        part.scroll_into_view_with_bool(false);
    }
}
