//! What is open on the page: the sheet over it, the column, and whether it presents.
//!
//! One reducer holds it, so that a key, a button and a link change it by the same [`LayoutAction`]. What a link
//! restores, such as the run on stage and the tab of details, is not part of it; that is in the lab.

use super::columns::PageColumn;
use super::timeline::Move;
use std::rc::Rc;
use yew::prelude::*;

/// A sheet over the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sheet {
    Gallery,
    Editor,
    Settings,
    Compare,
    Lessons,
    Help,
}

#[derive(Clone, PartialEq)]
pub struct Layout {
    /// The column that a narrow page shows.
    pub column: PageColumn,
    pub sheet: Option<Sheet>,
    /// The stage without the rest of the page, in large type.
    pub presents: bool,
    /// The hint that names the first keys is shown.
    pub hint: bool,
    /// The number of the keyboard's commands to the timeline so far, and the last one.
    pub asked: (u32, Option<Move>),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LayoutAction {
    PageColumn(PageColumn),
    /// Opens a sheet in place of another.
    Open(Sheet),
    /// Opens a sheet, or closes it if it is open.
    Toggle(Sheet),
    Close,
    /// Closes the sheet, or ends presenting; and removes the hint.
    Escape,
    /// Shows the text of a lesson that begins.
    BeginLesson,
    /// Begins or ends presenting.
    Present,
    Timeline(Move),
    /// The user has stepped, so the hint has done its work.
    Stepped,
}

impl Reducible for Layout {
    type Action = LayoutAction;

    fn reduce(self: Rc<Self>, action: LayoutAction) -> Rc<Self> {
        let mut next = (*self).clone();
        match action {
            LayoutAction::PageColumn(column) => next.column = column,
            LayoutAction::Open(sheet) => next.sheet = Some(sheet),
            LayoutAction::Toggle(sheet) => next.sheet = (self.sheet != Some(sheet)).then_some(sheet),
            LayoutAction::Close => next.sheet = None,
            LayoutAction::Escape => {
                next.presents &= self.sheet.is_some();
                (next.sheet, next.hint) = (None, false);
            }
            LayoutAction::BeginLesson => (next.sheet, next.column) = (None, PageColumn::Side),
            LayoutAction::Present => next.presents = !self.presents,
            LayoutAction::Timeline(wish) => next.asked = (self.asked.0.wrapping_add(1), Some(wish)),
            LayoutAction::Stepped => next.hint = false,
        }
        Rc::new(next)
    }
}

/// Returns a callback that changes the layout.
pub fn changing<E: 'static>(layout: &UseReducerHandle<Layout>, action: impl Fn(E) -> LayoutAction + 'static) -> Callback<E> {
    let layout = layout.dispatcher();
    Callback::from(move |event| layout.dispatch(action(event)))
}
