//! Where the page asks the library: texts in, plain data in the reader's words out.

use std::rc::Rc;

use crate::launch::{Launch, LaunchError};

/// A place in a text: line and column from 1, in characters, and how many characters it covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    pub line: usize,
    pub column: usize,
    pub width: usize,
}

/// One thing wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub place: Option<Spot>,
    pub message: String,
    pub help: Option<String>,
}

/// What is wrong with a launch file; nothing where there is no text yet.
pub fn read_launch(text: &str) -> Rc<[Finding]> {
    if text.trim().is_empty() {
        return Rc::default();
    }
    match Launch::parse(text) {
        Ok(_) => Rc::default(),
        Err(error) => Rc::new([launch_finding(&error)]),
    }
}

fn launch_finding(error: &LaunchError) -> Finding {
    let place = error.place().map(|place| Spot { line: place.line, column: place.column, width: 1 });
    Finding { place, message: error.to_string(), help: None }
}
