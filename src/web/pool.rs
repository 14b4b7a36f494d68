//! Web workers that run techniques, so that the page stays responsive.
//!
//! Each worker is `worker.mjs` with a wasm module of its own, and has one run at a time. A worker that crashes is replaced, and its
//! run is reported as failed.

use super::handle::Handle;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use warpscope_study::compare::Entry;
use warpscope_study::run::RunSpec;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};
use yew::prelude::*;

/// Most workers: each has the whole module in memory.
const MOST: usize = 4;

/// Performs a run in a worker; the run and its entry are JSON text.
#[wasm_bindgen]
pub fn perform(run: &str) -> String {
    let entry = match serde_json::from_str::<RunSpec>(run) {
        Ok(run) => Entry::of(&run),
        Err(error) => Entry { technique: String::new(), outcome: Err(error.to_string()) },
    };
    serde_json::to_string(&entry).unwrap_or_default()
}

type Heard = (Closure<dyn FnMut(MessageEvent)>, Closure<dyn FnMut(web_sys::Event)>);

/// The waiting runs and the workers; dropping it terminates the workers.
struct Pool {
    waiting: RefCell<VecDeque<(usize, RunSpec)>>,
    workers: RefCell<Vec<(Worker, Heard)>>,
    /// Receives the number of a run and its entry.
    done: Box<dyn Fn(usize, Entry)>,
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.workers.borrow().iter().for_each(|(worker, _)| worker.terminate());
    }
}

impl Pool {
    fn start(runs: &[RunSpec], done: impl Fn(usize, Entry) + 'static) -> Rc<Pool> {
        let waiting = runs.iter().cloned().enumerate().collect();
        let pool = Rc::new(Pool { waiting: RefCell::new(waiting), workers: RefCell::default(), done: Box::new(done) });
        let cores = web_sys::window().map_or(1.0, |window| window.navigator().hardware_concurrency());
        for _ in 0..(cores as usize).clamp(1, MOST).min(runs.len()) {
            pool.hire();
        }
        pool
    }

    /// Starts a worker for the next run.
    fn hire(self: &Rc<Pool>) {
        let Some((at, run)) = self.waiting.borrow_mut().pop_front() else { return };
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let Ok(worker) = Worker::new_with_options("./worker.mjs", &options) else {
            (self.done)(at, Entry::failed(&run, "this browser has no workers to run it"));
            return self.hire();
        };
        let doing = Rc::new(RefCell::new((at, run)));
        let onmessage = {
            let (pool, worker, doing) = (Rc::downgrade(self), worker.clone(), doing.clone());
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                let Some(pool) = pool.upgrade() else { return };
                let (at, run) = doing.borrow().clone();
                let text = event.data().as_string().unwrap_or_default();
                let entry = serde_json::from_str(&text).unwrap_or_else(|_| Entry::failed(&run, "its result cannot be read"));
                let next = pool.waiting.borrow_mut().pop_front();
                match next {
                    Some(next) => {
                        send(&worker, &next.1);
                        *doing.borrow_mut() = next;
                    }
                    None => worker.terminate(),
                }
                (pool.done)(at, entry);
            })
        };
        let onerror = {
            let (pool, worker, doing) = (Rc::downgrade(self), worker.clone(), doing.clone());
            Closure::<dyn FnMut(web_sys::Event)>::new(move |_: web_sys::Event| {
                let Some(pool) = pool.upgrade() else { return };
                worker.terminate();
                let (at, run) = doing.borrow().clone();
                pool.hire();
                (pool.done)(at, Entry::failed(&run, "the simulator crashed while it ran"));
            })
        };
        worker.set_onmessage(Some(onmessage.as_ref().unchecked_ref()));
        worker.set_onerror(Some(onerror.as_ref().unchecked_ref()));
        send(&worker, &doing.borrow().1);
        self.workers.borrow_mut().push((worker, (onmessage, onerror)));
    }
}

fn send(worker: &Worker, run: &RunSpec) {
    let text = serde_json::to_string(run).unwrap_or_default();
    let _ = worker.post_message(&JsValue::from_str(&text));
}

/// Runs the lab's contest on workers until it ends, is stopped or is replaced.
#[hook]
pub fn use_contest(handle: &Handle) {
    let running = handle.read(|lab| lab.contest.as_ref().filter(|contest| contest.is_running()).map(|_| lab.contests));
    let handle = handle.steady();
    use_effect_with(running, move |running| {
        let pool = running.and_then(|number| {
            let runs = handle.read(|lab| lab.contest.as_ref().map(|contest| contest.runs.clone()))?;
            Some(Pool::start(&runs, move |at, entry| {
                handle.act_if(|lab| {
                    let current = lab.contests == number;
                    if let Some(contest) = lab.contest.as_mut().filter(|_| current) {
                        contest.take(at, entry);
                    }
                    current
                });
            }))
        });
        move || drop(pool)
    });
}
