//! The subject of a command: a workload of the catalogue, or files.

use super::{Failure, files};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use warpscope_catalogue::{self as catalogue, Size, Workload};
use warpscope_kernel::interp::job::Job;
use warpscope_kernel::launch::Launch;
use warpscope_kernel::program;
use warpscope_kernel::ptx::{self, Problem, Trouble};
use warpscope_machine::config::{did_you_mean, nearest};
use warpscope_machine::run::Draft;
use warpscope_machine::sim::footprint::memory_bytes;

/// Problems of a PTX file that are shown in full.
const MOST_PROBLEMS: usize = 20;

/// Returns the failure to find a workload, with the names that there are.
pub fn no_workload(what: &str, name: &str) -> Failure {
    let known: Vec<&str> = catalogue::all().iter().map(|w| w.name).collect();
    let nearest = did_you_mean(nearest(name, known.iter().copied()));
    Failure::Input(format!("there is no {what} `{name}`{nearest}; the workloads are {}", known.join(", ")))
}

/// A kernel's text and where it came from.
pub struct KernelSource {
    /// The name as it was typed, for messages.
    pub name: String,
    pub ptx: Cow<'static, str>,
    pub workload: Option<&'static Workload>,
}

impl KernelSource {
    /// Opens the workload of that name, or else the file.
    pub fn open(name: &str) -> Result<KernelSource, Failure> {
        if let Some(workload) = catalogue::find(name) {
            return Ok(KernelSource { name: name.to_string(), ptx: Cow::Borrowed(workload.ptx), workload: Some(workload) });
        }
        if !Path::new(name).exists() && !name.ends_with(".ptx") {
            return Err(no_workload("workload and no file", name));
        }
        if name.ends_with(".cu") || name.ends_with(".cuh") {
            return Err(Failure::Input(cuda_source(name)));
        }
        let bytes = files::read(Path::new(name), files::MOST_TEXT_BYTES)
            .map_err(|error| Failure::Input(format!("cannot read `{name}`: {error}")))?;
        let text =
            String::from_utf8(bytes).map_err(|_| Failure::Input(format!("`{name}` is not text (UTF-8), so it is not PTX")))?;
        if text.contains("__global__") && !text.contains(".entry") {
            return Err(Failure::Input(cuda_source(name)));
        }
        Ok(KernelSource { name: name.to_string(), ptx: Cow::Owned(text), workload: None })
    }

    /// Reads the kernel and its launch. Problems of both are reported, except one that only follows from the other.
    pub fn read(&self, launch: Option<&str>) -> Result<RunSubject, Failure> {
        let (module, problems) = ptx::parse(&self.ptx);
        match self.launch(launch) {
            Ok((launch, file)) => {
                let draft = Draft::new(&module, &problems, launch).map_err(|problems| self.problems(&problems))?;
                Ok(RunSubject { draft, file })
            }
            // The launch names one of several kernels; as long as it cannot be read, the choice is not a problem of its own.
            Err(failure) => match program::load_parsed(&module, &problems, None) {
                Err(problems) if !is_choice(&problems) => Err(Failure::Input(format!("{failure}\n{}", self.problems(&problems)))),
                _ => Err(failure),
            },
        }
    }

    /// Renders all problems of the text with their places.
    pub fn problems(&self, problems: &[Problem]) -> Failure {
        let whole = |problem: &&Problem| problem.span == ptx::Span::default();
        let mut text: String = problems.iter().filter(whole).map(|p| format!("{}: {}\n", self.name, p.message)).collect();
        let placed: Vec<Problem> = problems.iter().filter(|p| !whole(p)).cloned().collect();
        text.push_str(&ptx::render(&placed, &self.name, &self.ptx, MOST_PROBLEMS));
        Failure::Input(text)
    }

    /// Reads the launch that the flag names.
    fn launch(&self, flag: Option<&str>) -> Result<(Launch, LaunchFile), Failure> {
        let size = flag.map_or(Some(Size::Full), Size::from_name);
        match (self.workload.zip(size), flag) {
            (Some((workload, size)), _) => {
                let text = workload.launch(size).ok_or_else(|| {
                    Failure::Input(format!("`{}` has no tiny launch: --launch small is its smallest", workload.name))
                })?;
                LaunchFile::read(text, &format!("{}.toml", size.name()), Files::Workload(workload))
            }
            (_, Some(path)) => {
                let text = files::read_text(Path::new(path))
                    .map_err(|error| Failure::Input(format!("cannot read the launch file `{path}`: {error}")))?;
                let folder: PathBuf = Path::new(path).parent().map(Path::to_path_buf).unwrap_or_default();
                LaunchFile::read(&text, path, Files::Folder(folder))
            }
            (None, None) => Err(Failure::Input(format!(
                "`{}` needs a launch file: --launch FILE.toml says grid, block and parameters",
                self.name
            ))),
        }
    }
}

/// Whether the only problem is that the launch names none of the kernels.
fn is_choice(problems: &[Problem]) -> bool {
    matches!(problems, [problem] if problem.trouble == Trouble::Choice)
}

/// A kernel and its launch, before buffers are filled.
pub struct RunSubject {
    pub draft: Draft,
    file: LaunchFile,
}

/// Where a launch came from (for messages and for the files that it names).
struct LaunchFile {
    path: String,
    files: Files,
}

/// Where a launch's files lie.
enum Files {
    Workload(&'static Workload),
    Folder(PathBuf),
}

impl LaunchFile {
    fn read(text: &str, path: &str, files: Files) -> Result<(Launch, LaunchFile), Failure> {
        let launch = Launch::parse(text).map_err(|error| Failure::Input(format!("{path}: {error}")))?;
        Ok((launch, LaunchFile { path: path.to_string(), files }))
    }
}

impl RunSubject {
    /// Fills the launch's buffers.
    pub fn job(self) -> Result<Job, Failure> {
        let RunSubject { draft, file: LaunchFile { path, files: from } } = self;
        let most = memory_bytes(&draft.program, &draft.launch).max(files::MOST_TEXT_BYTES);
        let read = |file: &str| match &from {
            Files::Workload(workload) => workload.read_file(file),
            Files::Folder(folder) => files::read(&folder.join(file), most),
        };
        draft.fill(&read).map_err(|error| Failure::Input(format!("{path}: {error}")))
    }
}

/// Returns the message for CUDA source, with commands that compile it to PTX.
fn cuda_source(name: &str) -> String {
    let ptx = Path::new(name).with_extension("ptx");
    let ptx = ptx.display();
    format!(
        "`{name}` is CUDA source, but Warpscope runs PTX. Compile it with one of:\n  \
         nvcc -ptx -lineinfo {name} -o {ptx}\n  \
         clang++ -x cuda -S -O2 -gline-tables-only --cuda-device-only --cuda-gpu-arch=sm_80 {name} -o {ptx}"
    )
}
