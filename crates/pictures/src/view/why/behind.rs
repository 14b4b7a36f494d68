//! Why a virtual warp waits for its siblings: which of them still run the previous logical block (VTW sections 4.2.1 and 4.4).

use super::Explainer;
use crate::view::WarpPicture;
use crate::view::words::the_warps;

/// Returns the logical block that all siblings have to end first, and the names of the siblings that have not.
fn siblings(why: &Explainer, warp: &WarpPicture) -> Option<(u64, String)> {
    let sm = why.sim.state.sms.get(usize::from(warp.sm))?;
    let block = sm.blocks.get(usize::from(warp.slot))?.as_ref()?;
    let current = block.current.iteration;
    let own = block.first_warp..block.first_warp + block.warps;
    let behind = own.filter(|&name| sm.warps[usize::from(name)].assignment.iteration == current);
    Some((block.current.index, the_warps(behind)))
}

/// Explains a warp that reaches shared memory while siblings may still use it for the previous logical block.
pub fn shared(why: &Explainer, name: &str, warp: &WarpPicture) -> String {
    let code = why.code(warp.pc);
    match siblings(why, warp) {
        Some((block, list)) => format!(
            "{name} runs block {} and waits to access shared memory with `{code}`; its siblings {list} may still use it for block {block}.",
            warp.block
        ),
        None => format!("{name} waits to access shared memory with `{code}`; its siblings may still use it."),
    }
}

/// Explains a warp that is a whole logical block ahead of its siblings.
pub fn block(why: &Explainer, name: &str, warp: &WarpPicture) -> String {
    match siblings(why, warp) {
        Some((block, list)) => format!(
            "{name} has finished block {} and is ready for the next; its siblings {list} still run block {block}, and a warp may be at most one block ahead.",
            warp.block
        ),
        None => format!("{name} is a block ahead of its siblings and waits for them."),
    }
}
