//! A part of the page that is rendered again only when its data has changed.
//!
//! All such parts share one component: one of its own for each would cost more code than what it shows.

use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties)]
pub struct Props {
    /// The data that the part shows, encoded as numbers: equal numbers mean an equal part.
    pub shows: Vec<u64>,
    pub draw: Rc<dyn Fn() -> Html>,
}

impl PartialEq for Props {
    fn eq(&self, other: &Props) -> bool {
        self.shows == other.shows
    }
}

#[component]
pub fn Still(props: &Props) -> Html {
    (props.draw)()
}

/// Returns a part that calls `draw` only when `shows` has changed.
pub fn still(shows: Vec<u64>, draw: impl Fn() -> Html + 'static) -> Html {
    let draw: Rc<dyn Fn() -> Html> = Rc::new(draw);
    html! { <Still {shows} {draw} /> }
}
