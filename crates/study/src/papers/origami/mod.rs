//! Origami: Folding Warps for Energy Efficient GPUs (Abdel-Majeed, Wong, Kuang and Annavaram, ICS 2016): its evaluation in
//! section 4 and the bubbles of section 2.3, on the GTX480 with a two-level scheduler.
//!
//! The programs are the suite of INT and FP mixes, and the catalogue's other programs from the collections that the paper uses.
//! Energy is the leakage of INT and FP lanes, as a share of what they leak without gating in the same run; FP numbers leave out
//! programs without FP instructions (section 4.2). Means of shares are arithmetic, as in the paper's figures.

mod slowdown;

use super::board::{self, Keys, Setting};
use super::judge::{Judge, Speedups, average, each, each_percent, percent};
use super::{Claim, Results};
use crate::run::RunSpec;
use warpscope_catalogue::{self as catalogue, Suite};
use warpscope_machine::metrics::PipelinePower;

const JUDGE: Judge = Judge { paper: "origami" };
const PRESET: &str = "origami";
const TECHNIQUES: [&str; 5] = ["NoPG", "ConvPG", "Warped-Gates", "Warp-Folding", "Origami"];
/// Programs of Rodinia, Parboil and ISPASS that the catalogue has outside of the suite.
const OTHERS: [&str; 6] = ["bfs", "btree", "hotspot", "lu", "needle", "srad"];
/// The issue order of Warped-Gates without its gating.
const GATES: Keys = &[("issue_groups", "gates")];
/// Slower wake-up and a later break-even (section 4.4).
const SLOW_WAKE: Keys = &[("wakeup", "9")];
const LATE_PAY: Keys = &[("break_even", "19")];
/// Experiments that the paper does not have: Blackout with gating lane by lane, and gating of whole pipelines without Blackout.
const BLACKOUT_BY_LANE: Keys = &[("gating_grain", "lane")];
const NO_BLACKOUT: Keys = &[("blackout", "false")];
/// Another such experiment: folding without the two stages that shift threads to other lanes and back.
const NO_STAGES: Keys = &[("fold_stages", "0")];

fn programs() -> impl Iterator<Item = &'static str> {
    let in_suite = catalogue::all().iter().filter(|workload| workload.suite == Suite::Power).map(|workload| workload.name);
    in_suite.chain(OTHERS)
}

pub fn runs() -> Vec<RunSpec> {
    let mut runs = Vec::new();
    for name in programs() {
        runs.extend(TECHNIQUES.map(|technique| RunSpec::of(name, PRESET, technique)));
        runs.push(RunSpec::of(name, PRESET, "GTO,NoPG"));
        runs.push(RunSpec::of(name, PRESET, "NoPG").with(GATES));
        runs.push(RunSpec::of(name, PRESET, "Origami").with(SLOW_WAKE));
        runs.push(RunSpec::of(name, PRESET, "Origami").with(LATE_PAY));
        runs.push(RunSpec::of(name, PRESET, "Origami").with(NO_STAGES));
        runs.push(RunSpec::of(name, PRESET, "Warped-Gates").with(BLACKOUT_BY_LANE));
        runs.push(RunSpec::of(name, PRESET, "Warped-Gates").with(NO_BLACKOUT));
    }
    runs.extend(slowdown::runs());
    runs
}

/// The pipelines of one type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PipelineType {
    Int,
    Fp,
}

/// The programs are in no sets.
type Board<'a> = board::Board<'a, Vec<&'static str>>;

impl Board<'_> {
    /// Returns a number of each program's pipelines of a type.
    fn pipelines<'k>(
        &self,
        setting: impl Into<Setting<'k>>,
        of: PipelineType,
        number: impl Fn(&PipelinePower) -> f64,
    ) -> Speedups {
        self.numbers(&self.sets, setting, |report| {
            let power = report.power?;
            let power = if of == PipelineType::Int { power.int } else { power.fp };
            (power.instructions > 0).then(|| number(&power))
        })
    }

    /// Returns the ratio of cycles between two settings, for each program.
    fn times<'k>(&self, setting: impl Into<Setting<'k>>, over: impl Into<Setting<'k>>) -> Speedups {
        self.speedups(&self.sets, over, setting)
    }
}

pub fn judge(results: &Results) -> Vec<Claim> {
    let board = board::Board::new(results, PRESET).sorted(|_| programs().collect());
    let mut claims = savings(&board);
    claims.extend(overheads(&board));
    claims.extend(times(&board));
    claims.extend(bubbles(&board));
    claims.extend(folding(&board));
    claims.extend(sensitivity(&board));
    claims
}

/// Judges section 4.2, figure 10.
fn savings(board: &Board) -> Vec<Claim> {
    let saved = |technique: &str, of| board.pipelines(technique, of, |power| power.leakage_saved);
    let share = |id, claim, technique, of, expected| {
        let numbers = saved(technique, of);
        JUDGE.share(id, "section 4.2, figure 10", claim, expected, average(&numbers), each_percent(&numbers))
    };
    let order = |id, claim, of| {
        let means = TECHNIQUES[1..].iter().map(|technique| average(&saved(technique, of))).collect::<Option<Vec<f64>>>();
        let measured = means.map(|means| {
            let told = TECHNIQUES[1..].iter().zip(&means).map(|(name, mean)| format!("{name} {:.1}%", 100.0 * mean));
            let [conventional, gates, folding, origami] = means[..] else { unreachable!("four techniques") };
            let holds = conventional < folding && folding < origami && gates < origami;
            (told.collect::<Vec<_>>().join(", "), holds)
        });
        let expected = "ConvPG below Warp-Folding below Origami, Warped-Gates below Origami";
        JUDGE.fact(id, "section 4.2, figure 10", claim, expected, measured, String::new())
    };
    let losers = |technique: &str| -> Vec<&'static str> {
        let numbers = [PipelineType::Int, PipelineType::Fp].into_iter().flat_map(|of| saved(technique, of));
        let mut losers: Vec<_> = numbers.filter(|(_, saved)| *saved < 0.0).map(|(name, _)| name).collect();
        losers.sort_unstable();
        losers.dedup();
        losers
    };
    let told = |names: &[&str]| if names.is_empty() { "none".to_string() } else { names.join(", ") };
    let (before, after) = (losers("ConvPG"), losers("Warp-Folding"));
    let has_runs = !saved("ConvPG", PipelineType::Int).is_empty();
    vec![
        share("origami.conv-int", "ConvPG saves 29% of the INT pipelines' leakage", "ConvPG", PipelineType::Int, 0.29),
        share("origami.conv-fp", "ConvPG saves 34% of the FP pipelines' leakage", "ConvPG", PipelineType::Fp, 0.34),
        share("origami.folding-int", "Warp Folding saves 41% of INT leakage", "Warp-Folding", PipelineType::Int, 0.41),
        share("origami.folding-fp", "Warp Folding saves 43% of FP leakage", "Warp-Folding", PipelineType::Fp, 0.43),
        share("origami.origami-int", "Origami saves 49% of INT leakage", "Origami", PipelineType::Int, 0.49),
        share("origami.origami-fp", "Origami saves 46% of FP leakage", "Origami", PipelineType::Fp, 0.46),
        order("origami.order-int", "Each step saves more INT leakage; Warped-Gates is slightly under Origami", PipelineType::Int),
        order("origami.order-fp", "Each step saves more FP leakage; Warped-Gates is slightly under Origami", PipelineType::Fp),
        JUDGE.fact(
            "origami.losers",
            "section 4.2",
            "Some programs lose energy under ConvPG, and none of them under Warp Folding",
            "some, then none",
            has_runs.then(|| {
                let told = format!("ConvPG: {}; Warp Folding: {}", told(&before), told(&after));
                (told, !before.is_empty() && after.is_empty())
            }),
            String::new(),
        ),
    ]
}

/// Judges section 4.2, figure 11.
fn overheads(board: &Board) -> Vec<Claim> {
    let overhead = |technique: &str, of| average(&board.pipelines(technique, of, |power| power.overhead));
    let less = |id, claim, technique, of, expected| {
        let (base, with) = (overhead("ConvPG", of), overhead(technique, of));
        let note = base.zip(with).map_or_else(String::new, |(base, with)| {
            format!("Overhead as a share of leakage: ConvPG {:.1}%, {technique} {:.1}%.", 100.0 * base, 100.0 * with)
        });
        let ratio = base.zip(with).map(|(base, with)| with / base);
        JUDGE.effect(id, "section 4.2, figure 11", claim, expected).judge(ratio, note)
    };
    vec![
        less(
            "origami.overhead-gates-int",
            "Warped-Gates has 6% less gating overhead (INT)",
            "Warped-Gates",
            PipelineType::Int,
            0.94,
        ),
        less(
            "origami.overhead-gates-fp",
            "Warped-Gates has 9% less gating overhead (FP)",
            "Warped-Gates",
            PipelineType::Fp,
            0.91,
        ),
        less(
            "origami.overhead-folding-int",
            "Warp Folding has 7% less gating overhead (INT)",
            "Warp-Folding",
            PipelineType::Int,
            0.93,
        ),
        less(
            "origami.overhead-folding-fp",
            "Warp Folding has 9% less gating overhead (FP)",
            "Warp-Folding",
            PipelineType::Fp,
            0.91,
        ),
        less("origami.overhead-int", "Origami has 9% less gating overhead (INT)", "Origami", PipelineType::Int, 0.91),
        less("origami.overhead-fp", "Origami has 14% less gating overhead (FP)", "Origami", PipelineType::Fp, 0.86),
    ]
}

/// Judges section 4.3, figure 13.
fn times(board: &Board) -> Vec<Claim> {
    let over_none = |technique, keys: Keys| board.times((technique, keys), "NoPG");
    let (gates, folding, origami) = (over_none("Warped-Gates", &[]), over_none("Warp-Folding", &[]), over_none("Origami", &[]));
    let time = |id, claim, expected, times: &Speedups, note: String| {
        let note = format!("{}.{note}", each(times));
        JUDGE.effect(id, "section 4.3, figure 13", claim, expected).judge(average(times), note)
    };
    let parts = average(&over_none("Warped-Gates", BLACKOUT_BY_LANE)).zip(average(&over_none("Warped-Gates", NO_BLACKOUT)));
    let parts = parts.map_or_else(String::new, |(by_lane, without)| {
        format!(" Gated lane by lane it would be {by_lane:.3}, without Blackout {without:.3}.")
    });
    let stages = average(&over_none("Origami", NO_STAGES)).map_or_else(String::new, |without| {
        format!(" Without the two stages that shift threads there and back it would be {without:.3}.")
    });
    vec![
        time("origami.time-gates", "Warped-Gates makes programs 6.8% slower", 1.068, &gates, parts),
        JUDGE.fact(
            "origami.time-folding",
            "section 4.3, figure 13",
            "Warp Folding costs less time than Warped-Gates",
            "below Warped-Gates",
            average(&folding)
                .zip(average(&gates))
                .map(|(folding, gates)| (format!("{folding:.3} against {gates:.3}"), folding < gates)),
            each(&folding),
        ),
        JUDGE.fact(
            "origami.time-origami",
            "section 4.3, figure 13",
            "Origami makes programs 0.5% slower",
            "no more than one and a half times that",
            average(&origami).map(|time| (format!("{time:.3}"), time <= 1.0075)),
            format!("{}.{stages}{}", each(&origami), slowdown::note(board)),
        ),
    ]
}

/// Judges section 2.3, figure 2.
fn bubbles(board: &Board) -> Vec<Claim> {
    let bubbles = |setting: Setting, of| average(&board.pipelines(setting, of, |power| power.bubbles));
    let (base, gates) = (Setting::from("NoPG"), Setting::from(("NoPG", GATES)));
    let gto = [PipelineType::Int, PipelineType::Fp].map(|of| bubbles("GTO,NoPG".into(), of));
    let note = match gto {
        [Some(int), Some(fp)] => format!("Under GTO {} (INT) and {} (FP).", percent(int), percent(fp)),
        _ => String::new(),
    };
    let share = |id, claim, setting, of, expected| {
        JUDGE.share(id, "section 2.3, figure 2", claim, expected, bubbles(setting, of), note.clone())
    };
    vec![
        share(
            "origami.bubbles-int",
            "INT pipelines are in gaps of under 10 cycles 25% of the time",
            base,
            PipelineType::Int,
            0.25,
        ),
        share("origami.bubbles-fp", "FP pipelines are in gaps of under 10 cycles 25% of the time", base, PipelineType::Fp, 0.25),
        share("origami.bubbles-gates-int", "Under the GATES scheduler it is 23% (INT)", gates, PipelineType::Int, 0.23),
        share("origami.bubbles-gates-fp", "Under the GATES scheduler it is 19% (FP)", gates, PipelineType::Fp, 0.19),
    ]
}

/// Judges sections 3.2 and 4.3, figures 6 and 12.
fn folding(board: &Board) -> Vec<Claim> {
    let folded = |of| board.pipelines("Warp-Folding", of, |power| power.folded);
    let (int, fp) = (folded(PipelineType::Int), folded(PipelineType::Fp));
    let both: Speedups = int.iter().chain(&fp).copied().collect();
    let of = |numbers: &Speedups, name: &str| numbers.iter().find(|(program, _)| *program == name).map(|(_, share)| *share);
    let busy = ["backprop", "heartwall"].map(|name| of(&int, name).zip(of(&fp, name)).map(|(int, fp)| int.max(fp)));
    let partial = board.report("heartwall", "NoPG").map(|report| report.partial_warps);
    vec![
        JUDGE.share(
            "origami.folded",
            "section 4.3, figure 12",
            "35% of the instructions are folded on average",
            0.35,
            average(&both),
            format!("INT: {}. FP: {}.", each_percent(&int), each_percent(&fp)),
        ),
        JUDGE.fact(
            "origami.folded-mriq",
            "section 4.3",
            "In MRI-Q, the minority type INT is folded more (60%) than FP (35%)",
            "INT more than FP",
            of(&int, "mriq")
                .zip(of(&fp, "mriq"))
                .map(|(int, fp)| (format!("INT {}, FP {}", percent(int), percent(fp)), int > fp)),
            String::new(),
        ),
        JUDGE.fact(
            "origami.folded-busy",
            "section 4.3",
            "Back-propagation and heart wall are folded no more than 20%: their phases use most issue slots",
            "no more than 20% each",
            match busy {
                [Some(one), Some(other)] => Some((format!("{} and {}", percent(one), percent(other)), one.max(other) <= 0.2)),
                _ => None,
            },
            String::new(),
        ),
        JUDGE.share(
            "origami.partial-warps",
            "section 3.2, figure 6",
            "40% of heart wall's issued warps do not use all 32 lanes",
            0.40,
            partial,
            String::new(),
        ),
    ]
}

/// Judges section 4.4.
fn sensitivity(board: &Board) -> Vec<Claim> {
    let time = |keys: Keys| average(&board.times(("Origami", keys), "Origami"));
    let saved = |keys: Keys| average(&board.pipelines(("Origami", keys), PipelineType::Int, |power| power.leakage_saved));
    let lost = |keys: Keys| saved(&[]).zip(saved(keys)).map(|(before, after)| before - after);
    vec![
        JUDGE
            .effect("origami.wakeup", "section 4.4", "With a wake-up of 9 cycles programs are 1.4% slower", 1.014)
            .judge(time(SLOW_WAKE), String::new()),
        JUDGE.fact(
            "origami.break-even-time",
            "section 4.4",
            "With a break-even of 19 cycles programs are less than 0.2% slower",
            "below 1.002",
            time(LATE_PAY).map(|time| (format!("{time:.4}"), time < 1.002)),
            String::new(),
        ),
        JUDGE.share(
            "origami.break-even-energy",
            "section 4.4",
            "With a break-even of 19 cycles 4% less is saved",
            0.04,
            lost(LATE_PAY),
            "In points of INT leakage.".to_string(),
        ),
    ]
}
