//! What the page does, without the page: stepping, going back, searching, breakpoints, mistakes, links.

use warpscope::event::{Event, EventKind, Log, Reason, Sink};
use warpscope::lab::{Goal, Lab, Link, Origin, Setup, Texts, Verdict, Wanted, grouped, too_large, typed_cycle};
use warpscope::mechanism::{self, Lines, PanelView};
use warpscope::scene::{Figure, Film, Palette, Rect, Scene, Theme, Tone, svg};
use warpscope::session::Breakpoints;
use warpscope::view::{Lane, Script, Selection, WarpPicture, card};
use warpscope::workload::Size;

fn lab(name: &str, preset: &str) -> Lab {
    let mut lab = Lab::new();
    lab.setup = Setup { preset: preset.into(), ..Setup::default() };
    lab.choose(Origin::find(name, Size::Small));
    assert!(lab.misfit.is_none(), "{:?}", lab.misfit);
    lab
}

/// The file that the page gives to Perfetto is the one that the command line writes: valid, and of the cycles that are known.
#[test]
fn a_trace_of_the_run_is_a_file_for_perfetto() {
    let mut lab = lab("collatz", "gtx480");
    let stage = lab.stage.as_mut().expect("a stage");
    stage.session.advance(300, &Breakpoints::default());
    stage.session.seek(10);
    let text = stage.trace().expect("a trace");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let events = json["traceEvents"].as_array().expect("a list");
    let ends =
        events.iter().filter(|event| event["ph"] == "X").filter_map(|event| Some(event["ts"].as_u64()? + event["dur"].as_u64()?));
    assert_eq!(ends.max(), Some(300));
    assert_eq!(stage.session.cycle(), 10, "the run stays where it is");
}

/// A block of a small launch has four warps of 32 or more; the machine for lessons holds 32 threads, and gets the tiny one.
#[test]
fn a_machine_gets_the_launch_that_it_has_room_for() {
    let mut lab = lab("collatz", "gtx480");
    let size = |lab: &Lab| lab.origin.map(|origin| origin.size);
    assert_eq!(size(&lab), Some(Size::Small));
    let on = |preset: &str| Setup { preset: preset.into(), ..Setup::default() };
    lab.set_up(on("toy"));
    assert_eq!((size(&lab), lab.misfit.clone()), (Some(Size::Tiny), None));
    assert!(lab.notice.as_ref().is_some_and(|notice| notice.text.contains("tiny launch")), "{:?}", lab.notice);
    lab.set_up(Setup { technique: "PDOM,GTO".into(), ..on("toy") });
    lab.set_up(on("tbc"));
    assert_eq!((size(&lab), lab.misfit.clone()), (Some(Size::Small), None));
    lab.resize(Size::Tiny);
    lab.set_up(Setup { technique: "TBC".into(), ..on("tbc") });
    assert_eq!(size(&lab), Some(Size::Tiny), "another technique leaves the chosen launch");
    lab.open(Link { kernel: Some("collatz".into()), setup: Some(on("toy")), ..Link::default() });
    assert_eq!((size(&lab), lab.misfit.clone()), (Some(Size::Tiny), None), "a link that names no size");
}

/// Lets the transport work until it rests.
fn settle(lab: &mut Lab) {
    while !lab.transport.is_resting() {
        lab.tick(16.0, f64::INFINITY, &|| 0.0);
    }
}

/// The mechanism at this moment.
fn scene(lab: &Lab) -> Scene<Selection> {
    let stage = lab.stage.as_ref().expect("a stage");
    drawn(lab, mechanism::panels(stage.session.sim())[0].scene)
}

fn drawn(lab: &Lab, draw: fn(PanelView) -> Scene<Selection>) -> Scene<Selection> {
    with_view(lab, draw)
}

fn with_view<R>(lab: &Lab, look: impl FnOnce(PanelView) -> R) -> R {
    let stage = lab.stage.as_ref().expect("a stage");
    let picture = stage.picture();
    let view = PanelView {
        sim: stage.session.sim(),
        picture: &picture,
        listing: &stage.listing,
        selection: lab.selection,
        last: stage.session.last(),
        tally: stage.session.replay().tally(),
        record: stage.session.record(),
        issues: stage.session.issues(),
        names_parts: lab.hints.is_some(),
        width: 600.0,
        height: 500.0,
    };
    look(view)
}

/// The stage shows how threads diverge, and where the kernel has a barrier, the barrier board too.
#[test]
fn the_panels_that_apply_follow_the_technique_and_the_kernel() {
    let shown = |kernel: &str, preset: &str, technique: &str| {
        let mut lab = lab(kernel, preset);
        lab.set_up(lab.setup.with_technique("divergence", Some(technique)));
        assert_eq!(lab.misfit, None, "{kernel} {technique}");
        let stage = lab.stage.as_ref().expect("a stage");
        mechanism::panels(stage.session.sim()).iter().map(|panel| panel.short).collect::<Vec<_>>()
    };
    for (technique, panel) in [("PDOM", "Stack"), ("PDOM-LCP", "Stack"), ("TBC", "Compaction"), ("DWF-WB", "Warp pool")] {
        assert_eq!(shown("collatz", "gtx480", technique), [panel, "Memory"], "{technique}");
        assert_eq!(shown("reduce", "gtx480", technique), [panel, "Barriers", "Memory"], "{technique}");
    }
    let mut lab = lab("collatz", "gtx480");
    lab.set_up(lab.setup.with_technique("schedule", Some("MWF-GTO")));
    let names = |lab: &Lab| {
        let stage = lab.stage.as_ref().expect("a stage");
        mechanism::panels(stage.session.sim()).iter().map(|panel| panel.short).collect::<Vec<_>>()
    };
    assert_eq!(names(&lab), ["Stack", "Barriers", "Memory"], "a schedule that counts barriers, and a kernel without any");
    lab.end();
    settle(&mut lab);
    assert_eq!(names(&lab), ["Stack"], "what the run came to");
    for technique in ["WS8", "I-VWS", "E-VWS"] {
        assert_eq!(shown("matmul", "vws", technique), ["Gangs", "Barriers", "Memory"], "{technique}");
        assert_eq!(shown("mandelbrot", "vws", technique), ["Gangs", "Memory"], "{technique}");
    }
}

/// The board of a run agrees with the machine, cycle by cycle: warps wait, the last one's arrival opens the gate.
#[test]
fn the_barrier_board_follows_a_run() {
    use mechanism::barriers::{BarrierView, RunnerState};
    for (preset, technique) in [("gtx480", "PDOM"), ("gtx480", "TBC"), ("vws", "I-VWS")] {
        let mut lab = lab("reduce", preset);
        lab.set_up(lab.setup.with_technique("divergence", Some(technique)));
        let (mut waited, mut released, mut parked) = (0, 0, 0);
        while !lab.stage.as_ref().is_some_and(|stage| stage.session.at_end()) && lab.cycle() < 20_000 {
            let stage = lab.stage.as_ref().expect("a stage");
            let picture = stage.picture();
            let board = with_view(&lab, |view| BarrierView::of(&view));
            assert_eq!(board.blocks.iter().map(|block| block.warps.len()).sum::<usize>(), picture.warps.len());
            for block in &board.blocks {
                let waits = |runner: &&mechanism::barriers::Runner| runner.state == RunnerState::Waiting;
                assert_eq!(block.waiting as usize, block.warps.iter().filter(waits).count());
                waited += block.waiting;
                if block.released {
                    released += 1;
                    assert_eq!(block.waiting, 0, "{technique}: a release empties the gate");
                    assert!(block.warps.iter().all(|runner| runner.progress == 0), "{technique}: {block:?}");
                }
                parked += u32::from(block.waiting as usize + 1 == block.warps.len());
                assert!(block.warps.iter().all(|runner| runner.progress <= board.longest && runner.buffered <= board.ibuffer));
            }
            lab.step();
        }
        assert!(waited > 0 && released >= 2 && parked > 0, "{preset} {technique}: {waited} {released} {parked}");
    }
}

/// A short jump is played past every cycle on the way, in under two seconds; any other act ends it at its goal.
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
    // The whole run is known, and so is where the barriers are.
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
                // An act in the middle begins at the goal.
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

/// Chips over the lines of a text, the selected warp being at line `current`.
fn chips(lab: &Lab, cuda: bool, room: f32) -> Scene<Selection> {
    let stage = lab.stage.as_ref().expect("a stage");
    let lines = stage.listing.lines(if cuda { Script::Cuda } else { Script::Ptx });
    let selected = lab.selection.and_then(Selection::warp);
    mechanism::at_lines(&Lines { picture: &stage.picture(), lines, first: 0, selected, current: None, room })
}

/// All that a person sees at this moment.
fn picture(lab: &Lab) -> String {
    let stage = lab.stage.as_ref().expect("a stage");
    let picture = stage.picture();
    let cards = picture.warps.iter().map(|w| card::card(stage.witness(&picture), Selection::Warp { sm: w.sm, warp: w.warp }));
    format!(
        "{}\n{}\n{:?}\n{:?}\n{:?}",
        svg(&scene(lab), Palette::of(Theme::Light)),
        svg(&drawn(lab, mechanism::flow), Palette::of(Theme::Light)),
        cards.collect::<Vec<_>>(),
        stage.session.replay().tally(),
        stage.session.last()
    )
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
    assert_eq!(stage.verdict(), Some(Verdict::Right));
    assert!(lab.notice.as_ref().is_some_and(|notice| !notice.bad && notice.text.contains("Done")));
    assert_eq!(stage.report().cycles, stage.session.cycle());
    lab.back();
    assert_eq!(lab.stage.as_ref().and_then(|stage| stage.verdict()), None, "there is no result before the end");
}

/// The cycles in which something of a kind happened, told by the machine itself.
fn cycles_of(lab: &Lab, wanted: impl Fn(&Event) -> bool) -> Vec<u64> {
    let stage = lab.stage.as_ref().expect("a stage");
    let mut log = Log::default();
    stage.session.replay().events(0, u64::MAX, &mut log);
    let mut cycles: Vec<u64> = log.events.iter().filter(|(_, event)| wanted(event)).map(|(cycle, _)| *cycle).collect();
    cycles.dedup();
    cycles
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
    // Known country is found again without simulating anything.
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
fn lines_are_shown_without_the_compilers_tabs() {
    let lab = lab("mandelbrot", "gtx480");
    let listing = &lab.stage.as_ref().expect("a stage").listing;
    let shown: Vec<String> = (0..listing.lines(Script::Ptx).len()).map(|line| listing.text(Script::Ptx, line).into()).collect();
    assert!(shown.iter().any(|line| line == "  @%p7 bra $L__BB0_3;"), "{shown:#?}");
    assert!(shown.iter().all(|line| !line.contains('\t')));
    let source: Vec<String> =
        (0..listing.lines(Script::Cuda).len()).map(|line| listing.text(Script::Cuda, line).into()).collect();
    assert_eq!(source.join("\n").trim_end(), listing.cuda.as_deref().expect("a source").trim_end());
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

#[test]
fn a_mistake_leaves_the_last_good_kernel_loaded() {
    let mut lab = lab("collatz", "gtx480");
    lab.seek(50);
    settle(&mut lab);
    let before = picture(&lab);
    let good = lab.ptx.to_string();
    lab.edit_ptx(good.replacen("mov.u32", "mvo.u32", 1));
    assert!(!lab.reading.ptx.is_empty());
    assert!(picture(&lab) == before, "the stage stays");
    lab.edit_ptx(good.clone());
    assert!(lab.reading.ptx.is_empty());
    assert_eq!(lab.cycle(), 50, "a mistake that is taken back changes nothing");
    // With another machine meanwhile, the same text is another run.
    lab.edit_ptx(good.replacen("mov.u32", "mvo.u32", 1));
    lab.set_up(lab.setup.with_key("schedulers", "1"));
    lab.edit_ptx(good.clone());
    assert_eq!((lab.cycle(), lab.stage.as_ref().map(|stage| stage.session.sim().machine.config.schedulers)), (0, Some(1)));
    lab.seek(50);
    settle(&mut lab);
    lab.edit_ptx(good + "\n// the end\n");
    assert_eq!(lab.cycle(), 0, "another good text starts again");
    lab.edit_launch("grid = [1]\nblock = [99999]".into());
    assert!(lab.misfit.is_some() || !lab.reading.launch.is_empty());
    assert!(lab.stage.is_some());
}

#[test]
fn what_a_person_wrote_is_kept_while_another_kernel_is_looked_at() {
    let mut lab = lab("collatz", "gtx480");
    let mine = format!("{}\n// mine\n", lab.ptx);
    lab.edit_ptx(mine.clone());
    lab.choose(Origin::find("saxpy", Size::Small));
    assert!(lab.notice.as_ref().is_some_and(|notice| notice.text.contains("is kept")), "{:?}", lab.notice);
    lab.choose(Origin::find("bfs", Size::Small));
    assert!(lab.notice.is_none(), "nothing was edited: {:?}", lab.notice);
    lab.choose(None);
    assert_eq!((&*lab.ptx, lab.stage.is_some()), (mine.as_str(), true));
    // A launch of another size comes with the kernel that it is for.
    lab.choose(Origin::find("saxpy", Size::Small));
    lab.edit_ptx(mine.clone());
    lab.resize(Size::Full);
    assert!(!lab.is_edited() && lab.stage.is_some());
    lab.choose(None);
    assert_eq!(&*lab.ptx, mine);
}

#[test]
fn what_a_technique_pushes_out_is_said() {
    let mut lab = lab("collatz", "gtx480");
    lab.decide("divergence", Some("I-VWS"));
    lab.decide("schedule", Some("LRR"));
    let said = lab.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
    assert!(said.contains("I-VWS decides that too, and was given up"), "{said}");
    assert_eq!((lab.setup.technique_for("divergence"), lab.setup.technique_for("schedule")), (None, Some("LRR")));
    lab.decide("divergence", Some("PDOM"));
    assert_eq!((lab.setup.technique_for("divergence"), lab.setup.technique_for("schedule")), (Some("PDOM"), Some("LRR")));
    assert!(lab.notice.as_ref().is_some_and(|notice| !notice.text.contains("given up")), "{:?}", lab.notice);
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
    assert_eq!(Lab::restore(lab.draft().expect("no lesson is open")).breakpoints, lab.breakpoints, "a reload keeps them too");
    other.open(Link { breakpoints: Breakpoints { pcs: vec![3, 99_999], ..Breakpoints::default() }, ..lab.link() });
    assert_eq!(other.breakpoints.pcs, [3], "the kernel has no other");
    other.open(Link::read(&fragment).expect("a sound link").expect("not empty"));
    settle(&mut other);
    assert!(picture(&other) == picture(&lab), "{fragment}");
    // With a text of one's own.
    let own = lab.ptx.to_string() + "\n// mine\n";
    lab.edit_ptx(own.clone());
    other.open(Link::read(&lab.link().write()).expect("a sound link").expect("not empty"));
    assert_eq!(*other.ptx, own);
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

/// The lost lanes of all instructions are those that the numbers of the run say.
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

/// The record says for every warp and cycle what the events say, near by and from afar, and its counts add up.
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
    assert_eq!(buckets.iter().map(|b| b.thread_instructions).sum::<u64>(), report.thread_instructions);
    assert_eq!(buckets.iter().map(|b| b.reasons.iter().sum::<u64>()).sum::<u64>(), report.resident_warp_cycles);
    assert_eq!(buckets.iter().map(|b| b.cycles).sum::<u64>(), end);
}

/// The warp-phases that figures are made from are those of the report, and going back and forth adds none.
#[test]
fn warp_phases_of_the_record_are_those_of_the_report() {
    for technique in ["", "PDOM,GTO", "TBC", "DWF"] {
        let mut lab = lab("reduce", if technique.is_empty() { "gtx480" } else { "tbc" });
        lab.set_up(Setup { technique: technique.into(), ..lab.setup.clone() });
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
            let card = card::card(stage.witness(&picture), Selection::Warp { sm: warp.sm, warp: warp.warp });
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
                assert!(!card::card(stage.witness(&picture), name).why.is_empty());
            }
        }
        if stage.session.at_end() {
            break;
        }
    }
    assert!(seen.len() >= 6, "{seen:?}");
}

/// Figure 10's loop with a break: the entry for the likely-convergence point is on the stack, and the merge is shown.
#[test]
fn likely_convergence_points_and_merges_are_shown() {
    for technique in ["PDOM-LCP", "TBC-LCP"] {
        let mut lab = Lab::new();
        assert!(lab.open_lesson("4-likely-convergence"));
        lab.set_up(lab.setup.with_technique("divergence", Some(technique)));
        let (mut merges, mut shown) = (0, 0);
        while !lab.stage.as_ref().is_some_and(|stage| stage.session.at_end()) {
            lab.step();
            let last = lab.stage.as_ref().map_or(&[][..], |stage| stage.session.last());
            // A per-warp stack is shown for the first warp only.
            merges += last.iter().filter(|e| matches!(e, Event::LikelyMerge { warp: 0, .. } | Event::BlockMerge { .. })).count();
            shown += usize::from(picture(&lab).contains("merged at the likely-convergence point"));
        }
        assert!(merges > 0 && shown == merges, "{technique}: {merges} merges, {shown} shown");
    }
}

#[test]
fn lanes_whose_threads_have_ended_are_shown_as_such() {
    let mut lab = Lab::new();
    assert!(lab.open_lesson("8-many-paths"));
    lab.go_to_stop(4);
    let picture = lab.stage.as_ref().expect("a stage").picture();
    let (ended, others): (Vec<&WarpPicture>, Vec<&WarpPicture>) =
        picture.warps.iter().partition(|w| w.reason == Some(Reason::Exit));
    assert_eq!((ended.len(), others.len()), (8, 24), "the first original gang has ended, its block has not");
    assert!(ended.iter().all(|w| (0..w.width).all(|lane| w.lane(lane) == Lane::Exited)));
    assert!(others.iter().all(|w| w.lane(0) == Lane::Active));
}

#[test]
fn sixteen_slices_have_a_column_each() {
    let mut lab = lab("collatz", "vws");
    let setup = lab.setup.with_technique("divergence", Some("WS4")).with_key("warp_width", "2").with_key("slices", "16");
    lab.set_up(setup);
    assert_eq!(lab.misfit, None);
    let mut issued = 0u32;
    while lab.cycle() < 400 {
        lab.step();
        let stage = lab.stage.as_ref().expect("a stage");
        let scene = scene(&lab);
        // Every resident warp can be picked, in the column of its slice: no two slices share one.
        let mut columns = [None::<f32>; 16];
        for warp in &stage.picture().warps {
            let name = Selection::Warp { sm: warp.sm, warp: warp.warp };
            let spot = scene.spots.iter().rev().find(|spot| spot.what == name).expect("a spot for each warp");
            let column = columns[usize::from(warp.warp) % 16].get_or_insert(spot.rect.x);
            assert_eq!(*column, spot.rect.x, "warp {} in cycle {}", warp.warp, lab.cycle());
        }
        let found: Vec<f32> = columns.into_iter().flatten().collect();
        assert!(found.is_sorted_by(|a, b| a < b), "{found:?}");
        for event in stage.session.last() {
            if let Event::Issued { warp, .. } = event {
                issued |= 1 << (warp % 16);
            }
        }
    }
    assert_eq!(issued, 0xffff, "every slice has issued");
}

/// A window of 1280 by 720 leaves the stage this room; what has none scrolls, and does not shrink.
#[test]
fn threads_stay_large_enough_to_be_told_apart_in_a_small_window() {
    let setups = [("gtx480", "PDOM"), ("tbc", "TBC"), ("tbc", "DWF"), ("tbc", "DWF-WB"), ("vws", "E-VWS"), ("vws", "WS4")];
    for (preset, technique) in setups {
        let mut lab = lab("collatz", preset);
        lab.set_up(lab.setup.with_technique("divergence", Some(technique)));
        for cycle in (300..2000).step_by(50) {
            lab.seek(cycle);
            settle(&mut lab);
            let draw =
                |view: PanelView| (mechanism::panels(view.sim)[0].scene)(PanelView { width: 534.0, height: 346.0, ..view });
            let scene = with_view(&lab, draw);
            let tokens = scene.shapes.iter().filter_map(|shape| match shape.figure {
                Figure::Round(rect) if matches!(shape.tone, Tone::Warp(_)) => Some(rect),
                _ => None,
            });
            let smallest = tokens.clone().map(|rect| rect.w.min(rect.h)).fold(f32::INFINITY, f32::min);
            assert!(tokens.count() > 0 && smallest >= 12.0, "{technique}, cycle {cycle}: {smallest}");
        }
    }
}

/// Whatever way a thread takes in a film, its number is on it.
#[test]
fn a_threads_number_goes_where_the_thread_goes() {
    let named = |key: u64, kind: u64| key & (u64::MAX >> 8) | kind << 56;
    for (id, technique) in [("0-what-divergence-costs", "PDOM"), ("1-compaction", "TBC"), ("2-starvation-eddy", "DWF")] {
        let mut lab = Lab::new();
        assert!(lab.open_lesson(id));
        lab.set_up(lab.setup.with_technique("divergence", Some(technique)));
        let mut moved = 0;
        let mut before = scene(&lab);
        for _ in 0..60 {
            lab.step();
            let now = scene(&lab);
            let film = Film::new(&before, &now, false);
            for frame in (1..10).map(|tenth| film.frame(tenth as f32 / 10.0)) {
                for token in frame.shapes.iter().filter(|shape| shape.key >> 56 == 7) {
                    let Figure::Round(Rect { x, y, w, h }) = token.figure else { continue };
                    let number = named(token.key, 8);
                    // It appears and fades where a thread begins and ends.
                    let stays = [&before, &now].iter().all(|scene| scene.shapes.iter().any(|shape| shape.key == number));
                    let text = frame.shapes.iter().find(|shape| stays && shape.key == number);
                    let Some(Figure::Text { x: text_x, y: text_y, .. }) = text.map(|shape| &shape.figure) else { continue };
                    let inside = (x..x + w).contains(text_x) && (y..y + h + 1.0).contains(text_y);
                    assert!(inside, "{technique}, cycle {}: {:?} at {text_x}, {text_y}", lab.cycle(), token.figure);
                    moved += usize::from(!now.shapes.contains(token));
                }
            }
            before = now;
        }
        assert!(moved > 50, "{technique}: {moved}");
    }
}

#[test]
fn a_gangs_splits_are_written_out_and_its_waits_explained() {
    let mut lab = Lab::new();
    assert!(lab.open_lesson("6-gang-split"));
    lab.go_to_stop(2);
    let text = picture(&lab);
    assert!(text.contains("split into g0 {0 1 7} g1 {3 4 5}, alone 2 6: their next instructions differ"), "{text}");
    assert!(text.contains("in gang g0 of slices 0, 1 and 7; of original gang 0"), "{text}");
    assert!(text.contains("in gang g1 of slices 3, 4 and 5; of original gang 0"), "{text}");
    assert!(text.contains("by itself; of original gang 0"), "{text}");
    assert!(lab.open_lesson("9-impatient-helps"));
    // In the first round the gang waits for slice 0, whose line is far away.
    let waits = |lab: &Lab| picture(lab).contains("runs in lock-step and warp 0 is not ready");
    while !waits(&lab) && lab.cycle() < 200 {
        lab.step();
    }
    assert!(waits(&lab), "somebody waits for slice 0");
}

/// Lesson 5's kernel is meant for warps in lock-step: a technique that leaves their result gets a caution, DWF an error.
#[test]
fn a_kernel_that_depends_on_lock_step_is_judged_by_what_lock_step_leaves() {
    let mut lab = Lab::new();
    assert!(lab.open_lesson("5-warp-synchronous"));
    let stops = lab.course.as_ref().expect("a lesson").lesson.stops.iter().map(|stop| stop.technique.as_str());
    let mut judged = Vec::new();
    for (at, technique) in stops.collect::<Vec<_>>().into_iter().enumerate() {
        lab.go_to_stop(at);
        let stage = lab.stage.as_ref().expect("a stage");
        let Some(verdict) = stage.verdict() else { continue };
        let notice = stage.ending();
        let accesses =
            "thread 0 of block 0 writes shared address 0x0 at PTX line 32, thread 1 of the same warp reads it at PTX line 34";
        match &verdict {
            Verdict::LockStep(how) => {
                assert!(
                    how.starts_with("The result is what warps in lock-step leave, and the kernel depends on that: "),
                    "{how}"
                );
                assert!(how.contains(accesses), "{how}");
                assert!(!notice.bad && notice.text.contains("Done after") && notice.text.contains(how), "{notice:?}");
            }
            Verdict::Wrong(how) => {
                assert!(how.contains("depends on lock-step and this technique does not keep it"), "{how}");
                assert!(how.contains("buffer `done`, element 1: expected 1, found 2; 12 of 16 elements differ"), "{how}");
                assert!(how.contains(accesses), "{how}");
                assert!(notice.bad && notice.text.contains(how), "{notice:?}");
            }
            _ => panic!("{technique}: {verdict:?}"),
        }
        judged.push((technique, matches!(verdict, Verdict::LockStep(_))));
    }
    assert_eq!(judged, [("PDOM", true), ("DWF", false), ("DWF-WB", true), ("TBC", true)]);
}

/// Gangs and the kernel's blocks have names of different kinds: lesson 6 shows g0 and g1 beside the blocks A to D.
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
    assert!(["gang g0", "gang g1", "gang 0.g0", ">g0<", ">g1<"].iter().all(|name| seen.contains(name)));
}

/// Every thread that has not ended is in one block of the control-flow graph: it runs there, or it waits there.
#[test]
fn the_control_flow_graph_holds_every_thread_once() {
    for technique in ["PDOM", "PDOM-LCP", "WS4", "I-VWS", "TBC", "TBC-LCP", "DWF", "DWF-WB"] {
        for name in ["collatz", "mergesort", "bfs", "tbc_example2"] {
            let mut lab = lab(name, "vws");
            lab.setup.technique = technique.into();
            lab.choose(Origin::find(name, Size::Tiny));
            let mut parted = 0;
            for _ in 0..1500 {
                lab.step();
                let picture = lab.stage.as_ref().expect("a stage").picture();
                let words = drawn(&lab, mechanism::flow).words;
                let mut counted = [0u32; 2];
                for part in words.split(": ").skip(2) {
                    let numbers: Vec<u32> = part.split(' ').filter_map(|word| word.parse().ok()).collect();
                    counted = [counted[0] + numbers[0], counted[1] + numbers[1]];
                }
                let runs: u32 = picture.warps.iter().flat_map(|warp| &warp.places).map(|(_, mask)| mask.count_ones()).sum();
                let lives: u32 = picture.warps.iter().map(|warp| warp.alive.count_ones()).sum();
                assert_eq!(counted, [runs, lives - runs], "{name} {technique} cycle {}: {words}", picture.cycle);
                parted += u32::from(lives > runs || picture.warps.iter().any(|warp| warp.places.len() > 1));
            }
            assert!(parted > 0, "{name} {technique}: no warp was parted");
        }
    }
}

/// Whoever points at a lane reads the inspector's first sentence, and the mask of its warp.
#[test]
fn pointing_tells_in_short_what_a_thing_does() {
    let lab = Lab::first_visit();
    let stage = lab.stage.as_ref().expect("a stage");
    let picture = stage.picture();
    let warp = picture.warps.iter().find(|warp| warp.stack.len() > 1).expect("a divergent warp");
    for lane in 0..32 {
        let selection = Selection::Lane { sm: warp.sm, warp: warp.warp, lane };
        let card = card::card(stage.witness(&picture), selection);
        let mask = format!("Active lanes of warp {}: {:#010x}", warp.warp, warp.active);
        assert_eq!(stage.brief(selection), format!("{}\n{mask}", card.why[0]));
    }
    let gone = Selection::Warp { sm: 0, warp: 40 };
    assert!(stage.brief(gone).starts_with("Warp 40 is not resident"), "{}", stage.brief(gone));
}

/// A canvas can only be so high: of a graph with very many blocks one sees those around the selected warp.
#[test]
fn a_graph_of_many_blocks_shows_those_around_the_warp() {
    let steps: String =
        (0..400).map(|at| format!("setp.gt.u32 %p1, %r1, {at};\n@%p1 bra L{at};\nadd.u32 %r1, %r1, 2;\nL{at}:\n")).collect();
    let ptx = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry many(.param .u32 from) {{\n\
         .reg .pred %p<2>;\n.reg .b32 %r<3>;\nld.param.u32 %r1, [from];\nmov.u32 %r2, %tid.x;\nadd.u32 %r1, %r1, %r2;\n\
         {steps}ret;\n}}\n"
    );
    let launch = "grid = [1]\nblock = [32]\n[[param]]\ntype = \"u32\"\nvalue = 0\n".to_string();
    let mut lab = Lab::new();
    lab.open(Link { texts: Some(Texts { ptx, launch }), ..Link::default() });
    lab.selection = Some(Selection::Warp { sm: 0, warp: 0 });
    let mut tops = Vec::new();
    while lab.stage.as_ref().is_some_and(|stage| !stage.session.at_end()) {
        let picture = lab.stage.as_ref().expect("a stage").picture();
        let scene = drawn(&lab, mechanism::flow);
        assert!(scene.height < 16_000.0, "{}", scene.height);
        if picture.warp(0, 0).is_some_and(|warp| !warp.places.is_empty()) {
            assert!(scene.spots.iter().any(|spot| spot.what == Selection::Warp { sm: 0, warp: 0 }), "cycle {}", picture.cycle);
        }
        let svg = svg(&scene, Palette::of(Theme::Light));
        let title = svg.lines().find(|line| line.contains("around the selected warp")).expect("it says so").to_string();
        if tops.last() != Some(&title) {
            tops.push(title);
        }
        (0..50).for_each(|_| lab.step());
    }
    assert!((5..40).contains(&tops.len()), "pages, rather than a picture that slides: {tops:#?}");
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
    assert_eq!(go(0), "Warp 0 parts at A+6 (PC 6): 1 of its lanes takes the branch, 3 do not.");
    assert!(go(2).contains("1 still on the way (WCnt)"), "{}", go(2));
    assert!(go(3).contains("a warp of 3 threads was made for C (PC 10)"), "{}", go(3));
    go(0);
    lab.seek(0);
    settle(&mut lab);
    assert_eq!(said(&lab), "Nothing has run yet.");
    lab.step();
    settle(&mut lab);
    assert!(said(&lab).ends_with("at A, for 4 of 4 lanes."), "{}", said(&lab));
}

/// With several SMs the picture is of the selected one, and says which that is.
#[test]
fn a_picture_is_of_one_sm() {
    for technique in ["PDOM", "TBC", "DWF", "WS4", "I-VWS"] {
        let mut lab = Lab::new();
        lab.setup = Setup { preset: "vws".into(), technique: technique.into(), ..Setup::default() };
        lab.setup.keys.insert("sms".into(), "3".into());
        lab.choose(Origin::find("mergesort", Size::Full));
        assert!(lab.misfit.is_none(), "{technique}: {:?}", lab.misfit);
        (0..120).for_each(|_| lab.step());
        for sm in 0..3 {
            lab.selection = Some(Selection::Warp { sm, warp: 1 });
            let scene = scene(&lab);
            assert!(scene.spots.iter().all(|spot| spot.what.sm() == sm), "{technique}, SM {sm}");
            let all = lab.stage.as_ref().expect("a stage").picture();
            for warp in all.warps.iter().filter(|warp| warp.sm == sm) {
                let shown = |spot: &Selection| spot.warp() == Some((sm, warp.warp));
                assert!(scene.spots.iter().any(|spot| shown(&spot.what)), "{technique}, SM {sm}: warp {} is missing", warp.warp);
            }
            assert!(svg(&scene, Palette::of(Theme::Light)).contains(&format!("of SM {sm}")), "{technique}");
        }
        assert!(!svg(&scene(&lab), Palette::of(Theme::Light)).contains("of SM 0"), "{technique}");
    }
    // Of a machine with one SM there is nothing to say.
    assert!(!svg(&scene(&Lab::first_visit()), Palette::of(Theme::Light)).contains("of SM"));
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
fn files_and_links_that_cannot_run_say_so_and_leave_the_run_alone() {
    let mut lab = lab("collatz", "gtx480");
    lab.seek(40);
    settle(&mut lab);
    let said = |lab: &Lab| lab.notice.as_ref().filter(|notice| notice.bad).map(|notice| notice.text.clone()).unwrap_or_default();
    for (name, text, word) in
        [("photo.png", "\u{fffd}PNG", "photo.png"), ("broken.toml", "grid = [", "launch"), ("empty.ptx", "", "Choose a kernel")]
    {
        lab.take_file(name, text.into());
        assert!(said(&lab).contains(word) && said(&lab).contains("stays loaded"), "{name}: {}", said(&lab));
        assert_eq!(lab.cycle(), 40, "{name}");
    }
    let broken =
        Texts { ptx: ".version 8.0\n.visible .entry k() { nonsense; }".into(), launch: "grid = [1]\nblock = [1]".into() };
    let mut fresh = Lab::new();
    fresh.open(Link { texts: Some(broken), ..Link::default() });
    assert!(said(&fresh).contains("The link's kernel") && said(&fresh).contains("line"), "{}", said(&fresh));
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
fn a_text_of_many_branches_is_read_in_no_time() {
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\n";
    let launch = "kernel = \"k\"\ngrid = [1]\nblock = [1]\n";
    let chain: String = (0..20_000).map(|at| format!("@%p1 bra L{at};\nadd.s32 %r1, %r1, 1;\nL{at}:\n")).collect();
    let nest: String = (0..10_000).map(|at| format!("@%p1 bra L{at};\n")).collect();
    let nest = (0..10_000).rev().fold(nest, |text, at| text + &format!("L{at}:\nadd.s32 %r1, %r1, 1;\n"));
    let loops: String = (0..10_000).map(|at| format!("L{at}:\nadd.s32 %r1, %r1, 1;\n")).collect();
    let loops = (0..10_000).rev().fold(loops, |text, at| text + &format!("@%p1 bra L{at};\n"));
    for (name, body) in [("chain", chain), ("nest", nest), ("loops", loops)] {
        let start = std::time::Instant::now();
        let mut lab = Lab::new();
        lab.take_file("k.toml", launch.into());
        lab.take_file("k.ptx", format!("{head}{body}ret;\n}}\n"));
        assert!(lab.stage.is_some(), "{name}: {:?}", lab.notice);
        // With an analysis that looks at every pair of branches this takes minutes.
        assert!(start.elapsed().as_secs() < 5, "{name} took {:?}", start.elapsed());
    }
}

#[test]
fn a_warp_whose_block_keeps_all_its_threads_is_where_they_will_go_on() {
    let mut lab = lab("tbc_example1", "toy");
    lab.set_up(Setup { technique: "TBC".into(), ..lab.setup.clone() });
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
fn chips_name_who_is_at_a_line_and_always_the_selected_warp() {
    let mut lab = lab("mandelbrot", "gtx480");
    lab.choose(Origin::find("mandelbrot", Size::Full));
    lab.seek(4000);
    settle(&mut lab);
    let warps: Vec<(u16, u16, u32)> = {
        let stage = lab.stage.as_ref().expect("a stage");
        stage.picture().warps.iter().filter(|w| !w.places.is_empty()).map(|w| (w.sm, w.warp, w.pc)).collect()
    };
    assert!(warps.len() > 8, "{warps:?}");
    let mut partly = 0;
    for &(sm, warp, pc) in &warps {
        lab.selection = Some(Selection::Warp { sm, warp });
        for (cuda, room) in [(true, 250.0), (false, 350.0), (false, 500.0)] {
            let scene = chips(&lab, cuda, room);
            // Its chip lies on its line, and a click there selects it.
            let spot = scene.spots.iter().find(|spot| spot.what.warp() == Some((sm, warp))).expect("the selected warp's chip");
            let stage = lab.stage.as_ref().expect("a stage");
            let line = if cuda { stage.listing.cuda_line(pc) } else { stage.listing.ptx_line(pc) }.expect("a line");
            assert_eq!((spot.rect.y / mechanism::LINE) as u32, line - 1, "warp {warp}");
            assert_eq!(scene.hit(spot.rect.x + 2.0, spot.rect.y + 2.0), lab.selection);
            assert!(scene.words.contains(&format!("line {line}: ")) && scene.words.contains(&format!("{warp}, selected")));
            // No two chips touch, and none sticks out.
            let rects: Vec<_> = scene.spots.iter().map(|spot| spot.rect).collect();
            for (at, one) in rects.iter().enumerate() {
                assert!(one.x >= 0.0 && one.x + one.w <= scene.width && one.y + one.h <= scene.height, "{one:?}");
                assert!(rects[at + 1..].iter().all(|other| !one.meets(other)), "{one:?}");
            }
            partly += scene.words.matches("lanes)").count();
        }
    }
    assert!(partly > 0, "some warps are only partly at a line");
    // With more room more are named, and those who are not are counted: together they are all.
    let named = |room: f32| {
        let scene = chips(&lab, true, room);
        let more: usize = scene.words.split(", ").filter_map(|part| part.split_once(" more")?.0.parse::<usize>().ok()).sum();
        assert_eq!(scene.spots.len() + more, warps.len(), "{}", scene.words);
        scene.spots.len()
    };
    assert!(named(700.0) > named(500.0) && named(500.0) > named(250.0));
}

/// A kernel with so many bytes of local memory a thread.
fn with_local(bytes: u64) -> String {
    format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k() {{\n.reg .b32 %r<3>;\n.local .align 8 .b8 stack[{bytes}];\n\
         mov.u32 %r1, %tid.x;\nst.local.u32 [stack], %r1;\nret;\n}}\n"
    )
}

#[test]
fn local_memory_that_a_page_has_not_is_refused() {
    for (bytes, block, word) in [(67_108_864, 64, "524288"), (1_000_000_000, 64, "524288"), (500_000, 1024, "a page has 8")] {
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
fn texts_of_ones_own_outlive_other_kernels_lessons_and_links() {
    let mine = with_local(16);
    let mut lab = Lab::new();
    lab.edit_ptx(mine.clone());
    lab.edit_launch("grid = [1]\nblock = [64]\n".into());
    lab.choose(Origin::find("mandelbrot", Size::Small));
    assert_eq!(lab.own().map(|own| own.ptx.as_str()), Some(mine.as_str()), "for the next visit");
    assert!(lab.open_lesson("1-compaction"));
    lab.choose(Origin::find("saxpy", Size::Small));
    let theirs = with_local(32);
    let link =
        Link { texts: Some(Texts { ptx: theirs.clone(), launch: "grid = [1]\nblock = [32]\n".into() }), ..Link::default() };
    lab.open(link);
    assert_eq!(*lab.ptx, *theirs);
    assert_eq!(lab.own().map(|own| own.ptx.as_str()), Some(mine.as_str()));
    lab.choose(Origin::find("saxpy", Size::Small));
    lab.choose(None);
    assert_eq!(*lab.ptx, *theirs, "what was looked at last");

    // From its own texts into a lesson and back.
    assert!(lab.open_lesson("1-compaction"));
    lab.choose(Origin::find("saxpy", Size::Small));
    lab.choose(None);
    assert_eq!(*lab.ptx, *theirs);
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
fn nobody_is_together_again_who_has_not_parted() {
    for technique in ["PDOM", "TBC", "TBC-LCP", "DWF-WB"] {
        let [parted, met] = [EventKind::Divergence, EventKind::Reconvergence].map(|kind| {
            // Sixteen threads leave a loop together before the first of them part.
            let mut lab = lab("bfs", "tbc");
            lab.set_up(Setup { technique: technique.into(), ..lab.setup.clone() });
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
        ("PDOM", "warp 0 is together again at line 20 (PC 15)"),
        ("TBC", "8 threads of block 0 are together again at line 20 (PC 15)"),
        ("DWF-WB", "warp 0 is together again at line 20 (PC 15)"),
    ] {
        let mut lab = lab("tbc_example1", "toy");
        lab.set_up(Setup { technique: technique.into(), ..lab.setup.clone() });
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

/// What a refused choice leaves: the stage, the choices and the link as they were, and a notice that names what runs.
fn assert_refused(lab: &Lab, before: &Link, runs: &str) {
    let notice = lab.notice.as_ref().filter(|notice| notice.bad).map_or("", |notice| notice.text.as_str());
    assert!(notice.starts_with("Not applied") && notice.contains(&format!("Still running: {runs}.")), "{notice}");
    assert_eq!(lab.misfit, None);
    assert_eq!(lab.link(), *before, "the link is to what is shown");
    assert_eq!(lab.draft().and_then(|draft| draft.setup), before.setup);
    let mut other = Lab::new();
    other.open(before.clone());
    settle(&mut other);
    assert!(other.stage.is_some() && picture(&other) == picture(lab), "the link opens what is shown");
}

#[test]
fn a_refused_choice_goes_back_and_the_link_is_to_what_is_shown() {
    // A launch that the machine has no room for.
    let mut lab = lab("reduce", "toy");
    let tiny = lab.launch.to_string();
    lab.seek(20);
    settle(&mut lab);
    let before = lab.link();
    lab.resize(Size::Full);
    assert_ne!(tiny, Origin::find("reduce", Size::Full).map_or("", Origin::launch), "the launches differ");
    assert_refused(&lab, &before, "toy, PDOM");
    assert_eq!((lab.origin.map(|origin| origin.size), &*lab.launch, lab.cycle()), (Some(Size::Tiny), tiny.as_str(), 20));

    // A technique that the machine cannot have, and a machine that the launch does not fit.
    lab.decide("divergence", Some("I-VWS"));
    assert_refused(&lab, &before, "toy, PDOM");
    assert!(lab.notice.as_ref().is_some_and(|notice| notice.text.contains("The machine `gtx480` can have it.")));
    lab.set_up(Setup { preset: "gtx480".into(), ..lab.setup.clone() });
    lab.resize(Size::Full);
    let before = lab.link();
    lab.set_up(Setup { preset: "toy".into(), ..lab.setup.clone() });
    assert_refused(&lab, &before, "gtx480, PDOM");
    assert_eq!(lab.setup.preset, "gtx480");

    // A kernel, and a link that is put into the address bar.
    lab.choose(Origin::find("saxpy", Size::Small));
    lab.set_up(Setup { preset: "toy".into(), ..lab.setup.clone() });
    let before = lab.link();
    lab.choose(Origin::find("reduce", Size::Full));
    assert_refused(&lab, &before, "toy, PDOM");
    lab.open(Link::read("kernel=reduce&size=full&preset=toy").expect("a sound link").expect("not empty"));
    assert_refused(&lab, &before, "toy, PDOM");
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
        lab.draft().and_then(|draft| draft.texts).is_some_and(|texts| texts.ptx.contains("mvo.u32")),
        "a reload brings back what was typed"
    );
    lab.edit_ptx(good);
    lab.edit_launch(format!("shared = 99999\n{}", launch.replace("shared =", "# shared =")));
    assert!(lab.misfit.is_some(), "{:?}", lab.reading.launch);
    assert_eq!(lab.link(), before, "nor is a launch that the machine refuses");
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
    assert_eq!(lab.idle, None, "PDOM is what others are compared with");
    lab.decide("divergence", Some("TBC"));
    let idle = lab.idle.clone().expect("one warp a block");
    assert!(idle.why.contains("TBC cannot act on this launch: each block has one warp"), "{}", idle.why);
    assert!(idle.offer.is_some() && idle.offer_words(lab.origin).is_some_and(|words| words.starts_with("Take ")), "{idle:?}");
    lab.take_offer();
    assert_eq!((lab.origin, &lab.idle, &lab.misfit), (idle.offer, &None, &None));
    // Without a branch that could split a warp, another kernel is offered.
    lab.choose(Origin::find("matmul", Size::Small));
    if let Some(idle) = &lab.idle {
        assert!(idle.offer.is_some(), "{idle:?}");
    }
    lab.decide("divergence", Some("PDOM"));
    assert_eq!(lab.idle, None);
}

#[test]
fn virtual_blocks_that_are_all_resident_are_told_with_a_launch_of_more() {
    let mut lab = lab("spmv", "gtx480");
    lab.decide("dispatch", Some("VTW"));
    let idle = lab.idle.clone().expect("a small launch is resident at once");
    assert!(idle.why.contains("blocks are resident at once"), "{}", idle.why);
    assert_eq!(idle.offer, Origin::find("spmv", Size::Full));
    lab.take_offer();
    assert_eq!(lab.idle, None);
}

#[test]
fn an_event_that_was_looked_for_says_who_it_is_about() {
    let mut lab = Lab::first_visit();
    lab.seek(0);
    lab.next_event();
    let told = lab.notice.clone().expect("a notice");
    assert!(told.text.starts_with("Divergence: warp 0 parts at ") && told.text.contains("1 of its lanes"), "{told:?}");
    assert_eq!(told.show, Some(Selection::Warp { sm: 0, warp: 0 }));
    lab.step();
    lab.previous_event();
    assert_eq!(lab.notice, Some(told));
}

#[test]
fn a_kernel_of_another_name_is_ones_own() {
    let mut lab = lab("collatz", "gtx480");
    let (ptx, launch) = (lab.ptx.to_string(), lab.launch.to_string());
    lab.edit_ptx(ptx.replace("mov.b32", "mov.b32 "));
    assert!(lab.is_edited() && lab.origin.is_some(), "a change is still the catalogue's kernel, edited");
    lab.edit_ptx(ptx.replace("collatz", "mine"));
    assert!(lab.reading.ready.is_err() && lab.origin.is_some(), "the launch means another kernel");
    lab.edit_launch(launch.replace("collatz", "mine"));
    assert!(lab.reading.ready.is_ok() && lab.origin.is_none(), "{:?}", lab.reading.ready.as_ref().err());
    assert_eq!(lab.stage.as_ref().map(|stage| &*stage.kernel), Some("mine"));
    assert_eq!(lab.link().kernel, None);
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
fn problems_of_a_launch_are_marked_whole_and_where_they_are() {
    let mut lab = lab("collatz", "gtx480");
    let launch = lab.launch.to_string();
    let marked = |lab: &Lab| {
        let place = lab.reading.launch.first().and_then(|finding| finding.place).expect("a place");
        let line: Vec<char> = lab.launch.lines().nth(place.line - 1).expect("a line").chars().collect();
        line[place.column - 1..place.column - 1 + place.width].iter().collect::<String>()
    };
    lab.edit_launch(launch.replace("\"u32\"", "\"u33\""));
    assert_eq!(marked(&lab), "\"u33\"");
    lab.edit_launch(launch.replace("\"zeros\"", "{ file = \"x.bin\" }"));
    assert_eq!(marked(&lab), "\"steps\"", "the buffer that cannot be filled");
    assert!(lab.reading.ready.is_err() && lab.misfit.is_none() && lab.stage.is_some());
    lab.edit_launch(launch.clone());
    lab.edit_ptx(".version 8.0\n.target sm_80\n.address_size 64\n".into());
    assert!(lab.reading.launch.is_empty() && lab.reading.ptx[0].message.contains("no kernel"), "{:?}", lab.reading.ptx);
}

#[test]
fn a_technique_with_a_number_of_its_own_keeps_its_name() {
    let setup = Setup { technique: "E-VWS-Sync7,gto".into(), ..Setup::default() };
    assert_eq!((setup.technique_for("divergence"), setup.technique_for("schedule")), (Some("E-VWS-Sync7"), Some("GTO")));
}

/// Setups that would take more memory than a page has.
const HUGE: [&str; 4] = [
    "sms:64,l1d_bytes:1073741824",
    "sms:64,sp_units:1048576,ldst_units:1048576",
    "l2_bytes:1073741824,l2_line:32",
    "sms:64,max_threads:4096,schedulers:32,divergence:DWF",
];

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
fn a_link_or_a_draft_of_a_huge_machine_gives_a_message_and_a_machine() {
    for keys in HUGE {
        let link = Link::read(&format!("kernel=collatz&preset=gtx480&set={keys}")).expect("a link").expect("not empty");
        let mut opened = Lab::new();
        opened.open(link.clone());
        // Over a machine that runs, too.
        let mut over = lab("saxpy", "toy");
        over.open(link.clone());
        for mut lab in [opened, over, Lab::restore(link)] {
            let cycle = lab.cycle();
            lab.step();
            assert!(lab.stage.is_some() && lab.cycle() == cycle + 1, "{keys}: {:?}", lab.misfit);
            assert!(lab.misfit.is_none() && lab.setup.keys.is_empty() && lab.setup.preset == "gtx480", "{keys}");
        }
        let mut lab = Lab::new();
        lab.open(Link::read(&format!("kernel=collatz&preset=gtx480&set={keys}")).expect("a link").expect("not empty"));
        let told = lab.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
        assert!(told.contains("cannot be had") && told.contains("256 MiB"), "{keys}: {told}");
    }
}

#[test]
fn a_module_variable_of_a_gigabyte_is_refused_with_its_size() {
    let text =
        |bytes: u64| with_local(16).replace(".visible .entry", &format!(".global .align 4 .b8 big[{bytes}];\n.visible .entry"));
    let mut lab = Lab::new();
    lab.edit_launch("grid = [1]\nblock = [64]\n".into());
    lab.edit_ptx(text(1_073_000_000));
    assert!(lab.stage.is_none() && lab.misfit.as_ref().is_some_and(|m| m.contains("module's variables")), "{:?}", lab.misfit);
    lab.edit_launch("grid = [1]\nblock = [64]\n[[global]]\nname = \"big\"\n".into());
    let told = &lab.reading.launch[0].message;
    assert!(lab.stage.is_none() && told.contains("`big`") && told.contains(&grouped(1_073_000_000)), "{told}");
    lab.edit_ptx(text(1_000_000));
    assert!(lab.stage.is_some(), "{:?} {:?}", lab.misfit, lab.reading.launch);
}

#[test]
fn variables_that_the_launch_sets_are_shown() {
    let mut lab = Lab::new();
    lab.edit_ptx(
        with_local(16)
            .replace(".visible .entry", ".global .align 4 .u32 counter = 5;\n.const .align 4 .b8 table[8];\n.visible .entry")
            .replace("ret;", "red.global.add.u32 [counter], 1;\nret;"),
    );
    let globals = "[[global]]\nname = \"counter\"\n[[global]]\nname = \"table\"\ntype = \"u32\"\ninit = { values = [1, 2] }\n";
    lab.edit_launch(format!("grid = [1]\nblock = [64]\n{globals}"));
    lab.end();
    settle(&mut lab);
    let stage = lab.stage.as_ref().expect("a stage");
    let shown: Vec<(String, usize)> = stage.buffers().iter().map(|b| (b.name.clone(), b.changed)).collect();
    assert_eq!(shown, [("counter".to_string(), 1), ("table".to_string(), 0)]);
    let draft = Lab::restore(lab.draft().expect("no lesson is open"));
    assert_eq!(draft.stage.as_ref().map(|stage| stage.buffers().len()), Some(2));
}

#[test]
fn each_texts_problems_are_its_own() {
    let mut lab = Lab::new();
    lab.take_file("k.ptx", with_local(16).replace("mov.u32", "move.u32"));
    lab.take_file("l.toml", "grid = [1]\nblok = [64]\n".into());
    let told = lab.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
    let (launch, ptx) = told.split_once("The PTX has one too, line").unwrap_or_else(|| panic!("{told}"));
    assert!(ptx.contains("move.u32") && !ptx.contains("blok"), "{told}");
    assert!(
        launch.contains("The launch has a problem. line 2: ") && launch.contains("blok") && !launch.contains("move"),
        "{told}"
    );
    lab.take_file("k.ptx", with_local(16));
    let told = lab.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
    assert!(told.contains("The launch has a problem.") && told.contains("blok"), "{told}");
}

#[test]
fn a_text_that_is_too_large_is_told_in_bytes() {
    let told = too_large(9_000_000);
    assert!(told.contains(&grouped(9_000_000)) && told.contains(&grouped(8_388_608)), "{told}");
    let mut lab = Lab::new();
    lab.edit_ptx("/".repeat(9_000_000));
    assert!(lab.reading.ptx[0].message.contains(&grouped(9_000_000)), "{:?}", lab.reading.ptx[0]);
}

#[test]
fn a_page_names_keys_and_no_flags() {
    let mut lab = Lab::new();
    lab.setup = Setup { preset: "toy".into(), ..Setup::default() };
    lab.edit_launch("grid = [1]\nblock = [64]\n".into());
    lab.edit_ptx(with_local(16));
    let told = lab.misfit_words().unwrap_or_default();
    assert!(told.contains("`max_threads=64` would do") && !told.contains("--set"), "{told}");
}
