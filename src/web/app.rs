//! The whole page: the bar and three columns.

use yew::prelude::*;

use super::bar::Bar;
use super::launch::LaunchPanel;
use super::result::ResultPanel;
use super::source::SourcePanel;
use super::state::State;

#[component]
pub fn App() -> Html {
    let state = use_reducer(State::new);
    let dispatch = state.dispatcher();
    use_effect_with(state.draft(), |draft| draft.save());
    html! {
        <>
            <Bar />
            <main class="columns">
                <SourcePanel ptx={state.ptx.clone()} dispatch={dispatch.clone()} />
                <LaunchPanel text={state.launch.clone()} findings={state.launch_findings.clone()}
                    reveal={state.launch_reveal} {dispatch} />
                <ResultPanel />
            </main>
        </>
    }
}
