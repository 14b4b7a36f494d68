//! Why a warp that could have issued did not: what its scheduler chose instead, and the part of the ranks that decided.

use super::Explainer;
use crate::view::WarpPicture;
use warpscope_kernel::program::Pc;
use warpscope_machine::event::Event;
use warpscope_machine::sim::choice::Cause;

/// Returns the reason as a clause: ``scheduler 0 chose warp 5, whose block has more warps at its barrier``.
pub fn why(explainer: &Explainer, warp: &WarpPicture) -> String {
    let config = &explainer.sim.machine.config;
    let port = config.port_of(warp.entry.unwrap_or(warp.warp).into());
    let choices = explainer.choices.map(|choices| choices.passed_over()).unwrap_or_default();
    let own = choices.iter().find(|passed| passed.sm == warp.sm && Some(passed.warp) == warp.entry);
    match own.map(|passed| passed.cause) {
        Some(Cause::Warp { chosen, pc, words }) => format!("scheduler {port} chose {}, {words}", who(explainer, chosen, pc)),
        Some(Cause::HeldBack) => format!("it is not in the active set of scheduler {port}"),
        Some(Cause::Gang { own, chosen, words }) => super::gang::passed_over(explainer, own, chosen, words),
        None => chosen(explainer, warp.sm, port).unwrap_or_else(|| "it was not its turn".into()),
    }
}

/// Names a warp of the warp table that issued the instruction at `pc`.
fn who(explainer: &Explainer, warp: u16, pc: Pc) -> String {
    if explainer.sim.machine.reforms { format!("a warp at {}", explainer.at(pc)) } else { format!("warp {warp}") }
}

/// Returns what a port issued in the last cycle, as a clause.
fn chosen(explainer: &Explainer, sm: u16, port: u32) -> Option<String> {
    let config = &explainer.sim.machine.config;
    explainer.last.iter().find_map(|event| match *event {
        Event::Issued { sm: name, warp, pc, .. } if sm == name && config.port_of(warp.into()) == port => {
            Some(format!("scheduler {port} chose {}", who(explainer, warp, pc)))
        }
        _ => None,
    })
}
