//! The page's clock: how the run moves by itself towards its goal, and what ends an animated jump early.

use super::frame::{Every, Frames, now};
use super::handle::Handle;
use super::listening::{closest, use_window_events};
use super::motion;
use warpscope_lab::{Goal, Lab};
use yew::prelude::*;

/// How long the page may work at a time, in milliseconds: less than a frame while it plays; on the way to a far goal, short
/// enough that no key waits.
const PLAY_SLICE_MS: f64 = 6.0;
const FAST_SLICE_MS: f64 = 12.0;
/// Time between two renders during fast play, and on the way to a far goal, in milliseconds.
const FAST_DRAWN_MS: f64 = 100.0;
const FAR_DRAWN_MS: f64 = 250.0;

/// Works towards the run's goal while it has one.
#[hook]
pub fn use_clock(handle: &Handle) {
    let every = handle.read(|lab| (!lab.transport.is_resting()).then(|| pace(lab).every));
    let handle = handle.clone();
    use_effect_with(every, move |every| {
        let frames = every.map(|every| {
            let mut last = now();
            let mut drawn = last;
            let mut owed = false;
            Frames::every(every, move || {
                let time = now();
                let mut going = true;
                handle.act_if(|lab| {
                    let Pace { slice, pause, .. } = pace(lab);
                    // A turn renders or works, not both, so that neither has to wait for the other.
                    if owed && time - drawn >= pause && pause > 0.0 {
                        (owed, drawn) = (false, time);
                        return true;
                    }
                    let elapsed = time - std::mem::replace(&mut last, time);
                    // The time of a film that tells an event does not count.
                    if lab.transport.goal == Goal::Play && motion::is_waited_for(time) {
                        return false;
                    }
                    owed |= lab.tick(elapsed, slice, &now);
                    going = !lab.transport.is_resting();
                    // Any other render after the arrival stops this clock, so the last picture is rendered in this turn.
                    let draw = owed && (pause == 0.0 || !going);
                    owed &= !draw;
                    draw
                });
                going
            })
        });
        move || drop(frames)
    });
}

/// How the work towards a goal is divided.
struct Pace {
    every: Every,
    /// Longest work at a time, in milliseconds.
    slice: f64,
    /// Least time between two renders, in milliseconds.
    pause: f64,
}

fn pace(lab: &Lab) -> Pace {
    match (lab.transport.goal, lab.transport.rate()) {
        (Goal::Play, u32::MAX) => Pace { every: Every::Task, slice: FAST_SLICE_MS, pause: FAST_DRAWN_MS },
        (Goal::Play, 1_000..) => Pace { every: Every::Frame, slice: FAST_SLICE_MS, pause: FAST_DRAWN_MS },
        (Goal::Play, _) | (Goal::Jump(_), _) => Pace { every: Every::Frame, slice: PLAY_SLICE_MS, pause: 0.0 },
        _ => Pace { every: Every::Task, slice: FAST_SLICE_MS, pause: FAR_DRAWN_MS },
    }
}

/// Ends an animated jump at its destination on a press anywhere but on the play button, which does so itself.
#[hook]
pub fn use_arrival(handle: &Handle) {
    let handle = handle.steady();
    use_window_events(true, &["pointerdown"], move |event| {
        if closest(event, "#play").is_none() {
            handle.act_if(Lab::arrive);
        }
    });
}
