//! Speed against other techniques on the machine of the TBC paper, and the area that I-VWS costs (figure 19, table 2).

use super::{BASE_8, Board, ELSEWHERE, GPU_MM2, JUDGE, Keys, OWN_UNITS, PRESET, SM_MM2, told};
use crate::papers::Claim;
use crate::papers::judge::{each, mean};
use warpscope_machine::config::MachineSpec;
use warpscope_machine::config::area::area;

/// Judges figure 19.
pub fn rivals(board: &Board) -> Vec<Claim> {
    let divergent = &board.sets.divergent[..];
    let elsewhere = board.on(ELSEWHERE);
    let with_units = |technique| mean(&elsewhere.speedups(divergent, (technique, OWN_UNITS), technique));
    let ivws = elsewhere.speedups(divergent, "I-VWS", "PDOM");
    let over_tbc = elsewhere.speedups(divergent, "I-VWS", "TBC-LCP");
    let over_dwf = elsewhere.speedups(divergent, "I-VWS", "DWF");
    let rest: Vec<&'static str> = board.sets.convergent.iter().chain(&board.sets.insensitive).copied().collect();
    let rest = elsewhere.speedups(&rest, "I-VWS", "PDOM");
    vec![
        JUDGE.effect(
            "vws.elsewhere",
            "section 7.1, figure 19",
            "On the machine of Thread Block Compaction, I-VWS is 34% faster than warps of 32",
            1.34,
        )
        .judge(
            mean(&ivws),
            format!(
                "{}. Slices have units of their own there, where PDOM, DWF and TBC have one pipeline (section 2.2 of that paper). \
                 With units of their own these three are {} times as fast.",
                each(&ivws),
                ["PDOM", "DWF", "TBC-LCP"]
                    .map(|technique| format!("{technique} {}", told(with_units(technique))))
                    .join(", ")
            ),
        ),
        JUDGE.effect("vws.over-tbc", "section 7.1, figure 19", "and 15% faster than TBC", 1.15).judge(mean(&over_tbc), each(&over_tbc)),
        JUDGE.fact(
            "vws.over-dwf",
            "section 7.1, figure 19",
            "and faster than DWF",
            "above 1.01",
            mean(&over_dwf).map(|mean| (format!("{mean:.3}"), mean > 1.01)),
            format!("{}.", each(&over_dwf)),
        ),
        JUDGE.fact(
            "vws.elsewhere-rest",
            "section 7.1",
            "There I-VWS makes little difference to the speed of other applications",
            "0.95 to 1.05 times warps of 32",
            mean(&rest).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= 0.05)),
            format!("Convergent and insensitive workloads: {}.", each(&rest)),
        ),
        JUDGE.untestable(
            "vws.nvrt",
            "section 7.1, figure 19",
            "Ray tracing by persistent threads (NVRT) is one of the five applications with these gains",
            "part of the means of 1.34 and 1.15",
            "The catalogue's `rayqueue` relies on the lock-step of 32 threads, which warps of 4 do not keep.",
        ),
    ]
}

/// Judges table 2: a calculation, shown once there are runs to stand beside it.
pub fn cost(board: &Board) -> Vec<Claim> {
    let of = |keys: Keys| -> Option<f64> {
        Some(area(&MachineSpec::new(PRESET, "I-VWS", keys.iter().copied()).config().ok()?).sm_mm2)
    };
    let measured = of(&[]).zip(of(BASE_8)).filter(|_| !board.sets.all().is_empty());
    let note = "Computed from the configuration with the paper's cell areas and factors, not measured.";
    let exactly = |text: String, expected: &str| {
        let holds = text == expected;
        (text, holds)
    };
    vec![
        JUDGE.fact(
            "vws.area",
            "section 6.7, table 2",
            "I-VWS adds 1.7 mm² to an SM with warps of 4 and 0.93 mm² with warps of 8; 25.8 and 13.9 mm² to a GPU of 15 SMs",
            "1.7, 0.93; 25.8, 13.9",
            measured.map(|(four, eight)| {
                let text = format!("{four:.1}, {eight:.2}; {:.1}, {:.1}", 15.0 * four, 15.0 * eight);
                exactly(text, "1.7, 0.93; 25.8, 13.9")
            }),
            note.to_string(),
        ),
        JUDGE.fact(
            "vws.area-share",
            "section 6.7, table 2",
            "which is 11% and 6% of an SM of 16 mm², and 5% and 2.5% of a GPU of 529 mm²",
            "11%, 6%; 5%, 2.5%",
            measured.map(|(four, eight)| {
                let sm = |mm2: f64| 100.0 * mm2 / SM_MM2;
                let gpu = |mm2: f64| (200.0 * 15.0 * mm2 / GPU_MM2).round() / 2.0;
                exactly(format!("{:.0}%, {:.0}%; {}%, {}%", sm(four), sm(eight), gpu(four), gpu(eight)), "11%, 6%; 5%, 2.5%")
            }),
            format!("{note} Shares of the GPU are rounded to halves, as the paper's are."),
        ),
    ]
}
