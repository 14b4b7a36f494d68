//! `warpscope lesson check`: lessons that a user wrote.

use super::{assert_ends, file, run};

#[test]
fn the_documents_example_is_a_lesson_and_a_mistake_in_it_has_its_place() {
    let text = include_str!("../../../docs/lesson-example.toml");
    let check = |text: &str| run(&["lesson", "check", &file("lesson", "mine.toml", text)]);
    let output = check(text);
    assert_ends(&output, 0, &[]);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("2 stops") && printed.contains("stop 2: TBC in cycle"), "{printed}");
    let line = text.lines().position(|line| line.starts_with("preset")).expect("a preset") + 1;
    let misspelt = text.replacen("preset", "perset", 1);
    assert_ends(&check(&misspelt), 2, &["mine.toml", &format!("line {line}"), "perset"]);
    assert_ends(&check(&text.replacen("at = { event", "at = { nth = 9999, event", 1)), 2, &["stop 1", "does not reach it"]);
    assert_ends(&check(&text.replacen("\"toy\"", "\"moon\"", 1)), 2, &["moon"]);
    assert_ends(&run(&["lesson", "check", "nowhere.toml"]), 2, &["nowhere.toml"]);
}
