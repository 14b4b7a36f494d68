//! `warpscope lesson check`: checks a lesson that the user wrote.

use super::args::{LessonArgs, LessonCommand};
use super::{Failure, print};
use std::path::Path;
use warpscope_study::lesson::Lesson;

pub fn lesson(args: &LessonArgs) -> Result<(), Failure> {
    let LessonCommand::Check { file } = &args.command;
    let text = std::fs::read_to_string(file).map_err(|error| Failure::Input(format!("{file}: {error}")))?;
    let beside = |name: &str| std::fs::read_to_string(Path::new(file).with_file_name(name)).ok();
    let lesson = Lesson::read_own(&text, beside).map_err(|error| Failure::Input(format!("{file}: {error}")))?;
    let problems = lesson.problems();
    if !problems.is_empty() {
        return Err(Failure::Input(format!("{file}: {}", problems.join(&format!("\n{file}: ")))));
    }
    print(&format!("{}: {} stops, and the run reaches each of them", lesson.title, lesson.stops.len()))?;
    for (number, stop) in (1..).zip(&lesson.stops) {
        let cycle = lesson.cycle_of(stop).unwrap_or_default();
        print(&format!("  stop {number}: {} in cycle {cycle}", stop.technique))?;
    }
    Ok(())
}
