//! Many runs at once, on as many threads as there are, with a bar on a terminal.

use crate::metrics::Report;
use crate::papers::{Results, Run, RunError};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

/// Performs runs; the results are in the runs' order, whatever thread was first.
pub fn perform(runs: Vec<Run>, jobs: Option<usize>) -> Results {
    // Standard error, and only if somebody looks at it.
    let bar = ProgressBar::with_draw_target(Some(runs.len() as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} runs, {elapsed}  {msg}") {
        bar.set_style(style);
    }
    let one = |run: Run| -> (Run, Result<Report, RunError>) {
        bar.set_message(format!("{} {}", run.workload, run.technique));
        let report = run.perform();
        bar.inc(1);
        (run, report)
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0)).build();
    let done = match pool {
        Ok(pool) => pool.install(|| runs.into_par_iter().map(one).collect()),
        Err(_) => runs.into_iter().map(one).collect(),
    };
    bar.finish_and_clear();
    Results { runs: done }
}
