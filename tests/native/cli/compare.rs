//! `warpscope compare`: every technique on one kernel.

use super::{assert_ends, run};

fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_ends(&output, 0, &[]);
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn compare_shows_every_technique_on_one_kernel() {
    let text = printed(&["compare", "collatz", "--launch", "tiny", "--technique", "PDOM", "--technique", "TBC,GTO"]);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("collatz on gtx480, the quickest first"));
    assert!(lines.next().is_some_and(|line| line.starts_with("technique") && line.contains("of default")), "{text}");
    assert!(lines.next().is_some_and(|line| line.starts_with("the default") && line.contains("1.000")), "{text}");
    assert!(text.contains("\nPDOM ") && text.contains("\nTBC,GTO ") && text.contains("than the default"), "{text}");
    let json: serde_json::Value =
        serde_json::from_str(&printed(&["compare", "saxpy", "--launch", "tiny", "--json"])).expect("JSON");
    let runs = json["runs"].as_array().expect("a list");
    let refused = json["refused"].as_array().expect("a list");
    assert_eq!(runs.len() + refused.len(), warpscope_study::compare::all_techniques().count());
    assert!(runs.len() > 20 && runs.iter().all(|run| run["cycles"].is_u64() && run["same_memory"] == true), "{json}");
    assert!(refused.iter().all(|run| run["why"].as_str().is_some_and(|why| !why.is_empty())), "{refused:?}");
    assert_ends(&run(&["compare", "collatz", "--technique", "TBC,PDOM"]), 2, &["TBC", "PDOM"]);
    assert_ends(&run(&["compare", "collatz", "--set", "warp_width"]), 2, &["KEY=VALUE"]);
    assert_ends(&run(&["compare", "collatz", "--launch", "tiny", "--max-cycles", "3"]), 1, &["3 cycles"]);
}
