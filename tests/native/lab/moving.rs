//! Steps, jumps, searches and breakpoints.

use super::*;

/// The trace that the page gives to Perfetto is the one that the command line writes: valid, and of the cycles that are known.
#[test]
fn a_trace_of_the_run_is_a_file_for_perfetto() {
    let mut lab = lab("collatz", "gtx480");
    let stage = lab.stage.as_mut().expect("a stage");
    stage.session.advance(300, &Breakpoints::default());
    stage.session.seek(10);
    let text = trace_of(stage, u64::MAX);
    assert_eq!(trace_of(stage, 7), text, "in slices it is the same");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let events = json["traceEvents"].as_array().expect("a list");
    let ends =
        events.iter().filter(|event| event["ph"] == "X").filter_map(|event| Some(event["ts"].as_u64()? + event["dur"].as_u64()?));
    assert_eq!(ends.max(), Some(300));
    assert_eq!(stage.session.cycle(), 10, "the run stays where it is");
}

fn trace_of(stage: &Stage, slice: u64) -> String {
    let mut tracing = stage.tracing();
    while tracing.advance(slice) {}
    tracing.finish().expect("a trace")
}

/// A trace begins in the middle of a long run, with the waits that hold there.
#[test]
fn a_trace_of_a_long_run_has_its_last_cycles() {
    let mut lab = Lab::new();
    lab.choose(Origin::find("collatz", Size::Full));
    let stage = lab.stage.as_mut().expect("a stage");
    stage.session.advance(53_000, &Breakpoints::default());
    let json: serde_json::Value = serde_json::from_str(&trace_of(stage, 10_000)).expect("JSON");
    let events = json["traceEvents"].as_array().expect("a list");
    let starts: Vec<u64> = events
        .iter()
        .filter(|event| event["ph"] == "X" && event["cat"] == "wait")
        .filter_map(|event| event["ts"].as_u64())
        .collect();
    let reached = stage.session.reached();
    assert!(reached > 50_000, "{reached}");
    assert_eq!(starts.iter().min(), Some(&(reached - 50_000)), "a warp waits there already");
}

/// A short jump is played through every cycle on the way, in under two seconds; any other action ends it at its goal.
#[test]
fn a_short_jump_is_played_and_a_long_one_is_not() {
    let mut lab = lab("reduce", "gtx480");
    lab.transport.wanted = Wanted::Event(EventKind::BarrierArrival);
    lab.next_event();
    settle(&mut lab);
    let first = lab.cycle();
    lab.plays_jumps = || true;
    let played = |lab: &mut Lab| {
        let (mut cycles, mut elapsed) = (vec![lab.cycle()], 0.0);
        while !lab.transport.is_resting() {
            lab.tick(16.0, f64::INFINITY, &|| 0.0);
            elapsed += 16.0;
            cycles.push(lab.cycle());
        }
        cycles.dedup();
        assert!(elapsed < 2000.0, "{elapsed} ms");
        cycles
    };
    // The whole run is known, and so are its barriers.
    lab.end();
    settle(&mut lab);
    lab.seek(first);
    let mut short = 0;
    for _ in 0..12 {
        let from = lab.cycle();
        lab.next_event();
        assert!(lab.transport.is_resting() || lab.notice.is_none(), "what is found is told at the goal");
        let way = played(&mut lab);
        assert!(lab.notice.is_some(), "the goal is told");
        let to = lab.cycle();
        match to - from {
            2..=40 => {
                assert_eq!(way, (from..=to).collect::<Vec<_>>(), "every cycle is passed");
                short += 1;
                // Back the same way.
                lab.seek(to);
                lab.previous_event();
                let back = played(&mut lab);
                assert_eq!(back, (lab.cycle()..=to).rev().collect::<Vec<_>>());
                // An action during a jump begins at the jump's goal.
                lab.seek(from);
                lab.next_event();
                lab.tick(16.0, f64::INFINITY, &|| 0.0);
                assert!(lab.transport.jump().is_some() && lab.cycle() < to);
                lab.step();
                assert_eq!((lab.cycle(), lab.transport.is_resting()), (to + 1, true));
                lab.seek(from);
                lab.next_event();
                lab.play();
                assert_eq!(
                    (lab.cycle(), lab.transport.is_resting(), lab.notice.is_some()),
                    (to, true, true),
                    "pause is the goal"
                );
            }
            _ => assert_eq!(way, [to], "no way to be played"),
        }
    }
    assert!(short > 0, "some lie near each other");
}

#[test]
fn going_back_shows_the_same_picture() {
    let kernels = [("collatz", "gtx480"), ("mergesort", "gtx480"), ("tbc_example1", "toy"), ("reduce", "vws")];
    let techniques = ["PDOM", "PDOM-LCP", "DWF", "DWF-WB", "TBC", "TBC-LCP", "WS4", "I-VWS", "E-VWS-ImpatientMem"];
    for ((name, preset), technique) in kernels.into_iter().flat_map(|kernel| techniques.map(|technique| (kernel, technique))) {
        let mut lab = lab(name, preset);
        let wanted = lab.setup.with_technique("divergence", Some(technique));
        lab.set_up(wanted.clone());
        if preset == "toy" && technique.contains("VWS") {
            assert_ne!(lab.setup, wanted, "four lanes make no gang");
            continue;
        }
        assert!(lab.misfit.is_none(), "{technique}: {:?}", lab.misfit);
        let mut seen = Vec::new();
        while seen.len() < 60 && !lab.stage.as_ref().is_some_and(|stage| stage.session.at_end()) {
            seen.push(picture(&lab));
            lab.step();
        }
        for expected in seen.iter().rev() {
            lab.back();
            assert!(picture(&lab) == *expected, "{name} on {preset}, {technique}, cycle {}", lab.cycle());
        }
        assert_eq!(lab.cycle(), 0);
        lab.end();
        settle(&mut lab);
        lab.seek(37);
        assert!(picture(&lab) == seen[37], "{name} on {preset}, {technique}: from the end to cycle 37");
    }
}

#[test]
fn a_run_to_the_end_is_checked_against_the_reference() {
    let mut lab = lab("bfs", "gtx480");
    lab.end();
    settle(&mut lab);
    let stage = lab.stage.as_ref().expect("a stage");
    assert!(stage.session.at_end());
    assert_eq!(stage.verdict(), Some(ResultVerdict::Right));
    assert!(lab.notice.as_ref().is_some_and(|notice| !notice.bad && notice.text.contains("Done")));
    assert_eq!(stage.report().cycles, stage.session.cycle());
    lab.back();
    assert_eq!(lab.stage.as_ref().and_then(|stage| stage.verdict()), None, "there is no result before the end");
}

#[test]
fn next_and_previous_find_every_event_once() {
    let mut lab = lab("reduce", "gtx480");
    let releases = cycles_of(&lab, |event| matches!(event, Event::BarrierRelease { .. }));
    assert!(releases.len() > 3);
    lab.transport.wanted = Wanted::Event(EventKind::BarrierRelease);
    for &expected in &releases {
        lab.next_event();
        settle(&mut lab);
        assert_eq!(lab.cycle(), expected + 1, "the picture shows what that cycle did");
    }
    lab.next_event();
    settle(&mut lab);
    assert!(lab.notice.as_ref().is_some_and(|notice| notice.text.contains("none follows")), "{:?}", lab.notice);
    for &expected in releases.iter().rev().skip(usize::from(lab.cycle() == releases[releases.len() - 1] + 1)) {
        lab.previous_event();
        assert_eq!(lab.cycle(), expected + 1);
    }
    // A target in known cycles is found without simulation.
    lab.seek(0);
    lab.next_event();
    assert_eq!((lab.cycle(), lab.transport.goal), (releases[0] + 1, Goal::Rest));
}

#[test]
fn stalls_of_a_warp_are_found() {
    let mut lab = lab("saxpy", "gtx480");
    lab.selection = Some(Selection::Warp { sm: 0, warp: 1 });
    lab.transport.wanted = Wanted::Stall;
    let stalls = cycles_of(&lab, |event| {
        matches!(event, Event::Warp { warp: 1, reason: Some(reason), .. }
            if !matches!(reason, Reason::Issued | Reason::NotSelected | Reason::Exit))
    });
    for &expected in &stalls[..stalls.len().min(12)] {
        lab.next_event();
        settle(&mut lab);
        assert_eq!(lab.cycle(), expected + 1);
    }
}

#[test]
fn breakpoints_stop_a_run_where_they_should() {
    let mut lab = lab("collatz", "gtx480");
    // A line of the source that holds a branch.
    let (line, pcs) = {
        let listing = &lab.stage.as_ref().expect("a stage").listing;
        let found = listing.lines(Script::Cuda).iter().enumerate().find(|(_, line)| line.branches).expect("a branch");
        (found.0, found.1.pcs.clone())
    };
    let first = cycles_of(&lab, |event| matches!(event, Event::Issued { pc, .. } if pcs.contains(pc)))[0];
    lab.breakpoints.toggle_pcs(&pcs);
    lab.end();
    settle(&mut lab);
    assert_eq!(lab.cycle(), first + 1);
    assert!(lab.notice.as_ref().is_some_and(|n| n.text.contains(&format!("line {}", line + 1))), "{:?}", lab.notice);
    lab.breakpoints.toggle_pcs(&pcs);
    assert!(lab.breakpoints.is_empty());

    lab.seek(0);
    lab.breakpoints.toggle_kind(EventKind::BlockEnd);
    lab.transport.speed = 0;
    lab.play();
    settle(&mut lab);
    let end = cycles_of(&lab, |event| matches!(event, Event::BlockEnd { .. }))[0];
    assert_eq!(lab.cycle(), end + 1);

    lab.breakpoints.toggle_kind(EventKind::BlockEnd);
    lab.breakpoints.toggle_warp(0, 1);
    lab.seek(0);
    lab.end();
    settle(&mut lab);
    let turn = cycles_of(&lab, |event| matches!(event, Event::Issued { warp: 1, .. }))[0];
    assert_eq!(lab.cycle(), turn + 1);
    assert_eq!(lab.selection, Some(Selection::Warp { sm: 0, warp: 1 }));
}

#[test]
fn play_keeps_its_pace() {
    let mut lab = lab("collatz", "gtx480");
    lab.transport.speed = 2;
    assert_eq!(lab.transport.rate(), 4);
    lab.play();
    for _ in 0..60 {
        lab.tick(1000.0 / 60.0, 10.0, &|| 0.0);
    }
    assert!((4..=6).contains(&lab.cycle()), "{} cycles in a second at 4 a second", lab.cycle());
    lab.play();
    assert!(lab.transport.is_resting());
}

/// Playing in a lesson halts at each stop and shows its text; behind the last stop of a machine it plays on.
#[test]
fn play_halts_at_the_stops_of_a_lesson() {
    let mut lab = Lab::new();
    assert!(lab.open_lesson("1-compaction"));
    lab.go_to_stop(2);
    let stop = |lab: &Lab| lab.course.as_ref().and_then(|course| course.stop);
    let mut seen = vec![(stop(&lab), lab.cycle())];
    for _ in 0..4 {
        lab.play();
        settle(&mut lab);
        seen.push((stop(&lab), lab.cycle()));
    }
    let stops: Vec<usize> = seen.iter().filter_map(|(at, _)| *at).collect();
    assert_eq!(stops, [2, 3, 4, 5, 6], "{seen:?}");
    assert!(seen.is_sorted_by(|a, b| a.1 < b.1), "{seen:?}");
    let course = lab.course.as_ref().expect("the lesson is open");
    assert_eq!(course.cycle, lab.cycle());
}

#[test]
fn at_the_end_there_is_nothing_to_play_and_the_result_stays_said() {
    let mut lab = lab("collatz", "gtx480");
    lab.end();
    settle(&mut lab);
    let said = lab.notice.clone();
    assert!(said.as_ref().is_some_and(|notice| notice.text.contains("Done after")), "{said:?}");
    lab.play();
    assert!(lab.transport.is_resting());
    assert_eq!(lab.notice.map(|notice| notice.text), said.map(|notice| notice.text));
}

#[test]
fn an_endless_kernel_and_a_trap_end_in_a_message() {
    let mut lab = Lab::new();
    lab.setup.preset = "toy".into();
    lab.edit_ptx(".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry spin()\n{\nagain:\n bra.uni again;\n}\n".into());
    lab.edit_launch("grid = [1]\nblock = [4]".into());
    assert!(lab.stage.is_some(), "{:?} {:?}", lab.misfit, lab.reading.launch);
    lab.end();
    settle(&mut lab);
    assert!(lab.notice.as_ref().is_some_and(|n| n.bad && n.text.contains("Still running")), "{:?}", lab.notice);

    let mut lab = self::lab("saxpy", "gtx480");
    let launch = lab.launch.replacen("len = ", "len = 1 # ", 1);
    lab.edit_launch(launch);
    lab.end();
    settle(&mut lab);
    assert!(lab.notice.as_ref().is_some_and(|n| n.bad && n.text.contains("trapped") && n.show.is_some()), "{:?}", lab.notice);
    lab.seek(0);
    assert_eq!(lab.cycle(), 0);
}

#[test]
fn a_search_that_finds_nothing_stays_where_it_began() {
    let mut lab = lab("collatz", "gtx480");
    lab.seek(300);
    settle(&mut lab);
    lab.transport.wanted = Wanted::Event(EventKind::BarrierRelease);
    lab.next_event();
    settle(&mut lab);
    assert_eq!(lab.cycle(), 300);
    assert!(lab.notice.as_ref().is_some_and(|notice| !notice.bad), "{:?}", lab.notice);
}

#[test]
fn cycles_are_typed_as_people_write_numbers() {
    for (text, cycle) in [("412", 412), (" 1 234 ", 1234), ("1,234,567", 1_234_567), ("99999999999999999999999", u64::MAX)] {
        assert_eq!(typed_cycle(text), Some(cycle), "{text}");
    }
    for text in ["", "-5", "1.5", "1e3", "0x10", "twelve"] {
        assert_eq!(typed_cycle(text), None, "{text}");
    }
}

#[test]
fn an_event_that_was_looked_for_says_who_it_is_about() {
    let mut lab = Lab::first_visit();
    lab.seek(0);
    lab.next_event();
    let told = lab.notice.clone().expect("a notice");
    assert!(told.text.starts_with("Divergence: warp 0 diverges at ") && told.text.contains("24 of its lanes"), "{told:?}");
    assert_eq!(told.show, Some(Selection::Warp { sm: 0, warp: 0 }));
    lab.step();
    lab.previous_event();
    assert_eq!(lab.notice, Some(told));
}
