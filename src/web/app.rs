//! The whole page: panels in their places, the keyboard, the clock, and what is remembered.

use super::bar::Bar;
use super::beside::{runs, use_others};
use super::clock::{use_arrival, use_clock};
use super::columns::{PageColumn, column_tabs};
use super::compare::CompareSheet;
use super::dropping::use_dropping;
use super::gallery::Gallery;
use super::handle::{Handle, use_lab};
use super::help::help;
use super::kernel::KernelEditor;
use super::keyboard::{use_letting_go, use_shortcuts};
use super::layout::{Layout, LayoutAction, Sheet, changing};
use super::lesson::{lesson_list, use_progress};
use super::notice::status_line;
use super::pool::use_contest;
use super::presenting;
use super::print::PrintSheet;
use super::settings::Settings;
use super::side::side;
use super::source::SourcePanel;
use super::split::{Edge, Sizes, Split};
use super::stage::{Choice, next_alone, save_alone, stage_panel, use_has_room};
use super::timeline::Timeline;
use super::tips::Tips;
use super::transport::TransportBar;
use super::visit::{self, use_links, use_memory};
use super::{share, theme};
use std::rc::Rc;
use warpscope_lab::{Goal, Lab, Notice, Tab};
use warpscope_pictures::scene::Theme;
use yew::prelude::*;

/// The scale of the pictures while presenting.
const PRESENTED: f64 = 1.5;

#[component]
pub fn App() -> Html {
    let embed = use_state_eq(|| share::opened().ok().flatten().is_some_and(|link| link.embed));
    let handle = use_lab(0, visit::open);
    let others = use_others(&handle);
    let layout = use_reducer_eq(|| first_layout(&handle, *embed));
    let theme = use_state_eq(theme::current);
    let sizes = use_state_eq(Sizes::load);
    let has_room = use_has_room();
    let dropping = use_dropping(handle.clone());
    use_clock(&handle);
    use_memory(&handle);
    use_links(&handle, embed.setter());
    use_contest(&handle);
    use_letting_go();
    use_arrival(&handle);
    use_progress(&handle);
    use_first_step(&handle, &layout);
    use_lesson_text(&handle, &layout, *embed);

    let zoom = if layout.presents { PRESENTED } else { 1.0 };
    let alone = handle.read(|lab| lab.panel.clone());
    let choice = Choice { alone: alone.as_deref(), has_room, zoom, presents: layout.presents };
    let onalone = {
        let handle = handle.clone();
        Callback::from(move |chosen: Option<Rc<str>>| {
            save_alone(chosen.as_deref());
            handle.act(|lab| lab.panel = chosen);
        })
    };
    let ontheme = {
        let theme = theme.clone();
        Callback::from(move |()| {
            let next = theme::other(*theme);
            theme::apply(next);
            theme.set(next);
        })
    };
    let next_panel = {
        let (handle, alone, onalone) = (handle.clone(), alone.clone(), onalone.clone());
        Callback::from(move |()| {
            onalone.emit(next_alone(&handle, Choice { alone: alone.as_deref(), has_room, zoom: 1.0, presents: false }))
        })
    };
    use_shortcuts(&handle, &layout, ontheme.clone(), next_panel);
    let onresize = {
        let sizes = sizes.setter();
        use_callback((), move |next: Option<Sizes>, ()| {
            Sizes::save(next);
            sizes.set(next);
        })
    };
    let bar = use_bar(&handle, &layout, *theme, ontheme);
    let tab = handle.read(Lab::tab);
    let ontab = {
        let (handle, layout) = (handle.clone(), layout.dispatcher());
        Callback::from(move |tab: Tab| {
            handle.act(|lab| lab.show_tab(tab));
            layout.dispatch(LayoutAction::PageColumn(PageColumn::Side));
        })
    };
    let hint = layout.hint && !*embed && !layout.presents && layout.sheet.is_none() && tab != Tab::Lesson;
    let column = if layout.presents { PageColumn::Stage } else { layout.column };
    let split = |edge: Edge| html! { <Split {edge} sizes={*sizes} onresize={onresize.clone()} /> };
    let class =
        classes!("page", dropping.over.then_some("dropping"), embed.then_some("embed"), layout.presents.then_some("present"));
    html! {
        <div {class} style={sizes.map(Sizes::style)}
            ondragover={dropping.ondragover} ondragleave={dropping.ondragleave} ondrop={dropping.ondrop}>
            if !*embed && !layout.presents {
                { bar }
            }
            <main>
                { column_tabs(layout.column, &changing(&layout, LayoutAction::PageColumn)) }
                <div class="workspace" data-column={column.class()}>
                    if !layout.presents {
                        <SourcePanel handle={handle.clone()} theme={*theme} onresize={onresize.clone()} />
                        { split(Edge::Source) }
                    }
                    { runs(&handle, &others, &stage_panel(&handle, *theme, choice, &onalone), |other| {
                        stage_panel(other, *theme, choice, &onalone)
                    }) }
                    if !layout.presents {
                        { split(Edge::Side) }
                        { side(&handle, &others, *theme, &ontab) }
                    }
                </div>
                if layout.presents {
                    { presenting::below(&handle) }
                } else {
                    { split(Edge::Timeline) }
                    <Timeline handle={handle.clone()} others={others.clone()} theme={*theme} asked={layout.asked} />
                }
            </main>
            <footer class="dock">
                { status_line(&handle, hint, *embed, &ontab.reform(|()| Tab::Inspector)) }
                <TransportBar handle={handle.clone()} theme={*theme} />
            </footer>
            <Tips />
            <PrintSheet handle={handle.clone()} />
            { sheet(&handle, &layout, *theme) }
        </div>
    }
}

/// Returns what is open at first: a link to a lesson shows the lesson's text.
fn first_layout(handle: &Handle, embed: bool) -> Layout {
    let is_lesson = handle.read(|lab| lab.course.is_some());
    let column = if is_lesson && !embed { PageColumn::Side } else { PageColumn::Stage };
    Layout { column, sheet: None, presents: false, hint: visit::is_first(), asked: (0, None) }
}

/// Removes the hint, for good, once the user has stepped. A link that is still on its way to its cycle is no step.
#[hook]
fn use_first_step(handle: &Handle, layout: &UseReducerHandle<Layout>) {
    let cycle = handle.read(|lab| match lab.transport.goal {
        Goal::Cycle(cycle) => cycle,
        _ => lab.cycle(),
    });
    let start = use_memo((), |()| cycle);
    let layout = layout.clone();
    use_effect_with(cycle, move |cycle| {
        if layout.hint && *cycle != *start {
            visit::save_stepped();
            layout.dispatch(LayoutAction::Stepped);
        }
    });
}

/// Shows a lesson's text when the lesson begins, from the list or by a link put into the address bar.
#[hook]
fn use_lesson_text(handle: &Handle, layout: &UseReducerHandle<Layout>, embed: bool) {
    let layout = layout.dispatcher();
    use_effect_with(handle.read(|lab| lab.course.as_ref().map(|course| course.lesson.id)), move |lesson| {
        if lesson.is_some() && !embed {
            layout.dispatch(LayoutAction::BeginLesson);
        }
    });
}

/// Returns the top bar. It renders only when something in it changes: a step changes nothing there, and rendering its menus
/// would take longer than the step.
#[hook]
fn use_bar(handle: &Handle, layout: &UseReducerHandle<Layout>, theme: Theme, ontheme: Callback<()>) -> Html {
    let shown = handle.read(|lab| {
        let state = (lab.is_edited(), lab.course.is_some(), lab.running_instead().is_some());
        (lab.origin, lab.setup.clone(), state, lab.refused)
    });
    let (handle, onsheet) = (handle.clone(), changing(layout, LayoutAction::Open));
    let bar = use_memo((shown, theme), move |_| html! { <Bar {handle} {theme} {ontheme} {onsheet} /> });
    (*bar).clone()
}

/// Renders the sheet that is open.
fn sheet(handle: &Handle, layout: &UseReducerHandle<Layout>, theme: Theme) -> Html {
    let onclose = changing(layout, |()| LayoutAction::Close);
    match layout.sheet {
        Some(Sheet::Gallery) => html! { <Gallery handle={handle.clone()} {theme} {onclose} /> },
        Some(Sheet::Editor) => html! { <KernelEditor handle={handle.clone()} {onclose} /> },
        Some(Sheet::Settings) => html! { <Settings handle={handle.clone()} {onclose} /> },
        Some(Sheet::Compare) => {
            let (beside, close) = (handle.clone(), onclose.clone());
            let onbeside = Callback::from(move |technique: String| {
                beside.act(|lab| {
                    if !lab.place_beside(&technique) {
                        lab.notice = Some(Notice::bad("Four runs are side by side already: close one first."));
                    }
                });
                close.emit(());
            });
            html! { <CompareSheet handle={handle.clone()} {theme} {onclose} {onbeside} /> }
        }
        Some(Sheet::Lessons) => lesson_list(handle, onclose, &changing(layout, |()| LayoutAction::BeginLesson)),
        Some(Sheet::Help) => help(onclose),
        None => Html::default(),
    }
}
