//! Where the page asks the library: texts in, plain data in the reader's words out.

mod read;
mod run;
mod show;

pub use read::{Reading, read};
pub use run::{Ending, Order, Outcome, Verdict, run};
pub use show::{ShownBuffer, ShownValue, grouped};

use serde::{Deserialize, Serialize};

/// A place in a text: line and column from 1, in characters, and how many characters it covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
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
