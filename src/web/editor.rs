//! A text that can be edited: line numbers on the left, marks under the text where something is wrong.
//!
//! The browser's own text field does the editing, so that selection, undo and input methods work as everywhere.
//! It is see-through; the marks lie in a layer below it, placed by line and column, and the layer and the line numbers
//! are moved along when the field scrolls.

use std::rc::Rc;

use web_sys::{HtmlElement, HtmlTextAreaElement};
use yew::prelude::*;

use super::desk::Finding;

/// How wide a tab is, in characters; the style sheet says the same.
const TAB: usize = 4;
/// The height of a line in pixels; the style sheet says the same.
const LINE_PX: i32 = 20;

/// A place to bring into view. Two requests for one place differ in their serial number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reveal {
    pub line: usize,
    pub column: usize,
    pub serial: u32,
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
    /// `None`: the text can be read and copied, not changed.
    #[prop_or_default]
    pub onedit: Option<Callback<String>>,
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
    let onscroll = {
        let (field, numbers, marks) = (field.clone(), numbers.clone(), marks.clone());
        Callback::from(move |_: Event| follow(&field, &numbers, &marks))
    };
    {
        let field = field.clone();
        use_effect_with((props.reveal, props.text.clone()), move |(reveal, text)| {
            if let (Some(reveal), Some(field)) = (reveal, field.cast::<HtmlTextAreaElement>()) {
                bring_into_view(&field, text, *reveal);
            }
        });
    }

    let lines = props.text.split('\n').count();
    let line_numbers = use_memo(lines, |&lines| numbered(lines));
    html! {
        <div class="editor">
            <div class="numbers" ref={numbers} aria-hidden="true"><pre>{ line_numbers.as_str() }</pre></div>
            <div class="text">
                <div class="marks" ref={marks} aria-hidden="true">
                    { for props.findings.iter().filter_map(|finding| mark(&props.text, finding)) }
                </div>
                <textarea ref={field} id={props.id.clone()} aria-label={props.label.clone()}
                    placeholder={props.placeholder.clone()} value={props.text.to_string()}
                    readonly={props.onedit.is_none()} spellcheck="false" autocomplete="off" autocapitalize="off"
                    wrap="off" {oninput} {onscroll} />
            </div>
        </div>
    }
}

fn numbered(lines: usize) -> String {
    (1..=lines).map(|line| format!("{line}\n")).collect()
}

fn mark(text: &str, finding: &Finding) -> Option<Html> {
    let place = finding.place?;
    let line = text.split('\n').nth(place.line.checked_sub(1)?)?;
    let from = shown_column(line, place.column);
    let to = shown_column(line, place.column + place.width).max(from + 1);
    let style = format!("top:{}px;left:{from}ch;width:{}ch", (place.line - 1) as i64 * i64::from(LINE_PX), to - from);
    Some(html! { <i {style}></i> })
}

/// The column on screen (from 0) of a character column (from 1), tabs counted out.
fn shown_column(line: &str, column: usize) -> usize {
    line.chars().take(column.saturating_sub(1)).fold(0, |at, c| if c == '\t' { (at / TAB + 1) * TAB } else { at + 1 })
}

fn follow(field: &NodeRef, numbers: &NodeRef, marks: &NodeRef) {
    let Some(field) = field.cast::<HtmlElement>() else { return };
    if let Some(numbers) = numbers.cast::<HtmlElement>() {
        numbers.set_scroll_top(field.scroll_top());
    }
    if let Some(marks) = marks.cast::<HtmlElement>() {
        let style = format!("transform:translate({}px,{}px)", -field.scroll_left(), -field.scroll_top());
        let _ = marks.set_attribute("style", &style);
    }
}

fn bring_into_view(field: &HtmlTextAreaElement, text: &str, reveal: Reveal) {
    let before: usize = text.split('\n').take(reveal.line.saturating_sub(1)).map(|line| utf16_len(line) + 1).sum();
    let line = text.split('\n').nth(reveal.line.saturating_sub(1)).unwrap_or("");
    let within: usize = line.chars().take(reveal.column.saturating_sub(1)).map(char::len_utf16).sum();
    let at = (before + within) as u32;
    let _ = field.focus();
    let _ = field.set_selection_range(at, at);
    let top = (reveal.line as i32).saturating_mul(LINE_PX) - field.client_height() / 2;
    field.set_scroll_top(top.max(0));
}

/// Text fields count in UTF-16 units.
fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}
