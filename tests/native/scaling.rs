//! How long texts take: about in proportion to their length, for every family of [`texts`](crate::texts).

use crate::texts::{FAMILIES, Family, rewrite, show};
use std::time::{Duration, Instant};

/// The sizes of a short and of a long text; a family that takes quadratic time takes 256 times as long for the long one.
const SHORT: usize = 1_000;
const LONG: usize = 16_000;
/// How much longer the long text may take: six times what is in proportion, as it may no longer fit into caches, and some time in
/// which other tests may run.
const MOST_TIMES: u32 = 96;
const SLACK: Duration = Duration::from_millis(500);
/// A machine that is busy is given this many tries.
const TRIES: usize = 5;

/// Returns the time that it takes until a text and its rewritten kernels can be seen.
fn time(text: &str) -> Duration {
    let begin = Instant::now();
    let (kernels, shown) = show(text);
    let rewritten: usize = kernels.iter().map(|kernel| rewrite(kernel, text)).sum();
    assert!(shown + rewritten > 0, "something is shown");
    begin.elapsed()
}

/// Returns a message if the long text took too long in every try.
fn check(family: &Family) -> Option<String> {
    let (short, long) = ((family.text)(SHORT), (family.text)(LONG));
    let at_short = (0..3).map(|_| time(&short)).min().unwrap_or_default();
    let most = at_short * MOST_TIMES + SLACK;
    let mut tries = Vec::new();
    while tries.len() < TRIES {
        let taken = time(&long);
        if taken <= most {
            return None;
        }
        tries.push(taken);
    }
    let best = tries.iter().min().copied().unwrap_or_default();
    Some(format!("{}: {LONG} statements took {best:?}, {SHORT} took {at_short:?}; at most {most:?} is allowed", family.name))
}

fn check_all(families: &[Family]) {
    let slow: Vec<String> = families.iter().filter_map(check).collect();
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn long_texts_take_time_in_proportion_to_their_length() {
    check_all(&FAMILIES[..FAMILIES.len() / 2]);
}

#[test]
fn other_long_texts_take_time_in_proportion_to_their_length() {
    check_all(&FAMILIES[FAMILIES.len() / 2..]);
}
