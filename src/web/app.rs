//! The whole page: the bar, three columns, and the run that is under way.

use yew::prelude::*;

use super::about::AboutPanel;
use super::bar::Bar;
use super::dropping::use_dropping;
use super::launch::LaunchPanel;
use super::result::ResultPanel;
use super::running::use_running;
use super::source::SourcePanel;
use super::state::{Run, State};

#[component]
pub fn App() -> Html {
    let state = use_reducer(State::new);
    let dispatch = state.dispatcher();
    use_effect_with(state.draft(), |draft| draft.save());
    let running = use_running(&state);
    let dropping = use_dropping(dispatch.clone());

    let missing = state.reading.ready.as_ref().err().map(|reason| AttrValue::from(reason.clone()));
    let onkeydown = {
        let onrun = running.start.clone();
        let can_run = missing.is_none();
        Callback::from(move |event: KeyboardEvent| {
            if can_run && event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                event.prevent_default();
                onrun.emit(());
            }
        })
    };
    html! {
        <div class={classes!("page", dropping.over.then_some("dropping"))} {onkeydown} ondragover={dropping.ondragover}
            ondragleave={dropping.ondragleave} ondrop={dropping.ondrop}>
            <Bar origin={state.origin} edited={state.is_edited()} missing={missing.clone()}
                going={matches!(state.run, Run::Going(_))} onrun={running.start} onstop={running.stop} dispatch={dispatch.clone()} />
            <main class="columns">
                <SourcePanel ptx={state.ptx.clone()} origin={state.origin} side={state.side} reading={state.reading.clone()}
                    reveal={state.ptx_reveal} dispatch={dispatch.clone()} />
                <div class="stack">
                    <LaunchPanel text={state.launch.clone()} reading={state.reading.clone()} reveal={state.launch_reveal}
                        dispatch={dispatch.clone()} />
                    <AboutPanel origin={state.origin} />
                </div>
                <ResultPanel run={state.run.clone()} {missing} {dispatch} />
            </main>
        </div>
    }
}
