//! Sections 4.5, 5.2 and 5.3: the transformed program, its registers and residency (table 7), and what VTW costs.

use super::{BASE, Board, JUDGE, PRESET};
use crate::papers::Claim;
use crate::papers::judge::{Speedups, each, geometric_mean};
use crate::run::RunSpec;
use warpscope_machine::metrics::Report;

/// The paper's means over its four sets and over all kernels.
const INSTRUCTIONS: [f64; 5] = [0.98, 0.97, 0.98, 0.94, 0.97];
/// Share of all kernels that table 7 lists.
const CHANGED: f64 = 10.0 / 51.0;

pub fn claims(board: &Board) -> Vec<Claim> {
    vec![instructions(board), reuse(board), residency(board), registers(board), cost(board)]
}

fn executed(board: &Board, set: &[&'static str]) -> Speedups {
    board.ratios(set, "VTW", BASE, |report| report.warp_instructions as f64)
}

/// Returns the instructions that a block issues.
fn length(report: &Report) -> u64 {
    report.warp_instructions / report.blocks.max(1)
}

/// Splits the kernels into the half with the shorter and the half with the longer blocks.
fn halves(board: &Board) -> (Vec<&'static str>, Vec<&'static str>) {
    let mut names = board.sets.all();
    names.sort_by_key(|name| board.report(name, BASE).map_or(0, length));
    let long = names.split_off(names.len() / 2);
    (names, long)
}

fn instructions(board: &Board) -> Claim {
    let sets = board.by_set(&INSTRUCTIONS, |set| executed(board, set));
    let (short, long) = halves(board);
    let parts = geometric_mean(&executed(board, &short)).zip(geometric_mean(&executed(board, &long)));
    let note = parts.map_or_else(String::new, |(in_short, in_long)| {
        format!(
            " By the instructions that a block issues: {in_short:.3} in the half with the shorter blocks, {in_long:.3} in the other."
        )
    });
    let measured = geometric_mean(&executed(board, &board.sets.all()));
    JUDGE
        .effect(
            "vtw.instructions",
            "section 5.2, table 4",
            "The transformed kernel executes 3% fewer instructions",
            INSTRUCTIONS[4],
        )
        .judge(measured, format!("{sets}{note}"))
}

/// Judges whether the gains in set 4 come from fewer instructions.
fn reuse(board: &Board) -> Claim {
    let set = board.sets.0[3].as_slice();
    let speedups = board.speedups(set, "VTW", BASE);
    let instructions = executed(board, set);
    let of = |is_fewer: fn(f64) -> bool| -> Option<f64> {
        let names: Vec<&str> = instructions.iter().filter(|(_, ratio)| is_fewer(*ratio)).map(|(name, _)| *name).collect();
        geometric_mean(&speedups.iter().filter(|(name, _)| names.contains(name)).copied().collect())
    };
    let (fewer, same) = (of(|ratio| ratio < 0.99), of(|ratio| ratio >= 0.99));
    JUDGE.fact(
        "vtw.set4-instructions",
        "section 5.2",
        "In set 4 gains are mainly due to fewer instructions",
        "VTW gains more where at least 1% of the instructions go",
        fewer.zip(same).map(|(fewer, same)| (format!("{fewer:.3} there, {same:.3} elsewhere"), fewer > same)),
        format!("Instructions over GTO's: {}.", each(&instructions)),
    )
}

/// A kernel whose residency the transformation changes.
struct Change {
    name: &'static str,
    registers: (u32, u32),
    resident: (u64, u64),
}

fn changes(board: &Board) -> Vec<Change> {
    let change = |name: &'static str| {
        let resident = |technique| Some(board.report(name, technique)?.resident_blocks);
        let (before, after) = (resident(BASE)?, resident("VTW")?);
        let registers =
            |technique| RunSpec::of(name, PRESET, technique).prepare().ok().map(|(_, sim)| sim.machine.program.registers_needed);
        (before != after).then_some(())?;
        Some(Change { name, registers: (registers(BASE)?, registers("VTW")?), resident: (before, after) })
    };
    board.sets.all().into_iter().filter_map(change).collect()
}

fn residency(board: &Board) -> Claim {
    let (changed, kernels) = (changes(board), board.sets.all().len());
    let told = changed.iter().map(|Change { name, registers, resident }| {
        format!("{name} {} to {} registers, {} to {} blocks", registers.0, registers.1, resident.0, resident.1)
    });
    let names: Vec<&'static str> = changed.iter().map(|change| change.name).collect();
    let speed = geometric_mean(&board.speedups(&names, "VTW", BASE));
    let note = speed
        .map_or_else(String::new, |speed| format!("{}. VTW over GTO on them: {speed:.3}.", told.collect::<Vec<_>>().join("; ")));
    let share = (kernels > 0).then(|| changed.len() as f64 / kernels as f64);
    JUDGE.share(
        "vtw.residency",
        "section 5.3, table 7",
        "Registers of the transformed kernel change the residency of 10 of 51 kernels",
        CHANGED,
        share,
        note,
    )
}

fn registers(board: &Board) -> Claim {
    let changed = changes(board);
    let fewer = changed.iter().filter(|change| change.resident.1 < change.resident.0).count();
    JUDGE.fact(
        "vtw.registers",
        "section 5.3, table 7",
        "In 9 of these 10 kernels registers rise and fewer blocks are resident",
        "most",
        (!changed.is_empty()).then(|| (format!("{fewer} of {}", changed.len()), 2 * fewer > changed.len())),
        String::new(),
    )
}

fn cost(board: &Board) -> Claim {
    let bytes = |technique| Some(RunSpec::of("", PRESET, technique).config().ok()?.storage_bytes());
    let measured = || {
        let (same, slowest) = (bytes("VTW")?, bytes("VTW-SL")?);
        Some((format!("{same} to {slowest} bytes"), (same, slowest) == (500, 548)))
    };
    JUDGE.fact(
        "vtw.cost",
        "section 4.5",
        "VTW adds 500 bytes to an SM with SameLane and 548 with SlowestLane",
        "500 to 548 bytes",
        (!board.results.runs.is_empty()).then(measured).flatten(),
        String::new(),
    )
}
