//! Sentences, costs of lines, and the history that they are told from.

use super::*;

/// The lost lanes of all instructions add up to those in the run's report.
#[test]
fn costs_of_lines_add_up() {
    let mut lab = lab("mandelbrot", "gtx480");
    lab.end();
    settle(&mut lab);
    let stage = lab.stage.as_ref().expect("a stage");
    let (report, costs) = (stage.report(), &stage.session.replay().tally().costs);
    let (issues, lost) = costs.iter().fold((0, 0), |(i, l), cost| (i + cost.issues, l + cost.lost));
    assert_eq!(issues, report.warp_instructions);
    assert_eq!(lost, report.warp_instructions * 32 - report.thread_instructions);
    assert_eq!(costs.iter().map(|cost| cost.splits).sum::<u64>(), report.divergent_branches);
}

/// The record has the same reason for every warp and cycle as the events, at full and low resolution, and its counts add up.
#[test]
fn the_record_agrees_with_the_events() {
    let mut lab = lab("mergesort", "gtx480");
    lab.end();
    settle(&mut lab);
    let stage = lab.stage.as_ref().expect("a stage");
    let record = stage.session.record();
    let end = stage.session.cycle();
    assert_eq!(record.end(), end);
    const GONE: u8 = Reason::ALL.len() as u8;
    struct Now(Vec<u8>);
    impl Sink for Now {
        const WANTS_WARPS: bool = true;
        fn event(&mut self, _: u64, event: Event) {
            if let Event::Warp { warp, reason, .. } = event {
                self.0[usize::from(warp)] = reason.map_or(GONE, |reason| reason as u8);
            }
        }
    }
    let mut now = Now(vec![GONE; record.slots()]);
    for cycle in (0..end).filter(|cycle| cycle % 97 == 0) {
        now.0.fill(GONE);
        stage.session.replay().events(0, cycle + 1, &mut now);
        for (warp, code) in now.0.iter().enumerate() {
            assert_eq!(record.nth(warp).at(cycle), *code, "warp {warp}, cycle {cycle}");
        }
        if cycle > 2_000 {
            break;
        }
    }
    let report = stage.report();
    let buckets = record.series().buckets(1);
    assert_eq!(buckets.iter().map(|b| b.totals.thread_instructions).sum::<u64>(), report.thread_instructions);
    assert_eq!(buckets.iter().map(|b| b.totals.warp_cycles.iter().sum::<u64>()).sum::<u64>(), report.resident_warp_cycles);
    assert_eq!(buckets.iter().map(|b| b.cycles).sum::<u64>(), end);
}

/// The record's warp-phases are those of the report, and moving back and forth adds none.
#[test]
fn warp_phases_of_the_record_are_those_of_the_report() {
    for technique in ["", "PDOM,GTO", "TBC", "DWF"] {
        let mut lab = lab("reduce", if technique.is_empty() { "gtx480" } else { "tbc" });
        lab.set_up(MachineSpec { technique: technique.into(), ..lab.setup.clone() });
        lab.end();
        settle(&mut lab);
        let stage = lab.stage.as_mut().expect("a stage");
        let report = stage.report();
        let end = stage.session.cycle();
        for cycle in [end / 2, end] {
            stage.session.seek(cycle);
            let phases = stage.session.record().phases();
            assert_eq!(phases.kept().len() as u64, report.barriers.phases, "{technique}");
            assert_eq!(phases.rtru(), Some(report.barriers.rtru), "{technique}");
            assert!(phases.open(end).next().is_none() && phases.left_out() == 0);
        }
        for phase in stage.session.record().phases().kept() {
            assert!(phase.start <= phase.release && phase.release <= end);
            assert!(phase.parts.iter().all(|part| part.start <= part.arrival && part.arrival <= phase.release), "{phase:?}");
        }
        stage.session.seek(end / 2);
        let picture = stage.picture();
        let WarpPicture { sm, warp, slot, block, .. } = *picture.warps.last().expect("resident warps");
        for selection in [Selection::Warp { sm, warp }, Selection::Lane { sm, warp, lane: 1 }, Selection::Block { sm, slot }] {
            let run = stage.run(Some(selection));
            assert_eq!((run.sm, run.block, run.barriers), (sm, Some(block), true));
        }
    }
    assert!(!lab("saxpy", "gtx480").stage.expect("a stage").run(None).barriers);
}

#[test]
fn sentences_follow_the_cause() {
    let mut lab = lab("reduce", "gtx480");
    lab.resize(Size::Full);
    let mut seen = std::collections::BTreeSet::new();
    lab.transport.wanted = Wanted::Event(EventKind::BarrierArrival);
    lab.next_event();
    settle(&mut lab);
    lab.seek(lab.cycle().saturating_sub(400));
    for _ in 0..700 {
        lab.step();
        let stage = lab.stage.as_ref().expect("a stage");
        let picture = stage.picture();
        for warp in &picture.warps {
            let card = card::card(stage.explainer(&picture), Selection::Warp { sm: warp.sm, warp: warp.warp });
            assert!(!card.why.is_empty() && card.why.iter().all(|s| s.ends_with('.')), "{:?}", card.why);
            if let Some(reason) = warp.reason {
                if seen.insert(reason) {
                    println!("{reason:?}: {}", card.why.join(" "));
                }
                if reason == Reason::Barrier {
                    assert!(card.why[0].contains("barrier"), "{:?}", card.why);
                }
            }
            for lane in [0, warp.width - 1] {
                let name = Selection::Lane { sm: warp.sm, warp: warp.warp, lane: lane as u8 };
                assert!(!card::card(stage.explainer(&picture), name).why.is_empty());
            }
        }
        if stage.session.at_end() {
            break;
        }
    }
    assert!(seen.len() >= 6, "{seen:?}");
}

/// Lesson 5's kernel needs warps in lock-step: a technique that leaves the lock-step result gets a caution, DWF an error.
#[test]
fn a_kernel_that_depends_on_lock_step_is_judged_by_what_lock_step_leaves() {
    let mut lab = Lab::new();
    assert!(lab.open_lesson("5-warp-synchronous"));
    let lesson = lab.course.as_ref().expect("a lesson").lesson.clone();
    let stops = lesson.stops.iter().map(|stop| stop.technique.as_str());
    let mut judged = Vec::new();
    for (at, technique) in stops.collect::<Vec<_>>().into_iter().enumerate() {
        lab.go_to_stop(at);
        let stage = lab.stage.as_ref().expect("a stage");
        let Some(verdict) = stage.verdict() else { continue };
        let notice = stage.ending();
        let accesses = "thread 0 of block 0 writes shared address 0x0 at PTX line 40 (kernel.cu:16), \
                        thread 1 of the same warp reads it at PTX line 43 (kernel.cu:17)";
        match &verdict {
            ResultVerdict::LockStep(how) => {
                assert!(how.starts_with("The result is that of warps in lock-step, and the kernel depends on that: "), "{how}");
                assert!(how.contains(accesses), "{how}");
                assert!(!notice.bad && notice.text.contains("Done after") && notice.text.contains(how), "{notice:?}");
            }
            ResultVerdict::Wrong(how) => {
                assert!(how.contains("depends on lock-step and this technique does not keep it"), "{how}");
                assert!(how.contains("buffer `done`, element 1: expected 1, found 2; 12 of 16 elements differ"), "{how}");
                assert!(how.contains(accesses), "{how}");
                assert!(notice.bad && notice.text.contains(how), "{notice:?}");
            }
            _ => panic!("{technique}: {verdict:?}"),
        }
        judged.push((technique, matches!(verdict, ResultVerdict::LockStep(_))));
    }
    assert_eq!(judged, [("PDOM", true), ("DWF", false), ("DWF-WB", true), ("TBC", true)]);
}

/// Gangs and the kernel's blocks have names of different kinds: lesson 6 shows 0.g0 and 0.g1 beside the blocks A to D.
#[test]
fn gangs_are_named_by_their_entry_and_not_by_a_letter() {
    let mut lab = Lab::new();
    assert!(lab.open_lesson("6-gang-split"));
    let stops = lab.course.as_ref().expect("a lesson").lesson.stops.len();
    let mut seen = String::new();
    for stop in 0..stops {
        lab.go_to_stop(stop);
        let text = picture(&lab);
        assert!(
            ["gang A", "gang B", "gang 0A", "gang 0B", ">0A<", ">0B<"].iter().all(|name| !text.contains(name)),
            "stop {stop}"
        );
        seen += &text;
    }
    assert!(["gang 0.g0", "gang 0.g1", ">0.g0<", ">0.g1<"].iter().all(|name| seen.contains(name)));
}

/// Pointing at a lane shows the inspector's first sentence, and the mask of its warp.
#[test]
fn pointing_tells_in_short_what_a_thing_does() {
    let lab = Lab::first_visit();
    let stage = lab.stage.as_ref().expect("a stage");
    let picture = stage.picture();
    let warp = picture.warps.iter().find(|warp| warp.stack.len() > 1).expect("a divergent warp");
    for lane in 0..32 {
        let selection = Selection::Lane { sm: warp.sm, warp: warp.warp, lane };
        let card = card::card(stage.explainer(&picture), selection);
        let mask = format!("Active lanes of warp {}: {:#010x}", warp.warp, warp.active);
        assert_eq!(stage.brief(selection), format!("{}\n{mask}", card.why[0]));
    }
    let gone = Selection::Warp { sm: 0, warp: 40 };
    assert!(stage.brief(gone).starts_with("Warp 40 is not resident"), "{}", stage.brief(gone));
}

/// The sentence below the stage says what the cycle did: what changed most, or what issued.
#[test]
fn a_cycle_is_told_in_a_sentence() {
    let mut lab = Lab::new();
    assert!(lab.open_lesson("1-compaction"));
    let said = |lab: &Lab| lab.stage.as_ref().expect("a stage").say(lab.selection);
    let mut go = |stop: usize| {
        lab.go_to_stop(stop);
        settle(&mut lab);
        said(&lab)
    };
    assert_eq!(go(0), "Warp 0 diverges at A+6 (PC 6): 1 of its lanes takes the branch, 3 fall through.");
    assert!(go(2).contains("1 not arrived yet (WCnt)"), "{}", go(2));
    assert!(go(3).contains("a warp of 3 threads was formed for C (PC 10)"), "{}", go(3));
    go(0);
    lab.seek(0);
    settle(&mut lab);
    assert_eq!(said(&lab), "Nothing has run yet.");
    lab.step();
    settle(&mut lab);
    assert!(said(&lab).ends_with("at A, for 4 of 4 lanes."), "{}", said(&lab));
}

#[test]
fn a_warp_whose_block_keeps_all_its_threads_is_where_they_will_go_on() {
    let mut lab = lab("tbc_example1", "toy");
    lab.set_up(MachineSpec { technique: "TBC".into(), ..lab.setup.clone() });
    let mut seen = 0;
    for cycle in 1..200 {
        lab.seek(cycle);
        settle(&mut lab);
        let picture = lab.stage.as_ref().expect("it runs").picture();
        for warp in picture.warps.iter().filter(|warp| warp.places.is_empty() && !warp.kept.is_empty()) {
            lab.selection = Some(Selection::Warp { sm: warp.sm, warp: warp.warp });
            let words = chips(&lab, false, 600.0).words;
            assert!(words.contains(&format!("{}, selected, waiting", warp.warp)), "cycle {cycle}: {words}");
            seen += 1;
        }
    }
    assert!(seen > 0, "no block keeps a whole warp");
}

#[test]
fn nobody_is_together_again_who_has_not_parted() {
    for technique in ["PDOM", "TBC", "TBC-LCP", "DWF-WB"] {
        let [parted, met] = [EventKind::Divergence, EventKind::Reconvergence].map(|kind| {
            // Sixteen threads leave a loop together before the first of them diverge.
            let mut lab = lab("bfs", "tbc");
            lab.set_up(MachineSpec { technique: technique.into(), ..lab.setup.clone() });
            lab.transport.wanted = Wanted::Event(kind);
            lab.next_event();
            settle(&mut lab);
            lab.stage.as_ref().expect("it runs").session.cycle()
        });
        assert!(0 < parted && parted < met, "{technique}: parted at {parted}, met at {met}");
    }
}

#[test]
fn threads_reconverge_where_they_are_together_again() {
    for (technique, words) in [
        ("PDOM", "warp 0 reconverges at line 20 (PC 15)"),
        ("TBC", "8 threads of block 0 reconverge at line 20 (PC 15)"),
        ("DWF-WB", "warp 0 reconverges at line 20 (PC 15)"),
    ] {
        let mut lab = lab("tbc_example1", "toy");
        lab.set_up(MachineSpec { technique: technique.into(), ..lab.setup.clone() });
        lab.transport.wanted = Wanted::Event(EventKind::Reconvergence);
        lab.next_event();
        settle(&mut lab);
        let told = lab.notice.clone().expect(technique);
        assert!(told.text.contains(words), "{technique}: {told:?}");
        if technique == "PDOM" {
            let stage = lab.stage.as_ref().expect("it runs");
            assert!(stage.picture().warp(0, 0).is_some_and(|warp| warp.active == 0b1111 && warp.pc == 15));
        }
    }
    let mut lab = lab("collatz", "gtx480");
    lab.transport.wanted = Wanted::Stall;
    lab.next_event();
    settle(&mut lab);
    assert!(lab.notice.as_ref().is_some_and(|n| n.text.starts_with("Stall: warp 0 begins to wait")), "{:?}", lab.notice);
}

/// A warp that waits at a barrier is shown at the barrier's line: in the source, on its stack and in its sentence.
#[test]
fn a_warp_at_a_barrier_stands_at_the_barrier() {
    let mut waiting = 0;
    for technique in ["PDOM", "TBC", "DWF", "E-VWS"] {
        let mut lab = lab("bfs", "gtx480");
        lab.set_up(MachineSpec { technique: technique.into(), ..lab.setup.clone() });
        for cycle in (500..8_000).step_by(500) {
            lab.seek(cycle);
            settle(&mut lab);
            let stage = lab.stage.as_ref().expect("a stage");
            let instructions = &stage.session.sim().machine.program.instructions;
            let picture = stage.picture();
            for warp in picture.warps.iter().filter(|warp| warp.alive != 0 && warp.at_barrier == warp.alive) {
                let all_at_barriers = |mut pcs: Vec<u32>| {
                    pcs.dedup();
                    pcs.iter().all(|&pc| instructions[pc as usize].op.is_barrier())
                };
                let pcs: Vec<u32> = warp.places.iter().map(|(pc, _)| *pc).chain([warp.pc]).collect();
                assert!(all_at_barriers(pcs), "{technique}, cycle {cycle}: {warp:?}");
                assert!(all_at_barriers(warp.stack.last().map(|top| top.pc).into_iter().collect()), "{technique}: {warp:?}");
                waiting += 1;
            }
        }
    }
    assert!(waiting > 20, "{waiting}");
}

/// The first sentence about each warp that waits for a reason, over a run: the cycle, the warp and the sentence.
fn sentences_of(lab: &mut Lab, reason: Reason, most_cycles: u64) -> Vec<(u64, WarpPicture, String)> {
    let mut found = Vec::new();
    for _ in 0..most_cycles {
        lab.step();
        let stage = lab.stage.as_ref().expect("a stage");
        for warp in stage.picture().warps.iter().filter(|warp| warp.reason == Some(reason)) {
            let sentence = stage.brief(Selection::Warp { sm: warp.sm, warp: warp.warp });
            found.push((stage.session.cycle(), warp.clone(), sentence.lines().next().unwrap_or_default().to_string()));
        }
        if stage.session.at_end() {
            break;
        }
    }
    found
}

/// Returns the number behind some words of a sentence.
fn number_behind(sentence: &str, words: &str) -> Option<u64> {
    let rest = &sentence[sentence.find(words)? + words.len()..];
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

#[test]
fn a_wait_for_a_lane_names_the_lane_and_the_cycle_in_which_it_is_on() {
    let mut lab = lab("collatz", "gtx480");
    lab.set_up(MachineSpec { technique: "ConvPG".into(), ..lab.setup.clone() });
    let told = sentences_of(&mut lab, Reason::Wakeup, 3_000);
    assert!(told.len() > 20, "{}", told.len());
    let mut woken = 0;
    for (cycle, warp, sentence) in &told {
        let lane = number_behind(sentence, "lane ").unwrap_or_else(|| panic!("{cycle}: {sentence}"));
        let Some(on) = number_behind(sentence, "is on at cycle ") else { continue };
        let since = number_behind(sentence, "off since cycle ").unwrap_or_else(|| panic!("{cycle}: {sentence}"));
        assert!(since < *cycle && *cycle <= on + 1, "{cycle}: {sentence}");
        // In the cycle that it names, the lane comes on.
        let stage = lab.stage.as_ref().expect("a stage");
        let sim = stage.session.replay().machine_at(on + 1, None);
        let sm = &sim.state.sms[usize::from(warp.sm)];
        let unit = if sentence.contains("INT pipeline") { Unit::Int } else { Unit::Fp };
        let sp = number_behind(sentence, "of SP ").expect("an SP") as usize;
        let gating = sm.gating.as_ref().expect("gating is on");
        let bank = sm.units[unit as usize][sp].lanes.as_ref().expect("its lanes are known");
        assert!(bank.sleeper(1 << lane, on + 1, gating).is_none(), "{cycle}: {sentence}");
        woken += 1;
    }
    assert!(woken > 10, "{woken} of {}", told.len());
}

#[test]
fn a_wait_for_siblings_names_those_that_are_a_block_behind() {
    let mut counts = [0, 0];
    for (kernel, reason) in [("rayqueue", Reason::Siblings), ("collide", Reason::Ahead)] {
        let mut lab = lab(kernel, "gtx480");
        lab.set_up(MachineSpec { technique: "VTW".into(), ..lab.setup.with_key("max_blocks", "1") });
        let told = sentences_of(&mut lab, reason, 7_000);
        for (cycle, warp, sentence) in told.iter().step_by(told.len().div_ceil(200).max(1)) {
            let behind = number_behind(sentence, "block ").filter(|block| *block == warp.block);
            assert!(behind.is_some(), "{kernel}, {cycle}: {sentence}");
            let old = number_behind(sentence, if reason == Reason::Ahead { "still run block " } else { "use it for block " });
            lab.seek(*cycle);
            let picture = lab.stage.as_ref().expect("a stage").picture();
            let siblings = picture.warps.iter().filter(|other| other.slot == warp.slot && other.warp != warp.warp);
            let (run_old, others): (Vec<_>, Vec<_>) = siblings.partition(|other| Some(other.block) == old);
            assert!(!run_old.is_empty(), "{kernel}, {cycle}: {sentence}");
            let list = sentence.split("its siblings ").nth(1).unwrap_or_default();
            let list = list.split(" still").next().unwrap_or_default().split(" may").next().unwrap_or_default();
            // Five at most are named.
            let named: Vec<String> = run_old.iter().take(5).map(|other| other.warp.to_string()).collect();
            assert!(list.contains(&named.join(", ")), "{kernel}, {cycle}: {sentence}, but {named:?} and not {others:?}");
            counts[usize::from(reason == Reason::Ahead)] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}
