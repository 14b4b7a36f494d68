//! The picture of the barrier board.
//!
//! Each warp has a row: its lane of the track, with its token at its progress, then the gate, then the place for warps that have
//! ended. Beside it is the warp's I-buffer, with arrows for the last cycle's fetch and issue. The rows of a block lie together.
//! If the rows of all blocks do not fit, the selected block is large, and the others are lines of an overview.

use super::super::parts::{BASE, SMALL, hue, kind};
use super::film;
use super::plan::{ARROW, BLOCK_GAP, BoardPlan, FOOT, HEAD, LABEL, LINE, NARROW, Room, cell_size, has_foot, overview_lines};
use super::track::{self, key_of};
use super::view::{BarrierView, BlockTrack, Runner, RunnerState};
use crate::scene::{Align, Rect, Scene, Tone};
use crate::view::Selection;
use crate::view::words::counted;
use warpscope_machine::event::Reason;

/// Draws the board in a room of a given size.
pub fn draw(view: &BarrierView, room: &Room) -> Scene<Selection> {
    let mut scene = Scene::new(room.width, room.height);
    scene.words = words(view);
    if view.blocks.is_empty() {
        scene.label(0, Tone::Soft, 0.0, 16.0, BASE, Align::Left, "No block is resident on this SM.");
        return scene;
    }
    let plan = BoardPlan::new(view, room);
    headings(&mut scene, &plan);
    let mut y = HEAD - BLOCK_GAP;
    for block in view.blocks.iter().filter(|block| plan.is_large(block)) {
        let area = Rect::new(0.0, y + BLOCK_GAP, room.width, block.warps.len() as f32 * plan.pitch);
        track::draw(&mut scene, view, &plan, room, block, area);
        y = area.y + area.h;
    }
    let others: Vec<&BlockTrack> = view.blocks.iter().filter(|block| !plan.is_large(block)).collect();
    if !others.is_empty() {
        y = overview(&mut scene, &plan, room, &others, y + BLOCK_GAP);
    }
    if has_foot(view, room) {
        foot(&mut scene, view, (y + FOOT).max(room.height) - 4.0);
        y += FOOT;
    }
    scene.height = scene.height.max(y);
    film::direct(&mut scene, view, &plan, room);
    scene
}

/// Writes how many fetches so far served another warp than the one that issued next.
fn foot(scene: &mut Scene<Selection>, view: &BarrierView, y: f32) {
    let missed = view.fetches - view.used_next;
    let share = 100.0 * missed as f32 / view.fetches as f32;
    let text = format!("Fetches for another warp than the one that issued next: {missed} of {} ({share:.0}%)", view.fetches);
    let text = if scene.width < NARROW { format!("Fetches for the wrong warp: {missed} of {}", view.fetches) } else { text };
    scene.label(0, Tone::Soft, 0.0, y, SMALL, Align::Left, text);
}

fn headings(scene: &mut Scene<Selection>, plan: &BoardPlan) {
    let mut say = |x: f32, align: Align, text: &str| scene.label(0, Tone::Soft, x, 12.0, SMALL, align, text);
    say(0.0, Align::Left, "block");
    say(plan.gate, Align::Left, "waiting");
    say(plan.ended + plan.wide / 2.0, Align::Middle, "ended");
    if plan.ibuffer > 0 {
        say(plan.fetch + ARROW / 2.0 - 1.0, Align::Middle, "fetch");
        let cells = plan.ibuffer as f32 * (cell_size(plan.token) + 2.0);
        say(plan.cells + cells / 2.0, Align::Middle, "I-buffer");
    }
    say(plan.issue + ARROW / 2.0 + 1.0, Align::Middle, "issue");
    // What the track counts: in its first half, or in place of the number in its middle, in the longest form that fits.
    let middle = |progress: u64| plan.x_at(progress) + plan.wide / 2.0;
    let (start, half, end) = (middle(0), middle(plan.scale / 2), middle(plan.scale));
    let titles = [("instructions since the last barrier", 196.0), ("since the last barrier", 122.0), ("since the barrier", 96.0)];
    let fitting = |room: f32| titles.into_iter().find(|(_, wide)| wide + 44.0 <= room).map(|(title, _)| title);
    let full = fitting(half - start).filter(|title| *title == titles[0].0);
    if let Some(title) = full {
        say((start + half) / 2.0, Align::Middle, title);
    } else if let Some(title) = fitting(end - start) {
        say((start + end) / 2.0, Align::Middle, title);
    }
    let has_half = full.is_some() || (fitting(end - start).is_none() && end - start > 70.0);
    for (number, x) in [(0, start), (plan.scale, end)].into_iter().chain(has_half.then_some((plan.scale / 2, half))) {
        scene.mono(0, Tone::Soft, x, 12.0, SMALL, Align::Middle, number.to_string());
    }
}

/// Draws the other blocks, a line each: where their warps are, and how many wait. Returns the lower end.
fn overview(scene: &mut Scene<Selection>, plan: &BoardPlan, room: &Room, blocks: &[&BlockTrack], y: f32) -> f32 {
    scene.label(
        0,
        Tone::Soft,
        0.0,
        y + 12.0,
        SMALL,
        Align::Left,
        "Other blocks, each with its warps on one line (click to enlarge)",
    );
    let y = y + LINE;
    let lines = overview_lines(blocks.len(), room.width);
    let columns = blocks.len().div_ceil(lines);
    let wide = room.width / columns as f32;
    for (at, block) in blocks.iter().enumerate() {
        let (left, top) = ((at / lines) as f32 * wide, y + (at % lines) as f32 * LINE);
        scene.label(0, Tone::Text, left, top + 13.0, SMALL, Align::Left, format!("Block {}", block.index));
        let (start, end) = (left + LABEL, left + wide - 58.0);
        scene.fill(0, Tone::Line, Rect::new(start, top + LINE / 2.0, end - start, 1.0));
        for runner in &block.warps {
            let x = match runner.state {
                RunnerState::Running => start + (end - start - 10.0) * (runner.progress as f32 / plan.scale as f32).min(1.0),
                RunnerState::Waiting => end - 5.0,
                RunnerState::Exited => end + 6.0,
            };
            scene.fill(
                key_of(kind::RUNNER, room, block, runner.warp, 1),
                hue(runner.warp),
                Rect::new(x, top + 3.0, 4.0, LINE - 6.0),
            );
        }
        let gate = if block.waiting == 0 { Tone::Mark } else { Tone::Reason(Reason::Barrier) };
        scene.fill(0, gate, Rect::new(end, top + 2.0, 3.0, LINE - 4.0));
        let text = format!("{}/{}", block.waiting, block.warps.len());
        scene.mono(0, Tone::Text, end + 14.0, top + 13.0, SMALL, Align::Left, text);
        scene.spot(Rect::new(left, top, wide, LINE), Selection::Block { sm: room.sm, slot: block.slot });
    }
    y + lines as f32 * LINE
}

/// Describes the board in words.
fn words(view: &BarrierView) -> String {
    let mut text = format!("Cycle {}: barrier board.", view.cycle);
    if view.blocks.is_empty() {
        text.push_str(" No block is resident.");
    }
    for block in &view.blocks {
        let all = counted(block.warps.len() as u64, "warp");
        text.push_str(&format!(" Block {}: {} of {all} at the barrier", block.index, block.waiting));
        text.push_str(if block.released { ", released in the last cycle;" } else { ";" });
        let tell = |runner: &Runner| match runner.state {
            RunnerState::Running => format!(" w{} at {}", runner.warp, runner.progress),
            RunnerState::Waiting => format!(" w{} waits", runner.warp),
            RunnerState::Exited => format!(" w{} ended", runner.warp),
        };
        text.push_str(&block.warps.iter().map(tell).collect::<Vec<_>>().join(","));
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::plan::TOKEN;
    use super::*;
    use crate::scene::{Film, Geometry, Shape, key};

    const ROOM: Room = Room { width: 600.0, height: 400.0, sm: 0, slot: Some(0), warp: None };

    fn runner(warp: u16, progress: u64, state: RunnerState) -> Runner {
        Runner { warp, progress, state, badge: None, critical: false, starved: false, buffered: 1, fetched: false, issued: false }
    }

    fn block(slot: u16, warps: Vec<Runner>) -> BlockTrack {
        let waiting = warps.iter().filter(|runner| runner.state == RunnerState::Waiting).count() as u32;
        BlockTrack { slot, index: u64::from(slot) + 10, waiting, priority: None, released: false, arrived: false, warps }
    }

    fn board(blocks: Vec<BlockTrack>) -> BarrierView {
        BarrierView { cycle: 7, blocks, longest: 20, ibuffer: 2, fetches: 0, used_next: 0 }
    }

    fn running(warps: std::ops::Range<u16>, progress: u64) -> Vec<Runner> {
        warps.map(|warp| runner(warp, progress, RunnerState::Running)).collect()
    }

    /// Returns the place of a warp's token.
    fn place(scene: &Scene<Selection>, slot: u16, warp: u16) -> Rect {
        let name = key(kind::RUNNER, u32::from(warp), slot + 10, 0);
        scene.shapes.iter().find(|shape| shape.key == name).expect("the warp has a token").geometry.place()
    }

    #[test]
    fn a_token_goes_from_the_start_to_the_gate_and_behind_it() {
        let at = |runner: Runner| place(&draw(&board(vec![block(0, vec![runner])]), &ROOM), 0, 0).x;
        use RunnerState::{Exited, Running, Waiting};
        let way: Vec<f32> = [(0, Running), (5, Running), (20, Running), (20, Waiting), (20, Exited)]
            .map(|(progress, state)| at(runner(0, progress, state)))
            .to_vec();
        assert!(way.windows(2).all(|pair| pair[0] + 4.0 < pair[1]), "{way:?}");
    }

    #[test]
    fn tokens_fill_the_room_between_12_and_40_pixels_and_overlap_nowhere() {
        for (warps, height) in [(2, 400.0), (8, 180.0), (8, 400.0), (24, 400.0), (48, 800.0)] {
            let room = Room { height, ..ROOM };
            let scene = draw(&board(vec![block(0, running(0..warps, 3))]), &room);
            let places: Vec<Rect> = (0..warps).map(|warp| place(&scene, 0, warp)).collect();
            assert!(places.iter().all(|place| TOKEN.contains(&place.h)), "{warps} in {height}: {places:?}");
            assert!(places.windows(2).all(|pair| !pair[0].meets(&pair[1])), "{warps} in {height}: {places:?}");
            assert!(scene.shapes.iter().all(|shape| shape.geometry.place().x <= room.width), "all is inside");
        }
    }

    #[test]
    fn without_room_for_all_the_selected_block_is_large_and_the_others_are_lines() {
        let blocks = (0..6).map(|slot| block(slot, running(slot * 8..slot * 8 + 8, u64::from(slot)))).collect();
        let room = Room { slot: Some(2), ..ROOM };
        let scene = draw(&board(blocks), &room);
        let large = |warp: u16| scene.shapes.iter().any(|shape| shape.key == key(kind::RUNNER, warp.into(), warp / 8 + 10, 0));
        assert_eq!((0..48).filter(|&warp| large(warp)).collect::<Vec<_>>(), (16..24).collect::<Vec<_>>());
        let small = scene.shapes.iter().filter(|shape| shape.key >> 56 == u64::from(kind::RUNNER) && shape.key & 0xff == 1);
        assert_eq!(small.count(), 40);
        assert!(scene.height <= room.height, "{}", scene.height);
        let line = scene.spots.iter().find(|spot| spot.what == Selection::Block { sm: 0, slot: 5 });
        assert!(line.is_some(), "a click enlarges another block");
    }

    #[test]
    fn a_release_arrives_counts_opens_and_only_then_goes() {
        let waits = board(vec![block(0, vec![runner(0, 20, RunnerState::Waiting), runner(1, 19, RunnerState::Running)])]);
        let mut goes = board(vec![block(0, running(0..2, 0))]);
        goes.blocks[0].released = true;
        let (old, new) = (draw(&waits, &ROOM), draw(&goes, &ROOM));
        let film = Film::new(&old, &new, false);
        let x = |time: f32| place(&film.frame(time), 0, 0).x;
        assert_eq!((x(0.0), x(1.0)), (place(&old, 0, 0).x, place(&new, 0, 0).x));
        assert_eq!(new.script.names(), ["flash", "arrive", "count", "hold", "open", "reset", "go"]);
        let at = |beat: &str| film.frame(new.script.part_of(beat).expect("a beat").end - 0.0001);
        let gate = |scene: &Scene<Selection>| {
            let half = |part: u8| scene.shapes.iter().find(|shape| shape.key == key(kind::GATE, 0, 10, part));
            half(0).zip(half(1)).map(|(a, b)| a.geometry.place().h + b.geometry.place().h).unwrap_or(0.0)
        };
        let count = |scene: &Scene<Selection>| {
            let seen = scene.shapes.iter().filter(|shape| shape.key == key(kind::GATE_COUNT, 0, 10, 0) && shape.alpha > 0.5);
            let text =
                |shape: &Shape| if let Geometry::Text { text, .. } = &shape.geometry { text.clone() } else { String::new() };
            seen.map(text).collect::<Vec<_>>()
        };
        // Both stand at the gate; then it counts both, and is closed until it has held.
        let parked = place(&old, 0, 0).x;
        assert_eq!([0, 1].map(|warp| (place(&at("arrive"), 0, warp).x - parked).abs() < 0.5), [true, true]);
        assert_eq!([count(&at("arrive")), count(&at("count")), count(&at("hold"))], [["1"], ["2"], ["2"]]);
        assert!((gate(&at("hold")) - gate(&old)).abs() < 0.1, "the gate is closed while the count holds");
        assert!(gate(&at("open")) < gate(&old) / 3.0 && count(&at("open")) == ["2"], "it opens before the count returns to 0");
        assert_eq!(count(&at("reset")), ["0"]);
        assert!((place(&at("reset"), 0, 0).x - parked).abs() < 0.5, "and only then they go");
        let furthest = (0..=40).map(|step| x(step as f32 / 40.0)).fold(0.0, f32::max);
        assert!(furthest > parked + 4.0, "through the gate: {furthest}");
    }

    #[test]
    fn badges_and_the_critical_mark_go_with_their_token() {
        let mut view = board(vec![block(0, running(0..3, 4))]);
        view.blocks[0].warps[1].badge = Some(2);
        view.blocks[0].warps[2].critical = true;
        let scene = draw(&view, &ROOM);
        let of = |kind: u8, warp: u32| scene.shapes.iter().find(|shape| shape.key == key(kind, warp, 10, 0));
        let said = |kind: u8, warp: u32| match of(kind, warp).map(|shape| &shape.geometry) {
            Some(Geometry::Text { text, .. }) => Some(text.clone()),
            _ => None,
        };
        assert_eq!((said(kind::BADGE_TEXT, 1).as_deref(), said(kind::BADGE_TEXT, 0)), (Some("2"), None));
        assert_eq!((said(kind::CRITICAL_TEXT, 2).as_deref(), said(kind::CRITICAL_TEXT, 1)), (Some("!"), None));
        for (kind, warp) in [(kind::BADGE, 1), (kind::CRITICAL, 2)] {
            let mark = of(kind, warp.into()).expect("a mark").geometry.place();
            assert!(!mark.meets(&place(&scene, 0, warp)), "beside the token");
        }
    }

    #[test]
    fn the_words_say_who_waits_and_how_far_the_others_are() {
        let view = board(vec![block(0, vec![runner(0, 9, RunnerState::Waiting), runner(1, 4, RunnerState::Running)])]);
        let said = draw(&view, &ROOM).words;
        assert_eq!(said, "Cycle 7: barrier board. Block 10: 1 of 2 warps at the barrier; w0 waits, w1 at 4.");
        assert!(draw(&board(Vec::new()), &ROOM).words.contains("No block is resident"));
    }
}
