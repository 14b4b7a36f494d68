//! Why an issue port with a ready warp issues nothing: the parts of the papers' *Stall* (TBC figure 13), one row each.

use serde::Serialize;

/// Generates [`StallCause`] and its texts from rows: the key in results, the label in lists, and a description.
macro_rules! stall_causes {
    ($($name:ident: $key:literal, $label:literal, $about:literal;)*) => {
        /// What a port with a ready warp waits for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum StallCause {
            $(#[doc = $about] $name,)*
        }

        impl StallCause {
            /// Every cause, in the order of counts and legends.
            pub const ALL: [StallCause; [$($key),*].len()] = [$(StallCause::$name),*];

            /// The key in results.
            pub fn key(self) -> &'static str {
                match self {
                    $(StallCause::$name => $key,)*
                }
            }

            /// The label in lists.
            pub fn label(self) -> &'static str {
                match self {
                    $(StallCause::$name => $label,)*
                }
            }
        }
    };
}

stall_causes! {
    Lines: "lines", "several lines", "An access to several lines of memory, one after the other, holds the load/store unit.";
    Banks: "banks", "bank conflicts", "An access to shared memory holds it, with lanes in conflict over banks.";
    Constants: "constants", "several constants", "An access to several constants, one after the other, holds it.";
    MemoryFull: "memory_full", "memory is full", "An access holds it until an MSHR, the queue to the L2 cache, or DRAM's has room.";
    Unit: "unit", "busy unit", "The unit took another instruction.";
    Lane: "lane", "lane off", "A lane is power-gated or waking.";
}

impl StallCause {
    /// Whether the memory pipeline causes the stall (TBC figures 2(b), 13(b) and 14(b)).
    pub fn is_memory(self) -> bool {
        matches!(self, StallCause::Lines | StallCause::Banks | StallCause::Constants | StallCause::MemoryFull)
    }
}
