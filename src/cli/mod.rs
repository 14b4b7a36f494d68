//! The command line: parses the flags, builds what they name, and prints a report.
//!
//! Results go to standard output, messages to standard error. The exit status is 0 on success, 1 when the kernel trapped or a
//! check failed, 2 when the input was invalid or output could not be written.

mod args;
mod batch;
mod cache;
mod compare;
mod files;
mod inspect;
mod lesson;
mod list;
mod message;
mod papers;
mod run;
mod subject;
mod sweep;
mod trace;

use args::{Arguments, Command};
use clap::Parser;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;
use thiserror::Error;

/// Why a command ended early.
#[derive(Debug, Error)]
enum Failure {
    /// The kernel trapped, or a check failed.
    #[error("{0}")]
    Kernel(String),
    /// An argument, or a file that it names, cannot be used.
    #[error("{0}")]
    Input(String),
    /// A result could not be written.
    #[error("cannot write {place}: {error}")]
    Output { place: String, error: io::Error },
}

impl Failure {
    fn input(error: impl std::fmt::Display) -> Failure {
        Failure::Input(error.to_string())
    }

    /// Returns the failure of a file that could not be written.
    fn file(path: &str, error: io::Error) -> Failure {
        Failure::Output { place: format!("`{path}`"), error }
    }
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // `--help`, `--version`, or invalid flags.
        Err(asked) => return asked_or_misused(&asked),
    };
    let result = match arguments.command {
        Command::Run(args) => run::run(&args),
        Command::List(args) => list::list(&args),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Lesson(args) => lesson::lesson(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Papers(args) => papers::papers(&args),
    };
    result.map_or_else(|failure| tell(&failure), |()| ExitCode::SUCCESS)
}

/// Prints why the command failed and returns its exit status. An error in printing it is ignored; the exit status remains.
fn tell(failure: &Failure) -> ExitCode {
    warn(&failure.to_string());
    match failure {
        Failure::Kernel(_) => ExitCode::from(1),
        Failure::Input(_) | Failure::Output { .. } => ExitCode::from(2),
    }
}

/// Prints a message to standard error. Every message goes through here.
fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "{}", message::short(message));
}

fn asked_or_misused(asked: &clap::Error) -> ExitCode {
    if asked.use_stderr() {
        warn(&asked.render().to_string());
        return ExitCode::from(asked.exit_code() as u8);
    }
    standard_output(asked.print()).map_or_else(|failure| tell(&failure), |()| ExitCode::SUCCESS)
}

/// Prints to standard output.
fn print(text: &str) -> Result<(), Failure> {
    print_raw(&message::escape(text))
}

/// Prints what a kernel printed, as it is.
fn print_raw(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    standard_output(writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush()))
}

/// Ignores a closed pipe: a reader such as `head` stops when it has all that it wants.
fn standard_output(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Output { place: "to standard output".into(), error })
        }
        _ => Ok(()),
    }
}

/// Parses the `KEY=VALUE` pairs of `--set`, each key once.
fn settings(flags: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let mut settings = BTreeMap::new();
    for setting in flags {
        let (key, value) =
            setting.split_once('=').ok_or_else(|| Failure::Input(format!("--set expects KEY=VALUE, not `{setting}`")))?;
        if let Some(first) = settings.insert(key.trim().to_string(), value.to_string()) {
            return Err(Failure::Input(format!("--set gives `{}` twice: `{first}` and `{value}`", key.trim())));
        }
    }
    Ok(settings)
}

fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Output { place: "the result as JSON".into(), error: error.into() })?;
    print(&text)
}
