//! The scoreboard as a document: `PAPERS.md`.

use super::{Claim, Paper, Verdict};
use std::fmt::Write;

/// The introduction of the document.
pub const HEAD: &str = "# What the papers claim, and what Warpscope measures

Made by `warpscope papers --markdown`; every number is of runs of this version, and none is typed by hand. A claim about an
effect **holds** if the effect is half to one and a half times the paper's, **holds in direction** if it is on the same side
and an eighth to eight times as large. A claim that cannot be tested here says why. The workloads are those of the catalogue, not
the papers' own.
";

/// Formats one paper: the number of claims by verdict, then what was expected and found for each claim.
pub fn section(paper: &Paper, claims: &[Claim]) -> String {
    let mut text = format!("\n## {}\n\n", paper.title);
    let all = [Verdict::Holds, Verdict::HoldsInDirection, Verdict::DoesNotHold, Verdict::NotTestable];
    let counts = all.map(|verdict| (verdict, claims.iter().filter(|claim| claim.verdict == verdict).count()));
    let counts =
        counts.iter().filter(|(_, count)| *count > 0).map(|(verdict, count)| format!("{count} {}", words(*verdict, *count)));
    let _ = writeln!(text, "Of {} claims {}.\n", claims.len(), counts.collect::<Vec<_>>().join(", "));
    let _ = writeln!(text, "| claim | where | expected | measured | verdict |\n| --- | --- | --- | --- | --- |");
    for claim in claims {
        let row = [claim.claim, claim.place, &claim.expected, &claim.measured, claim.verdict.name()].map(cell);
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    for claim in claims.iter().filter(|claim| !claim.note.is_empty()) {
        let _ = write!(text, "\n**{}** ({}). {}\n", claim.claim, claim.verdict.name(), claim.note);
    }
    text
}

fn words(verdict: Verdict, count: usize) -> &'static str {
    match (verdict, count) {
        (Verdict::Holds, 1) => "holds",
        (Verdict::Holds, _) => "hold",
        (Verdict::HoldsInDirection, 1) => "holds in direction",
        (Verdict::HoldsInDirection, _) => "hold in direction",
        (Verdict::DoesNotHold, 1) => "does not hold",
        (Verdict::DoesNotHold, _) => "do not hold",
        (Verdict::NotTestable, 1) => "is not testable",
        (Verdict::NotTestable, _) => "are not testable",
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::{PAPERS, Results};

    #[test]
    fn every_claim_has_a_row() {
        for paper in PAPERS {
            let claims = (paper.judge)(&Results::default());
            let text = section(paper, &claims);
            assert_eq!(text.lines().filter(|line| line.starts_with("| ")).count(), claims.len() + 2, "{text}");
        }
    }
}
