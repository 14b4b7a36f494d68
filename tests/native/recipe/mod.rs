//! Recipes for random kernels: structured control flow as data, so that a failing kernel can be made smaller piece by piece.
//!
//! A kernel is a sequence of phases, each in a loop of a constant number of trips. Within a phase threads diverge: nested ifs,
//! loops whose trips depend on data, `break` and `continue`, indexed branches, returns in the middle, guarded instructions. At its
//! end the remaining threads meet: at barriers around an exchange through shared memory, or in a vote, a shuffle or a reduction of
//! their PTX warp or of half of it. No result depends on the order of threads: a word that several of them write only takes sums,
//! minima or maxima, and what an atomic returns comes from a word of the thread's own.

mod ptx;

use proptest::collection::vec;
use proptest::prelude::*;

/// Registers that steps work on.
pub const VARIABLES: u8 = 6;
/// Words of the input buffer.
pub const INPUTS: u32 = 256;
/// Words of the buffer that threads count in, a third of it for each [`Counting`].
pub const COUNTERS: u32 = 12;
/// The deepest nesting of loops.
pub const NESTING: usize = 4;

#[derive(Clone, Debug)]
pub struct Recipe {
    /// Threads of a block, in x and in y.
    pub block: [u32; 2],
    /// Blocks, in x and in y.
    pub grid: [u32; 2],
    /// Seed of the input buffer's words.
    pub seed: u64,
    pub phases: Vec<Phase>,
}

#[derive(Clone, Debug)]
pub struct Phase {
    pub trips: u8,
    pub steps: Vec<Step>,
    pub then: Meeting,
}

/// What all threads of a block do together.
#[derive(Clone, Debug)]
pub enum Meeting {
    None,
    /// Every thread writes a word of shared memory and reads the one `distance` threads further.
    Exchange {
        give: u8,
        take: u8,
        distance: u8,
    },
    /// Every thread adds to a word of shared memory and reads what the block has added so far.
    Sum {
        value: u8,
        take: u8,
    },
    /// Every thread gets the number of threads that pass the test, from a barrier that reduces.
    Census {
        test: Test,
        take: u8,
    },
    /// The PTX warp votes.
    Ballot {
        test: Test,
        take: u8,
    },
    /// Every thread reads another lane's value, at an offset that a variable gives; its own where that lane has exited or is out
    /// of range.
    Shuffle {
        mode: Shuffle,
        value: u8,
        offset: u8,
        take: u8,
    },
    /// The PTX warp adds up a value.
    Reduce {
        value: u8,
        take: u8,
    },
    /// The lanes with a bit of their number set and those without, on two sides of a branch, add up a value.
    Halves {
        bit: u8,
        value: u8,
        take: u8,
    },
}

#[derive(Clone, Copy, Debug)]
pub enum Shuffle {
    Index,
    Up,
    Down,
    Butterfly,
}

#[derive(Clone, Debug)]
pub enum Step {
    Compute(Compute),
    Guarded {
        test: Test,
        negated: bool,
        compute: Compute,
    },
    /// Reads a word of the input that a variable chooses.
    Load {
        to: u8,
        at: u8,
    },
    /// Writes and reads an array of the thread's own.
    Local {
        put: u8,
        at: u8,
        get: u8,
        from: u8,
    },
    Count {
        counting: Counting,
        at: u8,
        value: u8,
    },
    /// Exchanges a value with a word of the thread's own, in shared or in global memory.
    Swap {
        shared: bool,
        value: u8,
        take: u8,
    },
    If {
        test: Test,
        then: Vec<Step>,
        other: Vec<Step>,
    },
    /// As many trips as a variable says, at most `most`; one more unless it `checks_first`.
    Loop {
        trips: u8,
        most: u8,
        checks_first: bool,
        body: Vec<Step>,
    },
    /// Has no effect outside of loops.
    Break(Test),
    Continue(Test),
    /// A guarded return, or a branch around a store and a return.
    Leave {
        test: Test,
        stores: bool,
    },
    Switch {
        by: u8,
        arms: Vec<Vec<Step>>,
    },
}

#[derive(Clone, Copy, Debug)]
pub struct Compute {
    pub op: Arithmetic,
    pub to: u8,
    pub a: u8,
    pub b: u8,
}

#[derive(Clone, Copy, Debug)]
pub enum Arithmetic {
    Add,
    Sub,
    Xor,
    Multiply,
    Shift,
    Least,
    Divide,
    Root,
}

#[derive(Clone, Copy, Debug)]
pub enum Counting {
    Add,
    Min,
    Max,
}

/// A comparison of a variable's low bits with a number: different for neighbouring threads.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    pub variable: u8,
    pub relation: Relation,
    pub number: u8,
}

#[derive(Clone, Copy, Debug)]
pub enum Relation {
    Less,
    Equal,
    NotEqual,
}

pub fn recipes() -> impl Strategy<Value = Recipe> {
    let block = prop_oneof![6 => (1..=96u32, Just(1)), 1 => (1..=24u32, 2..=4u32)];
    let grid = prop_oneof![4 => (1..=3u32, Just(1)), 1 => (1..=3u32, Just(2))];
    (block, grid, any::<u64>(), vec(phase(), 1..4)).prop_map(|(block, grid, seed, phases)| Recipe {
        block: block.into(),
        grid: grid.into(),
        seed,
        phases,
    })
}

fn phase() -> impl Strategy<Value = Phase> {
    let trips = prop_oneof![3 => Just(1), 1 => 2..=3u8];
    (trips, vec(step(), 1..5), meeting()).prop_map(|(trips, steps, then)| Phase { trips, steps, then })
}

fn variable() -> impl Strategy<Value = u8> + Clone {
    0..VARIABLES
}

fn test() -> impl Strategy<Value = Test> + Clone {
    let relation = prop_oneof![Just(Relation::Less), Just(Relation::Equal), Just(Relation::NotEqual)];
    (variable(), relation, 0..9u8).prop_map(|(variable, relation, number)| Test { variable, relation, number })
}

fn meeting() -> impl Strategy<Value = Meeting> {
    let shuffle = prop::sample::select(vec![Shuffle::Index, Shuffle::Up, Shuffle::Down, Shuffle::Butterfly]);
    prop_oneof![
        Just(Meeting::None),
        (variable(), variable(), any::<u8>()).prop_map(|(give, take, distance)| Meeting::Exchange { give, take, distance }),
        (variable(), variable()).prop_map(|(value, take)| Meeting::Sum { value, take }),
        (test(), variable()).prop_map(|(test, take)| Meeting::Census { test, take }),
        (test(), variable()).prop_map(|(test, take)| Meeting::Ballot { test, take }),
        (shuffle, variable(), variable(), variable()).prop_map(|(mode, value, offset, take)| Meeting::Shuffle {
            mode,
            value,
            offset,
            take
        }),
        (variable(), variable()).prop_map(|(value, take)| Meeting::Reduce { value, take }),
        (0..5u8, variable(), variable()).prop_map(|(bit, value, take)| Meeting::Halves { bit, value, take }),
    ]
}

fn compute() -> impl Strategy<Value = Compute> + Clone {
    use Arithmetic::{Add, Divide, Least, Multiply, Root, Shift, Sub, Xor};
    let op = prop::sample::select(vec![Add, Sub, Xor, Multiply, Shift, Least, Divide, Root]);
    (op, variable(), variable(), variable()).prop_map(|(op, to, a, b)| Compute { op, to, a, b })
}

fn step() -> impl Strategy<Value = Step> {
    let counting = prop_oneof![Just(Counting::Add), Just(Counting::Min), Just(Counting::Max)];
    let leaf = prop_oneof![
        4 => compute().prop_map(Step::Compute),
        2 => (test(), any::<bool>(), compute()).prop_map(|(test, negated, compute)| Step::Guarded { test, negated, compute }),
        2 => (variable(), variable()).prop_map(|(to, at)| Step::Load { to, at }),
        1 => (variable(), variable(), variable(), variable()).prop_map(|(put, at, get, from)| Step::Local { put, at, get, from }),
        1 => (counting, any::<u8>(), variable()).prop_map(|(counting, at, value)| Step::Count { counting, at, value }),
        1 => (any::<bool>(), variable(), variable()).prop_map(|(shared, value, take)| Step::Swap { shared, value, take }),
        1 => test().prop_map(Step::Break),
        1 => test().prop_map(Step::Continue),
        1 => (test(), any::<bool>()).prop_map(|(test, stores)| Step::Leave { test, stores }),
    ];
    leaf.prop_recursive(NESTING as u32, 40, 4, |inner| {
        let some = || vec(inner.clone(), 1..4);
        prop_oneof![
            3 => (test(), some(), vec(inner.clone(), 0..3)).prop_map(|(test, then, other)| Step::If { test, then, other }),
            3 => (variable(), 1..5u8, any::<bool>(), some())
                .prop_map(|(trips, most, checks_first, body)| Step::Loop { trips, most, checks_first, body }),
            1 => (variable(), vec(vec(inner.clone(), 0..3), 2..5)).prop_map(|(by, arms)| Step::Switch { by, arms }),
        ]
    })
}
