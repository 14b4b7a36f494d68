//! The choices that keys and menus offer: one enum for each family of policies, a row for each variant.
//!
//! Configurations hold these names; `policy` holds what they do.

/// Makes, from one row for each variant, the `Copy` kind that configurations and menus hold, and its table of names.
macro_rules! kinds {
    ($(#[$doc:meta])* $kind:ident { $($(#[$variant_doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
        pub enum $kind {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $kind {
            pub const ALL: [$kind; [$(stringify!($variant)),*].len()] = [$($kind::$variant),*];

            pub fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name,)*
                }
            }
        }
    };
}

kinds! {
    /// The issue policies.
    ScheduleKind {
        /// Loose round robin.
        Lrr = "LRR",
        /// Greedy then oldest.
        Gto = "GTO",
        /// Two-level: an active set and a pending one.
        TwoLevel = "TLS",
        /// The PC that most threads are at.
        Majority = "Majority",
        /// The warp that has waited longest since it was formed.
        Oldest = "Oldest",
        /// The warp at the lowest PC.
        Lpc = "LPC",
        /// By the progress of virtual blocks and of their warps.
        Progress = "progress",
    }
}

kinds! {
    /// Which logical block a resident block works on.
    DispatchKind {
        /// One, until all of its threads have ended.
        Plain = "plain",
        /// One after another, and its warps go on to the next for themselves.
        Virtual = "virtual",
    }
}

kinds! {
    /// Which threads of its next logical block a virtual warp takes.
    ThreadIndexKind {
        /// Those of its own place in the block.
        SameLane = "SameLane",
        /// Those of the warp that was slowest in the block before.
        SlowestLane = "SlowestLane",
        /// Those of the first warp that nobody has taken.
        LowestToHighestLane = "LowestToHighestLane",
    }
}

kinds! {
    /// The priorities between blocks.
    BlockPriorityKind {
        /// Blocks do not matter.
        None = "none",
        /// The oldest block.
        Age = "AGE",
        /// Round robin, a block further with every warp that issues.
        Rrb = "RRB",
        /// Sticky round robin.
        Srr = "SRR",
        /// The block with most warps at its barrier.
        MostWaiting = "MWF",
        /// The block whose first warp came to its barrier first.
        FirstHit = "SAWS",
    }
}

impl BlockPriorityKind {
    /// Whether it follows how blocks stand at their barriers (BAWS).
    pub fn counts_barriers(self) -> bool {
        matches!(self, BlockPriorityKind::MostWaiting | BlockPriorityKind::FirstHit)
    }
}

kinds! {
    /// Which parts of an original gang are put together again: readings of VWS sections 4.5 and 6.1.
    GangMeetKind {
        /// Two parts at the same PC, however long each has been there (section 4.5, with the two of section 6.1).
        Any = "any",
        /// Two parts that came to the same PC in the same cycle (section 6.1).
        Arrive = "arrive",
        /// Two parts at the same PC of which both or neither wait for a value.
        Ready = "ready",
        /// All parts at the same PC at once (section 4.5).
        Group = "group",
        /// As any, and parts that wait at one barrier too.
        Held = "held",
    }
}

kinds! {
    /// The fetch policies.
    FetchKind {
        /// Loose round robin: the next warp after the last.
        Lrr = "LRR",
        /// Critical-fetch-first: the warp that the issue policy would issue next.
        Cff = "CFF",
        /// Fewest-entries-first: the warp with the fewest instructions in its I-buffer.
        Fef = "FEF",
    }
}

kinds! {
    /// The divergence mechanisms.
    DivergenceKind {
        /// A reconvergence stack for each warp.
        Pdom = "PDOM",
        /// The same, with likely-convergence points.
        PdomLcp = "PDOM-LCP",
        /// Dynamic warp formation: a pool of threads by their next PC.
        Dwf = "DWF",
        /// The same between a static warp's divergent branch and a barrier at its post-dominator.
        DwfWb = "DWF-WB",
        /// Thread block compaction: a stack for each block.
        Tbc = "TBC",
        /// The same, with likely-convergence points.
        TbcLcp = "TBC-LCP",
    }
}

kinds! {
    /// What besides control flow takes a gang apart.
    GangSplitKind {
        /// Nothing (I-VWS, E-VWS).
        Control = "control",
        /// A member whose load is back before another's: all become singletons (ImpatientMem).
        Impatient = "impatient",
        /// The same, but members whose loads are back in the same cycle stay together (GroupMem).
        Group = "group",
    }
}

kinds! {
    /// The orders of gangs.
    GangScheduleKind {
        /// Big gangs first; of equal ones the last that issued, then the oldest.
        Bgto = "BGTO",
        /// The last that issued, then the oldest.
        Gto = "GTO",
        /// Loose round robin.
        Lrr = "LRR",
        /// The lowest PC first, then the oldest.
        Lpc = "LPC",
        /// Little gangs first; of equal ones the last that issued, then the oldest.
        Lgto = "LGTO",
    }
}

kinds! {
    /// What happens to lanes that are not used.
    GatingKind {
        /// Lanes are not looked at.
        Off = "off",
        /// Lanes are counted, and stay on.
        Count = "count",
        /// Lanes are switched off when they are idle.
        On = "on",
    }
}

kinds! {
    /// Which lanes are switched together.
    GatingGrain {
        /// Each for itself.
        Lane = "lane",
        /// All of a pipeline.
        Pipeline = "pipeline",
    }
}

kinds! {
    /// The groups of warps that come before others.
    IssueGroupsKind {
        None = "none",
        /// One type of instructions.
        Gates = "GATES",
        /// One type of instructions, and in it warps with all lanes or with fewer.
        Origami = "Origami",
    }
}

kinds! {
    /// Which warps take instructions.
    FetchWhen {
        /// Those whose I-buffer is empty.
        Empty = "empty",
        /// Those that have room in their I-buffer.
        Room = "room",
    }
}
