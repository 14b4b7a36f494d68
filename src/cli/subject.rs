//! What a command is about: a workload of the catalogue, or files.

use super::Failure;
use crate::launch::{BufferData, Launch};
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
        let bytes = std::fs::read(name).map_err(|error| Failure::Input(format!("cannot read `{name}`: {error}")))?;
        let text =
            String::from_utf8(bytes).map_err(|_| Failure::Input(format!("`{name}` is not text (UTF-8), so it is not PTX")))?;
        Ok(Subject { name: name.to_string(), ptx: Cow::Owned(text), workload: None })
    }

    pub fn program(&self, kernel: Option<&str>) -> Result<Program, Failure> {
        program::load(&self.ptx, kernel).map_err(|problems| self.problems(&problems))
    }

    /// All problems of the text, rendered with their places.
    pub fn problems(&self, problems: &[ptx::Problem]) -> Failure {
        let whole = |problem: &&ptx::Problem| problem.span == ptx::Span::default();
        let mut text: String = problems.iter().filter(whole).map(|p| format!("{}: {}\n", self.name, p.message)).collect();
        let placed: Vec<ptx::Problem> = problems.iter().filter(|p| !whole(p)).cloned().collect();
        text.push_str(&ptx::render(&placed, &self.name, &self.ptx, MOST_PROBLEMS));
        Failure::Input(text)
    }

    /// The launch that the flag names, and the initial contents of its buffers.
    pub fn launch(&self, flag: Option<&str>) -> Result<(Launch, Vec<BufferData>), Failure> {
        let size = flag.map_or(Some(Size::Full), Size::from_name);
        match (self.workload.zip(size), flag) {
            (Some((workload, size)), _) => {
                let text = workload.launch(size).ok_or_else(|| {
                    Failure::Input(format!("the blocks of `{}` cannot be tiny: --launch small is the least", workload.name))
                })?;
                self.fill(text, &format!("{}.toml", size.name()), &|file| workload.read_file(file))
            }
            (_, Some(path)) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| Failure::Input(format!("cannot read the launch file `{path}`: {error}")))?;
                let folder: PathBuf = Path::new(path).parent().map(Path::to_path_buf).unwrap_or_default();
                self.fill(&text, path, &|file| std::fs::read(folder.join(file)).map_err(|error| error.to_string()))
            }
            (None, None) => Err(Failure::Input(format!(
                "`{}` needs a launch file: --launch FILE.toml says grid, block and parameters",
                self.name
            ))),
        }
    }

    fn fill(
        &self,
        text: &str,
        path: &str,
        read: &dyn Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<(Launch, Vec<BufferData>), Failure> {
        let failed = |error| Failure::Input(format!("{path}: {error}"));
        let launch = Launch::parse(text).map_err(failed)?;
        let buffers = launch.fill(read).map_err(failed)?;
        Ok((launch, buffers))
    }
}
