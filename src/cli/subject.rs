//! What a command is about: a workload of the catalogue, or files.

use super::Failure;
use crate::interp::job::Job;
use crate::launch::Launch;
use crate::program::{self, Program};
use crate::ptx;
use crate::workload::{self, Size, Workload};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Problems of a PTX file that are shown in full.
const MOST_PROBLEMS: usize = 20;

/// A kernel's text and where it came from.
pub struct Subject {
    /// As it was typed, for messages.
    pub name: String,
    pub ptx: Cow<'static, str>,
    pub workload: Option<&'static Workload>,
}

impl Subject {
    /// A workload if one has that name, else a file.
    pub fn open(name: &str) -> Result<Subject, Failure> {
        if let Some(workload) = workload::find(name) {
            return Ok(Subject { name: name.to_string(), ptx: Cow::Borrowed(workload.ptx), workload: Some(workload) });
        }
        if !Path::new(name).exists() && !name.ends_with(".ptx") {
            let known: Vec<&str> = workload::all().iter().map(|w| w.name).collect();
            return Err(Failure::Input(format!(
                "there is no workload and no file `{name}`; the workloads are {}",
                known.join(", ")
            )));
        }
        if name.ends_with(".cu") || name.ends_with(".cuh") {
            return Err(Failure::Input(cuda_source(name)));
        }
        let bytes = std::fs::read(name).map_err(|error| Failure::Input(format!("cannot read `{name}`: {error}")))?;
        let text =
            String::from_utf8(bytes).map_err(|_| Failure::Input(format!("`{name}` is not text (UTF-8), so it is not PTX")))?;
        if text.contains("__global__") && !text.contains(".entry") {
            return Err(Failure::Input(cuda_source(name)));
        }
        Ok(Subject { name: name.to_string(), ptx: Cow::Owned(text), workload: None })
    }

    /// The kernel and its launch. Where both texts have problems both are told; one that is the other's is not.
    pub fn load(&self, launch: Option<&str>) -> Result<(Program, LaunchFile), Failure> {
        let launch = self.launch(launch);
        let kernel = launch.as_ref().ok().and_then(|file| file.launch.kernel.clone());
        let program = program::load(&self.ptx, kernel.as_deref());
        match (program, launch) {
            (Ok(program), Ok(launch)) => Ok((program, launch)),
            (Ok(_), Err(failure)) => Err(failure),
            (Err(problems), Ok(_)) => Err(self.problems(&problems)),
            // Which of several kernels is meant, a launch that can be read may say.
            (Err(problems), Err(failure)) if is_choice(&problems) && self.has_kernels() => Err(failure),
            (Err(problems), Err(failure)) => Err(Failure::Input(format!("{failure}\n{}", self.problems(&problems)))),
        }
    }

    fn has_kernels(&self) -> bool {
        ptx::parse(&self.ptx).0.kernels().next().is_some()
    }

    /// All problems of the text, rendered with their places.
    pub fn problems(&self, problems: &[ptx::Problem]) -> Failure {
        let whole = |problem: &&ptx::Problem| problem.span == ptx::Span::default();
        let mut text: String = problems.iter().filter(whole).map(|p| format!("{}: {}\n", self.name, p.message)).collect();
        let placed: Vec<ptx::Problem> = problems.iter().filter(|p| !whole(p)).cloned().collect();
        text.push_str(&ptx::render(&placed, &self.name, &self.ptx, MOST_PROBLEMS));
        Failure::Input(text)
    }

    /// The launch that the flag names.
    fn launch(&self, flag: Option<&str>) -> Result<LaunchFile, Failure> {
        let size = flag.map_or(Some(Size::Full), Size::from_name);
        match (self.workload.zip(size), flag) {
            (Some((workload, size)), _) => {
                let text = workload.launch(size).ok_or_else(|| {
                    Failure::Input(format!("the blocks of `{}` cannot be tiny: --launch small is the least", workload.name))
                })?;
                LaunchFile::read(text, &format!("{}.toml", size.name()), Files::Workload(workload))
            }
            (_, Some(path)) => {
                let text = std::fs::read_to_string(path)
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

/// Whether the only problem is that no kernel, or none of several, was chosen.
fn is_choice(problems: &[ptx::Problem]) -> bool {
    matches!(problems, [problem] if problem.span == ptx::Span::default())
}

/// A launch, and where it came from.
pub struct LaunchFile {
    pub launch: Launch,
    path: String,
    files: Files,
}

/// Where a launch's files lie.
enum Files {
    Workload(&'static Workload),
    Folder(PathBuf),
}

impl LaunchFile {
    fn read(text: &str, path: &str, files: Files) -> Result<LaunchFile, Failure> {
        let launch = Launch::parse(text).map_err(|error| Failure::Input(format!("{path}: {error}")))?;
        Ok(LaunchFile { launch, path: path.to_string(), files })
    }

    /// The kernel with the launch's buffers filled.
    pub fn bind(self, program: Program) -> Result<Job, Failure> {
        let read = |file: &str| match &self.files {
            Files::Workload(workload) => workload.read_file(file),
            Files::Folder(folder) => std::fs::read(folder.join(file)).map_err(|error| error.to_string()),
        };
        Job::bind(program, self.launch, &read).map_err(|error| Failure::Input(format!("{}: {error}", self.path)))
    }
}

/// What to do with CUDA source.
fn cuda_source(name: &str) -> String {
    let ptx = Path::new(name).with_extension("ptx");
    let ptx = ptx.display();
    format!(
        "`{name}` is CUDA source, and PTX is run. Either of these makes PTX of it:\n  \
         nvcc -ptx -lineinfo {name} -o {ptx}\n  \
         clang++ -x cuda -S -O2 -gline-tables-only --cuda-device-only --cuda-gpu-arch=sm_80 {name} -o {ptx}"
    )
}
