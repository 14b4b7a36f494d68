//! Errors of a launch, worded for the person who wrote it.

use std::fmt;
use thiserror::Error;

/// A place in the launch file; line and column count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchPlace {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl LaunchPlace {
    /// Returns the place of a byte of the text.
    pub(super) fn of(text: &str, byte: usize) -> LaunchPlace {
        let before = &text.as_bytes()[..byte.min(text.len())];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        LaunchPlace {
            line: before.iter().filter(|&&b| b == b'\n').count() + 1,
            column: String::from_utf8_lossy(&before[line_start..]).chars().count() + 1,
        }
    }
}

impl fmt::Display for LaunchPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a launch cannot be read or does not go with its kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LaunchError {
    /// The text is not TOML: the parser's message, which shows the line.
    #[error("the launch file cannot be read: {message}")]
    Text {
        /// The parser's words.
        message: String,
        /// The place that the parser names, if it names one.
        place: Option<LaunchPlace>,
    },

    /// The text is TOML, but has an unknown key, a value of the wrong kind, or describes no launch that could run.
    #[error("launch file, {place}: {message}")]
    Meaning {
        /// What is wrong and what is allowed.
        message: String,
        /// The key or the value.
        place: LaunchPlace,
    },

    /// The kernel declares other parameters than the launch gives.
    #[error("{0}")]
    Kernel(String),

    /// The initial contents of a buffer cannot be made.
    #[error("buffer `{buffer}`: {message}")]
    Fill {
        /// The buffer's name.
        buffer: String,
        /// Why it cannot be filled.
        message: String,
    },

    /// A module variable cannot be set.
    #[error("module variable `{name}`: {message}")]
    Global {
        /// The variable's name.
        name: String,
        /// Why it cannot be set.
        message: String,
    },
}

impl LaunchError {
    /// Returns the place in the launch file, if the problem has one.
    pub fn place(&self) -> Option<LaunchPlace> {
        match self {
            LaunchError::Text { place, .. } => *place,
            LaunchError::Meaning { place, .. } => Some(*place),
            LaunchError::Kernel(_) | LaunchError::Fill { .. } | LaunchError::Global { .. } => None,
        }
    }
}
