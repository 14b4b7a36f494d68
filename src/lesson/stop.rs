//! A stop of a lesson: on which machine, at which moment, what there is to see, and what is asked.

use crate::event::EventKind;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// A place where the run halts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with technique, keys, at, panel, text, question")]
pub struct Stop {
    /// Another one than the stop before's: the run begins anew.
    pub technique: String,
    /// The panel that it shows alone; the lesson's where it names none.
    pub panel: Option<String>,
    /// Keys of the machine that differ at this stop from the lesson's.
    #[serde(default)]
    pub keys: BTreeMap<String, String>,
    pub at: Moment,
    pub text: String,
    pub question: Option<Question>,
}

impl Stop {
    /// Whether the run goes on from one to the other, and does not begin anew.
    pub(super) fn is_on_the_same_machine(&self, other: &Stop) -> bool {
        (&self.technique, &self.keys) == (&other.technique, &other.keys)
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "QuestionTable")]
pub struct Question {
    pub text: String,
    pub ask: Ask,
    /// Said when it was answered.
    pub because: String,
}

/// What there is to choose.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// One of several answers; which is right, from 0.
    Choices { choices: Vec<String>, right: usize },
    /// Lanes of a warp of so many; those that are right as bits.
    Lanes { count: u32, right: u64 },
}

impl Question {
    /// Whether an answer, the number of a choice or the bits of lanes, is right.
    pub fn is_right(&self, answer: u64) -> bool {
        match self.ask {
            Ask::Choices { right, .. } => answer == right as u64,
            Ask::Lanes { right, .. } => answer == right,
        }
    }

    /// The right one of its choices in words; none where lanes are to be chosen.
    pub fn right_choice(&self) -> Option<&str> {
        match &self.ask {
            Ask::Choices { choices, right } => choices.get(*right).map(String::as_str),
            Ask::Lanes { .. } => None,
        }
    }
}

/// A [`Question`] as a lesson's file writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with text, because, and with choices and answer or with mask")]
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

/// Lanes as a file writes them: `#` for one that is right, `.` for another, lane 0 first.
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

/// When to halt: behind a cycle, or behind the cycle in which something happens for the `nth` time.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "MomentTable")]
pub enum Moment {
    Cycle {
        cycle: u64,
    },
    Event {
        event: EventKind,
        /// Only at the first instruction behind this label of the kernel.
        label: Option<String>,
        /// From 1, which it is where the file does not say.
        nth: u32,
    },
}

/// A [`Moment`] as a lesson's file writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with cycle, or with event, label, nth")]
struct MomentTable {
    cycle: Option<u64>,
    #[serde(default, deserialize_with = "kind")]
    event: Option<EventKind>,
    label: Option<String>,
    nth: Option<u32>,
}

impl TryFrom<MomentTable> for Moment {
    type Error = &'static str;

    fn try_from(table: MomentTable) -> Result<Moment, &'static str> {
        match table {
            MomentTable { cycle: Some(cycle), event: None, label: None, nth: None } => Ok(Moment::Cycle { cycle }),
            MomentTable { cycle: None, event: Some(event), label, nth } => {
                Ok(Moment::Event { event, label, nth: nth.unwrap_or(1) })
            }
            _ => Err("`at` takes a cycle, or an event with a label and an nth or without"),
        }
    }
}

/// The kind of an event, by its word.
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
        assert!(crate::document::read::<Question>(both, &[]).is_err());
    }
}
