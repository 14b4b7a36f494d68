//! A cache of earlier runs in the user's cache folder: their reports, and the errors of those that have none.
//!
//! The hash of program, launch and configuration ([`RunSpec::key`]) identifies a run. Each build of the simulator has a folder of its
//! own, so that it never reads what another build wrote. A file in it, the *mark*, says that the program made the folder. Nothing
//! is written to or removed from a folder without one: the cache may lie among a user's own files.

use super::files;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use warpscope_machine::metrics::Report;
use warpscope_study::run::{RunError, RunSpec};

/// Age at which the folders of other builds are deleted.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What the name of a build's folder begins with; a hash follows.
const PREFIX: &str = "runs-";

/// The file that marks a folder of the cache, and the first word in it; the program's version follows.
const MARK: &str = "made-by-warpscope";
const MARK_WORD: &str = "warpscope ";

/// The largest outcome that is read back.
const MOST_OUTCOME_BYTES: u64 = 16 << 20;

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
        RunCache { folder: make(&folder).is_ok_and(|()| is_marked(&folder)).then_some(folder) }
    }

    fn file(&self, run: &RunSpec) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{:016x}.json", run.key()?)))
    }

    /// Returns the outcome of a run that has been made before.
    pub fn get(&self, run: &RunSpec) -> Option<Result<Report, RunError>> {
        serde_json::from_slice(&files::read(&self.file(run)?, MOST_OUTCOME_BYTES).ok()?).ok()
    }

    /// Stores the outcome of a run. An error in writing it is ignored, because the run itself has not failed.
    pub fn put(&self, run: &RunSpec, outcome: &Result<Report, RunError>) {
        let Some((file, text)) = self.file(run).zip(serde_json::to_vec(outcome).ok()) else { return };
        let part = file.with_extension(format!("{}.part", std::process::id()));
        // A new file, so that nothing is written through a link that lies there.
        let Ok(mut new) = fs::File::create_new(&part) else { return };
        if new.write_all(&text).and_then(|()| fs::rename(&part, &file)).is_err() {
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
    Some(format!("{PREFIX}{:016x}", hasher.finish()))
}

/// Creates and marks a folder, unless somebody else has put something into it.
fn make(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    if fs::read_dir(folder)?.next().is_none() {
        fs::write(folder.join(MARK), format!("{MARK_WORD}{}\n", env!("CARGO_PKG_VERSION")))?;
    }
    Ok(())
}

/// Whether this is a folder, and no link to one, that the program has made and marked.
fn is_marked(folder: &Path) -> bool {
    let mark = folder.join(MARK);
    fs::symlink_metadata(folder).is_ok_and(|about| about.is_dir())
        && fs::symlink_metadata(&mark).is_ok_and(|about| about.is_file())
        && files::read_text(&mark).is_ok_and(|text| text.starts_with(MARK_WORD))
}

/// Whether a file of this name can be one that the program has put into a folder of the cache.
fn is_outcome(name: &str) -> bool {
    let (run, ending) = name.split_once('.').unwrap_or((name, ""));
    is_hash(run) && (ending == "json" || ending.strip_suffix(".part").is_some_and(|id| id.parse::<u32>().is_ok()))
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Deletes what other builds wrote long ago: their outcomes, and their folders where nothing else is in them.
fn forget(root: &Path, build: &str) {
    let is_old = |folder: &Path| {
        let modified = fs::symlink_metadata(folder).and_then(|about| about.modified()).ok();
        modified.and_then(|at| SystemTime::now().duration_since(at).ok()).is_some_and(|age| age > KEPT)
    };
    for (name, folder) in entries(root) {
        let is_cache = name != build && name.strip_prefix(PREFIX).is_some_and(is_hash);
        if is_cache && is_old(&folder) && is_marked(&folder) {
            for (_, file) in entries(&folder).filter(|(name, _)| is_outcome(name)) {
                // Removes a link itself, and no folder.
                let _ = fs::remove_file(file);
            }
            // The mark goes last, so that a removal that was interrupted goes on the next time.
            let is_mark = |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|entry| entry.file_name() == MARK);
            if fs::read_dir(&folder).is_ok_and(|mut left| left.all(is_mark)) {
                let _ = fs::remove_file(folder.join(MARK)).and_then(|()| fs::remove_dir(&folder));
            }
        }
    }
}

/// Returns the names and paths in a folder; names that are not text are left out.
fn entries(folder: &Path) -> impl Iterator<Item = (String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.file_name().to_str()?.to_string(), entry.path())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_catalogue::Size;

    #[test]
    fn a_run_that_failed_is_known_the_next_time_too() {
        let folder = std::env::temp_dir().join(format!("warpscope-cache-{}", std::process::id()));
        let cache = RunCache { folder: Some(folder.clone()) };
        fs::create_dir_all(&folder).expect("a folder");
        let run = RunSpec::of("saxpy", "tbc", "PDOM").sized(Size::Tiny);
        assert!(cache.get(&run).is_none());
        cache.put(&run, &Err(RunError::Endless));
        assert_eq!(cache.get(&run).and_then(Result::err), Some(RunError::Endless));
        let report = run.perform().expect("it runs");
        let cycles = report.cycles;
        cache.put(&run, &Ok(report));
        assert_eq!(cache.get(&run).and_then(Result::ok).map(|report| report.cycles), Some(cycles));
        fs::remove_dir_all(&folder).expect("it can go");
    }

    const OLD: Duration = Duration::from_secs(40 * 24 * 60 * 60);

    /// Creates an old folder with a file in a root of this test.
    fn old(root: &Path, name: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder = root.join(name);
        fs::create_dir_all(&folder).expect("a folder");
        files.iter().for_each(|(name, text)| fs::write(folder.join(name), text).expect("written"));
        let at = SystemTime::now() - OLD;
        fs::File::open(&folder).and_then(|folder| folder.set_modified(at)).expect("it takes another time");
        folder
    }

    #[test]
    fn only_folders_with_our_mark_are_forgotten_and_only_what_we_put_into_them() {
        let root = std::env::temp_dir().join(format!("warpscope-forget-{}", std::process::id()));
        let outcome = ("0123456789abcdef.json", "{}");
        let ours = old(&root, "runs-00000000000000aa", &[(MARK, "warpscope 0.1.0\n"), outcome]);
        let mixed = old(&root, "runs-00000000000000bb", &[(MARK, "warpscope 0.1.0\n"), outcome, ("thesis.csv", "1")]);
        let kept = [
            old(&root, "runs-mine", &[("r.csv", "x")]),
            old(&root, "runs-00000000000000cc", &[outcome]),
            old(&root, "runs-00000000000000dd", &[(MARK, "something else"), outcome]),
            old(&root, "elsewhere", &[(MARK, "warpscope 0.1.0\n"), outcome]),
        ];
        #[cfg(unix)]
        std::os::unix::fs::symlink(&kept[3], root.join("runs-00000000000000ee")).expect("a link");
        let cache = RunCache::open(Some(&root));
        assert!(cache.folder.as_ref().is_some_and(|folder| is_marked(folder)), "{cache:?}");
        assert!(!ours.exists());
        assert!(mixed.join("thesis.csv").exists() && !mixed.join(outcome.0).exists());
        for folder in kept {
            assert!(fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()), "{}", folder.display());
        }
        fs::remove_dir_all(&root).expect("it can go");
    }

    #[test]
    fn a_folder_of_somebody_else_is_not_written_to() {
        let root = std::env::temp_dir().join(format!("warpscope-unmarked-{}", std::process::id()));
        let folder = root.join(build().expect("a name"));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("notes.txt"), "mine").expect("written");
        assert!(RunCache::open(Some(&root)).folder.is_none());
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
        fs::remove_dir_all(&root).expect("it can go");
    }
}
