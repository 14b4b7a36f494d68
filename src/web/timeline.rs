//! Warps by cycles: what each did, or why it did not; zoomed and panned by wheel, drag and W A S D. A drag along the cycles'
//! numbers, or with Shift, chooses a stretch whose numbers are looked at by themselves.
//! Rows that do not fit are come to by dragging too, or by the wheel over the warps' numbers.

use super::canvas::{self, use_size};
use super::handle::Handle;
use super::still::still;
use super::strip::{self, Drawn, LEFT, Strip, TOP};
use super::tips::term;
use crate::event::{EventKind, Reason};
use crate::lab::grouped;
use crate::lab::timeline::{Rows, Span, rows};
use crate::record::{GONE, Record};
use crate::scene::{Palette, Theme};
use crate::view::Selection;
use crate::view::why::counted;
use std::cell::Cell;
use std::rc::Rc;
use yew::prelude::*;

/// What the keyboard may ask of the timeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    Nearer,
    Further,
    Left,
    Right,
    Fit,
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
    /// The last thing that the keyboard asked for, and how many there were.
    pub asked: (u32, Option<Move>),
}

/// How far a pointer may move in a click, in pixels.
const CLICK: f64 = 4.0;

/// Where a drag began, what was in sight there, and how far it went.
#[derive(Clone, Copy)]
struct Drag {
    from: (f64, f64),
    span: Span,
    first: usize,
    furthest: f64,
    /// It chooses cycles, and does not move them.
    chooses: bool,
}

/// Changes what is looked at, given that and the last cycle there is.
type Look = Rc<dyn Fn(&dyn Fn(Span, u64) -> Span)>;

#[component]
pub fn Timeline(props: &Props) -> Html {
    let place = use_node_ref();
    let node = use_node_ref();
    let tall = use_node_ref();
    let (width, height) = use_size(&place);
    let span = use_state_eq(Span::default);
    let pointer = use_state_eq(|| None::<(f64, f64)>);
    let first = use_state_eq(|| 0usize);
    let drag = use_memo((), |()| Cell::new(None::<Drag>));
    // Cycles that are being chosen.
    let choosing = use_state_eq(|| None::<(u64, u64)>);
    let inner = (width - LEFT).max(0.0);
    let look: Look = {
        let (span, handle) = (span.clone(), props.handle.clone());
        Rc::new(move |change| {
            let end = handle.on_stage(|_, stage| stage.session.reached()).unwrap_or(0);
            span.set(span.or(change(*span, end), end, inner));
        })
    };

    // The keyboard's wishes.
    {
        let (span, handle, look) = (span.clone(), props.handle.clone(), look.clone());
        use_effect_with(props.asked, move |(_, asked)| {
            let cursor = span.x_of(handle.read(|lab| lab.cycle()) as f64).clamp(0.0, inner);
            match asked {
                Some(Move::Nearer) => look(&|span, _| span.zoom(0.5, cursor)),
                Some(Move::Further) => look(&|span, _| span.zoom(2.0, cursor)),
                Some(Move::Left) => look(&|span, _| span.pan(-inner / 4.0)),
                Some(Move::Right) => look(&|span, _| span.pan(inner / 4.0)),
                Some(Move::Fit) => look(&|_, end| Span::fit(end, inner)),
                None => {}
            }
        });
    }
    // The cycle that is looked at stays in sight, unless somebody drags: in this drawing already, for the next one may be long
    // in coming while a run goes on.
    let at_cycle = (props.handle.read(|lab| lab.cycle()), inner as u32);
    let followed = use_mut_ref(|| (0, 0));
    let moves = *followed.borrow() != at_cycle && at_cycle.1 > 0 && drag.get().is_none();
    let in_sight = if moves { span.follow(at_cycle.0, inner.floor()) } else { *span };
    {
        let span = span.clone();
        use_effect_with((at_cycle, in_sight), move |(at_cycle, in_sight)| {
            followed.replace(*at_cycle);
            span.set(*in_sight);
        });
    }
    // So does the selected warp, where there are more rows than room.
    {
        let (first, drag) = (first.clone(), drag.clone());
        let row = props.handle.on_stage(|lab, stage| {
            let (sm, warp) = lab.selection.and_then(Selection::warp)?;
            let record = stage.session.record();
            let track = usize::from(sm) * record.slots() + usize::from(warp);
            rows(record).iter().position(|&known| known == track)
        });
        let handle = props.handle.clone();
        use_effect_with((row.flatten(), height as u32), move |(row, height)| {
            let Some(row) = row.filter(|_| drag.get().is_none()) else { return };
            let wanted = |record: &Record| strip::rows(record, f64::from(*height), *first).follow(row);
            first.set(handle.on_stage(|_, stage| wanted(stage.session.record())).unwrap_or(0));
        });
    }
    {
        let (node, tall, drawn) = (node.clone(), tall.clone(), use_mut_ref(|| None::<Drawn>));
        let shown = (props.handle.clone(), props.theme, in_sight, *first, (width, height));
        use_effect_with(shown, move |(handle, theme, span, first, size)| {
            let now = handle.on_stage(|lab, stage| {
                let record = stage.session.record();
                let rows = strip::rows(record, size.1, *first);
                let strip = Strip { record, rows, span: *span, palette: Palette::of(*theme), size: *size };
                strip.draw(&node, &tall, drawn.borrow().as_ref(), Drawn::of(lab, stage, &strip))
            });
            // Without a run, nothing of the last one stays.
            if now.is_none() {
                let _ = canvas::context(&node, size.0, size.1);
            }
            *drawn.borrow_mut() = now.flatten();
        });
    }

    let at = {
        let node = node.clone();
        move |x: i32, y: i32| {
            let bounds = node.cast::<web_sys::Element>().map(|canvas| canvas.get_bounding_client_rect());
            bounds.map_or((0.0, 0.0), |bounds| (f64::from(x) - bounds.left(), f64::from(y) - bounds.top()))
        }
    };
    // Moves the rows by so many pixels, from where they are or from a first row.
    let scroll = {
        let (first, handle) = (first.clone(), props.handle.clone());
        move |by: f64, from: Option<usize>| {
            let from = from.unwrap_or(*first);
            let rows = handle.on_stage(|_, stage| {
                let record = stage.session.record();
                let each = strip::rows(record, height, from).each;
                strip::rows(record, height, (from as f64 + by / each).max(0.0) as usize).above
            });
            first.set(rows.unwrap_or(0));
        }
    };
    let onwheel = {
        let (look, at, scroll) = (look.clone(), at.clone(), scroll.clone());
        Callback::from(move |event: WheelEvent| {
            event.prevent_default();
            let (x, _) = at(event.client_x(), event.client_y());
            if x < LEFT {
                scroll(event.delta_y(), None);
            } else if event.shift_key() || event.delta_x().abs() > event.delta_y().abs() {
                let along = if event.delta_x() == 0.0 { event.delta_y() } else { event.delta_x() };
                look(&|span, _| span.pan(along));
            } else {
                look(&|span, _| span.zoom(1.0015f64.powf(event.delta_y()), x - LEFT));
            }
        })
    };
    let onpointerdown = {
        let (span, first, drag, at, node) = (span.clone(), first.clone(), drag.clone(), at.clone(), node.clone());
        Callback::from(move |event: PointerEvent| {
            // The other buttons are the browser's.
            if event.button() != 0 {
                return;
            }
            let from = at(event.client_x(), event.client_y());
            let chooses = from.0 >= LEFT && (from.1 < TOP || event.shift_key());
            drag.set(Some(Drag { from, span: *span, first: *first, furthest: 0.0, chooses }));
            if let Some(canvas) = node.cast::<web_sys::Element>() {
                let _ = canvas.set_pointer_capture(event.pointer_id());
            }
        })
    };
    let onpointermove = {
        let (look, drag, at, pointer) = (look.clone(), drag.clone(), at.clone(), pointer.clone());
        let choosing = choosing.setter();
        Callback::from(move |event: PointerEvent| {
            let (x, y) = at(event.client_x(), event.client_y());
            match drag.get() {
                Some(held) => {
                    let (right, down) = (x - held.from.0, y - held.from.1);
                    let furthest = held.furthest.max(right.abs()).max(down.abs());
                    drag.set(Some(Drag { furthest, ..held }));
                    if furthest > CLICK && held.chooses {
                        choosing.set(Some(between(held.span, held.from.0, x)));
                    } else if furthest > CLICK {
                        look(&|_, _| held.span.pan(-right));
                        scroll(-down, Some(held.first));
                    }
                }
                None => pointer.set(Some((x, y))),
            }
        })
    };
    let onpointerup = {
        let (handle, span, first, drag, at) = (props.handle.clone(), span.clone(), first.clone(), drag.clone(), at.clone());
        let choosing = choosing.setter();
        Callback::from(move |event: PointerEvent| {
            let Some(drag) = drag.take() else { return };
            let (x, y) = at(event.client_x(), event.client_y());
            choosing.set(None);
            if drag.furthest <= CLICK {
                pick(&handle, *span, (height, *first), x, y);
            } else if drag.chooses {
                handle.act(|lab| lab.set_range(Some(between(drag.span, drag.from.0, x))));
            }
        })
    };
    let onpointercancel = {
        let (drag, choosing) = (drag.clone(), choosing.setter());
        Callback::from(move |_: PointerEvent| {
            drag.set(None);
            choosing.set(None);
        })
    };
    let onpointerleave = {
        let pointer = pointer.clone();
        Callback::from(move |_: PointerEvent| pointer.set(None))
    };
    let button = |label: &'static str, title: &'static str, change: fn(Span, f64, u64) -> Span| {
        let look = look.clone();
        let onclick = Callback::from(move |_: MouseEvent| look(&|span, end| change(span, inner, end)));
        html! { <button type="button" class="small" {title} aria-label={title} {onclick}>{ label }</button> }
    };
    let words = props.handle.on_stage(|_, stage| words(stage.session.record(), stage.session.cycle())).unwrap_or_default();
    let tip = pointer.and_then(|(x, y)| {
        props.handle.on_stage(|_, stage| {
            let record = stage.session.record();
            tip(record, *span, &strip::rows(record, height, *first), width, x, y)
        })
    });
    let range = choosing.or_else(|| props.handle.on_stage(|_, stage| stage.range).flatten());
    let reforms = props.handle.on_stage(|_, stage| stage.session.sim().machine.reforms).unwrap_or(false);
    let listed = props.handle.on_stage(|_, stage| stage.session.record().series().reasons());
    let listed = listed.unwrap_or_else(|| Reason::listed(|_| 0));
    let legend = still(listed.iter().map(|&reason| reason as u64).collect(), move || legend(&listed));
    html! {
        <section class="panel timeline" aria-label="Timeline">
            <header>
                <h2>{ "Timeline" }</h2>
                if reforms {
                    { term(html! { { "static warps" } }, STATIC_WARPS) }
                }
                { legend }
                <span class="push"></span>
                if choosing.is_none() { { range_numbers(&props.handle) } }
                { button("−", "Zoom out (S)", |span, width, _| span.zoom(2.0, width / 2.0)) }
                { button("+", "Zoom in (W)", |span, width, _| span.zoom(0.5, width / 2.0)) }
                { button("Fit", "Fit the whole run (F)", |_, width, end| Span::fit(end, width)) }
            </header>
            <div class="place" ref={place}>
                <canvas ref={node} id="timeline" role="img" aria-label={words} {onwheel} {onpointerdown} {onpointermove} {onpointerup} {onpointercancel} {onpointerleave} />
                <canvas ref={tall} hidden=true />
                if let Some(range) = range { { range_frame(range, in_sight, inner) } }
                { tip.flatten().unwrap_or_default() }
            </div>
        </section>
    }
}

/// The cycles between two places, as far as there are any.
fn between(span: Span, one: f64, other: f64) -> (u64, u64) {
    let at = |x: f64| span.cycle_at((x - LEFT).max(0.0)).max(0.0);
    (at(one.min(other)).floor() as u64, at(one.max(other)).ceil() as u64)
}

/// A frame around the cycles that are looked at by themselves.
fn range_frame((from, to): (u64, u64), span: Span, width: f64) -> Html {
    let [left, right] = [from, to].map(|cycle| span.x_of(cycle as f64).clamp(0.0, width));
    if right <= left {
        return Html::default();
    }
    let style = format!("left:{}px;width:{}px", LEFT + left, right - left);
    html! { <span class="range" {style}><b>{ format!("{} cycles", grouped(to - from)) }</b></span> }
}

/// What those cycles came to, in short; the numbers beside the stage say more.
fn range_numbers(handle: &Handle) -> Html {
    let told = handle.on_stage(|_, stage| {
        let range = stage.range?;
        let report = &stage.stretch(Some(range)).report;
        let lanes = 100.0 * report.simd_efficiency;
        Some(format!("{} to {}: IPC {:.1}, {lanes:.0} % of lanes", grouped(range.0), grouped(range.1), report.ipc))
    });
    let Some(told) = told.flatten() else { return Html::default() };
    html! {
        <span class="range-numbers" id="range-numbers">{ told }
            <button type="button" class="plain" id="range-off" title="All cycles again (Esc)" aria-label="All cycles again"
                onclick={handle.callback(|lab| lab.set_range(None))}>{ "×" }</button>
        </span>
    }
}

/// Why several rows can issue in one cycle.
const STATIC_WARPS: &str = "Rows are static warps: threads as they were launched. This technique puts threads of several of them into one \
     dynamic warp; when that issues, all rows that have a thread in it show I in the same cycle. A row whose threads are in \
     several places shows what its first thread does.";

/// What the colours mean.
fn legend(reasons: &[Reason]) -> Html {
    html! {
        <ul class="legend" aria-label="Colours">
            { for reasons.iter().map(|reason| html! {
                <li>{ term(html! {
                    <>
                        <b class={format!("letter reason-{}", reason.letter().to_ascii_lowercase())}>{ reason.letter() }</b>
                        <span class="more">{ reason.label_parts().0 }</span>{ reason.label_parts().1 }
                    </>
                }, reason.about()) }</li>
            }) }
        </ul>
    }
}

/// What the warp under the pointer did there, or what the mark there stands for.
fn tip(record: &Record, span: Span, rows: &Rows, width: f64, x: f64, y: f64) -> Option<Html> {
    if x < LEFT {
        return None;
    }
    let text = if y < TOP { marked(record, span, x)? } else { did(record, span, rows, x, y)? };
    // On the side where there is room.
    let side = if x < width / 2.0 { format!("left:{}px", x + 12.0) } else { format!("right:{}px", width - x + 12.0) };
    Some(html! { <span class="tip" style={format!("{side};top:{}px", (y - 28.0).max(2.0))}>{ text }</span> })
}

fn did(record: &Record, span: Span, rows: &Rows, x: f64, y: f64) -> Option<String> {
    let cycle = span.cycle_at(x - LEFT);
    if cycle < 0.0 || cycle as u64 >= record.end() {
        return None;
    }
    let track = rows.at(y - TOP)?;
    let code = record.nth(track).at(cycle as u64);
    let did = match Reason::ALL.get(usize::from(code)) {
        Some(reason) => format!("{} {}", reason.letter(), reason.label()),
        None if code == GONE => "not resident".to_string(),
        None => return None,
    };
    let (sm, warp) = (track / record.slots(), track % record.slots());
    let of = if record.tracks() > record.slots() { format!(" of SM {sm}") } else { String::new() };
    Some(format!("warp {warp}{of}, cycle {}: {did}", grouped(cycle as u64)))
}

/// The marks near a point, by name.
fn marked(record: &Record, span: Span, x: f64) -> Option<String> {
    /// How near, in pixels.
    const NEAR: f64 = 3.0;
    let cycle = |by: f64| span.cycle_at(x - LEFT + by).max(0.0) as u64;
    let (from, to) = (cycle(-NEAR), cycle(NEAR));
    let near = strip::MARKED.into_iter().filter_map(|(kind, _)| {
        let at = record.marks(kind).next(from).filter(|at| *at <= to)?;
        Some(format!("{}, cycle {}", kind.label(), grouped(at)))
    });
    Some(near.collect::<Vec<_>>().join(" · ")).filter(|text| !text.is_empty())
}

/// Goes to the cell under the pointer: that cycle, that warp.
fn pick(handle: &Handle, span: Span, (height, first): (f64, usize), x: f64, y: f64) {
    handle.act(|lab| {
        let Some(stage) = &lab.stage else { return };
        let record = stage.session.record();
        let track = strip::rows(record, height, first).at(y - TOP);
        let cycle = span.cycle_at(x - LEFT).floor();
        let (slots, reached) = (record.slots(), stage.session.reached());
        if x >= LEFT && cycle >= 0.0 {
            // The picture after that cycle shows what it did.
            lab.seek((cycle as u64 + 1).min(reached));
        }
        if let Some(track) = track {
            lab.selection = Some(Selection::Warp { sm: (track / slots) as u16, warp: (track % slots) as u16 });
        }
    });
}

/// The timeline for those who cannot see it.
fn words(record: &Record, cycle: u64) -> String {
    let cycles = |kind: EventKind| record.marks(kind).count();
    format!(
        "Timeline of {} over {}, now at cycle {cycle}; cycles with divergence: {}, with barrier releases: {}, with block ends: {}.",
        counted(rows(record).len() as u64, "warp"),
        counted(record.end(), "cycle"),
        cycles(EventKind::Divergence),
        cycles(EventKind::BarrierRelease),
        cycles(EventKind::BlockEnd)
    )
}
