//! How long texts take: about in proportion to their length, for every family of [`texts`](crate::texts).

use crate::texts::{FAMILIES, Family, rewrite, show};
use std::time::{Duration, Instant};
use warpscope_kernel::program::inspect::Inspection;
use warpscope_kernel::program::load;
use warpscope_kernel::ptx::{self, problem};

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

/// Returns the message that refuses a kernel whose text has the function in front of it.
fn refused(function: &str, body: &str) -> String {
    let head = ".version 8.0\n.target sm_75\n.address_size 64\n";
    let text = format!("{head}{function}\n.visible .entry k()\n{{\n{body}ret;\n}}\n");
    load(&text, None).expect_err("more than there may be").remove(0).message
}

#[test]
fn what_grows_too_large_when_calls_are_expanded_is_refused_by_name() {
    let registers: Vec<String> = (0..5_000).map(|at| format!("%a{at}")).collect();
    let many = format!(".func f()\n{{\n.reg .b32 {};\nret;\n}}", registers.join(", "));
    let message = refused(&many, &"call.uni f, ();\n".repeat(500));
    assert!(message.contains("2005000 registers, variables and branch targets") && message.contains("`f`"), "{message}");
    let long = format!(".func f()\n{{\n.reg .b32 %{};\nret;\n}}", "x".repeat(16_000));
    let message = refused(&long, &"call.uni f, ();\n".repeat(17_000));
    assert!(message.contains("more than 256 MiB"), "{message}");
}

#[test]
fn a_very_long_name_is_refused_with_its_length() {
    let message = refused("", &format!(".reg .b32 %{};\n", "x".repeat(20_000)));
    assert_eq!(message, "a name has 20001 letters; names have at most 16384");
}

#[test]
fn of_a_very_long_line_the_part_around_a_problem_is_shown() {
    let spaces = " ".repeat(5_000);
    let text = format!(".version 8.0\n.target sm_75\n{spaces}µ{spaces}\n");
    let (_, problems) = ptx::parse(&text);
    let located = problem::located(&problems, &text);
    assert_eq!((located[0].line, located[0].column), (3, 5_001));
    assert!(located[0].source_line.contains('µ') && located[0].source_line.len() <= 1_000);
}

#[test]
fn lists_of_the_blocks_of_very_many_loops_are_cut() {
    let family = FAMILIES.iter().find(|family| family.name == "nested_loops").expect("the family");
    let text = (family.text)(8_000);
    let report = Inspection::new(&load(&text, None).expect("a sound kernel"), &text);
    assert_eq!(report.loops.len(), 4_000);
    assert!(report.loops.iter().map(|found| found.blocks.len()).sum::<usize>() <= 1 << 20);
    assert!(report.loops[0].blocks.len() == 1 && !report.loops[0].more, "the innermost loop is whole");
    assert!(report.loops[3_999].more && report.text().contains(" and more\n"), "the outermost one is not");
}
