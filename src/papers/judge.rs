//! How a claim is judged: a number within a tolerance of the paper's, or a fact that holds or does not.

use super::{Claim, Verdict, harmonic_mean};

/// A number of each workload of a set, mostly a speedup.
pub type Speedups = Vec<(&'static str, f64)>;

/// The papers' mean of speedups.
pub fn mean(speedups: &Speedups) -> Option<f64> {
    harmonic_mean(&speedups.iter().map(|(_, speedup)| *speedup).collect::<Vec<_>>())
}

/// The mean of ratios to one baseline.
pub fn geometric_mean(ratios: &Speedups) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|(_, ratio)| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

/// `name 1.23, …`
pub fn each(speedups: &Speedups) -> String {
    speedups.iter().map(|(name, speedup)| format!("{name} {speedup:.2}")).collect::<Vec<_>>().join(", ")
}

/// Who makes the claims.
#[derive(Clone, Copy, Debug)]
pub struct Judge {
    pub paper: &'static str,
}

/// A difference from one that says nothing about a direction.
const NONE: f64 = 0.01;

/// A claim about one number: it holds within a tolerance of what the paper has, and in direction on the same side of one.
/// Where the paper has a difference from one, however small, there must be one on its side here for the claim to hold.
pub struct NumberClaim {
    pub judge: Judge,
    pub id: &'static str,
    pub place: &'static str,
    pub claim: &'static str,
    pub expected: f64,
    pub tolerance: f64,
}

impl NumberClaim {
    pub fn judge(self, measured: Option<f64>, note: String) -> Claim {
        let differs = |number: f64| (number - 1.0).abs() > NONE;
        let verdict = measured.map_or(Verdict::NotTestable, |value| {
            let same_side = (value > 1.0) == (self.expected > 1.0) && differs(value);
            match ((value - self.expected).abs() <= self.tolerance, same_side) {
                (true, same_side) if same_side || !differs(self.expected) => Verdict::Holds,
                (_, true) if differs(self.expected) => Verdict::HoldsInDirection,
                _ => Verdict::DoesNotHold,
            }
        });
        let expected = format!("{:.2}", self.expected);
        self.judge.claim(self.id, self.place, self.claim, expected, measured.map(|m| format!("{m:.2}")), verdict, note)
    }
}

/// A claim about how much faster something is: it holds where the difference from one is half to one and a half times the
/// paper's, and in direction where it is on the same side and no less than an eighth of it.
pub struct Effect {
    pub judge: Judge,
    pub id: &'static str,
    pub place: &'static str,
    pub claim: &'static str,
    pub expected: f64,
}

/// What so many times the paper's effect means for its claim.
fn verdict(times: Option<f64>) -> Verdict {
    match times {
        None => Verdict::NotTestable,
        Some(times) if (0.5..=1.5).contains(&times) => Verdict::Holds,
        Some(times) if times >= 0.125 => Verdict::HoldsInDirection,
        Some(_) => Verdict::DoesNotHold,
    }
}

impl Effect {
    pub fn judge(self, measured: Option<f64>, note: String) -> Claim {
        let verdict = verdict(measured.map(|value| (value - 1.0) / (self.expected - 1.0)));
        let expected = format!("{:.3}", self.expected);
        self.judge.claim(self.id, self.place, self.claim, expected, measured.map(|m| format!("{m:.3}")), verdict, note)
    }
}

impl Judge {
    /// A claim about a share: the bands are those of an [`Effect`].
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

    /// A claim that is true or not.
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
    fn a_claimed_difference_holds_only_where_there_is_one() {
        let verdict = |expected: f64, measured: f64| {
            let number = NumberClaim { judge: Judge { paper: "any" }, id: "", place: "", claim: "", expected, tolerance: 0.05 };
            number.judge(Some(measured), String::new()).verdict
        };
        assert_eq!(verdict(1.02, 1.03), Verdict::Holds);
        assert_eq!(verdict(1.02, 1.00), Verdict::DoesNotHold, "no difference");
        assert_eq!(verdict(0.98, 1.02), Verdict::DoesNotHold, "close by, on the other side");
        assert_eq!(verdict(1.22, 1.40), Verdict::HoldsInDirection);
        assert_eq!(verdict(1.00, 0.97), Verdict::Holds, "the claim is that there is none");
        assert_eq!(verdict(1.00, 1.10), Verdict::DoesNotHold);
    }

    #[test]
    fn an_effect_holds_from_half_to_one_and_a_half_times_its_size() {
        let verdict = |expected: f64, measured: f64| {
            Effect { judge: Judge { paper: "any" }, id: "", place: "", claim: "", expected }
                .judge(Some(measured), String::new())
                .verdict
        };
        assert_eq!(verdict(1.17, 1.09), Verdict::Holds);
        assert_eq!(verdict(1.17, 1.08), Verdict::HoldsInDirection);
        assert_eq!(verdict(1.17, 1.26), Verdict::HoldsInDirection);
        assert_eq!(verdict(1.17, 1.02), Verdict::DoesNotHold, "an eighth of the effect is none");
        assert_eq!(verdict(1.017, 1.009), Verdict::Holds);
        assert_eq!(verdict(1.017, 0.99), Verdict::DoesNotHold);
        assert_eq!(verdict(0.9, 0.95), Verdict::Holds);
    }
}
