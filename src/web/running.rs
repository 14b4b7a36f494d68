//! The run under way, as a hook.

use std::rc::Rc;

use yew::prelude::*;

use super::desk::{Ending, Order, Outcome};
use super::state::{Action, State};
use super::worker;

/// What the page does with a run.
#[derive(Clone, PartialEq)]
pub struct Running {
    pub start: Callback<()>,
    pub stop: Callback<()>,
}

#[hook]
pub fn use_running(state: &UseReducerHandle<State>) -> Running {
    let under_way = use_mut_ref(|| None::<worker::Run>);
    let number = use_mut_ref(|| 0_u32);

    let start = {
        let (state, under_way, number) = (state.clone(), under_way.clone(), number.clone());
        Callback::from(move |()| {
            *number.borrow_mut() += 1;
            let number = *number.borrow();
            let dispatch = state.dispatcher();
            dispatch.dispatch(Action::Start(number));
            let end = move |outcome: Outcome| dispatch.dispatch(Action::End(number, Rc::new(outcome)));
            match worker::Run::start(&order(&state), end.clone()) {
                Ok(run) => *under_way.borrow_mut() = Some(run),
                Err(message) => end(Ending::Failed(message).into()),
            }
        })
    };
    let stop = {
        let (dispatch, under_way) = (state.dispatcher(), under_way.clone());
        Callback::from(move |()| {
            under_way.borrow_mut().take();
            dispatch.dispatch(Action::End(*number.borrow(), Rc::new(Ending::Stopped.into())));
        })
    };
    // A change of the texts gives the run up.
    use_effect_with(state.reading.clone(), move |_| {
        under_way.borrow_mut().take();
    });
    Running { start, stop }
}

fn order(state: &State) -> Order {
    Order {
        ptx: state.ptx.to_string(),
        launch: state.launch.to_string(),
        origin: state.origin.map(|origin| origin.workload.name.into()),
        check: state.origin.is_some_and(|origin| *state.launch == *origin.launch()),
    }
}
