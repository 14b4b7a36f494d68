//! The judging of a claim: the size of an effect against the paper's, or a fact that holds or does not.

use super::{Claim, Verdict, harmonic_mean};

/// One number for each workload of a set, mostly a speedup.
pub type Speedups = Vec<(&'static str, f64)>;

/// Returns the harmonic mean, which the papers use for speedups.
pub fn mean(speedups: &Speedups) -> Option<f64> {
    harmonic_mean(&speedups.iter().map(|(_, speedup)| *speedup).collect::<Vec<_>>())
}

/// Returns the geometric mean, for ratios to one baseline.
pub fn geometric_mean(ratios: &Speedups) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|(_, ratio)| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

/// Returns the arithmetic mean, for shares and quantities.
pub fn average(numbers: &Speedups) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().map(|(_, number)| number).sum::<f64>() / numbers.len() as f64)
}

/// Formats numbers as `name 1.23, …`.
pub fn each(speedups: &Speedups) -> String {
    speedups.iter().map(|(name, speedup)| format!("{name} {speedup:.2}")).collect::<Vec<_>>().join(", ")
}

/// Formats a share without decimals.
pub fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

/// Formats shares as `name 50%, …`.
pub fn each_percent(shares: &Speedups) -> String {
    shares.iter().map(|(name, share)| format!("{name} {}", percent(*share))).collect::<Vec<_>>().join(", ")
}

/// Formats names as `name, name`.
pub fn listed(names: &[&str]) -> String {
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}

/// The builder of one paper's claims.
#[derive(Clone, Copy, Debug)]
pub struct Judge {
    pub paper: &'static str,
}

/// The differences from 1 that count as "slightly".
const SLIGHT: std::ops::RangeInclusive<f64> = 0.002..=0.05;

/// A claim about a speedup, or about how much more or less of something there is. It holds where the difference from 1 is half to
/// one and a half times the paper's. It holds in direction where the difference has the same sign and is an eighth to eight times
/// the paper's.
pub struct ClaimedEffect {
    pub judge: Judge,
    pub id: &'static str,
    pub place: &'static str,
    pub claim: &'static str,
    pub expected: f64,
}

/// Returns the verdict on an effect that is `times` the paper's.
fn verdict(times: Option<f64>) -> Verdict {
    match times {
        None => Verdict::NotTestable,
        Some(times) if (0.5..=1.5).contains(&times) => Verdict::Holds,
        Some(times) if (0.125..=8.0).contains(&times) => Verdict::HoldsInDirection,
        Some(_) => Verdict::DoesNotHold,
    }
}

impl ClaimedEffect {
    pub fn judge(self, measured: Option<f64>, note: String) -> Claim {
        let verdict = self.verdict(measured);
        self.claim(verdict, measured, note)
    }

    /// Judges only the size, for a set that is defined by this number being on one side of 1.
    pub fn judge_size(self, measured: Option<f64>, note: String) -> Claim {
        let verdict = match self.verdict(measured) {
            Verdict::HoldsInDirection => Verdict::DoesNotHold,
            verdict => verdict,
        };
        let given = "The set is made of the workloads with such a difference, so only its size is judged.";
        self.claim(verdict, measured, format!("{given} {note}"))
    }

    fn verdict(&self, measured: Option<f64>) -> Verdict {
        verdict(measured.map(|value| (value - 1.0) / (self.expected - 1.0)))
    }

    fn claim(self, verdict: Verdict, measured: Option<f64>, note: String) -> Claim {
        let expected = format!("{:.3}", self.expected);
        self.judge.claim(self.id, self.place, self.claim, expected, measured.map(|m| format!("{m:.3}")), verdict, note)
    }
}

impl Judge {
    /// Begins a claim about the size of an effect.
    pub fn effect(self, id: &'static str, place: &'static str, claim: &'static str, expected: f64) -> ClaimedEffect {
        ClaimedEffect { judge: self, id, place, claim, expected }
    }

    /// Judges a claim that something is slightly above or below 1: it holds in direction where the difference is larger.
    pub fn slightly(
        self,
        id: &'static str,
        place: &'static str,
        claim: &'static str,
        above: bool,
        measured: Option<f64>,
        note: String,
    ) -> Claim {
        let verdict = measured.map_or(Verdict::NotTestable, |value| {
            let by = if above { value - 1.0 } else { 1.0 - value };
            match by {
                by if SLIGHT.contains(&by) => Verdict::Holds,
                by if by > *SLIGHT.end() => Verdict::HoldsInDirection,
                _ => Verdict::DoesNotHold,
            }
        });
        let side = |by: f64| if above { 1.0 + by } else { 1.0 - by };
        let expected = format!("{:.3} to {:.2}", side(*SLIGHT.start()), side(*SLIGHT.end()));
        self.claim(id, place, claim, expected, measured.map(|m| format!("{m:.4}")), verdict, note)
    }

    /// Returns a claim that nothing here can test, with the reason.
    pub fn untestable(self, id: &'static str, place: &'static str, claim: &'static str, expected: &str, why: &str) -> Claim {
        self.claim(id, place, claim, expected.to_string(), None, Verdict::NotTestable, why.to_string())
    }

    /// Judges a claim about a share; the bands are those of a [`ClaimedEffect`].
    pub fn share(
        self,
        id: &'static str,
        place: &'static str,
        claim: &'static str,
        expected: f64,
        measured: Option<f64>,
        note: String,
    ) -> Claim {
        let percent = |share: f64| format!("{:.1}%", 100.0 * share);
        let verdict = verdict(measured.map(|value| value / expected));
        self.claim(id, place, claim, percent(expected), measured.map(percent), verdict, note)
    }

    /// Judges a claim that is true or false.
    pub fn fact(
        self,
        id: &'static str,
        place: &'static str,
        text: &'static str,
        expected: &str,
        measured: Option<(String, bool)>,
        note: String,
    ) -> Claim {
        let verdict = match &measured {
            None => Verdict::NotTestable,
            Some((_, true)) => Verdict::Holds,
            Some((_, false)) => Verdict::DoesNotHold,
        };
        self.claim(id, place, text, expected.to_string(), measured.map(|(measured, _)| measured), verdict, note)
    }

    #[expect(clippy::too_many_arguments, reason = "a claim has so many parts")]
    fn claim(
        self,
        id: &'static str,
        place: &'static str,
        claim: &'static str,
        expected: String,
        measured: Option<String>,
        verdict: Verdict,
        note: String,
    ) -> Claim {
        let measured = measured.unwrap_or_else(|| "not measured".to_string());
        Claim { id, paper: self.paper, place, claim, expected, measured, verdict, note }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_and_its_double_are_one_in_the_geometric_mean() {
        assert_eq!(geometric_mean(&Vec::new()), None);
        let mean = geometric_mean(&vec![("slower", 0.5), ("faster", 2.0)]);
        assert!(mean.is_some_and(|mean| (mean - 1.0).abs() < 1e-12), "{mean:?}");
    }

    #[test]
    fn slightly_has_two_ends() {
        let verdict = |above: bool, measured: f64| {
            Judge { paper: "any" }.slightly("", "", "", above, Some(measured), String::new()).verdict
        };
        assert_eq!([0.97, 1.0, 1.03, 0.8].map(|measured| verdict(false, measured)), {
            use Verdict::{DoesNotHold, Holds, HoldsInDirection};
            [Holds, DoesNotHold, DoesNotHold, HoldsInDirection]
        });
        assert_eq!([1.03, 0.97].map(|measured| verdict(true, measured)), [Verdict::Holds, Verdict::DoesNotHold]);
    }

    /// The set has the direction by definition, so a small effect counts as none.
    #[test]
    fn a_set_defined_by_a_number_is_judged_by_its_size_alone() {
        let effect = || ClaimedEffect { judge: Judge { paper: "any" }, id: "", place: "", claim: "", expected: 0.73 };
        assert_eq!(effect().judge(Some(0.9), String::new()).verdict, Verdict::HoldsInDirection);
        assert_eq!(effect().judge_size(Some(0.9), String::new()).verdict, Verdict::DoesNotHold);
        assert_eq!(effect().judge_size(Some(0.8), String::new()).verdict, Verdict::Holds);
    }

    #[test]
    fn an_effect_holds_from_half_to_one_and_a_half_times_its_size() {
        let verdict = |expected: f64, measured: f64| {
            ClaimedEffect { judge: Judge { paper: "any" }, id: "", place: "", claim: "", expected }
                .judge(Some(measured), String::new())
                .verdict
        };
        assert_eq!(verdict(1.17, 1.09), Verdict::Holds);
        assert_eq!(verdict(1.17, 1.08), Verdict::HoldsInDirection);
        assert_eq!(verdict(1.17, 1.26), Verdict::HoldsInDirection);
        assert_eq!(verdict(1.17, 1.02), Verdict::DoesNotHold, "less than an eighth of the effect is none");
        assert_eq!(verdict(1.04, 1.33), Verdict::DoesNotHold, "more than eight times the effect is another one");
        assert_eq!(verdict(1.017, 1.009), Verdict::Holds);
        assert_eq!(verdict(1.017, 0.99), Verdict::DoesNotHold);
        assert_eq!(verdict(0.9, 0.95), Verdict::Holds);
    }
}
