//! A cache of earlier runs in the user's cache folder: their reports, and the errors of those that have none.
//!
//! The hash of program, launch and configuration ([`Run::key`]) identifies a run. Each build of the simulator has a folder of its
//! own, so that it never reads what another build wrote.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use warpscope_machine::metrics::Report;
use warpscope_study::papers::{Run, RunError};

/// Age at which the folders of other builds are deleted.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A folder of outcomes of runs; without one, nothing is cached.
#[derive(Clone, Debug, Default)]
pub struct RunCache {
    folder: Option<PathBuf>,
}

impl RunCache {
    /// Opens the cache in this folder, or in the user's cache folder. Nothing is cached if that folder cannot be created.
    pub fn open(folder: Option<&Path>) -> RunCache {
        let root = folder.map(Path::to_path_buf).or_else(users_folder);
        let Some((root, build)) = root.zip(build()) else { return RunCache::default() };
        forget(&root, &build);
        let folder = root.join(build);
        RunCache { folder: fs::create_dir_all(&folder).is_ok().then_some(folder) }
    }

    fn file(&self, run: &Run) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{:016x}.json", run.key()?)))
    }

    /// Returns the outcome of a run that has been made before.
    pub fn get(&self, run: &Run) -> Option<Result<Report, RunError>> {
        serde_json::from_slice(&fs::read(self.file(run)?).ok()?).ok()
    }

    /// Stores the outcome of a run. An error in writing it is ignored, because the run itself has not failed.
    pub fn put(&self, run: &Run, outcome: &Result<Report, RunError>) {
        let Some((file, text)) = self.file(run).zip(serde_json::to_vec(outcome).ok()) else { return };
        let part = file.with_extension(format!("{}.part", std::process::id()));
        if fs::write(&part, text).and_then(|()| fs::rename(&part, &file)).is_err() {
            let _ = fs::remove_file(&part);
        }
    }
}

fn users_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let root = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache"))).or_else(|| set("LOCALAPPDATA"))?;
    Some(root.join("warpscope"))
}

/// Returns a name for this build of the program: a hash of its path, length and modification time.
fn build() -> Option<String> {
    let path = std::env::current_exe().ok()?;
    let about = fs::metadata(&path).ok()?;
    let mut hasher = DefaultHasher::new();
    (path, about.len(), about.modified().ok()?).hash(&mut hasher);
    Some(format!("runs-{:016x}", hasher.finish()))
}

/// Deletes the folders that other builds wrote long ago.
fn forget(root: &Path, build: &str) {
    let is_old = |entry: &fs::DirEntry| {
        let modified = entry.metadata().and_then(|about| about.modified()).ok();
        modified.and_then(|at| SystemTime::now().duration_since(at).ok()).is_some_and(|age| age > KEPT)
    };
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with("runs-") && name != build) && is_old(&entry) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_failed_is_known_the_next_time_too() {
        let folder = std::env::temp_dir().join(format!("warpscope-cache-{}", std::process::id()));
        let cache = RunCache { folder: Some(folder.clone()) };
        fs::create_dir_all(&folder).expect("a folder");
        let run = Run::new("saxpy", "tbc", "PDOM").with_tiny_launch();
        assert!(cache.get(&run).is_none());
        cache.put(&run, &Err(RunError::Endless));
        assert_eq!(cache.get(&run).and_then(Result::err), Some(RunError::Endless));
        let report = run.perform().expect("it runs");
        let cycles = report.cycles;
        cache.put(&run, &Ok(report));
        assert_eq!(cache.get(&run).and_then(Result::ok).map(|report| report.cycles), Some(cycles));
        fs::remove_dir_all(&folder).expect("it can go");
    }
}
