//! Many runs at once, on as many threads as there are, with a bar on a terminal.

use crate::metrics::Report;
use crate::papers::{Results, Run, RunError};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

/// Performs runs; the results are in the runs' order, whatever thread was first.
pub fn perform(runs: Vec<Run>, jobs: Option<u64>) -> Results {
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
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads(jobs, runs.len())).build();
    let done = match pool {
        Ok(pool) => pool.install(|| runs.into_par_iter().map(one).collect()),
        Err(_) => runs.into_iter().map(one).collect(),
    };
    bar.finish_and_clear();
    Results { runs: done }
}

/// Threads for so many runs: as many as were asked for, or as there are processors, but never more than runs.
fn threads(jobs: Option<u64>, runs: usize) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    jobs.map_or_else(processors, |jobs| usize::try_from(jobs).unwrap_or(usize::MAX)).clamp(1, runs.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_never_more_threads_than_runs() {
        assert_eq!(threads(Some(4), 10), 4);
        assert_eq!(threads(Some(u64::MAX), 3), 3);
        assert_eq!(threads(Some(4), 0), 1);
        assert_eq!(threads(None, 1), 1);
    }
}
