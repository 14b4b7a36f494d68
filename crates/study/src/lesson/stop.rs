//! A stop of a lesson: its machine, its point in the run, its text and its question.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use warpscope_machine::event::EventKind;

/// A place where the run halts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with technique, keys, at, panel, values, text, question")]
pub struct Stop {
    /// If it differs from the technique of the stop before, the run restarts.
    pub technique: String,
    /// The only panel to show; `None` takes the lesson's.
    pub panel: Option<String>,
    /// The variable whose values stand in the threads' tokens: a register of the PTX, without its `%`.
    pub values: Option<String>,
    /// Keys of the machine that differ at this stop from the lesson's.
    #[serde(default)]
    pub keys: BTreeMap<String, String>,
    /// Where in the run it halts.
    pub at: StopPoint,
    /// What to see there, in Markdown.
    pub text: String,
    /// What the reader is asked, if anything.
    pub question: Option<Question>,
}

impl Stop {
    /// Whether both stops have the same machine, so that the run continues and does not restart.
    pub(super) fn is_on_the_same_machine(&self, other: &Stop) -> bool {
        (&self.technique, &self.keys) == (&other.technique, &other.keys)
    }
}

/// A question at a stop, with its answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "QuestionTable")]
pub struct Question {
    /// The question.
    pub text: String,
    /// What may be answered, and what is right.
    pub ask: Ask,
    /// The explanation shown after the answer.
    pub because: String,
}

/// The possible answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// One of several choices; `right` counts from 0.
    Choices {
        /// The texts to choose from.
        choices: Vec<String>,
        /// The right one.
        right: usize,
    },
    /// Lanes of a warp of `count` lanes; `right` has a bit for each right lane.
    Lanes {
        /// How many lanes there are to choose from.
        count: u32,
        /// The right ones.
        right: u64,
    },
}

impl Question {
    /// Whether an answer, the number of a choice or the bits of lanes, is right.
    pub fn is_right(&self, answer: u64) -> bool {
        match self.ask {
            Ask::Choices { right, .. } => answer == right as u64,
            Ask::Lanes { right, .. } => answer == right,
        }
    }

    /// Returns the text of the right choice; `None` where lanes are to be chosen.
    pub fn right_choice(&self) -> Option<&str> {
        match &self.ask {
            Ask::Choices { choices, right } => choices.get(*right).map(String::as_str),
            Ask::Lanes { .. } => None,
        }
    }
}

/// A [`Question`] as a lesson's file writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with text, because, and either choices and answer or mask")]
struct QuestionTable {
    text: String,
    choices: Option<Vec<String>>,
    answer: Option<usize>,
    mask: Option<String>,
    because: String,
}

impl TryFrom<QuestionTable> for Question {
    type Error = &'static str;

    fn try_from(table: QuestionTable) -> Result<Question, &'static str> {
        let ask = match (table.choices, table.answer, table.mask) {
            (Some(choices), Some(right), None) => Ask::Choices { choices, right },
            (None, None, Some(mask)) => lanes(&mask)?,
            _ => return Err("a question takes `choices` and `answer`, or a `mask`"),
        };
        Ok(Question { text: table.text, ask, because: table.because })
    }
}

/// Parses a mask of lanes: `#` for a lane that is right, `.` for any other, lane 0 first.
fn lanes(mask: &str) -> Result<Ask, &'static str> {
    let (mut count, mut right) = (0, 0);
    for lane in mask.chars() {
        match lane {
            '#' => right |= 1u64.checked_shl(count).unwrap_or(0),
            '.' => {}
            _ => return Err("a `mask` has a `#` for each lane that is right and a `.` for each other, lane 0 first"),
        }
        count += 1;
    }
    if (1..=64).contains(&count) { Ok(Ask::Lanes { count, right }) } else { Err("a `mask` has 1 to 64 lanes") }
}

/// When to halt: after a cycle, or after the cycle in which an event happens for the `nth` time.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "StopPointTable")]
pub enum StopPoint {
    /// After a cycle.
    Cycle {
        /// The cycle after which it halts.
        cycle: u64,
    },
    /// After the cycle of an event.
    Event {
        /// The kind of event.
        event: EventKind,
        /// Only at the first instruction behind this label of the kernel.
        label: Option<String>,
        /// Counts from 1, the default.
        nth: u32,
    },
}

/// A [`StopPoint`] as a lesson's file writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with cycle, or with event, label, nth")]
struct StopPointTable {
    cycle: Option<u64>,
    #[serde(default, deserialize_with = "kind")]
    event: Option<EventKind>,
    label: Option<String>,
    nth: Option<u32>,
}

impl TryFrom<StopPointTable> for StopPoint {
    type Error = &'static str;

    fn try_from(table: StopPointTable) -> Result<StopPoint, &'static str> {
        match table {
            StopPointTable { cycle: Some(cycle), event: None, label: None, nth: None } => Ok(StopPoint::Cycle { cycle }),
            StopPointTable { cycle: None, event: Some(event), label, nth } => {
                Ok(StopPoint::Event { event, label, nth: nth.unwrap_or(1) })
            }
            _ => Err("`at` takes a cycle, or an event with an optional label and nth"),
        }
    }
}

/// Reads the kind of an event by its word.
fn kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<EventKind>, D::Error> {
    let word = String::deserialize(deserializer)?;
    EventKind::from_word(&word).map(Some).ok_or_else(|| D::Error::unknown_variant(&word, &EventKind::WORDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_written_as_a_mask() {
        assert_eq!(lanes("#..#"), Ok(Ask::Lanes { count: 4, right: 0b1001 }));
        assert!(lanes("#x").is_err() && lanes("").is_err() && lanes(&"#".repeat(65)).is_err());
        let question = Question { text: String::new(), ask: lanes(".#").expect("a mask"), because: String::new() };
        assert!(question.is_right(0b10) && !question.is_right(0b11));
        let both = "text = '?'\nchoices = ['a', 'b']\nanswer = 0\nmask = '#.'\nbecause = '!'";
        assert!(warpscope_kernel::document::read::<Question>(both, &[]).is_err());
    }
}
