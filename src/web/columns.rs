//! Narrow screens show one column at a time, and a tab for each; wide ones show all three, and no tabs.

use yew::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    Source,
    Stage,
    Side,
}

impl Column {
    const ALL: [Column; 3] = [Column::Source, Column::Stage, Column::Side];

    /// Returns the CSS class of the column's panel.
    pub fn class(self) -> &'static str {
        match self {
            Column::Source => "source",
            Column::Stage => "stage",
            Column::Side => "side",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Column::Source => "Source",
            Column::Stage => "Mechanism",
            Column::Side => "Details",
        }
    }
}

pub fn column_tabs(shown: Column, onchoose: &Callback<Column>) -> Html {
    let tab = |column: Column| {
        let onclick = onchoose.reform(move |_: MouseEvent| column);
        html! { <button type="button" aria-pressed={(shown == column).to_string()} {onclick}>{ column.name() }</button> }
    };
    html! { <div class="tabs columns" role="group" aria-label="Columns">{ for Column::ALL.map(tab) }</div> }
}
