//! The film of a step at a barrier (BAWS section 3): arrival, and release.
//!
//! The beats of a release, in order:
//!
//! 1. *flash*: what issued lights up.
//! 2. *arrive*: the last runner comes to the gate.
//! 3. *count*: the gate counts it, and so does the block's priority.
//! 4. *hold*: "4 of 4" can be read.
//! 5. *open*: the gate opens.
//! 6. *reset*: the count and the priority return to 0, and the trails of the phase that has ended go.
//! 7. *go*: the runners pass the gate and begin the next phase.
//!
//! When a warp arrives that is not the last one, only *arrive* and *count* follow the flash.

use super::super::parts::kind;
use super::plan::{BoardPlan, Room};
use super::track::{TOKEN_KINDS, key_of};
use super::view::{BarrierView, BlockTrack, RunnerState};
use crate::scene::{Beat, Geometry, Scene, Shape, ShapeKey, Tone};
use crate::view::Selection;

/// The parts of a token that tell its place in the order.
const ORDER: [u8; 4] = [kind::BADGE, kind::BADGE_TEXT, kind::CRITICAL, kind::CRITICAL_TEXT];

/// Writes the script of the step that led to this board.
pub fn direct(scene: &mut Scene<Selection>, view: &BarrierView, plan: &BoardPlan, room: &Room) {
    let shown = || view.blocks.iter().filter(|block| plan.is_large(block));
    if shown().any(|block| block.released) {
        release(scene, plan, room, shown().filter(|block| block.released));
    } else if shown().any(|block| block.arrived) {
        scene.plan(Beat::Flash, "flash", 80);
        scene.plan(Beat::Travel, "arrive", 350);
        scene.plan(Beat::Settle, "count", 300);
    }
}

fn release<'a>(scene: &mut Scene<Selection>, plan: &BoardPlan, room: &Room, blocks: impl Iterator<Item = &'a BlockTrack>) {
    scene.plan(Beat::Flash, "flash", 80);
    let [arrive, count] = [scene.act("arrive", 350), scene.act("count", 250)];
    scene.act("hold", 350);
    let [open, reset] = [scene.act("open", 250), scene.act("reset", 250)];
    scene.plan(Beat::Travel, "go", 450);
    for block in blocks {
        let of_block = |kind: u8, part: u8| key_of(kind, room, block, block.slot, part);
        let live = block.warps.iter().filter(|runner| runner.state != RunnerState::Exited).count() as u32;
        for runner in block.warps.iter().filter(|runner| runner.state == RunnerState::Running) {
            let name = |kind: u8| key_of(kind, room, block, runner.warp, 0);
            let Some(at) = shape(scene, name(kind::RUNNER)).map(|token| token.geometry.place()) else { continue };
            let way = plan.gate - plan.wide - 2.0 - at.x;
            for kind in TOKEN_KINDS {
                // There is no order among those that wait: the numbers of the next phase come when it begins.
                let seen = if ORDER.contains(&kind) { 0.0 } else { 1.0 };
                if let Some(part) = shape(scene, name(kind)) {
                    scene.pose(arrive, [part.moved_by((way, 0.0)).seen(part.alpha * seen)]);
                }
            }
            if let Some(trail) = shape(scene, name(kind::TRAIL)) {
                let place = trail.geometry.place();
                let mut long = place;
                long.w += way;
                scene.pose(arrive, [trail.placed(long)]);
                set_beat(scene, trail.key, reset);
            }
        }
        if let Some(number) = shape(scene, of_block(kind::GATE_COUNT, 0)) {
            scene.pose(count, [Shape { tone: Tone::Text, ..reworded(&number, live.to_string()) }]);
            set_beat(scene, number.key, reset);
        }
        if let (Some(text), Some(priority)) = (shape(scene, of_block(kind::PRIORITY, 0)), block.priority) {
            scene.pose(count, [reworded(&text, format!("priority {}", priority + live))]);
            set_beat(scene, text.key, reset);
        }
        for half in [0, 1] {
            set_beat(scene, of_block(kind::GATE, half), open);
        }
    }
}

fn shape(scene: &Scene<Selection>, key: ShapeKey) -> Option<Shape> {
    scene.shapes.iter().find(|shape| shape.key == key).cloned()
}

fn set_beat(scene: &mut Scene<Selection>, key: ShapeKey, beat: Beat) {
    scene.shapes.iter_mut().filter(|shape| shape.key == key).for_each(|shape| shape.beat = beat);
}

fn reworded(shape: &Shape, words: String) -> Shape {
    let mut shape = shape.clone();
    if let Geometry::Text { text, .. } = &mut shape.geometry {
        *text = words;
    }
    shape
}
