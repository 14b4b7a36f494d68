//! Breakpoints that a search goes to, forwards and backwards, and those on an element of a buffer.

use super::*;
use warpscope_pictures::session::Element;

/// Returns the value of an element of a buffer now.
fn value(lab: &Lab, element: &Element) -> String {
    let buffers = lab.stage.as_ref().expect("a stage").buffers();
    let buffer = buffers.iter().find(|buffer| buffer.name == element.buffer).expect("a buffer of this name");
    buffer.values[element.index as usize].text.clone()
}

/// Searches again and again, and returns the cycles that are found, until nothing is.
fn all_found(lab: &mut Lab, search: fn(&mut Lab)) -> Vec<u64> {
    let mut found = Vec::new();
    loop {
        let from = lab.cycle();
        search(lab);
        settle(lab);
        if lab.cycle() == from {
            return found;
        }
        found.push(lab.cycle());
    }
}

#[test]
fn the_search_for_writes_finds_each_of_them_forwards_and_backwards() {
    let element = Element { buffer: "bins".into(), index: 3, bytes: 4 };
    for technique in ["PDOM", "TBC", "DWF", "WS4", "E-VWS"] {
        let mut lab = lab("histogram", "gtx480");
        lab.set_up(MachineSpec { technique: technique.into(), ..lab.setup.clone() });
        assert_eq!(lab.shown().0.technique, technique, "{:?}", lab.notice);
        lab.breakpoints.toggle_element(element.clone());
        lab.transport.wanted = Wanted::Breakpoint;
        let forwards = all_found(&mut lab, Lab::next_event);
        assert!(lab.notice.as_ref().is_some_and(|notice| notice.text.contains("none follows")), "{:?}", lab.notice);
        assert_eq!(Some(lab.cycle()), forwards.last().copied(), "a search that finds nothing does not move");
        lab.end();
        settle(&mut lab);
        let mut backwards = all_found(&mut lab, Lab::previous_event);
        assert!(lab.notice.as_ref().is_some_and(|notice| notice.text.contains("none before")), "{:?}", lab.notice);
        backwards.reverse();
        assert_eq!(forwards, backwards, "{technique}");
        // Every write is an atomic that adds, so the value tells where they are.
        let reached = lab.stage.as_ref().expect("a stage").session.reached();
        lab.seek(0);
        let mut last = value(&lab, &element);
        let changes: Vec<u64> = (1..=reached)
            .filter(|&cycle| {
                lab.seek(cycle);
                let now = value(&lab, &element);
                std::mem::replace(&mut last, now.clone()) != now
            })
            .collect();
        assert_eq!(forwards, changes, "{technique}");
        assert!(changes.len() >= 2, "{technique}: {changes:?}");
    }
}

#[test]
fn a_write_is_told_with_the_warp_the_element_and_the_line() {
    let mut lab = lab("histogram", "gtx480");
    lab.breakpoints.toggle_element(Element { buffer: "bins".into(), index: 3, bytes: 4 });
    lab.play();
    lab.transport.speed = 13;
    settle(&mut lab);
    let notice = lab.notice.clone().expect("it stopped");
    let warp = lab.selection.and_then(Selection::warp).expect("the warp that wrote is selected").1;
    assert!(notice.text.starts_with(&format!("Breakpoint: warp {warp} wrote bins[3] at line ")), "{}", notice.text);
    assert!(!lab.stage.as_ref().expect("a stage").session.at_end());
}

#[test]
fn searching_for_breakpoints_stops_at_any_kind_and_says_if_none_is_set() {
    let mut lab = lab("reduce", "gtx480");
    lab.transport.wanted = Wanted::Breakpoint;
    lab.next_event();
    assert!(lab.notice.as_ref().is_some_and(|notice| notice.bad && notice.text.contains("No breakpoint is set")));
    lab.breakpoints.toggle_kind(EventKind::BarrierRelease);
    let of_breakpoints = all_found(&mut lab, Lab::next_event);
    lab.seek(0);
    lab.transport.wanted = Wanted::Event(EventKind::BarrierRelease);
    assert_eq!(of_breakpoints, all_found(&mut lab, Lab::next_event));
    assert!(of_breakpoints.len() > 2, "{of_breakpoints:?}");
    // A search backwards can be ended while it goes on.
    lab.transport.wanted = Wanted::Breakpoint;
    lab.end();
    settle(&mut lab);
    let end = lab.cycle();
    lab.previous_event();
    lab.play();
    assert!(lab.transport.is_resting());
    assert_eq!(lab.cycle(), end);
}
