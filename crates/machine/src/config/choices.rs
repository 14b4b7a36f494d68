//! The choices that keys and menus offer: one enum per family of policies, one variant per policy.
//!
//! Configurations hold these enums; `policy` implements them.

/// Defines, from one row per variant, a `Copy` enum for configurations and menus, with its table of names.
macro_rules! kinds {
    ($(#[$doc:meta])* $kind:ident { $($(#[$variant_doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
        pub enum $kind {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $kind {
            /// Every choice, in the order of lists and menus.
            pub const ALL: [$kind; [$(stringify!($variant)),*].len()] = [$($kind::$variant),*];

            /// Returns the name that keys and links use.
            pub fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name,)*
                }
            }
        }
    };
}

kinds! {
    /// Issue policies: which ready warp issues.
    ScheduleKind {
        /// Loose round robin.
        Lrr = "LRR",
        /// Greedy then oldest.
        Gto = "GTO",
        /// Two-level: an active set of warps and a pending one.
        TwoLevel = "TLS",
        /// Warps at the PC with most threads first.
        Majority = "Majority",
        /// The warp that was formed first.
        Oldest = "Oldest",
        /// The warp at the lowest PC.
        Lpc = "LPC",
        /// By the progress of virtual blocks and their warps.
        Progress = "progress",
    }
}

kinds! {
    /// How many logical blocks a resident block works on.
    DispatchKind {
        /// One, until all of its threads have exited.
        Plain = "plain",
        /// One after another; each warp continues with the next by itself.
        Virtual = "virtual",
    }
}

kinds! {
    /// Which threads of its next logical block a virtual warp takes.
    ThreadIndexKind {
        /// The threads at its own position in the block.
        SameLane = "SameLane",
        /// The threads of the warp that was slowest in the previous block.
        SlowestLane = "SlowestLane",
        /// The threads of the lowest warp that is not taken.
        LowestToHighestLane = "LowestToHighestLane",
    }
}

kinds! {
    /// Block priorities: which block's warps come first.
    BlockPriorityKind {
        /// No priority between blocks.
        None = "none",
        /// The oldest block.
        Age = "AGE",
        /// Round robin: the priority moves to the next block with every warp that issues.
        Rrb = "RRB",
        /// Sticky round robin: a block keeps the priority while one of its warps is ready.
        Srr = "SRR",
        /// Most-waiting-first: the block with most warps at its barrier.
        MostWaiting = "MWF",
        /// The block whose first warp reached its barrier first.
        FirstHit = "SAWS",
    }
}

impl BlockPriorityKind {
    /// Whether the priority depends on the warps that wait at barriers (BAWS).
    pub fn counts_barriers(self) -> bool {
        matches!(self, BlockPriorityKind::MostWaiting | BlockPriorityKind::FirstHit)
    }
}

kinds! {
    /// Which parts of an original gang are merged: readings of VWS sections 4.5 and 6.1.
    GangMeetKind {
        /// Two parts at the same PC, however long each has been there (section 4.5, merging two as in section 6.1).
        Any = "any",
        /// Two parts that reached the same PC in the same cycle (section 6.1).
        Arrive = "arrive",
        /// Two parts at the same PC if both or neither wait for a value.
        Ready = "ready",
        /// All parts at the same PC at once (section 4.5).
        Group = "group",
        /// As `Any`, and also two parts that wait at the same barrier.
        Held = "held",
    }
}

kinds! {
    /// Fetch policies: which warp instructions are fetched for.
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
    /// Divergence mechanisms: how the threads of a divergent branch are tracked.
    DivergenceKind {
        /// A reconvergence stack per warp.
        Pdom = "PDOM",
        /// PDOM with likely-convergence points.
        PdomLcp = "PDOM-LCP",
        /// Dynamic warp formation: a pool of threads by their next PC.
        Dwf = "DWF",
        /// DWF with warp barriers: warps re-form between a static warp's divergent branch and its immediate post-dominator.
        DwfWb = "DWF-WB",
        /// Thread block compaction: a reconvergence stack per block.
        Tbc = "TBC",
        /// TBC with likely-convergence points.
        TbcLcp = "TBC-LCP",
        /// Independent thread scheduling: splits of a warp that meet at convergence barriers.
        Its = "ITS",
    }
}

kinds! {
    /// Which side of a branch runs first where convergence barriers take the place of a stack.
    FirstSideKind {
        /// The side with fewer lanes; of equal ones the side that falls through.
        Fewer = "fewer",
        /// The side that falls through.
        FallThrough = "fallthrough",
        /// The side that is taken.
        Taken = "taken",
    }
}

kinds! {
    /// Whether outstanding loads split a gang, besides control flow.
    GangSplitKind {
        /// They do not (I-VWS, E-VWS).
        Control = "control",
        /// If the load of a member returns before another's, all members become singletons (ImpatientMem).
        Impatient = "impatient",
        /// As `Impatient`, but members whose loads return in the same cycle stay together (GroupMem).
        Group = "group",
    }
}

kinds! {
    /// Gang scheduling: which gang issues first.
    GangScheduleKind {
        /// The largest gang; among equals the one that issued last, then the oldest.
        Bgto = "BGTO",
        /// The gang that issued last, then the oldest.
        Gto = "GTO",
        /// Loose round robin.
        Lrr = "LRR",
        /// The gang at the lowest PC, then the oldest.
        Lpc = "LPC",
        /// The smallest gang; among equals the one that issued last, then the oldest.
        Lgto = "LGTO",
    }
}

kinds! {
    /// Power gating: what happens to idle lanes.
    GatingKind {
        /// Lanes are not tracked.
        Off = "off",
        /// Lane use is counted; lanes stay on.
        Count = "count",
        /// Idle lanes are switched off.
        On = "on",
    }
}

kinds! {
    /// Which lanes are switched together.
    GatingGrain {
        /// Each lane separately.
        Lane = "lane",
        /// All lanes of a pipeline.
        Pipeline = "pipeline",
    }
}

kinds! {
    /// Issue groups: groups of warps that come before others.
    IssueGroupsKind {
        /// No group comes first.
        None = "none",
        /// Warps with one type of instruction, INT or FP.
        Gates = "GATES",
        /// Warps with one type of instruction, and among those full warps or partial ones.
        Origami = "Origami",
    }
}

kinds! {
    /// Which warps instructions are fetched for.
    FetchWhen {
        /// Warps with an empty I-buffer.
        Empty = "empty",
        /// Warps with room in their I-buffer.
        Room = "room",
    }
}

kinds! {
    /// Which earlier instructions of its warp an instruction waits for.
    HazardTracking {
        /// Those that produce registers it uses.
        Register = "register",
        /// All of them: one instruction of a warp is in flight at a time (TBC section 2.2).
        Simple = "simple",
    }
}
