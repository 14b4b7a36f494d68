//! Claims about single applications and about persistent threads, and claims that no run here can decide.

use super::{Board, JUDGE, PRESET, named};
use crate::papers::Claim;
use crate::run::{RunError, RunSpec};
use warpscope_machine::metrics::slots::SlotClass;

/// Judges claims about single applications that the catalogue has a similar workload for.
pub fn applications(board: &Board) -> Vec<Claim> {
    let told = |name: &'static str, technique: &str| board.one(name, technique).map(|speedup| (format!("{speedup:.2}"), speedup));
    let memory = |name: &'static str| {
        let share = |technique: &str| board.slots(&[name], technique, &[SlotClass::Memory]).pop().map(|(_, share)| share);
        let (pdom, tbc) = (share("PDOM")?, share("TBC-LCP")?);
        Some((format!("{:.1}% of issue slots, PDOM {:.1}%", 100.0 * tbc, 100.0 * pdom), tbc > pdom + 0.01))
    };
    let depth = |name: &str| board.report(name, "TBC-LCP").map(|report| report.max_stack_depth);
    let deepest = board.sets.all().iter().filter_map(|name| depth(name)).max();
    let starves = board.one("raytrace", "DWF-WB").is_some_and(|speedup| speedup < 0.98);
    let no_eddies = match depth("raytrace").zip(named::entries("raytrace")).filter(|_| !starves) {
        Some((own, papers)) => {
            format!("Entries of its deepest stack: {own} here, {papers} in table 3. {}", named::costs(board, "raytrace"))
        }
        None => String::new(),
    };
    vec![
        JUDGE.fact(
            "tbc.bfs-dwf",
            "section 2.3, figure 6",
            "DWF improves breadth-first search significantly",
            "1.1 or more",
            told("bfs", "DWF").map(|(told, speedup)| (told, speedup >= 1.1)),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.bfs-tbc",
            "section 6, figure 12",
            "Much of TBC's gain is on applications of very low SIMD efficiency, such as breadth-first search",
            "1.22 or more",
            told("bfs", "TBC-LCP").map(|(told, speedup)| (told, speedup >= 1.22)),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.bfs-memory",
            "section 6.1, figure 13(a)",
            "Breadth-first search becomes memory-bound with TBC",
            "a larger share of W0 Mem than under PDOM",
            memory("bfs"),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.mergesort-memory",
            "section 6.1, figure 13(a)",
            "and so does merge sort",
            "a larger share of W0 Mem than under PDOM",
            memory("mergesort"),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.ray-dwf",
            "section 6, figure 12",
            "DWF slows ray tracing down",
            "below 0.98",
            told("raytrace", "DWF").map(|(told, speedup)| (told, speedup < 0.98)),
            String::new(),
        ),
        JUDGE.fact(
            "tbc.ray-dwf-wb",
            "sections 2.4 and 6.1",
            "and still suffers from starvation eddies with warp barriers",
            "below 0.98",
            told("raytrace", "DWF-WB").map(|(told, speedup)| (told, speedup < 0.98)),
            no_eddies,
        ),
        JUDGE.fact(
            "tbc.mergesort-depth",
            "section 7, table 3",
            "Merge sort needs the deepest stack, 38 entries",
            "the deepest of all",
            depth("mergesort").zip(deepest).map(|(own, deepest)| (format!("{own}, the deepest has {deepest}"), own == deepest)),
            match depth("mergesort").zip(deepest) {
                Some((own, deepest)) if own < deepest => {
                    "The application has several kernels (table 1 lists their block sizes), the workload one.".to_string()
                }
                _ => String::new(),
            },
        ),
    ]
}

/// Judges the claims about the ray tracer whose warps take work from a queue (NVRT in the paper).
pub fn persistent_threads(board: &Board) -> Vec<Claim> {
    const NAME: &str = "rayqueue";
    let over = |technique: &str, over: &str| board.speedup(NAME, technique, over);
    let lanes = |technique: &str| board.report(NAME, technique).map(|report| report.simd_efficiency);
    let waits =
        |technique: &str| board.slots(&[NAME], technique, &[SlotClass::Memory, SlotClass::Idle]).pop().map(|(_, share)| share);
    let told = |names: &[&str], number: &dyn Fn(&str) -> Option<f64>| {
        let told = names.iter().filter_map(|name| Some(format!("{name} {:.0}%", 100.0 * number(name)?)));
        told.collect::<Vec<_>>().join(", ")
    };
    let note = format!(
        "Lanes filled: {}. Issue slots without a ready warp: {}.",
        told(&["PDOM", "PDOM-LCP", "DWF-WB", "TBC", "TBC-LCP"], &lanes),
        told(&["PDOM", "PDOM-LCP", "DWF-WB", "TBC", "TBC-LCP"], &waits),
    );
    let dwf = RunSpec::of(NAME, PRESET, "DWF");
    let under_dwf = match board.results.error(&dwf) {
        Some(RunError::Wrong(_)) => Some(("a wrong picture".to_string(), true)),
        Some(RunError::Endless) => Some(("it does not end".to_string(), true)),
        // A trap or a deadlock is not what the paper means.
        Some(RunError::Failed(why)) => Some((why.clone(), false)),
        Some(RunError::Unfit(_)) => None,
        None => board.results.of(&dwf).map(|_| ("the right picture".to_string(), false)),
    };
    let deeper = |with: &str, without: &str| {
        let depth = |technique: &str| board.report(NAME, technique).map(|report| report.max_stack_depth);
        depth(with).zip(depth(without)).map_or_else(String::new, |(with, without)| {
            format!("Entries of the deepest stack: {without}, with likely-convergence points {with}.")
        })
    };
    vec![
        JUDGE.fact(
            "tbc.nvrt-dwf",
            "sections 2.3 and 6",
            "Persistent threads that take work from a queue warp by warp go wrong under DWF",
            "a wrong picture, or no end",
            under_dwf,
            "Threads go on with old rays while the first of their static warp should take new ones. Where the schedule prefers \
             the majority, as here, the first may never come to it."
                .to_string(),
        ),
        JUDGE
            .effect(
                "tbc.nvrt-dwf-wb",
                "section 2.4",
                "With warp barriers they run properly, and 60% faster than under PDOM",
                1.60,
            )
            .judge(over("DWF-WB", "PDOM"), note.clone()),
        JUDGE
            .effect("tbc.nvrt-lcp", "section 4, figure 11", "Likely-convergence points make them 30% faster under TBC", 1.30)
            .judge(over("TBC-LCP", "TBC"), deeper("TBC-LCP", "TBC")),
        JUDGE
            .effect("tbc.nvrt-lcp-pdom", "section 4, figure 11", "and 14% faster under PDOM", 1.14)
            .judge(over("PDOM-LCP", "PDOM"), deeper("PDOM-LCP", "PDOM")),
        JUDGE.fact(
            "tbc.nvrt-over-tbc",
            "section 6.1",
            "On them DWF with warp barriers is faster than TBC, which takes threads from one block alone",
            "above 1.01",
            over("DWF-WB", "TBC-LCP").map(|speedup| (format!("{speedup:.2}"), speedup > 1.01)),
            note,
        ),
    ]
}

/// Returns the claims that no run here can decide.
pub fn untestable() -> Vec<Claim> {
    vec![
        JUDGE.untestable(
            "tbc.mum",
            "section 6.4",
            "A smaller L2 cache turns DWF's 28% on MUMMER-GPU++ into a slowdown of 4%",
            "1.28 and 0.96",
            "The catalogue has no suffix tree in texture memory; tbc.small-l2-dwf has the worst case among its workloads.",
        ),
        JUDGE.untestable(
            "tbc.priorities-single",
            "section 6.2, figure 15",
            "AGE slows LPS and NAMD down near a launch's end, as LIB, and RRB has more contention for memory in STMCL",
            "below the other priorities",
            "The catalogue has none of these three; tbc.libor-age has LIB, tbc.priority every workload under every priority.",
        ),
        JUDGE.untestable(
            "tbc.dg",
            "section 6.3, figure 16",
            "gpuDG's traffic is 2.67 times PDOM's with AGE, by misses of the texture cache, and RRB lowers it",
            "2.67",
            "The machine has no texture cache.",
        ),
        JUDGE.untestable(
            "tbc.encoders",
            "section 7",
            "The priority encoders of the thread compactor take a negligible area",
            "well below 1 mm²",
            "It is a synthesis result.",
        ),
    ]
}
