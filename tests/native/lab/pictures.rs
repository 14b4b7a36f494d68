//! The panels of the stage and the chips at lines.

use super::*;

/// The stage shows how threads diverge and, where the kernel has a barrier, the barrier board too.
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
        assert_eq!(shown("reduce", "gtx480", technique), [panel, "Barriers", "Warp-phases", "Memory"], "{technique}");
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
        assert_eq!(shown("matmul", "vws", technique), ["Gangs", "Barriers", "Warp-phases", "Memory"], "{technique}");
        assert_eq!(shown("mandelbrot", "vws", technique), ["Gangs", "Memory"], "{technique}");
    }
}

/// The board agrees with the machine in every cycle of a run: warps wait, and the last one's arrival opens the gate.
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

/// The board marks the warps that barrier-aware scheduling prefers; warps that have exited count for their block.
#[test]
fn critical_warps_are_of_the_blocks_that_the_policy_counts_highest() {
    use mechanism::barriers::{BarrierView, RunnerState};
    let mut lab = lab("reduce", "gtx480");
    lab.set_up(lab.setup.with_technique("schedule", Some("BAWS")));
    let (mut marked, mut by_exits) = (0, 0);
    while !lab.stage.as_ref().is_some_and(|stage| stage.session.at_end()) && lab.cycle() < 20_000 {
        let board = with_view(&lab, |view| BarrierView::of(&view));
        let most = board.blocks.iter().filter_map(|block| block.priority).max().unwrap_or(0);
        for block in &board.blocks {
            let is_first = most > 0 && block.priority == Some(most);
            for runner in &block.warps {
                assert_eq!(runner.critical, is_first && runner.state == RunnerState::Running, "{block:?}");
                marked += u32::from(runner.critical);
                by_exits += u32::from(runner.critical && block.waiting < most);
            }
        }
        lab.step();
    }
    assert!(marked > 0 && by_exits > 0, "{marked} {by_exits}");
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

/// Every thread of the pool is counted at its line once: as waiting, or as in flight.
#[test]
fn the_lines_of_the_warp_pool_count_every_thread() {
    let mut lab = lab("collatz", "tbc");
    lab.set_up(lab.setup.with_technique("divergence", Some("DWF")));
    let mut both = 0;
    for cycle in (100..3000).step_by(7) {
        lab.seek(cycle);
        settle(&mut lab);
        let svg = svg(&scene(&lab), Palette::of(Theme::Light));
        let texts = svg.split('>').filter_map(|part| part.split('<').next());
        let is_of_a_line = |text: &&str| text.contains("thread") && (text.contains("in flight") || text.contains(" wait"));
        let lines = texts.filter(is_of_a_line).collect::<Vec<_>>();
        let counted = |text: &str| text.split([' ', ',', ':']).filter_map(|word| word.parse::<usize>().ok()).sum::<usize>();
        let stage = lab.stage.as_ref().expect("a stage");
        let pool = stage.session.sim().state.sms[0].divergence.dwf().expect("a pool").pool();
        let threads = pool.map(|(_, warp)| warp.members.mask.count_ones() as usize).sum::<usize>();
        assert_eq!(lines.iter().map(|text| counted(text)).sum::<usize>(), threads, "cycle {cycle}: {lines:?}");
        both += lines.iter().filter(|text| text.contains(" wait, ")).count();
    }
    assert!(both > 0, "some line has threads of either kind");
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
    assert!(ended.iter().all(|w| (0..w.width).all(|lane| w.lane(lane) == LaneActivity::Exited)));
    assert!(others.iter().all(|w| w.lane(0) == LaneActivity::Active));
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
        // Every resident warp can be picked, in the column of its slice; no two slices share a column.
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

/// In a window of 1280 by 720 pixels the stage has this room; a picture that does not fit scrolls, and does not shrink.
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
            let tokens = scene.shapes.iter().filter_map(|shape| match shape.geometry {
                Geometry::Round(rect) if matches!(shape.tone, Tone::Warp(_)) => Some(rect),
                _ => None,
            });
            let smallest = tokens.clone().map(|rect| rect.w.min(rect.h)).fold(f32::INFINITY, f32::min);
            assert!(tokens.count() > 0 && smallest >= 12.0, "{technique}, cycle {cycle}: {smallest}");
        }
    }
}

/// In a film, a thread's number moves with its thread.
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
                    let Geometry::Round(Rect { x, y, w, h }) = token.geometry else { continue };
                    let number = named(token.key, 8);
                    // The number appears and fades where a thread begins and ends.
                    let stays = [&before, &now].iter().all(|scene| scene.shapes.iter().any(|shape| shape.key == number));
                    let text = frame.shapes.iter().find(|shape| stays && shape.key == number);
                    let Some(Geometry::Text { x: text_x, y: text_y, .. }) = text.map(|shape| &shape.geometry) else { continue };
                    let inside = (x..x + w).contains(text_x) && (y..y + h + 1.0).contains(text_y);
                    assert!(inside, "{technique}, cycle {}: {:?} at {text_x}, {text_y}", lab.cycle(), token.geometry);
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
    assert!(text.contains("split into 0.g0 {0 1 7} 0.g1 {3 4 5}, single 2 6: their next instructions differ"), "{text}");
    assert!(text.contains("in gang 0.g0 of slices 0, 1 and 7; of original gang 0"), "{text}");
    assert!(text.contains("in gang 0.g1 of slices 3, 4 and 5; of original gang 0"), "{text}");
    assert!(text.contains("a singleton; of original gang 0"), "{text}");
    assert!(lab.open_lesson("9-impatient-helps"));
    // In the first round the gang waits for slice 0, whose line takes long to arrive.
    let waits = |lab: &Lab| picture(lab).contains("runs in lock-step and warp 0 is not ready");
    while !waits(&lab) && lab.cycle() < 200 {
        lab.step();
    }
    assert!(waits(&lab), "somebody waits for slice 0");
}

/// Every thread that has not ended is in one block of the control-flow graph: it runs or waits there.
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

/// The height of a canvas is limited: a graph of very many blocks shows those around the selected warp.
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

/// With several SMs the picture shows the selected SM, and names it.
#[test]
fn a_picture_is_of_one_sm() {
    for technique in ["PDOM", "TBC", "DWF", "WS4", "I-VWS"] {
        let mut lab = Lab::new();
        lab.setup = MachineSpec { preset: "vws".into(), technique: technique.into(), ..MachineSpec::default() };
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
    // With one SM, no SM is named.
    assert!(!svg(&scene(&Lab::first_visit()), Palette::of(Theme::Light)).contains("of SM"));
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
            // The warp's chip lies on its line, and a click there selects it.
            let spot = scene.spots.iter().find(|spot| spot.what.warp() == Some((sm, warp))).expect("the selected warp's chip");
            let stage = lab.stage.as_ref().expect("a stage");
            let line = if cuda { stage.listing.cuda_line(pc) } else { stage.listing.ptx_line(pc) }.expect("a line");
            assert_eq!((spot.rect.y / mechanism::LINE) as u32, line - 1, "warp {warp}");
            assert_eq!(scene.hit(spot.rect.x + 2.0, spot.rect.y + 2.0), lab.selection);
            assert!(scene.words.contains(&format!("line {line}: ")) && scene.words.contains(&format!("{warp}, selected")));
            // No two chips touch, and none lies outside.
            let rects: Vec<_> = scene.spots.iter().map(|spot| spot.rect).collect();
            for (at, one) in rects.iter().enumerate() {
                assert!(one.x >= 0.0 && one.x + one.w <= scene.width && one.y + one.h <= scene.height, "{one:?}");
                assert!(rects[at + 1..].iter().all(|other| !one.meets(other)), "{one:?}");
            }
            partly += scene.words.matches("lanes)").count();
        }
    }
    assert!(partly > 0, "some warps are only partly at a line");
    // With more room more warps are named, and the others are counted; together they are all.
    let named = |room: f32| {
        let scene = chips(&lab, true, room);
        let more: usize = scene.words.split(", ").filter_map(|part| part.split_once(" more")?.0.parse::<usize>().ok()).sum();
        assert_eq!(scene.spots.len() + more, warps.len(), "{}", scene.words);
        scene.spots.len()
    };
    assert!(named(700.0) > named(500.0) && named(500.0) > named(250.0));
}

/// At the end of a lesson's run its first technique stands above it, on the same axis: the shorter run is drawn shorter.
#[test]
fn a_lesson_ends_with_both_runs_on_one_axis() {
    for (id, stop, [first, own]) in [
        ("1-compaction", 6, ["PDOM: 40 cycles", "TBC: 35 cycles: 12.5% fewer"]),
        ("16-warp-phases", 4, ["LRR: 1\u{202f}935 cycles", "BAWS: 1\u{202f}753 cycles: 9.4% fewer"]),
    ] {
        let mut lab = Lab::new();
        assert!(lab.open_lesson(id));
        lab.go_to_stop(stop);
        lab.end();
        settle(&mut lab);
        let scene = with_view(&lab, |view| mechanism::panels(view.sim)[0].draw(view));
        let line = |words: &str| {
            let of = scene.shapes.iter().find_map(|shape| match &shape.geometry {
                Geometry::Text { y, text, .. } if text == words => Some(*y),
                _ => None,
            });
            of.unwrap_or_else(|| panic!("{id}: {words}"))
        };
        let (above, below) = (line(first), line(own));
        assert!(above < below, "{id}");
        // What is drawn of a run lies between its name and the next line.
        let right = |from: f32, to: f32| {
            let in_run =
                scene.shapes.iter().filter(|shape| (from..to).contains(&shape.geometry.place().y) && !is_text(&shape.geometry));
            in_run.map(|shape| shape.geometry.place().x + shape.geometry.place().w).fold(0.0, f32::max)
        };
        let (long, short) = (right(above, below - 14.0), right(below, line("cycle 0") - 16.0));
        let lab_cycles = lab.cycle() as f32;
        let baseline = lab.baseline(lab.stage.as_ref().expect("a stage")).expect("a baseline").cycles as f32;
        assert!((short / long - lab_cycles / baseline).abs() < 0.02, "{id}: {short} of {long} px");
    }
}

fn is_text(geometry: &Geometry) -> bool {
    matches!(geometry, Geometry::Text { .. })
}

/// Where a lesson asks about a variable, its values stand in the tokens, and nowhere else.
#[test]
fn values_stand_in_the_tokens_where_a_lesson_asks_about_them() {
    let mut lab = Lab::new();
    assert!(lab.open_lesson("0-what-divergence-costs"));
    let texts = |lab: &Lab| -> Vec<String> {
        let scene = with_view(lab, |view| mechanism::panels(view.sim)[0].draw(view));
        let text = |geometry: &Geometry| if let Geometry::Text { text, .. } = geometry { Some(text.clone()) } else { None };
        scene.shapes.iter().filter_map(|shape| text(&shape.geometry)).filter(|text| text.starts_with("n=")).collect()
    };
    lab.go_to_stop(0);
    assert_eq!(texts(&lab), ["n=1", "n=2", "n=3", "n=4"]);
    lab.go_to_stop(1);
    let mut after = texts(&lab);
    after.sort();
    assert_eq!(after, ["n=1", "n=2", "n=3", "n=4"], "threads keep their values where they wait");
    lab.leave_lesson();
    assert!(texts(&lab).is_empty());
}
