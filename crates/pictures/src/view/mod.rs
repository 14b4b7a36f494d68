//! A read-only picture of one cycle as plain data, for the page, the JavaScript interface and tests.
//!
//! - [`Picture`]: every resident warp with its lanes, its stack and what it did in the last cycle.
//! - [`Listing`]: the kernel's texts, line by line, with the instructions, branches and reconvergence points of each.
//! - [`why`]: sentences that explain why something is idle.
//! - [`card`]: the inspector's card of a warp, lane or block.
//! - [`words`]: how sentences name lanes, warps and counts.

pub mod card;
mod listing;
mod picture;
pub mod why;
pub mod words;

pub use listing::{Listing, ListingLine, Script};
pub use picture::{LaneActivity, Picture, StackEntry, WarpPicture, reason_of};

use serde::{Deserialize, Serialize};
use warpscope_machine::sim::Sim;

/// The warp, lane or block that the user has selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// A static warp.
    Warp {
        /// The warp's SM.
        sm: u16,
        /// Its number on the SM.
        warp: u16,
    },
    /// A lane of a static warp.
    Lane {
        /// The warp's SM.
        sm: u16,
        /// Its number on the SM.
        warp: u16,
        /// The lane, from 0.
        lane: u8,
    },
    /// A resident block.
    Block {
        /// The block's SM.
        sm: u16,
        /// Its place on the SM.
        slot: u16,
    },
}

impl Selection {
    /// Returns the SM and the warp, where a warp or one of its lanes is selected.
    pub fn warp(self) -> Option<(u16, u16)> {
        match self {
            Selection::Warp { sm, warp } | Selection::Lane { sm, warp, .. } => Some((sm, warp)),
            Selection::Block { .. } => None,
        }
    }

    /// Returns the SM of the selection.
    pub fn sm(self) -> u16 {
        match self {
            Selection::Warp { sm, .. } | Selection::Lane { sm, .. } | Selection::Block { sm, .. } => sm,
        }
    }

    /// Whether the machine has this warp, lane or block slot, resident or not.
    pub fn is_on(self, sim: &Sim) -> bool {
        sim.state.sms.get(usize::from(self.sm())).is_some_and(|sm| match self {
            Selection::Warp { warp, .. } => usize::from(warp) < sm.statics.warps.len(),
            Selection::Lane { warp, lane, .. } => {
                usize::from(warp) < sm.statics.warps.len() && u32::from(lane) < sim.machine.config.warp_width
            }
            Selection::Block { slot, .. } => usize::from(slot) < sm.blocks.len(),
        })
    }

    /// Returns the text for links: `w3`, `w3.7` (a lane), `b2`, with the SM in front where it is not the first: `s1w3`.
    pub fn key(self) -> String {
        let sm = |sm: u16| if sm == 0 { String::new() } else { format!("s{sm}") };
        match self {
            Selection::Warp { sm: s, warp } => format!("{}w{warp}", sm(s)),
            Selection::Lane { sm: s, warp, lane } => format!("{}w{warp}.{lane}", sm(s)),
            Selection::Block { sm: s, slot } => format!("{}b{slot}", sm(s)),
        }
    }

    /// Describes valid keys, for error messages.
    pub const KEYS: &str = "a warp is `w3`, a lane `w3.7`, a block `b0`; on SM 1 they are `s1w3`, `s1w3.7`, `s1b0`";

    /// Parses what [`Selection::key`] wrote.
    pub fn from_key(key: &str) -> Option<Selection> {
        let (sm, rest) = match key.strip_prefix('s') {
            Some(rest) => {
                let end = rest.find(|c: char| !c.is_ascii_digit())?;
                (rest[..end].parse().ok()?, &rest[end..])
            }
            None => (0, key),
        };
        if let Some(slot) = rest.strip_prefix('b') {
            return Some(Selection::Block { sm, slot: slot.parse().ok()? });
        }
        let warp = rest.strip_prefix('w')?;
        Some(match warp.split_once('.') {
            Some((warp, lane)) => {
                Selection::Lane { sm, warp: warp.parse().ok()?, lane: lane.parse().ok().filter(|&lane| lane < 32)? }
            }
            None => Selection::Warp { sm, warp: warp.parse().ok()? },
        })
    }
}

/// Shortens a text to at most `room` characters, with an ellipsis at the end.
pub fn cut(text: String, room: usize) -> String {
    if text.chars().count() <= room { text } else { text.chars().take(room.saturating_sub(1)).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_survive_a_link() {
        let all = [
            Selection::Warp { sm: 0, warp: 3 },
            Selection::Warp { sm: 2, warp: 31 },
            Selection::Lane { sm: 0, warp: 3, lane: 7 },
            Selection::Lane { sm: 11, warp: 0, lane: 31 },
            Selection::Block { sm: 1, slot: 4 },
        ];
        for selection in all {
            assert_eq!(Selection::from_key(&selection.key()), Some(selection), "{}", selection.key());
        }
        for nonsense in ["", "w", "x3", "s1", "w3.32", "w99999999", "b-1"] {
            assert_eq!(Selection::from_key(nonsense), None, "{nonsense}");
        }
    }
}
