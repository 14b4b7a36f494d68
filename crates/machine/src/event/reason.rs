//! The reasons why a warp issues or not in a cycle: one row each, with its letter, its key and its texts.

use serde::Serialize;

/// Generates [`Reason`] and its texts from rows: the letter and the label of legends, the key in results, and a description in
/// a sentence or two.
macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident: $letter:literal, $key:literal, $label:literal, $about:literal;)*) => {
        /// What a resident static warp did in a cycle, or why it did nothing (BAWS figure 10).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Reason {
            $($(#[$doc])* $name,)*
        }

        impl Reason {
            /// Every reason, in the order of counts and legends.
            pub const ALL: [Reason; [$($key),*].len()] = [$(Reason::$name),*];

            /// The letter that stands for it in every legend.
            pub fn letter(self) -> char {
                match self {
                    $(Reason::$name => $letter,)*
                }
            }

            /// The key in results.
            pub fn key(self) -> &'static str {
                match self {
                    $(Reason::$name => $key,)*
                }
            }

            /// The label in every legend.
            pub fn label(self) -> &'static str {
                match self {
                    $(Reason::$name => $label,)*
                }
            }

            /// What it means for a warp, in a sentence or two.
            pub fn about(self) -> &'static str {
                match self {
                    $(Reason::$name => $about,)*
                }
            }
        }
    };
}

// Reasons of every machine come first, those of techniques after them.
reasons! {
    /// It issued an instruction.
    Issued: 'I', "issued", "issued", "The warp issued an instruction in this cycle.";
    /// It could have issued; the scheduler chose another.
    NotSelected: 'N', "not_selected", "not selected", "The warp could have issued; its scheduler chose another one.";
    /// Its next instruction waits for what an earlier one requested from memory: any space, caches included.
    Memory: 'M', "memory", "waits for memory", "The warp's next instruction needs a value that a load or an atomic has not returned yet.";
    /// Its next instruction waits for a value that is being computed, and for nothing from memory.
    Result: 'R', "result", "waits for a result", "The warp's next instruction needs a value that an earlier one is still computing.";
    /// Its next instruction waits for a unit or an issue port.
    Structural: 'S', "structural", "waits for a unit", "The unit or the issue port that the warp's next instruction needs is taken.";
    /// The outcome of its branch is not known yet.
    Control: 'C', "control", "waits for a branch", "The outcome of the warp's branch is not known yet, so neither is its next instruction.";
    /// Its next instruction has not been fetched.
    Fetch: 'F', "fetch", "waits for fetch", "The warp's next instruction has not been fetched: its I-buffer is empty.";
    /// It waits at a barrier.
    Barrier: 'B', "barrier", "at a barrier", "The warp waits at a barrier for the other warps of its block.";
    /// It has ended; its block has not.
    Exit: 'X', "exit", "ended", "All threads of the warp have ended. It keeps its place until its block ends.";
    /// It waits for other threads of its PTX warp, or because a technique makes it wait.
    Sync: 'Y', "sync", "waits for threads", "The warp waits for other threads of its PTX warp, or because the technique makes it wait.";
    /// A lane that it needs is power-gated or waking (Origami section 2.2).
    Wakeup: 'W', "wakeup", "waits for a lane", "A lane that the warp's next instruction needs is power-gated, or waking up.";
    /// Its next instruction touches shared memory, which siblings in the iteration before may still use (VTW section 4.4).
    Siblings: 'H', "siblings", "waits for siblings", "The warp's next logical block accesses shared memory, but siblings are still in the previous block.";
    /// It has finished its logical block, and a sibling is still in the one before that (VTW section 4.2.1).
    Ahead: 'A', "ahead", "waits for its block", "The warp would start a logical block two ahead of a sibling's; it may be only one ahead.";
    /// Its next instruction is an access, and memory takes no more: miss slots or the link to L2 are full.
    Throttle: 'T', "throttle", "memory is full", "The warp's next instruction accesses memory, but the MSHRs or the queue to the L2 cache are full.";
}

impl Reason {
    /// The number of reasons that can occur on every machine; they come first, and the others belong to techniques.
    pub const COMMON: usize = 10;

    /// Returns the reasons to list for a run: those of every machine, and those of techniques with a count.
    pub fn listed(count: impl Fn(Reason) -> u64) -> Vec<Reason> {
        Reason::ALL.into_iter().filter(|&reason| (reason as usize) < Reason::COMMON || count(reason) > 0).collect()
    }

    /// Splits [`Reason::label`] in two parts, of which the second is enough where there is little room.
    pub fn label_parts(self) -> (&'static str, &'static str) {
        let label = self.label();
        let front = ["waits for a ", "waits for ", "at a "].into_iter().find(|front| label.starts_with(front));
        label.split_at(front.map_or(0, str::len))
    }
}

/// The static warps, of 64, that had each reason in a cycle, as bits in the order of [`Reason::ALL`]. A warp that is not
/// resident is in none.
pub type Reasons = [u64; Reason::ALL.len()];

/// The number of warps with each reason, in the order of [`Reason::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ReasonCounts(pub [u16; Reason::ALL.len()]);

/// Hashes the counts that there are, each with its reason: a technique's reason changes the hash only of runs that have it.
impl std::hash::Hash for ReasonCounts {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        for (reason, count) in Reason::ALL.into_iter().zip(self.0).filter(|(_, count)| *count > 0) {
            (reason, count).hash(state);
        }
    }
}
