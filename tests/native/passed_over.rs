//! What the inspector says about a warp that could have issued and was not chosen: what issued instead, and why that came first.

use std::collections::BTreeSet;
use warpscope_catalogue::Size;
use warpscope_lab::{Lab, MachineSpec, Origin};
use warpscope_machine::event::{Event, Reason};
use warpscope_machine::sim::choice::{Cause, PassedOver};
use warpscope_pictures::view::why::Choices;
use warpscope_pictures::view::{Selection, why};

fn lab(name: &str, preset: &str, technique: &str, keys: &[(&str, &str)]) -> Lab {
    let mut lab = Lab::new();
    lab.setup = MachineSpec::new(preset, technique, keys.iter().copied());
    lab.choose(Origin::find(name, Size::Small));
    assert!(lab.stage.is_some(), "{name} {preset} {technique}: {:?}", lab.misfit);
    lab
}

fn ask(lab: &Lab, sm: u16, warp: u16) -> String {
    let stage = lab.stage.as_ref().expect("a stage");
    why::why(stage.explainer(&stage.picture()), Selection::Warp { sm, warp }).join(" ")
}

/// Checks what is kept about a warp against the events of the cycle.
fn check(lab: &Lab, passed: &PassedOver, said: &str) {
    let stage = lab.stage.as_ref().expect("a stage");
    let (config, last) = (&stage.session.sim().machine.config, stage.session.last());
    match passed.cause {
        Cause::Warp { chosen, words, .. } => {
            let issued = |event: &Event| matches!(*event, Event::Issued { sm, warp, .. } if (sm, warp) == (passed.sm, chosen));
            assert!(last.iter().any(issued), "{said}");
            assert_eq!(config.port_of(chosen.into()), config.port_of(passed.warp.into()), "{said}");
            assert!(said.contains(words), "{said}");
        }
        Cause::HeldBack => assert!(said.contains("not in the active set"), "{said}"),
        Cause::Gang { own, chosen, words } => {
            let scheduler = own.0 % config.schedulers;
            let issued: Vec<(u32, u8)> = last
                .iter()
                .filter_map(|event| match *event {
                    Event::GangIssued { sm, row, mask, .. } if sm == passed.sm => Some((u32::from(row), mask)),
                    _ => None,
                })
                .filter(|(row, _)| row % config.schedulers == scheduler)
                .collect();
            assert!(issued.contains(&chosen) && said.contains(words), "{issued:?}: {said}");
            let shares = issued.iter().any(|(_, mask)| mask & own.1 != 0);
            assert_eq!(said.contains("needs all of its slices"), shares, "{issued:?}: {said}");
            assert_eq!(said.contains("issues at most"), !shares, "{issued:?}: {said}");
            assert!(shares || issued.len() as u32 == config.gangs_per_cycle, "{issued:?}: {said}");
        }
    }
}

/// Asks about every warp that was not chosen in the first cycles of a run, again after going back, and checks the answers;
/// returns the reasons that were given.
fn reasons(lab: &mut Lab, cycles: u64) -> BTreeSet<&'static str> {
    let mut reasons = BTreeSet::new();
    let mut answers = Vec::new();
    for _ in 0..cycles {
        lab.step();
        let stage = lab.stage.as_ref().expect("a stage");
        let choices = stage.session.passed_over();
        for warp in stage.picture().warps.iter().filter(|warp| warp.reason == Some(Reason::NotSelected)) {
            let said = ask(lab, warp.sm, warp.warp);
            let passed = choices.iter().find(|passed| passed.sm == warp.sm && Some(passed.warp) == warp.entry);
            let passed = passed.unwrap_or_else(|| panic!("cycle {}: nothing is kept: {said}", lab.cycle()));
            check(lab, passed, &said);
            reasons.extend(match passed.cause {
                Cause::Warp { words, .. } | Cause::Gang { words, .. } => Some(words),
                Cause::HeldBack => None,
            });
            answers.push((lab.cycle(), warp.sm, warp.warp, said));
        }
    }
    for (cycle, sm, warp, said) in answers.iter().rev().step_by(answers.len() / 5 + 1) {
        lab.seek(*cycle);
        assert_eq!(ask(lab, *sm, *warp), *said, "cycle {cycle}, asked again");
    }
    reasons
}

#[test]
fn the_reason_is_what_the_policy_compares() {
    let none: &[(&str, &str)] = &[];
    for (kernel, preset, technique, keys, cycles, expected) in [
        ("reduce", "gtx480", "PDOM", none, 200, "which comes first in turn"),
        ("reduce", "gtx480", "PDOM", &[("schedule", "GTO")], 200, "which issued last and goes on while it can"),
        ("reduce", "gtx480", "PDOM", &[("schedule", "GTO")], 200, "which is older"),
        ("reduce", "gtx480", "PDOM", &[("schedule", "LPC")], 200, "which is at a lower PC"),
        ("reduce", "gtx480", "PDOM", &[("schedule", "TLS"), ("tls_active", "2")], 200, "which is in the active set"),
        ("bfs", "gtx480", "MWF-LRR+FEF", none, 400, "whose block has more warps at its barrier or its end"),
        ("bfs", "gtx480", "SAWS", none, 400, "whose block was at its barrier or its end first"),
        ("stencil", "gtx480", "VTW", none, 400, "whose block has made less progress"),
        ("stencil", "origami", "Origami", none, 400, "which is full, and full warps come first now"),
        ("mandelbrot", "origami", "Origami", none, 300, "whose integer instruction comes first now"),
        ("mandelbrot", "tbc", "TBC", none, 300, "whose block is older"),
        ("mandelbrot", "tbc", "DWF", none, 300, "which is at the majority PC"),
    ] {
        let reasons = reasons(&mut lab(kernel, preset, technique, keys), cycles);
        assert!(reasons.contains(expected), "{kernel} {preset} {technique} {keys:?}: {reasons:?}");
    }
}

#[test]
fn a_gang_that_is_passed_over_names_the_gang_that_came_first() {
    let mut one = lab("mandelbrot", "vws", "I-VWS", &[]);
    assert!(reasons(&mut one, 600).contains("which is larger"));
    // With one gang a cycle, gangs that share no slice with it are passed over too.
    let mut limited = lab("mandelbrot", "vws", "E-VWS-ImpatientMem", &[("gangs_per_cycle", "1")]);
    assert!(!reasons(&mut limited, 900).is_empty());
}
