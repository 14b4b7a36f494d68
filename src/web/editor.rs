//! A text editor, with line numbers on the left and marks under problems.
//!
//! The browser's own text field does the editing, so that selection, undo and input methods work as everywhere. It is
//! transparent; a layer below it holds the marks, placed by line and column. That layer and the line numbers scroll with the
//! field. Of a long text only the numbers near the visible lines exist: a browser takes as long to lay out a hundred thousand
//! numbers as it takes for the text.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlTextAreaElement};
use yew::prelude::*;

use warpscope_lab::{Finding, MOST_TEXT_BYTES, TextSpot, too_large};

/// The width of a tab in characters; the style sheet says the same.
const TAB: usize = 4;
/// The height of a line in pixels; the style sheet says the same.
const LINE_PX: i32 = 20;
/// The numbers that exist begin at a multiple of this line, at least as many lines before the first visible one; there are
/// [`NUMBERS`] of them, more than three times what the highest window shows.
const STEP: usize = 100;
const NUMBERS: usize = 500;

/// A request to scroll to a place. Two requests for one place differ in their serial number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reveal {
    spot: TextSpot,
    serial: u32,
}

impl Reveal {
    /// Returns a request for the place that differs from the last one.
    pub fn after(last: Option<Reveal>, spot: TextSpot) -> Reveal {
        Reveal { spot, serial: last.map_or(0, |last| last.serial.wrapping_add(1)) }
    }
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub id: AttrValue,
    pub label: AttrValue,
    pub placeholder: AttrValue,
    pub text: Rc<str>,
    #[prop_or_default]
    pub findings: Rc<[Finding]>,
    #[prop_or_default]
    pub reveal: Option<Reveal>,
    /// `None`: the text can be read and copied, but not changed.
    #[prop_or_default]
    pub onedit: Option<Callback<String>>,
    /// Receives a message when a pasted text is too long.
    #[prop_or_default]
    pub onrefuse: Callback<String>,
}

#[component]
pub fn Editor(props: &Props) -> Html {
    let field = use_node_ref();
    let numbers = use_node_ref();
    let marks = use_node_ref();

    let oninput = {
        let onedit = props.onedit.clone();
        Callback::from(move |event: InputEvent| {
            if let (Some(onedit), Some(field)) = (&onedit, event.target_dyn_into::<HtmlTextAreaElement>()) {
                onedit.emit(field.value());
            }
        })
    };
    let onpaste = {
        let onrefuse = props.onrefuse.clone();
        // Checked before the field takes the text: a field with a hundred megabytes in it blocks the whole page.
        Callback::from(move |event: Event| {
            let event: web_sys::ClipboardEvent = event.unchecked_into();
            let text = event.clipboard_data().and_then(|data| data.get_data("text").ok()).unwrap_or_default();
            let before = event.target_dyn_into::<HtmlTextAreaElement>().map_or(0, |field| {
                let replaced =
                    field.selection_end().ok().flatten().unwrap_or(0) - field.selection_start().ok().flatten().unwrap_or(0);
                field.text_length().saturating_sub(replaced) as usize
            });
            let all = before + text.len();
            if all > MOST_TEXT_BYTES {
                event.prevent_default();
                let what = if before > 0 { "The text with what was pasted" } else { "What was pasted" };
                onrefuse.emit(format!("{what} {}.", too_large(all as u64)));
            }
        })
    };
    let first = use_state_eq(|| 0usize);
    let onscroll = {
        let (field, numbers, marks, first) = (field.clone(), numbers.clone(), marks.clone(), first.clone());
        Callback::from(move |_: Event| {
            follow(&field, &numbers, &marks, *first);
            if let Some(field) = field.cast::<HtmlElement>() {
                first.set(first_number(field.scroll_top()));
            }
        })
    };
    {
        let (field, numbers, marks) = (field.clone(), numbers.clone(), marks.clone());
        use_effect_with(*first, move |&first| follow(&field, &numbers, &marks, first));
    }
    {
        let (field, text) = (field.clone(), props.text.clone());
        use_effect_with(props.reveal, move |reveal| {
            if let (Some(reveal), Some(field)) = (reveal, field.cast::<HtmlTextAreaElement>()) {
                bring_into_view(&field, &text, reveal.spot);
            }
        });
    }

    let wrong = (!props.findings.is_empty()).then(|| format!("{}-problems", props.id));
    let lines = props.text.split('\n').count();
    let line_numbers = use_memo((*first, lines), |&(first, lines)| numbered(first, lines));
    html! {
        <div class="editor">
            <div class="numbers" aria-hidden="true"><pre ref={numbers}>{ line_numbers.as_str() }</pre></div>
            <div class="text">
                <div class="marks" ref={marks} aria-hidden="true">
                    { for props.findings.iter().filter_map(|finding| mark(&props.text, finding)) }
                </div>
                <textarea ref={field} id={props.id.clone()} aria-label={props.label.clone()}
                    aria-invalid={wrong.is_some().then_some("true")} aria-describedby={wrong}
                    placeholder={props.placeholder.clone()} value={props.text.to_string()}
                    readonly={props.onedit.is_none()} spellcheck="false" autocomplete="off" autocapitalize="off"
                    wrap="off" {oninput} {onpaste} {onscroll} />
            </div>
        </div>
    }
}

/// Returns the line (from 0) with which the numbers begin while the field is scrolled by `top` pixels.
fn first_number(top: i32) -> usize {
    let visible = (top.max(0) / LINE_PX) as usize;
    (visible / STEP * STEP).saturating_sub(STEP)
}

/// Returns the numbers of the lines from `first` (from 0) on.
fn numbered(first: usize, lines: usize) -> String {
    (first + 1..=lines.min(first + NUMBERS)).map(|line| format!("{line}\n")).collect()
}

fn mark(text: &str, finding: &Finding) -> Option<Html> {
    let place = finding.place?;
    let line = text.split('\n').nth(place.line.checked_sub(1)?)?;
    let from = shown_column(line, place.column);
    let to = shown_column(line, place.column + place.width).max(from + 1);
    let style = format!("top:{}px;left:{from}ch;width:{}ch", (place.line - 1) as i64 * i64::from(LINE_PX), to - from);
    Some(html! { <i {style}></i> })
}

/// Returns the column on screen (from 0) of a character column (from 1), with tabs expanded.
fn shown_column(line: &str, column: usize) -> usize {
    line.chars().take(column.saturating_sub(1)).fold(0, |at, c| if c == '\t' { (at / TAB + 1) * TAB } else { at + 1 })
}

/// Moves the layers to where the field is scrolled; the numbers begin with line `first`.
fn follow(field: &NodeRef, numbers: &NodeRef, marks: &NodeRef, first: usize) {
    let Some(field) = field.cast::<HtmlElement>() else { return };
    let top = field.scroll_top();
    for (layer, left, top) in [(numbers, 0, top - first as i32 * LINE_PX), (marks, field.scroll_left(), top)] {
        if let Some(layer) = layer.cast::<HtmlElement>() {
            let _ = layer.set_attribute("style", &format!("transform:translate({}px,{}px)", -left, -top));
        }
    }
}

fn bring_into_view(field: &HtmlTextAreaElement, text: &str, spot: TextSpot) {
    let above = spot.line.saturating_sub(1);
    let before: usize = text.split('\n').take(above).map(|line| utf16_len(line.chars()) + 1).sum();
    let line = text.split('\n').nth(above).unwrap_or("");
    let start = before + utf16_len(line.chars().take(spot.column.saturating_sub(1)));
    let end = before + utf16_len(line.chars().take((spot.column + spot.width).saturating_sub(1)));
    let _ = field.focus();
    let _ = field.set_selection_range(start as u32, end as u32);
    let top = (spot.line as i32).saturating_mul(LINE_PX) - field.client_height() / 2;
    field.set_scroll_top(top.max(0));
    field.set_scroll_left(0);
}

/// Returns the length in UTF-16 units, in which text fields count.
fn utf16_len(characters: impl Iterator<Item = char>) -> usize {
    characters.map(char::len_utf16).sum()
}
