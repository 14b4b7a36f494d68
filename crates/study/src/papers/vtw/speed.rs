//! Section 5.2: performance (tables 4 and 5).

use super::{BASE, Board, CHEAP_LOOP, EXPERIMENTS, JUDGE, Keys};
use crate::papers::judge::{Speedups, each, geometric_mean, listed};
use crate::papers::{Claim, STAGES};
use crate::run::RunSpec;
use warpscope_machine::metrics::Report;

/// The paper's means over its four sets and over all kernels.
const LRR: [f64; 5] = [0.95, 0.97, 1.00, 0.99, 0.97];
const VGTO: [f64; 5] = [0.96, 0.93, 0.99, 1.12, 0.98];
const VLRR: [f64; 5] = [0.92, 0.96, 1.00, 1.10, 0.98];
const VTW: [f64; 5] = [1.02, 1.05, 1.03, 1.13, 1.06];
const VTW_SL: [f64; 5] = [1.02, 1.05, 1.03, 1.14, 1.06];
const VTW_LH: [f64; 5] = [1.03, 1.04, 1.03, 1.13, 1.06];
/// The difference up to which means are similar: the most by which two index assignments differ in table 5.
const SIMILAR: f64 = 0.01;
/// Number of the paper's kernels.
const KERNELS: f64 = 51.0;
/// Share of issue slots or of memory bandwidth in use from which a machine is full.
const FULL: f64 = 0.9;

pub fn claims(board: &Board) -> Vec<Claim> {
    let mut claims = means(board);
    claims.extend(by_set(board));
    claims.extend(comparisons(board));
    claims.extend(single(board));
    claims
}

fn means(board: &Board) -> Vec<Claim> {
    let all = board.sets.all();
    let mean = |id, place, claim, technique: &str, paper: &[f64; 5], note: String| {
        let sets = board.by_set(paper, |set| board.speedups(set, technique, BASE));
        let speedups = board.speedups(&all, technique, BASE);
        JUDGE.effect(id, place, claim, paper[4]).judge(geometric_mean(&speedups), format!("{sets}{note}"))
    };
    let table = |id, claim, technique, paper| mean(id, "section 5.2, table 4", claim, technique, paper, String::new());
    let assignment = |id, claim, technique, paper| mean(id, "section 5.2, table 5", claim, technique, paper, String::new());
    vec![
        table("vtw.lrr", "LRR is 3% slower than GTO", "LRR", &LRR),
        table("vtw.vgto", "Virtual blocks under GTO are 2% slower than GTO", "vGTO", &VGTO),
        table("vtw.vlrr", "Virtual blocks under LRR are 2% slower than GTO", "vLRR", &VLRR),
        mean(
            "vtw.vtw",
            "section 5.2, table 4",
            "VTW is 6% faster than GTO",
            "VTW",
            &VTW,
            format!("{}{}{}{}", with_stages(board), cheap_loop(board), room(board), super::why::note(board)),
        ),
        assignment("vtw.vtw-sl", "VTW with SlowestLane is 6% faster than GTO", "VTW-SL", &VTW_SL),
        assignment("vtw.vtw-lh", "VTW with LowestToHighestLane is 6% faster than GTO", "VTW-LH", &VTW_LH),
    ]
}

/// Describes VTW over GTO on a machine with all stages of the paper's simulator.
fn with_stages(board: &Board) -> String {
    let mean = geometric_mean(&board.speedups_with(&board.sets.all(), STAGES, "VTW", BASE));
    mean.map_or_else(String::new, |mean| format!(" With decode and operand collectors as stages of their own: {mean:.3}."))
}

/// Describes VTW over GTO where its loop over blocks costs as little as possible.
fn cheap_loop(board: &Board) -> String {
    let mean = geometric_mean(&board.speedups_with(&board.sets.all(), CHEAP_LOOP, "VTW", BASE));
    mean.map_or_else(String::new, |mean| {
        format!(
            " With division as fast as multiplication, instructions that are always there and twice the registers: {mean:.3}."
        )
    })
}

/// Returns the share of issue slots or of memory bandwidth that a run uses, whichever is larger.
pub fn used(report: &Report) -> f64 {
    let Ok(config) = RunSpec::of("", super::PRESET, BASE).config() else { return 0.0 };
    let cycles = report.cycles as f64;
    let issue = report.warp_instructions as f64 / (cycles * (report.issue_ports * report.sms) as f64);
    let bytes = report.l2.misses as f64 * f64::from(config.l2_line);
    issue.max(bytes / (cycles * config.dram_bytes_per_cycle.as_f64()))
}

/// Describes VTW's speed on kernels that fill the machine under GTO, and on the others.
fn room(board: &Board) -> String {
    let is_full = |name: &&'static str| board.report(name, BASE).is_some_and(|report| used(report) >= FULL);
    let (full, others): (Vec<_>, Vec<_>) = board.sets.all().into_iter().partition(is_full);
    let told = |keys: Keys| {
        let mean = |set: &[&'static str]| geometric_mean(&board.speedups_with(set, keys, "VTW", BASE));
        mean(&full).zip(mean(&others)).map(|(full, others)| format!("{full:.3} against {others:.3} on the others"))
    };
    told(&[]).zip(told(CHEAP_LOOP)).map_or_else(String::new, |(now, cheap)| {
        format!(
            " On the {} of {} kernels that use {:.0}% or more of the issue slots or of the memory bandwidth under GTO, VTW is {now}; with all three changes it is {cheap}.",
            full.len(),
            full.len() + others.len(),
            100.0 * FULL,
        )
    })
}

/// Judges what the text says about single sets.
fn by_set(board: &Board) -> Vec<Claim> {
    let set = |number: usize| board.sets.0[number - 1].as_slice();
    let mean = |id, claim, number: usize, technique: &str, expected| {
        let speedups = board.speedups(set(number), technique, BASE);
        let limits = if technique == "VTW" { super::limits::note(board, number) } else { String::new() };
        let rest = format!("{}{limits}", experiments_of(board, set(number), technique));
        JUDGE
            .effect(id, "section 5.2, table 4", claim, expected)
            .judge(geometric_mean(&speedups), format!("{}.{rest}", each(&speedups)))
    };
    let sets = [1, 2, 3, 4].map(|number| {
        let of = |technique| geometric_mean(&board.speedups(set(number), technique, BASE));
        let vtw = of("VTW")?;
        let others = [Some(1.0), of("LRR"), of("vGTO"), of("vLRR")].into_iter().collect::<Option<Vec<f64>>>()?;
        let best = others.into_iter().fold(0.0, f64::max);
        Some((format!("set {number} {vtw:.3} against {best:.3}"), vtw > best))
    });
    let sets = sets.into_iter().collect::<Option<Vec<_>>>().map(|sets| {
        let (told, best): (Vec<String>, Vec<bool>) = sets.into_iter().unzip();
        (told.join(", "), best.into_iter().all(|best| best))
    });
    vec![
        JUDGE.fact(
            "vtw.best",
            "section 5.2",
            "VTW is the best of GTO, LRR, vGTO, vLRR and VTW on each set",
            "VTW above the best of the others",
            sets,
            String::new(),
        ),
        mean("vtw.set1", "On set 1 (both kinds of divergence) VTW is 2% faster than GTO", 1, "VTW", VTW[0]),
        mean("vtw.set2", "On set 2 (cycles alone) VTW is 5% faster than GTO", 2, "VTW", VTW[1]),
        mean("vtw.set3", "On set 3 (instructions alone) VTW is 3% faster than GTO", 3, "VTW", VTW[2]),
        mean("vtw.set4", "On set 4 (none) VTW is 13% faster than GTO", 4, "VTW", VTW[3]),
        mean("vtw.set4-vgto", "On set 4 even vGTO is 12% faster than GTO", 4, "vGTO", VGTO[3]),
        mean("vtw.set4-vlrr", "On set 4 even vLRR is 10% faster than GTO", 4, "vLRR", VLRR[3]),
    ]
}

/// Returns the kernels of a set that VTW slows by more than 5 per cent.
pub fn slower(board: &Board, set: &[&'static str]) -> Speedups {
    board.speedups(set, "VTW", BASE).into_iter().filter(|(_, speedup)| *speedup < 0.95).collect()
}

/// Describes the slower kernels of a set on the machines of the experiments.
fn experiments_of(board: &Board, set: &[&'static str], technique: &str) -> String {
    if technique != "VTW" {
        return String::new();
    }
    let speedup = |name, keys: Keys| board.speedup(name, (technique, keys), (BASE, keys));
    let told = slower(board, set).into_iter().map(|(name, now)| {
        let others = EXPERIMENTS.iter().filter_map(|(what, keys)| Some(format!("{:.2} with {what}", speedup(name, keys)?)));
        format!(" {name} {now:.2}: {}.", others.collect::<Vec<_>>().join(", "))
    });
    told.collect()
}

/// Judges VTW against techniques other than GTO.
fn comparisons(board: &Board) -> Vec<Claim> {
    let all = board.sets.all();
    let over = |id, place, claim, other: &str, expected| {
        let speedups = board.speedups(&all, "VTW", other);
        JUDGE.effect(id, place, claim, expected).judge(geometric_mean(&speedups), each(&speedups))
    };
    let better = |id, claim, technique: &str, paper: f64| {
        let speedups = board.speedups(&all, technique, "VTW");
        let faster: Speedups = speedups.iter().filter(|(_, speedup)| *speedup >= 1.0 + SIMILAR / 2.0).copied().collect();
        let note = format!("Better as table 4 can show it, by half of its last digit: {}.", each(&faster));
        at_most(id, claim, paper, (faster.len(), speedups.len()), note)
    };
    let assigned = ["VTW", "VTW-SL", "VTW-LH"].map(|technique| geometric_mean(&board.speedups(&all, technique, BASE)));
    vec![
        over("vtw.over-lrr", "abstract", "VTW is 9% faster than LRR", "LRR", 1.09),
        over("vtw.over-vgto", "section 5.2", "VTW is 8% faster than vGTO: its order of warps counts", "vGTO", 1.08),
        over("vtw.over-vlrr", "section 5.2", "VTW is 8% faster than vLRR", "vLRR", 1.08),
        better("vtw.vgto-better", "vGTO is better than VTW on only 7 of 51 kernels", "vGTO", 7.0),
        better("vtw.vlrr-better", "vLRR is better than VTW on only 4 of 51 kernels", "vLRR", 4.0),
        JUDGE.fact(
            "vtw.assignments",
            "section 5.2, table 5",
            "The three ways to assign thread indices perform alike",
            "means within 0.01 of each other",
            match assigned {
                [Some(same), Some(slowest), Some(lowest)] => {
                    let apart = same.max(slowest).max(lowest) - same.min(slowest).min(lowest);
                    let told = format!("SameLane {same:.3}, SlowestLane {slowest:.3}, LowestToHighestLane {lowest:.3}");
                    Some((told, apart <= SIMILAR))
                }
                _ => None,
            },
            String::new(),
        ),
    ]
}

/// Judges a claim about `paper` of the paper's kernels by the share of kernels here.
fn at_most(id: &'static str, claim: &'static str, paper: f64, (few, all): (usize, usize), note: String) -> Claim {
    let most = 1.5 * paper / KERNELS;
    let measured = (all > 0).then(|| (format!("{few} of {all}"), few as f64 / all as f64 <= most));
    let expected = format!("no more than one and a half times that share, {:.1}%", 100.0 * most);
    JUDGE.fact(id, "section 5.2", claim, &expected, measured, note)
}

/// Judges claims about single kernels.
fn single(board: &Board) -> Vec<Claim> {
    let best = |id, claim, expected: &str, set: usize, band: std::ops::RangeInclusive<f64>| {
        let speedups = board.speedups(&board.sets.0[set - 1], "VTW", BASE);
        let best = speedups.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
        let measured = best.map(|(name, best)| (format!("{best:.2} ({name})"), band.contains(&best)));
        JUDGE.fact(id, "section 5.2", claim, expected, measured, String::new())
    };
    let all = board.speedups(&board.sets.all(), "VTW", BASE);
    let slow: Vec<&str> = slower(board, &board.sets.all()).into_iter().map(|(name, _)| name).collect();
    let worst = all.iter().map(|(_, speedup)| *speedup).reduce(f64::min);
    vec![
        best("vtw.best-set1", "In set 1 VTW is up to 37% faster than GTO", "1.19 to 1.55", 1, 1.185..=1.555),
        best("vtw.best-set2", "In set 2 VTW is up to 76% faster than GTO", "1.38 to 2.14", 2, 1.38..=2.14),
        at_most(
            "vtw.slower",
            "VTW is more than 5% slower than GTO on only 2 of 51 kernels",
            2.0,
            (slow.len(), all.len()),
            if all.is_empty() { String::new() } else { format!("{}.", listed(&slow)) },
        ),
        JUDGE.fact(
            "vtw.slowest",
            "section 5.2",
            "VTW is at most 9% slower than GTO",
            "no kernel under 0.91",
            worst.map(|worst| (format!("{worst:.2}"), worst >= 0.905)),
            String::new(),
        ),
    ]
}
