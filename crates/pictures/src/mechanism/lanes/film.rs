//! The film of a step in the large pipeline: how a warp is folded and unfolded (Origami section 3.4, figure 8).
//!
//! The beats, in order; a step has those of them for which there is a cause:
//!
//! 1. *flash*: what has left fades.
//! 2. *advance*: what is in the lanes goes on by a stage, and from the last one to the results.
//! 3. *back*: there a half that was shifted slides back onto its own lanes.
//! 4. *register*: the threads of the next instruction stand in the register.
//! 5. *slide*: the half that has waited slides sideways onto the lanes of the first.
//! 6. *enter*: a half, or a whole warp, goes down into its lanes.
//! 7. *lift*: the other half waits above, lifted.
//! 8. *gate*: gates close, or begin to open.
//!
//! A cycle in which nothing slides, waits or is gated is quiet: everything goes on by a row.

use super::view::{LanesView, PipeView};
use crate::scene::{Beat, Scene};
use crate::view::Selection;
use warpscope_machine::sim::pipeline::LaneUse;

/// The beats of a step; one without a cause is the same as the one before it.
pub struct Acts {
    /// Whether there is something to tell.
    pub tell: bool,
    pub advance: Beat,
    pub back: Beat,
    pub register: Beat,
    pub slide: Beat,
    pub enter: Beat,
    pub lift: Beat,
    pub gate: Beat,
}

impl Acts {
    /// Plans the beats of the step that led to this cycle.
    pub fn plan(scene: &mut Scene<Selection>, view: &LanesView, pipe: &PipeView) -> Acts {
        let now = view.now;
        let passes = || {
            let all = pipe.uses.iter().flat_map(|taken| [0, 1].map(|pass| (taken, pass)));
            all.filter(|(taken, pass)| taken.placement.passes[*pass].threads != 0)
        };
        let begins = passes().any(|(taken, _)| taken.spans[0].0 == now);
        let enters = passes().any(|(taken, pass)| taken.spans[pass].0 == now);
        let lifts = passes().any(|(taken, pass)| taken.spans[0].0 == now && taken.spans[pass].0 > now);
        let slides = passes().any(|(taken, pass)| taken.spans[pass].0 == now && is_moved(view, taken, pass));
        let returns = passes().any(|(taken, pass)| taken.spans[pass].1 == now && is_moved(view, taken, pass));
        let goes_on = passes().any(|(taken, pass)| (taken.spans[pass].0 + 1..=taken.spans[pass].1).contains(&now));
        let tell = lifts || slides || returns || view.switched;
        if !tell {
            let [flash, travel, settle] = [Beat::Flash, Beat::Travel, Beat::Settle];
            let [advance, back, register, slide, enter, lift] = [travel, travel, flash, travel, travel, travel];
            return Acts { tell, advance, back, register, slide, enter, lift, gate: settle };
        }
        scene.plan(Beat::Flash, "flash", 60);
        let mut last = Beat::Flash;
        let mut act = |is_needed: bool, name: &'static str, ms: u16| {
            if is_needed {
                last = scene.act(name, ms);
            }
            last
        };
        Acts {
            tell,
            advance: act(goes_on, "advance", 300),
            back: act(returns, "back", 300),
            register: act(begins, "register", 250),
            slide: act(slides, "slide", 350),
            enter: act(enters, "enter", 300),
            lift: act(lifts, "lift", 200),
            gate: act(view.switched, "gate", 300),
        }
    }
}

/// Returns whether a thread of the pass executes on a lane that is not its own.
fn is_moved(view: &LanesView, taken: &LaneUse, pass: usize) -> bool {
    let threads = (0..32).filter(|thread| taken.placement.passes[pass].threads >> thread & 1 != 0);
    threads.into_iter().any(|thread| taken.placement.lane_of(thread) % view.lanes != thread % view.lanes)
}
