//! The whole page: panels in their places, the keyboard, the clock, and what is remembered.

use super::bar::Bar;
use super::beside::{runs, use_others};
use super::columns::{Column, column_tabs};
use super::compare::CompareSheet;
use super::dropping::use_dropping;
use super::frame::{Every, Frames, now};
use super::gallery::Gallery;
use super::handle::{Handle, use_lab};
use super::help::help;
use super::kernel::KernelEditor;
use super::keys::{Deed, deed};
use super::lesson::{lesson_list, use_progress};
use super::notice::status_line;
use super::pool::use_contest;
use super::print::PrintSheet;
use super::settings::Settings;
use super::side::{Tab, side};
use super::source::SourcePanel;
use super::split::{Edge, Sizes, Split};
use super::stage::{Choice, load_alone, next_alone, save_alone, stage_panel, use_has_room, use_lesson_panel};
use super::timeline::{Move, Timeline};
use super::tips::Tips;
use super::transport::TransportBar;
use super::{motion, share, storage, theme};
use crate::lab::{Goal, Lab, Link, Notice};
use crate::view::{Script, Selection};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use yew::prelude::*;

/// A sheet over the page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sheet {
    Gallery,
    Editor,
    Settings,
    Compare,
    Lessons,
    Help,
}

const SEEN: &str = "warpscope.seen";
/// How long the page may work at a time, in milliseconds: less than a frame while it plays, and where only the destination
/// counts, never so long that a key would have to wait.
const PLAY_SLICE_MS: f64 = 6.0;
const FAST_SLICE_MS: f64 = 12.0;
/// Time between two drawings while it plays fast, and while it runs to somewhere far.
const FAST_DRAWN_MS: f64 = 100.0;
const FAR_DRAWN_MS: f64 = 250.0;
/// How much larger pictures are for a class.
const PRESENTED: f64 = 1.5;

#[component]
pub fn App() -> Html {
    let embed = use_state_eq(|| share::opened().ok().flatten().is_some_and(|link| link.embed));
    let handle = use_lab(0, open);
    let others = use_others(&handle);
    let theme = use_state_eq(theme::current);
    let tab = use_state_eq(|| if handle.read(|lab| lab.course.is_some()) { Tab::Lesson } else { Tab::Inspector });
    let column = use_state_eq(|| if *tab == Tab::Lesson && !*embed { Column::Side } else { Column::Stage });
    let sheet = use_state_eq(|| None::<Sheet>);
    let asked = use_state_eq(|| (0u32, None::<Move>));
    let sizes = use_state_eq(Sizes::load);
    let hint = use_state_eq(|| storage::load(SEEN).is_none());
    let alone = use_state_eq(load_alone);
    let present = use_state_eq(|| false);
    let dropping = use_dropping(handle.clone());
    use_clock(&handle);
    use_memory(&handle);
    use_links(&handle, embed.setter());
    use_contest(&handle);
    use_letting_go();
    use_arrival(&handle);
    use_progress(&handle);

    let switch_theme = {
        let theme = theme.clone();
        Callback::from(move |()| {
            let next = theme::other(*theme);
            theme::apply(next);
            theme.set(next);
        })
    };
    // The hint has done its work once somebody has stepped.
    {
        let hint = hint.clone();
        // A link may still be on its way to its cycle: that is no step.
        let bound = |lab: &Lab| match lab.transport.goal {
            Goal::Cycle(cycle) => Some(cycle),
            _ => None,
        };
        let start = use_memo((), |()| handle.read(|lab| bound(lab).unwrap_or(lab.cycle())));
        use_effect_with(handle.read(|lab| bound(lab).unwrap_or(lab.cycle())), move |cycle| {
            if *hint && *cycle != *start {
                storage::save(SEEN, "true");
                hint.set(false);
            }
        });
    }
    let onalone = {
        let alone = alone.setter();
        Callback::from(move |chosen: Option<AttrValue>| {
            save_alone(chosen.as_deref());
            alone.set(chosen);
        })
    };
    use_lesson_panel(&handle, alone.setter());
    let has_room = use_has_room();
    let close = {
        let sheet = sheet.clone();
        Callback::from(move |()| sheet.set(None))
    };
    use_keyboard({
        let (handle, tab, column, sheet, asked, hint, switch_theme) =
            (handle.clone(), tab.clone(), column.setter(), sheet.clone(), asked.clone(), hint.clone(), switch_theme.clone());
        let (alone, onalone, present) = (alone.clone(), onalone.clone(), present.clone());
        Callback::from(move |event: KeyboardEvent| {
            // Any key ends a jump at its goal, and does there what it always does; the one for play and pause does no more.
            if event.key() != " " {
                handle.act_if(Lab::arrive);
            }
            // Wherever the focus went meanwhile.
            if event.key() == "Escape" {
                if sheet.is_none() {
                    present.set(false);
                }
                sheet.set(None);
                hint.set(false);
                handle.act_if(|lab| lab.hints.take().is_some());
                handle.act_if(|lab| lab.stage.as_mut().is_some_and(|stage| stage.range.take().is_some()));
            }
            let Some(deed) = deed(&event) else { return };
            // With a sheet open, only the key that closes it counts.
            let own = match deed {
                Deed::Gallery => Some(Sheet::Gallery),
                Deed::Editor => Some(Sheet::Editor),
                Deed::Settings => Some(Sheet::Settings),
                Deed::Compare => Some(Sheet::Compare),
                Deed::Lessons => Some(Sheet::Lessons),
                Deed::Help => Some(Sheet::Help),
                _ => None,
            };
            if sheet.is_some() && own != *sheet {
                return;
            }
            event.prevent_default();
            let toggle = |which: Sheet| sheet.set(if *sheet == Some(which) { None } else { Some(which) });
            match deed {
                Deed::Act(act) => handle.act(act),
                Deed::Timeline(wish) => asked.set((asked.0.wrapping_add(1), Some(wish))),
                Deed::Gallery => toggle(Sheet::Gallery),
                Deed::Editor => toggle(Sheet::Editor),
                Deed::Settings => toggle(Sheet::Settings),
                Deed::Compare => toggle(Sheet::Compare),
                Deed::Lessons => toggle(Sheet::Lessons),
                Deed::Help => toggle(Sheet::Help),
                Deed::Theme => switch_theme.emit(()),
                Deed::Share => share::copy(&handle),
                Deed::Present => present.set(!*present),
                Deed::Panels => onalone.emit(next_alone(&handle, Choice { alone: alone.as_deref(), has_room, zoom: 1.0 })),
                Deed::Tab(at) => {
                    tab.set(Tab::ALL[at.min(Tab::ALL.len() - 1)]);
                    column.set(Column::Side);
                }
            }
        })
    });
    // A lesson that is left takes its tab with it.
    let shown_tab = if *tab == Tab::Lesson && handle.read(|lab| lab.course.is_none()) { Tab::Inspector } else { *tab };
    let ontab = {
        let tab = tab.clone();
        Callback::from(move |chosen: Tab| tab.set(chosen))
    };
    let oncolumn = {
        let column = column.setter();
        Callback::from(move |chosen: Column| column.set(chosen))
    };
    let onask = {
        let (tab, column) = (tab.setter(), column.setter());
        Callback::from(move |()| {
            tab.set(Tab::Inspector);
            column.set(Column::Side);
        })
    };
    let onsheet = {
        let sheet = sheet.clone();
        Callback::from(move |chosen: Sheet| sheet.set(Some(chosen)))
    };
    let onbeside = {
        let (handle, sheet) = (handle.clone(), sheet.clone());
        Callback::from(move |technique: String| {
            handle.act(|lab| {
                if !lab.place_beside(&technique) {
                    lab.notice = Some(Notice::bad("Four runs are side by side already: close one first."));
                }
            });
            sheet.set(None);
        })
    };
    let style = sizes.map(Sizes::style);
    let onresize = {
        let sizes = sizes.setter();
        use_callback((), move |next: Option<Sizes>, ()| {
            Sizes::save(next);
            sizes.set(next);
        })
    };
    let zoom = if *present { PRESENTED } else { 1.0 };
    let choice = Choice { alone: alone.as_deref(), has_room, zoom };
    let split = |edge: Edge| html! { <Split {edge} sizes={*sizes} onresize={onresize.clone()} /> };
    // A step changes nothing in the bar, and drawing its menus anew would cost more than the step.
    let shown = handle.read(|lab| {
        let state = (lab.is_edited(), lab.course.is_some(), lab.running_instead().is_some());
        (lab.origin, lab.setup.clone(), state, lab.refused)
    });
    let bar = {
        let (handle, theme) = (handle.clone(), *theme);
        use_memo((shown, theme), move |_| html! { <Bar {handle} {theme} ontheme={switch_theme} {onsheet} /> })
    };
    html! {
        <div class={classes!("page", dropping.over.then_some("dropping"), embed.then_some("embed"), present.then_some("present"))} {style}
            ondragover={dropping.ondragover} ondragleave={dropping.ondragleave} ondrop={dropping.ondrop}>
            if !*embed && !*present {
                { (*bar).clone() }
            }
            <main>
                { column_tabs(*column, &oncolumn) }
                <div class="workspace" data-column={if *present { Column::Stage.class() } else { column.class() }}>
                    if !*present {
                        <SourcePanel handle={handle.clone()} theme={*theme} onresize={onresize.clone()} />
                        { split(Edge::Source) }
                    }
                    { runs(&handle, &others, &stage_panel(&handle, *theme, choice, &onalone), |other| {
                        stage_panel(other, *theme, choice, &onalone)
                    }) }
                    if !*present {
                        { split(Edge::Side) }
                        { side(&handle, &others, *theme, shown_tab, &ontab) }
                    }
                </div>
                if *present {
                    { presented_line(&handle) }
                } else {
                    { split(Edge::Timeline) }
                    <Timeline handle={handle.clone()} theme={*theme} asked={*asked} />
                }
            </main>
            <footer class="dock">
                { status_line(&handle, *hint && !*embed && !*present && sheet.is_none() && shown_tab != Tab::Lesson, *embed, &onask) }
                <TransportBar handle={handle.clone()} theme={*theme} />
            </footer>
            <Tips />
            <PrintSheet handle={handle.clone()} />
            { match *sheet {
                Some(Sheet::Gallery) => html! { <Gallery handle={handle.clone()} theme={*theme} onclose={close} /> },
                Some(Sheet::Editor) => html! { <KernelEditor handle={handle.clone()} onclose={close} /> },
                Some(Sheet::Settings) => html! { <Settings handle={handle.clone()} onclose={close} /> },
                Some(Sheet::Compare) => {
                    html! { <CompareSheet handle={handle.clone()} theme={*theme} onclose={close} {onbeside} /> }
                }
                Some(Sheet::Lessons) => {
                    let onopen = {
                        let (sheet, tab, column) = (sheet.clone(), tab.clone(), column.setter());
                        Callback::from(move |()| {
                            sheet.set(None);
                            tab.set(Tab::Lesson);
                            column.set(Column::Side);
                        })
                    };
                    lesson_list(&handle, close, &onopen)
                }
                Some(Sheet::Help) => help(close),
                None => Html::default(),
            } }
        </div>
    }
}

/// The selected warp's line of the source, for a class: what is read beside the picture.
fn presented_line(handle: &Handle) -> Html {
    let line = handle.on_stage(|lab, stage| {
        let (sm, warp) = lab.selection.and_then(Selection::warp)?;
        let pc = stage.picture().warp(sm, warp)?.pc;
        let script = if stage.listing.cuda_line(pc).is_some() { Script::Cuda } else { Script::Ptx };
        let at = stage.listing.line_in(script, pc)?;
        Some((format!("Warp {warp}, line {at}"), stage.listing.text(script, at as usize - 1).trim().to_string()))
    });
    let Some((at, text)) = line.flatten() else { return html! { <p class="presented">{ "\u{a0}" }</p> } };
    html! { <p class="presented"><span>{ at }</span><code>{ text }</code></p> }
}

/// What the page opens with: a link, else what the last visit left, else a first kernel. Texts of one's own are not lost for
/// somebody else's link.
fn open() -> Lab {
    let draft = storage::load_draft();
    let as_left = |draft: Option<Link>| draft.map_or_else(Lab::first_visit, Lab::restore);
    let (mut lab, left) = match share::opened() {
        Ok(Some(link)) => {
            let mut lab = Lab::new();
            let left = draft.and_then(|draft| draft.texts).filter(|texts| Some(texts) != link.texts.as_ref());
            lab.open(link);
            (lab, left)
        }
        Ok(None) => (as_left(draft), None),
        Err(error) => {
            let mut lab = as_left(draft);
            lab.notice = Some(Notice::bad(format!("That link cannot be opened: {error}.")));
            (lab, None)
        }
    };
    if let Some(own) = left.or_else(storage::load_own) {
        lab.put_by(own);
    }
    if storage::load(SEEN).is_some() {
        lab.hints = None;
    }
    lab.plays_jumps = motion::is_wanted;
    lab
}

/// Lets time pass while the run is going somewhere.
#[hook]
fn use_clock(handle: &Handle) {
    let every = handle.read(|lab| (!lab.transport.is_resting()).then(|| pace(lab).every));
    let handle = handle.clone();
    use_effect_with(every, move |every| {
        let frames = every.map(|every| {
            let mut last = now();
            let mut drawn = last;
            let mut owed = false;
            Frames::every(every, move || {
                let time = now();
                let mut going = true;
                handle.act_if(|lab| {
                    let Pace { slice, pause, .. } = pace(lab);
                    // A turn that draws does not work as well, so that neither has to wait for the other.
                    if owed && time - drawn >= pause && pause > 0.0 {
                        (owed, drawn) = (false, time);
                        return true;
                    }
                    let elapsed = time - std::mem::replace(&mut last, time);
                    owed |= lab.tick(elapsed, slice, &now);
                    going = !lab.transport.is_resting();
                    // Whatever else draws the page after its arrival stops this clock: the last picture cannot wait for a turn.
                    let draw = owed && (pause == 0.0 || !going);
                    owed &= !draw;
                    draw
                });
                going
            })
        });
        move || drop(frames)
    });
}

/// How the laboratory works its way.
struct Pace {
    every: Every,
    /// Milliseconds of work at a time.
    slice: f64,
    /// Milliseconds between two drawings.
    pause: f64,
}

fn pace(lab: &Lab) -> Pace {
    match (lab.transport.goal, lab.transport.rate()) {
        (Goal::Play, u32::MAX) => Pace { every: Every::Task, slice: FAST_SLICE_MS, pause: FAST_DRAWN_MS },
        (Goal::Play, 1_000..) => Pace { every: Every::Frame, slice: FAST_SLICE_MS, pause: FAST_DRAWN_MS },
        (Goal::Play, _) | (Goal::Jump(_), _) => Pace { every: Every::Frame, slice: PLAY_SLICE_MS, pause: 0.0 },
        _ => Pace { every: Every::Task, slice: FAST_SLICE_MS, pause: FAR_DRAWN_MS },
    }
}

/// Keeps what a person did over a reload.
#[hook]
fn use_memory(handle: &Handle) {
    let key = handle.read(|lab| (lab.ptx.clone(), lab.launch.clone(), lab.setup.clone(), lab.origin, lab.breakpoints.clone()));
    let handle = handle.clone();
    let own = handle.read(|lab| lab.own().cloned());
    use_effect_with(key, move |_| {
        if let Some(draft) = handle.read(Lab::draft) {
            storage::save_draft(&draft);
        }
    });
    use_effect_with(own, |own| {
        if let Some(own) = own {
            storage::save_own(own);
        }
    });
}

/// Keeps the address bar true while nothing moves, and opens links that are put into it.
#[hook]
fn use_links(handle: &Handle, embed: UseStateSetter<bool>) {
    let resting = handle.read(|lab| lab.transport.is_resting());
    {
        let handle = handle.clone();
        use_effect_with((handle.version(), resting), move |(_, resting)| {
            let later = resting.then(|| {
                gloo_timers::callback::Timeout::new(500, move || {
                    let embed = share::opened().ok().flatten().is_some_and(|link| link.embed);
                    let mut link = handle.read(|lab| lab.address());
                    link.embed = embed;
                    if handle.read(|lab| lab.stage.is_some() || !lab.ptx.is_empty()) {
                        share::write(&link);
                    }
                })
            });
            move || drop(later)
        });
    }
    let handle = handle.clone();
    use_effect_with((), move |()| {
        let callback = Closure::<dyn FnMut()>::new(move || {
            handle.act(|lab| match share::opened() {
                Ok(Some(link)) => {
                    embed.set(link.embed);
                    lab.open(link);
                }
                Ok(None) => {}
                Err(error) => lab.notice = Some(Notice::bad(format!("That link cannot be opened: {error}."))),
            });
        });
        listen("hashchange", &callback);
        move || drop(callback)
    });
}

pub fn listen<F: ?Sized>(event: &str, callback: &Closure<F>) {
    if let Some(window) = web_sys::window() {
        let _ = window.add_event_listener_with_callback(event, callback.as_ref().unchecked_ref());
    }
}

/// Keys pressed anywhere on the page, heard for as long as it is there.
#[hook]
fn use_keyboard(onkey: Callback<KeyboardEvent>) {
    let newest = use_mut_ref(|| onkey.clone());
    *newest.borrow_mut() = onkey;
    use_effect_with((), move |()| {
        let callback = Closure::<dyn FnMut(KeyboardEvent)>::new(move |event| {
            let onkey = newest.borrow().clone();
            onkey.emit(event);
        });
        listen("keydown", &callback);
        move || {
            if let Some(window) = web_sys::window() {
                let _ = window.remove_event_listener_with_callback("keydown", callback.as_ref().unchecked_ref());
            }
        }
    });
}

/// A click anywhere ends a jump at its goal; the button for play and pause does so by itself.
#[hook]
fn use_arrival(handle: &Handle) {
    let handle = handle.steady();
    use_effect_with((), move |()| {
        let callback = Closure::<dyn FnMut(web_sys::Event)>::new(move |event: web_sys::Event| {
            let target = event.target_dyn_into::<web_sys::Element>();
            if target.and_then(|target| target.closest("#play").ok().flatten()).is_none() {
                handle.act_if(Lab::arrive);
            }
        });
        listen("pointerdown", &callback);
        move || drop(callback)
    });
}

/// What moves through the run or shows something else of it, and what Space presses only for whoever came to it by keyboard.
const MOVERS: &str = ".transport button:not([aria-expanded]), .side-of-line button, .timeline button, .source button, .notice button, .stage .tabs button, .term";

/// A menu that was opened with the mouse lets go of the keyboard once something is chosen, and so does a button that was
/// clicked, so that the page's keys work.
#[hook]
fn use_letting_go() {
    use_effect_with((), |()| {
        let callback = Closure::<dyn FnMut(MouseEvent)>::new(|event: MouseEvent| {
            let element = event.target_dyn_into::<web_sys::Element>().and_then(|target| target.closest(MOVERS).ok().flatten());
            if let Some(button) = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
                let _ = button.blur();
            }
        });
        // Not its click: a key makes one too, and some buttons keep theirs to themselves.
        listen("mouseup", &callback);
        move || drop(callback)
    });
    use_effect_with((), |()| {
        let callback = Closure::<dyn FnMut(web_sys::Event)>::new(|event: web_sys::Event| {
            let menu = event.target_dyn_into::<web_sys::HtmlSelectElement>();
            if let Some(menu) = menu.filter(|menu| !menu.matches(":focus-visible").unwrap_or(true)) {
                let _ = menu.blur();
            }
        });
        listen("change", &callback);
        move || drop(callback)
    });
}
