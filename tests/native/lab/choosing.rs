//! Choices of kernel, machine and technique: which are refused, and what is said of them.

use super::*;

/// A block of a small launch has four warps of 32 or more; the machine for lessons holds 32 threads, so it gets the tiny launch.
#[test]
fn a_machine_gets_the_launch_that_it_has_room_for() {
    let mut lab = lab("collatz", "gtx480");
    let size = |lab: &Lab| lab.origin.map(|origin| origin.size);
    assert_eq!(size(&lab), Some(Size::Small));
    let on = |preset: &str| MachineSpec { preset: preset.into(), ..MachineSpec::default() };
    lab.set_up(on("toy"));
    assert_eq!((size(&lab), lab.misfit.clone()), (Some(Size::Tiny), None));
    assert!(lab.notice.as_ref().is_some_and(|notice| notice.text.contains("tiny launch")), "{:?}", lab.notice);
    lab.set_up(MachineSpec { technique: "PDOM,GTO".into(), ..on("toy") });
    lab.set_up(on("tbc"));
    assert_eq!((size(&lab), lab.misfit.clone()), (Some(Size::Small), None));
    lab.resize(Size::Tiny);
    lab.set_up(MachineSpec { technique: "TBC".into(), ..on("tbc") });
    assert_eq!(size(&lab), Some(Size::Tiny), "another technique leaves the chosen launch");
    lab.open(Link { kernel: Some("collatz".into()), setup: Some(on("toy")), ..Link::default() });
    assert_eq!((size(&lab), lab.misfit.clone()), (Some(Size::Tiny), None), "a link that names no size");
}

#[test]
fn what_a_technique_pushes_out_is_said() {
    let mut lab = lab("collatz", "gtx480");
    lab.decide("divergence", Some("I-VWS"));
    lab.decide("schedule", Some("LRR"));
    let said = lab.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
    assert!(said.contains("I-VWS decides that too, so it was dropped"), "{said}");
    assert_eq!((lab.setup.technique_for("divergence"), lab.setup.technique_for("schedule")), (None, Some("LRR")));
    lab.decide("divergence", Some("PDOM"));
    assert_eq!((lab.setup.technique_for("divergence"), lab.setup.technique_for("schedule")), (Some("PDOM"), Some("LRR")));
    assert!(lab.notice.as_ref().is_some_and(|notice| !notice.text.contains("dropped")), "{:?}", lab.notice);
}

#[test]
fn all_techniques_that_a_choice_pushes_out_are_said() {
    let mut lab = lab("collatz", "gtx480");
    lab.decide("divergence", Some("TBC-RRB"));
    lab.decide("fetch", Some("CFF"));
    assert_eq!((lab.setup.technique_for("divergence"), lab.setup.technique_for("fetch")), (Some("TBC-RRB"), Some("CFF")));
    lab.decide("schedule", Some("BAWS"));
    let said = lab.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
    assert!(said.contains("TBC-RRB and CFF decide that too, so they were dropped."), "{said}");
    assert_eq!(lab.setup.technique, "BAWS");
}

#[test]
fn a_change_of_the_machine_restarts_and_says_so() {
    let mut lab = lab("collatz", "gtx480");
    lab.seek(200);
    settle(&mut lab);
    lab.set_up(lab.setup.with_key("schedulers", "1"));
    assert_eq!(lab.cycle(), 0);
    assert!(lab.notice.as_ref().is_some_and(|n| n.text.contains("schedulers = 1") && n.text.contains("starts again")));
    let kept = lab.stage.as_ref().map(|stage| stage.session.sim().machine.config.schedulers);
    lab.set_up(lab.setup.with_key("warp_width", "33"));
    assert!(lab.misfit.as_ref().is_some_and(|m| m.contains("warp_width")), "{:?}", lab.misfit);
    assert_eq!(lab.stage.as_ref().map(|stage| stage.session.sim().machine.config.schedulers), kept, "the last machine stays");
}

/// The hints of a first visit are about its kernel, and disappear with it.
#[test]
fn what_a_first_visit_hints_at_goes_with_its_kernel() {
    let visited = || {
        let mut lab = Lab::first_visit();
        lab.step();
        assert!(lab.hints.is_some_and(|hints| hints.stepped), "a step leaves the others");
        lab
    };
    let mut to_a_lesson = visited();
    assert!(to_a_lesson.open_lesson("1-compaction"));
    let mut to_a_link = visited();
    to_a_link.open(lab("reduce", "gtx480").link());
    let mut to_a_kernel = visited();
    to_a_kernel.choose(Origin::find("reduce", Size::Small));
    assert_eq!([to_a_lesson.hints, to_a_link.hints, to_a_kernel.hints], [None; 3]);
}

#[test]
fn local_memory_that_a_page_has_not_is_refused() {
    for (bytes, block, word) in [(67_108_864, 64, "524288"), (1_000_000_000, 64, "524288"), (500_000, 1024, "the page has 8")] {
        let mut lab = Lab::new();
        lab.edit_launch(format!("grid = [1]\nblock = [{block}]\n"));
        lab.edit_ptx(with_local(bytes));
        let told = format!("{:?} {:?}", lab.misfit, lab.reading.launch);
        assert!(lab.stage.is_none() && told.contains(word), "{bytes}: {told}");
    }
    let mut lab = Lab::new();
    lab.edit_launch("grid = [1]\nblock = [64]\n".into());
    lab.edit_ptx(with_local(4096));
    lab.end();
    settle(&mut lab);
    assert!(lab.stage.as_ref().is_some_and(|stage| stage.session.at_end() && stage.trap().is_none()), "{:?}", lab.misfit);
}

#[test]
fn a_refused_choice_goes_back_and_the_link_is_to_what_is_shown() {
    // A launch that does not fit on the machine.
    let mut lab = lab("reduce", "toy");
    let tiny = lab.launch.to_string();
    lab.seek(20);
    settle(&mut lab);
    let before = lab.link();
    lab.resize(Size::Full);
    assert_ne!(tiny, Origin::find("reduce", Size::Full).map_or("", Origin::launch), "the launches differ");
    assert_refused(&lab, &before, "toy, PDOM");
    assert_eq!((lab.origin.map(|origin| origin.size), &*lab.launch, lab.cycle()), (Some(Size::Tiny), tiny.as_str(), 20));

    // A technique that the machine does not support, and a machine that the launch does not fit on.
    lab.decide("divergence", Some("I-VWS"));
    assert_refused(&lab, &before, "toy, PDOM");
    assert!(lab.notice.as_ref().is_some_and(|notice| notice.text.contains("The machine `gtx480` supports it.")));
    lab.set_up(MachineSpec { preset: "gtx480".into(), ..lab.setup.clone() });
    lab.resize(Size::Full);
    let before = lab.link();
    lab.set_up(MachineSpec { preset: "toy".into(), ..lab.setup.clone() });
    assert_refused(&lab, &before, "gtx480, PDOM");
    assert_eq!(lab.setup.preset, "gtx480");

    // A kernel, and a link that is put into the address bar.
    lab.choose(Origin::find("saxpy", Size::Small));
    lab.set_up(MachineSpec { preset: "toy".into(), ..lab.setup.clone() });
    let before = lab.link();
    lab.choose(Origin::find("reduce", Size::Full));
    assert_refused(&lab, &before, "toy, PDOM");
    lab.open(Link::read("kernel=reduce&size=full&preset=toy").expect("a sound link").expect("not empty"));
    assert_refused(&lab, &before, "toy, PDOM");
}

#[test]
fn a_technique_that_cannot_act_is_told_with_a_launch_on_which_it_can() {
    let mut lab = lab("collatz", "gtx480");
    let one_warp = lab.launch.lines().map(|line| match line.split('=').next() {
        Some("block ") => "block = [32, 1, 1]".to_string(),
        Some("grid ") => "grid = [2, 1, 1]".to_string(),
        _ => line.to_string(),
    });
    let one_warp = one_warp.collect::<Vec<_>>().join("\n");
    lab.edit_launch(one_warp);
    assert_eq!(lab.inapplicable, None, "PDOM is what others are compared with");
    lab.decide("divergence", Some("TBC"));
    let inapplicable = lab.inapplicable.clone().expect("one warp a block");
    assert!(inapplicable.why.contains("TBC cannot act on this launch: each block has one warp"), "{}", inapplicable.why);
    assert!(
        inapplicable.offer.is_some() && inapplicable.offer_words(lab.origin).is_some_and(|words| words.starts_with("Take ")),
        "{inapplicable:?}"
    );
    lab.take_offer();
    assert_eq!((lab.origin, &lab.inapplicable, &lab.misfit), (inapplicable.offer, &None, &None));
    // For a kernel without a branch that could split a warp, another kernel is offered.
    lab.choose(Origin::find("matmul", Size::Small));
    if let Some(inapplicable) = &lab.inapplicable {
        assert!(inapplicable.offer.is_some(), "{inapplicable:?}");
    }
    lab.decide("divergence", Some("PDOM"));
    assert_eq!(lab.inapplicable, None);
}

#[test]
fn virtual_blocks_that_are_all_resident_are_told_with_a_launch_of_more() {
    let mut lab = lab("spmv", "gtx480");
    lab.decide("dispatch", Some("VTW"));
    let inapplicable = lab.inapplicable.clone().expect("a small launch is resident at once");
    assert!(inapplicable.why.contains("blocks are resident at once"), "{}", inapplicable.why);
    assert_eq!(inapplicable.offer, Origin::find("spmv", Size::Full));
    lab.take_offer();
    assert_eq!(lab.inapplicable, None);
}

#[test]
fn a_technique_with_a_number_of_its_own_keeps_its_name() {
    let setup = MachineSpec { technique: "E-VWS-Sync7,gto".into(), ..MachineSpec::default() };
    assert_eq!((setup.technique_for("divergence"), setup.technique_for("schedule")), (Some("E-VWS-Sync7"), Some("GTO")));
}

#[test]
fn a_machine_that_a_page_has_no_memory_for_leaves_the_last_one() {
    for keys in HUGE {
        let mut lab = Lab::first_visit();
        let before = lab.setup.clone();
        let mut setup = before.clone();
        for pair in keys.split(',') {
            let (key, value) = pair.split_once(':').expect("a pair");
            setup = setup.with_key(key, value);
        }
        assert!(setup.config().is_ok(), "{keys} is a machine");
        lab.set_up(setup);
        let key = keys.rsplit(',').find_map(|pair| pair.split(':').next()).expect("a key");
        let told = lab.misfit_words().unwrap_or_default();
        assert!(
            told.contains("256 MiB") && told.contains("command line") && told.contains(key.trim_start_matches("divergence")),
            "{told}"
        );
        assert!(lab.stage.is_some() && lab.running_instead() == Some(&before), "{keys}");
        lab.step();
    }
}

#[test]
fn a_page_names_keys_and_no_flags() {
    let mut lab = Lab::new();
    lab.setup = MachineSpec { preset: "toy".into(), ..MachineSpec::default() };
    lab.edit_launch("grid = [1]\nblock = [64]\n".into());
    lab.edit_ptx(with_local(16));
    let told = lab.misfit_words().unwrap_or_default();
    assert!(told.contains("use `max_threads=64`") && !told.contains("--set"), "{told}");
}
