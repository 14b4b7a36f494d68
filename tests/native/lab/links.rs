//! Permalinks.

use super::*;

#[test]
fn a_link_opens_the_same_picture() {
    let mut lab = lab("mergesort", "vws");
    lab.set_up(lab.setup.with_key("schedulers", "1"));
    lab.seek(333);
    settle(&mut lab);
    lab.selection = Some(Selection::Lane { sm: 0, warp: 1, lane: 5 });
    lab.breakpoints.toggle_kind(EventKind::Divergence);
    lab.breakpoints.toggle_warp(0, 1);
    lab.breakpoints.toggle_pcs(&[12, 3]);
    let fragment = lab.link().write();
    let mut other = Lab::new();
    other.open(Link::read(&fragment).expect("a sound link").expect("not empty"));
    settle(&mut other);
    assert_eq!(other.selection, lab.selection);
    assert_eq!(other.breakpoints, lab.breakpoints);
    let stored = serde_json::to_string(&lab.visit().expect("no lesson is open")).expect("a visit is JSON");
    let visit = serde_json::from_str::<Visit>(&stored).expect("and JSON a visit");
    assert_eq!(Lab::restore(visit).breakpoints, lab.breakpoints, "a reload keeps them too");
    other.open(Link { breakpoints: Breakpoints { pcs: vec![3, 99_999], ..Breakpoints::default() }, ..lab.link() });
    assert_eq!(other.breakpoints.pcs, [3], "the kernel has no other");
    other.open(Link::read(&fragment).expect("a sound link").expect("not empty"));
    settle(&mut other);
    assert!(picture(&other) == picture(&lab), "{fragment}");
    // With a text of the user's own.
    let own = lab.ptx.to_string() + "\n// mine\n";
    lab.edit_ptx(own.clone());
    other.open(Link::read(&lab.link().write()).expect("a sound link").expect("not empty"));
    assert_eq!(*other.ptx, own);
}

#[test]
fn a_link_keeps_the_range_the_tab_and_the_panel() {
    let mut lab = lab("mergesort", "tbc");
    lab.seek(700);
    settle(&mut lab);
    lab.set_range(Some((100, 600)));
    lab.seek(50);
    lab.show_tab(Tab::Numbers);
    lab.panel = Some("memory".into());
    let link = Link::read(&lab.link().write()).expect("a sound link").expect("not empty");
    let mut other = Lab::new();
    other.open(link.clone());
    settle(&mut other);
    assert_eq!((other.cycle(), other.tab(), other.panel.as_deref()), (50, Tab::Numbers, Some("memory")));
    let stretch = |lab: &Lab| {
        let stage = lab.stage.as_ref().expect("a stage");
        (stage.range, serde_json::to_value(&stage.stretch(stage.range).report).expect("a report is JSON"))
    };
    assert_eq!(stretch(&other), stretch(&lab), "the numbers of the range are the same");
    // Beyond the end of the run there is no range.
    let mut short = Lab::new();
    short.open(Link { range: Some((100, u64::MAX)), cycle: None, ..link });
    settle(&mut short);
    let stage = short.stage.as_ref().expect("a stage");
    assert_eq!(stage.range, Some((100, stage.session.reached())));
    assert!(stage.session.ended());
    // A lesson opens with its text, and gives the panel back.
    other.open_lesson("1-compaction");
    assert_eq!(other.tab(), Tab::Lesson);
    other.leave_lesson();
    assert_eq!((other.tab(), other.panel.as_deref()), (Tab::Inspector, Some("memory")));
}

#[test]
fn what_a_link_cannot_have_is_told_though_it_has_a_moment() {
    let texts = Texts { ptx: with_local(16).replace("mov.u32", "move.u32"), launch: "grid = [1]\nblock = [64]\n".into() };
    for cycle in [None, Some(5)] {
        let mut lab = Lab::new();
        lab.open(Link { texts: Some(texts.clone()), cycle, ..Link::default() });
        assert!(lab.notice.as_ref().is_some_and(|n| n.bad && n.text.contains("The link's kernel")), "{:?}", lab.notice);
        let mut lab = Lab::new();
        lab.open(Link { lesson: Some(("nope".into(), 0)), kernel: Some("collatz".into()), cycle, ..Link::default() });
        assert!(lab.notice.as_ref().is_some_and(|n| n.bad && n.text.contains("`nope`")), "{:?}", lab.notice);
    }
}

#[test]
fn a_link_cannot_select_what_the_machine_does_not_have() {
    for (key, is_there) in [("w47", true), ("w48", false), ("s1w0", false), ("b7", true), ("b8", false), ("w3.31", true)] {
        let mut lab = Lab::new();
        let link = Link::read(&format!("kernel=collatz&preset=gtx480&cycle=40&select={key}")).expect("a sound link");
        lab.open(link.expect("not empty"));
        settle(&mut lab);
        let told = lab.notice.as_ref().is_some_and(|notice| notice.bad && notice.text.contains(&format!("selects `{key}`")));
        assert_eq!((lab.selection == Selection::from_key(key), told), (is_there, !is_there), "{key}: {:?}", lab.notice);
    }
}

#[test]
fn a_machine_that_cannot_be_is_not_in_the_link() {
    let mut lab = Lab::first_visit();
    let mut setup = lab.setup.clone();
    setup.keys.insert("warp_width".into(), "33".into());
    lab.set_up(setup);
    assert!(lab.misfit.is_some() && lab.notice.is_none());
    assert!(lab.link().setup.is_some_and(|setup| setup.keys.is_empty()));
    lab.end();
    settle(&mut lab);
    assert!(lab.notice.as_ref().is_some_and(|n| n.text.contains("Done after")), "{:?}", lab.notice);
    assert!(lab.running_instead().is_some_and(|setup| setup.keys.is_empty()), "and what that was is told beside it");
    let cycle = lab.cycle();
    lab.take_back();
    assert!(lab.misfit.is_none() && lab.setup.keys.is_empty() && lab.running_instead().is_none());
    assert_eq!(lab.cycle(), cycle, "the run goes on");
}

#[test]
fn a_link_is_to_the_stage_while_the_texts_cannot_run() {
    let mut lab = lab("collatz", "gtx480");
    lab.seek(30);
    settle(&mut lab);
    let before = lab.link();
    let (good, launch) = (lab.ptx.to_string(), lab.launch.to_string());
    lab.edit_ptx(good.replacen("mov.u32", "mvo.u32", 1));
    assert_eq!(lab.link(), before, "a text with a mistake is not shown");
    assert!(
        lab.visit().and_then(|visit| visit.texts).is_some_and(|texts| texts.ptx.contains("mvo.u32")),
        "a reload brings back what was typed"
    );
    lab.edit_ptx(good);
    lab.edit_launch(format!("shared = 99999\n{}", launch.replace("shared =", "# shared =")));
    assert!(lab.misfit.is_some(), "{:?}", lab.reading.launch);
    assert_eq!(lab.link(), before, "nor is a launch that the machine refuses");
}

#[test]
fn a_link_that_cannot_be_had_leaves_something_to_look_at() {
    let open = |fragment: &str| {
        let mut lab = Lab::new();
        lab.open(Link::read(fragment).expect("a sound link").expect("not empty"));
        let told = lab.notice.clone().map(|notice| notice.text).unwrap_or_default();
        (lab, told)
    };
    for (fragment, words) in [
        ("kernel=collatz&set=nope:1", "no key `nope`"),
        ("kernel=collatz&set=schedulers:0", "its changed keys are left out"),
        ("kernel=collatz&technique=Nope", "its technique is left out"),
        ("kernel=collatz&preset=qq", "the first one is taken"),
        ("kernel=nope", "a kernel `nope` that is not in the catalogue"),
        ("kernel=collatz&break=pc9999", "that stop is left out"),
    ] {
        let (lab, told) = open(fragment);
        assert!(told.contains(words), "{fragment}: {told}");
        assert!(lab.stage.is_some() && lab.misfit.is_none() && lab.setup.config().is_ok(), "{fragment}");
    }
    let (mut lab, _) = open("kernel=saxpy");
    lab.open(Link::read("kernel=nope").expect("a sound link").expect("not empty"));
    assert_eq!(lab.stage.as_ref().map(|stage| &*stage.kernel), Some("saxpy"), "what there is stays");
}

#[test]
fn a_link_or_a_visit_of_a_huge_machine_gives_a_message_and_a_machine() {
    for keys in HUGE {
        let link = Link::read(&format!("kernel=collatz&preset=gtx480&set={keys}")).expect("a link").expect("not empty");
        let setup = link.setup.clone().expect("a machine");
        let visit = Visit { kernel: link.kernel.clone(), setup, ..Visit::default() };
        let mut opened = Lab::new();
        opened.open(link.clone());
        // The same with another machine already running.
        let mut over = lab("saxpy", "toy");
        over.open(link);
        for mut lab in [opened, over, Lab::restore(visit)] {
            let cycle = lab.cycle();
            lab.step();
            assert!(lab.stage.is_some() && lab.cycle() == cycle + 1, "{keys}: {:?}", lab.misfit);
            assert!(lab.misfit.is_none() && lab.setup.keys.is_empty() && lab.setup.preset == "gtx480", "{keys}");
        }
        let mut lab = Lab::new();
        lab.open(Link::read(&format!("kernel=collatz&preset=gtx480&set={keys}")).expect("a link").expect("not empty"));
        let told = lab.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
        assert!(told.contains("is not available") && told.contains("256 MiB"), "{keys}: {told}");
    }
}
