//! Narrow screens show one column at a time, and a tab for each; wide ones show all three, and no tabs.

use strum::VariantArray;
use yew::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, Debug, VariantArray)]
pub enum PageColumn {
    Source,
    Stage,
    Side,
}

impl PageColumn {
    /// Returns the CSS class of the column's panel.
    pub fn class(self) -> &'static str {
        match self {
            PageColumn::Source => "source",
            PageColumn::Stage => "stage",
            PageColumn::Side => "side",
        }
    }

    fn name(self) -> &'static str {
        match self {
            PageColumn::Source => "Source",
            PageColumn::Stage => "Mechanism",
            PageColumn::Side => "Details",
        }
    }
}

pub fn column_tabs(shown: PageColumn, onchoose: &Callback<PageColumn>) -> Html {
    let tab = |column: PageColumn| {
        let onclick = onchoose.reform(move |_: MouseEvent| column);
        html! { <button type="button" aria-pressed={(shown == column).to_string()} {onclick}>{ column.name() }</button> }
    };
    html! { <div class="tabs columns" role="group" aria-label="Columns">{ for PageColumn::VARIANTS.iter().copied().map(tab) }</div> }
}
