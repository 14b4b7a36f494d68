//! Many runs in parallel, within one memory budget, with a progress bar on a terminal.

use super::cache::RunCache;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use std::sync::{Condvar, Mutex, PoisonError};
use warpscope_machine::metrics::Report;
use warpscope_machine::sim::footprint::BUDGET;
use warpscope_study::run::{RunError, RunSpec};

/// Performs runs of the catalogue, except those that the cache has.
pub fn perform(runs: Vec<RunSpec>, jobs: Option<u64>, cache: &RunCache) -> Vec<(RunSpec, Result<Report, RunError>)> {
    let label = |run: &RunSpec| format!("{} {}", run.name(), run.machine.technique);
    let memory = Memory::default();
    let one = |run: RunSpec| -> (RunSpec, Result<Report, RunError>) {
        let outcome = cache.get(&run).unwrap_or_else(|| {
            let _taken = memory.take(run.bytes());
            let outcome = run.perform();
            cache.put(&run, &outcome);
            outcome
        });
        (run, outcome)
    };
    each(runs, jobs, label, one)
}

/// The memory limit of one machine, for all that run at a time: a run waits until what it takes is free.
pub struct Memory {
    free: Mutex<u64>,
    returned: Condvar,
}

/// Memory that a run has; it is returned when this is dropped.
pub struct Taken<'a> {
    memory: &'a Memory,
    bytes: u64,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { free: Mutex::new(BUDGET), returned: Condvar::new() }
    }
}

impl Memory {
    /// Waits for memory. A run that would take more than there is takes all: it is refused before it allocates any.
    pub fn take(&self, bytes: u64) -> Taken<'_> {
        let bytes = bytes.min(BUDGET);
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.returned.wait_while(free, |free| *free < bytes).unwrap_or_else(PoisonError::into_inner);
        *free -= bytes;
        Taken { memory: self, bytes }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *self.memory.free.lock().unwrap_or_else(PoisonError::into_inner) += self.bytes;
        self.memory.returned.notify_all();
    }
}

/// Applies `work` to every item on several threads; the results are in the items' order.
pub fn each<T: Send, R: Send>(
    items: Vec<T>,
    jobs: Option<u64>,
    label: impl Fn(&T) -> String + Sync,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    // The bar goes to standard error, and only if that is a terminal.
    let bar = ProgressBar::with_draw_target(Some(items.len() as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} runs, {elapsed} elapsed, about {eta} left  {msg}") {
        bar.set_style(style);
    }
    let one = |item: T| {
        bar.set_message(label(&item));
        let result = work(item);
        bar.inc(1);
        result
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads(jobs, items.len())).build();
    let done = match pool {
        // One item at a time: a thread cannot take over items of a chunk that another thread has begun.
        Ok(pool) => pool.install(|| items.into_par_iter().with_max_len(1).map(one).collect()),
        Err(_) => items.into_iter().map(one).collect(),
    };
    bar.finish_and_clear();
    done
}

/// Returns how many threads to use: as many as were asked for, or as there are processors, but never more than runs.
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

    #[test]
    fn runs_wait_until_the_memory_that_they_take_is_free() {
        use std::sync::atomic::{AtomicU64, Ordering};
        let (memory, taken, most) = (Memory::default(), AtomicU64::new(0), AtomicU64::new(0));
        let one = |bytes: u64| {
            let _taken = memory.take(bytes);
            most.fetch_max(taken.fetch_add(bytes, Ordering::SeqCst) + bytes, Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(5));
            taken.fetch_sub(bytes, Ordering::SeqCst);
        };
        each(vec![BUDGET / 3 * 2, BUDGET / 2, BUDGET / 2, BUDGET / 4, BUDGET], Some(5), |_| String::new(), one);
        assert!((1..=BUDGET).contains(&most.into_inner()));
    }
}
