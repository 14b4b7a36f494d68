//! A part of the page that is drawn again only when something it shows has changed.
//!
//! One component for all such parts: a component of its own for each costs more code than what it shows.

use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties)]
pub struct Props {
    /// All that the part shows, in numbers: while they are the same, so is the part.
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

/// A part that shows what the numbers say.
pub fn still(shows: Vec<u64>, draw: impl Fn() -> Html + 'static) -> Html {
    let draw: Rc<dyn Fn() -> Html> = Rc::new(draw);
    html! { <Still {shows} {draw} /> }
}
