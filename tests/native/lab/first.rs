//! The first visit opens with a kernel whose divergence thread block compaction removes, and shows one on which it loses.

use warpscope_lab::Lab;
use warpscope_machine::event::Event;

fn said(lab: &Lab) -> &str {
    lab.notice.as_ref().map_or("", |notice| &notice.text)
}

#[test]
fn compaction_gains_on_the_first_kernel_and_loses_on_the_second() {
    let mut lab = Lab::first_visit();
    let opened = lab.stage.as_ref().expect("a stage").picture();
    assert!(opened.warps.iter().any(|warp| warp.stack.len() > 1), "it opens where a warp has diverged");
    lab.try_compaction();
    assert_eq!(
        said(&lab),
        "Under TBC the whole run takes 11\u{202f}151 cycles instead of 13\u{202f}376, 16.6% fewer: its warps use 28.3% of their lanes instead \
         of 15.4%."
    );
    assert!(lab.hints.is_some_and(|hints| hints.compared) && lab.notice.as_ref().is_some_and(|notice| notice.has_counterexample));
    let formed = |lab: &Lab| {
        let last = lab.stage.as_ref().expect("a stage").session.last();
        last.iter().filter(|event| matches!(event, Event::Member { .. })).count()
    };
    assert!(formed(&lab) >= 3, "cycle {}: it stops where a warp is formed of threads of several", lab.cycle());
    lab.try_counterexample();
    assert_eq!(
        said(&lab),
        "Under TBC the whole run takes 8\u{202f}397 cycles instead of 7\u{202f}235, 16.1% more: its warps use 44.0% of their lanes instead of \
         35.1%, but wait for their block at every branch, 47% of the time."
    );
    assert!(formed(&lab) >= 3 && lab.hints.is_none(), "cycle {}", lab.cycle());
}
