//! `warpscope sweep`: a row for every run, those that fail included.

use super::{assert_ends, path, run, said};

#[test]
fn a_run_that_fails_is_a_row_a_message_and_exit_status_1() {
    let csv = path("failing_sweep", "t.csv");
    let output = run(&["sweep", "rayqueue", "saxpy", "--technique", "DWF", "--csv", &csv]);
    assert_ends(&output, 1, &["rayqueue under DWF on gtx480: ", "1 of 2 runs failed"]);
    let table = std::fs::read_to_string(&csv).expect("a table");
    let rows: Vec<&str> = table.lines().collect();
    let [heading, failed, ran] = rows[..] else { panic!("{table}") };
    assert!(heading.ends_with(",lane_efficiency,status,error"), "{heading}");
    assert!(failed.starts_with("rayqueue,gtx480,\"DWF\",,") && failed.contains(",wrong,\""), "{failed}");
    assert!(ran.starts_with("saxpy,gtx480,\"DWF\",") && ran.ends_with(",ok,"), "{ran}");
    let commas = |row: &str| row.split('"').step_by(2).map(|part| part.matches(',').count()).sum::<usize>();
    assert!(rows.iter().all(|row| commas(row) == commas(heading)), "{table}");
}

#[test]
fn one_mistake_has_one_exit_status_under_every_command() {
    let settings = ["--set", "registers=1000"];
    for command in [&["run", "collatz"][..], &["compare", "collatz"], &["sweep", "collatz", "--technique", "PDOM"]] {
        assert_ends(&run(&[command, &settings].concat()), 2, &["`registers`", "`1000`"]);
    }
}

#[test]
fn a_key_that_is_given_twice_is_refused_by_name() {
    let settings = ["--set", "schedulers=1", "--set", " schedulers =2"];
    for command in [&["run", "saxpy"][..], &["compare", "saxpy"], &["sweep", "saxpy", "--technique", "PDOM"]] {
        let output = run(&[command, &settings].concat());
        assert_ends(&output, 2, &["`schedulers` twice", "`1` and `2`"]);
        assert_eq!(said(&output).lines().count(), 1);
    }
}
