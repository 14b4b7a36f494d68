//! The inspector's sentences in many cycles of many runs: there is always an answer, and what it says of barriers is true.

use std::collections::BTreeMap;
use warpscope_catalogue::Size;
use warpscope_lab::{Lab, MachineSpec, Origin};
use warpscope_machine::config::TECHNIQUES;
use warpscope_machine::event::{Event, Reason, SCATTERED};
use warpscope_pictures::view::{Selection, card, why};

fn lab(name: &str, preset: &str, technique: &str) -> Lab {
    let mut lab = Lab::new();
    lab.setup = MachineSpec { preset: preset.into(), technique: technique.into(), ..MachineSpec::default() };
    lab.choose(Origin::find(name, Size::Small));
    lab
}

/// Returns a lab with this kernel and launch.
fn own(ptx: &str, launch: &str) -> Lab {
    let mut lab = Lab::new();
    lab.setup = MachineSpec { preset: "toy".into(), technique: "PDOM".into(), ..MachineSpec::default() };
    lab.edit_ptx(ptx.to_string());
    lab.edit_launch(launch.to_string());
    assert!(lab.stage.is_some(), "{:?}", lab.misfit);
    lab
}

fn ask(lab: &Lab, selection: Selection) -> Vec<String> {
    let stage = lab.stage.as_ref().expect("a stage");
    why::why(stage.explainer(&stage.picture()), selection)
}

/// Asks about everything that is resident, and compares the sentences about barriers with the state.
fn ask_everything(lab: &Lab, context: &str) {
    let stage = lab.stage.as_ref().expect("a stage");
    let picture = stage.picture();
    let explainer = stage.explainer(&picture);
    let released = stage.session.last().iter().any(|event| matches!(event, Event::BarrierRelease { .. }));
    for warp in &picture.warps {
        let (sm, name) = (warp.sm, warp.warp);
        let said = why::why(explainer, Selection::Warp { sm, warp: name });
        assert!(!said.is_empty() && said.len() <= 8, "{context}: {said:?}");
        if warp.reason == Some(Reason::Barrier) {
            let completed = said[0].contains("has just completed");
            assert_eq!(completed, warp.at_barrier == 0, "{context}: {said:?}");
            assert!(!completed || released, "{context}: nothing was released, but {said:?}");
        }
        for lane in [0, warp.width as u8 - 1] {
            assert!(!why::why(explainer, Selection::Lane { sm, warp: name, lane }).is_empty(), "{context}");
        }
        assert!(!why::why(explainer, Selection::Block { sm, slot: warp.slot }).is_empty(), "{context}");
    }
}

#[test]
fn every_warp_can_be_asked_about_under_every_technique() {
    let kernels = ["reduce", "stencil", "matmul", "transpose", "mergesort", "bfs", "collatz"];
    let presets = ["toy", "gtx480", "vws", "origami"];
    for technique in TECHNIQUES {
        // Where threads go after a branch changes most of what there is to say.
        let (kernels, cycles) = if technique.decides == "divergence" { (&kernels[..], 2500) } else { (&kernels[..2], 1000) };
        let mut runs = 0;
        for (at, kernel) in kernels.iter().enumerate() {
            // The first preset, from a different one for each kernel on, that has the technique.
            let turned = presets.into_iter().cycle().skip(at % 3).take(presets.len());
            let Some((preset, mut lab)) =
                turned.map(|preset| (preset, lab(kernel, preset, technique.name))).find(|(_, lab)| lab.stage.is_some())
            else {
                continue;
            };
            runs += 1;
            for cycle in 0..cycles {
                lab.step();
                let stage = lab.stage.as_ref().expect("a stage");
                let barrier = |event: &Event| matches!(event, Event::BarrierRelease { .. } | Event::BlockEnd { .. });
                // Around barriers, and every 24 cycles.
                if cycle % 24 == 0 || stage.session.last().iter().any(barrier) {
                    ask_everything(&lab, &format!("{kernel} {preset} {} cycle {}", technique.name, stage.session.cycle()));
                }
                if stage.session.at_end() {
                    break;
                }
            }
        }
        assert!(runs == kernels.len(), "{}: {runs} runs", technique.name);
    }
}

const HEAD: &str =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<3>;\n";

#[test]
fn who_waits_where_nobody_comes_says_so() {
    // Warp 0 waits at barrier 0, warp 1 at barrier 1: neither can go on.
    let body =
        "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 bra A;\nbar.sync 1;\nbra.uni B;\nA:\nbar.sync 0;\nB:\nret;\n}\n";
    let launch =
        "kernel = \"k\"\ngrid = [1]\nblock = [16]\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = 1\ninit = \"zeros\"\n";
    let mut lab = own(&format!("{HEAD}{body}"), launch);
    let mut stuck = Vec::new();
    for _ in 0..2000 {
        lab.step();
        ask_everything(&lab, "two barriers");
        for warp in [0, 1] {
            stuck.extend(
                ask(&lab, Selection::Warp { sm: 0, warp }).into_iter().filter(|said| said.contains("no thread is on its way")),
            );
        }
        if lab.stage.as_ref().is_some_and(|stage| stage.session.at_end()) {
            break;
        }
    }
    assert!(!stuck.is_empty());
    // The run ends at the barriers, and the message names each barrier's own waiting warps.
    let trap = lab.stage.as_ref().and_then(|stage| stage.trap()).expect("a deadlock");
    let said = trap.message;
    assert!(
        said.contains("warps 0-1 wait at it (threads 0-7)") && said.contains("warps 2-3 wait at it (threads 8-15)"),
        "{said}"
    );
    assert!(said.contains("bar.sync 0;"), "{said}");
}

#[test]
fn a_lane_without_a_thread_has_nothing_to_show() {
    let launch =
        "kernel = \"k\"\ngrid = [1]\nblock = [5]\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = 1\ninit = \"zeros\"\n";
    let mut lab = own(&format!("{HEAD}mov.u32 %r1, %tid.x;\nret;\n}}\n"), launch);
    lab.step();
    let stage = lab.stage.as_ref().expect("a stage");
    let picture = stage.picture();
    // Nor has a lane that no warp has, which a link can ask for.
    for (warp, lane) in [(1, 2), (0, 200)] {
        let empty = card::card(stage.explainer(&picture), Selection::Lane { sm: 0, warp, lane });
        assert!(empty.why[0].contains("is empty"), "{:?}", empty.why);
        assert!(empty.registers.is_empty() && empty.facts.is_empty(), "{empty:?}");
    }
}

#[test]
fn registers_are_floating_point_where_instructions_take_them_so() {
    let ptx = ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<6>;\n.reg .b64 %rd<3>;\n\
        ld.param.b64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.b32 %r1, [%rd2];\nadd.rn.f32 %r2, %r1, 0f3F800000;\n\
        cvt.rzi.s32.f32 %r3, %r2;\ncvt.rn.f32.s32 %r4, %r3;\nadd.s32 %r5, %r3, 1;\nst.global.b32 [%rd2], %r5;\nret;\n}\n";
    let launch =
        "kernel = \"k\"\ngrid = [1]\nblock = [8]\n[[param]]\nbuffer = \"a\"\ntype = \"f32\"\nlen = 1\ninit = \"zeros\"\n";
    let lab = own(ptx, launch);
    let stage = lab.stage.as_ref().expect("a stage");
    let picture = stage.picture();
    let shown = card::card(stage.explainer(&picture), Selection::Warp { sm: 0, warp: 0 });
    let floats: Vec<&str> = shown.registers.iter().filter(|row| row.float).map(|row| row.name.as_str()).collect();
    assert_eq!(floats, ["%r1", "%r2", "%r4"], "%r1 is read as one, %r3 and %r5 are integers");
}

#[test]
fn lanes_that_a_barrier_on_one_side_keeps_back_are_not_at_it() {
    // Lanes 4 to 15 of warp 0 are at barrier 0, right before the point where they would reconverge with lanes 0 to 3.
    let body = "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 4;\n@%p1 bra L;\nbar.sync 0;\nL:\nbar.sync 1;\nret;\n}\n";
    let launch =
        "kernel = \"k\"\ngrid = [1]\nblock = [16]\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = 1\ninit = \"zeros\"\n";
    let mut lab = own(&format!("{HEAD}{body}"), launch);
    lab.set_up(MachineSpec { preset: "gtx480".into(), technique: "PDOM".into(), ..MachineSpec::default() });
    for _ in 0..2000 {
        lab.step();
        ask_everything(&lab, "a barrier on one side");
    }
    let stage = lab.stage.as_ref().expect("a stage");
    let picture = stage.picture();
    let warp = picture.warp(0, 0).expect("warp 0");
    assert_eq!((warp.at_barrier, warp.active), (0xfff0, 0), "{warp:?}");
    let said = ask(&lab, Selection::Lane { sm: 0, warp: 0, lane: 0 });
    assert!(said[0].contains("Lane 0 (thread 0) waits for lanes 4-15 of its warp, at a barrier"), "{said:?}");
    assert!(said[1].contains("for its own lanes 0-3 to arrive"), "{said:?}");
}

#[test]
fn a_warp_whose_threads_are_to_be_regrouped_names_no_next_instruction() {
    let mut leaving = 0;
    for technique in ["DWF", "DWF-WB", "TBC"] {
        let mut lab = lab("collatz", "gtx480", technique);
        for _ in 0..700 {
            lab.step();
            let stage = lab.stage.as_ref().expect("a stage");
            let picture = stage.picture();
            // The sentences about a warp that has just issued are about the lanes that issued.
            for warp in picture.warps.iter().filter(|warp| warp.leaving && warp.reason != Some(Reason::Issued)) {
                leaving += 1;
                let about = card::card(stage.explainer(&picture), Selection::Warp { sm: warp.sm, warp: warp.warp });
                let said = about.why.join(" ");
                assert!(said.contains("regrouped") && !said.contains("Next is") && !said.contains("goes on at"), "{said}");
                assert!(about.buffer.is_empty(), "{technique}: {:?}", about.buffer);
            }
            for warp in picture.warps.iter().filter(|warp| !warp.leaving) {
                let said = ask(&lab, Selection::Warp { sm: warp.sm, warp: warp.warp }).join(" ");
                let formed = said.contains("just formed");
                let before = format!("{technique}, cycle {}, warp {}", picture.cycle, warp.warp);
                assert!(
                    !formed || stage.session.last().iter().any(|event| matches!(event, Event::Formed { .. })),
                    "{before}: {said}"
                );
            }
        }
    }
    assert!(leaving > 300, "{leaving}");
}

/// Returns the PC that follows `words`, if a sentence has them.
fn pc_behind(sentence: &str, words: &str) -> Option<u32> {
    let (_, rest) = sentence.split_once(words)?;
    let (_, rest) = rest.split_once("PC ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Returns what issued in the last cycle: static warp, lanes and PC.
fn issued(last: &[Event]) -> Vec<(u16, u32, u32)> {
    let mut scattered = 0;
    last.iter()
        .filter_map(|event| match *event {
            Event::Issued { pc, first_thread: SCATTERED, .. } => {
                scattered = pc;
                None
            }
            Event::Issued { warp, pc, mask, .. } => Some((warp, mask, pc)),
            Event::IssuedFor { origin, mask, .. } => Some((origin, mask, scattered)),
            _ => None,
        })
        .collect()
}

#[test]
fn threads_go_on_where_the_inspector_says_they_will() {
    for technique in ["PDOM", "PDOM-LCP", "DWF", "DWF-WB", "TBC", "TBC-LCP"] {
        let (mut kept, mut checked) = (0, 0);
        for (kernel, preset) in
            [("collatz", "toy"), ("mergesort", "toy"), ("tbc_example2", "toy"), ("collatz", "tbc"), ("bfs", "gtx480")]
        {
            let context = format!("{kernel} on {preset} under {technique}");
            let mut lab = lab(kernel, preset, technique);
            // What was predicted for a lane: by warp and lane, the PC where it goes on, and the sentence.
            let mut foretold: BTreeMap<(u16, u32), (u32, String)> = BTreeMap::new();
            // A warp that stays as compiled goes on with the lanes that its stack selects, so one prediction covers all of them.
            let name = |lane: u32| if technique.starts_with("PDOM") { 0 } else { lane };
            for _ in 0..900 {
                lab.step();
                let stage = lab.stage.as_ref().expect("a stage");
                let last = stage.session.last();
                let now = issued(last);
                for &(warp, mask, pc) in &now {
                    for lane in (0..32).filter(|lane| mask >> lane & 1 != 0).map(name) {
                        if let Some((said, words)) = foretold.remove(&(warp, lane)) {
                            assert_eq!(pc, said, "{context}, cycle {}, warp {warp}, lane {lane}: {words}", lab.cycle());
                            checked += 1;
                        }
                    }
                }
                // Another block in the same slot ends all predictions.
                if last.iter().any(|event| matches!(event, Event::BlockEnd { .. } | Event::BlockStart { .. })) {
                    foretold.clear();
                }
                let picture = stage.picture();
                for &(warp, mask, _) in &now {
                    let said = ask(&lab, Selection::Warp { sm: 0, warp });
                    let Some(next) = said.get(1).filter(|next| !next.contains(" for lane")) else { continue };
                    let lane = name(mask.trailing_zeros());
                    if let Some(pc) = pc_behind(next, "Next is").or(pc_behind(next, "to go on at")) {
                        foretold.insert((warp, lane), (pc, next.clone()));
                    }
                }
                for warp in &picture.warps {
                    for &(pc, mask) in &warp.kept {
                        kept += 1;
                        let words = format!("kept for PC {pc}");
                        foretold.insert((warp.warp, mask.trailing_zeros()), (pc, words));
                    }
                }
            }
        }
        assert!(checked > 10, "{technique}: {checked}");
        assert_eq!(kept > 0, ["TBC", "TBC-LCP", "DWF-WB"].contains(&technique), "{technique}");
    }
}

#[test]
fn the_next_instruction_of_a_lane_is_the_one_it_issues_next() {
    for technique in ["PDOM", "PDOM-LCP", "DWF", "DWF-WB", "TBC", "TBC-LCP"] {
        let mut checked = 0;
        for kernel in ["collatz", "mergesort", "tbc_example1", "tbc_example2"] {
            let mut lab = lab(kernel, "toy", technique);
            let mut foretold: BTreeMap<(u16, u32), u32> = BTreeMap::new();
            for _ in 0..500 {
                lab.step();
                let stage = lab.stage.as_ref().expect("a stage");
                for (warp, mask, pc) in issued(stage.session.last()) {
                    for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                        if let Some(said) = foretold.remove(&(warp, lane)) {
                            assert_eq!(pc, said, "{kernel}, {technique}, cycle {}, warp {warp}, lane {lane}", lab.cycle());
                            checked += 1;
                        }
                    }
                }
                foretold.clear();
                let picture = stage.picture();
                for warp in &picture.warps {
                    for lane in (0..32u8).filter(|lane| warp.alive >> lane & 1 != 0) {
                        let about = card::card(stage.explainer(&picture), Selection::Lane { sm: 0, warp: warp.warp, lane });
                        let next = about.facts.iter().find(|(name, _)| *name == "Next");
                        let pc = next.and_then(|(_, value)| pc_behind(&format!(" {value}"), " "));
                        foretold.extend(pc.map(|pc| ((warp.warp, lane.into()), pc)));
                    }
                }
            }
        }
        assert!(checked > 500, "{technique}: {checked}");
    }
}

#[test]
fn a_lane_is_not_told_what_others_did() {
    let said = |technique: &str, cycle: u64, lane: u8| {
        let mut lab = lab("tbc_example1", "toy", technique);
        while lab.cycle() < cycle {
            lab.step();
        }
        ask(&lab, Selection::Lane { sm: 0, warp: 0, lane }).join(" ")
    };
    // Only lane 0 issued; the others have not reconverged with it yet.
    assert!(said("PDOM", 23, 2).contains("is active from now on"), "{}", said("PDOM", 23, 2));
    let starved = said("DWF", 27, 0);
    assert!(starved.contains("is in a warp that can issue") && !starved.contains("Warp 0 issued"), "{starved}");
}

#[test]
fn lanes_that_the_technique_keeps_know_what_for() {
    let mut lab = lab("tbc_example2", "toy", "TBC");
    lab.seek(26);
    while lab.cycle() < 26 {
        lab.step();
    }
    let said = ask(&lab, Selection::Lane { sm: 0, warp: 0, lane: 1 }).join(" ");
    assert!(said.contains("its block runs the side that began at PC 27") && said.contains("until it reaches PC 33"), "{said}");
    assert!(said.contains("Its own side, at PC 24") && said.contains("comes next on the block's stack"), "{said}");

    // A lane at a likely-convergence point waits for other lanes to arrive there.
    let mut lab = Lab::new();
    assert!(lab.open_lesson("4-likely-convergence"));
    lab.go_to_stop(3);
    let said = ask(&lab, Selection::Lane { sm: 0, warp: 0, lane: 1 }).join(" ");
    assert!(said.contains("PC 18") && said.contains("likely-convergence point") && said.contains("lanes 0-1"), "{said}");

    // One warp to a block: the inspector also says what its other lanes wait for.
    let mut lab = self::lab("collatz", "gtx480", "TBC");
    lab.resize(Size::Tiny);
    let about = (0..4000).find_map(|_| {
        lab.step();
        let stage = lab.stage.as_ref().expect("a stage");
        let about = card::card(stage.explainer(&stage.picture()), Selection::Warp { sm: 0, warp: 0 });
        let said = about.why.join(" ");
        let others = "Its lanes 26, 30 are in a warp that waits for %r";
        (said.contains("oldest thread, lane 0, waits") && said.contains(others)).then_some(about)
    });
    assert!(!about.expect("a cycle in which both wait").flights.is_empty());
    let said = ask(&lab, Selection::Lane { sm: 0, warp: 0, lane: 26 }).join(" ");
    assert!(said.contains("is in a warp that waits for %r"), "{said}");

    // In nested branches, sides that meet are told from those of the outer branch, and each cause is named once.
    let mut lab = self::lab("collatz", "tbc", "TBC");
    lab.resize(Size::Tiny);
    let said = (0..4000).find_map(|_| {
        lab.step();
        let said = ask(&lab, Selection::Warp { sm: 0, warp: 0 }).join(" ");
        let outer = "PC 30 (line 20), where the sides of an outer branch meet";
        (said.contains("until it reaches PC 27") && said.contains(outer) && said.contains("waits for %r")).then_some(said)
    });
    let said = said.expect("a cycle in which both are so");
    assert_eq!(said.matches("waits for %r").count(), 1, "{said}");
}

#[test]
fn what_is_not_so_is_not_said() {
    // A branch computes nothing.
    let mut branch = lab("collatz", "tbc", "TBC");
    let mut through = 0;
    for _ in 0..900 {
        branch.step();
        for warp in &branch.stage.as_ref().expect("a stage").picture().warps {
            let said = ask(&branch, Selection::Warp { sm: 0, warp: warp.warp }).join(" ");
            assert!(!said.contains("an earlier instruction") && !said.contains("`bra` computes"), "{said}");
            through += u32::from(said.contains("`bra` at PC 6") && said.contains("to complete"));
        }
    }
    assert!(through > 0);
}
