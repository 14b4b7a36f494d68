//! Why a virtual warp waits for its siblings: who of them is still in the logical block before (VTW sections 4.2.1 and 4.4).

use super::WarpPicture;
use super::why::{Witness, names};

/// The siblings that have not ended the logical block that all are to end first, and that block.
fn siblings(why: &Witness, warp: &WarpPicture) -> Option<(u64, String)> {
    let sm = why.sim.state.sms.get(usize::from(warp.sm))?;
    let block = sm.blocks.get(usize::from(warp.slot))?.as_ref()?;
    let current = block.current.iteration;
    let own = block.first_warp..block.first_warp + block.warps;
    let behind = own.filter(|&name| sm.warps[usize::from(name)].assignment.iteration == current);
    Some((block.current.index, names(behind)))
}

/// It comes to shared memory too early.
pub fn shared(why: &Witness, name: &str, warp: &WarpPicture) -> String {
    let code = why.code(warp.pc);
    match siblings(why, warp) {
        Some((block, list)) => format!(
            "{name} runs block {} and comes to shared memory with `{code}`; its siblings {list} may still use it for block {block}.",
            warp.block
        ),
        None => format!("{name} comes to shared memory with `{code}`, which its siblings may still use."),
    }
}

/// It is a whole block ahead.
pub fn block(why: &Witness, name: &str, warp: &WarpPicture) -> String {
    match siblings(why, warp) {
        Some((block, list)) => format!(
            "{name} is done with block {} and wants the next; its siblings {list} are still with block {block}, and a warp may be one block ahead of them.",
            warp.block
        ),
        None => format!("{name} is a block ahead of its siblings, and waits for them."),
    }
}
