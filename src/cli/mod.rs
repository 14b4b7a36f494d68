//! The command line: flags as typed, then real objects, then a report.
//!
//! Results go to standard output, messages to standard error. The exit status is 0 when all went well, 1 when the kernel
//! trapped or a check failed, 2 when the input was bad.

mod args;
mod batch;
mod inspect;
mod list;
mod papers;
mod run;
mod subject;
mod sweep;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;
use thiserror::Error;

/// What ends a command early.
#[derive(Debug, Error)]
enum Failure {
    /// The kernel trapped, or a check failed.
    #[error("{0}")]
    Kernel(String),
    /// Something that was typed or a file that it names cannot be used.
    #[error("{0}")]
    Input(String),
}

impl Failure {
    fn input(error: impl std::fmt::Display) -> Failure {
        Failure::Input(error.to_string())
    }
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Run(args) => run::run(&args),
        Command::List(args) => list::list(&args),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Papers(args) => papers::papers(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}", failure.to_string().trim_end());
            match failure {
                Failure::Kernel(_) => ExitCode::from(1),
                Failure::Input(_) => ExitCode::from(2),
            }
        }
    }
}

/// Prints to standard output; a reader that has gone away is no error.
fn print(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{}", text.trim_end());
}

fn print_json(value: &impl serde::Serialize) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => print(&text),
        Err(error) => eprintln!("the result cannot be written as JSON: {error}"),
    }
}
