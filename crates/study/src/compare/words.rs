//! Sentences about what made the difference between two runs, computed from their numbers.
//!
//! A run takes as long as its warps take to issue their instructions, with their waits in between. Where two techniques have the
//! same warps, waits that became fewer are the gain, and waits that became more are the price.

use super::{Comparison, Entry, Outcome};
use warpscope_machine::event::Reason;

/// Differences up to this share of the default's cycles count as equal.
const EQUAL: f64 = 0.005;

pub fn told(comparison: &Comparison) -> String {
    let default = comparison.default();
    let (Some(best), Some(base)) = (comparison.ran.first(), default.ran()) else {
        return match &default.outcome {
            Err(why) => format!("The machine's default does not run: {why}"),
            Ok(_) => "No technique could run on this kernel.".to_string(),
        };
    };
    let Some(run) = best.ran() else { return String::new() };
    let share = comparison.share(best);
    if share > 1.0 - EQUAL {
        return format!("No technique is quicker than the default, which takes {} cycles.", base.cycles);
    }
    let fewer = 100.0 * (1.0 - share);
    let mut text = format!(
        "{} is the quickest: {} cycles, {fewer:.1}% fewer than the default's {}.{}",
        best.name(),
        run.cycles,
        base.cycles,
        difference(run, base)
    );
    let wrong: Vec<&str> = comparison.ran.iter().filter(|entry| !comparison.leaves_the_same(entry)).map(Entry::name).collect();
    if !wrong.is_empty() {
        text += &format!(" Memory differs from the default's under {}.", wrong.join(", "));
    }
    text
}

/// Describes what one run gained over another, and the price of it.
fn difference(run: &Outcome, base: &Outcome) -> String {
    let mut parts = Vec::new();
    if run.warp_instructions != base.warp_instructions {
        parts.push(changed("warp instructions issued", run.warp_instructions, base.warp_instructions));
    }
    let waits = Reason::ALL.into_iter().filter(|reason| *reason != Reason::Issued);
    let of = |run: &Outcome, reason: Reason| run.warp_cycles(reason);
    let change = |reason: &Reason| of(run, *reason) as i64 - of(base, *reason) as i64;
    let waits: Vec<Reason> = waits.filter(|reason| change(reason) != 0).collect();
    if let Some(reason) = waits.iter().min_by_key(|reason| change(reason)).filter(|reason| change(reason) < 0) {
        parts.push(changed(&format!("warp-cycles \u{201c}{}\u{201d}", reason.label()), of(run, *reason), of(base, *reason)));
    }
    let gained = match parts.is_empty() {
        true => String::new(),
        false => format!(" What changed most: {}.", parts.join("; ")),
    };
    let mut paid: Vec<(f64, String)> = Vec::new();
    let prices = [
        ("fetches", run.fetches, base.fetches),
        ("memory transactions", run.memory_transactions, base.memory_transactions),
        ("warp-cycles at barriers", of(run, Reason::Barrier), of(base, Reason::Barrier)),
    ];
    for (what, now, before) in prices.into_iter().filter(|(_, now, before)| now > before) {
        paid.push((now as f64 / before.max(1) as f64, changed(what, now, before)));
    }
    paid.sort_by(|one, other| other.0.total_cmp(&one.0));
    let paid = paid.first().map_or(String::new(), |(_, price)| format!(" The price: {price}."));
    gained + &paid
}

/// Describes a number that changed.
fn changed(what: &str, now: u64, before: u64) -> String {
    format!("{what}, {before} before and {now} now")
}

#[cfg(test)]
mod tests {
    use super::super::{Candidate, Comparison, all_techniques, columns};
    use warpscope_machine::config::MachineSpec;
    use warpscope_machine::run::Draft;

    const PTX: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out)
{
    .reg .b32 %t, %x;
    .reg .b64 %a;
    .reg .pred %p;
    mov.u32 %t, %tid.x;
    shr.u32 %x, %t, 2;
    xor.b32 %x, %x, %t;
    and.b32 %x, %x, 1;
    setp.eq.u32 %p, %x, 0;
    @%p bra EVEN;
    mul.lo.u32 %x, %t, 3;
    add.u32 %x, %x, 5;
    mul.lo.u32 %x, %x, 7;
    bra END;
EVEN:
    mul.lo.u32 %x, %t, 11;
    add.u32 %x, %x, 13;
    mul.lo.u32 %x, %x, 17;
END:
    ld.param.u64 %a, [out];
    mad.wide.u32 %a, %t, 4, %a;
    st.global.u32 [%a], %x;
    ret;
}
";
    const LAUNCH: &str = "grid = [1]\nblock = [16]\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = 16\ninit = \"zeros\"\n";

    fn compared(techniques: &[&str]) -> Comparison {
        let job = Draft::read(PTX, LAUNCH).expect("sound texts").fill(&|_| Err(String::new())).expect("a job");
        let entry = |technique: &str| Candidate::new(&MachineSpec::new("toy", technique, [])).perform(&job, 100_000);
        Comparison::new(entry(""), techniques.iter().map(|technique| entry(technique)).collect())
    }

    #[test]
    fn the_quickest_comes_first_and_the_sentence_names_it_with_its_numbers() {
        let techniques: Vec<&str> = all_techniques().collect();
        let comparison = compared(&techniques);
        assert_eq!(comparison.ran.len() + comparison.refused.len(), techniques.len());
        let cycles: Vec<u64> = comparison.ran.iter().filter_map(|entry| Some(entry.ran()?.cycles)).collect();
        assert!(cycles.is_sorted() && cycles.len() > 10, "{cycles:?}");
        assert!(comparison.ran.iter().all(|entry| comparison.leaves_the_same(entry)));
        let (words, best) = (comparison.words(), &comparison.ran[0]);
        let base = comparison.default().ran().expect("it ran").cycles;
        assert!(words.starts_with(&format!("{} is the quickest: {} cycles, ", best.technique, cycles[0])), "{words}");
        assert!(words.contains(&format!("fewer than the default's {base}.")), "{words}");
    }

    #[test]
    fn a_technique_that_cannot_be_is_refused_with_its_reason() {
        let comparison = compared(&["PDOM", "TBC,PDOM"]);
        assert_eq!((comparison.ran.len(), comparison.refused.len()), (1, 1));
        assert!(comparison.refused[0].outcome.as_ref().is_err_and(|why| why.contains("PDOM") && why.contains("TBC")));
        assert!(comparison.words().starts_with("No technique is quicker than the default"), "{}", comparison.words());
        let csv = super::super::csv(&comparison);
        let lines: Vec<&str> = csv.lines().collect();
        // A technique's name may have commas of its own, between its quotes.
        let commas = |line: &str| line.rsplit('"').next().unwrap_or_default().matches(',').count();
        let (row, why) = lines[3].split_once(",refused,").expect("the last row is the refused one");
        assert_eq!(commas(row) + 2, commas(lines[0]), "{csv}");
        assert_eq!((commas(lines[1]), commas(lines[2])), (commas(lines[0]), commas(lines[0])), "{csv}");
        assert!(row.starts_with('"') && why.contains("decide the divergence"), "{csv}");
    }

    #[test]
    fn every_column_is_a_number_of_the_report() {
        assert_eq!(columns().len(), super::super::SHOWN.len() + 1);
    }
}
