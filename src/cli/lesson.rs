//! `warpscope lesson check`: checks a lesson that the user wrote.

use super::args::{LessonArgs, LessonCommand};
use super::{Failure, files, print};
use std::cell::RefCell;
use std::path::Path;
use warpscope_study::lesson::Lesson;

pub fn lesson(args: &LessonArgs) -> Result<(), Failure> {
    let LessonCommand::Check { file } = &args.command;
    let text = files::read_text(Path::new(file)).map_err(|error| Failure::Input(format!("{file}: {error}")))?;
    // A lesson may have its texts in it, so a file that is missing beside it is no mistake; one that cannot be read is.
    let unread = RefCell::new(None);
    let beside = |name: &str| {
        let path = Path::new(file).with_file_name(name);
        let text = path.exists().then(|| files::read_text(&path))?;
        text.map_err(|error| unread.replace(Some(format!("{}: {error}", path.display())))).ok()
    };
    let lesson = Lesson::read_own(&text, beside);
    if let Some(error) = unread.take() {
        return Err(Failure::Input(error));
    }
    let lesson = lesson.map_err(|error| Failure::Input(format!("{file}: {error}")))?;
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
